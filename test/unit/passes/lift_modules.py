"""Modules of one op, and the names of the ops in a module, for the tests of anvl-lift."""

from typing import Any

from anvl.dialect.core.context import context
from anvl.dialect.core.mlir import ir
from anvl.dialect.core.op_registry import OPS
from anvl.testing.checks import listed
from anvl.testing.program import type_of

__all__ = ["RENAMED", "module_of", "names"]

#: The ops that lower by a rename.
RENAMED = sorted(name for name, op in OPS.items() if op.hlo is not None)


def module_of(op_class: Any, call: Any) -> ir.Module:
    with context(), ir.Location.unknown():
        module = ir.Module.create()
        types = [type_of(x) for x in call.operands]
        function = ir.Operation.create(
            "func.func",
            attributes={
                "sym_name": ir.StringAttr.get("f"),
                "function_type": ir.TypeAttr.get(ir.FunctionType.get(types, [])),
            },
            regions=1,
            ip=ir.InsertionPoint(module.body),
        )
        block = function.regions[0].blocks.append(*types)
        with ir.InsertionPoint(block):
            ys = listed(op_class, op_class.build(*block.arguments, **call.params))
            ir.Operation.create("func.return", [], list(ys))
        of = ir.FunctionType.get(types, [y.type for y in ys])
        function.attributes["function_type"] = ir.TypeAttr.get(of)
    return module


def names(module: ir.Module) -> set[str]:
    found = set()

    def note(op: ir.Operation) -> ir.WalkResult:
        found.add(op.name)
        return ir.WalkResult.ADVANCE

    module.operation.walk(note)
    return found
