"""Factorizations of `anvl.scipy.linalg`: LU, QR, singular values, polar, Hessenberg."""

from __future__ import annotations

from typing import Any

import anvl.numpy as anp
from anvl.control_flow.loops import scan
from anvl.core.promote import promoted
from anvl.dispatch.eager import public
from anvl.numpy.functions.emitting import prim
from anvl.numpy.functions.products import precise_matmul
from anvl.numpy.standard.matrices import square_matrices, stack_of_matrices
from anvl.runtime import hiding_frames
from anvl.scipy.linalg.matrix_equations import sylvester
from anvl.scipy.linalg.stacks import ct, eye_like, lapack, one_of, unit_column
from anvl.transforms.custom_rules import custom_jvp
from anvl.transforms.stop_gradient import stop_gradient

__all__ = ["hessenberg", "lu", "polar", "qr", "qr_multiply", "svd"]


@hiding_frames
def lu(
    a: Any,
    permute_l: bool = False,
    overwrite_a: bool = False,
    check_finite: bool = True,
    p_indices: bool = False,
) -> Any:
    """LU factorization with pivots of rows: p l u = a.

    Parameters
    ----------
    a : array of shape (..., m, n)
    permute_l : bool
        Give p l in one.
    overwrite_a, check_finite : bool
        Without effect.
    p_indices : bool
        Give p as the order of the rows of l: `l[p] @ u` is a.

    Returns
    -------
    (p, l, u), or (p l, u), of shapes (..., m, m), (..., m, k) and (..., k, n), k = min(m, n).

    Raises
    ------
    LinAlgError
        a is not a stack of matrices.

    Examples
    --------
    >>> import anvl.numpy as np
    >>> from anvl.scipy import linalg
    >>> p, l, u = linalg.lu(np.asarray([[1.0, 2.0], [2.0, 6.0]]))
    >>> print(p @ l @ u)
    [[1. 2.]
     [2. 6.]]
    """
    return _lu(a, bool(permute_l), bool(p_indices))


@public("permute_l", "p_indices")
def _lu(a: Any, permute_l: bool, p_indices: bool) -> Any:
    x = stack_of_matrices("lu", a)
    m, n = x.shape[-2:]
    k = min(m, n)
    packed, _, order = prim("lu", x)
    lower = anp.tril(packed[..., :k], -1) + anp.eye(m, k, dtype=x.dtype)
    upper = anp.triu(packed[..., :k, :])
    place = anp.argsort(order, axis=-1)  # the row of l for each row of a
    if permute_l:
        index = anp.broadcast_to(anp.expand_dims(place, -1), lower.shape)
        return anp.take_along_axis(lower, index, axis=-2), upper
    if p_indices:
        return anp.astype(place, "int32"), lower, upper
    rows = anp.arange(m, dtype=place.dtype)
    real = anp.real(x).dtype
    return anp.astype(anp.equal(anp.expand_dims(place, -1), rows), real), lower, upper


_QR_MODES = {"full": "complete", "economic": "reduced", "r": "complete"}


@hiding_frames
def qr(
    a: Any,
    overwrite_a: bool = False,
    lwork: Any = None,
    mode: str = "full",
    pivoting: bool = False,
    check_finite: bool = True,
) -> Any:
    """QR factorization: q r = a, or q r = a[:, p] with pivots of columns.

    Parameters
    ----------
    a : array of shape (..., m, n)
    overwrite_a, lwork, check_finite
        Without effect.
    mode : {"full", "economic", "r"}
        q of shape (m, m), of shape (m, min(m, n)), or r alone.
    pivoting : bool
        Order the columns so that the diagonal of r does not grow: a factorization that shows the
        rank.  It needs LAPACK: see docs/linear-algebra.md.

    Returns
    -------
    (q, r), a tuple (r,) in mode "r"; with `pivoting` p, of dtype i32, as another entry.

    Raises
    ------
    LinAlgError
        a is not a stack of matrices.
    ValueError
        Another mode; "raw" is not there.

    Notes
    -----
    Derivatives keep the order of the columns, and are NaN where columns are dependent.

    Examples
    --------
    >>> import anvl.numpy as np
    >>> from anvl.scipy import linalg
    >>> q, r, p = linalg.qr(np.asarray([[0.0, 3.0], [2.0, 0.0]]), pivoting=True)
    >>> print(r, p)
    [[3. 0.]
     [0. 2.]] [1 0]
    """
    one_of("qr", "mode", mode, tuple(_QR_MODES))
    return _qr(a, mode, bool(pivoting))


@public("mode", "pivoting")
def _qr(a: Any, mode: str, pivoting: bool) -> Any:
    x = stack_of_matrices("qr", a)
    order: list[Any] = []
    if pivoting:
        order = [_column_order(stop_gradient(x))]
        index = anp.broadcast_to(anp.expand_dims(order[0], -2), x.shape)
        x = anp.take_along_axis(x, index, axis=-1)
    q, r = prim("qr", x, full_matrices=_QR_MODES[mode] == "complete")
    return (*((r,) if mode == "r" else (q, r)), *order)


