"""Continuous distributions: formulas of the standard form.

Source: SciPy's documentation of `scipy.stats`, whose parameters these are; Johnson, Kotz and
Balakrishnan, Continuous Univariate Distributions (1994).
"""

from __future__ import annotations

import math
from typing import Any

import ml_dtypes

import anvl.numpy as anp
from anvl.scipy.special.entropies import xlog1py, xlogy
from anvl.scipy.special.gamma_functions import _betaln, log_gamma_ratio, log_gammaincc
from anvl.scipy.special.normal_integrals import _log_ndtr, _ndtr, _ndtri
from anvl.scipy.stats.distribution_base import Continuous

__all__ = [
    "beta", "cauchy", "chi2", "expon", "gamma", "gennorm", "gumbel_l", "gumbel_r", "laplace",
    "logistic", "norm", "pareto", "t", "truncnorm", "uniform", "vonmises", "wrapcauchy",
]  # fmt: skip

_LOG_2 = math.log(2)
_LOG_2_PI = math.log(2 * math.pi)


def _positive(*shapes: Any) -> Any:
    allowed = anp.greater(shapes[0], 0)
    for shape in shapes[1:]:
        allowed = anp.logical_and(allowed, anp.greater(shape, 0))
    return allowed


def _by_powers(log_scale: Any, *factors: tuple[Any, Any]) -> Any:
    """exp(log_scale) times powers, of which one is 0 or 1 where the others are not large."""
    largest = math.log(ml_dtypes.finfo(log_scale.dtype).max) / 2  # times 0 it is 0
    found = anp.exp(anp.minimum(log_scale, largest))
    for base, exponent in factors:
        found = anp.multiply(found, anp.power(base, exponent))
    return found


def _half_line(*shapes: Any) -> tuple[Any, Any]:
    return 0, anp.inf


def _unit_interval(*shapes: Any) -> tuple[Any, Any]:
    return 0, 1


norm: Continuous = Continuous(
    "norm",
    (),
    "Normal distribution of mean loc and standard deviation scale.",
    {
        "logpdf": lambda y: anp.multiply(-0.5, anp.add(anp.square(y), _LOG_2_PI)),
        "cdf": lambda y: _ndtr(y),
        "sf": lambda y: _ndtr(anp.negative(y)),
        "logcdf": lambda y: _log_ndtr(y),
        "logsf": lambda y: _log_ndtr(anp.negative(y)),
        "ppf": lambda q: _ndtri(q),
        "isf": lambda q: anp.negative(_ndtri(q)),
    },
)

uniform: Continuous = Continuous(
    "uniform",
    (),
    "Uniform distribution on [loc, loc + scale].",
    {
        "logpdf": lambda y: anp.multiply(0, y),
        "cdf": lambda y: y,
        "sf": lambda y: anp.subtract(1, y),
        "ppf": lambda q: q,
    },
    support=_unit_interval,
)

expon: Continuous = Continuous(
    "expon",
    (),
    "Exponential distribution of mean scale.",
    {
        "logpdf": lambda y: anp.negative(y),
        "cdf": lambda y: anp.negative(anp.expm1(anp.negative(y))),
        "sf": lambda y: anp.exp(anp.negative(y)),
        "logsf": lambda y: anp.negative(y),
        "ppf": lambda q: anp.negative(anp.log1p(anp.negative(q))),
        "isf": lambda q: anp.negative(anp.log(q)),
    },
    support=_half_line,
)


def _log_gamma_tail(y: Any, a: Any) -> Any:
    """log(gammaincc(a, y)), near 1 from the complement."""
    rest = anp.gammainc(a, y)
    is_small = anp.less(rest, 0.5)
    near_1 = anp.log1p(anp.negative(anp.where(is_small, rest, 0)))
    return anp.where(is_small, near_1, log_gammaincc(a, y))


