"""Base of matrix factorisations: results of one operand, a stack of matrices.

Subclasses define `moved(t, x, *ys, **params)`: the tangents of the results for the tangent t of x,
linear in t.  The tangent rule is that map, and the adjoint its transpose.
"""

import math
from collections.abc import Sequence
from typing import Any

from anvl.dialect.core.create import full
from anvl.dialect.core.families import differentiable
from anvl.dialect.core.mlir import ir
from anvl.dialect.core.op import AnvlOp, Operand, Value, emit
from anvl.dialect.interpreters.subprogram import transpose_of
from anvl.dialect.ops.linalg.linalg_lowering import lower_on
from anvl.dialect.ops.linalg.matrices import identity

__all__ = ["Factorisation"]


class Factorisation(AnvlOp):
    """Base of ops on one stack of matrices.  A failed factorisation gives NaN, not an error."""

    x: Operand

    @classmethod
    def work(cls, op: ir.Operation) -> int:
        shape = op.operands[0].type.shape
        return 10 * math.prod(shape) * min(shape[-2:])

    @classmethod
    def result_tangents(
        cls, t: Value, x: Value, *ys: Value, **params: Any
    ) -> Sequence[Value | None]:
        """Tangents of the results; None for integers."""
        raise NotImplementedError

    @classmethod
    def lower(cls, hlo: Any, x: Value, **params: Any) -> Any:
        if 0 not in x.type.shape:
            return lower_on(hlo, cls.short_name, x, **params)
        result = cls.result_type(x.type, **params)
        return [_empty_result(t) for t in result] if cls.multiple_results else _empty_result(result)

    @classmethod
    def tangent(cls, ts: Sequence[Value | None], xs: Sequence[Value], y: Any, **params: Any) -> Any:
        ys = y if cls.multiple_results else (y,)
        if ts[0] is None:
            return [None] * len(ys) if cls.multiple_results else None
        moved = cls.result_tangents(ts[0], xs[0], *ys, **params)
        return moved if cls.multiple_results else moved[0]

    @classmethod
    def adjoint(cls, g: Any, xs: Sequence[Value], y: Any, **params: Any) -> Sequence[Any]:
        ys, gs = (y, g) if cls.multiple_results else ((y,), (g,))

        def moved(t: Value, *values: Value) -> Sequence[Value | None]:
            return cls.result_tangents(t, *values, **params)

        return [lambda: transpose_of(moved, [xs[0].type], [xs[0], *ys], gs)[0]]

    @classmethod
    def batch(cls, xs: Sequence[Value], batched: Sequence[bool], **params: Any) -> Any:
        return cls.build(xs[0], **params)

    @classmethod
    def dependence(cls, deps: Any, xs: Sequence[Any], **params: Any) -> Any:
        return deps.batched(xs, 2)

    @classmethod
    def pad_axes(cls, pads: Any, xs: Sequence[Any], **params: Any) -> Any:
        return pads.stacked(cls.build, xs, 2, **params)


def _empty_result(type_: Any) -> Value:
    """Result for matrices without elements, which changes nothing."""
    if differentiable(type_) and type_.rank > 1:
        return identity(type_)
    if differentiable(type_):
        return full(type_, 0)
    return emit.iota(iota_dimension=type_.rank - 1, shape=tuple(type_.shape), dtype="i32")
