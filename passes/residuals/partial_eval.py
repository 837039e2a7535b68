"""Partial evaluation: split a function into an early part and a part that needs late arguments.

The late arguments are the cotangents of a reverse sweep, or the tangents of a forward sweep.  The
first function computes once all that does not depend on them; the second takes the residuals and
the late arguments, and may be called for any number of these.
"""

import math
from collections.abc import Sequence

from anvl.dialect.core.effects import has_effect
from anvl.dialect.core.errors import PassError
from anvl.dialect.core.mlir import ir
from anvl.dialect.core.op import AnvlOp
from anvl.dialect.interpreters.slices import forward_slice
from anvl.passes.functions.dce import run_on
from anvl.passes.functions.symbol_utils import terminator_of

__all__ = ["RESIDUAL", "spare_copies", "split"]

#: Marks the arguments of the second function that are results of the first.
RESIDUAL = "anvl.residual"

# Note [What is a residual]
#
# A value is a residual, once, if the second function uses it and the first can compute it.  But
# saving a value costs memory, and some values cost next to nothing to recompute: results of ops
# without operands (literals, `iota`, captured arrays, which the second function then captures too),
# of elementwise unary ops on these, and of unary ops that enlarge their operand (a broadcast: its
# operand is the residual).  These are computed in both functions.


def split(
    function: ir.Operation, late: Sequence[int], n_early: int, names: tuple[str, str]
) -> tuple[ir.Operation, ir.Operation]:
    """Split a function of one block, without calls, in two; it becomes the first, and the second is
    inserted after it.

    The arguments in `late` move to the second, as do all results but the first `n_early`, which
    must not depend on them.  The first returns its results, then the residuals; the second takes
    the residuals, then the late arguments.  See Note [What is a residual].
    """
    run_on(function, "cse,trivial-dce")  # duplicate or unused values must not become residuals
    block = function.regions[0].blocks[0]
    arguments = list(block.arguments)
    *operations, terminator = [op.operation for op in block.operations]
    late_arguments = [arguments[i] for i in late]
    is_late = set(forward_slice(operations, late_arguments, whole_ops=True).ops)
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
    """Refuse an early result that depends on late values: the invalid IR would crash MLIR."""
    for i, y in enumerate(results):
        owner = y.owner
        if y in late if isinstance(owner, ir.Block) else owner.operation in is_late:
            name = function.attributes["sym_name"].value
            problem = f"@{name} cannot be split: its result {i} depends on what comes late"
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


def _carry(early: Sequence[ir.Value], second: ir.Operation) -> list[ir.Value]:
    """Pass the values that the second function uses of the first; return the residuals."""
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
    """Whether to recompute a value rather than to save it.  Note [What is a residual]."""
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
