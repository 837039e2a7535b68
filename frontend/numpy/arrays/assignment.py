"""`x[index] = y`: refused, unless it is allowed for code that is written for mutable arrays.

Note [Assignment to immutable arrays]
Buffers are never written to.  Where `anvl.config.allow_item_assignment` is set, an assignment makes
the buffer of `x.at[index].set(y)`, and the array takes it in place of its own: every name of this
array sees the change.  A slice `x[0]`, made under the setting, hands the change on to x, as code
for NumPy expects of a view; but no other array, no NumPy view and no earlier slice of x sees it.  A
program has the arrays that its function closes over as constants, so assignment to them stays
refused, and inside of a trace, where an array may become one, to all.
"""

from __future__ import annotations

import weakref
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from anvl.core.config import config
from anvl.core.trace_state import current
from anvl.core.tracing import is_constant
from anvl.numpy.arrays.at import Place
from anvl.numpy.arrays.indexing import getitem as _getitem
from anvl.numpy.arrays.indices import PicksNothing
from anvl.runtime import Array, hide_frames

__all__ = ["getitem", "set_item"]


class _Slice(NamedTuple):
    """A slice of an array: `of[index]`."""

    itself: weakref.ref[Array]
    of: Array
    index: Any


#: Slices made where assignment is allowed, by the identity of each as long as it lives.
_slices: dict[int, _Slice] = {}


_BASIC = int | np.integer | slice | type(...)


def getitem(x: Any, index: Any) -> Any:
    """Read x[index], as in `indexing`; slices are noted where assignment is allowed."""
    try:
        y = _getitem(x, index)
    except Exception as error:  # `hiding_frames` would cost a call
        hide_frames(error)
        raise
    if type(y) is Array and type(x) is Array and config.allow_item_assignment:
        _note(y, x, index)
    return y


def _note(y: Array, x: Array, index: Any) -> None:
    items = index if isinstance(index, tuple) else (index,)
    if all(i is None or (isinstance(i, _BASIC) and not isinstance(i, bool)) for i in items):
        key = id(y)
        _slices[key] = _Slice(weakref.ref(y, lambda _: _slices.pop(key, None)), x, index)


def set_item(x: Any, index: Any, value: Any) -> None:
    """The operator `x[index] = value`: see Note [Assignment to immutable arrays].

    Raises `TypeError`, unless x is an array that no program has as a constant, there is no trace,
    and the setting `allow_item_assignment` is on.
    """
    try:
        _assign(x, index, value)
    except Exception as error:  # `hiding_frames` would name this function
        hide_frames(error)
        raise


def _assign(x: Any, index: Any, value: Any) -> None:
    if type(x) is not Array or current.trace is not None or not config.allow_item_assignment:
        raise TypeError(
            "x[...] = y: arrays are never changed in place; build a new one with "
            "x.at[...].set(y), or outside of traces allow it to code that is not yours: with "
            "anvl.config(allow_item_assignment=True)"
        )
    slices = list(_slices_up_from(x))
    for array in (x, *[s.of for s in slices]):
        if is_constant(array):
            raise TypeError(
                f"x[...] = y: a compiled function closes over x, {array.aval}, and would keep the "
                "old elements; assign to x.copy(), or pass x to the function as an argument"
            )
    try:
        x.buffer = Place(x, index).set(value).buffer
    except PicksNothing:
        return
    for part, (_, base, where) in zip([x, *[s.of for s in slices]], slices, strict=False):
        base.buffer = Place(base, where).set(part).buffer


def _slices_up_from(x: Array) -> Iterator[_Slice]:
    """x as a slice of an array, that as a slice of another one, and so on."""
    found = _slices.get(id(x))
    while found is not None and found.itself() is x:
        yield found
        x = found.of
        found = _slices.get(id(x))
