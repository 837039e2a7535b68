"""`triangular_solve`: systems of linear equations with a triangular matrix.

Sources: StableHLO specification, `triangular_solve`; M. Giles, An extended collection of matrix
derivative results for forward and reverse mode automatic differentiation (2008), section 2.3.1.
"""

from collections.abc import Sequence
from functools import partial
from typing import Any

from anvl.dialect.core.families import add_tangents, with_batch_axis
from anvl.dialect.core.mlir import ir
from anvl.dialect.core.op import AnvlOp, Operand, Result, Value, emit
from anvl.dialect.core.params.base import Bool, Transpose
from anvl.dialect.core.types import dtype_name
from anvl.dialect.ops.linalg.linalg_lowering import lower_on
from anvl.dialect.ops.linalg.matrices import (
    by_shared_matrices,
    check_systems,
    formed,
    matmul,
    transposed,
    triangle,
    with_transpose,
)
from anvl.dialect.sparsity.combinations import systems_dependence

__all__ = ["TriangularSolveOp"]


class TriangularSolveOp(AnvlOp, name="triangular_solve"):
    """Solve `op(a) x = b`, or `x op(a) = b` if `left_side` is false.  StableHLO `triangular_solve`.

    `transpose_a` selects `op`.  Only one triangle of a is read, the lower one if `lower`; with
    `unit_diagonal` its diagonal is not read but taken as ones.  Zeros on the diagonal give
    infinities and NaN.
    """

    a: Operand
    b: Operand
    left_side: Bool
    lower: Bool  # type: ignore[assignment]  # both a parameter and a rule, by StableHLO's name
    unit_diagonal: Bool
    transpose_a: Transpose
    x: Result
    lifts = "stablehlo.triangular_solve"

    @classmethod
    def lift(cls, op: ir.Operation) -> tuple[Sequence[Value], dict[str, Any]] | None:
        if set(op.attributes) - cls.attribute_params.keys():
            return None
        return list(op.operands), cls.read(op)

    @classmethod
    def lift_rest(cls, op: ir.Operation) -> Sequence[Value] | None:
        """Lift floats that no LAPACK routine takes, through f32."""
        dtype = dtype_name(op.results[0].type.element_type)
        if dtype not in ("f16", "bf16") or set(op.attributes) - cls.attribute_params.keys():
            return None
        a, b = (emit.convert(x, dtype="f32") for x in op.operands)
        return [emit.convert(cls.build(a, b, **cls.read(op)), dtype=dtype)]

    @classmethod
    def result_type(
        cls, a: Any, b: Any, *, transpose_a: str, left_side: bool = False, lower: bool = False,
        unit_diagonal: bool = False,
    ) -> Any:  # fmt: skip
        check_systems("triangular_solve", a, b, left_side)
        return b

    @classmethod  # type: ignore[no-redef]
    def lower(cls, hlo: Any, a: Value, b: Value, **params: Any) -> Value:
        if 0 in b.type.shape:
            return b
        return lower_on(hlo, "triangular_solve", a, b, **params)

    @classmethod
    def tangent(
        cls, ts: Sequence[Value | None], xs: Sequence[Value], x: Value, **params: Any
    ) -> Value | None:
        ta, tb = ts
        if ta is None:
            return None if tb is None else cls.build(xs[0], tb, **params)
        moved = formed(_read(ta, **params), params["transpose_a"])
        product = matmul(moved, x) if params["left_side"] else matmul(x, moved)
        rest: Any = add_tangents([tb, emit.neg(product)])
        return cls.build(xs[0], rest, **params)

    @classmethod
    def adjoint(cls, g: Value, xs: Sequence[Value], x: Value, **params: Any) -> Sequence[Any]:
        a, form = with_transpose(xs[0], params["transpose_a"])
        solved = emit.triangular_solve(a, g, **(params | {"transpose_a": form}))

        def of_matrix() -> Value:
            pair = (solved, transposed(x)) if params["left_side"] else (transposed(x), solved)
            moved = formed(matmul(*pair), params["transpose_a"])
            return _read(emit.neg(moved), **params)

        return [of_matrix, solved]

    @classmethod
    def batch(cls, xs: Sequence[Value], batched: Sequence[bool], **params: Any) -> Value:
        if not batched[0]:
            build = partial(cls.build, **params)
            return by_shared_matrices(build, xs[0], xs[1], params["left_side"])
        return cls.build(*with_batch_axis(xs, batched), **params)

    @classmethod
    def dependence(cls, deps: Any, xs: Sequence[Any], left_side: bool, **params: Any) -> Any:
        return systems_dependence(deps, xs[0], xs[1], axis=-2 if left_side else -1)

    @classmethod
    def pad_axes(cls, pads: Any, xs: Sequence[Any], **params: Any) -> Any:
        return pads.stacked(cls.build, xs, 2, **params)

    @classmethod
    def sample(cls, draw: Any) -> Any:
        def params(left: bool, lower: bool, unit: bool, form: str) -> dict[str, Any]:
            return {
                "left_side": left, "lower": lower, "unit_diagonal": unit, "transpose_a": form,
            }  # fmt: skip

        forms = ("NO_TRANSPOSE", "TRANSPOSE", "ADJOINT")
        choices = [(lower, form) for lower in (True, False) for form in forms]
        return draw.calls(
            *(([draw.matrix(3, 3), draw.floats(3, 2)], params(True, *choice[:1], False, choice[1]))
              for choice in choices),
            *(([draw.matrix(2, 2), draw.floats(3, 2)], params(False, *choice[:1], True, choice[1]))
              for choice in choices),
            ([draw.matrix(2, 2, 2), draw.floats(2, 2, 1)], params(True, True, False, "TRANSPOSE")),
            ([draw.matrix(0, 0), draw.floats(0, 2)], params(True, True, False, "NO_TRANSPOSE")),
            ([draw.matrix(2, 2), draw.floats(2, 0)], params(True, True, False, "NO_TRANSPOSE")),
        )  # fmt: skip


def _read(x: Value, lower: bool, unit_diagonal: bool, **_: Any) -> Value:
    """Zero the elements that the solve does not read."""
    return triangle(x, lower, unit_diagonal)
