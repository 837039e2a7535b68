"""Modified Bessel functions of the first kind: I_n(x), and scaled, exp(-|x|) I_n(x).

`bessel_i1e` is CHLO's; its derivative needs `bessel_i0e`, which StableHLO and CHLO lack: it is
lowered to Chebyshev series (Clenshaw's recurrence).  The coefficients were computed by discrete
cosine sums of 400 values of scipy.special.i0e; compared with it the relative error is below 4e-15
everywhere.  Derivatives of all orders: `bessel_i` and `bessel_ie`, of any integer order;
`bessel_ie` has a kink at 0, for orders above 0 in a higher derivative.
Source: NIST Digital Library of Mathematical Functions, 10.25 and 10.29.
"""

import math
from collections.abc import Sequence
from functools import partial
from typing import Any

from anvl.dialect.core.create import full_like
from anvl.dialect.core.op import Value, emit
from anvl.dialect.core.params.base import Int
from anvl.dialect.core.types import element_type, numpy_dtype, tensor
from anvl.dialect.ops.elementwise.complexes import sign
from anvl.dialect.ops.elementwise.elementary import add, div, exp, mul, sub, times, where_zero
from anvl.dialect.ops.elementwise.table import Unary
from anvl.dialect.ops.elementwise.upcast import in_wide

__all__ = ["BesselI0eOp", "BesselI1eOp", "BesselIOp", "BesselIeOp"]

# fmt: off
# Coefficients of i0e(x) in x/4 - 1, for |x| <= 8.
_NEAR = (
    0.338397637204738, -0.30468267234319835, 0.1716209015222087, -0.09490109704804756,
    0.04930528423967058, -0.023737414805899304, 0.010546460394594904, -0.0043243099950504476,
    0.0016394756169412752, -0.0005763755745385666, 0.0001885028850957893, -5.7541950100746575e-05,
    1.6448448070665592e-05, -4.4167383584008075e-06, 1.1173875390416036e-06, -2.670793853565062e-07,
    6.046995010064761e-08, -1.3000249888331915e-08, 2.6598235807503805e-09, -5.189794675936446e-10,
    9.675808304750177e-11, -1.7268103400642186e-11, 2.9549845231326145e-12, -4.857091036878161e-13,
    7.671618115073775e-14, -1.1663595436695041e-14, 1.6641083042806538e-15, -3.2785406334223666e-16,
    -1.2320656647690776e-16, 1.2584226195822002e-16,
)
# Coefficients of sqrt(x) i0e(x) in 16/x - 1, for |x| > 8.
_FAR = (
    0.40224520550705445, 0.003369116478255708, 6.88975834691484e-05, 2.8913705208523715e-06,
    2.0489185888932122e-07, 2.2666690011625273e-08, 3.3962319731495847e-09, 4.940602776014585e-10,
    1.1889131415476762e-11, -3.149917767591992e-11, -1.321579222793301e-11, -1.7941073030425942e-12,
    7.179477498620024e-13, 3.852576352554593e-13, 1.539800838917804e-14, -4.1506086762010954e-14,
    -9.60510286773497e-15, 3.945963564580546e-15, 1.6633092472795319e-15, -3.211656201401736e-16,
    -2.117750419472486e-16, 1.0819361899450097e-16, 2.5183848062493297e-17, -4.999689898199655e-17,
    -3.0505112325052154e-17,
)
# Coefficients of -i0e'(x) / i0e(x), and of -i1e'(x) / i1e(x), in powers of 1/x from the first on,
# by DLMF 10.40.1.
_FAR_SLOPE = 1 / 2, 1 / 8, 1 / 8, 25 / 128, 13 / 32, 1073 / 1024, 103 / 32
_FAR_SLOPE_OF_1 = 1 / 2, -3 / 8, -3 / 8, -63 / 128, -27 / 32, -1899 / 1024, -81 / 16
# fmt: on
_LARGEST_ORDER = 1000  # each order is three ops; mutated programs had 2^63 - 1
_FAR_FROM = {32: 20.0, 64: 300.0}  # by bits (fewer: 10), from here on these are exact


class ScaledBessel(Unary):
    """Base of the modified Bessel functions of order 0 and 1 times exp(-|x|).

    Subclasses define `_through`, which multiplies a cotangent or a tangent by the derivative.
    """

    kinds = "float"
    domains = ((-9.0, 9.0),)

    @classmethod
    def _through(cls, g: Value, x: Value, y: Value) -> Value:
        raise NotImplementedError

    @classmethod
    def adjoint(cls, g: Value, xs: Sequence[Value], y: Value) -> Sequence[Any]:
        return [cls._through(g, xs[0], y)]

    @classmethod
    def tangent(cls, ts: Sequence[Value | None], xs: Sequence[Value], y: Value) -> Value | None:
        return None if ts[0] is None else cls._through(ts[0], xs[0], y)


