"""Barriers as XLA:CPU compiles them rightly: none in a loop, and none of a value used beside it."""

from collections.abc import Callable

from anvl.dialect.core.mlir import ir
from anvl.dialect.core.types import element_type, tensor
from anvl.passes.framework.walk import Found
from anvl.passes.lower.hlo_builder import Hlo, maker, origin, runs_once

__all__ = ["NAMES", "drop_inner_barriers", "separate_names"]

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

NAMES = ("stablehlo.optimization_barrier",)
_BARRIER = NAMES[0]

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