gamma: Continuous = Continuous(
    "gamma",
    ("a",),
    "Gamma distribution of shape a.",
    {
        "logpdf": lambda y, a: xlogy(a - 1, y) - y - anp.gammaln(a),
        "end": lambda y, a: _by_powers(-y - anp.gammaln(a), (y, a - 1)),
        "cdf": lambda y, a: anp.gammainc(a, y),
        "sf": lambda y, a: anp.gammaincc(a, y),
        "logsf": _log_gamma_tail,
    },
    support=_half_line,
    valid=_positive,
)

chi2: Continuous = Continuous(
    "chi2",
    ("df",),
    "Chi-squared distribution of df degrees of freedom.",
    {
        "logpdf": lambda y, df: (
            xlogy(0.5 * df - 1, y) - 0.5 * y - (0.5 * _LOG_2 * df + anp.gammaln(0.5 * df))
        ),
        "end": lambda y, df: _by_powers(
            -0.5 * y - (0.5 * _LOG_2 * df + anp.gammaln(0.5 * df)), (y, 0.5 * df - 1)
        ),
        "cdf": lambda y, df: anp.gammainc(0.5 * df, 0.5 * y),
        "sf": lambda y, df: anp.gammaincc(0.5 * df, 0.5 * y),
        "logsf": lambda y, df: _log_gamma_tail(0.5 * y, 0.5 * df),
    },
    support=_half_line,
    valid=_positive,
)


def _beta_tail(y: Any, a: Any, b: Any) -> Any:
    """The probability above y: from below, where 1 - y would lose the digits of a small y."""
    from_below = anp.less(y, anp.minimum(a, 0.5)) & anp.less(anp.multiply(b, y), 1)
    first, second = anp.where(from_below, a, b), anp.where(from_below, b, a)
    part = anp.betainc(first, second, anp.where(from_below, y, anp.subtract(1, y)))
    return anp.where(from_below, anp.subtract(1, part), part)


beta: Continuous = Continuous(
    "beta",
    ("a", "b"),
    "Beta distribution of shapes a and b.",
    {
        "logpdf": lambda y, a, b: xlogy(a - 1, y) + xlog1py(b - 1, anp.negative(y)) - _betaln(a, b),
        "end": lambda y, a, b: _by_powers(-_betaln(a, b), (y, a - 1), (1 - y, b - 1)),
        "cdf": lambda y, a, b: anp.betainc(a, b, y),
        "sf": _beta_tail,
    },
    support=_unit_interval,
    valid=_positive,
)


def _t_tail(y: Any, df: Any) -> Any:
    """The probability beyond |y| on one side (DLMF 8.17.2)."""
    square = anp.square(y)
    small = anp.less(square, 1)
    near = anp.divide(anp.where(small, square, 0), anp.add(df, anp.where(small, square, 0)))
    far = anp.divide(df, anp.add(df, anp.where(small, 1, square)))
    inner = anp.subtract(0.5, anp.multiply(0.5, anp.betainc(0.5, 0.5 * df, near)))
    outer = anp.multiply(0.5, anp.betainc(0.5 * df, 0.5, far))
    return anp.where(small, inner, outer)


#: With more degrees of freedom the tail is that of a normal distribution, to rounding.
_MANY = 1e15


#: |y| is small where the density's series in y^2 is exact with four terms.
_SMALL = 1e-4


def _t_below(y: Any, df: Any) -> Any:
    is_normal = anp.greater(df, _MANY)
    df = anp.where(is_normal, 1, df)
    square = anp.square(y)
    is_small = anp.less(anp.multiply(square, anp.add(1, anp.divide(1, df))), _SMALL)
    tail = _t_tail(anp.where(is_small, 1, y), df)
    found = anp.where(anp.less(y, 0), tail, anp.subtract(1, tail))
    found = anp.where(is_small, _t_beside_0(anp.where(is_small, y, 0), df), found)
    return anp.where(is_normal, _ndtr(anp.where(is_normal, y, 0)), found)


