"""Logarithms to the bases 2 and 10, and powers of 2, exact where their results are integers.

Note [Exponents apart]

A float is m * 2^n, and its bits say m and n.  So a logarithm is that of m, and a multiple of n.  m
lies between the root of 1/2 and that of 2, so that n is 0 on both sides of 1, and nothing cancels
there.  Subnormals, which XLA may take for 0, are read by their bits.

2^x is 2^(x - n) * 2^n, where n is the integer next to x.  On the CPU an f32 takes the Taylor series
of the former, in f64, and is rounded once, as by the power of the C library, in a fifth of the
time.  Of an f64, `exp((x - n) log(2))` would have errors of 1.6 units in the last place; XLA's
power, which is vectorized for f64, has 0.51.
Sources: IEEE 754-2019, section 3.4, for the encoding; fdlibm, `e_log10.c`, and FreeBSD,
`e_log10f.c`, for the logarithms in two parts.
"""

import math
from functools import partial
from typing import Any, NamedTuple

from anvl.dialect.core.create import full_like
from anvl.dialect.core.op import Value, emit
from anvl.dialect.core.op_registry import OPS
from anvl.dialect.core.types import dtype_name
from anvl.dialect.ops.elementwise.elementary import (
    add,
    and_,
    div,
    log,
    mul,
    or_,
    plus,
    pow_,
    sub,
    times,
)
from anvl.dialect.ops.elementwise.table import ANY, POSITIVE, F, Unary, unary
from anvl.dialect.ops.elementwise.upcast import in_wide


class _Format(NamedTuple):
    """Encoding of a float: the integer of its bits, digits behind the first, largest exponent.

    And the bits of the root of 1/2.
    """

    integer: str
    digits: int
    largest: int
    root: int


_FORMATS = {
    "f32": _Format("i32", 23, 127, 0x3F3504F3),
    "f64": _Format("i64", 52, 1023, 0x3FE6A09E667F3BCD),
}

#: By dtype and base: its logarithms of e and of 2, the latter in two parts, of which the first
#: times an exponent is exact.
_BASES = {
    ("f32", 2): (1.4426950408889634, 1.0, 0.0),
    ("f64", 2): (1.4426950408889634, 1.0, 0.0),
    ("f32", 10): (4.3429449201e-01, 3.0102920532e-01, 7.9034151668e-07),
    ("f64", 10): (4.34294481903251816e-01, 3.01029995663611771e-01, 3.69423907715893079e-13),
}  # fmt: skip

_FAR = 200.0  # beyond, all f32 are 0 or infinite
_TAYLOR = [math.log(2) ** k / math.factorial(k) for k in range(9)]  # error 2e-10, 0.002 ulp of f32


def _logarithm(base: int, x: Value) -> Value:
    dtype = dtype_name(x.type.element_type)
    of_e, high, low = _BASES[dtype, base]
    fraction, exponent = _parts(x, _FORMATS[dtype])
    count = emit.convert(emit.convert(exponent, dtype="i32"), dtype=dtype)
    rest = times(log(fraction), of_e)
    if low:
        rest = add(times(count, low), rest)
    return add(times(count, high) if high != 1 else count, rest)


def _parts(x: Value, of: _Format) -> tuple[Value, Value]:
    """A fraction beside 1, and the exponent of 2; x and 0 where it is no positive number."""
    dtype = dtype_name(x.type.element_type)
    bits = emit.bitcast_convert(x, dtype=of.integer)

    def filled(k: int) -> Value:
        return full_like(bits, k)

    one, infinity = of.largest << of.digits, (2 * of.largest + 1) << of.digits
    # A subnormal as a normal number, less than 1, by a difference that is exact.
    above_1 = or_(and_(bits, filled((1 << of.digits) - 1)), filled(one))
    scaled = emit.bitcast_convert(above_1, dtype=dtype)
    scaled = sub(scaled, full_like(scaled, 1))
    is_small = _is_less(bits, 1 << of.digits)
    number = emit.select(is_small, emit.bitcast_convert(scaled, dtype=of.integer), bits)
    places = filled(of.digits)
    exponent = emit.shift_right_arithmetic(_plus(number, -of.root), places)
    fraction = sub(number, emit.shift_left(exponent, places))
    exponent = emit.select(is_small, _plus(exponent, 1 - of.largest), exponent)
    # As unsigned numbers, all others are larger: one comparison, which keeps the loop vectorized.
    has_one = _is_less(emit.bitcast_convert(_plus(bits, -1), dtype=f"u{of.integer}"), infinity - 1)
    found = emit.bitcast_convert(fraction, dtype=dtype)
    return emit.select(has_one, found, x), emit.select(has_one, exponent, filled(0))


def _plus(x: Value, n: int) -> Value:
    return add(x, full_like(x, n))


def _is_less(x: Value, n: int) -> Value:
    return emit.compare(x, full_like(x, n), comparison_direction="LT")


class Exp2Op(Unary, name="exp2"):
    """2^x elementwise."""

    kinds = F
    domains = (ANY,)
    passes = (lambda g, x, y: mul(g, times(y, math.log(2))),)

    @classmethod
    def lower(cls, hlo: Any, x: Value) -> Value:
        dtype = dtype_name(x.type.element_type)
        if hlo.platform == "cpu" and dtype != "f64":
            return emit.convert(_narrow_power(emit.convert(x, dtype="f64")), dtype=dtype)
        return in_wide(lambda x: pow_(full_like(x, 2), x), x)


exp2 = Exp2Op.build


def _narrow_power(x: Value) -> Value:
    """2^x of an f32, in f64: see Note [Exponents apart]."""
    of = _FORMATS["f64"]
    x = emit.clamp(full_like(x, -_FAR), x, full_like(x, _FAR))
    n = emit.round_nearest_even(x)
    rest, sum_ = sub(x, n), full_like(x, _TAYLOR[-1])
    for coefficient in reversed(_TAYLOR[:-1]):
        sum_ = plus(mul(sum_, rest), coefficient)
    count = emit.convert(emit.convert(n, dtype="i32"), dtype=of.integer)
    scale = emit.shift_left(_plus(count, of.largest), full_like(count, of.digits))
    return mul(sum_, emit.bitcast_convert(scale, dtype="f64"))


def _logarithm_op(name: str, base: int) -> Any:
    def slope(g: Value, x: Value, y: Value) -> Value:
        return div(times(g, 1 / math.log(base)), x)

    return unary(name, lambda x: in_wide(partial(_logarithm, base), x), F, slope, POSITIVE)


log2 = _logarithm_op("log2", 2)
log10 = _logarithm_op("log10", 10)
for _name in ("log2", "log10"):
    _op: Any = OPS[f"anvl.{_name}"]
    _op.singularity_convention = "infinite at 0"
    #: Subnormals, numbers on both sides of where the exponent changes, and the ends.
    _op.special = (
        (1e-310,), (5e-324,), (0.7,), (0.7072,), (1.41,), (1.5,), (1e300,), (math.inf,), (1.0,),
    )  # fmt: skip
