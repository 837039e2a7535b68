"""`reduce_window`: sliding windows of an array, each reduced by a scalar function.

The derivative is that of the expansion: the windows, as strided slices, stacked along a new axis
and reduced along it.  Sums have a shorter one: a sum over windows again.
Source: StableHLO specification, `reduce_window`.
"""

import itertools
from collections.abc import Sequence
from typing import Any, ClassVar, NamedTuple

from anvl.dialect.core.create import full_like, zeros_like
from anvl.dialect.core.errors import MissingRule
from anvl.dialect.core.families import add_tangents, with_batch_axis
from anvl.dialect.core.mlir import ir
from anvl.dialect.core.op import AnvlOp, Operands, Results, Value, emit
from anvl.dialect.core.params.base import Body, Ints
from anvl.dialect.core.params.window_params import OptionalPadding, Steps, entries_text
from anvl.dialect.core.shape import reshaped
from anvl.dialect.core.types import tensor
from anvl.dialect.interpreters.subprogram import Program, batch_of, jvp_of, vjp_of
from anvl.dialect.ops.array.pad import unpadded, zero_of
from anvl.dialect.ops.elementwise.elementary import and_
from anvl.dialect.ops.reduction.reduce_region import complex_product, halves, smooth_max
from anvl.dialect.sparsity.combinations import windows_union

__all__ = ["ReduceWindowOp", "Windows", "only_op"]


