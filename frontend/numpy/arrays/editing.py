"""Elements replaced, repeated and trimmed: NumPy's names.

Arrays are immutable, so what changes an array in NumPy returns a new one here.
Source: NumPy's manual, "Array manipulation routines" and "Indexing routines".
"""

from __future__ import annotations

import builtins
import math
from typing import Any

import numpy as np

from anvl.core.promote import broadcast_shapes, broadcast_to, constant, convert
from anvl.core.ranges import integer_limits
from anvl.core.tracer import Tracer
from anvl.dialect.core.errors import TraceError
from anvl.dispatch.eager import public
from anvl.numpy.arrays.array_like import array_like
from anvl.numpy.arrays.axes import axis_of, sizes_of
from anvl.numpy.arrays.choice import where
from anvl.numpy.arrays.creation import asarray, iota
from anvl.numpy.arrays.indexing import take
from anvl.numpy.arrays.shaping import ravel, reshape
from anvl.numpy.functions.arithmetic import remainder
from anvl.numpy.functions.cumulative import cumsum
from anvl.numpy.functions.elementwise import (
    astype,
    maximum,
    minimum,
    subtract,
)
from anvl.runtime import hiding_frames

__all__ = [
    "fill_diagonal", "place", "put", "put_along_axis", "putmask", "resize", "trim_zeros",
]  # fmt: skip

_I32 = np.dtype(np.int32)


# -- replaced --------------------------------------------------------------------------------------


def _refuse_inplace(name: str, inplace: Any) -> None:
    if inplace:
        raise ValueError(
            f"{name}: arrays are immutable, so inplace={inplace!r} is not supported; use the result"
        )


def _places(indices: Any) -> Any:
    """Indices as an array: as arguments, numbers would take their dtype from the arrays beside."""
    return asarray(indices) if isinstance(indices, int | list | tuple) else indices


@hiding_frames
def put_along_axis(
    x: Any, indices: Any, values: Any, axis: int | None, *, inplace: bool = False
) -> Any:
    """x with values at indices along an axis, which vary along the others: see `take_along_axis`.

    Indices and values broadcast to the other axes of x; for an axis of None x is flat.  Returns a
    new array.  Out-of-range indices change nothing.  Raises `ValueError` for indices with another
    number of axes, `TypeError` for other than integers.  Source: `numpy.put_along_axis`.

    >>> import anvl.numpy as np
    >>> x = np.asarray([[1, 2], [3, 4]])
    >>> print(np.put_along_axis(x, np.asarray([[1], [0]]), 9, axis=1))
    [[1 9]
     [9 4]]
    """
    _refuse_inplace("put_along_axis", inplace)
    return _put_along(x, _places(indices), values, axis)


@public("axis")
def _put_along(x: Any, indices: Any, values: Any, axis: int | None) -> Any:
    operand = array_like(x, "put_along_axis")
    if axis is None:
        return reshape(_put_along(ravel(operand), indices, values, 0), operand.shape)
    at = array_like(indices, "put_along_axis")
    if integer_limits(at.dtype) is None:
        raise TypeError(f"put_along_axis: indices are {at.aval}; they must be integers")
    if at.ndim != operand.ndim:
        raise ValueError(
            f"put_along_axis: {operand.aval} and indices {at.aval} must have as many axes"
        )
    along = axis_of(axis, operand.ndim, "put_along_axis")
    shape = tuple(at.shape[i] if i == along else n for i, n in enumerate(operand.shape))
    if broadcast_shapes(at.shape, shape, function="put_along_axis") != shape:
        raise ValueError(f"put_along_axis: indices {at.aval} do not broadcast to {shape}")
    places = [broadcast_to(iota(shape, i, _I32), shape) for i in range(operand.ndim)]
    places[along] = broadcast_to(at, shape)
    return operand.at[tuple(places)].set(array_like(values, "put_along_axis"))


