"""The edges of ops, phrase by phrase: value, slopes and curvature, in both modes."""

from collections.abc import Callable
from typing import Any

import numpy as np
from edges import Edge, Table, literal
from tolerances import FORMULA, rounding

from anvl.dialect.core.create import full, full_like
from anvl.dialect.core.mlir import ir
from anvl.dialect.core.op import emit
from anvl.dialect.core.params.base import DotDims
from anvl.dialect.core.params.index_params import ScatterDims
from anvl.dialect.core.types import element_type, tensor
from anvl.dialect.ops.array.sorting import argsort

INF, NAN = np.inf, np.nan
LOG2 = float(np.log(2.0))


def over(name: str, axes: tuple[int, ...] = (0,)) -> Callable[..., ir.Value]:
    """A reduction."""
    return lambda x: getattr(emit, name)(x, axes=axes)


def compared(direction: str) -> Callable[..., ir.Value]:
    return lambda x, y, *_: emit.compare(x, y, comparison_direction=direction)


def weighted(f: Callable[..., ir.Value]) -> Callable[..., ir.Value]:
    """1, 2, 3, ... times the elements of f: so it shows which one a slope came through."""

    def g(*xs: ir.Value) -> ir.Value:
        y = f(*xs)
        count = int(np.prod(y.type.shape))
        return emit.mul(y, literal(np.arange(1.0, count + 1).reshape(y.type.shape)))

    return g


def squared(f: Callable[..., ir.Value]) -> Callable[..., ir.Value]:
    """f squared: so that the second derivative of what is linear is not zero."""
    return lambda *xs: emit.square(f(*xs))


def scalar(value: float) -> ir.Value:
    return full(tensor((), element_type("f64")), value)


def folded(body: Any, start: float) -> Callable[..., ir.Value]:
    """`reduce` with a body of one's own."""
    return lambda x: emit.reduce(x, scalar(start), dimensions=(0,), body=body)[0]


def pooled(body: Any, start: float, size: int = 2) -> Callable[..., ir.Value]:
    """`reduce_window`."""
    return lambda x: emit.reduce_window(
        x, scalar(start), body=body, window_dimensions=(size,)
    )[0]  # fmt: skip


def as_float(x: ir.Value) -> ir.Value:
    return emit.convert(x, dtype="f64")


def repeated(x: ir.Value, count: int) -> ir.Value:
    """A scalar, `count` times."""
    return emit.broadcast_in_dim(x, shape=(count,), broadcast_dimensions=())


# -- ties ------------------------------------------------------------------------------------------


def ordered(direction: str) -> Callable[..., ir.Value]:
    return lambda x: emit.sort(x, dimension=0, is_stable=True, comparator=compared(direction))[0]


def own_maximum(x: ir.Value, y: ir.Value) -> ir.Value:
    return emit.select(compared("GE")(x, y), x, y)


def sent_to_the_largest(x: ir.Value, source: ir.Value) -> ir.Value:
    params = {"window_dimensions": (2,), "window_strides": (2,)}
    return emit.select_and_scatter(
        x, source, scalar(0.0), select=compared("GE"), scatter=emit.add, **params
    )


