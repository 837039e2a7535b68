"""Matrices made of vectors: `toeplitz`, `circulant`, `companion`, `block_diag` and others.

`solve_circulant` solves a system with one of them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import anvl.numpy as anp
from anvl.core.promote import as_tracer, promoted
from anvl.dispatch.eager import public
from anvl.numpy.arrays.axes import axis_of, int_of
from anvl.scipy.linalg.stacks import one_of

__all__ = [
    "block_diag", "circulant", "companion", "convolution_matrix", "fiedler", "fiedler_companion",
    "hankel", "leslie", "solve_circulant", "toeplitz",
]  # fmt: skip


@public()
def block_diag(*arrs: Any) -> Any:
    """Matrix with the given matrices along its diagonal, and zeros elsewhere.

    Parameters
    ----------
    *arrs : array of shape (..., m, n)
        Vectors are matrices of one row, numbers are of shape (1, 1); axes before the last two
        broadcast.

    Returns
    -------
    An array of the common dtype, whose shape is the sum of those given; (1, 0) without any.

    Raises
    ------
    ValueError
        Stacks that do not broadcast.

    Examples
    --------
    >>> import anvl.numpy as np
    >>> from anvl.scipy import linalg
    >>> print(linalg.block_diag(np.ones((1, 2)), 3.0))
    [[1. 1. 0.]
     [0. 0. 3.]]
    """
    if not arrs:
        return anp.zeros((1, 0))
    parts, _ = promoted("block_diag", arrs, broadcast=False)
    blocks = [anp.atleast_2d(x) for x in parts]
    stack = anp.broadcast_shapes(*(x.shape[:-2] for x in blocks))
    total = sum(x.shape[-1] for x in blocks)
    rows, before = [], 0
    for x in blocks:
        wide = anp.broadcast_to(x, (*stack, *x.shape[-2:]))
        beside = (before, total - before - x.shape[-1])
        rows.append(anp.pad(wide, [*[(0, 0)] * (len(stack) + 1), beside]))
        before += x.shape[-1]
    return anp.concatenate(rows, axis=-2)


def _vector(name: str, x: Any) -> Any:
    v = as_tracer(x, name)
    return anp.reshape(v, (1,)) if v.ndim == 0 else v


def _from_diagonals(values: Any, m: int, n: int) -> Any:
    """Matrices of m rows whose diagonals, from the lowest to the highest, are the given values."""
    index = np.arange(n)[None, :] - np.arange(m)[:, None] + m - 1
    return anp.take(values, index.astype(np.int32), axis=-1)


@public()
def toeplitz(c: Any, r: Any = None) -> Any:
    """Toeplitz matrix: equal elements along each diagonal.

    Parameters
    ----------
    c : array of shape (..., m)
        First column.
    r : array of shape (..., n), optional
        First row, of which the first element is not read; by default the conjugate of c.

    Returns
    -------
    An array of shape (..., m, n).

    Raises
    ------
    ValueError
        A number, or stacks that do not broadcast.

    Examples
    --------
    >>> import anvl.numpy as np
    >>> from anvl.scipy import linalg
    >>> print(linalg.toeplitz(np.asarray([1, 2, 3]), np.asarray([0, 4])))
    [[1 4]
     [2 1]
     [3 2]]
    """
    column = _vector("toeplitz", c)
    row = anp.conj(column) if r is None else _vector("toeplitz", r)
    column, row = _of_one_stack("toeplitz", column, row)
    values = anp.concatenate([anp.flip(column, axis=-1), row[..., 1:]], axis=-1)
    return _from_diagonals(values, column.shape[-1], row.shape[-1])


def _of_one_stack(name: str, a: Any, b: Any) -> tuple[Any, Any]:
    (a, b), _ = promoted(name, (a, b), broadcast=False)
    stack = anp.broadcast_shapes(a.shape[:-1], b.shape[:-1])
    return (
        anp.broadcast_to(a, (*stack, a.shape[-1])),
        anp.broadcast_to(b, (*stack, b.shape[-1])),
    )


@public()
def circulant(c: Any) -> Any:
    """Circulant matrix: each column is the one before it, turned down by one place.

    Parameters
    ----------
    c : array of shape (..., n)
        First column.

    Returns
    -------
    An array of shape (..., n, n).

    Raises
    ------
    ValueError
        c is a number.

    Examples
    --------
    >>> import anvl.numpy as np
    >>> from anvl.scipy import linalg
    >>> print(linalg.circulant(np.asarray([1, 2, 3])))
    [[1 3 2]
     [2 1 3]
     [3 2 1]]
    """
    column = _vector("circulant", c)
    n = column.shape[-1]
    index = (np.arange(n)[:, None] - np.arange(n)) % max(n, 1)
    return anp.take(column, index.astype(np.int32), axis=-1)


@public()
def hankel(c: Any, r: Any = None) -> Any:
    """Hankel matrix: equal elements along each line from below to the right.

    Parameters
    ----------
    c : array of shape (..., m)
        First column.
    r : array of shape (..., n), optional
        Last row, of which the first element is not read; by default zeros, n = m.

    Returns
    -------
    An array of shape (..., m, n).

    Raises
    ------
    ValueError
        A number, or stacks that do not broadcast.

    Examples
    --------
    >>> import anvl.numpy as np
    >>> from anvl.scipy import linalg
    >>> print(linalg.hankel(np.asarray([1, 2, 3])))
    [[1 2 3]
     [2 3 0]
     [3 0 0]]
    """
    column = _vector("hankel", c)
    row = anp.zeros_like(column) if r is None else _vector("hankel", r)
    column, row = _of_one_stack("hankel", column, row)
    values = anp.concatenate([column, row[..., 1:]], axis=-1)
    m, n = column.shape[-1], row.shape[-1]
    index = np.arange(m)[:, None] + np.arange(n)
    return anp.take(values, index.astype(np.int32), axis=-1)


@public()
def companion(a: Any) -> Any:
    """Companion matrix of a polynomial: its eigenvalues are the roots.

    Parameters
    ----------
    a : array of shape (..., n)
        Coefficients, the highest power first; n is at least 2.

    Returns
    -------
    An array of floats of shape (..., n - 1, n - 1); infinite or NaN where the first coefficient is
    0.

    Raises
    ------
    ValueError
        Fewer than 2 coefficients.

    Examples
    --------
    >>> import anvl.numpy as np
    >>> from anvl.scipy import linalg
    >>> print(linalg.companion(np.asarray([1.0, -10.0, 31.0, -30.0])))
    [[ 10. -31.  30.]
     [  1.   0.   0.]
     [  0.   1.   0.]]
    """
    x = _coefficients("companion", a)
    first = anp.divide(anp.negative(x[..., 1:]), x[..., :1])
    n = first.shape[-1]
    below = anp.eye(n - 1, n, dtype=x.dtype)
    stack = anp.broadcast_to(below, (*x.shape[:-1], *below.shape))
    return anp.concatenate([anp.expand_dims(first, -2), stack], axis=-2)


def _coefficients(name: str, a: Any) -> Any:
    (x,), _ = promoted(name, (a,), "float")
    if x.ndim == 0 or x.shape[-1] < 2:
        raise ValueError(f"{name}: a is {x.aval}; give at least 2 coefficients")
    return x


@public()
def fiedler_companion(a: Any) -> Any:
    """Fiedler's companion matrix, of five diagonals; parameters and errors as of `companion`.

    Source: M. Fiedler, A note on companion matrices (2003).

    >>> import anvl.numpy as np
    >>> from anvl.scipy import linalg
    >>> print(linalg.fiedler_companion(np.asarray([1.0, -6.0, 11.0, -6.0])))
    [[  6. -11.   1.]
     [  1.   0.   0.]
     [  0.   6.   0.]]
    """
    x = _coefficients("fiedler_companion", a)
    c = anp.divide(anp.negative(x[..., 1:]), x[..., :1])
    n = c.shape[-1]
    # Row i has coefficients and ones in these columns.
    entries: dict[tuple[int, int], Any] = {(0, 0): c[..., 0]}
    if n > 1:
        entries |= {(0, 1): c[..., 1], (1, 0): 1.0}
    for i in range(2, n):
        if i % 2:
            entries |= {(i, i - 2): 1.0}
        else:
            entries |= {(i, i - 1): c[..., i], (i - 2, i): 1.0}
            if i + 1 < n:
                entries |= {(i, i + 1): c[..., i + 1]}
    zero = anp.zeros_like(c[..., 0])
    rows = [
        anp.stack([anp.add(zero, entries.get((i, j), 0.0)) for j in range(n)], axis=-1)
        for i in range(n)
    ]
    return anp.stack(rows, axis=-2)


_CONVOLUTIONS: dict[str, Callable[[int, int], tuple[int, int]]] = {
    "full": lambda m, n: (0, m + n - 1),
    "same": lambda m, n: ((min(m, n) - 1) // 2, max(m, n)),
    "valid": lambda m, n: (min(m, n) - 1, max(m, n) - min(m, n) + 1),
}


@public("n", "mode")
def convolution_matrix(a: Any, n: int, mode: str = "full") -> Any:
    """Matrix A with A @ v = convolve(a, v, mode) for vectors v of n elements.

    Parameters
    ----------
    a : array of shape (..., m)
    n : int
        At least 1.
    mode : {"full", "same", "valid"}

    Returns
    -------
    An array of shape (..., k, n), with the k of `convolve`.

    Raises
    ------
    ValueError
        Another mode, an n below 1, an empty a.

    Examples
    --------
    >>> import anvl.numpy as np
    >>> from anvl.scipy import linalg
    >>> print(linalg.convolution_matrix(np.asarray([1, 2]), 2))
    [[1 0]
     [2 1]
     [0 2]]
    """
    one_of("convolution_matrix", "mode", mode, tuple(_CONVOLUTIONS))
    n = int_of(n, "n", "convolution_matrix", least=1)
    x = _vector("convolution_matrix", a)
    m = x.shape[-1]
    if m == 0:
        raise ValueError(f"convolution_matrix: a is {x.aval}; give at least 1 element")
    first, count = _CONVOLUTIONS[mode](m, n)
    around = anp.pad(x, [*[(0, 0)] * (x.ndim - 1), (n - 1, n - 1)])
    index = np.arange(first, first + count)[:, None] + n - 1 - np.arange(n)
    return anp.take(around, index.astype(np.int32), axis=-1)


@public()
def leslie(f: Any, s: Any) -> Any:
    """Leslie matrix: births f in the first row, survival s below the diagonal.

    Parameters
    ----------
    f : array of shape (..., n)
    s : array of shape (..., n - 1)

    Returns
    -------
    An array of shape (..., n, n).

    Raises
    ------
    ValueError
        Sizes that do not fit.

    Examples
    --------
    >>> import anvl.numpy as np
    >>> from anvl.scipy import linalg
    >>> print(linalg.leslie(np.asarray([0.1, 2.0]), np.asarray([0.5])))
    [[0.1 2. ]
     [0.5 0. ]]
    """
    first, rest = _of_one_stack("leslie", _vector("leslie", f), _vector("leslie", s))
    n = first.shape[-1]
    if n < 2 or rest.shape[-1] != n - 1:
        raise ValueError(
            f"leslie: f is {first.aval} and s {rest.aval}; give n and n - 1 elements, n at least 2"
        )
    below = anp.multiply(anp.expand_dims(rest, -1), anp.eye(n - 1, n, dtype=rest.dtype))
    return anp.concatenate([anp.expand_dims(first, -2), below], axis=-2)


@public()
def fiedler(a: Any) -> Any:
    """Matrix of the distances |a_i - a_j|.

    Parameters
    ----------
    a : array of shape (..., n)

    Returns
    -------
    An array of shape (..., n, n).

    Raises
    ------
    ValueError
        a is a number.

    Examples
    --------
    >>> import anvl.numpy as np
    >>> from anvl.scipy import linalg
    >>> print(linalg.fiedler(np.asarray([1, 4])))
    [[0 3]
     [3 0]]
    """
    x = _vector("fiedler", a)
    return anp.abs(anp.subtract(anp.expand_dims(x, -1), anp.expand_dims(x, -2)))


@public("caxis", "baxis", "outaxis")
def solve_circulant(c: Any, b: Any, *, caxis: int = -1, baxis: int = 0, outaxis: int = 0) -> Any:
    """Solve C x = b, where C is the circulant matrix whose first column is c, by `fft`.

    Parameters
    ----------
    c : array
        With an axis of size n, the first columns.
    b : array
        With an axis of size n, the right sides: the columns of a matrix.
    caxis, baxis, outaxis : int
        The axes of size n of c, of b, and of the result.

    Returns
    -------
    An array, real if c and b are; its other axes are those of c and b, broadcast.  Infinite or NaN
    where C is singular.

    Raises
    ------
    ValueError
        The sizes differ, or the other axes do not broadcast.
    AxisError
        c, b or the result lacks the axis.

    Notes
    -----
    The eigenvalues of C are the discrete Fourier transform of c.
    Source: G. Golub and C. Van Loan, Matrix Computations (4th ed., 2013), section 4.8.2.

    Examples
    --------
    >>> import anvl.numpy as np
    >>> from anvl.scipy import linalg
    >>> print(linalg.solve_circulant(np.asarray([2.0, 0.0]), np.asarray([2.0, 4.0])))
    [1. 2.]
    """
    (x, y), _ = promoted("solve_circulant", (c, b), at_least="float", broadcast=False)
    x, y = (
        anp.moveaxis(a, axis_of(axis, a.ndim, "solve_circulant"), -1)
        for a, axis in ((x, caxis), (y, baxis))
    )
    if x.shape[-1] != y.shape[-1]:
        raise ValueError(
            f"solve_circulant: c has {x.shape[-1]} elements along axis {caxis}, and b "
            f"{y.shape[-1]} along axis {baxis}; give as many"
        )
    if not x.shape[-1]:
        return anp.moveaxis(y, -1, axis_of(outaxis, y.ndim, "solve_circulant"))
    found = anp.fft.ifft(anp.divide(anp.fft.fft(y), anp.fft.fft(x)))
    made = found if x.dtype.kind == "c" else anp.real(found)
    return anp.moveaxis(made, -1, axis_of(outaxis, made.ndim, "solve_circulant"))
