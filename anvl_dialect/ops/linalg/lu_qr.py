"""`lu` and `qr`: factorisations into triangular and orthogonal matrices.

Sources: S. F. Walter, L. Lehmann, Algorithmic differentiation of linear algebra functions with
application in optimum experimental design (2010, arXiv:1001.1654), for QR; M. Seeger et al.,
Auto-differentiating linear algebra (2017, arXiv:1710.08717), for the triangular projections of
both; N. Higham, Accuracy and Stability of Numerical Algorithms (2nd ed., 2002), theorems 9.3 and
19.4, for the rounding errors of both.
"""

from collections.abc import Sequence
from typing import Any

from anvl.dialect.core.create import full, full_like
from anvl.dialect.core.lazy_numpy import np
from anvl.dialect.core.op import Result, Value, emit
from anvl.dialect.core.params.base import Bool
from anvl.dialect.core.types import element_type, numpy_of, tensor
from anvl.dialect.interpreters.subprogram import transpose_of
from anvl.dialect.ops.linalg.factorization_base import Factorisation
from anvl.dialect.ops.linalg.linalg_fallback import compared, divided, first_axes
from anvl.dialect.ops.linalg.matrices import (
    across_rows,
    check_matrix,
    columns,
    ct,
    identity,
    imaginary_diagonal,
    inverse_of,
    is_complex,
    matmul,
    padded,
    permuted_rows,
    rows,
    scaled,
    strictly_lower,
    transposed,
    upper,
    with_ones_on_diagonal,
)

__all__ = ["LuOp", "QrOp"]


class LuOp(Factorisation, name="lu"):
    """Factorise `x[permutation] = l u`, pivoted; `lu` holds u and, below its diagonal, l.

    The diagonal of l, ones, is not stored.  `pivots` gives the row that each row was swapped with,
    in order; `permutation` is the resulting order.  A singular matrix has zeros on the diagonal of
    u; its derivatives are NaN, see Note [Dependent columns].
    """

    lu: Result
    pivots: Result
    permutation: Result

    @classmethod
    def result_type(cls, x: Any) -> Any:
        check_matrix("lu", x)
        *batch, m, n = x.shape
        index = element_type("i32")
        return [x, tensor([*batch, min(m, n)], index), tensor([*batch, m], index)]

    @classmethod
    def result_tangents(
        cls, t: Value, x: Value, lu: Value, pivots: Value, permutation: Value
    ) -> Sequence[Value | None]:
        return [_lu_moved(permuted_rows(t, permutation), lu), None, None]

    @classmethod
    def adjoint(cls, g: Any, xs: Sequence[Value], y: Any) -> Sequence[Any]:
        lu, _, permutation = y

        def of_operand() -> Value:
            def moved(t: Value, lu: Value) -> list[Value]:
                return [_lu_moved(t, lu)]

            (ordered,) = transpose_of(moved, [lu.type], [lu], [g[0]])
            # As a gather: the transpose of the gather that orders rows would be a scatter.
            return permuted_rows(ordered, inverse_of(permutation))

        return [of_operand]

    @classmethod
    def sample(cls, draw: Any) -> Any:
        return draw.calls(
            ([draw.matrix(3, 3)[::-1].copy()], {}),
            ([draw.matrix(2, 3, 3)], {}),
            ([draw.matrix(4, 2)[::-1].copy()], {}),
            ([draw.matrix(2, 4)[::-1].copy()], {}),
            ([draw.matrix(0, 0)], {}),
            ([draw.matrix(2, 0)], {}),
        )


