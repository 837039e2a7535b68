"""Polynomials as vectors of coefficients, highest power first: NumPy's names.

`polyval` is in `special`.  Source: NumPy's manual, "Poly1d", functions.
"""

from __future__ import annotations

import builtins
from typing import Any

import numpy as np

from anvl.core.avals import aval
from anvl.core.config import default_dtype
from anvl.core.promote import common_dtype, convert, promoted
from anvl.core.tracer import Tracer
from anvl.dialect.core.errors import TraceError
from anvl.dispatch.eager import public
from anvl.numpy.arrays.array_like import array_like
from anvl.numpy.arrays.axes import int_of
from anvl.numpy.arrays.creation import arange, asarray, ones, ones_like, zeros
from anvl.numpy.arrays.diagonals import diag
from anvl.numpy.arrays.shaping import atleast_1d, expand_dims, reshape
from anvl.numpy.arrays.stacking import concatenate, stack
from anvl.numpy.functions.convolving import convolve
from anvl.numpy.functions.elementwise import (
    add,
    conj,
    divide,
    equal,
    multiply,
    real,
    sqrt,
    subtract,
)
from anvl.numpy.functions.emitting import is_kind
from anvl.numpy.functions.products import matmul, outer
from anvl.numpy.functions.reductions import sum
from anvl.numpy.linear.matrix_functions import eigvals, inv, lstsq
from anvl.runtime import hiding_frames

__all__ = [
    "poly", "polyadd", "polyder", "polydiv", "polyfit", "polyint", "polymul", "polysub", "roots",
    "vander",
]  # fmt: skip


def _coefficients(name: str, *ps: Any) -> list[Tracer]:
    """Vectors of coefficients, of one dtype; a number is a constant."""
    given = [array_like(p, name) for p in ps]
    for p in given:
        if p.ndim > 1:
            raise ValueError(f"{name}: coefficients are {p.aval}; they must be a vector")
    operands, _ = promoted(name, given, broadcast=False)
    return [atleast_1d(p) for p in operands]


def _aligned(name: str, a1: Any, a2: Any) -> list[Any]:
    """Two vectors of coefficients, the shorter with zeros in front."""
    operands = _coefficients(name, a1, a2)
    size = builtins.max(p.shape[0] for p in operands)
    return [
        p if p.shape[0] == size else concatenate([zeros(size - p.shape[0], p.dtype), p])
        for p in operands
    ]


@public()
def polyadd(a1: Any, a2: Any) -> Any:
    """Sum of two polynomials.

    Vectors of coefficients, highest power first; dtypes are promoted.  Raises `ValueError` for
    other than vectors.  Source: `numpy.polyadd`.

    >>> import anvl.numpy as np
    >>> print(np.polyadd(np.asarray([1, 2]), np.asarray([9, 5, 4])))
    [9 6 6]
    """
    return add(*_aligned("polyadd", a1, a2))


@public()
def polysub(a1: Any, a2: Any) -> Any:
    """Difference of two polynomials: see `polyadd`.  Source: `numpy.polysub`.

    >>> import anvl.numpy as np
    >>> print(np.polysub(np.asarray([1, 2]), np.asarray([9, 5, 4])))
    [-9 -4 -2]
    """
    return subtract(*_aligned("polysub", a1, a2))


@public()
def polymul(a1: Any, a2: Any) -> Any:
    """Product of two polynomials: see `polyadd`.  Zeros in front stay.  Source: `numpy.polymul`.

    >>> import anvl.numpy as np
    >>> print(np.polymul(np.asarray([1, 2]), np.asarray([1, -2])))
    [ 1  0 -4]
    """
    first, second = _coefficients("polymul", a1, a2)
    return convolve(first, second)


