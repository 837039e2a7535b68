"""`anvl.random`: distributions made of other numbers, against SciPy's; their derivatives."""

import numpy as np
import pytest
import scipy.special
import scipy.stats
from tolerances import FORMULA, PROGRAM, assert_close, rounding

import anvl
import anvl.numpy as anp
from anvl import random
from anvl.testing import check_grads

KEY = random.key(7)
COUNT = 4000
FAR = 1.95 / np.sqrt(COUNT)  # Kolmogorov's statistic is above it once in a thousand draws
S = scipy.stats

CONTINUOUS = {
    "cauchy": ((), S.cauchy()),
    "laplace": ((), S.laplace()),
    "logistic": ((), S.logistic()),
    "lognormal": ((0.5,), S.lognorm(0.5)),
    "maxwell": ((), S.maxwell()),
    "pareto": ((3.0,), S.pareto(3.0)),
    "rayleigh": ((2.0,), S.rayleigh(scale=2.0)),
    "triangular": ((-1.0, 0.5, 4.0), S.triang(0.3, -1.0, 5.0)),
    "truncated_normal": ((-1.0, 2.5), S.truncnorm(-1.0, 2.5)),
    "wald": ((2.0,), S.invgauss(2.0)),
    "weibull_min": ((2.0, 1.5), S.weibull_min(1.5, scale=2.0)),
    "double_sided_maxwell": ((1.0, 2.0), None),
    "gamma": ((2.5,), S.gamma(2.5)),
    "loggamma": ((0.3,), S.loggamma(0.3)),
    "beta": ((0.5, 3.0), S.beta(0.5, 3.0)),
    "chisquare": ((3.0,), S.chi2(3.0)),
    "f": ((4.0, 7.0), S.f(4.0, 7.0)),
    "t": ((3.0,), S.t(3.0)),
    "generalized_normal": ((1.5,), S.gennorm(1.5)),
}


@pytest.mark.sweep(keep=4)
@pytest.mark.parametrize("name", CONTINUOUS)
def test_samples_have_their_distribution(name):
    parameters, distribution = CONTINUOUS[name]
    x = getattr(random, name)(KEY, *parameters, shape=(COUNT,))
    assert (x.shape, x.dtype) == ((COUNT,), np.float32)
    values = np.asarray(x).astype("f8")
    if distribution is None:  # half on each side, at Maxwell's distance
        z = (values - 1.0) / 2.0
        assert abs(np.mean(z > 0) - 0.5) < 0.03
        values, distribution = np.abs(z), S.maxwell()
    assert S.kstest(values, distribution.cdf).statistic < FAR


def chi_squared(samples, distribution):
    """The p-value of counts, those that are expected to be few together."""
    low, high = distribution.ppf([0.02, 0.98]).astype(int)
    inner = np.arange(low, high + 1)
    observed = [np.sum(samples == k) for k in inner]
    observed = [np.sum(samples < low), *observed, np.sum(samples > high)]
    expected = [distribution.cdf(low - 1), *distribution.pmf(inner), distribution.sf(high)]
    some = np.asarray(expected) > 1e-9
    assert not np.asarray(observed)[~some].any()
    return S.chisquare(np.asarray(observed)[some], np.asarray(expected)[some] * len(samples)).pvalue


COUNTS = {
    "poisson": ([0.7, 9.9, 10.0, 60.0, 2e4], S.poisson),
    "geometric": ([0.05, 0.3, 0.9], S.geom),
}


@pytest.mark.sweep(keep=1)
@pytest.mark.parametrize("name", COUNTS)
def test_counts_have_their_distribution(name):
    parameters, distribution = COUNTS[name]
    x = getattr(random, name)(KEY, np.asarray(parameters, "f4"), (COUNT, len(parameters)))
    assert x.dtype == np.int32
    for column, parameter in zip(np.asarray(x).T, parameters, strict=True):
        of = distribution(np.float64(np.float32(parameter)))
        if parameter > 1000:  # as good as normal
            z = (column - of.mean()) / of.std()
            assert S.kstest(z, S.norm().cdf).statistic < FAR
        else:
            assert chi_squared(column, of) > 1e-3


