"""More edges: places out of range or repeated, NaN and infinity, other dtypes, padding."""

from collections.abc import Callable
from typing import Any

import numpy as np
from edges import Edge, Table, literal
from test_edges import INF, NAN, as_float, over, repeated, squared, weighted
from tolerances import FORMULA, rounding

from anvl.dialect.core.create import full_like, zeros_like
from anvl.dialect.core.families import Elementwise
from anvl.dialect.core.mlir import ir
from anvl.dialect.core.op import emit
from anvl.dialect.core.op_registry import OPS
from anvl.dialect.core.params.index_params import GatherDims, ScatterDims
from anvl.dialect.core.types import numpy_dtype

# -- places ----------------------------------------------------------------------------------------

POINTS = (), (0,), (), (), (0,), 1
PAIRS = (1,), (), (), (), (0,), 1


def length(x: ir.Value) -> ir.Value:
    return emit.norm(x, axes=(0,), order=2.0)


def modulus(x: ir.Value, y: ir.Value) -> ir.Value:
    return emit.abs(emit.complex(x, y))


def power_of_complex(n: int) -> Callable[..., ir.Value]:
    """(x + 0i)^n, which is real."""
    return lambda x: emit.real(emit.integer_pow(emit.complex(x, zeros_like(x)), exponent=n))


def gathered(at: Any, dims: Any = POINTS, size: int = 1) -> Callable[..., ir.Value]:
    """`gather`."""
    return lambda x: emit.gather(
        x, literal(at), dimension_numbers=GatherDims(*dims), slice_sizes=(size,)
    )


def put(body: Any, at: Any, dims: Any = POINTS) -> Callable[..., ir.Value]:
    """`scatter`."""
    return lambda x, u: emit.scatter(
        x, literal(at), u, scatter_dimension_numbers=ScatterDims(*dims), update_computation=body
    )[0]


def new(_: ir.Value, u: ir.Value) -> ir.Value:
    return u


def at(*places: int) -> np.ndarray:
    return np.array(places, np.int32)


def window(start: int, size: int) -> Callable[..., ir.Value]:
    return lambda x: emit.dynamic_slice(x, literal(np.int32(start)), slice_sizes=(size,))


def updated(start: int) -> Callable[..., ir.Value]:
    return lambda x, u: emit.dynamic_update_slice(x, u, literal(np.int32(start)))


ABC = [1.0, 2, 3]
FAR = np.int32([[-1, 5], [32, 99]])  # two numbers, each with how far to shift it

test_duplicate_scatter_indices = Table(
    Edge("gather one place twice", gathered(at(1, 1)), [ABC], [2, 2], [[0, 2, 0]], 0),
    Edge("gather twice, squared", squared(gathered(at(1, 1))), [ABC], [4, 4], [[0, 8, 0]],
         np.diag([0, 4, 0])),
    Edge("scatter, add", put(emit.add, at(1, 1)), [ABC, [5.0, 7]], [1, 14, 3], [1, 1], 0),
    Edge("scatter, add, squared", squared(put(emit.add, at(1, 1))), [[0.0, 2], [5.0, 7]], [0, 196],
         [[0, 28], [28, 28]],
         2 * np.array([[1, 0, 0, 0], [0, 1, 1, 1], [0, 1, 1, 1], [0, 1, 1, 1]])),
    Edge("scatter, mul", put(emit.mul, at(1, 1)), [[1.0, 2], [5.0, 7]], [1, 70],
         [[1, 35], [14, 10]], [[0, 0, 0, 0], [0, 0, 7, 5], [0, 7, 0, 2], [0, 5, 2, 0]]),
    Edge("scatter, mul, two zeros", put(emit.mul, at(1, 1)), [[1.0, 2], [0.0, 0]], [1, 0],
         [[1, 0], [0, 0]], [[0, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 2], [0, 0, 2, 0]]),
    Edge("scatter, maximum, ties with the old", put(emit.maximum, at(1, 1)), [[1.0, 5], [5.0, 4]],
         [1, 5], [[1, 0.5], [0.5, 0]], 0),
    Edge("scatter, minimum, ties of the new", put(emit.minimum, at(1, 1)), [[1.0, 5], [2.0, 2]],
         [1, 2], [[1, 0], [0.5, 0.5]], 0),
    Edge("scatter, assignment: the last", put(new, at(1, 1)), [[1.0, 2], [5.0, 7]], [1, 7],
         [[1, 0], [0, 1]], 0),
    Edge("scatter, assignment, squared", squared(put(new, at(1, 1))), [[1.0, 2], [5.0, 7]], [1, 49],
         [[2, 0], [0, 14]], np.diag([2, 0, 0, 2])),
    Edge("scatter, windows that overlap", put(emit.add, at(0, 1), PAIRS),
         [ABC, [[1.0, 1], [1.0, 1]]],
         [2, 4, 4], [1, 1], 0),
).test  # fmt: skip

