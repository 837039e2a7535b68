"""anvl-functionalize-effects: effects become values that the program returns."""

from dataclasses import dataclass

from anvl.dialect.core.mlir import ir
from anvl.passes.effects.functionalize import NAME, Functionalizer, effect_ops
from anvl.passes.framework.pass_base import Pass

__all__ = ["FunctionalizeEffects"]


@dataclass(frozen=True)
class FunctionalizeEffects(Pass, argument=NAME):
    """Let each public function return, behind its results, what its checks found.

    Private functions take and return this state, loops carry it, and branches return it (Note
    [Effects as values]).  Afterwards no `anvl.check` is left.  It goes before the passes that
    differentiate and batch.  The new results have the attribute `anvl.state`, and the function has
    `anvl.checks`, the messages by number.
    """

    anchor = "builtin.module"

    def run(self, module: ir.Operation) -> None:
        if effect_ops(module):
            Functionalizer(module).run()
