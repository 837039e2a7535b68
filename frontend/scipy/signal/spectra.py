"""Spectra of signals: `stft`, `istft`, `csd`, `welch`, `periodogram`.

Source: P. Welch, The use of the fast Fourier transform for the estimation of power spectra (1967);
J. Allen, Short term spectral analysis, synthesis, and modification by discrete Fourier transform
(1977).
"""

from __future__ import annotations

import warnings
from typing import Any, NamedTuple

import numpy as np

import anvl.numpy as anp
from anvl.core.promote import promoted
from anvl.dispatch.eager import public
from anvl.numpy.arrays.axes import axis_of, int_of
from anvl.runtime import hiding_frames
from anvl.scipy.signal.correlations import checked
from anvl.scipy.signal.filters import without_trend
from anvl.scipy.signal.windows_by_name import window_values

__all__ = ["csd", "istft", "periodogram", "stft", "welch"]


class _Plan(NamedTuple):
    """How a signal is cut into segments, and what is made of each; hashable."""

    window: tuple[float, ...]
    step: int
    points: int  # of the transform
    detrend: str
    one_sided: bool

    @property
    def length(self) -> int:
        return len(self.window)


def _plan(
    name: str, size: int, window: Any, nperseg: Any, noverlap: Any, nfft: Any, detrend: Any,
    one_sided: bool,
) -> _Plan:  # fmt: skip
    if isinstance(window, str | tuple | float | int):
        length = 256 if nperseg is None else int_of(nperseg, "nperseg", name, least=1)
        if length > size > 0:
            if nperseg is not None:
                warnings.warn(
                    f"{name}: nperseg is {length}; there are {size} points, which are used",
                    UserWarning, stacklevel=4,
                )  # fmt: skip
            length = size
        values = window_values(name, window, length)
    else:
        values = np.asarray(window, float)
        if values.ndim != 1 or nperseg not in (None, values.size) or not 0 < values.size <= size:
            raise ValueError(
                f"{name}: the window has shape {list(values.shape)}, nperseg is {nperseg} and the "
                f"points are {size}; give a vector of nperseg elements, and no less points"
            )
    length = values.size
    overlap = length // 2 if noverlap is None else int_of(noverlap, "noverlap", name, least=0)
    points = length if nfft is None else int_of(nfft, "nfft", name, least=1)
    if overlap >= length:
        raise ValueError(f"{name}: noverlap is {overlap}; it must be less than nperseg, {length}")
    if points < length:
        raise ValueError(f"{name}: nfft is {points}; it must be at least nperseg, {length}")
    kind = detrend or "none"
    checked(name, "detrend", kind, ("none", "constant", "linear"))
    return _Plan(tuple(values.tolist()), length - overlap, points, kind, one_sided)


def _size_along(name: str, x: Any, axis: int) -> int:
    shape = np.shape(x)
    return shape[axis_of(axis, len(shape), name)]


def _frequencies(plan: _Plan, fs: Any, dtype: Any) -> Any:
    n = plan.points
    steps = np.fft.rfftfreq(n, 1 / n) if plan.one_sided else np.fft.fftfreq(n, 1 / n)
    return anp.divide(anp.multiply(anp.asarray(steps, dtype=dtype), fs), n)


def _transforms(x: Any, plan: _Plan) -> Any:
    """Transforms of the segments of the last axis: (..., segment, frequency)."""
    count = (x.shape[-1] - plan.length) // plan.step + 1
    index = np.arange(count)[:, None] * plan.step + np.arange(plan.length)
    parts = anp.take(x, index.astype(np.int32), axis=-1)
    if plan.detrend != "none":
        parts = without_trend(parts, plan.detrend)
    parts = anp.multiply(parts, anp.asarray(plan.window, dtype=anp.real(x).dtype))
    if plan.one_sided:
        return anp.fft.rfft(parts, plan.points)
    return anp.fft.fft(parts, plan.points)


def _moved(z: Any, axis: int) -> Any:
    """Frequencies to the place of the signal's axis; segments to the end."""
    return anp.moveaxis(z, -1, axis - 1 if axis < 0 else axis)


# -- short-time transforms --------------------------------------------------------------------

_BOUNDARIES: dict[str, dict[str, Any]] = {
    "zeros": {"mode": "constant"},
    "constant": {"mode": "edge"},
    "even": {"mode": "reflect"},
    "odd": {"mode": "reflect", "reflect_type": "odd"},
}


