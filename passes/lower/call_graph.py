"""Check after lowering: every named function exists and has a body, and there is no recursion.

Otherwise XLA crashes the process: it analyses a function without a body even if nobody calls it,
dereferences a missing one, and follows recursive calls forever.  Besides `func.call`, a composite
names its decomposition, and a custom call the functions that it may call.
"""

from collections.abc import Iterator
from typing import Any

from anvl.dialect.control_flow.call import FUNCTION_RULES
from anvl.dialect.core.attributes import symbols_in
from anvl.dialect.core.errors import PassError
from anvl.dialect.core.mlir import ir
from anvl.passes.expand.declarations import KINDS
from anvl.passes.framework.walk import find
from anvl.passes.functions.symbol_utils import functions_of

__all__ = ["check_calls"]

# Ops that name functions, with the attribute in which they do.
_NAMING = {
    "func.call": "callee",
    "func.constant": "value",
    "stablehlo.composite": "decomposition",
    "stablehlo.custom_call": "called_computations",
}
_CONTROL_FLOW = "anvl-control-flow"


def check_calls(pass_name: str, module: ir.Operation) -> None:
    """Raise `PassError` for functions that are missing or have no body, and for recursion."""
    functions = functions_of(module)
    called = _called(module)
    for of_one in called.values():
        for name, op in of_one:
            if name not in functions:
                problem = (
                    f"{op.name} names @{name}, but the module has no such function; define it, or "
                )
                raise PassError(pass_name, f"{problem}remove {_NAMING[op.name]}", str(op.location))
    for name, function in functions.items():
        if not function.regions[0].blocks:
            callers = [op for of_one in called.values() for callee, op in of_one if callee == name]
            raise _bodiless(pass_name, name, function, callers)
    _check_cycles(pass_name, called)


def _called(module: ir.Operation) -> dict[str, list[tuple[str, ir.Operation]]]:
    """Calls in each function, with the calling ops."""
    found: dict[str, list[tuple[str, ir.Operation]]] = {}
    around: dict[Any, str] = {}  # the function, by the op in whose region a call is
    for op in find(module, *_NAMING):
        named = _named(op)
        if named:
            parent = op.parent
            name = around.get(parent)
            if name is None:
                name = around[parent] = _function_around(op)
            found.setdefault(name, []).extend([(callee, op) for callee in named])
    return found


def _named(op: ir.Operation) -> list[str]:
    attribute = _NAMING[op.name]
    return list(symbols_in(op.attributes[attribute])) if attribute in op.attributes else []


def _function_around(op: ir.Operation) -> str:
    outer: Any = op.parent
    while outer is not None and outer.operation.name != "func.func":
        outer = outer.operation.parent
    return outer.operation.attributes["sym_name"].value if outer is not None else ""


def _bodiless(
    pass_name: str, name: str, function: ir.Operation, callers: list[ir.Operation]
) -> PassError:
    where = str((callers[0] if callers else function).location)
    declared, run = _declaration(function)
    if declared:
        problem = f"@{name} is declared by {declared} and has no body; run {run} first"
    elif callers:
        problem = f"@{name} is called but has no body; give it one, or remove the call"
    else:
        problem = f"@{name} has no body and no caller; remove it, as --symbol-dce does"
    return PassError(pass_name, problem, where)


def _declaration(function: ir.Operation) -> tuple[str, str]:
    """Attribute of a declared function, and the pass that expands it.

    Two empty strings for a plain declaration.
    """
    for attribute in function.attributes.keys():
        if attribute in KINDS:
            return attribute, KINDS[attribute].argument
        if attribute in FUNCTION_RULES and FUNCTION_RULES[attribute].declares:
            return attribute, _CONTROL_FLOW
    return "", ""


def _check_cycles(pass_name: str, called: dict[str, list[tuple[str, ir.Operation]]]) -> None:
    done: set[str] = set()
    for root in called:
        path = [root]
        pending: list[Iterator[tuple[str, ir.Operation]]] = [iter(called[root])]
        while pending:
            callee, op = next(pending[-1], ("", None))
            if op is None:
                done.add(path.pop())
                pending.pop()
            elif callee in path:
                cycle = " -> ".join(f"@{n}" for n in (*path[path.index(callee) :], callee))
                problem = f"recursion: {cycle}; calls must not form a cycle"
                raise PassError(pass_name, problem, str(op.location))
            elif callee in called and callee not in done:
                path.append(callee)
                pending.append(iter(called[callee]))