def _t_beside_0(y: Any, df: Any) -> Any:
    """1/2 and the integral of the density's series, as betainc's slope at 0 is infinite."""
    scale = anp.exp(log_gamma_ratio(0.5 * df, anp.full_like(df, 0.5)) - 0.5 * anp.log(math.pi * df))
    z, p = anp.square(y) / df, 0.5 * (df + 1)
    series = 1 - p * z * (1 / 3 - (p + 1) * z * (1 / 10 - (p + 2) * z / 42))
    return 0.5 + scale * y * series


t: Continuous = Continuous(
    "t",
    ("df",),
    "Student's distribution of df degrees of freedom.",
    {
        "logpdf": lambda y, df: (
            log_gamma_ratio(0.5 * df, anp.full_like(df, 0.5))
            - 0.5 * anp.log(math.pi * df)
            - 0.5 * (df + 1) * anp.log1p(anp.square(y) / df)
        ),
        "cdf": _t_below,
        "sf": lambda y, df: _t_below(anp.negative(y), df),
    },
    valid=_positive,
)


def _log_of_1_and_square(y: Any) -> Any:
    """log(1 + y^2), without overflow."""
    far = anp.greater(anp.abs(y), 1e3)
    size = anp.abs(anp.where(far, y, 1e3))
    outer = anp.add(anp.multiply(2, anp.log(size)), anp.log1p(anp.square(anp.divide(1, size))))
    return anp.where(far, outer, anp.log1p(anp.square(anp.where(far, 0, y))))


def _cauchy_quantile(q: Any) -> Any:
    """-cot(pi q), by the distance of q from the nearer end, or from the middle."""
    side = anp.where(anp.less(q, 0.5), q, anp.subtract(q, 1))
    turn = anp.where(anp.less(q, 0.5), 0.5, -0.5)
    is_middle = anp.greater(anp.abs(side), 0.25)
    middle = anp.tan(anp.multiply(math.pi, anp.where(is_middle, anp.subtract(side, turn), 0)))
    outer = anp.divide(-1, anp.tan(anp.multiply(math.pi, anp.where(is_middle, 0.25, side))))
    return anp.where(is_middle, middle, outer)


cauchy: Continuous = Continuous(
    "cauchy",
    (),
    "Cauchy distribution.",
    {
        "logpdf": lambda y: anp.subtract(-math.log(math.pi), _log_of_1_and_square(y)),
        "cdf": lambda y: anp.divide(anp.atan2(1.0, anp.negative(y)), math.pi),
        "sf": lambda y: anp.divide(anp.atan2(1.0, y), math.pi),
        "ppf": _cauchy_quantile,
        "isf": lambda q: anp.negative(_cauchy_quantile(q)),
    },
)


def _laplace_quantile(q: Any) -> Any:
    low = anp.less(q, 0.5)
    left = anp.log(anp.multiply(2, anp.where(low, q, 0.5)))
    right = anp.negative(anp.log(anp.multiply(2, anp.subtract(1, anp.where(low, 0.5, q)))))
    return anp.where(low, left, right)


def _laplace_below(y: Any) -> Any:
    tail = anp.multiply(0.5, anp.exp(anp.negative(anp.abs(y))))
    return anp.where(anp.less(y, 0), tail, anp.subtract(1, tail))


laplace: Continuous = Continuous(
    "laplace",
    (),
    "Laplace distribution.",
    {
        "logpdf": lambda y: anp.subtract(-_LOG_2, anp.abs(y)),
        "cdf": _laplace_below,
        "sf": lambda y: _laplace_below(anp.negative(y)),
        "ppf": _laplace_quantile,
        "isf": lambda q: anp.negative(_laplace_quantile(q)),
    },
)


def _log_sigmoid(y: Any) -> Any:
    return anp.negative(anp.logaddexp(0, anp.negative(y)))


def _logit(q: Any) -> Any:
    return anp.subtract(anp.log(q), anp.log1p(anp.negative(q)))


