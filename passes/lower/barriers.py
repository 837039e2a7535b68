"""Barriers as XLA:CPU compiles them rightly: none in a loop, and none of a value used beside it.

And those before gathers and broadcasts, which would compute their operands several times, and
before comparing reductions, which would compute them one at a time.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from math import prod
from typing import Any

from anvl.dialect.core.mlir import ir
from anvl.dialect.core.types import element_type, kind, tensor
from anvl.passes.framework.walk import Found, find
from anvl.passes.functions.symbol_utils import body_of, callee_of, functions_of, terminator_of
from anvl.passes.lower.hlo_builder import (
    Hlo,
    is_used_in,
    maker,
    origin,
    replace_before,
    runs_once,
)

__all__ = [
    "NAMES",
    "compute_broadcast",
    "compute_compared",
    "compute_gathered",
    "drop_inner_barriers",
    "separate_names",
]

# Note [Barriers on the CPU]
#
# XLA:CPU drops barriers before common subexpression elimination, and so merges what `checkpoint`
# recomputes with the original.  `executables.py` makes XLA drop them later; but then those inside a
# loop are not dropped at all, and crash the process (jaxlib 0.10.2).  There nothing is lost: a step
# of the reverse loop recomputes what another loop computed, which is a different computation.  So
# lowering leaves barriers only in the main function.
#
# Note [One name for a buffer]
#
# For XLA a barrier's result is another name of its operand's buffer.  A fusion may write its result
# into the buffer of an operand that dies there, if it reads element i of it for element i of the
# result.  Of a buffer of two names XLA checks only what the fusion reads by the last one
# (`BufferAssigner::LiveRangeInterferes`: "we only look at the last instruction").  So in
#
#     y = optimization_barrier(x)
#     r = pad(slice(x)) + select(y == m, g, 0)
#
# r is written over x, while later elements of r still read the slice: the numbers are wrong
# (jaxlib 0.10.2).  So
#
# - a barrier of one value moves to where the value is computed, and all read the barrier's result;
# - another barrier, as of a checkpoint, whose results must not be merged with its operands, takes
#   copies, which have no other use.  XLA would see through a copy that it knows to be one: this is
#   `select(yes, x, 0)`, where `yes` is true, but itself behind a barrier.  Each copy has a `yes` of
#   its own, or two of them would be merged.
#
# The first needs an op that surely computes something: what XLA simplifies to its operand, or what
# only changes a shape, is another name already.  Nothing is written over arguments and constants;
# nor over donated ones, as XLA writes such a result elsewhere and copies it (test_barriers.py).

# Note [Operands of gathers]
#
# XLA fuses a gather with the elementwise ops that make its operand, and so computes each row as
# often as it is taken: messages along the edges of a graph compute the slope of tanh, in their
# derivative, once for each edge in place of once for each node.  So where a gather takes at least
# twice as many elements as there are, and the ops take a function for each, the operand stands
# behind a barrier, which makes it an array.  Where it is read by others as well it is one already.
# That is one kernel more, and the fusion with less in it: the step of a graph network of 500 nodes
# and 2,000 edges runs in 0.88 of the time, and compiles in the same (jaxlib 0.10.2).  Products,
# quotients and roots take no longer than to write and read their results.
#
# Note [Operands of broadcasts]
#
# In the same way XLA fuses what it takes for cheap with a broadcast and what reads that.  Sines,
# cosines and tangents of real numbers count as cheap (`InstructionFusion::IsExpensive`, in its
# `instruction_fusion.cc`), but XLA:CPU calls a function for each: `x * cos(angles)[:, None]`, as in
# a rotary embedding, computes them for each element of x.  So where that is at least twice as often
# as there are, they stand behind a barrier: the embedding of 128 x 8 x 64 with its gradient runs in
# 0.36 of the time, a product with 64 rows of x in 0.1 to 0.2 (jaxlib 0.10.2).  Each is a kernel
# more, which takes 25 ms to compile.  Of all other functions XLA makes arrays itself.

# Note [Operands of comparisons]
#
# A reduction of several arrays, as of `argmax`, is a loop that chooses, and XLA:CPU computes one
# element of it at a time, with all that is fused with it: exponentials, logarithms and random bits
# too, which are vectorized otherwise.  So where its first operand takes such functions, it stands
# behind a barrier.  `argmax(f(x))` of 100,000 numbers in rows of 10 runs in 0.18 (logarithms) to
# 0.27 (exponentials) of the time, in rows of 1,000 in 0.5 to 0.8, a choice by random numbers in 0.3
# to 0.4 (jaxlib 0.10.2).  Sines, which are calls, and sums and products gain nothing.

_BARRIER, _GATHER = "stablehlo.optimization_barrier", "stablehlo.gather"
_REDUCE, _CALL = "stablehlo.reduce", "func.call"
_TAKEN_FOR_CHEAP = "stablehlo.sine", "stablehlo.cosine", "stablehlo.tan"
NAMES = (_BARRIER, _CALL, _GATHER, _REDUCE, *_TAKEN_FOR_CHEAP)
_FEWEST_REPEATED = 16_384  # elements: for less, a kernel more does not pay
_FEWEST_COMPARED = 8_192

#: Functions that take longer than memory.
_SLOW = frozenset(
    f"stablehlo.{name}"
    for name in (
        "atan2 cbrt cosine exponential exponential_minus_one log log_plus_one logistic power sine "
        "tan tanh"
    ).split()
)
#: Those that XLA writes out as polynomials, which LLVM vectorizes.
_VECTORIZED = frozenset(
    f"stablehlo.{name}"
    for name in "exponential exponential_minus_one log log_plus_one logistic tanh".split()
)
#: Other ops that XLA fuses with their reader.
_FUSED = frozenset(
    f"stablehlo.{name}"
    for name in (
        "abs add and clamp compare convert divide maximum minimum multiply negate not or "
        "reduce_precision reshape rsqrt select sign sqrt subtract transpose"
    ).split()
)
#: Ops that XLA repeats with a broadcast that reads them.
_REPEATED = _FUSED.union(
    f"stablehlo.{name}" for name in ("broadcast_in_dim", "concatenate", "pad", "reverse", "slice")
).difference(f"stablehlo.{name}" for name in ("divide", "rsqrt", "sqrt"))
#: Those whose result may be larger than an operand, such as the bound of a `clamp`.
_GROWING = tuple(
    f"stablehlo.{name}" for name in ("broadcast_in_dim", "clamp", "concatenate", "pad", "select")
)
_MOST_FUSED = 100  # ops that are looked at

#: Ops that compute something, unless an operand is a constant, as 1 is for a product.
_COMPUTING = frozenset(
    f"stablehlo.{name}"
    for name in (
        "add atan2 cbrt convolution cosine divide dot_general exponential exponential_minus_one "
        "log log_plus_one logistic multiply negate power rsqrt sine sqrt subtract tan tanh"
    ).split()
)

_hlo = Hlo("")


def drop_inner_barriers(found: Found) -> None:
    """Replace each barrier outside the body of a public function by its operands."""
    _drop_where(found, lambda op: not runs_once(op))


def separate_names(found: Found) -> None:
    """See to it that what barriers take is used nowhere else: see Note [One name for a buffer]."""
    for op in found[_BARRIER]:
        if len(op.operands) == 1:
            _share_result(op)
    _drop_where(found, _is_repeated)
    in_blocks: dict[ir.Block, list[tuple[ir.Operation, int]]] = {}
    for op in found[_BARRIER]:
        entry = op.parent.regions[0].blocks[0]
        for i, x in enumerate(op.operands):
            if _may_be_overwritten(x) and not _is_copy(x) and not _is_computed_for(op, x):
                in_blocks.setdefault(entry, []).append((op, i))
    for block, operands in in_blocks.items():
        flags = _opaque_trues(block, len(operands))
        for (op, i), flag in zip(operands, flags, strict=True):
            x = op.operands[i]
            with op.context, ir.InsertionPoint(op), op.location:
                op.operands[i] = _hlo("select", flag, x, _hlo.constant(x.type, 0), type=x.type)


def compute_gathered(module: ir.Operation, found: Found) -> None:
    """Put the operands of gathers behind barriers, where these would compute them several times."""
    repeating = [op for op in found[_GATHER] if _is_repeating(op) and runs_once(op)]
    functions = functions_of(module) if repeating else {}
    for op in repeating:
        reader, i = _first_reader(op)
        if _takes_long(op, 0, functions, _SLOW):
            _compute_first(reader, i, found)


def compute_compared(module: ir.Operation, found: Found) -> None:
    """Put what is compared behind barriers, where it takes functions: see the note on it."""
    comparing = [op for op in found[_REDUCE] if _is_long_comparison(op)]
    functions = functions_of(module) if comparing else {}
    for op in comparing:
        for reader, i in _outermost_readers(op, found[_CALL]):
            if runs_once(reader) and _takes_long(reader, i, functions, _VECTORIZED):
                _compute_first(reader, i, found)


def _compute_first(reader: ir.Operation, i: int, found: Found) -> None:
    """Put operand i of an op behind a barrier, if it surely is an array of its own then."""
    x = reader.operands[i]
    if _is_computed_for(reader, x):
        with reader.context, reader.location, ir.InsertionPoint(reader):
            reader.operands[i] = ir.Operation.create(_BARRIER, [x.type], [x]).result
        found[_BARRIER].append(reader.operands[i].owner.operation)


def _is_long_comparison(reduction: ir.Operation) -> bool:
    """Whether a reduction is of several arrays, and large ones."""
    type_ = reduction.operands[0].type
    is_large = type_.has_static_shape and prod(type_.shape) >= _FEWEST_COMPARED
    return len(reduction.results) > 1 and is_large


def _outermost_readers(
    op: ir.Operation, calls: Sequence[ir.Operation]
) -> list[tuple[ir.Operation, int]]:
    """An op, and 0 for its first operand; or the calls that hand this on to it, and which it is."""
    x = op.operands[0]
    if maker(x) is not None or op.parent.name != "func.func":
        return [(op, 0)]
    name = op.parent.attributes["sym_name"].value
    i = ir.BlockArgument(x).arg_number
    return [(call, i) for call in calls if callee_of(call) == name]


def compute_broadcast(module: ir.Operation, found: Found) -> None:
    """Put sines and the like behind barriers, where broadcasts would compute them several times."""
    functions = [op for name in _TAKEN_FOR_CHEAP for op in found[name]]
    # Most are of the largest arrays there are: only for the others their readers are looked at.
    larger = {op.results[0].type for op in (find(module, *_GROWING) if functions else ())}
    for op in functions:
        y = op.results[0]
        if not any([_is_repeated_in(y.type, type_) for type_ in larger]):
            continue
        if kind(y.type.element_type) != "complex" and runs_once(op) and _is_broadcast(op):
            with op.context, op.location, ir.InsertionPoint.after(op):
                once = ir.Operation.create(_BARRIER, [y.type], [y]).result
            replace_before(y, once)
            found[_BARRIER].append(once.owner.operation)


def _is_broadcast(op: ir.Operation) -> bool:
    """Whether XLA would compute an op's result for each element of a larger array."""
    there = op.results[0].type
    met, left = {op}, [op]
    while left and len(met) < _MOST_FUSED:
        for reader in {use.owner.operation for use in left.pop().results[0].uses} - met:
            if reader.name in _REPEATED:
                if reader.name in _GROWING and _is_repeated_in(there, reader.results[0].type):
                    return True
                met.add(reader)
                left.append(reader)
    return False


