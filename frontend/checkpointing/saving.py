"""`save`: every process writes the parts of arrays that it has."""

from __future__ import annotations

import hashlib
import json
import os
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from anvl import tree as trees
from anvl.checkpointing.agreement import together
from anvl.checkpointing.boxes import Box, entry_of
from anvl.checkpointing.step_folders import (
    FORMAT,
    commit,
    partial_path,
    prepare,
    remove_all_but,
    write_json,
)
from anvl.core.promote import abstract
from anvl.core.tracer import Tracer
from anvl.dialect.core.errors import CheckpointError, TraceError
from anvl.dialect.core.types import dtype_name
from anvl.dialect.text.export_file import write_atomically
from anvl.dialect.text.safetensors import encoded_parts
from anvl.interop.file_paths import checked_path
from anvl.runtime import Array, ShardedPlacement, hiding_frames
from anvl.runtime.distributed.processes import process_index
from anvl.tree.treedefs import dotted_names

__all__ = ["checked_step", "save"]


@hiding_frames
def save(
    folder: str | os.PathLike[str],
    step: int,
    tree: Any,
    *,
    keep: int | None = None,
    metadata: Mapping[str, str] | None = None,
) -> None:
    """Write a checkpoint of a pytree: as a whole, or not at all.

    All processes of a job call it, with the same arguments and a folder that all of them see.  Each
    writes the parts of sharded arrays that it has, one copy of each part; process 0 writes all
    other arrays and numbers.

    Parameters
    ----------
    folder : str or path
        Of all checkpoints of a run; made if it is not there.
    step : int
        The number of the checkpoint.  One of the same step is replaced.
    tree : pytree of arrays and numbers
        Parameters, the state of an optimizer, a random key.
    keep : int, optional
        How many checkpoints to keep, the newest; all by default.
    metadata : dict of str to str, optional
        Text that `restore` gives back.

    Raises
    ------
    TypeError, ValueError
        A leaf is no array, `step` no number from 0, two leaves have one name.
    TraceError
        A leaf is traced.
    CheckpointError
        The processes save different things, or another one could not write.
    OSError
        This process cannot write its files.

    Examples
    --------
    >>> import anvl, anvl.numpy as np, tempfile
    >>> folder = tempfile.mkdtemp()
    >>> anvl.checkpointing.save(folder, 10, {"w": np.ones((4, 2)), "b": np.zeros(2)})
    >>> anvl.checkpointing.steps(folder)
    [10]
    """
    where = Path(checked_path(folder, "save"))
    number = checked_step(step, "save")
    if keep is not None and (type(keep) is not int or keep < 1):
        raise ValueError(f"save: keep must be a number from 1, got {keep!r}")
    leaves = _named_leaves(tree)
    kinds = {name: _kind(name, leaf) for name, leaf in leaves.items()}
    manifest = {
        "format": FORMAT, "step": number, "leaves": kinds, "metadata": _checked_texts(metadata),
    }  # fmt: skip
    _save(where, number, leaves, manifest)
    if keep is not None and process_index() == 0:
        remove_all_but(where, keep)


def _save(folder: Path, step: int, leaves: Mapping[str, Any], manifest: Mapping[str, Any]) -> None:
    """Write a checkpoint; the processes wait for each other before and after it is written."""
    is_first = process_index() == 0

    def begin() -> str:
        if is_first:
            prepare(folder, step)
        return hashlib.sha256(json.dumps(manifest, sort_keys=True).encode()).hexdigest()

    # The step is no part of the name: that they disagree on it is found, not waited for.
    if len(set(together("save", f"{folder}: begin", begin))) > 1:
        raise CheckpointError(
            f"save: the processes save different things in {folder}; give all of them the same "
            f"step (here {step}), trees of one structure and the same metadata"
        )
    partial = partial_path(folder, step)
    files = list(together("save", f"{folder}: written", lambda: _write(partial, leaves)))

    def end() -> None:
        if is_first:
            commit(folder, step, {**manifest, "files": files})

    together("save", f"{folder}: end", end)


def checked_step(step: object, caller: str) -> int:
    """The number of a step.  Raises `TypeError` or `ValueError`."""
    if isinstance(step, bool) or not isinstance(step, int | np.integer):
        raise TypeError(
            f"{caller}: step must be a whole number, got {step!r} of type {type(step).__name__}"
        )
    if step < 0:
        raise ValueError(f"{caller}: step must be 0 or more, got {step}")
    return int(step)


def _checked_texts(metadata: Mapping[str, str] | None) -> dict[str, str]:
    texts = {} if metadata is None else dict(metadata)
    for name, text in texts.items():
        if not isinstance(name, str) or not isinstance(text, str):
            raise TypeError(f"save: metadata maps text to text, got {name!r}: {text!r}")
    return texts


def _named_leaves(tree: Any) -> dict[str, Any]:
    leaves, treedef = trees.flatten(tree)
    names = dotted_names(treedef)
    twice = [name for name, count in Counter(names).items() if count > 1]
    if twice:
        raise ValueError(f"save: several leaves are called {twice[0]!r}; rename one of them")
    return dict(zip(names, leaves, strict=True))


def _kind(name: str, leaf: Any) -> list[Any]:
    """The dtype and the shape of a leaf, as the manifest has them."""
    name = name or "the tree"
    if isinstance(leaf, Tracer):
        raise TraceError(
            f"save: {name} is traced, {leaf.aval}, and has no values to store; return it from the "
            "function, and save the result"
        )
    try:
        of = abstract(leaf, "save")
        return [dtype_name(of.dtype), list(of.shape)]
    except (KeyError, TypeError):
        raise TypeError(
            f"save: {name} is {leaf!r} of type {type(leaf).__name__}, which is no array that can "
            "be stored"
        ) from None


def _write(folder: Path, leaves: Mapping[str, Any]) -> dict[str, Any]:
    """Write the files of this process; returns what the manifest says of them."""
    index = process_index()
    parts = {
        entry_of(name, box): value
        for name, leaf in leaves.items()
        for box, value in _parts(leaf, index)
    }
    header, stored = encoded_parts(parts)  # the memory of the arrays, of which there is no copy
    hashes = {name: hashlib.sha256(part).hexdigest() for name, part in stored.items()}
    file = f"process_{index}"
    write_atomically(folder / f"{file}.safetensors", header, *stored.values())
    hash_ = hashlib.sha256(header).hexdigest()
    said = write_json(folder / f"{file}.json", {"header": hash_, "parts": hashes})
    size = len(header) + sum(map(len, stored.values()))
    return {"name": file, "bytes": size, "sha256": hashlib.sha256(said).hexdigest()}


def _parts(leaf: Any, process: int) -> list[tuple[Box, np.ndarray[Any, Any]]]:
    """The parts of an array that this process writes: of copies only the first is written."""
    if isinstance(leaf, Array) and isinstance(leaf.aval.placement, ShardedPlacement):
        shards = [shard for shard in leaf.addressable_shards if shard.replica == 0]
        return [(_box(shard.index), np.asarray(shard.data)) for shard in shards]
    if process != 0:
        return []
    of = abstract(leaf, "save")
    value = np.asarray(leaf, dtype=of.dtype)
    return [(tuple((0, n) for n in value.shape), value)]


def _box(index: tuple[slice, ...]) -> Box:
    return tuple((part.start, part.stop) for part in index)
