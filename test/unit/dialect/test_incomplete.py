"""Incomplete gamma and beta functions over their whole domain, at its edges and outside."""

from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np
import pytest
import scipy.special
from test_corners import INF, NAN, adjoints, evaluated, gradient
from tolerances import FORMULA, ITERATION, PROGRAM, rounding

from anvl.dialect.core.errors import MissingRule
from anvl.dialect.core.op import emit

WANTED: dict[str, Any] = {
    "igamma": scipy.special.gammainc,
    "igammac": scipy.special.gammaincc,
    "betainc": scipy.special.betainc,
}


def compared(name: str, *xs: np.ndarray, limit: float = rounding(PROGRAM)) -> None:
    """Hold values above 1e-290 against SciPy."""
    (found,) = evaluated(lambda *xs: [getattr(emit, name)(*xs)], *xs)
    wanted = WANTED[name](*xs)
    large = ~(np.abs(wanted) < 1e-290)
    np.testing.assert_allclose(found[large], wanted[large], rtol=limit)
    assert (found[~large] < 1e-289).all()


@pytest.mark.sweep(keep=0, part=1)
@pytest.mark.parametrize("name", ["igamma", "igammac"])
def test_gammas_from_small_to_large(name: str) -> None:
    a = np.r_[1e-20, np.geomspace(1e-3, 1e3, 25)]
    x = np.r_[1e-200, np.geomspace(1e-3, 1e4, 25)]
    grid = np.meshgrid(a, x)
    if name == "igammac":  # where it is no small rest of 1
        keep = (grid[1] > grid[0] + 1) | (grid[0] > 1) | (grid[0] < 0.5)
        grid = [v[keep] for v in grid]
    compared(name, *grid, limit=3e-12)


@pytest.mark.sweep(keep=1)
@pytest.mark.parametrize("dtype, limit", [("f4", 2e-5), ("f8", 3e-14)])
@pytest.mark.parametrize("name", ["igamma", "igammac"])
def test_gammas_of_large_parameters(name: str, dtype: str, limit: float) -> None:
    a = np.geomspace(10, 1e5, 15).repeat(9)
    x = a + np.tile(np.array([-3, -1, -0.1, 0, 0.01, 0.1, 0.5, 1, 3]), 15) * np.sqrt(a)
    a, x = (v.astype(dtype) for v in (a, x))
    (found,) = evaluated(lambda *xs: [getattr(emit, name)(*xs)], a, x)
    np.testing.assert_allclose(found, WANTED[name](*[v.astype("f8") for v in (a, x)]), rtol=limit)


# From mpmath with 40 digits, of which SciPy has 3: a, x from -5 to 4 deviations from a, and P.
VERY_LARGE_GAMMAS = [
    (1e6, 995000.0, 2.7495803592700708e-7),
    (1e6, 999938.0, 0.47541363325063284),
    (1e6, 1004000.0, 0.99996765455268652),
    (1e9, 999841886.0, 2.8627016633779882e-7),
    (1e9, 999998024.0, 0.47509184438828777),
    (1e12, 999995000000.0, 2.8663967832502037e-7),
    (1e12, 999999937500.0, 0.47508246317359786),
    (1e15, 999999841886117.0, 2.866511961616137e-7),
    (1e15, 1000000126491106.0, 0.99996832873528512),
]
# The same: a, b, x, and I_x(a, b).
VERY_LARGE_BETAS = [
    (1e8, 1e8, 0.49982322330470336, 2.8665134887106934e-7),
    (1e8, 1e8, 0.5000353553390593, 0.84134474606832364),
    (1e11, 1e11, 0.4999944098300563, 2.8665157168803898e-7),
    (1e11, 1e11, 0.5, 0.5),
    (1e12, 1e12, 0.499998232233047, 2.8665157177025905e-7),
    (1e12, 1e12, 0.5000000220970869, 0.52491766905844752),
    (1e12, 4e8, 0.9996000599959955, 2.872464033098505e-7),
    (1e12, 4e8, 0.9996001799240316, 0.84134474640672967),
]


