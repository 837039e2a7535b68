"""Phases of the work, for logs and profiles: tracing, each pass, serialization, compilation.

    with phase("compile", "loss", INFO) as now:
        ...
        now.add("from the cache on disk")

Without a profile that is recorded, and without a logger `anvl.compile` for that level, a phase is
one object that does nothing: 0.3 us, on paths that take milliseconds.  A process that has never
imported `logging` has no handlers, so `logging` is not imported for this either.
"""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from anvl.runtime.lazy import compat

__all__ = ["DEBUG", "INFO", "Phase", "is_watched", "phase", "recorded"]

#: The levels of `logging`.
DEBUG, INFO = 10, 20


class Phase:
    """A phase that nobody watches."""

    def __enter__(self) -> Phase:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def add(self, detail: str) -> None:
        """Add to the line of the log."""


class _Watched(Phase):
    """A phase that is logged, or recorded in a profile, or both."""

    def __init__(self, kind: str, what: str, level: int, logger: Any) -> None:
        self._name = f"{_WORDS.get(kind, kind)} {what}"
        self._level, self._logger = level, logger
        self._details = ""
        self._mark = compat.profile_mark(self._name) if _recording else None

    def __enter__(self) -> Phase:
        if self._mark is not None:
            self._mark.__enter__()
        self._start = time.perf_counter()
        return self

    def __exit__(self, *error: Any) -> None:
        kind = error[0]
        seconds = time.perf_counter() - self._start
        if self._mark is not None:
            self._mark.__exit__(None, None, None)
        if self._logger is not None:
            failed = "" if kind is None else f", failed: {kind.__name__}"
            facts = self._name, 1000 * seconds, self._details, failed
            self._logger.log(self._level, "%s: %.1f ms%s%s", *facts)

    def add(self, detail: str) -> None:
        self._details += f", {detail}"


#: Names of phases that differ from those of their loggers.
_WORDS = {"passes": "pass"}
_UNWATCHED = Phase()
_loggers: dict[str, Any] = {}
_recording = False
_lock = threading.Lock()


def phase(kind: str, what: str, level: int = DEBUG) -> Phase:
    """A phase of a kind (`trace`, `passes`, `compile`, ...) with its name, to be entered."""
    logger = _logger(kind, level)
    if logger is None and not _recording:
        return _UNWATCHED
    return _Watched(kind, what, level, logger)


def is_watched(kind: str, level: int = DEBUG) -> bool:
    """Whether phases of this kind are logged at this level, or recorded."""
    return _recording or _logger(kind, level) is not None


def _logger(kind: str, level: int) -> Any:
    logger = _loggers.get(kind)
    if logger is None:
        logging = sys.modules.get("logging")
        if logging is None:
            return None
        logger = _loggers[kind] = logging.getLogger(f"anvl.{kind}")
    return logger if logger.isEnabledFor(level) else None


@contextmanager
def recorded() -> Iterator[None]:
    """Mark phases in the profile that is being recorded.  Raises `RuntimeError` if one is."""
    global _recording
    with _lock:
        if _recording:
            raise RuntimeError("profiler: a profile is being recorded already; end it first")
        _recording = True
    try:
        yield
    finally:
        _recording = False
