"""`anvl.nn`: activations against saved values, at kinks and infinities, in every mode."""

import numpy as np
import pytest
import scipy.special
from tolerances import FORMULA, ITERATION, PROGRAM, rounding

import anvl
import anvl.numpy as anp
from anvl import nn
from anvl.testing import check_grads

# By JAX 0.10.2, in f64, of POINTS.
POINTS = np.asarray([-3.5, -1.0, -0.25, 0.5, 2.0, 7.0])
VALUES = {
    "celu": [-0.969802616578, -0.632120558829, -0.221199216929, 0.5, 2.0, 7.0],
    "elu": [-0.969802616578, -0.632120558829, -0.221199216929, 0.5, 2.0, 7.0],
    "gelu": [
        -0.000616197655374,
        -0.158808009392,
        -0.100324649298,
        0.345714009825,
        1.95459769409,
        7.0,
    ],
    "hard_sigmoid": [0.0, 0.333333333333, 0.458333333333, 0.583333333333, 0.833333333333, 1.0],
    "hard_silu": [0.0, -0.333333333333, -0.114583333333, 0.291666666667, 1.66666666667, 7.0],
    "hard_tanh": [-1.0, -1.0, -0.25, 0.5, 1.0, 1.0],
    "leaky_relu": [-0.035, -0.01, -0.0025, 0.5, 2.0, 7.0],
    "log_sigmoid": [
        -3.52975041827,
        -1.31326168752,
        -0.825939419879,
        -0.47407698418,
        -0.126928011043,
        -0.000911466453774,
    ],
    "mish": [
        -0.104095754486,
        -0.303401461374,
        -0.129926963679,
        0.375245211305,
        1.94395895953,
        6.99998837981,
    ],
    "relu": [0.0, 0.0, 0.0, 0.5, 2.0, 7.0],
    "relu6": [0.0, 0.0, 0.0, 0.5, 2.0, 6.0],
    "selu": [
        -1.70500934096,
        -1.11133073781,
        -0.388890197478,
        0.525350493678,
        2.10140197471,
        7.35490691149,
    ],
    "sigmoid": [
        0.0293122307514,
        0.26894142137,
        0.437823499114,
        0.622459331202,
        0.880797077978,
        0.999088948806,
    ],
    "silu": [
        -0.10259280763,
        -0.26894142137,
        -0.109455874779,
        0.311229665601,
        1.76159415596,
        6.99362264164,
    ],
    "soft_sign": [-0.777777777778, -0.5, -0.2, 0.333333333333, 0.666666666667, 0.875],
    "softplus": [
        0.0297504182726,
        0.313261687518,
        0.575939419879,
        0.97407698418,
        2.12692801104,
        7.00091146645,
    ],
    "sparse_plus": [0.0, 0.0, 0.140625, 0.5625, 2.0, 7.0],
    "sparse_sigmoid": [0.0, 0.0, 0.375, 0.75, 1.0, 1.0],
    "squareplus": [
        0.265564437075,
        0.61803398875,
        0.882782218537,
        1.2807764064,
        2.41421356237,
        7.14005494464,
    ],
    "tanh": [
        -0.998177897611,
        -0.761594155956,
        -0.244918662404,
        0.46211715726,
        0.964027580076,
        0.999998336944,
    ],
}
# Limits of the value at -infinity and infinity, and of the derivative.
LIMITS = {
    "celu": (-1, np.inf, 0, 1), "elu": (-1, np.inf, 0, 1), "gelu": (0, np.inf, 0, 1),
    "hard_sigmoid": (0, 1, 0, 0), "hard_silu": (0, np.inf, 0, 1), "hard_tanh": (-1, 1, 0, 0),
    "leaky_relu": (-np.inf, np.inf, 0.01, 1), "log_sigmoid": (-np.inf, 0, 1, 0),
    "mish": (0, np.inf, 0, 1), "relu": (0, np.inf, 0, 1), "relu6": (0, 6, 0, 0),
    "selu": (-1.7580993408473766, np.inf, 0, 1.0507009873554805), "sigmoid": (0, 1, 0, 0),
    "silu": (0, np.inf, 0, 1), "soft_sign": (-1, 1, 0, 0), "softplus": (0, np.inf, 0, 1),
    "sparse_plus": (0, np.inf, 0, 1), "sparse_sigmoid": (0, 1, 0, 0),
    "squareplus": (0, np.inf, 0, 1), "tanh": (-1, 1, 0, 0),
}  # fmt: skip
# The derivative at a kink, as documented.
KINKS = {
    "relu": [(0, 0)], "relu6": [(0, 0), (6, 0)], "hard_tanh": [(-1, 1), (1, 1)],
    "hard_sigmoid": [(-3, 0), (3, 0)], "hard_silu": [(-3, 0), (3, 1)], "leaky_relu": [(0, 1)],
    "selu": [(0, 1.7580993408473766)], "sparse_sigmoid": [(-1, 0), (1, 0)],
    "elu": [(0, 1)], "celu": [(0, 1)], "sparse_plus": [(-1, 0), (1, 1)], "squareplus": [(0, 0.5)],
    "soft_sign": [(0, 1)],
}  # fmt: skip


