"""anvl-simplify: nothing twice, nothing unused, each op in its simplest form."""

from dataclasses import dataclass

from anvl.dialect.core.mlir import ir
from anvl.passes.framework.pass_base import Pass
from anvl.passes.functions.simplification import simplify
from anvl.passes.functions.symbol_utils import body_of, functions_of

__all__ = ["Simplify"]


@dataclass(frozen=True)
class Simplify(Pass, argument="anvl-simplify"):
    """Remove unused ops, merge equal ops, and rewrite each op to its simplest form.

    Each function keeps its arguments and results, to the bit.  Rewrites pure anvl and user-defined
    ops, but neither labelled ops nor ops inside the bodies of others.
    """

    anchor = "builtin.module"

    def run(self, module: ir.Operation) -> None:
        for function in functions_of(module).values():
            if body_of(function) is not None:
                simplify(function)