def _lu_moved(t: Value, lu: Value) -> Value:
    """Tangent of the factors, from the tangent of the matrix with its rows in order."""
    m, n = lu.type.shape[-2:]
    k = min(m, n)
    square = rows(columns(lu, 0, k), 0, k)
    t = _nan_where_dependent(t, upper(square), _unit_lower(square))
    # Completed to square by parts of a unit matrix, both factors are invertible.
    lower_part = padded(columns(lu, 0, k), m, m)
    upper_part = _completed(rows(lu, 0, k), n)
    moved = emit.triangular_solve(
        lower_part, t, left_side=True, lower=True, unit_diagonal=True, transpose_a="NO_TRANSPOSE"
    )
    moved = emit.triangular_solve(
        upper_part, moved, left_side=False, lower=False, unit_diagonal=False,
        transpose_a="NO_TRANSPOSE",
    )  # fmt: skip
    of_lower = matmul(_unit_lower(lower_part), strictly_lower(moved))
    return emit.add(of_lower, matmul(upper(moved), upper_part))


def _unit_lower(x: Value) -> Value:
    return with_ones_on_diagonal(strictly_lower(x))


def _completed(u: Value, n: int) -> Value:
    """The upper triangle of u, completed to n rows by rows of a unit matrix."""
    k = u.type.shape[-2]
    if k == n:
        return upper(u)
    below = rows(identity(tensor((*u.type.shape[:-2], n, n), u.type.element_type)), k, n)
    return emit.concatenate(upper(u), below, dimension=u.type.rank - 2)


class QrOp(Factorisation, name="qr"):
    """Factorise `x = q r`, with `q^H q = 1` and r upper triangular, real on the diagonal.

    q has as many columns as the smaller side of x, or with `full_matrices` as x has rows.  The
    columns of q beyond r's rows are an arbitrary basis of the complement: derivatives are right for
    functions that do not depend on the choice.  If the columns of x (the first ones, if it has more
    columns than rows) are linearly dependent, derivatives are NaN, see Note [Dependent columns].
    """

    full_matrices: Bool
    q: Result
    r: Result

    @classmethod
    def result_type(cls, x: Any, full_matrices: bool = False) -> Any:
        check_matrix("qr", x)
        *batch, m, n = x.shape
        count = m if full_matrices else min(m, n)
        element = x.element_type
        return [tensor([*batch, m, count], element), tensor([*batch, count, n], element)]

    @classmethod
    def result_tangents(
        cls, t: Value, x: Value, q: Value, r: Value, full_matrices: bool = False
    ) -> Sequence[Value]:
        m, n = x.type.shape[-2:]
        k, count, last = min(m, n), q.type.shape[-1], r.type.rank - 1
        q_used = columns(q, 0, k)
        q_moved, r_moved = _thin_moved(columns(t, 0, k), q_used, columns(rows(r, 0, k), 0, k))
        if n > k:
            rest, t_rest = columns(x, k, n), columns(t, k, n)
            r_rest = emit.add(matmul(ct(q_moved), rest), matmul(ct(q_used), t_rest))
            r_moved = emit.concatenate(r_moved, r_rest, dimension=last)
        if count == k:
            return [q_moved, r_moved]
        others = complement_moved(q_moved, q_used, columns(q, k, count))
        q_moved = emit.concatenate(q_moved, others, dimension=last)
        return [q_moved, padded(r_moved, count, n)]

    @classmethod
    def sample(cls, draw: Any) -> Any:
        def projector(q: Value, r: Value) -> list[Value]:
            last = columns(q, r.type.shape[-1], q.type.shape[-1])
            return [columns(q, 0, r.type.shape[-1]), matmul(last, ct(last)), r]

        full = {"full_matrices": True}
        return [
            *draw.calls(
                ([draw.matrix(3, 3)], {}),
                ([draw.matrix(2, 4, 2)], {}),
                ([draw.matrix(2, 4)], {}),
                ([draw.matrix(2, 3)], full),
                ([draw.matrix(0, 2)], {}),
                ([draw.matrix(2, 0)], full),
            ),
            *draw.calls(([draw.matrix(4, 2)], full), through=projector),
        ]


def _thin_moved(t: Value, q: Value, r: Value) -> tuple[Value, Value]:
    """Tangents of q and a square r: q^H dq is antihermitian, and r takes the upper rest."""
    t = _nan_where_dependent(t, r)
    across = emit.triangular_solve(
        r, t, left_side=False, lower=False, unit_diagonal=False, transpose_a="NO_TRANSPOSE"
    )
    inside = matmul(ct(q), across)
    below = strictly_lower(inside)
    turn = emit.sub(below, ct(below))
    if is_complex(t):
        turn = emit.add(turn, imaginary_diagonal(inside))
    stretch = emit.sub(inside, turn)
    return emit.sub(across, matmul(q, stretch)), matmul(stretch, r)


