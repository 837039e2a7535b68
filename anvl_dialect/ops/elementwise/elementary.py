"""Elementwise ops: StableHLO name, element types and derivative of each.

Names in a row: `x`, `y` operands and `z` the result of a binary op; `x` operand and `y` result of a
unary one; `g` the factor of the derivative, a cotangent in reverse mode or a tangent in forward
mode (an elementwise op maps both alike).  `None` is a derivative that is zero wherever it is
defined. `F C I B` are the kinds of elements (float, complex, integer, bool); the last column is the
range from which the numeric tests draw samples, inside the domain and away from singularities.

Sources: StableHLO specification (https://openxla.org/stablehlo/spec); derivatives from the NIST
Digital Library of Mathematical Functions, sections 4 (elementary), 5 (gamma), 7 (erf), 25 (zeta).
"""

import math
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, cast

from anvl.dialect.core.create import full_like, number_of, zeros_like
from anvl.dialect.core.families import Elementwise, NotDifferentiable, convolved
from anvl.dialect.core.lazy_numpy import np
from anvl.dialect.core.mlir import ir
from anvl.dialect.core.op import Value, emit
from anvl.dialect.core.op_registry import OPS
from anvl.dialect.core.types import kind
from anvl.dialect.ops.elementwise import branch_cuts
from anvl.dialect.ops.elementwise.shares import (
    divisor_share,
    equal,
    winner_share,
    winner_shares,
)
from anvl.dialect.ops.elementwise.table import (
    ALL,
    ANY,
    BITS,
    FC,
    FI,
    FIC,
    POSITIVE,
    REAL,
    Binary,
    C,
    F,
    I,
    binary,
    unary,
)
from anvl.dialect.ops.elementwise.upcast import in_wide
from anvl.dialect.ops.special.hurwitz import (
    SPECIAL,
    digamma_value,
    polygamma_value,
    zeta_order_slope,
    zeta_value,
)
from anvl.dialect.sparsity.combinations import product_dependence

ORDER = NotDifferentiable("not differentiable with respect to its order, which must be an integer")


def times(x: Value, value: complex) -> Value:
    """Multiply x by a number."""
    return mul(x, full_like(x, value))


def plus(x: Value, value: float) -> Value:
    """Add a real number to x; a complex x keeps its imaginary part, as -0 selects a side of a cut."""
    if kind(x.type.element_type) == C:
        return emit.complex(plus(emit.real(x), value), emit.imag(x))
    return add(x, full_like(x, value))


def one_minus(x: Value) -> Value:
    return plus(neg(x), 1) if kind(x.type.element_type) == C else sub(full_like(x, 1), x)


def _taylor_of_product(cls: Any, k: int, xs: Sequence[Any], z: Any) -> Value | None:
    return convolved(mul, *xs)


def _taylor_of_quotient(cls: Any, k: int, xs: Sequence[Any], z: Any) -> Value | None:
    """x = z y gives x[k] = the sum of z[i] y[k - i]."""
    (x, y) = xs
    others = convolved(mul, z, y[1:])
    if others is None:
        return None if x[k] is None else div(x[k], y[0])
    return div(neg(others) if x[k] is None else sub(x[k], others), y[0])