def of_all(x):
    return {name: getattr(nn, name)(x) for name in VALUES}


def slopes(x):
    return anvl.jvp(of_all, (x,), (anp.ones_like(x),))[1]


def curvatures(x):
    return anvl.jvp(slopes, (x,), (anp.ones_like(x),))[1]


EVERY = anvl.jit(lambda x: (of_all(x), slopes(x), curvatures(x)))


def test_values_are_those_that_were_saved():
    found, slope, curvature = EVERY(POINTS)
    above, below = EVERY(POINTS + 1e-5), EVERY(POINTS - 1e-5)
    assert found.keys() == VALUES.keys() == LIMITS.keys()
    for name, expected in VALUES.items():
        np.testing.assert_allclose(found[name], expected, rtol=rounding(ITERATION), err_msg=name)
        smooth = ~np.isin(POINTS, [point for point, _ in KINKS.get(name, [])])
        for order, exact in ((0, slope), (1, curvature)):
            difference = (np.asarray(above[order][name]) - np.asarray(below[order][name])) / 2e-5
            np.testing.assert_allclose(
                np.asarray(exact[name])[smooth], difference[smooth], atol=1e-8, err_msg=name
            )


def test_infinities_have_limits_and_nan_stays():
    points = np.asarray([-np.inf, np.inf, np.nan, -1e200, 1e200, 30.0])
    found, slope, curvature = EVERY(points)
    for name, (*values, low, high) in LIMITS.items():
        y, dy, ddy = (np.asarray(of[name]) for of in (found, slope, curvature))
        np.testing.assert_allclose(y[:2], values, rtol=rounding(PROGRAM), err_msg=name)
        np.testing.assert_allclose(dy[:2], [low, high], rtol=rounding(PROGRAM), err_msg=name)
        np.testing.assert_allclose(dy[3:5], [low, high], atol=rounding(PROGRAM), err_msg=name)
        np.testing.assert_array_equal(ddy[[0, 1, 3, 4]], [0] * 4, err_msg=name)
        assert np.isnan(y[2]), name


def test_infinite_elements_of_a_softmax_have_no_share():
    """NaN, as in SciPy, also where all are -inf: a mask that leaves nothing is seen."""
    x = np.asarray([[np.inf, 1.0, -np.inf], [np.inf, 0.0, np.inf], [-np.inf] * 3, [-np.inf, 0, 0]])
    of_sum = anvl.jit(anvl.value_and_grad(lambda x: anp.sum(nn.logsumexp(x, axis=1))))

    def every(x):
        return nn.softmax(x), nn.log_softmax(x), nn.logsumexp(x, axis=1)

    wanted = np.asarray([[np.nan, 0, 0], [np.nan, 0, np.nan], [np.nan] * 3, [0, 0.5, 0.5]])
    with np.errstate(divide="ignore"):
        logs = np.log(wanted)
    # As one loop, and as calls of XLA's library.
    for dtype, times in (("f4", 1), ("f8", 1), ("f2", 1), ("f4", 2000), ("f8", 2000)):
        shares, log_shares, totals = anvl.jit(every)(np.repeat(x, times, 0).astype(dtype))
        np.testing.assert_array_equal(shares, np.repeat(wanted, times, 0).astype(dtype))
        tolerance = rounding(FORMULA, dtype)
        np.testing.assert_allclose(log_shares, np.repeat(logs, times, 0), rtol=tolerance)
        sums = np.repeat([np.inf, np.inf, -np.inf, np.log(2)], times)
        np.testing.assert_allclose(totals, sums, rtol=tolerance)
    np.testing.assert_array_equal(of_sum(x[:2])[1], wanted[:2])


