"""Functional updates: `x.at[index].set(values)` returns a new array; x is unchanged."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

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
from anvl.core.ranges import check_fits, integer_limits
from anvl.core.tracer import Tracer
from anvl.dialect.core.op import emit
from anvl.dialect.core.params.index_params import ScatterDims
from anvl.dispatch.eager import public
from anvl.numpy.arrays.choice import logical_and, where
from anvl.numpy.arrays.creation import asarray, iota, ones_like
from anvl.numpy.arrays.indexing import getitem, index_tracer, index_vectors
from anvl.numpy.arrays.indices import (
    ANYWHERE,
    Index,
    Range,
    Spans,
    in_window,
    parsed,
    positions,
    put_in_window,
    window_of,
)
from anvl.numpy.functions.arithmetic import power, remainder
from anvl.numpy.functions.elementwise import (
    add,
    divide,
    greater_equal,
    less,
    maximum,
    minimum,
    multiply,
    negative,
    subtract,
)
from anvl.numpy.functions.emitting import prim
from anvl.runtime import Array, hiding_frames

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

    The index is one of `x[index]`, or a mask.  Values broadcast to the shape of x[index], and take
    the dtype of x.  `mode` says what out-of-range elements of an index do: None, "drop" and "fill"
    change nothing, "clip" clamps them, "wrap" counts them cyclically, "promise_in_bounds" says that
    there are none; without it, out-of-range Python integers raise `IndexError`.
    `indices_are_sorted` and `unique_indices` are promises about an index.

    >>> import anvl.numpy as np
    >>> x = np.zeros(4)
    >>> x.at[1].set(5.0)
    Array([0., 5., 0., 0.], dtype=float32)
    >>> x.at[np.asarray([0, 2, 0])].add(1.0)
    Array([2., 0., 1., 0.], dtype=float32)
    >>> x.at[x == 0].set(7.0)
    Array([7., 7., 7., 7.], dtype=float32)
    """

    __slots__ = ("_index", "_x")

    def __init__(self, x: Any, index: Any) -> None:
        self._x = x
        self._index = index

    def __repr__(self) -> str:
        return f"Place({self._x!r}, {self._index!r})"

    def set(self, values: Any, **options: Any) -> Any:
        """Replace the part; if several values meet one element, any one of them is kept.

        >>> import anvl.numpy as np
        >>> np.arange(5).at[1:3].set(0)
        Array([0, 0, 0, 3, 4], dtype=int32)
        """
        return self._with(values, "set", options)

    def add(self, values: Any, **options: Any) -> Any:
        """Add the values; if several meet one element, all of them are added.

        >>> import anvl.numpy as np
        >>> np.arange(3).at[np.asarray([1, 1])].add(10)
        Array([ 0, 21,  2], dtype=int32)
        """
        return self._with(values, "add", options)

    def subtract(self, values: Any, **options: Any) -> Any:
        """Subtract the values; if several meet one element, all of them are subtracted.

        >>> import anvl.numpy as np
        >>> np.arange(3).at[np.asarray([1, 1])].subtract(10)
        Array([  0, -19,   2], dtype=int32)
        """
        return self._with(values, "subtract", options)

    def multiply(self, values: Any, **options: Any) -> Any:
        """Multiply the part by the values; if several meet one element, by all of them.

        >>> import anvl.numpy as np
        >>> np.arange(3).at[-1].multiply(5)
        Array([ 0,  1, 10], dtype=int32)
        """
        return self._with(values, "multiply", options)

    mul = multiply  # JAX has both

    def divide(self, values: Any, **options: Any) -> Any:
        """Divide the part by the values; if several meet one element, by their product.

        Raises `TypeError` for integers, as their quotients are floats.

        >>> import anvl.numpy as np
        >>> np.ones(3).at[1].divide(4.0)
        Array([1.  , 0.25, 1.  ], dtype=float32)
        """
        return self._with(values, "divide", options)

    def power(self, values: Any, **options: Any) -> Any:
        """Raise the part to powers; if several meet one element, to their product.

        >>> import anvl.numpy as np
        >>> np.arange(4).at[2:].power(2)
        Array([0, 1, 4, 9], dtype=int32)
        """
        return self._with(values, "power", options)

    def min(self, values: Any, **options: Any) -> Any:
        """Take the smaller of each element and its values.

        >>> import anvl.numpy as np
        >>> np.arange(3).at[:].min(1)
        Array([0, 1, 1], dtype=int32)
        """
        return self._with(values, "min", options)

    def max(self, values: Any, **options: Any) -> Any:
        """Take the larger of each element and its values.

        >>> import anvl.numpy as np
        >>> np.arange(3).at[::2].max(1)
        Array([1, 1, 2], dtype=int32)
        """
        return self._with(values, "max", options)

    @hiding_frames
    def apply(self, ufunc: Callable[[Any], Any], **options: Any) -> Any:
        """Apply a function of arrays to the part, once to each element, and set the result.

        >>> import anvl.numpy as np
        >>> np.asarray([1.0, 4.0, 9.0]).at[1:].apply(np.sqrt)
        Array([1., 2., 3.], dtype=float32)
        """
        if _is_mask(self._index, self._x):
            return _masked(self._x, self._index, ufunc(self._x), "apply")
        return self.set(ufunc(self.get(**options)), **options)

    @hiding_frames
    def get(self, *, fill_value: Any = None, **options: Any) -> Any:
        """Read the part: x[index], with a mode.

        For an out-of-range element of an index None and "clip" give the nearest, "wrap" counts
        cyclically, "fill" and "drop" give `fill_value`: NaN by default, or the least integer.

        >>> import anvl.numpy as np
        >>> np.arange(3.0).at[np.asarray([1, 7])].get(mode="fill", fill_value=-1)
        Array([ 1., -1.], dtype=float32)
        """
        mode = _checked("get", options).mode
        if mode in (None, "promise_in_bounds"):
            return getitem(self._x, self._index)
        filler = _default_filler(self._x.dtype) if fill_value is None else fill_value
        index = _as_arrays(self._index, mode)
        return _gotten(self._x, filler, *parsed(self._x, index), mode)

    @hiding_frames
    def _with(self, values: Any, how: str, options: dict[str, Any]) -> Any:
        given = _checked(how, options)
        if type(values) in (int, float, complex):
            check_fits(values, self._x.dtype)  # before conversion to an array of another dtype
        if how == "divide" and (self._x.dtype.kind == "b" or integer_limits(self._x.dtype)):
            raise TypeError(
                f"at.divide: {abstract(self._x)} holds integers, whose quotients are floats; "
                "convert it with .astype"
            )
        if _is_mask(self._index, self._x) and _fits_rest(values, self._index, self._x):
            return _masked(self._x, self._index, values, how)
        index = _as_arrays(self._index, given.mode)
        if how in ("divide", "power"):
            factors = _update(ones_like(self._x), values, index, "multiply", given)
            return divide(self._x, factors) if how == "divide" else power(self._x, factors)
        return _update(self._x, values, index, how, given)


