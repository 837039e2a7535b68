"""Cumulative ops: cumsum, cumprod, cummax, cummin, cumlogsumexp, and linear_recurrence.

Each result element combines all elements up to its position along `axis`; from the other end with
`reverse`.  Every derivative here is a linear recurrence y[i] = a[i] y[i-1] + b[i], forward in
forward mode and backward in reverse mode, without a division: exact at zeros, to every order.
Sources: Blelloch, "Prefix sums and their applications" (1990), section 1.4, for recurrences as
scans; Milakov and Gimelshein, "Online normalizer calculation for softmax" (2018), for cumlogsumexp.
"""

from collections.abc import Sequence
from typing import Any

from anvl.dialect.core.create import full, full_like, zeros_like
from anvl.dialect.core.families import add_tangents, check_axes, check_kind, with_batch_axis
from anvl.dialect.core.op import AnvlOp, Operand, Result, Value, emit
from anvl.dialect.core.params.base import Bool, Int
from anvl.dialect.core.shape import permuted
from anvl.dialect.core.types import dtype_name, tensor
from anvl.dialect.ops.elementwise.elementary import and_
from anvl.dialect.ops.reduction.last_axis import concatenated, interleaved, pair_sides, part
from anvl.dialect.ops.reduction.reduce import extreme, materialized

__all__ = [
    "CumlogsumexpOp", "CummaxOp", "CumminOp", "CumprodOp", "CumsumOp", "LinearRecurrenceOp",
]  # fmt: skip


class Cumulative(AnvlOp):
    """y[i] combines the elements up to i along `axis`; from i on with `reverse`.

    Subclasses define `kinds`, `combine` (the op of two elements) and `identity` (per element type).
    """

    x: Operand
    axis: Int
    reverse: Bool
    y: Result
    kinds = "int uint float complex"
    combine = ""

    @classmethod
    def identity(cls, element: Any) -> complex:
        """Neutral element of `combine`."""
        raise NotImplementedError

    @classmethod
    def result_type(cls, x: Any, axis: int, reverse: bool = False) -> Any:
        check_kind(cls.short_name, x, cls.kinds)
        check_axes(f"{cls.short_name}: axis {axis}", (axis,), x.rank, x)
        return x

    @classmethod
    def lower(cls, hlo: Any, x: Value, axis: int, reverse: bool = False) -> Value:
        start = cls.identity(x.type.element_type)
        return _windowed(x, axis, reverse, cls.combine, start)

    @classmethod
    def batch(
        cls, xs: Sequence[Value], batched: Sequence[bool], axis: int, reverse: bool = False
    ) -> Value:
        return cls.build(xs[0], axis=axis + 1, reverse=reverse)

    @classmethod
    def dependence(cls, deps: Any, xs: Sequence[Any], axis: int, reverse: bool = False) -> Any:
        return deps.running(xs[0], axis, reverse)

    @classmethod
    def pad_axes(cls, pads: Any, xs: Sequence[Any], axis: int, reverse: bool = False) -> Any:
        """Forward, nothing of the padding reaches what is before it."""
        x = pads.widened(xs[0], pads.wanted)
        value = pads.masked(x, cls.identity(x.element), (axis,)) if reverse else x.value
        return cls.build(value, axis=axis, reverse=reverse), x.axes

    @classmethod
    def sample(cls, draw: Any) -> Any:
        return draw.calls(
            ([draw.floats(2, 5)], {"axis": 1, "reverse": False}),
            ([draw.floats(3, 2)], {"axis": 0, "reverse": True}),
            ([draw.floats(40, within=(-2.4, 2.4))], {"axis": 0}),
            ([draw.floats(1)], {"axis": 0, "reverse": True}),
            ([draw.floats(2, 0)], {"axis": 1, "reverse": False}),
            ([draw.floats(0, 2)], {"axis": 1, "reverse": True}),
        )


def _windowed(x: Value, axis: int, reverse: bool, combine: str, start: complex) -> Value:
    """Emit as windows from each element back to the first, which XLA computes as a tree."""
    count, rank = x.type.shape[axis], x.type.rank
    if 0 in x.type.shape:
        return x
    reach = (0, count - 1) if reverse else (count - 1, 0)
    return emit.reduce_window(
        x,
        full(tensor([], x.type.element_type), start),
        window_dimensions=tuple(count if a == axis else 1 for a in range(rank)),
        padding=tuple(reach if a == axis else (0, 0) for a in range(rank)),
        body=getattr(emit, combine),
    )[0]