test_out_of_range_indices = Table(
    Edge("gather moves to the nearest", gathered(at(-2, 9)), [ABC], [1, 3], [[1, 0, 1]], 0),
    Edge("gather moves a window as a whole", gathered(at(-1, 2), PAIRS, 2), [ABC], [[1, 2], [2, 3]],
         [[1, 2, 1]], 0),
    Edge("gather, the index least of all", gathered(at(-(2**31), 2**31 - 1)), [ABC], [1, 3],
         [[1, 0, 1]], 0),
    Edge("scatter, add leaves out", put(emit.add, at(-1, 3)), [ABC, [5.0, NAN]], ABC, [1, 0], 0),
    Edge("scatter, mul leaves out", put(emit.mul, at(-1, 3)), [ABC, [5.0, NAN]], ABC, [1, 0], 0),
    Edge("scatter, maximum leaves out", put(emit.maximum, at(-1, 3)), [ABC, [5.0, NAN]], ABC,
         [1, 0], 0),
    Edge("scatter, assignment leaves out", put(new, at(-1, 3)), [ABC, [5.0, NAN]], ABC, [1, 0], 0),
    Edge("scatter leaves out a window that sticks out", put(emit.add, at(-1, 2, 1), PAIRS),
         [ABC, [[8.0, 8], [8, 8], [1, 1]]], [1, 3, 4], [1, [[0, 0], [0, 0], [1, 1]]], 0),
    Edge("dynamic_slice moves in, from above", window(9, 2), [ABC], [2, 3], [[0, 1, 1]], 0),
    Edge("dynamic_slice moves in, from below", window(-1, 2), [ABC], [1, 2], [[1, 1, 0]], 0),
    Edge("dynamic_slice of all stays", window(2, 3), [ABC], ABC, [1], 0),
    Edge("dynamic_update_slice moves in, from above", updated(9), [ABC, [8.0, 9]], [1, 8, 9],
         [[1, 0, 0], 1], 0),
    Edge("dynamic_update_slice moves in, from below", updated(-1), [ABC, [8.0, 9]], [8, 9, 3],
         [[0, 0, 1], 1], 0),
    Edge("dynamic_update_slice, squared", squared(updated(9)), [ABC, [8.0, 9]], [1, 64, 81],
         [[2, 0, 0], [16, 18]], np.diag([2, 0, 0, 2, 2])),
    Edge("shift_left by the width or more", emit.shift_left, FAR, 0),
    Edge("shift_right_logical by the width or more", emit.shift_right_logical, FAR, 0),
    Edge("shift_right_arithmetic by the width or more: the sign", emit.shift_right_arithmetic, FAR,
         [-1, 0]),
).test  # fmt: skip


# -- NaN and infinity ------------------------------------------------------------------------------

