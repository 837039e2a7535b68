"""`ldexp`: scaling by powers of two, on the bits of floats.

Source: IEEE 754-2019, section 5.3.3, scaleB, and section 3.4 for the encoding.
"""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from anvl.dialect.core.create import full_like
from anvl.dialect.core.families import check_kind, with_batch_axis
from anvl.dialect.core.lazy_numpy import np
from anvl.dialect.core.op import AnvlOp, Operand, Result, Value, emit
from anvl.dialect.core.types import dtype_name, element_type, kind, numpy_dtype
from anvl.dialect.ops.elementwise.elementary import and_, or_

__all__ = ["LdexpOp"]


class _Format(NamedTuple):
    """Encoding of a float dtype: width, significand digits with the leading 1, largest exponent."""

    bits: int
    digits: int
    largest: int


_FORMATS = {
    "f16": _Format(16, 11, 15), "bf16": _Format(16, 8, 127), "f32": _Format(32, 24, 127),
    "f64": _Format(64, 53, 1023),
}  # fmt: skip


_WIDEST = ("i64", "ui64")
_BITS_AROUND = (-64, 64, -63, 63, -99, 99)


class LdexpOp(AnvlOp, name="ldexp"):
    """x * 2^n elementwise, rounded once, half to even; n is an i32 array of x's shape.

    It works on the bits of x, so it is exact also for subnormals, which XLA may flush to 0.
    Integers are shifted: they round down and wrap.
    """

    x: Operand
    n: Operand
    y: Result
    diagonal = True
    preserves_zeros = True

    @classmethod
    def result_type(cls, x: Any, n: Any) -> Any:
        check_kind("ldexp", x, "int uint float")
        if kind(x.element_type) == "float" and dtype_name(x.element_type) not in _FORMATS:
            raise TypeError(f"ldexp: operand is {x}; it takes {', '.join(_FORMATS)}")
        if list(n.shape) != list(x.shape) or n.element_type != element_type("i32"):
            raise TypeError(f"ldexp: the exponents are {n}; for {x} they are i32 of its shape")
        return x

    @classmethod
    def lower(cls, hlo: Any, x: Value, n: Value) -> Value:
        if kind(x.type.element_type) != "float":
            return _shifted(x, n)
        of = _FORMATS[dtype_name(x.type.element_type)]
        integer, digits = f"i{of.bits}", of.digits
        bits = emit.bitcast_convert(x, dtype=integer)

        def filled(k: int) -> Value:
            return full_like(bits, k)

        far = 3 * (of.largest + digits)  # takes any number to 0, or to infinity
        n = emit.clamp(full_like(n, -far), n, full_like(n, far))
        n = n if of.bits == 32 else emit.convert(n, dtype=integer)
        size = and_(bits, filled((1 << (of.bits - 1)) - 1))
        sign = emit.sub(bits, size)
        fraction = and_(size, filled((1 << (digits - 1)) - 1))
        written = emit.shift_right_logical(size, filled(digits - 1))
        # Normalize subnormals: all digits, and a smaller exponent.
        missing = emit.sub(emit.count_leading_zeros(fraction), filled(of.bits - digits))
        is_small = _compared(written, filled(0), "EQ")
        exponent = emit.select(is_small, emit.sub(filled(1), missing), written)
        one = filled(1 << (digits - 1))
        missing = emit.maximum(missing, filled(0))
        number = emit.select(is_small, emit.shift_left(fraction, missing), or_(fraction, one))
        exponent = emit.add(exponent, n)

        usual = emit.shift_left(exponent, filled(digits - 1))
        usual = emit.add(usual, emit.sub(number, one))
        # 1 to digits + 1 places too low: the dropped bits, and half of the last place kept.
        places = emit.clamp(filled(1), emit.sub(filled(1), exponent), filled(digits + 1))
        small = _rounded(number, places, filled(1))
        infinity = filled((2 * of.largest + 1) << (digits - 1))
        y = emit.select(_compared(exponent, filled(1), "LT"), small, usual)
        y = emit.select(_compared(exponent, filled(2 * of.largest), "GT"), infinity, y)
        stays = or_(_compared(size, filled(0), "EQ"), _compared(size, infinity, "GE"))
        y = emit.select(stays, bits, emit.add(sign, y))
        return emit.bitcast_convert(y, dtype=dtype_name(x.type.element_type))

    @classmethod
    def adjoint(cls, g: Value, xs: Sequence[Value], y: Value) -> Sequence[Any]:
        return [emit.ldexp(g, xs[1]), None]

    @classmethod
    def tangent(cls, ts: Sequence[Value | None], xs: Sequence[Value], y: Value) -> Value | None:
        return None if ts[0] is None else emit.ldexp(ts[0], xs[1])

    @classmethod
    def batch(cls, xs: Sequence[Value], batched: Sequence[bool]) -> Value:
        return emit.ldexp(*with_batch_axis(xs, batched))

    @classmethod
    def sample(cls, draw: Any) -> Any:
        around = np.array(_BITS_AROUND, np.int32)
        return [
            *draw.calls(
                ([draw.floats(2, 3), draw.ints(2, 3)], {}),
                ([draw.floats(), draw.ints()], {}),
                ([draw.floats(0), draw.ints(0)], {}),
                ([draw.ints(2, 3), draw.ints(2, 3)], {}),
                *[([draw.ints(6, within=(1, 9), dtype=d) - 5, around], {}) for d in _WIDEST],
            ),
            *draw.calls(*_at_the_ends(), through=lambda y: [_bits_of(y)]),
        ]


