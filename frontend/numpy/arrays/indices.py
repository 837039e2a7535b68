"""Normalized form of an index: `x[1, 2:5, ..., None, rows]` in terms of the axes of x."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, NoReturn

import numpy as np

from anvl.core.argument_arrays import scalar_array
from anvl.core.avals import Aval
from anvl.core.promote import abstract, as_tracer, broadcast_shapes, constant, convert
from anvl.core.ranges import integer_limits
from anvl.core.trace_state import current
from anvl.core.tracer import Tracer
from anvl.dialect.core.errors import TraceError
from anvl.numpy.arrays.stacking import stack
from anvl.numpy.functions.emitting import prim
from anvl.runtime import Array, Placement, ShardedPlacement

__all__ = [
    "ANYWHERE", "INSIDE", "Index", "PicksNothing", "Range", "Spans", "Window", "in_window",
    "parsed", "positions", "put_in_window", "window_of",
]  # fmt: skip

# Markers of index arrays: whether every index is known to be one of 0, 1, ..., size - 1.
INSIDE, ANYWHERE = "inside", "anywhere"

_LARGEST = np.iinfo(np.int32).max


class PicksNothing(IndexError):
    """The index is False, a mask without axes."""


class Range(NamedTuple):
    """The elements start, start + step, ... along an axis; start is 0 if there are none."""

    start: int
    size: int
    step: int

    def is_all(self, size: int) -> bool:
        """Whether these are all elements of an axis, in order."""
        return self == (0, size, 1)


class Index(NamedTuple):
    """An index without its arrays: the static part, on which the program depends.

    `items` has, for each axis, a Range, an int, or INSIDE or ANYWHERE for an array; and None for
    each new axis.  `separated` is true if other items stand between index arrays (or an array and
    an int), `masked` if a mask was given.
    """

    items: tuple[Any, ...]
    separated: bool
    masked: bool = False

    @property
    def of_axes(self) -> list[Any]:
        """The items without those for new axes."""
        return [item for item in self.items if item is not None]

    @property
    def marks(self) -> dict[int, str]:
        """Axes with an index array, and its marker."""
        return {a: item for a, item in enumerate(self.of_axes) if isinstance(item, str)}

    def first(self, *, new_axes: bool) -> int:
        """Number of result axes before those of the index arrays."""
        if self.separated:
            return 0
        count = 0
        for item in self.items:
            if isinstance(item, int | str):
                return count
            count += item is not None or new_axes
        return count

    def shape(self, broadcast: tuple[int, ...], *, new_axes: bool = True) -> tuple[int, ...]:
        """Shape of the result if all index arrays broadcast to shape `broadcast`."""
        sizes = [
            1 if item is None else item.size
            for item in self.items
            if isinstance(item, Range) or (item is None and new_axes)
        ]
        at = self.first(new_axes=new_axes)
        return (*sizes[:at], *broadcast, *sizes[at:])


# -- reading what was given ------------------------------------------------------------------------


def parsed(x: Any, index: Any) -> tuple[tuple[Any, ...], Index]:
    """Split an index of x into its arrays and its static part.

    Outside of a trace integers are arrays too, so that x[0] and x[1] are one program.  A mask whose
    values are known becomes arrays of the indices where it is true.
    Raises `IndexError` for an out-of-range index known to Python, `TraceError` for a traced mask.
    """
    of = abstract(x, "index")
    given = [_item(item) for item in (index if isinstance(index, tuple) else (index,))]
    masked = any(map(_is_mask, given))
    if masked:
        given = _without_masks(given, of)
    items: list[Any] = []
    arrays: list[Any] = []
    axis = 0
    place = x.aval.placement.whole if type(x) is Array else None
    for item in _expanded(given, of):
        if item is None:
            items.append(None)
            continue
        found, array = _along(item, of, axis, place)
        items.append(found)
        if array is not None:
            arrays.append(array)
        axis += 1
    return tuple(arrays), Index(tuple(items), bool(arrays) and _is_separated(given), masked)


def _item(item: Any) -> Any:
    """Validate an item: None, `...`, a slice, an int, or an array of integers."""
    if item is None or item is Ellipsis or type(item) is int:
        return item
    if isinstance(item, slice):
        return slice(_bound(item.start), _bound(item.stop), _bound(item.step))
    if isinstance(item, list | tuple | bool):
        item = np.bool_(item) if isinstance(item, bool) else _index_array(item)
    if not isinstance(item, int | np.generic | np.ndarray | Array | Tracer):
        _refuse(item)
    if isinstance(item, int):
        return int(item)
    if integer_limits(item.dtype) is None:
        return _known_mask(item)
    return int(item) if item.ndim == 0 and isinstance(item, np.ndarray | np.generic) else item


def _known_mask(mask: Any) -> np.ndarray[Any, Any]:
    """The values of a mask, which must not be traced; other arrays are refused."""
    if mask.dtype.kind != "b":
        _refuse(mask)
    if isinstance(mask, Tracer):
        raise TraceError(
            f"index by a mask, {mask.aval}: how many elements it picks depends on its values, and "
            "it is traced; use anvl.numpy.where(mask, x, y), or name the number: "
            "x[anvl.numpy.nonzero(mask, size=n)]"
        )
    return np.asarray(mask)


def _is_mask(item: Any) -> bool:
    return isinstance(item, np.ndarray) and item.dtype.kind == "b"


def _without_masks(given: Sequence[Any], of: Aval) -> list[Any]:
    """The items with arrays of indices, one for each axis, in place of masks."""

    def n_axes(item: Any) -> int:
        return item.ndim if _is_mask(item) else int(item is not None and item is not Ellipsis)

    rest = of.ndim - sum(map(n_axes, given))
    axis, found = 0, []
    for item in given:
        if not _is_mask(item):
            found.append(item)
        elif not _fits(item.shape, of.shape[axis : axis + item.ndim]):
            raise IndexError(
                f"index by a mask of shape {list(item.shape)}, but axis {axis} of {of} has other "
                "sizes; a mask has the sizes of the axes that it picks from"
            )
        elif item.ndim:
            found += item.nonzero()
        elif item:
            found.append(None)
        else:
            raise PicksNothing(f"index False of {of}: it picks nothing; use x[None][:0]")
        axis += rest if item is Ellipsis else n_axes(item)
    return found


def _fits(mask: tuple[int, ...], sizes: tuple[int, ...]) -> bool:
    """Whether a mask has the sizes of the axes, or 0, where it picks nothing: as in NumPy."""
    return len(mask) == len(sizes) and all(m in (n, 0) for m, n in zip(mask, sizes, strict=True))


def _index_array(items: Sequence[Any]) -> Any:
    """A list of integers, or of nested lists, as an array."""
    if any(isinstance(item, Tracer) for item in items):
        return stack([*items])
    found = np.asarray(items)
    return found if found.size else found.astype(np.int32)


def _refuse(item: Any) -> NoReturn:
    raise IndexError(
        f"index {item!r} of type {type(item).__name__}: an index is an integer, a slice, ..., "
        "None or an array of integers"
    )


def _bound(part: Any) -> int | None:
    """A start, stop or step of a slice."""
    if part is None or type(part) is int:
        return part
    if isinstance(part, Tracer):
        raise TraceError(
            f"a slice with the bound {part!r}: its length would depend on a value; use "
            "x[start + anvl.numpy.arange(length)], or mark the argument static"
        )
    known = isinstance(part, np.ndarray | np.generic | Array) and part.ndim == 0
    known = known and integer_limits(part.dtype) is not None
    if isinstance(part, bool) or not (isinstance(part, int) or known):
        raise TypeError(f"slice bound {part!r} of type {type(part).__name__} must be an integer")
    return int(part)


def _expanded(given: Sequence[Any], of: Aval) -> list[Any]:
    """One item for each axis, and None for each new one."""
    n_given = sum(item is not None and item is not Ellipsis for item in given)
    gaps = [i for i, item in enumerate(given) if item is Ellipsis]
    if len(gaps) > 1:
        raise IndexError(f"index {tuple(given)} has more than one ...")
    if n_given > of.ndim:
        raise IndexError(f"index has {n_given} entries, but the array is {of}")
    everything = [slice(None)] * (of.ndim - n_given)
    at = gaps[0] if gaps else len(given)
    return [*given[:at], *everything, *given[at + 1 :]]


def _is_separated(given: Sequence[Any]) -> bool:
    """Whether the integers and arrays are not adjacent."""
    places = [
        i
        for i, item in enumerate(given)
        if not (item is None or isinstance(item, slice | type(...)))
    ]
    return places[-1] - places[0] >= len(places)


def _along(item: Any, of: Aval, axis: int, place: Placement | None) -> tuple[Any, Any]:
    """An item as in `Index.items`, and its array if it has one; that of an integer at `place`."""
    size = of.shape[axis]
    if isinstance(item, slice):
        if item.step == 0:
            raise ValueError(f"slice step of axis {axis} is 0")
        numbers = range(*item.indices(size))
        return Range(numbers.start if numbers else 0, len(numbers), numbers.step), None
    if isinstance(item, int):
        if not -size <= item < size:
            raise IndexError(f"index {item} is out of range of axis {axis} of {of}")
        fixed = current.trace is not None or size > _LARGEST
        return (item % size, None) if fixed else (INSIDE, scalar_array(item % size, None, place))
    if isinstance(item, np.ndarray):
        return INSIDE, _checked(item, of, axis)
    return ANYWHERE, item


def _checked(at: np.ndarray[Any, Any], of: Aval, axis: int) -> np.ndarray[Any, Any]:
    """Validate indices known to Python; negative ones are counted from the end."""
    size = of.shape[axis]
    for extreme in (int(at.min()), int(at.max())) if at.size else ():
        if not -size <= extreme < size:
            raise IndexError(f"index {extreme} is out of range of axis {axis} of {of}")
    dtype = np.int32 if size <= _LARGEST else np.int64
    return np.where(at < 0, at.astype(np.int64) + size, at).astype(dtype)


# -- arrays of indices, in a trace -----------------------------------------------------------------


def _common_shape(arrays: Sequence[Tracer]) -> tuple[int, ...]:
    """The shape that index arrays broadcast to; an IndexError, as in NumPy, if there is none."""
    try:
        shapes, avals = [i.shape for i in arrays], [i.aval for i in arrays]
        return broadcast_shapes((), *shapes, function="index", of=avals)
    except ValueError as error:
        raise IndexError(str(error)) from None


def positions(
    arrays: Sequence[Any], marks: dict[int, str], x: Tracer
) -> tuple[dict[int, Tracer], tuple[int, ...], np.dtype[Any]]:
    """Index arrays by axis of x, in one dtype, with negative ones counted from the end.

    Also returns the shape that they broadcast to, and the dtype.
    """
    operands = dict(zip(marks, [as_tracer(a, "index") for a in arrays], strict=True))
    shape = _common_shape(list(operands.values()))
    dtype = _common([i.dtype for i in operands.values()], x.shape)
    found = {}
    for axis, mark in marks.items():
        if x.shape[axis] == 0 and 0 not in shape:
            raise IndexError(f"index of axis {axis} of {x.aval}, which has no elements")
        at = convert(operands[axis], dtype)
        found[axis] = _from_start(at, x.shape[axis]) if mark == ANYWHERE else at
    return found, shape, dtype


def _common(dtypes: Sequence[np.dtype[Any]], sizes: Sequence[int]) -> np.dtype[Any]:
    """An index dtype of at least 32 bits that holds these sizes."""
    least = np.dtype(np.int64 if any(n > _LARGEST for n in sizes) else np.int32)
    if dtypes and all(d.kind == "u" for d in dtypes):
        least = np.dtype(f"u{least.itemsize}")
    wide = any(d.itemsize == 8 or (d.kind == "u" and d.itemsize == 4) for d in dtypes)
    if least.kind == "u":
        return max([least, *dtypes], key=lambda d: d.itemsize)
    return np.dtype(np.int64) if wide else least


def _from_start(at: Tracer, size: int) -> Tracer:
    """Indices with negative ones counted from the end."""
    if at.dtype.kind == "u":
        return at
    negative = prim("compare", at, constant(0, at.dtype, at.shape), comparison_direction="LT")
    moved = prim("add", at, constant(size, at.dtype, at.shape))
    return prim("select", negative, moved, at)


# -- windows, outside of a trace -------------------------------------------------------------------

# Note [Windows]
# Outside of a trace the program of a slice does not depend on where it starts: a loop that reads
# `x[i : i + 10]` would compile a program for each i, 20 ms each.  The window that a slice spans is
# one program for each size, with its start as an argument; what the slice does within the window,
# its step and direction, stays a part of the program.

#: For some axes of an array, each with how many elements of it a window spans.
Spans = tuple[tuple[int, int], ...]


class Window(NamedTuple):
    """The window that the slices of an index span.

    Attributes
    ----------
    starts : tuple of Array
        Where it starts along each axis of `spans`.
    spans : Spans
    rest : Index
        What is left of the index: of the window.
    """

    starts: tuple[Array, ...]
    spans: Spans
    rest: Index


def window_of(x: Any, index: Index) -> Window | None:
    """The window of an index of x; None in a trace, or if no slice leaves a part of its axis out.

    The shards of an array over several devices depend on where a slice starts: None for these, too.
    """
    if type(x) is not Array or current.trace is not None:
        return None
    place = x.aval.placement
    if isinstance(place, ShardedPlacement):
        return None
    starts, spans, rest = [], [], []
    axis = 0
    for item in index.items:
        if isinstance(item, Range) and item.size:
            span = (item.size - 1) * abs(item.step) + 1
            if span < x.shape[axis] <= _LARGEST:
                last = (item.size - 1) * item.step
                starts.append(scalar_array(min(item.start, item.start + last), None, place.whole))
                spans.append((axis, span))
                item = Range(max(0, -last), item.size, item.step)
        rest.append(item)
        axis += item is not None
    return Window(tuple(starts), tuple(spans), index._replace(items=tuple(rest))) if spans else None


def in_window(x: Tracer, starts: Sequence[Tracer], spans: Spans) -> Tracer:
    """The elements of x in a window."""
    sizes = dict(spans)
    shape = tuple(sizes.get(axis, n) for axis, n in enumerate(x.shape))
    return prim("dynamic_slice", x, *_starts(x, starts, spans), slice_sizes=shape)


def put_in_window(x: Tracer, part: Tracer, starts: Sequence[Tracer], spans: Spans) -> Tracer:
    """x with other elements in a window."""
    return prim("dynamic_update_slice", x, part, *_starts(x, starts, spans))


def _starts(x: Tracer, starts: Sequence[Tracer], spans: Spans) -> list[Tracer]:
    given = {axis: start for (axis, _), start in zip(spans, starts, strict=True)}
    zero = constant(0, starts[0].dtype)
    return [given.get(axis, zero) for axis in range(x.ndim)]
