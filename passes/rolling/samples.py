"""A few repetitions of a long stretch, from which is seen whether a loop of all of them may pay.

Most programs that repeat stay as they are: layers have a weight each, or what each step computes is
read later.  To read all of their ops and to link them takes as long as to differentiate them, and
is for nothing; but a few repetitions tell what the others read.  So in what repeats by the classes
of its ops alone, a quarter of the way and, if it is long, three quarters, some are read and weighed
by the model (Note [Cost of repetition]) as though there were as many as in all.  In doubt, as where
these are not linked in the same way, all are read.

What the sample reads from outside differs at least as often in all, and what nothing in it reads is
read behind it, as no op is dead: so a loop of all takes no less than is predicted.
"""

from collections.abc import Callable, Sequence
from typing import Any

from anvl.dialect.core.mlir import ir
from anvl.passes.rolling.costs import features_of, is_compiled_faster
from anvl.passes.rolling.forms import form_of
from anvl.passes.rolling.items import Block
from anvl.passes.rolling.loop_bounds import may_pay
from anvl.passes.rolling.orders import Asked
from anvl.passes.rolling.periods import Run, repeats
from anvl.passes.rolling.stretches import (
    FEWEST_IN_TURN,
    MOST_IN_TURN,
    Each,
    Stretch,
    linked,
)

__all__ = ["may_pay_by_samples"]

_MORE = 2  # repetitions of a sample beside the least number
_FEWEST = 2  # times as many repetitions as a sample has: else reading it saves little
_SHORTEST = 300  # ops of a block, of which a sample saves more than it takes


def may_pay_by_samples(
    ops: Sequence[Any], least: int, asked: Asked, is_movable: Callable[[Any], bool]
) -> bool:
    """Whether a loop of ops of a block may be compiled faster than they are; in doubt, it may.

    The loop has at least `least` repetitions.
    """
    if len(ops) < _SHORTEST:
        return True
    numbers: dict[type, int] = {}
    taken: list[Run] = []
    for run in repeats([numbers.setdefault(type(op), len(numbers)) for op in ops], least):
        if any(run.start < r.start + r.length and r.start < run.start + run.length for r in taken):
            continue
        taken.append(run)
        if not may_pay(ops[run.start : run.start + run.length], least, asked):
            continue
        count = run.length // run.period
        n = _size(count, least)
        if count < _FEWEST * n:
            return True
        for place in (0.25, 0.75) if count > 8 * n else (0.25,):
            start = run.start + int(place * count) * run.period
            sample = _Sample(ops[start : start + n * run.period], is_movable)
            if _may_pay(sample, run, least, asked):
                return True
    return False


class _Sample(Block):
    """Some ops of a block, of whose values those are read behind them that none of them reads."""

    def __init__(self, ops: Sequence[Any], is_movable: Callable[[Any], bool]) -> None:
        super().__init__([*ops, _Nothing], is_movable)
        for number, item in enumerate(self.items):
            for result in range(item.n_results):
                self.read_at.setdefault((number, result), [len(self.items)])

    def maker_of(self, x: Any) -> Any:
        """The op that computes a source, a constant, or a value from elsewhere in the block."""
        op = super().maker_of(x)
        if op is None and not isinstance(x, tuple) and not isinstance(x.owner, ir.Block):
            return x.owner.opview
        return op


class _Nothing:
    """The end of a sample."""

    operands = ()


def _may_pay(sample: _Sample, run: Run, least: int, asked: Asked) -> bool:
    """Whether a loop of all of a run may pay, of which a sample has some repetitions."""
    found: list[Stretch] = []
    for one in repeats([item.symbol for item in sample.items], least):
        if any(one.start < s.end and s.start < one.start + one.length for s in found):
            continue
        stretch = linked(sample, one, least)
        count = run.length // one.period
        if not isinstance(stretch, Stretch):
            return True
        if _may_be_in_turn(count) and _reads_again(stretch):
            return True
        read = features_of(sample, stretch, form_of(sample, stretch), asked)
        more = count / stretch.count
        parts, rows = int(read.parts * more), int(read.rows * more)
        if is_compiled_faster(read._replace(repetitions=count, parts=parts, rows=rows)):
            return True
        found.append(stretch)
    return not found


def _size(count: int, least: int) -> int:
    """The repetitions of a sample: where values may come in turn, enough to see one again."""
    return max(least + _MORE, MOST_IN_TURN + 1) if _may_be_in_turn(count) else least + _MORE


def _may_be_in_turn(count: int) -> bool:
    """Whether so many repetitions, and a few at the ends, may be a loop of values in turn."""
    return count + _MORE >= 2 * FEWEST_IN_TURN


def _reads_again(stretch: Stretch) -> bool:
    """Whether repetitions read a value again, after others: they may do so in turn."""
    each = [link for links in stretch.links for link in links if type(link) is Each]
    return any(len(set(link.values)) < len(link.values) for link in each)
