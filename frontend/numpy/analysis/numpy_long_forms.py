"""Functions with all parameters that NumPy and JAX give them, for calls that have the rare ones.

`anvl.numpy.linspace(0, 1, 5, retstep=True)` comes here, since the function itself has no `retstep`.
Sources: the signatures in NumPy's manual and in JAX's reference.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from anvl.call_spellings.translation import check_without_effect
from anvl.core.config import as_dtype
from anvl.core.promote import abstract
from anvl.core.ranges import integer_limits
from anvl.numpy.analysis.covariances import corrcoef as _corrcoef
from anvl.numpy.analysis.covariances import cov as _cov
from anvl.numpy.arrays import creation, grids, indexing, shaping, stacking
from anvl.numpy.arrays.axes import axis_of
from anvl.numpy.arrays.choice import clip as _clip
from anvl.numpy.arrays.choice import isnan, logical_not, where
from anvl.numpy.arrays.choice import where as _where
from anvl.numpy.functions import elementwise, reductions, statistics
from anvl.numpy.functions.arithmetic import remainder
from anvl.numpy.functions.norms import squared_modulus
from anvl.numpy.functions.products import cross as _cross
from anvl.numpy.standard import dtypes
from anvl.numpy.standard.nonzero import nonzero

__all__ = ["LONG_FORMS"]


# -- creation --------------------------------------------------------------------------------------


def array(
    object: Any, dtype: Any = None, copy: bool | None = True, order: str | None = "K",
    ndmin: int = 0, *, subok: bool = False, device: Any = None,
) -> Any:  # fmt: skip
    check_without_effect("array", "order", order)
    made = creation.asarray(object, dtype, device=device, copy=copy or None)
    return shaping.reshape(made, (1,) * max(ndmin - made.ndim, 0) + made.shape)


def asarray(
    a: Any, dtype: Any = None, order: str | None = None, *, copy: bool | None = None,
    device: Any = None,
) -> Any:  # fmt: skip
    check_without_effect("asarray", "order", order)
    return creation.asarray(a, dtype, device=device, copy=copy)


def _like(name: str, make: Callable[..., Any]) -> Callable[..., Any]:
    def function(
        a: Any, dtype: Any = None, shape: Any = None, *, order: str | None = "K",
        subok: bool = True, device: Any = None,
    ) -> Any:  # fmt: skip
        check_without_effect(name, "order", order)
        of = abstract(a, name)
        chosen = of.dtype if dtype is None else dtype
        return make(of.shape if shape is None else shape, chosen, device=device)

    return function


def full_like(
    a: Any, fill_value: Any, dtype: Any = None, shape: Any = None, *, order: str | None = "K",
    subok: bool = True, device: Any = None,
) -> Any:  # fmt: skip
    check_without_effect("full_like", "order", order)
    of = abstract(a, "full_like")
    chosen = of.dtype if dtype is None else dtype
    full: Any = creation.full
    return full(of.shape if shape is None else shape, fill_value, chosen, device=device)


def linspace(
    start: Any, stop: Any, num: int = 50, endpoint: bool = True, retstep: bool = False,
    dtype: Any = None, axis: int = 0, *, device: Any = None,
) -> Any:  # fmt: skip
    make: Any = creation.linspace
    found = make(start, stop, num, endpoint, dtype, device=device)
    moved = shaping.moveaxis(found, 0, axis)
    if not retstep:
        return moved
    gaps = num - 1 if endpoint else num
    width = elementwise.subtract(stop, start)
    return moved, elementwise.divide(width, gaps if gaps > 0 else np.nan)


def logspace(
    start: Any, stop: Any, num: int = 50, endpoint: bool = True, base: Any = 10.0,
    dtype: Any = None, axis: int = 0,
) -> Any:  # fmt: skip
    return shaping.moveaxis(creation.logspace(start, stop, num, endpoint, base, dtype), 0, axis)


def meshgrid(
    *xi: Any, copy: bool = True, sparse: bool = False, indexing: str = "xy"
) -> Sequence[Any]:
    if not sparse:
        return grids.meshgrid(*xi, indexing=indexing)
    lines = [shaping.ravel(creation.asarray(x)) for x in xi]
    n = len(lines)
    places = [1, 0, *range(2, n)] if indexing == "xy" and n > 1 else range(n)
    return tuple(
        shaping.reshape(x, (1,) * at + (-1,) + (1,) * (n - 1 - at))
        for x, at in zip(lines, places, strict=True)
    )


# -- shapes and joining ----------------------------------------------------------------------------


def _check_order(function: str, order: str | None) -> None:
    """An order of elements, which those of reshaping have, where arrays have none."""
    if order not in (None, "K", "A", "C", "F"):
        raise ValueError(f"{function}: order is {order!r}; it must be 'K', 'A', 'C' or 'F'")


def reshape(a: Any, shape: Any, order: str = "C", *, copy: bool | None = None) -> Any:
    if order != "F":
        _check_order("reshape", order)
        return shaping.reshape(a, shape)
    sizes = (shape,) if isinstance(shape, int | np.integer) else tuple(shape)
    return shaping.transpose(shaping.reshape(shaping.transpose(a), sizes[::-1]))


def ravel(a: Any, order: str = "C") -> Any:
    _check_order("ravel", order)
    return shaping.ravel(shaping.transpose(a) if order == "F" else a)


def _of_several(f: Callable[..., Any]) -> Callable[..., Any]:
    def function(*arys: Any) -> tuple[Any, ...]:
        return tuple(f(x) for x in arys)

    return function


def concatenate(arrays: Any, axis: int | None = 0, dtype: Any = None) -> Any:
    return stacking.concatenate(_as_dtype(arrays, dtype), axis)


def stack(arrays: Any, axis: int = 0, out: None = None, dtype: Any = None) -> Any:
    if out is not None:
        raise TypeError("stack: arrays are immutable, so results are new arrays, not out=")
    return stacking.stack(_as_dtype(arrays, dtype), axis)


def _stacking(f: Callable[..., Any]) -> Callable[..., Any]:
    def function(tup: Any, dtype: Any = None) -> Any:
        return f(_as_dtype(tup, dtype))

    return function


def _as_dtype(arrays: Any, dtype: Any) -> Any:
    if dtype is None:
        return arrays
    return [elementwise.astype(creation.asarray(x), as_dtype(dtype)) for x in arrays]


# -- choosing elements -----------------------------------------------------------------------------


def positions_where(condition: Any, *, size: int | None = None, fill_value: Any = None) -> Any:
    return nonzero(condition, size=size, fill_value=fill_value)


_MODES = (None, "raise", "promise_in_bounds", "clip", "wrap", "fill")


def take(
    a: Any, indices: Any, axis: int | None = None, out: None = None, mode: str | None = None,
    unique_indices: bool = False, indices_are_sorted: bool = False, fill_value: Any = None,
) -> Any:  # fmt: skip
    if out is not None:
        raise TypeError("take: arrays are immutable, so results are new arrays, not out=")
    x = shaping.ravel(a) if axis is None else creation.asarray(a)
    at = 0 if axis is None else axis_of(axis, x.ndim, "take")
    places, inside = _placed("take", indices, x.shape[at], mode, fill_value)
    found = indexing.take(x, places, at)
    if inside is None:
        return found
    known = shaping.reshape(inside, inside.shape + (1,) * (x.ndim - 1 - at))
    return where(known, found, _filler(x, fill_value))


def take_along_axis(
    arr: Any, indices: Any, axis: int | None = -1, mode: str | None = None, fill_value: Any = None,
    wrap_negative_indices: bool = True,
) -> Any:  # fmt: skip
    x = shaping.ravel(arr) if axis is None else creation.asarray(arr)
    at = 0 if axis is None else axis_of(axis, x.ndim, "take_along_axis")
    places, inside = _placed("take_along_axis", indices, x.shape[at], mode, fill_value)
    found = indexing.take_along_axis(x, places, at)
    return found if inside is None else where(inside, found, _filler(x, fill_value))


def _placed(function: str, indices: Any, n: int, mode: str | None, fill: Any) -> tuple[Any, Any]:
    """Indices that are in an axis of n elements, and which of them were, where that matters."""
    if mode not in _MODES:
        shown = ", ".join(map(repr, _MODES[1:]))
        raise ValueError(f"{function}: mode is {mode!r}; it must be None, {shown}")
    places = creation.asarray(indices)
    if mode == "clip":
        return _clip(places, 0, max(n - 1, 0)), None
    if mode == "wrap":
        return remainder(places, n), None
    if mode == "fill" or fill is not None:
        low, high = elementwise.greater_equal(places, -n), elementwise.less(places, n)
        inside = elementwise.bitwise_and(low, high)
        return where(inside, places, 0), inside
    return places, None


def _filler(x: Any, value: Any) -> Any:
    """The value of elements that are absent: NaN, the least integer, or the largest one."""
    if value is not None:
        return creation.asarray(value, x.dtype)
    if limits := integer_limits(x.dtype):
        return creation.asarray(limits[0] or limits[1], x.dtype)
    return creation.asarray(x.dtype.kind == "b" or np.nan, x.dtype)


def clip(a: Any, a_min: Any = None, a_max: Any = None, out: None = None) -> Any:
    if out is not None:
        raise TypeError("clip: arrays are immutable, so results are new arrays, not out=")
    return _clip(a, a_min, a_max)


def cross(
    a: Any, b: Any, axisa: int = -1, axisb: int = -1, axisc: int = -1, axis: int | None = None
) -> Any:
    if axis is not None:
        axisa = axisb = axisc = axis
    x, y = (creation.asarray(v) for v in (a, b))
    found = _cross(shaping.moveaxis(x, axisa, -1), shaping.moveaxis(y, axisb, -1))
    return shaping.moveaxis(found, -1, axisc)


# -- reductions ------------------------------------------------------------------------------------


def average(
    a: Any, axis: Any = None, weights: Any = None, returned: bool = False, *, keepdims: bool = False
) -> Any:
    found = statistics.average(a, axis, weights, keepdims=keepdims)
    if not returned:
        return found
    x = creation.asarray(a)
    if weights is None:
        total: Any = x.size // max(found.size, 1)
        return found, creation.full(found.shape, total, found.dtype)
    w = creation.asarray(weights)
    if w.shape != x.shape:
        w = shaping.broadcast_to(w, shaping.moveaxis(x, axis, -1).shape)
        axis = -1
    sums = reductions.sum(w, axis=axis, keepdims=keepdims)
    return found, elementwise.astype(shaping.broadcast_to(sums, found.shape), found.dtype)


def _converting(f: Callable[..., Any]) -> Callable[..., Any]:
    """A reduction in another dtype."""

    def function(
        a: Any, axis: Any = None, dtype: Any = None, out: None = None, keepdims: bool = False,
        initial: Any = None, where: Any = None,
    ) -> Any:  # fmt: skip
        if out is not None:
            raise TypeError(f"{f.__name__}: arrays are immutable, so results are new, not out=")
        x = creation.asarray(a)
        if dtype is not None:
            x = elementwise.astype(x, as_dtype(dtype))
        found = f(x, axis, keepdims=keepdims, initial=initial, where=where)
        return found if dtype is None else elementwise.astype(found, as_dtype(dtype))

    return function


def nanmean(
    a: Any, axis: Any = None, dtype: Any = None, out: None = None, keepdims: bool = False,
    where: Any = None,
) -> Any:  # fmt: skip
    if out is not None:
        raise TypeError("nanmean: arrays are immutable, so results are new arrays, not out=")
    x = creation.asarray(a)
    if dtype is not None:
        x = elementwise.astype(x, statistics.float_dtype("nanmean", dtype))
    if where is None or x.dtype.kind not in "fcV":
        known: Any = where
    else:
        flags = creation.asarray(where)
        if flags.dtype.kind != "b":
            raise TypeError(f"nanmean: where is {flags.aval}; it must be a bool")
        known = elementwise.bitwise_and(flags, logical_not(isnan(x)))
        x = shaping.broadcast_to(x, known.shape)
    return (
        statistics.mean(x, axis, keepdims=keepdims, where=known)
        if known is not None
        else (statistics.nanmean(x, axis, keepdims=keepdims))
    )


def _moment(name: str, is_root: bool, ignores_nan: bool) -> Callable[..., Any]:
    """A variance about a mean that is known."""

    def function(
        a: Any, axis: Any = None, dtype: Any = None, out: None = None, ddof: float = 0,
        keepdims: bool = False, where: Any = None, mean: Any = None, correction: float = 0,
    ) -> Any:  # fmt: skip
        if out is not None or mean is None:
            raise TypeError(f"{name}: out is {out!r} and mean {mean!r}; give a mean, and no out")
        x = elementwise.subtract(a, mean)
        known: Any = True if where is None else where
        if ignores_nan:
            known = elementwise.bitwise_and(logical_not(isnan(x)), known)
        known = shaping.broadcast_to(known, x.shape)
        squares = squared_modulus(_where(known, x, 0))
        count = reductions.sum(known, axis=axis, keepdims=keepdims)
        total = reductions.sum(squares, axis=axis, dtype=dtype, keepdims=keepdims)
        found = elementwise.divide(total, elementwise.subtract(count, ddof or correction))
        return elementwise.sqrt(found) if is_root else found

    return function


def cov(
    m: Any, y: Any = None, rowvar: bool = True, bias: bool = False, ddof: int | None = None,
    fweights: Any = None, aweights: Any = None, dtype: Any = None,
) -> Any:  # fmt: skip
    m, y = (None if v is None else elementwise.astype(creation.asarray(v), as_dtype(dtype))
            for v in (m, y))  # fmt: skip
    return _cov(m, y, rowvar, bias, ddof, fweights, aweights)


def corrcoef(x: Any, y: Any = None, rowvar: bool = True, dtype: Any = None) -> Any:
    x, y = (None if v is None else elementwise.astype(creation.asarray(v), as_dtype(dtype))
            for v in (x, y))  # fmt: skip
    return _corrcoef(x, y, rowvar)


# -- numbers and dtypes ----------------------------------------------------------------------------


def angle(z: Any, deg: bool = False) -> Any:
    found = elementwise.angle(z)
    return elementwise.multiply(found, 180 / np.pi) if deg else found


def can_cast(from_: Any, to: Any, casting: str = "safe") -> bool:
    if casting == "safe":
        return dtypes.can_cast(from_, to)
    of = from_ if isinstance(from_, str | type | np.dtype) else abstract(from_, "can_cast").dtype
    own, wanted = as_dtype(of), as_dtype(to)
    if casting in ("no", "equiv"):
        return own == wanted
    if casting == "unsafe":
        return True
    if casting != "same_kind":
        raise ValueError(
            f"can_cast: casting is {casting!r}; it must be 'no', 'equiv', 'safe', 'same_kind' or "
            "'unsafe'"
        )
    order = "b u i f c".split()
    ranks = [order.index(d.kind if d.kind in order else "f") for d in (own, wanted)]
    return dtypes.can_cast(own, wanted) or ranks[0] <= ranks[1]


#: The function for calls of each name that its own does not take.
LONG_FORMS: dict[str, Callable[..., Any]] = {
    "angle": angle, "array": array, "asarray": asarray,
    "atleast_1d": _of_several(shaping.atleast_1d), "atleast_2d": _of_several(shaping.atleast_2d),
    "atleast_3d": _of_several(shaping.atleast_3d), "average": average, "can_cast": can_cast,
    "clip": clip,
    "concatenate": concatenate, "corrcoef": corrcoef, "cov": cov, "cross": cross,
    "dstack": _stacking(stacking.dstack), "empty_like": _like("empty_like", creation.zeros),
    "full_like": full_like, "hstack": _stacking(stacking.hstack), "linspace": linspace,
    "logspace": logspace, "meshgrid": meshgrid, "nanmean": nanmean,
    "nanprod": _converting(reductions.nanprod), "nansum": _converting(reductions.nansum),
    "ones_like": _like("ones_like", creation.ones), "ravel": ravel, "reshape": reshape,
    "std": _moment("std", True, False), "var": _moment("var", False, False),
    "nanstd": _moment("nanstd", True, True), "nanvar": _moment("nanvar", False, True),
    "stack": stack, "take": take, "take_along_axis": take_along_axis,
    "vstack": _stacking(stacking.vstack), "where": positions_where,
    "zeros_like": _like("zeros_like", creation.zeros),
}  # fmt: skip
