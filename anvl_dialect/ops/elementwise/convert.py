"""Conversions between dtypes: convert, bitcast_convert.

Source: StableHLO specification, ops of the same names.
"""

from collections.abc import Sequence
from typing import Any, ClassVar

from anvl.dialect.core.families import Linear
from anvl.dialect.core.op import AnvlOp, Operand, Result, Value, emit
from anvl.dialect.core.params.base import ResultDtype
from anvl.dialect.core.types import DTYPES, dtype_name, element_type, kind, numpy_of, tensor

__all__ = ["BitcastConvertOp", "ConvertOp"]


class ConvertOp(Linear, name="convert"):
    """Convert each element to `dtype`.  StableHLO `convert`.

    Float to integer truncates and has zero gradient; complex to real drops the imaginary part.
    """

    x: Operand
    dtype: ResultDtype
    y: Result
    hlo = "convert"
    singularity_convention = "0 to and from integers"
    diagonal = True
    cheap = True

    @classmethod
    def result_type(cls, x: Any, dtype: str) -> Any:
        return tensor(x.shape, element_type(dtype))

    @classmethod
    def tangent(cls, ts: Sequence[Value | None], xs: Any, y: Value, dtype: str) -> Value | None:
        if ts[0] is None or kind(y.type.element_type) not in ("float", "complex"):
            return None
        return convert(ts[0], dtype=dtype)

    @classmethod
    def adjoint(cls, g: Value, xs: Sequence[Value], y: Value, dtype: str) -> Sequence[Any]:
        return [convert(g, dtype=dtype_name(xs[0].type.element_type))]

    @classmethod
    def batch(cls, xs: Sequence[Value], batched: Sequence[bool], dtype: str) -> Value:
        return convert(xs[0], dtype=dtype)

    @classmethod
    def fold(cls, x: Any, dtype: str) -> Any:
        return x != 0 if dtype == "bool" else x.astype(numpy_of(element_type(dtype)))

    @classmethod
    def simplify(cls, xs: Sequence[Value], makers: Sequence[Any], dtype: str) -> Any:
        if dtype_name(xs[0].type.element_type) == dtype:
            return xs[0]
        (maker,) = makers
        if type(maker) is ConvertOp and _holds(xs[0].type.element_type, dtype):
            before = maker.operands[0]  # there and back, through a float that holds every value
            return before if dtype_name(before.type.element_type) == dtype else None
        return None

    @classmethod
    def sample(cls, draw: Any) -> Any:
        return draw.calls(
            ([draw.floats(2, 3)], {"dtype": "f64"}),
            ([draw.floats(2, 3)], {"dtype": "c128"}),
            ([draw.floats()], {"dtype": "i32"}),
            ([draw.floats(0, 3)], {"dtype": "f64"}),
            ([draw.floats(3)], {"dtype": "bool"}),
            ([draw.floats(3)], {"dtype": "f8E5M2"}),
            ([draw.ints(3)], {"dtype": "f64"}),
            ([draw.ints(3)], {"dtype": "ui8"}),
            ([draw.bools(3)], {"dtype": "i64"}),
        )


def _holds(wide: Any, dtype: str) -> bool:
    """Whether a float dtype holds every value of a float dtype of fewer bits."""
    return (dtype_name(wide), dtype) in _HELD


_HELD = {(wide, narrow) for wide in ("f32", "f64") for narrow in ("bf16", "f16")} | {("f64", "f32")}


class BitcastConvertOp(AnvlOp, name="bitcast_convert"):
    """Reinterpret the bits of each element as `dtype`.  StableHLO `bitcast_convert`.

    If the widths differ, a last axis of their ratio is consumed or added.
    """

    x: Operand
    dtype: ResultDtype
    y: Result
    hlo = "bitcast_convert"
    undefined: ClassVar[dict[int, str]] = {0: "bits carry no derivative"}
    reads_bits = True

    @classmethod
    def result_type(cls, x: Any, dtype: str) -> Any:
        old, new = _bits(x, dtype, x.element_type), _bits(x, dtype, element_type(dtype))
        shape = list(x.shape)
        if old > new:
            shape.append(old // new)
        elif old < new:
            if not shape or shape[-1] != new // old:
                raise TypeError(
                    f"bitcast_convert: {x} to {dtype} needs a last axis of size {new // old}"
                )
            shape.pop()
        return tensor(shape, element_type(dtype))

    @classmethod
    def adjoint(cls, g: Value, xs: Sequence[Value], y: Value, dtype: str) -> Sequence[Any]:
        return [None]

    @classmethod
    def tangent(cls, ts: Sequence[Value | None], xs: Any, y: Value, dtype: str) -> None:
        return None

    @classmethod
    def batch(cls, xs: Sequence[Value], batched: Sequence[bool], dtype: str) -> Value:
        return emit.bitcast_convert(xs[0], dtype=dtype)

    @classmethod
    def dependence(cls, deps: Any, xs: Sequence[Any], dtype: str) -> Any:
        (x,), rank = xs, len(deps.shapes[0])
        return x if x.ndim == rank else deps.batched(xs, int(x.ndim > rank))[0]

    @classmethod
    def pad_axes(cls, pads: Any, xs: Sequence[Any], dtype: str) -> Any:
        rank, out_rank = len(xs[0].shape), len(pads.op.results[0].type.shape)
        if rank < out_rank and rank in pads.wanted:
            pads.refuse(rank, "it holds the parts of one element")
        return pads.stacked(cls.build, xs, int(rank > out_rank), dtype=dtype)

    @classmethod
    def sample(cls, draw: Any) -> Any:
        return draw.calls(
            ([draw.ints(3, 2)], {"dtype": "ui64"}),
            ([draw.ints(2)], {"dtype": "i8"}),
            ([draw.ints()], {"dtype": "f32"}),
            ([draw.floats(2)], {"dtype": "ui64"}),
            ([draw.ints(0, 2)], {"dtype": "f64"}),
        )


def _bits(x: Any, dtype: str, element: Any) -> int:
    row = DTYPES[dtype_name(element)]
    if row.kind in ("bool", "complex"):
        raise TypeError(
            f"bitcast_convert: {x} to {dtype}: {row.name} has no bits to read; use a number dtype"
        )
    return row.bits


convert = ConvertOp.build
