"""Floats divided by one value that is very large, or in f16 very small, on the CPU; complex
numbers by such a literal or by 0."""

import math
import re
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from anvl.dialect.core.create import ComplexLiteral
from anvl.dialect.core.mlir import ir
from anvl.dialect.core.types import kind, tensor
from anvl.passes.framework.walk import Found
from anvl.passes.lower.hlo_builder import Hlo, Literals, hide, is_hidden, maker, origin

__all__ = ["NAMES", "guard_large_divisors"]

# Note [Quotients that XLA makes products]
#
# Where a divisor is a constant, or one value for many elements (a broadcast, also behind other
# elementwise ops, since XLA broadcasts as late as it can), XLA multiplies by its reciprocal (jaxlib
# 0.10.2).  Of an f32 above 2^126 that is a subnormal number, which the CPU takes for 0; so
# `w / max(w)` was 0 from 1e38 on.  Unless it is known to be smaller, such a divisor is scaled:
#
#     z = x / y      becomes      f = select(|y| > 2^100, 2^-64, 1)
#                                 z = reduce_precision(x * f) / (y * f)
#
# Both products are exact where the quotient is not 0 anyway.  XLA finds f once for each broadcast
# value, so this takes as long as before.  The `reduce_precision` is to more bits than there are: it
# does nothing, but without it XLA would put f and a constant reciprocal together again.
#
# In f16 the reciprocal is rounded to f16: infinite below 2^-16, inexact above 2^14.  There the
# quotient is computed in f32, as XLA's code does in any case.
#
# Of complex numbers only literals become reciprocals.  That of 0 has NaN in it, as have products of
# large numbers with that of a very small one, where C and NumPy have infinity.  Such a literal, and
# one that is very large, is made to look as if it depended on the dividend: as its real part,
# clamped from both sides to that of the literal.  (A barrier would do, but not in loops.)

_DIVIDE, _CONSTANT, _CONVERT = "stablehlo.divide", "stablehlo.constant", "stablehlo.convert"
_MULTIPLY = "stablehlo.multiply"
NAMES = (_DIVIDE,)
_BROADCAST = "stablehlo.broadcast_in_dim"
_MOST_OPS = 8  # that XLA is expected to move a broadcast over

#: Ops over which XLA moves broadcasts: what they make of broadcasts is one.
_TRANSPARENT = frozenset(
    f"stablehlo.{name}"
    for name in (
        "abs add and atan2 cbrt ceil clamp compare concatenate convert cosine divide exponential"
        " exponential_minus_one floor is_finite log log_plus_one logistic maximum minimum multiply"
        " negate not or power reduce_precision remainder reshape reverse round_nearest_afz"
        " round_nearest_even rsqrt select sign sine slice sqrt subtract tan tanh transpose xor"
    ).split()
)

#: Ops whose results are below the limits, whatever their operands are.
_SMALL = frozenset(
    f"stablehlo.{name}"
    for name in "cosine log log_plus_one logistic rsqrt sign sine sqrt tanh".split()
)

_NARROW = ("f16", "f8E4M3FN", "f8E5M2")

#: The sizes of the larger part for which the reciprocal of a complex literal is right.
_COMPLEX = {"complex<f32>": (2.0**-60, 2.0**100), "complex<f64>": (2.0**-500, 2.0**1000)}

_hlo = Hlo("")


class _Range(NamedTuple):
    least: float  # not 0
    most: float
    factor: float | None  # of what is larger than that; None where f32 has the range


_WIDE = _Range(0.0, 2.0**100, 2.0**-64)
_RANGES = {
    "bf16": _WIDE,
    "f32": _WIDE,
    "f64": _Range(0.0, 2.0**1000, 2.0**-512),
    "f16": _Range(2.0**-14, 2.0**14, None),
}


class _Known(NamedTuple):
    """Facts about divisors, and the literals and scaled divisors that blocks have."""

    unsafe: dict[ir.Value, bool]
    literals: Literals
    scaled: dict[tuple[ir.Block, ir.Value], tuple[ir.Value, ir.Value]]


def guard_large_divisors(found: Found) -> None:
    """Scale divisors of floats of which XLA multiplies by the reciprocal."""
    known = _Known({}, Literals(), {})
    for op in found[_DIVIDE]:
        y = op.operands[1]
        range_ = _range(y.type)
        if range_ is None:
            _hide_complex(op)
            continue
        if y not in known.unsafe:
            is_safe = _is_within(y, range_) or not _is_spread(y, _MOST_OPS)
            known.unsafe[y] = not is_safe
        if known.unsafe[y] and not _is_scaled(*op.operands):
            with op.context, op.location, ir.InsertionPoint(op):
                if range_.factor is None:
                    _widen(op)
                else:
                    _scale(op, range_.factor, range_.most, known)


@lru_cache(1024)  # asked of each division
def _range(type_: Any) -> _Range | None:
    is_static = isinstance(type_, ir.RankedTensorType) and type_.has_static_shape
    return _RANGES.get(str(type_.element_type)) if is_static else None