class Windows(NamedTuple):
    """Geometry of windows of `sizes` on an array: strides, dilations and padding."""

    sizes: tuple[int, ...]
    strides: tuple[int, ...]
    base_dilations: tuple[int, ...]
    window_dilations: tuple[int, ...]
    padding: tuple[tuple[int, int], ...]

    @classmethod
    def of(
        cls, window_dimensions: Any, window_strides: Any = None, base_dilations: Any = None,
        window_dilations: Any = None, padding: Any = None,
    ) -> "Windows":  # fmt: skip
        """Make one from an op's parameters, where None stands for steps of 1 or no padding."""
        ones = (1,) * len(window_dimensions)
        return cls(
            tuple(window_dimensions),
            ones if window_strides is None else tuple(window_strides),
            ones if base_dilations is None else tuple(base_dilations),
            ones if window_dilations is None else tuple(window_dilations),
            ((0, 0),) * len(ones) if padding is None else tuple(map(tuple, padding)),
        )

    def params(self) -> dict[str, Any]:
        """Parameters of `reduce_window`."""
        return {
            "window_dimensions": self.sizes,
            "window_strides": self.strides,
            "base_dilations": self.base_dilations,
            "window_dilations": self.window_dilations,
            "padding": self.padding,
        }

    def check(self, name: str, x: Any) -> None:
        """Raise TypeError unless there is one positive entry for each axis of x."""
        for word, entries in self.params().items():
            if len(entries) != x.rank:
                raise TypeError(
                    f"{name}: {word} {entries_text(entries)} must have one entry for each axis "
                    f"of {x}"
                )
            if word != "padding" and any(n < 1 for n in entries):
                raise TypeError(f"{name}: {word} {entries_text(entries)} of {x} must be positive")
        for axis, n in enumerate(self.padded(x.shape)):
            if n < 0:
                raise TypeError(
                    f"{name}: padding {entries_text(self.padding)} removes more elements than "
                    f"there are along axis {axis} of {x}"
                )

    def padded(self, shape: Sequence[int]) -> list[int]:
        """Shape of the array after dilation and padding."""
        return [
            _dilated_size(n, inner) + low + high
            for n, inner, (low, high) in zip(shape, self.base_dilations, self.padding, strict=True)
        ]

    def is_single(self, axis: int) -> bool:
        """Whether each window has one element along an axis, and each element one window."""
        steps = self.sizes, self.strides, self.base_dilations
        return all(of[axis] == 1 for of in steps) and self.padding[axis] == (0, 0)

    def counts(self, shape: Sequence[int]) -> list[int]:
        """Number of windows along each axis."""
        spans = [
            _dilated_size(n, d) for n, d in zip(self.sizes, self.window_dilations, strict=True)
        ]
        return [
            0 if n == 0 or span > n else (n - span) // stride + 1
            for n, span, stride in zip(self.padded(shape), spans, self.strides, strict=True)
        ]

    def transposed(self, shape: Sequence[int], counts: Sequence[int]) -> "Windows":
        """Windows over the results that cover, for each element, the windows it is in.

        Element i is at low + i base, member k of window j at j stride + k dilation: where they
        meet, j stride = i base + (size - 1 - k) dilation - ((size - 1) dilation - low).
        """
        padding = []
        for axis, n in enumerate(shape):
            reach = (self.sizes[axis] - 1) * self.window_dilations[axis]
            low = reach - self.padding[axis][0]
            wanted = _dilated_size(n, self.base_dilations[axis]) + reach
            padding.append((low, wanted - low - _dilated_size(counts[axis], self.strides[axis])))
        return Windows(
            self.sizes, self.base_dilations, self.strides, self.window_dilations, tuple(padding)
        )

    def is_padded(self) -> bool:
        """Whether a window may cover elements outside the array."""
        between = any(n > 1 for n in self.base_dilations)
        return between or any(n > 0 for pair in self.padding for n in pair)

    def with_batch_axis(self) -> "Windows":
        """Add a leading axis of windows of size 1."""
        first: list[Any] = [1, 1, 1, 1, (0, 0)]
        return Windows(*[(one, *entries) for one, entries in zip(first, self, strict=True)])

    def members(self, x: Value, fill: Value) -> list[Value]:
        """For each window element, in order, the array of its values in all windows."""
        whole = x
        if self.moves():
            whole = emit.pad(
                x,
                fill,
                edge_padding_low=tuple(low for low, _ in self.padding),
                edge_padding_high=tuple(high for _, high in self.padding),
                interior_padding=tuple(n - 1 for n in self.base_dilations),
            )
        return [
            self._member(whole, offset) for offset in itertools.product(*map(range, self.sizes))
        ]

    def put_back(self, parts: Sequence[Value], x: Value) -> Value:
        """Transpose of `members`: sum the parts at the elements of x that they came from."""
        shape, zero = self.padded(x.type.shape), zero_of(parts[0])
        counts = parts[0].type.shape
        placed = []
        for offset, part in zip(itertools.product(*map(range, self.sizes)), parts, strict=True):
            lows = tuple(k * d for k, d in zip(offset, self.window_dilations, strict=True))
            reach = [_dilated_size(n, s) for n, s in zip(counts, self.strides, strict=True)]
            highs = tuple(n - low - r for n, low, r in zip(shape, lows, reach, strict=True))
            placed.append(
                emit.pad(
                    part,
                    zero,
                    edge_padding_low=lows,
                    edge_padding_high=highs,
                    interior_padding=tuple(s - 1 for s in self.strides),
                )
            )
        low, high = zip(*self.padding, strict=True) if self.padding else ((), ())
        inner = tuple(n - 1 for n in self.base_dilations)
        whole: Any = add_tangents(placed)
        return unpadded(whole, x, low, high, inner) if self.moves() else whole

    def moves(self) -> bool:
        """Whether the array is padded, cut or dilated."""
        return any(n > 1 for n in self.base_dilations) or any(itertools.chain(*self.padding))

    def _member(self, whole: Value, offset: tuple[int, ...]) -> Value:
        lengths = self._lengths(whole)
        starts = tuple(
            k * d if n else 0
            for k, d, n in zip(offset, self.window_dilations, lengths, strict=True)
        )
        limits = tuple(
            start + _dilated_size(n, s)
            for start, n, s in zip(starts, lengths, self.strides, strict=True)
        )
        return emit.slice(whole, start_indices=starts, limit_indices=limits, strides=self.strides)

    def _lengths(self, whole: Value) -> list[int]:
        of_whole = self._replace(
            base_dilations=(1,) * len(self.sizes), padding=((0, 0),) * len(self.sizes)
        )
        return of_whole.counts(whole.type.shape)


