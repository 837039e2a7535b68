"""What has an effect, or may never end: it must not be done where nobody asks for it."""

from collections.abc import Iterable
from typing import Any

from anvl.dialect.op import AnvlOp

__all__ = ["has_effect", "is_unsafe"]

_RETURNS = ("func.return", "stablehlo.return")


def has_effect(op: Any) -> bool:
    """Whether an op of a block does more than to give results; of a foreign op nothing is known."""
    if isinstance(op, AnvlOp):
        return op.acts(op.operation)
    return op.operation.name not in _RETURNS


def is_unsafe(ops: Iterable[Any], seen: set[str] | None = None) -> bool:
    """Whether ops must not be done where nobody asks for their results.

    One of them may not end, or has an effect: itself, or what it calls.  The functions in `seen`
    were looked at.
    """
    seen = set() if seen is None else seen
    return any(
        op.unsafe(op.operation, seen) if isinstance(op, AnvlOp) else has_effect(op) for op in ops
    )