def test_a_softmax_of_nan_is_nan():
    """Also in a large array, where XLA's library ignores NaN in a maximum or a minimum."""
    x = np.random.default_rng(0).normal(size=(1000, 10))
    places = ([3, 500, 999], [0, 9, 4])
    x[places] = np.nan, np.nan, np.inf
    x[999, 5] = np.nan
    is_row = np.isin(np.arange(1000), places[0])
    for f in (nn.softmax, nn.log_softmax, lambda x: nn.logsumexp(x, axis=1, keepdims=True)):
        for dtype in ("f4", "f8", "f2"):
            y = np.asarray(anvl.jit(f)(x.astype(dtype)))
            slope = np.asarray(anvl.jit(anvl.grad(lambda x, f=f: anp.sum(f(x) ** 2)))(x))
            np.testing.assert_array_equal(np.isnan(y), np.broadcast_to(is_row[:, None], y.shape))
            assert np.isnan(slope[is_row]).all() and np.isfinite(slope[~is_row]).all()


def test_kinks_have_the_documented_derivative():
    points = np.asarray(sorted({float(point) for of in KINKS.values() for point, _ in of}))
    _, slope, curvature = EVERY(np.resize(points, 6))
    for name, expected in KINKS.items():
        for point, wanted in expected:
            at = points.tolist().index(point)
            np.testing.assert_allclose(np.asarray(slope[name])[at], wanted, err_msg=name)
            assert np.isfinite(np.asarray(curvature[name])[at]), name


@pytest.mark.sweep(keep=1)
@pytest.mark.parametrize("dtype", ["f2", "bfloat16", "f4"])
def test_narrow_dtypes_are_rounded_once(dtype):
    x = np.asarray([-20.0, -3.0, -1.0, -0.01, 0.3, 250.0]).astype(anp.dtype(dtype))
    exact = anvl.jit(of_all)(x.astype("f8"))
    found, spacing = anvl.jit(of_all)(x), float(anp.finfo(x.dtype).eps)
    smallest = float(anp.finfo(x.dtype).smallest_subnormal)
    for name, y in found.items():
        assert y.dtype == x.dtype, name
        close = np.asarray(exact[name])
        np.testing.assert_allclose(
            np.asarray(y).astype("f8"), close, rtol=4 * spacing, atol=smallest, err_msg=name
        )


def test_exact_gelu_and_accurate_tails():
    x = POINTS
    np.testing.assert_allclose(
        nn.gelu(x, approximate=False), x * scipy.special.ndtr(x), rtol=rounding(PROGRAM)
    )
    small = np.asarray([1e-10, 0.1, 0.7, 3.0, 50.0, 0.0])
    expected = [-23.025850929990458, -2.352168461044091, -0.6863410028083852,
                -0.05106918094270159, -1.9287498479639178e-22, -np.inf]  # fmt: skip
    np.testing.assert_allclose(nn.log1mexp(small), expected, rtol=rounding(FORMULA))
    slope = anvl.jvp(nn.log1mexp, (small,), (np.ones(6),))[1]
    np.testing.assert_allclose(
        np.asarray(slope)[:5], 1 / np.expm1(small[:5]), rtol=rounding(PROGRAM)
    )
    np.testing.assert_allclose(nn.log_sigmoid(np.float32(-100)), -100)
    np.testing.assert_allclose(nn.squareplus(np.float64(-1e6)), 1e-6, rtol=rounding(PROGRAM))


