"""The record of the values that a function read when it was traced."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

from anvl.captured.code_reads import Use
from anvl.captured.object_reads import MISSING
from anvl.core.tracer import Tracer

__all__ = ["Check", "Snapshot", "is_below"]


class Check(NamedTuple):
    """One comparison of the check on a hit.

    `kind` is "item" (`holder[key] is value`), "attribute", "cell", "class" (`type(holder) is
    value`), "own" (the dict of its attributes is `value`), "absent" (`key not in holder`), "length"
    (`len(holder) == value`), "elements" (those of `value`, by identity), or "array" (dtype, shape
    and, as bytes, content).
    """

    path: str
    kind: str
    holder: Any
    key: Any
    value: Any


class Snapshot:
    """The values that a function reads, as they are now.

    `values` compares them, by path (`model.scale`, `params['w']`); `checks` finds quickly that all
    are the same objects; `uses` tells where they are read.  `unfilled` are attributes that a
    descriptor may set when it is read, as `functools.cached_property` does.
    """

    def __init__(self, values: dict[str, Any] | None = None) -> None:
        self.values: dict[str, Any] = {} if values is None else values
        self.checks: list[Check] = []
        self.uses: dict[str, Use | None] = {}
        self.unfilled: list[Check] = []

    def differences(self, now: Snapshot) -> list[str]:
        """Paths whose values differ from those of `now`, without those below another one."""
        found = [p for p, x in self.values.items() if now.values.get(p, MISSING) != x]
        found += [p for p in now.values if p not in self.values]
        return [p for p in found if not is_below(p, [q for q in found if q != p])]

    def is_filled(self) -> bool:
        """Whether a descriptor has set an attribute since."""
        return any(check.key in check.holder for check in self.unfilled)

    def tracers(self) -> list[str]:
        """Paths of the values that a trace has left behind."""
        return [check.path for check in self.checks if type(check.value) is Tracer]


def is_below(path: str, others: Iterable[str]) -> bool:
    """Whether a path is one of these, or a part of one."""
    return any(path.startswith(o) and path[len(o) : len(o) + 1] in ("", ".", "[") for o in others)
