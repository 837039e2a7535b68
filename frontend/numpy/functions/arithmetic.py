"""Powers, divisions and rounding: NumPy's names, Python's rules for negative numbers."""

from __future__ import annotations

import math
from functools import reduce
from typing import Any

import ml_dtypes
import numpy as np

from anvl.core.promote import abstract, common_dtype, constant, promoted
from anvl.core.tracer import Tracer
from anvl.dispatch.eager import public
from anvl.numpy.arrays.axes import int_of
from anvl.numpy.arrays.choice import isfinite, isinf, logical_and, logical_or, where
from anvl.numpy.functions.elementwise import (
    add,
    astype,
    divide,
    equal,
    less,
    mark_weak,
    multiply,
    not_equal,
    rint,
    subtract,
)
from anvl.numpy.functions.emitting import check_real, is_kind, prim, smooth_power
from anvl.runtime import hiding_frames

__all__ = [
    "around", "divmod", "float_power", "floor_divide", "fmod", "mod", "pow", "power", "reciprocal",
    "remainder", "round",
]  # fmt: skip

_LARGEST_POWER = 64  # exponents up to this are multiplied out


@public()
def reciprocal(x: Any) -> Any:
    """1 / x; integers become floats.

    >>> import anvl.numpy as np
    >>> print(np.reciprocal(4.0))
    0.25
    """
    return divide(1, x)


@hiding_frames
def power(x: Any, y: Any) -> Any:
    """x to the power y.  A small Python int y is multiplied out: exact, and x may be negative.

    The derivative at x = 0 is 0 in y, where y is 0 or more, and at y = 0 in x.

    >>> import anvl.numpy as np
    >>> print(np.power(np.asarray([-2.0, 3.0]), 2))
    [4. 9.]
    """
    if type(y) is int and -_LARGEST_POWER <= y <= _LARGEST_POWER:
        return _integer_power(x, y)
    if type(x) is Tracer and isinstance(y, float | np.generic | np.ndarray):
        smooth = _smooth_power(x, y)
        if smooth is not None:
            return smooth
    return _power(x, y)


def _smooth_power(x: Tracer, y: Any) -> Tracer | None:
    """x to a Python int y of 2 or more for ops whose power is smoother than they are; else None."""
    number = np.asarray(y)
    if number.ndim or number.dtype.kind not in "iuf":
        return None
    value = float(number)
    if not (value.is_integer() and 2 <= value <= _LARGEST_POWER):
        return None
    dtype, weak = common_dtype(x.aval, abstract(y, "power"))
    if dtype != x.dtype:
        return None
    smooth = smooth_power(x, int(value))
    return None if smooth is None else mark_weak(smooth, weak)


@public()
def _power(x: Any, y: Any) -> Any:
    (a, b), weak = promoted("power", (x, y), "int")
    return mark_weak(prim("pow", a, b), weak)


# Operators look these attributes up on every function.
power.eager, power.traced = _power.eager, power  # type: ignore[attr-defined]
pow = power


@public("n")
def _integer_power(x: Any, n: int) -> Any:
    """x^n by repeated squaring."""
    (base,), weak = promoted("power", (x,), "int")
    if n < 0 and is_kind(base, "int", "uint"):
        raise TypeError(
            f"power: an integer to the power {n} is not an integer; cast the base to a float first"
        )
    if n == -1:
        return mark_weak(divide(1, base), weak)
    smooth = smooth_power(base, n) if n > 1 else None
    if smooth is not None:
        return mark_weak(smooth, weak)
    if 0 <= n <= 2 or is_kind(base, "int", "uint"):
        return mark_weak(_multiplied_out(base, n), weak)
    return mark_weak(prim("integer_pow", base, exponent=n), weak)


def _multiplied_out(base: Tracer, n: int) -> Tracer:
    """base^n by repeated squaring, for n >= 0."""
    result = None
    while n:
        if n & 1:
            result = base if result is None else prim("mul", result, base)
        n >>= 1
        if n:
            base = prim("mul", base, base)
    return constant(1, base.dtype, base.shape) if result is None else result


