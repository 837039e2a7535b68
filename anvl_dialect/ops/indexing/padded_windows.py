"""Padded axes of `gather` and `scatter`: which axes of windows, operand and indices are one."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from anvl.dialect.core.types import kind
from anvl.dialect.ops.indexing.indices import Dims, scatter_axes, window_axes

__all__ = ["WindowAxes", "aligned_batches", "skipped"]


class WindowAxes(NamedTuple):
    """Axes of the gathered array, or of the updates: those of the operand, and of the indices."""

    windows: Mapping[int, int]
    vectors: Mapping[int, int]

    @classmethod
    def of(cls, dims: Dims, rank: int, operand: Any, indices: Any) -> "WindowAxes":
        """For windows of this rank; `operand` and `indices` are `Padded`."""
        of_indices = [a for a in range(len(indices.shape)) if a != dims.index_vector_dim]
        of_operand = window_axes(len(operand.shape), dims)
        return cls(
            dict(zip(dims[0], of_operand, strict=True)),
            dict(zip(scatter_axes(rank, dims), of_indices, strict=True)),
        )

    def split(self, axes: Mapping[int, Any]) -> tuple[dict[int, Any], dict[int, Any]]:
        """Padded axes of the windows as axes of the operand, and of the indices."""
        return (
            {self.windows[a]: n for a, n in axes.items() if a in self.windows},
            {self.vectors[a]: n for a, n in axes.items() if a in self.vectors},
        )

    def joined(self, operand: Mapping[int, Any], indices: Mapping[int, Any]) -> dict[int, Any]:
        """Padded axes of the operand and of the indices as axes of the windows."""
        found = {w: operand[a] for w, a in self.windows.items() if a in operand}
        return found | {w: indices[a] for w, a in self.vectors.items() if a in indices}


def aligned_batches(pads: Any, x: Any, indices: Any, dims: Dims) -> tuple[Any, Any]:
    """Operand and indices, both padded along batching axes where one is."""
    pairs = list(zip(dims[2], dims[3], strict=True))
    indices = pads.widened(indices, {b: x.axes[a] for a, b in pairs if a in x.axes})
    x = pads.widened(x, {a: indices.axes[b] for a, b in pairs if b in indices.axes})
    pads.check_unused([indices], (dims.index_vector_dim,), "its elements are one index vector")
    return x, indices


def skipped(pads: Any, indices: Any, dims: Dims) -> Any:
    """The indices with -1 in their padding, whose windows a scatter skips."""
    masked = {*indices.axes} - {*dims[3]}
    if masked and (not dims[4] or kind(indices.element) == "uint"):
        pads.refuse(min(masked), "no index lies outside of the inputs")
    return pads.masked(indices, -1, masked)
