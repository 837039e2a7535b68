"""Integers that are never divided by zero, also where StableHLO's folder divides constants."""

from functools import cache
from typing import Any

import numpy as np

from anvl.dialect.mlir import ir
from anvl.dialect.types import tensor
from anvl.passes.find import find

__all__ = ["guard_divisions"]

# Note [Division by zero]
#
# Before XLA sees a program, StableHLO's folder divides integers that it finds to be constant, in
# the process that compiles, and zero ends that by SIGFPE (`FoldDivOpPattern` and `FoldRemOpPattern`
# in `StablehloAggressiveFolder.cpp`, jaxlib 0.10 to 0.12; its reference interpreter divides so
# too).  It finds x - x to be 0, and a product with 0, so a divisor that depends on an argument is
# no exception.  XLA's own folder, and the code that it writes, give all bits set for x / 0 and x
# for what is left (`docs/conventions.md`).  So unless a divisor is a literal without a zero in it,
# 1 takes the place of 0:
#
#     z = x / y      becomes      z = select(y == 0, ~0, x / select(y == 0, 1, y))
#
# and, with x in place of ~0, so does a remainder.  XLA's code chooses in the same way, so it takes
# no longer.  The smallest integer divided by -1 wraps in both folders.

_DIVIDE, _REMAINDER = "stablehlo.divide", "stablehlo.remainder"
_SHAPED = ("stablehlo.broadcast_in_dim", "stablehlo.reshape", "stablehlo.transpose")

_create = ir.Operation.create

#: Arrays full of a number, by their type and the number, in the block where they are.
_Fulls = dict[tuple[ir.Block, ir.RankedTensorType, int], ir.Value]


def guard_divisions(module: ir.Operation) -> None:
    """Choose what an integer divided by zero gives, where a divisor may be zero."""
    guarded: dict[ir.Value, bool] = {}  # many divide by one literal
    fulls: _Fulls = {}
    for op in find(module, _DIVIDE, _REMAINDER):
        y = op.operands[1]
        if not _is_of_integers(y.type):
            continue
        if y not in guarded:
            guarded[y] = _is_guarded(y)
        if not guarded[y]:
            _guard(op, y, fulls)


@cache  # asked of each division of floats too
def _is_of_integers(type_: Any) -> bool:
    """Of a shape that is known: what StableHLO's folder knows the elements of."""
    is_static = isinstance(type_, ir.RankedTensorType) and type_.has_static_shape
    return is_static and isinstance(type_.element_type, ir.IntegerType) and type_.encoding is None


def _is_guarded(y: ir.Value) -> bool:
    """Whether a divisor has no zero: a literal, or the choice that `_guard` makes."""
    if _has_no_zero(y):
        return True
    op = _maker(y)
    if op is None or op.name != "stablehlo.select":
        return False
    flag, one, divisor = op.operands
    test = _maker(flag)
    if test is None or test.name != "stablehlo.compare" or not _has_no_zero(one):
        return False
    compared, zero = test.operands
    is_equality = "EQ" in str(test.attributes["comparison_direction"])
    return is_equality and compared == divisor and _is_zero(zero)


def _has_no_zero(y: ir.Value) -> bool:
    numbers = _literal(y)
    return numbers is not None and bool(numbers.all())


def _is_zero(y: ir.Value) -> bool:
    numbers = _literal(y)
    return numbers is not None and not numbers.any()


def _literal(y: ir.Value) -> np.ndarray[Any, Any] | None:
    """The elements of a literal, in some order; None of what is none, or cannot be read."""
    op = _maker(y)
    while op is not None and op.name in _SHAPED:
        op = _maker(op.operands[0])
    if op is None or op.name != "stablehlo.constant":
        return None
    try:
        return np.asarray(op.attributes["value"])
    except (TypeError, ValueError):  # integers of 2 and 4 bits, resources
        return None


def _maker(y: ir.Value) -> ir.Operation | None:
    owner = y.owner
    return None if isinstance(owner, ir.Block) else owner.operation


def _guard(op: ir.Operation, y: ir.Value, fulls: _Fulls) -> None:
    quotient, at = op.results[0], op.location
    type_ = quotient.type
    flags, equal = _comparison(type_)
    before = ir.InsertionPoint(op)
    zero, one = _full(type_, 0, op, fulls), _full(type_, 1, op, fulls)
    is_0 = _create("stablehlo.compare", [flags], [y, zero], equal, loc=at, ip=before).result
    op.operands[1] = _create("stablehlo.select", [type_], [is_0, one, y], loc=at, ip=before).result
    by_zero = _full(type_, -1, op, fulls) if op.name == _DIVIDE else op.operands[0]
    after = ir.InsertionPoint.after(op)
    picked = [is_0, by_zero, quotient]
    chosen = _create("stablehlo.select", [type_], picked, loc=at, ip=after)
    quotient.replace_all_uses_except(chosen.result, chosen)


@cache
def _comparison(type_: ir.RankedTensorType) -> tuple[ir.Type, dict[str, ir.Attribute]]:
    """What an equality of such arrays is: its type and attributes."""
    equal = ir.Attribute.parse("#stablehlo<comparison_direction EQ>", type_.context)
    flags = tensor(type_.shape, ir.IntegerType.get_signless(1, type_.context))
    return flags, {"comparison_direction": equal}


def _full(type_: ir.RankedTensorType, value: int, op: ir.Operation, known: _Fulls) -> ir.Value:
    """An array full of a number, before an op: that of an op before it in its block, if any."""
    key = op.block, type_, value
    if key not in known:
        attributes, at = {"value": _splat(type_, value)}, ir.InsertionPoint(op)
        made = _create("stablehlo.constant", [type_], [], attributes, loc=op.location, ip=at)
        known[key] = made.result
    return known[key]


@cache
def _splat(type_: ir.RankedTensorType, value: int) -> ir.Attribute:
    return ir.DenseElementsAttr.get_splat(type_, ir.IntegerAttr.get(type_.element_type, value))
