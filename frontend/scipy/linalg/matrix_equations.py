"""Schur forms, and the equations that they solve: `schur`, `rsf2csf`, `solve_sylvester`.

Note [Column by column]
    Equations between triangular matrices have a triangular system of equations for each column,
    given those before it.  So `scan` walks over the columns; rows that have no part in the system
    of a column are those of the identity in it.
"""

from __future__ import annotations

from typing import Any

import anvl.numpy as anp
from anvl.call_spellings.translation import spelled
from anvl.control_flow.loops import scan
from anvl.control_flow.solves import custom_linear_solve
from anvl.core.promote import promoted
from anvl.dispatch.eager import public
from anvl.numpy.functions.emitting import prim
from anvl.numpy.functions.products import precise_matmul
from anvl.numpy.standard.matrices import square_matrices
from anvl.runtime import hiding_frames
from anvl.scipy.linalg.stacks import complex_of, ct, eye_like, finite, lapack, one_of, unit_column
from anvl.transforms.custom_rules import custom_jvp

__all__ = [
    "by_columns", "complex_schur", "rsf2csf", "schur", "solve_continuous_lyapunov",
    "solve_sylvester", "sylvester",
]  # fmt: skip

_OUTPUTS = {"real": "real", "r": "real", "complex": "complex", "c": "complex"}


@hiding_frames
def schur(
    a: Any,
    output: str = "real",
    lwork: Any = None,
    overwrite_a: bool = False,
    sort: None = None,
    check_finite: bool = True,
) -> tuple[Any, Any]:
    """Schur form: z t z^H = a, with a unitary z and a triangular t.

    Parameters
    ----------
    a : array of shape (..., n, n)
    output : {"real", "complex"}
        For real a: a real t, with blocks of 2 x 2 on its diagonal for pairs of complex eigenvalues,
        or a complex one.
    lwork, overwrite_a, check_finite
        Without effect.
    sort : None
        Eigenvalues are in no order.

    Returns
    -------
    (t, z), each of the shape of a; NaN for matrices that are not finite.

    Raises
    ------
    LinAlgError
        a is not a stack of square matrices.
    ValueError
        Another `output`.
    NotImplementedError
        A `sort`.

    Notes
    -----
    It calls LAPACK, so there is none on plugins: see docs/linear-algebra.md.  The phase of each
    column of z is free, and so are the derivatives of functions that depend on it.  Derivatives are
    NaN for real forms with blocks of 2 x 2, and infinite or NaN where eigenvalues are equal.

    Examples
    --------
    >>> import anvl.numpy as np
    >>> from anvl.scipy import linalg
    >>> t, z = linalg.schur(np.asarray([[2.0, 1.0], [1.0, 2.0]]))
    >>> print(np.round(np.sort(np.diagonal(t)), 5))
    [1. 3.]
    """
    one_of("schur", "output", output, tuple(_OUTPUTS))
    if sort is not None:
        raise NotImplementedError(f"schur: sort is {sort!r}; eigenvalues cannot be ordered here")
    return _public_schur(a, _OUTPUTS[output])


@public("output")
def _public_schur(a: Any, output: str) -> Any:
    x = square_matrices("schur", a)
    return _schur(complex_of(x) if output == "complex" else x)


def complex_schur(x: Any) -> Any:
    """The complex Schur form (t, z) of square matrices, inside of a trace."""
    return _schur(complex_of(x))


@custom_jvp
def _schur(x: Any) -> Any:
    n = x.shape[-1]
    if x.size == 0:
        return x, x
    given, good = finite(x)
    values = [(x.dtype, (n,))] * (1 if x.dtype.kind == "c" else 2)
    matrices = [(x.dtype, (n, n))] * 2
    operand = anp.matrix_transpose(given)
    shapes = [*matrices, *values, ("int32", ()), ("int32", ())]
    t, z, *_, info = lapack("gees", [operand], shapes, mode="V", sort="N")
    ended = anp.reshape(anp.equal(info, 0), (*info.shape, 1, 1))
    good = anp.logical_and(good, ended)
    t, z = anp.matrix_transpose(t), anp.matrix_transpose(z)
    return anp.where(good, t, anp.nan), anp.where(good, z, anp.nan)


@_schur.defjvp
def _schur_rule(primals: Any, result: Any, tangents: Any) -> Any:
    """dz = z k with a skew k, such that dt = z^H da z + t k - k t is triangular."""
    (t, z), (moved,) = result, tangents
    inside = precise_matmul(ct(z), precise_matmul(moved, z))
    if t.size:
        blocks = anp.any(anp.not_equal(anp.tril(t, -1), 0), axis=(-2, -1), keepdims=True)
        inside = anp.multiply(inside, anp.where(blocks, anp.nan, 1))
    k = _turning(t, inside)
    dt = anp.add(inside, anp.subtract(precise_matmul(t, k), precise_matmul(k, t)))
    return anp.triu(dt), precise_matmul(z, k)


