"""Locks over a fork: the child has one thread, and whatever another held would stay held.

Python's own locks of modules that are being imported are among these, and MLIR imports modules as
it meets dialects: so a fork waits until no thread is importing.
"""

import os
import sys
import threading
import time
from types import FrameType
from typing import Any

__all__ = ["lock_over_forks"]

# A pipeline over a large program takes seconds; a lock that is never free is no reason not to fork.
_PATIENCE_SECONDS = 30.0


def lock_over_forks() -> Any:
    """A reentrant lock that a forking thread takes first: no other is in the middle of its work.

    A child of a process where another thread ran passes would find the context half changed.
    """
    lock = threading.RLock()
    held: list[bool] = []

    def take() -> None:
        held.append(lock.acquire(timeout=_PATIENCE_SECONDS))

    def free() -> None:
        if held.pop():
            lock.release()

    def free_in_child() -> None:
        if held.pop():
            lock.release()
        else:  # its thread is not there
            lock._at_fork_reinit()  # type: ignore[attr-defined]

    if hasattr(os, "register_at_fork"):
        os.register_at_fork(before=take, after_in_parent=free, after_in_child=free_in_child)
    return lock


def _wait_for_imports() -> None:
    me, until = threading.get_ident(), time.monotonic() + _PATIENCE_SECONDS
    while time.monotonic() < until:
        others = [frame for thread, frame in sys._current_frames().items() if thread != me]
        if not any(map(_is_importing, others)):
            return
        time.sleep(0.001)


def _is_importing(frame: FrameType | None) -> bool:
    """Whether a thread imports anvl, or for it: others may fork on purpose while they import."""
    imports = is_anvl = False
    while frame is not None:
        imports |= frame.f_code.co_filename.startswith("<frozen importlib")
        is_anvl |= str(frame.f_globals.get("__name__", "")).partition(".")[0] == "anvl"
        frame = frame.f_back
    return imports and is_anvl


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_wait_for_imports)  # the first one here runs last
