"""Taking out of one function what nobody uses; calls too, where that changes nothing else."""

from anvl.dialect.core.effects import function_has_effect
from anvl.dialect.core.mlir import PassManager, ir
from anvl.passes.functions.inlining import dissolve
from anvl.passes.functions.symbol_utils import body_of, callee_of, calls_of

__all__ = ["drop_dead", "run_on"]


def drop_dead(function: ir.Operation, functions: dict[str, ir.Operation]) -> None:
    """Take out what is pure and used by nobody.  No handle into the function stays good.

    `functions` are all of the module.
    """
    run_on(function, "trivial-dce")
    while _drop_calls(function, functions):
        run_on(function, "trivial-dce")


def run_on(function: ir.Operation, passes: str) -> None:
    """Run passes of MLIR's on one function."""
    manager = PassManager.parse(f"func.func({passes})", function.context)
    manager.enable_verifier(False)
    manager.run(function)


def _drop_calls(function: ir.Operation, functions: dict[str, ir.Operation]) -> bool:
    """Take out calls whose results nobody uses; whether there were any.

    MLIR does not know what a call does.  A body in place of its call is pure op by op.
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