# fmt: off
#                name          StableHLO             takes  g times dy/dx                          sampled in
neg     = unary("neg",        "negate",              FIC,  lambda g, x, y: neg(g))
exp     = unary("exp",        "exponential",         FC,   lambda g, x, y: mul(g, y))
expm1   = unary("expm1",      "exponential_minus_one", FC, lambda g, x, y: mul(g, exp(x)))  # y + 1 loses all digits where y is near -1
log     = unary("log",        "log",                 FC,   lambda g, x, y: div(g, x),              POSITIVE)
log1p   = unary("log1p",      "log_plus_one",        FC,   lambda g, x, y: div(g, plus(x, 1)),     (-0.8, 4.0))
sqrt    = unary("sqrt",       "sqrt",                FC,   lambda g, x, y: div(times(g, 0.5), y),  POSITIVE)
rsqrt   = unary("rsqrt",      "rsqrt",               FC,   lambda g, x, y: mul(times(g, -0.5), div(y, x)), POSITIVE)
cbrt    = unary("cbrt",       "cbrt",                F,    lambda g, x, y: div(g, times(mul(y, y), 3.0)), POSITIVE)
sin     = unary("sin",        "sine",                FC,   lambda g, x, y: mul(g, cos(x)))
cos     = unary("cos",        "cosine",              FC,   lambda g, x, y: neg(mul(g, sin(x))))
tan     = unary("tan",        "tan",                 FC,   lambda g, x, y: mul(g, plus(mul(y, y), 1)), (-1.2, 1.2))
tanh    = unary("tanh",       "tanh",                FC,   lambda g, x, y: mul(g, sech_squared(x)))
logistic = unary("logistic",  "logistic",            FC,   lambda g, x, y: mul(g, logistic_slope(x)))
logistic_slope = unary("logistic_slope", lambda x: _logistic_slope(x), FC, lambda g, x, y: neg(mul(g, mul(y, tanh(times(x, 0.5))))))
sech_squared = unary("sech_squared", lambda x: _sech_squared(x), FC, lambda g, x, y: mul(g, times(mul(y, tanh(x)), -2)))
rough_zero = unary("rough_zero", lambda x: zeros_like(x), F, lambda g, x, y: _nan_at_0(x))
sinh    = unary("sinh",       branch_cuts.sinh,           FC,   lambda g, x, y: mul(g, cosh(x)))
cosh    = unary("cosh",       branch_cuts.cosh,           FC,   lambda g, x, y: mul(g, sinh(x)))
asin    = unary("asin",       branch_cuts.asin,           FC,   lambda g, x, y: mul(g, rsqrt(_one_minus_square(x))), (-0.9, 0.9))
acos    = unary("acos",       branch_cuts.acos,           FC,   lambda g, x, y: neg(mul(g, rsqrt(_one_minus_square(x)))), (-0.9, 0.9))
atan    = unary("atan",       branch_cuts.atan,           FC,   lambda g, x, y: div(g, plus(mul(x, x), 1)))
asinh   = unary("asinh",      branch_cuts.asinh,          FC,   lambda g, x, y: div(g, _root_of_square_plus_1(x)))
acosh   = unary("acosh",      branch_cuts.acosh,          FC,   lambda g, x, y: div(g, mul(sqrt(plus(x, -1)), sqrt(plus(x, 1)))), (1.2, 4.0))
atanh   = unary("atanh",      branch_cuts.atanh,          FC,   lambda g, x, y: div(g, _one_minus_square(x)), (-0.9, 0.9))
erf     = unary("erf",        "chlo.erf",            F,    lambda g, x, y: mul(g, _gauss(x)))
erfc    = unary("erfc",       "chlo.erfc",           F,    lambda g, x, y: neg(mul(g, _gauss(x))))
erf_inv = unary("erf_inv",    "chlo.erf_inv",        F,    lambda g, x, y: div(g, _gauss(y)),      (-0.9, 0.9))
lgamma  = unary("lgamma",     "chlo.lgamma",         F,    lambda g, x, y: mul(g, digamma(x)),     (0.3, 5.0))
digamma = unary("digamma",    digamma_value,         F,    lambda g, x, y: mul(g, emit.psi(x, order=1)), (0.3, 5.0))
square  = unary("square",     "chlo.square",         FC,   lambda g, x, y: mul(g, times(x, 2)))
ceil    = unary("ceil",       "ceil",                F,    None)  # zero derivative wherever it is continuous
floor   = unary("floor",      "floor",               F,    None)
round_nearest_even = unary("round_nearest_even", "round_nearest_even", F, None)
round_nearest_afz  = unary("round_nearest_afz",  "round_nearest_afz",  F, None)  # ties away from zero
not_    = unary("not",        "not",                 BITS, None)   # no derivative: integers and bools
popcnt  = unary("popcnt",     "popcnt",              I,    None)
count_leading_zeros = unary("count_leading_zeros", "count_leading_zeros", I, None)