test_ties_in_max_min_sort_top_k_argmax = Table(
    Edge("maximum of equals", emit.maximum, [2.0, 2.0], 2, [0.5, 0.5], 0),
    Edge("minimum of equals", emit.minimum, [2.0, 2.0], 2, [0.5, 0.5], 0),
    Edge("maximum of zeros of both signs", emit.maximum, [-0.0, 0.0], 0, [0.5, 0.5], 0),
    Edge("maximum of equal infinities", emit.maximum, [INF, INF], INF, [0.5, 0.5], 0),
    Edge("maximum of x and x", lambda x: emit.maximum(x, x), [3.0], 3, [1], 0),
    Edge("max, two of three", over("max"), [[4.0, 1, 4]], 4, [[0.5, 0, 0.5]], 0),
    Edge("min, all", over("min"), [[4.0, 4, 4, 4]], 4, [0.25], 0),
    Edge("max of rows", over("max", (1,)), [[[1.0, 1], [0, 2]]], [1, 2], [[[0.5, 0.5], [0, 1]]], 0),
    Edge("max squared", squared(over("max")), [[2.0, 2]], 4, [2], 0.5),
    Edge("max of infinities", over("max"), [[INF, INF, 0]], INF, [[0.5, 0.5, 0]], 0),
    Edge("reduce by maximum", folded(emit.maximum, -INF), [[4.0, 1, 4]], 4, [[0.5, 0, 0.5]], 0),
    Edge("reduce by a selection: its first", folded(own_maximum, -INF), [[4.0, 4]], 4, [[1, 0]], 0),
    Edge("reduce_window by maximum", pooled(emit.maximum, -INF), [[1.0, 1, 1]], 1, [[0.5, 1, 0.5]],
         0),
    Edge("cummax", lambda x: emit.cummax(x, axis=0), [[2.0, 2, 1]], 2, [[2, 1, 0]], 0),
    Edge("cummin", lambda x: emit.cummin(x, axis=0), [[2.0, 2, 3]], 2, [[2, 1, 0]], 0),
    Edge("select_and_scatter: to the first", sent_to_the_largest, [[3.0, 3], [5.0]], [5, 0],
         [0, 1], 0),
    Edge("sort, ascending", weighted(ordered("LT")), [[2.0, 1, 2, 1]], [1, 2, 6, 8],
         [[3, 1, 4, 2]], 0),
    Edge("sort, descending", weighted(ordered("GT")), [[2.0, 1, 2, 1]], [2, 4, 3, 4],
         [[1, 3, 2, 4]], 0),
    Edge("sort squared", weighted(squared(ordered("LT"))), [[2.0, 1, 2]], [1, 8, 12],
         [[8, 2, 12]], np.diag([4, 2, 6])),
    Edge("top_k: the first ones", weighted(lambda x: emit.top_k(x, k=2)[0]), [[5.0, 1, 5, 5]],
         [5, 10], [[1, 0, 2, 0]], 0),
    Edge("top_k squared", squared(lambda x: emit.top_k(x, k=2)[0]), [[5.0, 1, 5, 5]],
         25, [[10, 0, 10, 0]], np.diag([2, 0, 2, 0])),
    Edge("argmax: the first", lambda x: emit.argmax(x, axis=0, dtype="i32"), [[1.0, 3, 3]], 1),
    Edge("argmin: the first", lambda x: emit.argmin(x, axis=0, dtype="i32"), [[3.0, 1, 1]], 1),
    Edge("argsort: in order", lambda x: argsort(x, 0, compared("LT")), [[2.0, 1, 2, 1]],
         [1, 3, 0, 2]),
    Edge("argmax times x: through x alone",
         lambda x: emit.mul(x, repeated(as_float(emit.argmax(x, axis=0, dtype="i32")), 3)),
         [[1.0, 3, 3]], [1, 3, 3], [1], 0),
).test  # fmt: skip


# -- powers ----------------------------------------------------------------------------------------


def power(y: float) -> Callable[..., ir.Value]:
    return lambda x: emit.pow(x, full_like(x, y))


test_0_and_negative_bases_and_zero_exponents_of_pow = Table(
    Edge("0 to the 2", emit.pow, [0.0, 2.0], 0, [0, 0], [[2, 0], [0, 0]]),
    Edge("0 to the 3", emit.pow, [0.0, 3.0], 0, [0, 0], 0),
    Edge("0 to the 1", power(1), [0.0], 0, [1], 0),
    Edge("0 to the 1, in y", emit.pow, [0.0, 1.0], 0, [1, 0]),
    Edge("0 to the 0", emit.pow, [0.0, 0.0], 1, [0, 0]),
    Edge("0 to the 0, curvature in x", power(0), [0.0], 1, [0], 0),
    Edge("0 to the 1/2", emit.pow, [0.0, 0.5], 0, [INF, 0]),
    Edge("0 to the -1", emit.pow, [0.0, -1.0], INF, [-INF, -INF]),
    Edge("0 to the -2", emit.pow, [0.0, -2.0], INF, [-INF, -INF]),
    Edge("-0 to the 3", power(3), [-0.0], 0, [0], 0),
    Edge("-2 to the 2", power(2), [-2.0], 4, [-4], 2),
    Edge("-2 to the 3", power(3), [-2.0], -8, [12], -12),
    Edge("-2 to the 1", power(1), [-2.0], -2, [1], 0),
    Edge("-2 to the 0", power(0), [-2.0], 1, [0], 0),
    Edge("-2 to the -1", power(-1), [-2.0], -0.5, [-0.25], -0.25),
    Edge("-2 to the 2: no slope in y", emit.pow, [-2.0, 2.0], 4, [-4, NAN]),
    Edge("-2 to the 1/2: nothing", emit.pow, [-2.0, 0.5], NAN, [NAN, NAN]),
    Edge(
        "2 to the 0",
        emit.pow,
        [2.0, 0.0],
        1,
        [0, LOG2],
        [[0, 0.5], [0.5, LOG2**2]],
        rounding(FORMULA),
    ),
    Edge("1 to the 0", emit.pow, [1.0, 0.0], 1, [0, 0], [[0, 1], [1, 0]]),
    Edge("inf to the 0", emit.pow, [INF, 0.0], 1, [0, INF]),
    Edge("0 to the 0 in f32", emit.pow, np.float32([[0], [0]]), 1, [0, 0]),
    Edge("integers to integers", emit.pow, np.int32([[0, -2, 2], [0, 3, 5]]), [1, -8, 32]),
    Edge("cbrt of 0", emit.cbrt, [0.0], 0, [INF]),
    Edge("square of 0", emit.square, [0.0], 0, [0], 2),
).test


