"""Elementwise functions: NumPy's names, with promotion and broadcasting."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from anvl.avals import aval
from anvl.dialect.op import OPS
from anvl.dialect.types import dtype_name, element_type, kind
from anvl.promote import (
    NUMBER_LEVELS,
    as_tracer,
    constant,
    convert,
    literal_like,
    promote,
    promoted,
)
from anvl.public import public
from anvl.tracer import Tracer
from anvl.tracing import emit

__all__ = [
    "abs", "absolute", "acos", "acosh", "add", "angle", "arccos", "arccosh", "arcsin", "arcsinh",
    "arctan", "arctan2", "arctanh", "asin", "asinh", "atan", "atan2", "atanh", "bitwise_and",
    "bitwise_count", "bitwise_invert", "bitwise_left_shift", "bitwise_or", "bitwise_right_shift",
    "bitwise_xor", "cbrt", "ceil", "clip", "conj", "copysign", "cos", "cosh", "divide", "equal",
    "erf", "erfc", "exp", "exp2", "expm1", "float_power", "floor", "floor_divide", "fmod",
    "greater", "greater_equal", "hypot", "imag", "isfinite", "isinf", "isnan", "less",
    "less_equal", "log", "log10", "log1p", "log2", "logaddexp", "logical_and", "logical_not",
    "logical_or", "logical_xor", "maximum", "minimum", "multiply", "negative", "nextafter",
    "not_equal", "positive", "pow", "power", "real", "reciprocal", "remainder", "rint", "rsqrt",
    "sigmoid", "sign", "signbit", "sin", "sinh", "sqrt", "square", "subtract", "tan", "tanh",
    "trunc", "where",
]  # fmt: skip


def mark_weak(y: Tracer, weak: bool) -> Tracer:
    """Note on a result that Python numbers alone made it."""
    if weak and not y.aval.weak_type and kind(element_type(y.aval.dtype)) != "bool":
        y.aval = aval(y.aval.dtype, y.aval.shape, True)
    return y


def _unary(name: str, op: str, at_least: str, doc: str) -> Any:
    op_class, least = OPS[f"anvl.{op}"], _LEVELS[at_least]

    def function(x: Any) -> Any:
        if type(x) is Tracer and x.aval.level >= least and not x.aval.weak_type:
            return emit(op_class, (x,), _NONE)
        (operand,), weak = promoted(name, (x,), at_least)
        return mark_weak(emit(op_class, (operand,), {}), weak)

    return _named(function, name, doc)


def _binary(name: str, op: str, at_least: str, doc: str, **params: Any) -> Any:
    op_class, least = OPS[f"anvl.{op}"], _LEVELS[at_least]

    def function(x: Any, y: Any) -> Any:
        agreed = _agreed(x, y, least)
        if agreed is not None:
            return emit(op_class, agreed, params)
        operands, weak = promoted(name, (x, y), at_least)
        return mark_weak(emit(op_class, operands, params), weak)

    return _named(function, name, doc)


_LEVELS = {"bool": 0, "int": 1, "float": 2}
_NONE: dict[str, Any] = {}


def _agreed(x: Any, y: Any, least: int) -> tuple[Tracer, Tracer] | None:
    """The operands of most calls: two tracers of one aval, or one and a Python number."""
    tracer, other = (x, y) if type(x) is Tracer else (y, x)
    if type(tracer) is not Tracer:
        return None
    of = tracer.aval
    if of.weak_type or of.level < least:
        return None
    if type(other) is Tracer:
        return (x, y) if other.aval is of else None
    if NUMBER_LEVELS.get(type(other), 9) > of.level:
        return None
    literal = literal_like(other, of)
    return (x, literal) if tracer is x else (literal, y)


def _named(function: Callable[..., Any], name: str, doc: str) -> Any:
    function.__name__ = function.__qualname__ = name
    function.__doc__ = doc
    return public()(function)


# fmt: off
#             NumPy's name   op          at least   what it is, elementwise
negative  = _unary("negative", "neg",      "int",   "-x.")
exp       = _unary("exp",      "exp",      "float", "e to the x.")
expm1     = _unary("expm1",    "expm1",    "float", "exp(x) - 1, exact near 0.")
log       = _unary("log",      "log",      "float", "The natural logarithm.")
log1p     = _unary("log1p",    "log1p",    "float", "log(1 + x), exact near 0.")
sqrt      = _unary("sqrt",     "sqrt",     "float", "The square root.")
rsqrt     = _unary("rsqrt",    "rsqrt",    "float", "1 / sqrt(x).")
cbrt      = _unary("cbrt",     "cbrt",     "float", "The cube root.")
sin       = _unary("sin",      "sin",      "float", "The sine, of radians.")
cos       = _unary("cos",      "cos",      "float", "The cosine, of radians.")
tan       = _unary("tan",      "tan",      "float", "The tangent, of radians.")
asin      = _unary("asin",     "asin",     "float", "The inverse sine, in radians.")
acos      = _unary("acos",     "acos",     "float", "The inverse cosine, in radians.")
atan      = _unary("atan",     "atan",     "float", "The inverse tangent, in radians.")
sinh      = _unary("sinh",     "sinh",     "float", "The hyperbolic sine.")
cosh      = _unary("cosh",     "cosh",     "float", "The hyperbolic cosine.")
tanh      = _unary("tanh",     "tanh",     "float", "The hyperbolic tangent.")
asinh     = _unary("asinh",    "asinh",    "float", "The inverse hyperbolic sine.")
acosh     = _unary("acosh",    "acosh",    "float", "The inverse hyperbolic cosine.")
atanh     = _unary("atanh",    "atanh",    "float", "The inverse hyperbolic tangent.")
erf       = _unary("erf",      "erf",      "float", "The error function (DLMF 7.2.1).")
erfc      = _unary("erfc",     "erfc",     "float", "1 - erf(x) (DLMF 7.2.2).")
sigmoid   = _unary("sigmoid",  "logistic", "float", "1 / (1 + exp(-x)).")
square    = _unary("square",   "square",   "int",   "x times x.")
sign      = _unary("sign",     "sign",     "int",   "-1, 0 or 1; x / |x| of a complex number.")
ceil      = _unary("ceil",     "ceil",     "float", "The smallest integer that is not below x, as a float.")
floor     = _unary("floor",    "floor",    "float", "The largest integer that is not above x, as a float.")
rint      = _unary("rint",     "round_nearest_even", "float", "The nearest integer, as a float; halves to the even one.")
isfinite  = _unary("isfinite", "is_finite", "float", "Whether x is neither infinite nor NaN.")
isinf     = _unary("isinf",    "is_inf",   "float", "Whether x is infinite.")
bitwise_invert = _unary("bitwise_invert", "not", "bool", "Every bit inverted.")
bitwise_count  = _unary("bitwise_count",  "popcnt", "int", "How many bits are set.")

add       = _binary("add",      "add",      "bool",  "x + y.")
subtract  = _binary("subtract", "sub",      "int",   "x - y.")
multiply  = _binary("multiply", "mul",      "bool",  "x * y.")
divide    = _binary("divide",   "div",      "float", "x / y, of integers too a float.")
atan2     = _binary("atan2",    "atan2",    "float", "The angle of the point (y, x), in radians.")
fmod      = _binary("fmod",     "rem",      "int",   "The remainder with the sign of x.")
maximum   = _binary("maximum",  "maximum",  "bool",  "The larger; NaN if either is. The derivative at a tie is shared.")
minimum   = _binary("minimum",  "minimum",  "bool",  "The smaller; NaN if either is. The derivative at a tie is shared.")
nextafter = _binary("nextafter", "nextafter", "float", "The next float after x towards y.")
bitwise_and = _binary("bitwise_and", "and", "bool",  "The bits set in both.")
bitwise_or  = _binary("bitwise_or",  "or",  "bool",  "The bits set in either.")
bitwise_xor = _binary("bitwise_xor", "xor", "bool",  "The bits set in one of the two.")
bitwise_left_shift  = _binary("bitwise_left_shift",  "shift_left", "int", "x with its bits moved left by y.")
bitwise_right_shift = _binary("bitwise_right_shift", "shift_right_arithmetic", "int", "x with its bits moved right by y; the sign stays.")
equal     = _binary("equal",    "compare",  "bool",  "x == y.", comparison_direction="EQ")
not_equal = _binary("not_equal", "compare", "bool",  "x != y.", comparison_direction="NE")
less      = _binary("less",     "compare",  "bool",  "x < y.",  comparison_direction="LT")
less_equal = _binary("less_equal", "compare", "bool", "x <= y.", comparison_direction="LE")
greater   = _binary("greater",  "compare",  "bool",  "x > y.",  comparison_direction="GT")
greater_equal = _binary("greater_equal", "compare", "bool", "x >= y.", comparison_direction="GE")
# fmt: on
arcsin, arccos, arctan, arctan2 = asin, acos, atan, atan2
arcsinh, arccosh, arctanh = asinh, acosh, atanh


def _prim(op: str, *xs: Tracer, **params: Any) -> Tracer:
    return emit(OPS[f"anvl.{op}"], xs, params)  # type: ignore[no-any-return]


def _like(x: Tracer, value: complex) -> Tracer:
    return constant(value, x.aval.dtype, x.aval.shape)


def _is(x: Tracer, *kinds: str) -> bool:
    return kind(element_type(x.aval.dtype)) in kinds


@public()
def positive(x: Any) -> Any:
    """x itself."""
    return as_tracer(x, "positive")


@public()
def abs(x: Any) -> Any:
    """The absolute value; of a complex number its modulus.  The derivative at 0 is 0."""
    (operand,), weak = promoted("abs", (x,))
    return operand if _is(operand, "bool", "uint") else mark_weak(_prim("abs", operand), weak)


absolute = abs


@public()
def real(x: Any) -> Any:
    """The real part; x itself where it is real."""
    operand = as_tracer(x, "real")
    return _prim("real", operand) if _is(operand, "complex") else operand


@public()
def imag(x: Any) -> Any:
    """The imaginary part; zeros where x is real."""
    operand = as_tracer(x, "imag")
    return _prim("imag", operand) if _is(operand, "complex") else _like(operand, 0)


@public()
def conj(x: Any) -> Any:
    """The complex conjugate; x itself where it is real."""
    operand = as_tracer(x, "conj")
    return _prim("conj", operand) if _is(operand, "complex") else operand


@public()
def angle(x: Any) -> Any:
    """The angle of a complex number, in radians."""
    return atan2(imag(x), real(x))


@public()
def isnan(x: Any) -> Any:
    """Whether x is not a number."""
    (operand,) = promote("isnan", x)
    return _prim("compare", operand, operand, comparison_direction="NE")


@public()
def signbit(x: Any) -> Any:
    """Whether x is negative; true of -0.0."""
    (operand,) = promote("signbit", x, at_least="float")
    bits = np.dtype(f"i{operand.dtype.itemsize}")
    as_bits = _prim("bitcast_convert", operand, dtype=dtype_name(bits))
    return _prim("compare", as_bits, _like(as_bits, 0), comparison_direction="LT")


@public()
def copysign(x: Any, y: Any) -> Any:
    """|x| with the sign of y."""
    a, b = promote("copysign", x, y, at_least="float")
    size = _prim("abs", a)
    return _prim("select", signbit(b), _prim("neg", size), size)


@public()
def trunc(x: Any) -> Any:
    """The integer part, as a float."""
    (operand,) = promote("trunc", x, at_least="float")
    below = _prim("compare", operand, _like(operand, 0), comparison_direction="LT")
    return _prim("select", below, _prim("ceil", operand), _prim("floor", operand))


@public()
def reciprocal(x: Any) -> Any:
    """1 / x."""
    return divide(1, x)


@public()
def exp2(x: Any) -> Any:
    """2 to the x."""
    return exp(multiply(x, float(np.log(2))))


@public()
def log2(x: Any) -> Any:
    """The logarithm to base 2."""
    return divide(log(x), float(np.log(2)))


@public()
def log10(x: Any) -> Any:
    """The logarithm to base 10."""
    return divide(log(x), float(np.log(10)))


@public()
def hypot(x: Any, y: Any) -> Any:
    """sqrt(x^2 + y^2), without overflow.  The derivative at (0, 0) is 0."""
    a, b = (_prim("abs", v) for v in promote("hypot", x, y, at_least="float"))
    large, small = maximum(a, b), minimum(a, b)
    is_zero = equal(large, 0)
    ratio = divide(small, where(is_zero, 1, large))
    return multiply(large, sqrt(add(1, square(ratio))))


@public()
def logaddexp(x: Any, y: Any) -> Any:
    """log(exp(x) + exp(y)), without overflow."""
    a, b = promote("logaddexp", x, y, at_least="float")
    large, gap = maximum(a, b), subtract(a, b)
    both_infinite = isnan(gap)
    spread = where(both_infinite, 0, negative(abs(where(both_infinite, 0, gap))))
    return where(both_infinite, add(a, b), add(large, log1p(exp(spread))))


@public()
def power(x: Any, y: Any) -> Any:
    """x to the y.  A Python int exponent is multiplied out, so x may be negative or 0."""
    if type(y) is int and -_LARGEST_POWER <= y <= _LARGEST_POWER:
        return _integer_power(x, y)
    a, b = promote("power", x, y)
    if _is(a, "bool"):
        raise TypeError("power: takes numbers, got bools; cast them with .astype")
    return _prim("pow", a, b)


pow = power
_LARGEST_POWER = 64


def _integer_power(x: Any, n: int) -> Any:
    """x^n by repeated squaring."""
    (base,), weak = promoted("power", (x,), "int")
    if n < 0 and _is(base, "int", "uint"):
        raise TypeError(
            f"power: an integer to the {n} is no integer; cast the base to a float first"
        )
    if n < 0:
        return reciprocal(_integer_power(base, -n))
    if n == 0:
        return mark_weak(_like(base, 1), weak)
    result = None
    while n:
        if n & 1:
            result = base if result is None else _prim("mul", result, base)
        n >>= 1
        if n:
            base = _prim("mul", base, base)
    assert result is not None
    return mark_weak(result, weak)


@public()
def float_power(x: Any, y: Any) -> Any:
    """x to the y, as floats."""
    return _prim("pow", *promote("float_power", x, y, at_least="float"))


@public()
def remainder(x: Any, y: Any) -> Any:
    """The remainder of the floored division, with the sign of y: Python's %."""
    (a, b), weak = promoted("remainder", (x, y), "int")
    rest = _prim("rem", a, b)
    if _is(rest, "uint"):
        return rest
    zero = _like(rest, 0)
    is_off = logical_and(
        _prim("compare", rest, zero, comparison_direction="NE"),
        not_equal(less(rest, zero), less(b, zero)),
    )
    return mark_weak(_prim("select", is_off, _prim("add", rest, b), rest), weak)


