"""Logarithms of products, odds and entropies, exact in their limits."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

import anvl.numpy as anp
from anvl.dispatch.eager import public
from anvl.numpy.functions.elementwise import sigmoid
from anvl.scipy.special.evaluation import polynomial, real_function
from anvl.transforms.custom_rules import custom_jvp

__all__ = [
    "boxcox", "boxcox1p", "entr", "expit", "kl_div", "log_softmax", "logit", "logsumexp",
    "rel_entr", "softmax", "xlog1py", "xlogy",
]  # fmt: skip


@real_function
def xlogy(x: Any, y: Any) -> Any:
    """x log(y), and 0 where x = 0 and y is not NaN.

    >>> from anvl.scipy import special
    >>> print(special.xlogy(0.0, 0.0), special.xlogy(2.0, 1.0))
    0.0 0.0
    """
    return anp.multiply(x, anp.log(anp.where(_is_limit(x, y), 1, y)))


@real_function
def xlog1py(x: Any, y: Any) -> Any:
    """x log(1 + y), accurate for small y, and 0 where x = 0 and y is not NaN.

    >>> from anvl.scipy import special
    >>> print(special.xlog1py(0.0, -1.0))
    0.0
    """
    return anp.multiply(x, anp.log1p(anp.where(_is_limit(x, anp.add(y, 1)), 0, y)))


def _is_limit(x: Any, of_log: Any) -> Any:
    """Whether x is 0 beside a logarithm that is not finite: elsewhere x has it as its slope."""
    # Processors may take subnormal numbers for 0.
    least = float(anp.finfo(of_log.dtype).tiny)
    is_finite = anp.logical_and(anp.greater_equal(of_log, least), anp.less(of_log, anp.inf))
    return anp.logical_and(anp.equal(x, 0), anp.logical_not(is_finite | anp.isnan(of_log)))


@real_function
def entr(x: Any) -> Any:
    """Entropy of one outcome: -x log(x), 0 at 0, and -inf for negative x.

    >>> from anvl.scipy import special
    >>> print(special.entr(0.0), special.entr(1.0))
    0.0 -0.0
    """
    positive = anp.greater(x, 0)
    safe = anp.where(positive, x, 1)
    inside = anp.where(positive, anp.negative(anp.multiply(safe, anp.log(safe))), 0)
    return anp.where(anp.isnan(x), x, anp.where(anp.less(x, 0), -anp.inf, inside))


@real_function
def rel_entr(x: Any, y: Any) -> Any:
    """x log(x / y), 0 for x = 0 <= y, and infinity elsewhere.

    >>> from anvl.scipy import special
    >>> print(special.rel_entr(1.0, 1.0), special.rel_entr(1.0, 0.0))
    0.0 inf
    """
    return _relative_entropy(x, y)


def _relative_entropy(x: Any, y: Any) -> Any:
    both = anp.logical_and(anp.greater(x, 0), anp.greater(y, 0))
    safe_x, safe_y = anp.where(both, x, 1), anp.where(both, y, 1)
    inside = anp.multiply(safe_x, _log_of_ratio(safe_x, safe_y))
    is_0 = anp.logical_and(anp.equal(x, 0), anp.greater_equal(y, 0))
    found = anp.where(both, inside, anp.where(is_0, 0, anp.inf))
    return anp.where(anp.isnan(x) | anp.isnan(y), anp.nan, found)


@custom_jvp
def _log_of_ratio(x: Any, y: Any) -> Any:
    """log(x / y) for positive x and y, without overflow: one logarithm, or a series near 1."""
    exponent = anp.finfo(x.dtype).maxexp * 5 // 8
    one, large, small, moved = (
        x.dtype.type(value) for value in (1, 2.0**exponent, 0.5**exponent, exponent * math.log(4))
    )
    # Where the quotient is beyond 2^100 in f32, or below 2^-100: multiplied by 2^-160 or 2^160.
    distance = x.dtype.type(2.0 ** (exponent * 5 // 8))
    over = anp.greater(anp.divide(x, distance), anp.multiply(y, distance))
    under = anp.less(anp.multiply(x, distance), anp.divide(y, distance))
    half = anp.where(anp.greater(x, 1), one / 2, one)  # so that a sum does not overflow
    above = anp.multiply(x, anp.where(over, small, anp.where(under, large, half)))
    below = anp.multiply(y, anp.where(over, large, anp.where(under, small, half)))
    near = anp.logical_and(
        anp.less(anp.multiply(0.5, above), below), anp.less(anp.multiply(0.5, below), above)
    )
    near = anp.logical_and(near, anp.logical_not(anp.logical_or(over, under)))
    quotient = anp.divide(
        anp.where(near, anp.subtract(above, below), above),
        anp.where(near, anp.add(above, below), below),
    )
    shift = anp.where(under, -moved, anp.where(over, moved, 0))
    far = anp.add(anp.log(quotient), shift)
    return anp.where(near, _log_of_odds(anp.where(near, quotient, 0)), far)


@_log_of_ratio.defjvp
def _log_of_ratio_slope(primals: Any, y: Any, tangents: Any) -> Any:
    (above, below), (t_above, t_below) = primals, tangents
    return anp.subtract(anp.divide(t_above, above), anp.divide(t_below, below))


def _log_of_odds(x: Any) -> Any:
    """log((1 + x) / (1 - x)) for |x| up to 1/3, by its series 2 x (1 + x^2 / 3 + x^4 / 5 + ...)."""
    terms = 8 if x.dtype == np.float32 else 17
    square = anp.square(x)
    series = polynomial([2 / (2 * k + 1) for k in range(terms - 1, 0, -1)], square)
    # The first term apart, so that the errors of the others are small beside it.
    return anp.add(anp.multiply(2, x), anp.multiply(anp.multiply(x, square), series))


@real_function
def kl_div(x: Any, y: Any) -> Any:
    """x log(x / y) - x + y: the term of a Kullback-Leibler divergence; infinite outside x, y >= 0.

    Source: SciPy's `scipy.special.kl_div`.

    >>> from anvl.scipy import special
    >>> print(special.kl_div(1.0, 1.0), special.kl_div(0.0, 2.0))
    0.0 2.0
    """
    # By the operands, of which y may be -inf, so that slopes need no logarithm.
    is_infinite = anp.logical_or(
        anp.logical_or(anp.less(x, 0), anp.less(y, 0)),
        anp.logical_and(anp.greater(x, 0), anp.equal(y, 0)),
    )
    is_infinite = anp.logical_and(is_infinite, anp.logical_not(anp.isnan(x) | anp.isnan(y)))
    found = anp.add(anp.subtract(_relative_entropy(x, y), x), y)
    return anp.where(is_infinite, anp.inf, found)


@real_function
def logit(x: Any) -> Any:
    """Logarithm of the odds: log(x / (1 - x)); -inf at 0, inf at 1, NaN outside.

    >>> from anvl.scipy import special
    >>> print(special.logit(0.5))
    0.0
    """
    return _logit(x)


@custom_jvp
def _logit(x: Any) -> Any:
    # Near 1/2 the logarithm is near 0; and 2 x - 1 is exact.
    centre = anp.subtract(anp.multiply(2, x), 1)
    near = anp.less(anp.abs(centre), 0.3)
    series = _log_of_odds(anp.where(near, centre, 0))
    return anp.where(near, series, anp.log(anp.divide(x, anp.subtract(1, x))))


@_logit.defjvp
def _logit_slope(primals: Any, y: Any, tangents: Any) -> Any:
    (x,) = primals
    return anp.divide(tangents[0], anp.multiply(x, anp.subtract(1, x)))


@real_function
def expit(x: Any) -> Any:
    """1 / (1 + exp(-x)), the inverse of `logit`.

    >>> from anvl.scipy import special
    >>> print(special.expit(0.0))
    0.5
    """
    return sigmoid(x)


@real_function
def boxcox(x: Any, lmbda: Any) -> Any:
    """Box-Cox transformation: (x^lmbda - 1) / lmbda, and log(x) for lmbda = 0; NaN for x < 0.

    Source: Box and Cox, An analysis of transformations (1964).

    >>> from anvl.scipy import special
    >>> print(special.boxcox(4.0, 0.5), special.boxcox(1.0, 0.0))
    2.0 0.0
    """
    return _power_minus_one(anp.log(x), lmbda)


@real_function
def boxcox1p(x: Any, lmbda: Any) -> Any:
    """`boxcox` of 1 + x, accurate for small x.

    >>> from anvl.scipy import special
    >>> print(special.boxcox1p(3.0, 0.5))
    2.0
    """
    return _power_minus_one(anp.log1p(x), lmbda)


def _power_minus_one(log: Any, exponent: Any) -> Any:
    """expm1(exponent log) / exponent, with a series where the exponent is near 0."""
    limit = anp.logical_and(anp.equal(exponent, 0), anp.isinf(log))
    product = anp.multiply(exponent, anp.where(limit, 0, log))  # not 0 times infinity
    small = anp.less(anp.abs(product), 1e-3)
    p = anp.where(small, product, 0)
    series = 1 + p * (1 / 2 + p * (1 / 6 + p * (1 / 24 + p * (1 / 120 + p / 720))))
    other = anp.where(anp.equal(exponent, 0), 1, exponent)
    far = anp.divide(anp.expm1(anp.where(small, 1, product)), other)
    return anp.where(small, anp.multiply(anp.where(small, log, 1), series), far)


@public("axis", "keepdims", "return_sign")
def logsumexp(
    a: Any, axis: Any = None, b: Any = None, keepdims: bool = False, return_sign: bool = False,
    where: Any = None,
) -> Any:  # fmt: skip
    """log(sum(b exp(a))), without overflow.

    Parameters
    ----------
    a : array
    axis : int or tuple of int, optional
        By default all axes.
    b : array, optional
        Factors, which may be negative or 0; broadcast to a.
    keepdims : bool
    return_sign : bool
        Also return the sign of the sum.  Without it the logarithm of a negative sum is NaN.
    where : array of bools, optional
        The elements that count.

    Returns
    -------
    An array, or the pair of the logarithm of the absolute value and the sign.

    Examples
    --------
    >>> import anvl.numpy as np
    >>> from anvl.scipy import special
    >>> print(special.logsumexp(np.asarray([1000.0, -1000.0])))
    1000.0
    """
    if where is not None:
        a = anp.where(where, a, -anp.inf)
    if b is None and not return_sign:
        return anp.logsumexp(a, axis=axis, keepdims=keepdims)
    factors: Any = 1.0 if b is None else b
    a = anp.where(anp.equal(factors, 0), -anp.inf, anp.add(a, anp.multiply(0.0, factors)))
    largest = anp.max(a, axis=axis, keepdims=True)
    largest = anp.where(anp.isfinite(largest), largest, 0)
    total = anp.sum(
        anp.multiply(factors, anp.exp(anp.subtract(a, largest))), axis=axis, keepdims=keepdims
    )
    shift = largest if keepdims else anp.sum(largest, axis=axis)
    if not return_sign:
        return anp.add(anp.log(total), shift)
    return anp.add(anp.log(anp.abs(total)), shift), anp.sign(total)


@public("axis")
def softmax(x: Any, axis: Any = None) -> Any:
    """exp(x) / sum(exp(x)), along all axes or some.

    >>> import anvl.numpy as np
    >>> from anvl.scipy import special
    >>> print(special.softmax(np.zeros(4)))
    [0.25 0.25 0.25 0.25]
    """
    return anp.exp(log_softmax(x, axis)) if not isinstance(axis, int) else anp.softmax(x, axis=axis)


@public("axis")
def log_softmax(x: Any, axis: Any = None) -> Any:
    """log(`softmax`(x)), along all axes or some.

    >>> import anvl.numpy as np
    >>> from anvl.scipy import special
    >>> print(special.log_softmax(np.zeros(1)))
    [0.]
    """
    if isinstance(axis, int):
        return anp.log_softmax(x, axis=axis)
    return anp.subtract(x, anp.logsumexp(x, axis=axis, keepdims=True))
