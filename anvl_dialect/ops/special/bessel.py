"""Modified Bessel functions of the first kind: I_n(x), and scaled, exp(-|x|) I_n(x).

`bessel_i1e` is CHLO's; its derivative needs `bessel_i0e`, which StableHLO and CHLO lack: it is
lowered to polynomials, of 18 and 7 terms in f32.  They are Chebyshev series of values with 48
digits (mpmath), written in powers; the largest errors in units in the last place are 4 in f32 and 2
in f64.  Derivatives of all orders: `bessel_i` and `bessel_ie`, of any integer order; `bessel_ie`
has a kink at 0, for orders above 0 in a higher derivative.
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
# Coefficients of i0e(x) in x/4 - 1, for |x| <= 8, the highest power first, by bits of a float.
_NEAR_32 = (
    -0.0008519843905445875, 0.001981479328986536, -0.0007548949904818013, 0.0012277214045257456,
    -0.008018236782311294, 0.014528301765613651, -0.018857354836155974, 0.028607962255357604,
    -0.04331789301487983, 0.057333983454186825, -0.06946328880225133, 0.07916500427030279,
    -0.08497324395929248, 0.08735429559336069, -0.0890428753638444, 0.09451521630654362,
    -0.11300433639506774, 0.20700192378993232,
)
_NEAR_64 = (
    -1.1852342482684723e-09, 4.470516727511741e-09, -7.723094556846333e-09, 2.6265363151970112e-08,
    -1.1384114641747256e-07, 3.675842926555429e-07, -1.0883393970072518e-06, 3.2293390826404927e-06,
    -9.251680584432654e-06, 2.520232727107692e-05, -6.550861389620851e-05, 0.00016240542162878106,
    -0.00038290209550065975, 0.0008563152748272306, -0.001811886793937724, 0.003617126448897043,
    -0.0067923998730731695, 0.011960077907026221, -0.01968265469059234, 0.030177912022978357,
    -0.04298594945479612, 0.05677703201991695, -0.06954119561719381, 0.07927522590716347,
    -0.08496338091616305, 0.08734341617552313, -0.08904344136075962, 0.09451562853995103,
    -0.11300432688620549, 0.2070019212239867,
)
# Coefficients of sqrt(x) i0e(x) in 16/x - 1, for |x| > 8.
_FAR_32 = (
    1.0867942482266837e-07, 3.626670384797085e-07, 1.4761157343412484e-06, 1.111214828523939e-05,
    0.00013621716424322397, 0.0033605557001427145, 0.4021765094192122,
)
_FAR_64 = (
    -2.0260604287413626e-11, 9.36508689281819e-11, 1.5279202694981569e-10, -6.633287112547084e-10,
    -5.715843864202709e-10, 2.1968921378829006e-09, 1.5200816953924232e-09, -4.575553424534973e-09,
    -3.505966530879332e-09, 6.560138746917057e-09, 7.552583062123384e-09, -5.0381064879032845e-09,
    -1.340891754008974e-08, -6.8493381882867694e-09, 7.554691881248808e-09, 2.1566251453104354e-08,
    3.932584334552952e-08, 8.872034383314144e-08, 2.9735985885673923e-07, 1.4838476651250266e-06,
    1.1143033790932038e-05, 0.00013621607438984735, 0.0033605519836678614, 0.4021765094450081,
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

        is_single = x.type.element_type.width == 32
        one, limit = hlo.constant(x.type, 1.0), hlo.constant(x.type, 8.0)
        near = _polynomial(hlo, minus(times(size, 0.25), one), _NEAR_32 if is_single else _NEAR_64)
        # For small x the far one is not selected; its argument stays in range anyway.
        large = hlo("maximum", size, limit, type=x.type)
        inverse = hlo("divide", hlo.constant(x.type, 16.0), large, type=x.type)
        far = _polynomial(hlo, minus(inverse, one), _FAR_32 if is_single else _FAR_64)
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


def _polynomial(hlo: Any, t: Value, coefficients: Sequence[float]) -> Value:
    """Polynomial with these coefficients, the highest power first, by Horner's rule."""
    total = hlo.constant(t.type, coefficients[0])
    for c in coefficients[1:]:
        product = hlo("multiply", total, t, type=t.type)
        total = hlo("add", product, hlo.constant(t.type, c), type=t.type)
    return total
