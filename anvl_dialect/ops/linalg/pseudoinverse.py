"""`pinv`: the pseudoinverse, for least squares also with linearly dependent columns.

Sources: G. Golub, V. Pereyra, The differentiation of pseudo-inverses and nonlinear least squares
problems whose variables separate (1973), theorem 4.3; G. Golub, C. Van Loan, Matrix Computations
(4th ed., 2013), section 5.5.2.
"""

from collections.abc import Sequence
from typing import Any

from anvl.dialect.core.create import full_like, zeros_like
from anvl.dialect.core.lazy_numpy import np
from anvl.dialect.core.op import Result, Value, emit
from anvl.dialect.core.params.base import Float
from anvl.dialect.core.types import dtype_name, numpy_of, tensor
from anvl.dialect.ops.linalg.factorization_base import Factorisation
from anvl.dialect.ops.linalg.linalg_fallback import compared
from anvl.dialect.ops.linalg.matrices import (
    across_columns,
    across_rows,
    check_matrix,
    columns,
    columns_scaled,
    ct,
    identity,
    matmul,
    real_of,
    scaled,
)

__all__ = ["PinvOp"]


class PinvOp(Factorisation, name="pinv"):
    """Pseudoinverse y: `y b` is the shortest of all z that minimize `|x z - b|`.

    Singular values of at most `rcond` times the largest are taken as 0.  For the derivative see
    Note [Constant rank].
    """

    rcond: Float
    y: Result

    @classmethod
    def result_type(cls, x: Any, rcond: float) -> Any:
        check_matrix("pinv", x)
        *batch, m, n = x.shape
        return tensor([*batch, n, m], x.element_type)

    @classmethod
    def lower(cls, hlo: Any, x: Value, rcond: float) -> Value:
        if 0 in x.type.shape:
            return emit.transpose(x, permutation=_swapped(x))
        u, s, vt = emit.svd(x)
        kept = _kept(s, rcond)
        one = full_like(s, 1)
        inverses = emit.select(kept, emit.div(one, emit.select(kept, s, one)), zeros_like(s))
        return matmul(columns_scaled(ct(vt), inverses), ct(u))

    @classmethod
    def result_tangents(cls, t: Value, x: Value, y: Value, rcond: float) -> Sequence[Value]:
        yh, th = ct(y), ct(t)
        inside = matmul(y, matmul(t, y))
        # The moves of column space and row space; 0 where x has full rank on that side.
        down = matmul(y, matmul(yh, th))
        down = emit.sub(down, matmul(matmul(down, x), y))
        across = matmul(th, matmul(yh, y))
        across = emit.sub(across, matmul(y, matmul(x, across)))
        move = emit.sub(emit.add(down, across), inside)
        *_, m, n = x.type.shape
        # The default cuts off rounding alone, through which no derivative goes.
        if not move.type.shape[-1] * move.type.shape[-2] or rcond <= _NOISE * max(m, n) * _eps(x):
            return [move]
        return [emit.add(move, _through_dropped(t, x, rcond))]

    @classmethod
    def sample(cls, draw: Any) -> Any:
        params = {"rcond": 1e-4}
        calls = draw.calls(
            ([draw.matrix(3, 3)], params),
            ([draw.matrix(2, 4, 2)], params),
            ([0.01 * draw.matrix(2, 3)], {"rcond": 0.1}),  # of values that are all less than it
            ([draw.matrix(4, 3)], {"rcond": 0.5}),  # of values between the bound and 0
            ([draw.matrix(2, 0)], params),
            ([draw.matrix(3, 1) * draw.matrix(1, 2)], params),  # of rank 1, where it jumps
        )
        return [*calls[:-1], calls[-1]._replace(is_smooth=False)]


_NOISE = 10.0  # times the default of `rcond`


def _eps(x: Value) -> float:
    return float(np.finfo(numpy_of(x.type.element_type)).eps)


def _kept(s: Value, rcond: float) -> Value:
    """Which singular values are not taken as 0."""
    shape, axes = tuple(s.type.shape), tuple(range(s.type.rank))
    largest = emit.broadcast_in_dim(columns(s, 0, 1), shape=shape, broadcast_dimensions=axes)
    return compared(s, emit.mul(largest, full_like(s, rcond)), "GT")


