"""Functions of floats as arithmetic, comparisons and shifts of their bits."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from anvl.dialect.core.mlir import ir
from anvl.dialect.core.types import element_type, tensor
from anvl.passes.lower.hlo_builder import Hlo, hide

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
    """What the formulas need to know of a type of floats."""

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

_hlo = Hlo("")


@dataclass(frozen=True)
class _Number:
    """An array of floats, or of their bits, that arithmetic emits ops for."""

    value: ir.Value

    @cached_property
    def type(self) -> ir.Type:
        return self.value.type

    @cached_property
    def format(self) -> _Format:
        return _FORMATS[str(self.type.element_type)]

    def __add__(self, y: _Number | float) -> _Number:
        return self._with("add", y)

    def __sub__(self, y: _Number | float) -> _Number:
        return self._with("subtract", y)

    def __mul__(self, y: _Number | float) -> _Number:
        return self._with("multiply", y)

    def __truediv__(self, y: _Number | float) -> _Number:
        return self._with("divide", y)

    def __or__(self, y: _Number | int) -> _Number:
        return self._with("or", y)

    def __and__(self, y: _Number | int) -> _Number:
        return self._with("and", y)

    def __lshift__(self, y: int) -> _Number:
        return self._with("shift_left", y)

    def __lt__(self, y: _Number | float) -> ir.Value:
        return self._compare(y, "LT")

    def __le__(self, y: _Number | float) -> ir.Value:
        return self._compare(y, "LE")

    def __gt__(self, y: _Number | float) -> ir.Value:
        return self._compare(y, "GT")

    def equals(self, y: _Number | float) -> ir.Value:
        return self._compare(y, "EQ")

    def of(self, name: str) -> _Number:
        """The op of one operand with this name."""
        return _Number(_hlo(name, self.value, type=self.type))

    def hidden(self) -> _Number:
        return _Number(hide(self.value))

    def like(self, y: _Number | float) -> _Number:
        """A number as an array of this type."""
        return y if isinstance(y, _Number) else _Number(_hlo.constant(self.type, y))

    def bits(self) -> _Number:
        bits = element_type(f"i{self.type.element_type.width}")
        return _Number(_hlo("bitcast_convert", self.value, type=tensor(self.type.shape, bits)))

    def floats(self, type_: ir.Type) -> _Number:
        """The floats of `type_` with these bits."""
        return _Number(_hlo("bitcast_convert", self.value, type=type_))

    def _with(self, name: str, y: _Number | float) -> _Number:
        return _Number(_hlo(name, self.value, self.like(y).value, type=self.type))

    def _compare(self, y: _Number | float, direction: str) -> ir.Value:
        return _hlo.compare(self.value, self.like(y).value, direction)


def _choose(flag: ir.Value, x: _Number, y: _Number | float) -> _Number:
    return _Number(_hlo("select", flag, x.value, x.like(y).value, type=x.type))


def _form(function: Callable[[_Number], _Number]) -> Callable[[ir.Value], ir.Value]:
    return lambda x: function(_Number(x)).value


def _parts(x: _Number) -> tuple[_Number, _Number]:
    """exp(r) - 1, and n as bits of an exponent, where x is n ln 2 + r."""
    format_ = x.format
    shift = 1.5 * 2.0**format_.mantissa
    shifted = (x * _LOG2_E + shift).hidden()
    n = shifted - shift
    r = x - n * format_.high - n * format_.low
    return _polynomial(r, format_.terms) * (r * r) + r, shifted.bits() << format_.mantissa


def _polynomial(x: _Number, terms: tuple[float, ...]) -> _Number:
    found = x.like(terms[-1])
    for term in terms[-2::-1]:
        found = found * x + term
    return found


def _minus_one(x: _Number) -> tuple[_Number, _Number, _Number]:
    """exp(x) - 1 where 2^n is a number, and q and n, as bits of an exponent."""
    q, n = _parts(x)
    power = (n + (x.format.bias << x.format.mantissa)).floats(x.type)
    return power * q + (power - 1.0), q, n


def _scaled(q: _Number, n: _Number) -> _Number:
    """2^n (1 + q), a normal number."""
    return ((q + 1.0).bits() + n).floats(q.type)


def _ended(x: _Number, y: _Number) -> _Number:
    """y, but infinity where exp(x) is, and NaN where x is."""
    return _choose(x <= x.format.most, y, x + _INFINITY)


@_form
def exponential(x: _Number) -> _Number:
    """exp(x), and 0 where it is no normal number."""
    y = _scaled(*_parts(x))
    return _ended(x, _choose(x < x.format.least, x.like(0.0), y))


@_form
def exponential_minus_one(x: _Number) -> _Number:
    """exp(x) - 1."""
    far = x.format.far
    y, q, n = _minus_one(x)
    y = _choose(x < -far, x.like(-1.0), _choose(x > far, _scaled(q, n), y))
    return _ended(x, _choose(x.equals(0.0), x, y))  # subnormal numbers are equal to 0


@_form
def tanh(x: _Number) -> _Number:
    """tanh(x), at most 1."""
    size = x.of("abs")
    size = _choose(size > x.format.one, x.like(x.format.one), size)
    e, _, _ = _minus_one(size + size)
    y = e / (e + 2.0)
    sign = x.bits() & -(1 << (x.type.element_type.width - 1))
    return _choose(size < x.format.near, x, (y.bits() | sign).floats(x.type))


@_form
def logistic(x: _Number) -> _Number:
    """1 / (1 + exp(-x)), as XLA has it."""
    e = _Number(exponential(x.of("negate").value))
    return x.like(1.0) / (e + 1.0)


@_form
def rsqrt(x: _Number) -> _Number:
    """1 / sqrt(x)."""
    tiny = x.format.tiny
    quotient = x.like(4.0) / x
    y = _choose(x.equals(0.0), quotient, quotient.of("sqrt") * 0.5)  # -infinity of -0
    y = _choose(x.equals(tiny), x.like(tiny**-0.5), y)  # 4 / tiny is infinite
    return _choose(x.equals(-_INFINITY), x.like(float("nan")), y)  # 4 / -infinity is -0


@_form
def divisor(x: _Number) -> _Number:
    """The root of x as a divisor, which XLA would replace by a factor, `rsqrt`."""
    return x.of("sqrt").hidden()


@_form
def log_plus_one(x: _Number) -> _Number:
    """log(1 + x)."""
    u = (x + 1.0).hidden()
    rest = x - (u - 1.0)
    # NaN where u is infinite, and 0 / 0 where it is 0: the logarithm is right by itself.
    more = _choose(rest.of("abs") > 0.0, rest / u, 0.0)
    return _choose(u.equals(1.0), x, u.of("log") + more)