@public()
def polydiv(u: Any, v: Any) -> Any:
    """Quotient and remainder of two polynomials: a pair of vectors of floats.

    Vectors of coefficients, highest power first; the first of v must not be 0, or the results are
    infinite or NaN.  The remainder has a coefficient less than v, or as many as u if those are
    fewer: zeros in front stay, where NumPy removes them.  Raises `ValueError` for other than
    vectors.  Source: `numpy.polydiv`.

    >>> import anvl.numpy as np
    >>> print(*np.polydiv(np.asarray([3.0, 5.0, 2.0]), np.asarray([2.0, 1.0])))
    [1.5  1.75] [0.25]
    """
    given = _coefficients("polydiv", u, v)
    (rest, by), _ = promoted("polydiv", given, "float", broadcast=False)
    m, n = rest.shape[0] - 1, by.shape[0] - 1
    if n < 0:
        raise ValueError(f"polydiv: v is {by.aval}; it needs a coefficient")
    if m < n:
        return zeros(1, rest.dtype), rest
    quotient = []
    for k in range(m - n + 1):
        factor = divide(rest[k], by[0])
        quotient.append(factor)
        reduced = subtract(rest[k + 1 : k + n + 1], multiply(factor, by[1:]))
        rest = concatenate([rest[: k + 1], reduced, rest[k + n + 1 :]])
    left = rest[m - n + 1 :] if n else zeros(1, rest.dtype)
    return stack(quotient), left


@public("m")
def polyder(p: Any, m: int = 1) -> Any:
    """The m-th derivative of a polynomial.

    A vector with m coefficients less, empty if p has not more.  Raises `TypeError` for an m that is
    no integer, `ValueError` for a negative one.  Source: `numpy.polyder`.

    >>> import anvl.numpy as np
    >>> print(np.polyder(np.asarray([1, 1, 1, 1])))
    [3 2 1]
    """
    (found,) = _coefficients("polyder", p)
    for _ in range(int_of(m, "m", "polyder", least=0)):
        n = found.shape[0] - 1
        if n < 1:
            return found[:0]
        found = multiply(found[:-1], arange(n, 0, -1, dtype=_counting(found)))
    return found


def _counting(x: Tracer) -> np.dtype[Any]:
    """The dtype of powers beside x."""
    return x.dtype if is_kind(x, "int", "uint", "float") else np.dtype(np.int32)


@public("m")
def polyint(p: Any, m: int = 1, k: Any = None) -> Any:
    """The m-th integral of a polynomial, with floats.

    `k` are the m constants of integration, or one for all of them; 0 by default.  Raises
    `TypeError` for an m that is no integer, `ValueError` for a negative one or another number of
    constants.  Source: `numpy.polyint`.

    >>> import anvl.numpy as np
    >>> print(np.polyint(np.asarray([3.0, 2.0, 1.0])))
    [1. 1. 1. 0.]
    """
    times = int_of(m, "m", "polyint", least=0)
    given = _coefficients("polyint", p, 0 if k is None else k)
    (found, constants), _ = promoted("polyint", given, "float", broadcast=False)
    if constants.shape[0] == 1:
        constants = multiply(ones(times, constants.dtype), constants)
    if constants.shape[0] != times:
        raise ValueError(f"polyint: {constants.shape[0]} constants for {times} integrals")
    for i in range(times):
        powers = arange(found.shape[0], 0, -1, dtype=_counting(found))
        found = concatenate([divide(found, powers), constants[i : i + 1]])
    return found


@public("N", "increasing")
def vander(x: Any, N: int | None = None, increasing: bool = False) -> Any:
    """Powers of the elements of a vector, in columns: from N - 1 to 0, or increasing.

    N is the size of x by default.  Raises `ValueError` for other than a vector, or a negative N.
    Source: `numpy.vander`.

    >>> import anvl.numpy as np
    >>> print(np.vander(np.asarray([1, 2, 3]), 3))
    [[1 1 1]
     [4 2 1]
     [9 3 1]]
    """
    vector = array_like(x, "vander")
    if vector.ndim != 1:
        raise ValueError(f"vander: takes a vector, got {vector.aval}")
    (operand,), _ = promoted("vander", (vector,), "int")
    if operand.dtype.kind in "iu":  # powers need room: as in NumPy, at least the default integer
        operand = convert(operand, common_dtype(operand.aval, aval(default_dtype(int)))[0])
    count = operand.shape[0] if N is None else int_of(N, "N", "vander", least=0)
    columns = [ones_like(operand)]
    for _ in range(count - 1):
        columns.append(multiply(columns[-1], operand))
    columns = columns[:count] if increasing else columns[:count][::-1]
    return stack(columns, 1) if columns else reshape(operand, (operand.shape[0], 1))[:, :0]


