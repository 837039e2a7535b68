"""Rules that replace the results of their op: a `Replaced` answer, and how engines apply it."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from anvl.dialect.core.captures import captured
from anvl.dialect.core.mlir import ir
from anvl.dialect.interpreters.slices import forward_slice

__all__ = ["Replaced", "answer_of", "replace_results"]


class Replaced(NamedTuple):
    """An answer of an `adjoint` or `tangent` rule, with new values for the results of the op.

    A loop is replaced by one that also computes its tangents, or that saves the residuals of its
    adjoint.
    """

    values: Sequence[ir.Value]
    answer: Any


def answer_of(found: Any) -> Any:
    """The answer of a rule, whether or not it replaces the results of its op."""
    return found.answer if type(found) is Replaced else found


def replace_results(ys: Sequence[ir.Value], zs: Sequence[ir.Value]) -> None:
    """Replace the values `ys` by `zs`, the results of an op of the same block.

    If that op comes later, it moves to the place of the first one where its operands are known
    there; else users of `ys` move behind it, and so do their users.
    """
    first, at = ys[0].owner.operation, zs[0].owner.operation
    is_known = _move_before(first, at)
    for y, z in zip(ys, zs, strict=True):
        y.replace_all_uses_with(z)
    if is_known:
        return
    ops = [op.operation for op in first.block.operations]
    between = ops[ops.index(first) + 1 : ops.index(at)]
    for op in forward_slice(between, zs, whole_ops=True).ops:
        op.move_after(at)
        at = op


def _move_before(first: ir.Operation, op: ir.Operation) -> bool:
    """Move a later op to `first`, if it reads operands of that one and literals alone."""
    if not first.is_before_in_block(op):
        return False
    known = set(first.operands)
    others = [x.owner for x in (*op.operands, *captured(op)) if x not in known]
    if any(
        isinstance(made, ir.Block) or len(made.operands) or len(made.regions) for made in others
    ):
        return False
    for made in dict.fromkeys(made.operation for made in others):
        if first.is_before_in_block(made):
            made.move_before(first)
    op.move_before(first)
    return True