# At -inf, inf and NaN: values, and slopes.
LIMITS = {
    "exp": ([0, INF, NAN], [0, INF, NAN]),
    "expm1": ([-1, INF, NAN], [0, INF, NAN]),
    "log": ([NAN, INF, NAN], [0, 0, NAN]),
    "log1p": ([NAN, INF, NAN], [0, 0, NAN]),
    "log2": ([NAN, INF, NAN], [0, 0, NAN]),
    "log10": ([NAN, INF, NAN], [0, 0, NAN]),
    "exp2": ([0, INF, NAN], [0, INF, NAN]),
    "sqrt": ([NAN, INF, NAN], [NAN, 0, NAN]),
    "rsqrt": ([NAN, 0, NAN], [NAN, 0, NAN]),
    "cbrt": ([-INF, INF, NAN], [0, 0, NAN]),
    "sin": ([NAN, NAN, NAN], [NAN, NAN, NAN]),
    "tanh": ([-1, 1, NAN], [0, 0, NAN]),
    "logistic": ([0, 1, NAN], [0, 0, NAN]),
    "logistic_slope": ([0, 0, NAN], [0, 0, NAN]),
    "sech_squared": ([0, 0, NAN], [0, 0, NAN]),
    "silu": ([0, INF, NAN], [0, 1, NAN]),
    "silu_slope": ([0, 1, NAN], [0, 0, NAN]),
    "gelu_tanh": ([0, INF, NAN], [0, 1, NAN]),
    "gelu_tanh_slope": ([0, 1, NAN], [0, 0, NAN]),
    "sinh": ([-INF, INF, NAN], [INF, INF, NAN]),
    "cosh": ([INF, INF, NAN], [-INF, INF, NAN]),
    "atan": ([-np.pi / 2, np.pi / 2, NAN], [0, 0, NAN]),
    "asinh": ([-INF, INF, NAN], [0, 0, NAN]),
    "acosh": ([NAN, INF, NAN], [NAN, 0, NAN]),
    "erf": ([-1, 1, NAN], [0, 0, NAN]),
    "erfc": ([2, 0, NAN], [0, 0, NAN]),
    "abs": ([INF, INF, NAN], [-1, 1, NAN]),
    "sign": ([-1, 1, NAN], [0, 0, 0]),
    "floor": ([-INF, INF, NAN], [0, 0, 0]),
    "neg": ([INF, -INF, NAN], [-1, -1, -1]),
    "square": ([INF, INF, NAN], [-INF, INF, NAN]),
    "lgamma": ([INF, INF, NAN], [NAN, INF, NAN]),
    "bessel_i0e": ([0, 0, NAN], [0, 0, NAN]),
    "bessel_i1e": ([0, 0, NAN], [0, 0, NAN]),
}


def cumulative(name: str) -> Callable[..., ir.Value]:
    return lambda x: getattr(emit, name)(x, axis=0)


test_nan_and_infinity_propagation = Table(
    *[
        Edge(f"{name} of {x}", getattr(emit, name), [x], value, [slope], None, rounding(FORMULA))
        for name, (values, slopes) in LIMITS.items()
        for x, value, slope in zip((-INF, INF, NAN), values, slopes, strict=True)
    ],
    Edge("inf - inf", emit.sub, [INF, INF], NAN, [1, -1], 0),
    Edge("0 times inf", emit.mul, [0.0, INF], NAN, [INF, 0], [[0, 1], [1, 0]]),
    Edge("0 / 0", emit.div, [0.0, 0.0], NAN, [INF, NAN]),
    Edge("1 / 0", emit.div, [1.0, 0.0], INF, [INF, -INF]),
    Edge("1 / -0", emit.div, [1.0, -0.0], -INF, [-INF, -INF]),
    Edge("1 / inf", emit.div, [1.0, INF], 0, [0, 0], 0),
    Edge("maximum with nan", emit.maximum, [1.0, NAN], NAN, [0, 0], 0),
    Edge("minimum with nan", emit.minimum, [NAN, 1.0], NAN, [0, 0], 0),
    Edge("sum", over("sum"), [[1.0, INF]], INF, [1], 0),
    Edge("sum of both infinities", over("sum"), [[-INF, INF]], NAN, [1], 0),
    Edge("sum with nan", over("sum"), [[1.0, NAN]], NAN, [1], 0),
    Edge("prod with nan", over("prod"), [[2.0, NAN]], NAN),
    Edge("prod of 0 and inf", over("prod"), [[0.0, INF]], NAN),
    Edge("max with inf", over("max"), [[1.0, INF]], INF, [[0, 1]], 0),
    Edge("max with nan: nobody's", over("max"), [[1.0, NAN]], NAN, [[0, 0]]),
    Edge("min with nan: nobody's", over("min"), [[1.0, NAN]], NAN, [[0, 0]]),
    Edge("cumsum behind inf", cumulative("cumsum"), [[1.0, INF, -INF]], [1, INF, NAN], [[3, 2, 1]],
         0),
    Edge("cummax behind nan", cumulative("cummax"), [[1.0, NAN, 2]], [1, NAN, NAN], [[1, 0, 0]]),
    Edge("cumprod behind nan", cumulative("cumprod"), [[1.0, NAN]], [1, NAN]),
    Edge("cumlogsumexp of -inf", cumulative("cumlogsumexp"), [[-INF, 0.0]], [-INF, 0]),
    Edge("argmax: nan above all", lambda x: emit.argmax(x, axis=0, dtype="i32"), [[1.0, NAN, INF]],
         1),
    Edge("top_k: nan above all", lambda x: emit.top_k(x, k=1)[0], [[1.0, NAN, INF]], NAN,
         [[0, 1, 0]], 0),
    Edge("comparison with nan", lambda x: emit.compare(x, x, comparison_direction="EQ"), [NAN],
         False),
    Edge("comparison with nan, NE", lambda x: emit.compare(x, x, comparison_direction="NE"), [NAN],
         True),
    Edge("nan that is multiplied by 0 stays", lambda x: emit.mul(x, zeros_like(x)), [NAN], NAN,
         [0], 0),
    Edge("rem by 0", emit.rem, [1.0, 0.0], NAN),
    Edge("rem by inf", emit.rem, [1.0, INF], 1, [1, 0], 0),
    Edge("modulus, infinite to the left", modulus, [-INF, 2.0], INF, [-1, 0], 0),
    Edge("modulus, infinite upwards", modulus, [2.0, INF], INF, [0, 1], 0),
    Edge("modulus, infinite in both parts", modulus, [INF, INF], INF),
    Edge("0 without a derivative at 0", emit.rough_zero, [0.0], 0, [NAN]),
    Edge("0 with a derivative at 2", emit.rough_zero, [2.0], 0, [0], 0),
    Edge("length of 0", length, [[0.0, 0.0]], 0, [0], NAN),
    Edge("modulus of NaN", modulus, [NAN, 2.0], NAN, [NAN, NAN]),
    Edge("modulus, large", modulus, [3e300, -4e300], 5e300, [0.6, -0.8]),
    *[
        Edge(f"complex ({x})^{n}", power_of_complex(n), [x], value, [slope], 0)
        for n in (-2, -3)
        for x, value, slope in ((INF, 0, 0), (-INF, 0, 0), (1e300, 0, 0), (-1e200, 0, 0))
    ],
    Edge("complex 2^-3", power_of_complex(-3), [2.0], 0.125, [-0.1875], 0.375),
    Edge("complex 0.5^-3", power_of_complex(-3), [0.5], 8, [-48], 384),
    Edge("below the normal numbers", emit.hypot, [5e-320, 0.0], 0),
    Edge("twice what is below them", emit.add, [5e-320, 5e-320], 0, [1, 1], 0),
    Edge("atan2 of infinities", emit.atan2, [INF, INF], np.pi / 4),
    Edge("nextafter of inf", emit.nextafter, [INF, 0.0], np.finfo(float).max, [1, 0], 0),
).test  # fmt: skip