class BesselI0eOp(ScaledBessel, name="bessel_i0e"):
    """exp(-|x|) I_0(x), elementwise."""

    far = (((9.0, 40.0),), ((310.0, 900.0),))

    @classmethod
    def lower(cls, hlo: Any, x: Value) -> Value:
        if x.type.element_type.width < 32:  # the series needs more digits
            wide = tensor(x.type.shape, element_type("f32"))
            y = cls.lower(hlo, hlo("convert", x, type=wide))
            return hlo("convert", y, type=x.type)
        size = hlo("abs", x, type=x.type)

        def times(v: Value, number: float) -> Value:
            return hlo("multiply", v, hlo.constant(x.type, number), type=x.type)

        def minus(v: Value, w: Value) -> Value:
            return hlo("subtract", v, w, type=x.type)

        one, limit = hlo.constant(x.type, 1.0), hlo.constant(x.type, 8.0)
        near = _series(hlo, minus(times(size, 0.25), one), _NEAR)
        # For small x the far series is not selected; its argument stays in range anyway.
        large = hlo("maximum", size, limit, type=x.type)
        inverse = hlo("divide", hlo.constant(x.type, 16.0), large, type=x.type)
        far = _series(hlo, minus(inverse, one), _FAR)
        far = hlo("divide", far, hlo("sqrt", large, type=x.type), type=x.type)
        return hlo("select", hlo.compare(size, limit, "LE"), near, far, type=x.type)

    @classmethod
    def _through(cls, g: Value, x: Value, y: Value) -> Value:
        """g (i1e(x) - sign(x) i0e(x))."""
        return mul(g, _scaled_slope(x, y, BesselI1eOp.build(x), _FAR_SLOPE))


class BesselI1eOp(ScaledBessel, name="bessel_i1e"):
    """exp(-|x|) I_1(x), elementwise.  CHLO `bessel_i1e`."""

    hlo = "chlo.bessel_i1e"
    far = (((9.0, 40.0),), ((310.0, 900.0),))

    @classmethod
    def _through(cls, g: Value, x: Value, y: Value) -> Value:
        """g ((i0e(x) + i2e(x)) / 2 - sign(x) i1e(x))."""
        mean = _mean_of_neighbours(BesselIeOp, x, 1)
        return mul(g, _scaled_slope(x, y, mean, _FAR_SLOPE_OF_1))


class BesselFamily(Unary):
    """Base of Bessel functions of any integer `order`; derivatives use the neighbouring orders.

    They contain no quotient.  Subclasses define `value`.
    """

    order: Int
    kinds = "float"
    domains = ((-9.0, 9.0),)

    @classmethod
    def result_type(cls, x: Any, order: int) -> Any:
        if order < 0:
            raise TypeError(f"{cls.short_name}: order is {order}; it must be 0 or more")
        if order > _LARGEST_ORDER:
            raise TypeError(
                f"{cls.short_name}: order is {order}; it must be at most {_LARGEST_ORDER}, as each "
                "step of its recurrence is ops of the program"
            )
        return super().result_type(x)

    @classmethod
    def lower(cls, hlo: Any, x: Value, order: int) -> Value:
        return in_wide(partial(cls.value, order=order), x)

    @classmethod
    def value(cls, x: Value, order: int) -> Value:
        raise NotImplementedError

    @classmethod
    def slope(cls, x: Value, y: Value, order: int) -> Value:
        """Derivative (I_(n-1) + I_(n+1)) / 2 (DLMF 10.29.1)."""
        return _mean_of_neighbours(cls, x, order)

    @classmethod
    def adjoint(cls, g: Value, xs: Sequence[Value], y: Value, order: int) -> Sequence[Any]:
        return [mul(g, cls.slope(xs[0], y, order))]

    @classmethod
    def tangent(
        cls, ts: Sequence[Value | None], xs: Sequence[Value], y: Value, order: int
    ) -> Value | None:
        return None if ts[0] is None else mul(ts[0], cls.slope(xs[0], y, order))

    @classmethod
    def sample(cls, draw: Any) -> Any:
        # Few and small samples: the series are long.
        few = ((0, "f64", 2), (1, "f64", 0), (3, "f64", 2), (1, "f32", 2), (1, "f16", 1))
        calls = draw.calls(
            *[
                ([draw.floats(n, within=cls.domains[0]).astype(numpy_dtype(d))], {"order": order})
                for order, d, n in few
            ]
        )
        far = [draw.floats(2, within=(17.0, 30.0))]  # beyond the power series
        return [call._replace(others=[far] if call.params["order"] == 3 else ()) for call in calls]