def by_columns(n: int, start: Any, column: Any, reverse: bool = False) -> Any:
    """Fill the columns of a matrix in order: column(so far, j, unit column j)."""

    def filled(found: Any, j: Any) -> tuple[Any, None]:
        unit = anp.expand_dims(unit_column(n, j, found), -1)
        return anp.add(
            found, precise_matmul(column(found, j, unit), anp.matrix_transpose(unit))
        ), None

    return scan(filled, start, anp.arange(n, dtype="int32"), reverse=reverse)[0]


def upper_solve(a: Any, b: Any, transpose: bool = False) -> Any:
    """Solve a x = b, or a^T x = b, for upper triangular matrices a."""
    return prim(
        "triangular_solve", a, b, left_side=True, lower=False, unit_diagonal=False,
        transpose_a="TRANSPOSE" if transpose else "NO_TRANSPOSE",
    )  # fmt: skip


def _turning(t: Any, inside: Any) -> Any:
    """The skew k for which inside + t k - k t has zeros below the diagonal."""

    def below(k: Any) -> Any:
        """The equation for the part of k below the diagonal, as one between matrices."""
        half = anp.tril(k, -1)
        product = anp.subtract(precise_matmul(t, half), precise_matmul(half, t))
        return anp.add(anp.tril(product, -1), anp.triu(k))

    def solved(_: Any, right: Any) -> Any:
        return _half_turning(t, right, transpose=False)

    def transposed(_: Any, right: Any) -> Any:
        return _half_turning(t, right, transpose=True)

    if t.shape[-1] < 2 or t.size == 0:
        return anp.zeros_like(t)
    half = custom_linear_solve(below, anp.tril(anp.negative(inside), -1), solved, transposed)
    return anp.subtract(half, ct(half))


def _half_turning(t: Any, right: Any, transpose: bool) -> Any:
    """Solution of `below`, or of its transpose: see Note [Column by column].

    Row i of column j has the products with those below it and to its left; in the transpose with
    those above it and to its right.
    """
    n = t.shape[-1]
    unit, places = eye_like(t), anp.arange(n, dtype="int32")

    def column(k: Any, j: Any, e: Any) -> Any:
        below = anp.greater(places, j)
        both = anp.logical_and(anp.expand_dims(below, -1), below)
        tj = precise_matmul(anp.matrix_transpose(t) if transpose else t, e)
        pivot = precise_matmul(anp.matrix_transpose(e), tj)
        system = anp.where(both, anp.subtract(t, anp.multiply(pivot, unit)), unit)
        known = anp.add(precise_matmul(k, tj), precise_matmul(right, e))
        known = anp.where(anp.expand_dims(below, -1), known, 0)
        return upper_solve(system, known, transpose)

    half = by_columns(n, anp.zeros_like(t), column, reverse=transpose)
    return anp.add(anp.tril(half, -1), anp.triu(right))


@hiding_frames
def rsf2csf(T: Any, Z: Any, check_finite: bool = True) -> tuple[Any, Any]:
    """Make a complex Schur form of a real one.

    Parameters
    ----------
    T, Z : array of shape (..., n, n)
        As `schur` gives them.
    check_finite : bool
        Without effect.

    Returns
    -------
    (t, z), complex, with z t z^H = Z T Z^H and a triangular t.

    Raises
    ------
    LinAlgError
        T or Z is not a stack of square matrices.

    Notes
    -----
    Each block of 2 x 2 is turned by a rotation whose first column is an eigenvector of it.
    Source: G. Golub and C. Van Loan, Matrix Computations (4th ed., 2013), section 7.4.1.

    Examples
    --------
    >>> import anvl.numpy as np
    >>> from anvl.scipy import linalg
    >>> t, z = linalg.rsf2csf(np.asarray([[0.0, 1.0], [-1.0, 0.0]]), np.eye(2))
    >>> print(np.round(np.diagonal(t), 5))
    [0.+1.j 0.-1.j]
    """
    return _rsf2csf(T, Z)


@public()
def _rsf2csf(t: Any, z: Any) -> Any:
    (x, y), _ = promoted("rsf2csf", (t, z), "float")
    x, y = (complex_of(square_matrices("rsf2csf", m)) for m in (x, y))
    n = x.shape[-1]
    if n > 1:
        steps = anp.arange(n - 2, -1, -1, dtype="int32")
        (x, y), _ = scan(lambda carry, m: (_without_block(carry, m), None), (x, y), steps)
    return anp.triu(x), y


