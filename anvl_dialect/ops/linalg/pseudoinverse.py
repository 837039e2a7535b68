"""`pinv`: the pseudoinverse, for least squares also with linearly dependent columns.

Sources: G. Golub, V. Pereyra, The differentiation of pseudo-inverses and nonlinear least squares
problems whose variables separate (1973), theorem 4.3; G. Golub, C. Van Loan, Matrix Computations
(4th ed., 2013), section 5.5.2.
"""

from collections.abc import Sequence
from typing import Any

from anvl.dialect.core.create import full_like, zeros_like
from anvl.dialect.core.families import add_tangents, with_batch_axis
from anvl.dialect.core.lazy_numpy import np
from anvl.dialect.core.mlir import ir
from anvl.dialect.core.op import AnvlOp, Operand, Result, Value, emit
from anvl.dialect.core.params.base import Float
from anvl.dialect.core.types import numpy_of, tensor
from anvl.dialect.interpreters.subprogram import transpose_of
from anvl.dialect.ops.linalg.factorization_base import Factorisation
from anvl.dialect.ops.linalg.linalg_fallback import compared
from anvl.dialect.ops.linalg.matrices import (
    across_columns,
    across_rows,
    check_matrix,
    columns,
    columns_scaled,
    conj,
    ct,
    matmul,
    scaled,
)

__all__ = ["PinvMoveOp", "PinvOp"]


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
        *_, m, n = x.type.shape
        # The default cuts off rounding alone, through which no derivative goes.
        if m * n and rcond > _NOISE * max(m, n) * float(
            np.finfo(numpy_of(x.type.element_type)).eps
        ):
            t = emit.pinv_move(x, t, rcond=rcond)
        yh, th = ct(y), ct(t)
        inside = matmul(y, matmul(t, y))
        # The moves of column space and row space; 0 where x has full rank on that side.
        down = matmul(y, matmul(yh, th))
        down = emit.sub(down, matmul(matmul(down, x), y))
        across = matmul(th, matmul(yh, y))
        across = emit.sub(across, matmul(y, matmul(x, across)))
        return [emit.sub(emit.add(down, across), inside)]

    @classmethod
    def sample(cls, draw: Any) -> Any:
        params = {"rcond": 1e-4}
        calls = draw.calls(
            ([draw.matrix(3, 3)], params),
            ([draw.matrix(2, 4, 2)], params),
            ([0.01 * draw.matrix(2, 3)], {"rcond": 0.1}),  # of values that are all less than it
            ([draw.matrix(4, 3)], {"rcond": 0.5}),  # of values between the bound and 0
            ([_with_a_dropped_value(draw)], {"rcond": 0.5}),  # and of one that is 0
            ([draw.matrix(2, 0)], params),
            ([draw.matrix(3, 1) * draw.matrix(1, 2)], params),  # of rank 1, where it jumps
        )
        return [*calls[:-1], calls[-1]._replace(is_smooth=False)]


