"""Banded systems of `anvl.scipy.linalg`, by elimination in a window that moves down the diagonal.

Note [Rows of a band]

SciPy stores a matrix with l diagonals below and u above the main one by its diagonals,
`ab[u + i - j, j] = a[i, j]`.  Here it is stored by its rows, `rows[i, c] = a[i, i - l + c]`, with
zeros outside of the matrix, whose numbers in `ab` are not read.  A column of `ab` is a row of the
transpose.

A step of the elimination looks at l + 1 rows of l + u + 1 columns, those that begin in the column
of the pivot: it chooses a pivot, subtracts, moves one column on and takes in the next row.  The
program is of one size, whatever n is.  Derivatives are solutions, too: `custom_linear_solve`.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import anvl.numpy as anp
from anvl.control_flow.loops import scan
from anvl.control_flow.solves import custom_linear_solve
from anvl.core.promote import promoted
from anvl.core.tracer import Tracer
from anvl.dispatch.eager import public
from anvl.runtime import hiding_frames
from anvl.transforms.vmap import vmap

__all__ = ["solve_banded", "solveh_banded"]


@hiding_frames
def solve_banded(
    l_and_u: tuple[int, int],
    ab: Any,
    b: Any,
    overwrite_ab: bool = False,
    overwrite_b: bool = False,
    check_finite: bool = True,
) -> Any:
    """Solve a x = b for banded matrices, by elimination with exchanges of rows.

    Parameters
    ----------
    l_and_u : pair of int
        The numbers l and u of diagonals below and above the main one.
    ab : array of shape (..., l + u + 1, n)
        The diagonals, from the uppermost down: `ab[u + i - j, j] = a[i, j]`.  Elements outside of
        the matrix are not read.
    b : array of shape (n,) or (..., n, k)
        One right-hand side, or stacks of k.
    overwrite_ab, overwrite_b, check_finite : bool
        Without effect.

    Returns
    -------
    An array of the shape of b; infinite or NaN where a is singular.

    Raises
    ------
    LinAlgError
        Shapes that do not fit.
    TypeError
        l or u is no integer.
    ValueError
        l or u is negative, or ab has another number of diagonals.

    Notes
    -----
    n steps of (l + 1) (l + u + 1) operations.  Source: G. Golub, C. Van Loan, Matrix Computations
    (2013), section 4.3.

    Examples
    --------
    >>> import anvl.numpy as np
    >>> from anvl.scipy import linalg
    >>> ab = np.asarray([[0.0, 1.0, 1.0], [4.0, 4.0, 4.0], [1.0, 1.0, 0.0]])
    >>> print(linalg.solve_banded((1, 1), ab, np.asarray([6.0, 12.0, 14.0])))
    [1. 2. 3.]
    """
    low, high = _counts(l_and_u)
    return _solve(ab, b, low, high)


def _counts(l_and_u: Any) -> tuple[int, int]:
    pair = tuple(l_and_u) if isinstance(l_and_u, tuple | list) else (l_and_u,)
    if len(pair) != 2 or not all(isinstance(n, int) and not isinstance(n, bool) for n in pair):
        raise TypeError(f"solve_banded: l_and_u is {l_and_u!r}; give two integers, such as (1, 1)")
    if min(pair) < 0:
        raise ValueError(f"solve_banded: l_and_u is {l_and_u!r}; neither count can be negative")
    return pair


@public("low", "high")
def _solve(ab: Any, b: Any, low: int, high: int) -> Any:
    (x, y), _ = promoted("solve_banded", (ab, b), at_least="float", broadcast=False)
    if x.ndim < 2 or x.shape[-2] != low + high + 1:
        raise ValueError(
            f"solve_banded: ab is {x.aval}, but l_and_u, {(low, high)}, asks for {low + high + 1} "
            "diagonals: give (..., l + u + 1, n)"
        )
    return _by_stacks("solve_banded", partial(_solved, low=low, high=high), x, y)


@hiding_frames
def solveh_banded(
    ab: Any,
    b: Any,
    overwrite_ab: bool = False,
    overwrite_b: bool = False,
    lower: bool = False,
    check_finite: bool = True,
) -> Any:
    """Solve a x = b for Hermitian positive definite banded matrices, by elimination.

    Parameters
    ----------
    ab : array of shape (..., u + 1, n)
        The main diagonal and those above it, from the uppermost down: `ab[u + i - j, j] = a[i, j]`;
        if `lower`, those below it: `ab[i - j, j] = a[i, j]`.  Elements outside of the matrix are
        not read.
    b : array of shape (n,) or (..., n, k)
        One right-hand side, or stacks of k.
    overwrite_ab, overwrite_b, check_finite : bool
        Without effect.
    lower : bool
        Whether ab has the lower diagonals.

    Returns
    -------
    An array of the shape of b; NaN where a is not positive definite.

    Raises
    ------
    LinAlgError
        Shapes that do not fit.
    ValueError
        ab has no diagonals.

    Examples
    --------
    >>> import anvl.numpy as np
    >>> from anvl.scipy import linalg
    >>> ab = np.asarray([[0.0, 1.0, 1.0], [4.0, 4.0, 4.0]])
    >>> print(linalg.solveh_banded(ab, np.asarray([6.0, 12.0, 14.0])))
    [1. 2. 3.]
    """
    return _solve_hermitian(ab, b, bool(lower))


@public("lower")
def _solve_hermitian(ab: Any, b: Any, lower: bool) -> Any:
    (x, y), _ = promoted("solveh_banded", (ab, b), at_least="float", broadcast=False)
    if x.ndim < 2 or not x.shape[-2]:
        raise ValueError(f"solveh_banded: ab is {x.aval}; give diagonals, (..., u + 1, n)")
    count = x.shape[-2] - 1
    solved = partial(_solved, low=count, high=count, of_half=_lower if lower else _upper)
    return _by_stacks("solveh_banded", solved, x, y)


def _by_stacks(name: str, solved: Any, ab: Tracer, b: Tracer) -> Any:
    """`solved` for each matrix of a stack, and its right-hand sides."""
    n = ab.shape[-1]
    if b.ndim == 0 or b.shape[-1 if b.ndim == 1 else -2] != n:
        raise anp.linalg.LinAlgError(
            f"{name}: b is {b.aval}, which does not fit ab, {ab.aval}; give ({n},) or (..., {n}, k)"
        )
    columns = anp.expand_dims(b, -1) if b.ndim == 1 else b
    stack = anp.broadcast_shapes(ab.shape[:-2], columns.shape[:-2])
    columns = anp.broadcast_to(columns, (*stack, *columns.shape[-2:]))
    if columns.size:
        ab = anp.broadcast_to(ab, (*stack, *ab.shape[-2:]))
        for _ in stack:
            solved = vmap(solved)
        columns = solved(ab, columns)
    return anp.squeeze(columns, -1) if b.ndim == 1 else columns


# -- one matrix: see Note [Rows of a band] ---------------------------------------------------------


def _solved(ab: Any, b: Any, low: int, high: int, of_half: Any = None) -> Any:
    """Solution for one matrix; of its half, `of_half` makes the rows."""
    if of_half is None:
        rows, columns = _rows(ab, low, high), _inside(anp.matrix_transpose(ab), high)
    else:
        rows = of_half(ab, low)
        columns = anp.conj(rows)

    def matvec(x: Any) -> Any:
        padded = anp.pad(x, ((low, high), (0, 0)))
        n = x.shape[0]
        return sum(rows[:, c, None] * padded[c : c + n] for c in range(low + high + 1))

    def solve(rows: Any, low: int, matvec: Any, b: Any) -> Any:
        return _substituted(*_eliminated(rows, b, low, exchanges=of_half is None))

    if low == high == 0:
        return anp.divide(b, rows)
    return custom_linear_solve(matvec, b, partial(solve, rows, low), partial(solve, columns, high))


def _rows(ab: Any, low: int, high: int) -> Any:
    """Rows of a band that is given by all of its diagonals."""
    n, width = ab.shape[-1], low + high + 1
    padded = anp.pad(ab, ((0, 0), (low, high)))
    shifted = [padded[low + high - c, c : c + n] for c in range(width)]
    return _inside(anp.stack(shifted, axis=1), low)


def _inside(rows: Any, low: int) -> Any:
    """Rows with zeros for what lies outside of the matrix."""
    n, width = rows.shape
    column = anp.arange(n)[:, None] - low + anp.arange(width)
    return anp.where((column >= 0) & (column < n), rows, 0)


def _lower(ab: Any, count: int) -> Any:
    """Rows of a Hermitian band, of the main diagonal and those below: `ab[i - j, j] = a[i, j]`."""
    right = _inside(anp.conj(anp.matrix_transpose(ab[1:])), -1)  # a[j, i] of a column j
    n = ab.shape[-1]
    padded = anp.pad(ab, ((0, 0), (count, 0)))
    left = [padded[d, count - d : count - d + n] for d in range(count, 0, -1)]
    below = _inside(anp.stack(left, axis=1), count) if left else right
    return anp.concatenate([below, _real(ab[0])[:, None], right], axis=1)


def _upper(ab: Any, count: int) -> Any:
    """The same, of the main diagonal and those above: `ab[u + i - j, j] = a[i, j]`."""
    n = ab.shape[-1]
    left = _inside(anp.conj(anp.matrix_transpose(ab[:-1])), count)  # a[i, j] of a column j
    padded = anp.pad(ab, ((0, 0), (0, count)))
    right = [padded[count - d, d : d + n] for d in range(1, count + 1)]
    above = _inside(anp.stack(right, axis=1), -1) if right else left
    return anp.concatenate([left, _real(ab[-1])[:, None], above], axis=1)


def _real(diagonal: Any) -> Any:
    return anp.astype(anp.real(diagonal), diagonal.dtype)


def _eliminated(rows: Any, b: Any, low: int, exchanges: bool) -> tuple[Any, Any]:
    """The rows of the upper factor, each from its pivot on, and what b becomes."""
    later = low + 1
    rows = anp.pad(rows, ((0, later), (0, 0)))
    b = anp.pad(b, ((0, later), (0, 0)))
    first = [
        anp.pad(rows[r, low - r :], ((0, low - r),)) for r in range(later)
    ]  # row r begins in column r - low; what lies left of column 0 is none

    def step(window: Any, new: Any) -> Any:
        a, y = window
        pivot, y_pivot, a, y = _pivoted(a, y, exchanges)
        factors = anp.divide(a[:, :1], pivot[0])
        a = anp.pad(a[:, 1:] - factors * pivot[1:], ((0, 0), (0, 1)))
        y = y - factors * y_pivot
        a_new, y_new = new
        return (
            (anp.concatenate([a, a_new[None]]), anp.concatenate([y, y_new[None]])),
            (pivot, y_pivot),
        )

    return scan(step, (anp.stack(first), b[:later]), (rows[later:], b[later:]))[1]


def _pivoted(a: Any, y: Any, exchanges: bool) -> tuple[Any, Any, Any, Any]:
    """The row of the pivot of a window, and its right-hand side; the other rows, and theirs."""
    if not exchanges:
        head = anp.real(a[0, 0])
        positive = anp.where(head > 0, head, anp.nan)
        pivot = anp.concatenate([anp.astype(positive, a.dtype)[None], a[0, 1:]])
        return pivot, y[0], a[1:], y[1:]
    chosen = anp.equal(anp.arange(a.shape[0]), anp.argmax(anp.abs(a[:, 0])))[:, None]
    pivot = anp.sum(anp.where(chosen, a, 0), axis=0)
    y_pivot = anp.sum(anp.where(chosen, y, 0), axis=0)
    return pivot, y_pivot, anp.where(chosen, a[0], a)[1:], anp.where(chosen, y[0], y)[1:]


def _substituted(pivots: Any, y: Any) -> Any:
    """Solution by the upper factor, from the last row up."""

    def step(below: Any, row: Any) -> Any:
        pivot, y = row
        x = anp.divide(y - pivot[1:] @ below, pivot[0])
        return anp.concatenate([x[None], below[:-1]]), x

    start = anp.zeros((pivots.shape[1] - 1, y.shape[1]), y.dtype)
    return scan(step, start, (pivots, y), reverse=True)[1]