# -- roots -----------------------------------------------------------------------------------------


@public()
def poly(seq_of_zeros: Any) -> Any:
    """The polynomial with these roots, or the characteristic one of a square matrix.

    Its first coefficient is 1.  Real if the roots are, or if they are traced and a matrix is real;
    else complex: NumPy also gives a real result for conjugate pairs.  Raises `ValueError` for other
    shapes.  Source: `numpy.poly`.

    >>> import anvl.numpy as np
    >>> print(np.poly(np.asarray([1.0, 2.0])))
    [ 1. -3.  2.]
    """
    given = array_like(seq_of_zeros, "poly")
    (zeros_of,), _ = promoted("poly", (given,), "float")
    is_real = False
    if zeros_of.ndim == 2 and zeros_of.shape[0] == zeros_of.shape[1]:
        is_real = not is_kind(zeros_of, "complex")
        zeros_of = eigvals(zeros_of)
    elif zeros_of.ndim > 1:
        raise ValueError(f"poly: takes a vector or a square matrix, got {zeros_of.aval}")
    found = ones(1, zeros_of.dtype)
    zeros_of = atleast_1d(zeros_of)
    for i in range(zeros_of.shape[0]):
        factor = concatenate([ones(1, zeros_of.dtype), multiply(zeros_of[i : i + 1], -1.0)])
        found = convolve(found, factor)
    return real(found) if is_real else found


@hiding_frames
def roots(p: Any, *, strip_zeros: bool = True) -> Any:
    """Roots of a polynomial, as eigenvalues of its companion matrix.

    Parameters
    ----------
    p : array
        A vector of coefficients, highest power first.
    strip_zeros : bool
        Whether to leave out zeros in front, which a traced p must not have.

    Returns
    -------
    A vector of complex numbers, in no order, those at 0 last.

    Raises
    ------
    ValueError
        p is not a vector.
    TraceError
        p is traced and `strip_zeros` is true: how many roots there are would depend on values.

    Notes
    -----
    At multiple roots derivatives are infinite or NaN.  Source: `numpy.roots`.

    Examples
    --------
    >>> import anvl.numpy as np
    >>> print(np.sort(np.round(np.roots(np.asarray([1.0, -3.0, 2.0])), 4)))
    [1.+0.j 2.+0.j]
    """
    given = atleast_1d(asarray(p))
    if given.ndim > 1:
        raise ValueError(f"roots: coefficients are {given.aval}; they must be a vector")
    if not strip_zeros:
        return _roots(given, 0)
    if isinstance(given, Tracer):
        raise TraceError(
            f"roots: {given.aval} is traced, and the number of roots depends on zeros in front; "
            "say roots(p, strip_zeros=False) if there are none"
        )
    places = np.flatnonzero(np.asarray(given))
    if not places.size:
        return _roots(given.reshape(-1)[:1], 0)
    first, last = int(places[0]), int(places[-1])
    return _roots(given[first : last + 1], given.shape[0] - 1 - last)


@public("zeros_behind")
def _roots(p: Any, zeros_behind: int) -> Any:
    (found,), _ = promoted("roots", (array_like(p, "roots"),), "float")
    found = atleast_1d(found)
    n = found.shape[0] - 1
    at_zero = zeros(zeros_behind, np.result_type(found.dtype, np.complex64))
    if n < 1:
        return at_zero
    first = multiply(divide(found[1:], found[0]), -1.0)
    companion = diag(ones(n - 1, found.dtype), -1) if n > 1 else zeros((1, 1), found.dtype)
    companion = companion.at[0].set(first)
    return concatenate([eigvals(companion), at_zero]) if zeros_behind else eigvals(companion)


