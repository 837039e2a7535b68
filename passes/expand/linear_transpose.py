"""Transposes of linear functions: the reverse sweep without primal values.

The adjoint of a linear function is the same everywhere, so none of its ops may need the arguments.
"""

from collections.abc import Container, Sequence
from dataclasses import dataclass, replace
from typing import Any

from anvl.dialect.control_flow.call import CallOp, rule_of
from anvl.dialect.control_flow.linearity import first_nonlinear
from anvl.dialect.control_flow.region_ops import RegionOp
from anvl.dialect.core.attributes import LINEAR_TRANSPOSE, signature_of
from anvl.dialect.core.create import full
from anvl.dialect.core.errors import PassError
from anvl.dialect.core.mlir import ir
from anvl.dialect.core.params.base import Ints
from anvl.dialect.core.symbol_table import SymbolTable
from anvl.dialect.interpreters.activity_analysis import place_of
from anvl.dialect.interpreters.ad_diagnostics import Search
from anvl.dialect.interpreters.reverse import reverse_sweep
from anvl.dialect.interpreters.slices import backward_slice, forward_slice, values_read
from anvl.dialect.interpreters.subprogram import Program
from anvl.passes.expand.checks import check_floats
from anvl.passes.expand.declarations import (
    KINDS,
    Kind,
    finish,
)
from anvl.passes.functions.inlining import inline_calls

__all__ = ["Transposed"]

_NAME = "anvl-gradient"


@dataclass(frozen=True)
class Transposed:
    """Positions of arguments; the name of the linear function."""

    wrt: Sequence[int]
    name: str = ""


class _LinearTranspose(Kind):
    argument = _NAME
    attribute = LINEAR_TRANSPOSE
    form = "{callee = @f, wrt = array<i64: ...>}"
    noun = "transpose"

    def read(self, attribute: Any) -> Transposed:
        return Transposed(Ints.decode(attribute["wrt"]))

    def with_state(self, attribute: Any, count: int) -> ir.Attribute | None:
        return None  # it computes no values, of which an effect could be one

    def resolved(
        self, params: Transposed, callee: str, functions: dict[str, ir.Operation]
    ) -> Transposed:
        return replace(params, name=callee)

    def check(
        self,
        name: str,
        params: Transposed,
        inputs: list[ir.Type],
        outputs: list[ir.Type],
        place: str,
    ) -> tuple[list[ir.Type], list[ir.Type]]:
        check_floats(_NAME, name, "wrt", params.wrt, inputs, place)
        check_floats(_NAME, name, "result", range(len(outputs)), outputs, place)
        others = [t for i, t in enumerate(inputs) if i not in params.wrt]
        return [*others, *outputs], [inputs[i] for i in params.wrt]

    def write(
        self,
        function: ir.Operation,
        params: Transposed,
        symbols: SymbolTable,
        search: Search | None = None,
    ) -> None:
        """Append the reverse sweep, return the adjoints alone, and drop what is not needed."""
        _inline_transparent(function, symbols.functions)
        block = function.regions[0].blocks[0]
        *forward, terminator = [op.operation for op in block.operations]
        results = list(terminator.operands)
        wrt = [block.arguments[i] for i in params.wrt]
        _check_forward(params.name, Program(block, results, function, symbols), wrt)
        with function.location, ir.InsertionPoint(terminator):
            seeds = [block.add_argument(y.type, y.location) for y in results]
            pairs = list(zip(results, seeds, strict=True))
            adjoints = reverse_sweep(block, pairs, wrt, search=search, symbols=symbols)
        program = Program(block, adjoints, function, symbols)
        _check_backward(params.name, program, forward, wrt, list(terminator.operands))
        if "res_attrs" in function.attributes:  # of results that no longer exist
            del function.attributes["res_attrs"]
        finish(function, adjoints)
        _drop(function, params.wrt)


KINDS[LINEAR_TRANSPOSE] = _LinearTranspose()


def _inline_transparent(function: ir.Operation, functions: dict[str, ir.Operation]) -> None:
    """Inline checkpoints: a transpose recomputes nothing."""
    ruled = {name: rule for name, op in functions.items() if (rule := rule_of(op))}
    if any(rule.transparent for rule in ruled.values()):
        opaque = [name for name, rule in ruled.items() if not rule.transparent]
        inline_calls(function.attributes["sym_name"].value, functions, opaque)


