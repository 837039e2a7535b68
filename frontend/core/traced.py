"""The result of tracing a call: a program, its inputs and outputs with their structure."""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping, Sequence
from importlib.util import find_spec
from types import MappingProxyType
from typing import Any

import numpy as np

import anvl
from anvl import tree
from anvl.core.arguments import Arguments, StaticArguments, input_names, name_of, remedy
from anvl.core.avals import Aval
from anvl.core.promote import abstract, as_tracer
from anvl.core.tracer import Tracer
from anvl.core.tracing import Program, Trace, trace_function
from anvl.runtime import INFO, Array, hide_code_of, is_watched, phase, recursion_of
from anvl.sharding.meshes import Mesh

__all__ = ["Traced", "abstract_argument", "known_numbers", "trace_call"]


class Traced:
    """A traced function of a program.

    Attributes
    ----------
    program : Program
    trace : Trace
        The function in it.
    names : list of str
        A path for each input.
    in_avals, out_avals : list of Aval
    in_tree, out_tree : PyTreeDef
    """

    owner: Any = None

    def __init__(
        self,
        trace: Trace,
        names: list[str],
        in_avals: list[Aval],
        in_tree: Any,
        outputs: Sequence[Tracer],
        out_tree: Any,
    ) -> None:
        self.program: Program = trace.program
        self.trace = trace
        self.names = names
        self.in_avals = in_avals
        self.in_tree = in_tree
        self.out_avals: list[Aval] = [y.aval for y in outputs]
        self.out_tree = out_tree


def trace_call(
    f: Callable[..., Any],
    static: StaticArguments,
    arguments: Arguments,
    program: Program | None = None,
    names: list[str] | None = None,
    values: Mapping[int, Any] = MappingProxyType({}),
    has_buckets: bool = False,
    mesh: Mesh | None = None,
) -> Traced:
    """Trace f with tracers for the leaves of `arguments`, which are avals, arrays or numbers.

    Without `program` a new one is begun and the function is its `main`.  `names` are the paths of
    the leaves if they are known.  `values` replace some of the tracers, by position: see
    `known_numbers`.  With `has_buckets` the new program is for several sizes; if given, it runs
    over `mesh`.
    """
    names = names or input_names(f, arguments)
    avals = [abstract_argument(x, path, f) for x, path in zip(arguments.leaves, names, strict=True)]
    out_tree = None

    def flat(tracers: Sequence[Tracer]) -> list[Any]:
        nonlocal out_tree
        given = [values.get(i, x) for i, x in enumerate(tracers)] if values else list(tracers)
        args, kwargs = static.join(arguments._replace(leaves=given))
        leaves, out_tree = tree.flatten(f(*args, **kwargs))
        return [_output(y, i, leaves, out_tree, f) for i, y in enumerate(leaves)]

    if program is not None:
        trace, outputs = trace_function(flat, name_of(f), avals, names, program)
        return Traced(trace, names, avals, arguments.treedef, outputs, out_tree)
    program = Program()
    program.has_buckets = has_buckets
    program.mesh = mesh
    program.title = name_of(f)
    with phase("trace", program.title, INFO) as now:
        try:
            trace, outputs = trace_function(flat, "main", avals, names, program)
        except RecursionError as error:
            raise _explained(error) from None
        if is_watched("trace", INFO):
            types = ", ".join(f"{n}: {of}" for n, of in zip(names, avals, strict=True))
            now.add(f"for ({types})")
    return Traced(trace, names, avals, arguments.treedef, outputs, out_tree)


def _explained(error: RecursionError) -> RecursionError:
    """An error that names the function that calls itself; the error itself if none does."""
    found = recursion_of(error)
    if found is None:
        return error
    name, count, place = found
    return RecursionError(
        f"{name}: calls itself while it is traced, {count} calls deep when the stack of Python was "
        f"full ({place}); if a traced value is to end the recursion, which tracing does not know, "
        "write a loop (anvl.while_loop, anvl.fori_loop, anvl.scan) or mark the argument static"
    )


def known_numbers(leaves: Sequence[Any], besides: Container[int] = ()) -> dict[int, Any]:
    """Python numbers among the leaves, by position, except at the positions in `besides`.

    A transformed function receives them unchanged, so that it may use them in Python: as the bound
    of a range, or as a static argument of a function in it.  The traced function keeps an unused
    argument for each.
    """
    kinds = (int, float, complex)
    return {i: x for i, x in enumerate(leaves) if type(x) in kinds and i not in besides}


def abstract_argument(x: Any, path: str, f: Callable[..., Any]) -> Aval:
    """Abstract value of an argument of f, which the error names by its path."""
    if isinstance(x, Aval):
        return x
    try:
        return abstract(x)
    except TypeError as error:
        raise TypeError(f"{name_of(f)}: argument {path}: {error}{remedy(f, x, path)}") from None


def _output(y: Any, i: int, leaves: Sequence[Any], out_tree: Any, f: Callable[..., Any]) -> Any:
    if isinstance(y, Tracer | Array | np.ndarray | np.generic):
        return y
    if isinstance(y, bool | int | float | complex):
        return as_tracer(y)
    path = tree.leaf_paths(out_tree, "result")[i]
    raise TypeError(
        f"{name_of(f)}: {path} is {y!r} of type {type(y).__name__}; "
        "a traced function returns arrays, numbers and containers of them"
    )


for _package in ("anvl.dialect", "anvl.passes"):  # the passes are not loaded for this
    hide_code_of(getattr(find_spec(_package), "origin", None) or "")
hide_code_of(anvl.__file__)