class _Options(NamedTuple):
    """What a call says about its index."""

    mode: str | None = None
    indices_are_sorted: bool = False
    unique_indices: bool = False


_MODES = (None, "clip", "drop", "fill", "promise_in_bounds", "wrap")


def _checked(how: str, given: dict[str, Any]) -> _Options:
    """Validate the keywords of a call."""
    for name in given:
        if name not in _Options._fields:
            raise TypeError(
                f"at.{how}: there is no keyword {name!r}; it takes {', '.join(_Options._fields)}"
            )
    options = _Options(**given)
    if options.mode not in _MODES:
        known = ", ".join(repr(m) for m in _MODES[1:])
        raise ValueError(f"at.{how}: mode {options.mode!r} is not one of {known}, or None")
    return options


def _default_filler(dtype: np.dtype[Any]) -> Any:
    if dtype.kind == "b":
        return True
    limits = integer_limits(dtype)
    return limits[0] if limits else float("nan")


def _as_arrays(index: Any, mode: str | None) -> Any:
    """An index whose integers are arrays, so that a mode handles those out of range."""
    if mode in (None, "promise_in_bounds"):
        return index
    items = index if isinstance(index, tuple) else (index,)
    found = tuple(
        asarray(item)
        if isinstance(item, int | np.integer | np.ndarray | list) and not isinstance(item, bool)
        else item
        for item in items
    )
    return found if isinstance(index, tuple) else found[0]


# -- masks -----------------------------------------------------------------------------------------


def _is_mask(index: Any, x: Any) -> bool:
    """Whether an index is one mask of the first axes of x."""
    of_arrays = isinstance(index, Tracer | Array | np.ndarray) and index.dtype.kind == "b"
    return of_arrays and index.ndim > 0 and index.shape == tuple(x.shape)[: index.ndim]


def _fits_rest(values: Any, mask: Any, x: Any) -> bool:
    """Whether the values are the same for each element of the mask; others need its values."""
    shape = abstract(values, "at").shape
    rest = tuple(x.shape)[mask.ndim :]
    try:
        return broadcast_shapes(shape, rest) == rest
    except ValueError:
        return False


@public("how")
def _masked(x: Any, mask: Any, values: Any, how: str) -> Any:
    operand, flags = as_tracer(x, "at"), as_tracer(mask, "at")
    rest = operand.shape[flags.ndim :]
    new = _fitted(f"at.{how}", values, operand, operand.shape if how == "apply" else rest)
    chosen = prim("reshape", flags, shape=flags.shape + (1,) * len(rest))
    if how not in ("set", "apply"):
        new = _COMBINED[how](operand, new)
    return where(chosen, new, operand)


_COMBINED: dict[str, Callable[[Any, Any], Any]] = {
    "add": add, "subtract": subtract, "multiply": multiply, "divide": divide, "power": power,
    "min": minimum, "max": maximum,
}  # fmt: skip


