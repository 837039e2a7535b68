"""The source of anvl as a stamp: what makes a compiled program of a traced one."""

from __future__ import annotations

import hashlib
import os
import sys
from collections.abc import Sequence
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from anvl.core.importing import STARTED
from anvl.dialect.core.mlir import stablehlo

__all__ = ["source_stamp"]

# The packages between a traced program and XLA, which change it: 430 files, 2 ms.
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
    sources: list[_File] = []
    libraries: list[_File] = []
    try:
        for package in _PACKAGES:
            for root in _folders(package):
                _add_below(root, _SOURCE, sources)
        _add(str(Path(stablehlo.__file__).parent), _LIBRARIES, libraries, [])
    except OSError:
        return None
    newest = max((max(of.st_mtime, of.st_ctime) for _, of in sources), default=None)
    if newest is None or newest > STARTED - _TICK:
        return None
    facts = sorted([(path, of.st_size, of.st_mtime_ns) for path, of in sources + libraries])
    known = repr((sys.hexversion, sys.platform, facts))
    return hashlib.sha256(known.encode(errors="surrogateescape")).hexdigest()


def _folders(package: str) -> Sequence[str]:
    """The folders of a package, which is not imported for it."""
    spec = find_spec(package)
    return () if spec is None else spec.submodule_search_locations or ()


_File = tuple[str, os.stat_result]


def _add_below(folder: str, ending: tuple[str, ...], found: list[_File]) -> None:
    folders = [folder]
    for each in folders:  # grows in the loop
        _add(each, ending, found, folders)


def _add(folder: str, ending: tuple[str, ...], found: list[_File], folders: list[str]) -> None:
    """Add the files of a folder that end so, and to `folders` those in it."""
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.name.endswith(ending):
                found.append((entry.path, entry.stat()))
            elif entry.name != "__pycache__" and entry.is_dir():
                folders.append(entry.path)
