"""Residuals that a step of a loop saves for its adjoint: the fewest bytes that suffice."""

from collections.abc import Iterable, Sequence
from math import prod
from typing import Any

from anvl.dialect.core.captures import operands_of
from anvl.dialect.core.op import AnvlOp, Value
from anvl.dialect.core.types import numpy_of

__all__ = ["byte_size", "fewest"]

# Note [Residuals of a step]
#
# A residual of one step is saved for all steps, so residuals determine the memory of a gradient;
# and storing and reloading a number takes longer than negating or repeating it.  So a value that
# follows by cheap ops (`AnvlOp.cheap`) from available values or saved ones is not saved; nor are
# several values that follow from one that is smaller than they are together.  This is not a minimum
# cut, as `anvl-remat` computes, but needs no solver, and the body of a loop is short.

#: Longest chain of ops that is recomputed for one value.
_LONGEST = 12
#: In larger bodies only this many values are tried.
_MOST_TRIED = 50


def byte_size(type_: Any) -> int:
    """Size in bytes of an array of this type."""
    return prod(type_.shape) * numpy_of(type_.element_type).itemsize


def fewest(kept: Sequence[Value], given: Iterable[Value], ops: Sequence[Any]) -> list[Value]:
    """Smallest residuals from which, with `given`, all of `kept` follow by cheap ops.

    `ops` are the ops that define them, in order.
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
        # For each value the bytes of the residuals that might follow from it.
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
    """Values from which a value follows by few cheap ops."""
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
    """Whether a value follows from others by few cheap ops."""
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
