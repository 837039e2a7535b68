"""`psi`: the derivatives of digamma of one order, by a series without loops and branches.

For x > 0 the Euler-Maclaurin formula after the first terms of the sum; for x < 0 the reflection
formula, with the derivatives of the cotangent as polynomials of it.  Errors for order 1 are at most
2 units in the last place for x > 0 and 4 for x < 0, for order 4 they are 5 and 10; values of even
order that cross 0 between the poles have the errors of the terms that cancel.
Source: NIST Digital Library of Mathematical Functions, 5.15.1, 5.15.6 and 5.15.8.
"""

import math
from collections.abc import Sequence
from functools import reduce
from typing import Any, NamedTuple

from anvl.dialect.core.create import full_like
from anvl.dialect.core.lazy_numpy import np
from anvl.dialect.core.op import Value, emit
from anvl.dialect.core.params.base import Int
from anvl.dialect.core.types import dtype_name, numpy_dtype
from anvl.dialect.ops.elementwise.elementary import (
    add,
    and_,
    div,
    mul,
    neg,
    plus,
    polygamma,
    sub,
    times,
)
from anvl.dialect.ops.elementwise.table import Unary
from anvl.dialect.ops.elementwise.upcast import in_wide

__all__ = ["PsiOp"]

_LARGEST_ORDER = 4  # from 5 on `polygamma` has fewer errors left of 0


class _Plan(NamedTuple):
    """How many terms are summed, with how many corrections, and from where on none is."""

    terms: int
    corrections: int
    large: float
    of_sine: int


#: With these the series ends below an eighth of the last place, for every order up to 4.
_PLANS = {"f32": _Plan(4, 4, 8.0, 7), "f64": _Plan(7, 10, 16.0, 11)}

_BERNOULLI = (
    1 / 6, -1 / 30, 1 / 42, -1 / 30, 5 / 66, -691 / 2730, 7 / 6, -3617 / 510, 43867 / 798,
    -174611 / 330,
)  # fmt: skip


class PsiOp(Unary, name="psi"):
    """The derivative of digamma of `order`, from 1 to 4, elementwise; infinite at its poles."""

    order: Int
    kinds = "float"
    largest_order = _LARGEST_ORDER
    domains = ((0.5, 5.0),)
    #: At poles, beside them, halfway between them, and where the series changes.
    special = (
        (-2, 0, -0.3), (-1.7, 1e-3, 0.25), (7.999, 8.001, 15.99), (16.01, 1e9, 1e30),
        (-0.5, -1.5, -0.45), (-30.3, 20, -1e-3),
    )  # fmt: skip

    @classmethod
    def result_type(cls, x: Any, order: int) -> Any:
        if not 1 <= order <= _LARGEST_ORDER:
            raise TypeError(
                f"psi: order is {order}; it must be from 1 to {_LARGEST_ORDER}: digamma is that of "
                "order 0, and polygamma takes any"
            )
        return super().result_type(x)

    @classmethod
    def lower(cls, hlo: Any, x: Value, order: int) -> Value:
        return in_wide(lambda x: _value(x, order), x)

    @classmethod
    def adjoint(cls, g: Value, xs: Sequence[Value], y: Value, order: int) -> Sequence[Any]:
        return [mul(g, _of_order(xs[0], order + 1))]

    @classmethod
    def tangent(
        cls, ts: Sequence[Value | None], xs: Sequence[Value], y: Value, order: int
    ) -> Value | None:
        return None if ts[0] is None else mul(ts[0], _of_order(xs[0], order + 1))

    @classmethod
    def sample(cls, draw: Any) -> Any:
        few = ((1, "f64", 3), (2, "f64", 3), (1, "f64", 0), (3, "f64", 2), (4, "f64", 2))
        narrow = ((1, "f32", 2), (3, "f16", 2), (1, "bf16", 2))
        first, *rest = draw.calls(
            *[
                ([draw.floats(n, within=cls.domains[0]).astype(numpy_dtype(d))], {"order": order})
                for order, d, n in (*few, *narrow)
            ]
        )
        first = first._replace(special=[[np.array(x, float)] for x in cls.special])
        of_2, empty, *others = rest  # on both sides of 0, by reflection
        sides = [np.array(x, float) for x in ((-1.7, 0.3, -0.3), (-0.6, 2.5, -3.4))]
        higher = [each._replace(special=[[x[:2]] for x in sides]) for each in others[:2]]
        return [first, of_2._replace(special=[[x] for x in sides]), empty, *higher, *others[2:]]


def _of_order(x: Value, order: int) -> Value:
    if order <= _LARGEST_ORDER:
        return PsiOp.build(x, order=order)
    return polygamma(full_like(x, order), x)


