"""Functions that are equal become one, so that calls of them are equal."""

from collections.abc import Mapping

from anvl.dialect.core.attributes import extra_attributes, symbols_in
from anvl.dialect.core.mlir import ir
from anvl.passes.functions.symbol_utils import body_of, callee_of, calls_of, is_private

__all__ = ["merge_equal"]


def merge_equal(module: ir.Operation, functions: dict[str, ir.Operation]) -> None:
    """Erase private functions that are equal to another one, which takes their place.

    Equal are functions with the same text, whose callees are equal.  A loop of Python's makes such
    functions: it traces, for example, the same loss in each step.
    """
    private = {name: op for name, op in functions.items() if is_private(op)}
    if len({_shape(op) for op in private.values()}) == len(private):
        return
    known: dict[str, str] = {}
    for name in _callees_first(private):
        first = known.setdefault(_key(private[name]), name)
        if first != name:
            ir.SymbolTable.replace_all_symbol_uses(name, first, module)
            functions.pop(name).erase()


def _shape(function: ir.Operation) -> object:
    """Facts in which equal functions agree, and which take no time to read."""
    body, attributes = body_of(function), function.attributes
    return attributes["function_type"], len(attributes), body and len(body.operations)


def _key(function: ir.Operation) -> str:
    """Its text without its name, with values numbered from its first."""
    text: str = function.get_asm(use_local_scope=True, assume_verified=True)
    return text.replace(f"@{function.attributes['sym_name'].value}(", "@(", 1)


def _callees_first(functions: Mapping[str, ir.Operation]) -> list[str]:
    """The names of functions, each after those that it calls or names."""
    order: dict[str, None] = {}
    seen: set[str] = set()
    pending = [(name, False) for name in reversed(list(functions))]
    while pending:
        name, is_done = pending.pop()
        if is_done:
            order[name] = None
        elif name not in seen and name in functions:
            seen.add(name)
            pending.append((name, True))
            function = functions[name]
            named = [n for a in extra_attributes(function) for n in symbols_in(a)]
            pending += [(n, False) for n in (*map(callee_of, calls_of(function)), *named)]
    return list(order)
