"""Squares of values whose maker knows a smoother way to them than x * x.

A length has a corner at 0, and its square has none; written as what it is the root of, the square
has the right derivatives there, too.
"""

from anvl.dialect.mlir import ir
from anvl.dialect.op import AnvlOp, Value

__all__ = ["square_of"]


def square_of(x: Value) -> Value | None:
    """The square of x as the op that makes x writes it, if it does: its rule `squared`."""
    if isinstance(x, ir.BlockArgument):
        return None
    op = x.owner.operation.opview
    rules = type(op)
    if not issubclass(rules, AnvlOp) or not rules.has_rule("squared"):
        return None
    return rules.squared(list(op.operands), **rules.read(op.operation))
