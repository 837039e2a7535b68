"""Medians and quantiles: NumPy's names.

The axis is sorted, and the result interpolated between two of its elements, which receive the
derivative.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from anvl.core.config import counting_dtype
from anvl.core.promote import as_tracer, constant, convert, promoted
from anvl.core.tracer import Tracer
from anvl.dispatch.eager import public
from anvl.numpy.arrays.axes import Axis, axes_of
from anvl.numpy.arrays.choice import isinf, isnan, logical_and, logical_not, where
from anvl.numpy.arrays.creation import asarray
from anvl.numpy.arrays.indexing import take
from anvl.numpy.arrays.shaping import moveaxis, reshape
from anvl.numpy.arrays.sorting import sort
from anvl.numpy.functions.elementwise import (
    add,
    astype,
    ceil,
    divide,
    equal,
    floor,
    greater_equal,
    less_equal,
    mark_weak,
    multiply,
    rint,
    subtract,
)
from anvl.numpy.functions.emitting import is_kind, prim
from anvl.runtime import hiding_frames

__all__ = ["median", "percentile", "quantile"]

_METHODS = ("linear", "lower", "higher", "midpoint", "nearest")


@public("axis", "keepdims")
def median(x: Any, axis: Axis = None, *, keepdims: bool = False) -> Any:
    """Median along `axis` (one, several, or all): the middle element, or the mean of the middle
    two.

    x is real; integers give a float.  NaN elements give NaN.  The derivative goes to the selected
    elements.  Equal elements share it evenly: where only the two middle ones tie the median is
    smooth, where more do it has a corner.  Raises `ValueError` for an axis that x does not have, or
    for no elements.

    >>> import anvl.numpy as np
    >>> print(np.median(np.asarray([5, 1, 4, 2])))
    3.0
    """
    return _evaluated("median", x, 0.5, axis, "linear", keepdims)


@hiding_frames
def quantile(
    x: Any, q: Any, axis: Axis = None, *, method: str = "linear", keepdims: bool = False
) -> Any:
    """Quantile q, 0 to 1, of the elements along `axis`.

    With n sorted elements, quantile q is at position q (n - 1).  The derivative goes to the
    selected elements, and to q for "linear".  Equal elements share it evenly.

    Parameters
    ----------
    x : array
        Of a real dtype; integers give a float.
    q : float or array
        Values out of range give NaN, as NaN elements do.
    axis : int or sequence of int, optional
    method : {"linear", "lower", "higher", "midpoint", "nearest"}
        Between two elements "linear" interpolates, "lower", "higher" and "nearest" take one, and
        "midpoint" the mean of both.
    keepdims : bool

    Returns
    -------
    An array; its first axes are those of q, then come the remaining axes of x.

    Raises
    ------
    ValueError
        Another method, an axis that x does not have, or no elements.

    Notes
    -----
    Source: R. Hyndman and Y. Fan, Sample quantiles in statistical packages (1996), definition 7.

    Examples
    --------
    >>> import anvl.numpy as np
    >>> print(np.quantile(np.asarray([1.0, 2.0, 4.0]), np.asarray([0.25, 0.5])))
    [1.5 2. ]
    """
    return _quantile("quantile", x, _parts(q), axis, method, keepdims)


@hiding_frames
def percentile(
    x: Any, q: Any, axis: Axis = None, *, method: str = "linear", keepdims: bool = False
) -> Any:
    """Percentile q of the elements along `axis`: `quantile` of q / 100.

    Equal elements share the derivative evenly.

    >>> import anvl.numpy as np
    >>> print(np.percentile(np.asarray([1.0, 2.0, 4.0]), 25))
    1.5
    """
    part = q / 100 if isinstance(q, int | float) else divide(_parts(q), 100)
    return _quantile("percentile", x, part, axis, method, keepdims)


def _parts(q: Any) -> Any:
    """q as an array; lists of numbers keep all their digits, and take the dtype of x."""
    return asarray(q, "f64") if isinstance(q, list | tuple) else q


def _quantile(name: str, x: Any, q: Any, axis: Axis, method: str, keepdims: bool) -> Any:
    # A Python number is part of the program: as an argument it would be rounded to an f32.
    of = _of_number if isinstance(q, int | float) else _of_array
    return of(name, x, q, axis, method, keepdims)


@public("name", "q", "axis", "method", "keepdims")
def _of_number(name: str, x: Any, q: float, axis: Axis, method: str, keepdims: bool) -> Any:
    return _evaluated(name, x, q, axis, method, keepdims)


@public("name", "axis", "method", "keepdims")
def _of_array(name: str, x: Any, q: Any, axis: Axis, method: str, keepdims: bool) -> Any:
    return _evaluated(name, x, q, axis, method, keepdims)


def _evaluated(name: str, x: Any, q: Any, axis: Axis, method: str, keepdims: bool) -> Any:
    if method not in _METHODS:
        raise ValueError(f"{name}: method {method!r} is not one of {', '.join(_METHODS)}")
    (operand,), weak = promoted(name, (x,), "float")
    if is_kind(operand, "complex"):
        raise TypeError(f"{name}: {operand.aval} is complex; complex numbers have no quantiles")
    axes = axes_of(axis, operand.ndim, name)
    # Where the two middle ones of [0, 1, 1, 5] tie, the median is smooth, half of each.
    ordered = prim("share_ties", sort(_rows(operand, axes), axis=0), axis=0)
    count = ordered.shape[0]
    if count == 0:
        raise ValueError(f"{name}: {operand.aval} has no elements along axis {axes}")
    dtype = operand.dtype
    wide = np.dtype(np.float32) if dtype.itemsize <= 2 else dtype  # a position needs its bits
    is_number = isinstance(q, int | float)
    part = constant(float(q), wide) if is_number else convert(as_tracer(q, name), wide)
    inside = logical_and(greater_equal(part, 0), less_equal(part, 1))
    found = _interpolate(ordered, multiply(where(inside, part, 0), count - 1), method)
    defined = logical_and(_spread(inside, ordered), logical_not(isnan(ordered[-1])))
    result = convert(where(defined, found, np.nan), dtype)
    if keepdims:
        sizes = tuple(1 if i in axes else n for i, n in enumerate(operand.shape))
        result = reshape(result, (*part.shape, *sizes))
    return mark_weak(result, weak)


def _rows(x: Tracer, axes: tuple[int, ...]) -> Tracer:
    """Combine these axes of x into one, the first."""
    moved = moveaxis(x, axes, range(len(axes)))
    return reshape(moved, (math.prod(x.shape[a] for a in axes), *moved.shape[len(axes) :]))


def _spread(q: Tracer, ordered: Tracer) -> Tracer:
    """q with an axis of size 1 for each remaining axis of x."""
    return reshape(q, q.shape + (1,) * (ordered.ndim - 1))


def _interpolate(ordered: Tracer, place: Tracer, method: str) -> Any:
    """Values at these positions of the first axis, interpolated between two elements."""
    low, high = floor(place), ceil(place)
    if method == "nearest":
        low = high = rint(place)
    places = counting_dtype(ordered.shape[0] - 1)
    below, above = (take(ordered, astype(p, places), 0) for p in (low, high))
    if method in ("lower", "nearest"):
        return below
    if method == "higher":
        return above
    share = 0.5 if method == "midpoint" else _spread(subtract(place, low), ordered)
    # As a step from the nearer end, so that equal infinities give themselves; of equal numbers both
    # ends get their share of the derivative.
    alike = logical_and(equal(below, above), isinf(below))
    return add(below, multiply(where(alike, 0, subtract(above, below)), share))