# -- indices ---------------------------------------------------------------------------------------


@public("index", "mode")
def _gotten(x: Any, fill_value: Any, arrays: tuple[Any, ...], index: Index, mode: str) -> Any:
    operand = as_tracer(x, "at.get")
    given = [as_tracer(a, "index") for a in arrays]
    sizes = [operand.shape[a] for a in index.marks]
    if mode == "wrap":
        given = [remainder(a, n) for a, n in zip(given, sizes, strict=True)]
    found = index_tracer(operand, tuple(given), index)
    if mode not in ("fill", "drop") or not given:
        return found
    inside: Any = True
    for a, n in zip(given, sizes, strict=True):
        low = 0 if a.dtype.kind == "u" else -n
        inside = logical_and(inside, logical_and(greater_equal(a, low), less(a, n)))
    first = index.first(new_axes=True)
    behind = found.ndim - first - inside.ndim
    inside = prim("reshape", inside, shape=(1,) * first + inside.shape + (1,) * behind)
    return where(inside, found, fitted(fill_value, operand.dtype, "at.get"))


def _newer(_: Any, new: Any) -> Any:
    return new


#: The combiner of the old and the new value of an element.
_BODIES: dict[str, Callable[[Any, Any], Any]] = {
    "set": _newer, "add": emit.add, "multiply": emit.mul, "min": emit.minimum, "max": emit.maximum,
}  # fmt: skip
_OPS = {"add": "add", "multiply": "mul", "min": "minimum", "max": "maximum"}


def _update(x: Any, values: Any, index: Any, how: str, options: _Options) -> Any:
    abstract(values, f"at.{how}")  # raises for what is no array, by the name that the user wrote
    arrays, static = parsed(x, index)
    if (window := window_of(x, static)) is None:
        return _updated(x, values, arrays, static, how, options)
    return _updated_in(x, values, window.starts, arrays, window.spans, window.rest, how, options)


@public("spans", "index", "how", "options")
def _updated_in(
    x: Any, values: Any, starts: tuple[Any, ...], arrays: tuple[Any, ...], spans: Spans,
    index: Index, how: str, options: _Options,
) -> Any:  # fmt: skip
    part = _with_update(in_window(x, starts, spans), values, arrays, index, how, options)
    return put_in_window(x, part, starts, spans)


@public("index", "how", "options")
def _updated(
    x: Any, values: Any, arrays: tuple[Any, ...], index: Index, how: str, options: _Options
) -> Any:
    return _with_update(as_tracer(x, "at"), values, arrays, index, how, options)


def _with_update(
    operand: Tracer, values: Any, arrays: tuple[Any, ...], index: Index, how: str,
    options: _Options,
) -> Tracer:  # fmt: skip
    name = f"at.{how}"
    at, broadcast, dtype = positions(arrays, index.marks, operand)
    at = {a: _in_mode(v, operand.shape[a], options.mode) for a, v in at.items()}
    shape = index.shape(broadcast)
    update = _fitted(name, values, operand, shape)
    if how == "subtract":
        update, how = negative(update), "add"
    if 0 in shape:
        return operand
    flat = index.shape(broadcast, new_axes=False)
    update = update if shape == flat else prim("reshape", update, shape=flat)
    if _is_everything(index, operand):
        return update if how == "set" else prim(_OPS[how], operand, update)
    if how == "set" and not broadcast and _is_window(index):
        return _with_window(operand, update, at, index, dtype)
    layout = _Layout(index, operand, broadcast)
    return prim(
        "scatter", operand, layout.vectors(at, dtype), update,
        scatter_dimension_numbers=layout.dims, update_computation=_BODIES[how],
        unique_indices=not broadcast or options.unique_indices,
        indices_are_sorted=options.indices_are_sorted,
    )[0]  # fmt: skip


def _is_everything(index: Index, x: Tracer) -> bool:
    ranges = zip(index.of_axes, x.shape, strict=True)
    return all(isinstance(item, Range) and item.is_all(n) for item, n in ranges)


def _is_window(index: Index) -> bool:
    """Whether the part is one window, known to lie within the array."""
    strided = any(isinstance(item, Range) and item.step != 1 for item in index.items)
    return not strided and ANYWHERE not in index.items


def _in_mode(at: Tracer, size: int, mode: str | None) -> Any:
    """Positions of a mode that moves those which are out of range."""
    if mode == "wrap":
        return remainder(at, size)
    return minimum(maximum(at, 0), size - 1) if mode == "clip" else at


def _fitted(name: str, values: Any, x: Tracer, shape: tuple[int, ...]) -> Tracer:
    """Values converted to the dtype of x and broadcast to this shape."""
    of = abstract(values, name)
    if of.level > aval(x.dtype).level:
        raise TypeError(
            f"{name}: the values are {of}, which {x.aval} does not hold; convert one with .astype"
        )
    if broadcast_shapes(of.shape, shape, function=name) != shape:
        raise ValueError(
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
