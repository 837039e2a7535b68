"""Lazy imports, one thread at a time; and names that a module has not.  It is imported first.

Two threads that import modules which import each other see half-initialized ones: Python breaks
the deadlock that its import locks would otherwise cause.
"""

import gc
import importlib
import os
import sys
import threading
import time
from collections.abc import Iterable, Mapping
from types import ModuleType
from typing import Any

__all__ = [
    "STARTED", "load_module", "load_operators", "one_thread", "suggest_names", "unknown_name",
]  # fmt: skip

_PATIENCE = 2.0  # seconds, in which anvl is imported many times
_CAREFUL = 10.0  # seconds, where the start of the process is not known


def _started() -> float:
    now = time.time()
    try:
        with open("/proc/self/stat") as file:
            ticks = int(file.read().rpartition(")")[2].split()[19])
        age = time.clock_gettime(time.CLOCK_BOOTTIME) - ticks / os.sysconf("SC_CLK_TCK")
    except (OSError, ValueError, AttributeError):
        return now - _CAREFUL
    return now - max(age, 0.0)


#: A time before any module of anvl was read: that of the start of the process, or, where the system
#: does not tell, some seconds before anvl is imported.  A forked child has that of its parent,
#: whose modules it has.
STARTED: float = _started()


class _OneThread(threading.local):
    """A lock that a thread takes again; it waits for another one for some seconds.

    Two threads that run `import anvl.nn` and `import anvl.random` hold Python's locks of these
    modules before they come here, and the one that comes first may wait for the other's.
    """

    lock = threading.RLock()

    def __init__(self) -> None:
        self._taken: list[bool] = []

    def __enter__(self) -> None:
        self._taken.append(self.lock.acquire(timeout=_PATIENCE))

    def __exit__(self, *_: object) -> None:
        if self._taken.pop():
            self.lock.release()


#: Held while a module is loaded, or a name is made that all threads are to share.
one_thread = _OneThread()
if hasattr(os, "register_at_fork"):  # the thread that holds it does not exist in the child
    os.register_at_fork(after_in_child=_OneThread.lock._at_fork_reinit)  # type: ignore[attr-defined]


def load_module(name: str) -> ModuleType:
    """Import a module by name.

    No garbage is looked for meanwhile, nor in what stays: that took a sixth of the import of anvl.
    """
    with one_thread:
        if name in sys.modules or not gc.isenabled():
            return importlib.import_module(name)
        try:
            gc.disable()  # here, since a signal's handler may raise behind it
            return importlib.import_module(name)
        finally:
            _age_all()
            gc.enable()


def _age_all() -> None:
    """Move all objects to the oldest generation, unseen, unless a program has frozen some."""
    if not gc.get_freeze_count():
        gc.freeze()
        gc.unfreeze()


def load_operators() -> None:
    """Give arrays their operators, which `anvl.numpy` attaches, before a function makes one."""
    load_module("anvl.numpy")


def unknown_name(
    module: str, name: str, known: Iterable[str], elsewhere: Mapping[str, str] | None = None
) -> AttributeError:
    """The error for a name that a module has not, with the nearest one that it has.

    `elsewhere` tells what to write in place of names that stand in other modules.
    """
    from difflib import get_close_matches  # takes 2 ms, and most programs never need it

    if elsewhere and name in elsewhere:
        return AttributeError(f"module {module!r} has no attribute {name!r}; {elsewhere[name]}")
    near = get_close_matches(name, known, 1)
    advice = f"; did you mean {near[0]!r}?" if near else ""
    return AttributeError(f"module {module!r} has no attribute {name!r}{advice}")


def suggest_names(namespace: dict[str, Any], elsewhere: Mapping[str, str] | None = None) -> None:
    """Give a module, by its `globals()`, a `__getattr__` that names the nearest public name.

    `elsewhere` is as of `unknown_name`.
    """

    def missing(name: str) -> Any:
        raise unknown_name(namespace["__name__"], name, namespace["__all__"], elsewhere)

    namespace["__getattr__"] = missing
