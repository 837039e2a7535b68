"""Put the body of a called function in place of the call."""

from collections import defaultdict
from collections.abc import Container, Sequence

from anvl.dialect.core.errors import PassError
from anvl.dialect.core.mlir import ir
from anvl.passes.functions.symbol_utils import (
    body_of,
    callee_of,
    calls_of,
    is_private,
    terminator_of,
)

__all__ = ["Inliner", "dissolve", "inline_calls"]


def inline_calls(
    name: str,
    functions: dict[str, ir.Operation],
    keeping: Container[str] = (),
    uses: defaultdict[str, int] | None = None,
) -> None:
    """Inline every call in one function, and in copies of the functions it calls.

    Calls of the functions in `keeping` stay.  With `uses`, private functions with one use are not
    copied: they are gone afterwards.
    """
    Inliner(functions, None, defaultdict(int) if uses is None else uses, keeping).inline_into(
        name, ()
    )


class Inliner:
    """Inlines in the functions of one module, each once.

    A private function with one use, by the count `uses`, is moved; others are copied.  `calls` are
    the calls in each function, None to find them.
    """

    def __init__(
        self,
        functions: dict[str, ir.Operation],
        calls: dict[str, list[ir.Operation]] | None,
        uses: defaultdict[str, int],
        keeping: Container[str] = (),
    ) -> None:
        self.functions = functions
        self.calls = calls
        self.uses = uses
        self.keeping = keeping
        self.done: set[str] = set()

    def inline_into(self, name: str, path: tuple[str, ...]) -> None:
        if name in self.done or name not in self.functions:
            return
        inner = (*path, name)
        for call in self._calls_in(name):
            callee = callee_of(call)
            if callee in self.keeping:
                continue
            self._check_callee(callee, call, inner)
            self.inline_into(callee, inner)
            self._inline_one(call, callee, name)
        self.done.add(name)

    def _calls_in(self, name: str) -> Sequence[ir.Operation]:
        if self.calls is not None:
            return self.calls.get(name, ())
        return calls_of(self.functions[name])

    def _check_callee(self, callee: str, call: ir.Operation, path: tuple[str, ...]) -> None:
        function = self.functions.get(callee)
        if function is None:
            problem = f"call of @{callee}, but the module has no such function"
        elif callee in path:
            cycle = " -> ".join(f"@{n}" for n in (*path[path.index(callee) :], callee))
            problem = f"recursion: {cycle}; calls must not form a cycle"
        elif not function.regions[0].blocks:
            problem = f"@{callee} is a declaration without a body"
        elif body_of(function) is None:
            problem = f"@{callee} has several blocks; only a function of one block can be inlined"
        else:
            return
        raise PassError("anvl-inline", problem, str(call.location))

    def _inline_one(self, call: ir.Operation, callee: str, caller: str) -> None:
        function, outer = self.functions[callee], self.functions[caller]
        if self.uses[callee] != 1 or not is_private(function):
            dissolve(function.clone(ip=ir.InsertionPoint(function)).operation, call)
            return
        del self.functions[callee]
        if _size(function) > _size(outer) and call.parent.operation == outer:
            self.functions[caller] = _absorb(function, call, outer)
        else:
            dissolve(function, call)


def _size(function: ir.Operation) -> int:
    return len(function.regions[0].blocks[0].operations)


def _absorb(function: ir.Operation, call: ir.Operation, caller: ir.Operation) -> ir.Operation:
    """Move the rest of the caller around the body of the callee: the cheaper way, if it is shorter.

    The callee's function op becomes the caller, with the caller's name and attributes.
    """
    block, outer = function.regions[0].blocks[0], caller.regions[0].blocks[0]
    operations = [op.operation for op in outer.operations]
    at = operations.index(call)
    terminator = terminator_of(block)
    first = block.operations[0].operation
    n_old = len(block.arguments)
    for argument in outer.arguments:
        new = block.add_argument(argument.type, argument.location)
        argument.replace_all_uses_with(new)
    for op in operations[:at]:
        op.move_before(first)
    for i, operand in enumerate(list(call.operands)):
        block.arguments[i].replace_all_uses_with(operand)
    for i in reversed(range(n_old)):
        block.erase_argument(i)
    for op in operations[at + 1 :]:
        op.move_before(terminator)
    for result, value in zip(call.results, list(terminator.operands), strict=True):
        result.replace_all_uses_with(value)
    terminator.erase()
    call.erase()
    _take_attributes(function, caller)
    caller.erase()
    return function


def _take_attributes(function: ir.Operation, other: ir.Operation) -> None:
    for name in list(function.attributes):
        del function.attributes[name]
    for name, value in other.attributes.items():
        function.attributes[name] = value


def dissolve(function: ir.Operation, call: ir.Operation) -> None:
    """Move the body of a function in place of a call; the function is gone afterwards."""
    block = function.regions[0].blocks[0]
    for argument, operand in zip(block.arguments, call.operands, strict=True):
        argument.replace_all_uses_with(operand)
    *body, terminator = list(block.operations)
    for op in body:
        op.operation.move_before(call)
    for result, value in zip(call.results, terminator.operands, strict=True):
        result.replace_all_uses_with(value)
    call.erase()
    function.erase()
