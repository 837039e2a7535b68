"""Integer division guarded against zero, also where StableHLO's folder divides constants."""

from functools import lru_cache
from typing import Any

from anvl.dialect.core.lazy_numpy import np
from anvl.dialect.core.mlir import ir
from anvl.passes.framework.walk import Found
from anvl.passes.lower.hlo_builder import Hlo, Literals, maker, origin, replace_before

__all__ = ["NAMES", "guard_divisions"]

# Note [Division by zero]
#
# Before XLA sees a program, StableHLO's folder divides integers that it finds to be constant, in
# the compiling process, and zero ends that by SIGFPE (`FoldDivOpPattern` and `FoldRemOpPattern` in
# `StablehloAggressiveFolder.cpp`, jaxlib 0.10 to 0.12; its reference interpreter divides the same
# way).  It finds x - x to be 0, and a product with 0, so a divisor that depends on an argument is
# no exception.  XLA's own folder, and its generated code, give all bits set for x / 0 and x for the
# remainder (`docs/conventions.md`).  So unless a divisor is a literal without a zero in it, 1
# replaces 0:
#
#     z = x / y      becomes      z = select(y == 0, ~0, x / select(y == 0, 1, y))
#
# and, with x in place of ~0, likewise for a remainder.  XLA's code selects in the same way, so it
# takes no longer.  The smallest integer divided by -1 wraps in both folders.

NAMES = _DIVIDE, _REMAINDER = "stablehlo.divide", "stablehlo.remainder"

_hlo = Hlo("")


def guard_divisions(found: Found) -> None:
    """Select the result of an integer division by zero, where a divisor may be zero."""
    guarded: dict[ir.Value, bool] = {}  # many divide by one literal
    literals = Literals()
    for op in (*found[_DIVIDE], *found[_REMAINDER]):
        y = op.operands[1]
        if not _is_of_integers(y.type):
            continue
        if y not in guarded:
            guarded[y] = _is_guarded(y)
        if not guarded[y]:
            _guard(op, y, literals)


@lru_cache(1024)  # called for each division of floats too
def _is_of_integers(type_: Any) -> bool:
    """Whether a type is of integers and static shape: StableHLO's folder knows no others."""
    is_static = isinstance(type_, ir.RankedTensorType) and type_.has_static_shape
    return is_static and isinstance(type_.element_type, ir.IntegerType) and type_.encoding is None


def _is_guarded(y: ir.Value) -> bool:
    """Whether a divisor has no zero: a literal, or the select that `_guard` emits."""
    if _has_no_zero(y):
        return True
    op = maker(y)
    if op is None or op.name != "stablehlo.select":
        return False
    flag, one, divisor = op.operands
    test = maker(flag)
    if test is None or test.name != "stablehlo.compare" or not _has_no_zero(one):
        return False
    compared, zero = test.operands
    is_equality = "EQ" in str(test.attributes["comparison_direction"])
    return is_equality and compared == divisor and _is_zero(zero)


def _has_no_zero(y: ir.Value) -> bool:
    elements = _nonzero(y)
    return elements is not None and all(elements)


def _is_zero(y: ir.Value) -> bool:
    elements = _nonzero(y)
    return elements is not None and not any(elements)


def _nonzero(y: ir.Value) -> set[bool] | None:
    """Whether elements of a literal differ from 0; None if it is no literal or unreadable.

    A splat gives one element, also for an empty shape: the folder divides by it all the same.
    """
    op = origin(y)
    if op is None or op.name != "stablehlo.constant":
        return None
    value = op.attributes["value"]
    try:
        if isinstance(value, ir.DenseElementsAttr) and value.is_splat:
            return {value.get_splat_value().value != 0}
        return set(np.unique(np.asarray(value) != 0).tolist())
    except (TypeError, ValueError):  # integers of 2 and 4 bits, resources
        return None


def _guard(op: ir.Operation, y: ir.Value, literals: Literals) -> None:
    quotient = op.results[0]
    type_ = quotient.type
    with op.context, op.location:
        zero, one = (literals.get(op.block, type_, v) for v in (0, 1))
        with ir.InsertionPoint(op):
            is_0 = _hlo.compare(y, zero, "EQ")
            op.operands[1] = _hlo("select", is_0, one, y, type=type_)
        with ir.InsertionPoint.after(op):
            is_quotient = op.name == _DIVIDE
            by_zero = literals.get(op.block, type_, -1) if is_quotient else op.operands[0]
            chosen = _hlo("select", is_0, by_zero, quotient, type=type_)
    replace_before(quotient, chosen)
