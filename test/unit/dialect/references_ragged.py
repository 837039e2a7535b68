"""`ragged_dot` in NumPy: a contraction of each group, of which each element is asked."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

__all__ = ["ragged_dot_by"]


def ragged_dot_by(dot_general: Callable[..., np.ndarray]) -> Callable[..., np.ndarray]:
    """The reference of `ragged_dot`, by that of `dot_general`."""

    def ragged_dot(
        x: np.ndarray, y: np.ndarray, group_sizes: np.ndarray, ragged_dot_dimension_numbers: Any,
        precision_config: str = "DEFAULT",
    ) -> np.ndarray:  # fmt: skip
        *dims, (ragged,), group = ragged_dot_dimension_numbers
        if ragged in dims[0]:
            return dot_general(x, y, dims)
        n_groups = group_sizes.shape[-1]
        parts = [np.where(_inside(x, group_sizes, dims, ragged, k), x, 0) for k in range(n_groups)]
        parts = [part.astype(x.dtype) for part in parts]
        if ragged in dims[2]:
            free = dot_general(x, y, dims)
            found = np.zeros((n_groups, *free.shape), x.dtype)
            for k, part in enumerate(parts):
                found[k] = dot_general(part, y, dims)
            return found
        (axis,) = group
        dims[1], dims[3] = (tuple(b - (b > axis) for b in axes) for axes in (dims[1], dims[3]))
        rest = np.zeros([n for b, n in enumerate(y.shape) if b != axis], y.dtype)
        found = dot_general(np.zeros_like(x), rest, dims)
        for k, part in enumerate(parts):
            found = found + dot_general(part, y.take(k, axis), dims)
        return found

    return ragged_dot


def _inside(
    x: np.ndarray, group_sizes: np.ndarray, dims: Sequence[Any], ragged: int, group: int
) -> np.ndarray:
    """For each element of x, whether its row is in a group."""
    free = [a for a in range(x.ndim) if a not in dims[0] + dims[2]]
    alike = list(dims[2]) if ragged in dims[2] else free
    before = [*dims[0], *alike[: alike.index(ragged)]]
    found = np.zeros(x.shape, bool)
    for at in np.ndindex(x.shape):
        own = group_sizes if group_sizes.ndim == 1 else group_sizes[tuple(at[a] for a in before)]
        sizes = [max(int(n), 0) for n in own]
        found[at] = sum(sizes[:group]) <= at[ragged] < sum(sizes[: group + 1])
    return found