def _check_forward(name: str, program: Program, wrt: Sequence[ir.Value]) -> None:
    """Refuse ops that a sweep passes over: floor and comparisons are flat, and not linear."""
    moves = [x in wrt for x in program.arguments]
    found = first_nonlinear(program, moves, slopes=False)
    if found is not None:
        ops = [op.operation for op in program.block.operations]
        guilty = [found.within.operation]
        _refuse(name, ops, wrt, guilty, found.why, program.symbols)


def _check_backward(
    name: str,
    program: Program,
    forward: Sequence[ir.Operation],
    wrt: Sequence[ir.Value],
    results: Sequence[ir.Value],
) -> None:
    """Refuse adjoints, the results of a program, that depend on the values of the arguments.

    `results` are the values that the sweep began at.
    """
    wanted = program.slice().values
    if wanted.isdisjoint(wrt):
        return
    ops = [op.operation for op in program.block.operations][:-1]
    symbols = program.symbols
    moved = forward_slice(ops, wrt, symbols=symbols).values
    behind = reversed(backward_slice(ops, program.results, symbols=symbols).ops)
    needed = [op for op in behind if not moved.isdisjoint(values_read(op, wanted, symbols))]
    backward = [op for op in needed if op not in forward]
    moves = [x in wrt for x in program.arguments]
    program.results = list(results)
    found = first_nonlinear(program, moves)
    first = backward[-1] if backward else needed[-1]
    named = _primal_of(first, forward, moved)
    why = f"the derivative of {named.name} at {place_of(named)} depends on its value"
    if found is not None and isinstance(named.opview, CallOp | RegionOp):
        why = found.why
    _refuse(name, ops, wrt, backward or needed, why, symbols)


def _primal_of(
    op: ir.Operation, forward: Sequence[ir.Operation], moved: Container[ir.Value]
) -> ir.Operation:
    """The forward op that an op of the adjoint is named after: with most active operands."""
    line = getattr(op.location, "child_loc", op.location)
    there = [other for other in forward if other.location == line] or [op]
    return max(there, key=lambda other: sum(x in moved for x in other.operands))


def _refuse(
    name: str,
    ops: Sequence[ir.Operation],
    wrt: Sequence[ir.Value],
    guilty: Sequence[ir.Operation],
    why: str,
    symbols: SymbolTable | None,
) -> None:
    """Raise an error that names the arguments in which the function is not linear."""
    used = {x for op in guilty for x in values_read(op, set(op.results), symbols)}
    found = [x for x in wrt if not used.isdisjoint(forward_slice(ops, [x], symbols=symbols).values)]
    names = ", ".join(getattr(x.location, "name_str", f"argument {x.arg_number}") for x in found)
    raise PassError(_NAME, f"@{name} is not linear in {names}: {why}", str(guilty[-1].location))


def _drop(function: ir.Operation, params: Sequence[int]) -> None:
    """Remove the arguments in `params`, with all that depends on them.

    Carries of a loop on which no wanted result depends become zero.
    """
    block = function.regions[0].blocks[0]
    *ops, terminator = [op.operation for op in block.operations]
    needed = set(backward_slice(ops, terminator.operands, whole_ops=True).ops)
    for op in reversed(ops):
        if op not in needed:
            op.erase()
    with function.location, ir.InsertionPoint.at_block_begin(block):
        for x in [block.arguments[i] for i in params]:
            if next(iter(x.uses), None) is not None:
                x.replace_all_uses_with(full(x.type, 0))
    if "arg_attrs" in function.attributes:
        old = function.attributes["arg_attrs"]
        kept = [a for i, a in enumerate(old) if i not in params]
        function.attributes["arg_attrs"] = ir.ArrayAttr.get(kept, function.context)
    for i in sorted(params, reverse=True):
        block.erase_argument(i)
    inputs = [x.type for x in block.arguments]
    type_ = ir.FunctionType.get(inputs, signature_of(function)[1], function.context)
    function.attributes["function_type"] = ir.TypeAttr.get(type_)