def _column_order(x: Any) -> Any:
    """Order of columns in which each is the longest beside the span of those before it."""
    *stack, m, n = x.shape
    if x.size == 0:
        return anp.broadcast_to(anp.arange(n, dtype="int32"), (*stack, n))
    free = anp.zeros((*stack, n), "int32")
    operand = anp.matrix_transpose(x)
    _, found, _ = lapack(
        "geqp3", [operand, free], [(x.dtype, (n, m)), ("int32", (n,)), (x.dtype, (min(m, n),))]
    )
    return anp.subtract(found, 1)


@hiding_frames
def qr_multiply(
    a: Any,
    c: Any,
    mode: str = "right",
    pivoting: bool = False,
    conjugate: bool = False,
    overwrite_a: bool = False,
    overwrite_c: bool = False,
) -> Any:
    """Multiply by the q of a QR factorization of a.

    Parameters
    ----------
    a : array of shape (..., m, n)
    c : array
        A matrix, or a vector as a single column (row).
    mode : {"left", "right"}
        Give q c, or c q, with q of shape (m, min(m, n)).
    pivoting : bool
        As of `qr`.
    conjugate : bool
        Take the conjugate of q, without transposing it.
    overwrite_a, overwrite_c : bool
        Without effect.

    Returns
    -------
    (q c, r) or (c q, r), and with `pivoting` the order of columns.

    Raises
    ------
    ValueError
        Another mode, or shapes that do not fit.

    Examples
    --------
    >>> import anvl.numpy as np
    >>> from anvl.scipy import linalg
    >>> product, r = linalg.qr_multiply(np.asarray([[2.0], [0.0]]), np.asarray([3.0, 4.0]))
    >>> print(product, r)
    [3.] [[2.]]
    """
    one_of("qr_multiply", "mode", mode, ("left", "right"))
    return _qr_multiply(a, c, mode, bool(pivoting), bool(conjugate))


@public("mode", "pivoting", "conjugate")
def _qr_multiply(a: Any, c: Any, mode: str, pivoting: bool, conjugate: bool) -> Any:
    (x, y), _ = promoted("qr_multiply", (a, c), "float", broadcast=False)
    q, *rest = qr(x, mode="economic", pivoting=pivoting)
    q = anp.conj(q) if conjugate else q
    product = precise_matmul(q, y) if mode == "left" else precise_matmul(y, q)
    return (product, *rest)


@hiding_frames
def svd(
    a: Any,
    full_matrices: bool = True,
    compute_uv: bool = True,
    overwrite_a: bool = False,
    check_finite: bool = True,
    lapack_driver: str = "gesdd",
) -> Any:
    """Singular value decomposition, as `anvl.numpy.linalg.svd`; the other arguments have no effect.

    >>> import anvl.numpy as np
    >>> from anvl.scipy import linalg
    >>> print(linalg.svd(np.asarray([[0.0, 2.0], [3.0, 0.0]]), compute_uv=False))
    [3. 2.]
    """
    return anp.linalg.svd(a, full_matrices=full_matrices, compute_uv=compute_uv)


# -- polar decomposition ----------------------------------------------------------------------


@hiding_frames
def polar(
    a: Any,
    side: str = "right",
    *,
    method: str = "svd",
    eps: float | None = None,
    max_iterations: int | None = None,
) -> Any:
    """Polar decomposition: u with orthonormal columns (or rows) and a positive semidefinite p.

    Parameters
    ----------
    a : array of shape (..., m, n)
    side : {"right", "left"}
        a = u p, or a = p u.
    method, eps, max_iterations
        Without effect: JAX's arguments for an iteration.

    Returns
    -------
    (u, p) of shapes (..., m, n) and (..., n, n), or (..., m, m) for the left side.

    Raises
    ------
    LinAlgError
        a is not a stack of matrices.
    ValueError
        Another side.

    Notes
    -----
    By the singular value decomposition.  Where a has full rank, derivatives of every order are
    those of a Sylvester equation with p, also at equal singular values; elsewhere u jumps, and they
    are infinite or NaN.
    Source: N. J. Higham, Functions of Matrices (2008), chapter 8.

    Examples
    --------
    >>> import anvl.numpy as np
    >>> from anvl.scipy import linalg
    >>> u, p = linalg.polar(np.asarray([[0.0, -2.0], [3.0, 0.0]]))
    >>> print(np.round(u, 5) + 0.0, np.round(p, 5) + 0.0)
    [[ 0. -1.]
     [ 1.  0.]] [[3. 0.]
     [0. 2.]]
    """
    one_of("polar", "side", side, ("right", "left"))
    return _polar(a, side)


