"""A pass with a bug: it means to exchange the operands of sums, and exchanges all others too."""

from dataclasses import dataclass

from anvl.dialect import ir
from anvl.passes import Pass


@dataclass(frozen=True)
class Exchange(Pass, argument="my-exchange"):
    """Exchange the operands of commutative ops."""

    def run(self, module: ir.Operation) -> None:
        def exchange(op: ir.Operation) -> ir.WalkResult:
            if len(op.operands) == 2:
                x, y = op.operands
                op.operands[0], op.operands[1] = y, x
            return ir.WalkResult.ADVANCE

        module.walk(exchange)
