"""Inverse and hyperbolic functions of complex numbers, with C's signs of zero and branch cuts.

CHLO's inverse functions are right except for signs of zero and for NaN; by the symmetries of each
function, conj and -x, a part of the result has the sign of a part of x.  CHLO's sinh and cosh of
complex numbers are differences of exponentials, which lose all digits near 0: here they are sin and
cos of i x.  Those of real numbers are in `hyperbolic.py`.
Sources: ISO C99, annex G.6; NIST Digital Library of Mathematical Functions, 4.23, 4.28, 4.37.
"""

import math
from collections.abc import Callable
from typing import Any

from anvl.dialect.core.create import full_like
from anvl.dialect.core.mlir import ir
from anvl.dialect.core.op import Value, emit
from anvl.dialect.core.types import kind
from anvl.dialect.ops.elementwise import hyperbolic
from anvl.dialect.ops.elementwise.upcast import in_wide

__all__ = ["acos", "acosh", "asin", "asinh", "atan", "atanh", "cosh", "sinh"]


def _of_chlo(name: str, x: Value) -> Value:
    return ir.Operation.create(f"chlo.{name}", [x.type], [x]).result


def _real_or(complex_form: Callable[[Value], Value]) -> Callable[[Value], Value]:
    """Use CHLO's function for real operands and `complex_form` for complex ones."""
    name = complex_form.__name__

    def form(x: Value) -> Value:
        element = x.type.element_type
        if kind(element) == "complex":
            return complex_form(x)
        if element.width < 16:  # CHLO cannot legalize some of these
            return in_wide(lambda x: _of_chlo(name, x), x)
        return _of_chlo(name, x)

    return form


def sinh(x: Value) -> Value:
    if kind(x.type.element_type) != "complex":
        return hyperbolic.sinh(x)
    return _times_minus_i(emit.sin(_times_i(x)))


def cosh(x: Value) -> Value:
    if kind(x.type.element_type) != "complex":
        return hyperbolic.cosh(x)
    return emit.cos(_times_i(x))


@_real_or
def asin(x: Value) -> Value:
    found, is_lost = _parts(_of_chlo("asin", x)), _is_nan(x)
    re, im = (_signed(size, part) for size, part in zip(found, _parts(x), strict=True))
    re = _if(is_lost, _zero_or_nan(_parts(x)[0]), re)
    return emit.complex(re, _if(is_lost, full_like(im, math.nan), im))


@_real_or
def acos(x: Value) -> Value:
    (re, im), is_lost = _parts(_of_chlo("acos", x)), _is_nan(x)
    end = emit.sub(full_like(re, math.pi / 2), _zero_or_nan(_parts(x)[0]))
    im = _signed(im, emit.neg(_parts(x)[1]))
    return emit.complex(_if(is_lost, end, re), _if(is_lost, full_like(im, math.nan), im))


@_real_or
def atanh(x: Value) -> Value:
    found, (a, b), is_lost = _parts(_of_chlo("atanh", x)), _parts(x), _is_nan(x)
    re, im = (_signed(size, part) for size, part in zip(found, (a, b), strict=True))
    # Near a = 1, b^2 underflows to 0 before b does.
    is_1, size = _equal(emit.abs(a), full_like(a, 1)), emit.abs(b)
    is_near = _and(is_1, emit.compare(size, full_like(b, 1e-9), comparison_direction="LT"))
    beside = emit.mul(emit.sub(full_like(b, math.log(2)), emit.log(size)), full_like(b, 0.5))
    re = _if(is_lost, _zero_or_nan(a), _if(is_near, _signed(beside, a), re))
    no_angle = emit.compare(b, b, comparison_direction="NE")
    no_angle = getattr(emit, "or")(is_lost, no_angle)
    return emit.complex(re, _if(no_angle, full_like(im, math.nan), im))


@_real_or
def asinh(x: Value) -> Value:
    return _times_minus_i(emit.asin(_times_i(x)))


@_real_or
def atan(x: Value) -> Value:
    return _times_minus_i(emit.atanh(_times_i(x)))


@_real_or
def acosh(x: Value) -> Value:
    """i acos(x) or -i acos(x): the one whose real part is not negative."""
    re, im = _parts(emit.acos(x))
    return emit.complex(emit.abs(im), _signed(re, _parts(x)[1]))


def _parts(x: Value) -> tuple[Value, Value]:
    return emit.real(x), emit.imag(x)


def _times_i(x: Value) -> Value:
    """Multiply by i."""
    re, im = _parts(x)
    return emit.complex(emit.neg(im), re)


def _times_minus_i(x: Value) -> Value:
    """Multiply by -i."""
    re, im = _parts(x)
    return emit.complex(im, emit.neg(re))


def _signed(size: Value, like: Value) -> Value:
    """Return |size| with the sign of `like`, whose zeros are signed too."""
    size, bits = (
        emit.abs(size),
        emit.bitcast_convert(like, dtype=f"i{like.type.element_type.width}"),
    )
    is_below = emit.compare(bits, full_like(bits, 0), comparison_direction="LT")
    return _if(is_below, emit.neg(size), size)


def _is_nan(x: Value) -> Value:
    """Whether one part is NaN and neither is infinite."""
    one, other = (
        (emit.compare(v, v, comparison_direction="NE"), emit.is_inf(v)) for v in _parts(x)
    )
    has_nan, has_inf = (getattr(emit, "or")(a, b) for a, b in zip(one, other, strict=True))
    return _and(has_nan, getattr(emit, "not")(has_inf))


def _zero_or_nan(x: Value) -> Value:
    return _if(_equal(x, full_like(x, 0)), x, full_like(x, math.nan))


def _equal(x: Value, y: Value) -> Value:
    return emit.compare(x, y, comparison_direction="EQ")


def _and(x: Value, y: Value) -> Value:
    both: Any = getattr(emit, "and")(x, y)
    return both


def _if(pred: Value, x: Value, y: Value) -> Value:
    return emit.select(pred, x, y)
