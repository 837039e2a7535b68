"""`pinv`: the pseudoinverse, for least squares also with linearly dependent columns.

Sources: G. Golub, V. Pereyra, The differentiation of pseudo-inverses and nonlinear least squares
problems whose variables separate (1973), theorem 4.3; G. Golub, C. Van Loan, Matrix Computations
(4th ed., 2013), section 5.5.2.
"""

from collections.abc import Sequence
from typing import Any

from anvl.dialect.core.create import full_like, zeros_like
from anvl.dialect.core.op import Result, Value, emit
from anvl.dialect.core.params.base import Float
from anvl.dialect.core.types import tensor
from anvl.dialect.ops.linalg.factorization_base import Factorisation
from anvl.dialect.ops.linalg.linalg_fallback import compared
from anvl.dialect.ops.linalg.matrices import check_matrix, columns, columns_scaled, ct, matmul

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
        shape, axes = tuple(s.type.shape), tuple(range(s.type.rank))
        largest = emit.broadcast_in_dim(columns(s, 0, 1), shape=shape, broadcast_dimensions=axes)
        kept = compared(s, emit.mul(largest, full_like(s, rcond)), "GT")
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
        return [emit.sub(emit.add(down, across), inside)]

    @classmethod
    def sample(cls, draw: Any) -> Any:
        params = {"rcond": 1e-4}
        calls = draw.calls(
            ([draw.matrix(3, 3)], params),
            ([draw.matrix(2, 4, 2)], params),
            ([0.01 * draw.matrix(2, 3)], {"rcond": 0.1}),  # of values that are all less than it
            ([draw.matrix(2, 0)], params),
            ([draw.matrix(3, 1) * draw.matrix(1, 2)], params),  # of rank 1, where it jumps
        )
        return [*calls[:-1], calls[-1]._replace(is_smooth=False)]


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
