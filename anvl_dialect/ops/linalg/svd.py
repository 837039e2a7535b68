"""`svd`, `svdvals` and `nuclear_norm`: singular value decomposition.

Sources: J. Townsend, Differentiating the singular value decomposition (2016); Z.-Q. Wan, S.-X.
Zhang, Automatic differentiation for complex valued SVD (2019, arXiv:1909.02659), for the phases.
"""

from collections.abc import Sequence
from typing import Any, cast

from anvl.dialect.core.create import full_like
from anvl.dialect.core.op import Result, Value, emit
from anvl.dialect.core.params.base import Bool
from anvl.dialect.core.types import tensor
from anvl.dialect.ops.elementwise.elementary import or_
from anvl.dialect.ops.linalg.factorization_base import Factorisation
from anvl.dialect.ops.linalg.lu_qr import complement_moved
from anvl.dialect.ops.linalg.matrices import (
    check_matrix,
    columns,
    columns_scaled,
    ct,
    is_complex,
    matmul,
    products_of_columns,
    real_of,
    rows,
    scaled,
)
from anvl.dialect.ops.linalg.repeated_values import (
    ValuesAlone,
    ValuesAndVectors,
    basis_of,
    completed,
    inverse_gaps,
    inverse_sums,
    inverse_values,
    is_repeated,
    is_zero,
)
from anvl.dialect.ops.linalg.spectral import real_diagonal

__all__ = ["NuclearNormOp", "SvdOp", "SvdvalsOp"]


class SvdOp(ValuesAndVectors, name="svd"):
    """Decompose `x = u diag(s) vt`: orthonormal columns of u, rows of vt; s descending, >= 0.

    u has as many columns, and vt as many rows, as the smaller side of x; with `full_matrices` both
    are square.  The sign or phase of each pair of singular vectors is arbitrary, and so is the
    basis that completes a full one: derivatives are right for functions that do not depend on it.
    For repeated singular values, and zeros, see Note [Repeated values].
    """

    full_matrices: Bool
    u: Result
    s: Result
    vt: Result
    values = 1
    basis = 0
    vectors = cast("dict[int, int]", {0: -2, 2: -1})

    @classmethod
    def result_type(cls, x: Any, full_matrices: bool = False) -> Any:
        check_matrix("svd", x)
        *batch, m, n = x.shape
        k, element = min(m, n), x.element_type
        of_u, of_v = (m, n) if full_matrices else (k, k)
        return [
            tensor([*batch, m, of_u], element),
            real_of(x, [*batch, k]),
            tensor([*batch, of_v, n], element),
        ]

    @classmethod
    def result_tangents(
        cls, t: Value, x: Value, u: Value, s: Value, vt: Value, full_matrices: bool = False
    ) -> Sequence[Value]:
        k = s.type.shape[-1]
        u_used, v_used = columns(u, 0, k), ct(rows(vt, 0, k))
        inside = matmul(ct(u_used), matmul(t, v_used))
        u_moved, v_moved = _rotation_tangents(inside, u_used, s, v_used)
        u_moved = _with_outside(u_moved, matmul(t, v_used), u_used, inside, s)
        v_moved = _with_outside(v_moved, matmul(ct(t), u_used), v_used, ct(inside), s)
        u_moved = _completed(u_moved, u_used, u)
        v_moved = _completed(v_moved, v_used, ct(vt))
        return [u_moved, real_diagonal(inside), ct(v_moved)]

    @classmethod
    def undetermined(
        cls, u: Value, s: Value, vt: Value, full_matrices: bool = False
    ) -> Sequence[Value]:
        k = s.type.shape[-1]

        def of(side: Value, size: int, count: int) -> Value:
            # The vector of a zero value can move if there is room, and so can its phase.
            can_move = size > k or is_complex(side)
            flags = is_repeated(s)
            if can_move:
                flags = or_(flags, is_zero(s))
            return completed(flags, count)

        rows_u, count_u = u.type.shape[-2:]
        count_v, rows_v = vt.type.shape[-2:]
        return [of(u, rows_u, count_u), of(vt, rows_v, count_v)]

    @classmethod
    def sample(cls, draw: Any) -> Any:
        def function(u: Value, s: Value, vt: Value) -> list[Value]:
            k = s.type.shape[-1]
            u, v = columns(u, 0, k), ct(rows(vt, 0, k))
            return [
                s,
                matmul(columns_scaled(u, emit.exp(s)), ct(v)),
                matmul(columns_scaled(u, s), ct(u)),
                matmul(columns_scaled(v, s), ct(v)),
            ]

        def complement(u: Value, s: Value, vt: Value) -> list[Value]:
            k, v = s.type.shape[-1], ct(vt)
            rest = [columns(x, k, x.type.shape[-1]) for x in (u, v)]
            return [*function(u, s, vt), *(matmul(x, ct(x)) for x in rest)]

        full, empty = {"full_matrices": True}, draw.matrix(0, 2)
        wide, tall, square = draw.matrix(2, 4), draw.matrix(2, 3, 2), draw.matrix(3, 3)
        return [
            *draw.calls(
                ([square], {}), ([tall], {}), ([wide], {}), ([empty], {}), through=function
            ),
            *draw.calls(([tall], full), ([wide], full), ([empty], full), through=complement),
        ]


