"""Matrix factorizations, linear systems, determinants: functions of `anvl.numpy.linalg`."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from anvl.core.avals import aval_of_type
from anvl.core.locations import here
from anvl.core.promote import broadcast_shapes, constant, convert, promoted
from anvl.core.trace_state import current
from anvl.core.tracer import Tracer
from anvl.core.tracing import ended_trace_error
from anvl.dialect.core.op import Value
from anvl.dialect.ops.linalg import matrices
from anvl.dispatch.eager import public
from anvl.numpy.arrays.axes import int_of
from anvl.numpy.arrays.choice import where
from anvl.numpy.arrays.creation import zeros
from anvl.numpy.arrays.shaping import broadcast_to, expand_dims, matrix_transpose, squeeze
from anvl.numpy.functions.elementwise import (
    abs,
    add,
    ceil,
    conj,
    divide,
    greater,
    multiply,
    subtract,
)
from anvl.numpy.functions.emitting import prim
from anvl.numpy.functions.exponents import log2
from anvl.numpy.functions.norms import norm, squared_modulus
from anvl.numpy.functions.products import cross, matmul, precise_matmul, tensordot, vecdot
from anvl.numpy.functions.reductions import count_nonzero, max, sum
from anvl.numpy.standard.matrices import (
    EighResult,
    EigResult,
    QRResult,
    SlogdetResult,
    SVDResult,
    default_rtol,
    diagonal,
    matrix_norm,
    matrix_rank,
    outer,
    trace,
    vector_norm,
)
from anvl.numpy.standard.matrices import square_matrices as _square
from anvl.numpy.standard.matrices import stack_of_matrices as _matrix
from anvl.runtime import Array, hiding_frames

__all__ = [
    "cholesky", "cross", "det", "diagonal", "eig", "eigh", "eigvals", "eigvalsh", "expm", "inv",
    "lstsq", "matmul", "matrix_norm", "matrix_power", "matrix_rank", "matrix_transpose", "norm",
    "outer", "pinv", "qr", "slogdet", "solve", "svd", "svdvals", "tensordot", "trace", "vecdot",
    "vector_norm",
]  # fmt: skip


def composed(f: Callable[..., Value], *xs: Tracer) -> Tracer:
    """Apply `f`, which emits ops on MLIR values, to tracers."""
    trace = current.trace
    if trace is None:
        raise ended_trace_error(xs)
    location = here(2)
    with location:
        y = f(*[trace.tracer_of(x).value for x in xs])
    return Tracer(y, aval_of_type(y.type), trace, location)


def _ct(x: Any) -> Any:
    return conj(matrix_transpose(x))


# -- factorisations --------------------------------------------------------------------------------


@public("upper")
def cholesky(a: Any, *, upper: bool = False) -> Any:
    """Cholesky factor: triangular l with l l^H = a, or u with u^H u = a; a is symmetrised first.

    >>> import anvl.numpy as np
    >>> print(np.linalg.cholesky(np.asarray([[4.0, 2.0], [2.0, 5.0]])))
    [[2. 0.]
     [1. 2.]]
    """
    y = prim("cholesky", _square("cholesky", a))
    return _ct(y) if upper else y


@public("mode")
def qr(a: Any, mode: str = "reduced") -> Any:
    """QR factorization: q with orthonormal columns and a triangular r with q r = a.

    `mode` is "reduced", "complete" (q is square) or "r" (r alone).
    The derivatives are infinite or NaN where a has dependent columns.

    >>> import anvl.numpy as np
    >>> q, r = np.linalg.qr(np.ones((3, 2)))
    >>> q.shape, r.shape
    ((3, 2), (2, 2))
    """
    if mode not in ("reduced", "complete", "r"):
        raise ValueError(f"qr: mode is {mode!r}; it must be 'reduced', 'complete' or 'r'")
    q, r = prim("qr", _matrix("qr", a), full_matrices=mode == "complete")
    return r if mode == "r" else QRResult(q, r)


@public("full_matrices", "compute_uv")
def svd(a: Any, full_matrices: bool = True, compute_uv: bool = True) -> Any:
    """Singular value decomposition: u, s and vh with u diag(s) vh = a; s alone without
    `compute_uv`.

    At equal singular values, or at 0, the singular vectors have no derivative.  The derivatives
    given are right, to first order, for functions that treat such vectors alike, such as u vh; they
    are NaN for functions that also use the values, such as u f(s) vh.

    >>> import anvl.numpy as np
    >>> u, s, vh = np.linalg.svd(np.ones((3, 2)), full_matrices=False)
    >>> u.shape, s.shape, vh.shape
    ((3, 2), (2,), (2, 2))
    """
    x = _matrix("svd", a)
    if not compute_uv:
        return prim("svdvals", x)
    return SVDResult(*prim("svd", x, full_matrices=full_matrices))


@public()
def svdvals(a: Any) -> Any:
    """Singular values, in descending order.  At equal singular values, and at 0, they have corners.

    >>> import anvl.numpy as np
    >>> print(np.linalg.svdvals(np.asarray([[0.0, 2.0], [3.0, 0.0]])))
    [3. 2.]
    """
    return prim("svdvals", _matrix("svdvals", a))


@public()
def eigh(a: Any) -> Any:
    """Ascending eigenvalues, and eigenvectors, of Hermitian matrices; a is symmetrised first.

    At equal eigenvalues the eigenvectors have no derivative.  The derivatives given are right, to
    first order, for functions that treat such vectors alike, such as a projector on their plane;
    they are NaN for functions that also use the eigenvalues, such as v f(w) v^H.

    >>> import anvl.numpy as np
    >>> w, v = np.linalg.eigh(np.asarray([[2.0, 1.0], [1.0, 2.0]], "float64"))
    >>> print(w)
    [1. 3.]
    """
    return EighResult(*prim("eigh", _square("eigh", a)))


@public()
def eigvalsh(a: Any) -> Any:
    """Ascending eigenvalues of Hermitian matrices; a is symmetrised first.

    At equal eigenvalues first derivatives are those of a symmetric function of them; second ones
    are NaN, except for their sum, and for eigenvalues that do not repeat.

    >>> import anvl.numpy as np
    >>> print(np.linalg.eigvalsh(np.asarray([[2.0, 1.0], [1.0, 2.0]], "float64")))
    [1. 3.]
    """
    return prim("eigvalsh", _square("eigvalsh", a))


@public()
def eig(a: Any) -> Any:
    """Eigenvalues, in no order, and eigenvectors; complex, for real matrices too.

    At equal eigenvalues derivatives of functions of both are NaN; for a defective matrix all
    derivatives are infinite or NaN.

    >>> import anvl.numpy as np
    >>> w, v = np.linalg.eig(np.asarray([[0.0, 1.0], [-1.0, 0.0]]))
    >>> print(w)
    [0.+1.j 0.-1.j]
    """
    return EigResult(*prim("eig", _square("eig", a)))


@public()
def eigvals(a: Any) -> Any:
    """Eigenvalues, in no order; complex, for real matrices too.

    At equal eigenvalues the derivatives are infinite or NaN.

    >>> import anvl.numpy as np
    >>> print(np.linalg.eigvals(np.asarray([[2.0, 1.0], [0.0, 3.0]])))
    [2.+0.j 3.+0.j]
    """
    return prim("eigvals", _square("eigvals", a))


# -- systems of equations --------------------------------------------------------------------------


@public()
def solve(a: Any, b: Any) -> Any:
    """Solve a x = b by LU factorization.  b is a vector, or a stack of matrices.

    Infinite or NaN where a is singular.

    >>> import anvl.numpy as np
    >>> print(np.linalg.solve(np.asarray([[2.0, 0.0], [0.0, 4.0]]), np.asarray([1.0, 1.0])))
    [0.5  0.25]
    """
    (left, right), _ = promoted("solve", (a, b), "float", broadcast=False)
    return _by_columns("solve", _square("solve", left), right, _solved)


def _by_columns(name: str, a: Tracer, b: Tracer, f: Callable[[Tracer, Tracer], Any]) -> Any:
    """Apply f to matrices a and columns b, in stacks of one shape; a vector b is one column."""
    if b.ndim == 1:
        return squeeze(_by_columns(name, a, expand_dims(b, 1), f), -1)
    if b.ndim < 1 or b.shape[-2] != a.shape[-2]:
        raise ValueError(f"{name}: {b.aval} has not as many rows as {a.aval}")
    batch = broadcast_shapes(a.shape[:-2], b.shape[:-2], function=name)
    if batch == b.shape[:-2] and b.shape[b.ndim - a.ndim :][:-2] == a.shape[:-2]:
        return f(a, b)  # matrices shared by several systems: no copies
    return f(broadcast_to(a, (*batch, *a.shape[-2:])), broadcast_to(b, (*batch, *b.shape[-2:])))


def _solved(a: Tracer, b: Tracer) -> Tracer:
    return composed(matrices.solve, a, b)


@public()
def inv(a: Any) -> Any:
    """Matrix inverse; infinite or NaN where a is singular.

    >>> import anvl.numpy as np
    >>> print(np.linalg.inv(np.asarray([[2.0, 0.0], [0.0, 4.0]])))
    [[0.5  0.  ]
     [0.   0.25]]
    """
    x = _square("inv", a)
    return _solved(x, _unit(x))


def _unit(x: Tracer) -> Tracer:
    """Identity for each matrix of a stack."""
    return composed(lambda v: matrices.identity(v.type), x)


@public("rcond")
def lstsq(a: Any, b: Any, rcond: float | None = None) -> Any:
    """Least-squares solution x, which minimizes |a x - b|.

    Of several minimizers, x is the one of smallest norm: `pinv(a, rcond) @ b`.

    Parameters
    ----------
    a : array
        A matrix.
    b : array
        A vector or a matrix.
    rcond : float, optional
        Singular values of at most `rcond` times the largest are taken as 0.  By default the epsilon
        of the dtype times the longer side of a; epsilon alone if negative.

    Returns
    -------
    A tuple (x, residuals, rank, singular values).  The residuals are |a x - b|^2 for each column if
    a has more rows than columns, else empty.  (NumPy's are empty for a smaller rank, too, but no
    shape depends on values here.)

    Notes
    -----
    The derivative is that of `pinv`: where a does not have full rank, it is the derivative along
    directions that keep the rank.

    Examples
    --------
    >>> import anvl.numpy as np
    >>> x, residuals, rank, s = np.linalg.lstsq(np.asarray([[3.0], [4.0]]), np.asarray([3.0, 4.0]))
    >>> print(np.round(x, 5), rank)
    [1.] 1
    """
    (left, right), _ = promoted("lstsq", (a, b), "float", broadcast=False)
    if left.ndim != 2 or right.ndim not in (1, 2):
        raise np.linalg.LinAlgError(
            f"lstsq: takes a matrix and a vector or matrix, got {left.aval}, {right.aval}"
        )
    if left.shape[0] != right.shape[0]:
        raise np.linalg.LinAlgError(f"lstsq: {right.aval} has not as many rows as {left.aval}")
    s, rcond = prim("svdvals", left), _cutoff("lstsq", rcond, left)
    x = precise_matmul(prim("pinv", left, rcond=rcond), right)
    return x, _residuals(left, x, right), _rank(s, rcond), s


@hiding_frames
def pinv(a: Any, rcond: float | None = None, *, rtol: Any = None) -> Any:
    """Pseudoinverse: pinv(a) @ b is the shortest x that minimizes |a x - b|.

    Singular values of at most `rcond` times the largest are taken as 0; by default the epsilon of
    the dtype times the longer side of a; epsilon alone if negative.  `rtol` is the standard's name
    of it, and may be an array with a bound for each matrix; giving both is a `TypeError`.

    Where a has full rank, derivatives of every order are those of the inverse of the matrix on its
    smaller side.  Elsewhere the pseudoinverse jumps, except along directions that keep the rank;
    the derivative is that along these. Source: G. Golub and V. Pereyra, The differentiation of
    pseudo-inverses and nonlinear least squares problems whose variables separate (1973).

    >>> import anvl.numpy as np
    >>> print(np.linalg.pinv(np.asarray([[2.0, 0.0], [0.0, 0.0]])))
    [[0.5 0. ]
     [0.  0. ]]
    """
    if rcond is not None and rtol is not None:
        raise TypeError(f"pinv: rcond={rcond!r} and rtol={rtol!r} are the same; give one of them")
    bound = rcond if rtol is None else rtol
    if isinstance(bound, Array | Tracer | np.ndarray):
        return _pinv_of_bounds(a, bound)
    return _pinv(a, bound)


@public("rcond")
def _pinv(a: Any, rcond: float | None) -> Any:
    x = _matrix("pinv", a)
    return prim("pinv", x, rcond=_cutoff("pinv", rcond, x))


@public()
def _pinv_of_bounds(a: Any, bounds: Any) -> Any:
    """Pseudoinverse by the singular value decomposition, for bounds that are no parameters."""
    u, s, vh = prim("svd", _matrix("pinv", a), full_matrices=False)
    if s.shape[-1] == 0:
        return _ct(precise_matmul(u, vh))
    cutoff = multiply(max(s, axis=-1, keepdims=True), expand_dims(bounds, -1))
    used = greater(s, cutoff)
    inverse = where(used, divide(1, where(used, s, 1)), 0)
    return precise_matmul(multiply(_ct(vh), expand_dims(inverse, -2)), _ct(u))


def _cutoff(name: str, rcond: Any, a: Tracer) -> float:
    """The bound, relative to the largest, up to which singular values are taken as 0."""
    if rcond is None:
        return default_rtol(a)
    if isinstance(rcond, bool) or not isinstance(rcond, int | float | np.number):
        raise TypeError(f"{name}: rcond is {rcond!r}; give a number, or None for the default")
    if rcond != rcond:
        raise ValueError(f"{name}: rcond is {rcond}; give a number, or None for the default")
    return float(np.finfo(a.dtype).eps) if rcond < 0 else float(rcond)


def _residuals(a: Tracer, x: Any, b: Tracer) -> Any:
    m, n = a.shape
    if m <= n:
        return zeros((0,), abs(b).dtype)
    off = subtract(precise_matmul(a, x), b)
    return sum(squared_modulus(off), axis=0, keepdims=b.ndim == 1)


def _rank(s: Tracer, rcond: float) -> Any:
    if 0 in s.shape:
        return constant(0, np.dtype(np.int32))
    return convert(count_nonzero(greater(s, multiply(max(s), rcond))), np.dtype(np.int32))


# -- determinants ----------------------------------------------------------------------------------


@public()
def det(a: Any) -> Any:
    """Determinant, from 4 rows on by LU factorization; differentiable at singular matrices, too.

    >>> import anvl.numpy as np
    >>> print(np.linalg.det(np.asarray([[1.0, 2.0], [3.0, 4.0]])))
    -2.0
    """
    return prim("det", _square("det", a))


@public()
def slogdet(a: Any) -> Any:
    """Sign, or phase of complex matrices, and logarithm of |det(a)|.

    0 and -inf for a singular matrix.

    >>> import anvl.numpy as np
    >>> sign, logarithm = np.linalg.slogdet(np.asarray([[1.0, 2.0], [3.0, 4.0]], "float64"))
    >>> print(sign, logarithm)
    -1.0 0.6931471805599455
    """
    return SlogdetResult(*prim("slogdet", _square("slogdet", a)))


# -- functions of matrices -------------------------------------------------------------------------


@public("n")
def matrix_power(a: Any, n: int) -> Any:
    """Power n of square matrices, by repeated squaring; of the inverse if n is negative.

    >>> import anvl.numpy as np
    >>> print(np.linalg.matrix_power(np.asarray([[1, 1], [0, 1]]), 5))
    [[1 5]
     [0 1]]
    """
    x = _square("matrix_power", a, "int")
    n = int_of(n, "n", "matrix_power")
    if n == 0:
        return _unit(x)
    base = x if n > 0 else inv(x)
    y, rest = None, n if n > 0 else -n
    while rest:
        if rest % 2:
            y = base if y is None else matmul(y, base)
        rest //= 2
        base = matmul(base, base) if rest else base
    return y


# Coefficients of the numerator of the Padé approximant of exp of degree 7 and 13, and the largest
# 1-norm for which its backward error is below the unit roundoff of 24 and of 53 bits.
# N. J. Higham, The scaling and squaring method for the matrix exponential revisited (2005),
# equation 2.2 (the coefficients), table 2.3 (53 bits) and section 4 (24 bits).
_PADE = {
    7: (17297280, 8648640, 1995840, 277200, 25200, 1512, 56, 1),
    13: (
        64764752532480000, 32382376266240000, 7771770303897600, 1187353796428800, 129060195264000,
        10559470521600, 670442572800, 33522128640, 1323241920, 40840800, 960960, 16380, 182, 1,
    ),
}  # fmt: skip
_LARGEST_NORM = {7: 3.925724783138660, 13: 5.371920351148152}


@public("max_squarings")
def expm(a: Any, *, max_squarings: int = 16) -> Any:
    """Matrix exponential, by scaling and squaring.

    Each matrix is squared as often as it needs.  More than `max_squarings` squarings, by default
    for a 1-norm above 300000, give NaN.  Half precision gives f32.

    >>> import anvl.numpy as np
    >>> print(np.linalg.expm(np.zeros((2, 2))))
    [[1. 0.]
     [0. 1.]]
    """
    x = _square("expm", a)
    most = int_of(max_squarings, "max_squarings", "expm", least=0)
    if x.dtype.itemsize < 4:  # the coefficients are beyond half precision
        x = convert(x, np.dtype(np.float32))
    if x.size == 0:
        return x
    degree = 7 if x.dtype in (np.float32, np.complex64) else 13
    size = max(sum(abs(x), axis=-2, keepdims=True), axis=-1, keepdims=True)
    needed = ceil(log2(divide(size, _LARGEST_NORM[degree])))  # -inf for zeros
    scale: Any = 1.0
    for k in range(most):
        scale = where(greater(needed, k), multiply(scale, 0.5), scale)
    y = _pade(multiply(x, scale), degree)
    for k in range(most):
        y = where(greater(needed, k), precise_matmul(y, y), y)
    return where(greater(needed, most), np.nan, y)


def _pade(x: Tracer, degree: int) -> Any:
    """Padé approximant of exp(x): u odd, v even in x; the solution y of (v - u) y = v + u."""
    b, unit = _PADE[degree], _unit(x)
    x2 = precise_matmul(x, x)
    x4 = precise_matmul(x2, x2)
    powers = [unit, x2, x4, precise_matmul(x4, x2)]
    u, v = (_polynomial(b[first:8:2], powers) for first in (1, 0))
    if degree == 13:
        high_u, high_v = (_polynomial(b[first::2], powers[1:]) for first in (9, 8))
        u, v = add(u, precise_matmul(powers[3], high_u)), add(v, precise_matmul(powers[3], high_v))
    u = precise_matmul(x, u)
    return _solved(subtract(v, u), add(v, u))


def _polynomial(coefficients: Sequence[float], powers: Sequence[Any]) -> Any:
    terms = [multiply(x, float(c)) for c, x in zip(coefficients, powers, strict=False)]
    return functools.reduce(add, terms)
