"""Dead code elimination in one function, including calls without side effects."""

from collections.abc import Callable
from functools import partial
from typing import Any

from anvl.dialect.control_flow.case import CONTROL_FLOW
from anvl.dialect.core.effects import function_has_effect, is_dce_able
from anvl.dialect.core.mlir import ir
from anvl.passes.framework.managers import run_native
from anvl.passes.framework.walk import find
from anvl.passes.functions.closed_bodies import close_bodies
from anvl.passes.functions.inlining import dissolve
from anvl.passes.functions.symbol_utils import body_of, callee_of, calls_of

__all__ = ["drop_dead", "drop_unused_functions", "erase_unused", "erase_unused_calls", "run_on"]


def drop_dead(function: ir.Operation, functions: dict[str, ir.Operation]) -> None:
    """Erase unused pure ops.  Invalidates all handles into the function.

    `functions` are all functions of the module.
    """
    run_on(function, "trivial-dce")
    while _drop_calls(function, functions):
        run_on(function, "trivial-dce")


def run_on(function: ir.Operation, passes: str) -> None:
    """Run passes of MLIR's on one function, and keep the bodies in it closed."""
    run_native(passes, function)
    if "cse" in passes:
        close_bodies(function)


def drop_unused_functions(module: ir.Operation) -> None:
    """Erase the private functions of a module that nothing refers to, by MLIR's symbol-dce."""
    run_native("symbol-dce", module)


def _drop_calls(function: ir.Operation, functions: dict[str, ir.Operation]) -> bool:
    """Erase calls whose results are unused; return whether there were any.

    MLIR does not know the effects of a call; an inlined body is judged op by op.
    """
    dropped = False
    for call in calls_of(function):
        callee = functions[callee_of(call)]
        if any(next(iter(y.uses), None) is not None for y in call.results):
            continue
        if body_of(callee) is not None:
            dissolve(callee.clone(ip=ir.InsertionPoint(function)).operation, call)
        elif not function_has_effect(callee, functions):
            call.erase()
        else:
            continue
        dropped = True
    return dropped


def erase_unused(block: ir.Block, is_dce_able: Callable[[Any], bool]) -> None:
    """Erase the ops of a block that are unused and may be erased, the last first.

    Also those in the regions of the control flow that stays.
    """
    for op in reversed(list(block.operations)):
        if not _is_used(op) and is_dce_able(op):
            op.operation.erase()
        elif getattr(op, "captures", False):
            for region in op.regions:
                erase_unused(region.blocks[0], is_dce_able)


def erase_unused_calls(function: ir.Operation, functions: dict[str, ir.Operation]) -> None:
    """Erase calls and control flow without effect whose results are unused, and what these need.

    A derivative leaves the loop that another one replaced, and loops whose primal results nobody
    reads: the next derivative or batch would make others of each.
    """
    if not all(map(_is_used, find(function, "func.call", *CONTROL_FLOW))):
        erase_unused(function.regions[0].blocks[0], partial(is_dce_able, functions=functions))


def _is_used(op: Any) -> bool:
    for y in op.results if getattr(op, "multiple_results", True) else (op.result,):
        for _ in y.uses:
            return True
    return False
