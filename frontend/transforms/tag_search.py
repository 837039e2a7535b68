"""Search for the tagged values of a traced function.

Imported only if `wrt` names a tag: it needs the passes, to see through declared transformations.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from anvl.core.avals import Aval, aval_of_type
from anvl.core.locations import describe
from anvl.core.trace_state import passes_lock
from anvl.core.traced import Traced
from anvl.dialect.core.context import context
from anvl.dialect.core.mlir import ir
from anvl.dispatch.lowering import transformations
from anvl.passes.framework.pipeline import Pipeline
from anvl.passes.functions.symbol_utils import calls_of, functions_of, references
from anvl.passes.functions.tags import tags_of

__all__ = ["Tag", "tags_in"]


class Tag(NamedTuple):
    """A tagged value: its aval, the line that tags it, and whether the tag's result is used."""

    of: Aval
    line: str
    is_used: bool


def tags_in(nested: Traced) -> dict[str, list[Tag]]:
    """Tagged values of a traced function and of its callees, by tag."""
    with context(), passes_lock:
        function, module = nested.trace.function, nested.program.module
        functions: dict[str, ir.Operation] = {}
        if calls_of(function):
            module = _expanded(nested.trace.name, functions_of(module.operation))
            functions = functions_of(module.operation)
            function = functions[nested.trace.name]
        return {
            label: [_tag(value) for value in values]
            for label, values in tags_of(function, functions).items()
        }


def _tag(value: ir.Value) -> Tag:
    is_used = next(iter(value.uses), None) is not None
    return Tag(aval_of_type(value.type), describe(value.owner.location), is_used)


def _expanded(name: str, functions: Mapping[str, ir.Operation]) -> ir.Module:
    """A copy of a function and of its callees, with all declarations expanded."""
    with ir.Location.unknown():
        module = ir.Module.create()
        for other in _reachable(name, functions):
            functions[other].clone(ip=ir.InsertionPoint(module.body))
        main = functions_of(module.operation)[name]
        if "sym_visibility" in main.attributes:  # or a pass might consume it
            del main.attributes["sym_visibility"]
        Pipeline(transformations()).run(module)
    return module


def _reachable(name: str, functions: Mapping[str, ir.Operation]) -> list[str]:
    """The functions reachable from one, itself among them."""
    found, waiting = [name], [name]
    while waiting:
        at = waiting.pop()
        calls = {at: calls_of(functions[at])}
        new = [n for n in references({at: functions[at]}, calls) if n not in found]
        found += new
        waiting += new
    return found
