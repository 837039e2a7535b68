"""`sinc` and its derivatives of any order, each without a cancelling division.

With u = pi x and S_n the nth derivative of sin(u) / u: the Taylor series for |u| < n + 1; otherwise
the recurrence u S_n = sin(u + n pi / 2) - n S_(n-1) from n = 0 upward, the product rule applied n
times.
Source: NIST Digital Library of Mathematical Functions, 4.19.1 (the series of sin).
"""

import math
from collections.abc import Sequence
from typing import Any

from anvl.dialect.core.create import full_like
from anvl.dialect.core.op import Value, emit
from anvl.dialect.core.params.base import Int
from anvl.dialect.core.types import dtype_name, kind, numpy_dtype
from anvl.dialect.ops.elementwise.elementary import (
    cos,
    div,
    mul,
    neg,
    plus,
    sin,
    sub,
    times,
    where_zero,
)
from anvl.dialect.ops.elementwise.table import Unary

__all__ = ["SincOp"]

_EPSILON = 1e-18  # relative to the first term, where the series is truncated


#: The factorials in its series are floats: from some order above 50 on they overflow.
_LARGEST_ORDER = 50


class SincOp(Unary, name="sinc"):
    """sin(pi x) / (pi x) elementwise, and 1 at 0; or its derivative of `order`."""

    order: Int
    kinds = "float complex"
    domains = ((-3.0, 3.0),)

    @classmethod
    def result_type(cls, x: Any, order: int) -> Any:
        if order < 0:
            raise TypeError(f"sinc: order is {order}; it must be 0 or more")
        if order > _LARGEST_ORDER:
            raise TypeError(f"sinc: order is {order}; it must be at most {_LARGEST_ORDER}")
        return super().result_type(x)

    @classmethod
    def lower(cls, hlo: Any, x: Value, order: int) -> Value:
        element = x.type.element_type
        if kind(element) == "float" and element.width < 32:
            y = cls.lower(hlo, emit.convert(x, dtype="f32"), order)
            return emit.convert(y, dtype=dtype_name(element))
        if not order and kind(element) == "float":
            return _even(emit.abs(x))
        u = times(x, math.pi)
        y = _recurrence(u, _waves(x, u, order), order)
        if order or kind(element) == "complex":  # XLA's complex sine is inaccurate near 0
            near = emit.compare(
                *(emit.abs(u), full_like(emit.abs(u), order + 1)), comparison_direction="LT"
            )
            y = times(emit.select(near, _series(u, order), y), math.pi**order)
        return y

    @classmethod
    def adjoint(cls, g: Value, xs: Sequence[Value], y: Value, order: int) -> Sequence[Any]:
        return [mul(g, cls.build(xs[0], order=order + 1))]

    @classmethod
    def tangent(
        cls, ts: Sequence[Value | None], xs: Sequence[Value], y: Value, order: int
    ) -> Value | None:
        return None if ts[0] is None else mul(ts[0], cls.build(xs[0], order=order + 1))

    @classmethod
    def sample(cls, draw: Any) -> Any:
        few = ((1, "f32", 2), (2, "f64", 3), (2, "f64", 0), (5, "f64", 2), (1, "f16", 1))
        return [
            *draw.elementwise(cls.kinds, cls.domains, {"order": 0}, ("f32", "f64", "c128")),
            *draw.calls(
                *[
                    ([draw.floats(n).astype(numpy_dtype(d))], {"order": order})
                    for order, d, n in (*few, (1, "bf16", 1))
                ],
                ([draw.complexes(2)], {"order": 1}),
            ),
        ]


def _even(x: Value) -> Value:
    """sinc of x >= 0: two terms of the series near 0, where the next is below the rounding error.

    XLA computes x again where it is used, with other roundings: a test for 0 may see 1e-17 where
    the division then has 0.  So no divisor is 0, on either side of the limit.
    """
    u = times(x, math.pi)
    eps = 2.0**-52 if x.type.element_type.width == 64 else 2.0**-23
    limit = (60 * eps) ** 0.25
    near = emit.compare(u, full_like(u, limit), comparison_direction="LT")
    (wave,) = _waves(x, u, 0)
    far = div(wave, emit.maximum(u, full_like(u, limit / 2)))
    return emit.select(near, plus(times(mul(u, u), -1 / 6), 1), far)


def _waves(x: Value, u: Value, order: int) -> list[Value]:
    """sin(pi x) and cos(pi x), from x minus its nearest integer: u itself is rounded."""
    turn = u
    if kind(x.type.element_type) == "float":
        whole = emit.round_nearest_even(x)
        half = times(whole, 0.5)
        turn = times(sub(x, whole), math.pi)
        is_odd = emit.compare(emit.floor(half), half, comparison_direction="NE")
    waves = [sin(turn), cos(turn)] if order else [sin(turn)]
    if turn is u:
        return waves
    return [emit.select(is_odd, neg(wave), wave) for wave in waves]


def _recurrence(u: Value, waves: Sequence[Value], order: int) -> Value:
    """S_order by the recurrence, for u that is not small; S_0 for every u."""
    safe = where_zero(u, full_like(u, 1), u)
    y = where_zero(u, full_like(u, 1), div(waves[0], safe))
    for n in range(1, order + 1):
        wave = waves[n % 2] if n % 4 < 2 else neg(waves[n % 2])
        y = div(sub(wave, times(y, n)), safe)
    return y


def _series(u: Value, order: int) -> Value:
    """Taylor series, the sum for 2k >= order of (-1)^k u^(2k - order) / ((2k + 1) (2k - order)!)"""
    coefficients = _coefficients(order)
    square = mul(u, u)
    y = full_like(u, coefficients[-1])
    for c in reversed(coefficients[:-1]):
        y = plus(mul(y, square), c)
    return mul(y, u) if order % 2 else y


def _coefficients(order: int) -> list[float]:
    first, found = (order + 1) // 2, []
    for k in range(first, first + 1000):
        power = 2 * k - order
        size = 1 / ((2 * k + 1) * math.factorial(power))
        found.append((-1) ** k * size)
        if size * (order + 1) ** power < _EPSILON * abs(found[0]):
            break
    return found
