"""Floats as fractions and powers of two, exactly, with derivatives; logarithms to other bases."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from anvl.core.promote import as_tracer, broadcast_shapes, broadcast_to, constant, convert, promoted
from anvl.core.tracer import Tracer
from anvl.dialect.core.types import dtype_name
from anvl.dispatch.eager import public
from anvl.numpy.arrays.choice import logical_and, logical_not, where
from anvl.numpy.functions.elementwise import (
    bitwise_and,
    divide,
    equal,
    less,
    log,
    mark_weak,
    maximum,
    minimum,
    subtract,
)
from anvl.numpy.functions.emitting import is_kind, prim
from anvl.runtime import hiding_frames

__all__ = ["frexp", "ldexp", "log2", "log10"]

_FAR = 1 << 14  # beyond such a power of two all results are 0 or infinite
#: By dtype: the integer of its bits, digits including the first, the largest exponent of 2.
_FORMATS = {"f32": ("i32", 24, 127), "f64": ("i64", 53, 1023)}


def _real(name: str, x: Any) -> tuple[Tracer, bool]:
    (operand,), weak = promoted(name, (x,), "float")
    if is_kind(operand, "complex"):
        raise TypeError(f"{name}: takes real numbers, got {operand.aval}")
    return operand, weak


@hiding_frames
def ldexp(x: Any, n: Any) -> Any:
    """x * 2^n, exactly; rounded once if the result is subnormal.

    x is real, integers become floats; n are integers.  The derivative is 2^n in x; n has none.
    Raises `TypeError` for other dtypes.  Source: IEEE 754-2019, `scaleB`.

    >>> import anvl.numpy as np
    >>> print(np.ldexp(np.asarray([0.75, 3.0]), np.asarray([2, -1])))
    [3.  1.5]
    """
    # A Python number takes no dtype from x, as it would beside an array.
    return _ldexp(x, np.int32(min(max(n, -_FAR), _FAR)) if type(n) is int else n)


def _scaled_by_power_of_2(x: Any, n: Any) -> Any:
    power = as_tracer(n, "ldexp")
    if not is_kind(power, "int", "uint", "bool"):
        raise TypeError(f"ldexp: the exponent is {power.aval}; it must be an integer")
    operand, weak = _real("ldexp", x)
    if power.dtype.itemsize > 4 or is_kind(power, "uint"):
        widest = "uint64" if is_kind(power, "uint") else "int64"
        power = minimum(convert(power, np.dtype(widest)), _FAR)
        power = maximum(convert(power, np.dtype(np.int64)), -_FAR)
    power = convert(power, np.dtype(np.int32))
    shape = broadcast_shapes(operand.shape, power.shape, function="ldexp")
    narrow = operand.dtype.itemsize < 2
    wide = convert(operand, np.dtype(np.float32)) if narrow else operand
    y = prim("ldexp", broadcast_to(wide, shape), broadcast_to(power, shape))
    return mark_weak(convert(y, operand.dtype), weak)


_scaled_by_power_of_2.__name__ = "ldexp"
_ldexp = public()(_scaled_by_power_of_2)


@public()
def frexp(x: Any) -> Any:
    """Split x into fraction and exponent: a pair (m, n) with x = m * 2^n and 0.5 <= |m| < 1.

    x is real, integers become floats.  n is i32, and 0 where x is 0, infinite or NaN; m is x there.
    The derivative of m is 2^-n; n has none: it is flat but where it jumps, at powers of two.
    Raises `TypeError` for complex numbers.  Source: IEEE 754-2019, `logB`.

    >>> import anvl.numpy as np
    >>> fraction, exponent = np.frexp(np.asarray([3.0, -0.375]))
    >>> print(fraction, exponent)
    [ 0.75 -0.75] [ 2 -1]
    """
    operand, weak = _real("frexp", x)
    wide = operand if dtype_name(operand.dtype) in _FORMATS else convert(operand, _F32)
    exponent = _exponent(prim("stop_gradient", wide))
    fraction = prim("ldexp", wide, prim("neg", exponent))
    return mark_weak(convert(fraction, operand.dtype), weak), exponent


_F32 = np.dtype(np.float32)


def _exponent(x: Tracer) -> Any:
    """The exponent of `frexp`, from the bits of x."""
    integer, digits, largest = _FORMATS[dtype_name(x.dtype)]
    bits = prim("bitcast_convert", x, dtype=integer)
    places = constant(digits - 1, bits.dtype, bits.shape)
    fraction = bitwise_and(bits, (1 << (digits - 1)) - 1)
    biased = bitwise_and(prim("shift_right_logical", bits, places), 2 * largest + 1)
    # For subnormal numbers: by the position of their first digit.
    first = 8 * bits.dtype.itemsize - digits - largest + 2
    small = subtract(first, prim("count_leading_zeros", fraction))
    is_small = equal(biased, 0)
    found = where(is_small, small, subtract(biased, largest - 1))
    is_zero = logical_and(is_small, equal(fraction, 0))
    has_one = logical_and(logical_not(is_zero), less(biased, 2 * largest + 1))
    return convert(where(has_one, found, 0), np.dtype(np.int32))


def _logarithm(name: str, base: int, x: Any) -> Any:
    (operand,), weak = promoted(name, (x,), "float")
    if is_kind(operand, "complex"):
        return mark_weak(divide(log(operand), math.log(base)), weak)
    return mark_weak(prim(name, operand), weak)


@public()
def log2(x: Any) -> Any:
    """The logarithm to base 2, exact at powers of 2.

    x is a float or complex, integers become floats.  NaN for negative, -inf at 0.
    Source: `numpy.log2`.

    >>> import anvl.numpy as np
    >>> print(np.log2(8))
    3.0
    """
    return _logarithm("log2", 2, x)


@public()
def log10(x: Any) -> Any:
    """The logarithm to base 10, exact at powers of 10.

    x is a float or complex, integers become floats.  NaN for negative, -inf at 0.
    Source: `numpy.log10`.

    >>> import anvl.numpy as np
    >>> print(np.log10(1000.0))
    3.0
    """
    return _logarithm("log10", 10, x)
