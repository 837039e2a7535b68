"""Edits of functions and of control flow that take and return more values."""

from collections.abc import Sequence

from anvl.dialect.core.attributes import signature_of
from anvl.dialect.core.mlir import ir
from anvl.dialect.interpreters.emission_cache import nested_ops
from anvl.passes.functions.symbol_utils import terminator_of

__all__ = [
    "append_operands", "moved_to", "prepend_arguments", "prepend_results", "rotated", "typed",
    "with_signature",
]  # fmt: skip


def prepend_arguments(
    function: ir.Operation, types: Sequence[ir.Type], at: int = 0
) -> list[ir.Value]:
    """Give a function arguments of these types in front of that at a position; returns them."""
    block = function.regions[0].blocks[0]
    old = list(block.arguments)
    # The bindings only add at the end.
    for type_ in types:
        block.add_argument(type_, function.location)
    for x in old[at:]:
        x.replace_all_uses_with(block.add_argument(x.type, x.location))
    for i in reversed(range(at, len(old))):
        block.erase_argument(i)
    _pad(function, "arg_attrs", at, len(types))
    _retype(function)
    return list(block.arguments)[at : at + len(types)]


def prepend_results(function: ir.Operation, values: Sequence[ir.Value]) -> None:
    """Let a function return these values before its own."""
    terminator = terminator_of(function.regions[0].blocks[0])
    _with_operands(terminator, [*values, *terminator.operands])
    _pad(function, "res_attrs", 0, len(values))
    _retype(function)


def append_operands(
    terminator: ir.Operation, values: Sequence[ir.Value], keeps: bool = True
) -> None:
    """Let a terminator return these values behind its own, or in place of them."""
    _with_operands(terminator, [*(terminator.operands if keeps else ()), *values])


def _with_operands(terminator: ir.Operation, values: Sequence[ir.Value]) -> None:
    ir.Operation.create(
        terminator.name,
        [],
        list(values),
        loc=terminator.location,
        ip=ir.InsertionPoint(terminator),
    )
    terminator.erase()


def _pad(function: ir.Operation, key: str, at: int, count: int) -> None:
    """Add empty attributes of arguments or results at a position, if the function has any."""
    if key in function.attributes:
        old = list(function.attributes[key])
        empty = [ir.DictAttr.get({}, function.context)] * count
        function.attributes[key] = ir.ArrayAttr.get(
            [*old[:at], *empty, *old[at:]], function.context
        )


def _retype(function: ir.Operation) -> None:
    block = function.regions[0].blocks[0]
    results = [y.type for y in terminator_of(block).operands]
    type_ = ir.FunctionType.get([x.type for x in block.arguments], results, function.context)
    function.attributes["function_type"] = ir.TypeAttr.get(type_)


def with_signature(
    declaration: ir.Operation, inputs: Sequence[ir.Type], outputs: Sequence[ir.Type]
) -> None:
    """Let a declaration take and return values of these types before its own."""
    old_inputs, old_outputs = signature_of(declaration)
    type_ = ir.FunctionType.get(
        [*inputs, *old_inputs], [*outputs, *old_outputs], declaration.context
    )
    declaration.attributes["function_type"] = ir.TypeAttr.get(type_)
    _pad(declaration, "arg_attrs", 0, len(inputs))
    _pad(declaration, "res_attrs", 0, len(outputs))


def typed(
    name: str, inputs: Sequence[ir.Type], outputs: Sequence[ir.Type], place: ir.Operation
) -> ir.Operation:
    """Create a private function with an empty block, in front of an op."""
    made = ir.Operation.create(
        "func.func",
        attributes={
            "sym_name": ir.StringAttr.get(name),
            "sym_visibility": ir.StringAttr.get("private"),
            "function_type": ir.TypeAttr.get(ir.FunctionType.get(list(inputs), list(outputs))),
        },
        regions=1,
        ip=ir.InsertionPoint(place),
    )
    made.regions[0].blocks.append(*inputs, arg_locs=[place.location] * len(inputs))
    return made


def moved_to(
    op: ir.Operation, types: Sequence[ir.Type], operands: Sequence[ir.Value]
) -> ir.Operation:
    """Replace a choice or a loop by one with more results and operands, and the same regions."""
    new = ir.Operation.create(
        op.name,
        [*(y.type for y in op.results), *types],
        [*op.operands, *operands],
        dict(op.attributes.items()),
        regions=len(op.regions),
        loc=op.location,
        ip=ir.InsertionPoint(op),
    )
    for source, target in zip(op.regions, new.regions, strict=True):
        source.blocks[0].append_to(target)
    for y, z in zip(op.results, new.results, strict=False):
        y.replace_all_uses_with(z)
    op.erase()
    return new


def rotated(op: ir.Operation) -> tuple[ir.Operation, list[ir.Operation], ir.Operation]:
    """Compute the condition of a loop before it and at the end of each step, where it may return
    more than a bool.

    Returns the new loop, the ops of the condition in front of it, and an op whose operand is the
    condition, for the last carry.
    """
    cond, body = (region.blocks[0] for region in op.regions)
    location = op.location
    with location:
        with ir.InsertionPoint(op):
            first, flag = _copied(cond, op.operands)
            holder = ir.Operation.create("stablehlo.optimization_barrier", [flag.type], [flag])
        end = terminator_of(body)
        with ir.InsertionPoint(end):
            _, again = _copied(cond, end.operands)
        append_operands(end, [again])
        new = moved_to(op, [flag.type], [flag])
        cond, body = (region.blocks[0] for region in new.regions)
        body.add_argument(flag.type, location)
        goes_on = cond.add_argument(flag.type, location)
        for inner in reversed([o.operation for o in cond.operations]):
            inner.erase()
        with ir.InsertionPoint(cond):
            ir.Operation.create("stablehlo.return", [], [goes_on])
    return new, first, holder


def _copied(block: ir.Block, arguments: Sequence[ir.Value]) -> tuple[list[ir.Operation], ir.Value]:
    """Copy the ops of a condition to the insertion point; returns them, and the condition."""
    values = dict(zip(block.arguments, arguments, strict=True))
    *ops, end = [o.operation for o in block.operations]
    copies = []
    for op in ops:
        copy = op.clone(ip=ir.InsertionPoint.current).operation
        for inner in (copy, *nested_ops(copy)):
            for i, x in enumerate(inner.operands):
                if x in values:
                    inner.operands[i] = values[x]
        values.update(zip(op.results, copy.results, strict=True))
        copies.append(copy)
    (flag,) = end.operands
    return copies, values.get(flag, flag)
