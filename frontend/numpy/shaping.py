"""Functions that rearrange elements: NumPy's names."""

from __future__ import annotations

import builtins
import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from anvl.dialect.op import OPS
from anvl.numpy.reductions import axes_of
from anvl.promote import as_tracer, broadcast_shapes, constant, convert, promoted
from anvl.promote import broadcast_to as _broadcast_to
from anvl.public import public
from anvl.tracer import Tracer
from anvl.tracing import emit

__all__ = [
    "broadcast_arrays", "broadcast_to", "concat", "concatenate", "expand_dims", "flip", "hstack",
    "matrix_transpose", "moveaxis", "pad", "permute_dims", "ravel", "repeat", "reshape", "roll",
    "split", "squeeze", "stack", "swapaxes", "tile", "transpose", "unstack", "vstack",
]  # fmt: skip


def _op(name: str, x: Tracer, **params: Any) -> Tracer:
    return emit(OPS[f"anvl.{name}"], (x,), params)  # type: ignore[no-any-return]


@public("shape")
def reshape(x: Any, shape: int | Sequence[int]) -> Any:
    """The same elements in another shape; one size may be -1 and is then inferred."""
    operand = as_tracer(x, "reshape")
    sizes = (shape,) if isinstance(shape, int) else tuple(shape)
    if sizes.count(-1) > 1 or builtins.any(n < -1 for n in sizes):
        raise ValueError(f"reshape: shape {sizes} may have one -1 and no other negative size")
    if -1 in sizes:
        known = math.prod(n for n in sizes if n != -1)
        if known == 0 or operand.size % known:
            raise ValueError(f"reshape: {operand.aval} does not divide into shape {sizes}")
        sizes = tuple(operand.size // known if n == -1 else n for n in sizes)
    return operand if sizes == operand.shape else _op("reshape", operand, shape=sizes)


@public()
def ravel(x: Any) -> Any:
    """All elements along one axis."""
    return reshape(x, (-1,)) if as_tracer(x, "ravel").size else reshape(x, (0,))


@public("axes")
def transpose(x: Any, axes: Sequence[int] | None = None) -> Any:
    """The axes in another order; reversed where none is given."""
    operand = as_tracer(x, "transpose")
    n = operand.ndim
    order = tuple(range(n))[::-1] if axes is None else tuple(axes)
    if sorted(a % n if -n <= a < n else n for a in order) != builtins.list(range(n)):
        raise ValueError(f"transpose: axes {order} do not name each axis of {operand.aval} once")
    order = tuple(a % n for a in order)
    return operand if order == tuple(range(n)) else _op("transpose", operand, permutation=order)


permute_dims = transpose


@public()
def matrix_transpose(x: Any) -> Any:
    """The last two axes exchanged."""
    return swapaxes(x, -1, -2)


@public("axis1", "axis2")
def swapaxes(x: Any, axis1: int, axis2: int) -> Any:
    """Two axes exchanged."""
    operand = as_tracer(x, "swapaxes")
    (a,), (b,) = (axes_of(axis, operand.ndim, "swapaxes") for axis in (axis1, axis2))
    order = builtins.list(range(operand.ndim))
    order[a], order[b] = b, a
    return transpose(operand, tuple(order))


@public("source", "destination")
def moveaxis(x: Any, source: int | Sequence[int], destination: int | Sequence[int]) -> Any:
    """Axes moved to other places; the others keep their order."""
    operand = as_tracer(x, "moveaxis")
    n = operand.ndim
    olds = (source,) if isinstance(source, int) else tuple(source)
    news = (destination,) if isinstance(destination, int) else tuple(destination)
    if len(olds) != len(news):
        raise ValueError(f"moveaxis: {olds} and {news} differ in number")
    axes_of(olds, n, "moveaxis"), axes_of(news, n, "moveaxis")
    order = [a for a in range(n) if a not in {o % n for o in olds}]
    for new, old in sorted((new % n, old % n) for new, old in zip(news, olds, strict=True)):
        order.insert(new, old)
    return transpose(operand, tuple(order))


@public("axis")
def expand_dims(x: Any, axis: int | Sequence[int]) -> Any:
    """New axes of size 1 at these places of the result."""
    operand = as_tracer(x, "expand_dims")
    given = (axis,) if isinstance(axis, int) else tuple(axis)
    new = axes_of(given, operand.ndim + len(given), "expand_dims")
    sizes = iter(operand.shape)
    shape = tuple(1 if i in new else next(sizes) for i in range(operand.ndim + len(new)))
    return reshape(operand, shape)


@public("axis")
def squeeze(x: Any, axis: int | Sequence[int] | None = None) -> Any:
    """Without axes of size 1: these, or all."""
    operand = as_tracer(x, "squeeze")
    if axis is None:
        gone = tuple(i for i, n in enumerate(operand.shape) if n == 1)
    else:
        gone = axes_of(axis, operand.ndim, "squeeze")
    if builtins.any(operand.shape[i] != 1 for i in gone):
        raise ValueError(f"squeeze: axis {axis} of {operand.aval} is not of size 1")
    return reshape(operand, tuple(n for i, n in enumerate(operand.shape) if i not in gone))


@public("shape")
def broadcast_to(x: Any, shape: int | Sequence[int]) -> Any:
    """x repeated to a shape, by NumPy's rule."""
    operand = as_tracer(x, "broadcast_to")
    sizes = (shape,) if isinstance(shape, int) else tuple(shape)
    if broadcast_shapes(operand.shape, sizes, function="broadcast_to") != sizes:
        raise TypeError(f"broadcast_to: {operand.aval} does not broadcast to {sizes}")
    return _broadcast_to(operand, sizes)


@public()
def broadcast_arrays(*xs: Any) -> Any:
    """All of them in the shape that they broadcast to; each keeps its dtype."""
    operands = [as_tracer(x, "broadcast_arrays") for x in xs]
    shape = broadcast_shapes(*[x.shape for x in operands], function="broadcast_arrays")
    return [_broadcast_to(x, shape) for x in operands]


@public("axis")
def flip(x: Any, axis: int | Sequence[int] | None = None) -> Any:
    """The elements in reverse order along these axes, or all."""
    operand = as_tracer(x, "flip")
    return _op("reverse", operand, dimensions=axes_of(axis, operand.ndim, "flip"))


@public("axis")
def concatenate(xs: Sequence[Any], axis: int | None = 0) -> Any:
    """The arrays one after another along an axis; flattened first where it is None."""
    if not xs:
        raise ValueError("concatenate: needs at least one array")
    operands, _ = promoted("concatenate", tuple(xs), broadcast=False)
    if axis is None:
        operands, axis = [ravel(x) for x in operands], 0
    (at,) = axes_of(axis, operands[0].ndim, "concatenate")
    return emit(OPS["stablehlo.concatenate"], operands, {"dimension": at})


concat = concatenate


@public("axis")
def stack(xs: Sequence[Any], axis: int = 0) -> Any:
    """The arrays, of one shape, along a new axis."""
    if not xs:
        raise ValueError("stack: needs at least one array")
    operands = [as_tracer(x, "stack") for x in xs]
    if len({x.shape for x in operands}) > 1:
        listed = ", ".join(str(x.aval) for x in operands)
        raise TypeError(f"stack: shapes differ: {listed}; all must have one shape")
    return concatenate([expand_dims(x, axis) for x in operands], axis)


@public()
def vstack(xs: Sequence[Any]) -> Any:
    """The arrays one below another."""
    return concatenate([reshape(x, (1, -1)) if as_tracer(x).ndim < 2 else x for x in xs], 0)


@public()
def hstack(xs: Sequence[Any]) -> Any:
    """The arrays side by side."""
    operands = [as_tracer(x, "hstack") for x in xs]
    return concatenate([ravel(x) if x.ndim == 0 else x for x in operands], min(1, operands[0].ndim - 1) if operands and operands[0].ndim else 0)


@public("axis")
def unstack(x: Any, axis: int = 0) -> Any:
    """The arrays along an axis, which is gone from them."""
    operand = as_tracer(x, "unstack")
    (at,) = axes_of(axis, operand.ndim, "unstack")
    return tuple(
        squeeze(slice_axis(operand, at, i, i + 1), at) for i in range(operand.shape[at])
    )


def slice_axis(x: Tracer, axis: int, start: int, stop: int, step: int = 1) -> Tracer:
    """x[..., start:stop:step, ...] along one axis; 0 <= start <= stop, step >= 1."""
    low, high, steps = [0] * x.ndim, builtins.list(x.shape), [1] * x.ndim
    low[axis], high[axis], steps[axis] = start, stop, step
    return _op("slice", x, start_indices=tuple(low), limit_indices=tuple(high), strides=tuple(steps))


@public("indices_or_sections", "axis")
def split(x: Any, indices_or_sections: int | Sequence[int], axis: int = 0) -> Any:
    """Parts along an axis: so many of equal size, or cut at these places."""
    operand = as_tracer(x, "split")
    (at,) = axes_of(axis, operand.ndim, "split")
    size = operand.shape[at]
    if isinstance(indices_or_sections, int):
        if indices_or_sections < 1 or size % indices_or_sections:
            raise ValueError(
                f"split: axis {at} of {operand.aval} does not divide into {indices_or_sections}"
            )
        width = size // indices_or_sections
        cuts = [i * width for i in range(1, indices_or_sections)]
    else:
        cuts = [min(max(c + size if c < 0 else c, 0), size) for c in indices_or_sections]
    bounds = [0, *cuts, size]
    return [
        slice_axis(operand, at, lo, max(lo, hi))
        for lo, hi in zip(bounds, bounds[1:], strict=False)
    ]


@public("pad_width", "mode")
def pad(x: Any, pad_width: Any, mode: str = "constant", constant_values: Any = 0) -> Any:
    """x with `constant_values` added at both ends of each axis.

    `pad_width` is a number, a pair, or a pair for each axis.  Only mode "constant" exists so far.
    """
    if mode != "constant":
        raise ValueError(f"pad: mode {mode!r} is not known; use 'constant'")
    operand = as_tracer(x, "pad")
    pairs = np.broadcast_to(np.asarray(pad_width, np.int64), (operand.ndim, 2)).tolist()
    value = constant_values
    if isinstance(value, bool | int | float | complex):
        filler = constant(value, operand.dtype)
    else:
        filler = convert(as_tracer(value, "pad"), operand.dtype)
    params = {
        "edge_padding_low": tuple(low for low, _ in pairs),
        "edge_padding_high": tuple(high for _, high in pairs),
        "interior_padding": (0,) * operand.ndim,
    }
    return emit(OPS["anvl.pad"], (operand, filler), params)


@public("shift", "axis")
def roll(x: Any, shift: int, axis: int | None = None) -> Any:
    """The elements moved along an axis; those that leave at one end come in at the other."""
    operand = as_tracer(x, "roll")
    if axis is None:
        return reshape(roll(ravel(operand), shift, 0), operand.shape)
    (at,) = axes_of(axis, operand.ndim, "roll")
    size = operand.shape[at]
    if size == 0 or shift % size == 0:
        return operand
    cut = size - shift % size
    parts = [slice_axis(operand, at, cut, size), slice_axis(operand, at, 0, cut)]
    return concatenate(parts, at)


@public("reps")
def tile(x: Any, reps: int | Sequence[int]) -> Any:
    """x repeated so many times along each axis."""
    operand = as_tracer(x, "tile")
    counts = (reps,) if isinstance(reps, int) else tuple(reps)
    n = max(len(counts), operand.ndim)
    counts = (1,) * (n - len(counts)) + counts
    shape = (1,) * (n - operand.ndim) + operand.shape
    spread = tuple(k for count, size in zip(counts, shape, strict=True) for k in (count, size))
    params = {"shape": spread, "broadcast_dimensions": tuple(range(1, 2 * n, 2))}
    repeated = emit(OPS["anvl.broadcast_in_dim"], (reshape(operand, shape),), params)
    return reshape(repeated, tuple(c * s for c, s in zip(counts, shape, strict=True)))


@public("repeats", "axis")
def repeat(x: Any, repeats: int, axis: int | None = None) -> Any:
    """Each element so many times, along an axis."""
    operand = as_tracer(x, "repeat")
    if axis is None:
        return repeat(ravel(operand), repeats, 0)
    (at,) = axes_of(axis, operand.ndim, "repeat")
    shape = operand.shape
    wide = (*shape[: at + 1], repeats, *shape[at + 1 :])
    kept = tuple(i for i in range(len(wide)) if i != at + 1)
    params = {"shape": wide, "broadcast_dimensions": kept}
    repeated = emit(OPS["anvl.broadcast_in_dim"], (operand,), params)
    return reshape(repeated, (*shape[:at], shape[at] * repeats, *shape[at + 1 :]))
