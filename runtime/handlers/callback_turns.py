"""Programs of plugins that call Python: fewer at a time than XLA has threads.

Note [Callbacks that wait for programs]

While a program of a plugin for the CPU is in a callback it holds one of XLA's threads.  The
callback may wait for a program that another thread of Python runs on the same device, which needs
one, too.  If all are held by callbacks that do so, they wait for ever: on two cores, two or three
such programs at once.  So at most one fewer of them run at once than there are threads, and the
next begins when one has ended.  One that has waited for 10 seconds begins all the same, with a
warning, as a callback may be waiting for it: which of them wait for each other, nobody tells.
Programs of jaxlib's own client need no turns: of 20 such at once
all ended, in 30 runs.
"""

from __future__ import annotations

import os
import sys
import threading
import warnings
from collections.abc import Callable

from anvl.runtime.errors import CallbackWarning
from anvl.runtime.tracebacks import line_of_user
from anvl.runtime.turns import most_at_once

__all__ = ["take_turn"]

_SECONDS = 10.0
_turns: threading.Semaphore | None = None


def take_turn() -> Callable[[], None]:
    """Wait until a program that calls Python may begin; returns the function that ends its turn.

    Warns, with the line of the call, if it has none.
    """
    global _turns
    turns = _turns
    if turns is None:
        turns = _turns = threading.Semaphore(most_at_once())
    if turns.acquire(timeout=_SECONDS):
        return turns.release
    warnings.warn_explicit(
        f"callback: this program waited {_SECONDS:g} s for others of its device that are in "
        "callbacks, and begins beside them; if these callbacks and its own all wait for programs "
        "of other threads, they wait for ever: wait for programs outside of callbacks",
        CallbackWarning,
        *line_of_user(sys._getframe(1)),
    )
    return _end_nothing


def _end_nothing() -> None:
    pass


def _forget() -> None:
    """Reset in a forked child, where the programs of the parent never end."""
    global _turns
    _turns = None


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget)
