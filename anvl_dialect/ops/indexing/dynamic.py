"""`dynamic_slice` and `dynamic_update_slice`: one window at a position known at run time.

Each is the adjoint of the other.  Starts out of bounds are clamped so that the window lies inside.
Source: StableHLO specification, ops of the same names.
"""

from collections.abc import Sequence
from typing import Any

from anvl.dialect.core.create import full_like, zeros_like
from anvl.dialect.core.families import with_batch_axis
from anvl.dialect.core.lazy_numpy import np
from anvl.dialect.core.op import AnvlOp, Operand, Operands, Result, Value, emit
from anvl.dialect.core.params.base import Ints
from anvl.dialect.core.params.index_params import GatherDims, ScatterDims
from anvl.dialect.core.shape import reshaped
from anvl.dialect.core.types import shape_text, tensor
from anvl.dialect.ops.indexing.gather import GatherOp
from anvl.dialect.ops.indexing.indices import check_indices, clamped

__all__ = ["DynamicSliceOp", "DynamicUpdateSliceOp"]

_CLAMPED = "a start is clamped to its size, so that the window lies inside"


class DynamicSliceOp(AnvlOp, name="dynamic_slice"):
    """Extract the window of `slice_sizes` at `start_indices`, one scalar per axis.

    StableHLO `dynamic_slice`.
    """

    x: Operand
    start_indices: Operands
    slice_sizes: Ints
    y: Result
    hlo = "dynamic_slice"
    moves_elements = True

    @classmethod
    def result_type(cls, x: Any, *start_indices: Any, slice_sizes: Any) -> Any:
        _check_starts("dynamic_slice", x, start_indices)
        if len(slice_sizes) != x.rank:
            raise TypeError(
                f"dynamic_slice: slice_sizes {shape_text(slice_sizes)} must have one entry for "
                f"each axis of {x}"
            )
        if not all(0 <= n <= there for n, there in zip(slice_sizes, x.shape, strict=True)):
            raise TypeError(
                f"dynamic_slice: slice_sizes {shape_text(slice_sizes)} must be between 0 and the "
                f"sizes of {x}"
            )
        return tensor(slice_sizes, x.element_type)

    @classmethod
    def adjoint(cls, g: Value, xs: Sequence[Value], y: Value, slice_sizes: Any) -> Sequence[Any]:
        x, *starts = xs
        return [
            lambda: emit.dynamic_update_slice(zeros_like(x), g, *starts),
            *(None for _ in starts),
        ]

    @classmethod
    def tangent(
        cls, ts: Sequence[Value | None], xs: Sequence[Value], y: Value, slice_sizes: Any
    ) -> Value | None:
        if ts[0] is None:
            return None
        return emit.dynamic_slice(ts[0], *xs[1:], slice_sizes=slice_sizes)

    @classmethod
    def batch(cls, xs: Sequence[Value], batched: Sequence[bool], slice_sizes: Any) -> Value:
        x, *starts = xs
        if not any(batched[1:]):
            if not starts:
                return x
            sizes = (x.type.shape[0], *slice_sizes)
            return emit.dynamic_slice(x, full_like(starts[0], 0), *starts, slice_sizes=sizes)
        return GatherOp.batch(
            [x, _vectors(starts, batched[1:])],
            [batched[0], True],
            dimension_numbers=_one_window(len(starts)),
            slice_sizes=slice_sizes,
        )

    @classmethod
    def dependence(cls, deps: Any, xs: Sequence[Any], slice_sizes: Any) -> Any:
        """Along an axis whose start is not known, an element depends on all there."""
        x, *starts = xs
        at = [deps.known(i + 1) for i in range(len(starts))]
        unknown = [
            a for a, start in enumerate(at) if start is None and x.shape[a] != slice_sizes[a]
        ]
        x = deps.along(x, unknown) if unknown else x
        firsts = _first_positions(at, x.shape, slice_sizes)
        window = x[tuple(slice(lo, lo + n) for lo, n in zip(firsts, slice_sizes, strict=True))]
        return deps.union(window, deps.all_of(starts)) if unknown else window

    @classmethod
    def pad_axes(cls, pads: Any, xs: Sequence[Any], slice_sizes: Any) -> Any:
        x, *starts = xs
        whole = [a for a, n in enumerate(slice_sizes) if n == x.shape[a]]
        x = pads.widened(x, {a: n for a, n in pads.wanted.items() if a in whole})
        pads.check_unused([x], {*x.axes} - {*whole}, _CLAMPED)
        sizes = tuple(x.axes[a].padded if a in x.axes else n for a, n in enumerate(slice_sizes))
        return cls.build(x.value, *(i.value for i in starts), slice_sizes=sizes), x.axes

    @classmethod
    def sample(cls, draw: Any) -> Any:
        def starts(*numbers: int) -> "list[np.ndarray]":
            return [np.array(i, np.int32) for i in numbers]

        return draw.calls(
            ([draw.floats(4, 3), *starts(1, 0)], {"slice_sizes": (2, 2)}),
            ([draw.floats(4, 3), *starts(-1, 9)], {"slice_sizes": (2, 1)}),
            ([draw.floats(3), np.array(250, np.uint8)], {"slice_sizes": (3,)}),
            ([draw.floats(3), *starts(1)], {"slice_sizes": (0,)}),
            ([draw.floats(0, 2), *starts(1, 1)], {"slice_sizes": (0, 1)}),
        )  # none of rank 0, whose StableHLO text does not parse