@hiding_frames
def stft(
    x: Any,
    fs: Any = 1.0,
    window: Any = "hann",
    nperseg: int | None = 256,
    noverlap: int | None = None,
    nfft: int | None = None,
    detrend: Any = False,
    return_onesided: bool = True,
    boundary: str | None = "zeros",
    padded: bool = True,
    axis: int = -1,
    scaling: str = "spectrum",
) -> tuple[Any, Any, Any]:
    """Short-time Fourier transform.

    Parameters
    ----------
    x : array
    fs : float
        Points in a unit of time.
    window : str, tuple or vector
        As of `get_window`, or its values.
    nperseg, noverlap, nfft : int, optional
        Points of a segment, those that two segments share (by default half), and of a transform.
    detrend : {False, "constant", "linear"}
    return_onesided : bool
        Whether negative frequencies are left out; complex signals have both.
    boundary : {"zeros", "constant", "even", "odd", None}
        How the signal goes on for half a segment at both ends.
    padded : bool
        Whether zeros complete the last segment.
    axis : int
    scaling : {"spectrum", "psd"}

    Returns
    -------
    (f, t, z): frequencies, times of the centers of segments, and an array whose axis is that of the
    frequencies; times are its last axis.

    Raises
    ------
    ValueError
        Numbers that do not fit, an unknown window or option.

    Examples
    --------
    >>> import anvl.numpy as np
    >>> from anvl.scipy import signal
    >>> f, t, z = signal.stft(np.ones(8), nperseg=4)
    >>> print(f, t, np.round(np.abs(z[:, 2]), 4))
    [0.   0.25 0.5 ] [0. 2. 4. 6. 8.] [1.  0.5 0. ]
    """
    checked("stft", "scaling", scaling, ("spectrum", "psd"))
    checked("stft", "boundary", boundary, (None, *_BOUNDARIES))
    size = _size_along("stft", x, axis)
    plan = _plan("stft", size, window, nperseg, noverlap, nfft, detrend, bool(return_onesided))
    return _stft(x, fs, plan, boundary, bool(padded), int(axis), scaling)


@public("plan", "boundary", "padded", "axis", "scaling")
def _stft(
    x: Any, fs: Any, plan: _Plan, boundary: str | None, padded: bool, axis: int, scaling: str
) -> Any:
    (signal,), _ = promoted("stft", (x,), "float")
    plan = plan._replace(one_sided=plan.one_sided and signal.dtype.kind != "c")
    at = axis_of(axis, signal.ndim, "stft")
    signal = anp.moveaxis(signal, at, -1)
    real, half = anp.real(signal).dtype, plan.length // 2
    fs = anp.asarray(fs, dtype=real)
    around = [(0, 0)] * (signal.ndim - 1)
    if boundary is not None:
        signal = anp.pad(signal, [*around, (half, half)], **_BOUNDARIES[boundary])
    if padded:
        missing = -(signal.shape[-1] - plan.length) % plan.step % plan.length
        signal = anp.pad(signal, [*around, (0, missing)])
    window = np.asarray(plan.window)
    if scaling == "spectrum":
        scale: Any = 1 / window.sum()
    else:
        scale = anp.divide(1, anp.sqrt(anp.multiply(fs, float(np.sum(window**2)))))
    z = anp.multiply(_transforms(signal, plan), anp.asarray(scale, dtype=real))
    starts = np.arange(z.shape[-2]) * plan.step + (plan.length / 2 if boundary is None else 0)
    times = anp.divide(anp.asarray(starts, dtype=real), fs)
    return _frequencies(plan, fs, real), times, _moved(z, at - signal.ndim)


@hiding_frames
def istft(
    Zxx: Any,
    fs: Any = 1.0,
    window: Any = "hann",
    nperseg: int | None = None,
    noverlap: int | None = None,
    nfft: int | None = None,
    input_onesided: bool = True,
    boundary: bool = True,
    time_axis: int = -1,
    freq_axis: int = -2,
    scaling: str = "spectrum",
) -> tuple[Any, Any]:
    """Inverse of `stft`, by overlapping segments: the signal of least squares.

    Parameters
    ----------
    Zxx : array
    fs, window, noverlap, nfft, scaling
        As they were given to `stft`.
    nperseg : int, optional
        By default what the number of frequencies says.
    input_onesided : bool
        Whether negative frequencies were left out.
    boundary : bool
        Whether the signal went on at both ends.
    time_axis, freq_axis : int

    Returns
    -------
    (t, x): times, and the signal, along the first of the two axes.

    Raises
    ------
    ValueError
        Numbers that do not fit, an unknown window or option.

    Examples
    --------
    >>> import anvl.numpy as np
    >>> from anvl.scipy import signal
    >>> f, t, z = signal.stft(np.asarray([1.0, 2.0, 3.0, 4.0]), nperseg=2)
    >>> print(np.round(signal.istft(z)[1], 4))
    [1. 2. 3. 4.]
    """
    checked("istft", "scaling", scaling, ("spectrum", "psd"))
    shape = np.shape(Zxx)
    if len(shape) < 2:
        raise ValueError(f"istft: Zxx has shape {list(shape)}; give frequencies and times")
    times, freqs = (axis_of(a, len(shape), "istft") for a in (time_axis, freq_axis))
    if times == freqs:
        raise ValueError(f"istft: time_axis and freq_axis are {times}; give different axes")
    default = 2 * (shape[freqs] - 1) if input_onesided else shape[freqs]
    length = default if nperseg is None else nperseg
    if nfft is None:
        odd = input_onesided and length == default + 1
        nfft = length if odd else default
    plan = _plan("istft", length, window, length, noverlap, nfft, False, bool(input_onesided))
    return _istft(Zxx, fs, plan, bool(boundary), (times, freqs), scaling)


