"""What the ops that index compute, in NumPy, one element at a time.

Written from the StableHLO specification; a scatter's window that sticks out is left out whole, and
updates meet in the order of their indices: as XLA does on CPU.
"""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

__all__ = ["dynamic_slice", "dynamic_update_slice", "gather", "scatter"]


def _places(
    shape: Any, sizes: Any, indices: np.ndarray, dims: Any
) -> Iterator[tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]]]:
    """For each index: its position, the start of its window in x, and where it is batched."""
    batching, along, index_map, vector = dims[2:]
    vectors = indices[..., None] if vector == indices.ndim else np.moveaxis(indices, vector, -1)
    counted = [a for a in range(indices.ndim) if a != vector]
    for position in np.ndindex(*vectors.shape[:-1]):
        start, batch = [0] * len(shape), [0] * len(shape)
        for axis, i in zip(index_map, vectors[position], strict=True):
            start[axis] = int(i)
        for axis, of_indices in zip(batching, along, strict=True):
            batch[axis] = position[counted.index(of_indices)]
        yield position, tuple(start), tuple(batch)


def _index(rank: int, dims: Any, position: Any, window: Any) -> tuple[int, ...]:
    """The index of an element of the gathered array, or of the updates."""
    at, rest = dict(zip(dims[0], window, strict=True)), iter(position)
    return tuple(at[a] if a in at else next(rest) for a in range(rank))


def _windows(sizes: Any, dims: Any) -> Iterator[tuple[tuple[int, ...], tuple[int, ...]]]:
    """The elements of a window: as axes of the window, and as axes of x."""
    axes = [a for a in range(len(sizes)) if a not in (*dims[1], *dims[2])]
    for window in np.ndindex(*(sizes[a] for a in axes)):
        at = dict(zip(axes, window, strict=True))
        yield window, tuple(at.get(a, 0) for a in range(len(sizes)))


def gather(
    x: np.ndarray, indices: np.ndarray, dimension_numbers: Any, slice_sizes: Any,
    indices_are_sorted: bool = False,
) -> np.ndarray:  # fmt: skip
    dims, sizes = dimension_numbers, slice_sizes
    found = {}
    for position, start, batch in _places(x.shape, sizes, indices, dims):
        low = [max(0, min(s, n - m)) for s, n, m in zip(start, x.shape, sizes, strict=True)]
        for window, offset in _windows(sizes, dims):
            at = tuple(map(sum, zip(low, batch, offset, strict=True)))
            found[_index(len(position) + len(window), dims, position, window)] = x[at]
    counts = [n for a, n in enumerate(indices.shape) if a != dims[5]]
    lengths = [n for a, n in enumerate(sizes) if a not in (*dims[1], *dims[2])]
    y = np.zeros(_index(len(counts) + len(lengths), dims, counts, lengths), x.dtype)
    for at, value in found.items():
        y[at] = value
    return y


def scatter(
    *xs: np.ndarray, scatter_dimension_numbers: Any, update_computation: Callable[..., Any],
    indices_are_sorted: bool = False, unique_indices: bool = False,
) -> list[np.ndarray]:  # fmt: skip
    n, dims = len(xs) // 2, scatter_dimension_numbers
    ys, indices, updates = [x.copy() for x in xs[:n]], xs[n], xs[n + 1 :]
    shape = ys[0].shape
    axes = [a for a in range(len(shape)) if a not in (*dims[1], *dims[2])]
    spans = dict(zip(axes, (updates[0].shape[a] for a in dims[0]), strict=True))
    sizes = [spans.get(a, 1) for a in range(len(shape))]
    for position, start, batch in _places(shape, sizes, indices, dims):
        if any(not 0 <= s <= n - m for s, n, m in zip(start, shape, sizes, strict=True)):
            continue
        for window, offset in _windows(sizes, dims):
            at = tuple(map(sum, zip(start, batch, offset, strict=True)))
            of_update = _index(updates[0].ndim, dims, position, window)
            new = update_computation(*(y[at] for y in ys), *(u[of_update] for u in updates))
            for y, value in zip(ys, new, strict=True):
                y[at] = value
    return ys


def _window(x: np.ndarray, starts: Any, sizes: Any) -> tuple[slice, ...]:
    low = [max(0, min(int(s), n - m)) for s, n, m in zip(starts, x.shape, sizes, strict=True)]
    return tuple(slice(a, a + m) for a, m in zip(low, sizes, strict=True))


def dynamic_slice(x: np.ndarray, *starts: np.ndarray, slice_sizes: Any) -> np.ndarray:
    return x[_window(x, starts, slice_sizes)]


def dynamic_update_slice(x: np.ndarray, update: np.ndarray, *starts: np.ndarray) -> np.ndarray:
    y = np.array(x)
    y[_window(x, starts, update.shape)] = update
    return y
