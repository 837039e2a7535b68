"""anvl-simplify-control-flow: simplify loops and choices.

Each kind of control flow defines its own simplification.  Names no op.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from anvl.dialect.control_flow.call import Callee, CallOp, Motion, declared_in
from anvl.dialect.control_flow.case import CONTROL_FLOW
from anvl.dialect.control_flow.region_ops import RegionOp
from anvl.dialect.core.attributes import extra_names
from anvl.dialect.core.effects import function_has_effect, is_dce_able
from anvl.dialect.core.mlir import ir
from anvl.dialect.core.types import DTYPES, dtype_name
from anvl.passes.expand.declarations import Expansion
from anvl.passes.framework.pass_base import Pass, option
from anvl.passes.framework.walk import find
from anvl.passes.functions.dce import drop_unused_functions, erase_unused
from anvl.passes.functions.inlining import inline_calls
from anvl.passes.functions.symbol_utils import body_of, callee_of, functions_of, is_private

__all__ = ["SimplifyControlFlow"]

_NAME = "anvl-simplify-control-flow"


@dataclass(frozen=True)
class SimplifyControlFlow(Pass, argument=_NAME):
    """Hoist invariants out of loops, and simplify loops and branches whose outcome is known.

    For `stablehlo.if`, `case` and `while`, and calls of `anvl.scan`: ops that depend only on
    constants of a loop are hoisted in front of it; invariant carries become constants, and known
    numbers are emitted where they are used; unused carries, arguments and results are removed;
    loops of no step or one step, and choices by a known number, are replaced by their body or
    branch.  With `for-derivatives`, ops whose derivative could become NaN outside of a loop stay
    inside (Note [Simpler loops]).
    """

    anchor = "builtin.module"

    for_derivatives: bool = option(
        False, help="keep in loops the ops whose derivatives may be NaN outside"
    )

    def run(self, module: ir.Operation) -> None:
        functions = functions_of(module)
        marks = {name for function in functions.values() for name in extra_names(function)}
        if not declared_in(marks) and not find(module, *CONTROL_FLOW):
            return
        if not self.for_derivatives and any(map(is_private, functions.values())):
            # Earlier expansions leave the functions of which they made others: half the work here.
            drop_unused_functions(module)
            functions = functions_of(module)
        expansion = Expansion(module, functions, _NAME)
        simplifier = _Simplifier(expansion, self._motion(functions))
        for name in list(functions):
            simplifier.simplify(name)
        if simplifier.changed:
            drop_unused_functions(module)

    def _motion(self, functions: dict[str, ir.Operation]) -> Motion:
        def is_hoistable(op: Any) -> bool:
            is_movable = type(op).pure or isinstance(op, CallOp | RegionOp)
            return is_movable and is_dce_able(op, functions)

        def preserves_zeros(op: Any) -> bool:
            # Out of a loop, cotangents of a cast to fewer bits would be added in these.
            return type(op).preserves_zeros and not _loses_bits(op) and is_hoistable(op)

        return Motion(functions, preserves_zeros if self.for_derivatives else is_hoistable)


def _loses_bits(op: Any) -> bool:
    """Whether the results of an op are floats of fewer bits than its operands."""
    bits = [min(map(_float_bits, values), default=0) for values in (op.results, op.operands)]
    return 0 < bits[0] < bits[1]


def _float_bits(x: ir.Value) -> int:
    of = DTYPES[dtype_name(x.type.element_type)]
    return of.bits if of.kind == "float" else 0


class _Simplifier:
    """Simplifies the control flow in functions, one call or op at a time."""

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
        pending = self._control_flow_in(name)
        while pending:
            found = [self._simpler(op) for op in pending]
            if not any(found):
                return
            # So that the others see which of their results are unused.
            function = self.expansion.functions[name]
            removable = partial(is_dce_able, functions=self.motion.functions)
            erase_unused(function.regions[0].blocks[0], removable)
            # The result of a simplification (a branch, a smaller loop) may contain control flow.
            pending = self._control_flow_in(name)

    def _control_flow_in(self, name: str) -> list[ir.Operation]:
        """Calls, and ops with regions, the inner ones first."""
        return find(self.expansion.functions[name], "func.call", *CONTROL_FLOW)

    def _simpler(self, op: ir.Operation) -> bool:
        """Replace a call or an op by a simpler equivalent; return whether there was one."""
        is_used = [next(iter(y.uses), None) is not None for y in op.results]
        with op.context, op.location, ir.InsertionPoint(op):
            found = self._simplify_op(op, is_used)
        if found is None:
            return False
        for y, z in zip(op.results, found, strict=True):
            if z is not None:
                y.replace_all_uses_with(z)
        op.erase()
        self.changed = True
        return True

    def _simplify_op(self, op: ir.Operation, is_used: Sequence[bool]) -> Any:
        """Emit a simpler equivalent and return its results, or None if there is none."""
        expansion, view = self.expansion, op.opview
        if isinstance(view, RegionOp):
            if any(is_used):
                return view.simplified(op, is_used, self.motion, expansion)
            return [None] * len(is_used) if is_dce_able(view, self.motion.functions) else None
        name = callee_of(op)
        rule = expansion.ruled.get(name)
        if rule is None or not rule.declares:
            return None
        self._prepare(name)
        if any(is_used):
            return rule.simplify(Callee(name, expansion), list(op.operands), is_used, self.motion)
        if not function_has_effect(expansion.functions[name], expansion.functions):
            return [None] * len(is_used)
        return None

    def _prepare(self, name: str) -> None:
        """Simplify the functions that a declaration names, and inline their calls of plain ones."""
        expansion, functions = self.expansion, self.expansion.functions
        for one in expansion.rules_of(name):
            self.simplify(one)
            if one in functions:  # else the check reports it
                open_ones = {n for n, op in functions.items() if body_of(op) is None}
                inline_calls(one, functions, open_ones | expansion.ruled.keys())
        expansion.check_rule(name)
