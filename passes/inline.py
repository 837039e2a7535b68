"""anvl-inline: put the body of each called function in place of the call."""

from dataclasses import dataclass

from anvl.dialect.control_flow.call import rule_of
from anvl.dialect.core.mlir import ir
from anvl.passes.framework.pass_base import Pass
from anvl.passes.functions.dce import drop_unused_functions
from anvl.passes.functions.inlining import Inliner
from anvl.passes.functions.symbol_utils import calls_by_function, functions_of, references

__all__ = ["Inline"]


@dataclass(frozen=True)
class Inline(Pass, argument="anvl-inline"):
    """Replace each `func.call` by the body of its callee, and remove unused private functions.

    Afterwards no `func.call` is left, but those of manual computations (`anvl.shard_map`), and
    every private function that was only called is gone.
    Written here because MLIR's own inliner refuses callees with ops of a Python-defined dialect.
    """

    anchor = "builtin.module"

    def run(self, module: ir.Operation) -> None:
        functions = functions_of(module)
        calls = calls_by_function(module)
        kept = {n for n, op in functions.items() if (r := rule_of(op)) and r.outlives_inlining}
        inliner = Inliner(functions, calls, references(functions, calls), kept)
        for name in list(functions):
            inliner.inline_into(name, ())
        drop_unused_functions(module)