# -- where -----------------------------------------------------------------------------------------


def guarded(f: Callable[..., ir.Value], inside: float = 0.0) -> Callable[..., ir.Value]:
    """where(x > inside, f(x), 0)"""

    def g(x: ir.Value) -> ir.Value:
        pred = emit.compare(x, full_like(x, inside), comparison_direction="GT")
        return emit.select(pred, f(x), zeros_like(x))

    return g


def inverse(x: ir.Value) -> ir.Value:
    return emit.div(full_like(x, 1), x)


# At 0 and at -1 outside, at 1 inside: slope and curvature there.
UNTAKEN: dict[str, tuple[Callable[..., ir.Value], float, float]] = {
    "sqrt": (emit.sqrt, 0.5, -0.25),
    "log": (emit.log, 1, -1),
    "log2": (emit.log2, 1 / np.log(2), -1 / np.log(2)),
    "rsqrt": (emit.rsqrt, -0.5, 0.75),
    "1/x": (inverse, -1, 2),
    "cbrt": (emit.cbrt, 1 / 3, -2 / 9),
    "x^1/2": (lambda x: emit.pow(x, full_like(x, 0.5)), 0.5, -0.25),
    "x^-1": (lambda x: emit.pow(x, full_like(x, -1.0)), -1, 2),
    "sqrt of log1p": (
        lambda x: emit.sqrt(emit.log1p(x)),
        1 / (4 * np.sqrt(np.log(2))),
        -1 / (8 * np.sqrt(np.log(2))) * (1 + 1 / (2 * np.log(2))),
    ),
    "x log x": (lambda x: emit.mul(x, emit.log(x)), 1, 1),
}


def norm(x: ir.Value) -> ir.Value:
    """where(s > 0, sqrt(s), 0) of the sum of squares: 0 at 0."""
    return guarded(emit.sqrt)(emit.sum(emit.mul(x, x), axes=(0,)))