def test_parameters_of_activations():
    x = POINTS
    np.testing.assert_allclose(
        nn.elu(x, np.asarray(0.5)), np.where(x > 0, x, 0.5 * np.expm1(np.minimum(x, 0)))
    )
    np.testing.assert_allclose(
        nn.celu(x, 2.0), np.where(x > 0, x, 2 * np.expm1(x / 2)), rtol=rounding(PROGRAM)
    )
    np.testing.assert_allclose(nn.leaky_relu(x, 0.3), np.where(x > 0, x, 0.3 * x))
    np.testing.assert_allclose(nn.squareplus(x, 0.0), np.maximum(x, 0))


@pytest.mark.sweep(keep=1)
@pytest.mark.parametrize("name", ["celu", "elu", "squareplus"])
def test_parameters_of_activations_are_differentiable(name):
    check_grads(lambda x, a: getattr(nn, name)(x, a), (POINTS, np.float64(1.5)), order=2)


def test_gated_halves():
    np.testing.assert_allclose(nn.glu(POINTS), [-2.17860766, -0.88079708, -0.24977224], rtol=1e-7)
    assert nn.glu(np.ones((4, 3)), axis=0).shape == (2, 3)
    with pytest.raises(ValueError, match=r"glu: axis -1 of f64\[3\] has 3 elements; it must be ev"):
        nn.glu(np.ones(3))


def test_kinds_of_operands():
    assert nn.relu(np.asarray([-1, 2])).tolist() == [0, 2]
    assert nn.relu(np.asarray([-1, 2], "i1")).dtype == np.int8
    assert nn.silu(np.asarray([1, 2])).dtype == np.float32
    assert nn.swish is nn.silu
    assert nn.hard_swish is nn.hard_silu
    assert nn.sigmoid is anp.sigmoid
    for name in ("relu", "silu", "elu", "softplus"):
        with pytest.raises(TypeError, match=rf"{name}: takes real numbers, got c128\[2\]"):
            getattr(nn, name)(np.ones(2) * 1j)


@pytest.mark.sweep(keep=0)
def test_batches():
    found = anvl.jit(anvl.vmap(of_all))(POINTS.reshape(2, 3))
    for name, y in found.items():
        np.testing.assert_allclose(
            np.ravel(y), VALUES[name], rtol=rounding(ITERATION), err_msg=name
        )


# -- one-hot and the softmax family ----------------------------------------------------------------


def test_one_hot():
    x = np.asarray([[0, 2], [3, -1]])
    expected = (x[..., None] == np.arange(3)).astype("f4")
    found = nn.one_hot(x, 3)
    assert found.dtype == np.float32
    np.testing.assert_array_equal(found, expected)
    np.testing.assert_array_equal(nn.one_hot(x, 3, axis=0), np.moveaxis(expected, -1, 0))
    assert nn.one_hot(np.asarray([200], "u1"), 300, dtype=bool)[0, 200].item() is True
    assert nn.one_hot(np.asarray([2**64 - 1], "u8"), 2).tolist() == [[0, 0]]
    with pytest.raises(TypeError, match=r"one_hot: x is f64\[2\]; indices must be integers"):
        nn.one_hot(np.ones(2), 3)
    with pytest.raises(ValueError, match="one_hot: num_classes is -1; it must be at least 0"):
        nn.one_hot(x, -1)


X = np.random.default_rng(3).normal(size=(3, 4))
MASK = np.asarray([[True, False, True, True], [False] * 4, [True] * 4])


def masked_weights(x):
    return np.where(MASK, np.exp(x), 0)


