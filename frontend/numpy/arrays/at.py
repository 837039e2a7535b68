"""Functional updates: `x.at[index].set(values)` returns a new array; x is unchanged."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from anvl.core.avals import aval
from anvl.core.promote import (
    abstract,
    as_tracer,
    broadcast_shapes,
    broadcast_to,
    constant,
    fitted,
)
from anvl.core.ranges import check_fits
from anvl.core.tracer import Tracer
from anvl.dialect.core.op import emit
from anvl.dialect.core.params.index_params import ScatterDims
from anvl.dispatch.eager import public
from anvl.numpy.arrays.creation import iota
from anvl.numpy.arrays.indexing import index_vectors
from anvl.numpy.arrays.indices import ANYWHERE, Index, Range, parsed, positions
from anvl.numpy.functions.emitting import prim
from anvl.runtime import hiding_frames

__all__ = ["At", "Place"]


class At:
    """The property `x.at`: `x.at[index]` selects a part of x to update in a copy."""

    __slots__ = ("_x",)

    def __init__(self, x: Any) -> None:
        self._x = x

    def __getitem__(self, index: Any) -> Place:
        return Place(self._x, index)

    def __repr__(self) -> str:
        return f"At({self._x!r})"


class Place:
    """A selected part of an array; each method returns a new array with that part updated.

    The index is one of `x[index]`.  Values broadcast to the shape of x[index], and take the dtype
    of x.  Out-of-range elements of an index array change nothing (reading clamps them instead);
    out-of-range Python integers raise `IndexError`.

    >>> import anvl.numpy as np
    >>> x = np.zeros(4)
    >>> x.at[1].set(5.0)
    Array([0., 5., 0., 0.], dtype=float32)
    >>> x.at[np.asarray([0, 2, 0])].add(1.0)
    Array([2., 0., 1., 0.], dtype=float32)
    """

    __slots__ = ("_index", "_x")

    def __init__(self, x: Any, index: Any) -> None:
        self._x = x
        self._index = index

    def __repr__(self) -> str:
        return f"Place({self._x!r}, {self._index!r})"

    def set(self, values: Any) -> Any:
        """Replace the part; if several values meet one element, any one of them is kept.

        >>> import anvl.numpy as np
        >>> np.arange(5).at[1:3].set(0)
        Array([0, 0, 0, 3, 4], dtype=int32)
        """
        return self._with(values, "set")

    def add(self, values: Any) -> Any:
        """Add the values; if several meet one element, all of them are added.

        >>> import anvl.numpy as np
        >>> np.arange(3).at[np.asarray([1, 1])].add(10)
        Array([ 0, 21,  2], dtype=int32)
        """
        return self._with(values, "add")

    def multiply(self, values: Any) -> Any:
        """Multiply the part by the values.

        >>> import anvl.numpy as np
        >>> np.arange(3).at[-1].multiply(5)
        Array([ 0,  1, 10], dtype=int32)
        """
        return self._with(values, "multiply")

    def min(self, values: Any) -> Any:
        """Take the smaller of each element and its values.

        >>> import anvl.numpy as np
        >>> np.arange(3).at[:].min(1)
        Array([0, 1, 1], dtype=int32)
        """
        return self._with(values, "min")

    def max(self, values: Any) -> Any:
        """Take the larger of each element and its values.

        >>> import anvl.numpy as np
        >>> np.arange(3).at[::2].max(1)
        Array([1, 1, 2], dtype=int32)
        """
        return self._with(values, "max")

    @hiding_frames
    def _with(self, values: Any, how: str) -> Any:
        if type(values) in (int, float, complex):
            check_fits(values, self._x.dtype)  # before conversion to an array of another dtype
        return _updated(self._x, values, *parsed(self._x, self._index), how)


def _newer(_: Any, new: Any) -> Any:
    return new


#: The combiner of the old and the new value of an element.
_BODIES: dict[str, Callable[[Any, Any], Any]] = {
    "set": _newer, "add": emit.add, "multiply": emit.mul, "min": emit.minimum, "max": emit.maximum,
}  # fmt: skip
_OPS = {"add": "add", "multiply": "mul", "min": "minimum", "max": "maximum"}


@public("index", "how")
def _updated(x: Any, values: Any, arrays: tuple[Any, ...], index: Index, how: str) -> Any:
    name, operand = f"at.{how}", as_tracer(x, "at")
    at, broadcast, dtype = positions(arrays, index.marks, operand)
    shape = index.shape(broadcast)
    update = _fitted(name, values, operand, shape)
    if 0 in shape:
        return operand
    flat = index.shape(broadcast, new_axes=False)
    update = update if shape == flat else prim("reshape", update, shape=flat)
    ranges = zip(index.of_axes, operand.shape, strict=True)
    if all(isinstance(item, Range) and item.is_all(n) for item, n in ranges):
        return update if how == "set" else prim(_OPS[how], operand, update)
    strided = any(isinstance(item, Range) and item.step != 1 for item in index.items)
    if how == "set" and not strided and not broadcast and ANYWHERE not in index.items:
        return _with_window(operand, update, at, index, dtype)
    layout = _Layout(index, operand, broadcast)
    return prim(
        "scatter", operand, layout.vectors(at, dtype), update,
        scatter_dimension_numbers=layout.dims, unique_indices=not broadcast,
        update_computation=_BODIES[how],
    )[0]  # fmt: skip


def _fitted(name: str, values: Any, x: Tracer, shape: tuple[int, ...]) -> Tracer:
    """Values converted to the dtype of x and broadcast to this shape."""
    of = abstract(values, name)
    if of.level > aval(x.dtype).level:
        raise TypeError(
            f"{name}: the values are {of}, which {x.aval} does not hold; convert one with .astype"
        )
    if broadcast_shapes(of.shape, shape, function=name) != shape:
        raise TypeError(
            f"{name}: the values {of} do not broadcast to {list(shape)}, the shape of the part"
        )
    if isinstance(values, bool | int | float | complex):
        return constant(values, x.dtype, shape)
    return broadcast_to(fitted(values, x.dtype, name), shape)


def _with_window(
    x: Tracer, update: Tracer, at: dict[int, Tracer], index: Index, dtype: np.dtype[Any]
) -> Tracer:
    """Replace one window that is known to lie within x."""
    starts, sizes = [], []
    for axis, item in enumerate(index.of_axes):
        start = item.start if isinstance(item, Range) else item
        starts.append(at[axis] if axis in at else constant(start, dtype))
        sizes.append(item.size if isinstance(item, Range) else 1)
    if update.shape != tuple(sizes):
        update = prim("reshape", update, shape=tuple(sizes))
    return prim("dynamic_update_slice", x, update, *starts)


class _Layout:
    """Correspondence of the axes of an update array to those of x, in terms of `scatter`.

    Each axis of the updates is a window axis (a range with step 1), or enumerates windows: a range
    with another step, or an axis of the index arrays.
    """

    def __init__(self, index: Index, x: Tracer, broadcast: tuple[int, ...]) -> None:
        items = dict(enumerate(index.of_axes))
        ranges = [a for a, item in items.items() if isinstance(item, Range)]
        first = index.first(new_axes=False)
        # For each axis of the updates: its axis of x, or None for those of the index arrays.
        axes = [*ranges[:first], *[None for _ in broadcast], *ranges[first:]]
        windows = [a for a in ranges if items[a].step == 1]
        self.items, self.broadcast = items, broadcast
        self._count([a for a in axes if a not in windows])
        # A window that begins at the start of its axis needs no index there.
        self.indexed = [a for a in items if a not in windows or not items[a].is_all(x.shape[a])]
        self.dims = self._dimension_numbers(axes, windows)

    def _dimension_numbers(self, axes: Sequence[int | None], windows: list[int]) -> ScatterDims:
        return ScatterDims(
            update_window_dims=tuple(i for i, a in enumerate(axes) if a in windows),
            inserted_window_dims=tuple(a for a in self.items if a not in windows),
            scatter_dims_to_operand_dims=tuple(self.indexed),
            index_vector_dim=len(self.counts),
        )

    def _count(self, axes: Sequence[int | None]) -> None:
        """Note the axes that enumerate windows: their places among each other, and their sizes."""
        start = axes.index(None) if self.broadcast else 0
        self.of_arrays = tuple(range(start, start + len(self.broadcast)))
        self.place = {a: i for i, a in enumerate(axes) if a is not None}
        sizes = [self.items[a].size for a in axes if a is not None]
        self.counts = (*sizes[:start], *self.broadcast, *sizes[start:])

    def vectors(self, at: dict[int, Tracer], dtype: np.dtype[Any]) -> Tracer:
        """Start indices of the windows, one vector for each."""
        return index_vectors([self._component(a, at, dtype) for a in self.indexed])

    def _component(self, axis: int, at: dict[int, Tracer], dtype: np.dtype[Any]) -> Tracer:
        item = self.items[axis]
        if axis in at:
            return self._spread(broadcast_to(at[axis], self.broadcast), self.of_arrays)
        if axis not in self.place:
            return constant(item.start if isinstance(item, Range) else item, dtype, self.counts)
        # For negative steps, too: the last element of the range is then the lowest index.
        backwards = item.step < 0
        low = item.start + (item.size - 1) * item.step if backwards else item.start
        row = iota((item.size,), 0, dtype)
        if abs(item.step) != 1:
            row = prim("mul", row, constant(abs(item.step), dtype, row.shape))
        row = prim("reverse", row, dimensions=(0,)) if backwards else row
        row = prim("add", row, constant(low, dtype, row.shape)) if low else row
        return self._spread(row, (self.place[axis],))

    def _spread(self, x: Tracer, axes: tuple[int, ...]) -> Tracer:
        if x.shape == self.counts:
            return x
        params = {"shape": self.counts, "broadcast_dimensions": axes}
        return prim("broadcast_in_dim", x, **params)
