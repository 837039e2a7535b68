"""`sort` and `top_k`: reordered elements.

Both are linear in the elements moved: the order, found by sorting positions alongside, is constant
for the derivative.  Tangents are gathered by it, and cotangents scattered.
Source: StableHLO specification, `sort`; CHLO, `top_k`.
"""

from collections.abc import Sequence
from typing import Any

from anvl.dialect.core.create import zeros_like
from anvl.dialect.core.families import check_kind, with_batch_axis
from anvl.dialect.core.mlir import ir
from anvl.dialect.core.op import AnvlOp, Operand, Operands, Result, Results, Value, emit
from anvl.dialect.core.params.base import Body, Bool, Int
from anvl.dialect.core.params.index_params import GatherDims, ScatterDims
from anvl.dialect.core.shape import reshaped
from anvl.dialect.core.types import element_type, tensor
from anvl.dialect.interpreters.replaced import Replaced
from anvl.dialect.interpreters.subprogram import Program

__all__ = ["SortOp", "TopKOp", "added_along", "argsort", "put_along", "taken_along"]


class Dimension(Int):
    """An axis, `0 : i64`; negative values count from the last, and -1 is the default."""

    optional = True
    default = -1


class SortOp(AnvlOp, name="sort", borrowed=True):
    """Sort arrays of one shape jointly along `dimension`, by `comparator`.

    `comparator(*pairs)` takes two scalars of each array, the two of one array adjacent, and returns
    whether the first ones precede the second ones.  With `is_stable`, equal elements keep their
    order. StableHLO `sort`, borrowed.
    """

    xs: Operands
    dimension: Dimension
    is_stable: Bool
    comparator: Body
    ys: Results
    singularity_convention = "equal elements as in a stable sort"

    @classmethod
    def result_type(cls, *types: Any, dimension: int = -1, is_stable: bool = False) -> Any:
        if not types:
            raise TypeError("sort: takes at least one array, got none")
        first = types[0]
        if any(list(x.shape) != list(first.shape) for x in types):
            raise TypeError(
                f"sort: arrays {', '.join(map(str, types))} differ in shape; broadcast them to one"
            )
        if not -first.rank <= dimension < first.rank:
            there = f"{-first.rank} to {first.rank - 1}" if first.rank else "no axes to sort along"
            raise TypeError(
                f"sort: dimension {dimension} is not an axis of {first}, which has {there}"
            )
        return list(types)

    @classmethod
    def body_types(cls, *types: Any, **params: Any) -> Any:
        scalars = [tensor([], x.element_type) for x in types for _ in range(2)]
        return [(scalars, [tensor([], element_type("bool"))])]

    @classmethod
    def is_already_legal(cls, op: ir.Operation) -> bool:
        return "dimension" in op.attributes and bool(op.attributes["dimension"].value >= 0)

    @classmethod
    def lower(
        cls, hlo: Any, *xs: Value, comparator: Program, dimension: int = -1, is_stable: bool = False
    ) -> Any:
        """Count the axis from the first.

        XLA accepts a negative axis, but reads its size out of bounds of the array's sizes: now and
        then nothing is sorted (XLA:CPU of jaxlib 0.10.2, 1 program of 50).
        """
        return emit.sort(
            *xs,
            dimension=dimension + xs[0].type.rank,
            is_stable=is_stable,
            comparator=comparator,
        )

    @classmethod
    def adjoint(
        cls, gs: Sequence[Value | None], xs: Sequence[Value], ys: Sequence[Value],
        comparator: Program, dimension: int = -1, is_stable: bool = False,
    ) -> Sequence[Any] | Replaced:  # fmt: skip
        axis = dimension % xs[0].type.rank
        if 0 in xs[0].type.shape:
            return [None] * len(xs)
        *found, order = _sorted_along(xs, axis, lambda *pairs: comparator(*pairs[:-2]))
        answers = zip(gs, xs, strict=True)
        return Replaced(  # one sort, for the values too
            found, [None if g is None else put_along(g, order, axis, x) for g, x in answers]
        )

    @classmethod
    def tangent(
        cls, ts: Sequence[Value | None], xs: Sequence[Value], ys: Sequence[Value],
        comparator: Program, dimension: int = -1, is_stable: bool = False,
    ) -> Sequence[Value | None] | Replaced:  # fmt: skip
        axis = dimension % xs[0].type.rank
        if 0 in xs[0].type.shape:
            return list(ts)
        *found, order = _sorted_along(xs, axis, lambda *pairs: comparator(*pairs[:-2]))
        return Replaced(found, [None if t is None else taken_along(t, order, axis) for t in ts])

    @classmethod
    def batch(
        cls, xs: Sequence[Value], batched: Sequence[bool], comparator: Program,
        dimension: int = -1, is_stable: bool = False,
    ) -> Sequence[Value]:  # fmt: skip
        whole = with_batch_axis(xs, batched)
        return emit.sort(
            *whole,
            dimension=dimension % (whole[0].type.rank - 1) + 1,
            is_stable=is_stable,
            comparator=comparator,
        )

    @classmethod
    def dependence(cls, deps: Any, xs: Sequence[Any], dimension: int = -1, **params: Any) -> Any:
        found = deps.along(deps.union(*xs), (dimension % xs[0].ndim,))
        return [found for _ in xs]

    @classmethod
    def pad_axes(
        cls, pads: Any, xs: Sequence[Any], comparator: Program, dimension: int = -1,
        is_stable: bool = False,
    ) -> Any:  # fmt: skip
        xs, axes = pads.aligned(xs)
        axis = dimension % len(xs[0].shape)
        pads.check_unused(xs, (axis,), "it sorts along it, and no value is behind all others")
        ys = emit.sort(
            *(x.value for x in xs), dimension=axis, is_stable=is_stable, comparator=comparator
        )
        return [(y, axes) for y in ys]

    @classmethod
    def sample(cls, draw: Any) -> Any:
        def ascending(x: Value, y: Value, *_: Value) -> Value:
            return emit.compare(x, y, comparison_direction="LT")

        def by_size(x: Value, y: Value, *_: Value) -> Value:
            return emit.compare(emit.abs(x), emit.abs(y), comparison_direction="LT")

        def by_size_of_the_second(_: Value, __: Value, x: Value, y: Value) -> Value:
            return emit.compare(emit.abs(x), emit.abs(y), comparison_direction="GT")

        def by_real_part(x: Value, y: Value) -> Value:
            return emit.compare(emit.real(x), emit.real(y), comparison_direction="LT")

        ascending_rows = {"dimension": 1, "comparator": ascending}
        return draw.calls(
            ([draw.floats(2, 5)], ascending_rows),
            ([draw.floats(4, 2)], {"dimension": -2, "is_stable": True, "comparator": ascending}),
            ([draw.floats(6), draw.floats(6)],
             {"dimension": 0, "comparator": by_size_of_the_second}),
            ([draw.floats(2, 3), draw.ints(2, 3), draw.bools(2, 3)], ascending_rows),
            # So long that an unstable sort of XLA on the CPU moves equal elements; and in an order
            # of which no integer becomes the key, which would not be sorted with the positions.
            ([draw.ints(2, 40), draw.floats(2, 40)],
             {"dimension": -1, "is_stable": True, "comparator": by_size}),
            ([draw.complexes(5)], {"dimension": 0, "comparator": by_real_part}),
            ([draw.floats(2, 0)], ascending_rows),
        )  # fmt: skip