def _before(x: Value, axis: int, reverse: bool, first: complex = 0) -> Value:
    """Shift by one position: the preceding element in the op's order; `first` if none."""
    rank = x.type.rank
    if 0 in x.type.shape:
        return x
    step = -1 if reverse else 1
    return emit.pad(
        x,
        full(tensor([], x.type.element_type), first),
        edge_padding_low=tuple(step if a == axis else 0 for a in range(rank)),
        edge_padding_high=tuple(-step if a == axis else 0 for a in range(rank)),
        interior_padding=(0,) * rank,
    )


def _after(x: Value, axis: int, reverse: bool) -> Value:
    """Shift by one position: the following element in the op's order."""
    return _before(x, axis, not reverse)


class CumsumOp(Cumulative, name="cumsum"):
    """Sum of the elements up to each position along `axis`.  Linear."""

    combine = "add"
    moves_elements = True

    @classmethod
    def identity(cls, element: Any) -> complex:
        return 0

    @classmethod
    def tangent(
        cls, ts: Sequence[Value | None], xs: Any, y: Value, axis: int, reverse: bool = False
    ) -> Value | None:
        return None if ts[0] is None else cls.build(ts[0], axis=axis, reverse=reverse)

    @classmethod
    def adjoint(
        cls, g: Value, xs: Sequence[Value], y: Value, axis: int, reverse: bool = False
    ) -> Sequence[Any]:
        return [cls.build(g, axis=axis, reverse=not reverse)]


class CumprodOp(Cumulative, name="cumprod"):
    """Product of the elements up to each position along `axis`."""

    singularity_convention = "exact at zeros, to every order"
    combine = "mul"

    @classmethod
    def identity(cls, element: Any) -> complex:
        return 1

    @classmethod
    def tangent(
        cls, ts: Sequence[Value | None], xs: Sequence[Value], y: Value, axis: int,
        reverse: bool = False,
    ) -> Value | None:  # fmt: skip
        """ty[i] = x[i] ty[i-1] + t[i] y[i-1]."""
        (t,), (x,) = ts, xs
        if t is None:
            return None
        own = emit.mul(t, _before(y, axis, reverse, first=1))
        return emit.linear_recurrence(x, own, axis=axis, reverse=reverse)

    @classmethod
    def adjoint(
        cls, g: Value, xs: Sequence[Value], y: Value, axis: int, reverse: bool = False
    ) -> Sequence[Any]:
        """s[i] = g[i] + x[i+1] s[i+1]; the cotangent is y[i-1] s[i]."""
        s = emit.linear_recurrence(_after(xs[0], axis, reverse), g, axis=axis, reverse=not reverse)
        return [emit.mul(_before(y, axis, reverse, first=1), s)]


class CumulativeExtremum(Cumulative):
    """Base of cummax and cummin; ties share the derivative evenly."""

    kinds = "bool int uint float"
    singularity_convention = "ties share evenly at each position"

    @classmethod
    def identity(cls, element: Any) -> complex:
        return extreme(element, lowest=cls.combine == "maximum")

    @classmethod
    def _runs(cls, x: Value, axis: int, reverse: bool) -> tuple[Value, Value, Value]:
        """Masks and tie counts of the running extremum.

        Returns which x equal the running extremum, whether it is unchanged from the preceding
        position (1 or 0), and how many elements tie for it.
        """
        dtype = dtype_name(x.type.element_type)
        x = materialized(x)
        y = cls.build(x, axis=axis, reverse=reverse)
        won = emit.compare(x, y, comparison_direction="EQ")
        same = emit.compare(y, _before(y, axis, reverse), comparison_direction="EQ")
        # As integers: narrow floats cannot count far.
        counted = [emit.convert(v, dtype="i32") for v in (same, won)]
        count = emit.linear_recurrence(*counted, axis=axis, reverse=reverse)
        # After a NaN no element equals the extremum: count 1, so that no 0/0 spreads from there.
        count = emit.convert(emit.maximum(count, full_like(count, 1)), dtype=dtype)
        return won, emit.convert(same, dtype=dtype), count

    @classmethod
    def tangent(
        cls, ts: Sequence[Value | None], xs: Sequence[Value], y: Value, axis: int,
        reverse: bool = False,
    ) -> Value | None:  # fmt: skip
        (t,), (x,) = ts, xs
        if t is None:
            return None
        won, stays, count = cls._runs(x, axis, reverse)
        own = emit.select(won, t, zeros_like(t))
        return emit.div(emit.linear_recurrence(stays, own, axis=axis, reverse=reverse), count)

    @classmethod
    def adjoint(
        cls, g: Value, xs: Sequence[Value], y: Value, axis: int, reverse: bool = False
    ) -> Sequence[Any]:
        (x,) = xs
        won, stays, count = cls._runs(x, axis, reverse)
        share = emit.linear_recurrence(
            _after(stays, axis, reverse), emit.div(g, count), axis=axis, reverse=not reverse
        )
        return [emit.select(won, share, zeros_like(x))]


