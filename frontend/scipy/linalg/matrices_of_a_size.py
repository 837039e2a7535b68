"""Matrices that their size defines: `hilbert`, `pascal`, `hadamard`, `helmert`, `dft`."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

import anvl.numpy as anp
from anvl.core.config import as_dtype, default_dtype
from anvl.numpy.arrays.axes import int_of
from anvl.runtime import hiding_frames
from anvl.scipy.linalg.stacks import one_of

__all__ = ["dft", "hadamard", "helmert", "hilbert", "invhilbert", "invpascal", "pascal"]


def _real(dtype: Any = None) -> np.dtype[Any]:
    return default_dtype(float) if dtype is None else as_dtype(dtype)


@hiding_frames
def hilbert(n: int) -> Any:
    """Hilbert matrix of n rows, 1 / (i + j + 1), in the default dtype of floats.

    >>> from anvl.scipy import linalg
    >>> print(linalg.hilbert(2))
    [[1.         0.5       ]
     [0.5        0.33333334]]
    """
    i = np.arange(int_of(n, "n", "hilbert", least=0))
    return anp.asarray(1.0 / (i[:, None] + i + 1), dtype=_real())


@hiding_frames
def invhilbert(n: int, exact: bool = False) -> Any:
    """Inverse of the Hilbert matrix of n rows, whose elements are integers.

    Parameters
    ----------
    n : int
    exact : bool
        Whether to give integers; else floats, of the default dtype.

    Returns
    -------
    An array of shape (n, n).

    Raises
    ------
    ValueError
        `exact`, and elements that no dtype of integers holds.

    Notes
    -----
    Source: M.-D. Choi, Tricks or treats with the Hilbert matrix (1983).

    Examples
    --------
    >>> from anvl.scipy import linalg
    >>> print(linalg.invhilbert(2))
    [[ 4. -6.]
     [-6. 12.]]
    """
    n = int_of(n, "n", "invhilbert", least=0)

    def element(i: int, j: int) -> int:
        sign, k = (-1) ** (i + j), i + j + 1
        both = math.comb(n + i, n - j - 1) * math.comb(n + j, n - i - 1)
        return sign * k * both * math.comb(i + j, i) ** 2

    return _of_integers("invhilbert", n, element, bool(exact))


def _of_integers(name: str, n: int, element: Callable[[int, int], int], exact: bool) -> Any:
    rows = [[element(i, j) for j in range(n)] for i in range(n)]
    if not exact:
        return anp.asarray(np.array(rows, float).reshape(n, n), dtype=_real())
    largest = max((abs(x) for row in rows for x in row), default=0)
    dtype = next((d for d in (default_dtype(int), np.dtype("i8")) if largest <= np.iinfo(d).max), 0)
    if dtype == 0:
        raise ValueError(f"{name}: {largest} is too large for an integer of 64 bits; exact=False")
    return anp.asarray(np.array(rows, np.int64).reshape(n, n), dtype=dtype)


_KINDS = ("symmetric", "lower", "upper")


@hiding_frames
def pascal(n: int, kind: str = "symmetric", exact: bool = True) -> Any:
    """Pascal matrix of n rows, of binomial coefficients.

    Parameters
    ----------
    n : int
    kind : {"symmetric", "lower", "upper"}
        comb(i + j, i), the coefficients comb(i, j), or the transpose of these.
    exact : bool
        Whether to give integers; else floats, of the default dtype.

    Returns
    -------
    An array of shape (n, n).

    Raises
    ------
    ValueError
        Another kind; `exact`, and elements that no dtype of integers holds.

    Examples
    --------
    >>> from anvl.scipy import linalg
    >>> print(linalg.pascal(3))
    [[1 1 1]
     [1 2 3]
     [1 3 6]]
    """
    one_of("pascal", "kind", kind, _KINDS)
    n = int_of(n, "n", "pascal", least=0)
    element = {
        "symmetric": lambda i, j: math.comb(i + j, i),
        "lower": math.comb,
        "upper": lambda i, j: math.comb(j, i),
    }[kind]
    return _of_integers("pascal", n, element, bool(exact))


@hiding_frames
def invpascal(n: int, kind: str = "symmetric", exact: bool = True) -> Any:
    """Inverse of the Pascal matrix; parameters and errors as of `pascal`.

    >>> from anvl.scipy import linalg
    >>> print(linalg.invpascal(3))
    [[ 3 -3  1]
     [-3  5 -2]
     [ 1 -2  1]]
    """
    one_of("invpascal", "kind", kind, _KINDS)
    n = int_of(n, "n", "invpascal", least=0)

    def lower(i: int, j: int) -> int:
        return (-1) ** (i + j) * math.comb(i, j)

    def symmetric(i: int, j: int) -> int:
        """Of the product of the inverses of both triangles."""
        return sum(lower(k, i) * lower(k, j) for k in range(max(i, j), n))

    element = {"symmetric": symmetric, "lower": lower, "upper": lambda i, j: lower(j, i)}[kind]
    return _of_integers("invpascal", n, element, bool(exact))


@hiding_frames
def hadamard(n: int, dtype: Any = int) -> Any:
    """Hadamard matrix of n rows, a power of 2: of 1 and -1, with orthogonal columns.

    Sylvester's construction.  Raises `ValueError` for another n.

    >>> from anvl.scipy import linalg
    >>> print(linalg.hadamard(2))
    [[ 1  1]
     [ 1 -1]]
    """
    n = int_of(n, "n", "hadamard", least=1)
    if n & (n - 1):
        raise ValueError(f"hadamard: n is {n}; it must be a power of 2")
    i = np.arange(n)
    parity = np.array([bin(k).count("1") & 1 for k in range(n)])
    signs = 1 - 2 * parity[i[:, None] & i]
    return anp.asarray(signs, dtype=default_dtype(int) if dtype is int else as_dtype(dtype))


@hiding_frames
def helmert(n: int, full: bool = False) -> Any:
    """Helmert matrix: orthonormal rows that sum to 0, below a constant row with `full`.

    Parameters
    ----------
    n : int
        At least 1.
    full : bool
        Whether the constant row is there.

    Returns
    -------
    An array of shape (n, n) or (n - 1, n), in the default dtype of floats.

    Notes
    -----
    Source: H. O. Lancaster, The Helmert matrices (1965).

    Examples
    --------
    >>> from anvl.scipy import linalg
    >>> print(linalg.helmert(2))
    [[ 0.70710677 -0.70710677]]
    """
    n = int_of(n, "n", "helmert", least=1)
    k = np.arange(1, n)[:, None]
    rows = np.tri(n - 1, n) - (np.arange(n) == k) * k
    rows = rows / np.sqrt(k * (k + 1))
    if full:
        rows = np.concatenate([np.full((1, n), n**-0.5), rows])
    return anp.asarray(rows, dtype=_real())


@hiding_frames
def dft(n: int, scale: str | None = None, *, dtype: Any = None) -> Any:
    """Matrix of the discrete Fourier transform: `dft(n) @ x` is `fft(x)`.

    Parameters
    ----------
    n : int
    scale : {None, "sqrtn", "n"}
        What to divide by: 1, the root of n, or n.
    dtype : dtype, optional
        A complex one; by default that of the default dtype of floats.

    Returns
    -------
    An array of shape (n, n).

    Raises
    ------
    ValueError
        Another scale.

    Examples
    --------
    >>> import anvl.numpy as np
    >>> from anvl.scipy import linalg
    >>> print(np.real(linalg.dft(2)))
    [[ 1.  1.]
     [ 1. -1.]]
    """
    one_of("dft", "scale", scale, (None, "sqrtn", "n"))
    n = int_of(n, "n", "dft", least=0)
    i = np.arange(n)
    turns = (i[:, None] * i) % max(n, 1)  # so that the angle has no more digits than it needs
    values = np.exp(-2j * np.pi * turns / max(n, 1))
    divisor = {None: 1.0, "sqrtn": math.sqrt(n), "n": float(n)}[scale]
    return anp.asarray(
        values / (divisor or 1.0),
        dtype=default_dtype(complex) if dtype is None else as_dtype(dtype),
    )
