"""Tandem repeats in a sequence of symbols: which stretches repeat, and with which period."""

import itertools
from collections.abc import Sequence
from typing import NamedTuple

from anvl.dialect.core.lazy_numpy import np

__all__ = ["Run", "repeats"]

_GRAM = 4  # symbols that are compared at once to find distances worth a closer look
_LONGER = 4  # and so many times more: in a repetition of repetitions short ones come up again soon
_MOST_PERIODS = 16  # of each number of symbols
_FACTOR = 0x9E3779B97F4A7C15  # of hashes: 2**64 by the golden ratio


class Run(NamedTuple):
    """A stretch of `length` symbols from `start`, each equal to the one `period` places before."""

    start: int
    period: int
    length: int

    @property
    def saved(self) -> int:
        """Symbols that are not needed any more if the period stands there once."""
        return (self.length // self.period - 1) * self.period


def repeats(symbols: Sequence[int], least: int) -> list[Run]:
    """The stretches that repeat at least `least` times, those that save the most first.

    Takes time in proportion to the number of symbols: only distances at which several symbols in
    a row come up again are looked at.

    Examples
    --------
    >>> repeats([7, 1, 2, 3, 1, 2, 3, 1, 2, 3, 1, 2, 9], 3)
    [Run(start=1, period=3, length=11)]
    """
    found: list[Run] = []
    sequence = np.asarray(symbols, dtype=np.int64)
    for period in _likely_periods(sequence):
        same = np.zeros(len(sequence) - period + 2, dtype=bool)
        same[1:-1] = sequence[period:] == sequence[:-period]
        edges = np.flatnonzero(same[1:] != same[:-1])
        for start, end in zip(edges[::2].tolist(), edges[1::2].tolist(), strict=True):
            if end - start >= (least - 1) * period:
                found.append(Run(start, period, end - start + period))
    # The shortest period of a stretch saves the most: its multiples come after it.
    return sorted(found, key=lambda run: (-run.saved, run.period, run.start))


def _likely_periods(sequence: "np.ndarray") -> list[int]:
    """Distances at which the same symbols come up again: several, many, and still more in a row."""
    found: dict[int, None] = {}
    parts, length = sequence.astype(np.uint64), 1
    for times in itertools.chain([_GRAM], itertools.repeat(_LONGER)):
        if len(parts) <= (times - 1) * length + 1:
            return list(found)
        parts, length = _joined(parts, length, times), length * times
        found.update(dict.fromkeys(_frequent_distances(parts)))
    return list(found)


def _joined(parts: "np.ndarray", length: int, times: int) -> "np.ndarray":
    """Hashes of so many parts, of a length each, in a row."""
    size = len(parts) - (times - 1) * length
    joined = parts[:size]
    for i in range(1, times):
        joined = joined * _FACTOR + parts[i * length :][:size]
    return joined


def _frequent_distances(parts: "np.ndarray") -> list[int]:
    """Distances between equal neighbours of a sequence, the most frequent ones first."""
    order = parts.argsort(kind="stable")
    ordered = parts[order]
    again = np.flatnonzero(ordered[1:] == ordered[:-1])
    counts = np.bincount(order[again + 1] - order[again])
    distances = np.flatnonzero(counts)
    return distances[(-counts[distances]).argsort(kind="stable")[:_MOST_PERIODS]].tolist()