#                name          StableHLO             takes  g times dz/dx, g times dz/dy
add     = binary("add",       "add",                 ALL,  lambda g, x, y, z: g, lambda g, x, y, z: g)
sub     = binary("sub",       "subtract",            FIC,  lambda g, x, y, z: g, lambda g, x, y, z: neg(g))
mul     = binary("mul",       "multiply",            ALL,  lambda g, x, y, z: mul(g, y), lambda g, x, y, z: mul(g, x), dependence=classmethod(product_dependence), taylor=classmethod(_taylor_of_product))
div     = binary("div",       "divide",              FIC,  lambda g, x, y, z: div(g, y), lambda g, x, y, z: divisor_share(g, y, z), ANY, (0.5, 3.0), taylor=classmethod(_taylor_of_quotient))
rem     = binary("rem",       "remainder",           FI,   lambda g, x, y, z: g, lambda g, x, y, z: neg(mul(g, _truncated(div(x, y)))), (7.1, 7.9), (2.05, 2.35))
maximum = binary("maximum",   "maximum",             REAL, lambda g, x, y, z: winner_share(g, x, "GE", y), lambda g, x, y, z: winner_share(g, x, "LE", y), adjoint=winner_shares("GE", "LE"))
minimum = binary("minimum",   "minimum",             REAL, lambda g, x, y, z: winner_share(g, x, "LE", y), lambda g, x, y, z: winner_share(g, x, "GE", y), adjoint=winner_shares("LE", "GE"))
polygamma = binary("polygamma", polygamma_value,     F,    ORDER, lambda g, n, x, z: mul(g, polygamma(plus(n, 1), x)), (1.0, 1.0), (0.5, 5.0))
zeta    = binary("zeta",      zeta_value,            F,    lambda g, s, q, z: mul(g, in_wide(zeta_order_slope, s, q)), lambda g, s, q, z: neg(mul(g, _next_zeta(s, q))), (2.5, 4.0), (0.5, 3.0))
nextafter = binary("nextafter", "chlo.next_after",   F,    lambda g, x, y, z: g, None)  # z equals x up to rounding
mulhi   = binary("mulhi",     "chlo.mulhi",          I,    None, None)  # upper half of the product
and_    = binary("and",       "and",                 BITS, None, None)
or_     = binary("or",        "or",                  BITS, None, None)
xor     = binary("xor",       "xor",                 BITS, None, None)
shift_left = binary("shift_left", "shift_left",      I,    None, None)
shift_right_logical = binary("shift_right_logical", "shift_right_logical", I, None, None)
shift_right_arithmetic = binary("shift_right_arithmetic", "shift_right_arithmetic", I, None, None)
# fmt: on


