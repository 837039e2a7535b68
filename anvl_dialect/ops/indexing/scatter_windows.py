"""Positions that a scatter writes to, and reads from them."""

import itertools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from operator import le
from typing import Any

from anvl.dialect.core.create import full, full_like, zeros_like
from anvl.dialect.core.op import Value, emit
from anvl.dialect.core.params.index_params import GatherDims, ScatterDims
from anvl.dialect.core.shape import reshaped
from anvl.dialect.core.types import tensor
from anvl.dialect.ops.indexing.indices import inside, scatter_axes, window_axes

__all__ = ["ScatterPositions", "counted", "cut", "newer"]


def newer(_: Value, new: Value) -> Value:
    """Scatter body that assigns."""
    return new


@dataclass(frozen=True)
class ScatterPositions:
    """Positions of the updates of a scatter."""

    indices: Value
    scatter_dimension_numbers: ScatterDims
    indices_are_sorted: bool = False
    unique_indices: bool = False

    def scatter(self, body: Callable[..., Value], x: Value, u: Value) -> Value:
        """Scatter u into x."""
        return emit.scatter(
            x,
            self.indices,
            u,
            scatter_dimension_numbers=self.scatter_dimension_numbers,
            indices_are_sorted=self.indices_are_sorted,
            unique_indices=self.unique_indices,
            update_computation=body,
        )[0]

    def gather(self, x: Value, u: Any) -> Value:
        """Gather the elements of x that updates of type u meet; 0 for updates out of bounds."""
        dims, sizes = self.scatter_dimension_numbers, self._sizes(x.type, u)
        if sizes is None:
            return full(tensor(u.shape, x.type.element_type), 0)
        found = emit.gather(x, self.indices, dimension_numbers=GatherDims(*dims), slice_sizes=sizes)
        return self.where_met(x.type, found)

    def where_met(self, x: Any, v: Value) -> Value:
        """Keep the elements of v, shaped like the updates, that are in bounds; zero the others."""
        sizes = self._sizes(x, v.type)
        if sizes is None:
            return zeros_like(v)
        dims = self.scatter_dimension_numbers
        if not dims.scatter_dims_to_operand_dims:
            return v
        there = inside(self.indices, x, dims, sizes, v.type.shape)
        return emit.select(there, v, zeros_like(v))

    def _sizes(self, x: Any, u: Any) -> tuple[int, ...] | None:
        """Window sizes; None if a window fits nowhere in x."""
        dims = self.scatter_dimension_numbers
        sizes = [1] * x.rank
        for axis, of_update in zip(window_axes(x.rank, dims), dims[0], strict=True):
            sizes[axis] = u.shape[of_update]
        return tuple(sizes) if all(map(le, sizes, x.shape)) else None

    def numbered(self, x: Value, u: Any) -> tuple[Value, Value]:
        """Number the updates by index from 1, and give each element of x a 0."""
        axes = scatter_axes(u.rank, self.scatter_dimension_numbers)
        numbers = emit.broadcast_in_dim(
            counted([u.shape[a] for a in axes]), shape=tuple(u.shape), broadcast_dimensions=axes
        )
        return numbers, full(tensor(x.type.shape, numbers.type.element_type), 0)

    def steps(self) -> list[tuple[int, ...]]:
        """Positions along the axes of the indices that are neither batching axes nor components."""
        shape = self.indices.type.shape
        return list(itertools.product(*(range(shape[a]) for a in self._free_axes())))

    def restricted_to(
        self, step: tuple[int, ...], updates: Sequence[Value]
    ) -> "tuple[ScatterPositions, list[Value]]":
        """Restrict the scatter to one position, and the updates to that position."""
        dims = self.scatter_dimension_numbers
        free = self._free_axes()
        indices = cut(self.indices, dict(zip(free, step, strict=True)))
        # The update axes outside windows correspond to the index axes, in order.
        counted = [a for a in range(self.indices.type.rank) if a != dims.index_vector_dim]
        axes = dict(zip(counted, scatter_axes(updates[0].type.rank, dims), strict=True))
        some = [cut(u, {axes[a]: i for a, i in zip(free, step, strict=True)}) for u in updates]
        return replace(self, indices=indices, unique_indices=True), some

    def _free_axes(self) -> list[int]:
        dims = self.scatter_dimension_numbers
        taken = (*dims.scatter_indices_batching_dims, dims.index_vector_dim)
        return [a for a in range(self.indices.type.rank) if a not in taken]


def cut(x: Value, positions: dict[int, int]) -> Value:
    """Slice x at one position along some axes, which are kept with size 1."""
    shape = x.type.shape
    return emit.slice(
        x,
        start_indices=tuple(positions.get(a, 0) for a in range(len(shape))),
        limit_indices=tuple(positions[a] + 1 if a in positions else n for a, n in enumerate(shape)),
        strides=(1,) * len(shape),
    )


def counted(shape: Sequence[int]) -> Value:
    """1, 2, 3, ... in this shape."""
    count = math.prod(shape)
    numbers = emit.iota(
        iota_dimension=0, shape=(count,), dtype="i32" if count < 2**31 - 1 else "i64"
    )
    return reshaped(emit.add(numbers, full_like(numbers, 1)), shape)
