"""Interpolation between the points of a grid: `RegularGridInterpolator`, `interp1d`."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np

import anvl.numpy as anp
from anvl.core.promote import promoted
from anvl.dispatch.eager import public
from anvl.numpy.arrays.axes import axis_of
from anvl.runtime import hiding_frames
from anvl.scipy.interpolate.piecewise import CubicSpline
from anvl.tree.registration import register_node

__all__ = ["RegularGridInterpolator", "interp1d"]


def _interval(grid: Any, x: Any) -> tuple[Any, Any]:
    """The index of the point before x, and how far x is toward the next one."""
    n = grid.shape[0]
    index = anp.clip(anp.searchsorted(grid, x, side="right") - 1, 0, max(n - 2, 0))
    low, high = anp.take(grid, index), anp.take(grid, anp.minimum(index + 1, n - 1))
    width = anp.subtract(high, low)
    alone = anp.equal(width, 0)
    return index, anp.divide(anp.subtract(x, low), anp.where(alone, 1, width))


class RegularGridInterpolator:
    """Interpolation between values on a grid whose lines are at any distances.

    A pytree; functions take it as an argument inside of a trace, too.

    Parameters
    ----------
    points : sequence of arrays of shape (m1,), ..., (mn,)
        Increasing.
    values : array of shape (m1, ..., mn, ...)
    method : {"linear", "nearest"}
    bounds_error : False
        No error depends on values.
    fill_value : number, optional
        What is beyond the grid, by default NaN; with None the last intervals go on.

    Raises
    ------
    ValueError
        Another method, points that do not fit, `bounds_error=True`.

    Notes
    -----
    Derivatives are with respect to points, values and coordinates.

    Examples
    --------
    >>> import anvl.numpy as np
    >>> from anvl.scipy import interpolate
    >>> x, y = np.arange(3.0), np.arange(2.0)
    >>> f = interpolate.RegularGridInterpolator((x, y), np.asarray([[0.0, 1], [2, 3], [4, 5]]))
    >>> print(f(np.asarray([[0.5, 0.5], [3.0, 0.0]])))
    [1.5 nan]
    """

    grid: tuple[Any, ...]
    values: Any
    fill_value: Any
    method: str

    def __init__(
        self,
        points: Sequence[Any],
        values: Any,
        method: str = "linear",
        bounds_error: bool = False,
        fill_value: Any = np.nan,
    ) -> None:
        if bounds_error:
            raise ValueError(
                "RegularGridInterpolator: bounds_error is True; no error depends on values, give "
                "fill_value"
            )
        self.grid = tuple(anp.asarray(x) for x in points)
        self.values, self.fill_value = anp.asarray(values), fill_value
        self.method = _method(method)
        sizes = [x.shape[0] if x.ndim == 1 else None for x in self.grid]
        if not sizes or sizes != list(self.values.shape[: len(sizes)]) or 0 in sizes:
            raise ValueError(
                f"RegularGridInterpolator: points of the shapes {[x.shape for x in self.grid]} and "
                f"values of the shape {list(self.values.shape)}; give a vector for each axis"
            )

    @hiding_frames
    def __call__(self, xi: Any, method: str | None = None) -> Any:
        """Values at coordinates: an array of shape (..., n), or a tuple of n that broadcast."""
        chosen = self.method if method is None else _method(method)
        if isinstance(xi, tuple):
            parts = anp.broadcast_arrays(*(_beside(self.values, x) for x in xi))
            xi = anp.stack(parts, axis=-1)
        xi = _beside(self.values, xi)
        if xi.ndim == 0 or xi.shape[-1] != len(self.grid):
            raise ValueError(
                f"RegularGridInterpolator: xi has shape {list(xi.shape)}; its last axis must have "
                f"{len(self.grid)} elements"
            )
        goes_on = self.fill_value is None
        fill = 0.0 if goes_on else self.fill_value
        return _on_grid(self.grid, self.values, xi, fill, chosen, goes_on)


def _beside(values: Any, x: Any) -> Any:
    """The array x; numbers and lists have at least the dtype of the values."""
    made = anp.asarray(x)
    return made if hasattr(x, "dtype") else anp.asarray(x, anp.result_type(made, values))


def _method(method: str) -> str:
    if method not in ("linear", "nearest"):
        raise ValueError(
            f"RegularGridInterpolator: method is {method!r}; it must be 'linear' or 'nearest'"
        )
    return method


@public("method", "goes_on")
def _on_grid(grid: Any, values: Any, xi: Any, fill: Any, method: str, goes_on: bool) -> Any:
    given, _ = promoted("RegularGridInterpolator", (*grid, values, xi), "float", broadcast=False)
    *lines, v, x = given
    inside: Any = True
    sides = []
    for k, line in enumerate(lines):
        place = x[..., k]
        index, share = _interval(line, place)
        within = anp.greater_equal(place, line[0]) & anp.less_equal(place, line[-1])
        inside = anp.logical_and(inside, within)
        last = anp.minimum(index + 1, line.shape[0] - 1)
        if method == "nearest":
            sides.append([(anp.where(anp.less_equal(share, 0.5), index, last), 1.0)])
        else:
            sides.append([(index, 1 - share), (last, share)])
    extra = (1,) * (v.ndim - len(lines))
    total: Any = 0
    for chosen in itertools.product(*sides):
        weight: Any = anp.ones(x.shape[:-1], x.dtype)
        for _, share in chosen:
            weight = anp.multiply(weight, share)
        element = v[tuple(index for index, _ in chosen)]
        total = anp.add(total, anp.multiply(element, anp.reshape(weight, (*weight.shape, *extra))))
    lost = anp.any(anp.isnan(x), axis=-1)
    shape = (*lost.shape, *extra)
    if not goes_on:
        total = anp.where(anp.reshape(inside, shape), total, anp.asarray(fill, dtype=total.dtype))
    return anp.where(anp.reshape(lost, shape), anp.nan, total)


def _flatten(f: RegularGridInterpolator) -> Any:
    return (f.grid, f.values), (f.method, f.fill_value)


def _unflatten(rest: Any, children: Any) -> RegularGridInterpolator:
    found = object.__new__(RegularGridInterpolator)
    found.grid, found.values = children
    found.method, found.fill_value = rest
    return found


register_node(RegularGridInterpolator, _flatten, _unflatten)


# -- of one variable --------------------------------------------------------------------------

_KINDS = ("linear", "nearest", "previous", "next", "cubic")


class interp1d:
    """Interpolation between values at points of one variable.

    Parameters
    ----------
    x : array of shape (n,)
    y : array
        With n values along the axis.
    kind : {"linear", "nearest", "previous", "next", "cubic"}
        "nearest" takes the lower of two points that are equally near.
    axis : int
    copy : bool
        Ignored, as arrays are immutable.
    bounds_error : None or False
        No error depends on values.
    fill_value : number, pair of numbers or "extrapolate"
        What is beyond the points, or below and above them; NaN by default.
    assume_sorted : bool
        Whether x is increasing; else it is sorted.

    Raises
    ------
    ValueError
        Another kind, sizes that do not fit, `bounds_error=True`.

    Notes
    -----
    "cubic" is `CubicSpline` with its default conditions.

    Examples
    --------
    >>> import anvl.numpy as np
    >>> from anvl.scipy import interpolate
    >>> f = interpolate.interp1d(np.asarray([0.0, 2.0, 1.0]), np.asarray([0.0, 4.0, 1.0]))
    >>> print(f(np.asarray([0.5, 1.5, 3.0])))
    [0.5 2.5 nan]
    """

    axis: int
    x: Any
    y: Any

    def __init__(
        self,
        x: Any,
        y: Any,
        kind: str = "linear",
        axis: int = -1,
        copy: bool = True,
        bounds_error: bool | None = None,
        fill_value: Any = np.nan,
        assume_sorted: bool = False,
    ) -> None:
        if kind not in _KINDS:
            raise ValueError(
                f"interp1d: kind is {kind!r}; it must be one of {', '.join(map(repr, _KINDS))}"
            )
        if bounds_error:
            raise ValueError(
                "interp1d: bounds_error is True; no error depends on values, give fill_value"
            )
        x, y = anp.asarray(x), anp.asarray(y)
        self.axis = axis_of(axis, y.ndim, "interp1d")
        if x.ndim != 1 or x.shape[0] != y.shape[self.axis] or x.shape[0] < 1 + (kind == "cubic"):
            raise ValueError(
                f"interp1d: x has shape {list(x.shape)} and y {list(y.shape)}; give a vector, and "
                f"as many values along axis {axis}"
            )
        y = anp.moveaxis(y, self.axis, 0)
        if not assume_sorted:
            order = anp.argsort(x)
            x, y = anp.take(x, order), anp.take(y, order, axis=0)
        self.x, self.y, self.kind = x, y, kind
        self._goes_on = isinstance(fill_value, str) and fill_value == "extrapolate"
        pair = fill_value if isinstance(fill_value, tuple) else (fill_value, fill_value)
        self._fill = (np.nan, np.nan) if self._goes_on else pair

    @hiding_frames
    def __call__(self, x: Any) -> Any:
        """Values at x: of the shape of x in place of the axis."""
        if self.kind == "cubic":
            found = CubicSpline(self.x, self.y)(x)
        else:
            found = _between(self.x, self.y, x, self.kind)
        if not self._goes_on:
            found = _with_fill(self.x, found, x, self._fill)
        places = tuple(range(anp.ndim(x)))
        return anp.moveaxis(found, places, tuple(self.axis + i for i in places))


@public("kind")
def _between(points: Any, y: Any, x: Any, kind: str) -> Any:
    (points, y, x), _ = promoted("interp1d", (points, y, x), "float", broadcast=False)
    n = points.shape[0]
    extra = (1,) * (y.ndim - 1)
    if kind == "linear":
        index, share = _interval(points, x)
        share = anp.reshape(share, (*x.shape, *extra))
        low, high = (anp.take(y, anp.minimum(index + i, n - 1), axis=0) for i in (0, 1))
        return anp.add(low, anp.multiply(share, anp.subtract(high, low)))
    if kind == "nearest":
        middles = anp.divide(anp.add(points[:-1], points[1:]), 2)
        index = anp.searchsorted(middles, x, side="left")
    elif kind == "previous":
        index = anp.searchsorted(points, x, side="right") - 1
    else:
        index = anp.searchsorted(points, x, side="left")
    found = anp.take(y, anp.clip(index, 0, n - 1), axis=0)
    lost = anp.isnan(x)
    if kind == "previous":
        lost = anp.logical_or(lost, anp.less(x, points[0]))
    elif kind == "next":
        lost = anp.logical_or(lost, anp.greater(x, points[-1]))
    return anp.where(anp.reshape(lost, (*x.shape, *extra)), anp.nan, found)


@public()
def _with_fill(points: Any, found: Any, x: Any, fill: Any) -> Any:
    (points, x), _ = promoted("interp1d", (points, x), "float", broadcast=False)
    shape = (*x.shape, *(1,) * (found.ndim - x.ndim))
    for beyond, value in zip(
        (anp.less(x, points[0]), anp.greater(x, points[-1])), fill, strict=True
    ):
        given = anp.asarray(value, dtype=found.dtype)
        found = anp.where(anp.reshape(beyond, shape), given, found)
    return found
