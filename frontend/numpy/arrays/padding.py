"""`pad`: all of NumPy's modes.

Axes are padded one after the other, so that the corners follow from the sides.
Source: NumPy's manual, `numpy.pad`.
"""

from __future__ import annotations

import builtins
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from anvl.core.config import default_dtype
from anvl.core.promote import as_tracer, constant, convert, fitted
from anvl.core.tracer import Tracer
from anvl.dispatch.eager import public
from anvl.numpy.arrays.indexing import take
from anvl.numpy.arrays.shaping import broadcast_to, moveaxis, slice_axis
from anvl.numpy.arrays.stacking import concatenate
from anvl.numpy.functions.elementwise import add, astype, floor, multiply, rint, subtract
from anvl.numpy.functions.emitting import is_kind, prim
from anvl.numpy.functions.quantiles import median
from anvl.numpy.functions.reductions import max, min
from anvl.numpy.functions.statistics import mean
from anvl.runtime import hiding_frames

__all__ = ["pad"]

_STATISTICS: dict[str, Callable[..., Any]] = {
    "maximum": max, "minimum": min, "mean": mean, "median": median,
}  # fmt: skip
_COPYING = ("edge", "reflect", "symmetric", "wrap")
_KEYWORDS = {
    "constant": ("constant_values",), "empty": (), "linear_ramp": ("end_values",),
    "edge": (), "wrap": (), "reflect": ("reflect_type",), "symmetric": ("reflect_type",),
    **dict.fromkeys(_STATISTICS, ("stat_length",)),
}  # fmt: skip


class _Side(NamedTuple):
    """Numbers of elements added along an axis, before and behind."""

    axis: int
    low: int
    high: int


@hiding_frames
def pad(x: Any, pad_width: Any, mode: Any = "constant", **kwargs: Any) -> Any:
    """Pad both ends of each axis.

    Parameters
    ----------
    x : array
    pad_width : int, pair of int, a pair for each axis, or a dict from axes to these
        How many elements to add before and behind.
    mode : str or callable
        What the elements are:

        - "constant" (the default): `constant_values`, 0 by default;
        - "edge": the first or last element;
        - "linear_ramp": evenly spaced numbers from the edge to `end_values`, 0 by default;
        - "maximum", "minimum", "mean", "median": of the `stat_length` elements at that end, by
          default of all;
        - "reflect", "symmetric": the elements mirrored, without and with the edge; with the
          `reflect_type` "odd" twice the edge minus these;
        - "wrap": the elements from the other end;
        - "empty": anything;
        - a function of a padded vector, its pair of widths, the axis and the other keywords, which
          returns the vector with its ends filled in; one vector at a time.
    **kwargs
        `constant_values`, `end_values` and `stat_length` are a value, a pair, or a pair for each
        axis.

    Returns
    -------
    An array of the dtype of x.

    Raises
    ------
    ValueError
        Widths that are negative or do not fit x, another mode, a keyword that the mode has not, a
        mode other than constant or empty for an axis without elements.

    Notes
    -----
    The derivative goes to the elements that were copied; those of equal extremes share it.
    Source: `numpy.pad`.

    Examples
    --------
    >>> import anvl.numpy as np
    >>> np.pad(np.ones(2), (1, 2))
    Array([0., 1., 1., 0., 0.], dtype=float32)
    >>> print(np.pad(np.asarray([1, 2, 3]), 2, mode="reflect"))
    [3 2 1 2 3 2 1]
    """
    widths = _widths_as_pairs(pad_width, len(np.shape(x) if not hasattr(x, "shape") else x.shape))
    if callable(mode):
        return _by_function(x, widths, mode, kwargs)
    _check_keywords(mode, kwargs)
    if mode in ("constant", "linear_ramp"):
        return _with_values(x, widths, mode, *kwargs.values())
    option = kwargs.get("stat_length", kwargs.get("reflect_type"))
    return _padded(x, widths, mode, option)


def _check_keywords(mode: Any, kwargs: dict[str, Any]) -> None:
    known = _KEYWORDS.get(mode) if isinstance(mode, str) else None
    if known is None:
        raise ValueError(f"pad: mode {mode!r} is not one of {', '.join(sorted(_KEYWORDS))}")
    unknown = [name for name in kwargs if name not in known]
    if unknown:
        takes = ", ".join(known) or "no keyword"
        raise ValueError(f"pad: mode {mode!r} takes {takes}, got {', '.join(unknown)}")


def _widths_as_pairs(given: Any, ndim: int) -> tuple[tuple[int, int], ...]:
    """A pair of widths for each axis."""
    if isinstance(given, dict):
        found = [(0, 0)] * ndim
        for axis, width in given.items():
            if not -ndim <= axis < ndim:
                raise ValueError(f"pad: axis {axis} of pad_width is out of range of {ndim} axes")
            ((low, high),) = _pairs("pad_width", width, 1)
            found[axis] = (low, high)
        return tuple(found)
    return _pairs("pad_width", given, ndim)


