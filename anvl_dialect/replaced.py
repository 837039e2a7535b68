"""What a rule answers that also has other values for the results of its op."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from anvl.dialect.mlir import ir
from anvl.dialect.recipes import inside
from anvl.dialect.symbol_table import current

__all__ = ["Replaced", "supersede"]


class Replaced(NamedTuple):
    """An answer of an `adjoint` or `tangent` rule, and values that take the place of the results.

    A loop gives way to one that also computes its tangents, or that keeps what its adjoint needs.
    """

    values: Sequence[ir.Value]
    answer: Sequence[Any]


def supersede(ys: Sequence[ir.Value], zs: Sequence[ir.Value]) -> None:
    """Have `zs`, results of an op in the block of `ys`, take the place of these.

    Where that op is behind, what uses them goes behind it, and so does what uses that.
    """
    if current.apart:
        return
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