def _first_reader(gather: ir.Operation) -> tuple[ir.Operation, int]:
    """The op that reads what a gather takes, and its operand, before signs, shapes and literals.

    XLA may simplify such an op, so that its result is no array of its own.
    """
    reader, i = gather, 0
    for _ in range(_MOST_FUSED):
        x = reader.operands[i]
        op = maker(x)
        if op is None or op.name not in _FUSED or len(list(x.uses)) != 1:
            break
        left = [k for k, y in enumerate(op.operands) if not _is_literal(y)]
        if len(left) != 1 or _is_computed_for(reader, x):
            break
        reader, i = op, left[0]
    return reader, i


def _is_literal(x: ir.Value) -> bool:
    op = origin(x)
    return op is not None and op.name == "stablehlo.constant"


def _is_repeating(gather: ir.Operation) -> bool:
    """Whether a gather takes many more elements than its operand has."""
    return _is_repeated_in(gather.operands[0].type, gather.results[0].type)


@lru_cache(1024)
def _is_repeated_in(x: Any, y: Any) -> bool:
    """Whether an array of type y has many more elements than one of type x."""
    if not (x.has_static_shape and y.has_static_shape):
        return False
    there, taken = prod(x.shape), prod(y.shape)
    return taken >= 2 * there and taken - there >= _FEWEST_REPEATED


