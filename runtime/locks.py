"""Data that threads share: locks that are free in a forked child, and registries of live objects.

The thread that held a lock does not exist in the child.
"""

from __future__ import annotations

import os
import threading
import weakref
from typing import Generic, TypeVar

__all__ = ["WeakRegistry", "fresh_lock"]

_T = TypeVar("_T")


def fresh_lock() -> threading.Lock:
    """A lock for short operations on data consistent after each step; free in a forked child.

    It lives as long as the process, as does its fork handler: for modules, and objects that are one
    of a kind.
    """
    lock = threading.Lock()
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=lock._at_fork_reinit)  # type: ignore[attr-defined]
    return lock


class WeakRegistry(Generic[_T]):
    """Objects as long as they live; other threads may add some while one lists them.

    Listing a `WeakSet` fails then, as it runs Python between two elements.
    """

    def __init__(self) -> None:
        self._references: set[weakref.ref[_T]] = set()

    def add(self, x: _T) -> None:
        """Add an object that has a hash."""
        self._references.add(weakref.ref(x, self._references.discard))

    def living(self) -> list[_T]:
        """The objects that live now."""
        references = self._references.copy()  # at once, as no Python runs in it
        return [x for reference in references if (x := reference()) is not None]
