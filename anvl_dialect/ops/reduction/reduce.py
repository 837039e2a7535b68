"""Reductions: sum, prod, max, min, all, any, argmax, argmin.

Each removes `axes` from the shape, and lowers to StableHLO's `reduce` with a body.
Source: StableHLO specification, `reduce`.
"""

import math
from collections.abc import Callable, Sequence
from typing import Any

from anvl.dialect.core.attributes import attribute_of
from anvl.dialect.core.create import ComplexLiteral, full_like, splat, zeros_like
from anvl.dialect.core.families import check_axes, check_kind
from anvl.dialect.core.mlir import ir
from anvl.dialect.core.op import AnvlOp, Operand, Result, Value, emit
from anvl.dialect.core.params.base import Int, Ints, ResultDtype
from anvl.dialect.core.types import (
    element_type,
    integer_range,
    kind,
    largest_float,
    shape_text,
    tensor,
    without_axes,
)
from anvl.dialect.ops.reduction.last_axis import merged_axes, unmerged_axes
from anvl.dialect.ops.reduction.products import times_others

__all__ = [
    "AllOp", "AnyOp", "ArgmaxOp", "ArgminOp", "MaxOp", "MinOp", "ProdOp", "Reduction", "SumOp",
]  # fmt: skip


class Reduction(AnvlOp):
    """Combine the elements along `axes`.

    Subclasses define `kinds`, `combine` (the StableHLO op of two elements) and `identity` (per
    element type).
    """

    x: Operand
    axes: Ints
    y: Result
    kinds = "int uint float complex"
    combine = ""
    lifts = "stablehlo.reduce"

    @classmethod
    def lift(cls, op: ir.Operation) -> tuple[Sequence[Value], dict[str, Any]] | None:
        if len(op.operands) != 2 or not _combines(op.regions[0].blocks[0], cls.combine):
            return None
        x, start = op.operands
        element = x.type.element_type
        if kind(element) not in cls.kinds.split() or not _is_filled(start, cls.identity(element)):
            return None
        return [x], {"axes": Ints.decode(op.attributes["dimensions"])}

    @classmethod
    def identity(cls, element: Any) -> complex:
        """Result of an empty reduction."""
        raise NotImplementedError

    @classmethod
    def result_type(cls, x: Any, axes: Any) -> Any:
        check_kind(cls.short_name, x, cls.kinds)
        check_axes(f"{cls.short_name}: axes {shape_text(axes)}", axes, x.rank, x)
        return tensor(without_axes(x.shape, axes), x.element_type)

    @classmethod
    def lower(cls, hlo: Any, x: Value, axes: Any) -> Value:
        element = x.type.element_type
        start = hlo.constant(tensor([], element), cls.identity(element))
        return hlo.reduce([x], [start], axes, cls.combine)[0]

    @classmethod
    def batch(cls, xs: Sequence[Value], batched: Sequence[bool], axes: Any) -> Value:
        return cls.build(xs[0], axes=tuple(a + 1 for a in axes))

    @classmethod
    def dependence(cls, deps: Any, xs: Sequence[Any], axes: Any) -> Any:
        return deps.reduced(xs[0], axes)

    @classmethod
    def pad_axes(cls, pads: Any, xs: Sequence[Any], axes: Any) -> Any:
        x, left = pads.reduced(xs[0], axes)
        return cls.build(pads.masked(x, cls.identity(x.element), axes), axes=axes), left

    @classmethod
    def sample(cls, draw: Any) -> Any:
        array = draw.bools if "float" not in cls.kinds else draw.floats
        return draw.calls(
            ([array(2, 3)], {"axes": (1,)}),
            ([array(2, 3, 2, 2)], {"axes": (0, 2)}),
            ([array(2, 1, 2, 2)], {"axes": (0, 1, 3)}),
            ([array(3)], {"axes": (0,)}),
            ([array()], {"axes": ()}),
            ([array(0, 2)], {"axes": (0,)}),
            ([array(0, 2)], {"axes": (1,)}),
        )