class DynamicUpdateSliceOp(AnvlOp, name="dynamic_update_slice"):
    """Replace the window of x at `start_indices` by `update`.

    StableHLO `dynamic_update_slice`.
    """

    x: Operand
    update: Operand
    start_indices: Operands
    y: Result
    hlo = "dynamic_update_slice"
    moves_elements = True

    @classmethod
    def result_type(cls, x: Any, update: Any, *start_indices: Any) -> Any:
        if update.element_type != x.element_type or update.rank != x.rank:
            raise TypeError(
                f"dynamic_update_slice: update is {update}; it must have the dtype and the rank "
                f"of {x}"
            )
        if any(n > there for n, there in zip(update.shape, x.shape, strict=True)):
            raise TypeError(f"dynamic_update_slice: update {update} does not fit into {x}")
        _check_starts("dynamic_update_slice", x, start_indices)
        return x

    @classmethod
    def adjoint(cls, g: Value, xs: Sequence[Value], y: Value) -> Sequence[Any]:
        _, update, *starts = xs
        sizes = tuple(update.type.shape)
        return [
            lambda: emit.dynamic_update_slice(g, zeros_like(update), *starts),
            lambda: emit.dynamic_slice(g, *starts, slice_sizes=sizes) if starts else g,
            *(None for _ in starts),
        ]

    @classmethod
    def tangent(cls, ts: Sequence[Value | None], xs: Sequence[Value], y: Value) -> Value | None:
        if ts[0] is None and ts[1] is None:
            return None
        parts = [zeros_like(x) if t is None else t for t, x in zip(ts[:2], xs[:2], strict=True)]
        return emit.dynamic_update_slice(*parts, *xs[2:])

    @classmethod
    def batch(cls, xs: Sequence[Value], batched: Sequence[bool]) -> Value:
        if any(batched[2:]):
            return _update_each(xs, batched)
        starts = xs[2:]
        x, update = with_batch_axis(xs[:2], batched[:2])
        if not starts:
            return update
        return emit.dynamic_update_slice(x, update, full_like(starts[0], 0), *starts)

    @classmethod
    def dependence(cls, deps: Any, xs: Sequence[Any]) -> Any:
        """Where a start is not known, any element may be one of the update."""
        x, update, *starts = xs
        at = [deps.known(i + 2) for i in range(len(starts))]
        sizes = update.shape
        if any(v is None and x.shape[a] != sizes[a] for a, v in enumerate(at)):
            return deps.union(x, deps.all_of([update, *starts]))
        y = np.array(x)
        firsts = _first_positions(at, x.shape, sizes)
        y[tuple(slice(lo, lo + n) for lo, n in zip(firsts, sizes, strict=True))] = update
        return y

    @classmethod
    def pad_axes(cls, pads: Any, xs: Sequence[Any]) -> Any:
        x, update, *starts = xs
        axes = {**x.axes, **update.axes, **pads.wanted}
        part = [a for a in axes if x.shape[a] != update.shape[a]]
        for axis in part:
            pads.refuse(axis, _CLAMPED)
        x, update = pads.widened(x, axes), pads.widened(update, axes)
        return cls.build(x.value, update.value, *(i.value for i in starts)), axes

    @classmethod
    def sample(cls, draw: Any) -> Any:
        def starts(*numbers: int) -> "list[np.ndarray]":
            return [np.array(i, np.int32) for i in numbers]

        return draw.calls(
            ([draw.floats(4, 3), draw.floats(2, 2), *starts(1, 0)], {}),
            ([draw.floats(4, 3), draw.floats(2, 1), *starts(-1, 9)], {}),
            ([draw.floats(3), draw.floats(3), np.array(250, np.uint8)], {}),
            ([draw.floats(3), draw.floats(0), *starts(1)], {}),
            ([draw.floats(), draw.floats()], {}),
        )


def _check_starts(name: str, x: Any, starts: Sequence[Any]) -> None:
    if len(starts) != x.rank:
        raise TypeError(f"{name}: takes one start per axis of {x}, got {len(starts)}")
    for start in starts:
        check_indices(f"{name}: a start", start)
        if start.rank or start != starts[0]:
            raise TypeError(
                f"{name}: starts {', '.join(map(str, starts))} must be scalars of one dtype"
            )


def _first_positions(starts: Sequence[Any], shape: Sequence[int], sizes: Sequence[int]) -> Any:
    """The first position of a window along each axis, clamped so that it fits; 0 if not known."""
    pairs = zip(starts, shape, sizes, strict=True)
    return [0 if v is None else min(max(int(v), 0), n - size) for v, n, size in pairs]


def _one_window(rank: int) -> GatherDims:
    """Dimension numbers of a single window at the only index vector."""
    axes = tuple(range(rank))
    return GatherDims(offset_dims=axes, start_index_map=axes)


def _vectors(starts: Sequence[Value], batched: Sequence[bool]) -> Value:
    """Stack the starts into one index vector per member of a batch."""
    columns = [reshaped(s, (*s.type.shape, 1)) for s in with_batch_axis(starts, batched)]
    return emit.concatenate(*columns, dimension=1)


def _update_each(xs: Sequence[Value], batched: Sequence[bool]) -> Value:
    """Update each member of a batch at its own position."""
    vectors = _vectors(xs[2:], batched[2:])
    size = vectors.type.shape[0]
    x, update = (
        v if b else emit.broadcast_in_dim(
            v, shape=(size, *v.type.shape), broadcast_dimensions=tuple(range(1, v.type.rank + 1))
        )
        for v, b in zip(xs[:2], batched[:2], strict=True)
    )  # fmt: skip
    axes = tuple(range(1, x.type.rank))
    dims = ScatterDims(axes, (), (0,), (0,), axes, 1)
    sizes = (1, *update.type.shape[1:])
    return emit.scatter(
        x,
        clamped(vectors, x.type, dims, sizes),
        update,
        scatter_dimension_numbers=dims,
        unique_indices=True,
        update_computation=lambda _, new: new,
    )[0]
