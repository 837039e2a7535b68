"""x times a gate from 0 to 1 that follows x: `silu`, `gelu_tanh`, and their slopes.

Note [Gates]

A product x * gate(x) is NaN where x is infinite and the gate 0, and so is its slope.  Operands that
a `select` replaces there give masked cotangents (Note [Lazy masks] in `interpreters/masking.py`),
whose masks the layer before turns into a kernel and a reduction of their own; so these are ops, and
each slope is one formula in x: with s = logistic(v), where v is x or a cubic of it,

    d(x s) / dx  =  s + x v' s (1 - s).

The less of s and 1 - s is e / (1 + e), where e = exp(-|v|), and all that a function and its slope
need: they share it as one array, and neither computes an exponential or a quotient of its own.  In
the slope x is clipped to what makes e 0: the largest number, or 25 for the cubic, whose x v' would
overflow.  The slope of the slope is without |v|, which has a kink, so that all further derivatives
are right at 0, too.
Sources: S. Elfwing et al., Sigmoid-weighted linear units (2017); D. Hendrycks and K. Gimpel,
Gaussian error linear units (2016), the form with tanh, of which (1 + tanh u) / 2 = logistic(2 u).
"""

import math
from typing import Any

from anvl.dialect.core.create import full_like, zeros_like
from anvl.dialect.core.lazy_numpy import np
from anvl.dialect.core.op import Value, emit
from anvl.dialect.core.types import dtype_name, numpy_dtype
from anvl.dialect.ops.elementwise.elementary import (
    add,
    div,
    exp,
    logistic_slope,
    mul,
    neg,
    plus,
    sub,
    tanh,
    times,
)
from anvl.dialect.ops.elementwise.table import F, unary
from anvl.dialect.ops.elementwise.upcast import in_wide

_SCALE = 2 * math.sqrt(2 / math.pi)
_CUBIC = 0.044715 * _SCALE
_SATURATED = 25.0  # of |x| in the cubic


def _largest(x: Value) -> float:
    return float(np.finfo(numpy_dtype(dtype_name(x.type.element_type))).max)


def _clipped(x: Value, most: float) -> Value:
    return emit.clamp(full_like(x, -most), x, full_like(x, most))


def _cubic(x: Value, square: Value) -> Value:
    """The v of `gelu_tanh`."""
    return mul(x, plus(times(square, _CUBIC), _SCALE))


def _cubic_slope(square: Value) -> Value:
    return plus(times(square, 3 * _CUBIC), _SCALE)


def _gated(x: Value, gate: Value) -> Value:
    """x times its gate, which is 0 at -infinity."""
    is_infinite = emit.compare(x, full_like(x, -_largest(x)), comparison_direction="LT")
    return mul(emit.select(is_infinite, zeros_like(x), x), gate)


def _of_sign(x: Value, left: Value, right: Value) -> Value:
    """`left` where x is negative."""
    is_left = emit.compare(x, zeros_like(x), comparison_direction="LT")
    return emit.select(is_left, left, right)


def _shares(v: Value) -> tuple[Value, Value]:
    """The less of logistic(v) and 1 - logistic(v), and the other."""
    e = exp(neg(emit.abs(v)))
    less = div(e, plus(e, 1))
    return less, sub(full_like(less, 1), less)


def _silu(x: Value) -> Value:
    return _gated(x, _of_sign(x, *_shares(x)))


def _gelu_tanh(x: Value) -> Value:
    return _gated(x, _of_sign(x, *_shares(_cubic(x, mul(x, x)))))


def _silu_slope(x: Value) -> Value:
    less, more = _shares(x)
    return add(_of_sign(x, less, more), mul(_clipped(x, _largest(x)), mul(less, more)))


def _gelu_tanh_slope(x: Value) -> Value:
    near = _clipped(x, _SATURATED)
    less, more = _shares(_cubic(x, mul(x, x)))
    rise = mul(near, _cubic_slope(mul(near, near)))
    return add(_of_sign(x, less, more), mul(rise, mul(less, more)))


def _silu_bend(x: Value) -> Value:
    """The slope of the slope: s' (2 - x tanh(x / 2))."""
    near = _clipped(x, _largest(x))
    return mul(logistic_slope(near), sub(full_like(x, 2), mul(near, tanh(times(near, 0.5)))))


def _gelu_tanh_bend(x: Value) -> Value:
    """s' (2 v' + x (v'' - v'^2 tanh(v / 2)))."""
    near = _clipped(x, _SATURATED)
    square = mul(near, near)
    v, slope = _cubic(near, square), _cubic_slope(square)
    change = sub(times(near, 6 * _CUBIC), mul(mul(slope, slope), tanh(times(v, 0.5))))
    return mul(logistic_slope(v), add(times(slope, 2), mul(near, change)))


def _wide(f: Any) -> Any:
    return lambda x: in_wide(f, x)


def _slope_times(slope: str) -> Any:
    """The derivative of an op whose slope is an op of x."""
    return lambda g, x, y: mul(g, getattr(emit, slope)(x))


def _bend_times(bend: Any) -> Any:
    return lambda g, x, y: mul(g, in_wide(bend, x))


# fmt: off
#            name               of x                  takes  g times dy/dx
silu =       unary("silu",            _wide(_silu),            F, _slope_times("silu_slope"))
silu_slope = unary("silu_slope",      _wide(_silu_slope),      F, _bend_times(_silu_bend))
gelu_tanh =  unary("gelu_tanh",       _wide(_gelu_tanh),       F, _slope_times("gelu_tanh_slope"))
gelu_tanh_slope = unary("gelu_tanh_slope", _wide(_gelu_tanh_slope), F, _bend_times(_gelu_tanh_bend))
# fmt: on