class TopKOp(AnvlOp, name="top_k"):
    """The k largest elements along the last axis, descending, and their positions.  CHLO `top_k`.

    Floats are in their total order: -0 below 0, NaN above every number, or below if its sign bit is
    set. Among equal elements, the first comes first.
    """

    x: Operand
    k: Int
    values: Result
    indices: Result
    hlo = "chlo.top_k"
    singularity_convention = "the first of equal elements"

    @classmethod
    def result_type(cls, x: Any, k: int) -> Any:
        check_kind("top_k", x, "bool int uint float")
        if x.rank == 0:
            raise TypeError(f"top_k: {x} has no axis to search along; reshape it to one of size 1")
        if not 0 <= k <= x.shape[-1]:
            raise TypeError(
                f"top_k: k is {k}, but the last axis of {x} has {x.shape[-1]} elements; "
                f"take 0 to {x.shape[-1]} of them"
            )
        if x.shape[-1] > 2**31:
            raise TypeError(
                f"top_k: the last axis of {x} has {x.shape[-1]} elements, and positions are i32; "
                "take the largest of parts of it first"
            )
        shape = [*x.shape[:-1], k]
        return [tensor(shape, x.element_type), tensor(shape, element_type("i32"))]

    @classmethod
    def adjoint(
        cls, gs: Sequence[Value | None], xs: Sequence[Value], ys: Sequence[Value], k: int
    ) -> Sequence[Any]:
        if gs[0] is None or 0 in gs[0].type.shape:
            return [None]
        return [put_along(gs[0], ys[1], xs[0].type.rank - 1, xs[0])]

    @classmethod
    def tangent(
        cls, ts: Sequence[Value | None], xs: Sequence[Value], ys: Sequence[Value], k: int
    ) -> Sequence[Value | None]:
        if ts[0] is None or 0 in ys[0].type.shape:
            return [None, None]
        return [taken_along(ts[0], ys[1], xs[0].type.rank - 1), None]

    @classmethod
    def batch(cls, xs: Sequence[Value], batched: Sequence[bool], k: int) -> Sequence[Value]:
        return emit.top_k(xs[0], k=k)

    @classmethod
    def dependence(cls, deps: Any, xs: Sequence[Any], k: int) -> Any:
        return deps.batched(xs, 1)

    @classmethod
    def pad_axes(cls, pads: Any, xs: Sequence[Any], k: int) -> Any:
        return pads.stacked(cls.build, xs, 1, k=k)

    @classmethod
    def sample(cls, draw: Any) -> Any:
        return draw.calls(
            ([draw.floats(2, 5)], {"k": 3}),
            ([draw.floats(4)], {"k": 4}),
            ([draw.floats(2, 3)], {"k": 0}),
            ([draw.ints(7)], {"k": 5}),
            ([draw.floats(0, 3)], {"k": 2}),
        )


