"""Windows and scans where a formula breaks: zeros, ties, NaN, infinities, padding, groups."""

from typing import Any

import numpy as np
import pytest
from proof import examine
from test_corners import INF, NAN, adjoints, derivatives, evaluated, gradient
from tolerances import FORMULA, ITERATION, PROGRAM, rounding

from anvl.dialect.core.context import context
from anvl.dialect.core.create import full, full_like
from anvl.dialect.core.errors import MissingRule
from anvl.dialect.core.mlir import ir
from anvl.dialect.core.op import emit
from anvl.dialect.core.op_registry import OPS
from anvl.dialect.core.params.window_params import ConvDims
from anvl.dialect.core.types import element_type, numpy_dtype, tensor
from anvl.dialect.interpreters.reverse import reverse_sweep
from anvl.testing.draw import Call, Draw

# -- scans -----------------------------------------------------------------------------------------


def slopes_of_products(x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The first and second derivatives of the sum of the products up to each place."""
    n = len(x)
    first, second = np.zeros(n), np.zeros((n, n))
    for i in range(n):
        for j in range(i + 1):
            first[j] += np.prod([x[k] for k in range(i + 1) if k != j])
            for m in set(range(i + 1)) - {j}:
                second[j, m] += np.prod([x[k] for k in range(i + 1) if k not in (j, m)])
    return first, second


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize(
    "x", [[2, 3, 5, 7], [0, 3, 5, 7], [2, 0, 5, 0], [0, 0, 5, 7], [0, 0, 0, 0], [2, 3, 5, 0]]
)
def test_cumprod_is_exact_at_zeros_to_second_order(x: list[float], reverse: bool) -> None:
    def body(x: ir.Value, *directions: ir.Value) -> list[ir.Value]:
        (g,) = adjoints(emit.cumprod(x, axis=0, reverse=reverse), [x])
        block = ir.InsertionPoint.current.block
        return [g, *(reverse_sweep(block, [(g, e)], [x])[0] for e in directions)]

    turn = slice(None, None, -1 if reverse else 1)
    first, second = slopes_of_products(np.array(x, float)[turn])
    g, *hessian = evaluated(body, np.array(x, float), *np.eye(4))
    assert g.tolist() == first[turn].tolist()
    assert np.array(hessian).tolist() == second[turn, turn].tolist()


@pytest.mark.parametrize("op, sign", [("cummax", 1), ("cummin", -1)])
def test_elements_that_tie_share_each_place_evenly(op: str, sign: int) -> None:
    x = sign * np.array([1.0, 3.0, 3.0, 2.0, 3.0, 9.0])
    (g,) = gradient(lambda x: getattr(emit, op)(x, axis=0), x)
    np.testing.assert_allclose(g, [1, 1 + 1 / 2 + 1 / 2 + 1 / 3, 1 + 1 / 3, 0, 1 / 3, 1])


@pytest.mark.sweep(keep=0)
def test_many_that_tie_are_counted_in_a_narrow_dtype_too() -> None:
    x = np.zeros(1000, numpy_dtype("bf16"))
    (g,) = gradient(lambda x: emit.cummax(x, axis=0), x)
    assert g[-1] == numpy_dtype("bf16").type(1 / 1000)


def test_behind_a_nan_the_extremes_are_nan_and_before_it_slopes_are_as_ever() -> None:
    x = np.array([1.0, 2.0, NAN, 3.0])
    y, g = evaluated(lambda x: [y := emit.cummax(x, axis=0), *adjoints(y, [x])], x)
    np.testing.assert_equal(y, [1, 2, NAN, NAN])
    assert g.tolist() == [1, 1, 0, 0]


def test_cumlogsumexp_of_infinities_and_of_large_numbers() -> None:
    x = np.array([-INF, -INF, 1000.0, 1000.0, -1000.0, INF, 5.0])
    y, g = evaluated(lambda x: [y := emit.cumlogsumexp(x, axis=0), *adjoints(y, [x])], x)
    np.testing.assert_allclose(y, [-INF, -INF, 1000, 1000 + np.log(2), 1000 + np.log(2), INF, INF])
    # Each place gives 1: shared between the two of 1000, to the last of those that are infinite.
    np.testing.assert_allclose(g, [1, 1, 2, 1, 0, 2, 0])


def test_second_derivatives_of_cumlogsumexp_far_out_are_finite() -> None:
    for d in derivatives(lambda x: emit.cumlogsumexp(x, axis=0), np.array([800.0, -800.0, 0.0]), 3):
        assert np.isfinite(d).all()


@pytest.mark.parametrize("dtype", ["bool", "i8", "ui64", "f16", "bf16"])
def test_cumulative_extremes_of_every_kind_of_dtype(dtype: str) -> None:
    x = np.array([0, 1, 1, 0, 1]).astype(numpy_dtype(dtype))
    largest, smallest = evaluated(
        lambda x: [emit.cummax(x, axis=0), emit.cummin(x, axis=0, reverse=True)], x
    )
    assert largest.astype(int).tolist() == [0, 1, 1, 1, 1]
    assert smallest.astype(int).tolist() == [0, 0, 0, 0, 1]


def test_cumulative_sums_of_integers_wrap() -> None:
    (y,) = evaluated(lambda x: [emit.cumsum(x, axis=0)], np.full(3, 100, np.int8))
    assert y.tolist() == [100, -56, 44]


@pytest.mark.parametrize("count", [31, 32, 33, 65, 1000])
def test_scans_of_any_length_agree_with_a_loop(count: int) -> None:
    random = np.random.default_rng(count)
    x, b = random.uniform(-1, 1, (2, count))

    def body(x: ir.Value, b: ir.Value) -> list[ir.Value]:
        return [
            emit.cumsum(x, axis=0, reverse=True),
            emit.cumlogsumexp(x, axis=0),
            emit.linear_recurrence(x, b, axis=0),
        ]

    sums, logs, y = evaluated(body, x, b)
    wanted = [b[0]]
    for i in range(1, count):
        wanted.append(x[i] * wanted[-1] + b[i])
    np.testing.assert_allclose(sums, np.cumsum(x[::-1])[::-1], atol=rounding(ITERATION))
    np.testing.assert_allclose(logs, np.logaddexp.accumulate(x), rtol=rounding(PROGRAM))
    np.testing.assert_allclose(y, wanted, rtol=rounding(PROGRAM), atol=rounding(FORMULA))


@pytest.mark.parametrize("first", [INF, NAN])
def test_the_first_factor_of_a_recurrence_does_not_matter(first: float) -> None:
    a, b = np.full(40, 0.5), np.ones(40)
    a[0] = first
    y, *g = evaluated(
        lambda a, b: [y := emit.linear_recurrence(a, b, axis=0), *adjoints(y, [a, b])], a, b
    )
    assert np.isfinite(y).all() and np.isfinite(g).all()


# -- windows ---------------------------------------------------------------------------------------


def pooled(x: ir.Value, body: Any, start: float, **params: Any) -> ir.Value:
    """The windows of x, folded."""
    first = full(tensor([], x.type.element_type), start)
    return emit.reduce_window(x, first, body=body, **params)[0]


def test_the_largest_of_windows_with_ties_share_evenly() -> None:
    def f(x: ir.Value) -> ir.Value:
        return pooled(x, emit.maximum, -INF, window_dimensions=(2,), window_strides=(2,))

    assert gradient(f, np.array([1.0, 1.0, 3.0, 2.0]))[0].tolist() == [0.5, 0.5, 1, 0]


def test_the_largest_of_windows_with_its_index() -> None:
    def better(x: ir.Value, i: ir.Value, y: ir.Value, j: ir.Value) -> list[ir.Value]:
        keep = emit.compare(x, y, comparison_direction="GE")
        return [emit.select(keep, x, y), emit.select(keep, i, j)]

    def body(x: ir.Value) -> list[ir.Value]:
        at = emit.iota(iota_dimension=0, shape=(4,), dtype="i32")
        starts = [full(tensor([], v.type.element_type), n) for v, n in ((x, -INF), (at, -1))]
        y, i = emit.reduce_window(x, at, *starts, window_dimensions=(2,), body=better)
        return [y, i, *adjoints(y, [x])]

    y, i, g = evaluated(body, np.array([1.0, 5.0, 2.0, 3.0]))
    assert (y.tolist(), i.tolist(), g.tolist()) == ([5, 5, 3], [1, 1, 3], [0, 2, 0, 1])


def test_products_of_windows_are_exact_at_zeros() -> None:
    def f(x: ir.Value) -> ir.Value:
        return pooled(x, emit.mul, 1.0, window_dimensions=(3,))

    assert gradient(f, np.array([0.0, 2.0, 0.0, 3.0]))[0].tolist() == [0, 0, 6, 0]


def test_sums_of_windows_send_back_how_many_windows_an_element_is_in() -> None:
    def f(x: ir.Value) -> ir.Value:
        return pooled(x, emit.add, 0.0, window_dimensions=(3,), padding=((1, 1),))

    assert gradient(f, np.zeros(5))[0].tolist() == [2, 3, 3, 3, 2]


def test_an_initial_value_has_no_derivative_and_the_message_says_why() -> None:
    def f(x: ir.Value, start: ir.Value) -> ir.Value:
        return emit.reduce_window(x, start, window_dimensions=(2,), body=emit.add)[0]

    with pytest.raises(MissingRule, match="an initial value must be the identity of the body"):
        gradient(f, np.zeros(3), 0.0)


@pytest.mark.parametrize("strides", [(1, 1), (2, 1), (3, 2)])
def test_windows_of_one_element_are_slices(strides: tuple[int, int]) -> None:
    """XLA's simplifier aborts the process on some of these."""
    x = np.arange(12.0).reshape(3, 4)
    (y,) = evaluated(
        lambda x: [pooled(x, emit.add, 0.0, window_dimensions=(1, 1), window_strides=strides)], x
    )
    assert y.tolist() == x[:: strides[0], :: strides[1]].tolist()


REFUSED = [
    ({"window_dimensions": (2,)}, "window_dimensions [2] must have one entry for each axis"),
    ({"window_dimensions": (2, 0)}, "window_dimensions [2, 0] of tensor<3x4xf32> must be positive"),
    ({"window_strides": (1,)}, "window_strides [1] must have one entry"),
    ({"window_strides": (1, 0)}, "window_strides [1, 0] of tensor<3x4xf32> must be positive"),
    ({"base_dilations": (0, 1)}, "base_dilations [0, 1] of tensor<3x4xf32> must be positive"),
    ({"base_dilations": (1, 1, 1)}, "base_dilations [1, 1, 1] must have one entry"),
    ({"window_dilations": (1, -1)}, "window_dilations [1, -1] of tensor<3x4xf32> must be positive"),
    ({"window_dilations": ()}, "window_dilations [] must have one entry"),
    ({"padding": ((0, 0),)}, "padding [[0, 0]] must have one entry for each axis"),
    (
        {"padding": ((0, 0), (-2, -3))},
        "padding [[0, 0], [-2, -3]] removes more elements than there",
    ),
]


@pytest.mark.parametrize("params, message", REFUSED)
def test_what_reduce_window_refuses(params: dict[str, Any], message: str) -> None:
    f32 = element_type("f32")
    with pytest.raises(TypeError) as caught:
        OPS["stablehlo.reduce_window"].result_type(
            tensor([3, 4], f32), tensor([], f32), **({"window_dimensions": (2, 2)} | params)
        )
    assert message in str(caught.value)


OPERANDS_REFUSED = [
    (["3xf32"], "takes one initial value per array, got tensor<3xf32>"),
    (["3xf32", "4xf32", "f32", "f32"], "arrays tensor<3xf32>, tensor<4xf32> differ in shape"),
    (["3xf32", "f64"], "initial value tensor<f64> of array tensor<3xf32> must be tensor<f32>"),
]


@pytest.mark.parametrize("types, message", OPERANDS_REFUSED)
def test_which_operands_reduce_window_refuses(types: list[str], message: str) -> None:
    parsed = [ir.Type.parse(f"tensor<{t}>", context()) for t in types]
    with pytest.raises(TypeError) as caught:
        OPS["stablehlo.reduce_window"].result_type(*parsed, window_dimensions=(2,))
    assert message in str(caught.value)


def test_a_body_that_returns_another_type_is_refused() -> None:
    def f(x: ir.Value) -> list[ir.Value]:
        wide = lambda a, b: emit.convert(a, dtype="f32")  # noqa: E731
        return [pooled(x, wide, 0.0, window_dimensions=(1,))]

    with pytest.raises(TypeError, match=r"reduce_window: body returns tensor<f32> but must return"):
        evaluated(f, np.zeros(2))


def scattered(x: ir.Value, source: ir.Value, start: ir.Value) -> ir.Value:
    """Each source to the largest, the first of equals, of its window of two."""
    return emit.select_and_scatter(
        x,
        source,
        start,
        window_dimensions=(2,),
        window_strides=(2,),
        select=lambda a, b: emit.compare(a, b, comparison_direction="GE"),
        scatter=emit.add,
    )


def test_select_and_scatter_moves_cotangents_back_and_gives_its_keys_none() -> None:
    x = np.array([1.0, 1.0, 3.0, 4.0])
    dx, dsource, dstart = gradient(
        lambda *xs: emit.mul(scattered(*xs), scattered(*xs)), x, np.array([5.0, 7.0]), 0.0
    )
    assert dx.tolist() == [0] * 4
    assert dsource.tolist() == [10, 14]
    assert dstart == 2 * (5 + 7)


SCATTER_REFUSED = [
    (["4xf32", "3xf32", "f32"], "source is tensor<3xf32>; windows of [2] on tensor<4xf32> take"),
    (["4xf32", "2xf64", "f32"], "source is tensor<2xf64>; windows of [2]"),
    (["4xf32", "2xf32", "f64"], "initial value is tensor<f64>; it must be tensor<f32>"),
    (["4x1xf32", "2xf32", "f32"], "window_dimensions [2] must have one entry for each axis"),
]


@pytest.mark.parametrize("types, message", SCATTER_REFUSED)
def test_what_select_and_scatter_refuses(types: list[str], message: str) -> None:
    parsed = [ir.Type.parse(f"tensor<{t}>", context()) for t in types]
    with pytest.raises(TypeError) as caught:
        OPS["stablehlo.select_and_scatter"].result_type(
            *parsed, window_dimensions=(2,), window_strides=(2,)
        )
    assert message in str(caught.value)


# -- convolution -----------------------------------------------------------------------------------


def plain(n: int, **params: Any) -> dict[str, Any]:
    """The parameters of a convolution over n spatial axes, behind batch and features."""
    places = tuple(range(2, n + 2))
    return {
        "window_strides": (1,) * n,
        "padding": ((0, 0),) * n,
        "lhs_dilation": (1,) * n,
        "rhs_dilation": (1,) * n,
        "window_reversal": (False,) * n,
        "dimension_numbers": ConvDims(0, 1, places, 1, 0, places, 0, 1, places),
        "feature_group_count": 1,
        "batch_group_count": 1,
    } | params


def test_convolution_is_a_correlation_and_reversed_a_convolution() -> None:
    random = np.random.default_rng(0)
    x, y = random.normal(size=(6, 7)), random.normal(size=(3, 2))

    def body(x: ir.Value, y: ir.Value) -> list[ir.Value]:
        turned = plain(2, window_reversal=(True, True), padding=((2, 2), (1, 1)))
        return [emit.convolution(x, y, **plain(2)), emit.convolution(x, y, **turned)]

    straight, turned = evaluated(body, x[None, None], y[None, None])
    windows = np.lib.stride_tricks.sliding_window_view(x, y.shape)
    np.testing.assert_allclose(straight[0, 0], np.einsum("ijkl,kl->ij", windows, y))
    # As polynomials are multiplied.
    product = np.zeros((8, 8))
    for (i, j), factor in np.ndenumerate(y):
        product[i : i + 6, j : j + 7] += factor * x
    np.testing.assert_allclose(turned[0, 0], product)


def random_call(random: np.random.Generator, draw: Draw) -> Call:
    """A convolution with everything at random: axes, groups, steps, paddings, reversal."""
    while True:
        n = int(random.integers(0, 3))
        dims = _random_dims(random, n)
        groups = [1, int(random.integers(1, 4))]
        random.shuffle(groups)
        features, batches = groups
        inner, outer, batch = (int(v) for v in random.integers(1, 3, 3))
        xs, ys = [0] * (n + 2), [0] * (n + 2)
        xs[dims[0]], xs[dims[1]] = batches * batch, features * inner
        ys[dims[3]], ys[dims[4]] = inner, features * batches * outer
        for axis in dims[2]:
            xs[axis] = int(random.integers(1, 7))
        for axis in dims[5]:
            ys[axis] = int(random.integers(1, 4))
        steps = [tuple(map(int, random.integers(1, 4, n))) for _ in range(3)]
        params = plain(
            n,
            window_strides=steps[0],
            lhs_dilation=steps[1],
            rhs_dilation=steps[2],
            padding=tuple(tuple(map(int, pair)) for pair in random.integers(-2, 3, (n, 2))),
            window_reversal=tuple(map(bool, random.integers(0, 2, n))),
            dimension_numbers=dims,
            feature_group_count=features,
            batch_group_count=batches,
        )
        cut = any(
            sum(pair) + (xs[axis] - 1) * step + 1 < 0
            for pair, axis, step in zip(params["padding"], dims[2], steps[1], strict=True)
        )
        if not cut:
            return Call([draw.floats(*xs), draw.floats(*ys)], params)


def _random_dims(random: np.random.Generator, n: int) -> ConvDims:
    orders = [tuple(map(int, random.permutation(n + 2))) for _ in range(3)]
    return ConvDims(*(field for first, second, *rest in orders
                      for field in (first, second, tuple(rest))))  # fmt: skip


@pytest.mark.sweep(keep=0, part=0)
@pytest.mark.parametrize("seed", range(2))
def test_rules_of_convolutions_at_random(seed: int) -> None:
    random, draw = np.random.default_rng(seed), Draw(f"convolution {seed}")
    with context(), ir.Location.unknown():
        calls = [random_call(random, draw) for _ in range(6)]
        findings = examine(OPS["anvl.convolution"], calls)
    assert not findings.problems, "\n".join(findings.problems)


# -- batch normalization ---------------------------------------------------------------------------


def test_a_batch_of_equal_elements_has_variance_0_and_finite_slopes() -> None:
    def f(x: ir.Value, scale: ir.Value, offset: ir.Value) -> ir.Value:
        given = {"epsilon": 0.5, "feature_index": 1}
        return emit.batch_norm_training(x, scale, offset, **given)[0]

    x, scale, offset = gradient(f, np.full((3, 2), 7.0), np.ones(2), np.ones(2))
    assert (np.abs(x) < 1e-12).all() and (np.abs(scale) < 1e-12).all()
    assert offset.tolist() == [3, 3]


def test_only_the_mean_or_the_variance_of_a_batch() -> None:
    def body(x: ir.Value, one: ir.Value) -> list[ir.Value]:
        given = {"epsilon": 0.0, "feature_index": 1}
        block = ir.InsertionPoint.current.block
        _, mean, variance = emit.batch_norm_training(x, one, one, **given)
        return [reverse_sweep(block, [(y, full_like(y, 1))], [x])[0] for y in (mean, variance)]

    of_mean, of_variance = evaluated(body, np.array([[1.0], [3.0]]), np.ones(1))
    assert of_mean.tolist() == [[0.5], [0.5]]
    assert of_variance.tolist() == [[-1], [1]]