logistic: Continuous = Continuous(
    "logistic",
    (),
    "Logistic distribution.",
    {
        "logpdf": lambda y: anp.add(_log_sigmoid(y), _log_sigmoid(anp.negative(y))),
        "cdf": lambda y: anp.sigmoid(y),
        "sf": lambda y: anp.sigmoid(anp.negative(y)),
        "logcdf": _log_sigmoid,
        "logsf": lambda y: _log_sigmoid(anp.negative(y)),
        "ppf": _logit,
        "isf": lambda q: anp.negative(_logit(q)),
    },
)

pareto: Continuous = Continuous(
    "pareto",
    ("b",),
    "Pareto distribution of shape b, from 1 on.",
    {
        "logpdf": lambda y, b: anp.log(b) - (b + 1) * anp.log(y),
        "cdf": lambda y, b: anp.negative(anp.expm1(anp.negative(b * anp.log(y)))),
        "sf": lambda y, b: anp.power(y, anp.negative(b)),
        "logsf": lambda y, b: anp.negative(b * anp.log(y)),
        "ppf": lambda q, b: anp.exp(anp.divide(anp.log1p(anp.negative(q)), anp.negative(b))),
        "isf": lambda q, b: anp.power(q, anp.divide(-1, b)),
    },
    support=lambda b: (1, anp.inf),
    inner=lambda b: 2.0,
    valid=_positive,
)


def _gennorm_tail(y: Any, beta: Any) -> Any:
    """The probability above y."""
    power = anp.power(anp.abs(y), beta)
    tail = anp.multiply(0.5, anp.gammaincc(anp.divide(1, beta), power))
    return anp.where(anp.less(y, 0), anp.subtract(1, tail), tail)


def _log_gennorm_tail(y: Any, beta: Any) -> Any:
    """The logarithm of the probability above y."""
    is_right = anp.greater_equal(y, 0)
    right = anp.where(is_right, y, 1)
    far = anp.subtract(log_gammaincc(anp.divide(1, beta), anp.power(right, beta)), _LOG_2)
    rest = _gennorm_tail(anp.negative(anp.where(is_right, -1, y)), beta)
    return anp.where(is_right, far, anp.log1p(anp.negative(rest)))


gennorm: Continuous = Continuous(
    "gennorm",
    ("beta",),
    "Generalised normal distribution: density exp(-|x|^beta), normalised.",
    {
        "logpdf": lambda y, beta: (
            anp.log(beta) - _LOG_2 - anp.gammaln(1 / beta) - anp.power(anp.abs(y), beta)
        ),
        "cdf": lambda y, beta: _gennorm_tail(anp.negative(y), beta),
        "sf": _gennorm_tail,
        "logcdf": lambda y, beta: _log_gennorm_tail(anp.negative(y), beta),
        "logsf": _log_gennorm_tail,
    },
    valid=_positive,
)


def _log_mass(a: Any, b: Any) -> Any:
    """log(Phi(b) - Phi(a)) for a <= b, in the tail where both are small."""
    turned = anp.greater(a, 0)
    low, high = anp.where(turned, anp.negative(b), a), anp.where(turned, anp.negative(a), b)
    empty = anp.equal(low, high)  # of infinities too
    low, high = anp.where(empty, -1, low), anp.where(empty, 0, high)
    bigger, smaller = _log_ndtr(high), _log_ndtr(low)
    ratio = anp.minimum(anp.subtract(smaller, bigger), 0)
    same = anp.equal(ratio, 0) | anp.equal(bigger, -anp.inf)
    rest = anp.log1p(anp.negative(anp.exp(anp.where(same, -1, ratio))))
    return anp.where(anp.logical_or(same, empty), -anp.inf, anp.add(bigger, rest))


def _truncated_quantile(q: Any, a: Any, b: Any) -> Any:
    right = anp.greater(a, 0)
    low, high = anp.where(right, anp.negative(b), a), anp.where(right, anp.negative(a), b)
    start, end = _ndtr(low), _ndtr(high)
    part = anp.where(right, anp.subtract(1, q), q)
    # The complement, where the end is 1 up to rounding.
    p = anp.add(start, anp.multiply(part, anp.subtract(end, start)))
    y = anp.clip(_ndtri(p), low, high)
    return anp.where(right, anp.negative(y), y)