def _value(x: Value, order: int) -> Value:
    plan = _PLANS[dtype_name(x.type.element_type)]
    zero = full_like(x, 0)
    is_left = emit.compare(x, zero, comparison_direction="LT")
    size = _right_of_0(emit.select(is_left, sub(full_like(x, 1), x), x), order, plan)
    waves = _slope_of_cotangent(x, order, plan)
    other = sub(waves, size) if order % 2 else add(waves, size)
    size = emit.select(is_left, other, size)
    is_pole = and_(
        emit.compare(emit.floor(x), x, comparison_direction="EQ"),
        emit.compare(x, zero, comparison_direction="LE"),
    )
    size = emit.select(is_pole, full_like(x, math.inf), size)
    return size if order % 2 else neg(size)


def _right_of_0(q: Value, order: int, plan: _Plan) -> Value:
    """|psi| for q > 0: n! times the sum of (q + k)^-(n+1), of which none is apart for large q."""
    is_large = emit.compare(q, full_like(q, plan.large), comparison_direction="GE")
    whole, half = math.factorial(order), (order + 1) // 2
    terms = [
        _power(div(full_like(q, 1), plus(q, k)), order + 1) for k in range(plan.terms - 1, 0, -1)
    ]
    total = reduce(add, terms)
    # Not one division by a power, which may be 0 where the quotient is finite.
    first = div(div(full_like(q, whole), _power(q, half)), _power(q, order + 1 - half))
    total = add(times(total, whole), first)
    v = div(full_like(q, 1), emit.select(is_large, q, plus(q, plan.terms)))
    square = mul(v, v)
    ends = [
        b * math.factorial(order + 2 * j - 1) / math.factorial(2 * j)
        for j, b in enumerate(_BERNOULLI[: plan.corrections], start=1)
    ]
    rest = plus(mul(v, _polynomial([whole / 2, *ends], v, square)), whole / order)
    rest = mul(_power(v, order), rest)
    return add(rest, emit.select(is_large, full_like(q, 0), total))


def _polynomial(coefficients: Sequence[float], v: Value, square: Value) -> Value:
    """The first coefficient, and v times a polynomial of its square with the others."""
    return plus(mul(v, _even(coefficients[1:], square)), coefficients[0])


def _even(coefficients: Sequence[float], square: Value) -> Value:
    total = full_like(square, coefficients[-1])
    for c in reversed(coefficients[:-1]):
        total = plus(mul(total, square), c)
    return total


def _power(x: Value, n: int) -> Value:
    """x^n for n > 0, by squares."""
    if n == 1:
        return x
    root = _power(x, n // 2)
    return mul(mul(root, root), x) if n % 2 else mul(root, root)


def _slope_of_cotangent(x: Value, order: int, plan: _Plan) -> Value:
    """(-1)^n times the nth derivative of pi cot(pi x).

    With c = pi cot(pi x) it is s Q_n, for s = pi^2 + c^2 = (pi / sin(pi x))^2; c' = -s gives
    Q_(n+1) = 2 c Q_n + s Q_n', whose coefficients are positive.
    """
    r = sub(x, emit.round_nearest_even(x))
    h = sub(full_like(x, 0.5), emit.abs(r))
    # Divided by pi: rounded, that would be an error of each factor of a high power.
    inverse = div(full_like(x, 1), mul(r, _sine_over(r, plan.of_sine, 1 / math.pi)))
    s = mul(inverse, inverse)
    c = mul(inverse, mul(h, _sine_over(h, plan.of_sine)))
    factors = _factors(order)
    value = _even(factors, mul(c, c))
    if order % 2 == 0:
        value = mul(value, c)
    return mul(s, value) if order > 1 else s


def _factors(order: int) -> list[float]:
    """Coefficients of Q_n as a polynomial of c^2, lowest first; for even n of Q_n / c."""
    q = [1.0]
    for _ in range(1, order):
        slope = [k * c for k, c in enumerate(q)][1:]
        longer = [0.0] * (len(q) + 1)
        for k, c in enumerate(q):
            longer[k + 1] += 2 * c
        for k, c in enumerate(slope):
            longer[k] += math.pi**2 * c
            longer[k + 2] += c
        q = longer
    return q[1 - order % 2 :: 2]


def _sine_over(r: Value, terms: int, scale: float = 1) -> Value:
    """scale sin(pi r) / r for |r| <= 1/2, by its Taylor series (DLMF 4.19.1)."""
    ends = [scale * math.pi, *[0.0] * (terms - 1)]
    for k in range(1, terms):
        ends[k] = -ends[k - 1] * math.pi**2 / (2 * k * (2 * k + 1))
    return _even(ends, mul(r, r))
