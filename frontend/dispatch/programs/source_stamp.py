"""The source of anvl as a stamp: what makes a compiled program of a traced one."""

from __future__ import annotations

import hashlib
import os
import sys
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from pathlib import Path

from anvl.core.importing import STARTED
from anvl.dialect.core.mlir import stablehlo

__all__ = ["source_stamp"]

# The packages between a traced program and XLA, which change it: 410 files, 1.2 ms.
_PACKAGES = ("anvl.dialect", "anvl.passes", "anvl.runtime", "anvl.dispatch")
_SOURCE = (".py",)
_LIBRARIES = (".so", ".pyd", ".dylib")
_TICK = 0.05  # seconds: the clock of files goes in steps


@cache
def source_stamp() -> str | None:
    """A digest of the files that make a compiled program of a traced one.

    Of their names, sizes and times of change, as Python tells by size and time whether its bytecode
    is current; and of MLIR's libraries.  None if a module's file was written, moved or replaced
    since this process began, whose modules may be older; or if there are no files.  Libraries are
    loaded by now, and other links to them change only their time of change.
    """
    digest = hashlib.sha256(f"{sys.hexversion} {sys.platform}".encode())
    newest, count = 0.0, 0
    try:
        for name, status in _files():
            facts = name, status.st_size, status.st_mtime_ns
            digest.update(repr(facts).encode(errors="surrogateescape"))
            if name.endswith(_SOURCE):
                newest, count = max(newest, status.st_mtime, status.st_ctime), count + 1
    except OSError:
        return None
    if not count or newest > STARTED - _TICK:
        return None
    return digest.hexdigest()


def _files() -> Iterator[tuple[str, os.stat_result]]:
    for package in _PACKAGES:
        for root in import_module(package).__path__:
            yield from _below(root, _SOURCE)
    yield from _in(str(Path(stablehlo.__file__).parent), _LIBRARIES)


def _below(folder: str, endings: tuple[str, ...]) -> Iterator[tuple[str, os.stat_result]]:
    yield from _in(folder, endings)
    with os.scandir(folder) as entries:
        folders = sorted(e.path for e in entries if e.is_dir() and e.name != "__pycache__")
    for path in folders:
        yield from _below(path, endings)


def _in(folder: str, endings: tuple[str, ...]) -> Iterator[tuple[str, os.stat_result]]:
    with os.scandir(folder) as entries:
        for entry in sorted(entries, key=lambda entry: entry.name):
            if entry.name.endswith(endings):
                yield entry.path, entry.stat()