def _pairs(what: str, given: Any, ndim: int) -> tuple[tuple[int, int], ...]:
    """Integers as a pair for each axis: of one number, a pair, or pairs."""
    try:
        made = np.broadcast_to(np.asarray(given), (ndim, 2))
    except ValueError:
        raise ValueError(
            f"pad: {what} {given} is not a number, a pair, or a pair for each of {ndim} axes"
        ) from None
    if made.size and made.dtype.kind not in "iu":
        raise TypeError(f"pad: {what} {given} must be integers")
    if made.size and made.min() < 0:
        raise ValueError(f"pad: {what} {given} is negative; slice the array instead")
    return tuple((int(low), int(high)) for low, high in made)


# -- of given values -------------------------------------------------------------------------------


@public("widths", "mode")
def _with_values(x: Any, widths: tuple[tuple[int, int], ...], mode: str, values: Any = 0) -> Any:
    operand = as_tracer(x, "pad")
    ends = _ends(values, operand)
    if mode == "constant" and builtins.all(low is high is ends[0][0] for low, high in ends):
        return _filled(operand, widths, ends[0][0])
    for axis, (low, high) in enumerate(widths):
        side = _Side(axis, low, high)
        if mode == "constant":
            operand = _joined(operand, side, [_line(v, operand, axis) for v in ends[axis]])
        else:
            operand = _joined(operand, side, _ramps(operand, side, ends[axis]))
    return operand


def _ends(values: Any, x: Tracer) -> list[tuple[Any, Any]]:
    """The values before and behind each axis, as scalars of the dtype of x."""
    if not isinstance(values, list | tuple):
        if getattr(values, "ndim", 0) == 0:
            one = fitted(values, x.dtype, "pad")
            return [(one, one)] * builtins.max(x.ndim, 1)
        values = _unpacked(as_tracer(values, "pad"))
    pairs = _as_pairs(values)
    if len(pairs) not in (1, x.ndim) or {2} != set(map(len, pairs)):
        raise ValueError(
            f"pad: the values are not one, a pair, or a pair for each axis of {x.aval}"
        )
    pairs = pairs * x.ndim if len(pairs) == 1 else pairs
    return [(fitted(a, x.dtype, "pad"), fitted(b, x.dtype, "pad")) for a, b in pairs]


def _as_pairs(values: Any) -> list[tuple[Any, ...]]:
    """One pair, or several, of which some may be single values."""
    if not builtins.any(isinstance(v, list | tuple) for v in values):
        values = [values]
    pairs = [tuple(p) if isinstance(p, list | tuple) else (p,) for p in values]
    return [p * 2 if len(p) == 1 else p for p in pairs]


def _unpacked(x: Tracer) -> list[Any]:
    """An array of values as nested lists of scalars."""
    parts = [prim("reshape", slice_axis(x, 0, i, i + 1), shape=x.shape[1:]) for i in range(len(x))]
    return [_unpacked(part) for part in parts] if x.ndim > 1 else parts


def _filled(x: Tracer, widths: tuple[tuple[int, int], ...], value: Tracer) -> Any:
    return prim(
        "pad", x, value, edge_padding_low=tuple(low for low, _ in widths),
        edge_padding_high=tuple(high for _, high in widths), interior_padding=(0,) * x.ndim,
    )  # fmt: skip


def _line(value: Tracer, like: Tracer, axis: int) -> Any:
    """A scalar as an array of the shape of a slice along an axis."""
    return broadcast_to(value, tuple(1 if i == axis else n for i, n in enumerate(like.shape)))


def _joined(x: Tracer, side: _Side, parts: Any) -> Any:
    """x between two parts; those of size 1 along the axis are repeated."""
    axis, *widths = side
    wide = [
        broadcast_to(part, tuple(n if i == axis else m for i, m in enumerate(x.shape)))
        for part, n in zip(parts, widths, strict=True)
    ]
    return concatenate([wide[0], x, wide[1]], axis)


def _ramps(x: Tracer, side: _Side, ends: tuple[Any, Any]) -> list[Any]:
    """Evenly spaced numbers from each end value to the edge."""
    axis, low, high = side
    size = x.shape[axis]
    if size == 0:
        raise ValueError(f"pad: linear_ramp needs elements along axis {axis} of {x.aval}")
    before, behind = (np.arange(n) / builtins.max(n, 1) for n in (low, high))
    return [
        _ramp(slice_axis(x, axis, 0, 1), ends[0], before, axis),
        _ramp(slice_axis(x, axis, size - 1, size), ends[1], behind[::-1], axis),
    ]


def _ramp(edge: Any, end: Tracer, shares: np.ndarray[Any, Any], axis: int) -> Any:
    dtype = edge.dtype
    is_whole = is_kind(edge, "int", "uint", "bool")
    wide = np.dtype(np.float64) if is_whole and dtype.itemsize > 2 else dtype
    wide = default_dtype(float) if is_whole and dtype.itemsize <= 2 else wide
    share = shares.astype(wide).reshape([-1 if i == axis else 1 for i in range(edge.ndim)])
    start, stop = convert(end, wide), convert(edge, wide)
    values = add(start, multiply(subtract(stop, start), share))
    return astype(floor(values) if is_whole else values, dtype)


