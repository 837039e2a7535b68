"""Partial evaluation: split a function into an early part and a part that needs late arguments.

The late arguments are the cotangents of a reverse sweep, or the tangents of a forward sweep.  The
first function computes once all that does not depend on them; the second takes the residuals and
the late arguments, and may be called for any number of these.
"""

from collections.abc import Sequence
from typing import Any

from anvl.dialect.core.errors import PassError
from anvl.dialect.core.mlir import ir
from anvl.dialect.interpreters.residual_selection import residuals
from anvl.dialect.interpreters.slices import backward_slice, forward_slice, live_in
from anvl.passes.functions.dce import run_on
from anvl.passes.functions.symbol_utils import terminator_of

__all__ = ["RESIDUAL", "spare_copies", "split"]

#: Marks the arguments of the second function that are results of the first.
RESIDUAL = "anvl.residual"


def split(
    function: ir.Operation, late: Sequence[int], n_early: int, names: tuple[str, str]
) -> tuple[ir.Operation, ir.Operation]:
    """Split a function of one block, without calls, in two; it becomes the first, and the second is
    inserted after it.

    The arguments in `late` move to the second, as do all results but the first `n_early`, which
    must not depend on them.  The first returns its results, then the residuals; the second takes
    the residuals, then the late arguments.  Note [Residuals] tells which values these are; the
    caller has the early arguments, and the ops that follow from both by cheap ops are in both
    functions.
    """
    run_on(function, "cse,trivial-dce")  # duplicate or unused values must not become residuals
    block = function.regions[0].blocks[0]
    arguments = list(block.arguments)
    *views, end = block.operations
    terminator = end.operation
    late_arguments = [arguments[i] for i in late]
    after = forward_slice(views, late_arguments, whole_ops=True)
    is_late = {op.operation for op in after.ops}
    _check_early(function, list(terminator.operands)[:n_early], is_late, late_arguments)
    second = _begin(function, names[1])
    inside = second.regions[0].blocks[0]
    returned = list(terminator.operands)
    early = [v for i, v in enumerate(arguments) if i not in late]
    ops = [op for op in views if op.operation not in is_late]
    read = [x for x in (*live_in(after.ops), *returned[n_early:]) if x not in after.values]
    saved = residuals(read, early, ops)
    _fill(inside, after.ops, returned[n_early:], terminator.location)
    carried = _carry(early, ops, read, saved, second)
    for x in late_arguments:
        x.replace_all_uses_with(inside.add_argument(x.type, x.location))
    kept = [i for i in range(len(arguments)) if i not in late]
    _return(function, [*returned[:n_early], *carried])
    for i in sorted(late, reverse=True):
        block.erase_argument(i)
    _settle(function, names[0], {"arg_attrs": kept, "res_attrs": range(n_early)})
    _settle(second, names[1], {"res_attrs": range(n_early, len(returned))})
    _mark(second, len(carried))
    run_on(function, "trivial-dce")
    return function, second


def _fill(
    block: ir.Block, ops: Sequence[ir.Operation], results: Sequence[ir.Value], place: ir.Location
) -> None:
    """Move ops into an empty block, and return these values."""
    for op in ops:
        block.append(op)
    with place:
        ir.Operation.create("func.return", [], results, ip=ir.InsertionPoint(block))


def _check_early(
    function: ir.Operation,
    results: Sequence[ir.Value],
    is_late: set[ir.Operation],
    late: Sequence[ir.Value],
) -> None:
    """Refuse an early result that depends on late values: the invalid IR would crash MLIR."""
    for i, y in enumerate(results):
        owner = y.owner
        if y in late if isinstance(owner, ir.Block) else owner.operation in is_late:
            name = function.attributes["sym_name"].value
            problem = f"@{name} cannot be split: its result {i} depends on the second half"
            raise PassError("split", problem, str(function.location))


def _begin(function: ir.Operation, name: str) -> ir.Operation:
    """Create an empty function after another, with the same attributes."""
    second = ir.Operation.create(
        "func.func",
        attributes=dict(function.attributes.items()) | {"sym_name": _string(function, name)},
        regions=1,
        loc=function.location,
        ip=ir.InsertionPoint.after(function),
    )
    second.regions[0].blocks.append()
    if "arg_attrs" in second.attributes:
        del second.attributes["arg_attrs"]
    return second