@hiding_frames
def put(x: Any, ind: Any, v: Any, mode: str | None = None, *, inplace: bool = False) -> Any:
    """x with the elements at flat indices `ind` replaced by values, which repeat as needed.

    Returns a new array.  `mode` says what out-of-range indices do: None changes nothing, "clip" and
    "wrap" are NumPy's.  Raises `ValueError` for another mode, `TypeError` for indices that are not
    integers.  Source: `numpy.put`.

    >>> import anvl.numpy as np
    >>> print(np.put(np.zeros(4), np.asarray([0, -1]), 5.0))
    [5. 0. 0. 5.]
    """
    _refuse_inplace("put", inplace)
    if mode not in (None, "clip", "wrap"):
        raise ValueError(f"put: mode {mode!r} is neither 'clip' nor 'wrap', nor None")
    return _put(x, _places(ind), v, mode)


@public("mode")
def _put(x: Any, ind: Any, v: Any, mode: str | None) -> Any:
    operand, at, values = (array_like(a, "put") for a in (x, ind, v))
    values = convert(values, operand.dtype)  # at once: a number must fit
    flat, at, values = ravel(operand), ravel(at), ravel(values)
    if integer_limits(at.dtype) is None:
        raise TypeError(f"put: indices are {at.aval}; they must be integers")
    if at.size == 0 or values.size == 0:
        return operand
    if mode == "clip":
        at = minimum(maximum(at, 0), flat.size - 1)
    elif mode == "wrap":
        at = remainder(at, flat.size)
    return reshape(flat.at[at].set(resize(values, (at.size,))), operand.shape)


@hiding_frames
def place(x: Any, mask: Any, vals: Any, *, inplace: bool = False) -> Any:
    """x with the elements where the mask is true replaced by the values, one after the other.

    Values repeat as needed.  Returns a new array.  Raises `ValueError` for a mask of another size,
    or no values where there is an element.  Source: `numpy.place`.

    >>> import anvl.numpy as np
    >>> print(np.place(np.arange(4), np.asarray([True, False, True, True]), np.asarray([7, 8])))
    [7 1 8 7]
    """
    _refuse_inplace("place", inplace)
    return _placed(x, mask, vals)


@public()
def _placed(x: Any, mask: Any, vals: Any) -> Any:
    operand, flags, values = (array_like(a, "place") for a in (x, mask, vals))
    if flags.size != operand.size:
        raise ValueError(f"place: the mask {flags.aval} has not the size of {operand.aval}")
    values = ravel(convert(values, operand.dtype))  # converted at once: a number must fit
    if operand.size == 0:
        return operand
    if values.size == 0:
        raise ValueError("place: there are no values to place")
    chosen = astype(ravel(flags), "bool")
    order = remainder(subtract(cumsum(astype(chosen, _I32)), 1), values.size)
    return reshape(where(chosen, take(values, order), ravel(operand)), operand.shape)


@hiding_frames
def putmask(x: Any, mask: Any, values: Any, *, inplace: bool = False) -> Any:
    """x with the elements where the mask is true replaced by those of the values at that place.

    Values repeat if they are fewer than the elements of x.  Returns a new array.  Raises
    `ValueError` for a mask of another size, or no values.  Source: `numpy.putmask`.

    >>> import anvl.numpy as np
    >>> print(np.putmask(np.arange(4), np.asarray([True, False, True, True]), np.asarray([7, 8])))
    [7 1 7 8]
    """
    _refuse_inplace("putmask", inplace)
    return _put_masked(x, mask, values)


@public()
def _put_masked(x: Any, mask: Any, values: Any) -> Any:
    operand, flags, given = (array_like(a, "putmask") for a in (x, mask, values))
    if flags.size != operand.size:
        raise ValueError(f"putmask: the mask {flags.aval} has not the size of {operand.aval}")
    if given.size == 0:
        raise ValueError("putmask: there are no values")
    repeated = resize(convert(given, operand.dtype), operand.shape)
    return where(reshape(flags, operand.shape), repeated, operand)


@hiding_frames
def fill_diagonal(x: Any, val: Any, wrap: bool = False, *, inplace: bool = False) -> Any:
    """x with its main diagonal replaced by values, which repeat as needed.

    x has at least two axes, all of one size if there are more.  With `wrap` the diagonal of a tall
    matrix begins anew below each of its ends.  Returns a new array.  Raises `ValueError` for other
    shapes.  Source: `numpy.fill_diagonal`.

    >>> import anvl.numpy as np
    >>> print(np.fill_diagonal(np.zeros((2, 2)), 5))
    [[5. 0.]
     [0. 5.]]
    """
    _refuse_inplace("fill_diagonal", inplace)
    return _with_diagonal(x, val, wrap)


