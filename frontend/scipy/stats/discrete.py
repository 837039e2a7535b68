"""Discrete distributions: formulas of the standard form.

Source: SciPy's documentation of `scipy.stats`, whose parameters these are; Johnson, Kemp and Kotz,
Univariate Discrete Distributions (2005).
"""

from __future__ import annotations

from typing import Any

import anvl.numpy as anp
from anvl.scipy.special.entropies import xlog1py, xlogy
from anvl.scipy.special.gamma_functions import _betaln, log_gamma_ratio
from anvl.scipy.stats.distribution_base import Discrete

__all__ = ["bernoulli", "betabinom", "binom", "geom", "nbinom", "poisson"]


def _probability(p: Any) -> Any:
    return anp.logical_and(anp.greater_equal(p, 0), anp.less_equal(p, 1))


def _counts(n: Any) -> Any:
    return anp.logical_and(anp.greater_equal(n, 0), anp.equal(n, anp.floor(n)))


def _log_choices(n: Any, k: Any) -> Any:
    """Logarithm of the binomial coefficient."""
    return anp.negative(anp.add(_betaln(n - k + 1, k + 1), anp.log(n + 1)))


def _binom_cdf(k: Any, n: Any, p: Any) -> Any:
    last = anp.greater_equal(k, n)
    below = anp.betainc(anp.where(last, 1, n - k), k + 1, anp.subtract(1, p))
    return anp.where(last, 1, below)


def _binom_sf(k: Any, n: Any, p: Any) -> Any:
    last = anp.greater_equal(k, n)
    return anp.where(last, 0, anp.betainc(k + 1, anp.where(last, 1, n - k), p))


bernoulli: Discrete = Discrete(
    "bernoulli",
    ("p",),
    "1 with probability p, else 0.",
    {
        "logpmf": lambda k, p: xlogy(k, p) + xlog1py(1 - k, anp.negative(p)),
        "cdf": lambda k, p: anp.where(anp.less(k, 1), anp.subtract(1, p), 1),
        "sf": lambda k, p: anp.where(anp.less(k, 1), p, 0),
    },
    support=lambda p: (0, 1),
    inner=lambda p: 0,
    valid=_probability,
)

binom: Discrete = Discrete(
    "binom",
    ("n", "p"),
    "Number of successes in n trials of probability p.",
    {
        "logpmf": lambda k, n, p: (
            _log_choices(n, k) + xlogy(k, p) + xlog1py(n - k, anp.negative(p))
        ),
        "cdf": _binom_cdf,
        "sf": _binom_sf,
    },
    support=lambda n, p: (0, n),
    inner=lambda n, p: 0,
    valid=lambda n, p: anp.logical_and(_counts(n), _probability(p)),
)

nbinom: Discrete = Discrete(
    "nbinom",
    ("n", "p"),
    "Number of failures before the nth success of probability p.",
    {
        "logpmf": lambda k, n, p: (
            log_gamma_ratio(n, k) - anp.gammaln(k + 1) + xlogy(n, p) + xlog1py(k, anp.negative(p))
        ),
        "cdf": lambda k, n, p: anp.betainc(n, k + 1, p),
        "sf": lambda k, n, p: anp.betainc(k + 1, n, anp.subtract(1, p)),
    },
    support=lambda n, p: (0, anp.inf),
    inner=lambda n, p: 0,
    valid=lambda n, p: anp.logical_and(anp.greater(n, 0), _probability(p)),
)

geom: Discrete = Discrete(
    "geom",
    ("p",),
    "Number of trials up to the first success of probability p.",
    {
        "logpmf": lambda k, p: xlog1py(k - 1, anp.negative(p)) + anp.log(p),
        "cdf": lambda k, p: anp.negative(anp.expm1(xlog1py(k, anp.negative(p)))),
        "sf": lambda k, p: anp.exp(xlog1py(k, anp.negative(p))),
        "logsf": lambda k, p: xlog1py(k, anp.negative(p)),
    },
    support=lambda p: (1, anp.inf),
    inner=lambda p: 1,
    valid=_probability,
)

betabinom: Discrete = Discrete(
    "betabinom",
    ("n", "a", "b"),
    "Binomial distribution whose p has a beta distribution.",
    {
        "logpmf": lambda k, n, a, b: _log_choices(n, k) + _betaln(k + a, n - k + b) - _betaln(a, b),
    },
    support=lambda n, a, b: (0, n),
    inner=lambda n, a, b: 0,
    valid=lambda n, a, b: anp.logical_and(
        _counts(n), anp.logical_and(anp.greater(a, 0), anp.greater(b, 0))
    ),
)


poisson: Discrete = Discrete(
    "poisson",
    ("mu",),
    "Number of events of which mu are expected.",
    {
        "logpmf": lambda k, mu: xlogy(k, mu) - mu - anp.gammaln(k + 1),
        "cdf": lambda k, mu: anp.gammaincc(k + 1, mu),
        "sf": lambda k, mu: anp.gammainc(k + 1, mu),
    },
    support=lambda mu: (0, anp.inf),
    inner=lambda mu: 0,
    valid=lambda mu: anp.greater_equal(mu, 0),
)
