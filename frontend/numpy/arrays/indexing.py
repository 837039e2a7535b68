"""Reading by an index: `x[1, 2:5, ..., None, rows]`, `take` and `take_along_axis`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

from anvl.core.promote import abstract, as_tracer, broadcast_shapes, broadcast_to, constant
from anvl.core.ranges import integer_limits
from anvl.core.trace_state import current
from anvl.core.tracer import Tracer
from anvl.dialect.core.params.index_params import GatherDims
from anvl.dispatch.eager import public
from anvl.numpy.arrays.axes import axis_of
from anvl.numpy.arrays.indices import (
    ANYWHERE,
    Index,
    PicksNothing,
    Range,
    Spans,
    in_window,
    parsed,
    positions,
    window_of,
)
from anvl.numpy.arrays.shaping import expand_dims, ravel
from anvl.numpy.functions.emitting import prim
from anvl.runtime import Array, hiding_frames, put

__all__ = ["take", "take_along_axis"]


@hiding_frames
def getitem(x: Any, index: Any) -> Any:
    """Read x[index] with NumPy's rules: integers, slices, `...`, None, arrays of integers, masks.

    Negative indices count from the end.  Out-of-range Python integers and NumPy indices raise
    `IndexError`; out-of-range indices on the device, or traced ones, are clamped.
    Raises `TraceError` for a traced mask, as the shape of the result would depend on its values.

    >>> import anvl.numpy as np
    >>> x = np.arange(12).reshape(3, 4)
    >>> x[np.asarray([2, 0, -1]), 1:3]
    Array([[ 9, 10],
           [ 1,  2],
           [ 9, 10]], dtype=int32)
    """
    key = _static_key(x, index)
    if key is not None and (steps := _steps_of.get(key)):
        for name, params in steps:
            x = prim(name, x, **params)
        return x
    try:
        arrays, static = parsed(x, index)
    except PicksNothing:
        if type(x) is Array:
            return _masked(x, index)
        raise
    if static.masked and type(x) is Array and x.aval.placement.client.platform == "cpu":
        return _masked(x, index)
    if key is not None:
        if len(_steps_of) >= _MOST_KNOWN:
            _steps_of.clear()
        _steps_of[key] = _steps(x.shape, static, static.shape(()))
    return _read(x, arrays, static)


# What reading by integers and slices emits, by the shape and the index: to read the index again
# takes twice as long as to emit its one op.
_Steps: TypeAlias = list[tuple[str, dict[str, Any]]]
_steps_of: dict[Any, _Steps] = {}
_MOST_KNOWN = 4096
_STATIC = frozenset((int, type(None), type(...)))


def _static_key(x: Any, index: Any) -> Any:
    """A key of a read of a traced array by Python's integers and slices; None for other reads."""
    if type(x) is not Tracer or x.owner is not current.trace:
        return None
    key: list[Any] = [x.aval.shape]
    for item in index if type(index) is tuple else (index,):
        if type(item) is slice:
            parts: Any = (item.start, item.stop, item.step)
            key.append(parts)
        else:
            parts = (item,)
            key += parts
        for part in parts:
            if type(part) not in _STATIC:  # True == 1, and so is an array of it
                return None
    return tuple(key)


def _masked(x: Array, index: Any) -> Any:
    """Read by a mask on the host: each number of elements would be another program."""
    items = index if isinstance(index, tuple) else (index,)
    known = tuple(i.numpy() if isinstance(i, Array) else i for i in items)
    return put(x.numpy()[known], x.aval.placement.whole)


def _read(x: Any, arrays: tuple[Any, ...], index: Index) -> Any:
    window = window_of(x, index)
    if window is None:
        return _getitem(x, arrays, index)
    return _getitem_in(x, window.starts, arrays, window.spans, window.rest)


@public("index")
def _getitem(x: Any, arrays: tuple[Any, ...], index: Index) -> Any:
    return index_tracer(as_tracer(x, "getitem"), arrays, index)


