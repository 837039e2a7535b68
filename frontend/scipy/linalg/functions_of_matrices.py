"""Functions of matrices: exponential, square root, logarithm, trigonometric, and any other."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import anvl.numpy as anp
from anvl.control_flow.loops import while_loop
from anvl.control_flow.solves import custom_linear_solve
from anvl.core.promote import promoted
from anvl.dispatch.eager import public
from anvl.numpy.functions.products import precise_matmul
from anvl.numpy.standard.matrices import square_matrices
from anvl.runtime import hiding_frames
from anvl.scipy.linalg.matrix_equations import by_columns, complex_schur, sylvester, upper_solve
from anvl.scipy.linalg.stacks import complex_of, ct, eye_like
from anvl.transforms.custom_rules import custom_jvp
from anvl.transforms.jvp import jvp
from anvl.transforms.stop_gradient import stop_gradient

__all__ = [
    "coshm", "cosm", "expm", "expm_frechet", "funm", "logm", "sinhm", "sinm", "sqrtm", "tanhm",
    "tanm",
]  # fmt: skip


@hiding_frames
def expm(A: Any, *, upper_triangular: bool = False, max_squarings: int = 16) -> Any:
    """Matrix exponential, as `anvl.numpy.linalg.expm`; `upper_triangular` has no effect.

    >>> import anvl.numpy as np
    >>> from anvl.scipy import linalg
    >>> print(linalg.expm(np.zeros((2, 2))))
    [[1. 0.]
     [0. 1.]]
    """
    return anp.linalg.expm(A, max_squarings=max_squarings)


@hiding_frames
def expm_frechet(
    A: Any, E: Any, method: str | None = None, compute_expm: bool = True, check_finite: bool = True
) -> Any:
    """Exponential of A, and its Fréchet derivative at A in the direction E.

    Parameters
    ----------
    A, E : array of shape (..., n, n)
    method, check_finite
        Without effect.
    compute_expm : bool
        Whether to give the exponential, too.

    Returns
    -------
    (exponential, derivative), or the derivative alone.

    Raises
    ------
    LinAlgError
        A or E is not a stack of square matrices.
    ValueError
        The shapes differ.

    Notes
    -----
    The derivative is that of scaling and squaring.
    Source: A. Al-Mohy and N. J. Higham, Computing the Fréchet derivative of the matrix exponential
    (2009).

    Examples
    --------
    >>> import anvl.numpy as np
    >>> from anvl.scipy import linalg
    >>> print(linalg.expm_frechet(np.zeros((2, 2)), np.ones((2, 2)), compute_expm=False))
    [[1. 1.]
     [1. 1.]]
    """
    pair = _expm_frechet(A, E)
    return pair if compute_expm else pair[1]


@public()
def _expm_frechet(a: Any, e: Any) -> Any:
    (x, t), _ = promoted("expm_frechet", (a, e), "float", broadcast=False)
    x, t = square_matrices("expm_frechet", x), square_matrices("expm_frechet", t)
    if x.shape != t.shape:
        raise ValueError(f"expm_frechet: A is {x.aval} and E {t.aval}; give equal shapes")
    return jvp(anp.linalg.expm, (x,), (t,))


# -- square root ------------------------------------------------------------------------------


@hiding_frames
def sqrtm(A: Any, disp: bool = True, blocksize: int = 64) -> Any:
    """Principal square root of square matrices, complex.

    Parameters
    ----------
    A : array of shape (..., n, n)
    disp, blocksize
        Without effect.

    Returns
    -------
    A complex array of the shape of A, for real matrices too: `real(sqrtm(A))` is the root of a real
    matrix without negative eigenvalues; for these rounding decides the sign of the imaginary root.
    NaN where there is no root.

    Raises
    ------
    LinAlgError
        A is not a stack of square matrices.

    Notes
    -----
    By the Schur form, on processors with LAPACK.  Derivatives of every order are solutions of
    Sylvester equations, also at equal eigenvalues; they are infinite or NaN where an eigenvalue is
    0, and of a branch on the negative axis.
    Source: Å. Björck and S. Hammarling, A Schur method for the square root of a matrix (1983).

    Examples
    --------
    >>> import anvl.numpy as np
    >>> from anvl.scipy import linalg
    >>> print(np.real(linalg.sqrtm(np.asarray([[4.0, 0.0], [0.0, 9.0]]))))
    [[2. 0.]
     [0. 3.]]
    """
    return _public_sqrtm(A)


@public()
def _public_sqrtm(a: Any) -> Any:
    return _sqrtm(complex_of(square_matrices("sqrtm", a)))


@custom_jvp
def _sqrtm(x: Any) -> Any:
    t, z = complex_schur(x)
    return precise_matmul(z, precise_matmul(_root_of_triangular(t), ct(z)))


@_sqrtm.defjvp
def _sqrtm_rule(primals: Any, root: Any, tangents: Any) -> Any:
    """From root root = x: root dr + dr root = dx."""
    return sylvester(root, root, tangents[0])


def _root_of_triangular(t: Any) -> Any:
    """Upper triangular r with r r = t: see Note [Column by column] in matrix_equations.py."""
    n = t.shape[-1]
    if t.size == 0:
        return t
    unit, places = eye_like(t), anp.arange(n, dtype="int32")
    roots = anp.sqrt(anp.diagonal(t, axis1=-2, axis2=-1))

    def column(r: Any, j: Any, e: Any) -> Any:
        above = anp.expand_dims(anp.less(places, j), -1)
        pivot = precise_matmul(anp.expand_dims(roots, -2), e)
        sums = anp.add(anp.expand_dims(roots, -1), pivot)
        alone = anp.logical_and(above, anp.equal(sums, 0))  # 0 = t_ij: any number, if t_ij is 0
        off = anp.subtract(r, anp.multiply(anp.expand_dims(roots, -1), unit))
        both = anp.logical_and(above, anp.matrix_transpose(above))
        system = anp.where(both, off, 0) + anp.multiply(anp.where(alone | ~above, 1, sums), unit)
        found = upper_solve(system, anp.where(above, precise_matmul(t, e), 0))
        found = anp.where(anp.logical_and(alone, anp.not_equal(found, 0)), anp.nan, found)
        return anp.add(found, anp.multiply(pivot, e))

    return by_columns(n, anp.zeros_like(t), column)


# -- logarithm --------------------------------------------------------------------------------


@hiding_frames
def logm(A: Any, disp: bool = True) -> Any:
    """Principal logarithm of square matrices, complex.

    Parameters
    ----------
    A : array of shape (..., n, n)
    disp
        Without effect.

    Returns
    -------
    A complex array of the shape of A, for real matrices too; infinite or NaN where A is singular.
    There is no principal logarithm for negative eigenvalues: rounding decides the sign of i pi.

    Raises
    ------
    LinAlgError
        A is not a stack of square matrices.

    Notes
    -----
    By square roots of the Schur form, on processors with LAPACK, and the Padé approximant of order
    7 in partial fractions.  Its derivatives are solutions of an equation with those of the
    exponential, also at equal eigenvalues.
    Source: N. J. Higham, Functions of Matrices (2008), algorithm 11.9 and equation 11.18.

    Examples
    --------
    >>> import anvl.numpy as np
    >>> from anvl.scipy import linalg
    >>> print(np.round(np.real(linalg.logm(np.asarray([[1.0, 1.0], [0.0, 1.0]]))), 5))
    [[0. 1.]
     [0. 0.]]
    """
    return _public_logm(A)


@public()
def _public_logm(a: Any) -> Any:
    return _logm(complex_of(square_matrices("logm", a)))


@custom_jvp
def _logm(x: Any) -> Any:
    t, z = complex_schur(x)
    return precise_matmul(z, precise_matmul(_log_of_triangular(t), ct(z)))


@_logm.defjvp
def _logm_rule(primals: Any, log: Any, tangents: Any) -> Any:
    """From exp(log) = x: the derivative of exp at log in the direction dlog is dx."""
    (x,), (t,) = primals, tangents
    if x.size == 0:
        return t

    def product(direction: Any) -> Any:
        return jvp(_exp_of_log, (log,), (direction,))[1]

    def solved(_: Any, e: Any) -> Any:
        return _derivative_of_log(x, e)

    def transposed(_: Any, e: Any) -> Any:
        return _derivative_of_log(anp.matrix_transpose(x), e)

    return custom_linear_solve(product, t, solved, transposed)


def _exp_of_log(x: Any) -> Any:
    return anp.linalg.expm(x, max_squarings=8)  # for norms up to 1000: more take long to compile


def _derivative_of_log(x: Any, e: Any) -> Any:
    """The block of log([[x, e], [0, x]]) above the diagonal; Higham (2008), equation 3.16."""
    n = x.shape[-1]
    size = anp.max(anp.abs(e), axis=(-2, -1), keepdims=True)
    size = anp.where(anp.equal(size, 0), 1, size)  # so that the block does not govern the scaling
    upper = anp.concatenate([x, anp.divide(e, size)], axis=-1)
    lower = anp.concatenate([anp.zeros_like(x), x], axis=-1)
    found = _logm(anp.concatenate([upper, lower], axis=-2))
    return anp.multiply(found[..., :n, n:], size)


#: Largest 1-norm of X for which the approximant of log(1 + X) is exact to 53 bits; Higham (2008),
#: table 11.1.
_NEAR_ONE = 0.264
_MOST_ROOTS = 100


def _log_of_triangular(t: Any) -> Any:
    if t.size == 0:
        return t
    unit = eye_like(t)
    diagonal = anp.diagonal(t, axis1=-2, axis2=-1)

    def off(r: Any) -> Any:
        size = anp.sum(anp.abs(anp.subtract(r, unit)), axis=-2, keepdims=True)
        return anp.greater(anp.max(size, axis=-1, keepdims=True), _NEAR_ONE)

    def goes_on(carry: Any) -> Any:
        count, _, r = carry
        return anp.logical_and(anp.less(count, _MOST_ROOTS), anp.any(off(r)))

    def step(carry: Any) -> Any:
        count, scale, r = carry
        far = off(r)
        return (
            count + 1, anp.where(far, 2 * scale, scale), anp.where(far, _root_of_triangular(r), r)
        )  # fmt: skip

    scale = anp.ones((*t.shape[:-2], 1, 1), anp.real(t).dtype)
    start = (anp.zeros((), "int32"), scale, t)
    _, scale, r = while_loop(goes_on, step, start)
    x = anp.subtract(r, unit)
    nodes, weights = np.polynomial.legendre.leggauss(7)
    total: Any = 0
    for node, weight in zip(nodes, weights, strict=True):
        place, share = (float(node) + 1) / 2, float(weight) / 2
        system = anp.add(unit, anp.multiply(x, place))
        total = anp.add(total, anp.multiply(upper_solve(system, x), share))
    total = anp.triu(anp.multiply(total, scale), 1)
    total = anp.where(off(r), anp.nan, total)
    return anp.add(total, anp.multiply(anp.expand_dims(anp.log(diagonal), -1), unit))


# -- any function -----------------------------------------------------------------------------


@hiding_frames
def funm(A: Any, func: Callable[[Any], Any], disp: bool = True) -> Any:
    """Any function of square matrices, complex.

    Parameters
    ----------
    A : array of shape (..., n, n)
    func : callable
        A function of an array of complex numbers, element by element.
    disp : bool
        False gives an estimate of the relative error, too.

    Returns
    -------
    A complex array of the shape of A, for real matrices too; or a pair of it and of an array of the
    shape (...).

    Raises
    ------
    LinAlgError
        A is not a stack of square matrices.

    Notes
    -----
    By the Schur form, on processors with LAPACK, and Parlett's recurrence: the closer two
    eigenvalues, the larger the error.  At equal eigenvalues it is exact where the Schur form is
    diagonal beside them, as for Hermitian matrices, and else NaN; `expm`, `sqrtm` and `logm` have
    no such limit.  Derivatives are infinite or NaN at equal eigenvalues.
    Source: G. Golub and C. Van Loan, Matrix Computations (4th ed., 2013), algorithm 9.1.1.

    Examples
    --------
    >>> import anvl.numpy as np
    >>> from anvl.scipy import linalg
    >>> print(np.real(linalg.funm(np.asarray([[1.0, 1.0], [0.0, 2.0]]), np.square)))
    [[1. 3.]
     [0. 4.]]
    """
    found, error = _funm(A, func)
    return found if disp else (found, error)


@public("func")
def _funm(a: Any, func: Callable[[Any], Any]) -> Any:
    x = square_matrices("funm", a)
    t, z = complex_schur(x)
    if x.size == 0:
        return t, anp.zeros(x.shape[:-2], anp.real(x).dtype)
    values = complex_of(func(anp.diagonal(t, axis1=-2, axis2=-1)))
    f = _parlett(t, anp.astype(values, t.dtype))
    return precise_matmul(z, precise_matmul(f, ct(z))), _error(stop_gradient(t), stop_gradient(f))


def _parlett(t: Any, values: Any) -> Any:
    """f with f t = t f and this diagonal: see Note [Column by column] in matrix_equations.py."""
    n = t.shape[-1]
    unit, places = eye_like(t), anp.arange(n, dtype="int32")
    poles = anp.expand_dims(anp.diagonal(t, axis1=-2, axis2=-1), -1)
    strict = anp.triu(t, 1)
    eps = float(np.finfo(t.dtype).eps)
    largest = anp.max(anp.abs(t), axis=(-2, -1), keepdims=True)
    tiny = anp.multiply(largest, n * eps)

    def column(f: Any, j: Any, e: Any) -> Any:
        above = anp.expand_dims(anp.less(places, j), -1)
        upto = anp.matrix_transpose(anp.expand_dims(anp.less_equal(places, j), -1))
        fj = precise_matmul(anp.expand_dims(values, -2), e)
        gaps = anp.subtract(poles, precise_matmul(anp.matrix_transpose(e), precise_matmul(t, e)))
        alone = anp.logical_and(above, anp.less_equal(anp.abs(gaps), tiny))
        both = anp.logical_and(above, anp.matrix_transpose(above))
        pivots = anp.where(alone | ~above, 1, gaps)
        system = anp.where(both, strict, 0) + anp.multiply(pivots, unit)
        tj = precise_matmul(strict, e)
        found = upper_solve(
            system, anp.where(above, precise_matmul(f, tj) - anp.multiply(tj, fj), 0)
        )
        beside = anp.max(anp.where(upto, anp.abs(strict), 0), axis=-1, keepdims=True)
        unknown = anp.logical_and(alone, anp.greater(beside, tiny))
        found = anp.where(alone, anp.where(unknown, anp.nan, 0), found)
        return anp.add(found, anp.multiply(fj, e))

    return by_columns(n, anp.zeros_like(t), column)


def _error(t: Any, f: Any) -> Any:
    """The rounding errors of Parlett's recurrence: by the smallest gap, as SciPy estimates it."""
    eps, n = float(np.finfo(t.dtype).eps), t.shape[-1]
    poles = anp.diagonal(t, axis1=-2, axis2=-1)
    gaps = anp.abs(anp.subtract(anp.expand_dims(poles, -1), anp.expand_dims(poles, -2)))
    gaps = anp.where(anp.eye(n, dtype="bool"), anp.inf, gaps)
    least = anp.minimum(anp.min(gaps, axis=(-2, -1)), 1)
    size = anp.max(anp.sum(anp.abs(anp.triu(t, 1)), axis=-2), axis=-1)
    least = anp.where(anp.equal(least, 0), eps, least)
    found = anp.minimum(1, anp.maximum(eps, anp.multiply(anp.divide(eps, least), size)))
    finite = anp.all(anp.isfinite(f), axis=(-2, -1))
    return anp.where(finite, found, anp.inf)


