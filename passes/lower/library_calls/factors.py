"""Factors and signs of the elements of large sums, behind the sums."""

from math import frexp, prod

from anvl.dialect.core.mlir import ir
from anvl.passes.framework.walk import Found
from anvl.passes.lower.hlo_builder import Hlo, maker, replace_before
from anvl.passes.lower.library_calls.handed_over import (
    CONSTANT,
    HANDED_OVER,
    MULTIPLY,
    NAMES,
    SHAPING,
    TAKEN,
    filling,
    is_large_sum,
    is_zero,
)

__all__ = ["move_factors"]

# Note [Factors behind a sum]
#
# The derivative of a square is doubled, that of a difference negated, and both are often added up:
#
#     sum(2 * x)     becomes     2 * sum(x)
#     sum(-x)        becomes     0 - sum(x)
#
# Powers of two from 1 on and signs commute with rounding, so these are the same bits, zeros too;
# only where a sum overflows that its half does not, the result is finite.  A call of YNNPACK reads
# a number as one more array: sums of `2 * broadcast(x) * y` take 1.1 to 2 times as long as without
# the factor, of rows of 2 or 3 elements 3.5 to 4 times (jaxlib 0.10.2).  But a doubled sum that no
# loop reads, such as a result, would be a kernel more, and keeps its factor if it has less than
# 262,144 elements (of 256 x 256 x 8, the gradient of a Gaussian kernel, it took 1.4 times as long).
# The library has no op that negates, so `-x` is an array that XLA computes before the call: where x
# need not be one, or is read by others, that was a kernel more.  What a mask keeps is negated
# before it, so
#
#     sum(select(p, -x, 0))     becomes     0 - sum(select(p, x, 0))
#
# where others read the choice without the sign, as in the derivative of what has its mean
# subtracted: a batch normalization below a `relu` and its gradient run in 0.9 of the time.

_NEGATE, _SELECT = "stablehlo.negate", "stablehlo.select"
_FEWEST_FOR_A_KERNEL = 1 << 18
_LARGEST_FACTOR = 2.0**100  # finite in each float that is added as it is

_hlo = Hlo("")


def move_factors(found: Found) -> None:
    """Multiply and negate large sums, in place of their elements."""
    for op in found[NAMES[0]]:
        if is_large_sum(op) and filling(op.operands[1]) == 0:
            _negate_choice(op)
            found[CONSTANT] += _move_factor(op)


def _negate_choice(total: ir.Operation) -> None:
    """Let a sum read `-select(p, x, 0)` for `select(p, -x, 0)`, where others read the choice."""
    choice = maker(total.operands[0])
    if choice is None or choice.name != _SELECT or len(list(total.operands[0].uses)) > 1:
        return
    for i in (1, 2):
        negated = maker(choice.operands[i])
        if negated is None or negated.name != _NEGATE or not is_zero(choice.operands[3 - i]):
            continue
        same = _same_choice(choice, i, negated.operands[0])
        if same is None:
            continue
        if choice.is_before_in_block(same):
            same.operands[3 - i] = choice.operands[3 - i]
            same.move_after(choice)
        x = same.results[0]
        with total.context, total.location, ir.InsertionPoint(total):
            total.operands[0] = _hlo("negate", x, type=x.type)
        choice.erase()
        return


def _same_choice(choice: ir.Operation, i: int, x: ir.Value) -> ir.Operation | None:
    """A choice in the same block, by the same bools, between x at operand i and 0."""
    for use in x.uses:
        op = use.owner.operation
        if op.name == _SELECT and op.block == choice.block and is_zero(op.operands[3 - i]):
            if op.operands[0] == choice.operands[0]:
                return op
    return None


def _move_factor(total: ir.Operation) -> list[ir.Operation]:
    """Apply the factor of all elements of a sum to the sum; return the literals of it."""
    factor, dropped = _factor(total.operands[0])
    if not dropped or (factor > 0 and not _is_worth_moving(total)):
        return []
    total.operands[0] = _factors(dropped[-1])[0]
    for op in dropped:
        op.erase()
    y, literals = total.results[0], []
    with total.context, total.location, ir.InsertionPoint.after(total):
        if factor < 0:  # the sum of zeros is 0, and not -0
            literals.append(_hlo.constant(y.type, 0))
            negated = _hlo("subtract", literals[-1], y, type=y.type)
            replace_before(y, negated)
            y = negated
        if abs(factor) != 1:
            literals.append(_hlo.constant(y.type, abs(factor)))
            replace_before(y, _hlo("multiply", y, literals[-1], type=y.type))
    return [x.owner.operation for x in literals]


def _is_worth_moving(total: ir.Operation) -> bool:
    """Whether a loop applies a factor to the sum, or a kernel is nothing beside the elements."""
    if prod(total.operands[0].type.shape) >= _FEWEST_FOR_A_KERNEL:
        return True
    return _is_read_in_loops(total.results[0])


def _factor(x: ir.Value) -> tuple[float, list[ir.Operation]]:
    """The factor of the elements of a sum, and the ops that apply it, of which the last is first.

    Nothing else reads their results.
    """
    factor, ops = 1.0, list[ir.Operation]()
    while (op := maker(x)) is not None and len(list(x.uses)) == 1:
        x, by = _factors(op)
        if not by or abs(factor * by) > _LARGEST_FACTOR:
            break
        factor *= by
        ops.append(op)
    if ops and factor == -1 and not _is_read_as_it_is(_factors(ops[-1])[0]):
        return 1.0, []
    return factor, ops


def _factors(op: ir.Operation) -> tuple[ir.Value, float]:
    """The factor of an op, a power of two from 1 on or its negative, and its operand; 0: none."""
    if op.name == _NEGATE:
        return op.operands[0], -1.0
    for i, number in enumerate(map(filling, op.operands if op.name == MULTIPLY else ())):
        if number is not None and abs(number) >= 1 and frexp(abs(number))[0] == 0.5:
            return op.operands[1 - i], number
    return op.results[0], 0.0


def _is_read_as_it_is(x: ir.Value) -> bool:
    """Whether a call computes x itself, or it is an array in any case."""
    op = maker(x)
    return op is None or op.name in TAKEN or len(list(x.uses)) > 1


def _is_read_in_loops(x: ir.Value) -> bool:
    """Whether only elementwise ops read x, also in another shape."""
    readers = [use.owner.operation for use in x.uses]
    return bool(readers) and all(
        _is_read_in_loops(op.results[0]) if op.name in SHAPING else op.name in HANDED_OVER
        for op in readers
    )
