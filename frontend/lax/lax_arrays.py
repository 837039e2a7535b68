"""Shapes, slices, reductions and products with the names and the argument order of `jax.lax`."""

from __future__ import annotations

import builtins
import operator
from collections.abc import Callable, Sequence
from typing import Any, Protocol

import numpy as np

import anvl.numpy as anp
from anvl.control_flow.reduce import reduce as _reduce
from anvl.core.promote import abstract, as_tracer, promoted
from anvl.core.ranges import integer_limits
from anvl.dialect.core.types import numpy_dtype
from anvl.dispatch.eager import public
from anvl.numpy.arrays.axes import int_of, ints_of
from anvl.numpy.functions.elementwise import mark_weak
from anvl.numpy.functions.emitting import prim
from anvl.runtime import hiding_frames

__all__ = [
    "argmax", "argmin", "broadcast", "broadcast_in_dim", "broadcasted_iota",
    "concatenate", "convert_element_type", "cumlogsumexp", "cummax", "cummin", "cumprod", "cumsum",
    "dynamic_index_in_dim", "dynamic_slice", "dynamic_slice_in_dim",
    "dynamic_update_index_in_dim", "dynamic_update_slice", "dynamic_update_slice_in_dim",
    "expand_dims", "index_in_dim", "iota", "pad", "reduce", "reshape", "rev", "select", "slice",
    "slice_in_dim", "sort", "split", "squeeze", "transpose",
]  # fmt: skip


def _axis(function: str, axis: Any, rank: int) -> int:
    found = operator.index(axis)
    if not -rank <= found < rank:
        raise ValueError(f"{function}: axis {found} is outside of the {rank} axes of the operand")
    return found % rank


# -- shapes ----------------------------------------------------------------------------------------


@hiding_frames
def concatenate(operands: Sequence[Any], dimension: int) -> Any:
    """Join arrays along the axis `dimension`; `anvl.numpy.concatenate` says more.

    >>> from anvl import lax
    >>> print(lax.concatenate([lax.iota("i32", 2), lax.iota("i32", 3)], 0))
    [0 1 0 1 2]
    """
    return anp.concatenate(operands, axis=dimension)


@hiding_frames
def expand_dims(array: Any, dimensions: Sequence[int]) -> Any:
    """Insert axes of size 1 at these positions of the result."""
    return anp.expand_dims(array, tuple(dimensions))


@hiding_frames
def squeeze(array: Any, dimensions: Sequence[int]) -> Any:
    """Remove these axes, which are of size 1."""
    return anp.squeeze(array, tuple(dimensions))


@hiding_frames
def reshape(operand: Any, new_sizes: Sequence[int]) -> Any:
    """Arrange the elements of an array in another shape."""
    return anp.reshape(operand, new_sizes)


@hiding_frames
def transpose(operand: Any, permutation: Sequence[int]) -> Any:
    """Permute the axes: axis i of the result is axis `permutation[i]` of the operand."""
    return anp.permute_dims(operand, permutation)


@hiding_frames
def rev(operand: Any, dimensions: Sequence[int]) -> Any:
    """Reverse the order of the elements along these axes."""
    return anp.flip(operand, tuple(dimensions))


@public("sizes")
def broadcast(operand: Any, sizes: Sequence[int]) -> Any:
    """Repeat an array along new leading axes of these sizes."""
    x = as_tracer(operand, "broadcast")
    return anp.broadcast_to(x, (*ints_of(sizes, "broadcast"), *x.shape))


@public("shape", "broadcast_dimensions")
def broadcast_in_dim(
    operand: Any, shape: Sequence[int], broadcast_dimensions: Sequence[int]
) -> Any:
    """Broadcast to a shape: axis i of the operand becomes axis `broadcast_dimensions[i]`.

    Raises `TypeError` for sizes that do not fit.  Source: StableHLO, `broadcast_in_dim`.

    >>> from anvl import lax
    >>> print(lax.broadcast_in_dim(lax.iota("i32", 2), (2, 3), (0,)))
    [[0 0 0]
     [1 1 1]]
    """
    name = "broadcast_in_dim"
    x = as_tracer(operand, name)
    sizes, axes = ints_of(shape, name), ints_of(broadcast_dimensions, name)
    return mark_weak(prim(name, x, shape=sizes, broadcast_dimensions=axes), x.weak_type)


@hiding_frames
def iota(dtype: Any, size: int) -> Any:
    """Make the numbers 0, 1, ..., size - 1 of a dtype."""
    return anp.arange(size, dtype=dtype)