@public("spans", "index")
def _getitem_in(
    x: Any, starts: tuple[Any, ...], arrays: tuple[Any, ...], spans: Spans, index: Index
) -> Any:
    return index_tracer(in_window(x, starts, spans), arrays, index)


def index_tracer(operand: Tracer, arrays: tuple[Any, ...], index: Index) -> Any:
    """Read a tracer by an index in its parts: the arrays and the rest."""
    if not arrays:
        return _sliced(operand, index, index.shape(()))
    at, broadcast, _ = positions(arrays, index.marks, operand)
    shape = index.shape(broadcast)
    if 0 in shape:
        return constant(0, operand.dtype, shape)
    sliced = _sliced(operand, index, _sizes(operand, index))
    whole = Index(tuple(i for i in index.items if not isinstance(i, int)), index.separated)
    first = index.first(new_axes=False)
    axes = list(whole.marks)
    places = [at[a] for a in index.marks]
    if broadcast == ():
        found = _one_window(sliced, dict(zip(axes, places, strict=True)))
    else:
        found = _windows(sliced, axes, places, broadcast, first)
    return found if found.shape == shape else prim("reshape", found, shape=shape)


def _sizes(x: Tracer, index: Index) -> tuple[int, ...]:
    """Shape after slicing: indexed axes are whole, axes of integers are dropped."""
    pairs = zip(index.of_axes, x.shape, strict=True)
    return tuple(i.size if isinstance(i, Range) else n for i, n in pairs if not isinstance(i, int))


def _sliced(x: Tracer, index: Index, shape: tuple[int, ...]) -> Tracer:
    """Apply the ranges and integers of an index; the result has this shape."""
    for name, params in _steps(x.shape, index, shape):
        x = prim(name, x, **params)
    return x


def _steps(of: tuple[int, ...], index: Index, shape: tuple[int, ...]) -> _Steps:
    """Ops that apply the ranges and integers of an index, with their parameters."""
    starts, limits, strides, flipped = [], [], [], []
    for axis, item in enumerate(index.of_axes):
        one = Range(item, 1, 1) if isinstance(item, int) else item
        start, count, step = one if isinstance(one, Range) else (0, of[axis], 1)
        if step < 0:
            start, step = start + (count - 1) * step if count else 0, -step
            flipped.append(axis)
        starts.append(start)
        limits.append(start + (count - 1) * step + 1 if count else start)
        strides.append(step)
    steps: _Steps = []
    sizes = of
    if (starts, limits, strides) != ([0] * len(of), list(of), [1] * len(of)):
        edges = {"start_indices": tuple(starts), "limit_indices": tuple(limits)}
        steps.append(("slice", edges | {"strides": tuple(strides)}))
        bounds = zip(starts, limits, strides, strict=True)
        sizes = tuple([len(range(*bound)) for bound in bounds])
    if flipped:
        steps.append(("reverse", {"dimensions": tuple(flipped)}))
    if sizes != shape:
        steps.append(("reshape", {"shape": shape}))
    return steps


def _one_window(x: Tracer, at: dict[int, Tracer]) -> Tracer:
    """One slice of size 1 along each of some axes, which are kept."""
    zero = constant(0, next(iter(at.values())).dtype)
    starts = [at.get(a, zero) for a in range(x.ndim)]
    sizes = tuple(1 if a in at else n for a, n in enumerate(x.shape))
    return prim("dynamic_slice", x, *starts, slice_sizes=sizes)


def _windows(
    x: Tracer, axes: Sequence[int], places: Sequence[Tracer], shape: tuple[int, ...], first: int
) -> Tracer:
    """Slices of x at several positions along axes; the axes of the positions come at `first`."""
    n_kept, n_new = x.ndim - len(axes), len(shape)
    dims = GatherDims(
        offset_dims=tuple(a if a < first else a + n_new for a in range(n_kept)),
        collapsed_slice_dims=tuple(axes),
        start_index_map=tuple(axes),
        index_vector_dim=n_new,
    )
    sizes = tuple(1 if a in axes else n for a, n in enumerate(x.shape))
    vectors = index_vectors([broadcast_to(p, shape) for p in places])
    return prim("gather", x, vectors, dimension_numbers=dims, slice_sizes=sizes)