@public()
def floor_divide(x: Any, y: Any) -> Any:
    """The largest integer not above x / y: Python's //."""
    (a, b), weak = promoted("floor_divide", (x, y), "int")
    if _is(a, "uint"):
        return _prim("div", a, b)
    if _is(a, "float"):
        return mark_weak(floor(divide(subtract(a, remainder(a, b)), b)), weak)
    quotient, rest = _prim("div", a, b), _prim("rem", a, b)
    zero = _like(rest, 0)
    is_off = logical_and(not_equal(rest, zero), not_equal(less(rest, zero), less(b, zero)))
    return mark_weak(_prim("select", is_off, subtract(quotient, 1), quotient), weak)


def _as_bool(x: Any, name: str) -> Tracer:
    operand = as_tracer(x, name)
    if _is(operand, "bool"):
        return operand
    return _prim("compare", operand, _like(operand, 0), comparison_direction="NE")


@public()
def logical_not(x: Any) -> Any:
    """Whether x is zero or false."""
    return _prim("not", _as_bool(x, "logical_not"))


def _logical(name: str, op: str, doc: str) -> Any:
    def function(x: Any, y: Any) -> Any:
        operands = promote(name, _as_bool(x, name), _as_bool(y, name))
        return _prim(op, *operands)

    return _named(function, name, doc)


