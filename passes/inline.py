"""anvl-inline: put the body of each called function in place of the call."""

from dataclasses import dataclass

from anvl.dialect.core.mlir import ir
from anvl.passes.framework.pass_base import Pass
from anvl.passes.functions.dce import drop_unused_functions
from anvl.passes.functions.inlining import Inliner
from anvl.passes.functions.symbol_utils import calls_by_function, functions_of, references

__all__ = ["Inline"]


@dataclass(frozen=True)
class Inline(Pass, argument="anvl-inline"):
    """Replace each `func.call` by the body of its callee, and remove unused private functions.

    Afterwards no `func.call` is left and every private function that was only called is gone.
    Written here because MLIR's own inliner refuses callees with ops of a Python-defined dialect.
    """

    anchor = "builtin.module"

    def run(self, module: ir.Operation) -> None:
        functions = functions_of(module)
        calls = calls_by_function(module)
        inliner = Inliner(functions, calls, references(functions, calls))
        for name in list(functions):
            inliner.inline_into(name, ())
        drop_unused_functions(module)
