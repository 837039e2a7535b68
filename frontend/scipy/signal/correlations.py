"""Convolution and correlation of arrays of any number of axes: direct, or by Fourier transforms."""

from __future__ import annotations

import itertools
from typing import Any

import anvl.numpy as anp
from anvl.core.promote import promoted
from anvl.dialect.core.params.window_params import ConvDims
from anvl.dispatch.eager import public
from anvl.numpy.arrays.axes import each_axis
from anvl.numpy.functions.emitting import prim
from anvl.runtime import hiding_frames

__all__ = [
    "checked", "convolve", "convolve2d", "correlate", "correlate2d", "correlation_lags",
    "fftconvolve", "oaconvolve", "part_of_convolution",
]  # fmt: skip

_MODES = ("full", "same", "valid")
_SHORT = 32  # so many products of slices take no longer than a convolution
_LARGE = 2**22  # products, from which on Fourier transforms take less time


def checked(name: str, parameter: str, value: Any, allowed: tuple[Any, ...]) -> None:
    """Raise `ValueError` unless the value of a parameter is one of those allowed."""
    if value not in allowed:
        raise ValueError(
            f"{name}: {parameter} is {value!r}; it must be one of {', '.join(map(repr, allowed))}"
        )


@hiding_frames
def convolve(
    in1: Any, in2: Any, mode: str = "full", method: str = "auto", precision: Any = None
) -> Any:
    """Convolve two arrays of the same number of axes.

    Parameters
    ----------
    in1, in2 : array
    mode : {"full", "same", "valid"}
        All elements; those around the center, as many as in1 has; those in which one array lies
        within the other.
    method : {"auto", "direct", "fft"}
        "auto" takes Fourier transforms for large arrays of floats, whose errors are relative to
        the largest element.
    precision
        Ignored: products are exact to the dtype.

    Returns
    -------
    Array of the common dtype.

    Raises
    ------
    ValueError
        Another mode or method; numbers of axes that differ; no elements; "valid" of two arrays of
        which neither is larger along all axes.

    Notes
    -----
    Source: SciPy's manual, `scipy.signal.convolve`.

    Examples
    --------
    >>> import anvl.numpy as np
    >>> from anvl.scipy import signal
    >>> print(signal.convolve(np.asarray([1, 2, 3]), np.asarray([0, 1, 1]), mode="same"))
    [1 3 5]
    """
    checked("convolve", "mode", mode, _MODES)
    checked("convolve", "method", method, ("auto", "direct", "fft"))
    return _convolve(in1, in2, mode, method, "convolve")


@hiding_frames
def correlate(
    in1: Any, in2: Any, mode: str = "full", method: str = "auto", precision: Any = None
) -> Any:
    """Correlate two arrays: convolve in1 with the conjugate of in2 in reverse.

    Parameters
    ----------
    in1, in2 : array
    mode, method, precision
        As of `convolve`.

    Returns
    -------
    Array of the common dtype.

    Raises
    ------
    ValueError
        As `convolve`.

    Examples
    --------
    >>> import anvl.numpy as np
    >>> from anvl.scipy import signal
    >>> print(signal.correlate(np.asarray([1, 2, 3]), np.asarray([0, 1])))
    [1 2 3 0]
    """
    checked("correlate", "mode", mode, _MODES)
    checked("correlate", "method", method, ("auto", "direct", "fft"))
    return _convolve(in1, in2, mode, method, "correlate")


@public("mode", "method", "name")
def _convolve(a: Any, v: Any, mode: str, method: str, name: str) -> Any:
    x, y = _pair(name, a, v, mode)
    if name == "correlate":
        y = anp.flip(anp.conj(y))
    floats = x.dtype.kind in "fc"
    if method == "fft" or (method == "auto" and floats and x.size * y.size > _LARGE):
        dtype = x.dtype
        z = _by_transforms(x, y, tuple(range(x.ndim)), mode)
        return z if floats else anp.astype(anp.round(z), dtype)
    return part_of_convolution(x, y, _ranges(x.shape, y.shape, mode))


