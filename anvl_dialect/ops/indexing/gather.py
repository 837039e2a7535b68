"""`gather`: windows of an array at positions given by an array of indices.

Linear in the array; its adjoint is a `scatter` that adds.
Source: StableHLO specification, `gather`.
"""

from collections.abc import Sequence
from typing import Any

from anvl.dialect.core.create import full, zeros_like
from anvl.dialect.core.lazy_numpy import np
from anvl.dialect.core.op import AnvlOp, Operand, Result, Value, emit
from anvl.dialect.core.params.base import Bool, Ints
from anvl.dialect.core.params.index_params import GatherDimensions, GatherDims, ScatterDims
from anvl.dialect.core.shape import permuted, reshaped
from anvl.dialect.core.types import shape_text, tensor
from anvl.dialect.ops.indexing.indices import (
    check_dims,
    clamped,
    combined,
    scatter_axes,
    window_axes,
)
from anvl.dialect.ops.indexing.padded_windows import WindowAxes, aligned_batches
from anvl.dialect.sparsity.window_positions import window_positions

__all__ = ["GatherOp"]


class GatherOp(AnvlOp, name="gather"):
    """Gather a window of `slice_sizes` for each index vector in `start_indices`.

    Indices out of bounds are clamped so that the window lies inside.  StableHLO `gather`.
    """

    x: Operand
    start_indices: Operand
    dimension_numbers: GatherDimensions
    slice_sizes: Ints
    indices_are_sorted: Bool
    y: Result
    hlo = "gather"
    moves_elements = True

    @classmethod
    def result_type(
        cls, x: Any, start_indices: Any, dimension_numbers: GatherDims, slice_sizes: Any,
        indices_are_sorted: bool = False,
    ) -> Any:  # fmt: skip
        dims = dimension_numbers
        check_dims("gather", x, start_indices, dims)
        _check_sizes(x, dims, slice_sizes)
        window = [slice_sizes[a] for a in window_axes(x.rank, dims)]
        shape = combined(start_indices, dims, window)
        if 0 in slice_sizes and 0 not in shape:
            raise TypeError(
                f"gather: slice_sizes {shape_text(slice_sizes)} are empty windows of {x}, but "
                f"the result has shape {shape_text(shape)}; there is no element to fill it with"
            )
        return tensor(shape, x.element_type)

    @classmethod
    def adjoint(
        cls, g: Value, xs: Sequence[Value], y: Value, dimension_numbers: GatherDims,
        slice_sizes: Any, indices_are_sorted: bool = False,
    ) -> Sequence[Any]:  # fmt: skip
        x, indices = xs

        def of_operand() -> Value:
            if not dimension_numbers.start_index_map:
                return _of_fixed_windows(g, x.type, indices.type, dimension_numbers, slice_sizes)
            at = clamped(indices, x.type, dimension_numbers, slice_sizes)
            return emit.scatter(
                zeros_like(x),
                at,
                g,
                scatter_dimension_numbers=ScatterDims(*dimension_numbers),
                indices_are_sorted=indices_are_sorted,
                update_computation=emit.add,
            )[0]

        return [of_operand, None]

    @classmethod
    def tangent(
        cls, ts: Sequence[Value | None], xs: Sequence[Value], y: Value, **params: Any
    ) -> Value | None:
        return None if ts[0] is None else emit.gather(ts[0], xs[1], **params)

    @classmethod
    def batch(
        cls, xs: Sequence[Value], batched: Sequence[bool], dimension_numbers: GatherDims,
        slice_sizes: Any, indices_are_sorted: bool = False,
    ) -> Value:  # fmt: skip
        of_x, of_indices = batched
        size = xs[0 if of_x else 1].type.shape[0]
        taken = () if not of_x else (1,) if of_indices else (size,)
        return emit.gather(
            *xs,
            dimension_numbers=GatherDims(*batched_dims(dimension_numbers, of_x, of_indices)),
            slice_sizes=(*taken, *slice_sizes),
            indices_are_sorted=indices_are_sorted and not of_indices,
        )

    @classmethod
    def dependence(
        cls,
        deps: Any,
        xs: Sequence[Any],
        dimension_numbers: GatherDims,
        slice_sizes: Any,
        **params: Any,
    ) -> Any:
        """Where indices are not known, windows may be anywhere along the axes that they index."""
        (x, indices), dims = xs, dimension_numbers
        known = deps.known(1)
        if known is not None:
            return x.reshape(-1)[window_positions(known, x.shape, dims, slice_sizes)]
        spread = deps.along(x, dims.start_index_map)
        at = window_positions(np.zeros(indices.shape, np.int64), x.shape, dims, slice_sizes)
        return deps.union(spread.reshape(-1)[at], deps.all_of([indices]))

    @classmethod
    def pad_axes(
        cls, pads: Any, xs: Sequence[Any], dimension_numbers: GatherDims, slice_sizes: Any,
        indices_are_sorted: bool = False,
    ) -> Any:  # fmt: skip
        """Windows that take a whole axis still do; each padded index gathers something."""
        (x, indices), dims = xs, dimension_numbers
        axes = WindowAxes.of(dims, pads.op.results[0].type.rank, x, indices)
        whole = {a for a in axes.windows.values() if slice_sizes[a] == x.shape[a]}
        of_x, of_indices = axes.split(pads.wanted)
        x = pads.widened(x, {a: n for a, n in of_x.items() if a in whole})
        x, indices = aligned_batches(pads, x, pads.widened(indices, of_indices), dims)
        others = {*range(len(x.shape))} - whole - {*dims.operand_batching_dims}
        pads.check_unused([x], others, "indices are clamped to its size")
        sizes = [
            x.axes[a].padded if a in whole and a in x.axes else n for a, n in enumerate(slice_sizes)
        ]
        y = emit.gather(
            x.value,
            indices.value,
            dimension_numbers=dims,
            slice_sizes=tuple(sizes),
            indices_are_sorted=indices_are_sorted and not indices.axes,
        )
        return y, axes.joined(x.axes, indices.axes)

    @classmethod
    def sample(cls, draw: Any) -> Any:
        def indices(*vectors: Any, dtype: str = "i32") -> "np.ndarray":
            return np.array(vectors, {"i32": np.int32, "i64": np.int64, "ui8": np.uint8}[dtype])

        def rows(sizes: Any, vector: int = 1, **params: Any) -> dict[str, Any]:
            dims = GatherDims(tuple(range(1, len(sizes))), (0,), (), (), (0,), vector)
            return {"dimension_numbers": dims, "slice_sizes": sizes, **params}

        # The example of StableHLO's specification, with fewer numbers: a batching axis and windows.
        both = GatherDims((2, 3), (1,), (0,), (1,), (2, 1), 2)
        # Index vectors of no components: the first window of each member of two batching axes.
        fixed = GatherDims((0, 3), (4,), (1, 3), (2, 1), (), 0)
        return draw.calls(
            ([draw.floats(5, 3), indices(2, 0, 2, 7, -1)], rows((1, 3))),
            ([draw.floats(4), indices([0], [3], [3])], rows((1,), indices_are_sorted=True)),
            ([draw.floats(300), indices([3], [255], dtype="ui8")], rows((1,))),
            ([draw.floats(3, 2), np.zeros((0, 0), np.int32)], _points((3, 2), 0)),
            ([draw.floats(0, 2), np.zeros((0, 1), np.int32)], rows((0, 2))),
            (
                [
                    draw.floats(2, 3, 5, 2),
                    indices([[0, 0], [3, 9]], [[2, 1], [-5, 2]], dtype="i64"),
                ],
                {"dimension_numbers": both, "slice_sizes": (1, 1, 2, 2)},
            ),
            (
                [draw.floats(3, 3, 2, 2, 2), np.zeros((0, 2, 3), np.int32)],
                {"dimension_numbers": fixed, "slice_sizes": (2, 1, 2, 1, 1)},
            ),
        )


