"""Objects of Python, read without running code of theirs: attributes, elements, cells."""

from __future__ import annotations

import collections
from types import CellType
from typing import Any

from anvl.captured.values import Opaque, atom, is_atom

__all__ = [
    "CONTAINERS", "MISSING", "Space", "cell_content", "container_of", "is_flat", "key_value",
    "own_attributes", "shown_key", "slot_value",
]  # fmt: skip

#: Stands for a variable that is not set.
MISSING: Any = object()

#: Containers of Python.
CONTAINERS = (
    list, tuple, collections.OrderedDict, dict, set, frozenset, collections.deque, bytearray,
)  # fmt: skip


class Space:
    """An object with attributes of which some are read: an instance, a class or a module."""

    def __init__(self, x: Any, path: str, depth: int, of_class: dict[str, list[Any]]) -> None:
        self.x, self.path, self.depth, self.of_class = x, path, depth, of_class
        self.own = own_attributes(x)
        self.seen = 0  # of the attribute names

    def runs_code(self) -> bool:
        """Whether reading an attribute may run the person's code."""
        of: Any = type(self.x)
        plain = (object.__getattribute__, type.__getattribute__)
        return of.__getattribute__ not in plain or hasattr(of, "__getattr__")


def own_attributes(x: Any) -> dict[str, Any]:
    """The attributes of an object itself; those of a class are found with its bases."""
    try:
        own = object.__getattribute__(x, "__dict__")
    except Exception:  # it has none, or a property of that name
        return {}
    return own if type(own) is dict else {}


def container_of(of: type) -> type | None:
    """The container of Python that a class is, with its way to read elements; None if none."""
    for base in CONTAINERS:
        if issubclass(of, base):
            reads = ("__getitem__", "__iter__", "__len__", "values")
            is_same = all(getattr(of, m, None) is getattr(base, m, None) for m in reads)
            return base if is_same else None
    return None


def is_flat(x: Any, base: type) -> bool:
    """Whether a container holds values alone that cannot change."""
    if issubclass(base, dict):
        return False
    return base in (set, frozenset) or all(is_atom(type(e)) for e in x)


def key_value(x: Any) -> Any:
    return atom(x) if is_atom(type(x)) else Opaque(x)


def shown_key(key: Any) -> str:
    return repr(key) if is_atom(type(key)) else f"<a {type(key).__name__}>"


def slot_value(raw: Any, x: Any) -> Any:
    try:
        return raw.__get__(x)
    except (AttributeError, TypeError):  # not set, or a slot of a class itself
        return MISSING


def cell_content(cell: CellType) -> Any:
    try:
        return cell.cell_contents
    except ValueError:  # the variable is deleted, or not yet set
        return MISSING
