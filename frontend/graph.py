"""`anvl.trace`: the program of a function as a graph of anvl ops, to read; and `eval_shape`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from anvl import tree
from anvl.arguments import Arguments, StaticArguments, plain_aside
from anvl.avals import Aval, aval_of_type
from anvl.dialect.mlir import ir
from anvl.dialect.op import OPS
from anvl.dialect.ops.create import CapturedOp, ConstantOp
from anvl.dialect.params import Texts
from anvl.passes.declared import KINDS
from anvl.runtime import hiding_frames
from anvl.stages import module_text
from anvl.traced import Traced, trace_call

__all__ = ["AnvlGraph", "Call", "eval_shape", "trace"]


class Call(NamedTuple):
    """One op of a graph."""

    primitive: str
    inputs: list[str]
    params: dict[str, Any]
    outputs: list[str]
    avals: list[Aval]

    def __str__(self) -> str:
        outputs = ", ".join(f"{y}: {a}" for y, a in zip(self.outputs, self.avals, strict=True))
        # An empty text is an attribute that is not there.
        given = {k: v for k, v in self.params.items() if not (isinstance(v, str) and not v)}
        listed = ", ".join(f"{k} = {_shown(v)}" for k, v in given.items())
        params = f" [{listed}] " if listed else ""
        return f"{outputs} = {self.primitive}{params}({', '.join(self.inputs)})"


class AnvlGraph:
    """The traced program of a function.

    Attributes: `inputs`, `constants`, `outputs` (pairs of a name and an aval), `calls`, `in_tree`,
    `out_tree`.
    """

    def __init__(self, traced: Traced) -> None:
        self._traced = traced
        self.in_tree = traced.in_tree
        self.out_tree = traced.out_tree
        reader = _Reader(traced)
        self.inputs: list[tuple[str, Aval]] = reader.inputs
        self.constants: list[tuple[str, Aval]] = reader.constants
        self.calls: list[Call] = reader.calls
        self.outputs: list[tuple[str, Aval]] = reader.outputs

    def mlir(self, *, debug_info: bool = False) -> str:
        """The program as MLIR text, which `anvl-opt` reads; with Python's lines if asked for."""
        return module_text(self._traced.program.module, debug_info)

    def __str__(self) -> str:
        sections = [
            ("Inputs", [f"{name}: {of}" for name, of in self.inputs]),
            ("Constants", [f"{name}: {of}" for name, of in self.constants]),
            ("Body", list(map(str, self.calls))),
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


class _Reader:
    """Reads the main function of a program, giving each value its name."""

    def __init__(self, traced: Traced) -> None:
        self._names: dict[ir.Value, str] = {}
        self._requests = _requests(traced.program.module)
        self.constants: list[tuple[str, Aval]] = []
        self.calls: list[Call] = []
        self._n_results = 0
        block = traced.trace.function.regions[0].blocks[0]
        self.inputs = [
            (self._name(x, f"%x{i + 1}"), of)
            for i, (x, of) in enumerate(zip(block.arguments, traced.in_avals, strict=True))
        ]
        *body, terminator = block.operations
        for op in body:
            self._read(op.operation)
        self.outputs = [
            (self._names[y], of)
            for y, of in zip(terminator.operation.operands, traced.out_avals, strict=True)
        ]

    def _name(self, value: ir.Value, name: str) -> str:
        self._names[value] = name
        return name

    def _read(self, op: ir.Operation) -> None:
        results = list(op.results)
        avals = [aval_of_type(y.type) for y in results]
        if op.name == CapturedOp.OPERATION_NAME:
            name = self._name(results[0], f"%c{len(self.constants) + 1}")
            self.constants.append((name, avals[0]))
            return
        literal = _literal(op, avals)
        if literal is not None:
            self._name(results[0], literal)
            return
        inputs = [self._names[x] for x in op.operands]
        outputs = [self._name(y, self._next_name()) for y in results]
        primitive, params = self._described(op)
        self.calls.append(Call(primitive, inputs, params, outputs, avals))

    def _next_name(self) -> str:
        self._n_results += 1
        return f"%{self._n_results}"

    def _described(self, op: ir.Operation) -> tuple[str, dict[str, Any]]:
        """The name of the primitive and its parameters; of a call, what it stands for."""
        if op.name in OPS:
            return OPS[op.name].short_name, OPS[op.name].read(op)
        callee = op.attributes["callee"].value
        if callee not in self._requests:
            return "call", {"callee": f"@{callee}"}
        what, request = self._requests[callee]
        shown = {name: _plain(request[name]) for name in _SHOWN if name in request}
        return what, {"callee": f"@{request['callee'].value}", **shown}


_SHOWN = ("wrt", "tags", "batched", "size")


def _plain(attribute: Any) -> Any:
    if isinstance(attribute, ir.ArrayAttr):
        return Texts.decode(attribute)
    return attribute.value if isinstance(attribute, ir.IntegerAttr) else tuple(attribute)


def _requests(module: ir.Module) -> dict[str, tuple[str, Any]]:
    """The transformations that are asked for, by the name of the declaration: kind and request."""
    return {
        op.attributes["sym_name"].value: (kind.rpartition(".")[2], op.attributes[kind])
        for op in (op.operation for op in module.body.operations)
        for kind in KINDS
        if kind in op.attributes
    }


def _literal(op: ir.Operation, avals: list[Aval]) -> str | None:
    """A number as it stands in the body: `1:f32`."""
    if op.name != ConstantOp.OPERATION_NAME:
        return None
    value = ConstantOp.read(op)["value"]
    text = str(value).removeprefix("dense<").rpartition("> : ")[0]
    if not getattr(value, "is_splat", False):
        return f"{text}:{avals[0]}"
    return f"{_number(text)}:{avals[0]}"


def _number(text: str) -> str:
    """1.000000e+00 as 1; other numbers as Python writes them."""
    try:
        return f"{float(text):g}"
    except ValueError:
        return text


def _shown(value: Any) -> str:
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return str(tuple(value))
    if isinstance(value, tuple):
        return ", ".join(map(str, value)) if value else "<any>"
    return str(value)


def _check_callable(function: str, f: Any) -> None:
    if not callable(f):
        raise TypeError(f"{function}: takes a function, got {f!r} of type {type(f).__name__}")


@hiding_frames
def trace(f: Callable[..., Any], *args: Any, static: Any = None, **kwargs: Any) -> AnvlGraph:
    """The program of f for these arguments, as a graph of anvl ops.

    Arguments are arrays, abstract values (`anvl.aval("f32", (2, 3))`), numbers, and containers of
    them; arguments named in `static`, and bools, strings, None and other plain values, are passed
    as they are.
    Raises what tracing raises: `TypeError`, `TraceError`.

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
    """The dtypes and shapes that f returns for these arguments, as avals; nothing is computed.

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
    given = plain_aside(tree.unflatten(arguments.treedef, arguments.leaves))
    leaves, treedef = tree.flatten(given)
    return trace_call(f, splitter, Arguments(leaves, treedef, arguments.static))
