"""Residuals: the values that a derivative saves, and those that it recomputes.

The only place that decides it, for `anvl.vjp` and `anvl.linearize`, for scans and for checkpoints.
"""

from collections.abc import Iterable, Iterator, Sequence
from math import prod
from typing import Any

from anvl.dialect.core.captures import operands_of
from anvl.dialect.core.effects import has_effect
from anvl.dialect.core.op import AnvlOp, Value
from anvl.dialect.core.types import numpy_of

__all__ = ["byte_size", "is_cheap", "residuals", "work_of"]

# Note [Residuals]
#
# The ops that depend on cotangents (or on tangents: those that come late) read values of the early
# ops.  Each of these is saved, which costs its bytes, or recomputed, which costs the work of its
# op.  One rule decides it for all:
#
# * Arguments are available and cost nothing, and neither do literals, captured arrays, and the
#   values that elementwise ops compute from these alone.
# * An op costs nothing if it is `cheap`, as sums, choices and broadcasts are: storing and reloading
#   a number takes longer, and in a loop a residual is stored in each step.  Other ops cost their
#   `work`.
# * So a value that follows from available and saved values by a few cheap ops is not saved; nor are
#   several values that follow from one that is smaller than they are together.
#
# This is not a minimum cut, as `anvl-remat` computes for a budget, but needs no solver.
#
# `anvl.vjp`, `anvl.linearize`, a scan, and a checkpoint with a budget that suffices keep the same
# residuals for the same function, but for these differences:
#
# * The carries of a scan are arguments of a step, but not available: those that are read are saved
#   in each step.  Its scanned arrays are available, and so are its constants, with the values that
#   any ops compute from constants alone: these ops are hoisted out of the loop.
# * A checkpoint saves values of its function only, since these can be results of it.  For the sine
#   of h it saves h; the others save the cosine, which only the derivative computes, since the late
#   part may run any number of times.
# * A checkpoint without a budget saves nothing, with a smaller budget fewer values, and with a
#   policy the results of the ops that it names: the user decides.
# * A loop of unknown length saves carries alone, in logarithmically many steps
#   (`while_checkpointing.py`).

#: Longest chain of ops that is recomputed for one value.
_LONGEST = 12


def byte_size(type_: Any) -> int:
    """Size in bytes of an array of this type."""
    return prod(type_.shape) * numpy_of(type_.element_type).itemsize


def is_cheap(op: Any) -> bool:
    """Whether recomputing an op costs nothing: Note [Residuals]."""
    rules = type(op)
    return issubclass(rules, AnvlOp) and rules.cheap


def work_of(op: Any) -> int:
    """Work of recomputing an op, as the number of elements read and written."""
    rules = type(op)
    if is_cheap(op):
        return 0
    if issubclass(rules, AnvlOp):
        return max(1, rules.work(op.operation))
    return max(1, sum(prod(y.type.shape) for y in op.results))


def residuals(read: Iterable[Value], available: Iterable[Value], ops: Sequence[Any]) -> list[Value]:
    """Values to save, so that with those available all that are read follow: Note [Residuals].

    `ops` are the ops that define them, in order, as are the residuals.
    """
    there = set(available)
    needed = [x for x in dict.fromkeys(read) if x not in there]
    return _Choice(there, ops).of(needed) if needed else []


class _Choice:
    """Values of some ops, with the order, the reads and the sizes of each."""

    def __init__(self, available: set[Value], ops: Sequence[Any]) -> None:
        self.makers = {y: op for op in ops for y in op.results}
        self.order = {y: i for i, y in enumerate(self.makers)}
        self.there = available.union(_constants(ops))
        self._reads: dict[Value, Sequence[Value] | None] = {}

    def of(self, needed: Sequence[Value]) -> list[Value]:
        """The smallest residuals for the needed values."""
        kept = {x: None for x in needed if x not in self.there}
        self._drop(kept, kept)
        below = {x: self._below(x) for x in kept}
        while self._shrinks(kept, below):
            pass
        return sorted(kept, key=self._place)

    def _shrinks(self, kept: dict[Value, None], below: dict[Value, set[Value]]) -> bool:
        """Save values in place of larger ones that follow from them; return whether any."""
        above: dict[Value, list[Value]] = {}
        for x in kept:
            for y in below[x]:
                above.setdefault(y, []).append(x)
        changed = False
        for y in sorted(above, key=self._place):
            users = [x for x in above[y] if x in kept]
            if y in kept or _bytes(users) <= byte_size(y.type):
                continue
            trial = {**kept, y: None}
            self._drop(trial, users)
            if _bytes(trial) < _bytes(kept):
                kept.clear()
                kept.update(trial)
                below[y] = self._below(y)
                changed = True
        return changed

    def _drop(self, kept: dict[Value, None], values: Iterable[Value]) -> None:
        """Drop those of these values that follow from the other ones kept, the last first."""
        for x in sorted(values, key=self._place, reverse=True):
            del kept[x]
            if not self._follows(x, kept):
                kept[x] = None

    def _place(self, x: Value) -> int:
        return self.order.get(x, -1)

    def _read_by(self, x: Value) -> Sequence[Value] | None:
        """Operands from which a value follows by one cheap op; None if it does not."""
        if x not in self._reads:
            op = self.makers.get(x)
            self._reads[x] = operands_of(op) if op is not None and is_cheap(op) else None
        return self._reads[x]

    def _below(self, x: Value) -> set[Value]:
        """Values from which a value follows by few cheap ops."""
        pending, seen, count = [x], set[Value](), 0
        while pending and count < _LONGEST:
            read = self._read_by(pending.pop())
            if read is None:
                continue
            count += 1
            more = [z for z in read if z in self.makers and z not in self.there and z not in seen]
            seen.update(more)
            pending += more
        return seen

    def _follows(self, y: Value, kept: dict[Value, None]) -> bool:
        """Whether a value follows from those kept by few cheap ops."""
        pending, seen = [y], set[Value]()
        while pending:
            x = pending.pop()
            if x in self.there or x in kept or x in seen:
                continue
            read = self._read_by(x)
            if read is None or len(seen) == _LONGEST:
                return False
            seen.add(x)
            pending += read
        return True


def _bytes(values: Iterable[Value]) -> int:
    return sum(byte_size(x.type) for x in values)


def _constants(ops: Iterable[Any]) -> Iterator[Value]:
    """Literals, captured arrays, and what elementwise ops make of these alone."""
    found: set[Value] = set()
    for op in ops:
        rules = type(op)
        if not issubclass(rules, AnvlOp) or rules.multiple_results or rules.bodies:
            continue
        xs = op.operands
        if not len(xs) or (rules.diagonal and found.issuperset(xs)):
            if not has_effect(op):
                found.add(op.result)
                yield op.result
