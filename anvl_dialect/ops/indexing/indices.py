"""Checks of dimension numbers, and window positions, shared by `gather` and `scatter`.

Source: StableHLO specification, constraints of `gather` (C1-C22) and of `scatter` (C1-C22).
"""

from collections.abc import Sequence
from typing import Any

from anvl.dialect.core.create import full, literal
from anvl.dialect.core.families import check_axes
from anvl.dialect.core.lazy_numpy import np
from anvl.dialect.core.op import Value, emit
from anvl.dialect.core.params.index_params import GatherDims, ScatterDims
from anvl.dialect.core.types import (
    integer_range,
    kind,
    numpy_of,
    shape_text,
    tensor,
)
from anvl.dialect.ops.elementwise.elementary import and_

__all__ = [
    "check_dims", "check_indices", "clamped", "combined", "inside", "scatter_axes", "window_axes",
]  # fmt: skip

Dims = GatherDims | ScatterDims


# -- checks ----------------------------------------------------------------------------------------


def check_indices(what: str, indices: Any) -> None:
    """Raise TypeError for indices that are not integers."""
    if kind(indices.element_type) not in ("int", "uint"):
        raise TypeError(f"{what} is {indices}; it must hold integers")


def check_dims(name: str, x: Any, indices: Any, dims: Dims) -> None:
    """Raise TypeError for dimension numbers that do not fit the types of operand and indices."""
    check_indices(f"{name}: the tensor of indices", indices)
    said = [
        f"{field} {shape_text(axes)}" for field, axes in zip(dims._fields, dims[:-1], strict=False)
    ]
    try:
        _check_counts(x, indices, dims, said)
        _check_axes(x, indices, dims, said)
        _check_batching(x, indices, dims, said)
    except TypeError as error:
        raise TypeError(f"{name}: {error}; the operand is {x}, its indices {indices}") from None


def _check_counts(x: Any, indices: Any, dims: Dims, said: Sequence[str]) -> None:
    window, inserted, batching, _, index_map, vector = dims
    if len(window) + len(inserted) + len(batching) != x.rank:
        raise TypeError(
            f"{said[0]}, {said[1]} and {said[2]} together must name all {x.rank} axes of {x}"
        )
    if not 0 <= vector <= indices.rank:
        raise TypeError(
            f"index_vector_dim {vector} must be 0 to {indices.rank}, the rank of {indices}"
        )
    if len(index_map) != _components(indices, vector):
        raise TypeError(
            f"{said[4]} must name an axis for each of the {_components(indices, vector)} "
            f"components of {indices} along index_vector_dim {vector}"
        )


def _check_axes(x: Any, indices: Any, dims: Dims, said: Sequence[str]) -> None:
    window, inserted, batching, of_indices, index_map, vector = dims
    rank = len(window) + len(scatter_axes_of_indices(indices, vector))
    windows = "the result" if isinstance(dims, GatherDims) else "the updates"
    check_axes(said[0], window, rank, windows)
    check_axes(f"{said[1]} and {said[2]}", (*inserted, *batching), x.rank, x)
    check_axes(f"{said[4]} and {said[2]}", (*index_map, *batching), x.rank, x)
    check_axes(said[3], of_indices, indices.rank, indices)
    for axes, text in zip((window, inserted, batching), said, strict=False):
        if list(axes) != sorted(axes):
            raise TypeError(f"{text} must be in ascending order")


def _check_batching(x: Any, indices: Any, dims: Dims, said: Sequence[str]) -> None:
    _, _, batching, of_indices, _, vector = dims
    if vector in of_indices:
        raise TypeError(f"{said[3]} must not name index_vector_dim {vector}")
    if len(batching) != len(of_indices):
        raise TypeError(f"{said[2]} and {said[3]} must have equally many entries")
    for a, b in zip(batching, of_indices, strict=True):
        if x.shape[a] != indices.shape[b]:
            raise TypeError(
                f"axis {a} of {x} is batched with axis {b} of {indices}, "
                "so their sizes must be equal"
            )