def test_softmax_of_selected_elements():
    weights = masked_weights(X)
    total = np.maximum(weights.sum(-1, keepdims=True), 1e-300)
    np.testing.assert_allclose(nn.softmax(X, where=MASK), weights / total, rtol=rounding(PROGRAM))
    with np.errstate(divide="ignore"):
        np.testing.assert_allclose(
            nn.log_softmax(X, where=MASK), np.log(weights / total), rtol=rounding(PROGRAM)
        )
        sums = np.log(weights.sum(-1))
    np.testing.assert_allclose(nn.logsumexp(X, -1, where=MASK), sums)
    np.testing.assert_allclose(nn.logsumexp(X, (0, 1), where=MASK), np.log(weights.sum()))
    np.testing.assert_allclose(nn.logmeanexp(X, -1, where=MASK)[2], sums[2] - np.log(4))
    np.testing.assert_allclose(nn.softmax(X, (0, 1)).sum(), 1)
    assert nn.logmeanexp(X, keepdims=True).shape == (1, 1)


def test_what_is_not_selected_has_no_derivative():
    x = np.where(MASK, X, np.nan)  # nor a say in the value
    for f in (nn.softmax, lambda x, where: anp.exp(nn.log_softmax(x, where=where))):
        gradient = np.asarray(anvl.grad(lambda x, f=f: anp.sum(f(x, where=MASK)[..., 0] ** 2))(x))
        assert np.isfinite(gradient).all()
        assert (gradient[~MASK] == 0).all()
    gradient = anvl.grad(lambda x: anp.sum(nn.logsumexp(x, -1, where=MASK)[::2]))(x)
    total = np.maximum(masked_weights(X).sum(-1, keepdims=True), 1e-300)
    np.testing.assert_allclose(gradient, masked_weights(X) / total, rtol=rounding(PROGRAM))
    tangent = anvl.jvp(lambda x: nn.logsumexp(x, -1, where=MASK), (X,), (np.ones((3, 4)),))[1]
    np.testing.assert_allclose(tangent, [1, 0, 1])
    check_grads(lambda x: nn.softmax(x, where=MASK), (X,), order=2)


def test_sums_of_exponentials_with_factors():
    b = np.asarray([1.0, -2.0, 0.0, 3.0, -1.0, 0.5])
    expected = scipy.special.logsumexp(POINTS, b=b, return_sign=True)
    np.testing.assert_allclose(nn.logsumexp(POINTS, b=b, return_sign=True), expected)
    found = nn.logsumexp(POINTS, b=-b, return_sign=True)
    np.testing.assert_allclose(found, (expected[0], -1.0))
    assert np.isnan(nn.logsumexp(POINTS, b=-b))
    assert nn.logsumexp(POINTS, b=0.0).item() == -np.inf
    with_infinity = np.asarray([np.inf, 1.0])
    np.testing.assert_allclose(nn.logsumexp(with_infinity, b=np.asarray([0.0, 2.0])), 1 + np.log(2))
    check_grads(lambda x, b: nn.logsumexp(x, b=b, return_sign=True)[0], (POINTS, b), order=2)


def test_standardized_numbers():
    np.testing.assert_allclose(
        nn.standardize(POINTS),
        [-1.326521750398671, -0.553790633661581, -0.32197129864045404, -0.09015196361932713,
         0.3734867064229268, 1.9189489398971062],
        rtol=rounding(PROGRAM),
    )  # fmt: skip
    shifted = nn.standardize((1e4 + POINTS).astype("f4"), epsilon=0.0)  # means of squares cancel
    np.testing.assert_allclose(shifted, (POINTS - POINTS.mean()) / POINTS.std(), atol=1e-3)
    some = nn.standardize(X, where=MASK, epsilon=0.0)[0]
    np.testing.assert_allclose(some, (X[0] - X[0][MASK[0]].mean()) / X[0][MASK[0]].std())
    with pytest.raises(ValueError, match="standardize: algorithm is 'slow'; it must be 'fast' or"):
        nn.standardize(X, algorithm="slow")


@pytest.mark.parametrize("name", ["softmax", "log_softmax", "logsumexp", "logmeanexp"])
def test_bad_masks_are_refused(name):
    f = getattr(nn, name)
    with pytest.raises(TypeError, match=rf"{name}: where is f64\[4\]; it must be bool"):
        f(X, where=np.ones(4))
    with pytest.raises(ValueError, match=rf"{name}: .*broadcast"):
        f(X, where=np.ones(3, bool))
