"""After lowering every function that is named is there and has a body, and none calls itself.

XLA ends the process on others: it takes a function without a body apart also where nobody calls it,
looks into one that is not there, and follows calls without end.  What calls is not `func.call`
alone: a composite names what it is made of, and a library call the functions that it may call.
"""

from collections.abc import Iterator
from typing import Any

from anvl.dialect.control_flow.call import FUNCTION_RULES, symbols_in
from anvl.dialect.core.errors import PassError
from anvl.dialect.core.mlir import ir
from anvl.passes.expand.declarations import KINDS
from anvl.passes.framework.walk import find
from anvl.passes.functions.symbol_utils import functions_of

__all__ = ["check_calls"]

# With the attribute in which each names functions.
_NAMING = {
    "func.call": "callee",
    "func.constant": "value",
    "stablehlo.composite": "decomposition",
    "stablehlo.custom_call": "called_computations",
}
_CONTROL_FLOW = "anvl-control-flow"


def check_calls(pass_name: str, module: ir.Operation) -> None:
    """Raise `PassError` for a function without a body, or that is not there, and for cycles."""
    functions = functions_of(module)
    called = _called(module)
    for of_one in called.values():
        for name, op in of_one:
            if name not in functions:
                problem = f"{op.name} names @{name}, which is no function here; define it, or take "
                raise PassError(pass_name, f"{problem}out {_NAMING[op.name]}", str(op.location))
    for name, function in functions.items():
        if not function.regions[0].blocks:
            callers = [op for of_one in called.values() for callee, op in of_one if callee == name]
            raise _bodiless(pass_name, name, function, callers)
    _check_cycles(pass_name, called)


def _called(module: ir.Operation) -> dict[str, list[tuple[str, ir.Operation]]]:
    """What each function calls, and where."""
    found: dict[str, list[tuple[str, ir.Operation]]] = {}
    for op in find(module, *_NAMING):
        named = _named(op)
        if named:
            found.setdefault(_function_around(op), []).extend((name, op) for name in named)
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
        problem = f"@{name} is called and has no body; give it one, or take out the call"
    else:
        problem = f"@{name} has no body, and nobody calls it; take it out, as --symbol-dce does"
    return PassError(pass_name, problem, where)


def _declaration(function: ir.Operation) -> tuple[str, str]:
    """The attribute that says what a declared function is to do, and the pass that carries it out.

    Of a plain declaration, two empty texts.
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
