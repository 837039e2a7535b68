"""Rearranging the elements of one array: NumPy's names."""

from __future__ import annotations

import builtins
import math
import sys
from collections.abc import Sequence
from typing import Any

import numpy as np

from anvl.core.promote import as_tracer, broadcast_shapes, constant, convert
from anvl.core.promote import broadcast_to as _broadcast_to
from anvl.core.tracer import Tracer
from anvl.dispatch.eager import public
from anvl.numpy.arrays.axes import axes_of, axis_of, each_axis, int_of, ints_of, known
from anvl.numpy.functions.emitting import is_kind, prim

__all__ = [
    "atleast_1d", "atleast_2d", "atleast_3d", "broadcast_arrays", "broadcast_to", "expand_dims",
    "flip", "fliplr", "flipud", "matrix_transpose", "moveaxis", "ndim", "permute_dims",
    "ravel", "reshape", "roll", "rot90", "shape", "size", "squeeze", "swapaxes", "tile",
    "transpose",
]  # fmt: skip


def shape(x: Any) -> tuple[int, ...]:
    """The shape of x.

    >>> import anvl.numpy as np
    >>> np.shape(np.zeros((2, 3)))
    (2, 3)
    """
    return tuple(x.shape) if hasattr(x, "shape") else np.shape(x)


def ndim(x: Any) -> int:
    """The number of axes.

    >>> import anvl.numpy as np
    >>> np.ndim(np.zeros((2, 3)))
    2
    """
    return len(shape(x))


def size(x: Any, axis: int | None = None) -> int:
    """The number of elements, or the length of an axis.

    >>> import anvl.numpy as np
    >>> np.size(np.zeros((2, 3))), np.size(np.zeros((2, 3)), 1)
    (6, 3)
    """
    return math.prod(shape(x)) if axis is None else shape(x)[axis_of(axis, ndim(x), "size")]


