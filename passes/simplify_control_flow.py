"""anvl-simplify-control-flow: loops and choices with less in them.

What is simpler each kind of control flow says itself: `FunctionRule.simplify`.  Names no op.
"""

from collections.abc import Set
from dataclasses import dataclass
from typing import Any

from anvl.dialect.calls import Callee, CallOp, Motion, declared_in
from anvl.dialect.mlir import PassManager, ir
from anvl.dialect.op import AnvlOp
from anvl.dialect.symbol_table import resolving
from anvl.passes.dead import does_nothing_else
from anvl.passes.declared import Expansion
from anvl.passes.inline import body_of, callee_of, calls_of, functions_of, inline_calls
from anvl.passes.pass_ import Pass, option

__all__ = ["SimplifyControlFlow"]

_NAME = "anvl-simplify-control-flow"


@dataclass(frozen=True)
class SimplifyControlFlow(Pass, argument=_NAME):
    """Take out of loops what is the same in each step, and choices and steps that are known.

    Of calls of `anvl.while`, `anvl.scan` and `anvl.case`: what depends on constants of a loop alone
    is done once, in front of it; carries that never change are constants, and numbers are written
    where they are used; carries, arguments and results that nobody asks for go; loops of no step or
    of one, and choices by a known number, are not there any more.  With `for-derivatives`, what a
    derivative could make NaN outside of a loop stays inside (Note [Simpler loops]).
    """

    anchor = "builtin.module"

    for_derivatives: bool = option(False, help="leave in loops what their derivatives need there")

    def idle(self, marks: Set[str]) -> bool:
        return not declared_in(marks)

    def run(self, module: ir.Operation) -> None:
        functions = functions_of(module)
        expansion = Expansion(module, functions, _NAME)
        simplifier = _Simplifier(expansion, self._motion(functions))
        for name in list(functions):
            simplifier.simplify(name)
        if simplifier.changed:
            manager = PassManager.parse("builtin.module(symbol-dce)", module.context)
            manager.enable_verifier(False)
            manager.run(module)

    def _motion(self, functions: dict[str, ir.Operation]) -> Motion:
        def may_go(op: Any) -> bool:
            if isinstance(op, CallOp):
                return does_nothing_else(functions[callee_of(op.operation)], functions)
            rules = type(op)
            if not issubclass(rules, AnvlOp) or rules.labelled:
                return False
            return not rules.acts(op.operation)

        def may_move(op: Any) -> bool:
            return may_go(op) and (isinstance(op, CallOp) or type(op).pure)

        def keeps_zeros(op: Any) -> bool:
            return type(op).keeps_zeros and may_move(op)

        return Motion(may_go, keeps_zeros if self.for_derivatives else may_move)


class _Simplifier:
    """Asks for each call of control flow in some functions for what is simpler."""

    def __init__(self, expansion: Expansion, motion: Motion) -> None:
        self.expansion = expansion
        self.motion = motion
        self.changed = False
        self._done: set[str] = set()

    def simplify(self, name: str) -> None:
        """Simplify the calls in a function, after those in the functions that they name."""
        if name in self._done or name not in self.expansion.functions:
            return
        self._done.add(name)
        if body_of(self.expansion.functions[name]) is None:
            return
        pending = calls_of(self.expansion.functions[name])
        while pending:
            found = [self._simpler(call) for call in pending]
            if not any(found):
                return
            self._drop_unused(name)
            # What came of a call may have calls in it: of a branch, or of a loop with less.
            pending = calls_of(self.expansion.functions[name])

    def _drop_unused(self, name: str) -> None:
        """Take out what only that read which is gone: what a call keeps for it is not wanted."""
        block = body_of(self.expansion.functions[name])
        for op in reversed([] if block is None else list(block.operations)):
            is_used = any(next(iter(y.uses), None) is not None for y in op.results)
            if not is_used and self.motion.may_go(op):
                op.operation.erase()

    def _simpler(self, call: ir.Operation) -> bool:
        """Put what is simpler in place of a call; whether there was anything."""
        expansion, name = self.expansion, callee_of(call)
        rule = expansion.ruled.get(name)
        if rule is None or not rule.declares:
            return False
        self._prepare(name)
        is_used = [next(iter(y.uses), None) is not None for y in call.results]
        found: Any = None
        with call.context, call.location, ir.InsertionPoint(call), resolving(expansion):
            if any(is_used):
                found = rule.simplify(Callee(name), list(call.operands), is_used, self.motion)
            elif does_nothing_else(expansion.functions[name], expansion.functions):
                found = [None] * len(is_used)
        if found is None:
            return False
        for y, z in zip(call.results, found, strict=True):
            if z is not None:
                y.replace_all_uses_with(z)
        call.erase()
        self.changed = True
        return True

    def _prepare(self, name: str) -> None:
        """Simplify the functions that a declaration names, and inline their calls of plain ones."""
        expansion, functions = self.expansion, self.expansion.functions
        for one in expansion.rules_of(name):
            self.simplify(one)
            if one in functions:  # else the check says so
                open_ones = {n for n, op in functions.items() if body_of(op) is None}
                inline_calls(one, functions, open_ones | expansion.ruled.keys())
        expansion.check_rule(name)