@public("plan", "boundary", "axes", "scaling")
def _istft(
    z: Any, fs: Any, plan: _Plan, boundary: bool, axes: tuple[int, int], scaling: str
) -> Any:
    (z,), _ = promoted("istft", (z,), "float")
    times, freqs = axes
    z = anp.moveaxis(z, (times, freqs), (-2, -1))
    parts = anp.fft.irfft(z, plan.points) if plan.one_sided else anp.fft.ifft(z, plan.points)
    parts = parts[..., : plan.length]
    real, window = anp.real(parts).dtype, np.asarray(plan.window)
    fs = anp.asarray(fs, dtype=real)
    if scaling == "spectrum":
        scale: Any = float(window.sum())
    else:
        scale = anp.sqrt(anp.multiply(fs, float(np.sum(window**2))))
    parts = anp.multiply(parts, anp.multiply(anp.asarray(window, dtype=real), scale))
    count = parts.shape[-2]
    total = plan.length + (count - 1) * plan.step
    index = np.arange(count)[:, None] * plan.step + np.arange(plan.length)
    norm = np.zeros(total)
    for start in range(0, count * plan.step, plan.step):
        norm[start : start + plan.length] += window**2
    x = anp.zeros((*parts.shape[:-2], total), parts.dtype)
    x = x.at[..., index.astype(np.int32)].add(parts)
    if boundary:
        half = plan.length // 2
        x, norm = x[..., half : total - half], norm[half : total - half]
    x = anp.divide(x, anp.asarray(np.where(norm > 1e-10, norm, 1), dtype=real))
    if x.ndim > 1:
        x = anp.moveaxis(x, -1, times - (freqs < times))
    return anp.divide(anp.arange(norm.size, dtype=real), fs), x


# -- power spectra ----------------------------------------------------------------------------


@hiding_frames
def csd(
    x: Any,
    y: Any,
    fs: Any = 1.0,
    window: Any = "hann",
    nperseg: int | None = None,
    noverlap: int | None = None,
    nfft: int | None = None,
    detrend: Any = "constant",
    return_onesided: bool = True,
    scaling: str = "density",
    axis: int = -1,
    average: str = "mean",
) -> tuple[Any, Any]:
    """Cross power spectral density of two signals, by Welch's method.

    Parameters
    ----------
    x, y : array
        Along the axis the shorter one is followed by zeros; other axes broadcast.  Without y it is
        x.
    fs, window, nperseg, noverlap, nfft, return_onesided
        As of `stft`; segments have 256 points by default.
    detrend : {False, "constant", "linear"}
    scaling : {"density", "spectrum"}
    axis : int
    average : {"mean", "median"}
        Over the segments; the median is corrected for its bias.

    Returns
    -------
    (f, p): frequencies, and the densities along the axis.

    Raises
    ------
    ValueError
        Numbers that do not fit, an unknown window or option.

    Examples
    --------
    >>> import anvl.numpy as np
    >>> from anvl.scipy import signal
    >>> f, p = signal.csd(np.asarray([1.0, -1.0, 1.0, -1.0]), np.ones(4), detrend=False)
    >>> print(f, np.round(np.abs(p), 4))
    [0.   0.25 0.5 ] [0.     1.3333 0.    ]
    """
    checked("csd", "scaling", scaling, ("density", "spectrum"))
    checked("csd", "average", average, ("mean", "median"))
    size = _size_along("csd", x, axis)
    if y is not None:
        size = max(size, _size_along("csd", y, axis))
    plan = _plan("csd", size, window, nperseg, noverlap, nfft, detrend, bool(return_onesided))
    return _csd(x, y, fs, plan, scaling, int(axis), average)


