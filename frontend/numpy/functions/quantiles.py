"""Medians and quantiles: NumPy's names.

The axis is sorted, and the result interpolated between two of its elements, which receive the
derivative.
"""

from __future__ import annotations

import math
from types import SimpleNamespace
from typing import Any

import numpy as np

from anvl.core.config import counting_dtype
from anvl.core.promote import as_tracer, constant, convert, promoted
from anvl.core.trace_state import current
from anvl.core.tracer import Tracer
from anvl.dispatch.eager import public
from anvl.numpy.arrays.axes import Axis, axes_of, axis_of
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
from anvl.numpy.arrays.indexing import take_along_axis
from anvl.numpy.arrays.shaping import broadcast_to, moveaxis, permute_dims, reshape
from anvl.numpy.arrays.sorting import argsort
from anvl.numpy.arrays.stacking import concatenate, split
from anvl.numpy.functions.arithmetic import remainder
from anvl.numpy.functions.cumulative import cumsum
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
from anvl.numpy.functions.reductions import all, any, sum
from anvl.runtime import hiding_frames

__all__ = ["median", "percentile", "quantile"]

#: alpha and beta of the methods that interpolate: quantile q of n sorted elements is at position
#: n q + alpha + q (1 - alpha - beta) - 1.  Source: Hyndman and Fan (1996), definitions 4 to 9.
_INTERPOLATING = {
    "interpolated_inverted_cdf": (0.0, 1.0), "hazen": (0.5, 0.5), "weibull": (0.0, 0.0),
    "linear": (1.0, 1.0), "median_unbiased": (1 / 3, 1 / 3), "normal_unbiased": (3 / 8, 3 / 8),
}  # fmt: skip
#: NumPy's functions by which positions are computed, of traced arrays.
_TRACED = SimpleNamespace(
    add=add, ceil=ceil, equal=equal, floor=floor, logical_and=logical_and, maximum=maximum,
    minimum=minimum, multiply=multiply, remainder=remainder, rint=rint, subtract=subtract,
    where=where,
)  # fmt: skip
_METHODS = (
    "inverted_cdf", "averaged_inverted_cdf", "closest_observation", *_INTERPOLATING, "lower",
    "higher", "midpoint", "nearest",
)  # fmt: skip
#: Those that give elements, of the dtype of x, however exact q is.
_CHOOSING = "inverted_cdf", "closest_observation", "lower", "higher", "nearest"


@public("axis", "keepdims")
def median(x: Any, axis: Axis = None, *, keepdims: bool = False) -> Any:
    """Median along `axis` (one, several, or all): the middle element, or the mean of the middle
    two.

    x is real; integers give a float.  NaN elements give NaN.  The derivative goes to the selected
    elements.  Equal elements share it evenly: where only the two middle ones tie the median is
    smooth, where more do it has a corner.  Of no elements it is NaN, as is the mean.  Raises
    `ValueError` for an axis that x does not have.

    >>> import anvl.numpy as np
    >>> print(np.median(np.asarray([5, 1, 4, 2])))
    3.0
    """
    return _evaluated("median", x, 0.5, axis, "linear", keepdims)


@hiding_frames
def quantile(
    x: Any, q: Any, axis: Axis = None, *, method: str = "linear", keepdims: bool = False,
    weights: Any = None,
) -> Any:  # fmt: skip
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
    weights : array, optional
        How often each element counts, not negative: of the shape of x, or of those of its axes that
        `axis` names.  For "inverted_cdf": the first element at which the sum of weights reaches q
        of all.

    Returns
    -------
    An array; its first axes are those of q, then come the remaining axes of x.  An array q of wider
    floats makes it as wide.  NaN where a weight is negative or all are 0.

    Raises
    ------
    ValueError
        Another method, an axis that x does not have, no elements (`nanquantile` and `median` give
        NaN there, as in NumPy); weights of another shape, or for another method.

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
    return of_elements("quantile", x, q, axis, method, keepdims, weights)


@hiding_frames
def percentile(
    x: Any, q: Any, axis: Axis = None, *, method: str = "linear", keepdims: bool = False,
    weights: Any = None,
) -> Any:  # fmt: skip
    """Percentile q of the elements along `axis`: `quantile` of q / 100.

    Equal elements share the derivative evenly.

    >>> import anvl.numpy as np
    >>> print(np.percentile(np.asarray([1.0, 2.0, 4.0]), 25))
    1.5
    """
    return of_elements("percentile", x, q, axis, method, keepdims, weights)


