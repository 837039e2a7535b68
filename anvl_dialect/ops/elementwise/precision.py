"""`reduce_precision`: rounding to fewer bits in the same dtype.

Source: StableHLO specification, `reduce_precision`.
"""

from collections.abc import Sequence
from typing import Any

from anvl.dialect.core.families import check_kind
from anvl.dialect.core.op import Value, emit
from anvl.dialect.core.params.base import Int32
from anvl.dialect.ops.elementwise.table import ANY, Unary

__all__ = ["ReducePrecisionOp"]


class ReducePrecisionOp(Unary, name="reduce_precision"):
    """Round each element to a float of `exponent_bits` and `mantissa_bits`.

    The derivative is taken to be 1, rounded in the same way, as for a cast to that float and back.
    StableHLO `reduce_precision`.
    """

    exponent_bits: Int32
    mantissa_bits: Int32
    hlo = "reduce_precision"
    kinds = "float"
    preserves_zeros = True
    domains = (ANY,)

    @classmethod
    def result_type(cls, x: Any, exponent_bits: int, mantissa_bits: int) -> Any:
        check_kind("reduce_precision", x, "float")
        if exponent_bits < 1 or mantissa_bits < 0:
            raise TypeError(
                f"reduce_precision: a float has at least 1 exponent bit and 0 mantissa bits, got "
                f"{exponent_bits} and {mantissa_bits} for {x}"
            )
        return x

    @classmethod
    def adjoint(cls, g: Value, xs: Sequence[Value], y: Value, **params: int) -> Sequence[Any]:
        return [emit.reduce_precision(g, **params)]

    @classmethod
    def tangent(
        cls, ts: Sequence[Value | None], xs: Sequence[Value], y: Value, **params: int
    ) -> Value | None:
        return None if ts[0] is None else emit.reduce_precision(ts[0], **params)

    @classmethod
    def sample(cls, draw: Any) -> Any:
        # All bits of an f64: with fewer, the op is not smooth enough for finite differences.
        params = {"exponent_bits": 11, "mantissa_bits": 52}
        return draw.elementwise("float", cls.domains, params, dtypes=("f64",))