@pytest.mark.sweep(keep=0, part=0)
def test_binomial_counts_have_their_distribution():
    n, p = np.asarray([5, 30, 21, 200, 1000], "f4"), np.asarray([0.5, 0.1, 0.5, 0.07, 0.9], "f4")
    x = np.asarray(random.binomial(KEY, n, p, (COUNT, 5)))
    for column, trials, chance in zip(x.T, n, p, strict=True):
        assert chi_squared(column, S.binom(int(trials), np.float64(chance))) > 1e-3
    odd = random.binomial(KEY, np.asarray([-1.0, 5, 5, np.inf, 4, 4]),
                          np.asarray([0.5, -0.1, np.nan, 0.5, 0.0, 1.0]))  # fmt: skip
    np.testing.assert_array_equal(odd, [np.nan] * 4 + [0, 4])


@pytest.mark.sweep(keep=0)
def test_multinomial_counts_have_their_sum_and_means():
    p = np.asarray([0.2, 0.0, 0.5, 0.3], "f4")
    x = np.asarray(random.multinomial(KEY, 30, p, shape=(1000,)))
    assert x.shape == (1000, 4)
    assert (x.sum(-1) == 30).all()
    assert np.abs(x.mean(0) - 30 * p).max() < 0.3
    np.testing.assert_allclose(np.cov(x.T)[0, 2], -30 * 0.2 * 0.5, atol=0.5)


def test_signs_are_even():
    x = np.asarray(random.rademacher(KEY, (COUNT,), "f16"))
    assert set(x) == {-1.0, 1.0}
    assert abs(x.mean()) < 0.06


@pytest.mark.sweep(keep=1)
@pytest.mark.parametrize("method", ["cholesky", "eigh", "svd"])
def test_normal_vectors_have_their_covariance(method):
    mean, cov = np.asarray([1.0, -2.0]), np.asarray([[4.0, 1.0], [1.0, 0.5]])
    x = np.asarray(random.multivariate_normal(KEY, mean, cov, (COUNT,), method=method))
    assert (x.shape, x.dtype) == ((COUNT, 2), np.float64)
    assert np.abs(x.mean(0) - mean).max() < 0.15
    assert np.abs(np.cov(x.T) - cov).max() < 0.3


def test_orthogonal_matrices():
    x = np.asarray(random.orthogonal(KEY, 2, (500,), m=3))
    np.testing.assert_allclose(
        x @ x.swapaxes(1, 2), np.broadcast_to(np.eye(2), (500, 2, 2)), atol=1e-5
    )
    assert np.abs(x.mean(0)).max() < 0.15  # as R has a positive diagonal
    u = np.asarray(random.orthogonal(KEY, 3, dtype="c128"))
    np.testing.assert_allclose(u @ u.conj().T, np.eye(3), atol=rounding(PROGRAM))


@pytest.mark.sweep(keep=0)
@pytest.mark.parametrize("p", [2, 1.0, 4.0])
def test_points_of_a_ball_are_even(p):
    x = np.asarray(random.ball(KEY, 3, p, (COUNT,)), "f8")
    radius = (np.abs(x) ** p).sum(-1) ** (1 / p)
    assert S.kstest(radius**3, S.uniform().cdf).statistic < FAR
    assert np.abs(x.mean(0)).max() < 0.05


def test_probability_vectors():
    alpha = np.asarray([0.5, 1.0, 3.0])
    x = np.asarray(random.dirichlet(KEY, alpha, (COUNT,)))
    np.testing.assert_allclose(x.sum(-1), 1)
    assert S.kstest(x[:, 2], S.beta(3.0, 1.5).cdf).statistic < FAR


# -- dtypes, parameters, keys ----------------------------------------------------------------------


@pytest.mark.sweep(keep=0)
def test_parameters_broadcast_and_give_the_dtype():
    assert random.gamma(KEY, np.ones((2, 1))).dtype == np.float64
    assert random.pareto(KEY, np.ones(3, "f2"), (2, 3)).dtype == np.float16
    x = random.weibull_min(KEY, np.ones((2, 1), "f4"), np.ones(3, "f4"))
    assert (x.shape, x.dtype) == ((2, 3), np.float32)
    assert random.double_sided_maxwell(KEY, np.zeros(3), 1.0, (2,)).shape == (2, 3)
    wide = random.lognormal(KEY, 0.1, (3,), "f64")
    np.testing.assert_array_equal(wide, random.lognormal(KEY, np.float64(0.1), (3,)))