class PowOp(Binary, name="pow"):
    """Raise to a power elementwise: x^y; integer powers wrap.  StableHLO `power`.

    XLA reads 6 bits of an integer exponent, as a signed number (jaxlib 0.10): larger powers are
    composed of powers with 6-bit exponents.  XLA's power of a complex 0 is NaN where the exponent
    is not real.
    """

    kinds = FIC
    domains = ((0.3, 2.5), (-2.0, 2.0))
    special = ((0j, 0.5 + 0.3j), (0j, 2 - 1j), (0j, 2 + 0j), (0j, 1j))
    passes = (
        lambda g, x, y, z: mul(g, _pow_dx(x, y)),
        lambda g, x, y, z: mul(g, _pow_dy(x, y, z)),
    )
    lifts = "stablehlo.power"

    @classmethod
    def lower(cls, hlo: Any, x: Value, y: Value) -> Value:
        type_ = x.type
        if kind(type_.element_type) == "complex":
            y = _real_where_power_is_0(x, y)
        if kind(type_.element_type) not in I.split():
            return hlo("power", x, y, type=type_)
        sixty_three, six = full_like(y, 63), full_like(y, 6)
        power, base, rest = hlo("power", x, and_(y, sixty_three), type=type_), x, y
        for _ in range(6, type_.element_type.width, 6):
            base = hlo("power", base, full_like(base, 32), type=type_)
            base = mul(base, base)
            rest = shift_right_logical(rest, six)
            more = hlo("power", base, and_(rest, sixty_three), type=type_)
            power = mul(power, more)
        if kind(type_.element_type) == "uint":
            return power
        below = emit.compare(y, zeros_like(y), comparison_direction="LT")
        return emit.select(below, hlo("power", x, y, type=type_), power)

    @classmethod
    def lift(cls, op: ir.Operation) -> tuple[Sequence[Value], dict[str, Any]] | None:
        return None if len(op.attributes) else (list(op.operands), {})

    @classmethod
    def sample(cls, draw: Any) -> Any:
        """Sample also integer exponents that use all bits."""
        calls = super().sample(draw)
        return [
            call._replace(others=[[x | 1, x * (np.iinfo(x.dtype).max // 11)]])
            if (x := call.operands[0]).dtype.kind in "iu"
            else call
            for call in calls
        ]


def _real_where_power_is_0(x: Value, y: Value) -> Value:
    re, im = emit.real(y), emit.imag(y)
    positive = emit.compare(re, zeros_like(re), comparison_direction="GT")
    is_0 = and_(equal(x, zeros_like(x)), positive)
    return emit.complex(re, emit.select(is_0, zeros_like(im), im))


pow_ = PowOp.build


_elementwise = cast("dict[str, type[Elementwise]]", OPS)

for _name in ("neg", "add", "sub"):
    _elementwise[f"anvl.{_name}"].linear = True
_elementwise["anvl.add"].reduces_by = "sum"
for _name in ("add", "mul", "and", "or", "xor"):
    OPS[f"anvl.{_name}"].commutative = True
for _name in "neg add sub mul maximum minimum not and or xor".split():
    OPS[f"anvl.{_name}"].cheap = True
for _name in "sin cos tan atan asin acos cbrt pow".split():
    OPS[f"anvl.{_name}"].is_called = True

# CHLO has these ops, but with other limits or other branch cuts.
for _name in "digamma polygamma zeta sinh cosh asin acos atan asinh acosh atanh".split():
    OPS[f"anvl.{_name}"].lifts = f"chlo.{_name}"
    OPS[f"anvl.{_name}"].lift = classmethod(  # type: ignore[method-assign,assignment]
        lambda cls, op: None if len(op.attributes) else (list(op.operands), {})
    )

_CORNERS = {
    "sqrt cbrt log": "infinite at 0",
    "asin acos": "infinite at -1 and 1",
    "pow": "0 at x = y = 0; in y, 0 at x = 0 for y >= 0",
    "maximum minimum": "ties share evenly; 0 where an operand is NaN",
    "rem": "as between the jumps",
    "nextafter": "1 in x: rounding is ignored",
}
for _names, _corner in _CORNERS.items():
    for _name in _names.split():
        OPS[f"anvl.{_name}"].singularity_convention = _corner
for _name in ("neg", "add", "sub", "nextafter", "maximum", "minimum"):
    OPS[f"anvl.{_name}"].preserves_zeros = True
for _name in ("maximum", "minimum"):
    OPS[f"anvl.{_name}"].selects_elements = True
OPS["anvl.nextafter"].moves_elements = True  # from its second operand no derivative arrives


for _name, _points in SPECIAL.items():
    _elementwise[f"anvl.{_name}"].special = _points
#: Points where squares of exponentials overflow.
_elementwise["anvl.sech_squared"].special = ((200 + 0.3j,), (-200 + 0.3j,))


def _folding(f: Callable[..., Any] | str) -> Any:
    """The rule `fold` that calls `f`, or NumPy's function of this name."""
    return classmethod(lambda cls, *xs: (getattr(np, f) if isinstance(f, str) else f)(*xs))


def _quotient(x: Any, y: Any) -> Any:
    """x / y; integers round towards 0, and division by 0 sets all bits, as in XLA."""
    if x.dtype.kind not in "iu":
        return x / y
    return np.where(y == 0, np.invert(np.zeros_like(x)), (x - np.fmod(x, y)) // y)


def _remainder(x: Any, y: Any) -> Any:
    """Remainder of x / y; for integers x where y is 0."""
    return np.fmod(x, y) if x.dtype.kind not in "iu" else x - _quotient(x, y) * y


def _shifted_right(x: Any, y: Any) -> Any:
    """Shift right as NumPy does: beyond the width the top bit fills, of unsigned integers too."""
    signed = f"i{x.dtype.itemsize}"
    return np.right_shift(x.view(signed), y.view(signed)).view(x.dtype)


_FOLDS: dict[str, Callable[..., Any] | str] = {
    "neg": "negative", "not": "invert", "add": "add", "sub": "subtract", "mul": "multiply",
    "maximum": "maximum", "minimum": "minimum", "and": "bitwise_and", "or": "bitwise_or",
    "xor": "bitwise_xor", "div": _quotient, "rem": _remainder,
    "shift_left": "left_shift", "shift_right_arithmetic": _shifted_right,
}  # fmt: skip
for _name, _fold in _FOLDS.items():
    OPS[f"anvl.{_name}"].fold = _folding(_fold)  # type: ignore[method-assign]


def _gauss(x: Value) -> Value:
    """Derivative of erf: 2/sqrt(pi) exp(-x^2) (DLMF 7.2.1)."""
    return times(exp(neg(mul(x, x))), 2 / math.sqrt(math.pi))


def _sech_squared(x: Value) -> Value:
    """Derivative of tanh: 1 / cosh(x)^2 = 4 e / (1 + e)^2 with e = exp(-2 |x|).

    1 - tanh(x)^2 would lose all digits where tanh is near 1 (DLMF 4.28.9, 4.34.8).
    """
    if kind(x.type.element_type) == F:
        e = exp(times(emit.abs(x), -2))
    else:
        part = emit.real(x)
        is_left = emit.compare(part, zeros_like(part), comparison_direction="LT")
        e = exp(times(emit.select(is_left, x, neg(x)), 2))
    root = plus(e, 1)
    return div(times(e, 4), mul(root, root))


def _logistic_slope(x: Value) -> Value:
    """Derivative of the logistic function y: y (1 - y), which is t / (1 + t)^2 for t = exp(-|x|).

    The difference would lose all digits where y is near 1.  And it takes y, which XLA:CPU would
    compute as an array of its own for this and whatever else reads y, with a kernel more.
    """
    if kind(x.type.element_type) != F:
        return times(_sech_squared(times(x, 0.5)), 0.25)
    return in_wide(_wide_logistic_slope, x)


def _wide_logistic_slope(x: Value) -> Value:
    t = exp(neg(emit.abs(x)))
    root = plus(t, 1)
    return div(t, mul(root, root))


def _nan_at_0(x: Value) -> Value:
    """Derivative of `rough_zero`, the number 0 that has none where its operand is 0."""
    return emit.select(equal(x, zeros_like(x)), full_like(x, math.nan), zeros_like(x))


def _truncated(x: Value) -> Value:
    return emit.select(emit.compare(x, zeros_like(x), comparison_direction="LT"), ceil(x), floor(x))


def _one_minus_square(x: Value) -> Value:
    """1 - x^2: a product near -1 and 1, where the difference cancels; a difference near 0.

    Near 0 the derivative of the product would cancel.
    """
    product, square = mul(one_minus(x), plus(x, 1)), one_minus(mul(x, x))
    if kind(x.type.element_type) != F:
        return product
    is_small = emit.compare(emit.abs(x), full_like(x, 0.5), comparison_direction="LT")
    return emit.select(is_small, square, product)


def _root_of_square_plus_1(x: Value) -> Value:
    """sqrt(x^2 + 1); for real x without overflow."""
    if kind(x.type.element_type) == F:
        return emit.hypot(x, full_like(x, 1))
    return sqrt(plus(mul(x, x), 1))


def where_zero(x: Value, then: Value, otherwise: Value) -> Value:
    return emit.select(equal(x, zeros_like(x)), then, otherwise)


def _next_zeta(s: Value, q: Value) -> Value:
    """s zeta(s+1, q), and 0 where zeta is 0, also for an infinite s; NaN for s < 1, as zeta(s, q)."""
    value = zeta(plus(s, 1), q)
    slope = where_zero(value, value, mul(s, value))
    has_value = emit.compare(s, full_like(s, 1), comparison_direction="GE")
    return emit.select(has_value, slope, full_like(s, math.nan))


def _pow_dx(x: Value, y: Value) -> Value:
    """y x^(y-1), and 0 at x = y = 0, where x^-1 is infinite."""
    exponent = where_zero(x, where_zero(y, full_like(y, 1), plus(y, -1)), plus(y, -1))
    return mul(y, pow_(x, exponent))


def _pow_dy(x: Value, y: Value, z: Value) -> Value:
    """x^y log(x); at x = 0 it is 0 for y >= 0, and the limit, -inf, for y < 0."""
    is_0 = equal(x, zeros_like(x))
    if kind(x.type.element_type) == F:  # complex numbers have no order: any y gives 0 at x = 0
        is_0 = and_(is_0, emit.compare(y, zeros_like(y), comparison_direction="GE"))
    return mul(z, log(emit.select(is_0, full_like(x, 1), x)))


# -- simplifications -------------------------------------------------------------------------------
#
# `by_x` is the op that produces x.  Each rewrite is exact to the bit for every input, also
# infinities and -0.0, except for the sign of a NaN.  There is no normal form beyond that: if only
# one of two functions were normalized, their common subexpressions would no longer match.


def simplifies(name: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Register a function of operands and their producers as the `simplify` rule of an op."""

    def join(f: Callable[..., Any]) -> Callable[..., Any]:
        def simplify(cls: Any, xs: Sequence[Value], makers: Sequence[Any]) -> Any:
            return f(*xs, *makers)

        OPS[f"anvl.{name}"].simplify = classmethod(simplify)  # type: ignore[assignment]
        return f

    return join


def _negated(maker: Any) -> Any:
    """The operand of `maker` if `maker` is a negation, else None."""
    return maker.operands[0] if type(maker) is OPS["anvl.neg"] else None


@simplifies("neg")
def _simpler_neg(x: Value, by_x: Any) -> Any:
    n = number_of(by_x)
    if n is not None and kind(x.type.element_type) == F:
        return lambda: full_like(x, -n)
    return _negated(by_x)


@simplifies("not")
def _simpler_not(x: Value, by_x: Any) -> Any:
    return by_x.operands[0] if type(by_x) is OPS["anvl.not"] else None


@simplifies("add")
def _simpler_add(x: Value, y: Value, by_x: Any, by_y: Any) -> Any:
    for maker, other in ((by_x, y), (by_y, x)):
        n = number_of(maker)
        if n == 0 and (type(n) is not float or math.copysign(1, n) < 0):
            return other
        minus = _negated(maker)
        if minus is not None:
            return partial(sub, other, minus)
    return None


@simplifies("sub")
def _simpler_sub(x: Value, y: Value, by_x: Any, by_y: Any) -> Any:
    n = number_of(by_y)
    if n == 0 and (type(n) is not float or math.copysign(1, n) > 0):
        return x
    minus = _negated(by_y)
    return None if minus is None else partial(add, x, minus)


@simplifies("mul")
def _simpler_mul(x: Value, y: Value, by_x: Any, by_y: Any) -> Any:
    for maker, other in ((by_x, y), (by_y, x)):
        n = number_of(maker)
        if n == 1:
            return other
        if n == -1 and type(n) is float:
            return partial(neg, other)
    return None


@simplifies("div")
def _simpler_div(x: Value, y: Value, by_x: Any, by_y: Any) -> Any:
    n = number_of(by_y)
    if n == 1:
        return x
    return partial(neg, x) if n == -1 and type(n) is float else None