def _takes_long(
    reader: ir.Operation, i: int, functions: Mapping[str, ir.Operation], slow: frozenset[str]
) -> bool:
    """Whether XLA would fuse a slow function of the elements of operand i with its reader."""
    fused = {reader}
    left = [reader.operands[i]]
    while left and len(fused) < _MOST_FUSED:
        op = maker(left.pop())  # one that is used elsewhere as well comes again with its last user
        if op is None or not is_used_in(fused, op):
            continue
        if op.name in slow:
            return True
        if op.name in _FUSED:
            fused.add(op)
            left += op.operands
        elif op.name == _CALL and len(op.results) == 1:
            called = body_of(functions[callee_of(op)])
            if called is not None:
                end = terminator_of(called)
                fused |= {op, end}
                left += [*op.operands, *end.operands]
    return False


def _drop_where(found: Found, is_needless: Callable[[ir.Operation], bool]) -> None:
    kept = []
    for op in found[_BARRIER]:
        if not is_needless(op):
            kept.append(op)
            continue
        for y, x in zip(op.results, list(op.operands), strict=True):
            y.replace_all_uses_with(x)
        op.erase()
    found[_BARRIER] = kept


def _is_repeated(op: ir.Operation) -> bool:
    """Whether a barrier takes the result of a barrier of one value, as it does alone."""
    return len(op.operands) == 1 and _is_single(maker(op.operands[0]))