# -- permutations ----------------------------------------------------------------------------------


def argsort(x: Value, axis: int, comparator: Any) -> Value:
    """Positions along `axis`, as i32, that sort x stably.

    `comparator(x, y)` returns whether x precedes y.
    """
    return _sorted_along([x], axis, lambda a, b, *_: comparator(a, b))[-1]


def taken_along(x: Value, order: Value, axis: int) -> Value:
    """Gather the elements of x at positions `order` along an axis; the shape is that of `order`."""
    return emit.gather(
        x,
        reshaped(order, (*order.type.shape, 1)),
        dimension_numbers=GatherDims(*_along(order.type.rank, axis)),
        slice_sizes=(1,) * x.type.rank,
    )


def put_along(g: Value, order: Value, axis: int, x: Value) -> Value:
    """Transpose of `taken_along` for distinct positions: scatter g into zeros like x."""
    return added_along(zeros_like(x), order, g, axis, unique_indices=True)


def added_along(x: Value, order: Value, g: Value, axis: int, **params: Any) -> Value:
    """Add g to the elements of x at positions `order` along an axis."""
    return emit.scatter(
        x,
        reshaped(order, (*order.type.shape, 1)),
        g,
        scatter_dimension_numbers=ScatterDims(*_along(order.type.rank, axis)),
        update_computation=emit.add,
        **params,
    )[0]


def _along(rank: int, axis: int) -> tuple[Any, ...]:
    """Dimension numbers of a gather or scatter along one axis: all other axes are batching axes."""
    others = tuple(a for a in range(rank) if a != axis)
    return (), (axis,), others, others, (axis,), rank


def _sorted_along(xs: Sequence[Value], axis: int, comparator: Any) -> list[Value]:
    """The sorted arrays, and behind them the source position of each element along the axis."""
    shape = tuple(xs[0].type.shape)
    positions = emit.iota(iota_dimension=axis, shape=shape, dtype="i32")
    return list(emit.sort(*xs, positions, dimension=axis, is_stable=True, comparator=comparator))
