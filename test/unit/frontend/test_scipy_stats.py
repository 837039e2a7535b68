"""`anvl.scipy.stats` against SciPy: every function of every distribution, at tails and edges."""

import numpy as np
import pytest
import scipy.stats as wanted
from tolerances import FORMULA, PROGRAM, rounding

import anvl
from anvl.scipy import stats
from anvl.testing import check_grads

XS = np.concatenate([np.linspace(-8, 8, 17), [0.0, 0.3, 0.999, 1.0, 30.0, -30.0, 6.2, np.nan]])
KS = np.asarray([-1.0, 0, 1, 2, 3, 5, 9, 10, 11, 14, 1.5])
QS = np.asarray([0, 1e-9, 1e-3, 0.2, 0.5, 0.8, 0.999, 1, 1.1, -0.1, np.nan])

CONTINUOUS = {
    "norm": [()], "uniform": [()], "expon": [()], "gamma": [(2.5,), (0.5,)], "chi2": [(3.0,)],
    "beta": [(2.0, 3.5), (0.5, 0.7)], "t": [(3.0,), (300.0,)], "cauchy": [()], "laplace": [()], "logistic": [()],
    "pareto": [(2.5,)], "gennorm": [(1.3,)], "truncnorm": [(-1.0, 2.0), (3.0, 9.0)], "vonmises": [(2.0,)],
    "wrapcauchy": [(0.4,)], "gumbel_r": [()], "gumbel_l": [()],
}  # fmt: skip
DISCRETE = {
    "bernoulli": (0.3,), "binom": (10.0, 0.3), "nbinom": (3.5, 0.4), "geom": (0.3,), "poisson": (4.2,),
    "betabinom": (10.0, 2.0, 3.0),
}  # fmt: skip
ROWS = [(name, shapes) for name, all_ in CONTINUOUS.items() for shapes in all_]


def agrees(name, function, found, right):
    """Relative errors below 5e-13; logarithms near 0, where SciPy's lose digits, absolute ones."""
    absolute = (
        1e-13
        if function in ("logcdf", "logsf")
        else 1e-16
        if function in ("ppf", "isf")
        else 1e-300
    )
    np.testing.assert_allclose(
        found, right, rtol=rounding(PROGRAM), atol=absolute, err_msg=f"{name}.{function}"
    )


def values(name, rest, xs):
    """All functions of a distribution, as one program."""
    distribution = getattr(stats, name)
    functions = distribution.functions()
    given = [QS if f in ("ppf", "isf") else xs for f in functions]

    def each(given, rest):
        return [getattr(distribution, f)(x, *rest) for f, x in zip(functions, given, strict=True)]

    return zip(functions, given, anvl.jit(each)(given, [np.float64(r) for r in rest]), strict=True)


@pytest.mark.sweep(keep=1, part=1)
@pytest.mark.parametrize(("name", "shapes"), ROWS, ids=[f"{n}{s}" for n, s in ROWS])
def test_a_continuous_distribution(name, shapes):
    rest = (*shapes, 0.5, 1.7)
    for function, xs, found in values(name, rest, XS):
        with np.errstate(all="ignore"):
            right = getattr(getattr(wanted, name), function)(xs, *rest)
        if (name, shapes, function) == ("truncnorm", (3.0, 9.0), "isf"):
            found, right = found[2:], right[2:]  # SciPy's has 7 digits at 1e-12
        agrees(name, function, found, right)


@pytest.mark.sweep(keep=0, part=1)
@pytest.mark.parametrize("name", DISCRETE)
def test_a_discrete_distribution(name):
    rest = (*DISCRETE[name], 1.0)
    for function, ks, found in values(name, rest, KS):
        with np.errstate(all="ignore"):
            right = getattr(getattr(wanted, name), function)(ks, *rest)
        agrees(name, function, found, right)


@pytest.mark.parametrize("function", ["cdf", "logcdf", "sf", "logsf"])
def test_a_truncated_normal_without_bounds(function):
    x, a, b = np.asarray([-np.inf, 0, np.inf]), np.float64(-np.inf), np.float64(np.inf)
    right = getattr(wanted.norm, function)(x)
    found = getattr(stats.truncnorm, function)(x, a, b)
    np.testing.assert_allclose(found, right, rtol=rounding(FORMULA), atol=0)


