"""Edits of ops: each makes a module smaller, and may change what it computes.

Each function lists the edits that a module allows.  An edit replaces uses and erases nothing that
others may hold: `sweep` erases what is unused then.
"""

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, TypeAlias

from anvl.dialect.core.create import splat
from anvl.dialect.core.mlir import ir
from anvl.dialect.core.types import is_array, kind
from anvl.passes.functions.symbol_utils import (
    body_of,
    callee_of,
    calls_by_function,
    functions_of,
    terminator_of,
)
from anvl.tools.reduce.signatures import return_values, set_signature

__all__ = [
    "CONSTANTS", "Edit", "attributes", "bodies", "constants", "dead_ops", "earlier_returns",
    "is_used", "literals", "new_arguments", "ops_in", "sweep", "values",
]  # fmt: skip

Edit: TypeAlias = Callable[[], None]

#: Ops that need no simpler value.
CONSTANTS = ("anvl.constant", "stablehlo.constant")
_KEPT_ATTRIBUTES = ("sym_name", "function_type", "sym_visibility")


def ops_in(module: ir.Module) -> list[ir.Operation]:
    """All ops in functions, outer ones first; no terminators."""
    found: list[ir.Operation] = []

    def visit(op: ir.Operation) -> ir.WalkResult:
        if op.name not in ("builtin.module", "func.func") and not _is_terminator(op):
            found.append(op)
        return ir.WalkResult.ADVANCE

    module.operation.walk(visit, ir.WalkOrder.PRE_ORDER)
    return found


def _is_terminator(op: ir.Operation) -> bool:
    return op.name.endswith(".return")


def is_used(op: ir.Operation) -> bool:
    """Whether a result has a use."""
    return any(next(iter(y.uses), None) is not None for y in op.results)


def sweep(module: ir.Module, kept: set[ir.Operation]) -> None:
    """Erase the ops with results, none of which is used, but for those in `kept`."""
    for op in module.body.operations:
        for region in op.regions:
            for block in region.blocks:
                _sweep_block(block, kept)


def _sweep_block(block: ir.Block, kept: set[ir.Operation]) -> None:
    for view in reversed(list(block.operations)):
        op = view.operation
        if len(op.results) and not is_used(op) and op not in kept:
            op.erase()
            continue
        for region in op.regions:
            for inner in region.blocks:
                _sweep_block(inner, kept)


# -- ops replaced ----------------------------------------------------------------------------------


def values(module: ir.Module) -> Iterator[Edit]:
    """Replace the results of an op by operands or arguments of their types, or by constants."""
    for op in ops_in(module):
        if op.name not in CONSTANTS and is_used(op):
            yield partial(_replace_results, op, [_operand_like, _argument_like, _constant])


def constants(module: ir.Module) -> Iterator[Edit]:
    """Replace the results of an op by constants."""
    for op in ops_in(module):
        if op.name not in CONSTANTS and is_used(op):
            yield partial(_replace_results, op, [_constant])


def new_arguments(module: ir.Module) -> Iterator[Edit]:
    """Replace the results of an op by new arguments of its function, which nothing calls."""
    free = _uncalled(module)
    for function in free:
        block = body_of(function)
        for op in list(block.operations)[:-1] if block is not None else ():
            if is_used(op.operation):
                yield partial(_replace_by_arguments, op.operation, function)


def _replace_results(op: ir.Operation, ways: list[Callable[..., Any]]) -> None:
    for i, y in enumerate(op.results):
        if next(iter(y.uses), None) is None:
            continue
        new = next((x for way in ways if (x := way(op, i)) is not None), None)
        if new is not None:
            y.replace_all_uses_with(new)


def _operand_like(op: ir.Operation, i: int) -> ir.Value | None:
    """An operand of the type of result i, of a loop the initial value."""
    wanted, operands = op.results[i].type, list(op.operands)
    if len(operands) == len(op.results) and operands[i].type == wanted:
        return operands[i]
    return next((x for x in operands if x.type == wanted), None)


def _argument_like(op: ir.Operation, i: int) -> ir.Value | None:
    wanted, block = op.results[i].type, op.block
    while True:
        for x in block.arguments:
            if x.type == wanted:
                return x
        if block.owner.operation.name in ("func.func", "builtin.module"):
            return None
        block = block.owner.operation.block


