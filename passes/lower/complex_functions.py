"""Elementary functions of complex numbers by parts, correct on both sides of branch cuts."""

import math
from collections.abc import Callable
from functools import lru_cache
from typing import Any

from anvl.dialect.core.mlir import ir
from anvl.dialect.core.types import element_type, kind, tensor
from anvl.passes.framework.walk import Found
from anvl.passes.lower.hlo_builder import Hlo

__all__ = ["NAMES", "split_complex_functions"]

# Note [Functions of complex numbers]
#
# XLA's expansions of complex functions lose the sign of zero, and so the side of a branch cut:
# sqrt(-2 - 0i) is i 1.41 in place of -i 1.41.  Its sin(1e-30 i) is 0, as a difference of
# exponentials, and cos(0 + 800 i) has a NaN, where infinity meets 0 (jaxlib 0.10.2).  Here each
# function is expanded: no part is a cancelling difference, no square overflows, and zeros,
# infinities and NaN give C's results (ISO C99, annex G.6), as NumPy's do.
#
# Formulas: NIST Digital Library of Mathematical Functions, 4.15, 4.21, 4.28, 4.35 and 4.36; the
# square root as in W. Kahan, Branch cuts for complex elementary functions (1987).

_Pair = tuple[ir.Value, ir.Value]

_FAR = {32: 10.0, 64: 20.0}  # by bits: from here on exp(-2 |x|) is negligible beside 1
_SMALL = {32: 2.0**-50, 64: 2.0**-400}  # its square is about to underflow


def split_complex_functions(found: Found) -> bool:
    """Expand functions of complex numbers into ops on their parts; return whether there are any."""
    functions = [op for name in NAMES for op in found[name] if _is_complex(op.results[0].type)]
    for op in functions:
        type_ = op.results[0].type
        with op.context, op.location, ir.InsertionPoint(op):
            of = _Parts(type_)
            x, y = (of.op(part, op.operands[0]) for part in ("real", "imag"))
            parts = _FORMS[op.name](of, x, y)
            made = of.hlo("complex", *parts, type=type_)
        op.results[0].replace_all_uses_with(made)
        op.erase()
    return bool(functions)


@lru_cache(1024)
def _is_complex(type_: Any) -> bool:
    return bool(kind(type_.element_type) == "complex" and type_.has_static_shape)


class _Parts:
    """Builder of ops on the real and imaginary parts of a complex array."""

    def __init__(self, whole: ir.Type) -> None:
        self.hlo, element = Hlo("cpu"), whole.element_type.element_type
        self.type = tensor(whole.shape, element)
        self.far, self.small = _FAR[element.width], _SMALL[element.width]

    def op(self, name: str, *xs: ir.Value) -> ir.Value:
        return self.hlo(name, *xs, type=self.type)

    def number(self, value: float) -> ir.Value:
        return self.hlo.constant(self.type, value)

    def times(self, x: ir.Value, value: float) -> ir.Value:
        return self.op("multiply", x, self.number(value))

    def plus(self, x: ir.Value, value: float) -> ir.Value:
        return self.op("add", x, self.number(value))

    def product(self, *xs: ir.Value) -> ir.Value:
        first, *rest = xs
        for x in rest:
            first = self.op("multiply", first, x)
        return first

    def chosen(self, flag: ir.Value, x: ir.Value, y: ir.Value) -> ir.Value:
        return self.op("select", flag, x, y)

    def compared(self, x: ir.Value, direction: str, value: float) -> ir.Value:
        return self.hlo.compare(x, self.number(value), direction)

    def size(self, x: ir.Value) -> ir.Value:
        return self.op("abs", x)

    def is_infinite(self, x: ir.Value) -> ir.Value:
        return self.compared(self.size(x), "EQ", float("inf"))

    def is_nan(self, x: ir.Value) -> ir.Value:
        return self.hlo.compare(x, x, "NE")

    def is_no_number(self, x: ir.Value) -> ir.Value:
        return self.hlo.logic("not", self.compared(self.size(x), "LT", float("inf")))

    def both(self, *flags: ir.Value) -> ir.Value:
        return self.hlo.logic("and", *flags)

    def kept_zero(self, x: ir.Value, product: ir.Value) -> ir.Value:
        """Replace a NaN product with a factor x = 0 by x."""
        is_lost = self.both(self.compared(x, "EQ", 0.0), self.is_nan(product))
        return self.chosen(is_lost, x, product)

    def signed(self, size: ir.Value, like: ir.Value) -> ir.Value:
        """Give a size the sign of `like`, whose zeros are signed too."""
        bits = tensor(self.type.shape, element_type(f"i{self.type.element_type.width}"))
        written = self.hlo("bitcast_convert", like, type=bits)
        is_below = self.hlo.compare(written, self.hlo.constant(bits, 0), "LT")
        return self.chosen(is_below, self.op("negate", size), size)