@public()
def float_power(x: Any, y: Any) -> Any:
    """x to the power y, as floats.  Derivatives at x = 0 are those of `power`.

    >>> import anvl.numpy as np
    >>> print(np.float_power(2, -1))
    0.5
    """
    (a, b), weak = promoted("float_power", (x, y), "float")
    return mark_weak(prim("pow", a, b), weak)


def _is_off(rest: Tracer, divisor: Tracer) -> Tracer:
    """Whether truncated and floored division differ: the remainder has the other sign."""
    zero = constant(0, rest.dtype, rest.shape)
    return logical_and(not_equal(rest, zero), not_equal(less(rest, zero), less(divisor, zero)))


@public()
def remainder(x: Any, y: Any) -> Any:
    """Remainder of the floored division, with the sign of y: Python's %.

    A remainder of zero has the sign of y, too.  The derivative is that between the jumps: 1 in x,
    and minus the whole quotient in y.  Source:
    https://data-apis.org/array-api/2025.12/API_specification/generated/array_api.remainder.html

    >>> import anvl.numpy as np
    >>> print(np.remainder(-7, 3))
    2
    """
    (a, b), weak = promoted("remainder", (x, y), "int")
    check_real("remainder", a)
    rest = prim("rem", a, b)
    if not is_kind(rest, "uint"):
        rest = prim("select", _is_off(rest, b), prim("add", rest, b), rest)
    if is_kind(rest, "float"):
        rest = where(equal(rest, 0), _zero_signed_like(b, rest), rest)
    return mark_weak(rest, weak)


def _zero_signed_like(b: Tracer, zero: Tracer) -> Any:
    """Zeros with the signs of b, and the derivative of `zero`."""
    constant_part = prim("stop_gradient", zero)
    return where(
        less(b, 0), prim("neg", subtract(constant_part, zero)), subtract(zero, constant_part)
    )


mod = remainder


@public()
def fmod(x: Any, y: Any) -> Any:
    """Remainder of the truncated division, with the sign of x: C's.

    The derivative is that between the jumps: 1 in x, and minus the whole quotient in y.
    Raises `TypeError` for complex numbers.

    >>> import anvl.numpy as np
    >>> print(np.fmod(-7, 3))
    -1
    """
    (a, b), weak = promoted("fmod", (x, y), "int")
    check_real("fmod", a)
    return mark_weak(prim("rem", a, b), weak)


@public()
def floor_divide(x: Any, y: Any) -> Any:
    """Floored division: Python's //.  The derivative is 0.  Of integers by 0 all bits are set.

    With an infinity it is floor(x / y), as the standard has it: `inf // 2` is infinite and
    `1 // -inf` is -0.0, where Python and NumPy have NaN and -1.  Source:
    https://data-apis.org/array-api/2025.12/API_specification/generated/array_api.floor_divide.html

    >>> import anvl.numpy as np
    >>> print(np.floor_divide(-7, 3))
    -3
    """
    (a, b), weak = promoted("floor_divide", (x, y), "int")
    check_real("floor_divide", a)
    if is_kind(a, "float"):
        return mark_weak(_floored(a, b), weak)
    quotient = prim("div", a, b)
    if is_kind(a, "int"):
        # By 0 the quotient is -1 whatever is left.
        off = logical_and(_is_off(prim("rem", a, b), b), not_equal(b, 0))
        quotient = prim("select", off, subtract(quotient, 1), quotient)
    return mark_weak(quotient, weak)


def _floored(a: Tracer, b: Tracer) -> Tracer:
    """Floored division of floats: the multiple of b below a, over b, is an integer up to error."""
    whole = rint(divide(subtract(a, remainder(a, b)), b))
    # Of and by zero, and with infinities: the quotient is a zero, an infinity or NaN.
    is_limit = logical_or(logical_or(equal(a, 0), equal(b, 0)), logical_or(isinf(a), isinf(b)))
    positive = where(equal(whole, 0), 0.0, whole)  # not -0.0, of 0 / -2.5
    return prim("stop_gradient", where(is_limit, divide(a, b), positive))