class CummaxOp(CumulativeExtremum, name="cummax"):
    """Largest of the elements up to each position along `axis`."""

    combine = "maximum"


class CumminOp(CumulativeExtremum, name="cummin"):
    """Smallest of the elements up to each position along `axis`."""

    combine = "minimum"


class CumlogsumexpOp(Cumulative, name="cumlogsumexp"):
    """Logarithm of the cumulative sum of exp(x) along `axis`, without overflow."""

    kinds = "float"
    singularity_convention = "an infinite element takes the whole derivative, the last of several"

    @classmethod
    def identity(cls, element: Any) -> complex:
        return extreme(element, lowest=True)

    @classmethod
    def lower(cls, hlo: Any, x: Value, axis: int, reverse: bool = False) -> Value:
        """With the running maximum m: s[i] = exp(m[i-1] - m[i]) s[i-1] + exp(x[i] - m[i])."""
        least = cls.identity(x.type.element_type)
        m = _windowed(x, axis, reverse, "maximum", least)
        kept = emit.exp(_minus(_before(m, axis, reverse, first=least), m))
        s = _recurrence(kept, emit.exp(_minus(x, m)), axis, reverse)
        return emit.add(m, emit.log(s))

    @classmethod
    def _weights(cls, x: Value, y: Value, axis: int, reverse: bool) -> tuple[Value, Value]:
        """Shares of exp(y[i-1]) and of exp(x[i]) in exp(y[i]).

        An infinite element takes the whole share; of several, the last one does.
        """
        least = cls.identity(x.type.element_type)
        old = emit.exp(_minus(_before(y, axis, reverse, first=least), y))
        takes_all = and_(emit.compare(x, y, comparison_direction="EQ"), emit.is_inf(x))
        return emit.select(takes_all, zeros_like(old), old), emit.exp(_minus(x, y))

    @classmethod
    def tangent(
        cls, ts: Sequence[Value | None], xs: Sequence[Value], y: Value, axis: int,
        reverse: bool = False,
    ) -> Value | None:  # fmt: skip
        (t,), (x,) = ts, xs
        if t is None:
            return None
        old, new = cls._weights(x, y, axis, reverse)
        return emit.linear_recurrence(old, emit.mul(new, t), axis=axis, reverse=reverse)

    @classmethod
    def adjoint(
        cls, g: Value, xs: Sequence[Value], y: Value, axis: int, reverse: bool = False
    ) -> Sequence[Any]:
        old, new = cls._weights(xs[0], y, axis, reverse)
        s = emit.linear_recurrence(_after(old, axis, reverse), g, axis=axis, reverse=not reverse)
        return [emit.mul(new, s)]


def _minus(x: Value, y: Value) -> Value:
    """x - y, and 0 where they are equal, infinities included."""
    same = emit.compare(x, y, comparison_direction="EQ")
    return emit.select(same, zeros_like(x), emit.sub(x, y))


