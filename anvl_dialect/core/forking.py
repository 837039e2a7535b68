"""Fork-safe locks: the child has one thread, so a lock held by another thread would stay held.

This includes Python's import locks, and MLIR imports modules as it meets dialects: so a fork waits
until no thread is importing.
"""

import importlib
import os
import sys
import threading
import time
from types import FrameType
from typing import Any

__all__ = ["lock_over_forks"]

# A pipeline over a large program takes seconds; a lock that is never free is no reason not to fork.
_PATIENCE_SECONDS = 30.0


_locks: list[Any] = []
_taken: list[list[bool]] = []  # which of the locks, for each fork in progress


def lock_over_forks() -> Any:
    """Create a reentrant lock that a forking thread acquires first, so that its holder has
    finished.

    Otherwise a child forked while another thread runs passes would see a half-changed context.
    """
    lock = threading.RLock()
    _locks.append(lock)
    return lock


def _before_fork() -> None:
    """Acquire all locks at a moment when no other thread imports.

    A module that defines ops needs these locks while it is imported: so they are released while
    other threads import.
    """
    until = time.monotonic() + _PATIENCE_SECONDS
    while True:
        while _others_import() and time.monotonic() < until:
            time.sleep(0.001)
        locks = list(reversed(_locks))  # the lock of passes first: a pass needs the others
        taken = [lock.acquire(timeout=max(0.0, until - time.monotonic())) for lock in locks]
        if not _others_import() or time.monotonic() >= until:
            _taken.append(taken[::-1])
            return
        for lock, is_taken in zip(locks, taken, strict=True):
            if is_taken:
                lock.release()


def _after_fork_in_parent() -> None:
    for lock, is_taken in zip(_locks, _taken.pop(), strict=False):
        if is_taken:
            lock.release()


def _after_fork_in_child() -> None:
    for lock, is_taken in zip(_locks, _taken.pop(), strict=False):
        if is_taken:
            lock.release()
        else:  # its thread does not exist in the child
            lock._at_fork_reinit()


def _others_import() -> bool:
    me = threading.get_ident()
    others = [frame for thread, frame in sys._current_frames().items() if thread != me]
    return any(map(_is_importing, others))


def _is_importing(frame: FrameType | None) -> bool:
    """Whether a thread is importing anvl or on its behalf; other imports may fork on purpose."""
    imports = is_anvl = False
    while frame is not None:
        imports |= frame.f_code.co_filename.startswith("<frozen importlib")
        is_anvl |= str(frame.f_globals.get("__name__", "")).partition(".")[0] == "anvl"
        frame = frame.f_back
    return imports and is_anvl


if hasattr(os, "register_at_fork"):
    # These hooks run from the last registered to the first.  That of `logging`, which importing it
    # registers, takes a lock that imports need: so it is registered before ours, and runs after it.
    importlib.import_module("logging")
    os.register_at_fork(
        before=_before_fork,
        after_in_parent=_after_fork_in_parent,
        after_in_child=_after_fork_in_child,
    )