def _sqrt(of: _Parts, x: ir.Value, y: ir.Value) -> _Pair:
    """t = sqrt((|x| + |z|) / 2) and |y| / 2t; for negative x the second one is the real part."""
    a, b = of.size(x), of.size(y)
    most, ratio, _ = _ratio(of, x, y)
    is_0 = of.compared(most, "EQ", 0.0)
    root = of.op("sqrt", of.plus(of.product(ratio, ratio), 1.0))
    share = of.chosen(of.hlo.compare(a, b, "GE"), of.number(1.0), ratio)
    half = of.op("sqrt", of.times(of.op("add", share, root), 0.5))
    t = of.product(of.op("sqrt", most), half)
    other = of.times(of.op("divide", b, of.chosen(is_0, of.number(1.0), t)), 0.5)
    # Limits: an infinite imaginary part dominates; then the ends of the real axis.
    infinity, nan, zero = (of.number(v) for v in (float("inf"), float("nan"), 0.0))
    end = of.chosen(of.is_nan(y), nan, zero)
    is_end = of.is_infinite(x)
    t, other = of.chosen(is_end, infinity, t), of.chosen(is_end, end, other)
    is_left = of.compared(x, "LT", 0.0)
    re, im = of.chosen(is_left, other, t), of.chosen(is_left, t, other)
    is_up = of.is_infinite(y)
    re, im = of.chosen(is_up, infinity, re), of.chosen(is_up, infinity, im)
    return re, of.signed(im, y)


def _rsqrt(of: _Parts, x: ir.Value, y: ir.Value) -> _Pair:
    """The conjugate of the square root over |z|, divided by sqrt(|z|) twice."""
    re, im = _sqrt(of, x, y)
    most, ratio, is_infinite = _ratio(of, x, y)
    square = of.plus(of.product(ratio, ratio), 1.0)
    root = of.product(of.op("sqrt", most), of.op("sqrt", of.op("sqrt", square)))
    re, im = (of.op("divide", of.op("divide", v, root), root) for v in (re, of.op("negate", im)))
    zero = of.number(0.0)
    re, im = (
        of.chosen(is_infinite, zero, re),
        of.chosen(is_infinite, of.signed(zero, of.op("negate", y)), im),
    )
    is_0 = of.compared(most, "EQ", 0.0)
    return of.chosen(is_0, of.number(float("inf")), re), im


def _ratio(of: _Parts, x: ir.Value, y: ir.Value) -> tuple[ir.Value, ir.Value, ir.Value]:
    """The larger part, the smaller over it (0 at 0 and infinity), whether one is infinite."""
    a, b = of.size(x), of.size(y)
    most, least = of.op("maximum", a, b), of.op("minimum", a, b)
    is_infinite = of.hlo.logic("or", *(of.is_infinite(v) for v in (x, y)))
    is_end = of.hlo.logic("or", is_infinite, of.compared(most, "EQ", 0.0))
    over = of.chosen(is_end, of.number(1.0), most)
    return most, of.op("divide", of.chosen(is_end, of.number(0.0), least), over), is_infinite


