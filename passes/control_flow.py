"""anvl-control-flow: scans as loops, and choices as selects."""

from collections.abc import Set
from dataclasses import dataclass
from typing import Any

from anvl.dialect.control_flow.call import Callee, declared_in
from anvl.dialect.control_flow.case import CHOICES
from anvl.dialect.core.attributes import signature_of
from anvl.dialect.core.errors import PassError
from anvl.dialect.core.mlir import ir
from anvl.dialect.core.symbol_table import SymbolTable
from anvl.passes.expand.declarations import Expansion
from anvl.passes.framework.pass_base import Pass, option
from anvl.passes.framework.walk import find
from anvl.passes.functions.symbol_utils import body_of, functions_of

__all__ = ["ControlFlow"]

_NAME = "anvl-control-flow"


@dataclass(frozen=True)
class ControlFlow(Pass, argument=_NAME):
    """Give every function that is declared as a scan its body.

    `anvl.scan = {body = @b, ...}` becomes a `stablehlo.while`; afterwards none is left.  It goes
    behind the passes that differentiate and batch.

    Elementwise steps that call functions may be in `blocks`: Note [Blocks of steps] in
    `anvl_dialect/control_flow/diagonal_steps.py`.

    With `select`, each `stablehlo.if` and `stablehlo.case` becomes all of its branches and selects
    between their results, as needed in the bodies of ops, such as the combiner of a reduction.
    """

    anchor = "builtin.module"

    select: bool = option(False, help="write choices as all of their branches and selects")
    blocks: bool = option(
        True, help="write elementwise steps in blocks, with two carries as a complex array"
    )

    def idle(self, marks: Set[str]) -> bool:
        return not self.select and not declared_in(marks)

    def run(self, module: ir.Operation) -> None:
        functions = functions_of(module)
        expansion = Expansion(module, functions, _NAME)
        for name, rule in list(expansion.ruled.items()):
            if not rule.declares or rule.outlives_inlining:
                continue
            function = functions[name]
            if body_of(function) is not None:
                problem = f"@{name} has {rule.attribute} and a body; it must be a declaration"
                raise PassError(_NAME, problem, str(function.location))
            expansion.check_rule(name)
            (inputs, _), location = signature_of(function), function.location
            block = function.regions[0].blocks.append(*inputs, arg_locs=[location] * len(inputs))
            with module.context, location, ir.InsertionPoint(block):
                results = rule.write(Callee(name, expansion), list(block.arguments), self.blocks)
                ir.Operation.create("func.return", [], list(results))
            del function.attributes[rule.attribute]
        if self.select:
            for op in find(module, *CHOICES):  # inner ones first
                _select(op, expansion)


def _select(op: ir.Operation, symbols: SymbolTable) -> None:
    """Replace a choice by all its branches and selects between their results."""
    rules: Any = type(op.opview)
    branches = rules.programs(op, symbols)
    with op.context, op.location, ir.InsertionPoint(op):
        results = [branch(*branch.arguments) for branch in branches]
        found = rules.selected(op.operands[0], results)
    for y, z in zip(op.results, found, strict=True):
        y.replace_all_uses_with(z)
    op.erase()
