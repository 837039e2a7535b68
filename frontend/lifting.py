"""Functions of another module, in anvl's ops, and their copies in a program that is traced."""

from __future__ import annotations

import re

from anvl.dialect.context import context
from anvl.dialect.mlir import ir
from anvl.passes.inline import functions_of, needed_by
from anvl.passes.lift import Lift
from anvl.passes.pipeline import Pipeline
from anvl.tracing import Program

__all__ = ["lifted", "placed"]


def lifted(module: ir.Module) -> dict[str, ir.Operation]:
    """The functions of a module, after its ops have become anvl's, by name."""
    Pipeline([Lift()]).run(module)
    return functions_of(module.operation)


def placed(module: ir.Module, function: str, program: Program) -> str:
    """Copy a function, and those that it needs, into a program; its name there."""
    functions = functions_of(module.operation)
    names = {name: program.fresh_name(name) for name in [function, *needed_by(function, functions)]}
    with context(), ir.Location.unknown():
        point = ir.InsertionPoint(program.module.body)
        for name, fresh in names.items():
            copy = functions[name].clone(ip=point).operation
            _rename(copy, names)
            copy.attributes["sym_name"] = ir.StringAttr.get(fresh)
            copy.attributes["sym_visibility"] = ir.StringAttr.get("private")
            # What others say of arguments and results, such as where they are, is not for a call.
            for says in ("arg_attrs", "res_attrs"):
                if says in copy.attributes:
                    del copy.attributes[says]
    return names[function]


def _rename(function: ir.Operation, names: dict[str, str]) -> None:
    """Have a function, and the ops in it, name other functions."""

    def visit(op: ir.Operation) -> ir.WalkResult:
        for key, value in list(op.attributes.items()):
            # Others may be arrays of megabytes, as text.
            if isinstance(value, ir.FlatSymbolRefAttr | ir.DictAttr | ir.ArrayAttr):
                op.attributes[key] = ir.Attribute.parse(_renamed(str(value), names))
        return ir.WalkResult.ADVANCE

    function.walk(visit)


def _renamed(text: str, names: dict[str, str]) -> str:
    """Attributes that name functions, with other names."""
    return re.sub(r"@([\w.$-]+)", lambda found: "@" + names.get(found[1], found[1]), text)