@public("wrap")
def _with_diagonal(x: Any, val: Any, wrap: bool) -> Any:
    operand = array_like(x, "fill_diagonal")
    n = operand.ndim
    if n < 2 or (n > 2 and len(set(operand.shape)) > 1):
        raise ValueError(
            f"fill_diagonal: {operand.aval} must have at least two axes, all of one size if more"
        )
    step = operand.shape[1] + 1 if n == 2 else builtins.sum(operand.shape[0] ** i for i in range(n))
    stop = operand.size if wrap or n > 2 else operand.shape[1] * operand.shape[1]
    places = np.arange(0, builtins.min(stop, operand.size), step)
    if not len(places):
        return operand
    values = array_like(val, "fill_diagonal")
    if values.aval.level <= operand.aval.level:
        values = convert(values, operand.dtype)
    return reshape(ravel(operand).at[places].set(resize(values, (len(places),))), operand.shape)


# -- sizes -----------------------------------------------------------------------------------------


@public("new_shape")
def resize(x: Any, new_shape: Any) -> Any:
    """The elements of x, repeated as often as needed, in a new shape.

    Of no elements it is zeros.  Raises `ValueError` for a negative size.  Source: `numpy.resize`.

    >>> import anvl.numpy as np
    >>> print(np.resize(np.asarray([1, 2, 3]), (2, 4)))
    [[1 2 3 1]
     [2 3 1 2]]
    """
    operand, sizes = array_like(x, "resize"), sizes_of(new_shape, "resize")
    count = math.prod(sizes)
    if operand.size == 0 or count == 0:
        return constant(0, operand.dtype, sizes)
    repeats = -(-count // operand.size)
    flat = ravel(operand)
    flat = flat if repeats == 1 else ravel(broadcast_to(flat, (repeats, flat.size)))
    return reshape(flat if flat.size == count else flat[:count], sizes)


@hiding_frames
def trim_zeros(filt: Any, trim: str = "fb", axis: int | None = None) -> Any:
    """x without the zeros at its front and back.

    How many there are must be known.  Of several axes, those along `axis`, or all of them: what is
    left is the smallest block that holds all other elements.

    Parameters
    ----------
    filt : array
    trim : {"fb", "f", "b"}
        Whether to trim the front and the back, or one of them.
    axis : int, optional

    Returns
    -------
    An array.

    Raises
    ------
    TraceError
        x is traced: the shape of the result depends on its values.
    ValueError
        Another `trim`.

    Notes
    -----
    Source: `numpy.trim_zeros`.

    Examples
    --------
    >>> import anvl.numpy as np
    >>> print(np.trim_zeros(np.asarray([0, 0, 1, 0, 2, 0])))
    [1 0 2]
    """
    if isinstance(filt, Tracer):
        raise TraceError(
            f"trim_zeros: the shape of the result depends on the values of {filt.aval}, which is "
            "traced; call it outside of the trace, or keep the zeros"
        )
    sides = set(trim.lower()) if isinstance(trim, str) else set()
    if not sides or not sides <= {"f", "b"}:
        raise ValueError(f"trim_zeros: trim {trim!r} is not one of 'fb', 'f', 'b'")
    x = asarray(filt)
    axes = range(x.ndim) if axis is None else [axis_of(axis, x.ndim, "trim_zeros")]
    return x[_bounds(np.asarray(x) != 0, axes, sides)]


def _bounds(is_kept: np.ndarray[Any, Any], axes: Any, sides: set[str]) -> tuple[slice, ...]:
    """A slice for each axis that holds all true elements."""
    found = [slice(None)] * is_kept.ndim
    for axis in axes:
        others = tuple(i for i in range(is_kept.ndim) if i != axis)
        places = np.flatnonzero(is_kept.any(axis=others))
        if not places.size:
            found[axis] = slice(0, 0)
            continue
        first = int(places[0]) if "f" in sides else None
        found[axis] = slice(first, int(places[-1]) + 1 if "b" in sides else None)
    return tuple(found)
