"""Linearity check: find the first op that is not linear in its active operands."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from anvl.dialect.control_flow.call import CallOp
from anvl.dialect.control_flow.region_ops import RegionOp
from anvl.dialect.core.captures import operands_of
from anvl.dialect.core.families import differentiable
from anvl.dialect.core.op import AnvlOp, Value
from anvl.dialect.core.symbol_table import SymbolTable
from anvl.dialect.interpreters.activity_analysis import place_of
from anvl.dialect.interpreters.slices import values_read
from anvl.dialect.interpreters.subprogram import Program, sweep_backward

__all__ = ["NonLinear", "first_nonlinear"]


class NonLinear(NamedTuple):
    """An op that is not linear in its active operands; `flat` if its derivative is 0 by design.

    `within` is the op of the program that contains it: itself, or a call.
    """

    op: Any
    flat: bool
    within: Any

    @property
    def why(self) -> str:
        """Reason why the op is not linear, with its location."""
        at = f"{self.op.operation.name} at {place_of(self.op.operation)}"
        if self.flat:
            return f"{at} has derivative zero"
        return f"the derivative of {at} depends on its value"


def first_nonlinear(
    program: Program, moves: Sequence[bool], *, slopes: bool = True
) -> NonLinear | None:
    """First op between the active arguments and the results that is not linear in them.

    For control flow it is an op in one of the bodies.  A sweep passes over flat ops, such as
    comparisons; without `slopes`, only these are searched for, which is quick.
    """
    moved = {x for x, flag in zip(program.arguments, moves, strict=True) if flag}
    wanted = program.slice().values
    for op in program.block.operations:
        if wanted.isdisjoint(op.results):
            continue
        results = [
            y for y in op.results if not moved.isdisjoint(values_read(op, {y}, program.symbols))
        ]
        if not results:
            continue
        through = [x in moved for x in operands_of(op)]
        found = _nonlinear_part(
            op, through, [y for y in results if y in wanted], slopes, program.symbols
        )
        if found is not None:
            return found._replace(within=op)
        moved.update(results)
    return None


def _nonlinear_part(
    op: Any,
    through: Sequence[bool],
    results: Sequence[Value],
    slopes: bool,
    symbols: SymbolTable | None,
) -> NonLinear | None:
    if isinstance(op, CallOp | RegionOp):
        for body, moves in op.differentiated(op.operation, through, symbols):
            found = first_nonlinear(body, moves, slopes=slopes)
            if found is not None:
                return found
        return None
    if not isinstance(op, AnvlOp):  # the sweep names what has no rules
        return None
    if _is_flat(op, through, results):
        return NonLinear(op, True, op)
    return NonLinear(op, False, op) if slopes and _is_curved(op, through, symbols) else None


def _is_flat(op: Any, through: Sequence[bool], results: Sequence[Value]) -> bool:
    """Whether the derivative of an op is zero by design in an active operand."""
    rules = type(op)
    if getattr(rules, "zero_derivative_reason", "") or any(
        not differentiable(y.type) for y in results
    ):
        return True
    slopes = getattr(rules, "passes", ()) or [True] * len(through)
    moving = zip(op.operands, slopes, through, strict=False)
    return any(
        moves and (slope is None or not differentiable(x.type)) for x, slope, moves in moving
    )


def _is_curved(op: Any, through: Sequence[bool], symbols: SymbolTable | None) -> bool:
    """Whether the cotangents of active operands depend on the operands' values."""
    operands = list(op.operands)
    n = len(operands)
    floats = [y for y in op.results if differentiable(y.type)]

    def pullback(*values: Value) -> list[Value]:
        alone = Program(op.operation.block, list(op.results), op, symbols)
        alone.arguments = operands
        made = [y for y in alone(*values[:n]) if differentiable(y.type)]
        wrt = [x for x, moves in zip(values[:n], through, strict=True) if moves]
        return sweep_backward(list(zip(made, values[n:], strict=True)), wrt, symbols)

    program = Program.of(pullback, [x.type for x in (*operands, *floats)], symbols)
    moving = zip(program.arguments, through, strict=False)
    return not program.slice().values.isdisjoint([x for x, moves in moving if moves])
