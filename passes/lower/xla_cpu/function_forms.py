"""Functions of floats as arithmetic, comparisons and shifts of their bits."""

from __future__ import annotations

from typing import NamedTuple

from anvl.passes.lower.xla_cpu.arithmetic import Number, choose, form, polynomial

__all__ = [
    "divisor", "exponential", "exponential_minus_one", "log_plus_one", "logistic", "rsqrt", "tanh"
]  # fmt: skip

# Note [Forms of functions]
#
# Where x = n ln 2 + r for a whole number n, and |r| <= ln 2 / 2, and where q = exp(r) - 1,
#
#     exp(x)       is     2^n (1 + q)
#     exp(x) - 1   is     2^n q + (2^n - 1)
#     tanh(x)      is     e / (e + 2), where e is exp(2 x) - 1
#
# n is x / ln 2 + 1.5 2^m, rounded, where m is the number of bits of a mantissa: the last bits of
# that sum are n's.  r is x - n a - n b, where a + b is ln 2 and a has so few bits that n a is exact
# (W. J. Cody and W. Waite, Software Manual for the Elementary Functions, 1980, chapter 6).  2^n is
# written as bits, and added to those of 1 + q where it would be infinite.
#
# q is r + r^2 p(r).  The polynomials have the least largest error relative to q, 2^-26 in f32 and
# 2^-56 in f64, as E. Y. Remez's algorithm finds it.
#
#     log(1 + x)   is     log(u) + (x - (u - 1)) / u,  where u is 1 + x, rounded, and x if u is 1
#
# which corrects the logarithm for the rounding of u (as W. Kahan's in the HP-15C Advanced Functions
# Handbook, 1982).  1 / sqrt(x) is sqrt(4 / x) / 2, whose error is at most one unit in the last
# place: of 1 / sqrt(x) it is 1.5.


class _Format(NamedTuple):
    """The numbers of a type of floats that the formulas contain."""

    mantissa: int  # bits
    bias: int  # of exponents
    high: float  # a + b is ln 2
    low: float
    terms: tuple[float, ...]  # of p
    most: float  # the last x with finite exp(x)
    least: float  # the first x whose exp(x) is normal
    far: float  # from here on exp(x) - 1 is exp(x), and -1 for -x
    one: float  # from here on tanh(x) is 1
    near: float  # before this tanh(x) is x
    tiny: float  # the least normal number


_FORMATS = {
    "f32": _Format(
        mantissa=23,
        bias=127,
        high=0.693145751953125,
        low=1.4286068203094173e-06,
        terms=(
            0.5000000063015904, 0.1666654303575243, 0.0416662802472398, 0.008366582953343096,
            0.0013946523364007785,
        ),
        most=88.72283172607422,
        least=-87.33654022216797,
        far=25.0,
        one=9.02,
        near=2.0**-12,
        tiny=2.0**-126,
    ),
    "f64": _Format(
        mantissa=52,
        bias=1023,
        high=0.6931471803691238,
        low=1.9082149292705877e-10,
        terms=(
            0.5000000000000006, 0.16666666666666685, 0.04166666666657359, 0.008333333333314548,
            0.0013888888932401438, 0.00019841269903082137, 2.480150441402295e-05,
            2.7557227892914e-06, 2.762633977642355e-07, 2.5114502040457947e-08,
        ),
        most=709.782712893384,
        least=-708.3964185322641,
        far=60.0,
        one=19.1,
        near=2.0**-27,
        tiny=2.0**-1022,
    ),
}  # fmt: skip
_LOG2_E = 1.4426950408889634
_INFINITY = float("inf")


def _format(x: Number) -> _Format:
    return _FORMATS[str(x.type.element_type)]


def _parts(x: Number) -> tuple[Number, Number]:
    """exp(r) - 1, and n as bits of an exponent, where x is n ln 2 + r."""
    format_ = _format(x)
    shift = 1.5 * 2.0**format_.mantissa
    shifted = (x * _LOG2_E + shift).hidden()
    n = shifted - shift
    r = x - n * format_.high - n * format_.low
    return polynomial(r, format_.terms) * (r * r) + r, shifted.bits() << format_.mantissa


def _minus_one(x: Number) -> tuple[Number, Number, Number]:
    """exp(x) - 1 where 2^n is a number, and q and n, as bits of an exponent."""
    q, n = _parts(x)
    power = (n + (_format(x).bias << _format(x).mantissa)).floats(x.type)
    return power * q + (power - 1.0), q, n


def _scaled(q: Number, n: Number) -> Number:
    """2^n (1 + q), a normal number."""
    return ((q + 1.0).bits() + n).floats(q.type)


def _ended(x: Number, y: Number) -> Number:
    """y, but infinity where exp(x) is, and NaN where x is."""
    return choose(x <= _format(x).most, y, x + _INFINITY)


@form
def exponential(x: Number) -> Number:
    """exp(x), and 0 where it is no normal number."""
    y = _scaled(*_parts(x))
    return _ended(x, choose(x < _format(x).least, x.like(0.0), y))


@form
def exponential_minus_one(x: Number) -> Number:
    """exp(x) - 1."""
    far = _format(x).far
    y, q, n = _minus_one(x)
    y = choose(x < -far, x.like(-1.0), choose(x > far, _scaled(q, n), y))
    return _ended(x, choose(x.equals(0.0), x, y))  # subnormal numbers are equal to 0


@form
def tanh(x: Number) -> Number:
    """tanh(x), at most 1."""
    size = abs(x)
    size = choose(size > _format(x).one, x.like(_format(x).one), size)
    e, _, _ = _minus_one(size + size)
    y = e / (e + 2.0)
    return choose(size < _format(x).near, x, y.signed_as(x))


@form
def logistic(x: Number) -> Number:
    """1 / (1 + exp(-x)), as XLA has it."""
    e = Number(exponential(x.of("negate").value))
    return x.like(1.0) / (e + 1.0)


@form
def rsqrt(x: Number) -> Number:
    """1 / sqrt(x)."""
    tiny = _format(x).tiny
    quotient = x.like(4.0) / x
    y = choose(x.equals(0.0), quotient, quotient.of("sqrt") * 0.5)  # -infinity of -0
    y = choose(x.equals(tiny), x.like(tiny**-0.5), y)  # 4 / tiny is infinite
    return choose(x.equals(-_INFINITY), x.like(float("nan")), y)  # 4 / -infinity is -0


@form
def divisor(x: Number) -> Number:
    """The root of x as a divisor, which XLA would replace by a factor, `rsqrt`."""
    return x.of("sqrt").hidden()


@form
def log_plus_one(x: Number) -> Number:
    """log(1 + x)."""
    u = (x + 1.0).hidden()
    rest = x - (u - 1.0)
    # NaN where u is infinite, and 0 / 0 where it is 0: the logarithm is right by itself.
    more = choose(abs(rest) > 0.0, rest / u, 0.0)
    return choose(u.equals(1.0), x, u.of("log") + more)