def _points(shape: Any, components: int) -> dict[str, Any]:
    """Windows of the whole array, for indices of no components."""
    rank = len(shape)
    dims = GatherDims(tuple(range(1, rank + 1)), (), (), (), tuple(range(components)), 1)
    return {"dimension_numbers": dims, "slice_sizes": shape}


def _check_sizes(x: Any, dims: GatherDims, slice_sizes: Any) -> None:
    if len(slice_sizes) != x.rank:
        raise TypeError(
            f"gather: slice_sizes {shape_text(slice_sizes)} must have one entry for each axis "
            f"of {x}"
        )
    for axis, (size, there) in enumerate(zip(slice_sizes, x.shape, strict=True)):
        if not 0 <= size <= there:
            raise TypeError(
                f"gather: slice_sizes {shape_text(slice_sizes)} do not fit {x}: axis {axis} has "
                f"{there} elements"
            )
    for axes, field in ((dims.collapsed_slice_dims, 1), (dims.operand_batching_dims, 2)):
        if any(slice_sizes[a] > 1 for a in axes):
            raise TypeError(
                f"gather: slice_sizes {shape_text(slice_sizes)} of {x} must be at most 1 along "
                f"{dims._fields[field]} {shape_text(axes)}"
            )


def _of_fixed_windows(
    g: Value, x: Any, indices: Any, dims: GatherDims, slice_sizes: Any
) -> Value:  # fmt: skip
    """Cotangent of x for indices of no components, whose windows are all the first one.

    A scatter would be equivalent, but XLA's scatter with such indices loses all updates but the
    last.
    """
    if 0 in g.type.shape:
        return full(x, 0)
    counted = [a for a in range(indices.rank) if a != dims.index_vector_dim]
    of_indices = dict(zip(counted, scatter_axes(g.type.rank, dims), strict=True))
    batched = [of_indices[a] for a in dims.start_indices_batching_dims]
    of_x = dict(zip(dims.operand_batching_dims, batched, strict=True))
    of_x.update(zip(window_axes(x.rank, dims), dims.offset_dims, strict=True))
    kept = sorted(of_x.values())
    summed = emit.sum(g, axes=tuple(a for a in range(g.type.rank) if a not in kept))
    window = permuted(summed, [kept.index(of_x[a]) for a in sorted(of_x)])
    sizes = [g.type.shape[of_x[a]] if a in of_x else 1 for a in range(x.rank)]
    return emit.pad(
        reshaped(window, sizes),
        full(tensor([], x.element_type), 0),
        edge_padding_low=(0,) * x.rank,
        edge_padding_high=tuple(n - size for n, size in zip(x.shape, sizes, strict=True)),
        interior_padding=(0,) * x.rank,
    )


def batched_dims(dims: Any, of_x: bool, of_indices: bool) -> tuple[Any, ...]:
    """Add a leading batch axis to the operand, the indices, or both, in dimension numbers.

    If only the operand has it, the axis joins the windows; if both have it, it is a batching axis.
    """
    window, inserted, batching, along, index_map, vector = dims

    def moved(axes: Sequence[int]) -> tuple[int, ...]:
        return tuple(a + 1 for a in axes)

    if of_x:
        inserted, batching, index_map = moved(inserted), moved(batching), moved(index_map)
    if of_indices:
        along, vector = moved(along), vector + 1
    if of_x and of_indices:
        batching, along = (0, *batching), (0, *along)
    window = moved(window) if of_indices else (0, *moved(window))
    return window, inserted, batching, along, index_map, vector