def of_elements(
    name: str, x: Any, q: Any, axis: Axis, method: str, keepdims: bool, weights: Any = None
) -> Any:
    """Quantiles of arrays; those whose name begins with "nan" ignore NaN."""
    given = method, keepdims, weights
    # Python numbers keep all their digits, and take the dtype of x.  In a trace one is a part of
    # the program, whose positions are then known; elsewhere each would be a program of its own.
    is_number = isinstance(q, int | float)
    if is_number and (current.trace is not None or weights is not None):
        return _of_number(name, x, q / 100 if "percentile" in name else q, axis, *given)
    listed = is_number or isinstance(q, list | tuple)
    part = asarray(q, "f64") if listed else q
    return _of_array(name, x, part, axis, *given, listed)


@public("name", "q", "axis", "method", "keepdims")
def _of_number(
    name: str, x: Any, q: float, axis: Axis, method: str, keepdims: bool, weights: Any
) -> Any:
    return _evaluated(name, x, q, axis, method, keepdims, weights)


@public("name", "axis", "method", "keepdims", "listed")
def _of_array(
    name: str, x: Any, q: Any, axis: Axis, method: str, keepdims: bool, weights: Any, listed: bool
) -> Any:
    part = as_tracer(q, name)
    if is_kind(part, "complex"):
        raise TypeError(f"{name}: q is {part.aval}; complex numbers are no parts")
    if not listed and method not in _CHOOSING:
        (x, part), _ = promoted(name, (x, part), "float", broadcast=False)
    part = divide(part, 100) if "percentile" in name else part
    return _evaluated(name, x, as_tracer(part, name), axis, method, keepdims, weights)


def _evaluated(
    name: str, x: Any, q: Any, axis: Axis, method: str, keepdims: bool, weights: Any = None
) -> Any:
    if method not in _METHODS:
        raise ValueError(f"{name}: method {method!r} is not one of {', '.join(_METHODS)}")
    (operand,), weak = promoted(name, (x,), "float")
    if is_kind(operand, "complex"):
        raise TypeError(f"{name}: {operand.aval} is complex; complex numbers have no quantiles")
    axes = axes_of(axis, operand.ndim, name)
    rows = _rows(operand, axes)
    if rows.shape[-1] == 0:
        if name in ("quantile", "percentile"):
            raise ValueError(f"{name}: {operand.aval} has no elements along axis {axes}")
        rows, weights = constant(np.nan, rows.dtype, (*rows.shape[:-1], 1)), None
    wide = np.dtype(np.float32) if operand.dtype.itemsize <= 2 else operand.dtype
    if isinstance(q, Tracer) and q.dtype == np.float64:
        wide = q.dtype  # positions of all its digits
    if weights is None:
        found, exists = _unweighted(rows, q, wide, method, name.startswith("nan"))
    else:
        shares = _rows(_shares(name, as_tracer(weights, name), operand, axis, method), axes)
        found, exists = _of_shares(rows, shares, q, wide, name.startswith("nan"))
    result = convert(where(exists, found, np.nan), operand.dtype)
    if keepdims:
        sizes = tuple(1 if i in axes else n for i, n in enumerate(operand.shape))
        result = reshape(result, (*result.shape[: result.ndim - rows.ndim + 1], *sizes))
    return mark_weak(result, weak)


def _unweighted(
    rows: Tracer, q: Any, dtype: np.dtype[Any], method: str, ignores_nan: bool
) -> tuple[Any, Any]:
    """Quantiles of each row, and where there are any; `dtype` has the bits that positions need."""
    is_number = isinstance(q, int | float)
    if is_number and not ignores_nan:
        inside = constant(0 <= q <= 1, np.dtype(np.bool_))
        found, defined = _at_fixed_places(rows, q if 0 <= q <= 1 else 0, method)
    else:
        # As f32, 0.29 of 100 is above 29, which methods such as "lower" turn into an element.
        part = constant(float(q), np.dtype(np.float64)) if is_number else convert(q, dtype)
        inside = _is_part(part)
        found, defined = _at_places(rows, where(inside, part, 0), method, ignores_nan)
    return found, logical_and(_spread(inside, rows), defined)