def index_vectors(components: Sequence[Tracer]) -> Tracer:
    """Stack arrays of one shape as the components of vectors, along a new last axis."""
    parts = [prim("reshape", c, shape=(*c.shape, 1)) for c in components]
    if len(parts) == 1:
        return parts[0]
    return prim("concatenate", *parts, dimension=parts[0].ndim - 1)


def take(x: Any, indices: Any, axis: int | None = None) -> Any:
    """Take elements along an axis; from the flattened array if it is None.

    Equivalent to `x[indices]` along that axis, also for out-of-range indices.

    >>> import anvl.numpy as np
    >>> np.take(np.asarray([5, 6, 7]), np.asarray([2, 0, -1]))
    Array([7, 5, 7], dtype=int32)
    """
    if indices is None or isinstance(indices, slice | type(...)):
        raise TypeError(f"take: takes integers or an array of them, got {indices!r}")
    if axis is None:
        return getitem(ravel(x), (indices,))
    before = axis_of(axis, abstract(x, "take").ndim, "take")
    return getitem(x, (*[slice(None)] * before, indices))


def clipped(x: Tracer, at: Any) -> Tracer:
    """Rows of x at positions along the first axis; those out of bounds are the nearest.

    Without a look for negative ones, which count from the end for `take`.
    """
    windows = tuple(range(at.ndim, at.ndim + x.ndim - 1))
    return prim(
        "gather",
        x,
        expand_dims(at, -1),
        dimension_numbers=GatherDims(windows, (0,), (), (), (0,), at.ndim),
        slice_sizes=(1, *x.shape[1:]),
    )


@public("axis")
def take_along_axis(x: Any, indices: Any, axis: int | None = -1) -> Any:
    """Take elements along an axis by indices that vary along the other axes.

    The other axes of x and of `indices` broadcast; None flattens x first.  Negative indices count
    from the end; out-of-range ones are clamped.

    >>> import anvl.numpy as np
    >>> x = np.asarray([[3, 1], [2, 5]])
    >>> np.take_along_axis(x, np.argmax(x, axis=1).reshape(2, 1), axis=1)
    Array([[3],
           [5]], dtype=int32)
    """
    operand, at = as_tracer(x, "take_along_axis"), as_tracer(indices, "take_along_axis")
    if axis is None:
        operand, axis = ravel(operand), 0
    if integer_limits(at.dtype) is None:
        raise TypeError(f"take_along_axis: indices are {at.aval}; they must be integers")
    if at.ndim != operand.ndim:
        raise ValueError(
            f"take_along_axis: {operand.aval} and indices {at.aval} must have as many axes"
        )
    along = axis_of(axis, operand.ndim, "take_along_axis")

    def sizes(x: Tracer, size: int) -> tuple[int, ...]:
        return (*x.shape[:along], size, *x.shape[along + 1 :])

    common = [sizes(v, 1) for v in (operand, at)]
    others = broadcast_shapes(*common, function="take_along_axis")
    shape = (*others[:along], at.shape[along], *others[along + 1 :])
    if 0 in shape:
        return constant(0, operand.dtype, shape)
    found, _, _ = positions([at], {along: ANYWHERE}, operand)
    whole = broadcast_to(operand, (*others[:along], operand.shape[along], *others[along + 1 :]))
    batching = tuple(a for a in range(operand.ndim) if a != along)
    dims = GatherDims((), (along,), batching, batching, (along,), operand.ndim)
    return prim(
        "gather", whole, broadcast_to(found[along], shape), dimension_numbers=dims,
        slice_sizes=(1,) * operand.ndim,
    )  # fmt: skip
