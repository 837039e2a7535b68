"""Elements of large sums, as one array."""

from collections.abc import Container, Mapping

from anvl.dialect.core.mlir import ir
from anvl.dialect.core.params.base import Ints
from anvl.passes.framework.walk import Found
from anvl.passes.functions.symbol_utils import body_of, callee_of, functions_of, terminator_of
from anvl.passes.lower.hlo_builder import hide, is_used_in, maker
from anvl.passes.lower.library_calls.handed_over import (
    BROADCAST,
    MOST_OPS,
    NAMES,
    TAKEN,
    WAVES,
    is_large_sum,
)

__all__ = ["compute_summands", "has_large_sum"]

# Note [Summands as one array]
#
# XLA hands over what YNNPACK has an op for, and what that reads it computes first, an array and a
# kernel for each: of `sum(sin(x) * cos(y))` two, which the call multiplies and adds up.  One kernel
# takes less time to compile, writes less memory, and is divided among the cores as a whole.  So
# where a large sum would read two arrays or more that nothing else reads, its operand is hidden.
# The derivative of 20 terms `sin(i x) exp(-i x^2)` of 1,000 elements, written by hand and added, is
# two kernels where it was six, and runs in 0.57 of the time (jaxlib 0.10.2, two cores).  An array
# that two calls read counts as half of one: XLA computes it once, if it takes time.
#
# What is repeated along other axes than the last is an array, too, if a loop reads it as well (XLA
# has one op for equal ones), as in the derivative of a Kronecker product.  Otherwise the call
# repeats it: distances of 500 points in 64 dimensions, `sum((x[:, None] - x)**2)`, took 34 ms by
# way of an array, where the call takes 1.2.
#
# From jaxlib 0.12 on the library has sines, cosines and tangents, of several numbers at a time; a
# loop of XLA calls a function for each.  So a sum whose elements they make stays: of 8,192 to
# 1,000,000 `sin(x) * cos(y)` it runs in 0.1 to 0.2 of the time and compiles in 0.3, of sines of two
# `select`s in 0.2 and 1.4, the gradient of sines of a Kronecker product in 0.4 and 1.2 (0.12.0.1).

_NO_ARRAYS = (
    "stablehlo.constant", "stablehlo.convolution", "stablehlo.dot_general", "stablehlo.reduce",
)  # fmt: skip


def has_large_sum(found: Found) -> bool:
    """Whether XLA hands a sum over."""
    return any(map(is_large_sum, found[NAMES[0]]))


def compute_summands(module: ir.Operation, found: Found, trigonometric: bool) -> None:
    """Compute the elements of each large sum as one array, where XLA would make several.

    With `trigonometric` calls compute sines, cosines and tangents.
    """
    names = TAKEN.union(WAVES) if trigonometric else TAKEN
    sums = [op for op in found[NAMES[0]] if is_large_sum(op)]
    functions = functions_of(module) if sums else {}
    calls = {op: _taken_by(op, functions, names) for op in sums}
    in_calls = set[ir.Operation]().union(*calls.values())
    hidden = [op for op, taken in calls.items() if _is_better_apart(taken, in_calls)]
    for op in hidden:
        with op.context, op.location, ir.InsertionPoint(op):
            op.operands[0] = hide(op.operands[0])


def _taken_by(
    total: ir.Operation, functions: Mapping[str, ir.Operation], names: Container[str]
) -> set[ir.Operation]:
    """A sum, and the ops of these names handed over with it: nothing else uses their results.

    Those of a function that is called for it alone, too, as XLA inlines it.
    """
    taken = {total}
    left = [total.operands[0]]
    while left and len(taken) < MOST_OPS:
        op = maker(left.pop())  # one that is used elsewhere as well comes again with its last user
        if op is None or not is_used_in(taken, op):
            continue
        if op.name in names:
            taken.add(op)
            left += op.operands
        elif op.name == "func.call" and len(op.results) == 1:
            called = body_of(functions[callee_of(op)])
            if called is not None:
                end = terminator_of(called)
                taken |= {op, end}
                left += end.operands
    return taken


def _is_better_apart(taken: set[ir.Operation], in_calls: set[ir.Operation]) -> bool:
    """Whether the elements of a sum are computed as one array before the call."""
    return not any(op.name in WAVES for op in taken) and _reads_arrays(taken, in_calls)


def _reads_arrays(taken: set[ir.Operation], in_calls: set[ir.Operation]) -> bool:
    """Whether a call would read more than an array that is computed for it alone.

    Of an array that two calls read each has half.
    """
    read = {maker(x) for op in taken for x in op.operands} - taken - {None}
    shares = [_share(op, taken, in_calls) for op in read if op is not None]
    return sum(shares) > 1


def _share(op: ir.Operation, taken: set[ir.Operation], in_calls: set[ir.Operation]) -> float:
    """How much of an array XLA computes for a call that reads the result of an op."""
    if op.name == BROADCAST:  # calls repeat what they read, along other axes for them alone
        return 0.0 if _repeats_last_axes(op) or _is_repeated_alone(op, taken) else 1.0
    if op.name in _NO_ARRAYS or not is_used_in(in_calls, op):
        return 0.0
    return 1.0 if is_used_in(taken, op) else 0.5


def _is_repeated_alone(op: ir.Operation, taken: set[ir.Operation]) -> bool:
    """Whether nothing but some ops reads what a broadcast, or one that is equal, repeats."""
    y = op.results[0].type
    others = {use.owner.operation for use in op.operands[0].uses} - taken - {op}
    equal = [other for other in others if other.name == BROADCAST and other.results[0].type == y]
    return is_used_in(taken, op) and not any(_repeats_alike(other, op) for other in equal)


def _repeats_alike(one: ir.Operation, other: ir.Operation) -> bool:
    return bool(one.attributes["broadcast_dimensions"] == other.attributes["broadcast_dimensions"])


def _repeats_last_axes(op: ir.Operation) -> bool:
    """Whether the axes along which a broadcast repeats its operand are the last ones."""
    shape = op.operands[0].type.shape
    of_axis = zip(Ints.decode(op.attributes["broadcast_dimensions"]), shape, strict=True)
    sizes = op.results[0].type.shape
    kept = [axis for axis, n in of_axis if n == sizes[axis]]
    return kept == list(range(len(kept)))
