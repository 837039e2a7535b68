"""A traced program as a readable list of calls, the contents of `anvl.trace`.

Each function is read once, and each value has a name of its own in the whole graph: names of one
body do not occur in another.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from anvl.core.avals import Aval, aval_of_type
from anvl.core.traced import Traced
from anvl.dialect.control_flow.call import FUNCTION_RULES
from anvl.dialect.core.attributes import entries_of, symbols_in
from anvl.dialect.core.create import CapturedOp, ConstantOp
from anvl.dialect.core.mlir import ir
from anvl.dialect.core.op_registry import OPS
from anvl.dialect.core.params.base import Texts
from anvl.passes.expand.declarations import KINDS

__all__ = ["Body", "Call", "Reader", "shown"]


class Body(NamedTuple):
    """A body of a call: a branch, the step of a loop, the combiner of a reduction.

    `function` is the name of its function, `@f`; empty for the body of an op.
    """

    label: str
    function: str
    inputs: list[tuple[str, Aval]]
    calls: list[Call]
    outputs: list[str]


class Call(NamedTuple):
    """An op of a graph; calls of functions, loops and branches have bodies."""

    primitive: str
    inputs: list[str]
    params: dict[str, Any]
    outputs: list[str]
    avals: list[Aval]
    bodies: Sequence[Body] = ()

    def __str__(self) -> str:
        return "\n".join(shown([self]))

    def _line(self) -> str:
        outputs = ", ".join(f"{y}: {a}" for y, a in zip(self.outputs, self.avals, strict=True))
        # Empty attributes are not shown.
        given = {k: v for k, v in self.params.items() if not (isinstance(v, str) and not v)}
        listed = ", ".join(f"{k} = {_text(v)}" for k, v in given.items())
        params = f" [{listed}] " if listed else ""
        left = f"{outputs} = " if outputs else ""
        return f"{left}{self.primitive}{params}({', '.join(self.inputs)})"


def shown(calls: Iterable[Call], before: set[str] | None = None) -> list[str]:
    """Lines of calls, with bodies beneath; functions in `before` are not repeated."""
    before = set() if before is None else before
    lines = []
    for call in calls:
        lines.append(call._line())
        for body in call.bodies:
            lines += [f"  {line}" for line in _body_lines(body, before)]
    return lines


def _body_lines(body: Body, before: set[str]) -> list[str]:
    title = f"{body.label}: {body.function}"
    if body.function in before:
        return [f"{title} as above"]
    if body.function:
        before.add(body.function)
    inputs = ", ".join(f"{name}: {of}" for name, of in body.inputs)
    inner = [*shown(body.calls, before), f"return {', '.join(body.outputs)}".rstrip()]
    head = f"{title}({inputs})" if body.function or inputs else f"{body.label}:"
    return [head, *(f"  {line}" for line in inner)]


def _text(value: Any) -> str:
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return str(tuple(value))
    if isinstance(value, tuple):
        return ", ".join(map(str, value)) if value else "<any>"
    return str(value)


class Reader:
    """Read the main function of a program, and its callees, naming each value."""

    def __init__(self, traced: Traced) -> None:
        self._names: dict[ir.Value, str] = {}
        self._functions = {
            op.attributes["sym_name"].value: op
            for op in (op.operation for op in traced.program.module.body.operations)
        }
        self._read_functions: dict[str, Body] = {}
        self._captured: dict[int, str] = {}
        self.constants: list[tuple[str, Aval]] = []
        self._n_results = self._n_inputs = 0
        block = traced.trace.function.regions[0].blocks[0]
        inputs, self.calls, outputs = self._block(block)
        self.inputs = [(name, of) for (name, _), of in zip(inputs, traced.in_avals, strict=True)]
        self.outputs = list(zip(outputs, traced.out_avals, strict=True))

    def _block(self, block: ir.Block) -> tuple[list[tuple[str, Aval]], list[Call], list[str]]:
        """Inputs, calls and outputs of a function or a body."""
        inputs = [(self._input(x), aval_of_type(x.type)) for x in block.arguments]
        *body, terminator = block.operations
        found = [self._read(op.operation) for op in body]
        outputs = [self._names[y] for y in terminator.operation.operands]
        return inputs, [call for call in found if call is not None], outputs

    def _input(self, value: ir.Value) -> str:
        self._n_inputs += 1
        return self._name(value, f"%x{self._n_inputs}")

    def _name(self, value: ir.Value, name: str) -> str:
        self._names[value] = name
        return name

    def _read(self, op: ir.Operation) -> Call | None:
        """An op as a call; None for ops that are only named, such as a number."""
        results = list(op.results)
        avals = [aval_of_type(y.type) for y in results]
        if op.name == CapturedOp.OPERATION_NAME:
            self._name(results[0], self._constant(op, avals[0]))
            return None
        literal = _literal(op, avals)
        if literal is not None:
            self._name(results[0], literal)
            return None
        inputs = [self._names[x] for x in op.operands]
        outputs = [self._name(y, self._next_name()) for y in results]
        if op.name in OPS:
            primitive, params, bodies = self._op(op)
        elif getattr(op.opview, "captures", False):
            primitive, params, bodies = self._chosen(op)
        elif "callee" in op.attributes:
            primitive, params, bodies = self._called(op)
        else:  # of another dialect, such as a choice in the body of an op
            primitive, params = op.name, {}
            blocks = enumerate(self._block(region.blocks[0]) for region in op.regions)
            bodies = [Body(str(i), "", *block) for i, block in blocks]
        return Call(primitive, inputs, params, outputs, avals, bodies)

    def _next_name(self) -> str:
        self._n_results += 1
        return f"%{self._n_results}"

    def _constant(self, op: ir.Operation, of: Aval) -> str:
        """Name of a captured array, the same at each use."""
        index = CapturedOp.read(op)["index"]
        if index not in self._captured:
            self._captured[index] = f"%c{len(self.constants) + 1}"
            self.constants.append((self._captured[index], of))
        return self._captured[index]

    def _op(self, op: ir.Operation) -> tuple[str, dict[str, Any], list[Body]]:
        of = OPS[op.name]
        params = {k: v for k, v in of.read(op).items() if k not in of.bodies}
        pairs = zip(of.bodies, op.regions, strict=True)
        bodies = [Body(name, "", *self._block(region.blocks[0])) for name, region in pairs]
        return of.short_name, params, bodies

    def _chosen(self, op: ir.Operation) -> tuple[str, dict[str, Any], list[Body]]:
        """Name, attributes and regions of an op of control flow."""
        params = {name.rpartition(".")[2]: _plain(op.attributes[name]) for name in op.attributes}
        pairs = zip(op.opview.labels(len(op.regions)), op.regions, strict=True)
        bodies = [Body(label, "", *self._block(region.blocks[0])) for label, region in pairs]
        return op.opview.short_name, params, bodies

    def _called(self, op: ir.Operation) -> tuple[str, dict[str, Any], list[Body]]:
        """Name, attributes and bodies of a call, by the attribute of its function."""
        callee = op.attributes["callee"].value
        attributes = self._functions[callee].attributes
        kind = next((k for k in (*KINDS, *FUNCTION_RULES) if k in attributes), None)
        itself = {"callee": f"@{callee}"}
        if kind is None:
            return "call", itself, [self._function("callee", callee)]
        what, request = kind.rpartition(".")[2], attributes[kind]
        names = _functions_in(request)
        if kind in KINDS:
            params = {name: _plain(request[name]) for name in _SHOWN if name in request}
            itself = {"callee": f"@{names[0][1]}"}
        else:
            params = {k: _plain(x) for k, x in entries_of(request).items() if not symbols_in(x)}
            if FUNCTION_RULES[kind].declares:
                itself = {}
            else:
                names = [("callee", callee), *names]
        return what, {**itself, **params}, [self._function(*pair) for pair in names]

    def _function(self, label: str, name: str) -> Body:
        if name not in self._read_functions:
            # A rule may call its own function: within, that is shown by its name alone.
            self._read_functions[name] = Body(label, f"@{name}", [], [], [])
            block = self._functions[name].regions[0].blocks[0]
            self._read_functions[name] = Body(label, f"@{name}", *self._block(block))
        return self._read_functions[name]._replace(label=label)


#: Readable names of declared transformations.
_SHOWN = ("wrt", "tags", "batched", "size")

#: Order of the functions of a declaration: as they are called; others follow.
_ROLES = ("callee", "cond", "body")


def _functions_in(request: Any) -> list[tuple[str, str]]:
    """Functions that an attribute names, each with its role: `body`, `branch 0`."""
    entries = entries_of(request)
    found = []
    for entry in sorted(entries, key=lambda x: _ROLES.index(x) if x in _ROLES else 3):
        names = symbols_in(entries[entry])
        if isinstance(entries[entry], ir.ArrayAttr):
            role = "branch" if entry == "branches" else entry
            found += [(f"{role} {i}", name) for i, name in enumerate(names)]
        else:
            found += [(entry, name) for name in names]
    return found


def _plain(attribute: Any) -> Any:
    if isinstance(attribute, ir.ArrayAttr):
        return Texts.decode(attribute)
    if isinstance(attribute, ir.DenseI64ArrayAttr):
        return tuple(attribute)
    return getattr(attribute, "value", attribute)


def _literal(op: ir.Operation, avals: list[Aval]) -> str | None:
    """A number as it is printed in the body: `1:f32`."""
    if op.name != ConstantOp.OPERATION_NAME:
        return None
    value = ConstantOp.read(op)["value"]
    text = str(value).removeprefix("dense<").rpartition("> : ")[0]
    if not getattr(value, "is_splat", False):
        return f"{text}:{avals[0]}"
    return f"{_number(text)}:{avals[0]}"


def _number(text: str) -> str:
    """Shorten 1.000000e+00 to 1, and other numbers to Python's form."""
    try:
        return f"{float(text):g}"
    except ValueError:
        return text
