"""`norm`: vector norms over the whole range of a dtype.

The sum of squares over- and underflows long before the norm does; where it may, it is computed from
scaled elements, as in J. L. Blue, A portable Fortran program to find the Euclidean norm of a
vector, ACM Trans. Math. Softw. 4 (1978).  The derivative is stated in terms of the result: it needs
no scale, and holds to every order.
"""

import math
from collections.abc import Callable, Sequence
from math import prod
from typing import Any, NamedTuple

from anvl.dialect.core.create import full, full_like, zeros_like
from anvl.dialect.core.emission.smooth_powers import power_of_square
from anvl.dialect.core.families import check_axes, check_kind
from anvl.dialect.core.mlir import ir
from anvl.dialect.core.op import AnvlOp, Operand, Result, Value, emit
from anvl.dialect.core.params.base import Float, Int, Int32, Ints
from anvl.dialect.core.types import (
    dtype_name,
    element_type,
    kind,
    numpy_dtype,
    shape_text,
    tensor,
    without_axes,
)
from anvl.dialect.ops.elementwise.complexes import complex_
from anvl.dialect.ops.elementwise.elementary import (
    add,
    and_,
    div,
    mul,
    neg,
    or_,
    plus,
    sqrt,
    sub,
    times,
)
from anvl.dialect.ops.elementwise.upcast import in_wide
from anvl.dialect.ops.linalg.matrices import as_complex, conj, is_complex
from anvl.dialect.ops.reduction.reduce import broadcast_along

__all__ = ["NormOp", "nonzero_length"]

_PARTS = {"c64": "f32", "c128": "f64"}


class _Range(NamedTuple):
    """Exponents of 2 for a dtype: norms whose sum of squares is accurate, and the scale of others.

    Elements whose norm, as the sum of squares has it, is below `least` or above `most` are
    multiplied or divided by 2^scale.
    """

    least: int
    most: int
    scale: int


_RANGES = {"f32": _Range(-45, 60, 80), "f64": _Range(-450, 500, 600)}


# Of a float of a dtype: the integer of its width, the bits of its exponent, and the number 1.
_ENCODINGS = {
    "f32": ("i32", 0x7F800000, 0x3F800000),
    "f64": ("i64", 0x7FF0000000000000, 0x3FF0000000000000),
}

_MOST_LOOPED = 4096  # elements of a sum, of which one loop adds up to few digits less


class Power(Int):
    """An exponent; 1 if the attribute is absent."""

    optional = True
    default = 1


