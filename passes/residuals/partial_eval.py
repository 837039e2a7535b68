"""Cutting a function in two: what can be computed early, and what has to wait for late arguments.

The reverse sweep needs the cotangents last, the forward sweep the tangents.  What does not depend
on them is done once, by the first function; the second takes what it needs of that (the residuals)
and the late arguments, and may be called as often as there are such.
"""

import math
from collections.abc import Sequence

from anvl.dialect.core.effects import has_effect
from anvl.dialect.core.errors import PassError
from anvl.dialect.core.mlir import ir
from anvl.dialect.core.op import AnvlOp
from anvl.passes.functions.dce import run_on
from anvl.passes.functions.symbol_utils import terminator_of

__all__ = ["RESIDUAL", "spare_copies", "split"]

#: Marks the arguments of the second function that are results of the first.
RESIDUAL = "anvl.residual"

# Note [What is a residual]
#
# A value is one, once, if the second function uses it and the first can compute it.  But to keep a
# value costs memory, and some cost next to nothing to compute again: ops without operands
# (literals, `iota`, captured arrays, which the second function then captures too), what ops with
# one operand make of these element by element, and what such an op makes larger (a broadcast: its
# operand is the residual).  These are computed in both.


def split(
    function: ir.Operation, late: Sequence[int], n_early: int, names: tuple[str, str]
) -> tuple[ir.Operation, ir.Operation]:
    """Cut a function of one block, without calls, in two; it becomes the first, and the second
    stands behind it.

    Of its arguments those in `late` are those of the second, and of its results all but the first
    `n_early`, which must not depend on them.  The first returns its results, then the residuals;
    the second takes the residuals, then the late arguments.  See Note [What is a residual].
    """
    run_on(function, "cse,trivial-dce")  # what is there twice, or unused, is no residual
    block = function.regions[0].blocks[0]
    arguments = list(block.arguments)
    *operations, terminator = [op.operation for op in block.operations]
    late_arguments = [arguments[i] for i in late]
    is_late = _depends(late_arguments, block)
    _check_early(function, list(terminator.operands)[:n_early], is_late, late_arguments)
    second = _begin(function, names[1])
    inside = second.regions[0].blocks[0]
    early = [v for i, v in enumerate(arguments) if i not in late]
    for op in operations:
        if op in is_late:
            inside.append(op)
        else:
            early += op.results
    returned = list(terminator.operands)
    with terminator.location:
        ir.Operation.create("func.return", [], returned[n_early:], ip=ir.InsertionPoint(inside))
    residuals = _carry(early, second)
    for x in late_arguments:
        x.replace_all_uses_with(inside.add_argument(x.type, x.location))
    kept = [i for i in range(len(arguments)) if i not in late]
    _return(function, [*returned[:n_early], *residuals])
    for i in sorted(late, reverse=True):
        block.erase_argument(i)
    _settle(function, names[0], {"arg_attrs": kept, "res_attrs": range(n_early)})
    _settle(second, names[1], {"res_attrs": range(n_early, len(returned))})
    _mark(second, len(residuals))
    run_on(function, "trivial-dce")
    return function, second


def _check_early(
    function: ir.Operation,
    results: Sequence[ir.Value],
    is_late: set[ir.Operation],
    late: Sequence[ir.Value],
) -> None:
    """Refuse a result of the first that must wait: the IR would be invalid, and MLIR die of it."""
    for i, y in enumerate(results):
        owner = y.owner
        if y in late if isinstance(owner, ir.Block) else owner.operation in is_late:
            name = function.attributes["sym_name"].value
            problem = f"@{name} cannot be split: its result {i} depends on what comes late"
            raise PassError("split", problem, str(function.location))


def _depends(values: Sequence[ir.Value], block: ir.Block) -> set[ir.Operation]:
    """The ops of a block that use these values, in a body of theirs too, or results of such ops."""
    found: set[ir.Operation] = set()
    pending = list(values)
    while pending:
        for use in pending.pop().uses:
            op = _op_in(block, use.owner.operation)
            if op not in found:
                found.add(op)
                pending += op.results
    return found


def _op_in(block: ir.Block, op: ir.Operation) -> ir.Operation:
    """The op of a block that is, or holds, another."""
    while op.block != block:
        op = op.parent.operation
    return op


def _begin(function: ir.Operation, name: str) -> ir.Operation:
    """An empty function behind another, with the attributes of that."""
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


def _carry(early: Sequence[ir.Value], second: ir.Operation) -> list[ir.Value]:
    """Give the second function what it uses of the first: the values that become residuals."""
    block = second.regions[0].blocks[0]
    constants: set[ir.Value] = set()
    again = [_is_cheap(value, constants) for value in early]
    residuals = []
    for value, is_cheap in reversed(list(zip(early, again, strict=True))):
        uses = [u for u in value.uses if _function_of(u.owner.operation) == second]
        if uses and is_cheap:  # its operand comes later in this loop
            copy = value.owner.operation.clone(ip=ir.InsertionPoint.at_block_begin(block))
            _redirect(uses, copy.operation.result)
        elif uses:
            residuals.append((value, uses))
    residuals.reverse()
    for value, uses in residuals:
        _redirect(uses, block.add_argument(value.type, value.location))
    return [value for value, _ in residuals]


def _redirect(uses: Sequence[ir.OpOperand], value: ir.Value) -> None:
    for use in uses:
        use.owner.operation.operands[use.operand_number] = value


def _is_cheap(value: ir.Value, constants: set[ir.Value]) -> bool:
    """Whether to compute a value again rather than to keep it.  Note [What is a residual]."""
    op = value.owner
    if not isinstance(op, AnvlOp) or op.bodies or op.multiple_results:
        return False
    if has_effect(op):
        return False
    operands = op.operation.operands
    if len(operands) > 1:
        return False
    is_larger = bool(operands) and _size(value) > _size(operands[0])
    if all(x in constants for x in operands) and (not operands or op.diagonal or is_larger):
        constants.add(value)
        return True
    return is_larger


def _size(value: ir.Value) -> int:
    return math.prod(ir.ShapedType(value.type).shape)


def _function_of(op: ir.Operation) -> ir.Operation:
    while op.name != "func.func":
        op = op.parent.operation
    return op


def _return(function: ir.Operation, values: Sequence[ir.Value]) -> None:
    """Have a function return these values."""
    terminator = terminator_of(function.regions[0].blocks[0])
    with terminator.location, ir.InsertionPoint(terminator):
        ir.Operation.create("func.return", [], values)
    terminator.erase()


def _settle(function: ir.Operation, name: str, kept: dict[str, Sequence[int]]) -> None:
    """Make the type, the name and the attributes of a function fit its block.

    `kept` says which attributes of arguments and results stay, by where they were.
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
    """Say which arguments are residuals, so that text says it too."""
    n = len(second.regions[0].blocks[0].arguments)
    context = second.context
    marked = ir.DictAttr.get({RESIDUAL: ir.UnitAttr.get(context)}, context)
    others = [ir.DictAttr.get({}, context)] * (n - n_residuals)
    second.attributes["arg_attrs"] = ir.ArrayAttr.get([marked] * n_residuals + others, context)


def _string(op: ir.Operation, text: str) -> ir.Attribute:
    return ir.StringAttr.get(text, op.context)


def spare_copies(first: ir.Operation, n_results: int) -> list[int]:
    """Have the first function of two return no residual that its caller has anyway.

    Those are its arguments, and its results.  Gives, for each residual, its position among the
    arguments and what is returned now, in this order.
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