#: Far from the middle: the function, its arguments, the value, by mpmath with 40 digits.
FAR = [
    ("t", "cdf", (2.5, 1e300), 0.9937903346742238), ("t", "sf", (-0.5, 1e16), 0.6914624612740131),
    ("cauchy", "logpdf", (1e200,), -922.1787670834677), ("cauchy", "ppf", (1 - 1e-12,), 318316927901.77966),
    ("cauchy", "ppf", (0.5,), 0.0), ("cauchy", "isf", (0.25,), 1.0),
    ("truncnorm", "isf", (1e-20, 20.0, np.inf), 22.17876285013976),
    ("truncnorm", "cdf", (-1e300, -np.inf, 1.0), 0.0), ("beta", "sf", (1e-16, 1e-3, 2.0), 0.0352071473524),
    ("gamma", "pdf", (1e-320, 1.0), 1.0), ("gamma", "logsf", (1000.0, 2.5), -989.921550327373450929),
    ("chi2", "logsf", (3000.0, 4.0), -1492.68611316836653804), ("gamma", "logsf", (np.inf, 2.5), -np.inf),
    ("gennorm", "logcdf", (-40.0, 2.0), -1604.95470383383350096), ("gennorm", "logsf", (-40.0, 2.0), 0.0),
]  # fmt: skip


@pytest.mark.parametrize(("name", "function", "arguments", "right"), FAR)
def test_a_probability_far_from_the_middle(name, function, arguments, right):
    found = getattr(getattr(stats, name), function)(*map(np.float64, arguments))
    np.testing.assert_allclose(found, right, rtol=rounding(PROGRAM))


def test_the_logarithm_of_a_tail_that_underflows_has_a_derivative():
    slope = anvl.grad(stats.gamma.logsf)(np.float64(1000), 2.5)
    np.testing.assert_allclose(slope, -0.998501499248880047, rtol=rounding(PROGRAM))


def test_parameters_that_are_not_allowed_give_nan():
    found = [
        stats.norm.logpdf(0.0, 0.0, -1.0), stats.gamma.cdf(1.0, -2.0), stats.beta.pdf(0.5, 0.0, 1.0),
        stats.binom.pmf(1, 2.5, 0.5), stats.beta.pdf(0.0, -1.0, 2.0), stats.truncnorm.pdf(0.5, 1.0, 0.0), stats.expon.ppf(0.5, 0.0, 0.0),
    ]  # fmt: skip
    assert np.all(np.isnan(found))


def test_logarithms_of_probabilities_near_1_keep_their_digits():
    np.testing.assert_allclose(
        stats.expon.logcdf(np.float64(30)), -9.357622968840613e-14, rtol=rounding(PROGRAM)
    )
    np.testing.assert_allclose(
        stats.gumbel_r.logsf(np.float64(-6)), -np.exp(-np.exp(6)), rtol=rounding(PROGRAM)
    )


@pytest.mark.sweep(keep=0, part=0)
def test_derivatives_in_every_argument_are_finite_also_beside_the_support():
    check_grads(stats.gamma.logpdf, (np.float64(1.3), 2.5, 0.1, 1.4), order=2)
    check_grads(stats.t.logpdf, (np.float64(1.3), 4.5, 0.1, 1.4), order=1)
    check_grads(stats.truncnorm.logcdf, (np.float64(0.3), -1.0, 2.0), order=1)
    slopes = anvl.grad(stats.beta.logpdf, wrt=("x", "a", "b"))(np.float64(2.0), 2.0, 3.0)
    np.testing.assert_array_equal(slopes, 0)


@pytest.mark.parametrize(
    ("density", "wanted"),
    [  # the one-sided derivatives, by hand
        (lambda x: stats.beta.pdf(1 - x, 1.0, 2.0), (0, 2, 0)),
        (lambda x: stats.beta.pdf(x, 2.0, 3.0), (0, 12, -48)),
        (lambda x: stats.beta.pdf(1 + x, 400.0, 900.0), (0, 0, 0)),
        (lambda x: stats.gamma.pdf(2 + x, 2.0, 2.0, 0.5), (0, 4, -16)),
        (lambda x: stats.chi2.pdf(x, 4.0), (0, 1 / 4, -1 / 4)),
        (  # exp(k / 2) / I_0(k) at k = 0
            lambda k: 2 * np.pi * stats.vonmises.pdf(np.pi / 3, k),
            (1, 1 / 2, -1 / 4),
        ),
    ],
)
def test_densities_have_derivatives_at_the_ends_of_their_support(density, wanted):
    def slope(x):
        return anvl.jvp(density, (x,), (1.0,))[1]

    found = anvl.jit(lambda x: (density(x), slope(x), anvl.grad(slope)(x)))(np.float64(0))
    np.testing.assert_allclose(found, wanted, rtol=rounding(PROGRAM), atol=rounding(PROGRAM))


