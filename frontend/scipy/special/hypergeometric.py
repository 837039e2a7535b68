"""Confluent and Gauss' hypergeometric functions of real arguments.

Series that end where terms no longer count; they are differentiable in every argument.  Relative
errors in f64 are below 1e-12 where the result is not small beside the terms of its series; where it
is smaller than half of the digits allow, it is NaN.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import anvl.numpy as anp
from anvl.control_flow.loops import while_loop
from anvl.scipy.special.evaluation import nan_unless, real_function
from anvl.scipy.special.gamma_functions import _gamma, is_pole
from anvl.transforms.stop_gradient import stop_gradient

__all__ = ["hyp1f1", "hyp2f1"]

#: Of a series; where it has not ended then, the result is NaN.
_MOST_TERMS = 50_000


def _series(uppers: Sequence[Any], lower: Any, x: Any, first: Any = 1) -> tuple[Any, Any]:
    """Sum of terms, each the one before times (upper + k) ... / (lower + k) x / (k + 1), until all
    members are done; and the largest of the terms.

    NaN where the series has not ended.
    Where a factor is 0 all later terms are 0, but not their derivatives by its parameter: so they
    count for the end as if the factor were 1; at |x| = 1, where they may have no sum, they do not.
    """
    eps = float(anp.finfo(x.dtype).eps)
    inside = anp.less(anp.abs(x), 1) if len(uppers) > 1 else True

    def goes_on(carry: Any) -> Any:
        k, _, total, _, size = carry
        open_ = anp.greater(size, anp.multiply(eps / 4, anp.abs(total)))
        return anp.logical_and(anp.any(open_), anp.less(k, _MOST_TERMS))

    def step(carry: Any) -> Any:
        k, term, total, largest, size = carry
        below = anp.add(lower, k)
        below = anp.where(anp.equal(below, 0), 1, below)  # after the end, or at a pole
        rest = anp.divide(x, anp.multiply(below, anp.add(k, 1)))
        factors = [anp.add(upper, k) for upper in uppers]
        term = anp.multiply(term, anp.multiply(math.prod(factors), rest))
        counted = [anp.where(anp.logical_and(anp.equal(f, 0), inside), 1, f) for f in factors]
        size = anp.multiply(size, anp.abs(anp.multiply(math.prod(counted), rest)))
        largest = anp.maximum(largest, stop_gradient(anp.abs(term)))
        return anp.add(k, 1), term, anp.add(total, term), largest, stop_gradient(size)

    one = anp.multiply(first, anp.ones_like(x))
    start = (anp.zeros((), x.dtype), one, one, stop_gradient(one), stop_gradient(one))
    _, term, total, largest, _ = while_loop(goes_on, step, start)
    lost = anp.greater(anp.abs(term), anp.multiply(eps / 4, anp.abs(total)))
    return anp.where(lost, anp.nan, total), anp.where(lost, anp.inf, largest)


def _exact(total: Any, excess: Any) -> Any:
    """A sum, NaN where cancellation costs more than half of its digits."""
    eps = float(anp.finfo(total.dtype).eps)
    return anp.where(anp.greater(anp.multiply(math.sqrt(eps), excess), 1), anp.nan, total)


def _descent(a: Any, count: Any, b: Any, x: Any, above: Any, at: Any) -> tuple[Any, Any]:
    """M(a - count, b, x) from M(a + 1, b, x) and M(a, b, x); and how many times the largest of
    those between exceeds the last two.

    Source: DLMF 13.3.1, which is stable where M oscillates in a.
    """

    def goes_on(carry: Any) -> Any:
        return anp.any(anp.less(carry[0], count))

    def step(carry: Any) -> Any:
        k, above, at, largest = carry
        c = anp.subtract(a, k)
        middle = anp.subtract(b, anp.add(anp.multiply(2, c), x))
        next_ = anp.add(anp.multiply(middle, at), anp.multiply(c, above))
        going = anp.less(k, count)
        next_ = anp.where(going, anp.divide(next_, anp.where(going, anp.subtract(b, c), 1)), at)
        largest = anp.maximum(largest, stop_gradient(anp.abs(next_)))
        return anp.add(k, 1), anp.where(going, at, above), next_, largest

    # M(1) counts for nothing beside M(0).
    largest = stop_gradient(anp.maximum(anp.abs(at), anp.abs(anp.multiply(a, above))))
    start = (anp.zeros((), x.dtype), above, at, largest)
    _, above, at, largest = while_loop(goes_on, step, start)
    last = stop_gradient(anp.maximum(anp.abs(at), anp.abs(above)))
    return at, anp.divide(largest, last)


@real_function
def hyp1f1(a: Any, b: Any, x: Any) -> Any:
    """Confluent hypergeometric function M(a, b, x) (DLMF 13.2.2); infinite at poles of b.

    At a pole it is the polynomial of degree -a, where a is a negative whole number not below b.
    The terms of the series cancel where a > b and x < 0, or a < 0 and x > 0: there a recurrence
    in a is used where it is more exact, for b > 0.  The result is NaN where both cost more than
    half of the digits: of a that is no whole number from |x| = 18 on in f64, of 8 in f32.

    >>> import anvl.numpy as np
    >>> from anvl.scipy import special
    >>> print(round(float(special.hyp1f1(1.0, 1.0, 1.0)), 5))
    2.71828
    """
    pole = is_pole(b)
    ends = anp.logical_and(pole, anp.logical_and(is_pole(a), anp.greater_equal(a, b)))
    ends = anp.logical_and(ends, anp.less(a, 0))
    # Kummer's transformation (DLMF 13.2.39) makes all terms of one sign for negative x.
    # So are those of a polynomial.
    turned = anp.logical_and(anp.less(x, 0), anp.logical_not(anp.logical_or(ends, is_pole(a))))
    upper = anp.where(turned, anp.subtract(b, a), a)
    size = anp.where(turned, anp.negative(x), x)
    # exp(x) belongs to the first term, as long as it is none of the smallest numbers.
    least = 0.99 * math.log(float(anp.finfo(x.dtype).tiny))
    low = anp.minimum(x, 0)
    first = anp.where(turned, anp.exp(anp.maximum(low, least)), 1)
    rest = anp.where(turned, anp.exp(anp.minimum(anp.subtract(low, least), 0)), 1)
    found = anp.multiply(_confluent(upper, b, size, first), rest)
    found = anp.where(anp.logical_and(pole, anp.logical_not(ends)), anp.inf, found)
    return nan_unless(anp.logical_not(anp.isnan(found)), found, a, b, x)


def _zero_without_slope(x: Any) -> Any:
    """0, with an infinite slope where x has one."""
    return anp.sqrt(anp.subtract(x, stop_gradient(x)))


def _confluent(a: Any, b: Any, x: Any, first: Any) -> Any:
    """first * M(a, b, x) by the series, or by a descent from a in (-1, 0] and (0, 1]."""
    steps = anp.floor(anp.negative(a))
    is_positive = anp.logical_and(anp.greater(b, 0), anp.greater(x, 0))
    descends = anp.logical_and(is_positive, anp.less(a, -1))
    descends = anp.logical_and(descends, anp.less(steps, _MOST_TERMS))
    steps = stop_gradient(anp.where(descends, steps, 0))
    near = anp.add(a, steps)
    short = anp.where(descends, x, 0)
    totals, largest = _series(
        [anp.stack([a, near, anp.add(near, 1)])],
        anp.stack([b, b, b]),
        anp.stack([x, short, short]),
        anp.stack([first] * 3),
    )
    # M(near) grows as exp(x), and so do its errors, unless it is the 1 that polynomials begin with;
    # their slopes in a begin with such a term all the same.
    eps = float(anp.finfo(x.dtype).eps)
    growth = anp.exp(anp.minimum(short, -math.log(eps)))
    is_rough = anp.greater(anp.multiply(growth, math.sqrt(eps)), 1)
    begun = anp.where(is_rough, anp.add(near, _zero_without_slope(near)), near)
    below, excess = _descent(begun, steps, b, x, totals[2], totals[1])
    excess = anp.where(anp.equal(near, 0), excess, anp.maximum(excess, growth))
    # Near a zero the error of a series counts beside the first term, where there is no other way.
    beside = anp.where(descends, 0, first)
    of_series = anp.divide(largest[0], stop_gradient(anp.maximum(anp.abs(totals[0]), beside)))
    better = anp.logical_and(descends, anp.logical_not(anp.less_equal(of_series, excess)))
    found = anp.where(better, below, totals[0])
    return _exact(found, anp.where(better, excess, of_series))


def _gauss_series(a: Any, b: Any, c: Any, x: Any) -> Any:
    total, largest = _series([a, b], c, x)
    return _exact(total, anp.divide(largest, stop_gradient(anp.maximum(anp.abs(total), 1))))


@real_function
def hyp2f1(a: Any, b: Any, c: Any, x: Any) -> Any:
    """Gauss' hypergeometric function (DLMF 15.2.1) for x <= 1; NaN beyond, infinite at poles of c.

    Above 0.9 the transformation to 1 - x is used, where c - a - b is not near an integer.

    >>> import anvl.numpy as np
    >>> from anvl.scipy import special
    >>> print(round(float(special.hyp2f1(1.0, 1.0, 2.0, 0.5)), 5))
    1.38629
    """
    # Pfaff's transformation (DLMF 15.8.1) maps negative x to (0, 1).
    turned = anp.less(x, 0)
    inside = anp.where(turned, anp.divide(x, anp.subtract(x, 1)), x)
    second = anp.where(turned, anp.subtract(c, b), b)
    factor = anp.where(turned, anp.power(anp.subtract(1, anp.minimum(x, 0)), anp.negative(a)), 1)
    excess = anp.subtract(anp.subtract(c, a), second)
    off = anp.abs(anp.subtract(excess, anp.rint(excess)))
    near_1 = anp.logical_and(anp.greater(inside, 0.9), anp.greater(off, 1e-3))
    # At 1 a polynomial has a value where Gauss' sum does not apply.
    ends = anp.logical_and(anp.logical_or(is_pole(a), is_pole(b)), anp.less_equal(excess, 0))
    ends = anp.logical_and(ends, anp.equal(x, 1))
    near_1 = anp.logical_and(near_1, anp.logical_not(ends))
    plain = _gauss_series(a, second, c, anp.where(near_1, 0, anp.clip(inside, 0, 1)))
    close = _near_one(
        a,
        second,
        c,
        anp.where(near_1, anp.clip(inside, 0.9, 1), 0.95),
        anp.where(near_1, excess, 0.5),
    )
    found = anp.multiply(factor, anp.where(near_1, close, plain))
    at_1 = anp.where(anp.greater(excess, 0), _at_one(a, b, c), anp.inf)
    found = anp.where(anp.logical_and(anp.equal(x, 1), anp.logical_not(ends)), at_1, found)
    pole = anp.logical_and(anp.less_equal(c, 0), anp.equal(c, anp.floor(c)))
    found = anp.where(pole, anp.inf, found)
    is_number = anp.logical_not(anp.logical_or(anp.isnan(found), anp.greater(x, 1)))
    return nan_unless(is_number, found, a, b, c, x)


def _at_one(a: Any, b: Any, c: Any) -> Any:
    """Gauss' sum (DLMF 15.4.20)."""
    rest = anp.subtract(anp.subtract(c, a), b)
    safe = anp.where(anp.greater(rest, 0), rest, 1)
    above = anp.multiply(_gamma(c), _gamma(safe))
    return anp.multiply(
        above, anp.multiply(_inverse_gamma(anp.subtract(c, a)), _inverse_gamma(anp.subtract(c, b)))
    )


