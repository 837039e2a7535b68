"""Which form a stretch takes: a scan, or a batch of independent repetitions with sums."""

from typing import Any, NamedTuple

from anvl.dialect.core.types import dtype_name
from anvl.passes.rolling.items import Block
from anvl.passes.rolling.stretches import Carried, Inner, Stretch

__all__ = ["Form", "Total", "form_of"]

_NARROW = frozenset({"f16", "bf16"})  # summed in a wider type, so not one after another


class Total(NamedTuple):
    """A carried value that only takes up a term of each repetition."""

    item: int
    term: tuple[int, int]  # the item and result that it takes up
    first: Any
    reduces_by: str


class Form(NamedTuple):
    """How a stretch is written.

    Attributes
    ----------
    totals : tuple of Total
        If it is a batch, all that is carried.
    last : tuple
        Items and results of which the last value alone is read behind the stretch.
    stacked : tuple
        Those of which others are.
    left_out : frozenset of int
        Items that are not in the body.
    is_batch : bool
    """

    totals: tuple[Total, ...]
    last: tuple[tuple[int, int], ...]
    stacked: tuple[tuple[int, int], ...]
    left_out: frozenset[int]
    is_batch: bool


def form_of(block: Block, stretch: Stretch) -> Form:
    """The form of a stretch: a batch where nothing is carried but totals."""
    carried = stretch.carried()
    totals = [_total(block, stretch, c) for c in carried]
    is_batch = all(total is not None for total in totals)
    found = tuple(total for total in totals if total is not None) if is_batch else ()
    keys = {(c.item, c.result): c.distance for c in carried}
    last, stacked = [], []
    for key, repetitions in stretch.wanted.items():
        oldest = stretch.count - keys.get(key, 0)
        if repetitions[0] >= oldest:
            continue  # it is carried to the end
        if repetitions == [stretch.count - 1] and not is_batch:
            last.append(key)
        else:
            stacked.append(key)
    left_out = frozenset(total.item for total in found)
    return Form(found, tuple(last), tuple(stacked), left_out, is_batch)


def _total(block: Block, stretch: Stretch, c: Carried) -> Total | None:
    """A carried value as a total, or None if a repetition does more with it."""
    reduces_by = _reduction(block.items[stretch.start + c.item].op)
    last = [stretch.count - 1]
    is_read_once = stretch.wanted.get((c.item, c.result), last) == last
    if not reduces_by or c.distance > 1 or not is_read_once:
        return None
    terms = [link for link in stretch.links[c.item] if type(link) is Inner]
    if len(terms) != 1 or _readers(stretch, c) != [c.item]:
        return None
    return Total(c.item, (terms[0].item, terms[0].result), c.first[0], reduces_by)


def _reduction(op: Any) -> str:
    """The reduction that an op does step by step, if it rounds alike."""
    name: str = getattr(type(op), "reduces_by", "")
    is_narrow = name and dtype_name(op.results[0].type.element_type) in _NARROW
    return "" if is_narrow else name


def _readers(stretch: Stretch, c: Carried) -> list[int]:
    """The items that read a carried value, of this repetition or of the one before."""
    return [
        o
        for o, links in enumerate(stretch.links)
        for link in links
        if type(link) in (Carried, Inner) and (link.item, link.result) == (c.item, c.result)
    ]