def _combines(block: ir.Block, name: str) -> bool:
    """Whether a body is the single op `name` of StableHLO on its two arguments."""
    ops = list(block.operations)
    # Bodies are lifted before their reduction, so the op is an anvl op.
    if len(ops) != 2 or getattr(type(ops[0]), "hlo", None) != name:
        return False
    operands, arguments = list(ops[0].operands), list(block.arguments)
    is_plain = operands in (arguments, arguments[::-1])
    return is_plain and list(ops[1].operands) == list(ops[0].results)


def _is_filled(x: Value, value: complex) -> bool:
    """Whether x is a constant splat of `value`."""
    op = x.owner
    if not isinstance(op, ir.Operation | ir.OpView) or "value" not in op.attributes:
        return False
    wanted, elements = splat(x.type, value), attribute_of(op, "value")
    if elements is None:  # complex elements cannot be read as an attribute
        return ComplexLiteral.of(op).text == str(wanted)
    return elements == wanted


def broadcast_along(g: Value, x: Value, axes: Sequence[int]) -> Value:
    """Broadcast the reduced array g along `axes` to the shape of x."""
    kept = tuple(i for i in range(x.type.rank) if i not in axes)
    return emit.broadcast_in_dim(g, shape=tuple(x.type.shape), broadcast_dimensions=kept)


class SumOp(Reduction, name="sum"):
    """Sum along `axes`; 0 if empty.  Linear."""

    combine = "add"
    moves_elements = True

    @classmethod
    def identity(cls, element: Any) -> complex:
        return 0

    @classmethod
    def tangent(cls, ts: Sequence[Value | None], xs: Any, y: Value, axes: Any) -> Value | None:
        return None if ts[0] is None else cls.build(ts[0], axes=axes)

    @classmethod
    def adjoint(cls, g: Value, xs: Sequence[Value], y: Value, axes: Any) -> Sequence[Any]:
        return [broadcast_along(g, xs[0], axes)]


class ProdOp(Reduction, name="prod"):
    """Product along `axes`; 1 if empty.

    The derivative, the product of the other elements, is a tree of products rather than y / x:
    exact at zeros, to every order.
    """

    combine = "multiply"
    singularity_convention = "exact at zeros, to every order"

    @classmethod
    def identity(cls, element: Any) -> complex:
        return 1

    @classmethod
    def tangent(
        cls, ts: Sequence[Value | None], xs: Sequence[Value], y: Value, axes: Any
    ) -> Value | None:
        (t,) = ts
        if t is None:
            return None
        others = _products_of_others(xs[0], full_like(y, 1), axes)
        return emit.sum(emit.mul(t, others), axes=axes)

    @classmethod
    def adjoint(cls, g: Value, xs: Sequence[Value], y: Value, axes: Any) -> Sequence[Any]:
        return [_products_of_others(xs[0], g, axes)]


def _products_of_others(x: Value, g: Value, axes: Sequence[int]) -> Value:
    """g times the product of the other elements along `axes`, for each element of x."""
    if 0 in (x.type.shape[a] for a in axes):
        return zeros_like(x)
    rows, root = merged_axes(x, axes), emit.reshape(g, shape=(*g.type.shape, 1))
    return unmerged_axes(times_others(rows, root), x, axes)


def materialized(x: Value) -> Value:
    """Materialize x, so that comparisons with values derived from it see the same numbers.

    Note [Numbers that are compared]
    XLA recomputes an operand in each fusion that uses it, and LLVM contracts `a * b - c * d`
    into a multiply-add in one of two ways, which round differently.  Whether an element *is* the
    largest then depends on the fusion that compares it: all may be less than the largest, and the
    derivative is lost.  So derivatives compare numbers behind a barrier with values made of these.
    """
    return emit.optimization_barrier(x)[0]