def _components(indices: Any, vector: int) -> int:
    """Number of components of one index vector."""
    return indices.shape[vector] if vector < indices.rank else 1


# -- shapes ----------------------------------------------------------------------------------------


def scatter_axes_of_indices(indices: Any, vector: int) -> list[int]:
    """Axes of the indices other than the axis of components."""
    return [a for a in range(indices.rank) if a != vector]


def scatter_axes(rank: int, dims: Dims) -> tuple[int, ...]:
    """Axes of the gathered array, or of the updates, that belong to no window."""
    return tuple(a for a in range(rank) if a not in dims[0])


def window_axes(rank: int, dims: Dims) -> list[int]:
    """Axes of the operand along which a window extends, in order."""
    return [a for a in range(rank) if a not in (*dims[1], *dims[2])]


def combined(indices: Any, dims: Dims, window: Sequence[int]) -> list[int]:
    """Shape of all windows together, each of shape `window`."""
    counts = [indices.shape[a] for a in scatter_axes_of_indices(indices, dims.index_vector_dim)]
    shape = [0] * (len(counts) + len(window))
    for sizes, axes in ((window, dims[0]), (counts, scatter_axes(len(shape), dims))):
        for axis, size in zip(axes, sizes, strict=True):
            shape[axis] = size
    return shape


# -- window positions ------------------------------------------------------------------------------


def clamped(indices: Value, x: Any, dims: Dims, sizes: Sequence[int]) -> Value:
    """Clamp the indices so that windows of `sizes` lie inside an operand of type x."""
    limits = _limits(indices.type, x, dims, sizes)
    if not limits:
        return indices
    element = indices.type.element_type
    high = _limits_row(limits, indices.type, dims)
    return emit.clamp(full(tensor([], element), 0), indices, high)


def inside(indices: Value, x: Any, dims: Dims, sizes: Sequence[int], shape: Sequence[int]) -> Value:
    """Mask of an array of windows, of this shape: whether each element's window lies inside x.

    A window that is partly out of bounds is skipped whole, as in XLA; StableHLO's specification
    would skip only the elements out of bounds.
    """
    limits = _limits(indices.type, x, dims, sizes)
    high = _limits_row(limits, indices.type, dims)
    if high.type != indices.type:
        high = emit.broadcast_in_dim(high, shape=tuple(indices.type.shape), broadcast_dimensions=())
    fits = emit.compare(indices, high, comparison_direction="LE")
    if kind(indices.type.element_type) == "int":
        low = emit.compare(indices, full(indices.type, 0), comparison_direction="GE")
        fits = and_(low, fits)
    if dims.index_vector_dim < indices.type.rank:
        fits = emit.all(fits, axes=(dims.index_vector_dim,))
    axes = scatter_axes(len(shape), dims)
    return emit.broadcast_in_dim(fits, shape=tuple(shape), broadcast_dimensions=axes)


def _limits(indices: Any, x: Any, dims: Dims, sizes: Sequence[int]) -> list[int]:
    """Largest start of a window that fits, for each component of an index vector."""
    largest = _largest(indices.element_type)
    return [min(x.shape[a] - sizes[a], largest) for a in dims[4]]


def _largest(element: Any) -> int:
    return integer_range(element)[1]


def _limits_row(limits: Sequence[int], indices: Any, dims: Dims) -> Value:
    """One number per component: a scalar if all are equal, else broadcast to the indices."""
    element = indices.element_type
    if len(set(limits)) == 1:
        return full(tensor([], element), limits[0])
    row = literal(np.array(limits, numpy_of(element)), tensor([len(limits)], element))
    return emit.broadcast_in_dim(
        row, shape=tuple(indices.shape), broadcast_dimensions=(dims.index_vector_dim,)
    )
