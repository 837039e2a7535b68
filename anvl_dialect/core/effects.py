"""Side effects and termination: ops that must run although their results are unused, and ops that
must not run speculatively.  This is the single place that decides both.
"""

from collections.abc import Callable, Iterable, Mapping
from functools import cache
from typing import Any

from anvl.dialect.core.attributes import extra_attributes, symbols_in
from anvl.dialect.core.mlir import ir
from anvl.dialect.core.op import AnvlOp
from anvl.dialect.core.symbol_table import SymbolTable

__all__ = [
    "all_dce_able",
    "are_dce_able",
    "function_has_effect",
    "has_effect",
    "has_order",
    "is_dce_able",
    "is_unsafe",
]

_RETURNS = ("func.return", "stablehlo.return")


def has_effect(
    op: Any, functions: Mapping[str, ir.Operation] | None = None, path: tuple[str, ...] = ()
) -> bool:
    """Whether an op or an op in its regions has a side effect.

    With the `functions` of a module, by name, calls have the effects of their callees; without, a
    call is assumed to have one, as are ops of other dialects.  `path`: the enclosing functions.
    """
    name = op.operation.name
    if name in _RETURNS:
        return False
    if name == "func.call" and functions is not None:
        callee = functions.get(op.operation.attributes["callee"].value)
        return function_has_effect(callee, functions, path)
    if getattr(op, "captures", False):
        return any(has_effect(inner, functions, path) for inner in _inner_ops(op))
    if isinstance(op, AnvlOp):
        return op.has_side_effects(op.operation)
    return True


def function_has_effect(
    function: ir.Operation | None,
    functions: Mapping[str, ir.Operation],
    path: tuple[str, ...] = (),
) -> bool:
    """Whether a function has a side effect; a declaration has the effects of the functions it
    names.

    A missing function and a recursive one, which does not terminate, count as having one.
    """
    if function is None:
        return True
    name = function.attributes["sym_name"].value
    if name in path:
        return True
    path = (*path, name)
    blocks = function.regions[0].blocks
    if len(blocks):
        return any(has_effect(op, functions, path) for block in blocks for op in block.operations)
    named = [n for attribute in extra_attributes(function) for n in symbols_in(attribute)]
    return not named or any(function_has_effect(functions.get(n), functions, path) for n in named)


def is_dce_able(op: Any, functions: Mapping[str, ir.Operation] | None = None) -> bool:
    """Whether an op may be erased where its results are not used.

    Not an op that names a value, such as `anvl.tag`, since a later pass looks the name up; nor a
    terminator.
    """
    rules = type(op)
    if all_dce_able(rules):
        return True
    if op.operation.name in _RETURNS:
        return False
    if getattr(op, "captures", False):
        return are_dce_able(_inner_ops(op), functions)
    return not getattr(rules, "naming_param", "") and not has_effect(op, functions)


def are_dce_able(ops: Iterable[Any], functions: Mapping[str, ir.Operation] | None = None) -> bool:
    """Whether all ops but terminators may be erased where their results are not used."""
    for op in ops:
        if all_dce_able(type(op)) or op.operation.name in _RETURNS:
            continue
        if not is_dce_able(op, functions):
            return False
    return True


def _all_dce_able_by_class(rules: Any) -> bool:
    """Whether every op of a class is erasable when unused, judged by the class alone."""
    return issubclass(rules, AnvlOp) and rules.pure and not rules.naming_param


# (mypy takes `type[Any]` for something without a hash: hence the types of these caches.)
all_dce_able: Callable[[Any], bool] = cache(_all_dce_able_by_class)


def is_unsafe(
    ops: Iterable[Any], symbols: SymbolTable | None, seen: set[str] | None = None
) -> bool:
    """Whether an op has a side effect or may not terminate, or calls a function that does.

    Such ops must not run where their results are not needed.  `seen`: functions already visited.
    """
    seen = set() if seen is None else seen
    for op in ops:
        if _is_always_safe(type(op)):
            continue
        if op.unsafe(op.operation, symbols, seen) if isinstance(op, AnvlOp) else has_effect(op):
            return True
    return False


def _is_always_safe_by_class(rules: Any) -> bool:
    """Whether every op of a class may run speculatively, judged by the class alone."""
    return (
        issubclass(rules, AnvlOp)
        and rules.pure
        and not (rules.has_rule("unsafe") or rules.has_rule("has_side_effects"))
    )


_is_always_safe: Callable[[Any], bool] = cache(_is_always_safe_by_class)


def has_order(
    ops: Iterable[Any], symbols: SymbolTable | None, seen: set[str] | None = None
) -> bool:
    """Whether an op has a place in the order of effects, also in regions and in callees."""
    seen = set() if seen is None else seen
    for op in ops:
        if _is_never_ordered(type(op)):
            continue
        if isinstance(op, AnvlOp) and op.is_ordered(op.operation):
            return True
        if getattr(op, "captures", False) and has_order(_inner_ops(op), symbols, seen):
            return True
        if op.operation.name == "func.call" and symbols is not None:
            name = op.operation.attributes["callee"].value
            if name not in seen and _function_has_order(name, symbols, seen):
                return True
    return False


def _is_never_ordered_by_class(rules: Any) -> bool:
    """Whether no op of a class is in the order of effects, judged by the class alone."""
    return issubclass(rules, AnvlOp) and rules.reads_operands and not rules.has_rule("is_ordered")


_is_never_ordered: Callable[[Any], bool] = cache(_is_never_ordered_by_class)


def _function_has_order(name: str, symbols: SymbolTable, seen: set[str]) -> bool:
    seen.add(name)
    function = symbols.functions.get(name)
    if function is None:
        return False
    named = [n for attribute in extra_attributes(function) for n in symbols_in(attribute)]
    blocks = function.regions[0].blocks
    return any(has_order(block.operations, symbols, seen) for block in blocks) or any(
        n not in seen and _function_has_order(n, symbols, seen) for n in named
    )


def _inner_ops(op: Any) -> list[Any]:
    regions = op.operation.regions
    return [inner for region in regions for block in region.blocks for inner in block.operations]