def _of_shares(
    rows: Tracer, shares: Tracer, q: Any, dtype: np.dtype[Any], ignores_nan: bool
) -> tuple[Any, Any]:
    """Quantiles of the rows of elements that count by their shares, and where there are any."""
    part = constant(float(q), dtype) if isinstance(q, int | float) else convert(q, dtype)
    inside, columns = _is_part(part), [moveaxis(x, -1, 0) for x in (rows, shares)]
    found, defined = _weighted(columns[0], columns[1], where(inside, part, 0), ignores_nan)
    return found, logical_and(_spread(inside, rows), defined)


def _is_part(part: Any) -> Any:
    return logical_and(greater_equal(part, 0), less_equal(part, 1))


def _at_fixed_places(rows: Tracer, q: float, method: str) -> tuple[Any, Any]:
    """Quantile q of rows, a Python number, and where there is one."""
    low, share = _position(np.float64(q), rows.shape[-1], method, np)
    last = rows.shape[-1] - 1
    places = [int(min(max(p, 0), last)) for p in (low, np.ceil(low + share))]
    dtype, shape = counting_dtype(last), (*rows.shape[:-1], 1)
    positions = [constant(p, dtype, shape) for p in (places if share else places[:1])]
    found = _statistics(rows, positions)
    value = found[0]
    if len(found) > 1:
        at = _narrowed(constant(float(share), np.dtype(np.float64)), rows)
        value = _between(found[0], found[1], at)
    value = reshape(value, rows.shape[:-1])
    return value, logical_not(isnan(value))


def _at_places(rows: Tracer, q: Any, method: str, ignores_nan: bool) -> tuple[Any, Any]:
    """Quantiles q, an array, of each row, and where there are any."""
    count, sizes = rows.shape[-1], q.shape
    if ignores_nan:
        is_number = logical_not(isnan(rows))
        count, rows = sum(is_number, axis=-1), where(is_number, rows, np.inf)
        q = broadcast_to(_spread(q, rows), q.shape + count.shape)
    low, share = _position(q, count, method, _TRACED)
    last, dtype = _last(count, 0), counting_dtype(rows.shape[-1] - 1)
    places = (low,) if type(share) is int else (low, ceil(add(low, share)))
    inside = [astype(minimum(maximum(p, 0), last), dtype) for p in places]
    parts = _statistics(rows, [_of_rows(p, math.prod(sizes), rows) for p in inside])
    found = [reshape(moveaxis(p, -1, 0), (*sizes, *rows.shape[:-1])) for p in parts]
    defined = greater_equal(count, 1) if ignores_nan else logical_not(isnan(found[0]))
    if len(found) == 1:
        return found[0], defined
    share = share if ignores_nan else _spread(as_tracer(share), rows)
    return _between(found[0], found[1], _narrowed(share, rows)), defined


def _of_rows(places: Any, n: int, rows: Tracer) -> Any:
    """n positions, the same for all rows or of each row, as the last axis of rows."""
    if places.size == n:
        return broadcast_to(reshape(places, (n,)), (*rows.shape[:-1], n))
    return moveaxis(reshape(places, (n, *rows.shape[:-1])), 0, -1)


def _statistics(rows: Tracer, positions: list[Any]) -> list[Any]:
    """The order statistics at each array of positions.

    Equal elements share their derivatives: where the two middle ones of [0, 1, 1, 5] tie, the
    median is smooth, half of each.
    """
    found = prim("order_statistics", rows, concatenate(positions, -1))
    ends = np.cumsum([p.shape[-1] for p in positions])[:-1].tolist()
    return list(split(found, ends, -1))


def _narrowed(share: Any, rows: Tracer) -> Any:
    return convert(share, rows.dtype) if share.dtype.itemsize > rows.dtype.itemsize > 2 else share


def _shares(name: str, weights: Tracer, x: Tracer, axis: Axis, method: str) -> Tracer:
    """Weights of the shape of x."""
    if method != "inverted_cdf":
        raise ValueError(f'{name}: method {method!r} has no weights; give method="inverted_cdf"')
    if is_kind(weights, "complex"):
        raise TypeError(f"{name}: weights are {weights.aval}; they must be real")
    if weights.shape == x.shape:
        return weights
    given = axes_of(axis, x.ndim, name)
    if isinstance(axis, list | tuple):
        given = tuple(axis_of(a, x.ndim, name) for a in axis)
    wanted = tuple(x.shape[a] for a in given)
    if axis is None or weights.shape != wanted:
        raise ValueError(
            f"{name}: weights are {weights.aval}, x is {x.aval}; give as many, or with an axis "
            f"those along it{'' if axis is None else f', of shape {wanted}'}"
        )
    sizes = tuple(n if i in given else 1 for i, n in enumerate(x.shape))
    in_order = permute_dims(weights, tuple(int(i) for i in np.argsort(given)))
    return broadcast_to(reshape(in_order, sizes), x.shape)