def _without_block(carry: tuple[Any, Any], m: Any) -> tuple[Any, Any]:
    """Turn rows and columns m and m + 1 so that the element below the diagonal is 0."""
    t, z = carry
    pair = anp.stack([m, m + 1])
    rows = anp.take(t, pair, axis=-2)
    block = anp.take(rows, pair, axis=-1)
    a, b, c, d = (block[..., i, j] for i in (0, 1) for j in (0, 1))
    half = anp.multiply(anp.subtract(a, d), 0.5)
    root = anp.sqrt(anp.add(anp.multiply(half, half), anp.multiply(b, c)))
    # An eigenvector is (w - d, c), for the eigenvalue w = d + half + root.
    ahead = anp.add(half, root)
    flat = anp.equal(c, 0)
    ahead, c = anp.where(flat, 1, ahead), anp.where(flat, 0, c)
    size = anp.hypot(anp.abs(ahead), anp.abs(c))
    cos, sin = anp.divide(ahead, size), anp.divide(c, size)
    turn = anp.stack(
        [anp.stack([cos, -anp.conj(sin)], axis=-1), anp.stack([sin, anp.conj(cos)], axis=-1)],
        axis=-2,
    )
    t = t.at[..., pair, :].set(precise_matmul(ct(turn), rows))
    t = t.at[..., pair].set(precise_matmul(anp.take(t, pair, axis=-1), turn))
    return t, z.at[..., pair].set(precise_matmul(anp.take(z, pair, axis=-1), turn))


# -- equations --------------------------------------------------------------------------------


@spelled("A B C method tol")
def solve_sylvester(a: Any, b: Any, q: Any, *, method: str = "schur", tol: float = 1e-8) -> Any:
    """Solve the Sylvester equation a x + x b = q.

    Parameters
    ----------
    a : array of shape (..., m, m)
    b : array of shape (..., n, n)
    q : array of shape (..., m, n)
    method, tol
        Without effect: JAX's arguments.

    Returns
    -------
    An array of the shape of q; infinite or NaN where an eigenvalue of a is the negative of one of
    b.

    Raises
    ------
    LinAlgError
        Shapes that do not fit.

    Notes
    -----
    By the Schur forms of a and b, on processors with LAPACK.  Derivatives of every order are
    solutions of such equations.
    Source: R. Bartels and G. Stewart, Solution of the matrix equation AX + XB = C (1972).

    Examples
    --------
    >>> import anvl.numpy as np
    >>> from anvl.scipy import linalg
    >>> print(linalg.solve_sylvester(np.eye(2), 3 * np.eye(2), np.ones((2, 2))))
    [[0.25 0.25]
     [0.25 0.25]]
    """
    return _solve_sylvester(a, b, q)


@public()
def _solve_sylvester(a: Any, b: Any, q: Any) -> Any:
    (x, y, right), _ = promoted("solve_sylvester", (a, b, q), "float", broadcast=False)
    x, y = square_matrices("solve_sylvester", x), square_matrices("solve_sylvester", y)
    if right.ndim < 2 or right.shape[-2:] != (x.shape[-1], y.shape[-1]):
        raise anp.linalg.LinAlgError(
            f"solve_sylvester: q is {right.aval}, which does not fit {x.aval} and {y.aval}; give "
            f"(..., {x.shape[-1]}, {y.shape[-1]})"
        )
    stack = anp.broadcast_shapes(x.shape[:-2], y.shape[:-2], right.shape[:-2])
    return sylvester(*(anp.broadcast_to(m, (*stack, *m.shape[-2:])) for m in (x, y, right)))


def sylvester(a: Any, b: Any, q: Any) -> Any:
    """Solve a x + x b = q for stacks of one shape and dtype, inside of a trace."""
    if q.size == 0:
        return q

    def product(x: Any) -> Any:
        return anp.add(precise_matmul(a, x), precise_matmul(x, b))

    def solved(_: Any, q: Any) -> Any:
        return _by_schur_forms(a, b, q)

    def transposed(_: Any, q: Any) -> Any:
        return _by_schur_forms(anp.matrix_transpose(a), anp.matrix_transpose(b), q)

    return custom_linear_solve(product, q, solved, transposed)


def _by_schur_forms(a: Any, b: Any, q: Any) -> Any:
    (r, u), (s, v) = complex_schur(a), complex_schur(b)
    inside = precise_matmul(ct(u), precise_matmul(complex_of(q), v))
    unit = eye_like(r)

    def column(y: Any, j: Any, e: Any) -> Any:
        sj = precise_matmul(s, e)
        pivot = precise_matmul(anp.matrix_transpose(e), sj)
        right = anp.subtract(precise_matmul(inside, e), precise_matmul(y, sj))
        return upper_solve(anp.add(r, anp.multiply(pivot, unit)), right)

    y = by_columns(s.shape[-1], anp.zeros_like(inside), column)
    x = precise_matmul(u, precise_matmul(y, ct(v)))
    return x if q.dtype.kind == "c" else anp.real(x)


@public()
def solve_continuous_lyapunov(a: Any, q: Any) -> Any:
    """Solve the Lyapunov equation a x + x a^H = q; shapes, errors and domain as `solve_sylvester`.

    >>> import anvl.numpy as np
    >>> from anvl.scipy import linalg
    >>> print(linalg.solve_continuous_lyapunov(2 * np.eye(2), np.ones((2, 2))))
    [[0.25 0.25]
     [0.25 0.25]]
    """
    x = square_matrices("solve_continuous_lyapunov", a)
    return _solve_sylvester(x, ct(x), q)