def test_values_of_very_large_parameters() -> None:
    """Their series and fractions would take more rounds than they may."""
    a, x, wanted = np.array(VERY_LARGE_GAMMAS).T
    (p,), (q,) = (evaluated(lambda *xs, f=f: [f(*xs)], a, x) for f in (emit.igamma, emit.igammac))
    np.testing.assert_allclose(p, wanted, rtol=rounding(10 * FORMULA))
    np.testing.assert_allclose(q, 1 - wanted, rtol=0, atol=rounding(FORMULA))
    *xs, wanted = np.array(VERY_LARGE_BETAS).T
    (found,) = evaluated(lambda *xs: [emit.betainc(*xs)], *xs)
    np.testing.assert_allclose(found, wanted, rtol=rounding(2 * ITERATION))  # as x has digits


@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_gammas_far_from_a_very_large_parameter(dtype: str) -> None:
    a = np.array([1e12, 1e12, 1e12, 1e12], dtype)
    x = a * np.array([1, 2, 0.5, 0], dtype)
    (found,) = evaluated(lambda *xs: [emit.igamma(*xs)], a, x)
    # At x = a it is 1/2 + 1 / (3 sqrt(2 pi a)).
    wanted = [0.5 + 1.3298076013381089e-7, 1, 0, 0]
    np.testing.assert_allclose(found, wanted, rounding(FORMULA, found))


@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_gammas_of_the_largest_numbers(dtype: str) -> None:
    """Where sums overflow, and quotients of 2 are below the smallest normal number."""
    most = np.finfo(dtype).max
    a = np.array([most, most, most, most / 2, 1, most, most], dtype)
    x = np.array([most, most / 2, 1, most, most, 0, INF], dtype)
    (found,) = evaluated(lambda *xs: [emit.igamma(*xs)], a, x)
    np.testing.assert_array_equal(found, [0.5, 0, 0, 1, 1, 0, 1])
    slopes = gradient(emit.igamma, a, x, wrt=[0, 1])
    density = 1 / np.sqrt(2 * np.pi) / np.sqrt(float(most))
    wanted = np.outer([-1, 1], [density, *[0] * 6])
    np.testing.assert_allclose(slopes, wanted, rounding(PROGRAM, found))


EDGES = np.array([-1.0, 0, 0.5, 1, 2, INF, NAN])


@pytest.mark.sweep(keep=1)
@pytest.mark.parametrize("name", WANTED)
def test_edges(name: str) -> None:
    """Every parameter and x at 0, at its ends, infinite, NaN or outside; slopes are NaN outside."""
    xs = [v.ravel() for v in np.meshgrid(*[EDGES] * (3 if name == "betainc" else 2))]
    (found,) = evaluated(lambda *xs: [getattr(emit, name)(*xs)], *xs)
    wanted = WANTED[name](*xs)
    np.testing.assert_allclose(found, wanted, rounding(PROGRAM))
    slopes = gradient(getattr(emit, name), *xs, wrt=[*range(len(xs))])
    assert np.isnan(slopes)[:, np.isnan(wanted) & ~np.isinf(xs).any(0)].all()


def test_slopes_of_gammas_where_a_is_0_or_infinite() -> None:
    a, x = np.array([0.0, 0, 0, INF, INF, 2]), np.array([0.5, 3, INF, 0, 2, INF])
    slopes = gradient(emit.igamma, a, x, wrt=[0, 1])
    right = -scipy.special.exp1([0.5, 3])  # to the right of a = 0
    np.testing.assert_allclose(slopes, [[*right, 0, 0, 0, 0], [0] * 6], rounding(PROGRAM))


