"""Folders of checkpoints: one for each step, which is there as a whole or not at all.

Note [How a checkpoint becomes one]

The files of a step are written into `step_0000000010.partial`, each to a temporary name, to the
disk (`fsync`), and then renamed.  When all processes have done so, process 0 writes the manifest,
and renames the folder.  So a folder without the ending has all its files, whenever a process or the
machine ends.  What the files hold is checked when they are read, by the hashes in the manifest.

    manifest.json              the step, the leaves, and for each process its files
    process_0.safetensors      the parts of arrays that process 0 had, one array a part
    process_0.json             hashes of the parts
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from anvl.dialect.core.errors import CheckpointError
from anvl.dialect.text.export_file import write_atomically

__all__ = [
    "FORMAT", "Damaged", "commit", "committed_steps", "partial_path", "prepare", "read_manifest",
    "remove_all_but", "step_path", "write_json",
]  # fmt: skip

#: Raised when a reader of the former number cannot read what is written.
FORMAT = 1
MANIFEST = "manifest.json"
_HASH = "sha256"  # of all else in the manifest


class Damaged(CheckpointError):
    """A checkpoint is not what was written, so that an older one may be taken."""


_STEP = re.compile(r"step_(\d{10,})")
_PARTIAL, _REPLACED = ".partial", ".replaced"


def step_path(folder: Path, step: int) -> Path:
    """The folder of a step."""
    return folder / f"step_{step:010d}"


def committed_steps(folder: Path) -> list[int]:
    """The steps that are there as a whole, in ascending order."""
    if not folder.is_dir():
        return []
    found = [_STEP.fullmatch(entry.name) for entry in folder.iterdir()]
    steps = [int(match[1]) for match in found if match]
    return sorted(step for step in steps if (step_path(folder, step) / MANIFEST).is_file())


def prepare(folder: Path, step: int) -> None:
    """Make an empty folder to write the files of a step into.  Raises `OSError`."""
    folder.mkdir(parents=True, exist_ok=True)
    partial = partial_path(folder, step)
    if partial.exists():  # of a job that ended meanwhile
        shutil.rmtree(partial)
    partial.mkdir()


def partial_path(folder: Path, step: int) -> Path:
    """The folder that the files of a step are written into."""
    path = step_path(folder, step)
    return path.with_name(path.name + _PARTIAL)


def commit(folder: Path, step: int, manifest: Mapping[str, Any]) -> None:
    """Make a checkpoint of what was written, in place of one of the step.  Raises `OSError`."""
    partial, final = partial_path(folder, step), step_path(folder, step)
    write_json(partial / MANIFEST, {**manifest, _HASH: _hash(manifest)})
    old = final.with_name(final.name + _REPLACED)
    shutil.rmtree(old, ignore_errors=True)
    if final.exists():
        final.rename(old)
    try:
        partial.rename(final)
    except OSError:
        if old.exists():
            old.rename(final)
        raise
    _sync(folder)
    shutil.rmtree(old, ignore_errors=True)


def _hash(manifest: Mapping[str, Any]) -> str:
    return hashlib.sha256(json.dumps(manifest, sort_keys=True).encode()).hexdigest()


def _sync(folder: Path) -> None:
    """Have the system write the names in a folder to the disk."""
    if hasattr(os, "O_DIRECTORY"):
        descriptor = os.open(folder, os.O_DIRECTORY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def remove_all_but(folder: Path, keep: int) -> None:
    """Remove the oldest checkpoints, so that so many are left."""
    for step in committed_steps(folder)[:-keep]:
        shutil.rmtree(step_path(folder, step), ignore_errors=True)


def write_json(path: Path, content: Mapping[str, Any]) -> bytes:
    """Write a file of JSON, whole or not at all; returns its bytes."""
    data = json.dumps(content, indent=1, ensure_ascii=False, sort_keys=True).encode() + b"\n"
    write_atomically(path, data)
    return data


def read_manifest(folder: Path, step: int, caller: str) -> dict[str, Any]:
    """The manifest of a step.  Raises `CheckpointError`."""
    path = step_path(folder, step)
    try:
        found = json.loads((path / MANIFEST).read_bytes())
        form, is_whole = found["format"], found.pop(_HASH) == _hash(found)
    except OSError as error:
        known = ", ".join(map(str, committed_steps(folder))) or "none"
        raise CheckpointError(
            f"{caller}: there is no whole checkpoint of step {step} in {folder} "
            f"({MANIFEST}: {error.strerror}); there are steps {known}"
        ) from None
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise Damaged(f"{caller}: {path / MANIFEST} is damaged: it is no manifest") from None
    if not is_whole:
        raise Damaged(f"{caller}: {path / MANIFEST} is damaged: its hash is another")
    if form != FORMAT:
        raise CheckpointError(
            f"{caller}: {path / MANIFEST} has format {form!r}, and this version of anvl reads "
            f"format {FORMAT}"
        )
    return dict(found)
