"""`anvl.lax.linalg`: factorizations and solves with the names and the order of `jax.lax.linalg`.

All functions take stacks: the last two axes are those of the matrices, leading axes are kept.
Matrices that cannot be factorized or solved give NaN or infinities; nothing is raised for values.

    >>> import anvl.numpy as np
    >>> from anvl import lax
    >>> vectors, values = lax.linalg.eigh(np.asarray([[2.0, 0.0], [0.0, 1.0]]))
    >>> print(values)
    [1. 2.]
"""

from __future__ import annotations

from typing import Any

import anvl.numpy as anp
from anvl.core.importing import suggest_names as _suggest_names
from anvl.core.promote import as_tracer, promoted
from anvl.core.ranges import integer_limits
from anvl.dispatch.eager import public
from anvl.lax.factorization_steps import cholesky_update as cholesky_update
from anvl.lax.factorization_steps import householder_product as householder_product
from anvl.lax.factorization_steps import ormqr as ormqr
from anvl.lax.factorization_steps import symmetric_product as symmetric_product
from anvl.lax.factorization_steps import tridiagonal_solve as tridiagonal_solve
from anvl.numpy.arrays.axes import int_of
from anvl.numpy.functions.emitting import prim
from anvl.numpy.standard.matrices import square_matrices, stack_of_matrices
from anvl.runtime import hiding_frames
from anvl.scipy import linalg as _scipy
from anvl.scipy.linalg.linear_systems import order_of_swaps
from anvl.scipy.linalg.stacks import ct, hermitian

__all__ = [
    "cholesky", "cholesky_update", "eig", "eigh", "householder_product", "lu",
    "lu_pivots_to_permutation", "ormqr", "qr", "schur", "svd", "symmetric_product",
    "triangular_solve", "tridiagonal_solve",
]  # fmt: skip


@hiding_frames
def cholesky(x: Any, *, symmetrize_input: bool = True) -> Any:
    """Lower Cholesky factor of positive definite matrices.

    Parameters
    ----------
    x : array of shape (..., n, n)
    symmetrize_input : bool
        Whether to factorize (x + x^H) / 2; else the lower triangle is read.

    Returns
    -------
    An array of the shape of x, with zeros above the diagonal; NaN where x is not positive definite.

    Raises
    ------
    LinAlgError
        x is not a stack of square matrices.

    Examples
    --------
    >>> import anvl.numpy as np
    >>> from anvl import lax
    >>> print(lax.linalg.cholesky(np.asarray([[4.0, 2.0], [2.0, 5.0]])))
    [[2. 0.]
     [1. 2.]]
    """
    return anp.linalg.cholesky(x) if symmetrize_input else _scipy.cholesky(x, lower=True)


@hiding_frames
def eigh(
    x: Any, *, lower: bool = True, symmetrize_input: bool = True, sort_eigenvalues: bool = True,
    subset_by_index: tuple[int, int] | None = None, implementation: None = None,
) -> tuple[Any, Any]:  # fmt: skip
    """Eigenvectors and ascending eigenvalues of Hermitian matrices, the vectors first.

    Parameters
    ----------
    x : array of shape (..., n, n)
    lower : bool
        Which triangle is read, without `symmetrize_input`.
    symmetrize_input : bool
        Whether to decompose (x + x^H) / 2.
    sort_eigenvalues : bool
        Eigenvalues are sorted either way.
    subset_by_index : pair of int, optional
        First index of the eigenvalues to give, and the one behind the last.
    implementation : None

    Returns
    -------
    (v, w), of shapes (..., n, k) and (..., k).

    Raises
    ------
    LinAlgError
        x is not a stack of square matrices.
    TypeError, ValueError
        An `implementation`, or a subset that is out of range.

    Examples
    --------
    >>> import anvl.numpy as np
    >>> from anvl import lax
    >>> v, w = lax.linalg.eigh(np.asarray([[2.0, 1.0], [1.0, 2.0]]))
    >>> print(np.round(w, 5))
    [1. 3.]
    """
    _check_alone("eigh", "implementation", implementation)
    vectors, values = _eigh(x, bool(lower), bool(symmetrize_input))
    if subset_by_index is None:
        return vectors, values
    first, end = subset_by_index
    if not 0 <= first <= end <= values.shape[-1]:
        raise ValueError(
            f"eigh: subset_by_index is {subset_by_index!r}; there are {values.shape[-1]} "
            "eigenvalues"
        )
    return vectors[..., first:end], values[..., first:end]