def _carry(
    early: Sequence[ir.Value],
    ops: Sequence[Any],
    read: Sequence[ir.Value],
    saved: Sequence[ir.Value],
    second: ir.Operation,
) -> list[ir.Value]:
    """Give the second function the values that it reads; return those that are residuals.

    These are `early` arguments and `saved` values; the `ops` of others are copied.
    """
    given = {*early, *saved}
    used = backward_slice(ops, read, given).values
    values = [*early, *(y for op in ops for y in op.results)]
    block = second.regions[0].blocks[0]
    carried = []
    for value in reversed([x for x in values if x in used]):
        uses = [u for u in value.uses if _is_inside(u.owner.operation, block)]
        if uses and value not in given:  # its operands come later in this loop
            copy = value.owner.operation.clone(ip=ir.InsertionPoint.at_block_begin(block))
            _redirect(uses, copy.operation.result)
        elif uses:
            carried.append((value, uses))
    carried.reverse()
    for value, uses in carried:
        _redirect(uses, block.add_argument(value.type, value.location))
    return [value for value, _ in carried]


def _redirect(uses: Sequence[ir.OpOperand], value: ir.Value) -> None:
    for use in uses:
        use.owner.operation.operands[use.operand_number] = value


def _is_inside(op: ir.Operation, block: ir.Block) -> bool:
    """Whether an op is in the block of a function, or in a region of an op there."""
    around = op.block
    while around != block:
        op = around.owner.operation
        if op.name == "func.func":
            return False
        around = op.block
    return True


def _return(function: ir.Operation, values: Sequence[ir.Value]) -> None:
    """Make a function return these values."""
    terminator = terminator_of(function.regions[0].blocks[0])
    with terminator.location, ir.InsertionPoint(terminator):
        ir.Operation.create("func.return", [], values)
    terminator.erase()


def _settle(function: ir.Operation, name: str, kept: dict[str, Sequence[int]]) -> None:
    """Update the type, the name and the attributes of a function to match its block.

    `kept` are the old positions of the argument and result attributes that stay.
    """
    block = function.regions[0].blocks[0]
    types = [x.type for x in block.arguments], [y.type for y in terminator_of(block).operands]
    context = function.context
    function.attributes["function_type"] = ir.TypeAttr.get(ir.FunctionType.get(*types, context))
    function.attributes["sym_name"] = _string(function, name)
    empty = ir.DictAttr.get({}, context)
    for key, count in (("arg_attrs", len(types[0])), ("res_attrs", len(types[1]))):
        if key in function.attributes:
            old = list(function.attributes[key])
            found = [old[i] for i in kept[key]]
            padded = found + [empty] * (count - len(found))
            function.attributes[key] = ir.ArrayAttr.get(padded, context)


def _mark(second: ir.Operation, n_residuals: int) -> None:
    """Mark the arguments that are residuals with an attribute, visible in text."""
    n = len(second.regions[0].blocks[0].arguments)
    context = second.context
    marked = ir.DictAttr.get({RESIDUAL: ir.UnitAttr.get(context)}, context)
    others = [ir.DictAttr.get({}, context)] * (n - n_residuals)
    second.attributes["arg_attrs"] = ir.ArrayAttr.get([marked] * n_residuals + others, context)


def _string(op: ir.Operation, text: str) -> ir.Attribute:
    return ir.StringAttr.get(text, op.context)


def spare_copies(first: ir.Operation, n_results: int) -> list[int]:
    """Drop residuals of the first function that its caller has anyway: its arguments and results.

    Returns, for each residual, its position in the list of the arguments followed by the values
    that are returned now.
    """
    block = first.regions[0].blocks[0]
    returned = list(terminator_of(block).operands)
    known = {x: i for i, x in enumerate(block.arguments)}
    kept = returned[:n_results]
    for i, y in enumerate(kept):
        known.setdefault(y, len(block.arguments) + i)
    found = []
    for y in returned[n_results:]:
        if y not in known:
            known[y] = len(block.arguments) + len(kept)
            kept.append(y)
        found.append(known[y])
    with first.context:
        _return(first, kept)
        _settle(first, first.attributes["sym_name"].value, {"res_attrs": range(n_results)})
    return found