def _inverse_gamma(x: Any) -> Any:
    """1 / gamma(x): 0 at its poles, where its derivative is not; by reflection (DLMF 5.5.3)."""
    low = anp.less(x, 0.5)
    above = anp.divide(1, _gamma(anp.where(low, 1, x)))
    whole = anp.rint(x)
    sign = anp.where(anp.equal(anp.remainder(whole, 2), 0), 1, -1)
    wave = anp.multiply(sign, anp.sin(anp.multiply(math.pi, anp.subtract(x, whole))))
    below = anp.multiply(wave, _gamma(anp.subtract(1, anp.where(low, x, 0))))
    return anp.where(low, anp.divide(below, math.pi), above)


def _near_one(a: Any, b: Any, c: Any, x: Any, excess: Any) -> Any:
    """DLMF 15.8.4, with s = c - a - b and the reflection formula for gamma(-s)."""
    rest = anp.subtract(1, x)
    one = anp.multiply(_gamma(excess), anp.multiply(
        _inverse_gamma(anp.subtract(c, a)), _inverse_gamma(anp.subtract(c, b))))  # fmt: skip
    two = anp.multiply(
        _gamma(anp.negative(excess)), anp.multiply(_inverse_gamma(a), _inverse_gamma(b))
    )
    two = anp.multiply(two, anp.power(rest, excess))
    first = _gauss_series(a, b, anp.subtract(1, excess), rest)
    second = _gauss_series(anp.subtract(c, a), anp.subtract(c, b), anp.add(1, excess), rest)
    return anp.multiply(_gamma(c), anp.add(anp.multiply(one, first), anp.multiply(two, second)))