@public("lower", "symmetrize")
def _eigh(x: Any, lower: bool, symmetrize: bool) -> Any:
    a = square_matrices("eigh", x)
    values, vectors = anp.linalg.eigh(a if symmetrize else hermitian(a, lower))
    return vectors, values


@hiding_frames
def eig(
    x: Any, *, compute_left_eigenvectors: bool = True, compute_right_eigenvectors: bool = True
) -> list[Any]:
    """Eigenvalues of square matrices, with the left and the right eigenvectors.

    Parameters
    ----------
    x : array of shape (..., n, n)
    compute_left_eigenvectors, compute_right_eigenvectors : bool
        Whether the result has these.

    Returns
    -------
    [w, vl, vr]: complex arrays of shapes (..., n) and (..., n, n), without those that are not
    wanted; vl^H x = w vl^H and x vr = vr w, with columns of length 1.

    Raises
    ------
    LinAlgError
        x is not a stack of square matrices.

    Notes
    -----
    Left eigenvectors are from the inverse of the right ones: NaN where these are dependent.

    Examples
    --------
    >>> import anvl.numpy as np
    >>> from anvl import lax
    >>> w, vl, vr = lax.linalg.eig(np.asarray([[2.0, 1.0], [0.0, 1.0]]))
    >>> bool(np.allclose(np.matrix_transpose(vl) @ vr, np.diag(np.diagonal(vl.mT @ vr)), atol=1e-6))
    True
    """
    found = _eig(x, bool(compute_left_eigenvectors), bool(compute_right_eigenvectors))
    return list(found)


@public("left", "right")
def _eig(x: Any, left: bool, right: bool) -> Any:
    a = square_matrices("eig", x)
    if not left and not right:
        return (anp.linalg.eigvals(a),)
    values, vectors = anp.linalg.eig(a)
    if not left:
        return values, vectors
    duals = ct(anp.linalg.inv(vectors))
    duals = anp.divide(duals, anp.linalg.norm(duals, axis=-2, keepdims=True))
    # LAPACK's phase: the largest number of each vector is real.
    largest = anp.argmax(anp.abs(duals), axis=-2, keepdims=True)
    first = anp.take_along_axis(duals, largest, axis=-2)
    duals = anp.multiply(duals, anp.divide(anp.conj(first), anp.abs(first)))
    return (values, duals, vectors) if right else (values, duals)


@public()
def lu(x: Any) -> Any:
    """LU factorization with pivots of rows: l u is the matrix with its rows in an order.

    Parameters
    ----------
    x : array of shape (..., m, n)

    Returns
    -------
    (lu, pivots, permutation): u in the upper triangle and, below it, l, whose diagonal of ones is
    not stored; for each row the row that it was swapped with, in order; and the order of rows that
    results, both i32: l u = x[permutation].

    Raises
    ------
    LinAlgError
        x is not a stack of matrices.

    Examples
    --------
    >>> import anvl.numpy as np
    >>> from anvl import lax
    >>> packed, pivots, order = lax.linalg.lu(np.asarray([[1.0, 2.0], [2.0, 6.0]]))
    >>> print(packed, pivots, order)
    [[ 2.   6. ]
     [ 0.5 -1. ]] [1 1] [1 0]
    """
    packed, pivots, order = prim("lu", stack_of_matrices("lu", x))
    return packed, pivots, order


