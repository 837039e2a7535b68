"""Taking out of one function what nobody uses; calls too, where that changes nothing else."""

from anvl.dialect.control_flow.call import symbols_in
from anvl.dialect.core.mlir import PassManager, ext, ir
from anvl.passes.functions.inlining import dissolve
from anvl.passes.functions.symbol_utils import body_of, callee_of, calls_of, extra_attributes

__all__ = ["does_nothing_else", "drop_dead", "is_pure", "run_on"]


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
        elif does_nothing_else(callee, functions):
            call.erase()
        else:
            continue
        dropped = True
    return dropped


def does_nothing_else(
    function: ir.Operation, functions: dict[str, ir.Operation], path: tuple[str, ...] = ()
) -> bool:
    """Whether a function has no effect: a declaration does what the functions it names do.

    `path` are those that are being asked: functions in a cycle do not end.
    """
    name = function.attributes["sym_name"].value
    if name in path:
        return False
    path = (*path, name)
    block = body_of(function)
    if block is None:
        named = [n for of in extra_attributes(function) for n in symbols_in(of)]
        return bool(named) and all(does_nothing_else(functions[n], functions, path) for n in named)
    return _do_nothing_else(block, functions, path)


_RETURNS = ("func.return", "stablehlo.return")


def _do_nothing_else(
    block: ir.Block, functions: dict[str, ir.Operation], path: tuple[str, ...]
) -> bool:
    """Whether no op of a block has an effect."""
    for op in block.operations:
        if op.operation.name == "func.call":
            harmless = does_nothing_else(functions[callee_of(op.operation)], functions, path)
        elif getattr(op, "captures", False):
            harmless = all(_do_nothing_else(r.blocks[0], functions, path) for r in op.regions)
        else:
            harmless = op.operation.name in _RETURNS or is_pure(op)
        if not harmless:
            return False
    return True


def is_pure(op: ir.OpView) -> bool:
    """Whether an op of ours has no effect; of other ops nothing is known."""
    return ext.Pure in getattr(type(op), "_traits", ())
