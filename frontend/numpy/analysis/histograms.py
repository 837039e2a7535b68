"""Counting by bins: NumPy's names.

Counts are of the default integer dtype, weights keep theirs.  Source: NumPy's manual, "Statistics".
"""

from __future__ import annotations

import builtins
import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from anvl.core.config import counting_dtype
from anvl.core.promote import as_tracer, constant, convert, promoted
from anvl.core.tracer import Tracer
from anvl.dialect.core.errors import TraceError
from anvl.dispatch.eager import public
from anvl.numpy.arrays.array_like import array_like
from anvl.numpy.arrays.axes import int_of
from anvl.numpy.arrays.choice import logical_and, where
from anvl.numpy.arrays.creation import asarray, linspace
from anvl.numpy.arrays.shaping import flip, ravel, reshape
from anvl.numpy.arrays.sorting import searchsorted
from anvl.numpy.arrays.stacking import unstack
from anvl.numpy.functions.elementwise import (
    add,
    divide,
    equal,
    greater_equal,
    less_equal,
    multiply,
    subtract,
)
from anvl.numpy.functions.emitting import check_real, is_kind
from anvl.numpy.functions.reductions import max, min, sum
from anvl.numpy.functions.special import diff
from anvl.runtime import Array, hiding_frames

__all__ = [
    "bincount", "digitize", "histogram", "histogram2d", "histogram_bin_edges", "histogramdd",
]  # fmt: skip


@public("right")
def digitize(x: Any, bins: Any, right: bool = False) -> Any:
    """The number of the bin of each element: i with bins[i - 1] <= x < bins[i].

    Parameters
    ----------
    x : array
        Real.
    bins : array
        A vector in ascending or descending order.
    right : bool
        Whether bins hold their right ends: bins[i - 1] < x <= bins[i].

    Returns
    -------
    An array of the shape of x and the default integer dtype; 0 and len(bins) are outside.

    Raises
    ------
    ValueError
        `bins` is not a vector.

    Notes
    -----
    That bins are in order is not checked.  Source: `numpy.digitize`.

    Examples
    --------
    >>> import anvl.numpy as np
    >>> print(np.digitize(np.asarray([0.2, 6.4, 3.0]), np.asarray([0.0, 1.0, 2.5, 4.0])))
    [1 4 3]
    """
    edges, values = array_like(bins, "digitize"), array_like(x, "digitize")
    if edges.ndim != 1:
        raise ValueError(f"digitize: bins are {edges.aval}; they must be a vector")
    check_real("digitize", edges, values)
    if edges.shape[0] == 0:
        return constant(0, counting_dtype(0), values.shape)
    side = "left" if right else "right"
    rising, falling = (searchsorted(e, values, side=side) for e in (edges, flip(edges)))
    falls = searchsorted(edges[-1:], edges[0])  # NaN is the largest
    return where(equal(falls, 0), rising, subtract(edges.shape[0], falling))


# -- whole numbers ---------------------------------------------------------------------------------


@hiding_frames
def bincount(x: Any, weights: Any = None, minlength: int = 0, *, length: int | None = None) -> Any:
    """Count how often each number 0, 1, 2, ... occurs; or sum up the weights of each.

    Parameters
    ----------
    x : array
        A vector of integers that are not negative.
    weights : array, optional
        A vector of as many numbers.
    minlength : int
        The least size of the result.
    length : int, optional
        The size of the result, which a traced x must have; numbers beyond it are left out.

    Returns
    -------
    A vector: of the default integer dtype, or that of the weights.

    Raises
    ------
    ValueError
        x is not a vector, or has a negative element (traced ones are left out); `minlength` is
        negative; the weights are not as many.
    TypeError
        x does not hold integers.
    TraceError
        x is traced, and there is no `length`.

    Notes
    -----
    Source: `numpy.bincount`; `length` is `jax.numpy.bincount`'s.

    Examples
    --------
    >>> import anvl.numpy as np
    >>> print(np.bincount(np.asarray([0, 1, 1, 3])))
    [1 2 0 1]
    """
    least = int_of(minlength, "minlength", "bincount", least=0)
    numbers = asarray(x)
    if numbers.size == 0:
        numbers = asarray(np.zeros(numbers.shape, np.int32))
    if numbers.ndim != 1:
        raise ValueError(f"bincount: takes a vector, got {numbers.aval}")
    if numbers.dtype.kind not in "iub":
        raise TypeError(f"bincount: takes integers, got {numbers.aval}")
    if length is None:
        length = _length(numbers)
    return _counted(numbers, weights, builtins.max(int_of(length, "length", "bincount", 0), least))