truncnorm: Continuous = Continuous(
    "truncnorm",
    ("a", "b"),
    "Normal distribution cut off at a and b, in units of the standard form.",
    {
        "logpdf": lambda y, a, b: (
            anp.multiply(-0.5, anp.add(anp.square(y), _LOG_2_PI)) - _log_mass(a, b)
        ),
        "cdf": lambda y, a, b: anp.exp(_log_mass(a, y) - _log_mass(a, b)),
        "sf": lambda y, a, b: anp.exp(_log_mass(y, b) - _log_mass(a, b)),
        "logcdf": lambda y, a, b: _log_mass(a, y) - _log_mass(a, b),
        "logsf": lambda y, a, b: _log_mass(y, b) - _log_mass(a, b),
        "ppf": _truncated_quantile,
        "isf": lambda q, a, b: anp.negative(_truncated_quantile(q, -b, -a)),
    },
    support=lambda a, b: (a, b),
    inner=lambda a, b: anp.clip(anp.zeros_like(a), a, b),
    valid=lambda a, b: anp.less(a, b),
)


def _log_i0e(x: Any) -> Any:
    """Logarithm of exp(-x) I_0(x), with the slope to the right at 0, where `i0e` has a corner."""
    is_small = anp.less(x, 1)
    near = anp.log(anp.i0(anp.where(is_small, x, 0))) - x
    return anp.where(is_small, near, anp.log(anp.i0e(anp.where(is_small, 1, x))))


vonmises: Continuous = Continuous(
    "vonmises",
    ("kappa",),
    "Von Mises distribution on the circle; x is an angle.",
    {
        "logpdf": lambda y, kappa: (
            -2 * kappa * anp.square(anp.sin(0.5 * y)) - _LOG_2_PI - _log_i0e(kappa)
        ),
    },
    valid=lambda kappa: anp.greater_equal(kappa, 0),
)

wrapcauchy: Continuous = Continuous(
    "wrapcauchy",
    ("c",),
    "Wrapped Cauchy distribution on [0, 2 pi], for 0 < c < 1.",
    {
        "logpdf": lambda y, c: (
            anp.log1p(-c * c)
            - _LOG_2_PI
            - anp.log(anp.square(1 - c) + 4 * c * anp.square(anp.sin(0.5 * y)))
        ),
    },
    support=lambda c: (0, 2 * math.pi),
    valid=lambda c: anp.logical_and(anp.greater(c, 0), anp.less(c, 1)),
)

gumbel_r: Continuous = Continuous(
    "gumbel_r",
    (),
    "Gumbel distribution of maxima.",
    {
        "logpdf": lambda y: anp.negative(anp.add(y, anp.exp(anp.negative(y)))),
        "cdf": lambda y: anp.exp(anp.negative(anp.exp(anp.negative(y)))),
        "logcdf": lambda y: anp.negative(anp.exp(anp.negative(y))),
        "sf": lambda y: anp.negative(anp.expm1(anp.negative(anp.exp(anp.negative(y))))),
        "ppf": lambda q: anp.negative(anp.log(anp.negative(anp.log(q)))),
        "isf": lambda q: anp.negative(anp.log(anp.negative(anp.log1p(anp.negative(q))))),
    },
)

gumbel_l: Continuous = Continuous(
    "gumbel_l",
    (),
    "Gumbel distribution of minima.",
    {
        "logpdf": lambda y: anp.subtract(y, anp.exp(y)),
        "cdf": lambda y: anp.negative(anp.expm1(anp.negative(anp.exp(y)))),
        "sf": lambda y: anp.exp(anp.negative(anp.exp(y))),
        "logsf": lambda y: anp.negative(anp.exp(y)),
        "ppf": lambda q: anp.log(anp.negative(anp.log1p(anp.negative(q)))),
        "isf": lambda q: anp.log(anp.negative(anp.log(q))),
    },
)
