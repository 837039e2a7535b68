"""Ops that move elements without computing on them.

Source: StableHLO specification, the ops of the same names.  All are linear.
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from anvl.dialect.core.create import full, number_of
from anvl.dialect.core.emission.smooth_powers import power_of
from anvl.dialect.core.emission.stacked_slices import stacked_slices
from anvl.dialect.core.families import Linear, check_axes
from anvl.dialect.core.lazy_numpy import np
from anvl.dialect.core.op import Operand, Result, Value, emit
from anvl.dialect.core.params.base import Ints, ResultShape
from anvl.dialect.core.types import shape_text, tensor

__all__ = [
    "BroadcastInDimOp", "ReshapeOp", "ReverseOp", "SliceOp", "TransposeOp",
]  # fmt: skip


class BroadcastInDimOp(Linear, name="broadcast_in_dim"):
    """Repeat along new axes and along axes of size 1: operand axis `i` becomes result axis
    `broadcast_dimensions[i]`.  StableHLO `broadcast_in_dim`.
    """

    x: Operand
    shape: ResultShape
    broadcast_dimensions: Ints
    y: Result
    hlo = "broadcast_in_dim"
    moves_elements = True
    copies_elements = True
    cheap = True

    @classmethod
    def result_type(cls, x: Any, shape: Any, broadcast_dimensions: Any) -> Any:
        old = x.shape
        if len(broadcast_dimensions) != len(old):
            raise TypeError(
                f"broadcast_in_dim: broadcast_dimensions {shape_text(broadcast_dimensions)} "
                f"must name one axis of the result for each axis of {x}"
            )
        check_axes(
            f"broadcast_in_dim: broadcast_dimensions {shape_text(broadcast_dimensions)} of {x}",
            broadcast_dimensions, len(shape), shape_text(shape),
        )  # fmt: skip
        for size, axis in zip(old, broadcast_dimensions, strict=True):
            if size not in (1, shape[axis]):
                raise TypeError(
                    f"broadcast_in_dim: {x} does not broadcast to {shape_text(shape)} along "
                    f"{shape_text(broadcast_dimensions)}: size {size} meets {shape[axis]}"
                )
        return tensor(shape, x.element_type)

    @classmethod
    def adjoint(
        cls, g: Value, xs: Sequence[Value], y: Value, shape: Any, broadcast_dimensions: Any
    ) -> Sequence[Any]:
        old = xs[0].type
        axes, permutation, is_reshaped = _sums(old, tuple(shape), tuple(broadcast_dimensions))
        summed = emit.sum(g, axes=axes) if axes else g
        if permutation:
            summed = transpose(summed, permutation=permutation)
        return [reshape(summed, shape=tuple(old.shape)) if is_reshaped else summed]

    @classmethod
    def batch(
        cls, xs: Sequence[Value], batched: Sequence[bool], shape: Any, broadcast_dimensions: Any
    ) -> Value:
        (x,) = xs
        return broadcast_in_dim(
            x,
            shape=(x.type.shape[0], *shape),
            broadcast_dimensions=(0, *(a + 1 for a in broadcast_dimensions)),
        )

    @classmethod
    def dependence(cls, deps: Any, xs: Sequence[Any], shape: Any, broadcast_dimensions: Any) -> Any:
        order = sorted(range(len(broadcast_dimensions)), key=broadcast_dimensions.__getitem__)
        kept = [1] * len(shape)
        for axis, size in zip(broadcast_dimensions, xs[0].shape, strict=True):
            kept[axis] = size
        return np.broadcast_to(xs[0].transpose(order).reshape(kept), shape)

    @classmethod
    def pad_axes(cls, pads: Any, xs: Sequence[Any], shape: Any, broadcast_dimensions: Any) -> Any:
        (x,) = xs
        wanted = {
            i: pads.wanted[a]
            for i, a in enumerate(broadcast_dimensions)
            if a in pads.wanted and x.shape[i] != 1
        }
        x = pads.widened(x, wanted)
        for i in x.axes:
            if x.shape[i] != shape[broadcast_dimensions[i]]:
                pads.refuse(i, "its one element is repeated")
        axes = {broadcast_dimensions[i]: length for i, length in x.axes.items()} | pads.wanted
        padded = {"shape": pads.shape(axes), "broadcast_dimensions": broadcast_dimensions}
        return cls.build(x.value, **padded), axes

    @classmethod
    def simplify(
        cls, xs: Sequence[Value], makers: Sequence[Any], shape: Any, broadcast_dimensions: Any
    ) -> Any:
        (x,), (maker,) = xs, makers
        if broadcast_dimensions == tuple(range(x.type.rank)) and tuple(x.type.shape) == shape:
            return x
        if type(maker) is not cls:
            return _splat_in_shape(x, maker, shape)
        inner = cls.read(maker)["broadcast_dimensions"]
        composed = tuple(broadcast_dimensions[a] for a in inner)
        return lambda: broadcast_in_dim(
            maker.operands[0], shape=shape, broadcast_dimensions=composed
        )

    @classmethod
    def sample(cls, draw: Any) -> Any:
        return draw.calls(
            ([draw.floats(3)], {"shape": (2, 3), "broadcast_dimensions": (1,)}),
            ([draw.floats(1, 3)], {"shape": (2, 4, 3), "broadcast_dimensions": (0, 2)}),
            ([draw.floats(2, 3, 4)], {"shape": (4, 2, 3), "broadcast_dimensions": (1, 2, 0)}),
            ([draw.floats()], {"shape": (2,), "broadcast_dimensions": ()}),
            ([draw.floats(1)], {"shape": (0,), "broadcast_dimensions": (0,)}),
        )


@lru_cache(4096)
def _sums(
    x: Any, shape: tuple[int, ...], axes: tuple[int, ...]
) -> tuple[tuple[int, ...], tuple[int, ...], bool]:
    """Inverse of a broadcast of x: axes to sum, permutation, and whether to reshape."""
    kept = [axis for size, axis in zip(x.shape, axes, strict=True) if size == shape[axis]]
    order = sorted(kept)
    permutation = tuple(order.index(a) for a in kept) if order != kept else ()
    is_reshaped = [shape[a] for a in kept] != list(x.shape)
    return tuple(a for a in range(len(shape)) if a not in kept), permutation, is_reshaped


class ReshapeOp(Linear, name="reshape"):
    """Reshape, keeping the elements in row-major order.  StableHLO `reshape`."""

    x: Operand
    shape: ResultShape
    y: Result
    hlo = "reshape"
    moves_elements = True
    copies_elements = True
    cheap = True

    @classmethod
    def result_type(cls, x: Any, shape: Any) -> Any:
        if _count(x.shape) != _count(shape):
            raise TypeError(
                f"reshape: {x} has {_count(x.shape)} elements but shape {shape_text(shape)} "
                f"has {_count(shape)}"
            )
        return tensor(shape, x.element_type)

    @classmethod
    def adjoint(cls, g: Value, xs: Sequence[Value], y: Value, shape: Any) -> Sequence[Any]:
        return [reshape(g, shape=tuple(xs[0].type.shape))]

    @classmethod
    def batch(cls, xs: Sequence[Value], batched: Sequence[bool], shape: Any) -> Value:
        return reshape(xs[0], shape=(xs[0].type.shape[0], *shape))

    @classmethod
    def dependence(cls, deps: Any, xs: Sequence[Any], shape: Any) -> Any:
        return xs[0].reshape(shape)

    @classmethod
    def pad_axes(cls, pads: Any, xs: Sequence[Any], shape: Any) -> Any:
        x, axes = pads.reshaped(xs[0], shape)
        return cls.build(x.value, shape=pads.shape(axes)), axes

    @classmethod
    def simplify(cls, xs: Sequence[Value], makers: Sequence[Any], shape: Any) -> Any:
        (x,), (maker,) = xs, makers
        if tuple(x.type.shape) == shape:
            return x
        if type(maker) is cls:
            return lambda: reshape(maker.operands[0], shape=shape)
        return _splat_in_shape(x, maker, shape)

    @classmethod
    def powered(cls, xs: Sequence[Value], exponent: int, shape: Any) -> Value | None:
        power = power_of(xs[0], exponent)
        return None if power is None else reshape(power, shape=shape)

    @classmethod
    def sample(cls, draw: Any) -> Any:
        return draw.calls(
            ([draw.floats(2, 3)], {"shape": (6,)}),
            ([draw.floats(1, 1)], {"shape": ()}),
            ([draw.floats(0, 3)], {"shape": (2, 0)}),
        )


def _splat_in_shape(x: Value, maker: Any, shape: Sequence[int]) -> Any:
    """For a splat constant, a function that emits it in another shape; else None."""
    n = number_of(maker)
    return None if n is None else lambda: full(tensor(shape, x.type.element_type), n)


def _count(shape: Sequence[int]) -> int:
    count = 1
    for size in shape:
        count *= size
    return count


class TransposeOp(Linear, name="transpose"):
    """Permute the axes: result axis `i` is operand axis `permutation[i]`.

    StableHLO `transpose`.
    """

    x: Operand
    permutation: Ints
    y: Result
    hlo = "transpose"
    moves_elements = True
    copies_elements = True

    @classmethod
    def result_type(cls, x: Any, permutation: Any) -> Any:
        if sorted(permutation) != list(range(x.rank)):
            raise TypeError(
                f"transpose: permutation {shape_text(permutation)} does not name each axis of "
                f"{x} once"
            )
        shape = x.shape
        return tensor([shape[p] for p in permutation], x.element_type)

    @classmethod
    def adjoint(cls, g: Value, xs: Sequence[Value], y: Value, permutation: Any) -> Sequence[Any]:
        return [transpose(g, permutation=inverse(permutation))]

    @classmethod
    def batch(cls, xs: Sequence[Value], batched: Sequence[bool], permutation: Any) -> Value:
        return transpose(xs[0], permutation=(0, *(p + 1 for p in permutation)))

    @classmethod
    def dependence(cls, deps: Any, xs: Sequence[Any], permutation: Any) -> Any:
        return xs[0].transpose(permutation)

    @classmethod
    def pad_axes(cls, pads: Any, xs: Sequence[Any], permutation: Any) -> Any:
        x = pads.widened(xs[0], {permutation[a]: n for a, n in pads.wanted.items()})
        axes = {permutation.index(a): n for a, n in x.axes.items()}
        return cls.build(x.value, permutation=permutation), axes

    @classmethod
    def simplify(cls, xs: Sequence[Value], makers: Sequence[Any], permutation: Any) -> Any:
        (x,), (maker,) = xs, makers
        if permutation == tuple(range(len(permutation))):
            return x
        if type(maker) is not cls:
            return _splat_in_shape(x, maker, [x.type.shape[p] for p in permutation])
        inner = cls.read(maker)["permutation"]
        composed = tuple(inner[p] for p in permutation)
        return lambda: transpose(maker.operands[0], permutation=composed)

    @classmethod
    def sample(cls, draw: Any) -> Any:
        return draw.calls(
            ([draw.floats(2, 3, 4)], {"permutation": (2, 0, 1)}),
            ([draw.floats()], {"permutation": ()}),
            ([draw.floats(0, 2)], {"permutation": (1, 0)}),
        )


def inverse(permutation: Sequence[int]) -> tuple[int, ...]:
    """The permutation that undoes this one."""
    return tuple(sorted(range(len(permutation)), key=permutation.__getitem__))


class ReverseOp(Linear, name="reverse"):
    """Reverse the order of the elements along `dimensions`.  StableHLO `reverse`."""

    x: Operand
    dimensions: Ints
    y: Result
    hlo = "reverse"
    moves_elements = True
    copies_elements = True

    @classmethod
    def result_type(cls, x: Any, dimensions: Any) -> Any:
        check_axes(f"reverse: dimensions {shape_text(dimensions)}", dimensions, x.rank, x)
        return x

    @classmethod
    def adjoint(cls, g: Value, xs: Sequence[Value], y: Value, dimensions: Any) -> Sequence[Any]:
        return [emit.reverse(g, dimensions=dimensions)]

    @classmethod
    def batch(cls, xs: Sequence[Value], batched: Sequence[bool], dimensions: Any) -> Value:
        return emit.reverse(xs[0], dimensions=tuple(a + 1 for a in dimensions))

    @classmethod
    def dependence(cls, deps: Any, xs: Sequence[Any], dimensions: Any) -> Any:
        return np.flip(xs[0], dimensions)

    @classmethod
    def pad_axes(cls, pads: Any, xs: Sequence[Any], dimensions: Any) -> Any:
        why = "its last element would come first, and with it the padding"
        return pads.along_others(cls.build, xs[0], dimensions, why, dimensions=dimensions)

    @classmethod
    def sample(cls, draw: Any) -> Any:
        return draw.calls(
            ([draw.floats(2, 3)], {"dimensions": (1,)}),
            ([draw.floats(2, 3)], {"dimensions": (0, 1)}),
            ([draw.floats()], {"dimensions": ()}),
            ([draw.floats(0, 3)], {"dimensions": (0,)}),
        )


class SliceOp(Linear, name="slice"):
    """Slice from `start_indices` to `limit_indices` (exclusive) with `strides`.

    StableHLO `slice`.
    """

    x: Operand
    start_indices: Ints
    limit_indices: Ints
    strides: Ints
    y: Result
    hlo = "slice"
    moves_elements = True
    copies_elements = True

    @classmethod
    def result_type(cls, x: Any, start_indices: Any, limit_indices: Any, strides: Any) -> Any:
        sizes = x.shape
        if not len(start_indices) == len(limit_indices) == len(strides) == len(sizes):
            raise TypeError(
                f"slice: start_indices {shape_text(start_indices)}, limit_indices "
                f"{shape_text(limit_indices)} and strides {shape_text(strides)} must each have "
                f"one entry for each axis of {x}"
            )
        for axis, size in enumerate(sizes):
            start, limit, stride = start_indices[axis], limit_indices[axis], strides[axis]
            if not (0 <= start <= limit <= size and stride >= 1):
                raise TypeError(
                    f"slice: {start}:{limit}:{stride} does not fit axis {axis} of {x}; it takes "
                    f"0 <= start <= limit <= {size} and a stride of at least 1"
                )
        lengths = [
            -(-(hi - lo) // step)
            for lo, hi, step in zip(start_indices, limit_indices, strides, strict=True)
        ]
        return tensor(lengths, x.element_type)

    @classmethod
    def adjoint(
        cls, g: Value, xs: Sequence[Value], y: Value, start_indices: Any, limit_indices: Any,
        strides: Any,
    ) -> Sequence[Any]:  # fmt: skip
        sizes, lengths = xs[0].type.shape, g.type.shape
        spanned = [(n - 1) * s + 1 if n else 0 for n, s in zip(lengths, strides, strict=True)]
        high = tuple(
            n - lo - span for n, lo, span in zip(sizes, start_indices, spanned, strict=True)
        )
        zero = full(tensor([], g.type.element_type), 0)
        return [
            emit.pad(
                g,
                zero,
                edge_padding_low=start_indices,
                edge_padding_high=high,
                interior_padding=tuple(s - 1 for s in strides),
            )
        ]

    @classmethod
    def batch(
        cls, xs: Sequence[Value], batched: Sequence[bool], start_indices: Any, limit_indices: Any,
        strides: Any,
    ) -> Value:  # fmt: skip
        (x,) = xs
        return slice_(
            x,
            start_indices=(0, *start_indices),
            limit_indices=(x.type.shape[0], *limit_indices),
            strides=(1, *strides),
        )

    @classmethod
    def stacked(
        cls, xs: Sequence[Sequence[Value]], params: Sequence[dict[str, Any]], /
    ) -> Value | None:
        return stacked_slices([x for (x,) in xs], params)

    @classmethod
    def dependence(cls, deps: Any, xs: Sequence[Any], **parts: Any) -> Any:
        steps = zip(parts["start_indices"], parts["limit_indices"], parts["strides"], strict=True)
        return xs[0][tuple(slice(*step) for step in steps)]

    @classmethod
    def pad_axes(
        cls, pads: Any, xs: Sequence[Any], start_indices: Any, limit_indices: Any, strides: Any
    ) -> Any:
        """A slice that begins at 0 and takes the whole axis stays whole; others are of numbers."""
        (x,) = xs
        sizes = zip(start_indices, limit_indices, strides, x.shape, strict=True)
        whole = [lo == 0 and hi == n and by == 1 for lo, hi, by, n in sizes]
        x = pads.widened(x, {a: n for a, n in pads.wanted.items() if whole[a]})
        axes = {a: length for a, length in x.axes.items() if whole[a]}
        limits = [axes[a].padded if a in axes else hi for a, hi in enumerate(limit_indices)]
        padded = {"start_indices": start_indices, "limit_indices": tuple(limits)}
        return cls.build(x.value, **padded, strides=strides), axes

    @classmethod
    def sample(cls, draw: Any) -> Any:
        def part(start: Any, limit: Any, stride: Any) -> dict[str, Any]:
            return {"start_indices": start, "limit_indices": limit, "strides": stride}

        return draw.calls(
            ([draw.floats(5, 4)], part((1, 0), (5, 3), (2, 1))),
            ([draw.floats(4)], part((2,), (2,), (1,))),
            ([draw.floats(6)], part((0,), (6,), (4,))),
            ([draw.floats()], part((), (), ())),
        )


broadcast_in_dim, reshape = BroadcastInDimOp.build, ReshapeOp.build
transpose, slice_ = TransposeOp.build, SliceOp.build


def reshaped(x: Value, shape: Sequence[int]) -> Value:
    """x in another shape; x itself where it has that shape."""
    return x if list(x.type.shape) == list(shape) else reshape(x, shape=tuple(shape))


def permuted(x: Value, permutation: Sequence[int]) -> Value:
    """x with its axes in another order; x itself where the order is the same."""
    if list(permutation) == list(range(x.type.rank)):
        return x
    return transpose(x, permutation=tuple(permutation))
