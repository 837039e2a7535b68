"""`stop_gradient`: identity that blocks derivatives."""

from typing import Any

from anvl.dialect.core.families import Elementwise
from anvl.dialect.core.op import Operand, Result, Value, emit

__all__ = ["StopGradientOp"]


class StopGradientOp(Elementwise, name="stop_gradient"):
    """Identity whose derivative is 0, in every mode and of every order.

    It lowers to its operand.
    """

    x: Operand
    y: Result
    zero_derivative_reason = "stop_gradient blocks derivatives by design"
    passes = (None,)

    @classmethod
    def lower(cls, hlo: Any, x: Value) -> Value:
        return x

    @classmethod
    def sample(cls, draw: Any) -> Any:
        # Finite differences would see the derivative that it blocks; through floor it is 0 anyway.
        return [
            *draw.calls(
                ([draw.floats(2, 3)], {}), ([draw.floats(0)], {}),
                through=lambda y: [emit.floor(y)],
            ),
            *draw.calls(([draw.ints(3)], {}), ([draw.bools(2)], {})),
        ]  # fmt: skip
