"""One function of a module, lowered as `jit` lowers it and ready to execute.

program = lowered(module, "main")     in place
program.arguments[0]                  0 (%x: tensor<2xf32>)
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from anvl.dialect.core.errors import PassError, nearest
from anvl.dialect.core.mlir import ir
from anvl.dialect.core.types import numpy_of, why_no_array
from anvl.dialect.ops.calls.host_call import HOST_CALL
from anvl.passes.effects.reports import Report, report_of
from anvl.passes.framework.pipeline import Pipeline
from anvl.passes.framework.walk import find
from anvl.passes.hoist_constants import CAPTURED
from anvl.passes.lifting.resources import inline_resources, resource_name
from anvl.passes.pipelines.jit_pipeline import pipeline, transformations

__all__ = ["Argument", "Lowered", "Result", "lowered"]

_ENTRY = "main"  # the function that PJRT runs
_NAME = "anvl-run"


@dataclass(frozen=True)
class Result:
    """A result of a function; `type` is as MLIR writes it, such as `tensor<2x3xf32>`."""

    index: int
    type: str
    dtype: np.dtype
    shape: tuple[int, ...]

    def __str__(self) -> str:
        return f"{self.index} ({self.type})"


@dataclass(frozen=True)
class Argument(Result):
    """An argument of a function.

    `name` is empty where the function has none; `captured` is the index of the array that the
    program closes over, or None.
    """

    name: str = ""
    captured: int | None = None

    def __str__(self) -> str:
        name = f"%{self.name}: " if self.name else ""
        which = "" if self.captured is None else f", captured {self.captured}"
        return f"{self.index} ({name}{self.type}{which})"


@dataclass(frozen=True)
class Lowered:
    """A module in StableHLO whose function `@main` is `@function` of the module it was.

    `returned` are all of its results: `results`, and the state that `report` describes, if any.
    """

    module: ir.Module
    function: str
    location: str
    arguments: tuple[Argument, ...]
    returned: tuple[Result, ...]
    report: Report | None = None

    @cached_property
    def text(self) -> str:
        """StableHLO."""
        return self.module.operation.get_asm()

    def without_captured(self) -> "Lowered":
        """The program as its users see it, without the arguments that are captured arrays."""
        others = [x for x in self.arguments if x.captured is None]
        arguments = tuple(replace(x, index=i) for i, x in enumerate(others))
        return replace(self, arguments=arguments)

    @cached_property
    def results(self) -> tuple[Result, ...]:
        """The results without the state."""
        return self.returned if self.report is None else self.report.without_state(self.returned)

    def settled(self, values: Sequence[np.ndarray]) -> list[np.ndarray]:
        """The values of `results`, given all; raises the error of the first check that failed."""
        if self.report is None:
            return list(values)
        return self.report.settled(values, np.asarray)

    @property
    def captured(self) -> tuple[int, ...]:
        """The captured array that each of the first arguments is, by index."""
        return tuple(x.captured for x in self.arguments if x.captured is not None)


def lowered(
    module: ir.Module, function: str = _ENTRY, platform: str = "cpu", routines: str = ""
) -> Lowered:
    """Lower a module with `function` as `@main`, by the pipeline of `jit`, in place.

    Declared transformations are carried out.  Raises `PassError`, where the function does not
    exist, has no body, or cannot be lowered.
    """
    inline_resources(module.operation)
    entry = _found(module, function)
    if not entry.regions[0].blocks:  # perhaps only declared: a public function must have a body
        Pipeline(transformations()).run(module, verify_each=True)
        entry = _found(module, function)
    if not entry.regions[0].blocks:
        problem = f"@{function} has no body; give it one, or run another function"
        raise PassError(_NAME, problem, str(entry.location))
    _make_entry(module, function)
    passes = Pipeline(["symbol-dce", *pipeline((), platform, routines).elements])
    passes.run(module, verify_each=True)
    _check_data(module)
    _check_host_calls(module)
    return _described(module, function)


def _check_data(module: ir.Module) -> None:
    """Refuse a constant without data, which XLA would call unimplemented."""
    for op in find(module.operation, "stablehlo.constant"):
        if name := resource_name(op):
            problem = f"dense_resource<{name}> has no data: the program was printed without them"
            raise PassError(_NAME, problem, str(op.location))


def _check_host_calls(module: ir.Module) -> None:
    """Refuse calls of Python: of functions, which no file holds, and of printing."""
    for op in find(module.operation, "stablehlo.custom_call"):
        if HOST_CALL in op.attributes:
            config = op.attributes[HOST_CALL]
            name = config["name"].value if "name" in config else config["target"].value
            problem = f"{name} is a call of Python, which the process that traced it makes"
            raise PassError(
                _NAME, f"{problem}; run it there, or take the call out", str(op.location)
            )


def _described(module: ir.Module, function: str) -> Lowered:
    entry = next(op for op in _functions(module) if _name(op) == _ENTRY)
    of = ir.FunctionType(ir.TypeAttr(entry.attributes["function_type"]).value)
    for i, t in enumerate((*of.inputs, *of.results)):
        reason = why_no_array(t)
        if reason is not None:
            n = len(of.inputs)
            what = f"argument {i}" if i < n else f"result {i - n}"
            problem = f"@{function}: {what}: {reason}, which arrays have"
            raise PassError(_NAME, problem, str(entry.location))
    values = entry.regions[0].blocks[0].arguments
    arguments = tuple(
        Argument(
            *_parts(i, x.type),
            name=getattr(x.location, "name_str", None) or "",
            captured=at,
        )
        for i, (x, at) in enumerate(zip(values, _captured(entry), strict=True))
    )
    results = tuple(Result(*_parts(i, t)) for i, t in enumerate(of.results))
    return Lowered(module, function, str(entry.location), arguments, results, report_of(entry))


def _parts(index: int, type_: Any) -> tuple[int, str, np.dtype, tuple[int, ...]]:
    return index, str(type_), np.dtype(numpy_of(type_.element_type)), tuple(type_.shape)


def _captured(entry: ir.Operation) -> Iterator[int | None]:
    count = len(entry.regions[0].blocks[0].arguments)
    if "arg_attrs" not in entry.attributes:
        yield from [None] * count
        return
    for attributes in entry.attributes["arg_attrs"]:
        yield attributes[CAPTURED].value if CAPTURED in attributes else None


def _found(module: ir.Module, function: str) -> ir.Operation:
    names = {_name(op): op for op in _functions(module)}
    if function not in names:
        known = ", ".join(f"@{name}" for name in names) or "none"
        near = nearest(f"@{function}", [f"@{name}" for name in names])
        raise PassError(_NAME, f"no function @{function}{near}; there are {known}", "")
    return names[function]


def _make_entry(module: ir.Module, function: str) -> None:
    """Rename `function` to `main`, and make every other function private."""
    functions = _functions(module)
    names = {_name(op): op for op in functions}
    with module.context, ir.Location.unknown():
        if function != _ENTRY and _ENTRY in names:
            unused = _ENTRY + "_" * max(map(len, names))  # longer than any
            _rename(module, names[_ENTRY], unused)
        _rename(module, names[function], _ENTRY)
        for op in functions:
            if _name(op) != _ENTRY:
                op.attributes["sym_visibility"] = ir.StringAttr.get("private")
            elif "sym_visibility" in op.attributes:
                del op.attributes["sym_visibility"]


def _functions(module: ir.Module) -> Sequence[ir.Operation]:
    return [op.operation for op in module.body.operations if op.operation.name == "func.func"]


def _name(op: ir.Operation) -> str:
    return ir.StringAttr(op.attributes["sym_name"]).value


def _rename(module: ir.Module, op: ir.Operation, name: str) -> None:
    ir.SymbolTable.replace_all_symbol_uses(_name(op), name, module.operation)
    ir.SymbolTable.set_symbol_name(op, name)
