"""The active trace of each thread, if any."""

import threading
from typing import TYPE_CHECKING

from anvl.dialect.core.forking import lock_over_forks

if TYPE_CHECKING:
    from anvl.core.tracing import Trace

__all__ = ["current", "passes_lock"]

#: Held while passes run, which call back into Python.
passes_lock = lock_over_forks()


class _State(threading.local):
    trace: "Trace | None" = None
    scope: str = ""  # of `named_scope`; ends with a dot


current = _State()