class LinearRecurrenceOp(AnvlOp, name="linear_recurrence"):
    """Solve y[i] = a[i] y[i-1] + b[i] along `axis`, from the other end with `reverse`; y[0] = b[0].

    Computed as a tree of pairs, which multiplies elements of `a` with each other.
    """

    a: Operand
    b: Operand
    axis: Int
    reverse: Bool
    y: Result

    @classmethod
    def result_type(cls, a: Any, b: Any, axis: int, reverse: bool = False) -> Any:
        if a != b:
            raise TypeError(
                f"linear_recurrence: operands differ in type: {a}, {b}; broadcast or convert them"
            )
        check_kind("linear_recurrence", a, "int uint float complex")
        check_axes(f"linear_recurrence: axis {axis}", (axis,), a.rank, a)
        return a

    @classmethod
    def lower(cls, hlo: Any, a: Value, b: Value, axis: int, reverse: bool = False) -> Value:
        return _recurrence(a, b, axis, reverse)

    @classmethod
    def tangent(
        cls, ts: Sequence[Value | None], xs: Sequence[Value], y: Value, axis: int,
        reverse: bool = False,
    ) -> Value | None:  # fmt: skip
        """ty[i] = a[i] ty[i-1] + ta[i] y[i-1] + tb[i]."""
        ta, tb = ts
        of_a = None if ta is None else emit.mul(ta, _before(y, axis, reverse))
        own = add_tangents([of_a, tb])
        return None if own is None else cls.build(xs[0], own, axis=axis, reverse=reverse)

    @classmethod
    def adjoint(
        cls, g: Value, xs: Sequence[Value], y: Value, axis: int, reverse: bool = False
    ) -> Sequence[Any]:
        """s[i] = g[i] + a[i+1] s[i+1] is the cotangent of b; s[i] y[i-1] the cotangent of a."""
        s = cls.build(_after(xs[0], axis, reverse), g, axis=axis, reverse=not reverse)
        return [lambda: emit.mul(s, _before(y, axis, reverse)), s]

    @classmethod
    def batch(
        cls, xs: Sequence[Value], batched: Sequence[bool], axis: int, reverse: bool = False
    ) -> Value:
        return cls.build(*with_batch_axis(xs, batched), axis=axis + 1, reverse=reverse)

    @classmethod
    def dependence(cls, deps: Any, xs: Sequence[Any], axis: int, reverse: bool = False) -> Any:
        return deps.running(deps.union(*xs), axis, reverse)

    @classmethod
    def pad_axes(cls, pads: Any, xs: Sequence[Any], axis: int, reverse: bool = False) -> Any:
        """From the end, the padding becomes a recurrence of zeros.

        The last `a` is masked too: nothing is before it, but the op multiplies it with the padding.
        """
        (a, b), axes = pads.aligned(xs)
        if not reverse:
            return cls.build(a.value, b.value, axis=axis, reverse=False), axes
        masked = pads.masked(a, 0, (axis,), last=1), pads.masked(b, 0, (axis,))
        return cls.build(*masked, axis=axis, reverse=True), axes

    @classmethod
    def sample(cls, draw: Any) -> Any:
        return draw.calls(
            ([draw.floats(2, 5), draw.floats(2, 5)], {"axis": 1, "reverse": False}),
            ([draw.floats(3, 2), draw.floats(3, 2)], {"axis": 0, "reverse": True}),
            ([draw.floats(71, within=(-0.9, 0.9)), draw.floats(71)], {"axis": 0}),
            ([draw.floats(1), draw.floats(1)], {"axis": 0, "reverse": True}),
            ([draw.floats(2, 0), draw.floats(2, 0)], {"axis": 1, "reverse": False}),
        )


# -- scan as a tree -------------------------------------------------------------------------------


def _recurrence(a: Value, b: Value, axis: int, reverse: bool) -> Value:
    """Emit `linear_recurrence` as elementwise ops and data movement."""
    if 0 in a.type.shape:
        return b
    axes = [i for i in range(a.type.rank) if i != axis] + [axis]
    rows = [permuted(x, axes) for x in (a, b)]
    if reverse:
        rows = [emit.reverse(x, dimensions=(a.type.rank - 1,)) for x in rows]
    y = _tree(*rows)
    if reverse:
        y = emit.reverse(y, dimensions=(a.type.rank - 1,))
    return permuted(y, [axes.index(i) for i in range(len(axes))])


_STEPS = 32  # up to this length, recursive doubling takes fewer ops than pairs


def _tree(a: Value, b: Value) -> Value:
    """Solve the half as long recurrence of composed pairs, then the first of each pair."""
    count = a.type.shape[-1]
    if count <= _STEPS:
        return _doubling(a, b)
    a_left, a_right = _padded_sides(a)
    b_left, b_right = _padded_sides(b)
    both = _tree(emit.mul(a_left, a_right), emit.add(emit.mul(a_right, b_left), b_right))
    firsts = _stepped(a_left, b_left, both, 1)
    return part(interleaved(firsts, both), 0, count)


def _padded_sides(x: Value) -> list[Value]:
    """Split into elements at even and odd positions, padded with a zero if one is missing."""
    shape, rank = x.type.shape, x.type.rank
    if shape[-1] % 2:
        low, high = (0,) * rank, (0,) * (rank - 1) + (1,)
        zero = full(tensor([], x.type.element_type), 0)
        x = emit.pad(x, zero, edge_padding_low=low, edge_padding_high=high, interior_padding=low)
    return pair_sides(x)


def _doubling(a: Value, b: Value) -> Value:
    """Recursive doubling: each position takes in the 1, 2, 4, ... positions before it."""
    count, reach = a.type.shape[-1], 1
    while reach < count:
        b = _stepped(a, b, b, reach)
        if 2 * reach < count:
            products = emit.mul(part(a, reach, count), part(a, 0, count - reach))
            a = concatenated(part(a, 0, reach), products)
        reach *= 2
    return b


def _stepped(a: Value, b: Value, y: Value, reach: int) -> Value:
    """a[i] y[i - reach] + b[i]; just b[i] where i < reach, whatever a[i] is."""
    count = a.type.shape[-1]
    carried = emit.mul(part(a, reach, count), part(y, 0, count - reach))
    behind = emit.add(carried, part(b, reach, count))
    return concatenated(part(b, 0, reach), behind)
