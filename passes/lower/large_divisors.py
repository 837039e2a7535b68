"""Guards for division of floats by one very large value on the CPU.

In f16 also by a very small one; of complex numbers by such a literal or by 0.
"""

import math
import re
from functools import lru_cache
from typing import Any, NamedTuple

from anvl.dialect.core.attributes import SMALL_DIVISOR
from anvl.dialect.core.create import ComplexLiteral
from anvl.dialect.core.lazy_numpy import np
from anvl.dialect.core.mlir import ir
from anvl.dialect.core.types import kind, tensor
from anvl.passes.framework.walk import Found
from anvl.passes.lower.hlo_builder import (
    Hlo,
    Literals,
    differs_everywhere,
    hide,
    is_hidden,
    maker,
    origin,
)

__all__ = ["NAMES", "guard_large_divisors"]

# Note [Quotients that XLA makes products]
#
# If a divisor is a constant, or one value for many elements (a broadcast, also behind other
# elementwise ops, since XLA broadcasts as late as it can), XLA multiplies by its reciprocal (jaxlib
# 0.10.2).  For an f32 above 2^126 that is subnormal, and flushed to 0 by the CPU; so `w / max(w)`
# was 0 from 1e38 on.  Unless it is known to be smaller, such a divisor is scaled:
#
#     z = x / y      becomes      f = select(|y| > 2^100, 2^-64, 1)
#                                 z = reduce_precision(x * f) / (y * f)
#
# Both products are exact wherever the quotient is not 0 anyway.  XLA computes f once for each
# broadcast value, so this takes as long as before.  The `reduce_precision` is to more bits than
# there are: it does nothing, but without it XLA would combine f and a constant reciprocal again.
# (A quotient may promise that its divisor is small: Note [Promises to the guards].)
#
# In f16 the reciprocal is rounded to f16: infinite below 2^-16, inexact above 2^14.  There the
# quotient is computed in f32, as XLA's code does in any case.
#
# Of complex numbers only literals become reciprocals.  The reciprocal of 0 contains NaN, and so do
# products of large numbers with the reciprocal of a very small one, where C and NumPy have
# infinity.  Such a literal, and one that is very large, is made to appear dependent on the
# dividend: as its real part, clamped from both sides to that of the literal.  (A barrier would do,
# but not in loops.)

_DIVIDE, _CONSTANT, _CONVERT = "stablehlo.divide", "stablehlo.constant", "stablehlo.convert"
_MULTIPLY = "stablehlo.multiply"
NAMES = (_DIVIDE,)
_BROADCAST = "stablehlo.broadcast_in_dim"
_MOST_OPS = 8  # limit of ops across which XLA is assumed to move a broadcast

#: Ops across which XLA moves broadcasts: of broadcast operands, their result is a broadcast.
_TRANSPARENT = frozenset(
    f"stablehlo.{name}"
    for name in (
        "abs add and atan2 cbrt ceil clamp compare concatenate convert cosine divide exponential"
        " exponential_minus_one floor is_finite log log_plus_one logistic maximum minimum multiply"
        " negate not or power reduce_precision remainder reshape reverse round_nearest_afz"
        " round_nearest_even rsqrt select sign sine slice sqrt subtract tan tanh transpose xor"
    ).split()
)

#: Ops whose results are below the limits for any operands.
_SMALL = frozenset(
    f"stablehlo.{name}"
    for name in "cosine log log_plus_one logistic rsqrt sign sine sqrt tanh".split()
)

_NARROW = ("f16", "f8E4M3FN", "f8E5M2")

#: Sizes of the larger part for which the reciprocal of a complex literal is accurate.
_COMPLEX = {"complex<f32>": (2.0**-60, 2.0**100), "complex<f64>": (2.0**-500, 2.0**1000)}

_hlo = Hlo("")


class _Range(NamedTuple):
    least: float  # 0 is allowed too
    most: float
    factor: float | None  # for divisors above `most`; None if f32 has the range


_WIDE = _Range(0.0, 2.0**100, 2.0**-64)
_RANGES = {
    "bf16": _WIDE,
    "f32": _WIDE,
    "f64": _Range(0.0, 2.0**1000, 2.0**-512),
    "f16": _Range(2.0**-14, 2.0**14, None),
}


class _Known(NamedTuple):
    """Facts about divisors, and the literals and scaled divisors of each block."""

    unsafe: dict[ir.Value, bool]
    literals: Literals
    scaled: dict[tuple[ir.Block, ir.Value], tuple[ir.Value, ir.Value]]


def guard_large_divisors(found: Found) -> None:
    """Scale divisors of floats by whose reciprocal XLA multiplies."""
    known = _Known({}, Literals(), {})
    for op in found[_DIVIDE]:
        y = op.operands[1]
        range_ = _range(y.type)
        if range_ is None:
            _hide_complex(op)
            continue
        if SMALL_DIVISOR in op.attributes and not range_.least:
            continue
        if y not in known.unsafe:
            is_many = not _is_spread(y, _MOST_OPS) or differs_everywhere(y, _MOST_OPS)
            known.unsafe[y] = not (_is_within(y, range_) or is_many)
        if known.unsafe[y] and not _is_scaled(*op.operands):
            with op.context, op.location, ir.InsertionPoint(op):
                if range_.factor is None:
                    _widen(op)
                else:
                    _scale(op, range_.factor, range_.most, known)


