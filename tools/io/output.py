"""Write the output of a tool, never leaving a partial file."""

import io
import os
import stat
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import BinaryIO

__all__ = ["BLOCK", "spool", "write"]


BLOCK = 1 << 20  #: bytes

_LARGE = 1 << 20  # characters of an input whose output may be large


def spool(path: str, size: int) -> BinaryIO:
    """An empty file for an output until `path` is written; on disk after an input of large `size`.

    In memory where there is no disk to write to.
    """
    if size < _LARGE:
        return io.BytesIO()
    from tempfile import TemporaryFile  # 10 ms

    folder = None if path == "-" else os.path.dirname(os.path.realpath(path))
    try:
        return TemporaryFile(dir=folder)
    except OSError:
        return io.BytesIO()


def write(path: str, data: bytes | Iterable[bytes]) -> None:
    """Write `data` to stdout for `-`, else to the file `path`, whole or not at all."""
    blocks = [data] if isinstance(data, bytes) else data
    if path == "-":
        if sys.stdout is None:
            raise OSError("stdout is closed")
        sys.stdout.flush()
        sys.stdout.buffer.writelines(blocks)
        sys.stdout.buffer.flush()
        return
    given = Path(path)
    if given.exists() and not given.is_file():  # a pipe or a device, also by way of /dev/stdout
        with given.open("wb") as file:
            file.writelines(blocks)
        return
    _replace(Path(os.path.realpath(path)), blocks)  # a link stays, its target is replaced


def _replace(target: Path, blocks: Iterable[bytes]) -> None:
    temporary = target.with_name(f".{target.name}.{os.getpid()}.tmp")
    try:
        with temporary.open("xb") as file:
            file.writelines(blocks)
            file.flush()
            os.fsync(file.fileno())
        if target.exists():
            temporary.chmod(stat.S_IMODE(target.stat().st_mode))
        temporary.replace(target)
    finally:
        temporary.unlink(missing_ok=True)
