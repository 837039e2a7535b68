"""Lifting of counted loops to calls of scans."""

from collections.abc import Sequence
from typing import Any

from anvl.dialect.control_flow.call import FUNCTION_RULES, Callee, FunctionRule
from anvl.dialect.core.mlir import ir
from anvl.dialect.core.op import Value
from anvl.dialect.core.types import is_array
from anvl.passes.expand.declarations import Expansion
from anvl.passes.functions.inlining import inline_calls
from anvl.passes.functions.symbol_utils import body_of, functions_of

__all__ = ["lift_regions"]


def lift_regions(module: ir.Operation, argument: str) -> None:
    """Lift the loops that a function rule accepts to calls, innermost first.

    A loop that takes, returns or captures anything but arrays of anvl stays.
    """
    rules = {name: rule for rule in FUNCTION_RULES.values() for name in rule.lifts}
    found: list[ir.Operation] = []

    def collect(op: ir.Operation) -> ir.WalkResult:
        if op.name in rules:
            found.append(op)
        return ir.WalkResult.ADVANCE

    module.walk(collect)  # post-order: ops in regions before the op that holds them
    if not found:
        return
    expansion = Expansion(module, functions_of(module), argument)
    homes = [_function_around(op) for op in found]
    # Calls in a step are inlined, except calls of functions with ops that are still to be lifted.
    named = {f.attributes["sym_name"].value for f in homes if f is not None}
    named |= {name for name, f in expansion.functions.items() if body_of(f) is None}
    for op, function in zip(found, homes, strict=True):
        if function not in expansion.functions.values():
            continue  # in a nested module
        f = function.attributes["sym_name"].value
        with module.context, op.location, ir.InsertionPoint(op):
            _lift(Callee(f, expansion), op, rules[op.name], expansion, named)


def _lift(
    f: Callee, op: ir.Operation, rule: FunctionRule, expansion: Expansion, opaque: set[str]
) -> None:
    blocks = [region.blocks[0] for region in op.regions]
    outer = list(dict.fromkeys(x for block in blocks for x in _from_outside(block)))
    if not all(is_array(x.type) for x in (*op.operands, *outer, *op.results)):
        return
    count = rule.counts(op, expansion)
    if count is None:
        return
    body = _outlined(f, "body", blocks[-1], outer)
    inline_calls(body.name, expansion.functions, opaque | expansion.ruled.keys())
    results = rule.lift(f, op, body, outer, count)
    for y, z in zip(op.results, results, strict=True):
        y.replace_all_uses_with(z)
    op.erase()


def _function_around(op: Any) -> Any:
    while op is not None and op.operation.name != "func.func":
        op = op.operation.parent
    return None if op is None else op.operation


def _from_outside(block: ir.Block) -> list[Value]:
    """Values captured by a block and its regions: read but not defined there."""
    read: list[Value] = []
    made: set[Value] = set()

    def visit(block: ir.Block) -> None:
        made.update(block.arguments)
        for op in block.operations:
            read.extend(op.operands)
            made.update(op.results)
            for region in op.regions:
                for inner in region.blocks:
                    visit(inner)

    visit(block)
    return [x for x in read if x not in made]


def _outlined(f: Callee, suffix: str, block: ir.Block, outer: Sequence[Value]) -> Callee:
    """Outline a block into a function of its arguments and captured values."""
    old = [*block.arguments, *outer]

    def emit_all(*values: Value) -> list[Value]:
        known = dict(zip(old, values, strict=True))
        *body, terminator = list(block.operations)
        for op in body:
            copy = op.operation.clone().operation
            _replace_operands(copy, known)
            known.update(zip(op.results, copy.results, strict=True))
        return [known[y] for y in terminator.operands]

    return f.add(suffix, emit_all, [x.type for x in old], places=[x.location for x in old])


def _replace_operands(op: ir.Operation, known: dict[Value, Value]) -> None:
    """Replace operands of an op and of the ops in its regions."""
    for i, x in enumerate(list(op.operands)):
        if x in known:
            op.operands[i] = known[x]
    for region in op.regions:
        for block in region.blocks:
            for inner in block.operations:
                _replace_operands(inner.operation, known)
