"""`gather` and `scatter` of `jax.lax`, with its dimension numbers; `index_take`.

Index vectors lie along the last axis of the indices, as in JAX.
Source: StableHLO, `gather` and `scatter`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np

import anvl.numpy as anp
from anvl.core.promote import as_tracer, constant, convert, fitted, promoted
from anvl.core.ranges import integer_limits
from anvl.core.tracer import Tracer
from anvl.dialect.core.op_registry import OPS
from anvl.dialect.core.params.index_params import GatherDims, ScatterDims
from anvl.dispatch.body_tracing import with_bodies
from anvl.dispatch.eager import public
from anvl.lax.lax_options import GatherScatterMode
from anvl.numpy.arrays.axes import axis_of, ints_of
from anvl.numpy.functions.elementwise import mark_weak
from anvl.numpy.functions.emitting import prim
from anvl.runtime import hiding_frames

__all__ = [
    "GatherDimensionNumbers", "ScatterDimensionNumbers", "gather", "index_take", "scatter",
    "scatter_add", "scatter_apply", "scatter_max", "scatter_min", "scatter_mul", "scatter_sub",
]  # fmt: skip


class GatherDimensionNumbers(NamedTuple):
    """Axes of `lax.gather`.

    Attributes
    ----------
    offset_dims : tuple of int
        Axes of the result that are axes of the windows.
    collapsed_slice_dims : tuple of int
        Axes of the operand along which windows have size 1 and which the result has not.
    start_index_map : tuple of int
        For each number of an index vector, the axis of the operand that it indexes.
    operand_batching_dims, start_indices_batching_dims : tuple of int
        Axes of the operand and of the indices that are walked together.
    """

    offset_dims: tuple[int, ...]
    collapsed_slice_dims: tuple[int, ...]
    start_index_map: tuple[int, ...]
    operand_batching_dims: tuple[int, ...] = ()
    start_indices_batching_dims: tuple[int, ...] = ()


class ScatterDimensionNumbers(NamedTuple):
    """Axes of `lax.scatter` and its like.

    Attributes
    ----------
    update_window_dims : tuple of int
        Axes of the updates that are axes of the windows.
    inserted_window_dims : tuple of int
        Axes of the operand along which windows have size 1 and which the updates have not.
    scatter_dims_to_operand_dims : tuple of int
        For each number of an index vector, the axis of the operand that it indexes.
    operand_batching_dims, scatter_indices_batching_dims : tuple of int
        Axes of the operand and of the indices that are walked together.
    """

    update_window_dims: Sequence[int]
    inserted_window_dims: Sequence[int]
    scatter_dims_to_operand_dims: Sequence[int]
    operand_batching_dims: Sequence[int] = ()
    scatter_indices_batching_dims: Sequence[int] = ()


class _Windows(NamedTuple):
    """Windows of a gather or scatter.

    Attributes
    ----------
    offsets : tuple of int
        Axes of the result, or of the updates, that are axes of the windows.
    collapsed, index_map, batching, indices_batching : tuple of int
        The other dimension numbers.
    mode : GatherScatterMode
    is_sorted, is_unique : bool
        What the caller promises of the indices.
    """

    offsets: tuple[int, ...]
    collapsed: tuple[int, ...]
    index_map: tuple[int, ...]
    batching: tuple[int, ...]
    indices_batching: tuple[int, ...]
    mode: GatherScatterMode
    is_sorted: bool
    is_unique: bool

    @classmethod
    def of(cls, function: str, dims: Any, kind: Any, mode: Any, promises: Any) -> _Windows:
        if not isinstance(dims, kind):
            raise TypeError(
                f"{function}: dimension_numbers is {dims!r}; it must be a lax.{kind.__name__}"
            )
        numbers = (ints_of(axes, function) for axes in dims)
        offsets, collapsed, index_map, batching, beside = numbers
        try:
            found = GatherScatterMode.from_any(mode)
        except ValueError as error:
            raise ValueError(f"{function}: {error}") from None
        is_sorted, is_unique = map(bool, promises)
        return cls(offsets, collapsed, index_map, batching, beside, found, is_sorted, is_unique)

    def dims(self, made: Any, indices: Tracer) -> Any:
        """The dimension numbers of the op."""
        return made(
            self.offsets, self.collapsed, self.batching, self.indices_batching, self.index_map,
            indices.ndim - 1,
        )  # fmt: skip

    def room(self, x: Tracer, sizes: Sequence[int]) -> np.ndarray[Any, Any]:
        """The last start along each indexed axis whose window lies within x."""
        return np.array([x.shape[a] - sizes[a] for a in self.index_map], np.int64)


def _index_vectors(function: str, x: Any, windows: _Windows) -> Tracer:
    """Indices of at least 32 bits, so that they can be compared with all sizes."""
    found = as_tracer(x, function)
    if integer_limits(found.dtype) is None:
        raise TypeError(f"{function}: the indices are {found.aval}; they must be integers")
    if found.ndim == 0 or found.shape[-1] != len(windows.index_map):
        raise TypeError(
            f"{function}: the indices are {found.aval}; their last axis must have "
            f"{len(windows.index_map)} numbers, one for each of the indexed axes "
            f"{list(windows.index_map)}"
        )
    return found if found.dtype.itemsize >= 4 else convert(found, np.dtype(np.int32))


def _bounds(indices: Tracer, room: np.ndarray[Any, Any]) -> Tracer:
    """The largest starts, in the dtype of the indices."""
    held = np.minimum(room, np.iinfo(indices.dtype).max).astype(indices.dtype)
    return as_tracer(anp.broadcast_to(anp.asarray(held), indices.shape))


# -- gather ----------------------------------------------------------------------------------------


@hiding_frames
def gather(
    operand: Any, start_indices: Any, dimension_numbers: GatherDimensionNumbers,
    slice_sizes: Sequence[int], *, unique_indices: bool = False, indices_are_sorted: bool = False,
    mode: str | GatherScatterMode | None = None, fill_value: Any = None,
) -> Any:  # fmt: skip
    """Take a window of an array for each index vector.

    Parameters
    ----------
    operand : array
    start_indices : array of integers
        The starts of the windows; its last axis is that of the index vectors.
    dimension_numbers : GatherDimensionNumbers
    slice_sizes : sequence of int
        The size of a window along each axis of the operand.
    unique_indices, indices_are_sorted : bool
        Promises about the indices.
    mode : GatherScatterMode, str or None
        Windows that are not within the operand: "clip", also None, moves them inside; "fill" gives
        `fill_value` in their place; "promise_in_bounds" says that there are none.
    fill_value : number, optional
        By default NaN, the least signed or the largest unsigned integer, or True.

    Returns
    -------
    Array of the dtype of the operand; linear in it.

    Raises
    ------
    TypeError
        Dimension numbers, indices and sizes that do not fit.
    ValueError
        Another mode.

    Examples
    --------
    >>> import anvl.numpy as np
    >>> from anvl import lax
    >>> x, rows = np.arange(6.0).reshape(3, 2), np.asarray([[2], [0], [7]])
    >>> dims = lax.GatherDimensionNumbers((1,), (0,), (0,))
    >>> print(lax.gather(x, rows, dims, (1, 2), mode="fill"))
    [[ 4.  5.]
     [ 0.  1.]
     [nan nan]]
    """
    promises = (indices_are_sorted, unique_indices)
    how = GatherScatterMode.CLIP if mode is None else mode
    windows = _Windows.of("gather", dimension_numbers, GatherDimensionNumbers, how, promises)
    sizes = ints_of(slice_sizes, "gather")
    return _gather(operand, start_indices, fill_value, windows, sizes)


@public("windows", "sizes")
def _gather(
    operand: Any, indices: Any, fill_value: Any, windows: _Windows, sizes: tuple[int, ...]
) -> Any:
    x = as_tracer(operand, "gather")
    at = _index_vectors("gather", indices, windows)
    found = prim(
        "gather", x, at, dimension_numbers=windows.dims(GatherDims, at), slice_sizes=sizes,
        indices_are_sorted=windows.is_sorted,
    )  # fmt: skip
    if windows.mode is GatherScatterMode.FILL_OR_DROP and windows.index_map:
        last = _bounds(at, windows.room(x, sizes))
        is_inside = anp.all((at >= 0) & (at <= last), axis=-1)
        rest = [a for a in range(found.ndim) if a not in windows.offsets]
        is_inside = prim(
            "broadcast_in_dim", is_inside, shape=found.shape, broadcast_dimensions=tuple(rest)
        )
        filler = _default_filler(x.dtype) if fill_value is None else fill_value
        found = anp.where(is_inside, found, fitted(filler, x.dtype, "gather"))
    return mark_weak(found, x.weak_type)


def _default_filler(dtype: np.dtype[Any]) -> Any:
    if dtype.kind == "b":
        return True
    if limits := integer_limits(dtype):
        return limits[0] or limits[1]  # the largest of unsigned ones
    return float("nan")


@hiding_frames
def index_take(src: Any, idxs: Sequence[Any], axes: Sequence[int]) -> Any:
    """Take the elements at vectors of indices, one for each of some axes.

    Indices are counted cyclically.  The result has the positions of the vectors first, then the
    other axes.  Raises `TypeError` if the numbers of vectors and axes differ.

    >>> import anvl.numpy as np
    >>> from anvl import lax
    >>> x = np.arange(6).reshape(2, 3)
    >>> print(lax.index_take(x, (np.asarray([0, 1]), np.asarray([2, -1])), (0, 1)))
    [2 5]
    """
    x = anp.asarray(src)
    places = [axis_of(a, x.ndim, "index_take") for a in axes]
    if len(idxs) != len(places) or not places:
        raise TypeError(
            f"index_take: there are {len(idxs)} vectors of indices for {len(places)} axes; give "
            "one for each"
        )
    at = [anp.remainder(i, x.shape[a]) for i, a in zip(idxs, places, strict=True)]
    dims = GatherDimensionNumbers(
        tuple(range(1, x.ndim - len(places) + 1)), tuple(sorted(places)), tuple(places)
    )
    sizes = [1 if a in places else n for a, n in enumerate(x.shape)]
    return gather(x, anp.stack(at, 1), dims, sizes, mode="promise_in_bounds")


# -- scatter ---------------------------------------------------------------------------------------


class _Scatter(Protocol):
    """A function such as `scatter_add`."""

    def __call__(
        self, operand: Any, scatter_indices: Any, updates: Any,
        dimension_numbers: ScatterDimensionNumbers, *, indices_are_sorted: bool = False,
        unique_indices: bool = False, mode: str | GatherScatterMode | None = None,
    ) -> Any: ...  # fmt: skip


def _scattering(name: str, op: str, how: str, example: str) -> _Scatter:
    @hiding_frames
    def scattered(
        operand: Any, scatter_indices: Any, updates: Any,
        dimension_numbers: ScatterDimensionNumbers, *, indices_are_sorted: bool = False,
        unique_indices: bool = False, mode: str | GatherScatterMode | None = None,
    ) -> Any:  # fmt: skip
        promises = (indices_are_sorted, unique_indices)
        windows = _Windows.of(name, dimension_numbers, ScatterDimensionNumbers, mode, promises)
        return _scatter(operand, scatter_indices, updates, name, op, windows)

    scattered.__name__ = scattered.__qualname__ = name
    scattered.__doc__ = f"{how}{_SCATTER_DOC}{example}\n"
    return scattered


_SCATTER_DOC = """ of an array at an index vector.

