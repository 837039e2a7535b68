"""Cotangents that are still to be masked: what keeps the gradient of `where` finite."""

from typing import Any

from anvl.dialect.op import Value, emit
from anvl.dialect.ops.create import zeros_like

__all__ = ["Masked", "settled", "summed"]

# Note [Lazy masks]
#
# In `where(x > 0, log(x), 0)` the side that is not taken has an infinite slope at x = 0: to mask
# the cotangent first and multiply then gives 0 * inf, a NaN.  So `select` hands back a `Masked`
# cotangent, ops whose Jacobian is diagonal carry the mask past their own rule, and it is applied
# where the cotangent is next needed as a whole: the NaN is masked with the rest.  It costs no op.


class Masked:
    """A cotangent still to be masked: `select(pred, g, 0)`, or 0 where `pred`.

    Called, it applies the mask.  See Note [Lazy masks].
    """

    __slots__ = ("g", "keeps_true", "pred")

    def __init__(self, g: Value, pred: Value, keeps_true: bool) -> None:
        self.g = g
        self.pred = pred
        self.keeps_true = keeps_true

    @property
    def type(self) -> Any:
        return self.g.type

    def of(self, g: Any) -> "Masked":
        """The same mask on another cotangent."""
        return Masked(settled(g), self.pred, self.keeps_true)

    def is_like(self, other: Any) -> bool:
        """Whether another cotangent has the same mask."""
        return (
            type(other) is Masked
            and other.keeps_true == self.keeps_true
            and bool(other.pred == self.pred)
        )

    def __call__(self) -> Value:
        zero = zeros_like(self.g)
        sides = (self.g, zero) if self.keeps_true else (zero, self.g)
        return emit.select(self.pred, *sides)


def settled(g: Any) -> Any:
    """A cotangent as a value, with its mask applied if it has one; None stays None."""
    return g() if type(g) is Masked else g


def summed(one: Any, other: Any) -> Any:
    """The sum of two cotangents; two with one mask are masked once, after the sum."""
    if type(one) is Masked and one.is_like(other):
        return one.of(emit.add(one.g, other.g))
    return emit.add(settled(one), settled(other))
