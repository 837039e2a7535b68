"""A region of an op as a function, in a module of its own.

made = region_module(module, "main", 3, 1)    the second region of op 3 of @main
"""

from anvl.dialect.core.mlir import ir
from anvl.dialect.interpreters.slices import live_in
from anvl.passes.functions.symbol_utils import functions_of, terminator_of
from anvl.tools.run.random_runs import copied

__all__ = ["REGION", "captures_of", "region_module"]

#: The name of the function.
REGION = "region"


def captures_of(block: ir.Block) -> list[ir.Value]:
    """The values from outside that the ops of a block read, in the order of their first use."""
    inside = set(block.arguments)
    terminator = terminator_of(block)
    read = live_in([x.operation for x in block.operations][:-1])
    made = {y for op in block.operations for y in op.results}
    found = dict.fromkeys([*read, *(x for x in terminator.operands if x not in made)])
    return [x for x in found if x not in inside]


def region_module(module: ir.Module, function: str, position: int, number: int) -> ir.Module:
    """A module with one function: a region of the op at a position in a function.

    It takes the arguments of the region, and then its captures; its ops are in the same order.
    """
    copy = copied(module.operation)
    entry = functions_of(copy.operation)[function]
    op = entry.regions[0].blocks[0].operations[position].operation
    block = op.regions[number].blocks[0]
    _take_captures(block)
    _return(block)
    made = ir.Module.create(op.location)
    returned = [x.type for x in terminator_of(block).operands]
    type_ = ir.FunctionType.get([x.type for x in block.arguments], returned, op.context)
    attributes = {
        "sym_name": ir.StringAttr.get(REGION, op.context),
        "function_type": ir.TypeAttr.get(type_, op.context),
    }
    made_in = ir.Operation.create(
        "func.func", attributes=attributes, regions=1, loc=op.location,
        ip=ir.InsertionPoint(made.body),
    )  # fmt: skip
    block.append_to(made_in.regions[0])
    return copied(made.operation)  # whose handles are none of the emptied copy


def _take_captures(block: ir.Block) -> None:
    """Make what a block reads from outside arguments."""
    for value in captures_of(block):
        uses = [u for u in value.uses if _is_inside(u.owner.operation, block)]
        argument = block.add_argument(value.type, value.location)
        for use in uses:
            use.owner.operation.operands[use.operand_number] = argument


def _return(block: ir.Block) -> None:
    """Return from a function where the block ended a region."""
    end = terminator_of(block)
    ir.Operation.create(
        "func.return", [], list(end.operands), loc=end.location, ip=ir.InsertionPoint(end)
    )
    end.erase()


def _is_inside(op: ir.Operation, block: ir.Block) -> bool:
    around = op.block
    while around != block:
        op = around.owner.operation
        if op.name == "func.func":
            return False
        around = op.block
    return True