def _is_single(op: ir.Operation | None) -> bool:
    return op is not None and op.name == _BARRIER and len(op.operands) == 1


def _share_result(op: ir.Operation) -> None:
    """Move a barrier to its operand, and let all others use its result."""
    x, y = op.operands[0], op.results[0]
    made_by = maker(x)
    if made_by is not None and not _is_single(made_by):
        op.move_after(made_by)
        x.replace_all_uses_except(y, op)


def _is_computed_for(op: ir.Operation, x: ir.Value) -> bool:
    """Whether x surely has a buffer of its own, which only this barrier reads.

    It has, if XLA cannot simplify the op that makes it to an operand.
    """
    made_by = maker(x)
    if made_by is None or made_by.name not in _COMPUTING or len(list(x.uses)) != 1:
        return False
    sources = [origin(operand) for operand in made_by.operands]
    return all(source is None or source.name != "stablehlo.constant" for source in sources)


def _may_be_overwritten(x: ir.Value) -> bool:
    """Whether a value is of a computation: neither of an argument, nor a constant, nor a token."""
    op = maker(x)
    while op is not None and op.name == "stablehlo.reshape":  # the same buffer
        op = maker(op.operands[0])
    is_read_only = op is None or op.name == "stablehlo.constant"
    return isinstance(x.type, ir.RankedTensorType) and not is_read_only


def _is_copy(x: ir.Value) -> bool:
    op = maker(x)
    if op is None or op.name != "stablehlo.select" or len(list(x.uses)) != 1:
        return False
    flag = maker(op.operands[0])
    return flag is not None and flag.name == _BARRIER


def _opaque_trues(block: ir.Block, count: int) -> list[ir.Value]:
    """As many scalars that are true, which XLA does not know, each from a result of its own."""
    with block.owner.context, ir.InsertionPoint.at_block_begin(block), block.owner.location:
        true = _hlo.constant(tensor([], element_type("bool")), True)
        op = ir.Operation.create(_BARRIER, [true.type] * count, [true] * count)
    return list(op.results)