def _dilated_size(n: int, step: int) -> int:
    """Extent of n elements that are `step` apart."""
    return (n - 1) * step + 1 if n else 0


_NOT_OF_STARTS = (
    "an initial value must be the identity of the body: the effect of any other depends on the "
    "plugin"
)


class ReduceWindowOp(AnvlOp, name="reduce_window", borrowed=True):
    """Reduce each window of `window_dimensions` with `body`, starting from initial values.

    Operands: n arrays of one shape, then n scalars, which also pad the arrays.
    `body(*best, *next)` takes and returns n scalars, must be associative, and have the initial
    values as identity.  This is not checked; for another body neither the value nor the derivative
    is defined.  StableHLO `reduce_window`, borrowed.
    """

    xs: Operands
    window_dimensions: Ints
    window_strides: Steps
    base_dilations: Steps
    window_dilations: Steps
    padding: OptionalPadding
    body: Body
    ys: Results
    singularity_convention = "max and min: ties share evenly; products: exact at zeros"
    # By position for one array; see `undefined_of`.
    undefined: ClassVar[dict[int, str]] = {1: _NOT_OF_STARTS}

    @classmethod
    def undefined_of(cls, n_operands: int, op: Any = None) -> dict[int, str]:
        return dict.fromkeys(range(n_operands // 2, n_operands), _NOT_OF_STARTS)

    @classmethod
    def result_type(cls, *types: Any, **params: Any) -> Any:
        arrays, starts = halves("reduce_window", types)
        for x, start in zip(arrays, starts, strict=True):
            if list(x.shape) != list(arrays[0].shape):
                raise TypeError(
                    f"reduce_window: arrays {', '.join(map(str, arrays))} differ in shape"
                )
            if start != tensor([], x.element_type):
                raise TypeError(
                    f"reduce_window: initial value {start} of array {x} must be "
                    f"{tensor([], x.element_type)}"
                )
        params.pop("body", None)
        windows = Windows.of(**params)
        windows.check("reduce_window", arrays[0])
        shape = windows.counts(arrays[0].shape)
        return [tensor(shape, x.element_type) for x in arrays]

    @classmethod
    def body_types(cls, *types: Any, **params: Any) -> Any:
        _, starts = halves("reduce_window", types)
        return [([*starts, *starts], list(starts))]

    @classmethod
    def is_already_legal(cls, op: ir.Operation) -> bool:
        return any(n > 1 for n in op.attributes["window_dimensions"])

    @classmethod
    def lower(cls, hlo: Any, *xs: Value, body: Program, **params: Any) -> Any:
        """Lower windows of one element to slices: XLA's simplifier aborts on their shape."""
        windows = Windows.of(**params)
        arrays, starts = halves("reduce_window", xs)
        return [windows.members(x, start)[0] for x, start in zip(arrays, starts, strict=True)]

    @classmethod
    def adjoint(
        cls, gs: Sequence[Any], xs: Sequence[Value], ys: Sequence[Value], body: Program,
        **params: Any,
    ) -> Sequence[Any]:  # fmt: skip
        windows = Windows.of(**params)
        arrays, starts = halves("reduce_window", xs)
        undefined = [None] * len(starts)
        if only_op(body) == "anvl.add":
            return [_summed(gs[0], arrays[0], windows), *undefined]
        if only_op(body) in _EXTREMES:
            return [_shared(gs[0], arrays[0], starts[0], ys[0], windows), *undefined]
        found = vjp_of(
            lambda *vs: _expanded(body, windows, [*vs, *starts]), arrays, gs, symbols=body.symbols
        )
        return [*found, *undefined]

    @classmethod
    def tangent(
        cls, ts: Sequence[Any], xs: Sequence[Value], ys: Sequence[Value], body: Program,
        **params: Any,
    ) -> Sequence[Value | None]:  # fmt: skip
        n = len(xs) // 2
        if any(t is not None for t in ts[n:]):
            raise MissingRule(f"stablehlo.reduce_window: {_NOT_OF_STARTS}")
        if only_op(body) == "anvl.add":
            return emit.reduce_window(ts[0], zero_of(xs[0]), body=body, **params)
        windows = Windows.of(**params)
        if only_op(body) in _EXTREMES:
            return [_share_of(ts[0], xs[0], xs[1], ys[0], windows)]
        moving = [*ts[:n], *[None] * n]
        symbols = body.symbols
        return jvp_of(lambda *vs: _expanded(body, windows, vs), xs, moving, symbols=symbols)

    @classmethod
    def batch(
        cls, xs: Sequence[Value], batched: Sequence[bool], body: Program, **params: Any
    ) -> Sequence[Value]:
        windows, n = Windows.of(**params), len(xs) // 2
        if any(batched[n:]):  # StableHLO's op has one initial value for all members
            symbols = body.symbols
            return batch_of(lambda *vs: _expanded(body, windows, vs), xs, batched, symbols=symbols)
        arrays = with_batch_axis(xs[:n], batched[:n])
        return emit.reduce_window(*arrays, *xs[n:], body=body, **windows.with_batch_axis().params())

    @classmethod
    def dependence(cls, deps: Any, xs: Sequence[Any], body: Program, **params: Any) -> Any:
        arrays, starts = halves("reduce_window", xs)
        both = deps.union(*arrays)
        union = deps.union(windows_union(deps, both, *Windows.of(**params)), deps.all_of(starts))
        return [union for _ in arrays]

    @classmethod
    def pad_axes(cls, pads: Any, xs: Sequence[Any], body: Program, **params: Any) -> Any:
        n = len(xs) // 2
        arrays, axes = pads.aligned(xs[:n])
        windows = Windows.of(**params)
        for axis in axes:
            if not windows.is_single(axis):
                pads.refuse(axis, "a window reaches from true positions into the padding")
        operands = [x.value for x in (*arrays, *xs[n:])]
        return [(y, axes) for y in emit.reduce_window(*operands, body=body, **params)]

    @classmethod
    def sample(cls, draw: Any) -> Any:
        zero, one = (draw.floats(within=(v, v)) for v in (0.0, 1.0))
        low, high = (draw.floats(within=(v, v)) for v in (-100.0, 100.0))

        def params(sizes: Any, body: Any, **rest: Any) -> dict[str, Any]:
            return {"window_dimensions": sizes, "body": body, **rest}

        every = {
            "window_strides": (2, 1), "base_dilations": (1, 2), "window_dilations": (1, 2),
            "padding": ((1, 0), (2, -1)),
        }  # fmt: skip
        return draw.calls(
            ([draw.floats(4, 5), zero], params((2, 2), emit.add, **every)),
            ([draw.floats(5), zero], params((3,), emit.add, padding=((2, 0),))),
            ([draw.floats(4, 5), low], params((2, 3), emit.maximum, window_strides=(2, 2))),
            ([draw.floats(6), high], params((2,), emit.minimum, padding=((1, 1),))),
            ([draw.floats(4, 3), one], params((2, 2), emit.mul, **every)),
            ([draw.floats(5), low], params((2,), smooth_max, window_strides=(2,))),
            # Of -100 twice, between the elements, every dtype has the derivative of this one.
            ([draw.floats(4), low], params((2,), emit.logaddexp, base_dilations=(2,))),
            ([draw.floats(3), low], params((1,), smooth_max, window_strides=(2,))),
            (
                [draw.floats(2, 4), draw.floats(2, 4), one, zero],
                params((1, 3), complex_product, padding=((0, 0), (1, 1))),
            ),
            ([draw.floats(2), zero], params((3,), emit.add)),
            ([draw.floats(0), zero], params((1,), emit.add, padding=((1, 1),))),
            ([draw.floats(), zero], params((), emit.add)),
            ([draw.complexes(4), zero.astype(complex)], params((2,), emit.add)),
            ([draw.complexes(4), one.astype(complex)], params((2,), emit.mul)),
            ([draw.floats(5).astype("f4"), low.astype("f4")], params((2,), emit.maximum)),
            ([draw.ints(3, 4), draw.ints(within=(0, 0))], params((2, 2), emit.add)),
            ([draw.bools(5), draw.bools()], params((2,), and_)),
        )


def only_op(body: Program) -> str | None:
    """Name of the op if a body of two scalars consists of a single op."""
    operations = list(body.block.operations)
    if len(body.arguments) != 2 or len(operations) != 2:
        return None
    op = operations[0].operation
    same = list(op.operands) == body.arguments and list(op.results) == body.results
    return op.name if same else None


def _summed(g: Value, x: Value, windows: Windows) -> Value:
    """Sum, for each element of x, the cotangents of all windows it is in."""
    shape = x.type.shape
    if 0 in shape:
        return emit.broadcast_in_dim(zero_of(x), shape=tuple(shape), broadcast_dimensions=())
    turned = windows.transposed(shape, g.type.shape)
    return emit.reduce_window(g, zero_of(g), body=emit.add, **turned.params())[0]


_EXTREMES = ("anvl.maximum", "anvl.minimum")


def _winners(x: Value, start: Value, y: Value, windows: Windows) -> tuple[list[Value], Value]:
    """For each window element whether it equals the result, in all windows; the number of ties."""
    zero, one = zeros_like(y), full_like(y, 1)
    won = [emit.compare(v, y, comparison_direction="EQ") for v in windows.members(x, start)]
    count: Any = add_tangents([emit.select(w, one, zero) for w in won])
    return won, count


def _shared(g: Value, x: Value, start: Value, y: Value, windows: Windows) -> Value:
    """Share the cotangent of each window evenly among the elements equal to its result."""
    if 0 in x.type.shape or 0 in y.type.shape:
        return zeros_like(x)
    won, count = _winners(x, start, y, windows)
    share = emit.div(g, count)
    return windows.put_back([emit.select(w, share, zeros_like(y)) for w in won], x)


def _share_of(t: Value, x: Value, start: Value, y: Value, windows: Windows) -> Value:
    """Mean of the tangents of the elements of each window equal to its result."""
    won, count = _winners(x, start, y, windows)
    members = zip(won, windows.members(t, zero_of(t)), strict=True)
    return emit.div(add_tangents([emit.select(w, v, zeros_like(y)) for w, v in members]), count)


_FOLDS = {"anvl.maximum": "max", "anvl.minimum": "min", "anvl.mul": "prod"}


def _expanded(body: Program, windows: Windows, values: Sequence[Value]) -> list[Value]:
    """Expand the op: the elements of all windows stacked along a last axis, and reduced.

    Bodies for which anvl has a reduction op use it: its derivative is shorter.
    """
    arrays, starts = halves("reduce_window", values)
    stacks = [_stacked(windows.members(x, start)) for x, start in zip(arrays, starts, strict=True)]
    last = stacks[0].type.rank - 1
    fold = _FOLDS.get(only_op(body) or "")
    if fold is None:
        return list(emit.reduce(*stacks, *starts, dimensions=(last,), body=body))
    (stack,), (start,) = stacks, starts
    shape = (*stack.type.shape[:-1], 1)
    front = emit.broadcast_in_dim(start, shape=shape, broadcast_dimensions=())
    every = emit.concatenate(front, stack, dimension=last)
    return [getattr(emit, fold)(every, axes=(last,))]


def _stacked(parts: Sequence[Value]) -> Value:
    raised = [reshaped(part, (*part.type.shape, 1)) for part in parts]
    return emit.concatenate(*raised, dimension=raised[0].type.rank - 1)
