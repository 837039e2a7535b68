"""Available memory, and refusal of programs that exceed it, at compile time.

XLA on the CPU allocates all temporaries and results of a program at once; if they exceed the
memory, some versions end the process when it runs, and with others the system does.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from anvl.runtime.errors import OutOfMemory

__all__ = ["check_memory", "gibibytes", "machine_memory"]

_MEMINFO = Path("/proc/meminfo")
_CGROUPS = Path("/sys/fs/cgroup")
_OWN_CGROUP = Path("/proc/self/cgroup")


def machine_memory() -> int | None:
    """Bytes available to this process: memory and swap, or the limit of its control group.

    None if the system does not tell.
    """
    try:
        memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, OSError, ValueError):  # not on every platform
        return None
    return min([memory + _swap(), *_limits()])


def _swap() -> int:
    line = next((x for x in _text(_MEMINFO).splitlines() if x.startswith("SwapTotal:")), "")
    return int(line.split()[1]) * 1024 if line else 0


def _limits() -> Iterator[int]:
    """Limits of the control groups of this process, of version 1 or 2."""
    for line in _text(_OWN_CGROUP).splitlines():
        _, controllers, path = line.split(":", 2)
        if controllers == "":
            folder, name, swap = _CGROUPS, "memory.max", "memory.swap.max"
        elif "memory" in controllers.split(","):
            folder, name, swap = _CGROUPS / "memory", "memory.limit_in_bytes", ""
        else:
            continue
        for group in (folder / path.lstrip("/"), folder):  # a container sees its own as the root
            limit = _number(group / name)
            if limit is not None:
                more = _number(group / swap) if swap else 0
                yield limit + (_swap() if more is None else more)


def _number(path: Path) -> int | None:
    text = _text(path).strip()
    return int(text) if text.isdecimal() else None


def _text(path: Path) -> str:
    try:
        return path.read_text()
    except OSError:
        return ""


def check_memory(handle: Any, client: Any, n_devices: int) -> None:
    """Raise `OutOfMemory` if what a compiled program allocates exceeds the memory.

    That is its temporaries and all results, but for those in the memory of donated arguments.
    """
    available = client.memory_bytes
    if available is None:
        return
    stats = handle.get_compiled_memory_stats()
    temporary = stats.temp_size_in_bytes * n_devices
    results = (stats.output_size_in_bytes - stats.alias_size_in_bytes) * n_devices
    if temporary + results <= available:
        return
    needs, remedy = f"{gibibytes(temporary)} of temporary memory", ""
    if temporary <= available:
        needs = f"{gibibytes(results)} for its results and {needs}"
        remedy = "return less, or "
    raise OutOfMemory(
        f"compile: the program needs {needs}, this machine has {gibibytes(available)}; {remedy}"
        "compute in parts, as anvl.map(f, xs, batch_size=...) does, or keep less for a derivative "
        "with anvl.checkpoint"
    )


def gibibytes(n_bytes: int) -> str:
    """Format a number of bytes in GiB."""
    return f"{n_bytes / 2**30:.1f} GiB"