class Extremum(Reduction):
    """Base of max and min; ties share the derivative evenly."""

    kinds = "bool int uint float"
    singularity_convention = (
        "ties share evenly; 0 for an empty reduction, and where the result is NaN"
    )
    selects_elements = True

    @classmethod
    def identity(cls, element: Any) -> complex:
        return extreme(element, lowest=cls.combine == "maximum")

    @classmethod
    def _winners(cls, x: Value, axes: Any) -> tuple[Value, Callable[[Value], Value]]:
        """Mask of the extreme elements of x, and a function that divides by their number.

        A NaN result has none, which counts as 1.
        """
        x = materialized(x)
        y = cls.build(x, axes=axes)
        won = emit.compare(x, broadcast_along(y, x, axes), comparison_direction="EQ")
        count = emit.sum(emit.select(won, full_like(x, 1), zeros_like(x)), axes=axes)
        return won, _share_of_each(count, math.prod(x.type.shape[a] for a in axes))

    @classmethod
    def tangent(
        cls, ts: Sequence[Value | None], xs: Sequence[Value], y: Value, axes: Any
    ) -> Value | None:
        (t,), (x,) = ts, xs
        if t is None or _is_empty(x, axes):
            return None
        won, share = cls._winners(x, axes)
        return share(emit.sum(emit.select(won, t, zeros_like(x)), axes=axes))

    @classmethod
    def adjoint(cls, g: Value, xs: Sequence[Value], y: Value, axes: Any) -> Sequence[Any]:
        (x,) = xs
        if _is_empty(x, axes):
            return [None]
        won, share = cls._winners(x, axes)
        return [emit.select(won, broadcast_along(share(g), x, axes), zeros_like(x))]


# Note [Shares of few elements]
#
# XLA computes no quotient twice, so `broadcast(g / count)` is a kernel of its own beside the one
# that reads it.  The count of up to four elements has four values, and the share is chosen among
# their reciprocals: the gradient of a pool of 2 x 2 compiles in 0.6 of the time, and runs in 0.4
# (XLA:CPU of jaxlib 0.10.2).  Three equal elements get `g * (1 / 3)`, which may be an ulp beside
# `g / 3`.

_FEW = 4


def _share_of_each(count: Value, most: int) -> Callable[[Value], Value]:
    """Division by a count from 0, which counts as 1, to `most`."""
    if most > _FEW:
        return lambda g: emit.div(g, emit.maximum(count, full_like(count, 1)))
    share = full_like(count, 1)
    for n in range(2, _FEW + 1):  # so that sizes in one bucket have one program
        is_n = emit.compare(count, full_like(count, n), comparison_direction="EQ")
        share = emit.select(is_n, full_like(count, 1 / n), share)
    return lambda g: emit.mul(g, share)


def _is_empty(x: Value, axes: Sequence[int]) -> bool:
    """Whether the reduction is over no elements, and its result the constant identity."""
    shape = x.type.shape
    return any(shape[a] == 0 for a in axes)


class MaxOp(Extremum, name="max"):
    """Largest element along `axes`; -infinity, or the smallest integer, if empty."""

    combine = "maximum"


class MinOp(Extremum, name="min"):
    """Smallest element along `axes`; +infinity, or the largest integer, if empty."""

    combine = "minimum"


def extreme(element: Any, lowest: bool) -> complex:
    """Lowest or highest value of an element type: finite for floats without infinities."""
    if kind(element) == "float":
        return -largest_float(element) if lowest else largest_float(element)
    low, high = integer_range(element)
    return low if lowest else high


class Logical(Reduction):
    """Reduction of bools, without a derivative."""

    kinds = "bool"
    zero_derivative_reason = "a bool"

    @classmethod
    def tangent(cls, ts: Any, xs: Any, y: Value, axes: Any) -> None:
        return None

    @classmethod
    def adjoint(cls, g: Value, xs: Any, y: Value, axes: Any) -> Sequence[Any]:
        return [None]


class AllOp(Logical, name="all"):
    """Logical and along `axes`; true if empty."""

    combine = "and"

    @classmethod
    def identity(cls, element: Any) -> complex:
        return 1


class AnyOp(Logical, name="any"):
    """Logical or along `axes`; false if empty."""

    combine = "or"

    @classmethod
    def identity(cls, element: Any) -> complex:
        return 0


