"""`anvl.scipy.sparse.linalg`: iterations for linear systems of which products are known.

>>> import anvl.numpy as np
>>> from anvl.scipy.sparse import linalg
>>> x, info = linalg.cg(lambda x: 2.0 * x, np.asarray([2.0, 4.0]))
>>> print(x, info)
[1. 2.] 0
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import anvl.numpy as anp
from anvl.control_flow.loops import fori_loop, while_loop
from anvl.control_flow.solves import custom_linear_solve
from anvl.flatten_util import ravel_pytree
from anvl.runtime import hiding_frames
from anvl.transforms.linear_transpose import linear_transpose

__all__ = ["bicgstab", "cg", "gmres"]

_Product = Callable[[Any], Any]


class _Limits(NamedTuple):
    """When an iteration ends: at a length of the residual, relative or not, or after some steps."""

    rtol: Any
    atol: Any
    maxiter: int
    restart: int = 0

    def bound(self, b: Any) -> Any:
        return anp.maximum(anp.multiply(self.rtol, _length(b)), self.atol)


@hiding_frames
def cg(
    A: Any,
    b: Any,
    x0: Any = None,
    *,
    tol: float = 1e-5,
    rtol: float | None = None,
    atol: float = 0.0,
    maxiter: int | None = None,
    M: Any = None,
) -> tuple[Any, Any]:
    """Solve A x = b by conjugate gradients, for a Hermitian positive definite A.

    Parameters
    ----------
    A : array of shape (n, n), or callable
        A matrix, or the function from x to A x.
    b : array or pytree of floats
    x0 : like b, optional
        Where to begin; zeros by default.  It has no derivative.
    tol, rtol, atol : float
        The iteration ends where the residual is at most max(rtol |b|, atol); tol is JAX's name of
        rtol.
    maxiter : int, optional
        By default 10 n.
    M : array or callable, optional
        An approximation of the inverse of A, Hermitian positive definite too.

    Returns
    -------
    (x, info): the solution, like b, and 0, or the number of steps if they were too few (i32).

    Raises
    ------
    ValueError
        A matrix that does not fit b.

    Notes
    -----
    Derivatives are solutions of such systems, to the same tolerance.
    Source: M. Hestenes and E. Stiefel, Methods of conjugate gradients for solving linear systems
    (1952).

    Examples
    --------
    >>> import anvl.numpy as np
    >>> from anvl.scipy.sparse import linalg
    >>> print(linalg.cg(np.asarray([[2.0, 1.0], [1.0, 2.0]]), np.ones(2))[0])
    [0.33333334 0.33333334]
    """
    limits = (tol if rtol is None else rtol, atol, maxiter)
    return _Systems("cg", A, b, x0, M, limits).solved(_conjugate_gradients)


@hiding_frames
def bicgstab(
    A: Any,
    b: Any,
    x0: Any = None,
    *,
    tol: float = 1e-5,
    rtol: float | None = None,
    atol: float = 0.0,
    maxiter: int | None = None,
    M: Any = None,
) -> tuple[Any, Any]:
    """Solve A x = b by the stabilised method of biconjugate gradients, for any A.

    Parameters
    ----------
    A, b, x0, tol, rtol, atol, maxiter
        As of `cg`.
    M : array or callable, optional
        An approximation of the inverse of A.

    Returns
    -------
    (x, info), as of `cg`.

    Raises
    ------
    ValueError
        A matrix that does not fit b.

    Notes
    -----
    Source: H. van der Vorst, Bi-CGSTAB (1992).

    Examples
    --------
    >>> import anvl.numpy as np
    >>> from anvl.scipy.sparse import linalg
    >>> x, info = linalg.bicgstab(np.asarray([[2.0, 1.0], [0.0, 2.0]]), np.ones(2))
    >>> print(np.round(x, 4))
    [0.25 0.5 ]
    """
    limits = (tol if rtol is None else rtol, atol, maxiter)
    return _Systems("bicgstab", A, b, x0, M, limits).solved(_biconjugate_gradients)


@hiding_frames
def gmres(
    A: Any,
    b: Any,
    x0: Any = None,
    *,
    tol: float = 1e-5,
    rtol: float | None = None,
    atol: float = 0.0,
    restart: int = 20,
    maxiter: int | None = None,
    M: Any = None,
    solve_method: str = "batched",
) -> tuple[Any, Any]:
    """Solve A x = b by minimal residuals in Krylov spaces, for any A.

    Parameters
    ----------
    A, b, x0, tol, rtol, atol, M
        As of `bicgstab`.
    restart : int
        Dimension of a space, whose vectors are kept.
    maxiter : int, optional
        How many spaces at most, by default 10 n.
    solve_method
        Ignored: JAX's argument.

    Returns
    -------
    (x, info), as of `cg`.

    Raises
    ------
    ValueError
        A matrix that does not fit b, a restart below 1.

    Notes
    -----
    Preconditioned from the right, so that the residual is that of the system.
    Source: Y. Saad and M. Schultz, GMRES (1986).

    Examples
    --------
    >>> import anvl.numpy as np
    >>> from anvl.scipy.sparse import linalg
    >>> x, info = linalg.gmres(np.asarray([[2.0, 1.0], [0.0, 2.0]]), np.ones(2))
    >>> print(np.round(x, 4))
    [0.25 0.5 ]
    """
    if restart < 1:
        raise ValueError(f"gmres: restart is {restart}; it must be at least 1")
    limits = (tol if rtol is None else rtol, atol, maxiter)
    return _Systems("gmres", A, b, x0, M, limits, int(restart)).solved(_minimal_residuals)


class _Systems:
    """A system and its transpose, on vectors."""

    def __init__(
        self, name: str, a: Any, b: Any, x0: Any, m: Any, limits: Any, restart: int = 0
    ) -> None:
        self._name = name
        vector, self._unravel = ravel_pytree(b)
        self._b = vector if vector.dtype.kind in "fc" else anp.astype(vector, float)
        self._start = None if x0 is None else anp.astype(ravel_pytree(x0)[0], self._b.dtype)
        n = self._b.shape[0]
        self._product = self._on_vectors("A", a)
        self._inverse = None if m is None else self._on_vectors("M", m)
        rtol, atol, maxiter = limits
        steps = 10 * n if maxiter is None else int(maxiter)
        self._limits = _Limits(rtol, atol, steps, max(min(restart, n), 1))

    def _on_vectors(self, parameter: str, operator: Any) -> _Product:
        if callable(operator):
            return lambda v: anp.astype(ravel_pytree(operator(self._unravel(v)))[0], v.dtype)
        n, shape = self._b.shape[0], anp.shape(operator)
        if shape != (n, n):
            raise ValueError(
                f"{self._name}: {parameter} has shape {list(shape)} and b {n} elements; give a "
                "square matrix that fits, or a function"
            )
        return lambda v: anp.astype(anp.matmul(operator, v), v.dtype)

    def solved(self, iterate: Any) -> tuple[Any, Any]:
        def solve(product: _Product, b: Any) -> Any:
            inverse = self._inverse or (lambda v: v)
            start = anp.zeros_like(b) if self._start is None else self._start
            return iterate(product, inverse, b, start, self._limits)

        def solve_transposed(product: _Product, b: Any) -> Any:
            def inverse(v: Any) -> Any:
                if self._inverse is None:
                    return v
                return linear_transpose(self._inverse, v)(v)[0]

            return iterate(product, inverse, b, anp.zeros_like(b), self._limits)

        x, info = custom_linear_solve(self._product, self._b, solve, solve_transposed, has_aux=True)
        return self._unravel(x), info


def _length(x: Any) -> Any:
    return anp.linalg.norm(x)


def _info(residual: Any, bound: Any, steps: Any) -> Any:
    return anp.astype(anp.where(anp.less_equal(residual, bound), 0, steps), "int32")


def _one_for_zero(x: Any) -> Any:
    return anp.where(anp.equal(x, 0), 1, x)


def _iterated(step: Any, start: tuple[Any, ...], bound: Any, limits: _Limits) -> Any:
    """Repeat `step` on (x, residual, ...) until the residual is small, or steps are too many."""

    def goes_on(carry: Any) -> Any:
        count, (_, rest, *_) = carry
        return anp.logical_and(anp.less(count, limits.maxiter), anp.greater(_length(rest), bound))

    def next_one(carry: Any) -> Any:
        count, state = carry
        return count + 1, step(*state)

    count, (x, rest, *_) = while_loop(goes_on, next_one, (anp.zeros((), "int32"), start))
    return x, _info(_length(rest), bound, count)


def _conjugate_gradients(
    product: _Product, inverse: _Product, b: Any, start: Any, limits: _Limits
) -> Any:
    def step(x: Any, rest: Any, d: Any, size: Any) -> Any:
        bent = product(d)
        alpha = anp.divide(size, _one_for_zero(anp.vdot(d, bent)))
        x, rest = x + alpha * d, rest - alpha * bent
        near = inverse(rest)
        after = anp.vdot(rest, near)
        return x, rest, near + anp.divide(after, _one_for_zero(size)) * d, after

    rest = anp.subtract(b, product(start))
    near = inverse(rest)
    return _iterated(step, (start, rest, near, anp.vdot(rest, near)), limits.bound(b), limits)


def _biconjugate_gradients(
    product: _Product, inverse: _Product, b: Any, start: Any, limits: _Limits
) -> Any:
    rest = anp.subtract(b, product(start))
    shadow = rest

    def step(x: Any, rest: Any, d: Any, v: Any, rho: Any, alpha: Any, omega: Any) -> Any:
        after = anp.vdot(shadow, rest)
        beta = anp.divide(after, _one_for_zero(rho)) * anp.divide(alpha, _one_for_zero(omega))
        d = rest + beta * (d - omega * v)
        toward = inverse(d)
        v = product(toward)
        alpha = anp.divide(after, _one_for_zero(anp.vdot(shadow, v)))
        half = rest - alpha * v
        near = inverse(half)
        t = product(near)
        omega = anp.divide(anp.vdot(t, half), _one_for_zero(anp.vdot(t, t)))
        return x + alpha * toward + omega * near, half - omega * t, d, v, after, alpha, omega

    zero, one = anp.zeros_like(b), anp.ones((), b.dtype)
    return _iterated(step, (start, rest, zero, zero, one, one, one), limits.bound(b), limits)


def _minimal_residuals(
    product: _Product, inverse: _Product, b: Any, start: Any, limits: _Limits
) -> Any:
    m, n = limits.restart, b.shape[0]

    def extended(j: Any, carry: Any) -> Any:
        """One more vector of the space, orthogonal to those before it; twice, for the rounding."""
        basis, h = carry
        w = product(inverse(basis[j]))
        first = anp.matmul(anp.conj(basis), w)
        w = anp.subtract(w, anp.matmul(first, basis))
        again = anp.matmul(anp.conj(basis), w)
        w = anp.subtract(w, anp.matmul(again, basis))
        size = _length(w)
        w = anp.divide(w, _one_for_zero(size))
        last = anp.multiply(anp.equal(anp.arange(m + 1, dtype="int32"), j + 1), size)
        return basis.at[j + 1].set(w), h.at[:, j].set(first + again + last)

    def step(x: Any, rest: Any) -> Any:
        size = _length(rest)
        basis = anp.zeros((m + 1, n), b.dtype).at[0].set(anp.divide(rest, _one_for_zero(size)))
        h = anp.zeros((m + 1, m), b.dtype)
        basis, h = fori_loop(0, m, extended, (basis, h))
        target = anp.zeros((m + 1,), b.dtype).at[0].set(anp.astype(size, b.dtype))
        y = anp.matmul(anp.linalg.pinv(h), target)
        x = x + inverse(anp.matmul(y, basis[:m]))
        return x, anp.subtract(b, product(x))

    rest = anp.subtract(b, product(start))
    return _iterated(step, (start, rest), limits.bound(b), limits)


def __dir__() -> list[str]:
    return list(__all__)