@lru_cache(1024)  # called for each division
def _range(type_: Any) -> _Range | None:
    is_static = isinstance(type_, ir.RankedTensorType) and type_.has_static_shape
    return _RANGES.get(str(type_.element_type)) if is_static else None


def _is_scaled(x: ir.Value, y: ir.Value) -> bool:
    """Whether dividend and divisor were scaled by `_scale`: products with the same factors."""
    op = maker(x) if is_hidden(x) else None
    makers = [None if op is None else maker(op.operands[0]), maker(y)]
    if any(made is None or made.name != _MULTIPLY for made in makers):
        return False
    f, g = (made.operands[1] for made in makers if made is not None)
    return bool(f == g)


def _is_spread(y: ir.Value, most: int) -> bool:
    """Whether an array may be a constant or a broadcast to XLA; a scalar is neither."""
    op = maker(y)
    if op is None or not most:
        return False
    if op.name == _BROADCAST:
        return bool(y.type.rank) or _is_spread(op.operands[0], most - 1)
    if op.name in _TRANSPARENT:
        return all(_is_spread(x, most - 1) for x in op.operands)
    return op.name == _CONSTANT


def _is_within(y: ir.Value, range_: _Range) -> bool:
    """Whether a divisor is known to be within the limits, 0 or not finite: any form is right."""
    op = origin(y)
    if op is None:
        return False
    if op.name == _CONSTANT:
        return _has_within(op.attributes["value"], range_)
    if range_.least:  # small results are outside too
        return False
    return op.name in _SMALL or (op.name == _CONVERT and _is_small(op.operands[0].type))


def _is_small(source: ir.Type) -> bool:
    """Whether all numbers of a dtype are below the limits of wider ones."""
    element = source.element_type
    return kind(element) in ("bool", "int", "uint") or str(element) in _NARROW


@lru_cache(1024)  # many divide by one literal
def _has_within(literal: Any, range_: _Range) -> bool:
    is_splat = getattr(literal, "is_splat", False)
    try:
        if is_splat:
            size = abs(literal.get_splat_value().value)
            return range_.least <= size <= range_.most or size == 0 or not math.isfinite(size)
        sizes = np.abs(np.asarray(literal))
    except (TypeError, ValueError):  # of bf16, resources
        return False
    is_within = (range_.least <= sizes) & (sizes <= range_.most)
    return bool((is_within | (sizes == 0) | ~np.isfinite(sizes)).all())


# -- rewritten forms ------------------------------------------------------------------------------


def _scale(op: ir.Operation, factor: float, most: float, known: _Known) -> None:
    x, y = op.operands
    key = op.block, y
    if key not in known.scaled:
        f = _factors(op.block, y, factor, most, known)
        known.scaled[key] = f, _multiply(y, f)
    f, scaled = known.scaled[key]
    op.operands[0], op.operands[1] = hide(_multiply(x, f)), scaled


def _factors(block: ir.Block, y: ir.Value, factor: float, most: float, known: _Known) -> ir.Value:
    """The factor where y is above the limit, else 1."""
    limit, small, one = (known.literals.get(block, y.type, v) for v in (most, factor, 1.0))
    is_large = _hlo.compare(_hlo("abs", y, type=y.type), limit, "GT")
    return _hlo("select", is_large, small, one, type=y.type)


def _multiply(x: ir.Value, y: ir.Value) -> ir.Value:
    return _hlo("multiply", x, y, type=x.type)


def _hide_complex(op: ir.Operation) -> None:
    """Keep XLA from multiplying by a complex literal's reciprocal if that is inaccurate."""
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


@lru_cache(1024)  # called for each division but those of floats
def _complex_limits(type_: Any) -> tuple[float, float] | None:
    is_static = isinstance(type_, ir.RankedTensorType) and type_.has_static_shape
    return _COMPLEX.get(str(type_.element_type)) if is_static else None


@lru_cache(1024)  # many divide by one literal
def _has_reciprocal(text: str, least: float, most: float) -> bool:
    """Whether all numbers of a literal are within the limits, or not finite."""
    pairs = re.findall(r"\(([^,()]+),([^,()]+)\)", text)  # none if written in hexadecimal
    sizes = [max(_size(part) for part in pair) for pair in pairs]
    return bool(sizes) and all(least <= size <= most or size == math.inf for size in sizes)


def _size(text: str) -> float:
    """Absolute value of a number in a literal; infinite if written in hexadecimal."""
    return math.inf if "x" in text else abs(float(text))


def _widen(op: ir.Operation) -> None:
    """Divide in f32."""
    quotient = op.results[0]
    wide = tensor(quotient.type.shape, ir.F32Type.get())
    divided = _hlo("divide", *(_hlo("convert", v, type=wide) for v in op.operands), type=wide)
    quotient.replace_all_uses_with(_hlo("convert", divided, type=quotient.type))
    op.erase()
