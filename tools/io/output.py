"""Write the output of a tool, never leaving a partial file."""

import os
import stat
import sys
from pathlib import Path

__all__ = ["write"]


def write(path: str, data: bytes) -> None:
    """Write `data` to stdout for `-`, else to the file `path`, whole or not at all."""
    if path == "-":
        if sys.stdout is None:
            raise OSError("stdout is closed")
        sys.stdout.flush()
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()
        return
    given = Path(path)
    if given.exists() and not given.is_file():  # a pipe or a device, also by way of /dev/stdout
        with given.open("wb") as file:
            file.write(data)
        return
    _replace(Path(os.path.realpath(path)), data)  # a link stays, its target is replaced


def _replace(target: Path, data: bytes) -> None:
    temporary = target.with_name(f".{target.name}.{os.getpid()}.tmp")
    try:
        with temporary.open("xb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        if target.exists():
            temporary.chmod(stat.S_IMODE(target.stat().st_mode))
        temporary.replace(target)
    finally:
        temporary.unlink(missing_ok=True)
