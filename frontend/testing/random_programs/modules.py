"""Trace and lower functions to modules; XLA compiles many of them as one.

One compilation costs 50 ms, however few ops: so hundreds of programs share one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

import anvl.runtime as rt
from anvl.core.arguments import StaticArguments
from anvl.core.traced import trace_call
from anvl.dialect.core.context import context
from anvl.dialect.core.mlir import ir
from anvl.dialect.text.interpreter import Code, code_of, names_of
from anvl.dispatch.lowering import captured_order, lower
from anvl.testing.program import FAST, OLD_EMITTERS, needs_new_emitters

__all__ = ["Batch", "Lowered", "Refused"]


class Refused(Exception):
    """XLA does not compile a module."""


class Lowered:
    """A function of arrays as a StableHLO module; `f` returns a list."""

    def __init__(self, f: Callable[..., Any], inputs: Sequence[np.ndarray]) -> None:
        static = StaticArguments(f, None)
        traced = trace_call(f, static, static.split(tuple(inputs), {}))
        program = traced.program
        self.out_avals = traced.out_avals
        lower(program.module, program.captured, rt.embedded_target())
        self.module = program.module
        self.constants = [np.asarray(program.captured[i]) for i in captured_order(self.module)]
        self.inputs = [np.asarray(x) for x in inputs]
        self.refused_by_old = self.is_optimized = False
        self._names: set[str] | None = None
        self._code: Code | None = None
        self._needs_new: bool | None = None

    @property
    def main(self) -> ir.Operation:
        *_, main = [op.operation for op in self.module.body.operations]
        return main

    def names(self) -> set[str]:
        """Names of its ops."""
        if self._names is None:
            self._names = names_of(self.module.operation)
        return self._names

    def code(self) -> Code:
        """Its code for the interpreter, made once."""
        if self._code is None:
            self._code = code_of(self.module)
        return self._code

    def options(self) -> Mapping[str, object]:
        """XLA's options: quick to compile, or those of `anvl.jit` if `is_optimized`."""
        if self.is_optimized:
            return {}
        return FAST if self.needs_new() else FAST | OLD_EMITTERS

    def needs_new(self) -> bool:
        """Whether it has ops that XLA's old emitters compile wrongly, or refuse."""
        if self._needs_new is None:
            self._needs_new = needs_new_emitters(self.module.operation)
        return self.refused_by_old or self._needs_new

    def arguments(self, inputs: Sequence[np.ndarray]) -> list[np.ndarray]:
        """Arguments of `main`: the captured arrays come first."""
        return [*self.constants, *inputs]


class Batch:
    """Several modules, compiled as one."""

    def __init__(self, parts: Sequence[Lowered]) -> None:
        self.parts = list(parts)
        text = _merged_module(self.parts).operation.get_asm(assume_verified=True)
        options = min((part.options() for part in self.parts), key=len)
        try:
            self._run = rt.compile_lowered(text, options=options)
        except (rt.RuntimeFailure, ValueError) as error:
            raise Refused(str(error)) from error

    def run(self, inputs: Sequence[Sequence[np.ndarray]]) -> list[list[np.ndarray]]:
        """Results of every part on its inputs."""
        arrays = [
            rt.put(np.asarray(x))
            for part, xs in zip(self.parts, inputs, strict=True)
            for x in part.arguments(xs)
        ]
        found = iter([np.asarray(y) for y in self._run.execute(arrays)])
        return [[next(found) for _ in part.out_avals] for part in self.parts]


def _merged_module(parts: Sequence[Lowered]) -> ir.Module:
    """One module, whose `main` calls that of each part."""
    with context(), ir.Location.unknown():
        module = ir.Module.create()
        point = ir.InsertionPoint(module.body)
        kinds = []
        for i, part in enumerate(parts):
            for op in part.module.body.operations:
                function = op.operation.clone(ip=point)
                _rename(function, f"f{i}.")
            kinds.append(ir.FunctionType(ir.TypeAttr(part.main.attributes["function_type"]).value))
        inputs = [t for kind in kinds for t in kind.inputs]
        results = [t for kind in kinds for t in kind.results]
        main = ir.Operation.create(
            "func.func",
            attributes={
                "sym_name": ir.StringAttr.get("main"),
                "function_type": ir.TypeAttr.get(ir.FunctionType.get(inputs, results)),
            },
            regions=1,
            ip=point,
        )
        block = main.regions[0].blocks.append(*inputs)
        with ir.InsertionPoint(block):
            arguments = iter(block.arguments)
            values: list[ir.Value] = []
            for i, kind in enumerate(kinds):
                call = ir.Operation.create(
                    "func.call", kind.results, [next(arguments) for _ in kind.inputs],
                    {"callee": ir.FlatSymbolRefAttr.get(f"f{i}.main")},
                )  # fmt: skip
                values += call.results
            ir.Operation.create("func.return", [], values)
    return module


def _rename(function: ir.Operation, prefix: str) -> None:
    """Prefix the name of a function, and those of its callees."""
    name = ir.StringAttr(function.attributes["sym_name"]).value
    function.attributes["sym_name"] = ir.StringAttr.get(prefix + name)
    function.attributes["sym_visibility"] = ir.StringAttr.get("private")

    def visit(op: ir.Operation) -> ir.WalkResult:
        if op.name == "func.call":
            callee = ir.FlatSymbolRefAttr(op.attributes["callee"]).value
            op.attributes["callee"] = ir.FlatSymbolRefAttr.get(prefix + callee)
        return ir.WalkResult.ADVANCE

    function.walk(visit)
