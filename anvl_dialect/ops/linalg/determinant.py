"""`det` and `slogdet`: determinants, by LU factorisation.

The derivative of `slogdet` solves a linear system with the matrix itself, so the factorisation is
not differentiated, and one `lu` serves both.  The derivative of `det` exists even if that system
has no solution: see Note [Singular determinants].
Sources: M. Giles, An extended collection of matrix derivative results for forward and reverse mode
automatic differentiation (2008), section 2.2.4 (Jacobi's formula); G. W. Stewart, On the adjugate
matrix, Linear Algebra Appl. 283 (1998), for the adjugate from singular values; F. Zhang (ed.), The
Schur Complement and Its Applications (2005), section 1.1 (Schur's formula).
"""

from collections.abc import Sequence
from functools import reduce
from typing import Any

from anvl.dialect.core.create import full, full_like, zeros_like
from anvl.dialect.core.lazy_numpy import np
from anvl.dialect.core.op import Result, Value, emit
from anvl.dialect.core.types import dtype_name, numpy_dtype, tensor
from anvl.dialect.interpreters.subprogram import jvp_of, vjp_of
from anvl.dialect.ops.elementwise.elementary import and_
from anvl.dialect.ops.linalg.factorization_base import Factorisation
from anvl.dialect.ops.linalg.matrices import (
    across_rows,
    check_square,
    columns,
    ct,
    diagonal,
    identity,
    is_complex,
    matmul,
    on_diagonal,
    real_of,
    rows,
    scaled,
    solve,
)
from anvl.dialect.ops.linalg.solve import by_factors

__all__ = ["CofactorsOp", "DetOp", "SlogdetOp"]


class DetOp(Factorisation, name="det"):
    """Determinant of square matrices.

    Its derivatives are those of a polynomial, also at singular matrices: see Note [Singular
    determinants].
    """

    y: Result

    @classmethod
    def result_type(cls, x: Any) -> Any:
        check_square("det", x)
        return tensor(x.shape[:-2], x.element_type)

    @classmethod
    def lower(cls, hlo: Any, x: Value) -> Value:
        if x.type.shape[-1] <= _EXACT:
            return _written_out(x)
        parity, factors = _factors(x)
        return emit.mul(parity, _product(factors))

    @classmethod
    def tangent(cls, ts: Sequence[Value | None], xs: Sequence[Value], y: Value) -> Any:
        (t,), (x,) = ts, xs
        if t is None:
            return None
        if x.type.shape[-1] <= _LAST:
            return jvp_of(_polynomial, xs, ts)[0]
        rank = x.type.rank
        return emit.sum(emit.mul(t, emit.cofactors(x)), axes=(rank - 2, rank - 1))

    @classmethod
    def adjoint(cls, g: Value, xs: Sequence[Value], y: Value) -> Sequence[Any]:
        (x,) = xs
        if x.type.shape[-1] <= _LAST:
            return [lambda: vjp_of(_polynomial, xs, [g])[0]]
        return [lambda: emit.mul(_for_each_element(g, x), emit.cofactors(x))]

    @classmethod
    def sample(cls, draw: Any) -> Any:
        square = draw.matrix(3, 3)[::-1].copy()
        return draw.calls(
            ([square], {}), ([draw.matrix(2, 5, 5)], {}), ([draw.matrix(2, 2, 2)], {}),
            ([draw.matrix(1, 1)], {}), ([draw.matrix(0, 0)], {}),
        )  # fmt: skip


class CofactorsOp(Factorisation, name="cofactors"):
    """Cofactors of square matrices, also of singular ones: the derivative of their determinants.

    See Note [Singular determinants].
    """

    y: Result

    @classmethod
    def result_type(cls, x: Any) -> Any:
        check_square("cofactors", x)
        return x

    @classmethod
    def lower(cls, hlo: Any, x: Value) -> Value:
        if 0 in x.type.shape:
            return zeros_like(x)
        if x.type.shape[-1] <= _LAST:
            return _slope(x)[0]
        y = emit.det(x)
        inverse = by_factors(emit.lu(x), identity(x.type), "TRANSPOSE")  # shared with that of `det`
        found = emit.mul(_for_each_element(y, x), inverse)
        is_usable = and_(_all(_is_normal(y)), _all(emit.is_finite(emit.abs(found))))
        return hlo.choose(is_usable, x.type, lambda: found, lambda: _slope(x)[0])

    @classmethod
    def tangent(cls, ts: Sequence[Value | None], xs: Sequence[Value], y: Value) -> Any:
        return None if ts[0] is None else jvp_of(_slope, xs, ts)[0]

    @classmethod
    def adjoint(cls, g: Value, xs: Sequence[Value], y: Value) -> Sequence[Any]:
        return [lambda: vjp_of(_slope, xs, [g])[0]]

    @classmethod
    def sample(cls, draw: Any) -> Any:
        return draw.calls(
            ([draw.matrix(2, 5, 5)], {}), ([draw.matrix(2, 2)], {}), ([draw.matrix(0, 0)], {}),
        )  # fmt: skip


