"""Lazy imports, one thread at a time.

Two threads that import modules which import each other see half-initialized ones: Python breaks
the deadlock that its import locks would otherwise cause.
"""

import importlib
import os
import threading
from types import ModuleType

__all__ = ["load_module"]

_lock = threading.RLock()
if hasattr(os, "register_at_fork"):  # the thread that holds it does not exist in the child
    os.register_at_fork(after_in_child=_lock._at_fork_reinit)  # type: ignore[attr-defined]


def load_module(name: str) -> ModuleType:
    """Import a module by name."""
    with _lock:
        return importlib.import_module(name)