@public("side")
def _polar(a: Any, side: str) -> Any:
    x = stack_of_matrices("polar", a)
    tall = x.shape[-2] >= x.shape[-1]
    u = _unitary_factor(x) if tall else ct(_unitary_factor(ct(x)))
    p = precise_matmul(ct(u), x) if side == "right" else precise_matmul(x, ct(u))
    return u, anp.multiply(anp.add(p, ct(p)), 0.5)


@custom_jvp
def _unitary_factor(x: Any) -> Any:
    u, _, vh = prim("svd", x, full_matrices=False)
    return precise_matmul(u, vh)


@_unitary_factor.defjvp
def _unitary_factor_rule(primals: Any, u: Any, tangents: Any) -> Any:
    """With x = u p and u^H u = 1: k = u^H du is skew, and k p + p k = u^H dx - dx^H u."""
    (x,), (t,) = primals, tangents
    p = precise_matmul(ct(u), x)
    inside = precise_matmul(ct(u), t)
    k = sylvester(p, p, anp.subtract(inside, ct(inside)))
    moved = precise_matmul(u, k)
    if x.shape[-2] == x.shape[-1]:
        return moved
    beside = anp.subtract(t, precise_matmul(u, inside))
    return anp.add(moved, ct(anp.linalg.solve(ct(p), ct(beside))))


# -- Hessenberg form --------------------------------------------------------------------------


@hiding_frames
def hessenberg(
    a: Any, calc_q: bool = False, overwrite_a: bool = False, check_finite: bool = True
) -> Any:
    """Hessenberg form: q h q^H = a, with zeros in h below the diagonal under the main one.

    Parameters
    ----------
    a : array of shape (..., n, n)
    calc_q : bool
        Whether to give q, too.
    overwrite_a, check_finite : bool
        Without effect.

    Returns
    -------
    h, or (h, q), of the shape of a.

    Raises
    ------
    LinAlgError
        a is not a stack of square matrices.

    Notes
    -----
    By Householder reflections, with LAPACK's signs; a column that is in this form already is not
    reflected, so that derivatives there are those of the other columns alone.
    Source: G. Golub and C. Van Loan, Matrix Computations (4th ed., 2013), algorithm 7.4.2.

    Examples
    --------
    >>> import anvl.numpy as np
    >>> from anvl.scipy import linalg
    >>> h = linalg.hessenberg(np.asarray([[1.0, 2, 3], [3, 1, 2], [4, 3, 1]]))
    >>> print(np.round(h[:, 0], 3))
    [ 1. -5.  0.]
    """
    return _hessenberg(a, bool(calc_q))


@public("calc_q")
def _hessenberg(a: Any, calc_q: bool) -> Any:
    x = square_matrices("hessenberg", a)
    n = x.shape[-1]
    q = anp.broadcast_to(eye_like(x), x.shape)
    steps = max(n - 1 if x.dtype.kind == "c" else n - 2, 0)  # the last one makes a number real
    if steps and x.size:
        columns = anp.arange(steps, dtype="int32")
        (x, q), _ = scan(lambda carry, k: (_reflected(carry, k), None), (x, q), columns)
    h = anp.triu(x, -1)
    return (h, q) if calc_q else h


def _reflected(carry: tuple[Any, Any], k: Any) -> tuple[Any, Any]:
    """Apply the reflection that clears column k below row k + 1, on both sides."""
    x, q = carry
    n = x.shape[-1]
    column = precise_matmul(x, anp.expand_dims(unit_column(n, k, x), -1))
    place = anp.expand_dims(anp.arange(n, dtype="int32"), -1)
    v, tau = _reflection(column, anp.equal(place, k + 1), anp.greater(place, k + 1))
    x = anp.subtract(x, precise_matmul(v, precise_matmul(ct(anp.multiply(v, tau)), x)))
    right = anp.multiply(ct(v), tau)
    return (
        anp.subtract(x, precise_matmul(precise_matmul(x, v), right)),
        anp.subtract(q, precise_matmul(precise_matmul(q, v), right)),
    )


def _reflection(column: Any, first: Any, below: Any) -> tuple[Any, Any]:
    """v and tau such that (1 - conj(tau) v v^H) column has zeros `below`, and a real `first`."""
    alpha = anp.sum(anp.where(first, column, 0), axis=-2, keepdims=True)
    tail = anp.where(below, column, 0)
    rest = anp.sum(anp.square(anp.real(tail)) + anp.square(anp.imag(tail)), -2, keepdims=True)
    done = anp.equal(rest, 0)
    if column.dtype.kind == "c":
        done = anp.logical_and(done, anp.equal(anp.imag(alpha), 0))
    size = anp.square(anp.real(alpha)) + anp.square(anp.imag(alpha)) + rest
    length = anp.sqrt(anp.where(done, 1, size))
    beta = anp.where(anp.less(anp.real(alpha), 0), length, -length)
    tau = anp.where(done, 0, anp.divide(anp.subtract(beta, alpha), beta))
    scale = anp.subtract(alpha, beta)
    v = anp.add(anp.divide(tail, anp.where(done, 1, scale)), anp.astype(first, column.dtype))
    return v, tau
