"""Modules that are imported when something of them is first used, one thread at a time.

Two threads that import modules which import each other are given halves of them: Python breaks
what would be a deadlock of its locks.
"""

import importlib
import os
import threading
from types import ModuleType

__all__ = ["load_module"]

_lock = threading.RLock()
if hasattr(os, "register_at_fork"):  # the thread that holds it is not in the child
    os.register_at_fork(after_in_child=_lock._at_fork_reinit)  # type: ignore[attr-defined]


def load_module(name: str) -> ModuleType:
    """The module of a name."""
    with _lock:
        return importlib.import_module(name)