# -- trigonometric and hyperbolic -------------------------------------------------------------


@public()
def cosm(A: Any) -> Any:
    """Cosine of square matrices; domain and errors of this and its relatives are those of `expm`.

    >>> import anvl.numpy as np
    >>> from anvl.scipy import linalg
    >>> print(linalg.cosm(np.zeros((2, 2))))
    [[1. 0.]
     [0. 1.]]
    """
    x = square_matrices("cosm", A)
    return anp.real(_turned(x)) if x.dtype.kind != "c" else _half(_turned(x), _turned(-x), 1)


@public()
def sinm(A: Any) -> Any:
    """Sine of square matrices.

    >>> import anvl.numpy as np
    >>> from anvl.scipy import linalg
    >>> print(linalg.sinm(np.zeros((1, 1))))
    [[0.]]
    """
    x = square_matrices("sinm", A)
    if x.dtype.kind != "c":
        return anp.imag(_turned(x))
    return anp.multiply(_half(_turned(x), _turned(-x), -1), -1j)


@public()
def tanm(A: Any) -> Any:
    """Tangent of square matrices: the solution x of cosm(A) x = sinm(A).

    >>> import anvl.numpy as np
    >>> from anvl.scipy import linalg
    >>> print(linalg.tanm(np.zeros((1, 1))))
    [[0.]]
    """
    x = square_matrices("tanm", A)
    return anp.linalg.solve(cosm(x), sinm(x))