def _log(of: _Parts, x: ir.Value, y: ir.Value) -> _Pair:
    most, ratio, is_infinite = _ratio(of, x, y)
    beyond = of.times(of.op("log_plus_one", of.product(ratio, ratio)), 0.5)
    re = of.op("add", of.op("log", most), beyond)
    return of.chosen(is_infinite, of.number(float("inf")), re), of.op("atan2", y, x)


def _turns(of: _Parts, x: ir.Value, y: ir.Value) -> _Pair:
    """cos(y) and sin(y), also for infinite or NaN y where exp(x) is infinite or 0."""
    cos, sin = of.op("cosine", y), of.op("sine", y)
    is_lost = of.both(of.is_infinite(x), of.is_no_number(y))
    is_0 = of.both(is_lost, of.compared(x, "LT", 0.0))
    return of.chosen(is_lost, of.number(1.0), cos), of.chosen(is_0, of.number(0.0), sin)


def _exp(of: _Parts, x: ir.Value, y: ir.Value) -> _Pair:
    """Exponential as two factors if it is large: the whole may overflow where no part does."""
    is_far = of.compared(x, "GT", of.far)
    size = of.op("exponential", of.chosen(is_far, of.times(x, 0.5), x))
    again = of.chosen(is_far, size, of.number(1.0))
    cos, sin = _turns(of, x, y)
    return of.product(size, cos, again), of.kept_zero(y, of.product(size, sin, again))


def _expm1(of: _Parts, x: ir.Value, y: ir.Value) -> _Pair:
    """expm1(x) cos(y) - (1 - cos(y)) + i exp(x) sin(y), as two factors if it is large."""
    is_far = of.compared(x, "GT", 2 * of.far)
    less_1 = of.op("exponential_minus_one", of.chosen(is_far, of.times(x, 0.5), x))
    size = of.plus(less_1, 1.0)
    again = of.chosen(is_far, size, of.number(1.0))
    cos, sin = _turns(of, x, y)
    versine = of.op("divide", of.product(sin, sin), of.plus(cos, 1.0))
    is_right = of.compared(cos, "GE", 0.0)
    versine = of.chosen(is_right, versine, of.op("subtract", of.number(1.0), cos))
    near = of.op("subtract", of.product(less_1, cos), versine)
    re = of.chosen(is_far, of.plus(of.product(size, cos, again), -1.0), near)
    return re, of.kept_zero(y, of.product(size, sin, again))


def _log1p(of: _Parts, x: ir.Value, y: ir.Value) -> _Pair:
    """XLA's own function, which squares y: at 1 + x = 0, of y times a power of two."""
    is_small = of.both(of.compared(x, "EQ", -1.0), of.compared(of.size(y), "LT", of.small))
    power = math.log2(of.small) * -2
    y = of.chosen(is_small, of.times(y, 2.0**power), y)
    whole = tensor(of.type.shape, ir.ComplexType.get(of.type.element_type))
    z = of.hlo("log_plus_one", of.hlo("complex", x, y, type=whole), type=whole)
    re, im = (of.hlo.part(part, z) for part in ("real", "imag"))
    re = of.chosen(is_small, of.plus(re, -power * math.log(2)), re)
    is_infinite = of.hlo.logic("or", *(of.is_infinite(v) for v in (x, y)))
    return of.chosen(is_infinite, of.number(float("inf")), re), im