@pytest.mark.sweep(keep=0)
def test_parameters_out_of_range_give_no_number():
    bad = np.asarray([-1.0, np.nan])
    for name in ("pareto", "wald"):
        assert np.isnan(getattr(random, name)(KEY, bad)).all(), name
    assert np.isnan(random.truncated_normal(KEY, 2.0, np.asarray([1.0, np.nan]))).all()
    assert np.isnan(random.triangular(KEY, 0.0, np.asarray([-1.0, 3.0]), 2.0)).all()
    assert random.poisson(KEY, np.asarray([-1.0, np.nan, np.inf, 0.0])).tolist() == [
        -(2**31)
    ] * 3 + [0]
    assert random.geometric(KEY, np.asarray([0.0, 1.5, np.nan, 1.0])).tolist() == [-(2**31)] * 3 + [
        1
    ]
    assert random.gamma(KEY, 0.0).item() == 0


def test_truncated_numbers_stay_within():
    lower, upper = [-np.inf, 5.0, -2.0], [-1.0, 6.0, -1.9]
    for dtype in ("f4", "f2"):
        bounds = np.asarray(lower, dtype), np.asarray(upper, dtype)
        x = np.asarray(random.truncated_normal(KEY, *bounds, (500, 3)))
        assert (x.max(0) < bounds[1]).all()
        assert (x.min(0) > bounds[0]).all()


@pytest.mark.sweep(keep=1)
@pytest.mark.parametrize(
    ("name", "parameters"),
    [
        ("gamma", (0.5,)),
        ("poisson", (12.0,)),
        ("wald", (1.0,)),
        ("binomial", (40, 0.4)),
        ("t", (2.0,)),
    ],
)
def test_batches_and_jit_draw_the_same(name, parameters):
    def draw(key):
        return getattr(random, name)(key, *parameters, shape=(3,))

    keys = random.split(KEY, 3)
    alone = np.stack([np.asarray(draw(k)) for k in keys])
    tolerance = 1e-6 if alone.dtype.kind == "f" else 0
    np.testing.assert_allclose(anvl.jit(anvl.vmap(draw))(keys), alone, rtol=tolerance)


def test_wide_modes_draw_rare_numbers():
    """Four of a million are expected."""
    p = np.float32(2.0**-18)
    count = np.asarray(random.bernoulli(KEY, p, (1 << 20,), "high")).sum()
    assert 0 < count < 16
    x = np.asarray(random.gumbel(KEY, (COUNT,), mode="high"))
    assert S.kstest(x.astype("f8"), S.gumbel_r().cdf).statistic < FAR


def test_categories_without_replacement_differ():
    logits = np.log(np.asarray([[0.1, 0.2, 0.7], [0.0001, 0.9, 0.1]]))
    x = np.asarray(random.categorical(KEY, logits, shape=(2, 2), replace=False))
    assert (x[0] != x[1]).all()
    assert x[:, 1].tolist() in ([1, 2], [2, 1])
    with pytest.raises(ValueError, match="categorical: cannot draw 4 of 3 categories"):
        random.categorical(KEY, logits, shape=(4, 2), replace=False)


def test_vectors_are_permuted_one_by_one():
    x = np.arange(40).reshape(4, 10)
    found = np.asarray(random.permutation(KEY, x, 1, independent=True))
    np.testing.assert_array_equal(np.sort(found, 1), x)
    assert len({tuple(row % 10) for row in found}) == 4


def test_keys_as_bits():
    keys = random.split(KEY, (2, 3))
    assert (keys.shape, random.split(KEY, 6).tolist()) == ((2, 3), keys.ravel().tolist())
    data = random.key_data(keys)
    assert (data.shape, data.dtype) == ((2, 3, 2), np.uint32)
    assert random.wrap_key_data(data).tolist() == keys.tolist()
    assert random.key_data(random.PRNGKey(2**33 + 5)).tolist() == [2, 5]
    assert random.clone(KEY).item() == KEY.item()
    assert random.key_impl(keys) == "threefry2x32"


def test_streams_of_a_key_are_unrelated():
    """The numbers that a distribution draws besides those of `bits` are of another stream."""
    x = np.asarray(random.double_sided_maxwell(KEY, 0.0, 1.0, (COUNT,)))
    y = np.asarray(random.maxwell(KEY, (COUNT,)))
    assert_close(np.abs(x), y, FORMULA)  # of one stream, with signs of another
    assert abs(np.corrcoef(x > 0, y)[0, 1]) < 0.06


# -- derivatives -----------------------------------------------------------------------------------


