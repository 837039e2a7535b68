"""Long stretches of elementwise ops, cut into parts of which each is short enough for LLVM."""

from collections.abc import Callable, Sequence
from heapq import heappop, heappush
from typing import NamedTuple

from anvl.dialect.core.captures import captured
from anvl.dialect.core.mlir import ir
from anvl.passes.lower.hlo_builder import maker

__all__ = ["Part", "cut", "readers"]

# Note [Parts of elementwise stretches]
#
# The kernel of a stretch (Note [Elementwise kernels]) is one function of LLVM, so a long stretch is
# cut, in order, into parts.  A part reads values of earlier parts, in a derivative nearly all of
# them: the cotangents of 300 steps read some 500 values.  Each is handed on, as an array that the
# earlier part writes, or repeated, with all that it takes, from values that are handed on.  Which
# of these is chosen as checkpoints are: a part repeats what lies behind some place in the stretch
# and reads what lies before it.  From the last value that a part reads we walk back, and each op
# is tried as such a place: its price is the ops that are repeated so far, and the arrays that are
# read, each of which counts as a few ops.  The walk ends where the price has risen, the best place
# is taken, and the next walk begins with what is still to be had.  So a part of the reverse pass
# repeats its segment of the forward pass from the two or three values that the segment begins
# with, and reads the cotangents, which take the whole reverse pass so far.
#
# A repeated op is the same op on the same operands, but LLVM joins a product and a sum as it finds
# them, so what a comparison reads may differ in its last digit.  XLA does the same wherever two
# fusions compute a value; what has to be the same number (Note [Numbers that are compared]) is
# behind a barrier, and no stretch goes across one.
#
# XLA makes loops of a kernel as it makes fusions: a quotient or an exponential that two loops read
# is an array, all else is computed anew in each loop that reads it.  We count what that comes to
# (2,031 ops for 300 steps, which are 2,056), for the stretch and for its parts, and an array that
# is handed on as 16 ops: 240 of them took 2.5 s.  If the parts come to more the stretch is one
# kernel, or stays where that would be too long; but XLA's last loop of a stretch of hundreds of
# loops reads as many arrays, and that is slow.
#
# Measured (jaxlib 0.10.2, two cores of an AMD EPYC, busy; value and gradient): 300 random steps,
# two thirds softplus, on 2,000 numbers compile in 6 s in place of 14, and run in 1 ms in place of 5
# (JAX 11 s and 5 ms); with exponentials they compile in 0.5 of the time, with powers in 0.85.
# 1,000 steps with sines, quotients and exponentials on 1,000 numbers take as long to compile (as in
# JAX, 8 to 10 s) and run in a third, in 3 to 7 ms (JAX 32): two results of a part, a cotangent and
# a sum of cotangents, have most of their ops in common, which XLA computes twice.  So 300 of these
# are one kernel: they compile in 0.77 of the time (0.87 of JAX's, 400 in 0.85) and run in the same
# or less; cut they would compile in 1.05 of the time and run in 1.4.  Where XLA computes 4,500 ops
# one kernel compiles in 1.1 of the time, from 7,800 on in 1.2.
# Tried without success on these: two f32 in one u64, so that one loop computes both (other programs
# run in 10 times the time), XLA's multi-output fusion (compiles in 1.1 of the time, or 0.7 without
# unrolling, but single kernels in 1.5), and `stablehlo.map` with all ops in it (0.5 to 0.8, but it
# runs in 1.5 to 2 times the time, as a core waits for each op in turn).

#: Ops of a part, with those that it repeats and those of functions that it calls.
_MOST, _FEWEST = 800, 100
_PRICES = (4, 13)  # ops that an array stands for: the cuts with both are compared
_OF_KEPT = 1  # ops that an array stands for that is handed on anyway
_RISE = 48  # ops: where the price has risen by so many, no better place is looked for
_OF_ARRAY = 16  # ops that take LLVM as long as an array that is handed on
_MOST_COMPUTED = 1.1  # ops of the parts for each op of the stretch, as XLA computes them
_MOST_OF_ONE = 3_500  # ops that XLA computes in one kernel, if the stretch is not cut
_MOST_LOOPS = 256  # that XLA makes of a stretch: the last one then reads hundreds of arrays

#: Ops that XLA computes once if two loops read them.
_SLOW = frozenset(
    f"stablehlo.{name}"
    for name in "atan2 cosine divide exponential exponential_minus_one log log_plus_one logistic "
    "power remainder rsqrt sine sqrt tanh".split()
)


class Part(NamedTuple):
    """Ops of a stretch, those of earlier parts that it repeats, and values that others read."""

    ops: list[ir.Operation]
    repeated: list[ir.Operation]
    results: list[ir.Value]


class _Cut(NamedTuple):
    """A part by places in its stretch: its first op, the one behind it, and what it repeats."""

    begin: int
    end: int
    repeated: list[int]