class SlogdetOp(Factorisation, name="slogdet"):
    """Sign of the determinant, or its phase if complex, and the logarithm of its absolute value.

    0 and -infinity for a singular matrix, whose derivative is NaN.
    """

    sign: Result
    logarithm: Result

    @classmethod
    def result_type(cls, x: Any) -> Any:
        check_square("slogdet", x)
        return [tensor(x.shape[:-2], x.element_type), real_of(x, x.shape[:-2])]

    @classmethod
    def lower(cls, hlo: Any, x: Value) -> Sequence[Value]:
        parity, factors = _factors(x)
        sizes = emit.log(emit.abs(factors))
        return [
            emit.mul(parity, _product(emit.sign(factors))),
            emit.sum(sizes, axes=(sizes.type.rank - 1,)),
        ]

    @classmethod
    def result_tangents(
        cls, t: Value, x: Value, sign: Value, logarithm: Value
    ) -> Sequence[Value | None]:
        growth = _trace_of_quotient(t, x)
        if not is_complex(x):
            return [None, growth]
        turn = emit.imag(growth)
        return [emit.mul(sign, emit.complex(zeros_like(turn), turn)), emit.real(growth)]

    @classmethod
    def sample(cls, draw: Any) -> Any:
        square = draw.matrix(3, 3)[::-1].copy()
        return draw.calls(([square], {}), ([draw.matrix(2, 2, 2)], {}), ([draw.matrix(0, 0)], {}))


# Note [Singular determinants]
#
# The determinant is a polynomial, so it has derivatives everywhere, but `det(x) inverse(x)` is 0
# times infinity for singular x.  Up to 4 rows the polynomial is written out.  From 5 rows on let
# x0 = u s v^H, by singular values, be the matrix at which derivatives are evaluated, all of it held
# constant.  Then
#
#     det x = det(u) det(v^H) det(m),   m = s + u^H (x - x0) v
#
# and m is diagonal at x = x0, its smallest singular values last.  With m in blocks, m22 of 4 rows,
# det m = det(m11) det(m22 - m21 m11^-1 m12): nothing is divided by the four smallest values, so
# only the others must be nonzero.  If one of those is 0, the rank is less than n-4, and each
# derivative up to the fourth is a sum of minors of at least n-4 rows, that is, 0, which is
# returned.  So derivatives are right everywhere up to the fourth order, and to every order where
# the rank is at least n-4.  The cost is that of singular values: it grows like n^3.
#
# Where no matrix of a stack has a determinant of 0, the first derivatives are `det(x) inverse(x)`
# after all, transposed, with half to a fifth of the errors, also of matrices that are singular but
# for rounding: both factors are those of one matrix beside x, and the polynomial is smooth.  This
# is chosen at run time, for the whole stack: of 400 matrices of 5 rows it takes 0.15 of the time.

_EXACT = 3  # rows up to which the value is the polynomial too: exact if its products are
_LAST = 4  # rows of the block by which nothing is divided


def _polynomial(x: Value) -> list[Value]:
    """A differentiable form of the determinant.  See Note [Singular determinants]."""
    n = x.type.shape[-1]
    if n <= _LAST:
        return [_written_out(x)]
    x0, k = emit.stop_gradient(x), n - _LAST
    u, s, vt = emit.svd(x0)
    turned = matmul(ct(u), matmul(emit.sub(x, x0), ct(vt)))
    first, last = columns(s, 0, k), columns(s, k, n)
    is_zero = emit.compare(first, zeros_like(first), comparison_direction="EQ")
    usable = emit.select(is_zero, full_like(first, 1), first)
    m11 = emit.add(_as_diagonal(usable, x), columns(rows(turned, 0, k), 0, k))
    m12, m21 = columns(rows(turned, 0, k), k, n), columns(rows(turned, k, n), 0, k)
    m22 = emit.add(_as_diagonal(last, x), columns(rows(turned, k, n), k, n))
    schur = emit.sub(m22, matmul(m21, solve(m11, m12)))
    # det(m11): at x = x0 the product of these values, and elsewhere by its logarithm.
    sign, logarithm = emit.slogdet(m11)
    growth = emit.exp(emit.sub(logarithm, emit.stop_gradient(logarithm)))
    size = _product(emit.select(is_zero, zeros_like(first), first))
    signs = emit.mul(sign, emit.mul(emit.det(u), emit.det(vt)))
    return [emit.mul(scaled(signs, emit.mul(size, growth)), _written_out(schur))]


