"""Operands of calls of YNNPACK, by XLA:CPU: maxima that keep NaN, few arrays, scalars."""

from collections.abc import Mapping
from functools import lru_cache
from math import frexp, prod
from typing import Any

from anvl.dialect.core.attributes import IGNORES_NAN, attribute_of
from anvl.dialect.core.mlir import ir
from anvl.dialect.core.params.base import Ints
from anvl.dialect.core.types import kind, tensor
from anvl.passes.framework.walk import Found, find
from anvl.passes.functions.symbol_utils import (
    body_of,
    callee_of,
    functions_of,
    terminator_of,
)
from anvl.passes.lower.hlo_builder import (
    Hlo,
    hide,
    is_hidden,
    maker,
    origin,
    replace_before,
    runs_once,
)

__all__ = [
    "NAMES", "compute_summands", "guard_extremes", "has_large_sum", "move_factors",
    "separate_scales",
]  # fmt: skip

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
# Ops whose result is NaN anyway where an element is, as a softmax's is by the sum of exponentials,
# say so by an attribute (`IGNORES_NAN`), and keep the plain reduction.


# Note [NaN in fused maxima]
#
# XLA also hands over elementwise ops that make the elements of such a reduction, or read its
# results, and there YNNPACK's `maximum` and `minimum` ignore NaN, too: `sum(maximum(x, 0))` and
# `maximum(sum(x, axis=-1), 0)` of large arrays are numbers where an element is NaN (f16, bf16, f32
# and f64, jaxlib 0.10.2; so is JAX's sum of a relu).  So beside a large reduction their results are
# hidden (`hide`), and operands that are made of a reduction's results: what YNNPACK has no op for,
# XLA computes by itself.

# Note [Scales of both directions]
#
# What is scaled by a number has a derivative that is scaled by it, too: attention's scores, or a
# distance in a Gaussian.  XLA makes equal literals one, and repeats it in its own loops, but not in
# calls of YNNPACK (Note [NaN in large reductions]): these read it as an array, which takes a kernel
# and a pass over memory.  So the second scale and all later ones are scalars behind a barrier, of
# which XLA cannot tell that they are the same number.  Value and gradient of attention compile in
# 0.85 of the time, of a sum of Gaussians of distances in 0.75 (XLA:CPU of jaxlib 0.10.2).

# Note [Summands as one array]
#
# XLA hands over what YNNPACK has an op for, and what that reads it computes first, an array and a
# kernel for each: of `sum(sin(x) * cos(y))` two, which the call multiplies and adds up.  One kernel
# takes less time to compile, writes less memory, and is divided among the cores as a whole.  So
# where a large sum would read two arrays or more that nothing else reads, its operand is hidden.
# The derivative of 20 terms `sin(i x) exp(-i x^2)` of 1,000 elements, written by hand and added, is
# two kernels where it was six, and runs in 0.57 of the time (jaxlib 0.10.2, two cores).  An array
# that two calls read counts as half of one: XLA computes it once, if it takes time.

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
# loop reads, such as a result, would be a kernel more, and keeps its factor.  The library has no op
# that negates, so `-x` is an array that XLA computes before the call: where x need not be one, or
# is read by others, that was a kernel more.

NAMES = ("stablehlo.reduce", "stablehlo.reduce_window")
_EXTREMES = ("stablehlo.maximum", "stablehlo.minimum")
_FEWEST = 1024  # elements: XLA's own bound may change

#: Ops that may be handed over with a reduction.
_HANDED_OVER = frozenset(
    f"stablehlo.{name}"
    for name in (
        "abs add broadcast_in_dim cbrt ceil convert divide exponential exponential_minus_one floor "
        "log log_plus_one logistic maximum minimum multiply negate power reshape "
        "round_nearest_afz round_nearest_even rsqrt sign sqrt subtract tanh transpose"
    ).split()
)
#: Those of them that a call computes, and what is an array before it.
_TAKEN = _HANDED_OVER - {f"stablehlo.{name}" for name in ("broadcast_in_dim", "negate")}
_NO_ARRAYS = (
    "stablehlo.constant", "stablehlo.convolution", "stablehlo.dot_general", "stablehlo.reduce",
)  # fmt: skip
_ADDED_AS_THEY_ARE = ("f32", "f64")  # narrower floats are converted first, as one array
_SHAPING = ("stablehlo.broadcast_in_dim", "stablehlo.reshape", "stablehlo.transpose")
_MOST_OPS = 100  # that are looked at: then a reduction is assumed

_CONSTANT = "stablehlo.constant"
_NEGATE = "stablehlo.negate"
_MULTIPLY = "stablehlo.multiply"
_BARRIER = "stablehlo.optimization_barrier"
_BROADCAST = "stablehlo.broadcast_in_dim"
_LARGEST_FACTOR = 2.0**100  # finite in each float that is added as it is
_FEWEST_CALLED = 4096  # elements, from which on XLA calls YNNPACK

_hlo = Hlo("")


