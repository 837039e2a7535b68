"""Shapes that the values of arrays decide (`repeat`), and that broadcasting gives."""

from __future__ import annotations

from typing import Any

import numpy as np

from anvl.core import promote
from anvl.core.config import counting_dtype
from anvl.core.promote import abstract
from anvl.core.ranges import integer_limits
from anvl.core.tracer import Tracer
from anvl.dialect.core.errors import TraceError
from anvl.numpy.arrays import shaping
from anvl.numpy.arrays.axes import axis_of, int_of, sizes_of
from anvl.numpy.arrays.creation import arange
from anvl.numpy.arrays.indexing import take
from anvl.numpy.arrays.shaping import broadcast_to, ravel
from anvl.numpy.arrays.sorting import searchsorted
from anvl.numpy.functions.cumulative import cumsum
from anvl.numpy.functions.elementwise import minimum
from anvl.runtime import Array, hiding_frames

__all__ = ["broadcast_shapes", "repeat"]


@hiding_frames
def broadcast_shapes(*shapes: Any) -> tuple[int, ...]:
    """The shape that arrays of these shapes broadcast to.

    Parameters
    ----------
    *shapes : tuple of int

    Returns
    -------
    tuple of int
        `()` for no shapes.

    Raises
    ------
    ValueError
        The shapes do not broadcast, or a size is negative.

    Notes
    -----
    Source: https://data-apis.org/array-api/2025.12/API_specification/generated/array_api.broadcast_shapes.html

    Examples
    --------
    >>> import anvl.numpy as np
    >>> np.broadcast_shapes((3, 1), (4,))
    (3, 4)
    """
    known = [sizes_of(s, "broadcast_shapes") for s in shapes]
    return promote.broadcast_shapes((), *known, function="broadcast_shapes")


@hiding_frames
def repeat(
    x: Any, repeats: Any, axis: int | None = None, *, total_repeat_length: int | None = None
) -> Any:
    """Repeat each element along an axis.

    Parameters
    ----------
    x : array
    repeats : int, or vector of integers
        One number for all elements along the axis, or one for each.
    axis : int, optional
        None flattens x first.
    total_repeat_length : int, optional
        The size of the result along the axis, which traced `repeats` need: more elements are left
        out, and the last one is repeated to fill up.

    Returns
    -------
    An array of the dtype of x.

    Raises
    ------
    TypeError
        `repeats` are no integers.
    ValueError
        `repeats` are negative, or are not as many as there are elements along the axis.
    TraceError
        `repeats` are traced, and `total_repeat_length` is not given.

    Notes
    -----
    Source:
    https://data-apis.org/array-api/2025.12/API_specification/generated/array_api.repeat.html

    Examples
    --------
    >>> import anvl.numpy as np
    >>> np.repeat(np.arange(3), 2)
    Array([0, 0, 1, 1, 2, 2], dtype=int32)
    >>> np.repeat(np.arange(3), np.asarray([2, 0, 1]))
    Array([0, 0, 2], dtype=int32)
    """
    if isinstance(repeats, int | np.integer) and total_repeat_length is None:
        return shaping.repeat(x, int(repeats), axis)
    if axis is None:
        return repeat(ravel(x), repeats, 0, total_repeat_length=total_repeat_length)
    of = abstract(x, "repeat")
    at = axis_of(axis, of.ndim, "repeat")
    counts = _counts(repeats, of.shape[at])
    if isinstance(counts, np.ndarray) and total_repeat_length is None:
        return take(x, np.repeat(np.arange(counts.size), counts), at)
    return take(x, _sources(counts, of.shape[at], total_repeat_length), at)


def _counts(repeats: Any, n: int) -> Any:
    """How often each of n elements is repeated: a NumPy vector, or a traced one."""
    if isinstance(repeats, Tracer):
        ndim, size = repeats.ndim, repeats.size
    else:
        repeats = repeats.numpy() if isinstance(repeats, Array) else np.asarray(repeats)
        ndim, size = repeats.ndim, repeats.size
    if integer_limits(repeats.dtype) is None and not (
        size == 0 and not isinstance(repeats, Tracer)
    ):
        raise TypeError(f"repeat: repeats are of dtype {repeats.dtype}; they must be integers")
    if ndim > 1 or size not in (1, n):
        raise ValueError(
            f"repeat: repeats have shape {list(repeats.shape)}; give one number, or a vector of "
            f"{n}, one for each element"
        )
    if isinstance(repeats, Tracer):
        return broadcast_to(repeats, (n,))
    if (repeats < 0).any():
        raise ValueError(f"repeat: repeats {repeats.tolist()} must not be negative")
    return np.broadcast_to(repeats.astype(np.int64), (n,))


def _sources(counts: Any, n: int, total: int | None) -> Any:
    """Index of the element that is at each place of the result."""
    if total is None:
        raise TraceError(
            f"repeat: the size of the result depends on the values of repeats, {counts.aval}, "
            "which are traced; name it: total_repeat_length=n"
        )
    length = int_of(total, "total_repeat_length", "repeat", least=0)
    if n == 0 and length:
        raise ValueError(f"repeat: total_repeat_length is {length}, but x has no elements there")
    ends = cumsum(counts, dtype=counting_dtype(max(n, length)))
    return minimum(
        searchsorted(ends, arange(length, dtype=ends.dtype), side="right"), max(n - 1, 0)
    )
