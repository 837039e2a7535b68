"""Functions of a module: by name, their callees, and references to them."""

from collections import defaultdict
from collections.abc import Iterable
from typing import NamedTuple

from anvl.dialect.core.attributes import attribute_of, extra_attributes, symbols_in
from anvl.dialect.core.mlir import ir
from anvl.dialect.core.symbol_table import SymbolTable
from anvl.passes.framework.walk import find, find_by_name

__all__ = [
    "KnownFunctions", "Uses", "body_of", "called_computations_in", "callee_of",
    "calls_by_function", "calls_of", "functions_of", "is_private", "needed_by", "references",
    "terminator_of", "uses_in",
]  # fmt: skip


class KnownFunctions(SymbolTable):
    """The functions of a module, to which none is added."""

    def __init__(self, module: ir.Operation) -> None:
        super().__init__()
        self.functions = functions_of(module)

    def insert(self, function: ir.Operation) -> str:
        raise TypeError("KnownFunctions takes no new function; an Expansion does")


def functions_of(module: ir.Operation) -> dict[str, ir.Operation]:
    """The functions of a module, by name."""
    found = {}
    for op in module.regions[0].blocks[0].operations:
        operation = op.operation
        if operation.name == "func.func":
            found[operation.attributes["sym_name"].value] = operation
    return found


def body_of(function: ir.Operation) -> ir.Block | None:
    """The single block of a function, or None for a declaration."""
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
    return _by_function(calls_of(module))


def _by_function(calls: list[ir.Operation]) -> dict[str, list[ir.Operation]]:
    found: dict[str, list[ir.Operation]] = {}
    for call in calls:
        outer = call.parent
        while outer is not None and outer.operation.name != "func.func":
            outer = outer.parent
        if outer is not None:
            found.setdefault(outer.attributes["sym_name"].value, []).append(call)
    return found


class Uses(NamedTuple):
    """The calls in each function, and the number of references to each: see `references`."""

    calls: dict[str, list[ir.Operation]]
    references: defaultdict[str, int]


def uses_in(module: ir.Operation, named: Iterable[Iterable[ir.Attribute | None]]) -> Uses:
    """The calls and references of a module, in one walk.

    `named` are the attributes of its functions, as by `extras`.
    """
    found = find_by_name(module, ("func.call", "stablehlo.custom_call"))
    count: defaultdict[str, int] = defaultdict(int)
    for call in found["func.call"]:
        count[callee_of(call)] += 1
    for name in _named_in(found["stablehlo.custom_call"]):
        count[name] += 1
    for attributes in named:
        for attribute in attributes:
            for name in symbols_in(attribute):
                count[name] += 1
    return Uses(_by_function(found["func.call"]), count)


def callee_of(call: ir.Operation) -> str:
    """The name of the function that is called."""
    return call.attributes["callee"].value


def called_computations_in(function: ir.Operation) -> list[str]:
    """Functions that custom calls in the body of a function receive as called computations."""
    return _named_in(find(function, "stablehlo.custom_call"))


def _named_in(custom_calls: Iterable[ir.Operation]) -> list[str]:
    handed = [attribute_of(op, "called_computations") for op in custom_calls]
    return [name for attribute in handed if attribute is not None for name in symbols_in(attribute)]


def references(
    functions: dict[str, ir.Operation], calls: dict[str, list[ir.Operation]]
) -> defaultdict[str, int]:
    """Number of references to each function: from calls, custom calls and function attributes."""
    count: defaultdict[str, int] = defaultdict(int)
    for of_one in calls.values():
        for call in of_one:
            count[callee_of(call)] += 1
    for function in functions.values():
        for name in called_computations_in(function):
            count[name] += 1
        for attribute in extra_attributes(function):
            for name in symbols_in(attribute):
                count[name] += 1
    return count


def needed_by(name: str, functions: dict[str, ir.Operation]) -> list[str]:
    """Functions that a function calls or names, transitively; without itself."""
    found = {name: None}
    pending = [name]
    while pending:
        function = functions[pending.pop()]
        named = [n for of in extra_attributes(function) for n in symbols_in(of)]
        for other in [
            *map(callee_of, calls_of(function)),
            *called_computations_in(function),
            *named,
        ]:
            if other in functions and other not in found:
                found[other] = None
                pending.append(other)
    return [other for other in found if other != name]


def is_private(function: ir.Operation) -> bool:
    """Whether the function has private visibility."""
    attributes = function.attributes
    return "sym_visibility" in attributes and attributes["sym_visibility"].value == "private"