def guard_extremes(module: ir.Operation, found: Found) -> None:
    """Make large `maximum` and `minimum` of floats, reductions and elementwise ops, keep NaN."""
    for name in NAMES:
        guarded = [op for op in found[name] if _is_large_extreme(op) and not _is_guarded(op)]
        found[name] += [_guard(op) for op in guarded]  # sums, which other guards read
    if _has_large_reduction(found):
        for op in find(module, *_EXTREMES):  # those of slices are new
            if _is_large(op) and IGNORES_NAN not in op.attributes:
                _hide(op)


def _has_large_reduction(found: Found) -> bool:
    """Whether XLA hands reductions over, and elementwise ops with them."""
    return any(_is_large(op) for name in NAMES for op in found[name])


def _is_large(op: ir.Operation) -> bool:
    """Whether XLA may hand over an op of floats for its size."""
    return _is_handed_over(op.operands[0].type)


@lru_cache(1024)
def _is_handed_over(type_: Any) -> bool:
    is_float = kind(type_.element_type) == "float"
    return is_float and type_.has_static_shape and prod(type_.shape) >= _FEWEST


def _hide(op: ir.Operation) -> None:
    """Hide an elementwise op from the library calls that make its operands or read its result."""
    y = op.results[0]
    with op.context, op.location:
        with ir.InsertionPoint(op):
            for i, x in enumerate(op.operands):
                if _is_of_reduction(x):
                    op.operands[i] = hide(x)
        uses = [use.owner.operation for use in y.uses]
        if not all(len(user.results) == 1 and is_hidden(user.results[0]) for user in uses):
            with ir.InsertionPoint.after(op):
                replace_before(y, hide(y))


def _is_of_reduction(x: ir.Value) -> bool:
    """Whether ops that XLA may hand over with a reduction make x of its result."""
    seen: set[ir.Operation] = set()
    left = [x]
    while left:
        op = maker(left.pop())
        if op is None or op in seen:
            continue
        if op.name in NAMES or len(seen) > _MOST_OPS:
            return True
        if op.name in _HANDED_OVER:
            seen.add(op)
            left += op.operands
    return False


def _is_large_extreme(op: ir.Operation) -> bool:
    if len(op.results) != 1 or IGNORES_NAN in op.attributes or not _is_large(op):
        return False
    body = op.regions[0].blocks[0].operations
    return len(body) == 2 and body[0].operation.name in _EXTREMES


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


# -- summands --------------------------------------------------------------------------------------


def has_large_sum(found: Found) -> bool:
    """Whether XLA hands a sum over."""
    return any(map(_is_large_sum, found[NAMES[0]]))


def compute_summands(module: ir.Operation, found: Found) -> None:
    """Compute the elements of each large sum as one array, where XLA would make several."""
    sums = [op for op in found[NAMES[0]] if _is_large_sum(op)]
    functions = functions_of(module) if sums else {}
    calls = {op: _taken_by(op, functions) for op in sums}
    in_calls = set[ir.Operation]().union(*calls.values())
    for op, taken in calls.items():
        if _reads_arrays(taken, in_calls):
            with op.context, op.location, ir.InsertionPoint(op):
                op.operands[0] = hide(op.operands[0])


def _is_large_sum(op: ir.Operation) -> bool:
    x = op.operands[0].type
    if len(op.results) != 1 or str(x.element_type) not in _ADDED_AS_THEY_ARE:
        return False
    body = op.regions[0].blocks[0].operations
    is_sum = len(body) == 2 and body[0].operation.name == "stablehlo.add"
    return is_sum and x.has_static_shape and prod(x.shape) >= _FEWEST_CALLED


def _taken_by(total: ir.Operation, functions: Mapping[str, ir.Operation]) -> set[ir.Operation]:
    """A sum, and the ops that XLA hands over with it: nothing else uses their results.

    Those of a function that is called for it alone, too, as XLA inlines it.
    """
    taken = {total}
    left = [total.operands[0]]
    while left and len(taken) < _MOST_OPS:
        op = maker(left.pop())  # one that is used elsewhere as well comes again with its last user
        if op is None or not _is_used_in(taken, op):
            continue
        if op.name in _TAKEN:
            taken.add(op)
            left += op.operands
        elif op.name == "func.call" and len(op.results) == 1:
            called = body_of(functions[callee_of(op)])
            if called is not None:
                end = terminator_of(called)
                taken |= {op, end}
                left += end.operands
    return taken


def _reads_arrays(taken: set[ir.Operation], in_calls: set[ir.Operation]) -> bool:
    """Whether a call would read more than an array that is computed for it alone.

    Of an array that two calls read each has half.
    """
    read = {maker(x) for op in taken for x in op.operands} - taken - {None}
    shares = [_share(op, taken, in_calls) for op in read if op is not None]
    return sum(shares) > 1