def _slope(x: Value) -> list[Value]:
    """The derivative of `_polynomial`."""
    ones = full(tensor(x.type.shape[:-2], x.type.element_type), 1)
    return [slope for slope in vjp_of(_polynomial, [x], [ones]) if slope is not None]


def _for_each_element(values: Value, x: Value) -> Value:
    """A value a matrix, at each of its elements."""
    kept = tuple(range(x.type.rank - 2))
    return emit.broadcast_in_dim(values, shape=tuple(x.type.shape), broadcast_dimensions=kept)


def _is_normal(y: Value) -> Value:
    """Whether the digits of y are all there."""
    size = emit.abs(y)
    least = np.finfo(numpy_dtype(dtype_name(size.type.element_type))).tiny
    return emit.compare(size, full_like(size, float(least)), comparison_direction="GE")


def _all(flags: Value) -> Value:
    return emit.all(flags, axes=tuple(range(flags.type.rank)))


def _as_diagonal(values: Value, like: Value) -> Value:
    """Diagonal matrices of real values, in the dtype of `like`."""
    return on_diagonal(
        emit.convert(
            across_rows(values, values.type.shape[-1]), dtype=dtype_name(like.type.element_type)
        )
    )


def _written_out(x: Value) -> Value:
    """Determinant of up to 4 rows: minors of the first rows times minors of the last two."""
    n = x.type.shape[-1]
    if n == 0:
        return full(tensor(x.type.shape[:-2], x.type.element_type), 1)
    at = [[_element(x, i, j) for j in range(n)] for i in range(n)]
    if n == 1:
        return at[0][0]

    def minor(i: int, j: int, k: int) -> Value:
        """Minor of rows i and i + 1, columns j and k."""
        return emit.sub(emit.mul(at[i][j], at[i + 1][k]), emit.mul(at[i][k], at[i + 1][j]))

    if n == 2:
        return minor(0, 0, 1)
    if n == 3:
        products = [emit.mul(at[0][i], minor(1, (i + 1) % 3, (i + 2) % 3)) for i in range(3)]
    else:
        products = [emit.mul(minor(0, *upper), minor(2, *lower)) for upper, lower in _PAIRS]
    return reduce(emit.add, products)


# Columns of the upper two rows and of the lower two, ordered so that each sign is a plus.
_PAIRS = (
    ((0, 1), (2, 3)), ((0, 2), (3, 1)), ((0, 3), (1, 2)),
    ((1, 2), (0, 3)), ((1, 3), (2, 0)), ((2, 3), (0, 1)),
)  # fmt: skip


def _element(x: Value, i: int, j: int) -> Value:
    """The element x[..., i, j]."""
    batch = tuple(x.type.shape[:-2])
    found = emit.slice(
        x,
        start_indices=(*(0 for _ in batch), i, j),
        limit_indices=(*batch, i + 1, j + 1),
        strides=(1,) * (len(batch) + 2),
    )
    return emit.reshape(found, shape=batch)


def _trace_of_quotient(t: Value, x: Value) -> Value:
    """Trace of x^-1 t."""
    moved = diagonal(solve(x, t))
    return emit.sum(moved, axes=(moved.type.rank - 1,))


def _product(x: Value) -> Value:
    return emit.prod(x, axes=(x.type.rank - 1,))


def _factors(x: Value) -> tuple[Value, Value]:
    """Factors of the determinant: the parity of the row swaps, and the diagonal of u."""
    if 0 in x.type.shape:
        return full(tensor(x.type.shape[:-2], x.type.element_type), 1), diagonal(x)
    lu, pivots, _ = emit.lu(x)
    shape = tuple(pivots.type.shape)
    order = emit.iota(iota_dimension=len(shape) - 1, shape=shape, dtype="i32")
    swapped = emit.compare(pivots, order, comparison_direction="NE")
    signs = tensor(shape, x.type.element_type)
    return _product(emit.select(swapped, full(signs, -1), full(signs, 1))), diagonal(lu)
