"""Large maxima and minima as loops of XLA's own, which look for NaN on the way."""

from collections.abc import Sequence
from functools import partial
from math import nan, prod
from typing import Any

from anvl.dialect.core.mlir import ir
from anvl.dialect.core.params.base import Ints
from anvl.dialect.core.types import element_type, tensor
from anvl.passes.framework.walk import Found
from anvl.passes.lower.hlo_builder import Hlo
from anvl.passes.lower.library_calls.handed_over import NAMES, is_large_extreme
from anvl.passes.lower.partitioning.partitioned_pads import is_over_mesh

__all__ = ["write_extreme_loops"]

# Note [Extremes in one loop]
#
# A guard (Note [NaN in large reductions]) reads the array twice.  XLA:CPU hands no reduction of two
# arrays over, and LLVM vectorizes this one, whose second array says where the first is NaN:
#
#     y = reduce(x, max)      becomes      largest, has_nan = reduce(x, x != x, max, or)
#                                          y = select(has_nan, nan, largest)
#
# Maxima of 100,000 f32 in rows of 3 to 10,000 take 0.1 to 0.6 of the guard's time, of f64 0.15 to
# 0.8 (jaxlib 0.10.2, AVX-512): about what YNNPACK alone takes.  Along an axis that is not the last,
# LLVM vectorizes short loops alone, of up to 32 elements, which it writes out.  So an axis of more
# than 16 is taken in steps, if its length has a divisor of 8 to 16: 100 rows in two steps of 10.
#
# XLA computes f16 and bf16 in f32, and converts them one by one: these keep the guard.  So does a
# program over a mesh, as XLA divides reductions of one array alone.

_REDUCE = NAMES[0]
_FLOATS = ("f32", "f64")
_FEWEST = 5  # elements of a result: less are slices (Note [Reductions of few elements])
_LONGEST = 32
_FEWEST_IN_ALL = 32_768  # elements: for less, a kernel more does not pay
_STEPS = range(16, 7, -1)

_hlo = Hlo("")


def write_extreme_loops(module: ir.Operation, found: Found) -> None:
    """Replace large maxima and minima of floats by loops that find NaN, where these are faster."""
    steps = [_steps(op) for op in found[_REDUCE]]
    if not any(steps) or is_over_mesh(module):
        return
    kept = []
    for op, of_op in zip(found[_REDUCE], steps, strict=True):
        if not of_op:
            kept.append(op)
            continue
        with op.context, op.location, ir.InsertionPoint(op):
            y, loops = _in_loops(op, of_op)
        op.results[0].replace_all_uses_with(y)
        op.erase()
        kept += loops
    found[_REDUCE] = kept


def _steps(op: ir.Operation) -> list[int]:
    """How many elements each of the loops combines, if they are faster than the guard."""
    x = op.operands[0].type
    if not is_large_extreme(op) or str(x.element_type) not in _FLOATS:
        return []
    n, inner = _sizes(x.shape, Ints.decode(op.attributes["dimensions"]))[1:]
    if n < _FEWEST or prod(x.shape) < _FEWEST_IN_ALL:
        return []
    if inner == 1 or n <= _STEPS[0]:
        return [n]
    step = next((k for k in _STEPS if n % k == 0), None)
    if step is None:
        return [n] if n <= _LONGEST else []
    return [step, n // step]


def _sizes(shape: Sequence[int], axes: Sequence[int]) -> tuple[int, int, int]:
    """Products of the sizes before, of and behind the axes; 1 of them if others lie between."""
    first, end = min(axes, default=0), max(axes, default=-1) + 1
    if end - first != len(axes):
        return 1, 1, 1
    return prod(shape[:first]), prod(shape[first:end]), prod(shape[end:])


def _in_loops(op: ir.Operation, steps: Sequence[int]) -> tuple[ir.Value, list[ir.Operation]]:
    """The result of an extreme, and the reductions that make it."""
    x, start = op.operands
    body = op.regions[0].blocks[0].operations[0].operation.name.removeprefix("stablehlo.")
    axes = Ints.decode(op.attributes["dimensions"])
    outer, n, inner = _sizes(x.type.shape, axes)
    best = [x, _hlo.compare(x, x, "NE")]
    starts = [start, _hlo.constant(tensor([], element_type("bool")), 0)]
    loops = []
    for step in steps:
        if len(steps) > 1:
            n //= step
            best, axes = [_reshaped(part, [outer, n, step, inner]) for part in best], (2,)
        best = _hlo.reduce(best, starts, axes, partial(_combined, body))
        loops.append(best[0].owner.operation)
    if len(steps) > 1:
        best = [_reshaped(part, op.results[0].type.shape) for part in best]
    largest, has_nan = best
    missing = _hlo.constant(largest.type, nan)
    return _hlo("select", has_nan, missing, largest, type=largest.type), loops


def _combined(
    body: str, hlo: Any, x: ir.Value, x_is_nan: ir.Value, y: ir.Value, y_is_nan: ir.Value
) -> list[ir.Value]:
    return [hlo(body, x, y, type=x.type), hlo.logic("or", x_is_nan, y_is_nan)]


def _reshaped(x: ir.Value, shape: Sequence[int]) -> ir.Value:
    return _hlo("reshape", x, type=tensor(shape, x.type.element_type))