def complement_moved(moved: Value, q: Value, others: Value) -> Value:
    """Smallest tangent of the columns completing q to a basis that keeps them orthogonal to q."""
    return emit.neg(matmul(q, matmul(ct(moved), others)))


# Note [Dependent columns]
#
# If a column depends on the preceding ones, its pivot, the diagonal element of the triangle, is 0,
# and q or l has no derivative.  The computed pivot is seldom 0: it is the rounding error of a
# cancellation, different on each processor, and the derivative divided by it looks like a number.
# So the derivative is NaN if the pivot may be nothing but error, by a criterion that is independent
# of the scale of columns, and for lu of rows: diag(1, 1e-300) is regular.
#
# The computed factors are exact for a matrix near x, with errors of some n eps of the length of
# each column (qr), or of the element of |l| |u| (lu).  Let v be column j of the inverse of the
# triangle, times the pivot: 1 at j, and before it the coefficients with which the others cancel
# column j.  The errors change the pivot by the error of each column, times the element of v; those
# of lu through the inverse of l.  Ignoring the other columns, that is, comparing the pivot with its
# own column, would miss one in 20 matrices with dependent columns, since the elements of v may be
# large where the column is not; ignoring the inverse of l, one in 10,000.
#
# Errors have random signs, so they are added as roots of sums of squares: sums of absolute values
# would take regular matrices of 300 rows for dependent ones.


def _size_of_product(a: Value, b: Value) -> Value:
    """Size of the elements of a b for elements of random signs: the root of |a|^2 |b|^2.

    a and b are non-negative.  Rows are scaled to size 1, so that no square leaves the dtype's
    range.
    """
    b_sizes, b = _rows_of_size_one(b)
    a_sizes, a = _rows_of_size_one(emit.mul(a, across_rows(b_sizes, a.type.shape[-2])))
    roots = emit.sqrt(matmul(emit.mul(a, a), emit.mul(b, b)))
    return emit.mul(roots, first_axes(a_sizes, roots))


def _rows_of_size_one(x: Value) -> tuple[Value, Value]:
    sizes = emit.max(x, axes=(x.type.rank - 1,))
    return sizes, divided(x, sizes)


def _nan_where_dependent(t: Value, u: Value, left: Value | None = None) -> Value:
    """t, but NaN for members of the stack in which a column of `left` u depends on others.

    u is upper triangular; without `left`, the left factor has orthonormal columns.  See Note
    [Dependent columns].
    """
    last, n = u.type.rank - 1, u.type.shape[-1]
    solved = {"left_side": True, "transpose_a": "NO_TRANSPOSE"}
    sizes = emit.max(emit.abs(u), axes=(last - 1,))
    u = divided(u, across_rows(sizes, n))
    unit = identity(u.type)
    moves = emit.abs(emit.triangular_solve(u, unit, lower=False, unit_diagonal=False, **solved))
    if left is not None:
        back = emit.triangular_solve(left, unit, lower=True, unit_diagonal=True, **solved)
        error = _size_of_product(emit.abs(left), emit.abs(u))
        moves = emit.mul(transposed(_size_of_product(emit.abs(back), error)), moves)
    # n eps, and a few eps for the smallest: of 320,000 dependent matrices none was missed.
    error = (n + 10) * np.finfo(numpy_of(moves.type.element_type)).eps
    limit = full_like(moves, float(1 / error))
    # Not by `max`, which might lose the NaN of a pivot of 0.
    is_regular = emit.all(compared(moves, limit, "LT"), axes=(last - 1, last))
    one = full(tensor(is_regular.type.shape, moves.type.element_type), 1)
    return scaled(t, first_axes(emit.select(is_regular, one, full_like(one, float("nan"))), t))
