"""Elements added to arrays and removed from them: NumPy's names.

Source: NumPy's manual, "Array manipulation routines".
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from anvl.core.promote import as_tracer, broadcast_shapes, broadcast_to, constant, convert
from anvl.core.ranges import integer_limits
from anvl.core.tracer import Tracer
from anvl.dialect.core.errors import TraceError
from anvl.dispatch.eager import public
from anvl.numpy.arrays.array_like import array_like
from anvl.numpy.arrays.axes import axis_of
from anvl.numpy.arrays.choice import where
from anvl.numpy.arrays.creation import asarray, iota
from anvl.numpy.arrays.indexing import take
from anvl.numpy.arrays.shaping import moveaxis, ravel, reshape
from anvl.numpy.arrays.sorting import argsort, sort
from anvl.numpy.arrays.stacking import concatenate
from anvl.numpy.functions.elementwise import (
    add,
    astype,
    less,
    less_equal,
    maximum,
    minimum,
    subtract,
)
from anvl.numpy.functions.reductions import sum
from anvl.runtime import Array, hiding_frames

__all__ = ["append", "delete", "insert"]

_I32 = np.dtype(np.int32)


@public("axis")
def append(x: Any, values: Any, axis: int | None = None) -> Any:
    """Join values behind x along an axis; flatten both first if it is None.

    Dtypes are promoted.  Raises `ValueError` for an axis that x does not have, and where other
    sizes differ.  Source: `numpy.append`.

    >>> import anvl.numpy as np
    >>> print(np.append(np.asarray([1, 2]), np.asarray([[3], [4]])))
    [1 2 3 4]
    """
    first, second = array_like(x, "append"), array_like(values, "append")
    if axis is not None and first.ndim != second.ndim:
        raise ValueError(
            f"append: {first.aval} and values {second.aval} must have as many axes; or leave out "
            "axis, to flatten both"
        )
    return concatenate([first, second], axis)


# -- insert and delete -----------------------------------------------------------------------------


@hiding_frames
def insert(x: Any, obj: Any, values: Any, axis: int | None = None) -> Any:
    """Insert values before the given positions of x, along an axis.

    Parameters
    ----------
    x : array
        Flattened if `axis` is None.
    obj : int, slice or array of integers
        Positions in x; negative ones count from the end.  Traced ones that are out of range are
        clamped.
    values : array
        Broadcast to the inserted elements, and converted to the dtype of x.  At one position given
        as an int, all of them are inserted.
    axis : int, optional

    Returns
    -------
    An array of the dtype of x.

    Raises
    ------
    IndexError
        A position that is known is out of range.
    ValueError
        `axis` is out of range, or values do not broadcast.
    TypeError
        Positions are not integers.

    Notes
    -----
    Source: `numpy.insert`.

    Examples
    --------
    >>> import anvl.numpy as np
    >>> print(np.insert(np.asarray([1, 2, 3]), 1, 9))
    [1 9 2 3]
    """
    size = _size_along("insert", x, axis)
    if isinstance(obj, slice):
        obj = np.arange(*obj.indices(size))
    at = asarray(obj)
    if at.dtype.kind == "b":
        at = asarray(_positions_of_mask("insert", at))
    if integer_limits(at.dtype) is None and at.size == 0:
        at = asarray(np.zeros(at.shape, np.int32))
    if integer_limits(at.dtype) is None or at.ndim > 1:
        raise TypeError(f"insert: positions are {at.aval}; they must be integers, or a vector")
    if isinstance(at, Array):
        _check_positions("insert", at, size, size + 1)
    return _inserted(x, at, values, axis)


def _size_along(name: str, x: Any, axis: int | None) -> int:
    shape = tuple(x.shape) if hasattr(x, "shape") else np.shape(x)
    if axis is None:
        return math.prod(shape)
    return shape[axis_of(axis, len(shape), name)]


def _check_positions(name: str, at: Array, size: int, stop: int) -> None:
    values = np.asarray(at)
    for extreme in (values.min(), values.max()) if values.size else ():
        if not -size <= extreme < stop:
            raise IndexError(f"{name}: position {extreme} is out of range of {size} elements")


def _positions_of_mask(name: str, mask: Any) -> np.ndarray[Any, Any]:
    if isinstance(mask, Tracer):
        raise TraceError(
            f"{name}: the mask {mask.aval} is traced, but the shape of the result depends on its "
            "values; give positions"
        )
    return np.flatnonzero(np.asarray(mask)).astype(np.int32)


@public("axis")
def _inserted(x: Any, at: Any, values: Any, axis: int | None) -> Any:
    operand, positions = array_like(x, "insert"), as_tracer(at, "insert")
    operand = ravel(operand) if axis is None else operand
    along = 0 if axis is None else axis_of(axis, operand.ndim, "insert")
    new = convert(array_like(values, "insert"), operand.dtype)
    size = operand.shape[along]
    if positions.size == 1:  # all values go there
        new = reshape(new, (1,) * (operand.ndim - new.ndim) + new.shape)
        new = new if positions.ndim else moveaxis(new, 0, along)
        positions = broadcast_to(positions, (new.shape[along],))
    count = positions.shape[0]
    shape = tuple(count if i == along else n for i, n in enumerate(operand.shape))
    if broadcast_shapes(new.shape, shape, function="insert") != shape:
        raise ValueError(f"insert: values {new.aval} do not broadcast to {shape}")
    sources = _sources(astype(positions, _I32), size)
    return take(concatenate([operand, broadcast_to(new, shape)], along), sources, along)


def _sources(at: Any, size: int) -> Any:
    """Where each element of the result comes from: 0 to size - 1 of x, then the values."""
    count = at.shape[0]
    at = where(less(at, 0), add(at, size), at)
    at = minimum(maximum(at, 0), size)
    # Behind the old elements before it, and the new ones that come first at an earlier position,
    # or at the same one.
    order = argsort(at)
    own = add(take(at, order), iota((count,), 0, _I32))
    before = less_equal(reshape(at, (count, 1)), iota((1, size), 1, _I32))
    old = add(iota((size,), 0, _I32), sum(before, axis=0, dtype=_I32))
    placed = constant(0, _I32, (size + count,)).at[old].set(iota((size,), 0, _I32))
    return placed.at[own].set(add(order, size))


@hiding_frames
def delete(
    x: Any, obj: Any, axis: int | None = None, *, assume_unique_indices: bool = False
) -> Any:
    """Remove the elements of x at the given positions, along an axis.

    Parameters
    ----------
    x : array
        Flattened if `axis` is None.
    obj : int, slice, array of integers or mask
        Negative positions count from the end.
    axis : int, optional
    assume_unique_indices : bool
        Whether all positions are distinct, as several that are traced must be.

    Returns
    -------
    An array of the dtype of x.

    Raises
    ------
    IndexError
        A position that is known is out of range.
    ValueError
        `axis` is out of range, or a mask has not the size of the axis.
    TraceError
        A mask is traced, or several positions are that may be equal: the shape of the result would
        depend on values.

    Notes
    -----
    Source: `numpy.delete`.

    Examples
    --------
    >>> import anvl.numpy as np
    >>> print(np.delete(np.asarray([1, 2, 3]), 1))
    [1 3]
    """
    size = _size_along("delete", x, axis)
    if isinstance(obj, slice):
        obj = np.arange(*obj.indices(size))
    at = asarray(obj)
    if at.dtype.kind == "b" and at.shape != (size,):
        raise ValueError(f"delete: the mask {at.aval} has not the size of the axis, {size}")
    if at.dtype.kind == "b":
        at = asarray(_positions_of_mask("delete", at))
    if at.size and integer_limits(at.dtype) is None:
        raise TypeError(f"delete: positions are {at.aval}; they must be integers")
    if isinstance(at, Tracer):
        if at.ndim and not assume_unique_indices:
            raise TraceError(
                f"delete: the positions {at.aval} are traced; where some are equal, the result "
                "would have another shape; say assume_unique_indices=True if none are"
            )
        return _without(x, at, axis)
    _check_positions("delete", at, size, size)
    kept = np.delete(np.arange(size), np.asarray(at, np.int64)).astype(np.int32)
    return _kept(x, kept, axis)


@public("axis")
def _kept(x: Any, kept: Any, axis: int | None) -> Any:
    return take(array_like(x, "delete"), kept, axis)


@public("axis")
def _without(x: Any, at: Any, axis: int | None) -> Any:
    """x without the elements at distinct positions, which are traced."""
    size = _size_along("delete", x, axis)
    removed = astype(ravel(at), _I32)
    removed = sort(where(less(removed, 0), add(removed, size), removed))
    count = removed.shape[0]
    kept = iota((size - count, 1), 0, _I32)
    # The j-th removed position shifts those behind it, of which j are removed already.
    shifted = less_equal(subtract(removed, iota((count,), 0, _I32)), kept)
    sources = add(reshape(kept, (size - count,)), sum(shifted, axis=1, dtype=_I32))
    return take(array_like(x, "delete"), sources, axis)