@pytest.mark.parametrize("y", [0.0, -0.0, 1e-9, -5e-3, 9.99e-3])
@pytest.mark.parametrize("df", [0.3, 3.0, 50.0])
def test_derivatives_of_students_probabilities_at_0(y, df):
    """Where those of the incomplete beta function are infinite: d/dy is the density."""
    density = anvl.value_and_grad(stats.t.pdf, (0, 1))
    (slope, (of_y, of_df)), eps = density(np.float64(y), np.float64(df)), rounding(PROGRAM)
    for f, sign in ((stats.t.cdf, 1), (stats.t.sf, -1)):
        (by_y, by_df), ((second, mixed), (mixed_too, _)) = (
            g(f, (0, 1))(np.float64(y), np.float64(df)) for g in (anvl.grad, anvl.hessian)
        )
        np.testing.assert_allclose(f(np.float64(y), df), wanted.t.cdf(sign * y, df), rtol=eps)
        np.testing.assert_allclose(by_y, sign * float(slope), rtol=eps)
        np.testing.assert_allclose(second, sign * float(of_y), rtol=10 * eps, atol=eps)
        for mixture in (mixed, mixed_too):
            np.testing.assert_allclose(mixture, sign * float(of_df), rtol=10 * eps, atol=eps)
        assert np.isfinite(by_df)
        assert by_df == 0 or y


def test_distributions_of_vectors():
    rng = np.random.default_rng(0)
    x, mean, cov = (
        rng.normal(size=(5, 2)),
        np.asarray([1.0, 2.0]),
        np.asarray([[2.0, 0.3], [0.3, 1]]),
    )
    right = wanted.multivariate_normal.logpdf(x, mean, cov)
    np.testing.assert_allclose(
        stats.multivariate_normal.logpdf(x, mean, cov), right, rtol=rounding(FORMULA)
    )
    np.testing.assert_allclose(stats.multivariate_normal.pdf(x[:, 0]), wanted.norm.pdf(x[:, 0]))
    p, alpha = np.asarray([0.2, 0.3, 0.5]), np.asarray([1.0, 2.0, 3.0])
    right = wanted.dirichlet.logpdf(p, alpha)
    np.testing.assert_allclose(stats.dirichlet.logpdf(p, alpha), right, rtol=rounding(PROGRAM))
    np.testing.assert_allclose(stats.dirichlet.logpdf(p[:2], alpha), right, rtol=rounding(PROGRAM))
    assert stats.dirichlet.logpdf(p * 1.1, alpha) == -np.inf
    k = np.asarray([[1, 2, 3], [1, 2, 4]])
    np.testing.assert_allclose(stats.multinomial.pmf(k, 6, p), wanted.multinomial.pmf(k, 6, p))


@pytest.mark.sweep(keep=0)
def test_samples():
    d = np.asarray([[3, 1, 3, 0, 2], [1, 1, 1, 2.0, np.nan]])
    for method in ("average", "min", "max", "dense", "ordinal"):
        right = wanted.rankdata(d, method, axis=1)
        np.testing.assert_array_equal(stats.rankdata(d, method, axis=1), right)
    for few in (np.zeros((2, 1)), np.zeros((2, 0))):
        np.testing.assert_array_equal(stats.rankdata(few, axis=1), wanted.rankdata(few, axis=1))
    found, right = stats.mode(d[:, :4], axis=1), wanted.mode(d[:, :4], axis=1)
    np.testing.assert_array_equal(found, right)
    np.testing.assert_allclose(stats.sem(d[:1], axis=1), wanted.sem(d[:1], axis=1))
    np.testing.assert_allclose(stats.zscore(d[0], ddof=1), wanted.zscore(d[0], ddof=1))
    points, weights = np.random.default_rng(1).normal(size=(2, 20)), np.arange(1, 21.0)
    found = stats.gaussian_kde(points, "silverman", weights)
    right = wanted.gaussian_kde(points, "silverman", weights)
    np.testing.assert_allclose(found(points[:, :4]), right(points[:, :4]), rtol=rounding(PROGRAM))
    line, right = stats.gaussian_kde(points[0]), wanted.gaussian_kde(points[0])
    np.testing.assert_allclose(line.integrate_box_1d(-1.0, 0.5), right.integrate_box_1d(-1, 0.5))
    assert found.resample(anvl.random.key(0), (3,)).shape == (2, 3)