def _values_moved(t: Value, u: Value, s: Value, vt: Value) -> Value:
    """Tangents of singular values, in forward mode.  See Note [Repeated values]."""
    return products_of_columns(basis_of(u, s), matmul(t, ct(vt)))


def _rotation_tangents(inside: Value, u: Value, s: Value, v: Value) -> tuple[Value, Value]:
    """Tangents of u and v within the planes that they span.

    By gaps of singular values both rotate alike, by sums they rotate oppositely: so u v^H is
    independent of the gaps, and its derivative, as that of the sum of the values, is right for
    repeated values.  A phase, which only u v^H determines, is split evenly.
    """
    half = full_like(inside, 0.5)
    even = emit.mul(emit.add(inside, ct(inside)), half)
    odd = emit.mul(emit.sub(inside, ct(inside)), half)
    alike, apart = scaled(even, inverse_gaps(s)), scaled(odd, inverse_sums(s))
    return matmul(u, emit.add(alike, apart)), matmul(v, emit.sub(alike, apart))


def _with_outside(moved: Value, image: Value, basis: Value, inside: Value, s: Value) -> Value:
    """Add the tangent out of the plane of the basis, if there is room."""
    if basis.type.shape[-2] == basis.type.shape[-1]:
        return moved
    outside = emit.sub(image, matmul(basis, inside))
    return emit.add(moved, columns_scaled(outside, inverse_values(s)))


def _completed(moved: Value, used: Value, every: Value) -> Value:
    """Append the tangents of the columns that complete a basis."""
    k, count = used.type.shape[-1], every.type.shape[-1]
    if k == count:
        return moved
    others = complement_moved(moved, used, columns(every, k, count))
    return emit.concatenate(moved, others, dimension=moved.type.rank - 1)


class SvdvalsOp(ValuesAlone, name="svdvals"):
    """Singular values, descending."""

    s: Result
    part_of = ("anvl.svd", 1)

    @classmethod
    def result_type(cls, x: Any) -> Any:
        check_matrix("svdvals", x)
        *batch, m, n = x.shape
        return real_of(x, [*batch, min(m, n)])

    @classmethod
    def result_tangents(cls, t: Value, x: Value, s: Value) -> Sequence[Value]:
        u, _, vt = emit.svd(x)
        return [products_of_columns(u, matmul(t, ct(vt)))]

    @classmethod
    def tangent(cls, ts: Sequence[Value | None], xs: Sequence[Value], y: Value) -> Value | None:
        return None if ts[0] is None else _values_moved(ts[0], *emit.svd(xs[0]))

    @classmethod
    def sample(cls, draw: Any) -> Any:
        return draw.calls(
            ([draw.matrix(3, 3)], {}), ([draw.matrix(2, 2, 4)], {}), ([draw.matrix(0, 2)], {})
        )


class NuclearNormOp(Factorisation, name="nuclear_norm"):
    """Sum of the singular values.

    The derivative is u vt.  At a matrix of full rank the op is smooth, even if singular values
    repeat: there derivatives are right up to the second one.  See Note [Repeated values].
    """

    y: Result

    @classmethod
    def result_type(cls, x: Any) -> Any:
        check_matrix("nuclear_norm", x)
        return real_of(x, x.shape[:-2])

    @classmethod
    def lower(cls, hlo: Any, x: Value) -> Value:
        s = emit.svdvals(x)
        return emit.sum(s, axes=(s.type.rank - 1,))

    @classmethod
    def result_tangents(cls, t: Value, x: Value, y: Value) -> Sequence[Value]:
        u, _, vt = emit.svd(x)
        along = products_of_columns(matmul(u, vt), t)
        return [emit.sum(along, axes=(along.type.rank - 1,))]

    @classmethod
    def sample(cls, draw: Any) -> Any:
        return draw.calls(
            ([draw.matrix(3, 3)], {}), ([draw.matrix(2, 2, 4)], {}), ([draw.matrix(0, 2)], {})
        )
