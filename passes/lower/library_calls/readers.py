"""Readers of large sums, as loops of XLA."""

from functools import lru_cache
from math import prod
from typing import Any

from anvl.dialect.core.mlir import ir
from anvl.passes.framework.walk import Found
from anvl.passes.lower.hlo_builder import hide, is_used_in, maker, replace_before
from anvl.passes.lower.library_calls.handed_over import (
    BROADCAST,
    HANDED_OVER,
    MOST_OPS,
    NAMES,
    SHAPING,
    TAKEN,
    is_large_array,
    is_large_sum,
)

__all__ = ["keep_readers"]

# Note [Readers of a sum]
#
# XLA hands over what reads the result of a sum, too, and here again what that reads is computed
# first: in a cross entropy's derivative, g - exp(y) * sum(g), the library takes exponentials of an
# array that nothing else reads, where one loop of XLA computes y, exp(y) and the difference.  So
# where two large elementwise ops or more are computed of a repeated sum, it is hidden.  Value and
# gradient of a cross entropy of 256 rows of 500 to 8,000 classes run in 0.75 to 0.85 of the time,
# `g - z * sum(g)` over all or over the rows in 0.75 to 0.9 (jaxlib 0.10.2, two cores).  A single
# op, as in `g - sum(g)`, is as fast in the call, or faster.  Where the call computes the elements
# of the sum, and others read them or what they are made of, as with one-hot targets or in the
# derivative of a softmax, that would be an array: it took 1.2 to 1.5 times as long.  In attention,
# where it is one in any case, it saved 5 % of a run, and compiled for 1.3 times as long.  For small
# arrays, of which a loop is one task, it is the call that is faster.

_FEWEST_DIVIDED = 100_000  # elements, from which on a loop is surely divided among the cores

#: Elementwise ops: XLA computes them in one loop with what reads them.
_ELEMENTWISE = HANDED_OVER.difference(SHAPING).union(
    f"stablehlo.{name}" for name in ("atan2", "clamp", "cosine", "select", "sine", "tan")
)
_FUSED = _ELEMENTWISE.union(SHAPING)
_COMPUTED = _FUSED.union(("func.call",))  # of a function that XLA inlines, such as a softmax


def keep_readers(found: Found) -> None:
    """Let XLA compute what reads a large sum, repeated."""
    for op in found[NAMES[0]]:
        if is_large_sum(op) and not _is_shared(op) and _has_loop(op.results[0]):
            with op.context, op.location, ir.InsertionPoint.after(op):
                replace_before(op.results[0], hide(op.results[0]))


def _is_shared(total: ir.Operation) -> bool:
    """Whether others read what the call computes of a sum's elements."""
    taken, left, met = {total}, [total.operands[0]], set[ir.Operation]()
    while left and len(taken) < MOST_OPS:
        op = maker(left.pop())  # one that is read elsewhere as well comes again with its last user
        if op is None or op.name not in _COMPUTED:
            continue
        if op.name in _FUSED and is_used_in(taken, op):
            taken.add(op)
            left += op.operands
        else:
            met.add(op)
    return any(op.name not in SHAPING and not is_used_in(taken, op) for op in met)


def _has_loop(x: ir.Value, is_repeated: bool = False) -> bool:
    """Whether two elementwise ops or more, on many elements, are computed of x, repeated."""
    for use in x.uses:
        op = use.owner.operation
        if op.name in SHAPING:
            if _has_loop(op.results[0], is_repeated or op.name == BROADCAST):
                return True
        elif is_repeated and op.name in TAKEN and _is_divided(op.results[0].type):
            if _has_neighbour(op):
                return True
    return False


def _has_neighbour(op: ir.Operation) -> bool:
    """Whether another elementwise op reads the result of one, or makes an operand for it alone."""
    makers = [made for x in op.operands if (made := maker(x)) is not None]
    if any(made.name in _ELEMENTWISE and is_used_in({op}, made) for made in makers):
        return True
    return any(use.owner.name in _ELEMENTWISE for use in op.results[0].uses)


@lru_cache(1024)
def _is_divided(type_: Any) -> bool:
    return is_large_array(type_) and prod(type_.shape) >= _FEWEST_DIVIDED
