"""What a step of a loop keeps for its adjoint: the fewest bytes that the rest follows from."""

from collections.abc import Iterable, Sequence
from math import prod
from typing import Any

from anvl.dialect.core.captures import operands_of
from anvl.dialect.core.op import AnvlOp, Value
from anvl.dialect.core.types import numpy_of

__all__ = ["byte_size", "fewest"]

# Note [Residuals of a step]
#
# What one step keeps is kept of all steps, so it is the memory of a gradient; and to write a number
# and to read it back takes longer than to negate or to repeat it.  So what follows by cheap ops
# (`AnvlOp.cheap`) from what is there anyway, or is kept already, is not kept; nor are several
# values that follow from one that is smaller than they.  That is no minimum cut, as `anvl-remat`
# makes, but takes no solver, and the body of a loop is short.

#: More ops in a row are not done again for one value.
_LONGEST = 12
#: Of larger bodies not all values are tried.
_MOST_TRIED = 50


def byte_size(type_: Any) -> int:
    """The bytes of an array of this type."""
    return prod(type_.shape) * numpy_of(type_.element_type).itemsize


def fewest(kept: Sequence[Value], given: Iterable[Value], ops: Sequence[Any]) -> list[Value]:
    """Values to keep from which all of `kept` follow, with those `given`, by cheap ops.

    `ops` are those that make them, in order.
    """
    makers = {y: op for op in ops for y in op.results}
    order = {y: i for i, y in enumerate(makers)}
    there = set(given)

    def reduced(values: Iterable[Value]) -> list[Value]:
        left = dict.fromkeys(values)
        for y in sorted(left, key=lambda x: order.get(x, -1), reverse=True):
            del left[y]
            if not _follows(y, there, left, makers):
                left[y] = None
        return list(left)

    best = reduced(kept)
    while True:
        # For each value the bytes of what might follow from it.
        gains: dict[Value, int] = {}
        for x in best:
            for y in _below(x, there, makers):
                gains[y] = gains.get(y, 0) + byte_size(x.type)
        worth = [y for y, gain in gains.items() if gain > byte_size(y.type) and y not in best]
        found = (reduced([*best, y]) for y in sorted(worth, key=order.__getitem__)[:_MOST_TRIED])
        better = next((other for other in found if _bytes(other) < _bytes(best)), None)
        if better is None:
            return sorted(best, key=lambda x: order.get(x, -1))
        best = better


def _bytes(values: Iterable[Value]) -> int:
    return sum(byte_size(x.type) for x in values)


def _below(x: Value, there: set[Value], makers: dict[Value, Any]) -> set[Value]:
    """The values that a value is made of by few cheap ops."""
    pending, seen, count = [x], set(), 0
    while pending and count < _LONGEST:
        op = makers.get(pending.pop())
        if op is None or not _is_cheap(op):
            continue
        count += 1
        more = [z for z in operands_of(op) if z in makers and z not in there and z not in seen]
        seen.update(more)
        pending += more
    return seen


def _follows(
    y: Value, there: set[Value], kept: dict[Value, None], makers: dict[Value, Any]
) -> bool:
    """Whether a value can be made of others by few cheap ops."""
    pending, count = [y], 0
    seen: set[Value] = set()
    while pending:
        x = pending.pop()
        if x in there or x in kept or x in seen:
            continue
        op = makers.get(x)
        if op is None or not _is_cheap(op):
            return False
        count += 1
        if count > _LONGEST:
            return False
        seen.add(x)
        pending += operands_of(op)
    return True


def _is_cheap(op: Any) -> bool:
    rules = type(op)
    return issubclass(rules, AnvlOp) and rules.cheap