@public()
def coshm(A: Any) -> Any:
    """Hyperbolic cosine of square matrices.

    >>> import anvl.numpy as np
    >>> from anvl.scipy import linalg
    >>> print(linalg.coshm(np.zeros((1, 1))))
    [[1.]]
    """
    x = square_matrices("coshm", A)
    return _half(anp.linalg.expm(x), anp.linalg.expm(-x), 1)


@public()
def sinhm(A: Any) -> Any:
    """Hyperbolic sine of square matrices.

    >>> import anvl.numpy as np
    >>> from anvl.scipy import linalg
    >>> print(linalg.sinhm(np.zeros((1, 1))))
    [[0.]]
    """
    x = square_matrices("sinhm", A)
    return _half(anp.linalg.expm(x), anp.linalg.expm(-x), -1)


@public()
def tanhm(A: Any) -> Any:
    """Hyperbolic tangent of square matrices: the solution x of coshm(A) x = sinhm(A).

    >>> import anvl.numpy as np
    >>> from anvl.scipy import linalg
    >>> print(linalg.tanhm(np.zeros((1, 1))))
    [[0.]]
    """
    x = square_matrices("tanhm", A)
    return anp.linalg.solve(coshm(x), sinhm(x))


def _turned(x: Any) -> Any:
    """exp(i x)."""
    return anp.linalg.expm(anp.multiply(complex_of(x), 1j))


def _half(plus: Any, minus: Any, sign: int) -> Any:
    return anp.multiply(anp.add(plus, anp.multiply(minus, sign)), 0.5)
