"""Validation of axes and sizes: one or several, negative, or None for all."""

import operator
import reprlib
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.exceptions import AxisError

from anvl.runtime import Array

__all__ = ["Axis", "axes_of", "axis_of", "each_axis", "int_of", "ints_of", "known", "sizes_of"]

Axis = int | Sequence[int] | None


def axes_of(axis: Axis, ndim: int, function: str) -> tuple[int, ...]:
    """Axes as sorted non-negative positions; all of them for None.

    Raises `TypeError` for a non-integer, `AxisError`, which is a `ValueError` and an
    `IndexError`, for an axis that is out of range, and `ValueError` for one that is repeated.
    """
    return tuple(range(ndim)) if axis is None else tuple(sorted(each_axis(axis, ndim, function)))


def each_axis(axis: int | Sequence[int], ndim: int, function: str) -> tuple[int, ...]:
    """As `axes_of`, in the order given."""
    axis = known(axis)
    given = tuple(axis) if isinstance(axis, Sequence) and not isinstance(axis, str) else (axis,)
    found = tuple(axis_of(a, ndim, function) for a in given)
    if len(set(found)) != len(found):
        raise ValueError(f"{function}: axis {given} names an axis twice")
    return found


def axis_of(axis: int, ndim: int, function: str) -> int:
    """One axis as a non-negative position."""
    axis = known(axis)
    if isinstance(axis, bool) or not isinstance(axis, int | np.integer):
        raise TypeError(f"{function}: axis {reprlib.repr(axis)} must be an integer")
    if not -ndim <= axis < ndim:
        raise AxisError(f"{function}: axis {axis} is out of range of {ndim} axes")
    return int(axis) % ndim


def known(given: Any) -> Any:
    """The Python number, or the lists of them, of an array whose values are known."""
    return given.tolist() if isinstance(given, np.ndarray | Array) else given


def int_of(given: Any, what: str, function: str, least: int | None = None) -> int:
    """Validate one integer.  Raises `TypeError`; `ValueError` below `least`."""
    given = known(given)
    if isinstance(given, bool) or not isinstance(given, int | np.integer):
        raise TypeError(
            f"{function}: {what} is {given!r} of type {type(given).__name__}; it must be an integer"
        )
    if least is not None and given < least:
        raise ValueError(f"{function}: {what} is {given}; it must be at least {least}")
    return int(given)


def ints_of(given: Any, function: str) -> tuple[int, ...]:
    """One integer or several, as a tuple.  Raises `TypeError`; `TraceError` for tracers."""
    given = known(given)
    try:
        items: Sequence[Any] = (operator.index(given),)
    except TypeError:
        items = tuple(given) if hasattr(given, "__iter__") else (given,)
    return tuple(_int(item, given, function) for item in items)


def _int(item: Any, given: Any, function: str) -> int:
    try:
        if not isinstance(item, bool):
            return operator.index(item)
    except TypeError:
        pass
    of = f" of {given!r}" if hasattr(given, "__iter__") else ""
    raise TypeError(f"{function}: {item!r}{of} must be an integer")


def sizes_of(shape: Any, function: str) -> tuple[int, ...]:
    """A shape as a tuple of sizes."""
    sizes = ints_of(shape, function)
    if any(n < 0 for n in sizes):
        raise ValueError(f"{function}: shape {shape!r} has a negative size")
    return sizes