@public("shape", "copy")
def reshape(x: Any, shape: int | Sequence[int], *, copy: bool | None = None) -> Any:
    """Reshape x; one size may be -1 and is then inferred.

    Arrays are immutable, so `copy` makes no difference.

    >>> import anvl.numpy as np
    >>> np.reshape(np.arange(6), (2, -1))
    Array([[0, 1, 2],
           [3, 4, 5]], dtype=int32)
    """
    operand, sizes = as_tracer(x, "reshape"), ints_of(shape, "reshape")
    if sizes.count(-1) > 1 or builtins.any(n < -1 for n in sizes):
        raise ValueError(f"reshape: shape {sizes} may have one -1 and no other negative size")
    if -1 in sizes:
        known = math.prod(n for n in sizes if n != -1)
        if known == 0 or operand.size % known:
            raise ValueError(f"reshape: {operand.aval} does not divide into shape {sizes}")
        sizes = tuple(operand.size // known if n == -1 else n for n in sizes)
    elif math.prod(sizes) != operand.size:
        raise ValueError(
            f"reshape: {operand.aval} has {operand.size} elements but shape {list(sizes)} has "
            f"{math.prod(sizes)}"
        )
    return operand if sizes == operand.shape else prim("reshape", operand, shape=sizes)


@public()
def ravel(x: Any) -> Any:
    """Flatten x to one axis.

    >>> import anvl.numpy as np
    >>> np.ravel(np.ones((2, 2)))
    Array([1., 1., 1., 1.], dtype=float32)
    """
    operand = as_tracer(x, "ravel")
    return reshape(operand, (operand.size,))


@public("axes")
def transpose(x: Any, axes: Sequence[int] | None = None) -> Any:
    """Permute the axes; reverse them if no order is given.

    >>> import anvl.numpy as np
    >>> np.transpose(np.arange(4).reshape(2, 2))
    Array([[0, 2],
           [1, 3]], dtype=int32)
    """
    operand = as_tracer(x, "transpose")
    n = operand.ndim
    axes = known(axes)
    given = tuple(axes) if hasattr(axes, "__iter__") else axes
    order = tuple(range(n))[::-1] if given is None else each_axis(given, n, "transpose")
    if len(order) != n:
        raise ValueError(f"transpose: axes {order} do not name each axis of {operand.aval} once")
    return operand if order == tuple(range(n)) else prim("transpose", operand, permutation=order)


permute_dims = transpose


@public()
def matrix_transpose(x: Any) -> Any:
    """Exchange the last two axes.

    >>> import anvl.numpy as np
    >>> np.matrix_transpose(np.zeros((5, 2, 3))).shape
    (5, 3, 2)
    """
    operand = as_tracer(x, "matrix_transpose")
    if operand.ndim < 2:
        raise ValueError(f"matrix_transpose: takes matrices, got {operand.aval}")
    return swapaxes(operand, -1, -2)


@public("axis1", "axis2")
def swapaxes(x: Any, axis1: int, axis2: int) -> Any:
    """Exchange two axes.

    >>> import anvl.numpy as np
    >>> np.swapaxes(np.zeros((2, 3, 5)), 0, 2).shape
    (5, 3, 2)
    """
    operand = as_tracer(x, "swapaxes")
    a, b = (axis_of(axis, operand.ndim, "swapaxes") for axis in (axis1, axis2))
    order = builtins.list(range(operand.ndim))
    order[a], order[b] = b, a
    return transpose(operand, tuple(order))


@public("source", "destination")
def moveaxis(x: Any, source: int | Sequence[int], destination: int | Sequence[int]) -> Any:
    """Move axes to other positions; the others keep their order.

    >>> import anvl.numpy as np
    >>> np.moveaxis(np.zeros((2, 3, 5)), 0, -1).shape
    (3, 5, 2)
    """
    operand = as_tracer(x, "moveaxis")
    n = operand.ndim
    olds, news = each_axis(source, n, "moveaxis"), each_axis(destination, n, "moveaxis")
    if len(olds) != len(news):
        raise ValueError(f"moveaxis: {source} and {destination} differ in number")
    order = [a for a in range(n) if a not in olds]
    for new, old in sorted(zip(news, olds, strict=True)):
        order.insert(new, old)
    return transpose(operand, tuple(order))


@public("axis")
def expand_dims(x: Any, axis: int | Sequence[int]) -> Any:
    """Insert axes of size 1 at these positions of the result.

    >>> import anvl.numpy as np
    >>> np.expand_dims(np.zeros((2, 3)), (0, -1)).shape
    (1, 2, 3, 1)
    """
    operand = as_tracer(x, "expand_dims")
    n = operand.ndim + (len(axis) if isinstance(axis, Sequence) else 1)
    new = each_axis(axis, n, "expand_dims")
    sizes = iter(operand.shape)
    return reshape(operand, tuple(1 if i in new else next(sizes) for i in range(n)))


@public("axis")
def squeeze(x: Any, axis: int | Sequence[int] | None = None) -> Any:
    """Remove axes of size 1: these, or all.

    >>> import anvl.numpy as np
    >>> np.squeeze(np.zeros((1, 2, 1))).shape
    (2,)
    """
    operand = as_tracer(x, "squeeze")
    if axis is None:
        removed = tuple(i for i, n in enumerate(operand.shape) if n == 1)
    else:
        removed = axes_of(axis, operand.ndim, "squeeze")
    if builtins.any(operand.shape[i] != 1 for i in removed):
        raise ValueError(f"squeeze: axis {axis} of {operand.aval} is not of size 1")
    return reshape(operand, tuple(n for i, n in enumerate(operand.shape) if i not in removed))


@public("shape")
def broadcast_to(x: Any, shape: int | Sequence[int]) -> Any:
    """Broadcast x to a shape, by NumPy's rule.

    >>> import anvl.numpy as np
    >>> np.broadcast_to(np.arange(2), (2, 2))
    Array([[0, 1],
           [0, 1]], dtype=int32)
    """
    operand, sizes = as_tracer(x, "broadcast_to"), ints_of(shape, "broadcast_to")
    fits = len(operand.shape) <= len(sizes)
    if not fits or broadcast_shapes(operand.shape, sizes, function="broadcast_to") != sizes:
        raise ValueError(f"broadcast_to: {operand.aval} does not broadcast to {sizes}")
    return _broadcast_to(operand, sizes)


@public(n_apart=sys.maxsize)
def broadcast_arrays(*xs: Any) -> Any:
    """Broadcast arrays to their common shape; each keeps its dtype.

    >>> import anvl.numpy as np
    >>> [x.shape for x in np.broadcast_arrays(np.zeros((2, 1)), np.zeros(3))]
    [(2, 3), (2, 3)]
    """
    operands = [as_tracer(x, "broadcast_arrays") for x in xs]
    if not operands:
        return ()
    shape = broadcast_shapes(*[x.shape for x in operands], function="broadcast_arrays")
    return tuple(_broadcast_to(x, shape) for x in operands)


@public()
def atleast_1d(x: Any) -> Any:
    """x with at least one axis.

    >>> import anvl.numpy as np
    >>> np.atleast_1d(3.0)
    Array([3.], dtype=float32)
    """
    operand = as_tracer(x, "atleast_1d")
    return reshape(operand, operand.shape or (1,))


@public()
def atleast_2d(x: Any) -> Any:
    """x with at least two axes: a vector becomes a row.

    >>> import anvl.numpy as np
    >>> np.atleast_2d(np.zeros(3)).shape
    (1, 3)
    """
    operand = as_tracer(x, "atleast_2d")
    return reshape(operand, (1,) * (2 - operand.ndim) + operand.shape)


@public()
def atleast_3d(x: Any) -> Any:
    """x with at least three axes: a vector becomes 1 x n x 1, a matrix m x n x 1.

    >>> import anvl.numpy as np
    >>> np.atleast_3d(np.zeros(3)).shape, np.atleast_3d(np.zeros((2, 3))).shape
    ((1, 3, 1), (2, 3, 1))
    """
    operand = as_tracer(x, "atleast_3d")
    before, after = {0: ((1,), (1, 1)), 1: ((1,), (1,)), 2: ((), (1,))}.get(operand.ndim, ((), ()))
    return reshape(operand, before + operand.shape + after)


@public("axis")
def flip(x: Any, axis: int | Sequence[int] | None = None) -> Any:
    """Reverse the elements along these axes, or all.

    >>> import anvl.numpy as np
    >>> np.flip(np.arange(3))
    Array([2, 1, 0], dtype=int32)
    """
    operand = as_tracer(x, "flip")
    return prim("reverse", operand, dimensions=axes_of(axis, operand.ndim, "flip"))


@public()
def flipud(x: Any) -> Any:
    """Reverse the first axis.

    >>> import anvl.numpy as np
    >>> np.flipud(np.arange(4).reshape(2, 2))
    Array([[2, 3],
           [0, 1]], dtype=int32)
    """
    return flip(x, 0)


@public()
def fliplr(x: Any) -> Any:
    """Reverse the second axis.

    >>> import anvl.numpy as np
    >>> np.fliplr(np.arange(4).reshape(2, 2))
    Array([[1, 0],
           [3, 2]], dtype=int32)
    """
    return flip(x, 1)


@public("k", "axes")
def rot90(x: Any, k: int = 1, axes: tuple[int, int] = (0, 1)) -> Any:
    """Rotate x by 90 degrees, k times, from the first of the axes towards the second.

    >>> import anvl.numpy as np
    >>> np.rot90(np.arange(4).reshape(2, 2))
    Array([[1, 3],
           [0, 2]], dtype=int32)
    """
    operand = as_tracer(x, "rot90")
    first, second = each_axis(axes, operand.ndim, "rot90")
    times = int_of(k, "k", "rot90")
    turned = swapaxes(operand, first, second) if times % 2 else operand
    flipped = [(), (first,), (first, second), (second,)][times % 4]
    return flip(turned, flipped) if flipped else turned


@public("shift", "axis")
def roll(x: Any, shift: Any, axis: int | Sequence[int] | None = None) -> Any:
    """Shift elements along one or several axes, cyclically.

    The shift, an integer or one for each axis, may be traced.

    >>> import anvl.numpy as np
    >>> np.roll(np.arange(5), 2)
    Array([3, 4, 0, 1, 2], dtype=int32)
    """
    operand = as_tracer(x, "roll")
    if axis is None:
        return reshape(roll(ravel(operand), shift, 0), operand.shape)
    axes = [axis_of(a, operand.ndim, "roll") for a in ints_of(axis, "roll")]
    shifts = _shifts(shift)
    shifts = shifts * len(axes) if len(shifts) == 1 else shifts
    axes = axes * len(shifts) if len(axes) == 1 else axes
    if len(axes) != len(shifts):
        raise ValueError(f"roll: shift {shift} and axis {axis} differ in number")
    for at, by in zip(axes, shifts, strict=True):
        operand = _rolled(operand, by, at)
    return operand


def _shifts(shift: Any) -> tuple[Any, ...]:
    if isinstance(shift, Tracer):
        return tuple(shift) if shift.ndim else (shift,)
    several = isinstance(shift, list | tuple)
    return tuple(s for item in shift for s in _shifts(item)) if several else ints_of(shift, "roll")


def _rolled(x: Tracer, shift: Any, axis: int) -> Tracer:
    length = x.shape[axis]
    if isinstance(shift, Tracer):
        return _rolled_by(x, shift, axis)
    if length == 0 or shift % length == 0:
        return x
    cut = length - shift % length
    parts = [slice_axis(x, axis, cut, length), slice_axis(x, axis, 0, cut)]
    return prim("concatenate", *parts, dimension=axis)


def _rolled_by(x: Tracer, shift: Tracer, axis: int) -> Tracer:
    """x shifted by a traced number: a window of two copies of it."""
    length = x.shape[axis]
    if shift.ndim or not is_kind(shift, "int", "uint"):
        raise TypeError(f"roll: shift is {shift.aval}; it must be an integer for each axis")
    if length < 2:
        return x
    # The remainder first, as a conversion of large numbers wraps; those of 8 bits hold no length.
    narrow = shift.dtype.itemsize < 4
    by = convert(shift, np.dtype(np.int32)) if narrow else convert(shift, shift.dtype)
    wide = np.dtype(np.int32 if length < 2**30 else np.int64)
    left = convert(prim("rem", by, constant(length, by.dtype)), wide)
    n = constant(length, wide)
    start = prim("rem", prim("sub", n, left), n)
    starts = [start if a == axis else constant(0, wide) for a in range(x.ndim)]
    twice = prim("concatenate", x, x, dimension=axis)
    return prim("dynamic_slice", twice, *starts, slice_sizes=x.shape)


def slice_axis(x: Tracer, axis: int, start: int, stop: int, step: int = 1) -> Tracer:
    """Slice x[..., start:stop:step, ...] along one axis; 0 <= start <= stop, step >= 1."""
    low, high, steps = [0] * x.ndim, builtins.list(x.shape), [1] * x.ndim
    low[axis], high[axis], steps[axis] = start, stop, step
    return prim(
        "slice", x, start_indices=tuple(low), limit_indices=tuple(high), strides=tuple(steps)
    )


@public("reps")
def tile(x: Any, reps: int | Sequence[int]) -> Any:
    """Repeat x along each axis, `reps` times.

    >>> import anvl.numpy as np
    >>> np.tile(np.arange(2), (2, 2))
    Array([[0, 1, 0, 1],
           [0, 1, 0, 1]], dtype=int32)
    """
    operand, counts = as_tracer(x, "tile"), ints_of(reps, "tile")
    _check_counts("tile", counts)
    n = max(len(counts), operand.ndim)
    counts = (1,) * (n - len(counts)) + counts
    shape = (1,) * (n - operand.ndim) + operand.shape
    spread = tuple(k for count, size in zip(counts, shape, strict=True) for k in (count, size))
    params = {"shape": spread, "broadcast_dimensions": tuple(range(1, 2 * n, 2))}
    repeated = prim("broadcast_in_dim", reshape(operand, shape), **params)
    return reshape(repeated, tuple(c * s for c, s in zip(counts, shape, strict=True)))


def _check_counts(function: str, counts: Sequence[int]) -> None:
    if builtins.any(n < 0 for n in counts):
        raise ValueError(f"{function}: repeats {builtins.list(counts)} must not be negative")


@public("repeats", "axis")
def repeat(x: Any, repeats: int, axis: int | None = None) -> Any:
    """Repeat each element along an axis; flatten first if it is None.

    >>> import anvl.numpy as np
    >>> np.repeat(np.arange(3), 2)
    Array([0, 0, 1, 1, 2, 2], dtype=int32)
    """
    operand = as_tracer(x, "repeat")
    if not isinstance(repeats, int | np.integer):
        raise TypeError(f"repeat: repeats {repeats!r} must be one integer")
    _check_counts("repeat", [repeats])
    if axis is None:
        return repeat(ravel(operand), repeats, 0)
    at, shape = axis_of(axis, operand.ndim, "repeat"), operand.shape
    wide = (*shape[: at + 1], int(repeats), *shape[at + 1 :])
    kept = tuple(i for i in range(len(wide)) if i != at + 1)
    params = {"shape": wide, "broadcast_dimensions": kept}
    repeated = prim("broadcast_in_dim", operand, **params)
    return reshape(repeated, (*shape[:at], shape[at] * repeats, *shape[at + 1 :]))