REFUSED = {
    "norm.pdf: missing a required argument: 'x'; its arguments are (x, loc=0, scale=1)": lambda: (
        stats.norm.pdf()
    ),
    "gamma.cdf: takes real numbers, got c64": lambda: stats.gamma.cdf(1j, 1.0),
    "rankdata: method is 'mean'": lambda: stats.rankdata(np.ones(2), "mean"),
    "mode: nan_policy is 'omit'": lambda: stats.mode(np.ones(2), nan_policy="omit"),
    "gaussian_kde: the sample has 1 points": lambda: stats.gaussian_kde(np.ones(1)),
    "weights have shape [3], the sample has 2": lambda: stats.gaussian_kde(
        np.ones(2), weights=np.ones(3)
    ),
    "bw_method is 'scot'": lambda: stats.gaussian_kde(np.asarray([1.0, 2.0]), "scot"),
    "takes dimension 1, this has 2": lambda: stats.gaussian_kde(
        np.eye(2) + np.ones((2, 2))
    ).integrate_box_1d(0, 1),
    "dirichlet: x has shape [4], alpha [2]": lambda: stats.dirichlet.logpdf(np.ones(4), np.ones(2)),
    "multivariate_normal: x has shape [3], cov [2, 2]": lambda: stats.multivariate_normal.logpdf(
        np.ones(3), np.ones(2), np.eye(2)
    ),
    "allow_singular is true": lambda: stats.multivariate_normal.logpdf(1.0, allow_singular=True),
}


@pytest.mark.parametrize("words", REFUSED)
def test_refused(words):
    with pytest.raises((TypeError, ValueError, NotImplementedError)) as error:
        REFUSED[words]()
    assert words in str(error.value)


@pytest.mark.parametrize(
    ("function", "arguments", "place", "wrong"),
    [
        ("norm.logpdf", (0.3, 0.1, 1.2), 0, np.nan), ("norm.logpdf", (0.3, 0.1, 1.2), 1, np.nan),
        ("norm.logpdf", (0.3, 0.1, 1.2), 2, np.nan), ("norm.logpdf", (0.3, 0.1, 1.2), 2, -1.0),
        ("norm.cdf", (0.3, 0.1, 1.2), 2, -1.0), ("norm.logsf", (0.3, 0.1, 1.2), 0, np.nan),
        ("norm.ppf", (0.3, 0.1, 1.2), 0, 1.5), ("norm.ppf", (0.3, 0.1, 1.2), 2, np.nan),
        ("gamma.pdf", (1.2, 2.0), 1, -2.0), ("beta.logpdf", (0.3, 2.0, 3.0), 0, np.nan),
        ("poisson.logpmf", (3.0, 2.5), 1, np.nan), ("poisson.cdf", (3.0, 2.5), 1, -0.5),
    ],
)  # fmt: skip
def test_where_a_value_is_nan_so_is_the_slope_in_what_makes_it_so(
    function, arguments, place, wrong
):
    """A slope of 0 there would let a fit go on, of which the loss is NaN."""
    distribution, name = function.split(".")
    slopes = anvl.jit(anvl.value_and_grad(getattr(getattr(stats, distribution), name), place))
    value, slope = slopes(*map(np.float64, arguments))
    assert np.isfinite(value) and np.isfinite(slope)
    beside = [np.float64(wrong if k == place else v) for k, v in enumerate(arguments)]
    assert np.all(np.isnan(slopes(*beside)))


def test_dirichlet_of_nan_and_of_parameters_that_are_not_allowed():
    x, alpha = np.array([0.2, 0.3, 0.5]), np.array([1.0, 2.0, 3.0])
    function = anvl.jit(anvl.value_and_grad(stats.dirichlet.logpdf, (0, 1)))
    assert all(np.all(np.isfinite(v)) for v in anvl.tree.leaves(function(x, alpha)))
    for wrong in ((x * [1, np.nan, 1], alpha), (x, alpha - 1)):
        assert all(np.all(np.isnan(v)) for v in anvl.tree.leaves(function(*wrong)))
