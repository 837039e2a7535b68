"""Scratch blocks, for ops that are emitted to be analysed, not run."""

from collections.abc import Sequence

from anvl.dialect.core.mlir import ir

__all__ = ["side_block"]


def side_block(types: Sequence[ir.Type]) -> tuple[ir.Block, ir.Module]:
    """An empty block with arguments of these types, and the module that keeps it alive."""
    location = ir.Location.current
    module = ir.Module.create()
    function = ir.Operation.create(
        "func.func",
        attributes={
            "sym_name": ir.StringAttr.get("scratch"),
            "function_type": ir.TypeAttr.get(ir.FunctionType.get(list(types), [])),
        },
        regions=1,
        ip=ir.InsertionPoint(module.body),
    )
    block = function.regions[0].blocks.append(*types, arg_locs=[location] * len(types))
    return block, module