def _is_scaled(x: ir.Value, y: ir.Value) -> bool:
    """Whether a dividend and a divisor are what `_scale` made: products with the same factors."""
    op = maker(x) if is_hidden(x) else None
    makers = [None if op is None else maker(op.operands[0]), maker(y)]
    if any(made is None or made.name != _MULTIPLY for made in makers):
        return False
    f, g = (made.operands[1] for made in makers if made is not None)
    return bool(f == g)


def _is_spread(y: ir.Value, most: int) -> bool:
    """Whether an array may be a constant to XLA, or a broadcast: a scalar is none."""
    op = maker(y)
    if op is None or not most:
        return False
    if op.name == _BROADCAST:
        return bool(y.type.rank) or _is_spread(op.operands[0], most - 1)
    if op.name in _TRANSPARENT:
        return all(_is_spread(x, most - 1) for x in op.operands)
    return op.name == _CONSTANT


def _is_within(y: ir.Value, range_: _Range) -> bool:
    """Whether a divisor is known to be within the limits, or 0 or not finite: any form is right."""
    op = origin(y)
    if op is None:
        return False
    if op.name == _CONSTANT:
        return _has_within(op.attributes["value"], range_)
    if range_.least:  # of which small ones are outside too
        return False
    return op.name in _SMALL or (op.name == _CONVERT and _is_small(op.operands[0].type))


def _is_small(source: ir.Type) -> bool:
    """Whether all numbers of a dtype are below the limits of those above it."""
    element = source.element_type
    return kind(element) in ("bool", "int", "uint") or str(element) in _NARROW


@lru_cache(1024)  # many divide by one literal
def _has_within(literal: Any, range_: _Range) -> bool:
    is_splat = getattr(literal, "is_splat", False)
    try:
        numbers = literal.get_splat_value().value if is_splat else np.asarray(literal)
    except (TypeError, ValueError):  # of bf16, resources
        return False
    sizes = np.abs(numbers)
    is_within = (range_.least <= sizes) & (sizes <= range_.most)
    return bool((is_within | (sizes == 0) | ~np.isfinite(sizes)).all())


# -- the forms -------------------------------------------------------------------------------------


def _scale(op: ir.Operation, factor: float, most: float, known: _Known) -> None:
    x, y = op.operands
    key = op.block, y
    if key not in known.scaled:
        f = _factors(op.block, y, factor, most, known)
        known.scaled[key] = f, _multiply(y, f)
    f, scaled = known.scaled[key]
    op.operands[0], op.operands[1] = hide(_multiply(x, f)), scaled


def _factors(block: ir.Block, y: ir.Value, factor: float, most: float, known: _Known) -> ir.Value:
    """The factor where y is above the limit, and 1."""
    limit, small, one = (known.literals.get(block, y.type, v) for v in (most, factor, 1.0))
    is_large = _hlo.compare(_hlo("abs", y, type=y.type), limit, "GT")
    return _hlo("select", is_large, small, one, type=y.type)


def _multiply(x: ir.Value, y: ir.Value) -> ir.Value:
    return _hlo("multiply", x, y, type=x.type)


def _hide_complex(op: ir.Operation) -> None:
    """Keep XLA from multiplying complex numbers by the reciprocal of a literal that has none."""
    x, y = op.operands
    limits, made = _complex_limits(y.type), origin(y)
    if limits is None or made is None or made.name != _CONSTANT:
        return
    if _has_reciprocal(ComplexLiteral.of(made).text, *limits):
        return
    with op.context, op.location, ir.InsertionPoint(op):
        at, (real, imag) = _hlo.part("real", x), (_hlo.part(p, y) for p in ("real", "imag"))
        hidden = _hlo("clamp", real, at, real, type=real.type)
        op.operands[1] = _hlo("complex", hidden, imag, type=y.type)


@lru_cache(1024)  # asked of each division but those of floats
def _complex_limits(type_: Any) -> tuple[float, float] | None:
    is_static = isinstance(type_, ir.RankedTensorType) and type_.has_static_shape
    return _COMPLEX.get(str(type_.element_type)) if is_static else None


@lru_cache(1024)  # many divide by one literal
def _has_reciprocal(text: str, least: float, most: float) -> bool:
    """Whether all numbers of a literal are within the limits, or not finite."""
    pairs = re.findall(r"\(([^,()]+),([^,()]+)\)", text)  # none where it is written in bits
    sizes = [max(_size(part) for part in pair) for pair in pairs]
    return bool(sizes) and all(least <= size <= most or size == math.inf for size in sizes)


def _size(text: str) -> float:
    """The absolute value of a number in a literal; infinite of one written in bits."""
    return math.inf if "x" in text else abs(float(text))


def _widen(op: ir.Operation) -> None:
    """Divide in f32."""
    quotient = op.results[0]
    wide = tensor(quotient.type.shape, ir.F32Type.get())
    divided = _hlo("divide", *(_hlo("convert", v, type=wide) for v in op.operands), type=wide)
    quotient.replace_all_uses_with(_hlo("convert", divided, type=quotient.type))
    op.erase()