@hiding_frames
def broadcasted_iota(dtype: Any, shape: Sequence[int], dimension: int) -> Any:
    """Make an array whose elements are their positions along the axis `dimension`.

    >>> from anvl import lax
    >>> print(lax.broadcasted_iota("i32", (2, 3), 1))
    [[0 1 2]
     [0 1 2]]
    """
    axis = _axis("broadcasted_iota", dimension, len(shape))
    return broadcast_in_dim(iota(dtype, shape[axis]), tuple(shape), (axis,))


@hiding_frames
def convert_element_type(operand: Any, new_dtype: Any) -> Any:
    """Convert the elements of an array to a dtype."""
    return anp.astype(anp.asarray(operand), new_dtype)


@hiding_frames
def select(pred: Any, on_true: Any, on_false: Any) -> Any:
    """Choose elements of `on_true` where `pred` holds, else of `on_false`."""
    return anp.where(pred, on_true, on_false)


@public("padding_config")
def pad(operand: Any, padding_value: Any, padding_config: Sequence[tuple[int, int, int]]) -> Any:
    """Pad with a value: (low, high, interior) for each axis; negative numbers cut off.

    >>> from anvl import lax
    >>> print(lax.pad(lax.iota("i32", 3), 9, [(1, -1, 1)]))
    [9 0 9 1 9]
    """
    x = as_tracer(operand, "pad")
    value = anp.astype(as_tracer(padding_value, "pad"), x.dtype)
    config = [ints_of(each, "pad") for each in padding_config]
    if len(config) != x.ndim or any(len(each) != 3 for each in config):
        raise ValueError(
            f"pad: padding_config is {padding_config!r}; it must be (low, high, interior) for each "
            f"of {x.ndim} axes"
        )
    low, high, inner = zip(*config, strict=True) if config else ((), (), ())
    params = {"edge_padding_low": low, "edge_padding_high": high, "interior_padding": inner}
    return mark_weak(prim("pad", x, value, **params), x.weak_type)


# -- slices ----------------------------------------------------------------------------------------


@hiding_frames
def slice(
    operand: Any,
    start_indices: Sequence[int],
    limit_indices: Sequence[int],
    strides: Sequence[int] | None = None,
) -> Any:
    """Take the elements from `start_indices` to before `limit_indices`, in steps of `strides`.

    Raises `TypeError` for indices that are not 0 <= start <= limit <= size along each axis.
    """
    x = anp.asarray(operand)
    starts, limits = ints_of(start_indices, "slice"), ints_of(limit_indices, "slice")
    steps = (1,) * len(starts) if strides is None else ints_of(strides, "slice")
    if not len(starts) == len(limits) == len(steps) == x.ndim:
        raise TypeError(
            f"slice: takes a start, a limit and a stride for each axis of {abstract(x)}, got "
            f"{starts}, {limits}, {steps}"
        )
    ranges = [*zip(starts, limits, steps, strict=True)]
    for each, size in zip(ranges, x.shape, strict=True):
        _check_range("slice", *each, size)
    return x[tuple(builtins.slice(*each) for each in ranges)]


def _check_range(name: str, start: int, limit: int, stride: int, size: int) -> None:
    if not 0 <= start <= limit <= size:
        raise TypeError(
            f"{name}: start {start} and limit {limit} of an axis of size {size}; they must be "
            "0 <= start <= limit <= size"
        )
    if stride < 1:
        raise TypeError(f"{name}: stride is {stride}; it must be at least 1")


@hiding_frames
def slice_in_dim(
    operand: Any, start_index: int | None, limit_index: int | None, stride: int = 1, axis: int = 0
) -> Any:
    """Take the elements from `start_index` to before `limit_index` along one axis.

    Negative indices count from the end.  Raises `TypeError` for a limit before the start or beyond
    the end.
    """
    x = anp.asarray(operand)
    place = _axis("slice_in_dim", axis, x.ndim)
    size, step = x.shape[place], int_of(stride, "stride", "slice_in_dim")
    start, limit = (
        default if i is None else int_of(i, what, "slice_in_dim")
        for i, what, default in (
            (start_index, "start_index", 0),
            (limit_index, "limit_index", size),
        )
    )
    start, limit = (i + size if i < 0 else i for i in (start, limit))
    _check_range("slice_in_dim", start, limit, step, size)
    return x[(*(builtins.slice(None),) * place, builtins.slice(start, limit, step))]


@hiding_frames
def index_in_dim(operand: Any, index: int, axis: int = 0, keepdims: bool = True) -> Any:
    """Take the elements at one index along an axis, which stays as one of size 1 by default."""
    x = anp.asarray(operand)
    place = _axis("index_in_dim", axis, x.ndim)
    found = anp.take(x, _axis("index_in_dim: index:", index, x.shape[place]), axis=place)
    return anp.expand_dims(found, place) if keepdims else found


def _typed(starts: Any) -> Any:
    """Starts with a dtype: a call outside of `jit` gives numbers that of the operand."""
    if isinstance(starts, Sequence):
        return tuple(np.asarray(s, _index_dtype(s)) if type(s) is int else s for s in starts)
    return starts


