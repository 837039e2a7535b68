"""Rules that replace the results of their op: a `Replaced` answer, and how engines apply it."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from anvl.dialect.core.mlir import ir
from anvl.dialect.interpreters.slices import forward_slice

__all__ = ["Replaced", "replace_results"]


class Replaced(NamedTuple):
    """An answer of an `adjoint` or `tangent` rule, with new values for the results of the op.

    A loop is replaced by one that also computes its tangents, or that saves the residuals of its
    adjoint.
    """

    values: Sequence[ir.Value]
    answer: Sequence[Any]


def replace_results(ys: Sequence[ir.Value], zs: Sequence[ir.Value]) -> None:
    """Replace the values `ys` by `zs`, the results of an op of the same block.

    If that op comes later, users of `ys` move behind it, and so do their users.
    """
    first, at = ys[0].owner.operation, zs[0].owner.operation
    for y, z in zip(ys, zs, strict=True):
        y.replace_all_uses_with(z)
    ops = [op.operation for op in first.block.operations]
    between = ops[ops.index(first) + 1 : ops.index(at)]
    for op in forward_slice(between, zs, whole_ops=True).ops:
        op.move_after(at)
        at = op
