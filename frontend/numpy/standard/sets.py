"""Distinct elements: the Array API's set functions.

Arrays are read on the host.  Inside of a trace, or on demand, the number is given as `size`.
NaNs are distinct from each other; 0.0 and -0.0 are equal, and either stands for both.
Source: Array API standard 2025.12, "Set Functions".
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from anvl.core.config import counting_dtype
from anvl.core.promote import as_tracer, constant, fitted, promoted
from anvl.core.tracer import Tracer
from anvl.dispatch.eager import public
from anvl.numpy.arrays.choice import logical_not, where
from anvl.numpy.arrays.creation import iota
from anvl.numpy.arrays.indexing import take
from anvl.numpy.arrays.shaping import ravel, reshape, slice_axis
from anvl.numpy.arrays.sorting import argsort, searchsorted, sort
from anvl.numpy.arrays.stacking import concatenate
from anvl.numpy.functions.cumulative import cumsum
from anvl.numpy.functions.elementwise import astype, equal, less, minimum, not_equal, subtract
from anvl.numpy.functions.reductions import any, count_nonzero
from anvl.numpy.standard.nonzero import first_true, on_host
from anvl.runtime import Array, hiding_frames, put

__all__ = ["isin", "unique_all", "unique_counts", "unique_inverse", "unique_values"]


class UniqueAll(NamedTuple):
    """Result of `unique_all`."""

    values: Any
    indices: Any
    inverse_indices: Any
    counts: Any


class UniqueCounts(NamedTuple):
    """Result of `unique_counts`."""

    values: Any
    counts: Any


class UniqueInverse(NamedTuple):
    """Result of `unique_inverse`."""

    values: Any
    inverse_indices: Any


@hiding_frames
def unique_all(x: Any, *, size: int | None = None, fill_value: Any = None) -> UniqueAll:
    """The distinct elements in ascending order, where they first occur, and how often.

    The derivative of the values is that of the first of equal elements.

    Parameters
    ----------
    x : array
        Of any shape and dtype.
    size : int, optional
        The number of elements, which a traced x must have: the largest are left out, fewer are
        filled up.
    fill_value : number, optional
        What fills up the values; by default the smallest element, or 0 if there is none.

    Returns
    -------
    UniqueAll
        A named tuple (values, indices, inverse_indices, counts): vectors, but for the inverse
        indices, which have the shape of x; `values[inverse_indices]` is x.  Indices point into the
        flattened x, and are of the default integer dtype, as are counts.  Filled up, indices are
        those of the smallest element, and counts 0.

    Raises
    ------
    ValueError
        `size` is negative.
    TraceError
        x is traced, and no `size` is given.

    Notes
    -----
    NaNs are distinct.  Source:
    https://data-apis.org/array-api/2025.12/API_specification/generated/array_api.unique_all.html

    Examples
    --------
    >>> import anvl.numpy as np
    >>> values, indices, inverse, counts = np.unique_all(np.asarray([3, 1, 3]))
    >>> print(values, indices, inverse, counts)
    [1 3] [1 0] [1 0 1] [1 2]
    """
    found = on_host(x, size, "unique_all")
    return _all_of_size(x, size, fill_value) if found is None else _all_on_host(found)


@hiding_frames
def unique_counts(x: Any, *, size: int | None = None, fill_value: Any = None) -> UniqueCounts:
    """The distinct elements in ascending order, and how often each occurs.

    A named tuple (values, counts).  Parameters and errors as of `unique_all`, as is the derivative:
    that of the first of equal elements.  Source:
    https://data-apis.org/array-api/2025.12/API_specification/generated/array_api.unique_counts.html

    >>> import anvl.numpy as np
    >>> print(*np.unique_counts(np.asarray([3, 1, 3])))
    [1 3] [1 2]
    """
    found = on_host(x, size, "unique_counts")
    of = _all_of_size(x, size, fill_value) if found is None else _all_on_host(found)
    return UniqueCounts(of.values, of.counts)


@hiding_frames
def unique_inverse(x: Any, *, size: int | None = None, fill_value: Any = None) -> UniqueInverse:
    """The distinct elements in ascending order, and where each element of x is among them.

    A named tuple (values, inverse_indices).  Parameters and errors as of `unique_all`, as is the
    derivative: that of the first of equal elements.  Source:
    https://data-apis.org/array-api/2025.12/API_specification/generated/array_api.unique_inverse.html

    >>> import anvl.numpy as np
    >>> print(*np.unique_inverse(np.asarray([3, 1, 3])))
    [1 3] [1 0 1]
    """
    found = on_host(x, size, "unique_inverse")
    of = _all_of_size(x, size, fill_value) if found is None else _all_on_host(found)
    return UniqueInverse(of.values, of.inverse_indices)


@hiding_frames
def unique_values(x: Any, *, size: int | None = None, fill_value: Any = None) -> Any:
    """The distinct elements in ascending order.

    Parameters and errors as of `unique_all`.  The derivative is that of the first of equal
    elements.
    Source:
    https://data-apis.org/array-api/2025.12/API_specification/generated/array_api.unique_values.html

    >>> import anvl.numpy as np
    >>> print(np.unique_values(np.asarray([3, 1, 3])))
    [1 3]
    >>> print(np.unique_values(np.asarray([3, 1, 3]), size=3, fill_value=9))
    [1 3 9]
    """
    found = on_host(x, size, "unique_values")
    if found is None:
        return _all_of_size(x, size, fill_value).values
    return put(np.unique(found.numpy(), equal_nan=False), found.aval.placement.whole)


def _all_on_host(x: Array) -> UniqueAll:
    values, indices, inverse, counts = np.unique(
        x.numpy(), return_index=True, return_inverse=True, return_counts=True, equal_nan=False
    )
    dtype, place = counting_dtype(x.size), x.aval.placement.whole
    rest = (indices, inverse.reshape(x.shape), counts)
    return UniqueAll(put(values, place), *[put(i.astype(dtype), place) for i in rest])


@public("size", "fill_value")
def _all_of_size(x: Any, size: Any, fill_value: Any) -> UniqueAll:
    operand = as_tracer(x, "unique_all")
    flat, n = ravel(operand), operand.size
    index = counting_dtype(n)
    filler = constant(0, flat.dtype) if fill_value is None else fitted(fill_value, flat.dtype)
    if n == 0:
        none = constant(0, index, (size,))
        values = where(constant(True, np.dtype(bool), (size,)), filler, filler)
        return UniqueAll(values, none, constant(0, index, operand.shape), none)
    order = argsort(flat)
    ordered = take(flat, order)
    begins = _begins(ordered)
    starts = first_true(begins, size + 1)
    is_there = less(iota((size + 1,), 0, index), count_nonzero(begins))
    ends = slice_axis(where(is_there, starts, n), 0, 1, size + 1)
    starts, is_there = (slice_axis(v, 0, 0, size) for v in (starts, is_there))
    values = take(ordered, starts)  # the smallest, where there are no more
    if fill_value is not None:
        values = where(is_there, values, filler)
    counts = where(is_there, subtract(ends, starts), 0)
    group = subtract(cumsum(begins, dtype=index), 1)
    inverse = constant(0, index, (n,)).at[order].set(group)
    return UniqueAll(
        values, take(order, starts), reshape(inverse, operand.shape), astype(counts, index)
    )


def _begins(ordered: Tracer) -> Any:
    """Whether each element of a sorted vector is the first of equal ones."""
    n = ordered.shape[0]
    changes = not_equal(slice_axis(ordered, 0, 1, n), slice_axis(ordered, 0, 0, n - 1))
    return concatenate([constant(True, np.dtype(bool), (1,)), changes])


#: Up to so many elements to compare with, comparing with each takes less time than sorting.
_FEW = 64


@public("invert")
def isin(x1: Any, x2: Any, *, invert: bool = False) -> Any:
    """Whether each element of x1 equals one of x2.

    Parameters
    ----------
    x1, x2 : array or number
        Of dtypes that have a common one.
    invert : bool
        Negate the result.

    Returns
    -------
    An array of bools of the shape of x1.  NaN equals nothing.

    Raises
    ------
    TypeError
        The dtypes have no common one, such as i64 and ui64.

    Notes
    -----
    Source:
    https://data-apis.org/array-api/2025.12/API_specification/generated/array_api.isin.html

    Examples
    --------
    >>> import anvl.numpy as np
    >>> print(np.isin(np.asarray([1, 2, 3]), np.asarray([3, 1])))
    [ True False  True]
    """
    (operand, among), _ = promoted("isin", (x1, x2), broadcast=False)
    among = ravel(among)
    if among.size <= _FEW:
        found = any(equal(reshape(operand, (*operand.shape, 1)), among), axis=-1)
    else:
        ordered = sort(among)
        at = minimum(searchsorted(ordered, operand), among.size - 1)
        found = equal(take(ordered, at), operand)
    return logical_not(found) if invert else found
