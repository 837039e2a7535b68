"""Basic indexing: `x[1, 2:5, ..., None, ::-1]` with numbers and slices that Python knows."""

from __future__ import annotations

from typing import Any

import numpy as np

from anvl.numpy.emitting import prim
from anvl.promote import as_tracer
from anvl.public import public
from anvl.runtime import Array, hiding_frames
from anvl.tracer import Tracer

__all__ = ["getitem"]


@hiding_frames
def getitem(x: Any, index: Any) -> Any:
    """x[index], for integers, slices, `...` and None.

    Raises `IndexError` where an index is out of range and `TypeError` for one that is an array.
    """
    items = index if isinstance(index, tuple) else (index,)
    return _getitem(x, tuple(_hashable(item) for item in items))


def _hashable(item: Any) -> Any:
    """Slices are not hashable before Python 3.12."""
    if isinstance(item, slice):
        return _Slice(_integer(item.start), _integer(item.stop), _integer(item.step))
    if item is None or item is Ellipsis:
        return item
    return _integer(item)


class _Slice(tuple):  # type: ignore[type-arg]
    """start, stop, step."""

    def __new__(cls, *parts: int | None) -> _Slice:
        return super().__new__(cls, parts)


def _integer(item: Any) -> int | None:
    if item is None:
        return None
    if isinstance(item, Array | np.ndarray) and item.ndim == 0 and item.dtype.kind in "iu":
        return int(item)
    if isinstance(item, bool) or not isinstance(item, int | np.integer):
        raise TypeError(
            f"index {item!r} of type {type(item).__name__}: an index is a Python integer, a "
            "slice, ... or None; indexing by arrays (gather) is not there yet"
        )
    return int(item)


@public("index")
def _getitem(x: Any, index: tuple[Any, ...]) -> Any:
    operand = as_tracer(x, "getitem")
    items = _expanded(index, operand)
    starts, limits, strides, reversed_axes, shape = [], [], [], [], []
    axis = 0
    for item in items:
        if item is None:
            shape.append(1)
            continue
        start, count, step = _range(item, operand.shape[axis], axis, operand)
        if step < 0:
            start, step = start + (count - 1) * step if count else 0, -step
            reversed_axes.append(axis)
        starts.append(start)
        limits.append(start + (count - 1) * step + 1 if count else start)
        strides.append(step)
        if isinstance(item, _Slice):
            shape.append(count)
        axis += 1
    return _taken(operand, starts, limits, strides, reversed_axes, tuple(shape))


def _taken(
    x: Tracer, starts: list[int], limits: list[int], strides: list[int], flipped: list[int],
    shape: tuple[int, ...],
) -> Tracer:  # fmt: skip
    """The part of x, flipped along some axes, in its final shape; without steps that do nothing."""
    if (starts, limits, strides) != ([0] * x.ndim, list(x.shape), [1] * x.ndim):
        x = prim(
            "slice", x, start_indices=tuple(starts), limit_indices=tuple(limits),
            strides=tuple(strides),
        )  # fmt: skip
    if flipped:
        x = prim("reverse", x, dimensions=tuple(flipped))
    return x if x.shape == shape else prim("reshape", x, shape=shape)


def _expanded(index: tuple[Any, ...], x: Tracer) -> list[Any]:
    """One item for each axis, and None for each new one."""
    given = sum(item is not None and item is not Ellipsis for item in index)
    if index.count(Ellipsis) > 1:
        raise IndexError(f"index {index} has more than one ...")
    if given > x.ndim:
        raise IndexError(f"index has {given} entries, but the array is {x.aval}")
    everything = [_Slice(None, None, None)] * (x.ndim - given)
    if Ellipsis not in index:
        return [*index, *everything]
    at = index.index(Ellipsis)
    return [*index[:at], *everything, *index[at + 1 :]]


def _range(item: Any, size: int, axis: int, x: Tracer) -> tuple[int, int, int]:
    """Start, count and step of an item along an axis."""
    if isinstance(item, _Slice):
        if item[2] == 0:
            raise ValueError(f"slice step of axis {axis} is 0")
        numbers = range(*slice(*item).indices(size))
        return numbers.start, len(numbers), numbers.step
    if not -size <= item < size:
        raise IndexError(f"index {item} is out of range of axis {axis} of {x.aval}")
    return item % size, 1, 1