def _index_dtype(start: int) -> type[np.integer[Any]]:
    return np.int32 if -(2**31) <= start < 2**31 else np.int64


def _starts(function: str, x: Any, starts: Any) -> list[Any]:
    """The start along each axis, counted from the end where negative."""
    each = list(starts)
    if len(each) != x.ndim:
        raise TypeError(f"{function}: takes one start for each axis of {x.aval}, got {len(each)}")
    tracers, _ = promoted(function, [*each, anp.asarray(0, "i32")], broadcast=False)
    return [
        anp.where(s < 0, s + s.dtype.type(size), s)
        for s, size in zip(tracers[:-1], x.shape, strict=True)
    ]


@hiding_frames
def dynamic_slice(operand: Any, start_indices: Any, slice_sizes: Sequence[int]) -> Any:
    """Take a window of `slice_sizes` that begins at indices which may be traced.

    A window that would reach beyond an end is moved inside; negative starts count from the end.
    Source: StableHLO, `dynamic_slice`.

    >>> from anvl import lax
    >>> print(lax.dynamic_slice(lax.iota("i32", 5), (4,), (2,)))
    [3 4]
    """
    return _dynamic_slice(operand, _typed(start_indices), ints_of(slice_sizes, "dynamic_slice"))


@public("slice_sizes")
def _dynamic_slice(operand: Any, start_indices: Any, slice_sizes: tuple[int, ...]) -> Any:
    x = as_tracer(operand, "dynamic_slice")
    starts = _starts("dynamic_slice", x, start_indices)
    return mark_weak(prim("dynamic_slice", x, *starts, slice_sizes=slice_sizes), x.weak_type)


@hiding_frames
def dynamic_update_slice(operand: Any, update: Any, start_indices: Any) -> Any:
    """Replace the window that begins at indices which may be traced by `update`.

    Windows are moved inside as in `dynamic_slice`.  Source: StableHLO, `dynamic_update_slice`.

    >>> from anvl import lax
    >>> print(lax.dynamic_update_slice(lax.iota("i32", 4), lax.iota("i32", 2), (1,)))
    [0 0 1 3]
    """
    return _dynamic_update_slice(operand, update, _typed(start_indices))


@public()
def _dynamic_update_slice(operand: Any, update: Any, start_indices: Any) -> Any:
    name = "dynamic_update_slice"
    (x, new), weak = promoted(name, (operand, update), broadcast=False)
    return mark_weak(prim(name, x, new, *_starts(name, x, start_indices)), weak)


def _at(x: Any, start: Any, axis: int) -> tuple[Any, ...]:
    return tuple(start if i == axis else 0 for i in range(x.ndim))


@hiding_frames
def dynamic_slice_in_dim(operand: Any, start_index: Any, slice_size: int, axis: int = 0) -> Any:
    """Take `slice_size` elements along one axis, as `dynamic_slice` does."""
    x = anp.asarray(operand)
    place = _axis("dynamic_slice_in_dim", axis, x.ndim)
    sizes = tuple(slice_size if i == place else n for i, n in enumerate(x.shape))
    return dynamic_slice(x, _at(x, start_index, place), sizes)


@hiding_frames
def dynamic_index_in_dim(operand: Any, index: Any, axis: int = 0, keepdims: bool = True) -> Any:
    """Take the elements at one index, which may be traced, along an axis."""
    found = dynamic_slice_in_dim(operand, index, 1, axis)
    return found if keepdims else anp.squeeze(found, axis)


@hiding_frames
def dynamic_update_slice_in_dim(operand: Any, update: Any, start_index: Any, axis: int) -> Any:
    """Replace elements along one axis, as `dynamic_update_slice` does."""
    x = anp.asarray(operand)
    starts = _at(x, start_index, _axis("dynamic_update_slice_in_dim", axis, x.ndim))
    return dynamic_update_slice(x, update, starts)


@hiding_frames
def dynamic_update_index_in_dim(operand: Any, update: Any, index: Any, axis: int) -> Any:
    """Replace the elements at one index along an axis; `update` may lack the axis."""
    x, new = anp.asarray(operand), anp.asarray(update)
    place = _axis("dynamic_update_index_in_dim", axis, x.ndim)
    if new.ndim != x.ndim:
        new = anp.expand_dims(new, place)
    return dynamic_update_slice_in_dim(x, new, index, place)


