"""Profiles: what anvl, XLA and the device do, and for how long.

>>> import anvl, tempfile
>>> double = anvl.jit(lambda x: x + x)
>>> with anvl.profiler.trace(tempfile.mkdtemp()) as path:
...     _ = double(1.0).block_until_ready()
>>> path.name.endswith(".trace.json.gz")
True
"""

from __future__ import annotations

import errno
import os
import time
from collections.abc import Callable, Iterator
from contextlib import ContextDecorator, ExitStack, contextmanager
from pathlib import Path
from typing import Any

from anvl.core.importing import suggest_names as _suggest_names
from anvl.runtime import hide_frames_of as _hide_frames_of
from anvl.runtime import hiding_frames
from anvl.runtime.instrumentation.trace_events import record
from anvl.runtime.lazy import compat
from anvl.runtime.locks import fresh_lock

__all__ = [
    "StepTraceAnnotation", "TraceAnnotation", "annotate_function", "start_trace", "stop_trace",
    "trace",
]  # fmt: skip


@hiding_frames
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
    place = _made_folder(folder)
    stem = f"{time.strftime('%Y%m%d-%H%M%S')}-{os.getpid()}"
    path, n = place / f"{stem}.trace.json.gz", 1
    while path.exists():
        path, n = place / f"{stem}-{n}.trace.json.gz", n + 1
    with record(path, python_calls):
        yield path


def _made_folder(folder: str | os.PathLike[str]) -> Path:
    place = Path(folder)
    try:
        place.mkdir(parents=True, exist_ok=True)
    except FileExistsError as error:
        says = "trace: this is a file; name a folder for the file of the profile"
        raise NotADirectoryError(errno.ENOTDIR, says, error.filename) from None
    except OSError as error:
        says = f"trace: the folder cannot be made: {error.strerror}"
        raise OSError(error.errno, says, error.filename) from None
    return place


# -- under the names of JAX ------------------------------------------------------------------------

_lock = fresh_lock()
_started: list[tuple[ExitStack, Path]] = []


def start_trace(
    log_dir: str | os.PathLike[str], create_perfetto_link: bool = False,
    create_perfetto_trace: bool = False, profiler_options: None = None,
) -> None:  # fmt: skip
    """Begin to record a profile, until `stop_trace`; `trace` records that of a block.

    Parameters
    ----------
    log_dir : str or path
        The folder of the file, made if it does not exist.
    create_perfetto_link : bool
        False: there is no link; the file can be opened there.
    create_perfetto_trace : bool
        Without effect: the file is such a trace.
    profiler_options : None

    Raises
    ------
    RuntimeError
        A profile is being recorded already.
    TypeError
        A link or options are asked for.

    Examples
    --------
    >>> import anvl, anvl.numpy as np, tempfile
    >>> anvl.profiler.start_trace(tempfile.mkdtemp())
    >>> _ = np.sin(1.0).block_until_ready()
    >>> anvl.profiler.stop_trace().exists()
    True
    """
    if create_perfetto_link or profiler_options is not None:
        raise TypeError(
            f"start_trace: create_perfetto_link is {create_perfetto_link!r} and profiler_options "
            f"{profiler_options!r}; leave both out, and open the file at ui.perfetto.dev"
        )
    block = ExitStack()
    path = block.enter_context(trace(log_dir))
    with _lock:
        _started.append((block, path))


def stop_trace() -> Path:
    """End the profile that `start_trace` began, and write its file.

    Returns
    -------
    Path
        The file.

    Raises
    ------
    RuntimeError
        None was begun.

    Examples
    --------
    >>> import anvl, tempfile
    >>> anvl.profiler.start_trace(tempfile.mkdtemp())
    >>> anvl.profiler.stop_trace().name.endswith(".trace.json.gz")
    True
    """
    with _lock:
        if not _started:
            raise RuntimeError("stop_trace: no profile is being recorded; call start_trace first")
        block, path = _started.pop()
    block.close()
    return path


class TraceAnnotation(ContextDecorator):
    """A named block in the profile that is being recorded; also a decorator of functions.

    Parameters
    ----------
    name : str
        What the profile calls it.
    **kwargs
        Facts that it shows, such as `batch=3`.

    Examples
    --------
    >>> import anvl
    >>> with anvl.profiler.TraceAnnotation("load a batch", size=32):
    ...     pass
    """

    def __init__(self, name: str, **kwargs: Any) -> None:
        if not isinstance(name, str) or not name:
            raise TypeError(f"{type(self).__name__}: the name is {name!r}; give a text")
        self._name, self._facts = name, kwargs
        self._marks: list[Any] = []

    def __enter__(self) -> TraceAnnotation:
        mark = compat.profile_mark(self._name, **self._facts)
        mark.__enter__()
        self._marks.append(mark)
        return self

    def __exit__(self, *_: object) -> None:
        self._marks.pop().__exit__(None, None, None)


class StepTraceAnnotation(TraceAnnotation):
    """A block that is one step of a training loop, in the profile that is being recorded.

    Parameters
    ----------
    name : str
        What the profile calls it.
    **kwargs
        Facts that it shows: `step_num=n`.

    Examples
    --------
    >>> import anvl
    >>> for n in range(2):
    ...     with anvl.profiler.StepTraceAnnotation("train", step_num=n):
    ...         pass
    """

    def __init__(self, name: str, **kwargs: Any) -> None:
        super().__init__(name, _r=1, **kwargs)  # XLA's mark of a step


def annotate_function(
    func: Callable[..., Any], name: str | None = None, **decorator_kwargs: Any
) -> Callable[..., Any]:
    """Mark each call of a function in the profile that is being recorded.

    Parameters
    ----------
    func : callable
    name : str, optional
        That of the function, by default.
    **decorator_kwargs
        Facts that the profile shows.

    Returns
    -------
    A function of the same arguments.

    Examples
    --------
    >>> import anvl
    >>> load = anvl.profiler.annotate_function(lambda n: n + 1, name="load")
    >>> load(1)
    2
    """
    called = getattr(func, "__qualname__", "call") if name is None else name
    return TraceAnnotation(called, **decorator_kwargs)(func)


_hide_frames_of(__all__, globals())
_suggest_names(globals(), {
    "device_memory_profile": "anvl.profiler.trace shows what the device does",
    "save_device_memory_profile": "anvl.profiler.trace shows what the device does",
    "start_server": "record with anvl.profiler.trace, and open the file at ui.perfetto.dev",
})  # fmt: skip


def __dir__() -> list[str]:
    return sorted(__all__)
