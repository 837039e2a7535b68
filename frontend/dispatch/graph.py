"""`anvl.trace`: the program of a function as a readable graph of anvl ops; and `eval_shape`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from anvl import tree
from anvl.core.arguments import Arguments, StaticArguments, wrap_plain_leaves
from anvl.core.avals import Aval
from anvl.core.traced import Traced, trace_call
from anvl.dispatch.graph_reader import Body, Call, Reader, shown
from anvl.dispatch.stages import module_text
from anvl.runtime import Array, hiding_frames
from anvl.sharding.specs import mesh_of

__all__ = ["AnvlGraph", "Body", "Call", "eval_shape", "trace"]


class AnvlGraph:
    """The traced program of a function.

    Attributes
    ----------
    inputs, constants, outputs : list of (str, Aval)
    calls : list of Call
        The ops; each has its `bodies`, with `inputs`, `calls` and `outputs` of their own.
    in_tree, out_tree : PyTreeDef
    """

    def __init__(self, traced: Traced) -> None:
        self._traced = traced
        self.in_tree: Any = traced.in_tree
        self.out_tree: Any = traced.out_tree
        reader = Reader(traced)
        self.inputs: list[tuple[str, Aval]] = reader.inputs
        self.constants: list[tuple[str, Aval]] = reader.constants
        self.calls: list[Call] = reader.calls
        self.outputs: list[tuple[str, Aval]] = reader.outputs

    def mlir(self, *, debug_info: bool = False) -> str:
        """Text of the program, which `anvl-opt` reads; `debug_info` adds Python source lines."""
        return module_text(self._traced.program.module, debug_info)

    def __str__(self) -> str:
        sections = [
            ("Inputs", [f"{name}: {of}" for name, of in self.inputs]),
            ("Constants", [f"{name}: {of}" for name, of in self.constants]),
            ("Body", shown(self.calls)),
            ("Outputs", [f"{name}: {of}" for name, of in self.outputs]),
        ]
        lines = ["<AnvlGraph>"]
        for title, entries in sections:
            if title == "Constants" and not entries:
                continue
            empty = "(empty)" if title == "Body" else "(none)"
            lines.append(f"  {title}:" if entries else f"  {title}: {empty}")
            lines += [f"    {entry}" for entry in entries]
        return "\n".join(lines)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        """The program, with its graph and the Python lines, in a notebook."""
        from anvl.dispatch.notebook import notebook_html  # 10 ms that only notebooks need

        return notebook_html("AnvlGraph", [("traced", self._traced.program.module)])


def _check_callable(function: str, f: Any) -> None:
    if not callable(f):
        raise TypeError(f"{function}: takes a function, got {f!r} of type {type(f).__name__}")


@hiding_frames
def trace(f: Callable[..., Any], *args: Any, static: Any = None, **kwargs: Any) -> AnvlGraph:
    """Trace f for these arguments, and return its program as a graph of anvl ops.

    Parameters
    ----------
    f : callable
    *args, **kwargs
        Arrays, abstract values (`anvl.aval("f32", (2, 3))`), numbers, and pytrees of them; bools,
        strings, None and other plain values are passed unchanged.
    static : str, int or sequence of these, optional
        Names or positions of arguments that are passed unchanged.

    Returns
    -------
    AnvlGraph

    Raises
    ------
    TypeError, TraceError
        As tracing raises them.

    Examples
    --------
    >>> import anvl
    >>> print(anvl.trace(lambda x, y: x * y, anvl.aval("f32"), anvl.aval("f32")))
    <AnvlGraph>
      Inputs:
        %x1: f32[]
        %x2: f32[]
      Body:
        %1: f32[] = mul(%x1, %x2)
      Outputs:
        %1: f32[]
    """
    return AnvlGraph(_traced(f, static, args, kwargs))


@hiding_frames
def eval_shape(f: Callable[..., Any], *args: Any, static: Any = None, **kwargs: Any) -> Any:
    """The dtypes and shapes that f returns for these arguments, without computing anything.

    Parameters
    ----------
    f : callable
    *args, **kwargs
        Arguments as of `anvl.trace`.
    static : str, int or sequence of these, optional
        Names or positions of arguments that are passed unchanged.

    Returns
    -------
    A pytree of avals.

    Examples
    --------
    >>> import anvl, anvl.numpy as np
    >>> anvl.eval_shape(lambda x: x.sum(axis=0), anvl.aval("f32", (2, 3)))
    f32[3]
    """
    traced = _traced(f, static, args, kwargs)
    return tree.unflatten(traced.out_tree, traced.out_avals)


def _traced(
    f: Callable[..., Any], static: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Traced:
    _check_callable("trace", f)
    _check_callable("eval_shape", f)
    splitter = StaticArguments(f, static)
    arguments = splitter.split(args, kwargs)
    given = wrap_plain_leaves(tree.unflatten(arguments.treedef, arguments.leaves))
    leaves, treedef = tree.flatten(given)
    mesh = mesh_of(x.aval.placement for x in leaves if isinstance(x, Array))
    return trace_call(f, splitter, Arguments(leaves, treedef, arguments.static), mesh=mesh)
