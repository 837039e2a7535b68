"""Steps of factorizations, as LAPACK has them: reflectors, updates, tridiagonal systems.

Sources: LAPACK Users' Guide (`orgqr`, `ormqr`, `syrk`); G. H. Golub and C. F. Van Loan, Matrix
Computations (2013), sections 4.3.6 (tridiagonal systems), 5.1.6 and 6.5.4.
"""

from __future__ import annotations

from typing import Any

import anvl.numpy as anp
from anvl.control_flow.loops import scan
from anvl.core.promote import promoted
from anvl.dispatch.eager import public
from anvl.numpy.standard.matrices import square_matrices, stack_of_matrices
from anvl.scipy.linalg.stacks import ct

__all__ = [
    "cholesky_update", "householder_product", "ormqr", "symmetric_product", "tridiagonal_solve",
]  # fmt: skip


@public()
def householder_product(a: Any, taus: Any) -> Any:
    """Columns of the product of Householder reflectors, those of a QR factorization.

    Parameters
    ----------
    a : array of shape (..., m, n)
        Below the diagonal the vectors of the reflectors, whose element on it is 1, not stored.
    taus : array of shape (..., k)
        Their factors, for k <= n <= m: a reflector is 1 - tau v v^H.

    Returns
    -------
    Array of shape (..., m, n): the first n columns of the product of the reflectors in order.

    Raises
    ------
    LinAlgError
        a is not a stack of matrices.
    ValueError
        Shapes that do not fit.

    Examples
    --------
    >>> import anvl.numpy as np
    >>> from anvl import lax
    >>> print(lax.linalg.householder_product(np.asarray([[9.0], [1.0]]), np.asarray([1.0])))
    [[ 0.]
     [-1.]]
    """
    vectors, factors = _reflectors("householder_product", a, taus)
    m, n = vectors.shape[-2:]
    if n > m:
        raise ValueError(f"householder_product: a is {vectors.aval}, with more columns than rows")
    unit = anp.broadcast_to(anp.eye(m, n, dtype=vectors.dtype), vectors.shape)
    return _reflected(vectors, factors, unit, reverse=True)


@public("left", "transpose")
def ormqr(a: Any, taus: Any, c: Any, *, left: bool = True, transpose: bool = False) -> Any:
    """Multiply a matrix by a product q of Householder reflectors, which is not formed.

    Parameters
    ----------
    a, taus : array
        The reflectors, as of `householder_product`; q is of shape (..., m, m).
    c : array of shape (..., m, p)
        (..., p, m) without `left`.
    left : bool
        Whether to give q c; else c q.
    transpose : bool
        Whether q^H takes the place of q.

    Returns
    -------
    Array of the shape of c.

    Raises
    ------
    LinAlgError
        a or c is not a stack of matrices.
    ValueError
        Shapes that do not fit.

    Examples
    --------
    >>> import anvl.numpy as np
    >>> from anvl import lax
    >>> a, taus = np.asarray([[9.0], [1.0]]), np.asarray([1.0])
    >>> print(lax.linalg.ormqr(a, taus, np.asarray([[2.0], [3.0]])).ravel())
    [-3. -2.]
    """
    (vectors, y), _ = promoted("ormqr", (a, c), at_least="float", broadcast=False)
    vectors, factors = _reflectors("ormqr", vectors, taus)
    stack_of_matrices("ormqr", y)
    rows = y.shape[-2 if left else -1]
    if rows != vectors.shape[-2] or y.shape[:-2] != vectors.shape[:-2]:
        raise ValueError(f"ormqr: c is {y.aval}, which the reflectors of {vectors.aval} do not fit")
    if left:
        return _reflected(vectors, factors, y, reverse=not transpose, adjoint=transpose)
    found = _reflected(vectors, factors, ct(y), reverse=transpose, adjoint=not transpose)
    return ct(found)


def _reflectors(name: str, a: Any, taus: Any) -> tuple[Any, Any]:
    """The vectors of reflectors with their ones and zeros, and their factors."""
    (packed, factors), _ = promoted(name, (a, taus), at_least="float", broadcast=False)
    stack_of_matrices(name, packed)
    m, n = packed.shape[-2:]
    k = factors.shape[-1] if factors.ndim else None
    if factors.shape[:-1] != packed.shape[:-2] or k is None or k > min(m, n):
        raise ValueError(f"{name}: taus is {factors.aval}, which a, {packed.aval}, does not fit")
    unit = anp.eye(m, n, dtype=packed.dtype)
    return anp.add(anp.tril(packed, -1), unit), factors


def _reflected(vectors: Any, taus: Any, y: Any, *, reverse: bool, adjoint: bool = False) -> Any:
    """Apply reflectors one by one to the columns of y, the last one first if `reverse`."""
    columns = anp.moveaxis(vectors[..., : taus.shape[-1]], -1, 0)
    factors = anp.moveaxis(anp.conj(taus) if adjoint else taus, -1, 0)

    def reflect(y: Any, reflector: Any) -> tuple[Any, None]:
        v, tau = reflector
        v = anp.expand_dims(v, -1)
        shares = anp.multiply(tau[..., None, None], anp.matmul(ct(v), y))
        return anp.subtract(y, anp.matmul(v, shares)), None

    return scan(reflect, y, (columns, factors), reverse=reverse)[0]


