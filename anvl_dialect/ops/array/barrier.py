"""`optimization_barrier`: values across which optimizers may not move computation."""

from collections.abc import Sequence
from typing import Any

from anvl.dialect.core.families import with_batch_axis
from anvl.dialect.core.mlir import ir
from anvl.dialect.core.op import AnvlOp, Operands, Results, Value, emit
from anvl.dialect.core.symbol_table import SymbolTable

__all__ = ["OptimizationBarrierOp"]


class OptimizationBarrierOp(AnvlOp, name="optimization_barrier", borrowed=True, pure=False):
    """Identity of all operands, which are computed before any result is used.

    StableHLO `optimization_barrier`, borrowed.
    """

    xs: Operands
    ys: Results

    @classmethod
    def result_type(cls, *types: Any) -> Any:
        return list(types)

    @classmethod
    def has_side_effects(cls, op: ir.Operation) -> bool:
        return False

    @classmethod
    def operands_read(
        cls, op: ir.Operation, is_wanted: Sequence[bool], symbols: SymbolTable | None
    ) -> Sequence[bool]:
        return is_wanted

    @classmethod
    def adjoint(
        cls, gs: Sequence[Value | None], xs: Sequence[Value], ys: Sequence[Value]
    ) -> Sequence[Any]:
        return _share_barrier(gs)

    @classmethod
    def tangent(
        cls, ts: Sequence[Value | None], xs: Sequence[Value], ys: Sequence[Value]
    ) -> Sequence[Value | None]:
        return _share_barrier(ts)

    @classmethod
    def batch(cls, xs: Sequence[Value], batched: Sequence[bool]) -> Sequence[Value]:
        return emit.optimization_barrier(*with_batch_axis(xs, batched))

    @classmethod
    def dependence(cls, deps: Any, xs: Sequence[Any]) -> Any:
        return list(xs)

    @classmethod
    def pad_axes(cls, pads: Any, xs: Sequence[Any]) -> Any:
        at = pads.position
        xs = [pads.widened(x, pads.wanted) if i == at else x for i, x in enumerate(xs)]
        ys = emit.optimization_barrier(*(x.value for x in xs))
        return [(y, x.axes) for y, x in zip(ys, xs, strict=True)]

    @classmethod
    def sample(cls, draw: Any) -> Any:
        return draw.calls(
            ([draw.floats(2, 3)], {}),
            ([draw.floats(2), draw.ints(3), draw.floats(0)], {}),
        )


def _share_barrier(values: Sequence[Value | None]) -> list[Value | None]:
    """Put the values that are present behind one barrier."""
    present = [v for v in values if v is not None]
    found = iter(emit.optimization_barrier(*present)) if present else iter(())
    return [None if v is None else next(found) for v in values]
