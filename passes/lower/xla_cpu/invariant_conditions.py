"""Programs for the CPU whose loops hold conditions that an inner loop does not change."""

from math import inf, prod

from anvl.dialect.core.mlir import ir
from anvl.dialect.core.params.base import Ints
from anvl.passes.framework.managers import run_native
from anvl.passes.framework.walk import find
from anvl.passes.lower.hlo_builder import maker, runs_once, varying_axes

__all__ = ["INVARIANT_CONDITIONS", "mark_invariant_conditions"]

# Note [XLA's optimization level]
#
# XLA:CPU has LLVM optimize each kernel at level 3.  Beyond level 2 that does two things which take
# time to compile: loops of few steps are unrolled whole, up to twice as much code as at level 2,
# and a condition that does not change in an inner loop is taken out of it, by one copy of the loop
# for each of its values (non-trivial loop unswitching).
#
# Unrolled loops are not vectorized along their length, and run longer.  At level 2 a gather of rows
# of 64 takes 0.65 of the time to run and 0.72 to compile, the gradient of a scan over 16 numbers
# 0.64 and 0.78, of a batch norm of 16 channels 0.61 and 0.69, a max pool of 16 channels 0.57 and
# 0.81 (jaxlib 0.10.2, AVX512, one core).  A kernel of one elementwise loop is the same at both.
#
# The second pays where it removes work.  Such conditions are the borders of a `pad` and the parts
# of a `concatenate`, and a `select` by rows of what is costly:
#
#     select(broadcast(p, axis 0), sin(x), y)
#
# computes no sines in the rows that do not need them.  At level 2 that ran for 2.3 times as long, a
# gradient of rolls along two axes for 1.3 times, of differences along axis 0 for 1.25.  Along the
# last axis, where the condition changes in the innermost loop, both levels mask elements.  Windows
# that are padded, slices that are updated, and gathers run no longer at level 2.
#
# So a program with such a condition over an array that is not small gets an attribute, at which
# `compilation.py` leaves XLA its own level; all others are compiled at level 2.  In a loop small
# arrays count, too: 50 steps that roll 50 x 50 numbers ran for 3.6 times as long at level 2.
#
# Where little of a program is computed under such conditions, it is compiled at level 2, too: a
# step of a transformer, which pads a gradient by a row and joins three others, compiles in 0.85 of
# the time and runs as long.  But not where one number takes many ops: level 2 then computes one at
# a time, and a roll of a chain of 80 ops took 5 to 6 times as long (of 40, as long).

#: Attribute of modules whose loops hold conditions on an outer axis.
INVARIANT_CONDITIONS = "anvl.invariant_conditions"

_PAD, _CONCATENATE, _SELECT = "stablehlo.pad", "stablehlo.concatenate", "stablehlo.select"
_EDGES = ("edge_padding_low", "edge_padding_high", "interior_padding")
_FEWEST = 4096  # elements of a result: fewer take no longer than the call of a kernel
_FEWEST_IN_LOOPS = 64  # where many steps of few elements may be one kernel
_LEAST_SHARE = 1 / 8  # of the numbers that the ops of a block compute
_MOST_FOR_ONE = 16  # ops for a number that is chosen
_MOST_OPS = 8  # between a select and the arrays that it is made of

#: Functions that are called for one element at a time, at 5 to 60 ns each.
_COSTLY = frozenset(f"stablehlo.{name}" for name in "atan2 cbrt cosine power sine tan".split())
_COST = 16  # in that of other elementwise ops

#: Ops that compute nothing, or what is not counted: all that a function or a loop does.
_FREE = frozenset(
    f"stablehlo.{name}"
    for name in "broadcast_in_dim case constant if iota reshape return transpose while".split()
) | {"func.call", "func.return"}

#: Ops whose results XLA computes as arrays of their own.
_WHOLE = frozenset(
    f"stablehlo.{name}"
    for name in (
        "case cholesky convolution custom_call dot_general fft if scatter sort triangular_solve "
        "while"
    ).split()
) | {"func.call"}
_REDUCE = "stablehlo.reduce"  # is another, if large


