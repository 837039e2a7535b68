"""Residuals: the values that a derivative saves, and those that it recomputes.

The only place that decides it, for `anvl.vjp` and `anvl.linearize`, for scans and for checkpoints.
"""

from collections.abc import Iterable, Sequence
from math import prod
from typing import Any

from anvl.dialect.core.effects import has_effect
from anvl.dialect.core.op import AnvlOp, Value
from anvl.dialect.core.types import itemsize

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
# Equal ops become one before (in a checkpoint they do not), since a derivative of a derivative has
# some: both need the slope of one `tanh`, and XLA does not merge the arrays that a loop saves.
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
    return prod(type_.shape) * itemsize(type_.element_type)


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
    if not needed:
        return []
    values, cheap, constants = _listed(ops)
    ids = {x: i for i, x in enumerate(values)}
    # Arguments stand at the end, and their ids are negative, so before those of all others.
    others = [x for x in needed if x not in ids]
    ids.update((x, i - len(others)) for i, x in enumerate(others))
    choice = _Choice([*values, *others], [*cheap, *(None for _ in others)], ids, there | constants)
    return [choice.values[i] for i in choice.of([ids[x] for x in needed if x not in constants])]


def _listed(ops: Iterable[Any]) -> tuple[list[Value], list[Any], set[Value]]:
    """The results of ops; for each its op, or None if that is not cheap; and the constants.

    These are literals, captured arrays, and the values that elementwise ops compute from them.
    """
    values: list[Value] = []
    cheap: list[Any] = []
    constants: set[Value] = set()
    for op in ops:
        rules = type(op)
        if not issubclass(rules, AnvlOp) or rules.multiple_results:
            results = list(op.results)
            values += results
            cheap += [None] * len(results)
            continue
        y = op.result
        values.append(y)
        cheap.append(op if rules.cheap else None)
        if rules.n_operands == 0 or (rules.diagonal and constants.issuperset(op.operands)):
            if not rules.bodies and not has_effect(op):
                constants.add(y)
    return values, cheap, constants


#: The id of an argument that is neither available nor needed.
_LACKING = -(2**62)


class _Choice:
    """The choice among values, by their ids: each value follows from values with smaller ids."""

    def __init__(
        self,
        values: Sequence[Value],
        cheap: Sequence[Any],
        ids: dict[Value, int],
        available: set[Value],
    ) -> None:
        self.values = values
        self._cheap = cheap
        self._ids = ids
        self._available = available
        self._reads: dict[int, list[int] | None] = {_LACKING: None}
        self._sizes: dict[int, int] = {}

    def of(self, needed: Iterable[int]) -> list[int]:
        """The smallest residuals for the needed values."""
        kept = set(needed)
        self._drop(kept, kept)
        below = {i: self._below(i) for i in kept}
        while self._shrinks(kept, below):
            pass
        return sorted(kept)

    def _shrinks(self, kept: set[int], below: dict[int, set[int]]) -> bool:
        """Save values in place of larger ones that follow from them; return whether any."""
        above: dict[int, list[int]] = {}
        for i in kept:
            for j in below[i]:
                above.setdefault(j, []).append(i)
        changed = False
        for j in sorted(above):
            users = [i for i in above[j] if i in kept]
            if j in kept or self._bytes(users) <= self._bytes([j]):
                continue
            kept.add(j)
            self._drop(kept, users)
            dropped = [i for i in users if i not in kept]
            if self._bytes(dropped) > self._bytes([j]):
                below[j] = self._below(j)
                changed = True
            else:
                kept.remove(j)
                kept.update(dropped)
        return changed

    def _drop(self, kept: set[int], ids: Iterable[int]) -> None:
        """Drop those of these values that follow from the other ones kept, the last first."""
        for i in sorted(ids, reverse=True):
            kept.remove(i)
            if not self._follows(i, kept):
                kept.add(i)

    def _bytes(self, ids: Iterable[int]) -> int:
        total = 0
        for i in ids:
            if i not in self._sizes:
                self._sizes[i] = byte_size(self.values[i].type)
            total += self._sizes[i]
        return total

    def _read_by(self, i: int) -> Sequence[int] | None:
        """Operands that are not available, of the cheap op that defines a value; else None."""
        if i not in self._reads:
            op = self._cheap[i]
            self._reads[i] = None if op is None else self._read(op)
        return self._reads[i]

    def _read(self, op: Any) -> list[int]:
        read = [x for x in op.operands if x not in self._available]
        return [self._ids.get(x, _LACKING) for x in read]

    def _below(self, i: int) -> set[int]:
        """Values from which a value follows by few cheap ops."""
        pending, seen, count = [i], set[int](), 0
        while pending and count < _LONGEST:
            read = self._read_by(pending.pop())
            if read is None:
                continue
            count += 1
            more = [j for j in read if j != _LACKING and j not in seen]
            seen.update(more)
            pending += more
        return seen

    def _follows(self, i: int, kept: set[int]) -> bool:
        """Whether a value follows from those kept by few cheap ops."""
        pending, seen = [i], set[int]()
        while pending:
            j = pending.pop()
            if j in kept or j in seen:
                continue
            read = self._read_by(j)
            if read is None or len(seen) == _LONGEST:
                return False
            seen.add(j)
            pending += read
        return True
