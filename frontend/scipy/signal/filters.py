"""Filters of signals: `lfilter`, `savgol_filter`, `medfilt`, `detrend`, `hilbert`, `resample`."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np

import anvl.numpy as anp
from anvl.control_flow.loops import scan
from anvl.core.config import default_dtype
from anvl.core.promote import promoted
from anvl.dispatch.eager import public
from anvl.numpy.arrays.axes import axis_of, int_of
from anvl.runtime import hiding_frames
from anvl.scipy.signal.correlations import checked

__all__ = [
    "detrend", "hilbert", "lfilter", "medfilt", "resample", "savgol_coeffs", "savgol_filter",
    "without_trend",
]  # fmt: skip


def _along_last(name: str, x: Any, axis: int) -> tuple[Any, int]:
    (signal,), _ = promoted(name, (x,), "float")
    at = axis_of(axis, signal.ndim, name)
    return anp.moveaxis(signal, at, -1), at


# -- recursive filters ------------------------------------------------------------------------


@hiding_frames
def lfilter(b: Any, a: Any, x: Any, axis: int = -1, zi: Any = None) -> Any:
    """Filter a signal by a rational transfer function: a[0] y[n] = b[0] x[n] + b[1] x[n - 1] + ...
    - a[1] y[n - 1] - ...

    Parameters
    ----------
    b, a : array
        Vectors: coefficients of the numerator and of the denominator.
    x : array
    axis : int
    zi : array, optional
        The state before the first element, of the shape of x with max(len(a), len(b)) - 1 elements
        along the axis; zeros by default.

    Returns
    -------
    Array of the shape of x; with zi a pair of it and of the state after the last element.

    Raises
    ------
    ValueError
        b or a is no vector, or empty; a zi that does not fit.

    Notes
    -----
    The transposed direct form II, by `scan`; derivatives with respect to all arguments.
    Source: A. Oppenheim and R. Schafer, Discrete-Time Signal Processing (2010), section 6.3.4.

    Examples
    --------
    >>> import anvl.numpy as np
    >>> from anvl.scipy import signal
    >>> print(signal.lfilter(np.asarray([1.0]), np.asarray([1.0, -0.5]), np.ones(3)))
    [1.   1.5  1.75]
    """
    y, state = _lfilter(b, a, x, zi, axis)
    return y if zi is None else (y, state)


@public("axis")
def _lfilter(b: Any, a: Any, x: Any, zi: Any, axis: int) -> Any:
    given = (b, a, x) if zi is None else (b, a, x, zi)
    (b, a, x, *rest), _ = promoted("lfilter", given, "float", broadcast=False)
    if b.ndim != 1 or a.ndim != 1 or b.size == 0 or a.size == 0:
        raise ValueError(f"lfilter: b is {b.aval} and a {a.aval}; give vectors with elements")
    at = axis_of(axis, x.ndim, "lfilter")
    count = max(a.size, b.size)
    b, a = (anp.divide(anp.pad(c, (0, count - c.size)), a[0]) for c in (b, a))
    x = anp.moveaxis(x, at, 0)
    wanted = (count - 1, *x.shape[1:])
    if rest:
        state = anp.moveaxis(rest[0], at, 0) if rest[0].ndim == x.ndim else rest[0]
        if state.shape != wanted:
            raise ValueError(
                f"lfilter: zi is {rest[0].aval}; give {count - 1} elements along axis {axis} of "
                f"{x.aval}"
            )
    else:
        state = anp.zeros(wanted, x.dtype)
    column = (count - 1, *(1,) * (x.ndim - 1))
    feed, back = (anp.reshape(c[1:], column) for c in (b, a))

    def step(state: Any, u: Any) -> tuple[Any, Any]:
        y = anp.multiply(b[0], u)
        if count == 1:
            return state, y
        y = anp.add(y, state[0])
        shifted = anp.concatenate([state[1:], anp.zeros_like(state[:1])], axis=0)
        return shifted + anp.multiply(feed, u) - anp.multiply(back, y), y

    state, y = scan(step, state, x)
    return anp.moveaxis(y, 0, at), anp.moveaxis(state, 0, at)


# -- trends -----------------------------------------------------------------------------------


@hiding_frames
def detrend(
    data: Any, axis: int = -1, type: str = "linear", bp: Any = 0, overwrite_data: Any = None
) -> Any:
    """Remove the mean, or the line of least squares, along an axis.

    Parameters
    ----------
    data : array
    axis : int
    type : {"linear", "constant"}
    bp : int or sequence of int
        Where a new line begins.
    overwrite_data
        Ignored, as arrays are immutable.

    Returns
    -------
    Array of the shape of data, of floats.

    Raises
    ------
    ValueError
        Another type, or places out of range.

    Examples
    --------
    >>> import anvl.numpy as np
    >>> from anvl.scipy import signal
    >>> print(signal.detrend(np.asarray([1.0, 2.0, 3.0]), type="constant"))
    [-1.  0.  1.]
    """
    checked("detrend", "type", type, ("linear", "constant"))
    places = tuple(int(i) for i in np.atleast_1d(bp))
    return _detrend(data, int(axis), type, places)


@public("axis", "kind", "places")
def _detrend(data: Any, axis: int, kind: str, places: tuple[int, ...]) -> Any:
    x, at = _along_last("detrend", data, axis)
    n = x.shape[-1]
    if any(not 0 <= i <= n for i in places):
        raise ValueError(f"detrend: bp is {places}; the places must be in [0, {n}]")
    if kind == "constant":
        return anp.moveaxis(without_trend(x, kind), -1, at)
    ends = sorted({0, n, *places})
    parts = [without_trend(x[..., i:j], kind) for i, j in itertools.pairwise(ends)]
    return anp.moveaxis(anp.concatenate(parts, axis=-1) if parts else x, -1, at)


def without_trend(x: Any, kind: str) -> Any:
    """x less its mean, or its line of least squares, along the last axis."""
    n = x.shape[-1]
    if n == 0:
        return x
    x = anp.subtract(x, anp.mean(x, axis=-1, keepdims=True))
    if kind == "constant" or n == 1:
        return x
    t = np.arange(n) - (n - 1) / 2
    line = anp.asarray(t / np.sqrt(np.sum(t * t)), dtype=anp.real(x).dtype)
    size = anp.sum(anp.multiply(x, line), axis=-1, keepdims=True)
    return anp.subtract(x, anp.multiply(size, line))


# -- polynomials ------------------------------------------------------------------------------


def _fit(
    x: np.ndarray[Any, Any], at: np.ndarray[Any, Any], order: int, deriv: int, delta: float
) -> Any:
    """Matrix from values at x to the derivative, at other places, of their polynomial."""
    scale = max(float(np.max(np.abs(x), initial=1)), 1.0)
    inverse = np.linalg.pinv((x[:, None] / scale) ** np.arange(order + 1))
    powers = np.zeros((len(at), order + 1))
    for k in range(deriv, order + 1):
        factor = math.factorial(k) / math.factorial(k - deriv)
        powers[:, k] = factor * (at / scale) ** (k - deriv) / scale**deriv
    return powers @ inverse / delta**deriv


def _checked_window(name: str, length: Any, order: Any) -> tuple[int, int]:
    length = int_of(length, "window_length", name, least=1)
    order = int_of(order, "polyorder", name, least=0)
    if order >= length:
        raise ValueError(f"{name}: polyorder is {order}; it must be less than {length} points")
    return length, order


@hiding_frames
def savgol_coeffs(
    window_length: int,
    polyorder: int,
    deriv: int = 0,
    delta: float = 1.0,
    pos: float | None = None,
    use: str = "conv",
) -> Any:
    """Coefficients of a filter that fits a polynomial to the points of a window.

    Parameters
    ----------
    window_length, polyorder : int
    deriv : int
        Which derivative of the polynomial to take.
    delta : float
        Distance of the points.
    pos : float, optional
        Where in the window; by default its center.
    use : {"conv", "dot"}
        The order: that for a convolution, or for a product with the points.

    Returns
    -------
    Array of shape (window_length,), in the default dtype of floats.

    Raises
    ------
    ValueError
        An order of at least window_length, a place outside of the window, another `use`.

    Notes
    -----
    Source: A. Savitzky and M. Golay, Smoothing and differentiation of data by simplified least
    squares procedures (1964).

    Examples
    --------
    >>> import anvl.numpy as np
    >>> from anvl.scipy import signal
    >>> print(np.round(35 * signal.savgol_coeffs(5, 2)))
    [-3. 12. 17. 12. -3.]
    """
    checked("savgol_coeffs", "use", use, ("conv", "dot"))
    length, order = _checked_window("savgol_coeffs", window_length, polyorder)
    place = (length - 1) / 2 if pos is None else float(pos)
    if not 0 <= place < length:
        raise ValueError(f"savgol_coeffs: pos is {pos}; it must be in [0, {length})")
    values = _fit(np.arange(length) - place, np.zeros(1), order, int(deriv), float(delta))[0]
    return anp.asarray(values[::-1] if use == "conv" else values, dtype=default_dtype(float))


_EDGES = {"mirror": "reflect", "nearest": "edge", "wrap": "wrap", "constant": "constant"}


@hiding_frames
def savgol_filter(
    x: Any,
    window_length: int,
    polyorder: int,
    deriv: int = 0,
    delta: float = 1.0,
    axis: int = -1,
    mode: str = "interp",
    cval: float = 0.0,
) -> Any:
    """Smooth a signal by polynomials fitted to the points of a moving window.

    Parameters
    ----------
    x : array
    window_length, polyorder, deriv, delta
        As of `savgol_coeffs`.  A window of even length has its middle half a point behind the
        point whose value it gives.
    axis : int
    mode : {"interp", "mirror", "nearest", "wrap", "constant"}
        At the edges: the polynomials of the first and the last window, or how the signal goes on.
    cval : float
        What is beyond the edges in mode "constant".

    Returns
    -------
    Array of the shape of x, of floats.

    Raises
    ------
    ValueError
        Another mode; a signal shorter than window_length in mode "interp".

    Examples
    --------
    >>> import anvl.numpy as np
    >>> from anvl.scipy import signal
    >>> print(np.round(signal.savgol_filter(np.asarray([0.0, 1.0, 4.0, 9.0, 16.0]), 5, 2), 4) + 0.0)
    [ 0.  1.  4.  9. 16.]
    """
    checked("savgol_filter", "mode", mode, ("interp", *_EDGES))
    length, order = _checked_window("savgol_filter", window_length, polyorder)
    return _savgol(x, length, order, int(deriv), float(delta), int(axis), mode, float(cval))


@public("length", "order", "deriv", "delta", "axis", "mode", "cval")
def _savgol(
    x: Any, length: int, order: int, deriv: int, delta: float, axis: int, mode: str, cval: float
) -> Any:
    y, at = _along_last("savgol_filter", x, axis)
    n, half, is_even = y.shape[-1], length // 2, 1 - length % 2
    places = np.arange(length) - (length - 1) / 2
    weights = anp.asarray(_fit(places, np.zeros(1), order, deriv, delta)[0], dtype=y.dtype)

    def slid(around: Any) -> Any:
        count = around.shape[-1] - length + 1
        index = np.arange(count)[:, None] + np.arange(length)
        return anp.matmul(anp.take(around, index.astype(np.int32), axis=-1), weights)

    if mode != "interp":
        extra = {"constant_values": cval} if mode == "constant" else {}
        widths = [*[(0, 0)] * (y.ndim - 1), (half - is_even, half)]
        return anp.moveaxis(slid(anp.pad(y, widths, mode=_EDGES[mode], **extra)), -1, at)
    if n < length:
        raise ValueError(
            f"savgol_filter: {n} points are fewer than window_length, {length}; give another mode"
        )
    first = anp.asarray(_fit(places, places[:half], order, deriv, delta).T, dtype=y.dtype)
    last = anp.asarray(_fit(places, places[length - half :], order, deriv, delta).T, dtype=y.dtype)
    middle = slid(y)[..., is_even:]
    parts = [anp.matmul(y[..., :length], first), middle, anp.matmul(y[..., n - length :], last)]
    return anp.moveaxis(anp.concatenate(parts, axis=-1), -1, at)


@hiding_frames
def medfilt(volume: Any, kernel_size: Any = None) -> Any:
    """Median of the elements around each one; zeros are beyond the edges.

    Parameters
    ----------
    volume : array
    kernel_size : int or sequence of int, optional
        Odd, for all axes or for each; 3 by default.

    Returns
    -------
    Array of the shape and dtype of volume; NaN where there is one around.

    Raises
    ------
    ValueError
        An even size.

    Examples
    --------
    >>> import anvl.numpy as np
    >>> from anvl.scipy import signal
    >>> print(signal.medfilt(np.asarray([1.0, 9.0, 2.0, 3.0])))
    [1. 2. 3. 2.]
    """
    sizes = np.broadcast_to(3 if kernel_size is None else kernel_size, (np.ndim(volume),))
    if any(int(k) % 2 == 0 for k in sizes):
        raise ValueError(f"medfilt: kernel_size is {kernel_size}; sizes must be odd")
    return _medfilt(volume, tuple(int(k) for k in sizes))


@public("sizes")
def _medfilt(volume: Any, sizes: tuple[int, ...]) -> Any:
    (x,), _ = promoted("medfilt", (volume,), "int")
    around = anp.pad(x, [(k // 2, k // 2) for k in sizes]) if sizes else x
    parts = [
        around[tuple(slice(i, i + n) for i, n in zip(place, x.shape, strict=True))]
        for place in itertools.product(*map(range, sizes))
    ]
    ordered = anp.sort(anp.stack(parts, axis=-1), axis=-1)  # NaN last
    middle = ordered[..., len(parts) // 2]
    if x.dtype.kind in "biu":
        return middle
    last = ordered[..., -1]
    return anp.where(anp.isnan(last), last, middle)


# -- by Fourier transforms --------------------------------------------------------------------


@public("N", "axis")
def hilbert(x: Any, N: int | None = None, axis: int = -1) -> Any:
    """Analytic signal: x plus i times its Hilbert transform.

    Parameters
    ----------
    x : array
        Real.
    N : int, optional
        How many points to transform; by default all.
    axis : int

    Returns
    -------
    Complex array, with N elements along the axis.

    Raises
    ------
    ValueError
        Complex numbers; no points.

    Notes
    -----
    The transform of the signal without its negative frequencies.

    Examples
    --------
    >>> import anvl.numpy as np
    >>> from anvl.scipy import signal
    >>> print(np.round(np.imag(signal.hilbert(np.asarray([1.0, 0.0, -1.0, 0.0]))), 5) + 0.0)
    [ 0.  1.  0. -1.]
    """
    signal, at = _along_last("hilbert", x, axis)
    if signal.dtype.kind == "c":
        raise ValueError(f"hilbert: takes real numbers, got {signal.aval}; give the real part")
    n = signal.shape[-1] if N is None else int_of(N, "N", "hilbert", least=0)
    if n == 0:
        raise ValueError(f"hilbert: {signal.aval} has no points; give some")
    factor = np.zeros(n)
    factor[0] = 1
    factor[1 : (n + 1) // 2] = 2
    if n % 2 == 0:
        factor[n // 2] = 1
    spectrum = anp.fft.fft(signal, n)
    found = anp.fft.ifft(anp.multiply(spectrum, anp.asarray(factor, dtype=signal.dtype)))
    return anp.moveaxis(found, -1, at)


@public("num", "axis")
def resample(x: Any, num: int, *, axis: int = 0) -> Any:
    """Resample a periodic signal to `num` points, by its Fourier series.

    Parameters
    ----------
    x : array
    num : int
        At least 1.
    axis : int

    Returns
    -------
    Array with `num` elements along the axis, of floats or complex numbers.

    Raises
    ------
    ValueError
        No points.

    Notes
    -----
    Of the frequency of half the points, which is two in one, both have a half.

    Examples
    --------
    >>> import anvl.numpy as np
    >>> from anvl.scipy import signal
    >>> print(np.round(signal.resample(np.asarray([1.0, 0.0, -1.0, 0.0]), 2), 5))
    [ 1. -1.]
    """
    signal, at = _along_last("resample", x, axis)
    num, n = int_of(num, "num", "resample", least=1), signal.shape[-1]
    if n == 0:
        raise ValueError(f"resample: {signal.aval} has no points; give some")
    least = min(num, n)
    half = least // 2
    spectrum = anp.fft.fft(signal)
    positive, negative = spectrum[..., : (least + 1) // 2], spectrum[..., n - (least - 1) // 2 :]
    middle = anp.zeros((*signal.shape[:-1], num - positive.shape[-1] - negative.shape[-1]))
    parts = [positive, anp.astype(middle, spectrum.dtype), negative]
    if least % 2 == 0:
        both = spectrum[..., half : half + 1]
        if num < n:
            parts[1] = anp.add(both, spectrum[..., n - half : n - half + 1])
        elif num > n:
            both = anp.multiply(both, 0.5)
            inner = anp.zeros((*signal.shape[:-1], num - n - 1), spectrum.dtype)
            parts[1] = anp.concatenate([both, inner, both], axis=-1)
        else:
            parts[1] = both
    found = anp.multiply(anp.fft.ifft(anp.concatenate(parts, axis=-1)), num / n)
    found = found if signal.dtype.kind == "c" else anp.real(found)
    return anp.moveaxis(found, -1, at)
