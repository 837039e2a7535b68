"""A profile of XLA's profiler as Chrome's trace events, which Perfetto and chrome://tracing open.

    record(path, python_calls=False)     records a block, and writes the file

Source: "Trace Event Format", https://perfetto.dev/docs/getting-started/other-formats.
"""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from anvl.runtime.instrumentation.phases import recorded
from anvl.runtime.lazy import compat

__all__ = ["record"]

_PHASES = ("trace ", "pass ", "serialize ", "compile ")
# PJRT's outermost event of a call, by its names in different versions.
_EXECUTE = re.compile(r"LoadedExecutable::Execute(Helper\w*|Sharded)?$")
# Bookkeeping of the profiler itself, thousands of events without duration.
_NOISE = ("ThreadpoolListener::", "end: ")
_PRIVATE_STATS = "_"  # of what the profiler links events by


@contextmanager
def record(path: Path, python_calls: bool) -> Iterator[None]:
    """Record a profile of the block, and write it to `path`, also if the block raises.

    Raises `RuntimeError` if one is being recorded.
    """
    with recorded():
        session = compat.start_profile(python_calls)
        try:
            yield
        finally:
            profile = compat.end_profile(session)
            _write(path, _events(profile))


def _write(path: Path, events: Iterator[dict[str, Any]]) -> None:
    """Write event by event: a second of a large program has a million of them."""
    with gzip.open(path, "wt", encoding="utf-8", compresslevel=1) as file:
        file.write('{"displayTimeUnit": "ns", "traceEvents": [\n')
        separator = ""
        for event in events:
            file.write(separator + json.dumps(event))
            separator = ",\n"
        file.write("\n]}\n")


def _events(profile: Any) -> Iterator[dict[str, Any]]:
    for process, plane in enumerate(profile.planes):
        lines = list(plane.lines)
        if lines:
            yield _name("process_name", plane.name, process)
        for thread, line in enumerate(lines):
            yield _name("thread_name", line.name.removeprefix("tf_"), process, thread)
            for event in line.events:
                if not event.name.startswith(_NOISE):
                    yield _event(event, process, thread)


def _name(kind: str, name: str, process: int, thread: int = 0) -> dict[str, Any]:
    return {"ph": "M", "name": kind, "pid": process, "tid": thread, "args": {"name": name}}


def _event(event: Any, process: int, thread: int) -> dict[str, Any]:
    """A complete event; times are microseconds.  A call of PJRT becomes our phase `execute`."""
    name = event.name
    args = {k: v for k, v in event.stats if not k.startswith(_PRIVATE_STATS)}
    if _EXECUTE.search(name):
        name, args = "execute", {"pjrt": name, **args}
    is_ours = name == "execute" or name.startswith(_PHASES)
    return {
        "ph": "X", "cat": "anvl" if is_ours else "xla", "name": name, "pid": process,
        "tid": thread, "ts": event.start_ns / 1000, "dur": event.duration_ns / 1000,
        "args": {k: v if isinstance(v, int | float | bool) else str(v) for k, v in args.items()},
    }  # fmt: skip
