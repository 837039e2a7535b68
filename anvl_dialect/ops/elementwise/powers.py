"""`integer_pow`: powers with an integer exponent as parameter."""

from collections.abc import Sequence
from typing import Any

from anvl.dialect.core.create import full_like
from anvl.dialect.core.op import Value, emit
from anvl.dialect.core.params.base import Int
from anvl.dialect.core.types import dtype_name, kind
from anvl.dialect.ops.elementwise.elementary import div, mul, times
from anvl.dialect.ops.elementwise.table import Unary

__all__ = ["IntegerPowOp"]


class IntegerPowOp(Unary, name="integer_pow"):
    """x raised to the integer `exponent`, elementwise, by repeated squaring.

    The derivative is a power too, never a quotient of powers, so it is finite wherever it can be
    represented.  Floats narrower than f32 are multiplied in f32.
    """

    exponent: Int
    kinds = "float complex"
    domains = ((0.5, 2.0),)

    @classmethod
    def result_type(cls, x: Any, exponent: int) -> Any:
        return super().result_type(x)

    @classmethod
    def lower(cls, hlo: Any, x: Value, exponent: int) -> Value:
        element = x.type.element_type
        if kind(element) == "float" and element.width < 32 and abs(exponent) > 1:
            y = cls.lower(hlo, emit.convert(x, dtype="f32"), exponent)
            return emit.convert(y, dtype=dtype_name(element))
        if exponent >= 0:
            return _multiplied(x, exponent)
        if kind(element) == "complex" and exponent < -1:
            return _of_large_and_small(x, -exponent)
        return div(full_like(x, 1), _multiplied(x, -exponent))

    @classmethod
    def _through(cls, g: Value, x: Value, exponent: int) -> Value | None:
        if exponent in (0, 1):
            return g if exponent else None
        return mul(g, times(cls.build(x, exponent=exponent - 1), exponent))

    @classmethod
    def adjoint(cls, g: Value, xs: Sequence[Value], y: Value, exponent: int) -> Sequence[Any]:
        return [cls._through(g, xs[0], exponent)]

    @classmethod
    def tangent(
        cls, ts: Sequence[Value | None], xs: Sequence[Value], y: Value, exponent: int
    ) -> Value | None:
        return None if ts[0] is None else cls._through(ts[0], xs[0], exponent)

    @classmethod
    def sample(cls, draw: Any) -> Any:
        (large,) = draw.calls(([1e150 * draw.complexes(2)], {"exponent": -3}))
        large = large._replace(special=[[1e100 * large.operands[0] / 1e150]])
        return [
            *draw.elementwise(cls.kinds, cls.domains, {"exponent": -3}),
            large,
            *draw.calls(
                *[([draw.floats(2)], {"exponent": n}) for n in (-6, -1, 0, 1, 2, 7)],
                ([draw.complexes(2)], {"exponent": 5}),
            ),
        ]


def _of_large_and_small(x: Value, exponent: int) -> Value:
    """x^-exponent of complex numbers: for |x| >= 1 as a power of 1 / x, which is 0 at infinity.

    A product of complex numbers that overflows is NaN, and its reciprocal would be NaN too.
    """
    size = emit.abs(x)
    is_small = emit.compare(size, full_like(size, 1), comparison_direction="LT")
    power = _multiplied(emit.select(is_small, x, div(full_like(x, 1), x)), exponent)
    return emit.select(is_small, div(full_like(x, 1), power), power)


def _multiplied(x: Value, exponent: int) -> Value:
    """x^exponent for exponent >= 0."""
    y, power = None, x
    while exponent:
        if exponent % 2:
            y = power if y is None else mul(y, power)
        exponent //= 2
        if exponent:
            power = mul(power, power)
    return full_like(x, 1) if y is None else y