def _length(x: Any) -> int:
    if isinstance(x, Tracer):
        raise TraceError(
            f"bincount: the size of the result depends on the values of {x.aval}, which is traced; "
            "give it, bincount(x, length=n)"
        )
    values = np.asarray(x)
    if values.size and values.min() < 0:
        raise ValueError(f"bincount: {values.min()} is negative")
    return int(values.max()) + 1 if values.size else 0


@public("length")
def _counted(x: Any, weights: Any, length: int) -> Any:
    numbers = as_tracer(x, "bincount")
    of = None if weights is None else array_like(weights, "bincount")
    if of is not None and of.shape != numbers.shape:
        raise ValueError(f"bincount: weights {of.aval} are not as many as {numbers.aval}")
    return _summed(convert(numbers, _index_dtype(length, numbers)), of, length)


def _index_dtype(length: int, x: Tracer) -> np.dtype[Any]:
    wide = x.dtype.itemsize > 4 or x.dtype == np.uint32
    return np.dtype(np.int64) if wide else counting_dtype(length)


def _summed(places: Any, weights: Tracer | None, length: int) -> Any:
    """Count equal places, or sum up their weights; those outside of the result are left out."""
    inside = where(greater_equal(places, 0), places, length)
    if weights is None:
        dtype = counting_dtype(places.size)
        return constant(0, dtype, (length,)).at[inside].add(constant(1, dtype, places.shape))
    if weights.dtype.kind == "b":
        weights = convert(weights, counting_dtype(places.size))
    return constant(0, weights.dtype, (length,)).at[inside].add(weights)


# -- bins of numbers -------------------------------------------------------------------------------


@hiding_frames
def histogram_bin_edges(a: Any, bins: Any = 10, range: Any = None, weights: Any = None) -> Any:
    """The edges of the bins of a histogram.

    Parameters
    ----------
    a : array
        Real; NaN is refused, or gives NaN where traced.
    bins : int, vector or str
        The number of bins, their edges, or the name of a rule that finds the number: "auto", "fd",
        "doane", "scott", "stone", "rice", "sturges" or "sqrt", which needs values that are known.
    range : pair of float, optional
        The outer edges, by default the least and the largest element; if they are equal, 0.5 below
        and above.
    weights : array, optional
        Ignored, but by rules, which refuse them.

    Returns
    -------
    A vector of floats.

    Raises
    ------
    ValueError
        The bins are not ascending, or less than 1; the range is not finite, or descending; another
        rule.
    TraceError
        A rule, for a traced array.

    Notes
    -----
    Source: `numpy.histogram_bin_edges`.

    Examples
    --------
    >>> import anvl.numpy as np
    >>> print(np.histogram_bin_edges(np.asarray([0.0, 1.0, 4.0]), bins=4))
    [0. 1. 2. 3. 4.]
    """
    if isinstance(bins, str):
        return _edges_by_rule(a, bins, range, weights)
    _check_range("histogram_bin_edges", range)
    if isinstance(bins, int | np.integer) and not isinstance(bins, bool):
        if bins < 1:
            raise ValueError(f"histogram_bin_edges: there are {bins} bins; at least 1 is needed")
        if isinstance(a, Array | np.ndarray) and range is None:
            _check_finite(a)
        ends = None if range is None else (float(range[0]), float(range[1]))
        return _even_edges(a, int(bins), ends, _is_double(weights))
    return _given_edges("histogram_bin_edges", bins, _is_double(a))


def _is_double(x: Any) -> bool:
    """Whether an array is in double precision."""
    return getattr(x, "dtype", None) == np.float64


def _given_edges(name: str, bins: Any, is_double: bool) -> Any:
    edges = asarray(bins)
    if is_double and isinstance(bins, list | tuple) and edges.dtype.kind == "f":
        edges = asarray(bins, np.float64)  # as numbers beside the elements
    if edges.ndim != 1:
        raise ValueError(f"{name}: the edges of bins are {edges.aval}; they must be a vector")
    if isinstance(edges, Array) and np.any(np.diff(np.asarray(edges)) < 0):
        raise ValueError(f"{name}: the edges of bins must ascend, got {np.asarray(edges)}")
    return edges


def _check_range(name: str, range: Any) -> None:
    low, high = (0.0, 1.0) if range is None else range
    if not (math.isfinite(low) and math.isfinite(high)) or low > high:
        raise ValueError(f"{name}: the range {range} is not finite, or descends")


def _check_finite(a: Any) -> None:
    values = np.asarray(a)
    if values.dtype.kind in "fV" and values.size:
        low, high = float(values.min()), float(values.max())
        if not (math.isfinite(low) and math.isfinite(high)):
            raise ValueError(
                f"histogram: elements from {low} to {high} have no finite range; give `range`"
            )


