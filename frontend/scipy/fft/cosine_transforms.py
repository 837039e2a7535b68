"""Discrete cosine transforms of the types 1 to 4, by Fourier transforms.

Source: J. Makhoul, A fast cosine transform in one and two dimensions (1980); SciPy's manual,
`scipy.fft.dct`, for the definitions and norms.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

import anvl.numpy as anp
from anvl.core.promote import promoted
from anvl.dispatch.eager import public
from anvl.numpy.arrays.axes import axis_of, each_axis, int_of
from anvl.runtime import hiding_frames

__all__ = ["dct", "dctn", "idct", "idctn"]

_INVERSE = {1: 1, 2: 3, 3: 2, 4: 4}
_NORMS = {None: "forward", "backward": "forward", "ortho": "ortho", "forward": "backward"}


def _check(name: str, type: int, norm: str | None) -> None:
    if isinstance(type, bool) or type not in _INVERSE:
        raise ValueError(f"{name}: type is {type!r}; it must be 1, 2, 3 or 4")
    if norm not in _NORMS:
        raise ValueError(
            f"{name}: norm is {norm!r}; it must be None, 'backward', 'ortho' or 'forward'"
        )


@hiding_frames
def dct(
    x: Any, type: int = 2, n: int | None = None, axis: int = -1, norm: str | None = None
) -> Any:
    """Discrete cosine transform; type 2 is y[k] = 2 times the sum of x[j] cos(pi k (2j + 1) / 2n).

    Parameters
    ----------
    x : array
    type : {1, 2, 3, 4}
    n : int, optional
        How many elements to take, or to complete with zeros.
    axis : int
    norm : {None, "backward", "ortho", "forward"}
        Which of `dct` and `idct` divides: `idct`, both by a square root so that the transform is
        orthogonal, or `dct`.

    Returns
    -------
    Array with n elements along the axis, of floats or complex numbers.

    Raises
    ------
    ValueError
        Another type or norm; no elements; type 1 of one element.

    Examples
    --------
    >>> import anvl.numpy as np
    >>> from anvl.scipy import fft
    >>> print(np.round(fft.dct(np.asarray([1.0, -1.0]), norm="ortho"), 5) + 0.0)
    [0.      1.41421]
    """
    _check("dct", type, norm)
    return _transform(x, type, n, axis, norm, "dct")


@hiding_frames
def idct(
    x: Any, type: int = 2, n: int | None = None, axis: int = -1, norm: str | None = None
) -> Any:
    """Inverse of `dct` of the same type and norm.

    Parameters
    ----------
    x : array
    type, n, axis, norm
        As of `dct`.

    Returns
    -------
    Array with n elements along the axis, of floats or complex numbers.

    Raises
    ------
    ValueError
        As `dct`.

    Examples
    --------
    >>> import anvl.numpy as np
    >>> from anvl.scipy import fft
    >>> print(np.round(fft.idct(fft.dct(np.asarray([1.0, 2.0]))), 5))
    [1. 2.]
    """
    _check("idct", type, norm)
    return _transform(x, _INVERSE[type], n, axis, _NORMS[norm], "idct")


@public("kind", "n", "axis", "norm", "name")
def _transform(x: Any, kind: int, n: int | None, axis: int, norm: str | None, name: str) -> Any:
    (y,), _ = promoted(name, (x,), "float")
    at = axis_of(axis, y.ndim, name)
    y = anp.moveaxis(y, at, -1)
    size = y.shape[-1] if n is None else int_of(n, "n", name, least=1)
    if size < 1 + (kind == 1):
        raise ValueError(f"{name}: {size} elements along the axis; give at least {1 + (kind == 1)}")
    y = y[..., :size]
    y = anp.pad(y, [*[(0, 0)] * (y.ndim - 1), (0, size - y.shape[-1])])
    if y.dtype.kind == "c":
        parts = [_of_real(part, kind, norm) for part in (anp.real(y), anp.imag(y))]
        found = anp.add(parts[0], anp.multiply(parts[1], 1j))
    else:
        found = _of_real(y, kind, norm)
    return anp.moveaxis(found, -1, at)


def _of_real(x: Any, kind: int, norm: str | None) -> Any:
    n = x.shape[-1]
    length = 2 * (n - 1) if kind == 1 else 2 * n
    ends = np.ones(n)  # of these the orthogonal transform takes other multiples
    if norm == "ortho" and kind != 4:
        ends[0] = 2**0.5
        ends[-1] = 2**0.5 if kind == 1 else ends[-1]
    if kind in (1, 3):
        x = anp.multiply(x, anp.asarray(ends, dtype=x.dtype))
    y = _SUMS[kind](x, n)
    if kind in (1, 2):
        y = anp.divide(y, anp.asarray(ends, dtype=x.dtype))
    divisor = {"ortho": length**0.5, "forward": float(length)}.get(norm or "", 1.0)
    return anp.divide(y, divisor)


def _turn(angles: Any, like: Any) -> Any:
    dtype = "complex128" if like.dtype.itemsize == 8 else "complex64"
    return anp.asarray(np.exp(-1j * np.pi * angles), dtype=dtype)


def _first(x: Any, n: int) -> Any:
    return anp.real(anp.fft.rfft(anp.concatenate([x, anp.flip(x[..., 1:-1], axis=-1)], axis=-1)))


def _second(x: Any, n: int) -> Any:
    both = anp.fft.fft(anp.concatenate([x, anp.flip(x, axis=-1)], axis=-1))[..., :n]
    return anp.real(anp.multiply(both, _turn(np.arange(n) / (2 * n), x)))


def _third(x: Any, n: int) -> Any:
    turned = anp.multiply(x, _turn(np.arange(n) / (2 * n), x))
    turned = anp.concatenate([anp.multiply(turned[..., :1], 0.5), turned[..., 1:]], axis=-1)
    return anp.multiply(anp.real(anp.fft.fft(turned, 2 * n)[..., :n]), 2)


def _fourth(x: Any, n: int) -> Any:
    places = np.arange(n)
    turned = anp.fft.fft(anp.multiply(x, _turn(places / (2 * n), x)), 2 * n)[..., :n]
    return anp.multiply(anp.real(anp.multiply(turned, _turn((2 * places + 1) / (4 * n), x))), 2)


_SUMS = {1: _first, 2: _second, 3: _third, 4: _fourth}


# -- of several axes --------------------------------------------------------------------------


@hiding_frames
def dctn(
    x: Any,
    type: int = 2,
    s: Sequence[int] | None = None,
    axes: Any = None,
    norm: str | None = None,
) -> Any:
    """Discrete cosine transform along several axes.

    Parameters
    ----------
    x : array
    type, norm
        As of `dct`.
    s : sequence of int, optional
        The n of each axis.
    axes : int or sequence of int, optional
        By default all, or the last len(s).

    Returns
    -------
    Array of floats or complex numbers.

    Raises
    ------
    ValueError
        As `dct`; s and axes that differ in length.

    Examples
    --------
    >>> import anvl.numpy as np
    >>> from anvl.scipy import fft
    >>> print(fft.dctn(np.ones((2, 2))))
    [[16.  0.]
     [ 0.  0.]]
    """
    return _along_axes("dctn", dct, x, type, s, axes, norm)


@hiding_frames
def idctn(
    x: Any,
    type: int = 2,
    s: Sequence[int] | None = None,
    axes: Any = None,
    norm: str | None = None,
) -> Any:
    """Inverse of `dctn`.

    Parameters
    ----------
    x : array
    type, s, axes, norm
        As of `dctn`.

    Returns
    -------
    Array of floats or complex numbers.

    Raises
    ------
    ValueError
        As `dctn`.

    Examples
    --------
    >>> import anvl.numpy as np
    >>> from anvl.scipy import fft
    >>> print(np.round(fft.idctn(fft.dctn(np.ones((2, 1)))), 5))
    [[1.]
     [1.]]
    """
    return _along_axes("idctn", idct, x, type, s, axes, norm)


def _along_axes(name: str, f: Any, x: Any, type: int, s: Any, axes: Any, norm: str | None) -> Any:
    rank = np.ndim(x)
    sizes = None if s is None else [int(n) for n in np.atleast_1d(s)]
    if axes is None:
        axes = range(rank) if sizes is None else range(rank - len(sizes), rank)
    along = each_axis(axes if isinstance(axes, int) else tuple(axes), rank, name)
    if sizes is not None and len(sizes) != len(along):
        raise ValueError(f"{name}: s is {s} and axes {list(along)}; give a size for each axis")
    for i, axis in enumerate(along):
        x = f(x, type, None if sizes is None else sizes[i], axis, norm)
    return x