def mark_invariant_conditions(module: ir.Operation) -> None:
    """Mark a module if a loop that XLA makes of it has a condition on an outer axis."""
    if _conditional(module):
        run_native("func.func(trivial-dce)", module)  # what was rewritten is not computed
        found = _conditional(module)
        if any(_is_large_share(block, ops) for block, ops in found.items()):
            module.attributes[INVARIANT_CONDITIONS] = ir.UnitAttr.get(module.context)


def _conditional(module: ir.Operation) -> dict[ir.Block, list[ir.Operation]]:
    """The ops that choose by an index on an outer axis, by the blocks in which they stand."""
    found: dict[ir.Block, list[ir.Operation]] = {}
    for op in find(module, _PAD, _CONCATENATE, _SELECT):
        if _is_on_outer_axis(op):
            found.setdefault(op.block, []).append(op)
    return found


def _is_large_share(block: ir.Block, conditional: list[ir.Operation]) -> bool:
    """Whether much of what the ops of a block compute is computed under a condition."""
    if any(_chosen_numbers([op]) > _MOST_FOR_ONE * _elements(op.results[0]) for op in conditional):
        return True
    numbers, total = _chosen_numbers(conditional), 0.0
    for op in block.operations:
        total += _numbers(op.operation)
        if numbers < _LEAST_SHARE * total:
            return False
    return True


def _chosen_numbers(ops: list[ir.Operation]) -> float:
    """How many numbers ops with conditions compute, and those before them in the same loops."""
    found = set[ir.Operation]()
    left = list(ops)
    while left:
        op = left.pop()
        if op not in found:
            found.add(op)
            makers = filter(None, map(maker, op.operands))
            left += [made_by for made_by in makers if not _is_whole(made_by)]
    return sum(map(_numbers, found))


def _is_whole(op: ir.Operation) -> bool:
    """Whether XLA computes the results of an op before the loops that read them."""
    return op.name in _WHOLE or (op.name == _REDUCE and _elements(op.operands[0]) >= _FEWEST)


def _numbers(op: ir.Operation) -> float:
    """How many numbers an op computes; one that is costly counts as many."""
    if op.name in _FREE or not len(op.results):
        return 0.0
    return (_COST if op.name in _COSTLY else 1) * _elements(op.results[0])


def _elements(x: ir.Value) -> float:
    """The size of an array; infinite, if it is not known."""
    if not isinstance(x.type, ir.RankedTensorType):
        return 0.0
    return float(prod(x.type.shape)) if x.type.has_static_shape else inf


def _is_on_outer_axis(op: ir.Operation) -> bool:
    """Whether an op chooses by an index that is not the innermost of its result."""
    result = op.results[0].type
    if result.has_static_shape and prod(result.shape) < _fewest(op):
        return False
    inner = max((a for a, n in enumerate(result.shape) if n != 1), default=0)
    if op.name == _SELECT:
        return _is_fixed(op.operands[0], inner) and any(map(_is_costly, op.operands[1:]))
    if op.name == _CONCATENATE:
        return bool(op.attributes["dimension"].value < inner)
    return any(any(Ints.decode(op.attributes[name])[:inner]) for name in _EDGES)


def _fewest(op: ir.Operation) -> int:
    """From how many elements on a condition counts."""
    return _FEWEST if runs_once(op) else _FEWEST_IN_LOOPS


def _is_fixed(choice: ir.Value, axis: int) -> bool:
    """Whether the flags of a select are known to be the same along an axis."""
    if not choice.type.rank:
        return True
    axes = varying_axes(choice, _MOST_OPS)
    return axes is not None and axis not in axes


def _is_costly(x: ir.Value, most: int = _MOST_OPS) -> bool:
    """Whether an elementwise op that computes x, of the last `most`, is a costly function."""
    op = maker(x)
    if op is None or not most or op.results[0].type.shape != x.type.shape:
        return False
    if op.name in _COSTLY:
        return True
    is_elementwise = all(y.type.shape == x.type.shape for y in op.operands)
    return is_elementwise and any(_is_costly(y, most - 1) for y in op.operands)
