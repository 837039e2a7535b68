"""Interpolation, differences and integrals of samples: NumPy's names.

Source: NumPy's manual, "Mathematical functions".
"""

from __future__ import annotations

import builtins
import math
from typing import Any

from anvl.core.promote import convert, promoted
from anvl.core.tracer import Tracer
from anvl.dispatch.eager import public
from anvl.numpy.arrays.array_like import array_like
from anvl.numpy.arrays.axes import Axis, axes_of, axis_of
from anvl.numpy.arrays.choice import isfinite, isnan, logical_and, logical_not, where
from anvl.numpy.arrays.indexing import clipped, take
from anvl.numpy.arrays.shaping import moveaxis, ravel, reshape, slice_axis
from anvl.numpy.arrays.sorting import argsort, searchsorted
from anvl.numpy.arrays.stacking import concatenate
from anvl.numpy.functions.arithmetic import remainder
from anvl.numpy.functions.cumulative import cumsum
from anvl.numpy.functions.elementwise import (
    abs,
    add,
    divide,
    equal,
    greater,
    less,
    maximum,
    minimum,
    multiply,
    subtract,
)
from anvl.numpy.functions.emitting import check_real, is_kind, prim
from anvl.numpy.functions.reductions import sum
from anvl.numpy.functions.special import diff

__all__ = ["ediff1d", "gradient", "interp", "trapezoid", "unwrap"]


# -- interpolation ---------------------------------------------------------------------------------


@public("period")
def interp(
    x: Any, xp: Any, fp: Any, left: Any = None, right: Any = None, period: float | None = None
) -> Any:
    """Interpolate linearly between the points (xp, fp).

    Parameters
    ----------
    x : array
        Where to interpolate; real.
    xp : array
        A vector of real numbers in ascending order, unless there is a period.
    fp : array
        A vector of as many numbers, real or complex.
    left, right : number, optional
        The values below the first point and above the last, by default those of these points.
    period : float, optional
        Of x: xp may then be in any order, and `left` and `right` are ignored.

    Returns
    -------
    An array of the shape of x.

    Raises
    ------
    ValueError
        xp and fp are not vectors of one length, at least 1; or a period of 0.

    Notes
    -----
    Differentiable in all arguments.  At a point, where the slope jumps, the derivative in x is that
    of the segment above it; outside of the points it is 0.
    Source: `numpy.interp`.

    Examples
    --------
    >>> import anvl.numpy as np
    >>> print(np.interp(2.5, np.asarray([1.0, 2.0, 3.0]), np.asarray([3.0, 2.0, 0.0])))
    1.0
    """
    given = [array_like(v, "interp") if isinstance(v, list | tuple) else v for v in (x, xp, fp)]
    (at, points), _ = promoted("interp", given[:2], "float", broadcast=False)
    (values,), _ = promoted("interp", given[2:], "float", broadcast=False)
    check_real("interp", at, points)
    if points.ndim != 1 or points.shape != values.shape or not points.size:
        raise ValueError(
            f"interp: xp {points.aval} and fp {values.aval} must be vectors of one length, at "
            "least 1"
        )
    if period is not None:
        at, points, values = _periodic(at, points, values, period)
        left = right = None
    low, high = values[0], values[-1]
    inside = _between(at, points, values)
    y = where(less(at, points[0]), low if left is None else left, inside)
    return where(greater(at, points[-1]), high if right is None else right, y)


def _periodic(x: Tracer, xp: Tracer, fp: Tracer, period: float) -> tuple[Any, Any, Any]:
    """Points of one period, sorted, and one more on each side."""
    if period == 0:
        raise ValueError("interp: the period is 0")
    length = builtins.abs(period)
    at, points = remainder(x, length), remainder(xp, length)
    order = argsort(points)
    points, values = take(points, order), take(fp, order)
    below, above = subtract(points[-1:], length), add(points[:1], length)
    ends = (values[-1:], values, values[:1])
    return at, concatenate([below, points, above]), concatenate(ends)


def _between(x: Tracer, xp: Tracer, fp: Tracer) -> Any:
    """Linear interpolation, from the nearer of the two points around x."""
    if xp.size == 1:
        return where(isnan(x), x, fp[0])
    last = xp.shape[0] - 2
    i = minimum(maximum(subtract(searchsorted(xp, x, side="right"), 1), 0), last)
    # XLA would search anew for each of the values that stand there, and again in the derivative.
    (i,) = prim("optimization_barrier", i)
    x0, x1, y0, y1 = (clipped(v, at) for v in (xp, fp) for at in (i, add(i, 1)))
    width = subtract(x1, x0)
    # Two equal infinite values fill what lies between them.
    is_level = logical_and(equal(y0, y1), logical_not(isfinite(y0)))
    rise = where(is_level, 0, subtract(y1, y0))
    slope = divide(rise, where(equal(width, 0), 1, width))
    # From the nearer point; an infinite value does not reach the point beside it.
    is_first = less(subtract(x, x0), subtract(x1, x))
    is_first = where(equal(isfinite(y0), isfinite(y1)), is_first, isfinite(y0))
    step = subtract(x, where(is_first, x0, x1))
    y = add(where(is_first, y0, y1), multiply(step, slope))
    # At a point it is exact, unless something is infinite: then 0 x inf is in it.
    is_lost = logical_not(isfinite(y))
    for at, value in ((x0, y0), (x1, y1)):
        y = where(logical_and(equal(x, at), is_lost), value, y)
    return y