def cut(ops: Sequence[ir.Operation], size_of: Callable[[ir.Operation], int]) -> list[Part] | None:
    """Parts of a stretch, in order, or all of it as one; None if neither is less work for XLA.

    `size_of` is the number of ops that an op stands for.
    """
    stretch = _Stretch(ops, size_of)
    ways = [way for price in _PRICES if (way := stretch.cuts(price)) is not None]
    computed, cuts, kept = min(ways, key=lambda way: way[0], default=(0, [], set()))
    whole, n_loops = stretch.computed(range(len(ops)), stretch.results)
    if not cuts or (computed > _MOST_COMPUTED * whole and n_loops <= _MOST_LOOPS):
        results = [ops[i].results[0] for i in sorted(stretch.results)]
        return [Part(list(ops), [], results)] if whole <= _MOST_OF_ONE else None
    return [
        Part(
            [ops[i] for i in range(begin, end)],
            [ops[i] for i in repeated],
            [ops[i].results[0] for i in range(begin, end) if i in kept],
        )
        for begin, end, repeated in cuts
    ]


class _Stretch:
    """Ops by their places: how many each stands for, what it reads, and which others read."""

    def __init__(self, ops: Sequence[ir.Operation], size_of: Callable[[ir.Operation], int]) -> None:
        place = {op: i for i, op in enumerate(ops)}
        makers = [map(maker, (*op.operands, *captured(op))) for op in ops]
        self._operands = [sorted({place[x] for x in made if x in place}) for made in makers]
        self._sizes = [size_of(op) for op in ops]
        self._is_slow = [op.name in _SLOW for op in ops]
        self.results = {i for i, op in enumerate(ops) if not place.keys() >= readers(op)}

    def cuts(self, price: int) -> tuple[int, list[_Cut], set[int]] | None:
        """The ops that XLA's work comes to, the parts, and all that they hand on or others read."""
        cuts = list[_Cut]()
        kept, begin = set(self.results), 0
        while begin < len(self._sizes):
            part, read = self._longest(begin, kept, price)
            if part.end - begin < _FEWEST and part.end < len(self._sizes):
                return None
            cuts.append(part)
            kept |= read
            begin = part.end
        places = [[*part.repeated, *range(part.begin, part.end)] for part in cuts]
        own = [kept.intersection(range(part.begin, part.end)) for part in cuts]
        arrays = _OF_ARRAY * len(kept - self.results)
        computed = sum(self.computed(*given)[0] for given in zip(places, own, strict=True))
        return computed + arrays, cuts, kept

    def computed(self, places: Sequence[int], results: set[int]) -> tuple[int, int]:
        """How many ops XLA computes in a kernel, in all of its loops, and how many loops."""
        loops = dict.fromkeys(places, 0)  # in which an op is computed, one a bit
        n_loops = total = 0
        for i in reversed(places):
            if i in results or (self._is_slow[i] and loops[i].bit_count() > 1):
                loops[i] = 1 << n_loops
                n_loops += 1
            total += loops[i].bit_count() * self._sizes[i]
            for x in self._operands[i]:
                if x in loops:
                    loops[x] |= loops[i]
        return total, n_loops

    def _longest(self, begin: int, kept: set[int], price: int) -> tuple[_Cut, set[int]]:
        """The longest part from a place on, and which earlier values it reads."""
        end, total = begin, 0
        while end < len(self._sizes) and total + self._sizes[end] <= _MOST:
            total += self._sizes[end]
            end += 1
        end = max(end, begin + 1)
        while True:
            repeated, read = self._repeated(begin, end, kept, price)
            total = sum(self._sizes[i] for i in (*repeated, *range(begin, end)))
            if total <= _MOST or end - begin < _FEWEST:
                return _Cut(begin, end, repeated), read
            end = begin + min((end - begin) * _MOST // total, end - begin - 1)

    def _repeated(
        self, begin: int, end: int, kept: set[int], price: int
    ) -> tuple[list[int], set[int]]:
        """Which ops a part repeats, in order, and which earlier values it reads."""
        needed = {x for i in range(begin, end) for x in self._operands[i] if x < begin}
        wanted = sorted(needed)
        repeated, read = set[int](), set[int]()
        while wanted:
            walk = self._best_walk(wanted, needed, kept, price)
            if walk:
                repeated.update(walk)
                needed.update(x for i in walk for x in self._operands[i])
                wanted = sorted(needed - repeated - read)
            else:
                read.add(wanted.pop())
        return sorted(repeated), read

    def _best_walk(
        self, wanted: Sequence[int], needed: set[int], kept: set[int], price: int
    ) -> list[int]:
        """Ops to repeat, from the last one that is wanted back; none if to read it costs less."""
        ahead = len(wanted)  # of these come next
        more = list[int]()  # a heap of what is wanted besides, by the ops on the way
        seen, walk, best = set[int](), list[int](), 0
        rise = least = 0
        while (ahead or more) and rise < least + _RISE:
            if ahead and (not more or wanted[ahead - 1] > -more[0]):
                ahead -= 1
                i = wanted[ahead]
            else:
                i = -heappop(more)
            walk.append(i)
            rise += self._sizes[i] - (_OF_KEPT if i in kept else price)
            for x in self._operands[i]:
                if x not in needed and x not in seen:
                    seen.add(x)
                    heappush(more, -x)
                    rise += _OF_KEPT if x in kept else price
            if rise < least:
                least, best = rise, len(walk)
        return walk[:best]


def readers(op: ir.Operation) -> set[ir.Operation]:
    """The ops of the same block that read an op's results, themselves or in a region."""
    block = op.block
    return {_outer(use.owner.operation, block) for y in op.results for use in y.uses}


def _outer(user: ir.Operation, block: ir.Block) -> ir.Operation:
    """The op of a block that is an op or has it in a region."""
    while user.block != block:
        user = user.parent
    return user
