"""anvl-inline: put the body of each called function in place of the call."""

from dataclasses import dataclass

from anvl.dialect.control_flow.call import rule_of
from anvl.dialect.core.attributes import extra_attributes
from anvl.dialect.core.mlir import ir
from anvl.passes.framework.pass_base import Pass
from anvl.passes.functions.dce import drop_unused_functions
from anvl.passes.functions.inlining import Inliner
from anvl.passes.functions.symbol_utils import functions_of, uses_in

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
        calls, uses = uses_in(module, (extra_attributes(op) for op in functions.values()))
        kept = {n for n, op in functions.items() if (r := rule_of(op)) and r.outlives_inlining}
        inliner = Inliner(functions, calls, uses, kept)
        for name in list(functions):
            inliner.inline_into(name, ())
        drop_unused_functions(module)
