"""Eigenvalues of Hermitian matrices, of pairs of them, and of tridiagonal ones."""

from __future__ import annotations

from typing import Any

import numpy as np

import anvl.numpy as anp
from anvl.core.promote import promoted
from anvl.dispatch.eager import public
from anvl.numpy.arrays.axes import int_of
from anvl.numpy.functions.emitting import prim
from anvl.numpy.functions.products import precise_matmul
from anvl.numpy.standard.matrices import square_matrices
from anvl.runtime import hiding_frames
from anvl.scipy.linalg.stacks import ct, hermitian, one_of

__all__ = ["eigh", "eigh_tridiagonal"]


@hiding_frames
def eigh(
    a: Any,
    b: Any = None,
    lower: bool = True,
    eigvals_only: bool = False,
    overwrite_a: bool = False,
    overwrite_b: bool = False,
    turbo: bool = True,
    eigvals: None = None,
    type: int = 1,
    check_finite: bool = True,
    *,
    subset_by_index: Any = None,
    driver: str | None = None,
) -> Any:
    """Ascending eigenvalues, and eigenvectors, of Hermitian matrices or of pairs of them.

    Parameters
    ----------
    a : array of shape (..., n, n)
    b : array of shape (..., n, n), optional
        Positive definite.
    lower : bool
        Whether the lower triangles of a and b are read; else the upper ones.
    eigvals_only : bool
    type : {1, 2, 3}
        a v = w b v, a b v = w v or b a v = w v.
    subset_by_index : pair of int, optional
        First and last index of the eigenvalues to give.
    overwrite_a, overwrite_b, turbo, eigvals, check_finite, driver : no effect

    Returns
    -------
    (w, v), or w, of shapes (..., n) and (..., n, n); v^H v = 1, with a b v^H b v = 1, or
    v^H b^-1 v = 1 for type 3.

    Raises
    ------
    LinAlgError, ValueError
        a or b is not a stack of square matrices; another type; indices out of range.

    Notes
    -----
    Derivatives are those of `anvl.numpy.linalg.eigh`, with respect to the triangle that is read.
    Source: LAPACK Users' Guide, "Generalized symmetric definite eigenproblems".

    Examples
    --------
    >>> import anvl.numpy as np
    >>> from anvl.scipy import linalg
    >>> a, b = np.asarray([[2.0, 0.0], [0.0, 9.0]]), np.asarray([[1.0, 0.0], [0.0, 3.0]])
    >>> print(np.round(linalg.eigh(a, b, eigvals_only=True), 5))
    [2. 3.]
    """
    one_of("eigh", "type", type, (1, 2, 3))
    ends = None if subset_by_index is None else _subset("eigh", subset_by_index, a)
    if b is None:
        return _eigh(a, bool(lower), bool(eigvals_only), ends)
    return _eigh_of_pair(a, b, bool(lower), bool(eigvals_only), ends, type)


def _subset(name: str, indices: Any, a: Any) -> tuple[int, int]:
    first, last = (int_of(i, "subset_by_index", name, least=0) for i in indices)
    n = np.shape(a)[-1]
    if not first <= last < n:
        raise ValueError(
            f"{name}: the indices ({first}, {last}) do not fit {n} eigenvalues; give "
            "0 <= first <= last < n"
        )
    return first, last


@public("lower", "eigvals_only", "ends")
def _eigh(a: Any, lower: bool, eigvals_only: bool, ends: tuple[int, int] | None) -> Any:
    x = hermitian(square_matrices("eigh", a), lower)
    if eigvals_only:
        return _part(prim("eigvalsh", x), ends)
    w, v = prim("eigh", x)
    return _part(w, ends), _part(v, ends)


def _part(x: Any, ends: tuple[int, int] | None) -> Any:
    return x if ends is None else x[..., ends[0] : ends[1] + 1]