class NormOp(AnvlOp, name="norm"):
    """Norm along `axes`: (sum |x|^order)^(1/order), a real number, without over- or underflow.

    The derivative at 0 is 0; the second derivative there is NaN, as is the first at infinity.
    Complex numbers require order 2; for other orders take the norm of their moduli.

    With order 2 the norm may be raised to a `power`, and is then as smooth as that power: with
    power 3 it has a second derivative at 0.
    """

    x: Operand
    axes: Ints
    order: Float
    power: Power
    y: Result
    singularity_convention = "0 at 0, and NaN in the second derivative; NaN for an infinite norm"

    @classmethod
    def result_type(cls, x: Any, axes: Any, order: float, power: int = 1) -> Any:
        check_kind("norm", x, "float complex")
        if power < 1 or (power > 1 and order != 2):
            raise TypeError(
                f"norm: power is {power} of order {order}; it must be 1, or above 1 for order 2"
            )
        check_axes(f"norm: axes {shape_text(axes)}", axes, x.rank, x)
        if order == 0 or not math.isfinite(order):
            raise TypeError(f"norm: order is {order}; it must be finite and nonzero")
        of = x.element_type
        if kind(of) == "complex":
            if order != 2:
                raise TypeError(f"norm: order is {order} of {x}; use order 2, or abs(x)")
            of = element_type(_PARTS[dtype_name(of)])
        return tensor(without_axes(x.shape, axes), of)

    @classmethod
    def lower(cls, hlo: Any, x: Value, axes: Any, order: float, power: int = 1) -> Value:
        def value(x: Value) -> Value:
            if order != 2:
                return _of_order(x, axes, order)
            if power % 2:
                length = _euclidean(x, axes, hlo)
                return length if power == 1 else emit.integer_pow(length, exponent=power)
            return power_of_square(_sum_of_squares(x, axes), power)

        return value(x) if is_complex(x) else in_wide(value, x)

    @classmethod
    def tangent(
        cls, ts: Sequence[Value | None], xs: Sequence[Value], y: Value,
        axes: Any, order: float, power: int = 1,
    ) -> Value | None:  # fmt: skip
        (t,), (x,) = ts, xs
        if t is None:
            return None
        along = mul(t, _slope(x, y, axes, order, power))
        return emit.sum(emit.real(along) if is_complex(x) else along, axes=axes)

    @classmethod
    def adjoint(
        cls, g: Value, xs: Sequence[Value], y: Value, axes: Any, order: float, power: int = 1
    ) -> Sequence[Any]:
        (x,) = xs
        g, slope = broadcast_along(g, x, axes), _slope(x, y, axes, order, power)
        return [mul(complex_(g, zeros_like(g)) if is_complex(x) else g, slope)]

    @classmethod
    def batch(
        cls, xs: Sequence[Value], batched: Sequence[bool], axes: Any, order: float, power: int = 1
    ) -> Value:
        return cls.build(xs[0], axes=tuple(a + 1 for a in axes), order=order, power=power)

    @classmethod
    def dependence(cls, deps: Any, xs: Sequence[Any], axes: Any, **params: Any) -> Any:
        return deps.reduced(xs[0], axes)

    @classmethod
    def pad_axes(cls, pads: Any, xs: Sequence[Any], axes: Any, order: float, power: int = 1) -> Any:
        x, left = pads.reduced(xs[0], axes)
        if order < 0:
            pads.check_unused([x], axes, f"no element is neutral in a norm of order {order}")
        operand = pads.masked(x, 0, axes)
        return cls.build(operand, axes=axes, order=order, power=power), left

    @classmethod
    def powered(
        cls, xs: Sequence[Value], exponent: int, axes: Any, order: float, power: int = 1
    ) -> Value | None:
        if order != 2:
            return None
        return cls.build(xs[0], axes=axes, order=order, power=power * exponent)

    @classmethod
    def sample(cls, draw: Any) -> Any:
        rows, all_ = {"axes": (1,), "order": 2.0}, {"axes": (0, 2), "order": 2.0}

        def away(*shape: int) -> Any:
            """Samples of both signs away from 0, where norms of orders other than 2 have kinks."""
            signs = 1.0 - 2 * draw.bools(*shape)
            return signs * draw.floats(*shape, within=(0.5, 2.0))

        first, *rest = draw.calls(
            ([draw.floats(2, 3)], rows), ([draw.floats(2, 3, 2)], all_),
            ([draw.complexes(3, 2)], rows), ([draw.floats(0, 2)], rows),
            *[([draw.floats(2, 3)], {**rows, "power": n}) for n in (2, 3, 5)],
            ([draw.complexes(3)], {"axes": (), "order": 2.0, "power": 3}),
            ([draw.floats(2, 3).astype(numpy_dtype("f32"))], rows),
            ([draw.floats(2, 3).astype(numpy_dtype("f16"))], rows),
            ([draw.floats(2, 3).astype(numpy_dtype("bf16"))], rows),
            *[([away(2, 3)], {"axes": (1,), "order": n}) for n in (3.0, 1.5, -0.5)],
        )  # fmt: skip
        (x,) = first.operands
        # A row whose squares are out of range, beside one whose squares are not.
        special = [[x * [[number], [1]]] for number in (1e-150, 1e152)]
        return [first._replace(special=special), *rest]


# -- derivatives -----------------------------------------------------------------------------------


