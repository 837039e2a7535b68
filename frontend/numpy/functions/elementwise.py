"""Elementwise functions: NumPy's names, with promotion and broadcasting."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np

from anvl.core.avals import aval
from anvl.core.config import as_dtype
from anvl.core.promote import (
    NUMBER_LEVELS,
    abstract,
    as_tracer,
    broadcast_shapes,
    broadcast_to,
    cast,
    constant,
    convert,
    literal_like,
    promoted,
)
from anvl.core.trace_state import current
from anvl.core.tracer import Tracer
from anvl.core.tracing import emit, emit_unary
from anvl.dialect.core.op_registry import OPS
from anvl.dialect.core.types import element_type, kind
from anvl.dialect.ops.elementwise.complexes import direction
from anvl.dispatch.eager import Function, public
from anvl.numpy.arrays.placing import placed
from anvl.numpy.functions.emitting import check_real, filled, is_kind, prim, smooth_power
from anvl.runtime import Array, hiding_frames

__all__ = [
    "abs", "absolute", "acos", "acosh", "add", "angle", "arccos", "arccosh", "arcsin",
    "arcsinh", "arctan", "arctan2", "arctanh", "asin", "asinh", "astype", "atan", "atan2",
    "atanh", "bitwise_and", "bitwise_count", "bitwise_invert", "bitwise_left_shift",
    "bitwise_not", "bitwise_or", "bitwise_right_shift", "bitwise_xor", "cbrt", "ceil", "conj",
    "conjugate", "cos", "cosh", "divide", "equal", "erf", "erfc", "exp", "exp2", "expm1",
    "fabs", "fix", "floor", "greater", "greater_equal", "imag", "invert", "left_shift",
    "less", "less_equal", "log", "log1p", "maximum", "minimum", "multiply",
    "negative", "nextafter", "not_equal", "positive", "real", "right_shift", "rint", "rsqrt",
    "sigmoid", "sign", "sin", "sinh", "sqrt", "square", "subtract", "tan", "tanh",
    "true_divide", "trunc",
]  # fmt: skip


def mark_weak(y: Tracer, weak: bool) -> Tracer:
    """Mark a result that stems from Python numbers alone as weak."""
    if weak and not y.aval.weak_type and kind(element_type(y.aval.dtype)) != "bool":
        return Tracer(y.value, aval(y.aval.dtype, y.aval.shape, True), y.owner, y.location)
    return y


def unary(name: str, op: str, at_least: str, doc: str, instead_of_bools: str = "") -> Any:
    op_class, least = OPS[f"anvl.{op}"], _LEVELS[at_least]

    def function(x: Any) -> Any:
        if type(x) is Tracer and x.aval.level >= least and not x.aval.weak_type:
            return emit_unary(op_class, x)
        _refuse_bools(name, instead_of_bools, x)
        (operand,), weak = promoted(name, (x,), at_least)
        return mark_weak(emit(op_class, (operand,), {}), weak)

    return named(function, name, doc)


# XLA folds true + true of bool constants to false, so `or` stands for it.
def binary(
    name: str, op: str, at_least: str, doc: str, of_bools: str | None = None,
    of_itself: Any = None, of_complex: Any = None, instead_of_bools: str = "", **params: Any,
) -> Any:  # fmt: skip
    op_class, least = OPS[f"anvl.{op}"], _LEVELS[at_least]
    logical = OPS[f"anvl.{of_bools or op}"]

    def function(x: Any, y: Any) -> Any:
        if x is y and of_itself is not None and type(x) is Tracer:
            found = of_itself(x)
            if found is not None:
                return found
        if of_complex is not None and (type(x) is not Tracer or x.aval.level == _COMPLEX):
            found = of_complex(x, y)
            if found is not None:
                return found
        agreed = _matching_operands(x, y, least)
        if agreed is not None:
            return emit(op_class if agreed[0].aval.level else logical, agreed, params)
        _refuse_bools(name, instead_of_bools, x, y)
        operands, weak = promoted(name, (x, y), at_least)
        of = op_class if operands[0].aval.level else logical
        return mark_weak(emit(of, operands, params), weak)

    return named(function, name, doc)


_LEVELS = {"bool": 0, "int": 1, "float": 2}
_COMPLEX = NUMBER_LEVELS[complex]


def _refuse_bools(name: str, instead: str, *xs: Any) -> None:
    """Refuse bools alone where there is something instead: numbers such as -1 would surprise."""
    if not instead:
        return
    avals = [abstract(x, name) for x in xs]
    if any(of.level for of in avals):
        return
    given = " and ".join(map(str, avals))
    raise TypeError(f"{name}: takes numbers, got {given}; use {instead}, or .astype('i32')")


def _over_real(x: Any, y: Any) -> Tracer | None:
    """x / y of complex x and real y, part by part; None for other operands.

    A complex quotient would have a NaN where 0 and infinity meet; and XLA multiplies by 1 / y for a
    literal y, which differs for 0 and large numbers.
    """
    if abstract(x, "divide").level != _COMPLEX or abstract(y, "divide").level == _COMPLEX:
        return None
    (operand, _), weak = promoted("divide", (x, y), "float")
    parts = [prim(part, operand) for part in ("real", "imag")]
    quotients = [prim("div", *promoted("divide", (part, y), "float")[0]) for part in parts]
    return mark_weak(prim("complex", *quotients), weak)


def _matching_operands(x: Any, y: Any, least: int) -> tuple[Tracer, Tracer] | None:
    """Operands of the common case: two tracers of one aval, or a tracer and a Python number."""
    tracer, other = (x, y) if type(x) is Tracer else (y, x)
    if type(tracer) is not Tracer:
        return None
    of = tracer.aval
    if of.weak_type or of.level < least or current.trace is None:
        return None
    if type(other) is Tracer:
        return (x, y) if other.aval is of else _broadcast(x, y)
    if NUMBER_LEVELS.get(type(other), 9) > of.level:
        return None
    literal = literal_like(other, of)
    return (x, literal) if tracer is x else (literal, y)


def _broadcast(x: Tracer, y: Tracer) -> tuple[Tracer, Tracer] | None:
    """Broadcast two tracers of one dtype; None if they do not broadcast."""
    if x.aval.dtype != y.aval.dtype or y.aval.weak_type or x.aval.weak_type:
        return None
    shape = _joint_shape(x.aval.shape, y.aval.shape)
    return None if shape is None else (broadcast_to(x, shape), broadcast_to(y, shape))


@lru_cache(4096)
def _joint_shape(one: tuple[int, ...], other: tuple[int, ...]) -> tuple[int, ...] | None:
    try:
        return broadcast_shapes(one, other)
    except ValueError:  # raised by the slow path, which knows the name of the function
        return None


def named(function: Callable[..., Any], name: str, doc: str) -> Any:
    function.__name__ = function.__qualname__ = name
    function.__doc__ = described(name, doc)
    tabled.append(name)
    return public()(function)


#: Functions defined by a line of a table: each is public.
tabled: list[str] = []


def described(name: str, doc: str) -> str:
    """Docstring from a line of a table: `Summary. | arguments -> printed result`."""
    text, _, example = doc.partition(" | ")
    arguments, _, result = example.partition(" -> ")
    return f"{text}\n\n>>> import anvl.numpy as np\n>>> print(np.{name}({arguments}))\n{result}\n"


# fmt: off
# NumPy's name   op          at least   summary
negative: Function  = unary("negative", "neg",      "int",   "-x. Bools are refused. | 2 -> -2", "logical_not (~x)")
exp: Function       = unary("exp",      "exp",      "float", "Exponential, e to the power x. | 0.0 -> 1.0")
expm1: Function     = unary("expm1",    "expm1",    "float", "exp(x) - 1, accurate near 0. | 0.0 -> 0.0")
log: Function       = unary("log",      "log",      "float", "The natural logarithm. | 1.0 -> 0.0")
log1p: Function     = unary("log1p",    "log1p",    "float", "log(1 + x), accurate near 0. | 0.0 -> 0.0")
sqrt: Function      = unary("sqrt",     "sqrt",     "float", "The square root. The derivative is infinite at 0. | 4.0 -> 2.0")
rsqrt: Function     = unary("rsqrt",    "rsqrt",    "float", "1 / sqrt(x). | 4.0 -> 0.5")
cbrt: Function      = unary("cbrt",     "cbrt",     "float", "The cube root. The derivative is infinite at 0. | 8.0 -> 2.0")
sin: Function       = unary("sin",      "sin",      "float", "The sine, of radians. | 0.5 -> 0.47942555")
cos: Function       = unary("cos",      "cos",      "float", "The cosine, of radians. | 0.5 -> 0.87758255")
tan: Function       = unary("tan",      "tan",      "float", "The tangent, of radians. | 0.5 -> 0.5463025")
asin: Function      = unary("asin",     "asin",     "float", "The inverse sine, in radians. The derivative is infinite at -1 and 1. | 0.5 -> 0.5235988")
acos: Function      = unary("acos",     "acos",     "float", "The inverse cosine, in radians. The derivative is infinite at -1 and 1. | 0.5 -> 1.0471976")
atan: Function      = unary("atan",     "atan",     "float", "The inverse tangent, in radians. | 0.5 -> 0.4636476")
sinh: Function      = unary("sinh",     "sinh",     "float", "The hyperbolic sine. | 0.5 -> 0.52109534")
cosh: Function      = unary("cosh",     "cosh",     "float", "The hyperbolic cosine. | 0.5 -> 1.127626")
tanh: Function      = unary("tanh",     "tanh",     "float", "The hyperbolic tangent. | 0.5 -> 0.46211717")
asinh: Function     = unary("asinh",    "asinh",    "float", "The inverse hyperbolic sine. | 0.5 -> 0.48121184")
acosh: Function     = unary("acosh",    "acosh",    "float", "The inverse hyperbolic cosine. The derivative is infinite at 1. | 2.0 -> 1.316958")
atanh: Function     = unary("atanh",    "atanh",    "float", "The inverse hyperbolic tangent. | 0.5 -> 0.54930615")
erf: Function       = unary("erf",      "erf",      "float", "The error function (DLMF 7.2.1). | 0.5 -> 0.5204999")
erfc: Function      = unary("erfc",     "erfc",     "float", "1 - erf(x) (DLMF 7.2.2). | 0.5 -> 0.47950017")
sigmoid: Function   = unary("sigmoid",  "logistic", "float", "1 / (1 + exp(-x)). | 0.0 -> 0.5")
bitwise_invert: Function = unary("bitwise_invert", "not", "bool", "Every bit inverted. | 5 -> -6")

add: Function       = binary("add",      "add",      "bool",  "x + y; of bools, `or`. | 1, 2 -> 3", "or")
subtract: Function  = binary("subtract", "sub",      "int",   "x - y. | 3, 1 -> 2", instead_of_bools="logical_xor (x ^ y)")
multiply: Function  = binary("multiply", "mul",      "bool",  "x * y; of bools, `and`. | 2, 3.5 -> 7.0", "and", smooth_power)
divide: Function    = binary("divide",   "div",      "float", "x / y, of integers too a float. | 1, 4 -> 0.25", of_complex=_over_real)
atan2: Function     = binary("atan2",    "atan2",    "float", "The angle of the point (y, x), in radians. The derivative at (0, 0) is NaN. | 1.0, 0.0 -> 1.5707964")
maximum: Function   = binary("maximum",  "maximum",  "bool",  "The larger; NaN if either is. The derivative at a tie is shared. | 1, 2 -> 2")
minimum: Function   = binary("minimum",  "minimum",  "bool",  "The smaller; NaN if either is. The derivative at a tie is shared. | 1, 2 -> 1")
nextafter: Function = binary("nextafter", "nextafter", "float", "The next float after x towards y. The derivative is 1 in x. | 1.0, 2.0 -> 1.0000001")
bitwise_and: Function = binary("bitwise_and", "and", "bool",  "The bits set in both. | 6, 3 -> 2")
bitwise_or: Function  = binary("bitwise_or",  "or",  "bool",  "The bits set in either. | 6, 3 -> 7")
bitwise_xor: Function = binary("bitwise_xor", "xor", "bool",  "The bits set in one of the two. | 6, 3 -> 5")
bitwise_left_shift: Function  = binary("bitwise_left_shift",  "shift_left", "int", "x with its bits moved left by y. | 3, 2 -> 12")
equal: Function     = binary("equal",    "compare",  "bool",  "x == y. | 1, 1.0 -> True", comparison_direction="EQ")
not_equal: Function = binary("not_equal", "compare", "bool",  "x != y. | 1, 2 -> True", comparison_direction="NE")
less: Function      = binary("less",     "compare",  "bool",  "x < y. | 1, 2 -> True",  comparison_direction="LT")
less_equal: Function = binary("less_equal", "compare", "bool", "x <= y. | 2, 2 -> True", comparison_direction="LE")
greater: Function   = binary("greater",  "compare",  "bool",  "x > y. | 1, 2 -> False",  comparison_direction="GT")
greater_equal: Function = binary("greater_equal", "compare", "bool", "x >= y. | 2, 2 -> True", comparison_direction="GE")
# fmt: on
arcsin: Function = asin
arccos: Function = acos
arctan: Function = atan
arctan2: Function = atan2
arcsinh: Function = asinh
arccosh: Function = acosh
arctanh: Function = atanh
invert: Function = bitwise_invert
bitwise_not: Function = bitwise_invert
left_shift: Function = bitwise_left_shift
true_divide: Function = divide


def _rounding(name: str, op: str, doc: str, by_parts: bool = False) -> Any:
    """Rounding functions, which leave integers and bools unchanged; complex numbers `by_parts`."""
    op_class = OPS[f"anvl.{op}"]

    def function(x: Any) -> Any:
        operand = as_tracer(x, name)
        if by_parts and operand.aval.level == _COMPLEX:
            parts = [emit_unary(op_class, prim(part, operand)) for part in ("real", "imag")]
            return mark_weak(prim("complex", *parts), operand.weak_type)
        if operand.aval.level < _LEVELS["float"]:
            return operand
        return mark_weak(emit_unary(op_class, operand), operand.weak_type)

    return named(function, name, doc)


# fmt: off
ceil: Function  = _rounding("ceil",  "ceil",  "The smallest integer that is not below x. The derivative is 0. | 1.2 -> 2.0")
floor: Function = _rounding("floor", "floor", "The largest integer that is not above x. The derivative is 0. | -1.2 -> -2.0")
rint: Function  = _rounding("rint",  "round_nearest_even", "The nearest integer; halves to the even one. The derivative is 0. | 2.5 -> 2.0", by_parts=True)
# fmt: on


@placed
@hiding_frames
def astype(x: Any, dtype: Any, *, copy: bool = True) -> Any:
    """Convert x to a dtype.

    Floats are truncated to integers, numbers become the bools x != 0, and complex numbers lose
    their imaginary part.  A Python type stands for the default dtype of its kind.  With
    `copy=False` an array of this dtype is returned itself; `device` moves the result.

    >>> import anvl.numpy as np
    >>> np.astype(np.asarray([1.7, -1.7]), "i32")
    Array([ 1, -1], dtype=int32)
    """
    if not copy and isinstance(x, Tracer | Array) and x.dtype == as_dtype(dtype):
        return x
    return _astype(x, dtype)


@public("dtype")
def _astype(x: Any, dtype: Any) -> Any:
    operand, wanted = as_tracer(x, "astype"), as_dtype(dtype)
    if wanted.kind == "b" and operand.dtype.kind != "b":
        zero = constant(0, operand.dtype, operand.shape)
        return emit(OPS["anvl.compare"], (operand, zero), {"comparison_direction": "NE"})
    result = cast(operand, wanted)
    return Tracer(result.value, result.aval.strong(), result.owner, result.location)


@public()
def trunc(x: Any) -> Any:
    """Truncate to the integer part.  The derivative is 0.

    >>> import anvl.numpy as np
    >>> print(np.trunc(-1.7))
    -1.0
    """
    operand = as_tracer(x, "trunc")
    check_real("trunc", operand)
    if not is_kind(operand, "float"):
        return operand
    below = prim("compare", operand, filled(operand, 0), comparison_direction="LT")
    result = prim("select", below, prim("ceil", operand), prim("floor", operand))
    return mark_weak(result, operand.weak_type)


fix = trunc


@public()
def bitwise_right_shift(x: Any, y: Any) -> Any:
    """Shift the bits of x right by y; the sign is kept.

    >>> import anvl.numpy as np
    >>> print(np.bitwise_right_shift(-8, 1))
    -4
    """
    (a, b), weak = promoted("bitwise_right_shift", (x, y), "int")
    which = "logical" if is_kind(a, "uint") else "arithmetic"
    return mark_weak(prim(f"shift_right_{which}", a, b), weak)


right_shift: Function = bitwise_right_shift


@public()
def bitwise_count(x: Any) -> Any:
    """Count the bits set in |x|.

    >>> import anvl.numpy as np
    >>> print(np.bitwise_count(7))
    3
    """
    (operand,), _ = promoted("bitwise_count", (abs(x),), "int")
    return convert(prim("popcnt", operand), np.dtype(np.uint8))


@public()
def positive(x: Any) -> Any:
    """x unchanged.

    >>> import anvl.numpy as np
    >>> print(np.positive(2))
    2
    """
    return as_tracer(x, "positive")


@public()
def abs(x: Any) -> Any:
    """The absolute value; the modulus of a complex number.  The derivative at 0 is 0.

    >>> import anvl.numpy as np
    >>> print(np.abs(-2), np.abs(3 + 4j))
    2 5.0
    """
    (operand,), weak = promoted("abs", (x,))
    return operand if is_kind(operand, "bool", "uint") else mark_weak(prim("abs", operand), weak)


absolute = abs


@public()
def fabs(x: Any) -> Any:
    """The absolute value as a float, for integers too.

    >>> import anvl.numpy as np
    >>> print(np.fabs(-2))
    2.0
    """
    (operand,), weak = promoted("fabs", (x,), "float")
    check_real("fabs", operand)
    return mark_weak(prim("abs", operand), weak)


@public()
def sign(x: Any) -> Any:
    """The sign: -1, 0 or 1; x / |x| for a complex number.

    The derivative is 0; for a complex number that of its angle.

    >>> import anvl.numpy as np
    >>> print(np.sign(-2.5))
    -1.0
    """
    (operand,), weak = promoted("sign", (x,), "int")
    if is_kind(operand, "uint"):
        positive = prim("compare", operand, filled(operand, 0), comparison_direction="NE")
        return convert(positive, operand.dtype)
    if is_kind(operand, "int"):
        return mark_weak(prim("sign", operand), weak)
    if is_kind(operand, "float"):  # of -0.0 the op gives -0.0
        is_zero = prim("compare", operand, filled(operand, 0), comparison_direction="EQ")
        found = prim("select", is_zero, filled(operand, 0), prim("sign", operand))
        return mark_weak(found, weak)
    return mark_weak(direction(operand, real(operand).dtype, prim), weak)


@public()
def real(x: Any) -> Any:
    """The real part; x itself if it is real.

    >>> import anvl.numpy as np
    >>> print(np.real(3 + 4j))
    3.0
    """
    operand = as_tracer(x, "real")
    return prim("real", operand) if is_kind(operand, "complex") else operand


@public()
def imag(x: Any) -> Any:
    """The imaginary part; zeros if x is real.

    >>> import anvl.numpy as np
    >>> print(np.imag(3 + 4j))
    4.0
    """
    operand = as_tracer(x, "imag")
    return prim("imag", operand) if is_kind(operand, "complex") else filled(operand, 0)


@public()
def conj(x: Any) -> Any:
    """The complex conjugate; x itself if it is real.

    >>> import anvl.numpy as np
    >>> print(np.conj(3 + 4j))
    (3-4j)
    """
    operand = as_tracer(x, "conj")
    return prim("conj", operand) if is_kind(operand, "complex") else operand


conjugate = conj


@public()
def angle(x: Any) -> Any:
    """The angle of a complex number, in radians.  The derivative at 0 is NaN.

    >>> import anvl.numpy as np
    >>> print(np.angle(1j))
    1.5707964
    """
    return atan2(imag(x), real(x))


@public()
def square(x: Any) -> Any:
    """x times x.

    >>> import anvl.numpy as np
    >>> print(np.square(-3))
    9
    """
    (operand,), weak = promoted("square", (x,), "int")
    if is_kind(operand, "int", "uint"):
        return mark_weak(prim("mul", operand, operand), weak)
    smooth = smooth_power(operand)
    return mark_weak(prim("square", operand) if smooth is None else smooth, weak)


@public()
def exp2(x: Any) -> Any:
    """2 to the power x.

    >>> import anvl.numpy as np
    >>> print(np.exp2(3))
    8.0
    """
    (operand,), weak = promoted("exp2", (x,), "float")
    if is_kind(operand, "complex"):
        return mark_weak(prim("pow", filled(operand, 2), operand), weak)
    return mark_weak(prim("exp2", operand), weak)


__all__ += [name for name in tabled if name not in __all__]
