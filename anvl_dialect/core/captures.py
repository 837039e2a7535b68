"""Values that an op reads: its operands, and the values that its regions capture."""

import threading
from typing import Any

from anvl.dialect.core.mlir import ir

__all__ = ["captured", "operands_of", "remembering"]


class _Memo(threading.local):
    known: dict[Any, Any] | None = None


_memo = _Memo()


class remembering:
    """Cache facts about functions and regions for the duration of one query.

    Regions in loops are queried often; the IR must not change meanwhile.
    """

    def __enter__(self) -> dict[Any, Any]:
        self.outer = _memo.known
        known: dict[Any, Any] = {} if self.outer is None else self.outer
        _memo.known = known
        return known

    def __exit__(self, *_: object) -> None:
        _memo.known = self.outer


def operands_of(op: Any) -> tuple[ir.Value, ...]:
    """All values that an op reads, as its rules get them: operands first, then captured values."""
    if isinstance(op, ir.Operation):
        op = op.opview
    if not getattr(op, "captures", False):
        return tuple(op.operands)
    return (*op.operands, *captured(op.operation))


def captured(op: ir.Operation) -> tuple[ir.Value, ...]:
    """The values from outside that the regions of an op read, each once, in order of first use."""
    known = _memo.known
    if known is not None and op in known:
        return known[op]
    read: dict[ir.Value, None] = {}
    made: set[ir.Value] = set()
    _note(op, read, made)
    found = tuple([x for x in read if x not in made])
    if known is not None:
        known[op] = found
    return found


def _note(op: ir.Operation, read: dict[ir.Value, None], made: set[ir.Value]) -> None:
    """Record the values that the ops in the regions of an op read and define."""
    for region in op.regions:
        for block in region.blocks:
            made.update(block.arguments)
            for inner in block.operations:
                for x in inner.operands:
                    read[x] = None
                operation = inner.operation
                if len(operation.regions):
                    _note(operation, read, made)
                made.update(operation.results)
