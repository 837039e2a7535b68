"""Powers of values whose defining op has a smoother formula than the product.

A norm has a corner at 0, its square has none; written as the radicand, the square has the right
derivatives there too.
"""

from typing import Any

from anvl.dialect.core.op import AnvlOp, Value, emit

__all__ = ["has_power", "power_of", "power_of_square"]


def has_power(x: Value) -> bool:
    """Whether the op that defines x, if any, has the rule `powered`."""
    rules = type(x.owner)
    return issubclass(rules, AnvlOp) and rules.has_rule("powered")


def power_of(x: Value, exponent: int) -> Value | None:
    """x ** exponent (at least 2) by the rule `powered` of the op that defines x, or None."""
    if not has_power(x):
        return None
    op = x.owner
    rules: Any = type(op)
    made: Value | None = rules.powered(list(op.operands), exponent, **rules.read(op.operation))
    return made


def power_of_square(square: Value, exponent: int) -> Value:
    """x ** exponent for an even exponent, given x * x."""
    return square if exponent == 2 else emit.integer_pow(square, exponent=exponent // 2)
