"""Tandem repeats in a sequence of symbols: which stretches repeat, and with which period."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from anvl.dialect.core.lazy_numpy import np

__all__ = ["Run", "repeats"]

# Four symbols are compared at once to find distances worth a closer look, and four times more: in a
# repetition of repetitions short ones come up again soon.
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


def repeats(symbols: Sequence[int], least: int, periods: Iterable[int] | None = None) -> list[Run]:
    """The stretches that repeat at least `least` times, those that save the most first.

    Takes time in proportion to the number of symbols: only distances at which several symbols in
    a row come up again are looked at, unless `periods` are given.

    Examples
    --------
    >>> repeats([7, 1, 2, 3, 1, 2, 3, 1, 2, 3, 1, 2, 9], 3)
    [Run(start=1, period=3, length=11)]
    """
    found: list[Run] = []
    sequence = np.asarray(symbols, dtype=np.int64)
    for period in _likely_periods(sequence) if periods is None else periods:
        same = np.zeros(len(sequence) - period + 2, dtype=bool)
        same[1:-1] = sequence[period:] == sequence[:-period]
        (edges,) = (same[1:] != same[:-1]).nonzero()
        for start, end in zip(edges[::2].tolist(), edges[1::2].tolist(), strict=True):
            if end - start >= (least - 1) * period:
                found.append(Run(start, period, end - start + period))
    # The shortest period of a stretch saves the most: its multiples come after it.
    return sorted(found, key=lambda run: (-run.saved, run.period, run.start))


def _likely_periods(sequence: "np.ndarray") -> list[int]:
    """Distances at which the same symbols come up again: several, many, and still more in a row."""
    found: dict[int, None] = {}
    parts, length = sequence.astype(np.uint64), 1  # hashes of so many symbols
    while len(parts) > 3 * length + 1:
        parts, length = _joined(_joined(parts, length), 2 * length), 4 * length
        frequent = _frequent_distances(parts)
        if not frequent:  # longer ones come up again even less
            break
        found.update(dict.fromkeys(frequent))
    return list(found)


def _joined(parts: "np.ndarray", length: int) -> "np.ndarray":
    """Hashes of two parts, of a length each, in a row."""
    factor = np.uint64(pow(_FACTOR, length, 2**64))
    return parts[:-length] * factor + parts[length:]


def _frequent_distances(parts: "np.ndarray") -> list[int]:
    """Distances between equal neighbours of a sequence, the most frequent ones first."""
    order = parts.argsort(kind="stable")
    ordered = parts[order]
    (again,) = (ordered[1:] == ordered[:-1]).nonzero()
    if not len(again):
        return []
    counts = np.bincount(order[again + 1] - order[again])
    (distances,) = counts.nonzero()
    return distances[(-counts[distances]).argsort(kind="stable")[:_MOST_PERIODS]].tolist()