@hiding_frames
def lu_pivots_to_permutation(pivots: Any, permutation_size: int) -> Any:
    """Order of rows that swaps of each with another lead to, one after the other.

    Parameters
    ----------
    pivots : array of integers, of shape (..., k)
    permutation_size : int
        The number of rows.

    Returns
    -------
    Array of shape (..., permutation_size), i32.

    Raises
    ------
    TypeError
        The pivots are not integers.
    ValueError
        There are more pivots than rows, or they have no axis.

    Examples
    --------
    >>> import anvl.numpy as np
    >>> from anvl import lax
    >>> print(lax.linalg.lu_pivots_to_permutation(np.asarray([2, 2]), 3))
    [2 0 1]
    """
    name = "lu_pivots_to_permutation"
    return _permutation(pivots, int_of(permutation_size, "permutation_size", name, least=0))


@public("size")
def _permutation(pivots: Any, size: int) -> Any:
    name = "lu_pivots_to_permutation"
    swaps = as_tracer(pivots, name)
    if integer_limits(swaps.dtype) is None:
        raise TypeError(f"{name}: pivots is {swaps.aval}; they must be integers")
    if swaps.ndim == 0 or swaps.shape[-1] > size:
        raise ValueError(f"{name}: pivots is {swaps.aval}, for a permutation of {size} rows")
    count = swaps.shape[-1]
    rest = anp.broadcast_to(
        anp.arange(count, size, dtype="int32"), (*swaps.shape[:-1], size - count)
    )
    return order_of_swaps(anp.concatenate([anp.astype(swaps, "int32"), rest], axis=-1))


@hiding_frames
def qr(
    x: Any, *, pivoting: bool = False, full_matrices: bool = True, use_magma: None = None
) -> Any:
    """QR factorization: q r is x, or x with its columns in an order.

    Parameters
    ----------
    x : array of shape (..., m, n)
    pivoting : bool
        Order the columns so that the diagonal of r does not grow.  It needs LAPACK: see
        docs/linear-algebra.md.
    full_matrices : bool
        Whether q is of shape (m, m); else of (m, min(m, n)).
    use_magma : None or bool
        Without effect.

    Returns
    -------
    (q, r), with `pivoting` also the order of columns, i32.

    Raises
    ------
    LinAlgError
        x is not a stack of matrices.

    Examples
    --------
    >>> import anvl.numpy as np
    >>> from anvl import lax
    >>> q, r = lax.linalg.qr(np.ones((3, 2)), full_matrices=False)
    >>> q.shape, r.shape
    ((3, 2), (2, 2))
    """
    mode = "full" if full_matrices else "economic"
    return _scipy.qr(x, mode=mode, pivoting=pivoting)


@hiding_frames
def schur(
    x: Any, *, compute_schur_vectors: bool = True, sort_eig_vals: bool = False,
    select_callable: None = None,
) -> Any:  # fmt: skip
    """Schur form t, with vectors q: q t q^H = x; `anvl.scipy.linalg.schur` says more.

    Parameters
    ----------
    x : array of shape (..., n, n)
    compute_schur_vectors : bool
        Whether to give q, too.
    sort_eig_vals, select_callable : False, None
        Eigenvalues are in no order.

    Returns
    -------
    (t, q), or (t,).

    Raises
    ------
    LinAlgError
        x is not a stack of square matrices.
    NotImplementedError
        Eigenvalues are to be sorted.

    Examples
    --------
    >>> import anvl.numpy as np
    >>> from anvl import lax
    >>> t, q = lax.linalg.schur(np.asarray([[2.0, 1.0], [1.0, 2.0]]))
    >>> print(np.round(np.sort(np.diagonal(t)), 5))
    [1. 3.]
    """
    if sort_eig_vals or select_callable is not None:
        raise NotImplementedError(
            f"schur: sort_eig_vals is {sort_eig_vals!r} and select_callable {select_callable!r}; "
            "eigenvalues cannot be ordered here"
        )
    found = _scipy.schur(x)
    return found if compute_schur_vectors else found[:1]


