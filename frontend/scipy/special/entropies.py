"""Logarithms of products, odds and entropies, exact in their limits."""

from __future__ import annotations

import math
from typing import Any

import anvl.numpy as anp
from anvl.dispatch.eager import public
from anvl.numpy.functions.elementwise import sigmoid
from anvl.numpy.functions.emitting import prim
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
    is_limit = anp.less_equal(x, 0)  # which NaN is not: its slope is NaN, too
    safe = anp.where(is_limit, 1, x)
    inside = anp.where(is_limit, 0, anp.negative(anp.multiply(safe, anp.log(safe))))
    return anp.where(anp.less(x, 0), -anp.inf, inside)


@real_function
def rel_entr(x: Any, y: Any) -> Any:
    """x log(x / y), 0 for x = 0 <= y, and infinity elsewhere.

    >>> from anvl.scipy import special
    >>> print(special.rel_entr(1.0, 1.0), special.rel_entr(1.0, 0.0))
    0.0 inf
    """
    return _relative_entropy(x, y)


def _relative_entropy(x: Any, y: Any, rest: Any = None) -> Any:
    """x log(x / y) + rest; where x is 0 only the rest, and infinity elsewhere."""
    least = anp.minimum(x, y)  # NaN if one is: each choice is by one comparison
    is_limit = anp.less_equal(least, 0)  # which NaN is not: its slopes are NaN, too
    safe_x, safe_y = anp.where(is_limit, 1, x), anp.where(is_limit, 1, y)
    inside = anp.multiply(safe_x, _log_of_ratio(safe_x, safe_y))
    at_0: Any = 0
    if rest is not None:
        inside, at_0 = anp.add(inside, rest), rest
    is_0 = anp.logical_and(anp.equal(x, 0), anp.greater_equal(y, 0))
    return anp.where(is_limit, anp.where(is_0, at_0, anp.inf), inside)


@custom_jvp
def _log_of_ratio(x: Any, y: Any) -> Any:
    """log(x / y) for positive x and y: log(r) + k log(2) for x = r 2^k y and r near 1.

    With the bits of a float as an integer, k is a difference of integers, rounded; r is between
    0.7 and 1.5, and has a series.  There is no overflow, no logarithm and no choice.
    """
    digits = anp.finfo(x.dtype).nmant
    whole = {4: "ui32", 8: "ui64"}[x.dtype.itemsize]
    bias, one = int(anp.finfo(x.dtype).maxexp) - 1, 1 << digits

    def number(k: int) -> Any:
        return anp.full_like(bits_x, k)

    bits_x, bits_y = (prim("bitcast_convert", v, dtype=whole) for v in (x, y))
    # Modulo 2^32 or 2^64, from 1 on.
    most = 2 * bias + 1
    apart = anp.add(anp.subtract(bits_x, bits_y), number(most * one + one // 2))
    steps = prim("shift_right_logical", apart, number(digits))
    moved = anp.subtract(number(bias * one), anp.bitwise_and(bits_y, number(most * one)))
    below = prim("bitcast_convert", anp.add(bits_y, moved), dtype=x.dtype)
    moved = anp.add(moved, number(most * one))
    moved = anp.subtract(moved, prim("shift_left", steps, number(digits)))
    above = prim("bitcast_convert", anp.add(bits_x, moved), dtype=x.dtype)
    k = anp.astype(anp.subtract(anp.astype(steps, "i32"), most), x.dtype)
    log = _log_of_odds(anp.divide(anp.subtract(above, below), anp.add(above, below)), 0.2)
    # So many bits fewer that products with k are exact.
    unit = 2.0 ** (digits - most.bit_length())
    first = round(math.log(2) * unit) / unit
    log = anp.add(anp.multiply(k, first), anp.add(log, anp.multiply(k, math.log(2) - first)))
    distance = anp.subtract(x, y)
    return anp.where(anp.isfinite(distance), log, distance)


@_log_of_ratio.defjvp
def _log_of_ratio_slope(primals: Any, y: Any, tangents: Any) -> Any:
    (above, below), (t_above, t_below) = primals, tangents
    return anp.subtract(anp.divide(t_above, above), anp.divide(t_below, below))


def _log_of_odds(x: Any, most: float = 1 / 3) -> Any:
    """log((1 + x) / (1 - x)) for small |x|, by its series 2 x (1 + x^2 / 3 + x^4 / 5 + ...)."""
    eps = anp.finfo(x.dtype).eps / 8
    terms = next(k for k in range(1, 40) if most ** (2 * k) / (2 * k + 1) < eps)
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
    return _relative_entropy(x, y, anp.subtract(y, x))


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