def test_slopes_of_betainc_where_a_parameter_is_0_or_infinite() -> None:
    """To the right: the integrals of t^(a-1) / (1-t) up to x, and of (1-t)^(b-1) / t from x on."""
    a, b = np.array([[2, 0.5, 0, 0, 0.3, 0, INF, INF, 1], [0, 0, 2, 0.5, 0, INF, 0, 2, INF]])
    x = np.array([0.3, 0.9, 0.3, 0.3, 0, 0.5, 0.5, 0.5, 0.5])
    slopes = gradient(emit.betainc, a, b, x, wrt=[0, 1, 2])
    of_b = [-0.3 - np.log(0.7), 2 * np.arctanh(np.sqrt(0.9)), *[0] * 7]
    of_a = [0, 0, np.log(0.3) + 0.7, -2 * np.arctanh(np.sqrt(0.7)), *[0] * 5]
    np.testing.assert_allclose(slopes, [of_a, of_b, [0] * 9], rounding(PROGRAM))


def test_the_two_gammas_sum_to_1() -> None:
    a, x = np.meshgrid(np.geomspace(0.1, 50, 9), np.geomspace(0.1, 90, 9))
    (found,) = evaluated(lambda a, x: [emit.add(emit.igamma(a, x), emit.igammac(a, x))], a, x)
    np.testing.assert_allclose(found, 1, rtol=rounding(FORMULA))


@pytest.mark.sweep(keep=0)
def test_betainc_from_small_to_large() -> None:
    a = np.geomspace(1e-2, 1e3, 11)
    x = np.array([1e-6, 0.01, 0.3, 0.5, 0.7, 0.99, 1 - 1e-6])
    compared("betainc", *np.meshgrid(a, a, x), limit=rounding(ITERATION))


@pytest.mark.sweep(keep=0, part=1)
@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_betainc_of_large_parameters(dtype: str) -> None:
    """Where logarithms of large factors cancel, and where x is almost 0 or 1."""
    random = np.random.default_rng(8)
    a, b = (10 ** random.uniform(-2, 7, 400)).reshape(2, 200)
    a[0] = b[0] = 1e8  # needs some 10,000 rounds, in which the others must not gather rounding
    mean = a / (a + b)
    x = mean + 2 * random.standard_normal(200) * np.sqrt(mean * (1 - mean) / (a + b + 1))
    a, b, x = (v.astype(dtype) for v in (a, b, np.clip(x, 1e-6, 1 - 1e-6)))
    (found,) = evaluated(lambda *xs: [emit.betainc(*xs)], a, b, x)
    wanted = WANTED["betainc"](*[v.astype("f8") for v in (a, b, x)])
    limit = rounding(10 * FORMULA, found)
    np.testing.assert_allclose(found[1:], wanted[1:], rtol=limit, atol=limit)


@pytest.mark.sweep(keep=0)
@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_betainc_of_parameters_almost_0_or_infinite(dtype: str) -> None:
    limits, eps = np.finfo(dtype), np.finfo(dtype).eps
    a = np.array([limits.tiny, 1e-10, 0.5, 1, 100, 1e10, limits.max], dtype)
    x = np.array([0, 1e-10, 0.4, 1 - eps, 1], dtype)
    a, b, x = (v.ravel() for v in np.meshgrid(a, a, x))
    (found,) = evaluated(lambda *xs: [emit.betainc(*xs)], a, b, x)
    wanted = WANTED["betainc"](*[v.astype("f8") for v in (a, b, x)])
    tiny = (a == limits.tiny) & (b == limits.tiny)  # SciPy has 0 up to the end
    wanted[tiny] = np.where((x == 0) | (x == 1), x, 0.5)[tiny]
    largest = (a == limits.max) & (b == limits.max)  # SciPy has NaN
    wanted[largest] = x[largest] > 0.5
    limit = rounding(20 * PROGRAM if dtype == "f8" else PROGRAM, found)  # logarithms of -700
    np.testing.assert_allclose(found, wanted, rtol=0, atol=limit)


