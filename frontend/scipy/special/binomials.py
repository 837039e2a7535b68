"""Binomial coefficients and Pochhammer's symbol of real numbers, with their slopes at integers."""

from __future__ import annotations

import math
from typing import Any

import anvl.numpy as anp
from anvl.dispatch.eager import public
from anvl.scipy.special.evaluation import real_function
from anvl.scipy.special.gamma_functions import (
    at_zero,
    betaln,
    cos_pi,
    gamma,
    gammasgn,
    is_pole,
    log_gamma_ratio,
    no_exact,
    sin_pi,
)
from anvl.transforms.stop_gradient import stop_gradient

__all__ = ["binom", "comb", "poch"]


@real_function
def binom(n: Any, k: Any) -> Any:
    """Binomial coefficient of real n and k: gamma(n + 1) / (gamma(k + 1) gamma(n - k + 1)).

    For whole k of at most 20 it is a product, and exact as far as the dtype is.

    >>> from anvl.scipy import special
    >>> print(special.binom(5, 2))
    10.0
    """
    return _binom(n, k)


def _binom(n: Any, k: Any) -> Any:
    whole, whole_n = anp.equal(k, anp.floor(k)), anp.equal(n, anp.floor(n))
    mirrored = anp.logical_and(whole_n, anp.logical_and(anp.greater(n, 0), anp.greater(k, n * 0.5)))
    least = anp.where(anp.logical_and(whole, mirrored), anp.subtract(n, k), k)
    counted = anp.logical_and(anp.greater_equal(least, 0), anp.less_equal(least, 20))
    counted = counted & whole & ~anp.logical_and(anp.equal(n, 0), anp.greater(k, 0))
    rest = anp.where(counted, 0.5, k)
    a, b = anp.add(anp.subtract(n, rest), 1), anp.add(rest, 1)
    sign = anp.multiply(gammasgn(anp.add(n, 1)), gammasgn(b))
    below = anp.less(a, 0.5)
    bad = anp.logical_and(anp.less(n, 0), whole_n)
    pole_k = anp.logical_and(whole, anp.less(k, 0))
    a = anp.where(below, 1, a)
    log = anp.negative(anp.add(betaln(a, b), anp.log(anp.abs(anp.add(n, 1)))))
    general = anp.where(below, _above_n(n, rest, below & ~bad & ~pole_k), anp.exp(log))
    general = anp.multiply(sign, general)
    zero = anp.logical_and(pole_k, anp.logical_not(bad))
    found = anp.where(bad, anp.nan, anp.where(zero, _zero_of_binom(n, k, zero), general))
    is_product = anp.logical_and(counted, anp.logical_not(zero | bad))
    product = _product_of_binom(n, least, whole_n)
    n, k = anp.where(is_product, n, 1), anp.where(is_product, k, 1)
    logs = [anp.gammaln(anp.add(x, 1)) for x in (n, k, anp.subtract(n, k))]
    by_log = with_slope_of(product, anp.subtract(anp.subtract(logs[0], logs[1]), logs[2]))
    return anp.where(is_product, by_log, found)


def _above_n(n: Any, k: Any, chosen: Any) -> Any:
    """The size of a binomial coefficient for k > n + 1/2, with the sign of gamma(n - k + 1), by the
    reflection formula (DLMF 5.5.3): sin(pi (k - n)) / pi beta(n + 1, k - n)."""
    n, k = anp.where(chosen, n, 0.25), anp.where(chosen, k, 1)
    # The difference k - n has no digits of a small n.
    sine = anp.subtract(sin_pi(k) * cos_pi(n), cos_pi(k) * sin_pi(n))
    log = betaln(anp.add(n, 1), anp.subtract(k, n))
    return anp.multiply(anp.divide(sine, math.pi), anp.exp(log))


def _product_of_binom(n: Any, k: Any, whole_n: Any) -> Any:
    """n (n - 1) ... / k! for k of at most 20, whole where n is."""
    product: Any = anp.ones_like(n)
    for i in range(1, 21):
        factor = anp.divide(anp.subtract(n, float(i - 1)), float(i))
        product = anp.where(anp.less_equal(float(i), k), anp.multiply(product, factor), product)
    is_exact = anp.logical_and(whole_n, anp.less(anp.abs(product), 2.0**50))
    return anp.where(is_exact, anp.rint(product), product)


def with_slope_of(value: Any, log: Any) -> Any:
    """A value that is exact, with the derivatives that follow from its logarithm."""
    away = anp.exp(anp.subtract(log, stop_gradient(log)))
    away = anp.where(anp.isfinite(log), away, 1)
    return anp.multiply(stop_gradient(value), away)


