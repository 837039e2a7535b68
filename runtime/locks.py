"""Locks that are free in a forked child: the thread that held one does not exist there."""

from __future__ import annotations

import os
import threading

__all__ = ["fresh_lock"]


def fresh_lock() -> threading.Lock:
    """A lock for short operations on data consistent after each step; free in a forked child.

    It lives as long as the process, as does its fork handler: for modules, and objects that are one
    of a kind.
    """
    lock = threading.Lock()
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=lock._at_fork_reinit)  # type: ignore[attr-defined]
    return lock
