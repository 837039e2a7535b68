"""Hyperbolic sine and cosine of real numbers, to a few units in the last place."""

import math

from anvl.dialect.core.create import full_like
from anvl.dialect.core.op import Value, emit
from anvl.dialect.ops.elementwise.upcast import in_wide

__all__ = ["cosh", "sinh"]

# Note [Halves of exponentials]
#
# For h = exp(|x|) / 2 the cosine is h + 1 / (4 h), the sine h - 1 / (4 h) with the sign of x: one
# exponential and one quotient (DLMF 4.28.1, 4.28.2).  exp(|x|) is infinite before these are.  CHLO
# takes exp(x - log 2), whose operand is rounded: that is an error of up to 24 units in the last
# place in f32, and 496 in f64.  C libraries square exp(|x| / 2), or scale by powers of 2 (comments
# in `e_cosh.c` of FreeBSD's msun and in `__expo2.c` of musl).  Here
#
#     h = exp(|x| - 13/16) (exp(13/16) / 2)
#
# where |x| - 13/16 is exact for |x| from 13/32 on, and below has an absolute error that does not
# matter; 13/16 is, of the multiples of 1/64 between 0.75 and 2.5, the one for which the factor is
# nearest to a float of both dtypes: 2^-29 in f32, 2^-61 in f64, relatively.
#
# Near 0 the difference would lose digits: up to |x| = 1 the sine is Taylor's series (DLMF 4.33.1),
# whose next term is below 0.1 units.  The sum has its least value there, at h = 1/2, so that errors
# of h do not matter, and cosh(0) is 1.

_SHIFT = 13 / 16
_FACTOR = 1.1267673936066043  # exp(13/16) / 2
_NEAR = 1.0
_TERMS = {"f32": 5, "f64": 8}  # beside x itself


def sinh(x: Value) -> Value:
    """(exp(x) - exp(-x)) / 2 of a real number."""
    return in_wide(_sinh, x)


def cosh(x: Value) -> Value:
    """(exp(x) + exp(-x)) / 2 of a real number."""
    return in_wide(_cosh, x)


def _sinh(x: Value) -> Value:
    is_below = emit.compare(x, full_like(x, 0), comparison_direction="LT")
    factor = emit.select(is_below, full_like(x, -_FACTOR), full_like(x, _FACTOR))
    half = emit.mul(_shifted(x), factor)
    is_near = emit.compare(emit.abs(x), full_like(x, _NEAR), comparison_direction="LT")
    return emit.select(is_near, _series(x), emit.sub(half, _over_4(half)))


def _cosh(x: Value) -> Value:
    half = emit.mul(_shifted(x), full_like(x, _FACTOR))
    return emit.add(half, _over_4(half))


def _shifted(x: Value) -> Value:
    return emit.exp(emit.sub(emit.abs(x), full_like(x, _SHIFT)))


def _over_4(half: Value) -> Value:
    """1 / (4 h), which is exp(-|x|) / 2."""
    return emit.div(full_like(half, 0.25), half)


def _series(x: Value) -> Value:
    """x + x^3 / 3! + x^5 / 5! + ..."""
    square, count = emit.mul(x, x), _TERMS[str(x.type.element_type)]
    terms = [1 / math.factorial(2 * k + 1) for k in range(1, count + 1)]
    y = full_like(x, terms.pop())
    while terms:
        y = emit.add(emit.mul(y, square), full_like(x, terms.pop()))
    return emit.add(emit.mul(emit.mul(y, square), x), x)
