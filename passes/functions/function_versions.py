"""Versions of functions: one called in several ways becomes one function for each."""

from collections.abc import Mapping

from anvl.dialect.core.attributes import attribute_of, extra_attributes, symbols_in, with_symbols
from anvl.dialect.core.mlir import ir
from anvl.passes.functions.symbol_utils import called_computations_in, callee_of, calls_of

__all__ = ["versions_of"]

#: The names of functions by their name before and by the choice that holds in them.
_Versions = dict[tuple[str, str], str]


def versions_of(
    functions: dict[str, ir.Operation], chosen: Mapping[str, str], default: str = ""
) -> dict[str, str]:
    """The choice that holds in each function: its own in `chosen`, or that of its callers.

    Functions that are not private begin with `default`.  A function that callers of several choices
    call, or name in an attribute, is copied for each, and `functions` gets the copies.
    """
    met = _reached(functions, chosen, default)
    versions = _named(functions, met)
    for name, choice in met:
        _refer(functions[versions[name, choice]], choice, chosen, versions)
    return {versions[one]: one[1] for one in met}


def _reached(
    functions: Mapping[str, ir.Operation], chosen: Mapping[str, str], default: str
) -> list[tuple[str, str]]:
    """Each function with each choice that reaches it."""
    pending = [(name, chosen.get(name, default)) for name in functions]
    private = [one for one in pending if attribute_of(functions[one[0]], "sym_visibility")]
    found = dict.fromkeys(one for one in pending if one not in private)
    queue = list(found) or pending  # a library of private functions has no other beginning
    found |= dict.fromkeys(queue)
    while queue:
        name, choice = queue.pop()
        for callee in _referred(functions[name]):
            one = callee, chosen.get(callee, choice)
            if callee in functions and one not in found:
                found[one] = None
                queue.append(one)
    return list(found)


def _referred(function: ir.Operation) -> list[str]:
    named = [n for attribute in extra_attributes(function) for n in symbols_in(attribute)]
    return [*map(callee_of, calls_of(function)), *called_computations_in(function), *named]


def _named(functions: dict[str, ir.Operation], met: list[tuple[str, str]]) -> _Versions:
    """A function for each name and choice: the first is the function itself, others are copies."""
    versions: _Versions = {}
    taken: set[str] = set()
    for name, choice in met:
        if name not in taken:
            taken.add(name)
            versions[name, choice] = name
            continue
        new = f"{name}_{choice or 'full'}"
        while new in functions:
            new += "_"
        copy = functions[name].clone(ip=ir.InsertionPoint(functions[name])).operation
        copy.attributes["sym_name"] = ir.StringAttr.get(new, copy.context)
        functions[new] = copy
        versions[name, choice] = new
    return versions


def _refer(
    function: ir.Operation, choice: str, chosen: Mapping[str, str], versions: _Versions
) -> None:
    """Let a function call and name the versions that its choice selects."""
    renamed = {
        name: versions[name, chosen.get(name, choice)]
        for name in dict.fromkeys(_referred(function))
        if (name, chosen.get(name, choice)) in versions
    }
    renamed = {old: new for old, new in renamed.items() if old != new}
    for old, new in renamed.items():
        ir.SymbolTable.replace_all_symbol_uses(old, new, function)
    for key in list(function.attributes.keys()) if renamed else ():
        attribute = attribute_of(function, key)
        if attribute is not None and not renamed.keys().isdisjoint(symbols_in(attribute)):
            function.attributes[key] = with_symbols(attribute, renamed)
