"""Axes as people give them: one, several, negative, or None for all."""

from collections.abc import Sequence

import numpy as np

__all__ = ["Axis", "axes_of", "axis_of", "each_axis"]

Axis = int | Sequence[int] | None


def axes_of(axis: Axis, ndim: int, function: str) -> tuple[int, ...]:
    """Axes as sorted non-negative positions; all of them for None.

    Raises `TypeError` for what is no integer, `ValueError` for an axis that is out of range or
    named twice.
    """
    return tuple(range(ndim)) if axis is None else tuple(sorted(each_axis(axis, ndim, function)))


def each_axis(axis: int | Sequence[int], ndim: int, function: str) -> tuple[int, ...]:
    """As `axes_of`, in the order given."""
    given = tuple(axis) if isinstance(axis, Sequence) else (axis,)
    found = tuple(axis_of(a, ndim, function) for a in given)
    if len(set(found)) != len(found):
        raise ValueError(f"{function}: axis {given} names an axis twice")
    return found


def axis_of(axis: int, ndim: int, function: str) -> int:
    """One axis as a non-negative position."""
    if isinstance(axis, bool) or not isinstance(axis, int | np.integer):
        raise TypeError(f"{function}: axis {axis!r} must be an integer")
    if not -ndim <= axis < ndim:
        raise ValueError(f"{function}: axis {axis} is out of range of {ndim} axes")
    return int(axis) % ndim