class PinvMoveOp(AnvlOp, name="pinv_move"):
    """Move of the part of x that `pinv` keeps, for a move c of x; what is dropped may be all of c.

    See Note [Dropped values].
    """

    x: Operand
    c: Operand
    rcond: Float
    w: Result

    @classmethod
    def result_type(cls, x: Any, c: Any, rcond: float) -> Any:
        check_matrix("pinv_move", x)
        if x != c:
            raise TypeError(f"pinv_move: operands differ in type: {x}, {c}")
        return x

    @classmethod
    def work(cls, op: ir.Operation) -> int:
        return PinvOp.work(op)

    @classmethod
    def lower(cls, hlo: Any, x: Value, c: Value, rcond: float) -> Value:
        if 0 in x.type.shape:
            return c
        u, s, vt = emit.svd(x)
        k = s.type.shape[-1]
        rows, cols, kept = across_columns(s, k), across_rows(s, k), _kept(s, rcond)
        apart = emit.xor(across_columns(kept, k), across_rows(kept, k))
        high, low = emit.maximum(rows, cols), emit.minimum(rows, cols)
        one = full_like(high, 1)
        high, low = emit.select(apart, high, one), emit.select(apart, low, zeros_like(low))
        ratio = emit.div(low, high)
        gap = emit.mul(emit.div(emit.sub(high, low), high), emit.add(one, ratio))
        factor = emit.div(ratio, gap)
        inner = matmul(ct(u), matmul(c, ct(vt)))
        added = emit.add(scaled(inner, emit.mul(factor, ratio)), scaled(ct(inner), factor))
        return emit.add(c, matmul(u, matmul(added, vt)))

    @classmethod
    def tangent(
        cls, ts: Sequence[Value | None], xs: Sequence[Value], w: Value, rcond: float
    ) -> Value | None:
        (x, _), (tx, tc) = xs, ts
        if tx is None:
            return None if tc is None else emit.pinv_move(x, tc, rcond=rcond)
        moved = add_tangents([tc, cls._turned(tx, x, w, rcond)])
        return emit.pinv_move(x, moved, rcond=rcond)

    @classmethod
    def adjoint(cls, g: Value, xs: Sequence[Value], w: Value, rcond: float) -> Sequence[Any]:
        # The equation is its own adjoint.
        solved = conj(emit.pinv_move(xs[0], conj(g), rcond=rcond))

        def turned(t: Value, x: Value, w: Value) -> Sequence[Value]:
            return [cls._turned(t, x, w, rcond)]

        return [lambda: transpose_of(turned, [xs[0].type], [xs[0], w], [solved])[0], solved]

    @classmethod
    def _turned(cls, t: Value, x: Value, w: Value, rcond: float) -> Value:
        """The move of `d w^H y^H + y^H w^H d` for the move t of x, where w is held."""
        y = emit.pinv(x, rcond=rcond)
        ty = PinvOp.result_tangents(t, x, y, rcond)[0]
        wh, yh, tyh = ct(w), ct(y), ct(ty)
        xy, yx = matmul(x, y), matmul(y, x)
        d = emit.sub(x, matmul(xy, x))
        td = emit.sub(emit.sub(t, matmul(t, yx)), matmul(xy, t))
        td = emit.sub(td, matmul(x, matmul(ty, x)))
        right = emit.add(matmul(td, matmul(wh, yh)), matmul(d, matmul(wh, tyh)))
        left = emit.add(matmul(yh, matmul(wh, td)), matmul(tyh, matmul(wh, d)))
        return emit.add(right, left)

    @classmethod
    def batch(cls, xs: Sequence[Value], batched: Sequence[bool], rcond: float) -> Value:
        return emit.pinv_move(*with_batch_axis(xs, batched), rcond=rcond)

    @classmethod
    def dependence(cls, deps: Any, xs: Sequence[Any], **params: Any) -> Any:
        return deps.batched(xs, 2)

    @classmethod
    def pad_axes(cls, pads: Any, xs: Sequence[Any], **params: Any) -> Any:
        return pads.stacked(cls.build, xs, 2, **params)

    @classmethod
    def sample(cls, draw: Any) -> Any:
        return draw.calls(
            ([_with_a_dropped_value(draw), draw.floats(3, 3)], {"rcond": 0.5}),
            ([draw.matrix(2, 4, 3), draw.floats(2, 4, 3)], {"rcond": 0.5}),
            ([draw.matrix(2, 3), draw.floats(2, 3)], {"rcond": 1e-4}),
            ([draw.matrix(2, 0), draw.floats(2, 0)], {"rcond": 1e-4}),
        )


_NOISE = 10.0  # times the default of `rcond`


def _with_a_dropped_value(draw: Any) -> Any:
    """A matrix with the singular values 2, 0.1 and 0, which is a row and a column of zeros."""
    square = draw.matrix(2, 2)
    u, _, vt = np.linalg.svd(square)
    return np.pad((u * (2.0, 0.1)) @ vt, ((0, 1), (0, 1))).astype(square.dtype)


def _kept(s: Value, rcond: float) -> Value:
    """Which singular values are not taken as 0."""
    shape, axes = tuple(s.type.shape), tuple(range(s.type.rank))
    largest = emit.broadcast_in_dim(columns(s, 0, 1), shape=shape, broadcast_dimensions=axes)
    return compared(s, emit.mul(largest, full_like(s, rcond)), "GT")


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
# The formula is that of a matrix whose other singular values are 0.  If `rcond` drops values that
# are not, it holds for the part x_k = x y x that is kept, whose rank is constant, and the move of
# x_k has no part of its own between dropped vectors, which the formula does not read.  Between the
# vectors of a value s_i that is kept and of one that is dropped, s_j, which turn into each other as
# the gap between the values says, the move of x_k is, with T = u^H dx v,
#
#     W_ij = s_i (s_i T_ij + s_j conj(T_ji)) / (s_i^2 - s_j^2)
#
# and between others T.  This is the solution w of
#
#     w - d w^H y^H - y^H w^H d = dx,   d = x - x y x the part that is dropped,
#
# which names no singular vectors: so values that are both kept, or both dropped, may repeat and be
# 0, and the derivative of w solves the equation once more.  The equation is its own adjoint.
# (From the perturbation of singular vectors: G. Stewart, J. Sun, Matrix Perturbation Theory, 1990.)