def _edges_by_rule(a: Any, rule: str, range: Any, weights: Any) -> Any:
    values = asarray(a)
    if isinstance(values, Tracer):
        raise TraceError(
            f"histogram: the number of bins by the rule {rule!r} depends on the values of "
            f"{values.aval}, which is traced; give their number or their edges"
        )
    found = np.histogram_bin_edges(np.asarray(values), rule, range, weights)
    return asarray(found.astype(values.dtype if values.dtype.kind == "f" else np.float32))


@public("bins", "range", "is_double")
def _even_edges(
    a: Any, bins: int, range: tuple[float, float] | None, is_double: bool = False
) -> Any:
    given = array_like(a, "histogram")
    if is_double and not is_kind(given, "float", "complex"):  # integers have no width of floats
        given = convert(given, np.dtype(np.float64))
    (operand,), _ = promoted("histogram", (given,), "float")
    check_real("histogram", operand)
    if range is not None or operand.size == 0:
        low, high = (constant(v, operand.dtype) for v in range or (0.0, 1.0))
    else:
        low, high = min(operand), max(operand)
    same = equal(low, high)
    low, high = where(same, subtract(low, 0.5), low), where(same, add(high, 0.5), high)
    return linspace(low, high, bins + 1)


@hiding_frames
def histogram(
    a: Any, bins: Any = 10, range: Any = None, density: bool | None = None, weights: Any = None
) -> tuple[Any, Any]:
    """Count the elements of an array in bins.

    Parameters
    ----------
    a : array
        Real; flattened.
    bins : int, vector or str
        As of `histogram_bin_edges`.  Bins hold their left ends, and the last one its right end.
    range : pair of float, optional
        The outer edges.  What lies outside, and NaN, is left out.
    density : bool
        Divide by the number of elements in all bins and the width of each.
    weights : array, optional
        Of the shape of a: what an element counts.

    Returns
    -------
    A pair: the counts, or sums of weights, of each bin, and the edges of bins.

    Raises
    ------
    ValueError
        As of `histogram_bin_edges`; the weights are not of the shape of a.

    Notes
    -----
    Counts have no derivative; sums of weights are linear in these.  Source: `numpy.histogram`.

    Examples
    --------
    >>> import anvl.numpy as np
    >>> counts, edges = np.histogram(np.asarray([1.0, 2.0, 1.0]), bins=np.asarray([0, 1, 2, 3]))
    >>> print(counts, edges)
    [0 2 1] [0 1 2 3]
    """
    edges = histogram_bin_edges(a, bins, range, weights)
    return _histogram(a, edges, weights, bool(density)), edges


@public("density")
def _histogram(a: Any, edges: Any, weights: Any, density: bool) -> Any:
    operand, of = array_like(a, "histogram"), None
    if weights is not None:
        of = array_like(weights, "histogram")
        if of.shape != operand.shape:
            raise ValueError(f"histogram: weights {of.aval} are not of the shape of {operand.aval}")
        if isinstance(weights, list | tuple):  # numbers beside the elements, of their dtype
            (of, _), _ = promoted("histogram", (of, operand), broadcast=False)
        of = ravel(of)
    bins = as_tracer(edges, "histogram")
    if bins.shape[0] < 2:  # no bin
        return constant(0, counting_dtype(operand.size) if of is None else of.dtype, (0,))
    counts = _summed(_bin_of(ravel(operand), bins), of, bins.shape[0] - 1)
    if not density:
        return counts
    return divide(divide(counts, diff(bins)), sum(counts))


def _bin_of(x: Tracer, edges: Tracer) -> Any:
    """The bin of each element, or -1 or the number of bins: the last bin holds its right end."""
    (points, ends), _ = promoted("histogram", (x, edges), broadcast=False)
    check_real("histogram", points, ends)
    found = subtract(searchsorted(ends, points, side="right"), 1)
    count = edges.shape[0] - 1
    return where(equal(points, ends[-1]), count - 1, found)


# -- of several axes -------------------------------------------------------------------------------


