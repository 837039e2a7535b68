"""Findings about repetition in a program, for reports and errors."""

from typing import Any, NamedTuple

from anvl.passes.rolling.forms import Form
from anvl.passes.rolling.items import Block
from anvl.passes.rolling.periods import Run
from anvl.passes.rolling.stretches import Difference, Stretch

__all__ = ["Finding"]


class Finding(NamedTuple):
    """A stretch that repeats.

    Attributes
    ----------
    place : str
        The location of its first op.
    repetitions, ops : int
        How many times how many ops repeat.
    form : str
        What it became: "scan" or "batch"; empty if it stayed.
    why_not : str
        Why it stayed.
    """

    place: str
    repetitions: int
    ops: int
    form: str
    why_not: str

    @property
    def is_rolled(self) -> bool:
        """Whether it was rolled."""
        return bool(self.form)

    @classmethod
    def of_stretch(cls, block: Block, stretch: Stretch, form: Form, why_not: str) -> "Finding":
        """A stretch whose repetitions are linked in the same way."""
        became = "" if why_not else "batch" if form.is_batch else "scan"
        place = _place(block, stretch.start)
        return cls(place, stretch.count, stretch.period, became, why_not)

    @classmethod
    def of_difference(cls, block: Block, run: Run, found: Difference) -> "Finding":
        """A stretch of the same ops, which are linked in different ways."""
        op = block.items[found.item].op.operation
        why = f"{op.name} at {_place(block, found.item)} {found.what}"
        count = run.length // run.period
        return cls(_place(block, run.start), count, run.period, "", why)

    @classmethod
    def of_end(cls, block: Block, run: Run) -> "Finding":
        """A stretch that repeats too few times: where another op stands than would repeat."""
        end = run.start + run.length
        why = "the function ends there"
        if end < len(block.items):
            there, before = (block.items[i].op.operation.name for i in (end, end - run.period))
            form = " of other types or attributes" if there == before else ""
            repeated = f"that at {_place(block, end - run.period)} ({before})"
            why = f"{there}{form} at {_place(block, end)} differs from {repeated}"
        count = run.length // run.period
        return cls(_place(block, run.start), count, run.period, "", why)

    def __str__(self) -> str:
        ops = f"{self.ops} op{'s' * (self.ops != 1)}"
        what = f"{self.repetitions} repetitions of {ops} at {self.place}"
        return f"{what}: became a {self.form}" if self.form else f"{what}: stay, {self.why_not}"


def _place(block: Block, item: int) -> str:
    location: Any = block.items[item].op.operation.location
    return str(location).removeprefix("loc(").removesuffix(")")
