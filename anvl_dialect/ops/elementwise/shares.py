"""Shares of the operands in the derivatives of binary ops: of a maximum, and of a quotient."""

from collections.abc import Sequence
from functools import partial
from typing import Any

from anvl.dialect.core.create import full_like, zeros_like
from anvl.dialect.core.op import Value, emit
from anvl.dialect.core.types import kind
from anvl.dialect.interpreters.masking import Masked

__all__ = ["divisor_share", "equal", "winner_share", "winner_shares"]

# Note [Quotients that loops read twice]
#
# z = x / y gives the share g / y to x and -g / y * z to y, where the cotangent of a real x is
# divided for each of the two.  XLA:CPU fuses no quotient with two loops that read it: it is an
# array and has a kernel of its own, in every step of a chain.  One more quotient in a loop takes
# next to nothing: the gradient of 300 random elementwise steps, a sixth of them quotients, compiles
# in 0.6 of the time and runs in 0.55 (jaxlib 0.10.2, f32).  Quotients of complex numbers are long.


def divisor_share(g: Value, y: Value, z: Value) -> Value:
    """Derivative of z = x / y in y, times g."""
    if kind(y.type.element_type) == "complex":
        return emit.neg(emit.mul(emit.div(g, y), z))
    return emit.mul(emit.div(emit.neg(g), y), z)


def winner_share(g: Value, x: Value, direction: str, y: Value) -> Value:
    """g where x `direction` y holds, g / 2 where x == y (ties share evenly), else 0.

    The operands are compared with each other, not with the result: see Note [Numbers that are
    compared].
    """
    wins = emit.compare(x, y, comparison_direction=direction)
    return emit.select(wins, _halved_at_ties(g, x, y), zeros_like(g))


def winner_shares(*directions: str) -> Any:
    """The rule `adjoint` that gives each operand its `winner_share`, with the mask to be applied.

    It compares for ties once.
    """

    def adjoint(cls: Any, g: Value, xs: Sequence[Value], z: Value) -> Sequence[Any]:
        share = _halved_at_ties(g, *xs)
        return [partial(masked, share, xs, direction) for direction in directions]

    def masked(share: Value, xs: Sequence[Value], direction: str) -> Masked:
        return Masked(share, ((emit.compare(*xs, comparison_direction=direction), True),))

    return classmethod(adjoint)


def _halved_at_ties(g: Value, x: Value, y: Value) -> Value:
    return emit.select(equal(x, y), emit.mul(g, full_like(g, 0.5)), g)


def equal(x: Value, y: Value) -> Value:
    return emit.compare(x, y, comparison_direction="EQ")