def test_gammainc_of_the_smallest_parameter() -> None:
    for dtype in ("f4", "f8"):
        a = np.full(3, np.finfo(dtype).tiny, dtype)
        compared("igamma", a, np.array([1e-10, 0.5, 1], dtype), limit=rounding(PROGRAM, a))


# -- zeta and its like -----------------------------------------------------------------------------

FAR = [0, -0.0, 1, -1, 2, -2, 3, 0.5, -0.5, 1.5, 10, 36, 1e3, 1e10, 1e19, 1e30, INF, -INF, NAN]


@pytest.mark.sweep(keep=1)
@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_zeta_and_its_like_are_those_of_scipy(dtype: str) -> None:
    """At poles, infinities, and where a factor over- or underflows."""
    x = np.array([*FAR, np.finfo(dtype).max], dtype)
    s, q = (v.ravel() for v in np.meshgrid(x, x))
    n, y = (v.ravel() for v in np.meshgrid(x[(x >= 0) & (x < 36) & (np.floor(x) == x)], x))
    found = evaluated(
        lambda x, s, q, n, y: [
            emit.digamma(x), emit.lgamma(x), emit.zeta(s, q), emit.polygamma(n, y)
        ],
        x, s, q, n, y,
    )  # fmt: skip
    special = scipy.special
    x, s, q, n, y = (v.astype("f8") for v in (x, s, q, n, y))
    wanted = [special.psi(x), special.gammaln(x), special.zeta(s, q)]
    wanted += [np.where(n == 0, special.psi(y), special.polygamma(n, y))]
    wanted[1][x == -INF] = INF  # as in C; SciPy has -inf
    # SciPy has no zeros for large orders, and infinities for NaN.
    wanted[2][(s > 9e9) & (q > 1)] = 0
    wanted[2][np.isnan(s) | np.isnan(q)] = NAN
    limit, least = rounding(PROGRAM, found[0]), float(np.finfo(dtype).tiny)
    near_0 = [least, rounding(FORMULA, found[0]), least, least]  # lgamma has zeros
    with np.errstate(over="ignore"):
        for one, right, size in zip(found, wanted, near_0, strict=True):
            np.testing.assert_allclose(one, right.astype(dtype), limit, size)


def test_slopes_of_zeta_and_its_like_at_infinity_and_outside() -> None:
    s, q = np.array([INF, INF, 2, 1e30, 0.5, 0, 2.5]), np.array([2, 1, INF, 2.0, 1, 2, -1.5])
    slopes = gradient(emit.zeta, s, q, wrt=[0, 1])
    nans = [NAN] * 3  # as the values
    np.testing.assert_array_equal(slopes, [[0, 0, 0, 0, *nans], [0, -INF, 0, 0, *nans]])
    (g,) = gradient(emit.digamma, np.array([INF, 0, 1e19]))
    np.testing.assert_allclose(g, [0, INF, 1e-19], rounding(FORMULA))


@pytest.mark.sweep(keep=1)
@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_slopes_of_scaled_bessel_functions_far_from_0(dtype: str) -> None:
    """-1/(2x) and 3/(4x^2) times 1 / sqrt(2 pi x), which is as large as what would cancel."""
    x = np.array([1e9, -1e9, 1e12, 1e8], dtype)
    size = np.abs(x.astype("f8"))

    def both(f: Any, x: Any) -> list[Any]:
        (first,) = adjoints(f(x), [x])
        return [first, *adjoints(first, [x])]

    for f, signs in ((emit.bessel_i0e, (np.sign(x), 1)), (emit.bessel_i1e, (1, np.sign(x)))):
        found = evaluated(partial(both, f), x)
        for g, power, factor, sign in zip(found, (1, 2), (-0.5, 0.75), signs, strict=True):
            wanted = sign * factor / size**power / np.sqrt(2 * np.pi * size)
            large = np.abs(wanted) > 1e-37
            np.testing.assert_allclose(g[large], wanted[large], rtol=rounding(FORMULA, x) + 1e-7)