# -- fitting ---------------------------------------------------------------------------------------


@public("deg", "rcond", "full", "cov")
def polyfit(
    x: Any,
    y: Any,
    deg: int,
    rcond: float | None = None,
    full: bool = False,
    w: Any = None,
    cov: bool | str = False,
) -> Any:
    """Fit a polynomial to points, by least squares.

    Parameters
    ----------
    x : array
        A vector.
    y : array
        A vector, or a matrix with a set of values in each column.
    deg : int
    rcond : float, optional
        Singular values up to this, relative to the largest, are taken as 0; by default the number
        of points times the epsilon of the dtype.
    full, cov : bool
        Whether to return what `lstsq` does, or the covariances of the coefficients, too; for
        cov="unscaled" with 1 / w as known standard deviations.
    w : array, optional
        A vector: what to multiply the residuals with.

    Returns
    -------
    The coefficients, highest power first; a tuple with `cov` or `full`.

    Raises
    ------
    ValueError
        A negative degree, or too few points for the covariance.
    TypeError
        x, y or w has another shape.

    Notes
    -----
    Of a fit that is not determined the shortest one.  Source: `numpy.polyfit`.

    Examples
    --------
    >>> import anvl.numpy as np
    >>> print(np.round(np.polyfit(np.asarray([0.0, 1, 2]), np.asarray([-1.0, 1, 3]), 1), 4))
    [ 2. -1.]
    """
    order = int_of(deg, "deg", "polyfit", least=0) + 1
    points, values = _points(x, y)
    left, right = _weighted(vander(points, order), values, w)
    scale = real(sqrt(sum(multiply(left, conj(left)), axis=0)))
    scale = add(scale, convert(equal(scale, 0), scale.dtype))
    if rcond is None:
        rcond = points.shape[0] * float(np.finfo(points.dtype).eps)
    found, residuals, rank, s = lstsq(divide(left, scale), right, rcond)
    unscaled = divide(found, scale if found.ndim == 1 else expand_dims(scale, 1))
    if full:
        return unscaled, residuals, rank, s, rcond
    return (unscaled, _covariances(left, scale, residuals, values, cov)) if cov else unscaled


def _points(x: Any, y: Any) -> list[Tracer]:
    given = [array_like(v, "polyfit") for v in (x, y)]
    (points, values), _ = promoted("polyfit", given, "float", broadcast=False)
    if points.ndim != 1 or values.ndim not in (1, 2) or values.shape[0] != points.shape[0]:
        raise TypeError(
            f"polyfit: x {points.aval} must be a vector, y {values.aval} a vector or a matrix with "
            "as many rows"
        )
    if points.shape[0] == 0:
        raise TypeError("polyfit: there are no points")
    return [points, values]


def _weighted(left: Any, right: Any, w: Any) -> tuple[Any, Any]:
    """Both sides of the equations, times the weights."""
    if w is None:
        return left, right
    weights = convert(array_like(w, "polyfit"), left.dtype)
    if weights.shape != right.shape[:1]:
        raise TypeError(f"polyfit: weights {weights.aval} are not one for each point")
    column = expand_dims(weights, 1)
    return multiply(left, column), multiply(right, column if right.ndim == 2 else weights)


def _covariances(left: Any, scale: Any, residuals: Any, y: Tracer, cov: Any) -> Any:
    a = divide(left, scale)
    base = divide(inv(matmul(conj(a).T, a)), outer(scale, scale))
    if cov == "unscaled":
        factor: Any = 1
    else:
        spare = left.shape[0] - left.shape[1]
        if spare <= 0:
            raise ValueError(
                f"polyfit: {left.shape[0]} points are too few to scale the covariances of "
                f"{left.shape[1]} coefficients; give more, or cov='unscaled'"
            )
        factor = divide(residuals, spare)
    if y.ndim == 1:
        return multiply(base, factor)
    return multiply(expand_dims(base, 2), factor)