# -- products --------------------------------------------------------------------------------------


def placed_product(at: list[int], count: int) -> Callable[..., ir.Value]:
    """`scatter` that multiplies its operand at these places."""
    dims = ScatterDims((), (0,), (), (), (0,), 1)
    return lambda x, u: emit.scatter(
        x, literal(np.int32(at)), u, scatter_dimension_numbers=dims, update_computation=emit.mul
    )[0]


TRIPLE = {  # the first and second derivatives of x0 x1 x2
    "none": ([2.0, 3, 5], [15, 10, 6], [[0, 5, 3], [5, 0, 2], [3, 2, 0]]),
    "one": ([0.0, 3, 5], [15, 0, 0], [[0, 5, 3], [5, 0, 0], [3, 0, 0]]),
    "two": ([0.0, 0, 5], [0, 0, 0], [[0, 5, 0], [5, 0, 0], [0, 0, 0]]),
    "three": ([0.0, 0, 0], [0, 0, 0], 0),
}
PRODUCTS: dict[str, Callable[..., ir.Value]] = {
    "prod": over("prod"),
    "reduce by mul": folded(emit.mul, 1.0),
    "reduce_window by mul": pooled(emit.mul, 1.0, 3),
    "last of cumprod": lambda x: emit.slice(
        emit.cumprod(x, axis=0), start_indices=(2,), limit_indices=(3,), strides=(1,)
    ),
    "first of cumprod from the end": lambda x: emit.slice(
        emit.cumprod(x, axis=0, reverse=True), start_indices=(0,), limit_indices=(1,), strides=(1,)
    ),
    "scatter by mul": lambda x: placed_product([0, 0, 0], 3)(
        full(tensor((1,), x.type.element_type), 1), x
    ),
}

test_prod_and_cumprod_with_one_and_with_several_zeros = Table(
    *[
        Edge(f"{op}, zeros: {zeros}", f, [x], np.prod(x), [first], second)
        for op, f in PRODUCTS.items()
        for zeros, (x, first, second) in TRIPLE.items()
    ],
    Edge("prod of rows", over("prod", (1,)), [[[0.0, 2], [0, 0]]], 0, [[[2, 0], [0, 0]]]),
    Edge("prod of zeros of both signs", over("prod"), [[-0.0, 3]], 0, [[3, 0]], [[0, 1], [1, 0]]),
    Edge("all of cumprod", lambda x: emit.cumprod(x, axis=0), [[2.0, 0, 3]], [2, 0, 0],
         [[1, 8, 0]], [[0, 4, 0], [4, 0, 2], [0, 2, 0]]),
).test  # fmt: skip


# -- nothing ---------------------------------------------------------------------------------------

NOTHING = np.zeros((0, 2))


def dot(x: ir.Value, y: ir.Value) -> ir.Value:
    return emit.dot_general(x, y, dot_dimension_numbers=DotDims((), (), (0,), (0,)))


