"""Containers of Python, read from their storage, whatever methods a class derived from one has."""

from __future__ import annotations

import collections
from typing import Any

from anvl.captured.values import Opaque, atom, is_atom

__all__ = [
    "CONTAINERS", "container_of", "elements_of", "is_flat", "is_plain_key", "key_value",
    "keys_of", "path_of", "reads_storage",
]  # fmt: skip

#: Containers of Python.
CONTAINERS = (
    list, tuple, collections.OrderedDict, dict, set, frozenset, collections.deque, bytearray,
)  # fmt: skip
_READS = ("__getitem__", "__iter__", "__len__", "values")


def container_of(of: type) -> Any:
    """The container of Python that a class is or derives from; None if none."""
    return next((base for base in CONTAINERS if issubclass(of, base)), None)


def reads_storage(of: type, base: type) -> bool:
    """Whether an object of a class is read by the methods of its container."""
    return all(getattr(of, m, None) is getattr(base, m, None) for m in _READS)


def keys_of(x: Any, base: Any) -> list[Any]:
    """The keys of a dict, or the elements of another container."""
    return list(base.__iter__(x))


def elements_of(x: Any, base: Any) -> list[Any]:
    """The values of a dict, or the elements of another container."""
    return list(base.values(x)) if issubclass(base, dict) else keys_of(x, base)


def is_flat(x: Any, base: Any) -> bool:
    """Whether a container is compared as one value, as it has no element that can change."""
    if issubclass(base, dict):
        return False
    return base in (set, frozenset) or all(is_atom(type(e)) for e in base.__iter__(x))


def is_plain_key(key: Any) -> bool:
    """Whether looking up a key runs no code of the person's."""
    if type(key) is tuple:
        return all(map(is_plain_key, key))
    return is_atom(type(key))


def key_value(x: Any) -> Any:
    """A key, or an element of a set, as it is compared: by content, or by identity."""
    return atom(x) if is_atom(type(x)) else Opaque(x)


def path_of(path: str, key: Any, i: int) -> str:
    """The path of the element of a container at a key, the i-th one: no other has it."""
    return f"{path}[{key!r}]" if is_plain_key(key) else f"{path}[<a {type(key).__name__}>]#{i}"