def _weighted(rows: Tracer, weights: Tracer, part: Any, ignores_nan: bool) -> tuple[Any, Any]:
    """Quantiles along the first axis of elements that count as often as `weights` say.

    Source: `numpy.quantile`, which takes the first element at which the sum of the weights, in the
    order of the elements and as a part of all, is not below q.
    """
    absent = isnan(rows)
    loads = convert(weights, part.dtype)
    loads = where(absent, 0, loads) if ignores_nan else loads
    order = argsort(rows, axis=0)
    ordered = prim("share_ties", take_along_axis(rows, order, 0), axis=0)
    sums = cumsum(take_along_axis(loads, order, 0), axis=0)
    total = sums[-1:]
    usable = logical_and(all(greater_equal(loads, 0), axis=0), greater(total[0], 0))
    parts = divide(sums, where(usable, total, 1))
    parts = where(equal(parts, 0), -1, parts)  # elements that do not count are not the first
    n, n_q = rows.shape[0], part.ndim
    parts = broadcast_to(parts, part.shape + parts.shape)
    below = less(parts, reshape(part, part.shape + (1,) * rows.ndim))
    at = minimum(sum(below, axis=n_q), n - 1)
    missing = all(absent, axis=0) if ignores_nan else any(absent, axis=0)
    found = take_along_axis(ordered, reshape(at, (math.prod(part.shape), *rows.shape[1:])), 0)
    return reshape(found, at.shape), logical_and(usable, logical_not(missing))


def _rows(x: Tracer, axes: tuple[int, ...]) -> Tracer:
    """Combine these axes of x into one, the last."""
    moved = moveaxis(x, axes, range(-len(axes), 0))
    kept = moved.shape[: moved.ndim - len(axes)]
    return reshape(moved, (*kept, math.prod(x.shape[a] for a in axes)))


def _spread(q: Tracer, ordered: Tracer) -> Tracer:
    """q with an axis of size 1 for each remaining axis of x."""
    return reshape(q, q.shape + (1,) * (ordered.ndim - 1))


def _position(q: Any, count: Any, method: str, ops: Any) -> tuple[Any, Any]:
    """The position of quantile q among `count` sorted elements, and its share of the upper one.

    `ops` are NumPy, or the same functions of traced arrays.
    """
    if method in _INTERPOLATING:
        alpha, beta = _INTERPOLATING[method]
        place = ops.multiply(q, _last(count))
        if method != "linear":
            place = ops.subtract(
                ops.add(ops.multiply(q, count), ops.add(ops.multiply(q, 1 - alpha - beta), alpha)),
                1,
            )
        return _with_share(place, count, ops)
    if method in ("lower", "higher", "nearest", "midpoint"):
        place = ops.multiply(q, _last(count))
        whole = {"lower": ops.floor, "higher": ops.ceil, "nearest": ops.rint}.get(method)
        if whole is not None:
            return whole(place), 0
        return ops.floor(place), ops.where(ops.equal(place, ops.floor(place)), 0, 0.5)
    place = ops.subtract(ops.multiply(q, count), 1.5 if method == "closest_observation" else 1)
    low = ops.floor(place)
    on = ops.equal(place, low)
    if method == "averaged_inverted_cdf":
        return low, ops.where(on, 0.5, 1)
    if method == "closest_observation":  # the one with an even number, counted from 1
        on = ops.logical_and(on, ops.equal(ops.remainder(low, 2), 1))
    return ops.where(on, low, ops.add(low, 1)), 0


def _last(count: Any, least: int | None = None) -> Any:
    """The last of `count` positions; a Python number stays one, as default integers are narrow."""
    if isinstance(count, int):
        return count - 1 if least is None else max(count - 1, least)
    last = subtract(count, 1)
    return last if least is None else maximum(last, least)


def _with_share(place: Any, count: Any, ops: Any) -> tuple[Any, Any]:
    """A position between 0 and count - 1, and how far it lies above the element below it."""
    inside = ops.minimum(ops.maximum(place, 0), _last(count, 0))
    low = ops.floor(inside)
    return low, ops.subtract(inside, low)


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
