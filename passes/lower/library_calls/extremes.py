"""Large maxima and minima that keep NaN: those of YNNPACK ignore it."""

from anvl.dialect.core.attributes import IGNORES_NAN
from anvl.dialect.core.mlir import ir
from anvl.passes.framework.walk import Found, find
from anvl.passes.lower.hlo_builder import Hlo, hide, is_hidden, replace_before
from anvl.passes.lower.library_calls.handed_over import (
    EXTREMES,
    NAMES,
    has_large_reduction,
    is_large,
    is_large_extreme,
    is_of_reduction,
)

__all__ = ["guard_extremes"]

# Note [NaN in large reductions]
#
# XLA:CPU hands reductions of 4,096 elements and more, over axes or windows, to YNNPACK, whose
# maximum and minimum ignore NaN (jaxlib 0.10.2; `jnp.max` of JAX has the same wrong numbers).
# StableHLO's are NaN if an operand is NaN.  Sums preserve NaN.  So each such reduction is paired
# with a sum of absolute values, which is NaN for no other reason: infinities have one sign.
#
#     largest = reduce(x, max)      becomes      sum = reduce(abs(x), add)
#                                                largest = select(sum != sum, sum, reduce(x, max))
#
# YNNPACK takes the absolute values in the sum itself: of 256 and 1,000 rows of 1,000 f32 this takes
# 1.7 and 2 times as long as the reduction alone.  (A sum of `select(x != x, x, 0)` needs a copy of
# the array: 2.4 and 4.3 times.  XLA's own reductions, without YNNPACK, take 3 to 20 times.)
#
# Where a loop of XLA's own finds NaN in less time, it is one: Note [Extremes in one loop].
#
# Ops whose result is NaN anyway where an element is, as a softmax's is by the sum of exponentials,
# say so by an attribute (`IGNORES_NAN`), and keep the plain reduction.

# Note [NaN in fused maxima]
#
# XLA also hands over elementwise ops that make the elements of such a reduction, or read its
# results, and there YNNPACK's `maximum` and `minimum` ignore NaN, too: `sum(maximum(x, 0))` and
# `maximum(sum(x, axis=-1), 0)` of large arrays are numbers where an element is NaN (f16, bf16, f32
# and f64, jaxlib 0.10.2; so is JAX's sum of a relu).  So beside a large reduction their results are
# hidden (`hide`), and operands that are made of a reduction's results: what YNNPACK has no op for,
# XLA computes by itself.  From jaxlib 0.12 on it has ops for sines, cosines and tangents, too.

_hlo = Hlo("")


def guard_extremes(module: ir.Operation, found: Found) -> None:
    """Make large `maximum` and `minimum` of floats, reductions and elementwise ops, keep NaN."""
    for name in NAMES:
        guarded = [op for op in found[name] if is_large_extreme(op) and not _is_guarded(op)]
        found[name] += [_guard(op) for op in guarded]  # sums, which other guards read
    if has_large_reduction(found):
        for op in find(module, *EXTREMES):  # those of slices are new
            if is_large(op) and IGNORES_NAN not in op.attributes:
                _hide(op)


def _hide(op: ir.Operation) -> None:
    """Hide an elementwise op from the library calls that make its operands or read its result."""
    y = op.results[0]
    with op.context, op.location:
        with ir.InsertionPoint(op):
            for i, x in enumerate(op.operands):
                if is_of_reduction(x):
                    op.operands[i] = hide(x)
        uses = [use.owner.operation for use in y.uses]
        if not all(len(user.results) == 1 and is_hidden(user.results[0]) for user in uses):
            with ir.InsertionPoint.after(op):
                replace_before(y, hide(y))


def _is_guarded(op: ir.Operation) -> bool:
    """Whether the only use of a reduction is the select that `_guard` emits."""
    uses = list(op.results[0].uses)
    if len(uses) != 1 or uses[0].owner.operation.name != "stablehlo.select":
        return False
    flag, total, _ = uses[0].owner.operation.operands
    made_by = flag.owner
    return not isinstance(made_by, ir.Block) and list(made_by.operation.operands) == [total, total]


def _guard(op: ir.Operation) -> ir.Operation:
    """Add a sum beside a reduction, and return it."""
    extreme = op.results[0]
    with op.context, op.location:
        with ir.InsertionPoint(op):
            total = _added_up(op, [_hlo("abs", x, type=x.type) for x in op.operands])
        with ir.InsertionPoint.after(op):
            chosen = _hlo("select", _is_nan(total), total, extreme, type=extreme.type)
    replace_before(extreme, chosen)
    return total.owner.operation


def _is_nan(x: ir.Value) -> ir.Value:
    return _hlo.compare(x, x, "NE")


def _added_up(op: ir.Operation, operands: list[ir.Value]) -> ir.Value:
    """Result of a reduction of the same form that sums these operands."""
    copy = op.clone().operation
    for i, x in enumerate(operands):
        copy.operands[i] = x
    block = copy.regions[0].blocks[0]
    extreme = block.operations[0].operation
    with ir.InsertionPoint(extreme):
        added = _hlo("add", *extreme.operands, type=extreme.results[0].type)
    extreme.results[0].replace_all_uses_with(added)
    extreme.erase()
    return copy.results[0]
