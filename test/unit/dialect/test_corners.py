"""Values and derivatives where a formula breaks: ties, zeros, bounds, NaN, empty, extreme."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
from tolerances import FORMULA, rounding

from anvl.dialect.core.create import full, full_like, zeros_like
from anvl.dialect.core.families import differentiable
from anvl.dialect.core.mlir import ir
from anvl.dialect.core.op import emit
from anvl.dialect.core.types import numpy_dtype
from anvl.dialect.interpreters.reverse import reverse_sweep
from anvl.testing.program import Program

INF, NAN = np.inf, np.nan


def evaluated(body: Callable[..., Sequence[ir.Value]], *inputs: Any) -> list[np.ndarray]:
    """The values of what `body` builds from the inputs."""
    program = Program()
    program.add([np.asarray(x) for x in inputs], body)
    program.finish()
    program.compile()
    return program.run()[0]


def adjoints(y: ir.Value, xs: Sequence[ir.Value]) -> list[ir.Value]:
    """The derivatives of the sum of y."""
    return reverse_sweep(ir.InsertionPoint.current.block, [(y, full_like(y, 1))], xs)


def gradient(f: Callable[..., ir.Value], *inputs: Any, wrt: Sequence[int] = ()) -> list[Any]:
    """The derivatives of the sum of f with respect to all float inputs, or those of `wrt`."""

    def body(*xs: ir.Value) -> list[ir.Value]:
        moving = [xs[i] for i in wrt] or [x for x in xs if differentiable(x.type)]
        return adjoints(f(*xs), moving)

    return evaluated(body, *inputs)


def derivatives(f: Callable[[ir.Value], ir.Value], x: Any, order: int) -> list[np.ndarray]:
    """The first, second, ... derivative of the sum, each of the sum of the one before."""

    def body(x: ir.Value) -> list[ir.Value]:
        found = [f(x)]
        for _ in range(order):
            found += adjoints(found[-1], [x])
        return found[1:]

    return evaluated(body, x)


@pytest.mark.parametrize("op", ["maximum", "minimum"])
def test_two_that_tie_share_evenly(op: str) -> None:
    x, y = gradient(getattr(emit, op), np.array([1.0, 2.0]), np.array([1.0, 3.0]))
    assert x[0] == y[0] == 0.5
    assert {x[1], y[1]} == {0.0, 1.0}


@pytest.mark.parametrize("op", ["max", "min"])
def test_all_that_tie_share_evenly(op: str) -> None:
    (x,) = gradient(lambda x: getattr(emit, op)(x, axes=(0,)), np.full(4, 7.0))
    assert x.tolist() == [0.25] * 4


def test_the_largest_of_a_row_with_ties_and_of_one_without() -> None:
    x = np.array([[3.0, 1.0, 3.0], [1.0, 5.0, 2.0]])
    (g,) = gradient(lambda x: emit.max(x, axes=(1,)), x)
    assert g.tolist() == [[0.5, 0, 0.5], [0, 1, 0]]


@pytest.mark.parametrize("dtype", ["f64", "c128"])
def test_abs_has_slope_0_at_0(dtype: str) -> None:
    assert gradient(emit.abs, np.zeros(1, numpy_dtype(dtype))) == [0]


def test_abs_has_second_derivative_0_at_0() -> None:
    assert derivatives(emit.abs, np.zeros(1), 2) == [0, 0]


def test_scaled_bessel_functions_have_the_derivatives_at_0_of_their_factors() -> None:
    """Those of exp(-abs(x)) i0(x) and exp(-abs(x)) i1(x), written out."""
    for f, order, wanted in (
        (emit.bessel_i0e, 0, [0, 0.5]),
        (emit.bessel_i1e, 1, [0.5, 0]),
    ):

        def written_out(x: Any, order: int = order) -> Any:
            return emit.mul(emit.exp(emit.neg(emit.abs(x))), emit.bessel_i(x, order=order))

        for g in (f, written_out):
            found = np.ravel(derivatives(g, np.zeros(1), 2))
            np.testing.assert_allclose(found, wanted, atol=rounding(FORMULA))


def test_gradient_of_the_squared_modulus_is_twice_the_conjugate() -> None:
    (g,) = gradient(lambda x: emit.square(emit.abs(x)), np.array([3 + 4j]))
    np.testing.assert_allclose(g, [6 - 8j])


def test_sign_of_complex_zero_has_no_derivative() -> None:
    """So neither has the modulus a second one."""
    (g,) = gradient(emit.sign, np.zeros(1, complex))
    assert np.isnan(g).all()


@pytest.mark.parametrize(
    "x, first, second",
    [
        ([2.0, 3.0, 5.0], [15, 10, 6], [[0, 5, 3], [5, 0, 2], [3, 2, 0]]),
        ([0.0, 3.0, 5.0], [15, 0, 0], [[0, 5, 3], [5, 0, 0], [3, 0, 0]]),
        ([0.0, 0.0, 5.0], [0, 0, 0], [[0, 5, 0], [5, 0, 0], [0, 0, 0]]),
        ([0.0, 0.0, 0.0], [0, 0, 0], [[0, 0, 0]] * 3),
    ],
)
def test_a_product_with_zeros(x: Any, first: Any, second: Any) -> None:
    def body(x: ir.Value, *directions: ir.Value) -> list[ir.Value]:
        (g,) = adjoints(emit.prod(x, axes=(0,)), [x])
        block = ir.InsertionPoint.current.block
        return [g, *(reverse_sweep(block, [(g, e)], [x])[0] for e in directions)]

    g, *hessian = evaluated(body, np.array(x), *np.eye(3))
    assert g.tolist() == first
    assert np.array(hessian).tolist() == second


def test_a_power_at_base_0_and_at_exponent_0() -> None:
    x = np.array([0.0, 0.0, 0.0, 2.0, -2.0])
    y = np.array([0.0, 1.0, 2.0, 0.0, 2.0])
    dx, dy = gradient(emit.pow, x, y)
    assert dx.tolist() == [0, 1, 0, 0, -4]
    np.testing.assert_allclose(dy[:4], [0, 0, 0, np.log(2)])


def test_second_derivatives_of_a_power_at_integers() -> None:
    def square(x: ir.Value) -> ir.Value:
        return emit.pow(x, full_like(x, 2))

    assert [d.tolist() for d in derivatives(square, np.zeros(1), 3)] == [[0], [2], [0]]


def test_mixed_derivative_of_a_power_at_exponent_0() -> None:
    # d/dy (y x^(y-1)) = 1/x at y = 0
    def body(x: ir.Value, y: ir.Value) -> list[ir.Value]:
        (dx,) = adjoints(emit.pow(x, y), [x])
        return adjoints(dx, [y])

    assert evaluated(body, 4.0, 0.0) == [0.25]


def test_clamp_passes_1_at_its_bounds() -> None:
    low, x, high = gradient(emit.clamp, -1.0, np.array([-2.0, -1.0, 0.0, 1.0, 2.0]), 1.0)
    assert x.tolist() == [0, 1, 1, 1, 0]
    assert (low, high) == (1, 1)  # from the one element below, and the one above


@pytest.mark.parametrize("untaken", [INF, NAN])
def test_select_does_not_let_the_other_side_through(untaken: float) -> None:
    def f(pred: ir.Value, x: ir.Value, y: ir.Value) -> ir.Value:
        return emit.select(pred, emit.mul(x, x), emit.add(y, full_like(y, untaken)))

    x, y = gradient(f, np.array([True, True]), np.array([1.0, 2.0]), np.array([3.0, 4.0]))
    assert (x.tolist(), y.tolist()) == ([2, 4], [0, 0])


def test_reductions_of_nothing() -> None:
    def body(x: ir.Value, b: ir.Value) -> list[ir.Value]:
        of_x = [getattr(emit, op)(x, axes=(0,)) for op in ("sum", "prod", "max", "min")]
        return of_x + [getattr(emit, op)(b, axes=(0,)) for op in ("all", "any")]

    found = evaluated(body, np.zeros((0, 1)), np.zeros((0, 1), bool))
    assert [y[0] for y in found] == [0, 1, -INF, INF, True, False]


@pytest.mark.parametrize("dtype", ["i8", "i16", "i32", "i64", "ui8", "ui16", "ui32", "ui64"])
def test_extremes_of_no_integers_are_the_bounds_of_the_dtype(dtype: str) -> None:
    def body(x: ir.Value) -> list[ir.Value]:
        return [emit.max(x, axes=(0,)), emit.min(x, axes=(0,))]

    bounds = np.iinfo(numpy_dtype(dtype))
    assert evaluated(body, np.zeros(0, bounds.dtype)) == [bounds.min, bounds.max]


@pytest.mark.parametrize("op", ["sum", "prod", "max", "min"])
def test_the_gradient_of_an_empty_reduction_is_empty_and_no_nan(op: str) -> None:
    def f(x: ir.Value) -> ir.Value:
        return emit.mul(getattr(emit, op)(x, axes=(0,)), getattr(emit, op)(x, axes=(0,)))

    (g,) = gradient(f, np.zeros((0, 2)))
    assert g.shape == (0, 2)


def test_argmax_and_argmin_take_the_first_of_equals_and_nan_before_all() -> None:
    x = np.array([[1.0, 3.0, 3.0], [NAN, 5.0, NAN], [2.0, NAN, 9.0], [-INF] * 3, [INF] * 3])

    def body(x: ir.Value) -> list[ir.Value]:
        return [getattr(emit, op)(x, axis=1, dtype="i32") for op in ("argmax", "argmin")]

    largest, smallest = evaluated(body, x)
    assert largest.tolist() == np.argmax(x, 1).tolist() == [1, 0, 1, 0, 0]
    assert smallest.tolist() == np.argmin(x, 1).tolist() == [0, 0, 1, 0, 0]


@pytest.mark.parametrize("dtype", ["bool", "i8", "ui64"])
def test_argmax_of_equal_integers_is_0(dtype: str) -> None:
    for value in (0, 1):
        x = np.full(3, value, numpy_dtype(dtype))
        assert evaluated(lambda x: [emit.argmax(x, axis=0, dtype="i64")], x) == [0]


def test_convert_to_integer_truncates_and_has_zero_gradient() -> None:
    def f(x: ir.Value) -> ir.Value:
        return emit.convert(emit.convert(x, dtype="i32"), dtype="f64")

    x = np.array([1.7, -1.7])
    assert evaluated(lambda x: [f(x)], x)[0].tolist() == [1, -1]
    assert gradient(f, x)[0].tolist() == [0, 0]


def test_convert_of_complex_to_real_takes_the_real_part() -> None:
    (g,) = gradient(lambda x: emit.convert(x, dtype="f64"), np.array([1 + 2j]))
    assert g.tolist() == [1]


@pytest.mark.parametrize(
    "low, high, inner, count",
    [
        ((1,), (2,), (0,), 3),
        ((-1,), (1,), (1,), 4),
        ((-2,), (-2,), (0,), 0),
        ((-6,), (3,), (1,), 3),
    ],
)
def test_only_the_padding_value_of_pad(low: Any, high: Any, inner: Any, count: int) -> None:
    def f(x: ir.Value, value: ir.Value) -> ir.Value:
        return emit.pad(
            x, value, edge_padding_low=low, edge_padding_high=high, interior_padding=inner
        )

    (g,) = gradient(f, np.arange(4.0), 9.0, wrt=[1])
    assert g == count


def test_pad_cuts_and_the_gradient_of_what_is_cut_is_0() -> None:
    def f(x: ir.Value, value: ir.Value) -> ir.Value:
        return emit.pad(
            x, value, edge_padding_low=(-1,), edge_padding_high=(-1,), interior_padding=(2,)
        )

    assert gradient(f, np.arange(4.0), 9.0)[0].tolist() == [0, 1, 1, 0]


def test_extrema_let_nan_through() -> None:
    def body(x: ir.Value, y: ir.Value) -> list[ir.Value]:
        of_one = [emit.max(x, axes=(0,)), emit.min(x, axes=(0,))]
        return [emit.maximum(x, y), emit.minimum(x, y), *of_one]

    for found in evaluated(body, np.array([NAN, 1.0]), np.array([1.0, NAN])):
        assert np.isnan(found).all()


def test_nan_gives_no_gradient_to_either_operand_of_maximum() -> None:
    x, y = gradient(emit.maximum, np.array([NAN, 1.0]), np.array([1.0, NAN]))
    assert (x.tolist(), y.tolist()) == ([0, 0], [0, 0])


def test_the_angle_of_the_origin_has_no_derivative() -> None:
    assert np.isnan(gradient(emit.atan2, np.zeros(1), np.zeros(1))).all()


def test_slopes_at_the_edge_of_a_domain_are_infinite() -> None:
    for op in (emit.sqrt, emit.cbrt, emit.log):
        assert gradient(op, np.zeros(1))[0] == INF
    assert gradient(emit.asin, np.ones(1))[0] == INF
    assert gradient(emit.acos, np.ones(1))[0] == -INF


def test_integers_wrap() -> None:
    def body(x: ir.Value) -> list[ir.Value]:
        return [emit.abs(x), emit.neg(x), emit.add(x, x), emit.sum(x, axes=(0,))]

    low = np.full(2, -128, np.int8)
    found = evaluated(body, low)
    assert [y.ravel()[0] for y in found] == [-128, -128, 0, 0]


def test_bits_of_extreme_integers() -> None:
    def body(x: ir.Value, zero: ir.Value, wide: ir.Value) -> list[ir.Value]:
        return [
            emit.popcnt(x),
            emit.count_leading_zeros(x),
            emit.count_leading_zeros(zero),
            emit.shift_left(x, wide),
            emit.shift_right_logical(x, wide),
            emit.shift_right_arithmetic(x, wide),
        ]

    x, zero, wide = (np.array(v, np.int32) for v in (-1, 0, 32))
    assert evaluated(body, x, zero, wide) == [32, 0, 32, 0, 0, -1]


def test_numbers_of_every_dtype_reach_the_device() -> None:
    dtypes = ["bool", "i8", "ui64", "f16", "bf16", "f32", "c64", "c128"]

    def body(*xs: ir.Value) -> list[ir.Value]:
        return [part for x in xs for part in (full(x.type, 1), zeros_like(x))]

    found = evaluated(body, *(np.zeros(2, numpy_dtype(d)) for d in dtypes))
    assert [y.tolist() for y in found] == [[1, 1], [0, 0]] * len(dtypes)


@pytest.mark.parametrize("dtype", ["f64", "c128"])
def test_what_is_stopped_has_no_derivative_of_any_order(dtype: str) -> None:
    def f(x: ir.Value) -> ir.Value:
        held = emit.stop_gradient(emit.mul(x, x))
        return emit.add(emit.mul(held, x), emit.stop_gradient(emit.log(emit.sub(x, x))))

    x = np.full(1, 3, numpy_dtype(dtype))
    assert derivatives(f, x, 2) == [9, 0]


def test_what_leads_to_a_stop_alone_is_not_differentiated() -> None:
    def f(x: ir.Value) -> ir.Value:
        bits = emit.bitcast_convert(x, dtype="f64")  # has no derivative, and is not asked for one
        return emit.mul(x, emit.stop_gradient(bits))

    assert gradient(f, np.full(1, 3.0)) == [3]