def nonzero_length(y: Value) -> Value:
    """Replace y = 0 by 1 to make y a divisor; the quotient has no derivative there.

    Note [Lengths of zero]
    A length has a kink at 0.  Its derivative is taken as 0 there, the mean over all directions.
    Higher derivatives do not exist, and the second one is NaN, by that of `rough_zero` here:
    were it 0, the curvature of a smooth function of lengths, such as their square, would be
    silently wrong.  Powers that the frontend sees are written without the length (`powered`).
    """
    is_0 = emit.compare(y, zeros_like(y), comparison_direction="EQ")
    return emit.select(is_0, plus(emit.rough_zero(y), 1), y)


def _slope(x: Value, y: Value, axes: Sequence[int], order: float, power: int) -> Value:
    """dy/dx; for complex numbers the conjugate of the direction of steepest ascent."""
    if power > 1:
        slope = times(conj(x), power)
        if power == 2:
            return slope
        length = broadcast_along(emit.norm(x, axes=axes, order=order, power=power - 2), x, axes)
        return mul(slope, as_complex(length) if is_complex(x) else length)
    if is_complex(x):
        re, im = (_parts_of(part, y, axes) for part in (emit.real(x), emit.imag(x)))
        return complex_(re, neg(im))
    if dtype_name(x.type.element_type) not in _RANGES:  # y may overflow where its slope does not

        def wide(x: Value) -> Value:
            return _slope(x, emit.norm(x, axes=axes, order=order), axes, order, 1)

        return in_wide(wide, x)
    ratio = _parts_of(x, y, axes)
    if order == 2:
        return ratio
    # For negative orders the other elements count where y is 0.
    is_0 = emit.compare(y, zeros_like(y), comparison_direction="EQ")
    nothing = broadcast_along(emit.select(is_0, sqrt(y), full_like(y, 1)), x, axes)
    size = emit.select(broadcast_along(is_0, x, axes), full_like(x, 1), emit.abs(ratio))
    return mul(mul(emit.sign(x), nothing), _power(size, order - 1))


def _parts_of(x: Value, y: Value, axes: Sequence[int]) -> Value:
    """x / y; NaN for an infinite norm, whose direction is unknown.

    Both are scaled by a power of two that makes y about 1: its reciprocal exists, which XLA would
    multiply by anyway, and so do the products of several, which the second derivative has.
    """
    scale = _inverse_power_of_two(y)
    length = mul(emit.select(emit.is_finite(y), nonzero_length(y), times(y, math.nan)), scale)
    reciprocal = div(full_like(length, 1), length)
    return mul(mul(x, broadcast_along(scale, x, axes)), broadcast_along(reciprocal, x, axes))


def _inverse_power_of_two(y: Value) -> Value:
    """2^-n for y of 2^n up to 2^(n + 1), by the bits of its exponent; finite for each y.

    It has no derivative: that of what is scaled by it and divided by it later is 0.
    """
    name = dtype_name(y.type.element_type)
    integer, exponents, one = _ENCODINGS[name]
    bits = emit.bitcast_convert(emit.stop_gradient(y), dtype=integer)
    mirrored = sub(full_like(bits, 2 * one), and_(bits, full_like(bits, exponents)))
    least = exponents & -exponents
    inside = emit.clamp(full_like(bits, least), mirrored, full_like(bits, 2 * one - least))
    return emit.bitcast_convert(inside, dtype=name)


def _power(x: Value, exponent: float) -> Value:
    if exponent.is_integer() and abs(exponent) <= 64:
        return emit.integer_pow(x, exponent=int(exponent))
    return emit.pow(x, full_like(x, exponent))


# -- values ----------------------------------------------------------------------------------------


