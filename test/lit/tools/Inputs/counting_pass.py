"""A pass that counts what it does, for pass-statistics.mlir."""

from dataclasses import dataclass

from anvl.passes import Pass, Statistic, find


@dataclass(frozen=True)
class DropNegations(Pass, argument="my-drop-negations"):
    """Put the operand of each negation in its place."""

    dropped = Statistic("num-dropped", "Number of negations that were dropped")

    def run(self, module):
        for op in find(module, "anvl.neg"):
            op.result.replace_all_uses_with(op.operands[0])
            op.erase()
            self.dropped.add()
