"""Where the windows of gathers and scatters are, as positions in the flat operand, in NumPy."""

from collections.abc import Sequence
from typing import Any

from anvl.dialect.core.lazy_numpy import np

__all__ = ["update_positions", "window_positions"]


def window_positions(indices: Any, shape: Sequence[int], dims: Any, sizes: Sequence[int]) -> Any:
    """For each element of a gather's result its position in the flat operand of this shape.

    `dims` are the dimension numbers of the op, `sizes` the windows along each operand axis.
    """
    starts = [
        np.clip(start, 0, n - size)
        for start, n, size in zip(_starts(indices, len(shape), dims), shape, sizes, strict=True)
    ]
    return _flat(starts, shape, dims, sizes)


def update_positions(
    indices: Any, shape: Sequence[int], updates: Sequence[int], dims: Any
) -> tuple[Any, Any]:
    """For each element of a scatter's updates its position, and whether its window is inside."""
    windows = [a for a in range(len(shape)) if a not in (*dims[1], *dims[2])]
    sizes = [1] * len(shape)
    for a, axis in zip(windows, dims[0], strict=True):
        sizes[a] = updates[axis]
    starts = _starts(indices, len(shape), dims)
    inside = np.ones(starts[0].shape if starts else (), bool)
    for start, n, size in zip(starts, shape, sizes, strict=True):
        inside &= (start >= 0) & (start + size <= n)
    places = np.broadcast_to(np.expand_dims(inside, tuple(dims[0])), updates)
    at = np.broadcast_to(_flat(starts, shape, dims, sizes), updates)
    return at.reshape(-1), places.reshape(-1)


def _starts(indices: Any, rank: int, dims: Any) -> list[Any]:
    """The start of each window along each operand axis."""
    _, _, batching, along, index_map, vector = dims
    indices = np.asarray(indices).astype(np.int64)
    vectors = np.moveaxis(indices, vector, -1) if vector < indices.ndim else indices[..., None]
    counts = vectors.shape[:-1]
    starts = [np.zeros(counts, np.int64) for _ in range(rank)]
    for k, a in enumerate(index_map):
        starts[a] = vectors[..., k]
    for a, axis in zip(batching, along, strict=True):
        at = axis - (axis > vector)
        sizes = [n if b == at else 1 for b, n in enumerate(counts)]
        starts[a] = np.broadcast_to(np.arange(counts[at]).reshape(sizes), counts)
    return starts


def _flat(starts: Sequence[Any], shape: Sequence[int], dims: Any, sizes: Sequence[int]) -> Any:
    windows = [a for a in range(len(shape)) if a not in (*dims[1], *dims[2])]
    of_axis = dict(zip(windows, dims[0], strict=True))
    counts = starts[0].shape if starts else ()
    rank = len(counts) + len(dims[0])
    found = np.zeros(np.expand_dims(np.zeros(counts, bool), tuple(dims[0])).shape, np.int64)
    stride = 1
    for a in reversed(range(len(shape))):
        at = np.expand_dims(starts[a], tuple(dims[0]))
        if a in of_axis:
            whole = [sizes[a] if b == of_axis[a] else 1 for b in range(rank)]
            at = at + np.arange(sizes[a]).reshape(whole)
        found = found + at * stride
        stride *= shape[a]
    return found