def _through_dropped(t: Value, x: Value, rcond: float) -> Value:
    """Part of the move of y that is due to singular values which are taken as 0, but are not.

    See Note [Dropped values].
    """
    there = _has_dropped(x, rcond)
    # Of a matrix without any, those that are 0 have no derivative.
    other = columns_scaled(identity(x.type), _one_to(x.type.shape[-1], x))
    u, s, vt = emit.svd(emit.select(there, x, other))
    k = s.type.shape[-1]
    rows, cols, kept = across_columns(s, k), across_rows(s, k), _kept(s, rcond)
    apart = emit.xor(across_columns(kept, k), across_rows(kept, k))
    high, low = emit.maximum(rows, cols), emit.minimum(rows, cols)
    square = emit.mul(high, high)
    of = emit.mul(square, emit.sub(square, emit.mul(low, low)))
    one = full_like(of, 1)
    weight = emit.select(apart, emit.div(one, emit.select(apart, of, one)), zeros_like(of))
    inner = matmul(ct(u), matmul(t, ct(vt)))
    turned = scaled(ct(inner), emit.mul(emit.mul(low, low), weight))
    straight = scaled(inner, emit.mul(emit.mul(high, low), weight))
    added = matmul(ct(vt), matmul(emit.add(turned, straight), ct(u)))
    there = emit.transpose(there, permutation=_swapped(x))
    return emit.select(there, added, zeros_like(added))


def _has_dropped(x: Value, rcond: float) -> Value:
    """Whether values of a matrix are taken as 0 that are more than rounding, for each element."""
    *batch, m, n = x.type.shape
    _, s, _ = emit.svd(x)
    real = _kept(s, _NOISE * max(m, n) * _eps(x))
    dropped = emit.any(emit.xor(real, _kept(s, rcond)), axes=(len(batch),))
    axes = tuple(range(len(batch)))
    return emit.broadcast_in_dim(dropped, shape=(*batch, m, n), broadcast_dimensions=axes)


def _one_to(n: int, like: Value) -> Value:
    """The numbers from 1 to n for each matrix of a stack, in its real dtype."""
    *batch, _, _ = like.type.shape
    real = dtype_name(real_of(like.type, ()).element_type)
    count = emit.iota(iota_dimension=len(batch), shape=(*batch, n), dtype=real)
    return emit.add(count, full_like(count, 1))


def _swapped(x: Value) -> tuple[int, ...]:
    rank = x.type.rank
    return (*range(rank - 2), rank - 1, rank - 2)


# Note [Constant rank]
#
# If the rank is less than both sizes, almost every move of x raises it, and y jumps to infinity: it
# has a derivative only along moves that keep the rank, that is, within the matrices of this rank.
# For these, and for all moves at full rank, Golub and Pereyra's formula holds,
#
#     dy = -y dx y  +  y y^H dx^H (1 - x y)  +  (1 - y x) dx^H y^H y
#
# It needs no singular vectors, so singular values may repeat; and it consists of y, so it can be
# differentiated again.  For a move that raises the rank it gives the derivative along the part that
# keeps it.
#
#
# Note [Dropped values]
#
# The formula is that of a matrix whose other singular values are 0.  If `rcond` drops a value
# s_j > 0 beside one that is kept, s_i, their vectors still turn into each other as the gap between
# them says: with T = u^H dx v, the move of y between them is
#
#     dy_ij = (s_i conj(T_ji) + s_j T_ij) / (s_i (s_i^2 - s_j^2))
#
# where the formula has conj(T_ji) / s_i^2.  The difference,
#
#     s_j (s_j conj(T_ji) + s_i T_ij) / (s_i^2 (s_i^2 - s_j^2)),
#
# is added; it needs no gap between values that are both kept, or both dropped.  Its own derivative
# goes through the singular values, and those that are 0 may repeat: where no other is dropped the
# term is 0, and so is that derivative for a move that keeps the rank.  (From the
# perturbation of singular vectors: G. Stewart, J. Sun, Matrix Perturbation Theory, 1990.)