# -- differences -----------------------------------------------------------------------------------


@public("axis", "edge_order")
def gradient(f: Any, *varargs: Any, axis: Axis = None, edge_order: int = 1) -> Any:
    """Derivatives of samples along axes, by central differences, and one-sided ones at both ends.

    Parameters
    ----------
    f : array
    *varargs : number or vector
        The spacing, 1 by default: a number for all axes, or for each axis a number or the
        coordinates of its samples.
    axis : int or sequence of int, optional
        All by default.
    edge_order : {1, 2}
        Order of the differences at the ends.

    Returns
    -------
    An array of the shape and dtype of f, of integers floats; for several axes a tuple of them.

    Raises
    ------
    ValueError
        Fewer than `edge_order + 1` samples along an axis, another order, coordinates of another
        number than samples.
    TypeError
        The number of spacings does not fit that of the axes.

    Notes
    -----
    Second order accurate inside, also for uneven spacing.  Source: `numpy.gradient`.

    Examples
    --------
    >>> import anvl.numpy as np
    >>> print(np.gradient(np.asarray([1.0, 2.0, 4.0, 7.0])))
    [1.  1.5 2.5 3. ]
    """
    given = [array_like(v, "gradient") if isinstance(v, list | tuple) else v for v in (f, *varargs)]
    (operand, *spacings), _ = promoted("gradient", given, "float", broadcast=False)
    axes = axes_of(axis, operand.ndim, "gradient") if axis is None else _in_order(axis, operand)
    if len(spacings) not in (0, 1, len(axes)):
        raise TypeError(
            f"gradient: {len(spacings)} spacings for {len(axes)} axes; give none, one, or one for "
            "each axis"
        )
    if edge_order not in (1, 2):
        raise ValueError(f"gradient: edge_order is {edge_order}; it must be 1 or 2")
    steps: list[Any] = spacings * len(axes) if len(spacings) == 1 else spacings
    steps = steps or [None] * len(axes)
    found = tuple(_along(operand, a, h, edge_order) for a, h in zip(axes, steps, strict=True))
    if operand.dtype.kind != "c":  # of the dtype of f, however exact the spacing is
        own = promoted("gradient", given[:1], "float")[0][0].dtype
        found = tuple(convert(x, own) for x in found)
    return found[0] if len(found) == 1 else found


def _in_order(axis: Any, x: Tracer) -> tuple[int, ...]:
    given = axis if isinstance(axis, tuple | list) else (axis,)
    return tuple(axis_of(a, x.ndim, "gradient") for a in given)


def _along(f: Tracer, axis: int, step: Any, edge_order: int) -> Any:
    x = moveaxis(f, axis, 0)
    n = x.shape[0]
    if n < edge_order + 1:
        raise ValueError(
            f"gradient: axis {axis} of {f.aval} has {n} samples; edge_order {edge_order} needs at "
            f"least {edge_order + 1}"
        )
    if step is None or step.ndim == 0:
        parts = _even(x, 1.0 if step is None else step, edge_order)
    else:
        if step.shape != (n,):
            raise ValueError(
                f"gradient: the coordinates {step.aval} are not one for each of the {n} samples "
                f"along axis {axis}"
            )
        widths = reshape(diff(step), (n - 1,) + (1,) * (x.ndim - 1))
        parts = _uneven(x, widths, edge_order)
    return moveaxis(concatenate(parts, 0), 0, axis)


def _even(x: Any, h: Any, edge_order: int) -> list[Any]:
    inner = divide(subtract(x[2:], x[:-2]), multiply(h, 2.0))
    if edge_order == 1:
        return [divide(subtract(x[1:2], x[:1]), h), inner, divide(subtract(x[-1:], x[-2:-1]), h)]
    first = subtract(multiply(2.0, x[1:2]), add(multiply(1.5, x[:1]), multiply(0.5, x[2:3])))
    behind = add(multiply(1.5, x[-1:]), multiply(0.5, x[-3:-2]))
    last = subtract(behind, multiply(2.0, x[-2:-1]))
    return [divide(first, h), inner, divide(last, h)]