@pytest.mark.sweep(keep=0, part=0)
@pytest.mark.parametrize("a", [3.0, 1.0, 200.0])
def test_gamma_samples_follow_their_parameter(a):
    """As the inverse of the distribution function does, to second order."""

    def draw(a):
        return random.loggamma(KEY, a, (4,))

    def slope(a):
        return anvl.jvp(draw, (a,), (np.float64(1),))[1]

    def both(a):
        return draw(a), slope(a), anvl.jvp(slope, (a,), (np.float64(1),))[1]

    z, first, second = map(np.asarray, anvl.jit(both)(np.float64(a)))
    u, h = scipy.special.gammainc(a, np.exp(z)), 1e-3 * a
    low, high = (np.log(scipy.special.gammaincinv(a + d, u)) for d in (-h, h))
    np.testing.assert_allclose(first, (high - low) / (2 * h), rtol=1e-5)
    np.testing.assert_allclose(second, (high - 2 * z + low) / h**2, rtol=1e-3)


@pytest.mark.sweep(keep=0)
def test_mean_derivatives_are_those_of_the_means():
    """d E[z] / da of gamma is 1; of beta b / (a + b)^2."""

    def means(a, b):
        return anp.mean(random.beta(KEY, a, b, (COUNT,)))

    found = anvl.grad(means, wrt=(0, 1))(np.float64(0.7), np.float64(2.0))
    expected = np.asarray([2.0, -0.7]) / 2.7**2
    np.testing.assert_allclose([g.item() for g in found], expected, atol=0.02)


@pytest.mark.sweep(keep=0, part=2)
@pytest.mark.parametrize(
    ("draw", "parameters"),
    [
        (lambda s: random.lognormal(KEY, s, (3,)), (0.7,)),
        (lambda s, c: random.weibull_min(KEY, s, c, (3,)), (2.0, 1.5)),
        (lambda x, y, z: random.triangular(KEY, x, y, z, (3,)), (0.0, 1.0, 4.0)),
        (lambda x, y: random.truncated_normal(KEY, x, y, (3,)), (-1.0, 2.0)),
        (lambda b: random.pareto(KEY, b, (3,)), (3.0,)),
        (lambda s: random.rayleigh(KEY, s, (3,)), (2.0,)),
        (lambda m: random.wald(KEY, m, (3,)), (2.0,)),
    ],
)  # fmt: skip
def test_samples_are_differentiable(draw, parameters):
    check_grads(draw, tuple(map(np.float64, parameters)), order=2)


@pytest.mark.parametrize(
    ("call", "kind", "message"),
    [
        (lambda: random.gamma(3, 1.0), TypeError, r"gamma: the key is i32\?\[\], not ui64"),
        (lambda: random.gamma(KEY, np.ones(3), (2,)), ValueError, r"gamma: shape.* \[2\]"),
        (lambda: random.gamma(KEY, 1.0, (2,), "i32"), TypeError, "gamma: the dtype is i32; draw"),
        (lambda: random.poisson(KEY, 1.0, (), "f32"), TypeError, "poisson: the dtype is f32; it"),
        (lambda: random.rademacher(KEY, (), "ui8"), TypeError, "rademacher: the dtype is uint8"),
        (lambda: random.dirichlet(KEY, 1.0), TypeError, "dirichlet: alpha is .*an axis of conc"),
        (lambda: random.multinomial(KEY, 3, 1.0), TypeError, "multinomial: p is .*of outcomes"),
        (lambda: random.ball(KEY, -1), ValueError, "ball: d is -1; it must be at least 0"),
        (
            lambda: random.multivariate_normal(KEY, np.ones(2), np.eye(3)),
            TypeError, r"multivariate_normal: mean is f64\[2\] and cov f64\[3,3\]; they must be",
        ),
        (
            lambda: random.multivariate_normal(KEY, np.ones(2), np.eye(2), method="lu"),
            ValueError, "method is 'lu'; it must be one of cholesky, eigh, svd",
        ),
        (lambda: random.gumbel(KEY, mode="wide"), ValueError, "gumbel: mode is 'wide'; it must"),
        (lambda: random.key(0, impl="rbg"), ValueError, "key: impl is 'rbg'; the only generator"),
        (lambda: random.wrap_key_data(np.ones(2)), TypeError, r"the bits are f64\[2\], not ui32"),
        (lambda: random.randint(KEY, 0, 10, (5,)), TypeError, r"order is randint\(key, shape, min"),
    ],
)  # fmt: skip
def test_bad_arguments_are_refused(call, kind, message):
    with pytest.raises(kind, match=message):
        call()
