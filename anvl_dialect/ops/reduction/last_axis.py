"""Parts, pairs and concatenations along the last axis, to which trees move the reduced axes."""

import math
from collections.abc import Sequence

from anvl.dialect.core.op import Value, emit
from anvl.dialect.core.shape import permuted, reshaped

__all__ = ["concatenated", "interleaved", "merged_axes", "pair_sides", "part", "unmerged_axes"]


def part(x: Value, start: int, limit: int) -> Value:
    """Slice the last axis: x[..., start:limit]."""
    shape = x.type.shape
    if (start, limit) == (0, shape[-1]):
        return x
    return emit.slice(
        x,
        start_indices=(0,) * (len(shape) - 1) + (start,),
        limit_indices=(*shape[:-1], limit),
        strides=(1,) * len(shape),
    )


def concatenated(*parts: Value) -> Value:
    """Concatenate the parts along the last axis."""
    first, *rest = parts
    return emit.concatenate(*parts, dimension=first.type.rank - 1) if rest else first


def interleaved(even: Value, odd: Value) -> Value:
    """Combine elements at even and at odd positions; inverse of `pair_sides`."""
    *outer, count = even.type.shape
    pairs = concatenated(*(reshaped(v, (*outer, count, 1)) for v in (even, odd)))
    return reshaped(pairs, (*outer, 2 * count))


def pair_sides(x: Value) -> list[Value]:
    """Elements at even and at odd positions of an axis of even size."""
    *outer, count = x.type.shape
    pairs = reshaped(x, (*outer, count // 2, 2))
    return [reshaped(part(pairs, i, i + 1), (*outer, count // 2)) for i in (0, 1)]


def merged_axes(x: Value, axes: Sequence[int]) -> Value:
    """Move `axes` last and merge them into one."""
    shape, order = x.type.shape, _axes_last(x, axes)
    kept = [shape[i] for i in order[: len(order) - len(axes)]]
    return reshaped(permuted(x, order), (*kept, math.prod(shape[a] for a in axes)))


def unmerged_axes(rows: Value, x: Value, axes: Sequence[int]) -> Value:
    """Inverse of `merged_axes`, for an x of that shape."""
    order = _axes_last(x, axes)
    shaped = reshaped(rows, tuple(x.type.shape[i] for i in order))
    return permuted(shaped, tuple(order.index(i) for i in range(len(order))))


def _axes_last(x: Value, axes: Sequence[int]) -> tuple[int, ...]:
    return (*(i for i in range(x.type.rank) if i not in axes), *axes)