def _uneven(x: Any, h: Any, edge_order: int) -> list[Any]:
    before, behind = h[:-1], h[1:]
    slopes = divide(subtract(x[1:], x[:-1]), h)
    weight = divide(before, add(before, behind))
    inner = add(multiply(slopes[1:], weight), multiply(slopes[:-1], subtract(1, weight)))
    if edge_order == 1:
        return [slopes[:1], inner, slopes[-1:]]
    # The parabola through three samples has a slope that is linear: as far beyond the slope of the
    # last two as that of the last three lies before it.
    first = subtract(multiply(2.0, slopes[:1]), inner[:1])
    last = subtract(multiply(2.0, slopes[-1:]), inner[-1:])
    return [first, inner, last]


@public()
def ediff1d(x: Any, to_end: Any = None, to_begin: Any = None) -> Any:
    """Differences of neighbours in flat x, with values before and behind them.

    The values are converted to the dtype of x.  Source: `numpy.ediff1d`.

    >>> import anvl.numpy as np
    >>> print(np.ediff1d(np.asarray([1, 4, 9]), to_begin=0))
    [0 3 5]
    """
    flat = ravel(array_like(x, "ediff1d"))
    ends = [
        None if v is None else ravel(convert(array_like(v, "ediff1d"), flat.dtype))
        for v in (to_begin, to_end)
    ]
    parts = [ends[0], diff(flat) if flat.size else flat, ends[1]]
    return concatenate([part for part in parts if part is not None])


@public("discont", "axis", "period")
def unwrap(
    p: Any, discont: float | None = None, axis: int = -1, *, period: float = 2 * math.pi
) -> Any:
    """Replace jumps of more than half a period along an axis by what they are up to periods.

    Parameters
    ----------
    p : array
        Real; integers stay integers if the period is one.
    discont : float, optional
        The smallest jump that is replaced; half a period by default, and at least.
    axis : int
    period : float

    Returns
    -------
    Array

    Raises
    ------
    TypeError
        Complex numbers.
    ValueError
        x does not have this axis.

    Notes
    -----
    The derivative is that of p: the periods added are constant between jumps.
    Source: `numpy.unwrap`.

    Examples
    --------
    >>> import anvl.numpy as np
    >>> print(np.unwrap(np.asarray([0, 1, 2, -1, 0]), period=4))
    [0 1 2 3 4]
    """
    least = "int" if isinstance(period, int) else "float"
    (operand,), _ = promoted("unwrap", (array_like(p, "unwrap"),), least)
    check_real("unwrap", operand)
    along = axis_of(axis, operand.ndim, "unwrap")
    size = operand.shape[along]
    if size < 2:
        return operand
    jumps = diff(operand, axis=along)
    is_whole = is_kind(operand, "int", "uint")
    high = period // 2 if is_whole else period / 2
    low = -high
    within = add(remainder(subtract(jumps, low), period), low)
    if not is_whole or period % 2 == 0:  # a jump of half a period upwards stays one
        within = where(logical_and(equal(within, low), greater(jumps, 0)), high, within)
    shortest = period / 2 if discont is None else builtins.max(discont, period / 2)
    correction = where(less(abs(jumps), shortest), 0, subtract(within, jumps))
    later = add(slice_axis(operand, along, 1, size), cumsum(correction, axis=along))
    return concatenate([slice_axis(operand, along, 0, 1), later], along)


# -- integrals -------------------------------------------------------------------------------------


@public("axis")
def trapezoid(y: Any, x: Any = None, dx: Any = 1.0, axis: int = -1) -> Any:
    """Integral of samples along an axis by the trapezoidal rule.

    Parameters
    ----------
    y : array
    x : array, optional
        Coordinates of the samples: a vector, or of the shape of y.
    dx : number
        The spacing, if there are no coordinates.
    axis : int

    Returns
    -------
    An array without this axis.

    Raises
    ------
    ValueError
        y does not have this axis.

    Notes
    -----
    Source: `numpy.trapezoid`.

    Examples
    --------
    >>> import anvl.numpy as np
    >>> print(np.trapezoid(np.asarray([1.0, 2.0, 3.0])))
    4.0
    """
    (operand,), _ = promoted("trapezoid", (array_like(y, "trapezoid"),), "float")
    along = axis_of(axis, operand.ndim, "trapezoid")
    samples = moveaxis(operand, along, -1)
    if x is None:
        widths = dx
    else:
        points = array_like(x, "trapezoid")
        widths = diff(points if points.ndim == 1 else moveaxis(points, along, -1))
    pairs = add(samples[..., 1:], samples[..., :-1])
    return sum(multiply(divide(pairs, 2), widths), axis=-1)
