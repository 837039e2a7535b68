"""B-splines on a grid: their weights at a place, and the coefficients that interpolate an array.

Note [Coefficients by convolution]
    The spline that takes the values of an array has coefficients that are the array, extended
    beyond its edges, convolved with the inverse of the samples of a B-spline.  The inverse decays
    as the powers of its largest pole, 0.43 for order 5, so 48 elements to each side are all that
    rounding in f64 leaves, and the edges are exact, since a spline of an array that is extended
    by mirrors or periods is extended alike.  It takes no recursion along the axis.
Source: M. Unser, A. Aldroubi, M. Eden, B-Spline Signal Processing, IEEE Trans. Signal Process. 41
(1993), 821.
"""

from __future__ import annotations

import functools
import math
from fractions import Fraction
from typing import Any

import numpy as np

import anvl.numpy as anp
from anvl.core.promote import as_tracer, promoted
from anvl.dispatch.eager import public
from anvl.numpy.arrays.axes import axis_of
from anvl.runtime import hiding_frames
from anvl.scipy.ndimage.linear_filters import convolve1d

__all__ = ["check_order", "coefficients", "spline_filter", "spline_filter1d", "weights_at"]

_REACH = 48  # elements of the inverse to each side
_SAMPLES = 512  # of its transform: more than twice its reach

#: How an array is continued for its coefficients.
_EXTENSIONS = {
    "constant": "mirror", "grid-constant": "mirror", "nearest": "reflect", "mirror": "mirror",
    "wrap": "mirror", "reflect": "reflect", "grid-mirror": "reflect", "grid-wrap": "wrap",
}  # fmt: skip


def check_order(function: str, order: Any, least: int = 0) -> int:
    """The order of a spline.  Raises `ValueError` for others than least to 5."""
    if isinstance(order, bool) or order not in range(least, 6):
        raise ValueError(f"{function}: order is {order!r}; it must be an integer from {least} to 5")
    return int(order)


@functools.cache
def _pieces(order: int) -> list[list[float]]:
    """Polynomials of the weights of the order + 1 nodes, the highest power first."""
    start = Fraction(0) if order % 2 else Fraction(1, 2)
    rows = []
    for node in range(order + 1):
        total = [Fraction(0)] * (order + 1)
        for j in range(order - node + 1):
            scale = Fraction((-1) ** j * math.comb(order + 1, j), math.factorial(order))
            shift = start + order - node - j
            for power in range(order + 1):  # of (f + shift)**order
                term = math.comb(order, power) * shift ** (order - power)
                total[order - power] += scale * term
        rows.append([float(c) for c in total])
    return rows


def weights_at(place: Any, order: int) -> tuple[Any, list[Any]]:
    """The first node of a place, and the weights of the order + 1 nodes from there on."""
    middle = anp.floor(place if order % 2 else place + 0.5)
    part = anp.subtract(place, middle)
    found = []
    for polynomial in _pieces(order):
        weight: Any = polynomial[0]
        for c in polynomial[1:]:
            weight = weight * part + c
        found.append(weight)
    return middle - order // 2, found


@functools.cache
def _inverse(order: int) -> np.ndarray[Any, Any]:
    """The sequence whose convolution with the samples of a B-spline is 1 at 0."""
    _, samples = _samples(order)
    half = order // 2
    wide = np.zeros(_SAMPLES)
    wide[np.arange(-half, half + 1)] = samples
    response = np.fft.irfft(1 / np.fft.rfft(wide).real, _SAMPLES)
    found = response[np.arange(-_REACH, _REACH + 1)]
    return np.asarray(found / found.sum())  # constants stay


def _samples(order: int) -> tuple[int, list[float]]:
    """A B-spline at the integers within its support."""
    half = order // 2
    at_zero = [row[-1] for row in _pieces(order)]
    return half, at_zero[: 2 * half + 1]


def coefficients(x: Any, order: int, mode: str, axes: Any) -> Any:
    """Coefficients of the spline that takes the values of x, along axes; x itself for order 1."""
    if order < 2:
        return x
    for axis in axes:
        if x.shape[axis] > 1:
            x = convolve1d(x, anp.asarray(_inverse(order), _real(x)), axis, mode=_EXTENSIONS[mode])
    return x


def _real(x: Any) -> str:
    return "float64" if x.dtype in (np.dtype("f8"), np.dtype("c16")) else "float32"


@hiding_frames
def spline_filter1d(
    input: Any, order: int = 3, axis: int = -1, output: None = None, mode: str = "mirror"
) -> Any:
    """Coefficients of the spline along an axis that takes the values of an array.

    Parameters
    ----------
    input : array
    order : int
        From 2 to 5.
    axis : int
    output : None
    mode : str
        How the array is continued: "mirror" at its last elements, "reflect" and "grid-mirror" at
        its edges, "grid-wrap" again; the other modes of `map_coordinates` as there.

    Returns
    -------
    Array of floats of the shape of input.

    Raises
    ------
    ValueError
        Another order or mode.

    Notes
    -----
    Source: SciPy's manual, `scipy.ndimage.spline_filter1d`, which computes in f64; this keeps f32.

    Examples
    --------
    >>> import anvl.numpy as np
    >>> from anvl.scipy import ndimage
    >>> print(np.round(ndimage.spline_filter1d(np.asarray([0.0, 1.0, 0.0])), 4))
    [-1.  2. -1.]
    """
    _check("spline_filter1d", mode, output)
    return _filtered(input, check_order("spline_filter1d", order, 2), mode, int(axis))


@hiding_frames
def spline_filter(input: Any, order: int = 3, output: None = None, mode: str = "mirror") -> Any:
    """Coefficients of the spline along all axes that takes the values of an array.

    Parameters
    ----------
    input : array
    order, output, mode
        As of `spline_filter1d`.

    Returns
    -------
    Array of floats of the shape of input.

    Raises
    ------
    ValueError
        As `spline_filter1d`.

    Notes
    -----
    Source: SciPy's manual, `scipy.ndimage.spline_filter`, which computes in f64; this keeps f32.

    Examples
    --------
    >>> import anvl.numpy as np
    >>> from anvl.scipy import ndimage
    >>> x = np.asarray([[1.0, 2.0], [3.0, 5.0]])
    >>> whole = ndimage.spline_filter(x)
    >>> places = [np.asarray([0.0, 1.0]), np.asarray([1.0, 1.0])]
    >>> print(np.round(ndimage.map_coordinates(whole, places, 3, prefilter=False), 4))
    [2. 5.]
    """
    _check("spline_filter", mode, output)
    return _filtered(input, check_order("spline_filter", order, 2), mode, None)


@public("order", "mode", "axis")
def _filtered(input: Any, order: int, mode: str, axis: int | None) -> Any:
    (x,), _ = promoted("spline_filter", (as_tracer(input, "spline_filter"),), "float")
    axes = range(x.ndim) if axis is None else [axis_of(axis, x.ndim, "spline_filter1d")]
    return coefficients(x, order, mode, axes)


def _check(name: str, mode: Any, output: Any) -> None:
    if mode not in _EXTENSIONS:
        raise ValueError(
            f"{name}: mode is {mode!r}; it must be one of {', '.join(map(repr, _EXTENSIONS))}"
        )
    if output is not None:
        raise ValueError(f"{name}: output is {output!r}; arrays are not written to")
