"""A file of `anvl.export` as a jitted Python function, with the parameters of the original."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from anvl import tree
from anvl.core.arguments import StaticValue
from anvl.core.avals import Aval, aval
from anvl.core.promote import abstract
from anvl.core.ranges import Meeting
from anvl.core.trace_state import current
from anvl.dialect.core.context import context
from anvl.dialect.core.errors import AnvlError, ExportError
from anvl.dialect.core.mlir import ir
from anvl.dialect.core.shardings import MeshShape, Spec, split_sharding
from anvl.dialect.text.export_file import ARTIFACT, MANIFEST, PROGRAM, ExportFile, read_export
from anvl.dispatch.jit import jit
from anvl.dispatch.lowering import captured_types
from anvl.dispatch.nested_calls import call_function
from anvl.interop.imported_function import Input, given_operands
from anvl.interop.lift_program import insert_functions
from anvl.interop.number_ranges import meetings_from_json
from anvl.interop.program_mesh import ProgramMesh
from anvl.interop.read_program import read_program
from anvl.interop.structures import structure_from_json, value_from_json
from anvl.passes.functions.symbol_utils import functions_of
from anvl.sharding.meshes import Mesh

__all__ = ["load_export"]

_MAIN = "main"
_KINDS = {
    "positional": inspect.Parameter.POSITIONAL_ONLY,
    "any": inspect.Parameter.POSITIONAL_OR_KEYWORD,
    "keyword": inspect.Parameter.KEYWORD_ONLY,
}
# What malformed JSON leads to in code that takes its form for granted.
_MALFORMED = (
    KeyError, TypeError, ValueError, AttributeError, IndexError, StopIteration, OverflowError,
)  # fmt: skip


def load_export(
    path: str, data: bytes, classes: Mapping[str, type], mesh: Mesh | None
) -> Callable[..., Any]:
    """The function in `data`, a file of `anvl.export`, over a mesh.  Raises `ExportError`."""
    with read_export(f"load: {path}", data) as file:
        try:
            described = _Described(file.manifest["function"], classes)
            dialects = [_typed(name, str) for name in _typed(file.manifest["dialects"], list)]
            version = _typed(file.manifest["anvl"], str)
        except AnvlError as error:
            raise ExportError(f"load: {path}: {error}") from None
        except _MALFORMED as error:
            problem = f"its {MANIFEST} is malformed, {type(error).__name__}: {error}"
            raise ExportError(f"load: {path}: {problem}") from None
        _check_dialects(path, dialects)
        file.member(ARTIFACT)  # not used here, but a damaged file is not to go unnoticed
        module = _read_module(path, file.member(PROGRAM))
        function = _Function(path, module, described, file, mesh)
    return function.jitted(version)


class _Described:
    """A function as the manifest describes it."""

    def __init__(self, stored: Mapping[str, Any], classes: Mapping[str, type]) -> None:
        self.name = _typed(stored["name"], str)
        inputs, outputs = _typed(stored["inputs"], list), _typed(stored["outputs"], list)
        self.in_avals, self.out_avals = list(map(_aval, inputs)), list(map(_aval, outputs))
        self.names = [_typed(each["name"], str) for each in inputs]
        self.in_shardings = list(map(_sharding, inputs))
        self.out_shardings = list(map(_sharding, outputs))
        self.in_tree = structure_from_json(stored["arguments"], classes)
        self.out_tree = structure_from_json(stored["results"], classes)
        self._ranges = _typed(stored["ranges"], list)
        self.meetings(_MAIN)
        self.static: dict[str, Any] = {}
        self.signature = self._signature(_typed(stored["parameters"], list))
        parameters = self.signature.parameters.values()
        self.dynamic = [p for p in parameters if p.name not in self.static]
        self._check_arguments()
        if self.in_tree.num_leaves != len(self.in_avals):
            raise ValueError(f"{len(self.in_avals)} inputs for {self.in_tree.num_leaves} leaves")
        if self.out_tree.num_leaves != len(self.out_avals):
            raise ValueError(f"{len(self.out_avals)} outputs for {self.out_tree.num_leaves} leaves")

    def _signature(self, stored: list[Mapping[str, Any]]) -> inspect.Signature:
        """The parameters; a static one may be left out where no other follows by position."""
        parameters: list[inspect.Parameter] = []
        may_be_left_out = True
        for each in reversed(stored):
            name, kind = _typed(each["name"], str), _KINDS[each["kind"]]
            default: Any = inspect.Parameter.empty
            if "static" in each:
                self.static[name] = value_from_json(each["static"])
                if may_be_left_out or kind is inspect.Parameter.KEYWORD_ONLY:
                    default = self.static[name]
            elif kind is not inspect.Parameter.KEYWORD_ONLY:
                may_be_left_out = False
            parameters.append(inspect.Parameter(name, kind, default=default))
        return inspect.Signature(parameters[::-1])

    def _check_arguments(self) -> None:
        """Raise `ValueError` if the structure is not that of a call with these parameters."""
        args, kwargs = self.in_tree.children()
        by_name = [p.name for p in self.dynamic if p.kind is p.KEYWORD_ONLY]
        given = tuple([0] * (len(self.dynamic) - len(by_name))), dict.fromkeys(by_name)
        found = [of.node_data() for of in (self.in_tree, args, kwargs)]
        wanted = [tree.structure(of).node_data() for of in (given, *given)]
        if found != wanted or len(args.children()) != len(given[0]):
            raise ValueError("the arguments are not those of the parameters")

    def meetings(self, function: str) -> list[Meeting]:
        """The range checks of the arguments, of a function of this name."""
        return meetings_from_json(self._ranges, function, len(self.in_avals))

    def types(self) -> str:
        """Types of the arguments, for the docstring and for messages."""
        return ", ".join(f"{n}: {of}" for n, of in zip(self.names, self.in_avals, strict=True))


def _aval(stored: Mapping[str, Any]) -> Aval:
    dtype, shape = _typed(stored["dtype"], str), _typed(stored["shape"], list)
    return aval(dtype, tuple(shape), _typed(stored["weak"], bool))


def _sharding(stored: Mapping[str, Any]) -> tuple[MeshShape, Spec] | None:
    return split_sharding(_typed(stored["sharding"], str)) if "sharding" in stored else None


def _typed(value: Any, of: type) -> Any:
    if type(value) is not of:
        raise ValueError(f"{value!r} is no {of.__name__}")
    return value


def _check_dialects(path: str, dialects: list[str]) -> None:
    """Refuse a program with ops of a dialect that nobody has defined here."""
    registered = context().dialects
    for name in dialects:
        try:
            registered[name]
        except (IndexError, KeyError, ValueError):
            raise ExportError(
                f"load: {path}: has ops of the dialect {name!r}, which is not defined here; import "
                "the module that defines them first"
            ) from None


def _read_module(path: str, content: bytes) -> ir.Module:
    try:
        return read_program(content.decode(), "load", PROGRAM)
    except UnicodeDecodeError:
        problem = f"its {PROGRAM} is not UTF-8"
    except ValueError as error:
        said = str(error).removeprefix("load: the program is not a StableHLO module: ")
        problem = f"its program cannot be read, {said.removeprefix('load: ')}"
    raise ExportError(f"load: {path}: {problem}")


class _Function:
    """A function of a file; called in a trace, it becomes a call of a copy in the trace."""

    def __init__(
        self, path: str, module: ir.Module, of: _Described, file: ExportFile, mesh: Mesh | None
    ) -> None:
        self._module, self._of = module, of
        self._mesh = ProgramMesh(f"load: {path}", module, mesh)
        self._in_shardings = self._mesh.shardings(of.in_shardings)
        self._out_shardings = self._mesh.shardings(of.out_shardings)
        self._inputs = [
            Input(n, x.dtype, x.shape) for n, x in zip(of.names, of.in_avals, strict=True)
        ]
        self._check_types(path)
        self._captured = _checked_captured(path, module, file.captured())

    def _check_types(self, path: str) -> None:
        of = self._of
        function = functions_of(self._module.operation).get(_MAIN)
        wanted = [x.type for x in of.in_avals], [y.type for y in of.out_avals]
        type_ = None if function is None else function.attributes["function_type"].value
        if type_ is None or (list(type_.inputs), list(type_.results)) != wanted:
            raise ExportError(
                f"load: {path}: its {PROGRAM} has "
                f"{'no @main' if type_ is None else f'@main: {type_}'}, but its {MANIFEST} says "
                f"({of.types()}) -> {of.out_avals}"
            )

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        of = self._of
        try:
            bound = of.signature.bind(*args, **kwargs)
        except TypeError as error:
            raise TypeError(
                f"{of.name}: {error}; it was exported as {of.name}{of.signature}"
            ) from None
        leaves = self._leaves(bound)
        operands = given_operands(of.name, leaves, self._inputs)
        trace = current.trace
        assert trace is not None
        self._mesh.enter(trace.program)
        key = "export", self
        name = trace.program.functions.get(key)
        if name is None:
            name = insert_functions(self._module, _MAIN, trace.program, self._captured)
            trace.program.functions[key] = name
            meetings = of.meetings(name)
            if meetings:
                trace.program.meetings[name] = meetings
        # A result is weak because the numbers that it is computed from are.
        weak_as_exported = all(
            abstract(x).weak_type for x, of in zip(leaves, of.in_avals, strict=True) if of.weak_type
        )
        out_avals = [y if weak_as_exported else y.strong() for y in of.out_avals]
        return tree.unflatten(of.out_tree, call_function(trace, name, operands, out_avals))

    def _leaves(self, bound: inspect.BoundArguments) -> list[Any]:
        """The arrays of a call, which has the structure and the static values of the export."""
        of = self._of
        given = bound.arguments
        for name in of.static.keys() & given.keys():
            _check_static(of.name, name, of.static[name], given[name])
        args = tuple(given[p.name] for p in of.dynamic if p.kind is not p.KEYWORD_ONLY)
        kwargs = {p.name: given[p.name] for p in of.dynamic if p.kind is p.KEYWORD_ONLY}
        leaves, found = tree.flatten((args, kwargs))
        if found != of.in_tree:
            parts = zip(of.dynamic, _children(of.in_tree), _children(found), strict=True)
            differences = [tree.structure_difference(a, b, p.name) for p, a, b in parts]
            told = "; ".join(each for each in differences if each)
            raise TypeError(f"{of.name}: was exported for arguments of another structure: {told}")
        return leaves

    def jitted(self, version: str) -> Callable[..., Any]:
        """The function for users."""
        of = self._of

        def exported(*args: Any, **kwargs: Any) -> Any:
            return self(*args, **kwargs)

        exported.__name__ = exported.__qualname__ = of.name
        exported.__doc__ = f"{of.name}({of.types()}), exported by anvl {version}."
        exported.__signature__ = of.signature  # type: ignore[attr-defined]
        static = tuple(of.static) or None
        if not any((*self._in_shardings, *self._out_shardings)):
            return jit(exported, static=static)
        args, kwargs = tree.unflatten(of.in_tree, self._in_shardings)
        by_position = [p.name for p in of.dynamic if p.kind is not p.KEYWORD_ONLY]
        return jit(
            exported,
            static=static,
            in_shardings={**dict(zip(by_position, args, strict=True)), **kwargs},
            out_shardings=tree.unflatten(of.out_tree, self._out_shardings),
        )


def _check_static(function: str, name: str, value: Any, given: Any) -> None:
    if StaticValue(given) != StaticValue(value):
        raise ValueError(
            f"{function}: {name} is static, and was {value!r} when the function was exported, got "
            f"{given!r}; export it again for another value"
        )


def _children(arguments: Any) -> list[Any]:
    """Structures of the arguments, in the order of the parameters: keywords come last, sorted."""
    args, kwargs = arguments.children()
    return [*args.children(), *kwargs.children()]


def _checked_captured(
    path: str, module: ir.Module, arrays: Mapping[int, np.ndarray[Any, Any]]
) -> dict[int, np.ndarray[Any, Any]]:
    """The array for each `anvl.captured` of the module, of its type."""
    found: dict[int, np.ndarray[Any, Any]] = {}
    for i, type_ in captured_types(module.operation).items():
        array = arrays.get(i)
        is_it = array is not None and aval(array.dtype, array.shape).type == type_
        if not is_it:
            has = "nothing" if array is None else repr(aval(array.dtype, array.shape))
            raise ExportError(f"load: {path}: captures {i}: {type_}, for which the file has {has}")
        assert array is not None
        found[i] = array
    return found
