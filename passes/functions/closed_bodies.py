"""Bodies of ops, such as the comparator of a sort, made to close over nothing.

Rules copy a body as a program of its arguments, into other functions too: a value from outside of
it would be lost there.  Constants get in from other programs, as `jax.export` writes them, and by
MLIR's `cse` and `canonicalize`, which replace a constant in a body by an equal one around the op.
"""

from functools import lru_cache

from anvl.dialect.core.captures import captured
from anvl.dialect.core.create import CapturedOp
from anvl.dialect.core.effects import all_dce_able
from anvl.dialect.core.errors import PassError
from anvl.dialect.core.mlir import ir
from anvl.dialect.core.op_registry import DEFINED, OPS
from anvl.dialect.interpreters.emission_cache import nested_ops
from anvl.passes.framework.walk import find

__all__ = ["close_bodies"]


def close_bodies(root: ir.Operation, argument: str = "") -> None:
    """Copy into bodies what they read from outside, where it follows from constants alone.

    For the pass `argument`, raise `PassError` for a body that reads another value: XLA compiles
    none, and its derivative with respect to that value would be lost.
    """
    ops = find(root, *_names(len(DEFINED)))
    for op in reversed(ops):  # an outer body first: an inner one reads its copies
        for x in captured(op):
            if _is_constant(x):
                _copy_into(op, x)
            elif argument:
                problem = (
                    f"a body of {op.name} reads {x.type} from outside of it, and a body closes "
                    "over nothing but constants; write the op as a loop, such as stablehlo.while"
                )
                raise PassError(argument, problem, str(op.location))


@lru_cache(4)
def _names(known: int) -> tuple[str, ...]:
    """The ops with bodies, of `known` defined ones; regions of choices and loops are none."""
    return tuple(name for name, rules in OPS.items() if rules.bodies and not rules.captures)


def _is_constant(x: ir.Value) -> bool:
    """Whether a value follows from constants alone."""
    if isinstance(x.owner, ir.Block):
        return False
    maker = x.owner.operation
    if maker.regions or maker.name == CapturedOp.OPERATION_NAME:
        return False  # an array that the function closes over becomes an argument
    if not all_dce_able(type(maker.opview)):
        return "value" in maker.attributes and not maker.operands  # of other dialects
    return all(map(_is_constant, maker.operands))


def _copy_into(op: ir.Operation, x: ir.Value) -> None:
    """Copy a constant into each region of an op that reads it."""
    for region in op.regions:
        block = region.blocks[0]
        inside = [one for each in block.operations for one in _and_nested(each.operation)]
        uses = [(one, i) for one in inside for i, y in enumerate(one.operands) if y == x]
        if uses:
            with ir.InsertionPoint.at_block_begin(block):
                copy = _copied(x)
            for one, i in uses:
                one.operands[i] = copy


def _and_nested(op: ir.Operation) -> list[ir.Operation]:
    return [op, *nested_ops(op)]


def _copied(x: ir.Value) -> ir.Value:
    """A copy of a constant, with all that it follows from, at the current insertion point."""
    maker = x.owner.operation
    operands = [_copied(y) for y in maker.operands]
    copy = maker.clone().operation
    for i, y in enumerate(operands):
        copy.operands[i] = y
    return copy.results[list(maker.results).index(x)]
