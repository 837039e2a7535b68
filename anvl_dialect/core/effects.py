"""Side effects and termination: which ops must not run where their results are not needed."""

from collections.abc import Iterable
from typing import Any

from anvl.dialect.core.op import AnvlOp

__all__ = ["has_effect", "is_unsafe"]

_RETURNS = ("func.return", "stablehlo.return")


def has_effect(op: Any) -> bool:
    """Whether an op has a side effect; ops of other dialects are assumed to have one."""
    if isinstance(op, AnvlOp):
        return op.has_side_effects(op.operation)
    return op.operation.name not in _RETURNS


def is_unsafe(ops: Iterable[Any], seen: set[str] | None = None) -> bool:
    """Whether an op has a side effect or may not terminate, or calls a function that does.

    Such ops must not run where their results are not needed.  `seen`: functions already visited.
    """
    seen = set() if seen is None else seen
    return any(
        op.unsafe(op.operation, seen) if isinstance(op, AnvlOp) else has_effect(op) for op in ops
    )
