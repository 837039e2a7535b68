"""`concatenate`: linear in all operands.

Source: StableHLO specification, `concatenate`.
"""

from collections.abc import Sequence
from typing import Any

from anvl.dialect.core.create import full
from anvl.dialect.core.families import check_axes, with_batch_axis
from anvl.dialect.core.lazy_numpy import np
from anvl.dialect.core.op import AnvlOp, Operands, Result, Value, emit
from anvl.dialect.core.params.base import Int
from anvl.dialect.core.shape import ReshapeOp, slice_
from anvl.dialect.core.types import tensor
from anvl.dialect.interpreters.constant_folding import maker_of

__all__ = ["ConcatenateOp"]


class ConcatenateOp(AnvlOp, name="concatenate", borrowed=True):
    """Concatenate the operands along `dimension`.  StableHLO `concatenate`, borrowed."""

    xs: Operands
    dimension: Int
    y: Result
    moves_elements = True

    @classmethod
    def result_type(cls, *types: Any, dimension: int) -> Any:
        if not types:
            raise TypeError("concatenate: needs at least one operand")
        first = types[0]
        check_axes(f"concatenate: dimension {dimension}", (dimension,), first.rank, first)
        if any(_shape_without(x, dimension) != _shape_without(first, dimension) for x in types):
            raise TypeError(
                f"concatenate: operands {', '.join(map(str, types))} may differ only along axis "
                f"{dimension}; {_remedy(first, types)}"
            )
        shape = list(first.shape)
        shape[dimension] = sum(x.shape[dimension] for x in types)
        return tensor(shape, first.element_type)

    @classmethod
    def rows_of(cls, op: Any) -> Sequence[Value] | None:
        if cls.read(op)["dimension"] or len(op.operands) < 2:
            return None
        rows = [_row(x) for x in op.operands]
        found = [row for row in rows if row is not None]
        return found if len(found) == len(rows) else None

    @classmethod
    def adjoint(cls, g: Value, xs: Sequence[Value], y: Value, dimension: int) -> Sequence[Any]:
        def piece(start: int, size: int) -> Value:
            low, high = [0] * g.type.rank, list(g.type.shape)
            low[dimension], high[dimension] = start, start + size
            ones = (1,) * g.type.rank
            return slice_(g, start_indices=low, limit_indices=high, strides=ones)

        cotangents, start = [], 0
        for x in xs:
            size = x.type.shape[dimension]
            cotangents.append(lambda start=start, size=size: piece(start, size))
            start += size
        return cotangents

    @classmethod
    def tangent(
        cls, ts: Sequence[Value | None], xs: Sequence[Value], y: Value, dimension: int
    ) -> Value | None:
        if all(t is None for t in ts):
            return None
        parts = [full(x.type, 0) if t is None else t for t, x in zip(ts, xs, strict=True)]
        return emit.concatenate(*parts, dimension=dimension)

    @classmethod
    def batch(cls, xs: Sequence[Value], batched: Sequence[bool], dimension: int) -> Value:
        return emit.concatenate(*with_batch_axis(xs, batched), dimension=dimension + 1)

    @classmethod
    def dependence(cls, deps: Any, xs: Sequence[Any], dimension: int) -> Any:
        return np.concatenate(xs, dimension)

    @classmethod
    def pad_axes(cls, pads: Any, xs: Sequence[Any], dimension: int) -> Any:
        xs, axes = pads.aligned(xs)
        pads.check_unused(xs, (dimension,), "what is appended would stand behind the padding")
        return emit.concatenate(*(x.value for x in xs), dimension=dimension), axes

    @classmethod
    def sample(cls, draw: Any) -> Any:
        return draw.calls(
            ([draw.floats(2, 3), draw.floats(2, 1), draw.floats(2, 0)], {"dimension": 1}),
            ([draw.floats(2)], {"dimension": 0}),
        )


def _shape_without(x: Any, axis: int) -> tuple[Any, ...]:
    shape = list(x.shape)
    return (x.element_type, *shape[:axis], *shape[axis + 1 :], len(shape))


def _remedy(first: Any, types: Sequence[Any]) -> str:
    """Hint for operands that cannot be concatenated."""
    if any(x.element_type != first.element_type for x in types):
        return "convert them to one dtype first"
    return "reshape, slice or pad them first"


def _row(x: Value) -> Value | None:
    """Operand of the reshape that gives x a new first axis of size 1; None if x is no such."""
    maker = maker_of(x)
    if type(maker) is not ReshapeOp:
        return None
    row = maker.operands[0]
    return row if list(x.type.shape) == [1, *row.type.shape] else None
