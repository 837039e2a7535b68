"""Indices of nonzero elements, whose number depends on values.

Arrays are read on the host.  Inside of a trace, or on demand, the number is given as `size`.
Source: Array API standard 2025.12, "Searching Functions"; NumPy, `argwhere` and `flatnonzero`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from anvl.core.config import counting_dtype
from anvl.core.promote import abstract, as_tracer, constant
from anvl.core.tracer import Tracer
from anvl.dialect.core.errors import TraceError
from anvl.dispatch.eager import public
from anvl.numpy.arrays.axes import int_of
from anvl.numpy.arrays.choice import where
from anvl.numpy.arrays.creation import asarray, full, iota
from anvl.numpy.arrays.shaping import ravel
from anvl.numpy.arrays.stacking import stack
from anvl.numpy.functions.arithmetic import floor_divide, remainder
from anvl.numpy.functions.cumulative import cumsum
from anvl.numpy.functions.elementwise import astype, less, subtract
from anvl.numpy.functions.reductions import count_nonzero
from anvl.runtime import Array, hiding_frames, put

__all__ = ["argwhere", "flatnonzero", "nonzero"]


def on_host(x: Any, size: Any, function: str) -> Array | None:
    """x as an array to be read, if it has values and no size is given; else None.

    Raises `TraceError` for a tracer without a size.
    """
    if size is not None:
        int_of(size, "size", function, least=0)
        return None
    if isinstance(x, Tracer):
        raise TraceError(
            f"{function}: the shape of the result depends on the values of {x.aval}, which is "
            f"traced; name the number of elements, {function}(x, size=n), to get the first n of "
            "them, filled up with fill_value"
        )
    abstract(x, function)
    made: Array = asarray(x)
    return made


@hiding_frames
def nonzero(x: Any, *, size: int | None = None, fill_value: Any = None) -> tuple[Any, ...]:
    """Indices of the nonzero elements, in row-major order: an array for each axis.

    Parameters
    ----------
    x : array
        Of any dtype, with at least one axis.
    size : int, optional
        The number of indices, which a traced x must have: more are left out, fewer filled up.
    fill_value : int or tuple of int, optional
        What fills up, for all axes or for each; 0 by default.

    Returns
    -------
    tuple of Array
        Vectors of the default integer dtype.

    Raises
    ------
    ValueError
        x has no axes, or `size` is negative.
    TraceError
        x is traced, and no `size` is given.

    Notes
    -----
    Source:
    https://data-apis.org/array-api/2025.12/API_specification/generated/array_api.nonzero.html

    Examples
    --------
    >>> import anvl.numpy as np
    >>> np.nonzero(np.asarray([0, 5, 7]))
    (Array([1, 2], dtype=int32),)
    >>> np.nonzero(np.asarray([0, 5, 7]), size=3, fill_value=-1)
    (Array([ 1,  2, -1], dtype=int32),)
    """
    found = on_host(x, size, "nonzero")
    if found is None:
        return _first_nonzero(x, size, _fillers(fill_value, abstract(x, "nonzero").ndim))
    _check_axes("nonzero", found.ndim)
    place = found.aval.placement.whole
    dtypes = [counting_dtype(n - 1) for n in found.shape]
    places = found.numpy().nonzero()
    return tuple(put(i.astype(d), place) for i, d in zip(places, dtypes, strict=True))


def _check_axes(function: str, ndim: int) -> None:
    if not ndim:
        raise ValueError(f"{function}: x has no axes; use anvl.numpy.atleast_1d(x)")


def _fillers(fill_value: Any, ndim: int) -> tuple[int, ...]:
    given = fill_value if isinstance(fill_value, tuple) else (fill_value or 0,) * ndim
    if len(given) != ndim:
        raise ValueError(
            f"nonzero: fill_value {fill_value} names no number for each of {ndim} axes"
        )
    return tuple(int_of(n, "fill_value", "nonzero") for n in given)


@public("size", "fill_value")
def _first_nonzero(x: Any, size: Any, fill_value: tuple[int, ...]) -> tuple[Any, ...]:
    operand = as_tracer(x, "nonzero")
    _check_axes("nonzero", operand.ndim)
    flat = astype(ravel(operand), "bool")
    at = first_true(flat, size)
    is_there = less(iota((size,), 0, at.dtype), count_nonzero(flat))
    found: list[Any] = []
    for n, filler in zip(reversed(operand.shape), reversed(fill_value), strict=True):
        along = remainder(at, n) if n else full((size,), 0, at.dtype)
        found.append(astype(where(is_there, along, filler), counting_dtype(max(n - 1, 0))))
        at = floor_divide(at, n) if n else at
    return tuple(reversed(found))


def first_true(flags: Tracer, size: int) -> Any:
    """Positions of the first `size` true elements of a vector; the rest is 0."""
    n = flags.shape[0]
    index = counting_dtype(n)
    if n == 0 or size == 0:
        return constant(0, index, (size,))
    rank = subtract(cumsum(flags, dtype=index), 1)
    # A write beyond the end is left out.
    place = where(flags, rank, max(n, size))
    return full((size,), 0, index).at[place].set(iota((n,), 0, index))


@hiding_frames
def flatnonzero(x: Any, *, size: int | None = None, fill_value: Any = None) -> Any:
    """Indices of the nonzero elements of the flattened array: `nonzero(ravel(x))[0]`.

    Parameters, errors and traces as of `nonzero`.

    >>> import anvl.numpy as np
    >>> np.flatnonzero(np.asarray([[0, 5], [7, 0]]))
    Array([1, 2], dtype=int32)
    """
    return nonzero(ravel(x), size=size, fill_value=fill_value)[0]


@hiding_frames
def argwhere(x: Any, *, size: int | None = None, fill_value: Any = None) -> Any:
    """Indices of the nonzero elements, as rows of a matrix: `nonzero` transposed.

    Parameters, errors and traces as of `nonzero`; of an x without axes the rows are empty.

    >>> import anvl.numpy as np
    >>> np.argwhere(np.asarray([[0, 5], [7, 0]]))
    Array([[0, 1],
           [1, 0]], dtype=int32)
    """
    if abstract(x, "argwhere").ndim:
        return stack(nonzero(x, size=size, fill_value=fill_value), -1)
    found = on_host(x, size, "argwhere")
    rows = size if found is None else int(bool(found.item()))
    return asarray(np.zeros((rows, 0), counting_dtype(0)))