logical_and = _logical("logical_and", "and", "Whether both are true, or not zero.")
logical_or = _logical("logical_or", "or", "Whether either is true, or not zero.")
logical_xor = _logical("logical_xor", "xor", "Whether one of the two is true, or not zero.")


@public()
def where(condition: Any, x: Any, y: Any) -> Any:
    """x where the condition holds, y elsewhere; all broadcast to one shape."""
    from anvl.promote import broadcast_shapes, broadcast_to

    chosen = _as_bool(condition, "where")
    (a, b), weak = promoted("where", (x, y))
    shape = broadcast_shapes(chosen.shape, a.shape, function="where")
    a, b = broadcast_to(a, shape), broadcast_to(b, shape)
    if chosen.shape != ():
        chosen = broadcast_to(chosen, shape)
    return mark_weak(_prim("select", chosen, a, b), weak)


@public()
def clip(x: Any, min: Any = None, max: Any = None) -> Any:
    """x, not below min and not above max.  The derivative passes 1 at a bound."""
    result = as_tracer(x, "clip")
    bounds = [b for b in (min, max) if b is not None]
    result, *_ = promote("clip", result, *bounds)
    if min is None and max is None:
        return result
    if min is None:
        return minimum(result, max)
    if max is None:
        return maximum(result, min)
    low, high = (convert(as_tracer(b), result.dtype) for b in (min, max))
    if low.shape != () and low.shape != result.shape or high.shape not in ((), result.shape):
        result, low, high = promote("clip", result, low, high)
    return _prim("clamp", low, result, high)
