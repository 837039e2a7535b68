"""Rules that replace the results of their op: a `Replaced` answer, and how engines apply it."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from anvl.dialect.core.mlir import ir
from anvl.dialect.interpreters.emission_cache import inside

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
    new = zs[0].owner
    moved = set(zs)
    for y, z in zip(ys, zs, strict=True):
        y.replace_all_uses_with(z)
    at, between = new, False
    first = ys[0].owner.operation
    for op in list(first.block.operations):
        if op.operation == new.operation:
            break
        if between and not moved.isdisjoint(_reads(op)):
            moved.update(op.results)
            op.operation.move_after(at)
            at = op.operation
        between = between or op.operation == first


def _reads(op: Any) -> list[ir.Value]:
    return [*op.operands, *(x for inner in inside(op.operation) for x in inner.operands)]