def nan_beside(pred: ir.Value, x: ir.Value) -> ir.Value:
    return emit.select(pred, emit.square(x), emit.log(emit.neg(x)))


test_where_with_a_nan_on_the_untaken_side = Table(
    *[
        Edge(f"{name} at {x}", guarded(f), [x], 0, [0], 0)
        for name, (f, _, _) in UNTAKEN.items()
        for x in (0.0, -1.0, NAN)
    ],
    *[
        Edge(f"{name} at 1, taken", guarded(f), [1.0], None, [first], second, rounding(FORMULA))
        for name, (f, first, second) in UNTAKEN.items()
    ],
    Edge("the other side", nan_beside, [True, 3.0], 9, [6], 2),
    Edge("element by element", guarded(emit.log), [[1.0, 0, -1]], 0, [[1, 0, 0]],
         np.diag([-1, 0, 0])),
    Edge("the norm of zeros", norm, [[0.0, 0.0]], 0, [0]),
    Edge("a sum behind it", lambda x: emit.sum(guarded(emit.sqrt)(x), axes=(0,)), [[4.0, 0]], 2,
         [[0.25, 0]], [[-1 / 32, 0], [0, 0]]),
    Edge("a where in a where", guarded(guarded(emit.log, 1.0), -1.0), [0.0], 0, [0], 0),
).test  # fmt: skip


# -- other dtypes ----------------------------------------------------------------------------------


def truncated(dtype: str) -> Callable[..., ir.Value]:
    return lambda x: as_float(emit.convert(x, dtype=dtype))


test_integer_and_boolean_operands_inside_float_programs = Table(
    Edge("times an integer", lambda x, n: emit.mul(x, as_float(n)), [1.5, np.int32(3)], 4.5, [3],
         0),
    Edge("times an unsigned one", lambda x, n: emit.mul(x, as_float(n)), [1.5, np.uint8(255)],
         382.5, [255], 0),
    Edge("times a bool", lambda x, b: emit.mul(x, as_float(b)), [[1.5, 2], [True, False]], [1.5, 0],
         [[1, 0]], 0),
    Edge("chosen by a bool", emit.select, [[True, False], [1.0, 2], [3.0, 4]], [1, 4],
         [[1, 0], [0, 1]], 0),
    Edge("to an integer power", lambda x, n: emit.pow(x, as_float(n)), [-2.0, np.int32(3)], -8,
         [12], -12),
    Edge("taken by integers", lambda x, n: emit.gather(
        x, n, dimension_numbers=GatherDims(*POINTS), slice_sizes=(1,)), [ABC, at(2, 0)], [3, 1],
        [[1, 0, 1]], 0),
    Edge("compared, counted", lambda x: emit.mul(x, repeated(emit.sum(as_float(
        emit.compare(x, full_like(x, 1.5), comparison_direction="GT")), axes=(0,)), 3)),
        [ABC], [2, 4, 6], [2], 0),
    Edge("integers beside it", lambda x, n: emit.add(x, as_float(emit.sum(n, axes=(0,)))),
         [1.0, np.int8([100, 27])], 128, [1], 0),
    Edge("integer division, then float", lambda x,
         n: emit.mul(x, as_float(emit.div(n, full_like(n, 2)))),
         [2.0, np.int32(-7)], -6, [-3], 0),
    Edge("sorted beside integers", lambda x, n: weighted(lambda x: emit.sort(
        n, x, dimension=0, is_stable=True,
        comparator=lambda a, b, *_: emit.compare(a, b, comparison_direction="LT"))[1])(x),
        [ABC, at(3, 1, 2)], [2, 6, 3], [[3, 1, 2]], 0),
).test  # fmt: skip

