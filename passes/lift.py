"""anvl-lift: from StableHLO and CHLO to the ops of anvl, so that a program can be transformed."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import TypeAlias

from anvl.dialect.counterparts import Refused, counterparts, is_array, renamed_attributes
from anvl.dialect.mlir import ir
from anvl.dialect.op import AnvlOp, Value
from anvl.passes.lift_regions import lift_regions
from anvl.passes.pass_ import Pass

__all__ = ["Lift"]

_NAME = "anvl-lift"
_Attributes: TypeAlias = dict[str, ir.Attribute] | None


@dataclass(frozen=True)
class Lift(Pass, argument=_NAME):
    """Turn ops of StableHLO and CHLO into those of anvl that lower to them.

    A program from elsewhere can then be differentiated and batched.  Ops that anvl borrows stay,
    and so does whatever no op of anvl can say, such as one of a dynamic shape or of integers of 2
    bits: it goes through all passes, and whoever needs a rule of one says which and why.

    A `reduce` by a sum, a product, ... becomes that; loops and choices become calls of functions
    that are declared, `anvl.while`, `anvl.case`, and `anvl.scan` where a loop counts its steps.
    Types and values stay as they are.
    """

    anchor = "builtin.module"

    def run(self, module: ir.Operation) -> None:
        found: list[ir.Operation] = []
        names = counterparts()

        def collect(op: ir.Operation) -> ir.WalkResult:
            if op.name in names:
                found.append(op)
            return ir.WalkResult.ADVANCE

        module.walk(collect)
        with module.context:
            for op in found:
                with op.location, ir.InsertionPoint(op):
                    any(_lift(op, op_class) for op_class in names[op.name])
        lift_regions(module, _NAME)


def _lift(op: ir.Operation, op_class: type[AnvlOp]) -> bool:
    """Put an op of a class, or what its rule emits, in place of one of StableHLO, if it can be."""
    if not all(is_array(x.type) for x in (*op.results, *op.operands)):
        return False
    results = None
    # Whatever a rule raises, the op stays: `why_left` says it to whoever needs a rule of the op.
    with suppress(Exception):
        results = _made(op, op_class) or op_class.lift_rest(op)
    if results is None or [z.type for z in results] != [y.type for y in op.results]:
        return False
    for y, z in zip(op.results, results, strict=True):
        y.replace_all_uses_with(z)
    op.erase()
    return True


def _made(op: ir.Operation, op_class: type[AnvlOp]) -> Sequence[Value] | None:
    """The results of a new op; None where it can be no such op."""
    found = _read(op, op_class)
    if found is None:
        return None
    types = [y.type for y in op.results]
    new = ir.Operation.create(op_class.OPERATION_NAME, types, *found)
    if op_class.problem_of(new) is None:
        return list(new.results)
    new.erase()
    return None


def _read(op: ir.Operation, op_class: type[AnvlOp]) -> tuple[Sequence[Value], _Attributes] | None:
    """Operands and attributes of the new op; None where it can be no such op."""
    if not op_class.lifts:
        try:
            return list(op.operands), renamed_attributes(op, op_class)
        except Refused:
            return None
    found = op_class.lift(op)
    return None if found is None else (found[0], op_class.encode(found[1]))