@public("plan", "scaling", "axis", "average")
def _csd(x: Any, y: Any, fs: Any, plan: _Plan, scaling: str, axis: int, average: str) -> Any:
    given, _ = promoted("csd", (x,) if y is None else (x, y), "float", broadcast=False)
    is_complex = given[0].dtype.kind == "c"
    plan = plan._replace(one_sided=plan.one_sided and not is_complex)
    signals = [anp.moveaxis(s, axis_of(axis, s.ndim, "csd"), -1) for s in given]
    longest = max(s.shape[-1] for s in signals)
    signals = [anp.pad(s, [*[(0, 0)] * (s.ndim - 1), (0, longest - s.shape[-1])]) for s in signals]
    first, second = _transforms(signals[0], plan), _transforms(signals[-1], plan)
    real, window = anp.real(first).dtype, np.asarray(plan.window)
    fs = anp.asarray(fs, dtype=real)
    power = anp.multiply(anp.conj(first), second)
    if scaling == "spectrum":
        scale: Any = float(1 / window.sum() ** 2)
    else:
        scale = anp.divide(1, anp.multiply(fs, float(np.sum(window**2))))
    power = anp.multiply(power, anp.asarray(scale, dtype=real))
    if plan.one_sided:
        factor = np.full(power.shape[-1], 2.0)
        factor[0] = 1
        if plan.points % 2 == 0:
            factor[-1] = 1
        power = anp.multiply(power, anp.asarray(factor, dtype=real))
    if y is None:
        power = anp.real(power)
    found = _averaged(power, average)
    return _frequencies(plan, fs, real), anp.moveaxis(found, -1, axis)


def _averaged(power: Any, average: str) -> Any:
    count = power.shape[-2]
    if average == "mean":
        return anp.mean(power, axis=-2)
    pairs = 2 * np.arange(1.0, (count - 1) // 2 + 1)
    bias = 1 + float(np.sum(1 / (pairs + 1) - 1 / pairs))
    middle = anp.median(anp.real(power), axis=-2)
    if power.dtype.kind == "c":
        middle = anp.add(middle, anp.multiply(anp.median(anp.imag(power), axis=-2), 1j))
    return anp.divide(middle, bias)


@hiding_frames
def welch(
    x: Any,
    fs: Any = 1.0,
    window: Any = "hann",
    nperseg: int | None = None,
    noverlap: int | None = None,
    nfft: int | None = None,
    detrend: Any = "constant",
    return_onesided: bool = True,
    scaling: str = "density",
    axis: int = -1,
    average: str = "mean",
) -> tuple[Any, Any]:
    """Power spectral density, by Welch's method.

    Parameters
    ----------
    x : array
    fs, window, nperseg, noverlap, nfft, detrend, return_onesided, scaling, axis, average
        As of `csd`.

    Returns
    -------
    (f, p): frequencies, and the real densities along the axis.

    Raises
    ------
    ValueError
        As `csd`.

    Examples
    --------
    >>> import anvl.numpy as np
    >>> from anvl.scipy import signal
    >>> f, p = signal.welch(np.asarray([1.0, -1.0, 1.0, -1.0]), window="boxcar")
    >>> print(f, np.round(p, 4))
    [0.   0.25 0.5 ] [0. 0. 4.]
    """
    segments = (nperseg, noverlap, nfft)
    return csd(x, None, fs, window, *segments, detrend, return_onesided, scaling, axis, average)


@hiding_frames
def periodogram(
    x: Any,
    fs: Any = 1.0,
    window: Any = "boxcar",
    nfft: int | None = None,
    detrend: Any = "constant",
    return_onesided: bool = True,
    scaling: str = "density",
    axis: int = -1,
) -> tuple[Any, Any]:
    """Power spectral density of all points as one segment.

    Parameters
    ----------
    x : array
    fs, window, nfft, detrend, return_onesided, scaling, axis
        As of `csd`; of more points than nfft, the first nfft are taken.

    Returns
    -------
    (f, p): frequencies, and the real densities along the axis.

    Raises
    ------
    ValueError
        As `csd`.

    Examples
    --------
    >>> import anvl.numpy as np
    >>> from anvl.scipy import signal
    >>> print(np.round(signal.periodogram(np.asarray([1.0, -1.0, 1.0, -1.0]))[1], 4))
    [0. 0. 4.]
    """
    size = _size_along("periodogram", x, axis)
    if nfft is not None and int_of(nfft, "nfft", "periodogram", least=1) < size:
        x, size = _first(x, nfft, int(axis)), nfft
    return csd(x, None, fs, window, size, 0, nfft, detrend, return_onesided, scaling, axis)


@public("count", "axis")
def _first(x: Any, count: int, axis: int) -> Any:
    (x,), _ = promoted("periodogram", (x,))
    return anp.moveaxis(anp.moveaxis(x, axis, 0)[:count], 0, axis)
