"""Edits of functions: removed, inlined, with fewer arguments and results."""

from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from functools import partial
from typing import NamedTuple

from anvl.dialect.core.mlir import ir
from anvl.passes.functions.inlining import dissolve
from anvl.passes.functions.symbol_utils import (
    body_of,
    callee_of,
    calls_of,
    functions_of,
    is_private,
    needed_by,
    references,
    terminator_of,
)
from anvl.tools.reduce.op_edits import Edit, one
from anvl.tools.reduce.signatures import drop_arguments, drop_results

__all__ = ["Part", "arguments", "calls", "functions", "results", "without_parts"]


class Part(NamedTuple):
    """An argument or a result of a function."""

    function: ir.Operation
    at: int


def functions(module: ir.Module) -> Iterator[Edit]:
    """Remove a function that nothing refers to."""
    known = functions_of(module.operation)
    by_function = {name: calls_of(op) for name, op in known.items()}
    counts = references(known, by_function)
    for name, op in known.items():
        if not counts[name]:
            yield op.erase


def calls(module: ir.Module) -> Iterator[Edit]:
    """Put the body of a function in place of a call of it; an unused one goes."""
    known = functions_of(module.operation)
    for name, function in known.items():
        for call in calls_of(function):
            callee = known.get(callee_of(call))
            if callee is None or body_of(callee) is None:
                continue
            if callee_of(call) != name and name not in needed_by(callee_of(call), known):
                yield partial(_inline, module, callee, call)


def _inline(module: ir.Module, callee: ir.Operation, call: ir.Operation) -> None:
    name = callee_of(call)
    dissolve(callee.clone(ip=ir.InsertionPoint(callee)).operation, call)
    known = functions_of(module.operation)
    counts = references(known, {n: calls_of(op) for n, op in known.items()})
    if not counts[name] and is_private(callee):
        callee.erase()


# -- signatures ------------------------------------------------------------------------------------


def arguments(module: ir.Module) -> Iterator[Part]:
    """The arguments of functions that are only called."""
    for function in _only_called(module):
        for i in range(len(function.regions[0].blocks[0].arguments)):
            yield Part(function, i)


def results(module: ir.Module) -> Iterator[Part]:
    """The results of functions that are only called."""
    for function in _only_called(module):
        for i in range(len(terminator_of(function.regions[0].blocks[0]).operands)):
            yield Part(function, i)


def _only_called(module: ir.Module) -> Iterator[ir.Operation]:
    known = functions_of(module.operation)
    by_function = {name: calls_of(op) for name, op in known.items()}
    counts = references(known, by_function)
    called: defaultdict[str, int] = defaultdict(int)
    for of_one in by_function.values():
        for call in of_one:
            called[callee_of(call)] += 1
    for name, op in known.items():
        if body_of(op) is not None and counts[name] == called[name]:
            yield op


def without_parts(module: ir.Module, parts: Sequence[Part], *, are_results: bool) -> None:
    """Remove arguments or results; what still uses one uses another value of its type."""
    by_function: dict[str, set[int]] = {}
    for part in parts:
        name = part.function.attributes["sym_name"].value
        by_function.setdefault(name, set()).add(part.at)
    for name, dropped in by_function.items():
        known = functions_of(module.operation)
        found = [c for op in known.values() for c in calls_of(op) if callee_of(c) == name]
        if are_results:
            _free_results(found, dropped)
            drop_results(known[name], found, dropped)
        else:
            drop_arguments(known[name], found, _freed_arguments(known[name], dropped))


def _free_results(found: Sequence[ir.Operation], dropped: Collection[int]) -> None:
    for call in found:
        for i in dropped:
            y = call.results[i]
            if next(iter(y.uses), None) is not None:
                value = one(y.type)
                if value is None:
                    raise ValueError("no simple value")
                with ir.InsertionPoint(call):
                    made = ir.Operation.create("stablehlo.constant", [y.type], [], {"value": value})
                y.replace_all_uses_with(made.result)


def _freed_arguments(function: ir.Operation, dropped: Collection[int]) -> set[int]:
    """Those of the arguments that nothing uses, or whose uses another can take."""
    block, freed = function.regions[0].blocks[0], set()
    values = list(block.arguments)
    for i in dropped:
        if next(iter(values[i].uses), None) is not None:
            others = (x for j, x in enumerate(values) if j not in dropped)
            other = next((x for x in others if x.type == values[i].type), None)
            if other is None:
                continue
            values[i].replace_all_uses_with(other)
        freed.add(i)
    return freed
