"""Piecewise polynomials: cubic splines, and monotonic interpolation.

Source: C. de Boor, A Practical Guide to Splines (1978), chapter 4; F. Fritsch and J. Butland, A
method for constructing local monotone piecewise cubic interpolants (1984).
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

import anvl.numpy as anp
from anvl.control_flow.loops import scan
from anvl.core.promote import promoted
from anvl.dispatch.eager import public
from anvl.numpy.arrays.axes import axis_of, int_of
from anvl.runtime import hiding_frames
from anvl.tree.registration import register_node

__all__ = ["CubicSpline", "PPoly", "PchipInterpolator"]


class PPoly:
    """Piecewise polynomial: the sum of c[k, i] (x - x[i])^(degree - k) between x[i] and x[i + 1].

    A pytree; all functions take the argument inside of a trace, too.

    Parameters
    ----------
    c : array of shape (degree + 1, n - 1, ...)
    x : array of shape (n,)
        Increasing.
    extrapolate : bool
        Whether the first and the last polynomial hold beyond the ends; else NaN is there.
    axis : int
        Where in the values the axis of the points is.

    Raises
    ------
    ValueError
        Shapes that do not fit.

    Examples
    --------
    >>> import anvl.numpy as np
    >>> from anvl.scipy import interpolate
    >>> square = interpolate.PPoly(np.asarray([[1.0], [0.0], [0.0]]), np.asarray([0.0, 1.0]))
    >>> print(square(3.0), square.derivative()(3.0), square.integrate(0.0, 3.0))
    9.0 6.0 9.0
    """

    c: Any
    x: Any
    extrapolate: bool
    axis: int

    def __init__(self, c: Any, x: Any, extrapolate: bool = True, axis: int = 0) -> None:
        self.c, self.x = anp.asarray(c), anp.asarray(x)
        self.extrapolate, self.axis = bool(extrapolate), axis
        if self.x.ndim != 1 or self.c.ndim < 2 or self.c.shape[1] != self.x.shape[0] - 1:
            raise ValueError(
                f"PPoly: c has shape {list(self.c.shape)} and x {list(self.x.shape)}; give "
                "(degree + 1, n - 1, ...) and (n,)"
            )

    @hiding_frames
    def __call__(self, x: Any, nu: int = 0, extrapolate: bool | None = None) -> Any:
        """Value, or derivative of order nu, at x: of the shape of x in place of the axis."""
        beyond = self.extrapolate if extrapolate is None else bool(extrapolate)
        order = int_of(nu, "nu", "PPoly", least=0)
        return _evaluated(self.c, self.x, x, order, beyond, self.axis)

    def derivative(self, nu: int = 1) -> PPoly:
        """The derivative of order nu, as another piecewise polynomial."""
        c = self.c
        for _ in range(int_of(nu, "nu", "PPoly.derivative", least=0)):
            degree = c.shape[0] - 1
            powers = anp.arange(degree, 0, -1).reshape((degree, *(1,) * (c.ndim - 1)))
            c = anp.multiply(c[:-1], powers) if degree else anp.zeros_like(c)
        return PPoly(c, self.x, self.extrapolate, self.axis)

    def antiderivative(self) -> PPoly:
        """The integral from x[0] on, as another piecewise polynomial."""
        count, rank = self.c.shape[0], self.c.ndim
        powers = anp.arange(count, 0, -1).reshape((count, *(1,) * (rank - 1)))
        c = anp.divide(self.c, powers)
        width = anp.reshape(anp.diff(self.x), (-1, *(1,) * (rank - 2)))
        total: Any = 0.0
        for k in range(count):
            total = anp.multiply(anp.add(total, c[k]), width)
        before = anp.concatenate(
            [anp.zeros_like(total[:1]), anp.cumsum(total, axis=0)[:-1]], axis=0
        )
        joined = anp.concatenate([c, anp.expand_dims(before, 0)], axis=0)
        return PPoly(joined, self.x, self.extrapolate, self.axis)

    def integrate(self, a: Any, b: Any) -> Any:
        """Integral from a to b."""
        whole = self.antiderivative()
        return anp.subtract(whole(b), whole(a))


@public("nu", "beyond", "axis")
def _evaluated(c: Any, points: Any, x: Any, nu: int, beyond: bool, axis: int) -> Any:
    (c, points, x), _ = promoted("PPoly", (c, points, x), "float", broadcast=False)
    n = points.shape[0]
    index = anp.clip(anp.searchsorted(points, x, side="right") - 1, 0, max(n - 2, 0))
    off = anp.subtract(x, anp.take(points, index))
    off = anp.reshape(off, (*x.shape, *(1,) * (c.ndim - 2)))
    parts = anp.take(c, index, axis=1)
    degree = c.shape[0] - 1
    total: Any = anp.zeros_like(parts[0])
    for k in range(degree - nu + 1):
        power = degree - k
        factor = math.factorial(power) // math.factorial(power - nu)
        total = anp.add(anp.multiply(total, off), anp.multiply(parts[k], factor))
    total = anp.where(anp.isnan(off), anp.nan, total)
    if not beyond:
        inside = anp.logical_and(anp.greater_equal(x, points[0]), anp.less_equal(x, points[-1]))
        total = anp.where(anp.reshape(inside, off.shape), total, anp.nan)
    if axis == 0 or x.ndim == 0:
        return total
    places = tuple(range(x.ndim))
    return anp.moveaxis(total, places, tuple(axis + i for i in places))


# -- from values and slopes -------------------------------------------------------------------


def _points(name: str, x: Any, y: Any, axis: int) -> tuple[Any, Any, int]:
    (x, y), _ = promoted(name, (x, y), "float", broadcast=False)
    at = axis_of(axis, y.ndim, name)
    if x.ndim != 1 or y.shape[at] != x.shape[0] or x.shape[0] < 2:
        raise ValueError(
            f"{name}: x is {x.aval} and y {y.aval}; give a vector of at least 2 elements, and as "
            f"many along axis {axis}"
        )
    return x, anp.moveaxis(y, at, 0), at


def _widths(x: Any, y: Any) -> tuple[Any, Any]:
    width = anp.reshape(anp.diff(x), (-1, *(1,) * (y.ndim - 1)))
    return width, anp.divide(anp.diff(y, axis=0), width)


def _cubics(y: Any, slopes: Any, width: Any, secants: Any) -> Any:
    """Coefficients of the cubics with these values and slopes at both ends."""
    first, last = slopes[:-1], slopes[1:]
    bend = anp.divide(first + last - 2 * secants, width)
    return anp.stack(
        [anp.divide(bend, width), anp.divide(secants - first, width) - bend, first, y[:-1]], axis=0
    )


class CubicSpline(PPoly):
    """Cubic spline: twice differentiable, through all points.

    Parameters
    ----------
    x : array of shape (n,)
        Increasing; n is at least 2.
    y : array
        With n values along the axis.
    axis : int
    bc_type : str, or pair of str or (int, number)
        For both ends, or for each: "not-a-knot", so that the first two cubics are one; "natural",
        no second derivative; "clamped", no first one; (1, value) or (2, value), a derivative.
    extrapolate : bool
        Whether the cubics hold beyond the ends; else NaN is there.

    Raises
    ------
    ValueError
        Sizes that do not fit, or another condition; there is no "periodic".

    Notes
    -----
    The slopes solve a tridiagonal system, by elimination in `scan`, so that derivatives with
    respect to x and y go through it.  With two points "not-a-knot" gives a line, with three a
    parabola.

    Examples
    --------
    >>> import anvl.numpy as np
    >>> from anvl.scipy import interpolate
    >>> x = np.asarray([0.0, 1.0, 2.0])
    >>> print(interpolate.CubicSpline(x, x * x, bc_type="natural")(np.asarray([0.5, 1.0])))
    [0.3125 1.    ]
    """

    def __init__(
        self, x: Any, y: Any, axis: int = 0, bc_type: Any = "not-a-knot", extrapolate: bool = True
    ) -> None:
        ends = bc_type if isinstance(bc_type, tuple | list) else (bc_type, bc_type)
        if len(ends) != 2:
            raise ValueError(f"CubicSpline: bc_type is {bc_type!r}; give one, or a pair")
        orders, values = zip(*(_condition(end) for end in ends), strict=True)
        c, points = _spline(x, y, values, axis, orders)
        super().__init__(c, points, extrapolate, axis_of(axis, np.ndim(y), "CubicSpline"))


_CONDITIONS = {"not-a-knot": (0, 0.0), "clamped": (1, 0.0), "natural": (2, 0.0)}


def _condition(end: Any) -> tuple[int, Any]:
    if isinstance(end, str) and end in _CONDITIONS:
        return _CONDITIONS[end]
    if isinstance(end, tuple | list) and len(end) == 2 and end[0] in (1, 2):
        return int(end[0]), end[1]
    raise ValueError(
        f"CubicSpline: bc_type has {end!r}; give 'not-a-knot', 'clamped', 'natural', or (1, value) "
        "or (2, value)"
    )


@public("axis", "orders")
def _spline(x: Any, y: Any, values: Any, axis: int, orders: tuple[int, int]) -> Any:
    x, y, _ = _points("CubicSpline", x, y, axis)
    width, secants = _widths(x, y)
    n = x.shape[0]
    conditions = list(zip(orders, values, strict=True))
    if n == 2:  # a line, where nothing is said of an end
        conditions = [(order or 1, value if order else secants[0]) for order, value in conditions]
    if n == 3 and orders == (0, 0):
        bend = anp.divide(secants[1] - secants[0], width[0] + width[1])
        first = secants[0] - bend * width[0]
        slopes = anp.stack(
            [first, secants[0] + bend * width[0], secants[1] + bend * width[1]], axis=0
        )
    else:
        slopes = _slopes(width, secants, conditions)
    return _cubics(y, slopes, width, secants), x


def _slopes(width: Any, secants: Any, conditions: list[tuple[int, Any]]) -> Any:
    """Slopes for which second derivatives meet: the solution of a tridiagonal system."""
    (start_order, start), (end_order, end) = conditions
    first = _end_row(start_order, start, width, secants)
    last = _end_row(
        end_order, end if end_order == 1 else anp.negative(end), width[::-1], secants[::-1]
    )
    before, after = width[:-1], width[1:]
    right = anp.multiply(after * secants[:-1] + before * secants[1:], 3)
    zero = anp.zeros_like(width[:1])
    diagonal = anp.concatenate([first[0], 2 * (before + after), last[0]], axis=0)
    below = anp.concatenate([zero, after, last[1]], axis=0)
    above = anp.concatenate([first[1], before, zero], axis=0)
    right = anp.concatenate([first[2], right, last[2]], axis=0)

    def eliminated(carry: Any, row: Any) -> Any:
        ratio, value = carry
        low, middle, high, wanted = row
        pivot = anp.subtract(middle, anp.multiply(low, ratio))
        done = anp.divide(high, pivot), anp.divide(wanted - anp.multiply(low, value), pivot)
        return done, done

    def substituted(slope: Any, row: Any) -> Any:
        ratio, value = row
        found = anp.subtract(value, anp.multiply(ratio, slope))
        return found, found

    start_carry = (anp.zeros_like(width[0]), anp.zeros_like(right[0]))
    _, rows = scan(eliminated, start_carry, (below, diagonal, above, right))
    return scan(substituted, anp.zeros_like(right[0]), rows, reverse=True)[1]


def _end_row(order: int, value: Any, width: Any, secants: Any) -> tuple[Any, Any, Any]:
    """Coefficients of the first two slopes, and what they add up to, each with a first axis."""
    one, like = anp.ones_like(width[:1]), secants[:1]
    given = anp.add(anp.zeros_like(like), value)
    if order == 1:
        return one, anp.zeros_like(one), given
    if order == 2:
        return 2 * one, one, 3 * like - given * width[:1] / 2
    h, k = width[:1], width[1:2]
    both = h + k
    right = ((h + 2 * both) * k * like + h * h * secants[1:2]) / both
    return k, both, right


class PchipInterpolator(PPoly):
    """Monotonic cubic interpolation: it goes up and down where the values do, and no more.

    Parameters
    ----------
    x : array of shape (n,)
        Increasing; n is at least 2.
    y : array
        With n values along the axis, real.
    axis : int
    extrapolate : bool
        Whether the cubics hold beyond the ends; else NaN is there.

    Raises
    ------
    ValueError
        Sizes that do not fit.

    Notes
    -----
    The slope at a point is the weighted harmonic mean of the secants, and 0 at an extremum.

    Examples
    --------
    >>> import anvl.numpy as np
    >>> from anvl.scipy import interpolate
    >>> f = interpolate.PchipInterpolator(np.arange(4.0), np.asarray([0.0, 0.0, 1.0, 1.0]))
    >>> print(f(np.asarray([0.5, 1.5, 2.5])))
    [0.  0.5 1. ]
    """

    def __init__(self, x: Any, y: Any, axis: int = 0, extrapolate: bool = True) -> None:
        c, points = _pchip(x, y, axis)
        super().__init__(c, points, extrapolate, axis_of(axis, np.ndim(y), "PchipInterpolator"))


@public("axis")
def _pchip(x: Any, y: Any, axis: int) -> Any:
    x, y, _ = _points("PchipInterpolator", x, y, axis)
    width, secants = _widths(x, y)
    if x.shape[0] == 2:
        slopes = anp.concatenate([secants, secants], axis=0)
    else:
        h, k = width[:-1], width[1:]
        before, after = secants[:-1], secants[1:]
        flat = anp.less_equal(anp.sign(before) * anp.sign(after), 0)
        first, second = 2 * k + h, k + 2 * h
        mean = first / anp.where(flat, 1, before) + second / anp.where(flat, 1, after)
        inner = anp.where(flat, 0, (first + second) / anp.where(flat, 1, mean))
        ends = [_end_slope(width[:2], secants[:2]), _end_slope(width[:-3:-1], secants[:-3:-1])]
        slopes = anp.concatenate([ends[0], inner, ends[1]], axis=0)
    return _cubics(y, slopes, width, secants), x


def _end_slope(width: Any, secants: Any) -> Any:
    """Slope at the first point of the parabola through three, kept from overshooting."""
    h, k = width[:1], width[1:]
    first, second = secants[:1], secants[1:]
    slope = ((2 * h + k) * first - h * second) / (h + k)
    turns = anp.not_equal(anp.sign(slope), anp.sign(first))
    steep = anp.not_equal(anp.sign(first), anp.sign(second))
    steep = anp.logical_and(steep, anp.greater(anp.abs(slope), 3 * anp.abs(first)))
    return anp.where(turns, 0, anp.where(steep, 3 * first, slope))


def _registered(cls: Any) -> None:
    """Make a class of piecewise polynomials a pytree of its coefficients and points."""

    def flatten(f: PPoly) -> Any:
        return (f.c, f.x), (f.extrapolate, f.axis)

    def unflatten(rest: Any, children: Any) -> Any:
        found = object.__new__(cls)
        found.c, found.x = children
        found.extrapolate, found.axis = rest
        return found

    register_node(cls, flatten, unflatten)


for _class in (PPoly, CubicSpline, PchipInterpolator):
    _registered(_class)