@hiding_frames
def split(operand: Any, sizes: Sequence[int], axis: int = 0) -> list[Any]:
    """Split an array into parts of these sizes along an axis; they add up to its size."""
    x = anp.asarray(operand)
    place = _axis("split", axis, x.ndim)
    if sum(sizes) != x.shape[place]:
        raise ValueError(
            f"split: the sizes {tuple(sizes)} add up to {sum(sizes)}, not to the {x.shape[place]} "
            f"elements along axis {place}"
        )
    ends = [sum(sizes[: i + 1]) for i in range(len(sizes))]
    return [slice_in_dim(x, end - n, end, axis=place) for n, end in zip(sizes, ends, strict=True)]


# -- along axes ------------------------------------------------------------------------------------


class _Cumulative(Protocol):
    """A function such as `cumsum`."""

    def __call__(self, operand: Any, axis: int = 0, reverse: bool = False) -> Any: ...


def _cumulative(op: str) -> _Cumulative:
    @public("axis", "reverse")
    def along(operand: Any, axis: int = 0, reverse: bool = False) -> Any:
        x = as_tracer(operand, op)
        result = prim(op, x, axis=_axis(op, axis, x.ndim), reverse=bool(reverse))
        return mark_weak(result, x.weak_type)

    along.__name__ = along.__qualname__ = op
    along.__doc__ = f"`{op}`: cumulative along one axis, from the end if `reverse`."
    return along


cumsum: _Cumulative = _cumulative("cumsum")
cumprod: _Cumulative = _cumulative("cumprod")
cummax: _Cumulative = _cumulative("cummax")
cummin: _Cumulative = _cumulative("cummin")
cumlogsumexp: _Cumulative = _cumulative("cumlogsumexp")


@hiding_frames
def sort(operand: Any, dimension: int = -1, is_stable: bool = True, num_keys: int = 1) -> Any:
    """Sort an array, or several arrays in the order of the first ones, along an axis.

    Parameters
    ----------
    operand : array, or list or tuple of arrays of one shape
    dimension : int
        The axis.
    is_stable : bool
        Equals keep their order either way.
    num_keys : int
        How many of the arrays decide the order: the second one where elements of the first are
        equal, and so on.

    Returns
    -------
    The array, or a tuple of the arrays, sorted.

    Raises
    ------
    TypeError
        No array.
    ValueError
        The shapes differ, or `num_keys` is not from 1 to the number of arrays.

    Examples
    --------
    >>> import anvl.numpy as np
    >>> from anvl import lax
    >>> keys, values = np.asarray([2, 1, 2]), np.asarray([5, 6, 4])
    >>> [x.tolist() for x in lax.sort((keys, values), num_keys=2)]
    [[1, 2, 2], [6, 4, 5]]
    """
    if not isinstance(operand, list | tuple):
        if num_keys != 1:
            raise ValueError(f"sort: num_keys is {num_keys} for one array; give a tuple of arrays")
        return anp.sort(operand, axis=dimension, stable=is_stable)
    arrays = [anp.asarray(x) for x in operand]
    if not arrays:
        raise TypeError("sort: there are no arrays; give at least one")
    if len({x.shape for x in arrays}) > 1:
        listed = ", ".join(str(x.aval) for x in arrays)
        raise ValueError(f"sort: the shapes of {listed} differ; give arrays of one shape")
    if not 1 <= operator.index(num_keys) <= len(arrays):
        raise ValueError(f"sort: num_keys is {num_keys}; it must be from 1 to {len(arrays)}")
    axis = _axis("sort", dimension, arrays[0].ndim)
    order = anp.lexsort(arrays[:num_keys][::-1], axis=axis)
    return tuple(anp.take_along_axis(x, order, axis) for x in arrays)


@hiding_frames
def argmax(operand: Any, axis: int, index_dtype: Any) -> Any:
    """Index of the first largest element along an axis, of the dtype `index_dtype`."""
    _check_index_dtype("argmax", index_dtype)
    return anp.astype(anp.argmax(operand, axis=operator.index(axis)), index_dtype)


@hiding_frames
def argmin(operand: Any, axis: int, index_dtype: Any) -> Any:
    """Index of the first smallest element along an axis, of the dtype `index_dtype`."""
    _check_index_dtype("argmin", index_dtype)
    return anp.astype(anp.argmin(operand, axis=operator.index(axis)), index_dtype)


def _check_index_dtype(name: str, dtype: Any) -> None:
    if integer_limits(numpy_dtype(dtype)) is None:
        raise TypeError(f"{name}: index_dtype is {dtype!r}; give integers, such as 'int32'")


@hiding_frames
def reduce(
    operands: Any,
    init_values: Any,
    computation: Callable[[Any, Any], Any],
    dimensions: Sequence[int],
) -> Any:
    """Combine the elements along axes with `computation(a, b)`; see `anvl.reduce`.

    >>> from anvl import lax
    >>> print(lax.reduce(lax.iota("i32", 4), 0, lax.add, (0,)))
    6
    """
    return _reduce(computation, operands, init_values, tuple(dimensions))
