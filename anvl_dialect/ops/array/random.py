"""`rng_bit_generator`: uniform random bits from a state, by a counter-based algorithm.

Source: StableHLO specification, `rng_bit_generator`; J. Salmon et al., Parallel random numbers: as
easy as 1, 2, 3 (2011), for the algorithms.
"""

from collections.abc import Sequence
from typing import Any

from anvl.dialect.core.mlir import ir
from anvl.dialect.core.op import AnvlOp, Operand, Result, Value, emit
from anvl.dialect.core.params.base import Param, ResultDtype, ResultShape, enum
from anvl.dialect.core.shape import reshaped
from anvl.dialect.core.types import dtype_name, element_type, kind, tensor
from anvl.dialect.ops.indexing.scatter_windows import cut

__all__ = ["RngBitGeneratorOp"]

#: Sizes of the state that each algorithm accepts.
_STATES = {"THREE_FRY": (2,), "PHILOX": (2, 3)}


class RngAlgorithm(enum("rng_algorithm", "DEFAULT", "THREE_FRY", "PHILOX")):  # type: ignore[misc]
    """Random algorithm; DEFAULT leaves the choice to the platform."""


class BitsShape(Param):
    """Shape of the second result, stored in its type."""

    attribute = False

    @staticmethod
    def of_op(op: ir.Operation) -> tuple[int, ...]:
        return tuple(op.results[1].type.shape)

    checked = ResultShape.checked


class BitsDtype(Param):
    """Dtype of the second result, by anvl's name, stored in its type."""

    attribute = False

    @staticmethod
    def of_op(op: ir.Operation) -> str:
        return dtype_name(op.results[1].type.element_type)

    checked = ResultDtype.checked


class RngBitGeneratorOp(AnvlOp, name="rng_bit_generator"):
    """Generate random bits of `shape` and unsigned `dtype`, and the next state.

    `initial_state` is ui64, a key and a counter: 2 numbers for THREE_FRY, 2 or 3 for PHILOX.  Equal
    states give equal bits.  StableHLO `rng_bit_generator`.
    """

    initial_state: Operand
    rng_algorithm: RngAlgorithm
    shape: BitsShape
    dtype: BitsDtype
    output_state: Result
    output: Result
    hlo = "rng_bit_generator"
    zero_derivative_reason = "bits"

    @classmethod
    def result_type(cls, state: Any, rng_algorithm: str, shape: Any, dtype: str) -> Any:
        if state.rank != 1 or dtype_name(state.element_type) != "ui64":
            raise TypeError(
                f"rng_bit_generator: the state is {state}; it must be one-dimensional and ui64"
            )
        sizes = _STATES.get(rng_algorithm, (state.shape[0],))
        if state.shape[0] not in sizes:
            raise TypeError(
                f"rng_bit_generator: the state of {rng_algorithm} has "
                f"{' or '.join(map(str, sizes))} numbers, got {state}"
            )
        if kind(element_type(dtype)) != "uint":  # XLA returns signed ones as unsigned
            raise TypeError(
                f"rng_bit_generator: the dtype of the bits is {dtype}, from a state of {state}; "
                "draw unsigned integers, which `bitcast_convert` reads as any dtype"
            )
        return [state, tensor(shape, element_type(dtype))]

    @classmethod
    def adjoint(cls, gs: Any, xs: Any, ys: Any, **params: Any) -> Sequence[Any]:
        return [None]

    @classmethod
    def tangent(cls, ts: Any, xs: Any, ys: Any, **params: Any) -> Sequence[Any]:
        return [None, None]

    @classmethod
    def batch(
        cls, xs: Sequence[Value], batched: Sequence[bool], rng_algorithm: str, shape: Any,
        dtype: str,
    ) -> Sequence[Value]:  # fmt: skip
        """Emit one op per state: StableHLO's op takes a single one."""
        count, size = xs[0].type.shape
        found = [
            emit.rng_bit_generator(
                reshaped(cut(xs[0], {0: i}), (size,)),
                rng_algorithm=rng_algorithm, shape=shape, dtype=dtype,
            )
            for i in range(count)
        ]  # fmt: skip
        return [_stacked(ys) for ys in zip(*found, strict=True)]

    @classmethod
    def sample(cls, draw: Any) -> Any:
        def call(size: int, rng_algorithm: str, dtype: str, *shape: int) -> Any:
            state = draw.ints(size, within=(0, 2**62), dtype="ui64")
            return [state], {"rng_algorithm": rng_algorithm, "shape": shape, "dtype": dtype}

        return draw.calls(
            call(2, "THREE_FRY", "ui32", 6),
            call(2, "THREE_FRY", "ui32", 5),
            call(2, "THREE_FRY", "ui64", 2, 3),
            call(3, "PHILOX", "ui32", 6),
            call(2, "THREE_FRY", "ui16", 3),
            call(3, "PHILOX", "ui64", 3, 2),
            call(3, "PHILOX", "ui8", 3),
            call(2, "THREE_FRY", "ui32", 0),
            call(2, "THREE_FRY", "ui32", 3, 2),
        )


def _stacked(xs: Sequence[Value]) -> Value:
    rows = [reshaped(x, (1, *x.type.shape)) for x in xs]
    return emit.concatenate(*rows, dimension=0)
