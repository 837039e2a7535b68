"""Profiles: what anvl, XLA and the device do, and for how long.

>>> import anvl, tempfile
>>> double = anvl.jit(lambda x: x + x)
>>> with anvl.profiler.trace(tempfile.mkdtemp()) as path:
...     _ = double(1.0).block_until_ready()
>>> path.name.endswith(".trace.json.gz")
True
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from anvl.runtime.instrumentation.trace_events import record

__all__ = ["trace"]


@contextmanager
def trace(folder: str | os.PathLike[str], *, python_calls: bool = False) -> Iterator[Path]:
    """Record a profile of a block, and write it to a new file in a folder.

    The file has the phases of anvl (trace, pass, serialize, compile, execute) and the events of XLA
    and PJRT, thread by thread.  https://ui.perfetto.dev and chrome://tracing open it.

    Parameters
    ----------
    folder : str or path
        The folder of the file; made if it does not exist.
    python_calls : bool
        Whether to record every call of a Python function, too, which costs much time.

    Yields
    ------
    Path
        The file, which is there once the block has ended: `20261125-150401-1234.trace.json.gz`, by
        the time and the process.

    Raises
    ------
    RuntimeError
        A profile is being recorded already, by this process.
    OSError
        The folder cannot be made, or the file not written.

    Notes
    -----
    Results are computed asynchronously: wait for them in the block, with `block_until_ready`.
    Source: "Trace Event Format", https://perfetto.dev/docs/getting-started/other-formats.

    Examples
    --------
    >>> import anvl, anvl.numpy as np, tempfile
    >>> with anvl.profiler.trace(tempfile.mkdtemp()) as path:
    ...     _ = np.sin(1.0).block_until_ready()
    >>> path.exists()
    True
    """
    place = Path(folder)
    place.mkdir(parents=True, exist_ok=True)
    stem = f"{time.strftime('%Y%m%d-%H%M%S')}-{os.getpid()}"
    path, n = place / f"{stem}.trace.json.gz", 1
    while path.exists():
        path, n = place / f"{stem}-{n}.trace.json.gz", n + 1
    with record(path, python_calls):
        yield path


def __dir__() -> list[str]:
    return sorted(__all__)
