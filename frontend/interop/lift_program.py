"""Lift the functions of another module to anvl's ops, and copy them into a traced program."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from types import MappingProxyType
from typing import Any

from anvl.core.tracing import Program
from anvl.dialect.core.attributes import attribute_of, symbols_in
from anvl.dialect.core.context import context
from anvl.dialect.core.mlir import ir
from anvl.passes.framework.pipeline import Pipeline
from anvl.passes.framework.walk import find
from anvl.passes.functions.symbol_utils import functions_of, needed_by
from anvl.passes.lift import Lift

__all__ = ["insert_functions", "lifted"]

_NONE: Mapping[int, Any] = MappingProxyType({})


def lifted(module: ir.Module) -> dict[str, ir.Operation]:
    """Functions of a module by name, lifted to anvl's ops.

    Raises `ValueError` if an op other than a call, of a function or of a routine with function
    operands, names a function, since such references are not kept.
    """
    Pipeline([Lift()]).run(module)
    functions = functions_of(module.operation)
    for name, function in functions.items():
        found: list[tuple[str, str]] = []

        def look(op: ir.Operation, found: list[tuple[str, str]] = found) -> ir.WalkResult:
            if op.name not in _NAMING:
                found += [(op.name, symbol) for symbol in _symbols_of(op)]
            return ir.WalkResult.ADVANCE

        function.walk(look)  # an error raised in the walk would become another
        for op_name, symbol in found:
            problem = f"{op_name} in @{name} names @{symbol}; only calls may name functions"
            raise ValueError(problem)
    return functions


def _i64() -> ir.Type:
    return ir.IntegerType.get_signless(64)


_NAMING = ("func.func", "func.call", "stablehlo.custom_call")


def _symbols_of(op: ir.Operation) -> list[str]:
    try:
        values = [value for _, value in op.attributes.items()]
    except TypeError:  # the bindings have no class for complex constants
        return []
    return [name for value in values for name in symbols_in(value)]


def insert_functions(
    module: ir.Module, function: str, program: Program, captured: Mapping[int, Any] = _NONE
) -> str:
    """Copy a function and its callees into a program; returns its name there.

    `captured` are the arrays that they captured, by their indices in the module.
    """
    indices = {i: program.capture(x) for i, x in captured.items()}
    functions = functions_of(module.operation)
    names = {name: program.fresh_name(name) for name in [function, *needed_by(function, functions)]}
    with context(), ir.Location.unknown():
        point = ir.InsertionPoint(program.module.body)
        for name, fresh in names.items():
            copy = functions[name].clone(ip=point).operation
            copy.walk(partial(_rename, names))
            for op in find(copy, "anvl.captured"):
                index = indices[op.attributes["index"].value]
                op.attributes["index"] = ir.IntegerAttr.get(_i64(), index)
            copy.attributes["sym_name"] = ir.StringAttr.get(fresh)
            copy.attributes["sym_visibility"] = ir.StringAttr.get("private")
            # Argument and result attributes of others, such as shardings, do not belong to a call.
            for says in ("arg_attrs", "res_attrs"):
                if says in copy.attributes:
                    del copy.attributes[says]
    return names[function]


def _rename(names: dict[str, str], op: ir.Operation) -> ir.WalkResult:
    """Rename the functions that an op names."""
    if op.name in _NAMING:
        for key in list(op.attributes.keys()):
            value = attribute_of(op, key)
            if symbols_in(value):
                op.attributes[key] = _renamed(value, names)
    return ir.WalkResult.ADVANCE


def _renamed(attribute: Any, names: dict[str, str]) -> ir.Attribute:
    """Rename the functions in an attribute."""
    if isinstance(attribute, ir.FlatSymbolRefAttr):
        return ir.FlatSymbolRefAttr.get(names.get(attribute.value, attribute.value))
    if isinstance(attribute, ir.DictAttr):
        return ir.DictAttr.get(
            {entry.name: _renamed(attribute[entry.name], names) for entry in attribute}
        )
    if isinstance(attribute, ir.ArrayAttr):
        return ir.ArrayAttr.get([_renamed(entry, names) for entry in attribute])
    return attribute
