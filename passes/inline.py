"""anvl-inline: put the body of each called function in place of the call."""

from collections import defaultdict
from collections.abc import Container, Sequence
from dataclasses import dataclass

from anvl.dialect.calls import symbols_in
from anvl.dialect.errors import PassError
from anvl.dialect.mlir import PassManager, ir
from anvl.dialect.reading import attribute_of
from anvl.passes.find import find
from anvl.passes.pass_ import Pass

__all__ = ["Inline", "calls_of", "functions_of", "inline_calls"]


@dataclass(frozen=True)
class Inline(Pass, argument="anvl-inline"):
    """Replace every `func.call` by the body of its callee, and drop functions nobody uses.

    Afterwards no `func.call` is left and every private function that was only called is gone.
    Written here because MLIR's own inliner refuses callees with ops of a Python-defined dialect.
    """

    anchor = "builtin.module"

    def run(self, module: ir.Operation) -> None:
        functions = functions_of(module)
        calls = calls_by_function(module)
        inliner = _Inliner(functions, calls, references(functions, calls))
        for name in list(functions):
            inliner.inline_into(name, ())
        manager = PassManager.parse("builtin.module(symbol-dce)", module.context)
        manager.enable_verifier(False)
        manager.run(module)


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


def terminator_of(block: ir.Block) -> ir.Operation:
    """The last op of a block; unlike unpacking `operations` this makes one view, not all."""
    operations = block.operations
    return operations[len(operations) - 1].operation


def calls_of(function: ir.Operation) -> list[ir.Operation]:
    """The calls in the body of a function."""
    return find(function, "func.call")


def calls_by_function(module: ir.Operation) -> dict[str, list[ir.Operation]]:
    """The calls in each function of a module that has any, in one walk."""
    found: dict[str, list[ir.Operation]] = {}
    for call in calls_of(module):
        outer = call.parent
        while outer is not None and outer.operation.name != "func.func":
            outer = outer.parent
        if outer is not None:
            found.setdefault(outer.attributes["sym_name"].value, []).append(call)
    return found


def callee_of(call: ir.Operation) -> str:
    """The name of the function that is called."""
    return call.attributes["callee"].value


def handed_on_in(function: ir.Operation) -> list[str]:
    """The functions that routines called in the body of a function get, to call them."""
    handed = (
        attribute_of(op, "called_computations") for op in find(function, "stablehlo.custom_call")
    )
    return [name for attribute in handed if attribute is not None for name in symbols_in(attribute)]


def references(
    functions: dict[str, ir.Operation], calls: dict[str, list[ir.Operation]]
) -> defaultdict[str, int]:
    """How often each function is named: by calls, for routines, and in attributes of functions."""
    count: defaultdict[str, int] = defaultdict(int)
    for of_one in calls.values():
        for call in of_one:
            count[callee_of(call)] += 1
    for function in functions.values():
        for name in handed_on_in(function):
            count[name] += 1
        for attribute in extra_attributes(function):
            for name in symbols_in(attribute):
                count[name] += 1
    return count


def needed_by(name: str, functions: dict[str, ir.Operation]) -> list[str]:
    """The functions that one calls or names, and those that these do; not itself."""
    found = {name: None}
    pending = [name]
    while pending:
        function = functions[pending.pop()]
        named = [n for of in extra_attributes(function) for n in symbols_in(of)]
        for other in [*map(callee_of, calls_of(function)), *handed_on_in(function), *named]:
            if other in functions and other not in found:
                found[other] = None
                pending.append(other)
    return [other for other in found if other != name]


_OWN = ("sym_name", "function_type", "sym_visibility", "arg_attrs", "res_attrs")


def extra_attributes(function: ir.Operation) -> list[ir.Attribute]:
    """Those that say more of a function than its name, type and visibility."""
    names = [name for name in function.attributes.keys() if name not in _OWN]
    return [x for name in names if (x := attribute_of(function, name)) is not None]


def is_private(function: ir.Operation) -> bool:
    """Whether nobody outside of the module can name the function."""
    attributes = function.attributes
    return "sym_visibility" in attributes and attributes["sym_visibility"].value == "private"


def inline_calls(
    name: str, functions: dict[str, ir.Operation], keeping: Container[str] = ()
) -> None:
    """Inline every call in one function, and in copies of the functions it calls.

    Calls of the functions in `keeping` stay.
    """
    _Inliner(functions, None, defaultdict(int), keeping).inline_into(name, ())


class _Inliner:
    """Inlines in the functions of one module, each once.

    A private function with one use, by the count `uses`, is taken apart; others are copied.
    `calls` are those in each function, None to look for them.
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
            problem = f"call of @{callee}, which is not there"
        elif callee in path:
            cycle = " -> ".join(f"@{n}" for n in (*path[path.index(callee) :], callee))
            problem = f"recursion: {cycle}; calls must not form a cycle"
        elif not function.regions[0].blocks:
            problem = f"@{callee} is a declaration without a body"
        elif body_of(function) is None:
            problem = f"@{callee} has several blocks; a function is inlined that has one"
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

    What was the callee becomes the caller, with its name and attributes.
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
