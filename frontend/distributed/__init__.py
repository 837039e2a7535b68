"""`anvl.distributed`: programs over the devices of several processes, on one machine or many.

    anvl.distributed.initialize()             in each process, before anything else
    python -m anvl.distributed.launch -n 4 script.py

The page `docs/distributed.md` begins with an example.
"""

from __future__ import annotations

from anvl.distributed.local_arrays import make_array_from_local
from anvl.runtime import hide_frames_of as _hide_frames_of
from anvl.runtime.distributed.processes import (
    barrier,
    initialize,
    is_initialized,
    process_count,
    process_index,
    shutdown,
)

__all__ = [
    "barrier",
    "initialize",
    "is_initialized",
    "make_array_from_local",
    "process_count",
    "process_index",
    "shutdown",
]

_hide_frames_of(__all__, globals())


def __dir__() -> list[str]:
    return list(__all__)