def _zero_of_binom(n: Any, k: Any, zero: Any) -> Any:
    """gamma(n + 1) / (gamma(k + 1) gamma(n - k + 1)) at a pole of gamma(k + 1)."""
    pole = anp.where(zero, anp.add(k, 1), 0)
    other = anp.where(zero, anp.add(anp.subtract(n, k), 1), 1)
    above = anp.where(zero, anp.add(n, 1), 1)
    sign = anp.multiply(gammasgn(above), gammasgn(other))
    return at_zero(pole, anp.subtract(anp.gammaln(above), anp.gammaln(other)), sign)


@real_function
def _comb(n: Any, k: Any) -> Any:
    inside = anp.logical_and(anp.greater_equal(k, 0), anp.less_equal(k, n))
    inside = anp.logical_and(inside, anp.greater_equal(n, 0))
    return anp.where(inside, _binom(anp.where(inside, n, 1), anp.where(inside, k, 1)), 0)


@public("exact", "repetition")
def comb(N: Any, k: Any, exact: bool = False, repetition: bool = False) -> Any:
    """Number of ways to choose k of N things as a float; 0 outside 0 <= k <= N.

    Parameters
    ----------
    N, k : arrays
    exact : bool
        Only False: integers have 64 bits.
    repetition : bool
        Choose with repetition: comb(N + k - 1, k).

    Raises
    ------
    NotImplementedError
        `exact` is True.

    Examples
    --------
    >>> from anvl.scipy import special
    >>> print(special.comb(5, 2))
    10.0
    """
    no_exact("comb", exact)
    return _comb(anp.subtract(anp.add(N, k), 1), k) if repetition else _comb(N, k)


@real_function
def poch(z: Any, m: Any) -> Any:
    """Pochhammer's symbol gamma(z + m) / gamma(z) (DLMF 5.2.5).

    >>> from anvl.scipy import special
    >>> print(special.poch(2.0, 3.0))
    24.0
    """
    # Where both arguments are below 1/2: gamma(x) gamma(1 - x) = pi / sin(pi x), DLMF 5.5.3.  Poles
    # of both cancel, and one of gamma(z) alone gives 0.
    end, whole_m = anp.add(z, m), anp.equal(m, anp.floor(m))
    pole, below = is_pole(z), is_pole(end)
    # The sum has no digits of a z that is near an integer.
    is_rounded = anp.logical_and(anp.not_equal(z, anp.floor(z)), whole_m)
    zero = anp.logical_and(pole, anp.logical_not(below & whole_m))
    is_infinite = anp.logical_and(below, anp.logical_not(pole | is_rounded))
    turned = anp.less(z, 0.5) & anp.less(end, 0.5) & ~zero & ~is_infinite
    odd = anp.not_equal(anp.remainder(anp.where(turned & pole, m, 0), 2), 0)
    turn = _ratio_of_sines(z, m, anp.logical_and(turned, anp.logical_not(pole)))
    turn = anp.where(odd, -1, turn)
    at = anp.where(zero, end, 1)
    of_zero = at_zero(anp.where(zero, z, 0), anp.gammaln(at), gammasgn(at))
    z = anp.where(turned, anp.subtract(1, end), anp.where(zero, 1, z))
    m = anp.where(zero, 1, m)
    end = anp.add(z, m)
    sign = anp.multiply(gammasgn(z), gammasgn(end))
    fits = anp.logical_and(anp.less(anp.abs(z), 30), anp.less(anp.abs(end), 30))
    fits = anp.logical_and(fits, anp.logical_and(anp.greater(z, 0), anp.greater(end, 0)))
    direct = anp.divide(gamma(anp.where(fits, end, 1)), gamma(anp.where(fits, z, 1)))
    far = anp.multiply(sign, anp.exp(log_gamma_ratio(z, m)))
    found = anp.multiply(turn, anp.where(fits, direct, far))
    found = anp.where(zero, of_zero, anp.where(is_infinite, anp.inf, found))
    return anp.where(anp.equal(m, 0), 1, found)


def _ratio_of_sines(z: Any, m: Any, chosen: Any) -> Any:
    """sin(pi z) / sin(pi (z + m)), where chosen, and 1 elsewhere."""
    z, m = anp.where(chosen, z, 0.5), anp.where(chosen, m, 0)
    above = sin_pi(z)
    return anp.divide(above, anp.add(above * cos_pi(m), cos_pi(z) * sin_pi(m)))