test_float_to_int_conversions_have_zero_gradient = Table(
    *[
        Edge(f"to {dtype} and back", truncated(dtype), [[1.7, 0.4, 2.0]], [1, 0, 2], [0], 0)
        for dtype in ("i8", "i16", "i32", "i64", "ui8", "ui16", "ui32", "ui64")
    ],
    Edge("towards zero", truncated("i32"), [[-1.7, -0.4]], [-1, 0], [0], 0),
    Edge("to bool: whether it is not 0", truncated("bool"), [[0.5, -0.0, NAN]], [1, 0, 1], [0], 0),
    Edge("beyond the range: its end", truncated("i32"), [[1e300, -1e300, INF]],
         [2**31 - 1, -(2**31), 2**31 - 1], [0], 0),
    Edge("of NaN: 0", truncated("i32"), [[NAN]], 0, [0], 0),
    Edge("rest of a number", lambda x: emit.sub(x, truncated("i32")(x)), [2.25], 0.25, [1], 0),
    Edge("as a factor", lambda x: emit.mul(x, truncated("i32")(x)), [2.25], 4.5, [2], 0),
    Edge("f32 through i32", lambda x: emit.convert(truncated("i32")(x), dtype="f32"),
         [np.float32(1.5)], 1, [0], 0),
    Edge("to a narrower float: 1", lambda x: as_float(emit.convert(x, dtype="f16")), [1.5], 1.5,
         [1], 0),
    Edge("bf16 to integer", lambda x: as_float(emit.convert(x, dtype="i32")),
         [np.array(1.5, numpy_dtype("bf16"))], 1, [0]),
).test  # fmt: skip


# -- pad -------------------------------------------------------------------------------------------


def padded(low: int, high: int, inner: int) -> Callable[..., ir.Value]:
    return lambda x, value: emit.pad(
        x, value, edge_padding_low=(low,), edge_padding_high=(high,), interior_padding=(inner,)
    )


def value_alone(low: int, high: int, inner: int) -> Callable[..., ir.Value]:
    """Only the padding value is an operand."""
    return lambda value: padded(low, high, inner)(literal([1.0, 2, 3]), value)


PADS = {  # of [1, 2, 3] with 9: the result, the slopes of the elements, and how many 9 there are
    (1, 2, 0): ([9, 1, 2, 3, 9, 9], [1, 1, 1], 3),
    (0, 0, 1): ([1, 9, 2, 9, 3], [1, 1, 1], 2),
    (-1, 0, 0): ([2, 3], [0, 1, 1], 0),
    (-1, -1, 0): ([2], [0, 1, 0], 0),
    (-1, 1, 1): ([9, 2, 9, 3, 9], [0, 1, 1], 3),
    (2, -2, 1): ([9, 9, 1, 9, 2], [1, 1, 0], 3),
    (-2, -1, 2): ([9, 2, 9, 9], [0, 1, 0], 3),
    (-5, 4, 0): ([9, 9], [0, 0, 0], 2),
    (-2, -1, 0): ([], [0, 0, 0], 0),
}

test_pad_with_negative_and_interior_padding = Table(
    *[
        Edge(f"low {low}, high {high}, interior {inner}", padded(low, high, inner), [ABC, 9.0],
             y, [of_x, count], 0)
        for (low, high, inner), (y, of_x, count) in PADS.items()
    ],
    *[
        Edge(f"only the value: low {low}, high {high}, interior {inner}",
             value_alone(low, high, inner), [9.0], y, [count], 0)
        for (low, high, inner), (y, _, count) in PADS.items()
    ],
    Edge("squared", squared(padded(-1, 1, 1)), [ABC, 9.0], [81, 4, 81, 9, 81], [[0, 4, 6], 54],
         np.diag([0, 2, 2, 6])),
    Edge("only the value, squared", squared(value_alone(-1, 1, 1)), [9.0], [81, 4, 81, 9, 81],
         [54], 6),
    Edge("nothing, with 2", padded(1, 1, 5), [np.zeros(0), 2.0], [2, 2], [np.zeros(0), 2], 0),
    Edge("what is cut may be nan", padded(-1, 0, 0), [[NAN, 1, 2], 0.0], [1, 2], [[0, 1, 1], 0], 0),
).test  # fmt: skip


# Ops whose result is known whatever one operand is, and those that look at bits.
KEEP_NOTHING_OF_NAN = {
    "pow",
    "rough_zero",
    "is_finite",
    "is_inf",
    "is_pos_inf",
    "is_neg_inf",
    "compare",
}

test_every_elementwise_op_lets_nan_through = Table(
    *[
        Edge(op.short_name, op.build, [NAN] * op.n_operands, NAN)
        for op in OPS.values()
        if issubclass(op, Elementwise) and "float" in op.kinds.split() and not op.params
        if op.short_name not in KEEP_NOTHING_OF_NAN | {"complex", "abs"}
    ],
    Edge("pow, of 1 and of exponent 0", emit.pow, [[1.0, NAN], [NAN, 0.0]], 1),
    keep=0,
).test