@pytest.mark.parametrize(
    "f, order, value",
    [(emit.bessel_i0e, 0, scipy.special.i0e), (emit.bessel_i1e, 1, scipy.special.i1e)],
)
def test_slopes_of_scaled_bessel_functions_where_their_series_begins(
    f: Any, order: int, value: Any
) -> None:
    """By DLMF 10.40.1 with twice the terms, as fractions."""

    def relative(x: float) -> float:
        sum_, slope, term = Fraction(1), Fraction(0), Fraction(1)
        for k in range(1, 14):
            term *= Fraction((2 * k - 1) ** 2 - 4 * order**2, 8 * k) / Fraction(x)
            sum_, slope = sum_ + term, slope - k * term / Fraction(x)
        return float(slope / sum_ - 1 / (2 * Fraction(x)))

    x = np.array([300.5, 310.0, 1000.0])
    (g,) = gradient(f, x)
    np.testing.assert_allclose(g, [relative(n) * value(n) for n in x], rtol=rounding(8))


def test_slopes_at_the_edges() -> None:
    a, x = np.array([0.5, 1.0, 2.0]), np.zeros(3)
    (g,) = gradient(emit.igamma, a, x, wrt=[1])
    np.testing.assert_allclose(g, [INF, 1, 0], rtol=rounding(FORMULA))
    (g,) = gradient(emit.betainc, a, np.full(3, 1.0), x, wrt=[2])
    np.testing.assert_allclose(g, [INF, 1, 0], rtol=rounding(FORMULA))


# From mpmath with 40 digits: the parameters, x, and the derivatives with respect to parameters.
GAMMA_ORDERS = [
    (0.01, 0.2, -1.2203964926602442),
    (0.5, 0.05, -0.75801501512490629),
    (0.5, 6, -0.0020708697600576254),
    (1, 1, -0.4317297106348987),
    (4, 2, -0.13026231147066753),
    (30, 20, -0.010205257324989506),
    (30, 45, -0.0034741570951297631),
    (300, 310, -0.019253838374701429),
]
# The last is the derivative with respect to x.
LARGE_GAMMAS = [
    (20, 25, -0.046727804534347564, 0.041533974886793057),
    (3000, 2950, -0.0048196320143341252, 0.0048600919298832634),
    (10_000, 10_100, -0.0024156880031763667, 0.0024036692578620491),
    (100_000, 99_800, -0.0010336421299879057, 0.0010346757735003649),
    (1_000_000, 1_000_500, -0.00035199202962341053, 0.00035190400961467548),
]
BETA_ORDERS = [
    (0.3, 0.4, 0.01, -0.92708530767391806, 0.21962310052239904),
    (0.5, 0.5, 0.5, -0.58312180806163756, 0.58312180806163756),
    (1, 1, 0.3, -0.3611918412977808, 0.24967246075711267),
    (4, 0.5, 0.999, -0.0091509818482360511, 0.38400014546316609),
    (2, 30, 0.2, -0.013387939884713743, 0.0016860803489042686),
    (300, 200, 0.6, -0.014577434606090345, 0.021872227094796969),
]
ZETA_ORDERS = [
    (1.01, 0.7, -9999.4913787442807),
    (2, 1, -0.93754825431584375),
    (2.5, 0.01, 460516.62310888135),
    (7, 30, -8.9635104741125165e-10),
    (20, 0.5, 726817.49788088014),
]


@pytest.mark.parametrize("name, sign", [("igamma", 1), ("igammac", -1)])
def test_gammas_along_their_parameter(name: str, sign: int) -> None:
    a, x, wanted = np.array(GAMMA_ORDERS).T
    (g,) = gradient(getattr(emit, name), a, x, wrt=[0])
    np.testing.assert_allclose(g, sign * wanted, rtol=rounding(PROGRAM))
    (g,) = gradient(getattr(emit, name), 0.01, 1e-30, wrt=[0])  # a step at 1, seen from afar
    np.testing.assert_allclose(g, sign * -34.535639314126298, rtol=1e-6)