@public()
def cholesky_update(r_matrix: Any, w_vector: Any) -> Any:
    """Upper Cholesky factor of r^H r + w w^H, from r: by a QR factorization of both.

    Parameters
    ----------
    r_matrix : array of shape (..., n, n)
        Upper triangular.
    w_vector : array of shape (..., n)

    Returns
    -------
    Array of shape (..., n, n), with a positive diagonal.

    Raises
    ------
    LinAlgError
        r_matrix is not a stack of square matrices.
    ValueError
        Shapes that do not fit.

    Examples
    --------
    >>> import anvl.numpy as np
    >>> from anvl import lax
    >>> print(lax.linalg.cholesky_update(np.asarray([[3.0]]), np.asarray([4.0])))
    [[5.]]
    """
    name = "cholesky_update"
    (r, w), _ = promoted(name, (r_matrix, w_vector), at_least="float", broadcast=False)
    square_matrices(name, r)
    if w.shape != r.shape[:-1]:
        raise ValueError(f"{name}: w_vector is {w.aval}, which r_matrix, {r.aval}, does not fit")
    rows = anp.concatenate([anp.triu(r), anp.conj(w)[..., None, :]], axis=-2)
    found = anp.linalg.qr(rows, mode="r")
    diagonal = anp.diagonal(found, axis1=-2, axis2=-1)
    signs = anp.where(anp.equal(diagonal, 0), 1, anp.conj(anp.sign(diagonal)))
    return anp.multiply(signs[..., None], found)


@public("symmetrize_output")
def symmetric_product(
    a_matrix: Any, c_matrix: Any, *, alpha: Any = 1.0, beta: Any = 0.0,
    symmetrize_output: bool = False,
) -> Any:  # fmt: skip
    """Symmetric matrices alpha a a^T + beta c.

    Parameters
    ----------
    a_matrix : array of shape (..., n, k)
    c_matrix : array of shape (..., n, n)
        Symmetric.
    alpha, beta : number
    symmetrize_output : bool
        Without effect: the result has both triangles.

    Returns
    -------
    Array of shape (..., n, n).

    Raises
    ------
    LinAlgError
        Operands that are no stacks of matrices.
    ValueError
        Shapes that do not fit.

    Examples
    --------
    >>> import anvl.numpy as np
    >>> from anvl import lax
    >>> a, c = np.asarray([[1.0], [2.0]]), np.eye(2)
    >>> print(lax.linalg.symmetric_product(a, c, beta=10.0))
    [[11.  2.]
     [ 2. 14.]]
    """
    name = "symmetric_product"
    (a, c), _ = promoted(name, (a_matrix, c_matrix), at_least="float", broadcast=False)
    stack_of_matrices(name, a)
    square_matrices(name, c)
    if (*a.shape[:-1], a.shape[-2]) != c.shape:
        raise ValueError(f"{name}: c_matrix is {c.aval}, which a_matrix, {a.aval}, does not fit")
    product = anp.matmul(a, anp.matrix_transpose(a))
    return anp.add(anp.multiply(alpha, product), anp.multiply(beta, c))


@public("perturb_singular")
def tridiagonal_solve(dl: Any, d: Any, du: Any, b: Any, *, perturb_singular: bool = False) -> Any:
    """Solve tridiagonal systems by elimination without pivots, in n steps.

    It is stable for matrices that are diagonally dominant or positive definite; for others
    `anvl.numpy.linalg.solve` exchanges rows.

    Parameters
    ----------
    dl, d, du : array of shape (..., n)
        The lower, main and upper diagonal; the first of dl and the last of du are not read.
    b : array of shape (..., n, k)
    perturb_singular : bool
        False.

    Returns
    -------
    Array of the shape of b; infinities and NaN for pivots of 0.

    Raises
    ------
    ValueError
        Shapes that do not fit.
    NotImplementedError
        Singular matrices are to be perturbed.

    Examples
    --------
    >>> import anvl.numpy as np
    >>> from anvl import lax
    >>> ones = np.ones(3)
    >>> x = lax.linalg.tridiagonal_solve(ones, 4 * ones, ones, np.asarray([[6.0], [12.0], [14.0]]))
    >>> print(np.round(x.ravel(), 4))
    [1. 2. 3.]
    """
    name = "tridiagonal_solve"
    if perturb_singular:
        raise NotImplementedError(f"{name}: perturb_singular is True; add to d what is needed")
    (low, main, high, y), _ = promoted(name, (dl, d, du, b), at_least="float", broadcast=False)
    if not low.shape == main.shape == high.shape == y.shape[:-1] or not main.ndim:
        shown = ", ".join(str(x.aval) for x in (low, main, high, y))
        raise ValueError(f"{name}: the diagonals and b are {shown}; give (..., n) and (..., n, k)")
    rows = [anp.moveaxis(x, -1, 0)[..., None] for x in (low, main, high)]
    if not main.shape[-1]:
        return y
    return anp.moveaxis(_tridiagonal((*rows, anp.moveaxis(y, -2, 0))), 0, -2)


def _tridiagonal(rows: tuple[Any, ...]) -> Any:
    """Solve row by row, along the first axis: upper triangular from above, then from below."""
    _, main, _, y = rows
    index = anp.arange(main.shape[0])

    def eliminate(above: Any, row: Any) -> tuple[Any, Any]:
        (above_high, above_y), (index, low, main, high, y) = above, row
        low = anp.where(anp.equal(index, 0), 0, low)
        pivot = anp.subtract(main, anp.multiply(low, above_high))
        reduced = anp.divide(high, pivot), anp.divide(anp.subtract(y, low * above_y), pivot)
        return reduced, reduced

    def substitute(below: Any, row: Any) -> tuple[Any, Any]:
        index, high, y = row
        is_last = anp.equal(index, main.shape[0] - 1)
        x = anp.subtract(y, anp.where(is_last, 0, anp.multiply(high, below)))
        return x, x

    start = anp.zeros_like(main[0]), anp.zeros_like(y[0])
    _, (high, y) = scan(eliminate, start, (index, *rows))
    return scan(substitute, start[1], (index, high, y), reverse=True)[1]
