"""Arrays as sets: NumPy's names.

How many elements a result has depends on values, which are read on the host.  Inside of a trace, or
on demand, the number is given as `size`.  Source: NumPy's manual, "Set routines".
"""

from __future__ import annotations

from typing import Any

import numpy as np

from anvl.core.config import default_dtype
from anvl.core.promote import abstract, as_tracer, common_dtype, constant, convert, promoted
from anvl.core.tracer import Tracer
from anvl.dialect.core.errors import TraceError
from anvl.dispatch.eager import public
from anvl.numpy.analysis.selection import compress
from anvl.numpy.arrays.array_like import array_like
from anvl.numpy.arrays.axes import axis_of
from anvl.numpy.arrays.choice import isnan, logical_and, logical_not
from anvl.numpy.arrays.creation import asarray, iota
from anvl.numpy.arrays.indexing import take
from anvl.numpy.arrays.shaping import ravel, reshape
from anvl.numpy.arrays.sorting import argsort, sort
from anvl.numpy.arrays.stacking import concatenate
from anvl.numpy.functions.cumulative import cumsum
from anvl.numpy.functions.elementwise import not_equal, subtract
from anvl.numpy.functions.emitting import is_kind
from anvl.numpy.standard.sets import isin
from anvl.runtime import Array, hiding_frames

_host: Any = np  # whose overloads do not know the arrays here

__all__ = ["intersect1d", "setdiff1d", "setxor1d", "union1d", "unique"]


def _known(name: str, size: Any, *xs: Any) -> list[Any]:
    """The operands as arrays; traced ones need a size."""
    made = [asarray(x) for x in xs]
    for x in made:
        if size is None and isinstance(x, Tracer):
            raise TraceError(
                f"{name}: the shape of the result depends on the values of {x.aval}, which is "
                f"traced; give the number of elements, size=n, and what fills up, fill_value"
            )
    return made


def _on_host(*xs: Array) -> list[np.ndarray[Any, Any]]:
    """Values in the common dtype, by anvl's rule of promotion."""
    dtype, _ = common_dtype(*[abstract(x) for x in xs])
    return [np.asarray(x).astype(dtype) for x in xs]


# -- of one array ----------------------------------------------------------------------------------


@hiding_frames
def unique(
    ar: Any,
    return_index: bool = False,
    return_inverse: bool = False,
    return_counts: bool = False,
    axis: int | None = None,
    *,
    equal_nan: bool = True,
    size: int | None = None,
    fill_value: Any = None,
) -> Any:
    """The distinct elements of an array, sorted; or its distinct slices along an axis.

    Parameters
    ----------
    ar : array
        Flattened if `axis` is None.
    return_index, return_inverse, return_counts : bool
        Whether to return indices of first occurrences, indices that give `ar` back, and counts.
    axis : int, optional
    equal_nan : bool
        Whether all NaN are one element.
    size : int, optional
        The number of elements, which a traced array must have: more are left out, fewer filled up.
    fill_value : number, optional
        What fills up; the smallest element by default.

    Returns
    -------
    Array, or a tuple in the order above; indices are of the default integer dtype, the inverse ones
    of elements that are left out at least `size`.

    Raises
    ------
    TraceError
        The array is traced, and there is no size, or an axis is asked for.

    Notes
    -----
    Source: `numpy.unique`; `size` and `fill_value` are `jax.numpy.unique`'s.

    Examples
    --------
    >>> import anvl.numpy as np
    >>> print(*np.unique(np.asarray([3, 1, 3]), return_counts=True))
    [1 3] [1 2]
    """
    (x,) = _known("unique", size, ar)
    if size is not None:
        if axis is not None:
            raise TraceError(f"unique: size is {size}, and axis {axis}; give one of them alone")
        asked = (return_index, return_inverse, return_counts)
        return _of_size(x, size, fill_value, asked, equal_nan)
    at = None if axis is None else axis_of(axis, x.ndim, "unique")
    found = _host.unique(
        np.asarray(x), return_index, return_inverse, return_counts, at, equal_nan=equal_nan
    )
    values, *indices = found if isinstance(found, tuple) else (found,)
    made = (asarray(values), *(asarray(i.astype(default_dtype(int))) for i in indices))
    return made if len(made) > 1 else made[0]


def _of_size(
    x: Any, size: int, fill_value: Any, asked: tuple[bool, bool, bool], equal_nan: bool
) -> Any:
    with_index, with_inverse, with_counts = asked
    values, places, lengths, first = _runs(x, equal_nan)
    filler = first if fill_value is None else fill_value
    ordered, begins = values
    found = [compress(begins, ordered, size=size, fill_value=filler)]
    if with_index:
        found.append(compress(begins, places, size=size, fill_value=0))
    if with_inverse:
        found.append(_inverse(x, begins, places))
    if with_counts:
        starts = compress(begins, lengths, size=size + 1, fill_value=ordered.shape[0])
        found.append(starts[1:] - starts[:-1])
    return tuple(found) if len(found) > 1 else found[0]


@public("equal_nan")
def _runs(x: Any, equal_nan: bool) -> Any:
    """Sorted elements and where runs of equal ones begin; their places, numbers, and the first."""
    flat = ravel(array_like(x, "unique"))
    order = argsort(flat)
    ordered = take(flat, order)
    from_zero = iota(order.shape, 0, order.dtype)
    first = ordered[0] if flat.size else constant(0, flat.dtype)
    return (ordered, _begins(ordered, equal_nan)), order, from_zero, first


@public()
def _inverse(x: Any, begins: Any, places: Any) -> Any:
    """The number of the run of each element, in the shape of x."""
    numbers = subtract(cumsum(convert(as_tracer(begins), places.dtype)), 1)
    return reshape(take(numbers, argsort(places)), array_like(x, "unique").shape)


