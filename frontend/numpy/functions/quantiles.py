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
from anvl.numpy.arrays.choice import (
    isfinite,
    isinf,
    isnan,
    logical_and,
    logical_not,
    logical_or,
    where,
)
from anvl.numpy.arrays.creation import asarray
from anvl.numpy.arrays.indexing import take, take_along_axis
from anvl.numpy.arrays.shaping import broadcast_to, moveaxis, reshape
from anvl.numpy.arrays.sorting import sort
from anvl.numpy.functions.arithmetic import remainder
from anvl.numpy.functions.elementwise import (
    add,
    astype,
    ceil,
    divide,
    equal,
    floor,
    greater,
    greater_equal,
    less,
    less_equal,
    mark_weak,
    maximum,
    minimum,
    multiply,
    not_equal,
    rint,
    subtract,
)
from anvl.numpy.functions.emitting import is_kind, prim
from anvl.numpy.functions.reductions import sum
from anvl.runtime import hiding_frames

__all__ = ["median", "percentile", "quantile"]

#: alpha and beta of the methods that interpolate: quantile q of n sorted elements is at position
#: n q + alpha + q (1 - alpha - beta) - 1.  Source: Hyndman and Fan (1996), definitions 4 to 9.
_INTERPOLATING = {
    "interpolated_inverted_cdf": (0.0, 1.0), "hazen": (0.5, 0.5), "weibull": (0.0, 0.0),
    "linear": (1.0, 1.0), "median_unbiased": (1 / 3, 1 / 3), "normal_unbiased": (3 / 8, 3 / 8),
}  # fmt: skip
_METHODS = (
    "inverted_cdf", "averaged_inverted_cdf", "closest_observation", *_INTERPOLATING, "lower",
    "higher", "midpoint", "nearest",
)  # fmt: skip


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

    With n sorted elements, quantile q is at position q (n - 1), or as the method says.  Between a
    number and an infinity the quantile is that infinity, between two opposite ones NaN.  The
    derivative goes to the selected elements, and to q for methods that interpolate.  Equal elements
    share it evenly.

    Parameters
    ----------
    x : array
        Of a real dtype; integers give a float.
    q : float or array
        Values out of range give NaN, as NaN elements do.
    axis : int or sequence of int, optional
    method : str
        Between two elements "linear" interpolates, "lower", "higher" and "nearest" take one, and
        "midpoint" the mean of both.  Definitions 1 to 9 of Hyndman and Fan are "inverted_cdf",
        "averaged_inverted_cdf", "closest_observation", which select; and
        "interpolated_inverted_cdf", "hazen", "weibull", "linear", "median_unbiased" and
        "normal_unbiased", which interpolate.
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
    Source: R. Hyndman and Y. Fan, Sample quantiles in statistical packages (1996);
    `numpy.quantile`.

    Examples
    --------
    >>> import anvl.numpy as np
    >>> print(np.quantile(np.asarray([1.0, 2.0, 4.0]), np.asarray([0.25, 0.5])))
    [1.5 2. ]
    """
    return of_elements("quantile", x, q, axis, method, keepdims)


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
    return of_elements("percentile", x, divided_by_100(q), axis, method, keepdims)


def divided_by_100(q: Any) -> Any:
    """A percentage as a part; a Python number keeps all its digits."""
    return q / 100 if isinstance(q, int | float) else divide(_parts(q), 100)


def _parts(q: Any) -> Any:
    """q as an array; lists of numbers keep all their digits, and take the dtype of x."""
    return asarray(q, "f64") if isinstance(q, list | tuple) else q


def of_elements(name: str, x: Any, q: Any, axis: Axis, method: str, keepdims: bool) -> Any:
    """Quantiles of arrays; those whose name begins with "nan" ignore NaN."""
    # A Python number is part of the program: as an argument it would be rounded to an f32.
    of = _of_number if isinstance(q, int | float) else _of_array
    return of(name, x, _parts(q), axis, method, keepdims)


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
    if ordered.shape[0] == 0:
        raise ValueError(f"{name}: {operand.aval} has no elements along axis {axes}")
    dtype = operand.dtype
    wide = np.dtype(np.float32) if dtype.itemsize <= 2 else dtype  # a position needs its bits
    is_number = isinstance(q, int | float)
    part = constant(float(q), wide) if is_number else convert(as_tracer(q, name), wide)
    inside = logical_and(greater_equal(part, 0), less_equal(part, 1))
    found, defined = _found(ordered, where(inside, part, 0), method, name.startswith("nan"))
    result = convert(where(logical_and(_spread(inside, ordered), defined), found, np.nan), dtype)
    if keepdims:
        sizes = tuple(1 if i in axes else n for i, n in enumerate(operand.shape))
        result = reshape(result, (*part.shape, *sizes))
    return mark_weak(result, weak)


def _found(ordered: Tracer, part: Any, method: str, ignores_nan: bool) -> tuple[Any, Any]:
    """Quantiles along the first axis, and where there are any."""
    if not ignores_nan:
        return _interpolate(ordered, part, ordered.shape[0], method), logical_not(
            isnan(ordered[-1])
        )
    counts = sum(logical_not(isnan(ordered)), axis=0)
    at = broadcast_to(_spread(part, ordered), part.shape + counts.shape)
    return _interpolate(ordered, at, counts, method), greater_equal(counts, 1)


def _rows(x: Tracer, axes: tuple[int, ...]) -> Tracer:
    """Combine these axes of x into one, the first."""
    moved = moveaxis(x, axes, range(len(axes)))
    return reshape(moved, (math.prod(x.shape[a] for a in axes), *moved.shape[len(axes) :]))


def _spread(q: Tracer, ordered: Tracer) -> Tracer:
    """q with an axis of size 1 for each remaining axis of x."""
    return reshape(q, q.shape + (1,) * (ordered.ndim - 1))


def _position(q: Any, count: Any, method: str) -> tuple[Any, Any]:
    """The position of quantile q among `count` sorted elements, and its share of the upper one."""
    if method in _INTERPOLATING:
        alpha, beta = _INTERPOLATING[method]
        place = multiply(q, _last(count))
        if method != "linear":
            place = subtract(add(multiply(q, count), add(multiply(q, 1 - alpha - beta), alpha)), 1)
        return _with_share(place, count)
    if method in ("lower", "higher", "nearest", "midpoint"):
        place = multiply(q, _last(count))
        whole = {"lower": floor, "higher": ceil, "nearest": rint}.get(method)
        if whole is not None:
            return whole(place), 0
        return floor(place), where(equal(place, floor(place)), 0, 0.5)
    place = subtract(multiply(q, count), 1.5 if method == "closest_observation" else 1)
    low = floor(place)
    on = equal(place, low)
    if method == "averaged_inverted_cdf":
        return low, where(on, 0.5, 1)
    if method == "closest_observation":  # the one with an even number, counted from 1
        on = logical_and(on, equal(remainder(low, 2), 1))
    return where(on, low, add(low, 1)), 0


def _last(count: Any, least: int | None = None) -> Any:
    """The last of `count` positions; a Python number stays one, as default integers are narrow."""
    if isinstance(count, int):
        return count - 1 if least is None else max(count - 1, least)
    last = subtract(count, 1)
    return last if least is None else maximum(last, least)


def _with_share(place: Any, count: Any) -> tuple[Any, Any]:
    """A position between 0 and count - 1, and how far it lies above the element below it."""
    inside = minimum(maximum(place, 0), _last(count, 0))
    low = floor(inside)
    return low, subtract(inside, low)


def _interpolate(ordered: Tracer, q: Any, count: Any, method: str) -> Any:
    """Quantiles of the first `count` elements along the first axis."""
    low, share = _position(q, count, method)
    last = _last(count, 0)
    places = counting_dtype(ordered.shape[0] - 1)
    ends = [
        _element(ordered, astype(minimum(maximum(p, 0), last), places), count)
        for p in (low, low if type(share) is int else ceil(add(low, share)))
    ]
    below, above = ends
    if type(share) is int:
        return below
    if isinstance(count, int):
        share = _spread(as_tracer(share), ordered)
    return _between(below, above, share)


def _between(below: Any, above: Any, share: Any) -> Any:
    """The number at a share of the way between two; an infinity, where it is one of them, wins."""
    unlimited = logical_or(isinf(below), isinf(above))
    # Infinities are replaced before the subtraction: else the derivative by `share` is NaN.  Of
    # equal numbers both ends get their share of the derivative.
    low, high = (where(unlimited, 0, end) for end in (below, above))
    step = add(low, multiply(subtract(high, low), share))
    inside = logical_and(greater(share, 0), less(share, 1))
    end = where(
        logical_or(greater_equal(share, 1), logical_and(inside, isfinite(below))), above, below
    )
    # Two infinities differ where they are opposite: nothing is between them.
    opposite = logical_and(isinf(below), logical_and(isinf(above), not_equal(below, above)))
    end = where(logical_and(inside, opposite), np.nan, end)
    return where(unlimited, end, step)


def _element(ordered: Tracer, at: Any, count: Any) -> Any:
    """Elements at positions of the first axis: the same for all columns, or of each column."""
    if isinstance(count, int):
        return take(ordered, at, 0)
    n = at.ndim - (ordered.ndim - 1)
    rows = reshape(at, (math.prod(at.shape[:n]), *at.shape[n:]))
    return reshape(take_along_axis(ordered, rows, 0), at.shape)