def _hyperbolic(of: _Parts, x: ir.Value) -> tuple[ir.Value, ir.Value, ir.Value]:
    """sinh(x) and cosh(x), both over a third number, so that neither overflows."""
    a = of.size(x)
    is_far = of.compared(a, "GT", of.far)
    half = of.op("exponential", of.times(a, 0.5))
    less_1 = of.op("exponential_minus_one", of.chosen(is_far, of.number(1.0), a))
    ratio = of.op("divide", less_1, of.plus(less_1, 1.0))
    sinh = of.times(of.op("add", less_1, ratio), 0.5)
    cosh = of.plus(of.times(of.product(less_1, ratio), 0.5), 1.0)
    far = of.times(half, 0.5)
    sinh, cosh = of.chosen(is_far, far, sinh), of.chosen(is_far, far, cosh)
    return of.signed(sinh, x), cosh, of.chosen(is_far, half, of.number(1.0))


def _sinh(of: _Parts, x: ir.Value, y: ir.Value) -> _Pair:
    """sinh(x) cos(y) + i cosh(x) sin(y)."""
    sinh, cosh, again = _hyperbolic(of, x)
    cos, _ = _turns(of, x, y)
    re, im = of.product(sinh, cos, again), of.product(cosh, of.op("sine", y), again)
    return of.kept_zero(x, re), of.kept_zero(y, im)


def _cosh(of: _Parts, x: ir.Value, y: ir.Value) -> _Pair:
    """cosh(x) cos(y) + i sinh(x) sin(y)."""
    sinh, cosh, again = _hyperbolic(of, x)
    cos, _ = _turns(of, x, y)
    im = of.product(sinh, of.op("sine", y), again)
    sides = of.product(*(of.chosen(of.is_nan(v), of.number(1.0), of.op("sign", v)) for v in (x, y)))
    is_lost = of.both(of.is_nan(im), of.compared(sides, "EQ", 0.0))
    return of.product(cosh, cos, again), of.chosen(is_lost, sides, im)


def _tanh(of: _Parts, x: ir.Value, y: ir.Value) -> _Pair:
    """(sinh(x) cosh(x) + i sin(y) cos(y)) / (sinh(x)^2 + cos(y)^2)."""
    is_far = of.compared(of.size(x), "GT", of.far)
    sinh, cosh, _ = _hyperbolic(of, of.chosen(is_far, of.number(1.0), x))
    cos, sin = of.op("cosine", y), of.op("sine", y)
    turn = of.product(sin, cos)
    over = of.op("add", of.product(sinh, sinh), of.product(cos, cos))
    re = of.op("divide", of.product(sinh, cosh), over)
    im = of.op("divide", turn, over)
    end = of.product(of.times(turn, 4.0), of.op("exponential", of.times(of.size(x), -2.0)))
    is_lost = of.both(of.is_infinite(x), of.is_no_number(y))
    end = of.chosen(is_lost, of.signed(of.number(0.0), y), end)
    one = of.chosen(of.is_nan(end), end, of.signed(of.number(1.0), x))
    re, im = of.chosen(is_far, one, re), of.chosen(is_far, end, im)
    return of.kept_zero(x, re), of.kept_zero(y, im)


def _of_rotated(form: Callable[..., _Pair]) -> Callable[..., _Pair]:
    """-i f(i z): sin from sinh, and tan from tanh."""

    def rotated(of: _Parts, x: ir.Value, y: ir.Value) -> _Pair:
        re, im = form(of, of.op("negate", y), x)
        return im, of.op("negate", re)

    return rotated


def _cos(of: _Parts, x: ir.Value, y: ir.Value) -> _Pair:
    return _cosh(of, of.op("negate", y), x)


_FORMS: dict[str, Any] = {
    "stablehlo.sqrt": _sqrt,
    "stablehlo.log": _log,
    "stablehlo.exponential": _exp,
    "stablehlo.exponential_minus_one": _expm1,
    "stablehlo.log_plus_one": _log1p,
    "stablehlo.rsqrt": _rsqrt,
    "stablehlo.sine": _of_rotated(_sinh),
    "stablehlo.cosine": _cos,
    "stablehlo.tan": _of_rotated(_tanh),
    "stablehlo.tanh": _tanh,
}

NAMES = tuple(_FORMS)
