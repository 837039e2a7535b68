"""`share_ties`: identity on a sorted array, whose equal elements share each derivative evenly.

A sort moves elements and distinguishes equal ones by position.  Functions of the values alone, such
as quantiles, treat equal elements alike: this op, after a sort, makes their derivatives do so.
"""

import math
from collections.abc import Sequence
from typing import Any

from anvl.dialect.core.create import full_like, zeros_like
from anvl.dialect.core.families import check_axes, check_kind
from anvl.dialect.core.op import AnvlOp, Operand, Result, Value, emit
from anvl.dialect.core.params.base import Int
from anvl.dialect.core.params.index_params import GatherDims, ScatterDims
from anvl.dialect.core.shape import inverse, permuted, reshaped
from anvl.dialect.core.types import dtype_name
from anvl.dialect.ops.elementwise.elementary import or_
from anvl.dialect.ops.indexing.scatter_windows import counted, cut

__all__ = ["ShareTiesOp", "averaged_over_ties"]


class ShareTiesOp(AnvlOp, name="share_ties"):
    """Identity whose derivative is averaged over each run of equal elements along `axis`.

    It lowers to its operand.
    """

    x: Operand
    axis: Int
    y: Result
    singularity_convention = "adjacent ties share evenly"

    @classmethod
    def result_type(cls, x: Any, axis: int) -> Any:
        check_kind("share_ties", x, "float")
        check_axes(f"share_ties: axis {axis}", (axis,), x.rank, x)
        return x

    @classmethod
    def lower(cls, hlo: Any, x: Value, axis: int) -> Value:
        return x

    @classmethod
    def tangent(
        cls, ts: Sequence[Value | None], xs: Sequence[Value], y: Value, axis: int
    ) -> Value | None:
        return None if ts[0] is None else averaged_over_ties(ts[0], xs[0], axis)

    @classmethod
    def adjoint(cls, g: Value, xs: Sequence[Value], y: Value, axis: int) -> Sequence[Any]:
        return [averaged_over_ties(g, xs[0], axis)]  # the map is symmetric

    @classmethod
    def batch(cls, xs: Sequence[Value], batched: Sequence[bool], axis: int) -> Value:
        return cls.build(xs[0], axis=axis + 1)

    @classmethod
    def dependence(cls, deps: Any, xs: Sequence[Any], axis: int) -> Any:
        """Of the derivative, which averages along the axis: the value depends on less."""
        return deps.along(xs[0], (axis,))

    @classmethod
    def pad_axes(cls, pads: Any, xs: Sequence[Any], axis: int) -> Any:
        return pads.elementwise(cls.build, xs, axis=axis)

    @classmethod
    def sample(cls, draw: Any) -> Any:
        # Without ties it is the identity; finite differences can test no more.
        return draw.calls(
            ([draw.floats(2, 5)], {"axis": 1}),
            ([draw.floats(3, 2)], {"axis": 0}),
            ([draw.floats(1)], {"axis": 0}),
            ([draw.floats(2, 0)], {"axis": 1}),
        )


def averaged_over_ties(t: Value, x: Value, axis: int) -> Value:
    """Average t over each position's run of equal x, by segment sums of flat arrays."""
    if 0 in t.type.shape:
        return t
    order = (*[a for a in range(x.type.rank) if a != axis], axis)
    sizes = [x.type.shape[a] for a in order]
    length = sizes[-1]
    flat_x, flat_t = (reshaped(permuted(v, order), (math.prod(sizes),)) for v in (x, t))
    run = _runs(flat_x, length)
    dims = ((), (0,), (), (), (0,), 1)

    def of_runs(v: Value) -> Value:
        params = {"indices_are_sorted": True, "update_computation": emit.add}
        return emit.scatter(
            zeros_like(v), run, v, scatter_dimension_numbers=ScatterDims(*dims), **params
        )[0]

    count = emit.convert(of_runs(full_like(run, 1)), dtype=dtype_name(t.type.element_type))
    mean = emit.div(of_runs(flat_t), emit.maximum(count, full_like(count, 1)))
    found = emit.gather(
        mean, run, dimension_numbers=GatherDims(*dims), slice_sizes=(1,), indices_are_sorted=True
    )
    return permuted(reshaped(found, sizes), inverse(order))


def _runs(x: Value, length: int) -> Value:
    """Number the run of each element; rows of `length` elements share no run."""
    place = emit.sub(counted(x.type.shape), full_like(counted(x.type.shape), 1))
    before = emit.concatenate(cut(x, {0: 0}), _drop_last(x), dimension=0)
    is_new = emit.compare(x, before, comparison_direction="NE")
    is_first = emit.compare(
        emit.rem(place, full_like(place, length)), zeros_like(place), comparison_direction="EQ"
    )
    begins = emit.convert(or_(is_new, is_first), dtype=dtype_name(place.type.element_type))
    return emit.sub(emit.cumsum(begins, axis=0, reverse=False), full_like(begins, 1))


def _drop_last(x: Value) -> Value:
    return emit.slice(x, start_indices=(0,), limit_indices=(x.type.shape[0] - 1,), strides=(1,))