def _pair(name: str, a: Any, v: Any, mode: str) -> tuple[Any, Any]:
    (x, y), _ = promoted(name, (a, v), "int", broadcast=False)
    if x.ndim != y.ndim or 0 in (*x.shape, *y.shape):
        raise ValueError(
            f"{name}: the arrays are {x.aval} and {y.aval}; give equal numbers of axes, with "
            "elements along each"
        )
    _check_valid(name, x, y, mode, range(x.ndim))
    return x, y


def _check_valid(name: str, x: Any, y: Any, mode: str, axes: Any) -> None:
    larger = [x.shape[i] >= y.shape[i] for i in axes]
    smaller = [x.shape[i] <= y.shape[i] for i in axes]
    if mode == "valid" and not (all(larger) or all(smaller)):
        raise ValueError(
            f"{name}: 'valid' of {x.aval} and {y.aval}: one must be at least as large as the other "
            "along every axis"
        )


def _ranges(first: Any, second: Any, mode: str) -> list[tuple[int, int]]:
    """Start and count of the elements of the full convolution, for each axis."""
    pairs = list(zip(first, second, strict=True))
    if mode == "full":
        return [(0, n + k - 1) for n, k in pairs]
    if mode == "same":
        return [((k - 1) // 2, n) for n, k in pairs]
    return [(min(n, k) - 1, abs(n - k) + 1) for n, k in pairs]


def part_of_convolution(x: Any, y: Any, ranges: list[tuple[int, int]]) -> Any:
    """Elements of the full convolution of x and y, in these ranges of indices."""
    if x.ndim == 0:
        return anp.multiply(x, y)
    if y.size > x.size:
        x, y = y, x
    sizes = y.shape
    widths = [
        (k - 1 - start, start + count - n)
        for n, k, (start, count) in zip(x.shape, sizes, ranges, strict=True)
    ]
    around = anp.pad(x, [(max(low, 0), max(high, 0)) for low, high in widths])
    cut = tuple(
        slice(max(-low, 0), size - max(-high, 0))
        for size, (low, high) in zip(around.shape, widths, strict=True)
    )
    around = around[cut]
    if y.size <= _SHORT:
        return _shifted(around, anp.flip(y), [count for _, count in ranges])
    return _convolution(around, anp.flip(y))


def _shifted(x: Any, y: Any, counts: list[int]) -> Any:
    total: Any = None
    for place in itertools.product(*map(range, y.shape)):
        part = x[tuple(slice(i, i + n) for i, n in zip(place, counts, strict=True))]
        term = anp.multiply(part, y[place])
        total = term if total is None else anp.add(total, term)
    return total


def _convolution(x: Any, y: Any) -> Any:
    n = x.ndim
    spatial = tuple(range(2, n + 2))
    z = prim(
        "convolution",
        anp.reshape(x, (1, 1, *x.shape)),
        anp.reshape(y, (1, 1, *y.shape)),
        window_strides=(1,) * n,
        padding=((0, 0),) * n,
        lhs_dilation=(1,) * n,
        rhs_dilation=(1,) * n,
        window_reversal=(False,) * n,
        dimension_numbers=ConvDims(0, 1, spatial, 1, 0, spatial, 0, 1, spatial),
        feature_group_count=1,
        batch_group_count=1,
        precision_config="HIGHEST",
    )
    return anp.reshape(z, z.shape[2:])


# -- by Fourier transforms --------------------------------------------------------------------


@hiding_frames
def fftconvolve(in1: Any, in2: Any, mode: str = "full", axes: Any = None) -> Any:
    """Convolve two arrays by Fourier transforms.

    Parameters
    ----------
    in1, in2 : array
        Of equal numbers of axes.
    mode : {"full", "same", "valid"}
        As of `convolve`.
    axes : int or sequence of int, optional
        By default all; sizes along the others broadcast.

    Returns
    -------
    Array of floats or complex numbers, whose errors are relative to the largest element.

    Raises
    ------
    ValueError
        As `convolve`; other axes that do not broadcast.

    Examples
    --------
    >>> import anvl.numpy as np
    >>> from anvl.scipy import signal
    >>> print(np.round(signal.fftconvolve(np.asarray([1.0, 2.0]), np.asarray([1.0, 1.0])), 5))
    [1. 3. 2.]
    """
    checked("fftconvolve", "mode", mode, _MODES)
    along = tuple(axes) if isinstance(axes, list) else axes
    return _fftconvolve(in1, in2, mode, along, "fftconvolve")


@hiding_frames
def oaconvolve(in1: Any, in2: Any, mode: str = "full", axes: Any = None) -> Any:
    """Convolve two arrays of different sizes: as `fftconvolve`, of which it is another name.

    Parameters
    ----------
    in1, in2 : array
    mode, axes
        As of `fftconvolve`.

    Returns
    -------
    Array of floats or complex numbers.

    Examples
    --------
    >>> import anvl.numpy as np
    >>> from anvl.scipy import signal
    >>> print(np.round(signal.oaconvolve(np.asarray([1.0, 2.0]), np.asarray([1.0, 1.0])), 5))
    [1. 3. 2.]
    """
    checked("oaconvolve", "mode", mode, _MODES)
    along = tuple(axes) if isinstance(axes, list) else axes
    return _fftconvolve(in1, in2, mode, along, "oaconvolve")


@public("mode", "axes", "name")
def _fftconvolve(a: Any, v: Any, mode: str, axes: Any, name: str) -> Any:
    (x, y), _ = promoted(name, (a, v), "float", broadcast=False)
    if x.ndim != y.ndim:
        raise ValueError(
            f"{name}: the arrays are {x.aval} and {y.aval}; give equal numbers of axes"
        )
    along = tuple(range(x.ndim)) if axes is None else each_axis(axes, x.ndim, name)
    _check_valid(name, x, y, mode, along)
    if 0 in (*x.shape, *y.shape):
        raise ValueError(f"{name}: the arrays are {x.aval} and {y.aval}; give some elements")
    return _by_transforms(x, y, tuple(along), mode)


def _fast_length(n: int) -> int:
    """The next number that has no factor above 5."""
    while True:
        rest = n
        for p in (2, 3, 5):
            while rest % p == 0:
                rest //= p
        if rest == 1:
            return n
        n += 1


def _by_transforms(x: Any, y: Any, axes: tuple[int, ...], mode: str) -> Any:
    if not axes:
        return anp.multiply(x, y)
    full = [x.shape[i] + y.shape[i] - 1 for i in axes]
    sizes = [_fast_length(n) for n in full]
    if x.dtype.kind == "c":
        product = anp.multiply(anp.fft.fftn(x, sizes, axes), anp.fft.fftn(y, sizes, axes))
        z = anp.fft.ifftn(product, sizes, axes)
    else:
        product = anp.multiply(anp.fft.rfftn(x, sizes, axes), anp.fft.rfftn(y, sizes, axes))
        z = anp.fft.irfftn(product, sizes, axes)
    ranges = _ranges([x.shape[i] for i in axes], [y.shape[i] for i in axes], mode)
    where = [slice(None)] * z.ndim
    for axis, (start, count) in zip(axes, ranges, strict=True):
        where[axis] = slice(start, start + count)
    return z[tuple(where)]


# -- two axes, with boundaries ----------------------------------------------------------------

_BOUNDARIES = {"fill": "constant", "wrap": "wrap", "symm": "symmetric"}


@hiding_frames
def convolve2d(
    in1: Any,
    in2: Any,
    mode: str = "full",
    boundary: str = "fill",
    fillvalue: Any = 0,
    precision: Any = None,
) -> Any:
    """Convolve two matrices, of which the first goes on beyond its edges.

    Parameters
    ----------
    in1, in2 : array
        Matrices.
    mode : {"full", "same", "valid"}
        As of `convolve`.
    boundary : {"fill", "wrap", "symm"}
        Beyond the edges are `fillvalue`, the opposite side, or the mirror image.
    fillvalue : number
    precision
        Ignored: products are exact to the dtype.

    Returns
    -------
    Array of the common dtype: a matrix.

    Raises
    ------
    ValueError
        As `convolve`; no matrices; another boundary.

    Examples
    --------
    >>> import anvl.numpy as np
    >>> from anvl.scipy import signal
    >>> print(signal.convolve2d(np.eye(2), np.ones((1, 2)), mode="same", boundary="wrap"))
    [[1. 1.]
     [1. 1.]]
    """
    return _in_two_axes("convolve2d", in1, in2, mode, boundary, fillvalue)


@hiding_frames
def correlate2d(
    in1: Any,
    in2: Any,
    mode: str = "full",
    boundary: str = "fill",
    fillvalue: Any = 0,
    precision: Any = None,
) -> Any:
    """Correlate two matrices, of which the first goes on beyond its edges.

    Parameters
    ----------
    in1, in2 : array
        Matrices.
    mode, boundary, fillvalue, precision
        As of `convolve2d`.

    Returns
    -------
    Array of the common dtype: a matrix.

    Raises
    ------
    ValueError
        As `convolve2d`.

    Examples
    --------
    >>> import anvl.numpy as np
    >>> from anvl.scipy import signal
    >>> print(signal.correlate2d(np.eye(2), np.asarray([[1.0, 2.0]]), mode="valid"))
    [[1.]
     [2.]]
    """
    return _in_two_axes("correlate2d", in1, in2, mode, boundary, fillvalue)


def _in_two_axes(name: str, a: Any, v: Any, mode: str, boundary: str, fillvalue: Any) -> Any:
    checked(name, "mode", mode, _MODES)
    checked(name, "boundary", boundary, tuple(_BOUNDARIES))
    return _convolve2d(a, v, fillvalue, mode, boundary, name)


@public("mode", "boundary", "name")
def _convolve2d(a: Any, v: Any, fill: Any, mode: str, boundary: str, name: str) -> Any:
    x, y = _pair(name, a, v, mode)
    if x.ndim != 2:
        raise ValueError(f"{name}: the arrays are {x.aval} and {y.aval}; give matrices")
    correlates = name == "correlate2d"
    if correlates:
        y = anp.flip(anp.conj(y))
    ranges = _ranges(x.shape, y.shape, mode)
    if mode == "valid":
        return part_of_convolution(x, y, ranges)
    if mode == "same" and correlates:
        ranges = [(k // 2, n) for n, k in zip(x.shape, y.shape, strict=True)]
    widths = [(k - 1, k - 1) for k in y.shape]
    if boundary == "fill":
        (value, _), _ = promoted(name, (fill, x), broadcast=False)
        around = anp.pad(x, widths, constant_values=anp.astype(value, x.dtype))
    else:
        around = anp.pad(x, widths, mode=_BOUNDARIES[boundary])
    beyond = [(start + k - 1, n) for k, (start, n) in zip(y.shape, ranges, strict=True)]
    return part_of_convolution(around, y, beyond)


@hiding_frames
def correlation_lags(in1_len: int, in2_len: int, mode: str = "full") -> Any:
    """Lag of each element of the `correlate` of two vectors.

    Parameters
    ----------
    in1_len, in2_len : int
        Sizes of the vectors.
    mode : {"full", "same", "valid"}

    Returns
    -------
    Array of the default dtype of integers; "same" has those of `correlate`, where SciPy's are 1
    more than these if in1_len is odd and in2_len even.

    Raises
    ------
    ValueError
        Another mode.

    Examples
    --------
    >>> from anvl.scipy import signal
    >>> print(signal.correlation_lags(3, 2))
    [-1  0  1  2]
    """
    checked("correlation_lags", "mode", mode, _MODES)
    ((start, count),) = _ranges([int(in1_len)], [int(in2_len)], mode)
    first = start - int(in2_len) + 1
    return anp.arange(first, first + count)
