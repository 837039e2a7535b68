"""Sets of elements of an argument, by number, and unions of these for whole arrays at once."""

from collections.abc import Sequence
from typing import Any

from anvl.dialect.core.lazy_numpy import np

__all__ = ["ALL", "EMPTY", "IndexSets"]

# Note [Index sets]
#
# A value of n elements has n sets: of the elements of the argument that each depends on.  Many are
# equal, after a sum or a broadcast for example, so a set is made once, and a value is an array of
# the numbers of its sets, of its own shape.  Equal sets have equal numbers.  So ops that move
# elements move numbers, an op that combines elements takes the union for each combination of
# numbers once, and a loop has reached its fixed point when the numbers stay.
#
# The members of all sets stand in one array, one set after another, in ascending order.  The set of
# all elements has no members there: a dense result takes no more memory than a sparse one.  When
# all sets together exceed `limit` members, new ones become the set of all elements, which is
# coarser and still correct.

EMPTY, ALL = 0, 1

_LIMIT = 32_000_000


class IndexSets:
    """Sets of the numbers from 0 to `size` - 1: Note [Index sets]."""

    def __init__(self, size: int, limit: int = _LIMIT) -> None:
        self.size, self.limit = size, limit
        self._members = np.zeros(0, np.int64)
        self._used = 0
        self._starts = np.zeros(2, np.int64)
        self._counts = np.array([0, size], np.int64)
        self._by_hash: dict[tuple[int, int], int] = {}
        # Of a fixed seed: programs and their patterns are the same in each run.
        self._weights = np.random.default_rng(20).integers(0, 2**63, size, np.uint64)

    def singles(self) -> Any:
        """For each number the set of it alone."""
        if self.size <= 1:
            return np.full(self.size, ALL, np.int64)
        numbers = np.arange(self.size, dtype=np.int64)
        return self._numbers_of(numbers, numbers, np.ones(self.size, np.int64))

    def counts(self, ids: Any) -> Any:
        """The number of members of each of these sets."""
        return self._counts[ids]

    def pairs(self, ids: Any) -> tuple[Any, Any]:
        """Rows and columns of a sequence of sets: (i, j) for each member j of set i, in order."""
        counts = self._counts[ids]
        rows = np.repeat(np.arange(len(ids)), counts)
        offsets = _offsets(counts)
        is_all = (ids == ALL)[rows]
        at = self._starts[ids][rows] + offsets
        columns = np.where(is_all, offsets, 0)
        columns[~is_all] = self._members[at[~is_all]]
        return rows, columns

    def union(self, *arrays: Any) -> Any:
        """The unions of arrays of sets, element by element; they broadcast as in NumPy."""
        found = np.asarray(arrays[0])
        for other in arrays[1:]:
            found = self._union_of_two(found, np.asarray(other))
        return found

    def _union_of_two(self, a: Any, b: Any) -> Any:
        a, b = np.broadcast_arrays(a, b)
        low, high = np.minimum(a, b), np.maximum(a, b)
        found = np.where((low == ALL) | (high == ALL), ALL, high)
        both = (low > ALL) & (low != high)
        if not both.any():
            return found
        keys, inverse = np.unique(low[both] * len(self._counts) + high[both], return_inverse=True)
        groups = np.arange(len(keys))
        ids = np.concatenate([keys // len(self._counts), keys % len(self._counts)])
        found[both] = self.grouped(np.concatenate([groups, groups]), ids, len(keys))[inverse]
        return found

    def reduced(self, ids: Any, axes: Sequence[int]) -> Any:
        """The unions along some axes, which are gone from the result."""
        kept = [a for a in range(ids.ndim) if a not in axes]
        shape = [ids.shape[a] for a in kept]
        count = int(np.prod(shape, dtype=np.int64))
        flat = ids.transpose([*kept, *axes]).reshape(count, -1 if count else 0)
        groups = np.repeat(np.arange(count), flat.shape[1])
        return self.grouped(groups, flat.reshape(-1), count).reshape(shape)

    def grouped(self, groups: Any, ids: Any, count: int) -> Any:
        """For each of `count` groups the union of its sets: `ids[k]` is in group `groups[k]`."""
        found = np.full(count, EMPTY, np.int64)
        some = ids != EMPTY
        keys = np.unique(groups[some] * len(self._counts) + ids[some])
        groups, ids = keys // len(self._counts), keys % len(self._counts)
        found[groups[ids == ALL]] = ALL
        left = found[groups] != ALL
        groups, ids = groups[left], ids[left]
        found[groups] = ids  # right where a group has one set
        several = np.bincount(groups, minlength=count) > 1
        left = several[groups]
        groups, ids = groups[left], ids[left]
        if not len(groups):
            return found
        if self._used + int(self._counts[ids].sum()) > self.limit:
            found[several & (found != EMPTY)] = ALL
            return found
        rows, columns = self.pairs(ids)
        members = np.unique(groups[rows] * self.size + columns)
        owners, members = members // self.size, members % self.size
        which, counts = np.unique(owners, return_counts=True)
        found[which] = self._numbers_of(members, np.cumsum(counts) - counts, counts)
        return found

    def _numbers_of(self, members: Any, starts: Any, counts: Any) -> Any:
        """The numbers of sets, each of some members in order; new where there is no equal one."""
        with np.errstate(over="ignore"):
            hashes = np.add.reduceat(self._weights[members], starts)
        found = np.empty(len(starts), np.int64)
        fresh: list[int] = []
        known, total = self._by_hash, len(self._counts)
        pairs = zip(hashes.tolist(), counts.tolist(), strict=True)
        for i, key in enumerate(pairs):
            n = known.get(key)
            if n is None:
                n = known[key] = total + len(fresh)
                fresh.append(i)
            found[i] = n
        self._append(members, starts[fresh], counts[fresh])
        self._check_equal(found, members, starts, counts)
        found[counts == self.size] = ALL
        return found

    def _append(self, members: Any, starts: Any, counts: Any) -> None:
        new = members[np.repeat(starts, counts) + _offsets(counts)]
        needed = self._used + len(new)
        if needed > len(self._members):
            grown = np.zeros(max(needed, 2 * len(self._members)), np.int64)
            grown[: self._used] = self._members[: self._used]
            self._members = grown
        self._members[self._used : needed] = new
        self._starts = np.concatenate([self._starts, self._used + np.cumsum(counts) - counts])
        self._counts = np.concatenate([self._counts, counts])
        self._used = needed

    def _check_equal(self, found: Any, members: Any, starts: Any, counts: Any) -> None:
        """Give sets that are unequal, and only their hashes equal, numbers of their own."""
        offsets = _offsets(counts)
        there = self._members[np.repeat(self._starts[found], counts) + offsets]
        wrong = there != members[np.repeat(starts, counts) + offsets]
        if not wrong.any():
            return
        odd = np.unique(np.repeat(np.arange(len(counts)), counts)[wrong])
        found[odd] = len(self._counts) + np.arange(len(odd))
        self._append(members, starts[odd], counts[odd])


def _offsets(counts: Any) -> Any:
    """0, 1, ... for each count, one after another."""
    ends = np.cumsum(counts)
    return np.arange(int(ends[-1]) if len(ends) else 0) - np.repeat(ends - counts, counts)