# -- of the elements themselves --------------------------------------------------------------------


@public("widths", "mode", "option")
def _padded(x: Any, widths: tuple[tuple[int, int], ...], mode: str, option: Any) -> Any:
    operand = as_tracer(x, "pad")
    if mode == "empty":
        return _filled(operand, widths, constant(0, operand.dtype))
    lengths = _pairs("stat_length", option, operand.ndim) if option is not None and (
        mode in _STATISTICS
    ) else None  # fmt: skip
    for axis, (low, high) in enumerate(widths):
        if low == high == 0:
            continue
        if operand.shape[axis] == 0:
            raise ValueError(f"pad: {mode} needs elements along axis {axis} of {operand.aval}")
        side = _Side(axis, low, high)
        if mode in _COPYING:
            operand = _copied(operand, side, mode, option)
        else:
            length = None if lengths is None else lengths[axis]
            operand = _joined(operand, side, _statistics(operand, axis, mode, length))
    return operand


def _copied(x: Tracer, side: _Side, mode: str, kind: Any) -> Any:
    axis, low, high = side
    size = x.shape[axis]
    sources = np.pad(np.arange(size), (low, high), mode=mode)  # type: ignore[call-overload]
    parts = [_elements(x, axis, run) for run in (sources[:low], sources[low + size :]) if len(run)]
    parts.insert(1 if low else 0, x)
    copied = concatenate(parts, axis)
    if kind in (None, "even") or mode not in ("reflect", "symmetric"):
        return copied
    if kind != "odd":
        raise ValueError(f"pad: reflect_type {kind!r} is neither 'even' nor 'odd'")
    return _turned(x, copied, side, mode, sources)


def _elements(x: Tracer, axis: int, sources: np.ndarray[Any, Any]) -> Any:
    """Elements along an axis: a slice, where they are next to each other."""
    steps = {*np.diff(sources).tolist()}
    if len(steps) > 1 or not steps <= {-1, 0, 1}:
        return take(x, sources.astype(np.int32), axis)
    found = slice_axis(x, axis, int(sources.min()), int(sources.max()) + 1)
    if steps == {-1}:
        return prim("reverse", found, dimensions=(axis,))
    shape = tuple(len(sources) if i == axis else n for i, n in enumerate(x.shape))
    return broadcast_to(found, shape) if steps == {0} else found


def _turned(x: Tracer, copied: Any, side: _Side, mode: str, sources: np.ndarray[Any, Any]) -> Any:
    """Odd reflection: each element is a multiple of its source, of the first and of the last.

    NumPy says which: the rows of the identity, padded.
    """
    axis, low, high = side
    size = x.shape[axis]
    padded = np.pad(np.eye(size), ((low, high), (0, 0)), mode=mode, reflect_type="odd")  # type: ignore[call-overload]
    period = size - 1 if mode == "reflect" else size
    turns = (np.arange(-low, size + high) // builtins.max(period, 1)) % 2
    signs = np.where(turns == 1, -1.0, 1.0) if period else np.zeros(len(sources))
    rest = padded - signs[:, None] * np.eye(size)[sources]
    first = rest[:, 0].copy()
    last = rest[:, -1] if size > 1 else np.zeros(len(sources))
    along = [-1 if i == axis else 1 for i in range(x.ndim)]
    found = multiply(copied, signs.reshape(along).astype(x.dtype))
    for share, at in ((first, 0), (last, size - 1)):
        edge = slice_axis(x, axis, at, at + 1)
        found = add(found, multiply(edge, share.reshape(along).astype(x.dtype)))
    return found


def _statistics(x: Tracer, axis: int, mode: str, lengths: tuple[int, int] | None) -> list[Any]:
    size = x.shape[axis]
    found = []
    for i in range(2):
        length = size if lengths is None else builtins.min(lengths[i], size)
        if length == 0:
            raise ValueError(f"pad: stat_length {lengths} must be positive for mode {mode!r}")
        start = 0 if i == 0 else size - length
        part = slice_axis(x, axis, start, start + length)
        y = _STATISTICS[mode](part, axis=axis, keepdims=True)
        if is_kind(x, "int", "uint", "bool") and mode in ("mean", "median"):
            y = astype(rint(y), x.dtype)
        found.append(y)
    return found


def _by_function(
    x: Any, widths: tuple[tuple[int, int], ...], f: Callable[..., Any], kwargs: dict[str, Any]
) -> Any:
    """Pad with zeros, and let a function fill in the ends of each vector."""
    padded = _padded(x, widths, "empty", None)
    for axis, width in enumerate(widths):
        rows = moveaxis(padded, axis, -1)
        vectors = rows.reshape(-1, rows.shape[-1])
        filled = [f(vector, width, axis, kwargs) for vector in vectors]
        if builtins.any(vector is None for vector in filled):
            raise TypeError(
                "pad: the function returned None; arrays are immutable, so it must return the "
                "vector with its ends filled in, such as vector.at[:width[0]].set(0)"
            )
        stacked = concatenate([vector.reshape(1, -1) for vector in filled])
        padded = moveaxis(stacked.reshape(rows.shape), -1, axis)
    return padded
