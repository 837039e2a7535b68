"""What an op reads: its operands, and the values around it that its regions use."""

from collections.abc import Iterator
from typing import Any

from anvl.dialect.mlir import ir

__all__ = ["captured", "operands_of"]


def operands_of(op: Any) -> tuple[ir.Value, ...]:
    """The values that an op asks its rules about: its operands, then what its regions capture."""
    if isinstance(op, ir.Operation):
        op = op.opview
    if not getattr(op, "captures", False):
        return tuple(op.operands)
    return (*op.operands, *captured(op.operation))


def captured(op: ir.Operation) -> tuple[ir.Value, ...]:
    """The values from outside that the regions of an op read, each once, in order of first use."""
    made: set[ir.Value] = set()
    found: dict[ir.Value, None] = {}
    for x in _reads(op, made):
        if x not in made:
            found[x] = None
    return tuple(found)


def _reads(op: ir.Operation, made: set[ir.Value]) -> Iterator[ir.Value]:
    """What the ops in the regions of an op read, in order; `made` receives what they make.

    A value is made before it is read, so it is in `made` by then.
    """
    for region in op.regions:
        for block in region.blocks:
            made.update(block.arguments)
            for inner in block.operations:
                yield from inner.operands
                yield from _reads(inner.operation, made)
                made.update(inner.results)