@hiding_frames
def histogramdd(
    sample: Any, bins: Any = 10, range: Any = None, density: bool | None = None, weights: Any = None
) -> tuple[Any, list[Any]]:
    """Count points of several coordinates in boxes.

    Parameters
    ----------
    sample : array or sequence of vectors
        A matrix with a point in each row; or the coordinates of all points, one after the other.
    bins : int or sequence
        The number of bins for all coordinates, or for each its number or its edges.
    range : sequence of pairs, optional
        The outer edges for each coordinate; None for those of its elements.
    density : bool
        Divide by the number of points in all boxes and the volume of each.
    weights : array, optional
        A vector: what each point counts.

    Returns
    -------
    A pair: an array of counts with an axis for each coordinate, and the list of edges.

    Raises
    ------
    ValueError
        As of `histogram_bin_edges`; bins, ranges or weights do not fit the sample.

    Notes
    -----
    Source: `numpy.histogramdd`.

    Examples
    --------
    >>> import anvl.numpy as np
    >>> counts, edges = np.histogramdd(np.asarray([[0.0, 0.0], [1.0, 1.0], [1.0, 0.0]]), bins=2)
    >>> print(counts)
    [[1. 0.]
     [1. 1.]]
    """
    points = _coordinates(sample)
    n = len(points)
    each = _bins_of(bins, n)
    ranges = [None] * n if range is None else list(range)
    if len(each) != n or len(ranges) != n:
        raise ValueError(
            f"histogramdd: {len(each)} bins and {len(ranges)} ranges for {n} coordinates"
        )
    edges = [histogram_bin_edges(x, b, r) for x, b, r in zip(points, each, ranges, strict=True)]
    return _boxes(points, edges, weights, bool(density)), edges


def _coordinates(sample: Any) -> list[Any]:
    if isinstance(sample, list | tuple):
        return [ravel(asarray(x)) for x in sample]
    matrix = asarray(sample)
    if matrix.ndim == 1:
        return [matrix]
    if matrix.ndim != 2:
        raise ValueError(f"histogramdd: the sample is {matrix.aval}; it must be a matrix")
    return list(unstack(matrix, axis=1))


def _bins_of(bins: Any, n: int) -> list[Any]:
    if isinstance(bins, int | np.integer | str):
        return [bins] * n
    if isinstance(bins, Array | Tracer | np.ndarray) and bins.ndim == 1 and bins.dtype.kind in "iu":
        if isinstance(bins, Tracer):
            raise TraceError("histogramdd: the numbers of bins are traced; give Python integers")
        return [int(b) for b in np.asarray(bins)]
    return list(bins)


@public("density")
def _boxes(points: Sequence[Any], edges: Sequence[Any], weights: Any, density: bool) -> Any:
    columns = [array_like(x, "histogramdd") for x in points]
    ends = [as_tracer(e, "histogramdd") for e in edges]
    counts = tuple(e.shape[0] - 1 for e in ends)
    of = None if weights is None else array_like(weights, "histogramdd")
    if of is not None and of.shape != columns[0].shape:
        raise ValueError(f"histogramdd: weights {of.aval} are not one for each point")
    flat: Any = 0
    inside: Any = True
    for x, e, n in zip(columns, ends, counts, strict=True):
        at = _bin_of(x, e)
        inside = logical_and(inside, logical_and(greater_equal(at, 0), less_equal(at, n - 1)))
        flat = add(multiply(flat, n), at)
    total = math.prod(counts)
    summed = reshape(_summed(where(inside, flat, total), of, total), counts)
    (found, *_), _ = promoted("histogramdd", (summed, *ends), "float", broadcast=False)
    if not density:
        return found
    for axis, e in enumerate(ends):
        widths = tuple(-1 if i == axis else 1 for i, _ in enumerate(counts))
        found = divide(found, reshape(diff(e), widths))
    return divide(found, sum(convert(summed, found.dtype)))


@hiding_frames
def histogram2d(
    x: Any,
    y: Any,
    bins: Any = 10,
    range: Any = None,
    density: bool | None = None,
    weights: Any = None,
) -> tuple[Any, Any, Any]:
    """Count points of two coordinates in rectangles.

    `bins` is a number for both coordinates, edges for both, or a pair of these; `range` a pair of
    pairs; the others are as of `histogramdd`.  Returns the counts, with the bins of x along the
    first axis, and the edges for x and for y.  Raises `ValueError` for vectors of different sizes.
    Source: `numpy.histogram2d`.

    >>> import anvl.numpy as np
    >>> counts, _, _ = np.histogram2d(np.asarray([0.0, 1.0]), np.asarray([1.0, 0.0]), bins=2)
    >>> print(counts)
    [[0. 1.]
     [1. 0.]]
    """
    first, second = asarray(x), asarray(y)
    if first.shape != second.shape or first.ndim != 1:
        raise ValueError(
            f"histogram2d: x {first.aval} and y {second.aval} must be vectors of one size"
        )
    is_pair = isinstance(bins, list | tuple) and len(bins) == 2
    both = bins if is_pair or isinstance(bins, int | np.integer) else [bins, bins]
    counts, edges = histogramdd([first, second], both, range, density, weights)
    return counts, edges[0], edges[1]
