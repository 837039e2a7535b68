"""anvl-inline: put the body of each called function in place of the call."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from anvl.dialect.errors import PassError
from anvl.dialect.mlir import PassManager, ir
from anvl.passes.pass_ import Pass

__all__ = ["Inline", "calls_of", "functions_of", "inline_calls"]


@dataclass(frozen=True)
class Inline(Pass, argument="anvl-inline"):
    """Replace every `func.call` by the body of its callee, and drop functions nobody uses.

    Afterwards no `func.call` is left and every private function that was only called is gone.
    Written here because MLIR's own inliner refuses callees with ops of a Python-defined dialect.
    """

    def run(self, module: ir.Operation) -> None:
        functions = functions_of(module)
        done: set[str] = set()
        for name in functions:
            _inline_into(name, functions, done, ())
        PassManager.parse("builtin.module(symbol-dce)").run(module)


def functions_of(module: ir.Operation) -> dict[str, ir.Operation]:
    """The functions of a module, by name."""
    found = {}
    for op in module.regions[0].blocks[0].operations:
        operation = op.operation
        if operation.name == "func.func":
            found[operation.attributes["sym_name"].value] = operation
    return found


def body_of(function: ir.Operation) -> ir.Block | None:
    """The one block of a function, or None of a declaration."""
    region = function.regions[0]
    return region.blocks[0] if len(region.blocks) == 1 else None


def calls_of(function: ir.Operation) -> Iterator[ir.Operation]:
    """The calls in the body of a function."""
    block = body_of(function)
    if block is None:
        return
    for op in block.operations:
        if op.operation.name == "func.call":
            yield op.operation


def inline_calls(name: str, functions: dict[str, ir.Operation]) -> None:
    """Inline every call in one function, and in the functions it calls."""
    _inline_into(name, functions, set(), ())


def _inline_into(
    name: str, functions: dict[str, ir.Operation], done: set[str], path: Sequence[str]
) -> None:
    if name in done:
        return
    if name in path:
        cycle = " -> ".join(f"@{n}" for n in (*path, name))
        raise PassError("anvl-inline", f"recursion: {cycle}; calls must not form a cycle")
    for call in list(calls_of(functions[name])):
        callee = call.attributes["callee"].value
        _check_callee(callee, functions, call)
        _inline_into(callee, functions, done, (*path, name))
        _inline_one(call, functions[callee])
    done.add(name)


def _check_callee(callee: str, functions: dict[str, ir.Operation], call: ir.Operation) -> None:
    function = functions.get(callee)
    if function is None:
        raise PassError("anvl-inline", f"call of @{callee}, which is not there", str(call.location))
    if body_of(function) is None:
        raise PassError(
            "anvl-inline", f"@{callee} is a declaration without a body", str(call.location)
        )


def _inline_one(call: ir.Operation, callee: ir.Operation) -> None:
    """Clone the whole callee (0.2 us an op), wire it up, move its ops before the call."""
    copy = callee.clone(ip=ir.InsertionPoint(callee)).operation
    block = copy.regions[0].blocks[0]
    for argument, operand in zip(block.arguments, call.operands, strict=True):
        argument.replace_all_uses_with(operand)
    *body, terminator = [op.operation for op in block.operations]
    for op in body:
        op.move_before(call)
    for result, value in zip(call.results, terminator.operands, strict=True):
        result.replace_all_uses_with(value)
    call.erase()
    copy.erase()