@pytest.mark.sweep(keep=1)
@pytest.mark.parametrize("dtype, limit", [(np.float64, rounding(PROGRAM)), (np.float32, 1e-4)])
def test_slopes_of_large_gammas(dtype: type, limit: float) -> None:
    a, x, *wanted = np.array(LARGE_GAMMAS).T
    for name, sign in (("igamma", 1), ("igammac", -1)):
        found = gradient(getattr(emit, name), a.astype(dtype), x.astype(dtype), wrt=[0, 1])
        for g, of_one in zip(found, wanted, strict=True):
            assert g.dtype == dtype
            np.testing.assert_allclose(g, sign * of_one, rtol=limit)


@pytest.mark.sweep(keep=1)
@pytest.mark.parametrize("wrt", [0, 1])
def test_second_slopes_of_large_gammas(wrt: int) -> None:
    a, x = np.array(LARGE_GAMMAS).T[:2]

    def slope(*xs: np.ndarray) -> np.ndarray:
        return gradient(emit.igamma, *xs, wrt=[wrt])[0]

    def second(*xs: Any) -> list[Any]:
        return adjoints(adjoints(emit.igamma(*xs), [xs[wrt]])[0], [xs[0]])

    (found,) = evaluated(second, a, x)
    h = 1e-3 * np.sqrt(a)
    wanted = (slope(a + h, x) - slope(a - h, x)) / (2 * h)
    np.testing.assert_allclose(found, wanted, rtol=1e-4)


def test_betainc_along_its_parameters() -> None:
    a, b, x, *wanted = np.array(BETA_ORDERS).T
    for g, of_one in zip(gradient(emit.betainc, a, b, x, wrt=[0, 1]), wanted, strict=True):
        np.testing.assert_allclose(g, of_one, rtol=rounding(PROGRAM))


def test_zeta_along_its_order() -> None:
    s, q, wanted = np.array(ZETA_ORDERS).T
    np.testing.assert_allclose(
        gradient(emit.zeta, s, q, wrt=[0])[0], wanted, rtol=rounding(PROGRAM)
    )
    outside = gradient(
        emit.zeta, np.array([1.0, 0.5, 2.0, NAN]), np.array([1.0, 1, -1, 1]), wrt=[0]
    )
    assert np.isnan(outside[0]).all()


def test_parameters_of_one_half_in_f32() -> None:
    x = np.float32([0.1, 0.9, 3.0])
    (g,) = gradient(emit.igamma, np.full_like(x, 0.5), x, wrt=[0])
    (wide,) = gradient(emit.igamma, np.full(3, 0.5), x.astype(float), wrt=[0])
    assert g.dtype == np.float32
    np.testing.assert_allclose(g, wide, rtol=2e-5)


def test_at_the_edges_parameters_move_nothing() -> None:
    a, x = np.array([1.0, 2, -1, 1, NAN]), np.array([0, INF, 1, -1, 1.0])
    for name in ("igamma", "igammac"):
        (g,) = gradient(getattr(emit, name), a, x, wrt=[0])
        np.testing.assert_array_equal(g, [0, 0, NAN, NAN, NAN])
    a, x = np.array([1.0, 2, -1, 1]), np.array([0, 1, 0.5, 1.5])
    for g in gradient(emit.betainc, a, np.ones(4), x, wrt=[0, 1]):
        np.testing.assert_array_equal(g, [0, 0, NAN, NAN])


def test_the_order_of_polygamma_has_no_derivative() -> None:
    with pytest.raises(MissingRule, match="operand 0 has no derivative: not differentiable with"):
        gradient(emit.polygamma, np.ones(2), np.ones(2), wrt=[0])
