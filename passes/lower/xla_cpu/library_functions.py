"""Functions that XLA:CPU calls the C library for, as arithmetic that LLVM vectorizes."""

from math import pi

from anvl.passes.lower.xla_cpu.arithmetic import Number, choose, form, polynomial

__all__ = ["FEWEST", "atan2", "cbrt", "remainder"]

# Note [Functions of the C library]
#
# XLA:CPU calls the C library for each number of `atan2`, `cbrt` and `remainder`.  In f32 they are
# computed in f64, and rounded once: the largest errors, in units in the last place, fall from 1.44
# to 0.51 and from 0.95 to 0.50, and the remainder is exact, as it was.
#
# atan2(y, x): with z = min(|x|, |y|) / max(|x|, |y|) the angle is z + z^3 p(z^2), that from pi / 2
# if |y| > |x|, and that from pi if x < 0.  The polynomial has the least largest error relative to
# the angle, 2^-31, as E. Y. Remez's algorithm finds it.
#
# cbrt(x) is x r^2, where r is 1 / cbrt(x): a third of the bits of x, taken from a constant, are
# those of r with an error of 4 %.  A step r (1 + e / 3 + 2 e^2 / 9), where e is 1 - x r^3, leaves
# the cube of that (A. S. Householder's method, of the third order, for r^-3 = x).  In f64 a step of
# I. Newton's for y^3 = x follows: its largest error falls from 3.3 to 0.8, near the least normal
# numbers, where its correction underflows, to 3.1.
#
# x - y trunc(x / y): from |x| are taken multiples of |y| 2^(28 k), for k from 9 down to 0.  Each
# quotient has less than 29 bits, so it is a product of 28 by 24 bits, and that and the difference
# are exact; the quotient may be one too small or too large, so does the rest before the last step.
# Subnormal numbers are read and written as the integers that their bits are.
#
# Times of 100,000 numbers, before and after, in us (jaxlib 0.10.2, two cores of an AMD EPYC):
# atan2 1,299 -> 155, cbrt 1,553 -> 154, remainder 790 -> 152; of f64, cbrt 889 -> 284.  Of a
# million in rows of 1,000: 12,395 -> 973, 15,718 -> 941, 8,412 -> 1,359, and 15,118 -> 2,086.
# Arrays of less than 1,024 numbers are left to XLA, which compiles its calls sooner, and so are
# remainders in rows of at most 5: LLVM unrolls these, and 2,500 rows of 3 took 2.6 times as long.

#: Elements of an array that such a form is written for.
FEWEST = 1024

_ARCTANGENT = (
    -0.33333327435216803,
    0.19999692680623093,
    -0.14280131654350672,
    0.11060250407997642,
    -0.08818869607125465,
    0.06759618892555246,
    -0.044947078298275225,
    0.022760856000312392,
    -0.007422869258381587,
    0.0011349224674859753,
)
_BITS = 28  # of a quotient
_STEPS = 10  # 2^128 / 2^-149 has 277 bits
_SUBNORMAL = 2.0**-149
_TINY = 2.0**-126
_FIRST = 1 << 23  # bits of that
_INFINITY = float("inf")
# The first 32 bits of 1 / cbrt(x) are nearly these less a third of x's.
_ROOT = 1430186360.7916667


@form
def atan2(y: Number, x: Number) -> Number:
    """The angle of (x, y), of f32."""
    a, b = abs(y.to("f64")), abs(x.to("f64"))
    is_less = a < b
    least, most = choose(is_less, a, b), choose(is_less, b, a)
    of_equal = choose(a.equals(0.0), a, 1.0)
    z = choose(a.equals(b), of_equal, least / most)
    square = z * z
    angle = z * square * polynomial(square, _ARCTANGENT) + z
    angle = choose(a > b, angle.like(pi / 2) - angle, angle)
    angle = choose(x.bits() < 0, angle.like(pi) - angle, angle)  # -0 is negative, too
    return angle.to("f32").signed_as(y)


@form
def cbrt(x: Number) -> Number:
    """The cube root of x, of f32 or f64."""
    is_wide = str(x.type.element_type) == "f64"
    d = abs(x) if is_wide else _size(x)
    r = _reciprocal_root(d)
    for _ in range(3 if is_wide else 2):
        e = d.like(1.0) - d * r * r * r
        r = r * (e * (e * (2 / 9) + 1 / 3)) + r
    y = d * r * r
    if is_wide:
        y = (d - y * y * y) * (r * r * (1 / 3)) + y
    root = y if is_wide else y.to("f32")
    return choose(d < _INFINITY, root.signed_as(x), x)  # infinity and NaN stay


def _reciprocal_root(x: Number) -> Number:
    """1 / cbrt(x) with an error of 4 %, of f64 that are not negative."""
    bits = (x.bits() >> 32).to("i32").to("f32") * (-1 / 3) + _ROOT
    return (bits.to("i32").to("i64") << 32).floats(x.type)


@form
def remainder(x: Number, y: Number) -> Number:
    """x - y trunc(x / y), of f32."""
    a, b = _size(x), _size(y)
    reciprocal, rest = a.like(1.0) / b, a
    for k in range(_STEPS - 1, -1, -1):
        scale = 2.0 ** (_BITS * k)
        quotient = (rest * (reciprocal * (1 / scale))).of("floor")
        rest = rest - quotient * (b * scale)
    rest = choose(rest < 0.0, rest + b, rest)
    rest = choose(b <= rest, rest - b, rest)
    rest = choose(b.equals(_INFINITY), a, rest)
    rest = choose(a < _INFINITY, rest, float("nan"))
    subnormal = (rest * (1 / _SUBNORMAL)).to("i32").floats(x.type)
    return choose(rest < _TINY, subnormal, rest.to("f32")).signed_as(x)


def _size(x: Number) -> Number:
    """|x| in f64, of f32: conversions on XLA:CPU take subnormal numbers for 0."""
    size = abs(x)
    bits = size.bits()
    return choose(bits < _FIRST, bits.to("f64") * _SUBNORMAL, size.to("f64"))