def _constant(op: ir.Operation, i: int) -> ir.Value | None:
    type_ = op.results[i].type
    value = one(type_)
    if value is None:
        return None
    name = CONSTANTS[0 if _is_of_anvl(op) else 1]
    with ir.InsertionPoint(op):
        return ir.Operation.create(name, [type_], [], {"value": value}).result


def one(type_: Any) -> ir.Attribute | None:
    """A literal of ones, of zeros for integers; None for a type without a simple one."""
    if not is_array(type_):
        return None
    what = kind(type_.element_type)
    return None if what == "complex" else splat(type_, 1 if what in ("float", "bool") else 0)


def _is_of_anvl(op: ir.Operation) -> bool:
    """Whether its function has ops of other dialects than StableHLO."""
    while op.parent is not None and op.name != "func.func":
        op = op.parent.operation
    block = op.regions[0].blocks[0]
    others = ("stablehlo.", "func.")
    return any(not inner.operation.name.startswith(others) for inner in block.operations)


def _uncalled(module: ir.Module) -> list[ir.Operation]:
    functions, calls = functions_of(module.operation), calls_by_function(module.operation)
    named = {callee_of(call) for of_one in calls.values() for call in of_one}
    return [op for name, op in functions.items() if name not in named]


def _replace_by_arguments(op: ir.Operation, function: ir.Operation) -> None:
    block = function.regions[0].blocks[0]
    for y in op.results:
        if next(iter(y.uses), None) is not None:
            y.replace_all_uses_with(block.add_argument(y.type, op.location))
    set_signature(function)


def earlier_returns(module: ir.Module) -> Iterator[Edit]:
    """Return the operands of an op in place of its results, which only the return uses."""
    for function in _uncalled(module):
        block = body_of(function)
        for op in reversed(list(block.operations)[:-1] if block is not None else []):
            if len(op.operation.results):
                yield partial(_return_operands, op.operation, function)


def _return_operands(op: ir.Operation, function: ir.Operation) -> None:
    end = terminator_of(function.regions[0].blocks[0])
    owners = {use.owner.operation for y in op.results for use in y.uses}
    if owners != {end}:
        return
    results = set(op.results)
    returned = [x for x in end.operands if x not in results]
    returned += [x for x in dict.fromkeys(op.operands) if x not in set(returned)]
    return_values(function, returned)
    op.erase()  # the op before it has one use less


# -- ops with bodies -------------------------------------------------------------------------------


def bodies(module: ir.Module) -> Iterator[Edit]:
    """Put the body of an op, a branch or one step of a loop, in its place."""
    for op in ops_in(module):
        for region in op.regions:
            if len(region.blocks) == 1 and _can_dissolve(op, region.blocks[0]):
                yield partial(_dissolve, op, region.blocks[0])


def _can_dissolve(op: ir.Operation, block: ir.Block) -> bool:
    if not len(block.operations):
        return False
    returned = [x.type for x in terminator_of(block).operands]
    taken = [x.type for x in block.arguments]
    return returned == [y.type for y in op.results] and (
        not taken or taken == [x.type for x in op.operands]
    )


def _dissolve(op: ir.Operation, block: ir.Block) -> None:
    for argument, operand in zip(block.arguments, list(op.operands), strict=False):
        argument.replace_all_uses_with(operand)
    *body, end = [inner.operation for inner in block.operations]
    for inner in body:
        inner.move_before(op)
    for y, x in zip(op.results, list(end.operands), strict=True):
        y.replace_all_uses_with(x)
    op.erase()


# -- what is left ----------------------------------------------------------------------------------


def dead_ops(module: ir.Module) -> Iterator[Edit]:
    """Erase ops without a used result, whatever their effects."""
    for op in reversed(ops_in(module)):
        if not is_used(op):
            yield op.erase


def literals(module: ir.Module) -> Iterator[Edit]:
    """Make all numbers of a constant 1, of integers 0."""
    for op in ops_in(module):
        if op.name in CONSTANTS:
            simple = one(op.results[0].type)
            if simple is not None and op.attributes["value"] != simple:
                yield partial(op.attributes.__setitem__, "value", simple)


def attributes(module: ir.Module) -> Iterator[Edit]:
    """Drop attributes that the ops do not need."""
    functions = [op.operation for op in module.body.operations]
    for op in [*functions, *ops_in(module)]:
        for name in list(op.attributes):
            is_function = op.name == "func.func"
            if "." in name or (is_function and name not in _KEPT_ATTRIBUTES):
                yield partial(op.attributes.__delitem__, name)
