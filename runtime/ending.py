"""Exit of the process while daemon threads compute: they leave first.

At exit Python ends a daemon thread when it next acquires the interpreter; inside of XLA that ends
the process by a signal.  So before that, at exit, other threads are no longer let in: they end, as
daemon threads do, and those that are inside are waited for.
"""

from __future__ import annotations

import atexit
import sys
import threading
import time
from collections.abc import Callable
from types import CodeType, FrameType

__all__ = ["leave_if_ending", "on_end", "watch_end"]

_MOST_SECONDS = 60.0  # a compilation takes that long, and cannot be interrupted
_INTERVAL = 0.005

_ended_by: int | None = None  # the thread that ends the process
_shut: list[Callable[[], set[CodeType]]] = []


def watch_end() -> None:
    """Make threads leave at exit, before what was registered for it until now.

    Called when anvl is imported, as threads may trace, and when the first client is made.
    """
    atexit.unregister(_end)
    atexit.register(_end)


def on_end(shut: Callable[[], set[CodeType]]) -> None:
    """Call `shut` at exit if other threads exist: it closes an entry, and returns its code."""
    _shut.append(shut)


def _is_ending() -> bool:
    """Whether the process is ending in another thread."""
    return _ended_by is not None and threading.get_ident() != _ended_by


def leave_if_ending() -> None:
    """End this thread silently if the process is ending."""
    if _ended_by is not None and _is_ending():
        raise SystemExit


def _end() -> None:
    global _ended_by
    me = threading.get_ident()
    if len(sys._current_frames()) == 1:
        return
    _ended_by = me
    codes = {code for shut in _shut for code in shut()}
    until = time.monotonic() + _MOST_SECONDS
    while time.monotonic() < until:
        others = [frame for thread, frame in sys._current_frames().items() if thread != me]
        if not any(_is_inside(frame, codes) for frame in others):
            return
        time.sleep(_INTERVAL)


def _is_inside(frame: FrameType | None, codes: set[CodeType]) -> bool:
    """Whether the stack of a thread contains a function of anvl."""
    while frame is not None:
        name = frame.f_globals.get("__name__", "")
        if frame.f_code in codes or name == "anvl" or name.startswith("anvl."):
            return True
        frame = frame.f_back
    return False


watch_end()
