"""A line on the terminal, or in a notebook, while XLA compiles for more than two seconds.

    with progress("compiling loss"):
        ...

It says how long it takes, and is erased at the end.  Where nobody sees it (stderr is a file, or the
setting `progress` is off), not even a thread is started.
"""

from __future__ import annotations

import sys
import threading
import time
from typing import Any

from anvl.runtime.settings import runtime_settings

__all__ = ["progress"]

_PATIENCE = 2.0  # seconds without a line
_EVERY = 0.5
_WIDEST = 79


class progress:
    """A line of text with the elapsed time, while a block runs for long."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._shown = 0
        self._thread: threading.Thread | None = None
        self._ended = threading.Event()

    def __enter__(self) -> None:
        if runtime_settings.progress and _is_watched(sys.stderr):
            self._start = time.monotonic()
            self._thread = threading.Thread(target=self._run, args=(sys.stderr,), daemon=True)
            self._thread.start()

    def __exit__(self, *_: object) -> None:
        if self._thread is not None:
            self._ended.set()
            self._thread.join()

    def _run(self, stream: Any) -> None:
        """Write the line again and again; erase it at the end."""
        try:
            while not self._ended.wait(_EVERY if self._shown else _PATIENCE):
                seconds = time.monotonic() - self._start
                line = f"anvl: {self._text}, {seconds:.0f} s"[:_WIDEST]
                stream.write(f"\r{line.ljust(self._shown)}")
                stream.flush()
                self._shown = len(line)
            if self._shown:
                stream.write(f"\r{' ' * self._shown}\r")
                stream.flush()
        except (OSError, ValueError):  # the stream is closed meanwhile
            pass


def _is_watched(stream: Any) -> bool:
    """Whether a person sees the stream: a terminal, or a notebook, whose kernel is imported."""
    try:
        return "ipykernel" in sys.modules or stream.isatty()
    except (AttributeError, ValueError):  # no stream, or a closed one
        return False
