"""Ops that XLA:CPU hands over to YNNPACK, by their names and sizes."""

from functools import lru_cache
from math import prod
from typing import Any

from anvl.dialect.core.attributes import IGNORES_NAN, attribute_of
from anvl.dialect.core.mlir import ir
from anvl.dialect.core.types import kind
from anvl.passes.framework.walk import Found
from anvl.passes.lower.hlo_builder import maker, origin

__all__ = [
    "BROADCAST", "CONSTANT", "EXTREMES", "HANDED_OVER", "MOST_OPS", "MULTIPLY", "NAMES", "SHAPING",
    "TAKEN", "WAVES", "filling", "has_large_reduction", "is_large", "is_large_array",
    "is_large_extreme", "is_large_sum", "is_of_reduction", "is_zero", "splat",
]  # fmt: skip

NAMES = ("stablehlo.reduce", "stablehlo.reduce_window")
_FEWEST = 1024  # elements: XLA's own bound may change
FEWEST_CALLED = 4096  # elements, from which on XLA calls YNNPACK
MOST_OPS = 100  # that are looked at: then a reduction is assumed
_ADDED_AS_THEY_ARE = ("f32", "f64")  # narrower floats are converted first, as one array

BROADCAST = "stablehlo.broadcast_in_dim"
CONSTANT = "stablehlo.constant"
MULTIPLY = "stablehlo.multiply"
EXTREMES = ("stablehlo.maximum", "stablehlo.minimum")
SHAPING = ("stablehlo.broadcast_in_dim", "stablehlo.reshape", "stablehlo.transpose")

#: Ops that may be handed over with a reduction.
HANDED_OVER = frozenset(
    f"stablehlo.{name}"
    for name in (
        "abs add broadcast_in_dim cbrt ceil convert divide exponential exponential_minus_one floor "
        "log log_plus_one logistic maximum minimum multiply negate power reshape "
        "round_nearest_afz round_nearest_even rsqrt sign sqrt subtract tanh transpose"
    ).split()
)
#: Those that jaxlib 0.12 hands over as well, and 0.10.2 does not.
WAVES = frozenset(f"stablehlo.{name}" for name in ("cosine", "sine", "tan"))
#: Those of `HANDED_OVER` that a call computes, and what is an array before it.
TAKEN = HANDED_OVER - {f"stablehlo.{name}" for name in ("broadcast_in_dim", "negate")}


def has_large_reduction(found: Found) -> bool:
    """Whether XLA hands reductions over, and elementwise ops with them."""
    return any(is_large(op) for name in NAMES for op in found[name])


def is_large(op: ir.Operation) -> bool:
    """Whether XLA may hand over an op of floats for its size."""
    return _is_handed_over(op.operands[0].type)


@lru_cache(1024)
def _is_handed_over(type_: Any) -> bool:
    is_float = kind(type_.element_type) == "float"
    return is_float and type_.has_static_shape and prod(type_.shape) >= _FEWEST


def is_of_reduction(x: ir.Value) -> bool:
    """Whether ops that XLA may hand over with a reduction make x of its result."""
    seen: set[ir.Operation] = set()
    left = [x]
    while left:
        op = maker(left.pop())
        if op is None or op in seen:
            continue
        if op.name in NAMES or len(seen) > MOST_OPS:
            return True
        if op.name in HANDED_OVER or op.name in WAVES:
            seen.add(op)
            left += op.operands
    return False


def is_large_sum(op: ir.Operation) -> bool:
    """Whether XLA calls its library for a sum of floats, and converts none of them before."""
    if not _is_added_as_it_is(op.operands[0].type) or len(op.results) != 1:
        return False
    return _adds(op.regions[0].blocks[0])


@lru_cache(1024)
def _is_added_as_it_is(type_: Any) -> bool:
    return is_large_array(type_) and str(type_.element_type) in _ADDED_AS_THEY_ARE


def _adds(body: ir.Block) -> bool:
    """Whether the body of a reduction returns the sum of its arguments, not one of them twice."""
    first, *others = [op.operation for op in body.operations]
    if first.name != "stablehlo.add" or len(others) != 1:
        return False
    x, y = body.arguments
    is_of_both = [*first.operands] in ([x, y], [y, x])
    return is_of_both and others[0].operands[0] == first.results[0]


def is_large_extreme(op: ir.Operation) -> bool:
    """Whether XLA may hand over a reduction by maximum or minimum, whose NaN count."""
    if len(op.results) != 1 or IGNORES_NAN in op.attributes or not is_large(op):
        return False
    body = op.regions[0].blocks[0].operations
    return len(body) == 2 and body[0].operation.name in EXTREMES


@lru_cache(1024)
def is_large_array(type_: Any) -> bool:
    """Whether XLA may call its library for elementwise ops on floats of a type."""
    is_array = isinstance(type_, ir.RankedTensorType) and type_.has_static_shape
    is_float = is_array and kind(type_.element_type) == "float"
    return is_float and prod(type_.shape) >= FEWEST_CALLED


def splat(x: ir.Value) -> Any:
    """The number that a literal repeats."""
    op = maker(x)
    if op is None or op.name != CONSTANT:
        return None
    value: Any = attribute_of(op, "value")
    return value.get_splat_value() if getattr(value, "is_splat", False) else None


def filling(x: ir.Value) -> float | None:
    """The number that fills a literal, in any shape."""
    op = origin(x)
    value = None if op is None else splat(op.results[0])
    return None if value is None else float(value.value)


def is_zero(x: ir.Value) -> bool:
    """Whether a literal is filled with 0, and not with -0."""
    return repr(filling(x)) == "0.0"