@public("lower", "eigvals_only", "ends", "form")
def _eigh_of_pair(
    a: Any, b: Any, lower: bool, eigvals_only: bool, ends: tuple[int, int] | None, form: int
) -> Any:
    (x, y), _ = promoted("eigh", (square_matrices("eigh", a), b), "float")
    x, y = hermitian(x, lower), hermitian(square_matrices("eigh", y), lower)
    factor = prim("cholesky", y)
    if form == 1:
        half = _triangular(factor, x, "NO_TRANSPOSE", left_side=True)
        x = _triangular(factor, half, "ADJOINT", left_side=False)
    else:
        x = precise_matmul(ct(factor), precise_matmul(x, factor))
    if eigvals_only:
        return _part(prim("eigvalsh", x), ends)
    w, v = prim("eigh", x)
    v = (
        precise_matmul(factor, v)
        if form == 3
        else _triangular(factor, v, "ADJOINT", left_side=True)
    )
    return _part(w, ends), _part(v, ends)


def _triangular(a: Any, b: Any, transpose: str, left_side: bool) -> Any:
    return prim(
        "triangular_solve", a, b, left_side=left_side, lower=True, unit_diagonal=False,
        transpose_a=transpose,
    )  # fmt: skip


@hiding_frames
def eigh_tridiagonal(
    d: Any,
    e: Any,
    eigvals_only: bool = False,
    select: str = "a",
    select_range: Any = None,
    check_finite: bool = True,
    tol: float = 0.0,
    lapack_driver: str = "auto",
) -> Any:
    """Eigenvalues, and eigenvectors, of real symmetric tridiagonal matrices.

    Parameters
    ----------
    d : array of shape (..., n)
        Diagonals.
    e : array of shape (..., n - 1)
        The elements beside them.
    eigvals_only : bool
        Give the eigenvalues alone.
    select : {"a", "i"}
        All, or those of the indices in `select_range`, both included.
    select_range : pair of int, optional
    check_finite, tol, lapack_driver
        Without effect: the matrices are built, and given to `eigh`.

    Returns
    -------
    (w, v), or w, as of `eigh`.

    Raises
    ------
    TypeError
        Complex numbers.
    ValueError
        Sizes that do not fit; another `select`: with "v" the shape would depend on the values.

    Examples
    --------
    >>> import anvl.numpy as np
    >>> from anvl.scipy import linalg
    >>> print(linalg.eigh_tridiagonal(np.asarray([2.0, 2.0]), np.ones(1), eigvals_only=True))
    [1. 3.]
    """
    one_of("eigh_tridiagonal", "select", select, ("a", "i"))
    if (select == "i") != (select_range is not None):
        raise ValueError(
            f"eigh_tridiagonal: select is {select!r} and select_range {select_range!r}; give a "
            "range with 'i', and only then"
        )
    ends = None if select == "a" else _subset("eigh_tridiagonal", select_range, d)
    return _eigh_tridiagonal(d, e, bool(eigvals_only), ends)


@public("eigvals_only", "ends")
def _eigh_tridiagonal(d: Any, e: Any, eigvals_only: bool, ends: tuple[int, int] | None) -> Any:
    (x, y), _ = promoted("eigh_tridiagonal", (d, e), "float", broadcast=False)
    if x.dtype.kind == "c":
        raise TypeError(f"eigh_tridiagonal: takes real numbers, got {x.aval}; use `eigh`")
    if x.ndim < 1 or y.ndim < 1 or y.shape[-1] != max(x.shape[-1] - 1, 0):
        raise ValueError(
            f"eigh_tridiagonal: e is {y.aval}, which does not fit d, {x.aval}; give n - 1 elements"
        )
    unit = anp.eye(x.shape[-1], dtype=x.dtype)
    matrix = anp.multiply(anp.expand_dims(x, -1), unit)
    if x.shape[-1] > 1:
        below = anp.multiply(anp.expand_dims(y, -1), unit[:-1])  # row i: e_i in column i
        rows = anp.zeros((*below.shape[:-2], 1, x.shape[-1]), x.dtype)
        matrix = anp.add(matrix, anp.concatenate([rows, below], axis=-2))
    return _eigh(matrix, True, eigvals_only, ends)