class BesselIeOp(BesselFamily, name="bessel_ie"):
    """exp(-|x|) I_n(x) for `order` n, elementwise."""

    singularity_convention = "as of I_n at 0"

    @classmethod
    def value(cls, x: Value, order: int) -> Value:
        if order < 2:
            return (BesselI1eOp if order else BesselI0eOp).build(x)
        size = emit.abs(x)
        limit = float(max(16, order * order))
        near = emit.compare(size, full_like(x, limit), comparison_direction="LE")
        return emit.select(near, _powers(x, order, limit), _upward(x, order))

    @classmethod
    def slope(cls, x: Value, y: Value, order: int) -> Value:
        return sub(super().slope(x, y, order), mul(sign(x), y))


class BesselIOp(BesselFamily, name="bessel_i"):
    """Modified Bessel function of the first kind I_n(x) for `order` n, elementwise."""

    @classmethod
    def value(cls, x: Value, order: int) -> Value:
        y = BesselIeOp.value(x, order)
        limit = mul(sign(x), sign(x)) if order % 2 == 0 else sign(x)
        y = emit.select(emit.is_inf(x), limit, y)
        half = exp(times(emit.abs(x), 0.5))  # exp(|x|) overflows before the product does
        return mul(mul(half, y), half)


def _scaled_slope(x: Value, y: Value, mean: Value, far: Sequence[float]) -> Value:
    """mean - sign(x) y; for large x, where it cancels, by the series of -y'/y."""
    size = emit.abs(x)
    limit = full_like(x, _FAR_FROM.get(x.type.element_type.width, 10.0))
    is_far = emit.compare(size, limit, comparison_direction="GT")
    inverse = div(full_like(x, 1), emit.select(is_far, size, limit))
    total = full_like(x, far[-1])
    for c in far[-2::-1]:
        total = add(mul(total, inverse), full_like(x, c))
    signed = mul(sign(x), y)
    return emit.select(is_far, emit.neg(mul(signed, mul(inverse, total))), sub(mean, signed))


def _mean_of_neighbours(cls: Any, x: Value, order: int) -> Value:
    if order == 0:
        return cls.build(x, order=1)
    return times(add(cls.build(x, order=order - 1), cls.build(x, order=order + 1)), 0.5)


def _powers(x: Value, order: int, limit: float) -> Value:
    """exp(-|x|) I_n(x) for |x| <= limit by the power series, whose terms have one sign.

    Source: DLMF 10.25.2.
    """
    quarter = times(mul(x, x), 0.25)
    count, term, total = 0, 1.0, 1.0
    while term > 1e-17 * total:
        count += 1
        term *= limit * limit / 4 / (count * (count + order))
        total += term
    y = one = full_like(x, 1)
    for k in range(count, 0, -1):
        y = add(one, mul(times(quarter, 1 / (k * (k + order))), y))
    first = times(emit.integer_pow(times(x, 0.5), exponent=order), 1 / math.factorial(order))
    return mul(mul(first, y), exp(emit.neg(emit.abs(x))))


def _upward(x: Value, order: int) -> Value:
    """exp(-|x|) I_n(x) for |x| >= n^2, by I_(n+1) = I_(n-1) - 2n/x I_n (DLMF 10.29.1)."""
    before, y = BesselI0eOp.build(x), BesselI1eOp.build(x)
    twice = div(full_like(x, 2), where_zero(x, full_like(x, 1), x))
    for n in range(1, order):
        before, y = y, sub(before, mul(times(twice, n), y))
    return y


def _series(hlo: Any, t: Value, coefficients: Sequence[float]) -> Value:
    """Sum of c_k T_k(t) by Clenshaw's recurrence: b_k = c_k + 2 t b_(k+1) - b_(k+2)."""

    def op(name: str, *xs: Value) -> Value:
        return hlo(name, *xs, type=t.type)

    twice = op("add", t, t)
    after, later = hlo.constant(t.type, 0.0), hlo.constant(t.type, 0.0)
    for c in reversed(coefficients[1:]):
        step = op("subtract", op("multiply", twice, after), later)
        after, later = op("add", step, hlo.constant(t.type, c)), after
    step = op("subtract", op("multiply", t, after), later)
    return op("add", step, hlo.constant(t.type, coefficients[0]))
