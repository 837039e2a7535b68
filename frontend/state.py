"""Which trace, if any, this thread is recording into."""

import threading
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from anvl.tracing import Trace

__all__ = ["current", "tracing_lock"]

#: Held while tracing and while passes run: all of it works on the process's one MLIR context.
tracing_lock = threading.RLock()


class _State(threading.local):
    trace: "Trace | None" = None


current = _State()