def _bits_of(y: Value) -> Value:
    """All bits of the results: compared as numbers, subnormals would all be 0."""
    return emit.bitcast_convert(y, dtype=f"i{y.type.element_type.width}")


def _at_the_ends() -> Iterator[tuple[list[Any], dict[str, Any]]]:
    """Inputs of each format with results that are subnormal, halfway between two, or largest."""
    for dtype, (_, digits, largest) in _FORMATS.items():
        last = 2.0 ** (1 - digits)
        fractions = (1.0, 1.5, -1 - last, 2 - last, -1.25, 1.75, 1.5 - last, 1.5 + last, 1.375)
        least = 1 - largest  # of normal numbers
        steps = range(-digits - 1, 2)
        pairs = [(x, least + k) for k in steps for x in fractions]
        pairs += [(x, largest + k) for k in (-1, 0, 1) for x in fractions]
        x, n = (np.array(v) for v in zip(*pairs, strict=True))
        made = x.astype(numpy_dtype(dtype))
        yield [made, n.astype(np.int32)], {}
        small = np.ldexp(x.astype(float), least - (np.arange(len(x)) % digits))
        up = [x_n + largest - least for _, x_n in pairs]
        yield [small.astype(numpy_dtype(dtype)), np.array(up, np.int32)], {}


def _shifted(x: Value, n: Value) -> Value:
    """Scale integers by powers of two: shift left for n >= 0, right for n < 0."""
    dtype, zero = dtype_name(x.type.element_type), full_like(n, 0)
    n = emit.clamp(full_like(n, -64), n, full_like(n, 64))  # before negation: -n may overflow
    left = emit.convert(emit.maximum(n, zero), dtype=dtype)
    right = emit.convert(emit.maximum(emit.neg(n), zero), dtype=dtype)
    is_signed = kind(x.type.element_type) == "int"
    shift_right = emit.shift_right_arithmetic if is_signed else emit.shift_right_logical
    return emit.select(_compared(n, zero, "LT"), shift_right(x, right), emit.shift_left(x, left))


def _rounded(number: Value, places: Value, one: Value) -> Value:
    """Drop the last `places` bits, rounding to nearest, ties to even."""
    kept = emit.shift_right_logical(number, places)
    half = emit.shift_left(one, emit.sub(places, one))
    gone = and_(number, emit.sub(emit.add(half, half), one))
    is_odd = _compared(and_(kept, one), one, "EQ")
    up = or_(_compared(gone, half, "GT"), and_(_compared(gone, half, "EQ"), is_odd))
    return emit.add(kept, emit.convert(up, dtype=dtype_name(kept.type.element_type)))


def _compared(x: Value, y: Value, direction: str) -> Value:
    return emit.compare(x, y, comparison_direction=direction)
