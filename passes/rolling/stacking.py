"""Values of each repetition in one array, along a new first axis."""

from collections.abc import Sequence
from typing import Any

from anvl.dialect.core.mlir import ir
from anvl.dialect.core.op import AnvlOp, Value, emit
from anvl.dialect.core.shape import reshaped

__all__ = ["row", "stacked", "stacked_by_rule"]


def stacked(values: Sequence[Value]) -> Value:
    """Emit an array whose row k is `values[k]`; all have one type."""
    found = stacked_by_rule([_maker(x) for x in values])
    if found is not None:
        return found
    rows = [reshaped(x, (1, *x.type.shape)) for x in values]
    return rows[0] if len(rows) == 1 else emit.concatenate(*rows, dimension=0)


def stacked_by_rule(makers: Sequence[Any]) -> Value | None:
    """Emit what ops compute as rows of an array, by the rule `stacked` of their class.

    None if they are of several classes, or theirs has no such rule.  The rule reads their operands
    and parameters: ops without operands may stand anywhere.
    """
    rules: Any = type(makers[0])
    if any([type(op) is not rules for op in makers]) or not issubclass(rules, AnvlOp):
        return None
    if rules.multiple_results or not rules.has_rule("stacked"):
        return None
    try:
        params = [rules.read(op.operation) for op in makers]
    except TypeError:  # a complex literal
        return None
    return rules.stacked([list(op.operands) for op in makers], params)


def _maker(x: Value) -> Any:
    owner = x.owner
    return owner.opview if isinstance(owner, ir.Operation) else owner


def row(array: Value, k: int) -> Value:
    """Emit row k of an array."""
    shape = tuple(array.type.shape)
    zeros, ones = (0,) * (len(shape) - 1), (1,) * len(shape)
    part = emit.slice(
        array,
        start_indices=(k, *zeros),
        limit_indices=(k + 1, *shape[1:]),
        strides=ones,
    )
    return reshaped(part, shape[1:])
