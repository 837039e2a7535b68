"""How the repetitions of a stretch are linked: what is carried, what differs, what stays.

The stretch has `count` repetitions of `period` items from `start`.  Operand j of item o in each of
them is one of four:

* `Inner`: a result of the same repetition;
* `Carried`: a result of the repetition `distance` before; for the first ones, a value from outside;
* `Same`: one value from outside, for all repetitions;
* `Each`: a value from outside for each of them.

An op whose attributes differ, such as the slice of row i, is computed before the loop if it reads
values from outside alone; its results count as such (`apart`).

Where repetitions read a few values in turn, as layers that share four weights, so many of them are
one of a longer period, for which each value is the same (`in_turn`).
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from anvl.passes.rolling.items import Block, Source
from anvl.passes.rolling.periods import Run

__all__ = [
    "FEWEST_IN_TURN",
    "MOST_IN_TURN",
    "Carried",
    "Difference",
    "Each",
    "Inner",
    "Same",
    "Stretch",
    "in_turn",
    "linked",
]

_FURTHEST = 4  # repetitions back from which a value is carried
_MOST_PEELED = 2
#: Repetitions of a step of a loop of values in turn.
MOST_IN_TURN = 16
#: Steps of a loop of values in turn that runs as fast as what repeats.  (Of 166 layers with four
#: weights in turn the gradient compiles in 0.1 of the time as a loop of 41 steps, and runs in 0.8;
#: of 8 or 12 steps in 0.4 to 0.5, but it runs 1.3 times as long.)
FEWEST_IN_TURN = 16


class Inner(NamedTuple):
    item: int  # in the repetition, as in all of these
    result: int


class Carried(NamedTuple):
    item: int
    result: int
    distance: int
    first: tuple[Any, ...]  # the values that the first `distance` repetitions read


class Same(NamedTuple):
    value: Any


class Each(NamedTuple):
    values: tuple[Any, ...]


class Difference(NamedTuple):
    """The first item that differs from those at its place in other repetitions, and how."""

    item: int
    what: str


@dataclass
class Stretch:
    """A stretch whose repetitions are linked in the same way.

    Attributes
    ----------
    links : list
        For each item of a repetition, the link of each of its operands.
    apart : set of int
        The items that are computed before the loop.
    wanted : dict
        From (item, result) to the repetitions of which the value is read behind the stretch.
    """

    start: int
    period: int
    count: int
    links: list[list[Any]] = field(default_factory=list)
    apart: set[int] = field(default_factory=set)
    wanted: dict[tuple[int, int], list[int]] = field(default_factory=dict)

    @property
    def end(self) -> int:
        """The item behind the last one."""
        return self.start + self.period * self.count

    def carried(self) -> list[Carried]:
        """The carried values, each once, with the largest distance."""
        found: dict[tuple[int, int], Carried] = {}
        for links in self.links:
            for link in links:
                if type(link) is Carried:
                    key = link.item, link.result
                    if key not in found or found[key].distance < link.distance:
                        found[key] = link
        return list(found.values())

    def are_firsts_alike(self) -> bool:
        """Whether readers of a carried value agree about the values before the first one."""
        known: dict[tuple[int, int, int], Any] = {}
        for links in self.links:
            for link in links:
                if type(link) is Carried:
                    for k, value in enumerate(link.first):
                        # What the repetition k - distance would have computed.
                        key = link.item, link.result, k - link.distance
                        if known.setdefault(key, value) != value:
                            return False
        return True


def linked(block: Block, run: Run, least: int) -> Stretch | Difference:
    """The longest stretch in a run whose repetitions are linked in the same way.

    The first repetitions may differ, where a value was computed once and kept.  If too few are
    alike, the first difference that was met.
    """
    met: Difference | None = None
    for phase in _phases(block, run):
        for peeled in range(_MOST_PEELED + 1):
            start = run.start + phase + peeled * run.period
            count = (run.start + run.length - start) // run.period
            if count < least:
                break
            found = _linked_from(block, Stretch(start, run.period, count), least)
            if isinstance(found, Stretch):
                _note_wanted(block, found)
                return found
            met = met or found
    return met or Difference(run.start, "is not repeated often enough")


def in_turn(block: Block, stretch: Stretch, least: int) -> Stretch | None:
    """The stretch with as many repetitions in one as there are values that they read in turn.

    None if they read none so, or if it would repeat less than `least` times.
    """
    read = [link for links in stretch.links for link in links if type(link) is Each]
    length = math.lcm(*filter(None, [_turn(link.values) for link in read]))
    count = stretch.count // length
    if length == 1 or length > MOST_IN_TURN or count < least:
        return None
    longer = Stretch(stretch.start, length * stretch.period, count)
    found = _linked_from(block, longer, least)
    if not isinstance(found, Stretch):
        return None
    _note_wanted(block, found)
    return found


def _turn(values: Sequence[Any]) -> int | None:
    """After how many values the same ones come again, if they do."""
    lengths = range(1, min(MOST_IN_TURN, len(values) // 2) + 1)
    return next((n for n in lengths if values[n:] == values[:-n]), None)


def _linked_from(block: Block, stretch: Stretch, least: int) -> Stretch | Difference:
    """Shorten a stretch to the repetitions that are linked in the same way."""
    count, difference = stretch.count, Difference(stretch.start, _READS_ANOTHER)
    while count >= least:
        made = Stretch(stretch.start, stretch.period, count)
        made.apart = _with_other_attributes(block, made)
        fits, difference = _link_all(block, made)
        if fits == count:
            # A shorter stretch has the same first values.
            return made if made.are_firsts_alike() else Difference(made.start, _BEGINS_APART)
        count = fits
    return difference


_BEGINS_APART = "begins with another value than what reads the same later"
_READS_ANOTHER = "reads another value than in the other repetitions"


def _with_other_attributes(block: Block, stretch: Stretch) -> set[int]:
    of, found = block.attributes, set()
    for o in range(stretch.period):
        numbers = range(stretch.start + o, stretch.end, stretch.period)
        if not any([len(block.items[i].op.attributes) for i in numbers]):
            continue
        first = of(numbers[0])
        if any([of(i) != first for i in numbers[1:]]):
            found.add(o)
    return found


def _link_all(block: Block, stretch: Stretch) -> tuple[int, Difference]:
    """Link all operands; returns the number of repetitions for which that is possible."""
    fits, difference = stretch.count, Difference(stretch.start, _READS_ANOTHER)
    for o in range(stretch.period):
        links: list[Any] = []
        for j in range(len(block.items[stretch.start + o].operands)):
            numbers = range(stretch.start + o, stretch.end, stretch.period)
            link, n = _link(stretch, [block.items[i].operands[j] for i in numbers])
            links.append(link)
            if n < fits:
                fits, difference = n, Difference(numbers[n], _READS_ANOTHER)
        if o in stretch.apart and not all(type(link) in (Same, Each) for link in links):
            n = _equal_so_far(block, stretch, o)
            return n, Difference(stretch.start + o + n * stretch.period, "has other attributes")
        stretch.links.append(links)
    return fits, difference


def _equal_so_far(block: Block, stretch: Stretch, o: int) -> int:
    """How many repetitions of an item have the attributes of the first."""
    first = block.attributes(stretch.start + o)
    for k in range(1, stretch.count):
        if block.attributes(stretch.start + o + k * stretch.period) != first:
            return k
    return stretch.count


def _link(stretch: Stretch, sources: Sequence[Any]) -> tuple[Any, int]:
    """The link of an operand that has these sources, and for how many repetitions it holds."""
    places, period = _places(stretch, sources), stretch.period
    inside = next((k for k, place in enumerate(places) if place >= 0), None)
    if inside is None:
        return _from_outside(sources), len(sources)
    repetition, o = divmod(places[inside], period)
    distance = inside - repetition
    if distance > _FURTHEST or (inside and repetition):
        return None, inside
    result = sources[inside].result
    fits = inside + _alike(places[inside:], sources[inside:], period)
    if fits < len(sources):
        return None, fits
    if not distance:
        return Inner(o, result), len(sources) if not inside else inside
    return Carried(o, result, distance, tuple(sources[:inside])), len(sources)


def _places(stretch: Stretch, sources: Sequence[Any]) -> list[int]:
    """Where values are computed, in items from the start of the stretch; -1 outside of the loop."""
    start, end, period = stretch.start, stretch.end, stretch.period
    places = [
        x.item - start if type(x) is Source and start <= x.item < end else -1 for x in sources
    ]
    if not stretch.apart:
        return places
    return [-1 if place % period in stretch.apart else place for place in places]


def _alike(places: list[int], sources: Sequence[Any], period: int) -> int:
    """The number of values in a row, from the first, that are each a repetition behind the last."""
    first, result = places[0], sources[0].result
    expected = list(range(first, first + len(places) * period, period))
    if places == expected and all([x.result == result for x in sources]):
        return len(places)
    triples = zip(places, expected, sources, strict=True)
    return [p == wanted and x.result == result for p, wanted, x in triples].index(False)


def _from_outside(sources: Sequence[Any]) -> Same | Each:
    is_same = all([x == sources[0] for x in sources])
    return Same(sources[0]) if is_same else Each(tuple(sources))


def _phases(block: Block, run: Run) -> list[int]:
    """Where a repetition may begin, those first at which the fewest values are carried.

    Python's loop begins at one of them; another one computes the same, with more to carry.
    """
    period = run.period
    crossing = [0] * (period + 1)
    spare = run.length % period
    # The second repetition is as all others; the first may read what was there before.
    base = run.start + (period if run.length >= 3 * period else 0)
    for o in range(period):
        item = base + o
        for result in range(block.items[item].n_results):
            reads = block.read_at.get((item, result), [])
            last = max((i for i in reads if i < base + 2 * period), default=item)
            for cut in range(o + 1, min(last - base, o + period) + 1):
                crossing[cut % period] += 1
    order = sorted(range(period), key=lambda phase: (crossing[phase], phase))
    best = [phase for phase in order if phase <= spare] or [0]
    first = order[0]
    # A phase beyond the spare items costs one repetition.
    return list(dict.fromkeys([first, *best[:2]]))


_UNREAD = (-1,)


def _note_wanted(block: Block, stretch: Stretch) -> None:
    """Note which values are read behind the stretch."""
    read_at, end = block.read_at, stretch.end
    for o in range(stretch.period):
        if o in stretch.apart:
            continue
        first = stretch.start + o
        for result in range(block.items[first].n_results):
            numbers = range(first, stretch.end, stretch.period)
            # Of a value that nobody reads, not even later: a plain tuple is equal to its source.
            reads = [read_at.get((i, result), _UNREAD)[-1] for i in numbers]
            late = [k for k, last in enumerate(reads) if last >= end]
            if late:
                stretch.wanted[o, result] = late
