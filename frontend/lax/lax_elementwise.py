"""Elementwise functions of `jax.lax` that NumPy has not, or has with another meaning."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

import anvl.numpy as anp
from anvl.core.config import as_dtype
from anvl.core.promote import as_tracer, constant, convert, promoted
from anvl.core.tracer import Tracer
from anvl.dialect.core.types import dtype_name
from anvl.dispatch.eager import public
from anvl.lax.lax_options import RoundingMethod
from anvl.numpy.arrays.axes import int_of
from anvl.numpy.functions.elementwise import mark_weak
from anvl.numpy.functions.emitting import is_kind, prim
from anvl.runtime import hiding_frames
from anvl.transforms.custom_rules import custom_jvp

__all__ = [
    "bitcast_convert_type", "clamp", "clz", "complex", "div", "integer_pow", "mulhi",
    "one_minus_square", "polynomial", "population_count", "reduce_precision", "rem", "round",
    "rsqrt", "select_n", "shift_right_arithmetic",
    "shift_right_logical",
]  # fmt: skip


def _binary(name: str, op: str, x: Any, y: Any) -> Any:
    (a, b), weak = promoted(name, (x, y))
    return mark_weak(prim(op, a, b), weak)


@public()
def div(x: Any, y: Any) -> Any:
    """Divide elementwise; integers are rounded towards 0 and stay integers.

    >>> from anvl import lax
    >>> print(lax.div(-7, 2), lax.div(-7.0, 2.0))
    -3 -3.5
    """
    return _binary("div", "div", x, y)


@public()
def rem(x: Any, y: Any) -> Any:
    """Remainder of the division that rounds towards 0: it has the sign of x.

    >>> from anvl import lax
    >>> print(lax.rem(-7, 2), lax.rem(7.5, -2.0))
    -1 1.5
    """
    return _binary("rem", "rem", x, y)


@public()
def rsqrt(x: Any) -> Any:
    """Reciprocal of the square root of floats or complex numbers, elementwise.

    >>> from anvl import lax
    >>> print(lax.rsqrt(4.0))
    0.5
    """
    (a,), weak = promoted("rsqrt", (x,), at_least="float")
    return mark_weak(prim("rsqrt", a), weak)


@public()
def shift_right_arithmetic(x: Any, y: Any) -> Any:
    """Shift the bits of integers x to the right by y, with copies of the first bit from the left.

    Of unsigned integers, too: `anvl.numpy.right_shift` divides them by a power of two.

    >>> import anvl.numpy as np
    >>> from anvl import lax
    >>> print(lax.shift_right_arithmetic(-8, 1), lax.shift_right_arithmetic(np.uint8(254), 1))
    -4 255
    """
    return _binary("shift_right_arithmetic", "shift_right_arithmetic", x, y)


@public()
def shift_right_logical(x: Any, y: Any) -> Any:
    """Shift the bits of integers x to the right by y, with zeros from the left.

    >>> from anvl import lax
    >>> print(lax.shift_right_logical(-1, 28))
    15
    """
    return _binary("shift_right_logical", "shift_right_logical", x, y)


@public()
def clamp(min: Any, x: Any, max: Any) -> Any:
    """Limit x to [min, max], elementwise; the limits are scalars or of the shape of x.

    >>> import anvl.numpy as np
    >>> from anvl import lax
    >>> print(lax.clamp(0.0, np.asarray([-1.0, 0.5, 2.0]), 1.0))
    [0.  0.5 1. ]
    """
    (low, a, high), weak = promoted("clamp", (min, x, max))
    return mark_weak(prim("clamp", low, a, high), weak)


@hiding_frames
def round(x: Any, rounding_method: RoundingMethod = RoundingMethod.AWAY_FROM_ZERO) -> Any:
    """Round to integers, elementwise: halves away from zero, or to the even neighbour.

    The derivative is 0.  Raises `ValueError` for another method.

    >>> import anvl.numpy as np
    >>> from anvl import lax
    >>> print(lax.round(np.asarray([0.5, 1.5, -2.5])))
    [ 1.  2. -3.]
    >>> print(lax.round(np.asarray([0.5, 1.5]), lax.RoundingMethod.TO_NEAREST_EVEN))
    [0. 2.]
    """
    try:
        method = RoundingMethod(rounding_method)
    except ValueError:
        raise ValueError(
            f"round: rounding_method is {rounding_method!r}; it must be one of "
            f"{', '.join(map(str, RoundingMethod.__members__))} of lax.RoundingMethod"
        ) from None
    return _round(x, method is RoundingMethod.TO_NEAREST_EVEN)


@public("to_even")
def _round(x: Any, to_even: bool) -> Any:
    (a,), weak = promoted("round", (x,), at_least="float")
    if is_kind(a, "complex"):
        raise TypeError(f"round: {a.aval} is complex; round its real and imaginary parts")
    return mark_weak(prim("round_nearest_even" if to_even else "round_nearest_afz", a), weak)


@public()
def complex(x: Any, y: Any) -> Any:
    """Complex numbers of real parts x and imaginary parts y, elementwise.

    Numbers of fewer than 32 bits become f32.

    >>> from anvl import lax
    >>> print(lax.complex(1.0, -2.0))
    (1-2j)
    """
    (a, b), weak = promoted("complex", (x, y), at_least="float")
    if is_kind(a, "complex"):
        raise TypeError(f"complex: takes real numbers, got {a.aval}; give its real part")
    if a.dtype.itemsize < 4:
        a, b = (convert(v, np.dtype(np.float32)) for v in (a, b))
    return mark_weak(prim("complex", a, b), weak)


@public()
def clz(x: Any) -> Any:
    """Number of zero bits before the highest one of integers, elementwise.

    Raises `TypeError` for other dtypes.

    >>> from anvl import lax
    >>> print(lax.clz(1), lax.clz(-1))
    31 0
    """
    operand = as_tracer(x, "clz")
    return mark_weak(prim("count_leading_zeros", operand), operand.weak_type)


@public()
def population_count(x: Any) -> Any:
    """Number of bits set in integers, elementwise: of negative ones in two's complement.

    `anvl.numpy.bitwise_count` counts those of the absolute value, as NumPy does.

    Parameters
    ----------
    x : array of integers

    Returns
    -------
    Array of the dtype and shape of x.

    Raises
    ------
    TypeError
        Other dtypes.

    Examples
    --------
    >>> from anvl import lax
    >>> print(lax.population_count(7), lax.population_count(-1))
    3 32
    """
    operand = as_tracer(x, "population_count")
    return mark_weak(prim("popcnt", operand), operand.weak_type)


@public()
def mulhi(x: Any, y: Any) -> Any:
    """Upper half of the bits of the product of integers, elementwise.

    Raises `TypeError` for other dtypes.

    >>> from anvl import lax
    >>> print(lax.mulhi(2**20, 2**20))
    256
    """
    return _binary("mulhi", "mulhi", x, y)


@hiding_frames
def integer_pow(x: Any, y: int) -> Any:
    """Raise x to a power that is a Python integer, elementwise.

    Raises `TypeError` for another exponent, and for a negative one of integers; `OverflowError`
    for one beyond 64 bits.

    >>> from anvl import lax
    >>> print(lax.integer_pow(3.0, -2), lax.integer_pow(-2, 3))
    0.11111111 -8
    """
    exponent = int_of(y, "y", "integer_pow")
    if not -(2**63) <= exponent < 2**63:
        raise OverflowError(
            f"integer_pow: y is {y}, which does not fit 64 bits; use pow with a float"
        )
    return _integer_pow(x, exponent)


@public("y")
def _integer_pow(x: Any, y: int) -> Any:
    operand = as_tracer(x, "integer_pow")
    if is_kind(operand, "float", "complex"):
        return mark_weak(prim("integer_pow", operand, exponent=y), operand.weak_type)
    if y < 0:
        raise TypeError(
            f"integer_pow: {operand.aval} holds integers, which have no power {y}; convert it with "
            ".astype"
        )
    return anp.power(operand, y)


@hiding_frames
def reduce_precision(operand: Any, exponent_bits: int, mantissa_bits: int) -> Any:
    """Round floats to those of fewer bits; the dtype stays.

    The derivative is taken to be 1, rounded in the same way.  Raises `TypeError` for other dtypes,
    fewer than 1 exponent bit and a negative number of mantissa bits.  Source: StableHLO,
    `reduce_precision`.

    >>> from anvl import lax
    >>> print(lax.reduce_precision(1.2345, exponent_bits=8, mantissa_bits=7))  # as bf16
    1.234375
    """
    name = "reduce_precision"
    exponent = int_of(exponent_bits, "exponent_bits", name)
    return _reduce_precision(operand, exponent, int_of(mantissa_bits, "mantissa_bits", name))


@public("exponent_bits", "mantissa_bits")
def _reduce_precision(operand: Any, exponent_bits: int, mantissa_bits: int) -> Any:
    x = as_tracer(operand, "reduce_precision")
    found = prim("reduce_precision", x, exponent_bits=exponent_bits, mantissa_bits=mantissa_bits)
    return mark_weak(found, x.weak_type)


@public()
def one_minus_square(x: Any) -> Any:
    """1 - x^2 as (1 + x) (1 - x), which is accurate near -1 and 1; its derivative is -2 x.

    >>> from anvl import lax
    >>> print(lax.one_minus_square(0.5))
    0.75
    """
    (operand,), weak = promoted("one_minus_square", (x,), at_least="float")
    return mark_weak(_one_minus_square(operand), weak)


@custom_jvp
def _one_minus_square(x: Any) -> Any:
    return anp.multiply(anp.add(1, x), anp.subtract(1, x))


@_one_minus_square.defjvp
def _slope_of_one_minus_square(primals: Any, y: Any, tangents: Any) -> Any:
    return anp.multiply(anp.multiply(-2, primals[0]), tangents[0])


@public()
def polynomial(x: Any, coeffs: Sequence[Any], *, unroll: int | None = None) -> Any:
    """Value of a polynomial, by Horner's rule: coeffs[0] + x (coeffs[1] + x ...).

    `unroll` makes no difference.  Raises `TypeError` for no coefficients.

    >>> from anvl import lax
    >>> print(lax.polynomial(3.0, [1.0, 5.0, 2.0]))
    34.0
    """
    if not len(coeffs):
        raise TypeError("polynomial: there are no coefficients; give at least one")
    (operand, *rest), weak = promoted("polynomial", (x, *coeffs), at_least="float")
    y = rest[-1]
    for coefficient in rest[-2::-1]:
        y = anp.add(coefficient, anp.multiply(operand, y))
    return mark_weak(y, weak)


@hiding_frames
def bitcast_convert_type(operand: Any, new_dtype: Any) -> Any:
    """Read the bits of an array as elements of another dtype.

    Where the elements become narrower, a last axis has the parts of each, the lowest first; where
    they become wider, the last axis is joined to one element.  There is no derivative.  Raises
    `TypeError` for bools and complex numbers, and a last axis that does not fit.  Source:
    StableHLO, `bitcast_convert`.

    >>> import anvl.numpy as np
    >>> from anvl import lax
    >>> print(lax.bitcast_convert_type(np.ones(2), "i32"))
    [1065353216 1065353216]
    >>> lax.bitcast_convert_type(np.ones(2), "ui8").shape
    (2, 4)
    """
    return _bitcast(operand, as_dtype(new_dtype))


@public("dtype")
def _bitcast(operand: Any, dtype: np.dtype[Any]) -> Any:
    x = as_tracer(operand, "bitcast_convert_type")
    return x if x.dtype == dtype else prim("bitcast_convert", x, dtype=dtype_name(dtype))


@public()
def select_n(which: Any, *cases: Any) -> Any:
    """Choose elements of one of several arrays: of `cases[which]`, elementwise.

    `which` is of bools for two cases, else of i32, and has no axes or those of the cases, which
    have one shape.  Below 0 it chooses the first case, and behind the last one the last.  Raises
    `TypeError` for no case, another dtype of `which`, and bools for other than two cases.

    >>> import anvl.numpy as np
    >>> from anvl import lax
    >>> x = np.asarray([1, 2, 3])
    >>> print(lax.select_n(np.asarray([2, 0, 1]), x, 10 * x, 100 * x))
    [100   2  30]
    """
    if not cases:
        raise TypeError("select_n: there are no cases; give at least one")
    chooser = as_tracer(which, "select_n")
    (*arrays,), weak = promoted("select_n", cases)
    found: Tracer = arrays[-1]
    if is_kind(chooser, "bool"):
        if len(arrays) > 2:
            raise TypeError(
                f"select_n: which is {chooser.aval}, of bools, for {len(arrays)} cases; give i32"
            )
        return mark_weak(anp.where(chooser, found, arrays[0]), weak)
    if chooser.dtype != np.int32:
        raise TypeError(f"select_n: which is {chooser.aval}; it must be of bools or i32")
    for i in range(len(arrays) - 2, -1, -1):
        chosen = anp.less_equal(chooser, constant(i, chooser.dtype, chooser.shape))
        found = anp.where(chosen, arrays[i], found)
    return mark_weak(found, weak)
