"""`cholesky`: the triangular factor of a positive definite matrix.

Sources: StableHLO specification, `cholesky`; I. Murray, Differentiation of the Cholesky
decomposition (2016, arXiv:1602.07527), equations 7 to 10.
"""

from collections.abc import Sequence
from typing import Any

from anvl.dialect.core.mlir import ir
from anvl.dialect.core.op import Result, Value, emit
from anvl.dialect.ops.linalg.factorization_base import Factorisation
from anvl.dialect.ops.linalg.matrices import (
    check_square,
    completed,
    ct,
    half_diagonal,
    hermitian_part,
    lower,
    matmul,
)

__all__ = ["CholeskyOp"]


class CholeskyOp(Factorisation, name="cholesky"):
    """Lower triangular y with positive diagonal and `y y^H = (x + x^H) / 2`.

    The Hermitian part of x is factorised, so the gradient is symmetric.  NaN if it is not positive
    definite.  StableHLO `cholesky`, which reads one triangle only.
    """

    y: Result
    lifts = "stablehlo.cholesky"

    @classmethod
    def lift_rest(cls, op: ir.Operation) -> Sequence[Value] | None:
        """Lift StableHLO's op, which reads one triangle of x; the other one of the result is 0."""
        if set(op.attributes) - {"lower"}:
            return None
        is_lower = "lower" in op.attributes and op.attributes["lower"].value
        y = emit.cholesky(completed(op.operands[0], is_lower))
        return [y if is_lower else ct(y)]

    @classmethod
    def result_type(cls, x: Any) -> Any:
        check_square("cholesky", x)
        return x

    @classmethod
    def result_tangents(cls, t: Value, x: Value, y: Value) -> Sequence[Value]:
        flags = {"lower": True, "unit_diagonal": False}
        left = emit.triangular_solve(
            y, hermitian_part(t), left_side=True, transpose_a="NO_TRANSPOSE", **flags
        )
        both = emit.triangular_solve(y, left, left_side=False, transpose_a="ADJOINT", **flags)
        return [matmul(y, half_diagonal(lower(both)))]

    @classmethod
    def sample(cls, draw: Any) -> Any:
        return draw.calls(
            ([draw.spd(3)], {}),
            ([draw.spd(2, 2)], {}),
            ([draw.spd(1)], {}),
            ([draw.spd(0)], {}),
        )
