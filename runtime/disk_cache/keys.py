"""Keys of compiled programs: a digest of all that the result of compiling depends on."""

from __future__ import annotations

import os
import re
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from anvl.runtime.lazy import compat
from anvl.runtime.settings import runtime_settings

if TYPE_CHECKING:
    from anvl.runtime.client import Placement

__all__ = ["alias_key", "program_key"]

_FORMAT = "1"  # counts changes of the fields below
_CPUINFO = Path("/proc/cpuinfo")
# Variables that XLA and its plugins read; XLA_FLAGS also changes the options of every program.
_VARIABLES = ("XLA_FLAGS", "NPROC", "PJRT_NPROC", "LIBTPU_INIT_ARGS")


def program_key(program: bytes | str, options: Any, place: Placement) -> str:
    """The key of a program, compiled with these options for this placement: 64 hex digits.

    Parameters
    ----------
    program
        As `compile` takes it.
    options
        The client's `CompileOptions`, with the devices.
    """
    return _digest("text" if isinstance(program, str) else "bytes", program, options, place)


def alias_key(form: bytes, options: Any, place: Placement) -> str:
    """The key of the alias of a program, given its form before it is lowered."""
    return _digest("before lowering", form, options, place)


def _digest(kind: str, program: bytes | str, options: Any, place: Placement) -> str:
    client, handle = place.client, place.client.handle
    parts: list[bytes | str] = [
        _FORMAT,
        kind,
        program,
        options.SerializeAsString(),
        compat.JAXLIB_VERSION,
        client.name,
        repr(sorted(client.attributes.items())),
        *_stamp(client.library),
        handle.platform,
        handle.platform_version,
        handle.runtime_type,
        compat.topology_fingerprint(list(place.handles)),
        *_machine(),
        str(runtime_settings.num_cpu_threads),
    ]
    import hashlib  # with OpenSSL, 3 ms: not for a process that compiles nothing

    digest = hashlib.sha256()
    for part in parts:
        data = part.encode(errors="surrogateescape") if isinstance(part, str) else part
        digest.update(len(data).to_bytes(8, "little"))
        digest.update(data)
    return digest.hexdigest()


def _stamp(library: Path | None) -> tuple[str, ...]:
    """The file of a plugin: not all say their version."""
    if library is None:
        return ()
    try:
        status = library.stat()
    except OSError:  # removed since it was loaded
        return ("unknown",)
    return (str(status.st_size), str(status.st_mtime_ns))


@cache  # XLA reads its variables once, too, when it first compiles
def _machine() -> tuple[str, ...]:
    """Describe this process as a target: XLA splits loops by the number of cores."""
    has_affinity = hasattr(os, "sched_getaffinity")
    cores = len(os.sched_getaffinity(0)) if has_affinity else os.cpu_count() or 1
    variables = (os.environ.get(name, "") for name in _VARIABLES)
    return (*variables, str(cores), *os.uname()[4:], _cpu_features())


def _cpu_features() -> str:
    """Instruction sets of the processor, where the system tells: a home may be on a network."""
    try:
        with _CPUINFO.open() as lines:
            found = (line for line in lines if re.match(r"(flags|Features)\s*:", line))
            return next(found, "")
    except OSError:
        return ""