test_empty_reductions = Table(
    Edge("sum", over("sum"), [NOTHING], 0, [np.zeros((0, 2))]),
    Edge("prod", over("prod"), [NOTHING], 1, [np.zeros((0, 2))]),
    Edge("max", over("max"), [NOTHING], -INF, [np.zeros((0, 2))]),
    Edge("min", over("min"), [NOTHING], INF, [np.zeros((0, 2))]),
    Edge("max squared", squared(over("max")), [NOTHING], INF, [np.zeros((0, 2))]),
    Edge("sum of an empty result", over("sum", (1,)), [NOTHING], np.zeros(0), [np.zeros((0, 2))]),
    Edge("sum over no axes", over("sum", ()), [[1.0, 2]], [1, 2], [1], 0),
    Edge("all", over("all"), [NOTHING > 0], True),
    Edge("any", over("any"), [NOTHING > 0], False),
    Edge("reduce: its initial value",
         lambda x, start: emit.reduce(x, start, dimensions=(0,), body=emit.add)[0],
         [NOTHING, 3.0], [3, 3], [np.zeros((0, 2)), 2], 0),
    Edge("reduce by mul: its initial value",
         lambda x, start: emit.square(emit.reduce(x, start, dimensions=(0,), body=emit.mul)[0]),
         [NOTHING, 3.0], [9, 9], [np.zeros((0, 2)), 12], 4),
    Edge("cumsum", lambda x: emit.cumsum(x, axis=0), [NOTHING], NOTHING, [NOTHING]),
    Edge("cumprod", lambda x: emit.cumprod(x, axis=0), [NOTHING], NOTHING, [NOTHING]),
    Edge("cummax", lambda x: emit.cummax(x, axis=0), [NOTHING], NOTHING, [NOTHING]),
    Edge("cumlogsumexp", lambda x: emit.cumlogsumexp(x, axis=0), [NOTHING], NOTHING, [NOTHING]),
    Edge("sort", ordered("LT"), [np.zeros(0)], np.zeros(0), [np.zeros(0)]),
    Edge("top_k of nothing", lambda x: emit.top_k(x, k=0)[0], [[1.0, 2]], np.zeros(0), [0], 0),
    Edge("dot_general", dot, [NOTHING, np.zeros((0, 3))], np.zeros((2, 3)),
         [NOTHING, np.zeros((0, 3))]),
    Edge("det", emit.det, [np.zeros((0, 0))], 1, [np.zeros((0, 0))]),
    Edge("windows of nothing", pooled(emit.add, 0.0), [np.zeros(0)], np.zeros(0), [np.zeros(0)]),
    Edge("windows longer than the array", pooled(emit.add, 0.0), [[1.0]], np.zeros(0), [0]),
).test  # fmt: skip


# -- clamp -----------------------------------------------------------------------------------------

test_clamp_at_bounds = Table(
    Edge("at the lower", emit.clamp, [1.0, 1.0, 2.0], 1, [0, 1, 0], 0),
    Edge("at the upper", emit.clamp, [1.0, 2.0, 2.0], 2, [0, 1, 0], 0),
    Edge("below", emit.clamp, [1.0, 0.0, 2.0], 1, [1, 0, 0], 0),
    Edge("above", emit.clamp, [1.0, 3.0, 2.0], 2, [0, 0, 1], 0),
    Edge("squared, at a bound", squared(emit.clamp), [1.0, 1.0, 2.0], 1, [0, 2, 0],
         np.diag([0, 2, 0])),
    Edge("at both", emit.clamp, [1.0, 1.0, 1.0], 1, [0, 1, 0], 0),
    Edge("bounds in the wrong order: the upper", emit.clamp, [2.0, 1.5, 1.0], 1, [0, 0, 1], 0),
    Edge("bounds in the wrong order, below", emit.clamp, [2.0, 0.0, 1.0], 1, [0, 0, 1], 0),
    Edge("bounds in the wrong order, above", emit.clamp, [2.0, 3.0, 1.0], 1, [0, 0, 1], 0),
    Edge("bounds for each element", emit.clamp, [[0.0, 0], [0.0, 5], [1.0, 1]], [0, 1],
         [[0, 0], [1, 0], [0, 1]], 0),
    Edge("scalar bounds", emit.clamp, [0.0, [-1.0, 0, 1, 2], 1.0], [0, 0, 1, 1],
         [1, [0, 1, 1, 0], 1], 0),
    Edge("infinite bounds", emit.clamp, [-INF, 3.0, INF], 3, [0, 1, 0], 0),
    Edge("infinity at an infinite bound", emit.clamp, [0.0, INF, INF], INF, [0, 1, 0], 0),
    Edge("nan", emit.clamp, [0.0, NAN, 1.0], NAN, [0, 0, 0]),
    Edge("a bound that is nan", emit.clamp, [NAN, 0.0, 1.0], NAN, [0, 0, 0]),
    Edge("integers", emit.clamp, np.int8([0, -5, 3]).reshape(3, 1), 0),
).test  # fmt: skip
