"""`solve`: systems of linear equations.

The derivative solves another such system, so the factorisation is not differentiated, and one `lu`
serves both.
Source: M. Giles, An extended collection of matrix derivative results for forward and reverse mode
automatic differentiation (2008), section 2.3.1.
"""

from collections.abc import Sequence
from functools import partial
from typing import Any

from anvl.dialect.core.families import add_tangents, with_batch_axis
from anvl.dialect.core.op import AnvlOp, Operand, Result, Value, emit
from anvl.dialect.core.params.base import Transpose
from anvl.dialect.ops.linalg.matrices import (
    by_shared_matrices,
    check_systems,
    formed,
    inverse_of,
    matmul,
    permuted_rows,
    transposed,
    with_transpose,
)
from anvl.dialect.sparsity.combinations import systems_dependence

__all__ = ["SolveOp", "by_factors"]


class SolveOp(AnvlOp, name="solve"):
    """Solve `op(a) x = b` by LU factorisation; `transpose_a` selects `op`.

    Infinite or NaN for singular a.
    """

    a: Operand
    b: Operand
    transpose_a: Transpose
    x: Result

    @classmethod
    def result_type(cls, a: Any, b: Any, transpose_a: str) -> Any:
        check_systems("solve", a, b, left_side=True)
        return b

    @classmethod
    def lower(cls, hlo: Any, a: Value, b: Value, transpose_a: str) -> Value:
        if 0 in b.type.shape:
            return b
        return by_factors(emit.lu(a), b, transpose_a)

    @classmethod
    def tangent(
        cls, ts: Sequence[Value | None], xs: Sequence[Value], x: Value, transpose_a: str
    ) -> Value | None:
        ta, tb = ts
        if ta is None:
            return None if tb is None else emit.solve(xs[0], tb, transpose_a=transpose_a)
        moved = add_tangents([tb, emit.neg(matmul(formed(ta, transpose_a), x))])
        return emit.solve(xs[0], moved, transpose_a=transpose_a)

    @classmethod
    def adjoint(cls, g: Value, xs: Sequence[Value], x: Value, transpose_a: str) -> Sequence[Any]:
        a, form = with_transpose(xs[0], transpose_a)
        solved = emit.solve(a, g, transpose_a=form)
        return [
            lambda: emit.neg(formed(matmul(solved, transposed(x)), transpose_a)),
            solved,
        ]

    @classmethod
    def batch(cls, xs: Sequence[Value], batched: Sequence[bool], transpose_a: str) -> Value:
        if not batched[0]:
            return by_shared_matrices(partial(cls.build, transpose_a=transpose_a), xs[0], xs[1])
        return emit.solve(*with_batch_axis(xs, batched), transpose_a=transpose_a)

    @classmethod
    def dependence(cls, deps: Any, xs: Sequence[Any], **params: Any) -> Any:
        return systems_dependence(deps, xs[0], xs[1], axis=-2)

    @classmethod
    def pad_axes(cls, pads: Any, xs: Sequence[Any], **params: Any) -> Any:
        return pads.stacked(cls.build, xs, 2, **params)

    @classmethod
    def sample(cls, draw: Any) -> Any:
        def params(form: str) -> dict[str, Any]:
            return {"transpose_a": form}

        square = draw.matrix(3, 3)[::-1].copy()
        return draw.calls(
            ([square, draw.floats(3, 2)], params("NO_TRANSPOSE")),
            ([square, draw.floats(3, 2)], params("TRANSPOSE")),
            ([square, draw.floats(3, 1)], params("ADJOINT")),
            ([draw.matrix(2, 2, 2), draw.floats(2, 2, 3)], params("NO_TRANSPOSE")),
            ([draw.matrix(0, 0), draw.floats(0, 2)], params("NO_TRANSPOSE")),
        )


def by_factors(factors: Sequence[Value], b: Value, transpose_a: str) -> Value:
    """Solve systems by the results of `lu`."""
    lu, _, permutation = factors

    def through(y: Value, lower: bool) -> Value:
        return emit.triangular_solve(
            lu, y, left_side=True, lower=lower, unit_diagonal=lower, transpose_a=transpose_a
        )

    if transpose_a == "NO_TRANSPOSE":
        return through(through(permuted_rows(b, permutation), lower=True), lower=False)
    solved = through(through(b, lower=False), lower=True)
    return permuted_rows(solved, inverse_of(permutation))