class ArgExtremum(AnvlOp):
    """Index along `axis` of the extreme element, the first among ties; NaN counts as extreme."""

    x: Operand
    axis: Int
    dtype: ResultDtype
    y: Result
    direction = ""
    kinds = "bool int uint float"
    zero_derivative_reason = "an index"
    singularity_convention = "the first among ties; NaN before every number"

    @classmethod
    def result_type(cls, x: Any, axis: int, dtype: str) -> Any:
        check_kind(cls.short_name, x, cls.kinds)
        check_axes(f"{cls.short_name}: axis {axis}", (axis,), x.rank, x)
        y = tensor(without_axes(x.shape, (axis,)), element_type(dtype))
        if kind(y.element_type) not in ("int", "uint"):
            raise TypeError(f"{cls.short_name}: the index dtype is {dtype}; it must be an integer")
        check_places(cls.short_name, x, axis, dtype)
        if x.shape[axis] == 0:
            raise TypeError(
                f"{cls.short_name}: axis {axis} of {x} is empty, and has no extreme element"
            )
        return y

    @classmethod
    def lower(cls, hlo: Any, x: Value, axis: int, dtype: str) -> Value:
        index_type = tensor(x.type.shape, element_type(dtype))
        index = hlo("iota", type=index_type, iota_dimension=Int.encode(axis))
        element = x.type.element_type
        starts = [
            hlo.constant(tensor([], element), cls.worst(element)),
            hlo.constant(tensor([], element_type(dtype)), 0),
        ]
        return hlo.reduce([x, index], starts, (axis,), cls._better)[1]

    @classmethod
    def worst(cls, element: Any) -> complex:
        return extreme(element, lowest=cls.direction == "GT")

    @classmethod
    def _better(cls, hlo: Any, best: Value, at: Value, x: Value, i: Value) -> list[Value]:
        """Body of the reduction over pairs (element, index)."""
        ahead, behind = cls._beats(hlo, best, x), cls._beats(hlo, x, best)
        tie = hlo.logic("and", hlo.logic("not", behind), hlo.compare(at, i, "LT"))
        keep = hlo.logic("or", ahead, tie)
        return [
            hlo("select", keep, best, x, type=best.type),
            hlo("select", keep, at, i, type=at.type),
        ]

    @classmethod
    def _beats(cls, hlo: Any, x: Value, other: Value) -> Value:
        """Whether x is more extreme than `other`; NaN is more extreme than any number."""
        beats = hlo.compare(x, other, cls.direction)
        if kind(x.type.element_type) != "float":
            return beats
        only_x = hlo.logic("and", hlo.compare(x, x, "NE"), hlo.compare(other, other, "EQ"))
        return hlo.logic("or", beats, only_x)

    @classmethod
    def tangent(cls, ts: Any, xs: Any, y: Value, axis: int, dtype: str) -> None:
        return None

    @classmethod
    def adjoint(cls, g: Value, xs: Any, y: Value, axis: int, dtype: str) -> Sequence[Any]:
        return [None]

    @classmethod
    def batch(cls, xs: Sequence[Value], batched: Sequence[bool], axis: int, dtype: str) -> Value:
        return cls.build(xs[0], axis=axis + 1, dtype=dtype)

    @classmethod
    def dependence(cls, deps: Any, xs: Sequence[Any], axis: int, **params: Any) -> Any:
        return deps.reduced(xs[0], (axis,))

    @classmethod
    def pad_axes(cls, pads: Any, xs: Sequence[Any], axis: int, dtype: str) -> Any:
        """Ties with the worst value go to a true position, which comes before the padding."""
        x, left = pads.reduced(xs[0], (axis,))
        operand = pads.masked(x, cls.worst(x.element), (axis,))
        return cls.build(operand, axis=axis, dtype=dtype), left

    @classmethod
    def sample(cls, draw: Any) -> Any:
        return draw.calls(
            ([draw.floats(2, 3)], {"axis": 1, "dtype": "i32"}),
            ([draw.floats(3)], {"axis": 0, "dtype": "i64"}),
            ([draw.floats(2, 0, 3)], {"axis": 2, "dtype": "i32"}),
        )


def check_places(name: str, x: Any, axis: int, dtype: str) -> None:
    """Raise TypeError if the index dtype cannot hold every position along an axis."""
    limit = integer_range(element_type(dtype))[1]
    if x.shape[axis] - 1 > limit:
        raise TypeError(
            f"{name}: axis {axis} of {x} has positions up to {x.shape[axis] - 1}, but the index "
            f"dtype {dtype} holds at most {limit}; use i64"
        )


class ArgmaxOp(ArgExtremum, name="argmax"):
    """Index of the largest element along `axis`, the first among ties."""

    direction = "GT"


class ArgminOp(ArgExtremum, name="argmin"):
    """Index of the smallest element along `axis`, the first among ties."""

    direction = "LT"
