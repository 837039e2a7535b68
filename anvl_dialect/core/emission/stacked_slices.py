"""Several slices of one array, in one array: a longer slice, or a gather of windows.

Each slice by itself would have a `pad` of the whole array as its adjoint, and a sum of as many.
"""

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from anvl.dialect.core.create import literal
from anvl.dialect.core.lazy_numpy import np
from anvl.dialect.core.op import Value, emit
from anvl.dialect.core.params.index_params import GatherDims
from anvl.dialect.core.types import element_type, tensor

__all__ = ["stacked_slices"]


def stacked_slices(xs: Sequence[Value], params: Sequence[dict[str, Any]]) -> Value | None:
    """Emit the slices of `xs[k]` by `params[k]` along a new first axis, if the array is the same.

    None if the arrays differ, the slices have strides, or an index does not fit an i32.
    """
    x, first = xs[0], params[0]
    starts = [one["start_indices"] for one in params]
    if any(other != x for other in xs):
        return None
    found = _of_rows(x, first, starts)
    is_dense = all(step == 1 for step in first["strides"])
    if found is None and is_dense and max(x.type.shape, default=0) < 2**31:
        found = _windows(x, first, starts)
    return found


def _of_rows(x: Value, first: dict[str, Any], starts: Sequence[Sequence[int]]) -> Value | None:
    """One slice, if slices of size 1 follow each other along one axis; None if they do not."""
    moving = [a for a in range(len(starts[0])) if len({at[a] for at in starts}) > 1]
    if len(moving) != 1 or _sizes(first)[moving[0]] != 1:
        return None
    (axis,) = moving
    places = [at[axis] for at in starts]
    by = places[1] - places[0]
    if not by or any(b - a != by for a, b in pairwise(places)):
        return None
    low, high, steps = (list(first[k]) for k in ("start_indices", "limit_indices", "strides"))
    low[axis], high[axis], steps[axis] = min(places), max(places) + 1, abs(by)
    rows = emit.slice(x, start_indices=tuple(low), limit_indices=tuple(high), strides=tuple(steps))
    if by < 0:
        rows = emit.reverse(rows, dimensions=(axis,))
    return _with_axis_in_front(rows, axis)


def _with_axis_in_front(rows: Value, axis: int) -> Value:
    """Move an axis to the front, and leave one of size 1 in its place."""
    shape = list(rows.type.shape)
    if axis:
        order = (axis, *(a for a in range(len(shape)) if a != axis))
        rows = emit.transpose(rows, permutation=order)
    rest = [*shape[:axis], 1, *shape[axis + 1 :]]
    return emit.reshape(rows, shape=(shape[axis], *rest))


def _sizes(first: dict[str, Any]) -> list[int]:
    """Of slices without strides."""
    pairs = zip(first["start_indices"], first["limit_indices"], strict=True)
    return [hi - lo for lo, hi in pairs]


def _windows(x: Value, first: dict[str, Any], starts: Sequence[Sequence[int]]) -> Value:
    rank = x.type.rank
    at = np.array(starts, np.int32).reshape(len(starts), rank)
    sizes = _sizes(first)
    dims = GatherDims(
        offset_dims=tuple(range(1, rank + 1)),
        collapsed_slice_dims=(),
        operand_batching_dims=(),
        start_indices_batching_dims=(),
        start_index_map=tuple(range(rank)),
        index_vector_dim=1,
    )
    indices = literal(at, tensor(at.shape, element_type("i32")))
    return emit.gather(
        x, indices, dimension_numbers=dims, slice_sizes=tuple(sizes), indices_are_sorted=False
    )