@public()
def divmod(x: Any, y: Any) -> Any:
    """The pair x // y, x % y.

    The derivative of the quotient is 0, that of the remainder as of `remainder`.

    >>> import anvl.numpy as np
    >>> print(*np.divmod(7, 2))
    3 1
    """
    return floor_divide(x, y), remainder(x, y)


@public("decimals")
def round(x: Any, decimals: int = 0) -> Any:
    """Round to the given number of decimals, halves to even.  The derivative is 0.

    >>> import anvl.numpy as np
    >>> print(np.round(np.asarray([0.5, 1.5, 2.25])))
    [0. 2. 2.]
    """
    (operand,), weak = promoted("round", (x,))
    decimals = int_of(decimals, "decimals", "round")
    if is_kind(operand, "complex"):
        parts = [round(prim(part, operand), decimals) for part in ("real", "imag")]
        return prim("complex", *parts)
    if is_kind(operand, "float"):
        return mark_weak(_rounded(operand, decimals), weak)
    return operand if decimals >= 0 else mark_weak(_rounded_integer(operand, decimals), weak)


around = round


def _rounded(x: Tracer, decimals: int) -> Any:
    if decimals == 0:
        return rint(x)
    # The largest power of ten is 10**most.
    most = int(ml_dtypes.finfo(x.dtype).maxexp * math.log10(2))
    if abs(decimals) > 2 * most:
        return _rounded_far(x, decimals)
    # In two factors where 10**decimals is too large for the dtype.
    first = abs(decimals) if abs(decimals) <= most else abs(decimals) // 2
    scales = [10.0**n for n in (first, abs(decimals) - first) if n]
    if decimals > 0:
        scaled = reduce(multiply, scales, x)
        nearest = reduce(_true_quotient, scales, rint(scaled))
        # Numbers this large have no more decimals than these.
        return where(isinf(scaled), prim("stop_gradient", x), nearest)
    return reduce(multiply, scales, rint(reduce(_true_quotient, scales, x)))


def _true_quotient(x: Any, divisor: float) -> Any:
    """x / divisor, rounded once: XLA would multiply by the reciprocal of a constant, or of one that
    is broadcast, and 45000 / 1000 would not be 45."""
    return divide(x, where(not_equal(x, x), x, divisor))


def _rounded_far(x: Tracer, decimals: int) -> Any:
    """Round to more decimals than any number has, or to a multiple above twice the largest."""
    x = prim("stop_gradient", x)
    return x if decimals > 0 else where(isinf(x), x, multiply(x, 0.0))


def _rounded_integer(x: Tracer, decimals: int) -> Any:
    """Round integers to a multiple of 10**-decimals, halves to even."""
    if is_kind(x, "bool"):
        return x
    unit = 10**-decimals
    if unit // 2 > np.iinfo(x.dtype).max:
        return multiply(x, 0)
    below, rest = floor_divide(x, unit), remainder(x, unit)
    odd = astype(remainder(below, 2), "bool")
    is_up = where(equal(rest, unit // 2), odd, less(unit // 2, rest))
    return multiply(add(below, astype(is_up, x.dtype)), unit)


def evenly_spaced(low: Any, high: Any, position: Any, steps: int) -> Any:
    """Values between ends as NumPy computes them: whole ones are exact, as in bins of integers.

    Where the distance of the ends overflows, or a step is 0, each end is weighted instead.
    """
    distance = subtract(high, low)
    is_complex = is_kind(distance, "complex")  # whose quotient is rounded more than once anyway
    step = divide(distance, steps) if is_complex else _true_quotient(distance, steps)
    usable = logical_and(isfinite(step), not_equal(step, 0))
    at = divide(position, steps)
    weighted = add(multiply(subtract(1, at), low), multiply(at, high))
    # A product that is selected is rounded: LLVM would fuse it with the sum, and numbers on edges
    # of histograms would be counted in the bins beside theirs.
    above = multiply(position, where(usable, step, 0))
    return where(usable, add(where(equal(above, above), above, 0), low), weighted)