def _share(op: ir.Operation, taken: set[ir.Operation], in_calls: set[ir.Operation]) -> float:
    """How much of an array XLA computes for a call that reads the result of an op."""
    if op.name == _BROADCAST:  # loops repeat what they read, calls along their last axes only
        return 0.0 if _repeats_last_axes(op) else 1.0
    if op.name in _NO_ARRAYS or not _is_used_in(in_calls, op):
        return 0.0
    return 1.0 if _is_used_in(taken, op) else 0.5


def _repeats_last_axes(op: ir.Operation) -> bool:
    """Whether the axes along which a broadcast repeats its operand are the last ones."""
    shape = op.operands[0].type.shape
    of_axis = zip(Ints.decode(op.attributes["broadcast_dimensions"]), shape, strict=True)
    sizes = op.results[0].type.shape
    kept = [axis for axis, n in of_axis if n == sizes[axis]]
    return kept == list(range(len(kept)))


def _is_used_in(ops: set[ir.Operation], op: ir.Operation) -> bool:
    """Whether nothing but these ops uses the results of an op."""
    return all(use.owner.operation in ops for y in op.results for use in y.uses)


# -- factors ---------------------------------------------------------------------------------------


def move_factors(found: Found) -> None:
    """Multiply and negate large sums, in place of their elements."""
    for op in found[NAMES[0]]:
        if _is_large_sum(op) and _number(op.operands[1]) == 0:
            found[_CONSTANT] += _move_factor(op)


def _move_factor(total: ir.Operation) -> list[ir.Operation]:
    """Apply the factor of all elements of a sum to the sum; return the literals of it."""
    factor, dropped = _factor(total.operands[0])
    if not dropped or (factor > 0 and not _is_read_in_loops(total.results[0])):
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
    for i, number in enumerate(map(_number, op.operands if op.name == _MULTIPLY else ())):
        if number is not None and abs(number) >= 1 and frexp(abs(number))[0] == 0.5:
            return op.operands[1 - i], number
    return op.results[0], 0.0


def _is_read_as_it_is(x: ir.Value) -> bool:
    """Whether a call computes x itself, or it is an array in any case."""
    op = maker(x)
    return op is None or op.name in _TAKEN or len(list(x.uses)) > 1


def _is_read_in_loops(x: ir.Value) -> bool:
    """Whether only elementwise ops read x, also in another shape."""
    readers = [use.owner.operation for use in x.uses]
    return bool(readers) and all(
        _is_read_in_loops(op.results[0]) if op.name in _SHAPING else op.name in _HANDED_OVER
        for op in readers
    )


def _number(x: ir.Value) -> float | None:
    """The number that fills a literal, in any shape."""
    op = origin(x)
    value = None if op is None else _splat(op.results[0])
    return None if value is None else float(value.value)


# -- scales ----------------------------------------------------------------------------------------


def separate_scales(module: ir.Operation, found: Found) -> None:
    """Give each large product with a number that others take, too, a scalar of its own."""
    if not _has_large_reduction(found):
        return
    for scaled in _by_number(module).values():
        if len(scaled) > 1 and any(_is_of_reduction(op.operands[1 - i]) for op, i in scaled):
            for op, i in scaled[1:]:
                _separate(op, i)


_Scaled = dict[tuple[ir.Type, str, ir.Block], list[tuple[ir.Operation, int]]]


def _by_number(module: ir.Operation) -> _Scaled:
    """Large products with a number, and which of their operands it is."""
    found: _Scaled = {}
    # Not those that were found before: bodies of reductions may be gone.
    if not any(_is_large_array(op.results[0].type) for op in find(module, _CONSTANT)):
        return found
    for op in find(module, _MULTIPLY):
        is_product = _is_large_array(op.results[0].type) and runs_once(op)
        for i, x in enumerate(op.operands if is_product else ()):
            value = _splat(x)
            if value is not None:
                found.setdefault((x.type, str(value), op.block), []).append((op, i))
    return found


@lru_cache(1024)
def _is_large_array(type_: Any) -> bool:
    """Whether XLA may call its library for elementwise ops on floats of a type."""
    is_array = isinstance(type_, ir.RankedTensorType) and type_.has_static_shape
    is_float = is_array and kind(type_.element_type) == "float"
    return is_float and prod(type_.shape) >= _FEWEST_CALLED


def _splat(x: ir.Value) -> Any:
    """The number that a literal repeats."""
    op = maker(x)
    if op is None or op.name != _CONSTANT:
        return None
    value: Any = attribute_of(op, "value")
    return value.get_splat_value() if getattr(value, "is_splat", False) else None


def _separate(op: ir.Operation, i: int) -> None:
    x = op.operands[i]
    scalar = tensor([], x.type.element_type)
    value = ir.DenseElementsAttr.get_splat(scalar, _splat(x))
    with op.context, op.location, ir.InsertionPoint(op):
        number = _hlo("constant", type=scalar, value=value)
        own = ir.Operation.create(_BARRIER, [scalar], [number]).result
        axes = Ints.encode(())
        op.operands[i] = _hlo("broadcast_in_dim", own, type=x.type, broadcast_dimensions=axes)
