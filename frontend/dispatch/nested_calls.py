"""Calls of functions of the program that is being traced."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from anvl import tree
from anvl.core import config
from anvl.core.arguments import Arguments, StaticArguments, input_names
from anvl.core.avals import Aval
from anvl.core.key_uses import pass_on_key_uses
from anvl.core.locations import here
from anvl.core.promote import abstract, as_tracer
from anvl.core.ranges import pass_on_meetings
from anvl.core.traced import abstract_argument, trace_call
from anvl.core.tracer import Tracer
from anvl.core.tracing import Trace
from anvl.dialect.core.attributes import AGAIN
from anvl.dialect.core.context import context
from anvl.dialect.core.mlir import ir

__all__ = ["call_function", "call_in_trace"]


def call_in_trace(
    owner: Any, f: Callable[..., Any], static: StaticArguments, trace: Trace, arguments: Arguments
) -> Any:
    """Trace f into a function of its own, once for each signature, and call it."""
    avals = _avals(f, arguments)
    key = (
        id(owner), arguments.treedef, arguments.static, tuple(avals), config.version(),
        trace.program.rules_deep,
    )  # fmt: skip
    nested = trace.program.functions.get(key)
    if nested is None:
        nested = trace_call(f, static, arguments._replace(leaves=avals), trace.program)
        # A function that captures outer tracers is another one the next time.
        if not nested.trace.closed_over:
            trace.program.functions[key] = nested
            nested.owner = owner  # keeps its id unique
    operands = [*arguments.leaves, *(outer for outer, _ in nested.trace.closed_over.values())]
    results = call_function(trace, nested.trace.name, operands, nested.out_avals)
    return tree.unflatten(nested.out_tree, results)


def _avals(f: Callable[..., Any], arguments: Arguments) -> list[Aval]:
    leaves = arguments.leaves
    try:
        return [x if isinstance(x, Aval) else abstract(x) for x in leaves]
    except TypeError:  # one is no array: only now are their names worth their time
        paths = input_names(f, arguments)
        return [abstract_argument(x, path, f) for x, path in zip(leaves, paths, strict=True)]


def call_function(
    trace: Trace,
    name: str,
    operands: Sequence[Any],
    out_avals: Sequence[Aval],
    *,
    again: bool = False,
) -> list[Tracer]:
    """Emit `func.call @name` into the current trace.

    With `again` its effects have happened, in another call that computes the same.
    """
    location = here()
    values = [trace.tracer_of(as_tracer(x)).value for x in operands]
    pass_on_meetings(trace, name, values)
    pass_on_key_uses(trace, name, values)
    attributes: dict[str, Any] = {"callee": ir.FlatSymbolRefAttr.get(name, context())}
    if again:
        attributes[AGAIN] = ir.UnitAttr.get(context())
    call = ir.Operation.create(
        "func.call", [a.type for a in out_avals], values, attributes, loc=location
    )
    return [Tracer(y, a, trace, location) for y, a in zip(call.results, out_avals, strict=True)]
