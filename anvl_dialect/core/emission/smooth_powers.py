"""Powers of values whose defining op has a smoother formula than the product.

A norm has a corner at 0, its square has none; written as the radicand, the square has the right
derivatives there too.
"""

from anvl.dialect.core.mlir import ir
from anvl.dialect.core.op import AnvlOp, Value, emit

__all__ = ["power_of", "power_of_square"]


def power_of(x: Value, exponent: int) -> Value | None:
    """x ** exponent (at least 2) by the rule `powered` of the op that defines x, or None."""
    if isinstance(x, ir.BlockArgument):
        return None
    op = x.owner.operation.opview
    rules = type(op)
    if not issubclass(rules, AnvlOp) or not rules.has_rule("powered"):
        return None
    return rules.powered(list(op.operands), exponent, **rules.read(op.operation))


def power_of_square(square: Value, exponent: int) -> Value:
    """x ** exponent for an even exponent, given x * x."""
    return square if exponent == 2 else emit.integer_pow(square, exponent=exponent // 2)