def _begins(ordered: Tracer, equal_nan: bool = True) -> Any:
    """Whether each of the sorted elements differs from the one before it."""
    if ordered.shape[0] == 0:
        return constant(False, np.dtype(bool), (0,))
    differs = not_equal(ordered[1:], ordered[:-1])
    if equal_nan and is_kind(ordered, "float", "complex"):
        both = logical_and(isnan(ordered[1:]), isnan(ordered[:-1]))
        differs = logical_and(differs, logical_not(both))
    return concatenate([constant(True, np.dtype(bool), (1,)), differs])


# -- of two arrays ---------------------------------------------------------------------------------


@hiding_frames
def union1d(ar1: Any, ar2: Any, *, size: int | None = None, fill_value: Any = None) -> Any:
    """The distinct elements of either array, sorted.

    `size` is their number, which traced arrays must have, and `fill_value` fills up, by default the
    smallest element.  Raises `TraceError` without it.  Source: `numpy.union1d`.

    >>> import anvl.numpy as np
    >>> print(np.union1d(np.asarray([3, 1]), np.asarray([2, 3])))
    [1 2 3]
    """
    x, y = _known("union1d", size, ar1, ar2)
    return unique(concatenate([ravel(x), ravel(y)]), size=size, fill_value=fill_value)


@hiding_frames
def setdiff1d(
    ar1: Any,
    ar2: Any,
    assume_unique: bool = False,
    *,
    size: int | None = None,
    fill_value: Any = 0,
) -> Any:
    """The distinct elements of the first array that are not in the second, sorted.

    With `assume_unique` in the order of the first array.  `size` is their number, which traced
    arrays must have, and `fill_value` fills up.  Raises `TraceError` without it.
    Source: `numpy.setdiff1d`.

    >>> import anvl.numpy as np
    >>> print(np.setdiff1d(np.asarray([3, 1, 3, 2]), np.asarray([2])))
    [1 3]
    """
    x, y = _known("setdiff1d", size, ar1, ar2)
    if size is None:
        return asarray(_host.setdiff1d(*_on_host(x, y), assume_unique=assume_unique))
    return compress(*_difference(x, y, assume_unique), size=size, fill_value=fill_value)


@public("assume_unique")
def _difference(ar1: Any, ar2: Any, assume_unique: bool) -> Any:
    """Which elements of the first array to keep, and these."""
    given = [ravel(array_like(a, "setdiff1d")) for a in (ar1, ar2)]
    (x, y), _ = promoted("setdiff1d", given, broadcast=False)
    outside = x if assume_unique else sort(x)
    keep = logical_not(isin(outside, y))
    return keep if assume_unique else logical_and(_begins(outside), keep), outside


@hiding_frames
def intersect1d(
    ar1: Any,
    ar2: Any,
    assume_unique: bool = False,
    return_indices: bool = False,
    *,
    size: int | None = None,
    fill_value: Any = 0,
) -> Any:
    """The distinct elements that both arrays have, sorted.

    With `return_indices` also the indices of their first occurrences in each array, which are not
    found for a given size.  `size` is their number, which traced arrays must have, and `fill_value`
    fills up.  Raises `TraceError` without it.  Source: `numpy.intersect1d`.

    >>> import anvl.numpy as np
    >>> print(np.intersect1d(np.asarray([3, 1, 3, 2]), np.asarray([2, 3])))
    [2 3]
    """
    x, y = _known("intersect1d", size, ar1, ar2)
    if size is not None:
        if return_indices:
            raise TraceError("intersect1d: indices are not found for a given size; use isin")
        return compress(*_intersection(x, y), size=size, fill_value=fill_value)
    found = _host.intersect1d(
        *_on_host(x, y), assume_unique=assume_unique, return_indices=return_indices
    )
    if not return_indices:
        return asarray(found)
    values, *indices = found
    return asarray(values), *(asarray(i.astype(default_dtype(int))) for i in indices)


@public()
def _intersection(ar1: Any, ar2: Any) -> Any:
    given = [ravel(array_like(a, "intersect1d")) for a in (ar1, ar2)]
    (x, y), _ = promoted("intersect1d", given, broadcast=False)
    ordered = sort(x)
    return logical_and(_begins(ordered), isin(ordered, y)), ordered


@hiding_frames
def setxor1d(
    ar1: Any,
    ar2: Any,
    assume_unique: bool = False,
    *,
    size: int | None = None,
    fill_value: Any = 0,
) -> Any:
    """The distinct elements that one of both arrays has and the other has not, sorted.

    `size` is their number, which traced arrays must have, and `fill_value` fills up.  Raises
    `TraceError` without it.  Source: `numpy.setxor1d`.

    >>> import anvl.numpy as np
    >>> print(np.setxor1d(np.asarray([3, 1]), np.asarray([2, 3])))
    [1 2]
    """
    x, y = _known("setxor1d", size, ar1, ar2)
    if size is None:
        return asarray(_host.setxor1d(*_on_host(x, y), assume_unique=assume_unique))
    return compress(*_symmetric(x, y), size=size, fill_value=fill_value)


@public()
def _symmetric(ar1: Any, ar2: Any) -> Any:
    given = [ravel(array_like(a, "setxor1d")) for a in (ar1, ar2)]
    (x, y), _ = promoted("setxor1d", given, broadcast=False)
    first, second = sort(x), sort(y)
    keep = [logical_and(_begins(a), logical_not(isin(a, b))) for a, b in ((first, y), (second, x))]
    both = concatenate([first, second])
    order = argsort(both)
    return take(concatenate(keep), order), take(both, order)