def _euclidean(x: Value, axes: Sequence[int], hlo: Any) -> Value:
    length = sqrt(_sum_of_squares(x, axes))
    within = _RANGES[dtype_name(length.type.element_type)]

    def compared(direction: str, exponent: int) -> Value:
        limit = full_like(length, 2.0**exponent)
        return emit.compare(length, limit, comparison_direction=direction)

    def multiplied(exponent: int) -> Value:
        """The norm of 2^exponent x, times 2^-exponent."""
        factor = full_like(emit.real(x) if is_complex(x) else x, 2.0**exponent)
        return times(sqrt(_sum_of_squares(_times_real(x, factor), axes)), 2.0**-exponent)

    if hlo.platform != "cpu":
        # All sums in one pass over x: a choice of programs waits for the device.
        small, large = multiplied(within.scale), multiplied(-within.scale)
        above = emit.select(compared("GT", within.most), large, length)
        return emit.select(compared("LT", within.least), small, above)

    def of_multiples() -> Value:
        """Norms of 2^n times the vectors: small ones enlarged, large ones reduced."""
        # By other limits than the choice: whoever reads the same comparisons here as well
        # would keep XLA from fusing them with the reduction that asks whether any holds.
        is_small, is_large = compared("LT", within.least + 1), compared("GT", within.most - 1)
        one, up, down = (full_like(length, 2.0**n) for n in (0, within.scale, -within.scale))
        scale = emit.select(is_small, up, emit.select(is_large, down, one))
        back = emit.select(is_small, down, emit.select(is_large, up, one))
        multiples = _times_real(x, broadcast_along(scale, x, axes))
        return mul(sqrt(_looped(hlo, multiples, axes)), back)

    outside = or_(compared("LT", within.least), compared("GT", within.most))
    some_are = emit.any(outside, axes=tuple(range(length.type.rank)))
    # One more sum if any norm needs it, otherwise no extra cost.  Whoever reads the norm reads one
    # array, as all that depends on its range is within the choice.
    return _emit_choice(some_are, length.type, lambda: length, of_multiples)


def _times_real(x: Value, y: Value) -> Value:
    if is_complex(x):
        return complex_(mul(emit.real(x), y), mul(emit.imag(x), y))
    return mul(x, y)


def _sum_of_squares(x: Value, axes: Sequence[int]) -> Value:
    if is_complex(x):
        re, im = emit.real(x), emit.imag(x)
        return emit.sum(add(mul(re, re), mul(im, im)), axes=axes)
    return emit.sum(mul(x, x), axes=axes)


def _looped(hlo: Any, x: Value, axes: Sequence[int]) -> Value:
    """The sum of squares, by a body that XLA:CPU hands to no library.

    Then it is one kernel with all that is around it, which few programs run but all compile: with
    a sum of YNNPACK's between them the scale and the root are two.
    """
    if is_complex(x) or prod(x.type.shape[a] for a in axes) > _MOST_LOOPED:
        return _sum_of_squares(x, axes)

    def body(hlo: Any, total: Value, x: Value) -> list[Value]:
        # More bits than those of any float: nothing is rounded.
        bits = {"exponent_bits": Int32.encode(11), "mantissa_bits": Int32.encode(112)}
        return [hlo("add", total, hlo("reduce_precision", x, type=x.type, **bits), type=x.type)]

    zero = full(tensor([], x.type.element_type), 0)
    return hlo.reduce([mul(x, x)], [zero], tuple(axes), body)[0]


def _emit_choice(
    is_second: Value, type_: Any, first: Callable[[], Value], second: Callable[[], Value]
) -> Value:
    """Emit a conditional that computes one of two values of a type."""
    choice = ir.Operation.create("stablehlo.if", [type_], [is_second], regions=2)
    for region, f in zip(choice.regions, (second, first), strict=True):
        with ir.InsertionPoint(region.blocks.append()):
            ir.Operation.create("stablehlo.return", [], [f()])
    return choice.result


def _of_order(x: Value, axes: Sequence[int], order: float) -> Value:
    """Norm of a general order, of elements scaled so that the dominant one is about 1."""
    size = emit.abs(x)
    if 0 in x.type.shape:
        most = emit.sum(size, axes=axes)
    else:
        most = (emit.max if order > 0 else emit.min)(size, axes=axes)
    usable = and_(
        emit.is_finite(most), emit.compare(most, zeros_like(most), comparison_direction="GT")
    )
    scale = emit.select(usable, most, full_like(most, 1))
    total = emit.sum(_power(div(size, broadcast_along(scale, x, axes)), order), axes=axes)
    return mul(scale, emit.pow(total, full_like(total, 1 / order)))