@hiding_frames
def svd(
    x: Any, *, full_matrices: bool = True, compute_uv: bool = True,
    subset_by_index: tuple[int, int] | None = None, algorithm: None = None,
) -> Any:  # fmt: skip
    """Singular value decomposition u diag(s) vh = x; `anvl.numpy.linalg.svd` says more.

    Parameters
    ----------
    x : array of shape (..., m, n)
    full_matrices : bool
        Whether u and vh are square.
    compute_uv : bool
        Give s alone, if false.
    subset_by_index : pair of int, optional
        First index of the singular values to give, and the one behind the last; not with
        `full_matrices` and `compute_uv`.
    algorithm : None

    Returns
    -------
    (u, s, vh), or s.

    Raises
    ------
    LinAlgError
        x is not a stack of matrices.
    TypeError, ValueError
        An `algorithm`, or a subset that is out of range or of full matrices.

    Examples
    --------
    >>> import anvl.numpy as np
    >>> from anvl import lax
    >>> print(lax.linalg.svd(np.asarray([[0.0, 2.0], [3.0, 0.0]]), compute_uv=False))
    [3. 2.]
    """
    _check_alone("svd", "algorithm", algorithm)
    found = anp.linalg.svd(x, full_matrices=full_matrices, compute_uv=compute_uv)
    if subset_by_index is None:
        return tuple(found) if compute_uv else found
    count = (found[1] if compute_uv else found).shape[-1]
    first, end = subset_by_index
    if not 0 <= first <= end <= count or (full_matrices and compute_uv):
        raise ValueError(
            f"svd: subset_by_index is {subset_by_index!r} of {count} singular values, with "
            f"full_matrices={full_matrices!r}; give the first index and the one behind the last, "
            "with full_matrices=False"
        )
    if not compute_uv:
        return found[..., first:end]
    u, s, vh = found
    return u[..., first:end], s[..., first:end], vh[..., first:end, :]


def _check_alone(function: str, parameter: str, value: Any) -> None:
    if value is not None:
        raise TypeError(f"{function}: {parameter} is {value!r}, and can be None only; there is one")


@hiding_frames
def triangular_solve(
    a: Any, b: Any, *, left_side: bool = False, lower: bool = False, transpose_a: bool = False,
    conjugate_a: bool = False, unit_diagonal: bool = False,
) -> Any:  # fmt: skip
    """Solve x op(a) = b, or op(a) x = b, for a triangular a, of which one triangle is read.

    Parameters
    ----------
    a : array of shape (..., n, n)
    b : array of shape (..., m, n)
        (..., n, m) with `left_side`.
    left_side : bool
        Whether a stands to the left of x; by default it stands to the right.
    lower : bool
        Whether the lower triangle is read; the upper one by default.
    transpose_a, conjugate_a : bool
        op(a): whether a is transposed, and whether it is conjugated.
    unit_diagonal : bool
        Whether the diagonal is taken as ones, and not read.

    Returns
    -------
    Array of the shape of b; infinities and NaN for zeros on the diagonal.

    Raises
    ------
    LinAlgError, TypeError
        Shapes that do not fit.

    Notes
    -----
    Source: StableHLO, `triangular_solve`.

    Examples
    --------
    >>> import anvl.numpy as np
    >>> from anvl import lax
    >>> a, b = np.asarray([[2.0, 1.0], [9.0, 4.0]]), np.asarray([[4.0], [8.0]])
    >>> print(lax.linalg.triangular_solve(a, b, left_side=True).ravel())
    [1. 2.]
    """
    options = (left_side, lower, transpose_a, conjugate_a, unit_diagonal)
    return _triangular_solve(a, b, *map(bool, options))


@public("left_side", "lower", "transpose_a", "conjugate_a", "unit_diagonal")
def _triangular_solve(
    a: Any, b: Any, left_side: bool, lower: bool, transpose_a: bool, conjugate_a: bool,
    unit_diagonal: bool,
) -> Any:  # fmt: skip
    (x, y), _ = promoted("triangular_solve", (a, b), at_least="float", broadcast=False)
    square_matrices("triangular_solve", x)
    stack_of_matrices("triangular_solve", y)
    if conjugate_a and not transpose_a:
        x = anp.conj(x)
    form = "NO_TRANSPOSE" if not transpose_a else "ADJOINT" if conjugate_a else "TRANSPOSE"
    return prim(
        "triangular_solve", x, y, left_side=left_side, lower=lower, unit_diagonal=unit_diagonal,
        transpose_a=form,
    )  # fmt: skip


_suggest_names(globals())


def __dir__() -> list[str]:
    return list(__all__)