Parameters
----------
operand : array
scatter_indices : array of integers
    The starts of the windows; its last axis is that of the index vectors.
updates : array
    The windows.
dimension_numbers : ScatterDimensionNumbers
indices_are_sorted, unique_indices : bool
    Promises about the indices.
mode : GatherScatterMode, str or None
    Windows that are not within the operand: "drop", also None, skips them; "clip" moves them
    inside; "promise_in_bounds" says that there are none.

Returns
-------
Array of the shape of the operand, in the dtype that it and the updates promote to.

Raises
------
TypeError
    Dimension numbers, indices and updates that do not fit.
ValueError
    Another mode.

Examples
--------
>>> import anvl.numpy as np
>>> from anvl import lax
>>> dims = lax.ScatterDimensionNumbers((), (0,), (0,))
"""


def _newer(_: Any, new: Any) -> Any:
    return new


@public("name", "op", "windows")
def _scatter(
    operand: Any, indices: Any, updates: Any, name: str, op: str, windows: _Windows
) -> Any:
    (x, new), weak = promoted(name, (operand, updates), broadcast=False)
    if op == "sub":
        new, op = prim("neg", new), "add"
    body = OPS[f"anvl.{op}"].build if op else _newer
    return mark_weak(_emitted(name, x, indices, new, body, windows), weak)


def _emitted(
    name: str, x: Tracer, indices: Any, updates: Tracer, body: Any, windows: _Windows
) -> Tracer:
    at = _index_vectors(name, indices, windows)
    if windows.mode is GatherScatterMode.CLIP and windows.index_map:
        sizes = _window_sizes(name, x, updates, windows)
        at = anp.minimum(
            anp.maximum(at, constant(0, at.dtype)), _bounds(at, windows.room(x, sizes))
        )
    found: Sequence[Tracer] = prim(
        "scatter", x, at, updates, scatter_dimension_numbers=windows.dims(ScatterDims, at),
        indices_are_sorted=windows.is_sorted, unique_indices=windows.is_unique,
        update_computation=body,
    )  # fmt: skip
    return found[0]


def _window_sizes(name: str, x: Tracer, updates: Tracer, windows: _Windows) -> list[int]:
    """The size of the windows of updates along each axis of x."""
    free = [a for a in range(x.ndim) if a not in (*windows.collapsed, *windows.batching)]
    given = [a for a in windows.offsets if 0 <= a < updates.ndim]
    if len(free) != len(windows.offsets) or len(given) != len(free):
        raise TypeError(
            f"{name}: update_window_dims {list(windows.offsets)} of the updates {updates.aval} "
            f"must name one axis for each of the axes {free} of the operand {x.aval}"
        )
    sizes = [1] * x.ndim
    for axis, of_updates in zip(free, given, strict=True):
        sizes[axis] = updates.shape[of_updates]
    return sizes


_AT = "np.asarray([[2], [0], [7]])"
scatter: _Scatter = _scattering(
    "scatter", "", "Replace a window",
    f">>> print(lax.scatter(np.zeros(3), {_AT}, np.asarray([5.0, 6.0, 7.0]), dims))\n[6. 0. 5.]",
)  # fmt: skip
scatter_add: _Scatter = _scattering(
    "scatter_add", "add", "Add to a window",
    f">>> print(lax.scatter_add(np.ones(3), {_AT}, np.asarray([5.0, 6.0, 7.0]), dims))\n[7. 1. 6.]",
)  # fmt: skip
scatter_sub: _Scatter = _scattering(
    "scatter_sub", "sub", "Subtract from a window",
    f">>> print(lax.scatter_sub(np.ones(3), {_AT}, np.asarray([5.0, 6.0, 7.0]), dims))\n"
    "[-5.  1. -4.]",
)  # fmt: skip
scatter_mul: _Scatter = _scattering(
    "scatter_mul", "mul", "Multiply a window",
    f">>> print(lax.scatter_mul(np.ones(3), {_AT}, np.asarray([5.0, 6.0, 7.0]), dims))\n[6. 1. 5.]",
)  # fmt: skip
scatter_min: _Scatter = _scattering(
    "scatter_min", "minimum", "Take the smaller of each element and its update in a window",
    f">>> print(lax.scatter_min(np.ones(3), {_AT}, np.asarray([0.0, 6.0, 7.0]), dims))\n[1. 1. 0.]",
)  # fmt: skip
scatter_max: _Scatter = _scattering(
    "scatter_max", "maximum", "Take the larger of each element and its update in a window",
    f">>> print(lax.scatter_max(np.ones(3), {_AT}, np.asarray([0.0, 6.0, 7.0]), dims))\n[6. 1. 1.]",
)  # fmt: skip


@hiding_frames
def scatter_apply(
    operand: Any, scatter_indices: Any, func: Callable[[Any], Any],
    dimension_numbers: ScatterDimensionNumbers, *, update_shape: Sequence[int] = (),
    indices_are_sorted: bool = False, unique_indices: bool = False,
    mode: str | GatherScatterMode | None = None,
) -> Any:  # fmt: skip
    """Apply a function to the elements of the windows of an array, once for each index vector.

    Parameters
    ----------
    operand : array
    scatter_indices : array of integers
        The starts of the windows; its last axis is that of the index vectors.
    func : callable
        A function of a scalar.
    dimension_numbers : ScatterDimensionNumbers
    update_shape : sequence of int
        The shape that updates would have: the axes of the index vectors and of the windows.
    indices_are_sorted, unique_indices : bool
        Promises about the indices.
    mode : GatherScatterMode, str or None
        As in `scatter`.

    Returns
    -------
    Array of the shape and dtype of the operand.

    Raises
    ------
    TypeError, ValueError
        As `scatter`; `TypeError` for a function that does not return such a scalar.

    Examples
    --------
    >>> import anvl.numpy as np
    >>> from anvl import lax
    >>> dims = lax.ScatterDimensionNumbers((), (0,), (0,))
    >>> x, at = np.asarray([1.0, 2.0, 3.0]), np.asarray([[2], [0]])
    >>> print(lax.scatter_apply(x, at, np.square, dims, update_shape=(2,), unique_indices=True))
    [1. 2. 9.]
    """
    name, promises = "scatter_apply", (indices_are_sorted, unique_indices)
    windows = _Windows.of(name, dimension_numbers, ScatterDimensionNumbers, mode, promises)
    return _scatter_apply(operand, scatter_indices, func, ints_of(update_shape, name), windows)


@public("func", "shape", "windows")
def _scatter_apply(
    operand: Any, indices: Any, func: Callable[[Any], Any], shape: tuple[int, ...],
    windows: _Windows,
) -> Any:  # fmt: skip
    x = as_tracer(operand, "scatter_apply")
    body = with_bodies(OPS["stablehlo.scatter"], {"update_computation": lambda old, _: func(old)})
    updates = constant(0, x.dtype, shape)
    found = _emitted("scatter_apply", x, indices, updates, body["update_computation"], windows)
    return mark_weak(found, x.weak_type)
