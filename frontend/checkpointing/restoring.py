"""`restore`: arrays over any mesh, from the parts in the files that have them."""

from __future__ import annotations

import hashlib
import json
import mmap
import os
import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, Self

import numpy as np

from anvl import tree as trees
from anvl.checkpointing.agreement import together
from anvl.checkpointing.boxes import Box, common, read_entry, size_of, within
from anvl.checkpointing.saving import checked_step
from anvl.checkpointing.step_folders import Damaged, committed_steps, read_manifest, step_path
from anvl.core.avals import Aval
from anvl.core.importing import load_operators
from anvl.core.promote import abstract
from anvl.dialect.core.errors import CheckpointError
from anvl.dialect.core.types import DTYPES, dtype_name
from anvl.dialect.text.safetensors import InvalidArrays, StoredArrays
from anvl.dispatch.transfers import prefix_leaves
from anvl.interop.file_paths import checked_path
from anvl.runtime import Array, Placement, default_placement, hiding_frames, put_parts
from anvl.sharding.specs import placement_for
from anvl.tree.treedefs import dotted_names

__all__ = ["CheckpointWarning", "Restored", "latest_step", "restore", "steps"]


class CheckpointWarning(UserWarning):
    """A checkpoint is damaged, and `restore` took an older one."""


class Restored(NamedTuple):
    """A checkpoint that was read.

    Attributes
    ----------
    step : int
    tree : pytree of Array
    metadata : dict of str to str
    """

    step: int
    tree: Any
    metadata: dict[str, str]


def steps(folder: str | os.PathLike[str]) -> list[int]:
    """The steps of the checkpoints in a folder that were written to the end, in ascending order.

    Examples
    --------
    >>> import anvl, tempfile
    >>> anvl.checkpointing.steps(tempfile.mkdtemp())
    []
    """
    return committed_steps(Path(checked_path(folder, "steps")))


def latest_step(folder: str | os.PathLike[str]) -> int | None:
    """The largest of `steps`; None if there is no checkpoint.

    Examples
    --------
    >>> import anvl, tempfile
    >>> print(anvl.checkpointing.latest_step(tempfile.mkdtemp()))
    None
    """
    found = committed_steps(Path(checked_path(folder, "latest_step")))
    return found[-1] if found else None


@hiding_frames
def restore(
    folder: str | os.PathLike[str],
    like: Any = None,
    *,
    step: int | None = None,
    shardings: Any = None,
) -> Restored:
    """Read a checkpoint, by any number of processes, onto any mesh.

    All processes of a job call it.  Each reads the parts that its devices are to have, and checks
    their hashes.

    Parameters
    ----------
    folder : str or path
        The folder that `save` was given.
    like : pytree of arrays or abstract values, optional
        The structure to give back, with the shapes and dtypes that are expected.  Arrays are put
        where those of `like` are.  Without it, a dict of whole arrays by their names.
    step : int, optional
        Which checkpoint.  By default the newest one that is not damaged, with a
        `CheckpointWarning` for each that is.
    shardings : Device, str or Sharding, or a pytree prefix of `like` of these, optional
        Where to put the arrays, in place of where those of `like` are.

    Returns
    -------
    Restored
        The `step`, the `tree`, and the `metadata`.

    Raises
    ------
    CheckpointError
        There is no such checkpoint; it is incomplete or damaged; or its names, shapes or dtypes are
        not those of `like`.
    ShardingError
        An array does not divide over its mesh.

    Examples
    --------
    >>> import anvl, anvl.numpy as np, tempfile
    >>> folder = tempfile.mkdtemp()
    >>> params = {"w": np.ones((4, 2)), "b": np.zeros(2)}
    >>> anvl.checkpointing.save(folder, 10, params, metadata={"data": "v1"})
    >>> step, tree, metadata = anvl.checkpointing.restore(folder, like=params)
    >>> step, tree["b"], metadata
    (10, Array([0., 0.], dtype=float32), {'data': 'v1'})
    """
    load_operators()  # `anvl.checkpointing` may be all of anvl that was imported
    where = Path(checked_path(folder, "restore"))
    if like is None and shardings is not None:
        raise ValueError("restore: shardings are for the arrays of like; give like, too")
    if step is not None:
        return _read_together(where, checked_step(step, "restore"), like, shardings)
    return _newest(where, like, shardings)


def _newest(where: Path, like: Any, shardings: Any) -> Restored:
    """The newest checkpoint that is not damaged."""
    damaged: Damaged | None = None
    steps = _steps_together(where)
    for number in reversed(steps):
        try:
            return _read_together(where, number, like, shardings)
        except Damaged as error:
            if number != steps[0]:
                warnings.warn(f"{error}; an older one is tried", CheckpointWarning, stacklevel=4)
            damaged = damaged or error
    if damaged is not None:
        raise damaged
    raise CheckpointError(
        f"restore: there is no checkpoint in {where}; begin anew where "
        "anvl.checkpointing.latest_step(folder) is None"
    )


def _steps_together(folder: Path) -> list[int]:
    """The steps that process 0 sees."""
    return list(together("restore", f"steps {folder}", lambda: committed_steps(folder))[0])


def _read_together(folder: Path, step: int, like: Any, shardings: Any) -> Restored:
    found: list[Restored] = []

    def read() -> None:
        found.append(_read(folder, step, like, shardings))

    together("restore", f"restore {folder} {step}", read)
    return found[0]


def _read(folder: Path, step: int, like: Any, shardings: Any) -> Restored:
    manifest = read_manifest(folder, step, "restore")
    kinds = manifest["leaves"]
    if like is None:
        places = {name: default_placement() for name in kinds}
        weak = dict.fromkeys(kinds, False)
        treedef = None
    else:
        leaves, treedef = trees.flatten(like)
        names = dotted_names(treedef)
        _check_names(names, kinds)
        avals = [of if isinstance(of, Aval) else abstract(of, "restore") for of in leaves]
        _check_types(dict(zip(names, avals, strict=True)), kinds)
        given = prefix_leaves("restore", "shardings", shardings, treedef)
        places = {
            name: _placement(leaf, place, aval)
            for name, leaf, place, aval in zip(names, leaves, given, avals, strict=True)
        }
        weak = {name: aval.weak_type for name, aval in zip(names, avals, strict=True)}
    with _Files(step_path(folder, step), manifest) as files:
        arrays = {name: files.array(name, places[name], weak[name]) for name in places}
    tree = arrays if treedef is None else trees.unflatten(treedef, list(arrays.values()))
    return Restored(step, tree, manifest.get("metadata", {}))


def _placement(leaf: Any, place: Any, aval: Aval) -> Placement:
    if place is not None:
        return placement_for(place, aval.shape, "restore")
    return leaf.aval.placement if isinstance(leaf, Array) else default_placement()


def _check_names(names: Sequence[str], kinds: Mapping[str, Any]) -> None:
    missing, others = sorted(set(names) - set(kinds)), sorted(set(kinds) - set(names))
    if missing or others:
        raise CheckpointError(
            f"restore: the checkpoint has not the arrays of like: missing {missing[:5]}, "
            f"not wanted {others[:5]}; restore without like= to see its names"
        )


def _check_types(avals: Mapping[str, Aval], kinds: Mapping[str, Any]) -> None:
    for name, aval in avals.items():
        dtype, shape = kinds[name]
        if (dtype_name(aval.dtype), list(aval.shape)) != (dtype, shape):
            raise CheckpointError(
                f"restore: {name} is {dtype}{shape} in the checkpoint, and "
                f"{dtype_name(aval.dtype)}{list(aval.shape)} in like; restore without like=, and "
                "convert it"
            )


class _File:
    """The file of parts that one process wrote, mapped into memory."""

    def __init__(self, folder: Path, said: Mapping[str, Any]) -> None:
        self.path = folder / f"{said['name']}.safetensors"
        index = (folder / f"{said['name']}.json").read_bytes()
        if hashlib.sha256(index).hexdigest() != said["sha256"]:
            raise Damaged(f"restore: {folder / said['name']}.json is damaged: its hash is another")
        found = json.loads(index)
        self.hashes: dict[str, str] = found["parts"]
        with open(self.path, "rb") as file:
            size = os.fstat(file.fileno()).st_size
            if size != said["bytes"]:
                raise Damaged(
                    f"restore: {self.path} is damaged: it has {size} bytes, and was written with "
                    f"{said['bytes']}"
                )
            self._map = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        try:
            self._stored = StoredArrays(self._map)
        except InvalidArrays as error:
            self.close()
            raise Damaged(f"restore: {self.path} is damaged: {error}") from None
        if hashlib.sha256(self._stored.header).hexdigest() != found["header"]:
            self.close()
            raise Damaged(f"restore: {self.path} is damaged: the hash of its header is another")

    def part(self, entry: str) -> np.ndarray[Any, Any]:
        """The values of a part, checked."""
        content = self._stored.content(entry)
        if hashlib.sha256(content).hexdigest() != self.hashes[entry]:
            raise Damaged(f"restore: {self.path} is damaged: the hash of {entry!r} is another")
        return self._stored.array(entry, content)

    def close(self) -> None:
        """Unmap the file."""
        self._map.close()


class _Files:
    """The files of a checkpoint, and for each leaf the parts that they have."""

    def __init__(self, folder: Path, manifest: Mapping[str, Any]) -> None:
        self._folder = folder
        self._kinds = manifest["leaves"]
        self._files: list[_File] = []
        self._parts: dict[str, list[tuple[Box, str, _File]]] = {name: [] for name in self._kinds}
        try:
            for said in manifest["files"]:
                self._open(said)
        except OSError as error:
            self.close()
            raise Damaged(
                f"restore: {folder} is damaged: {error.filename}: {error.strerror}"
            ) from None
        except BaseException:
            self.close()
            raise

    def _open(self, said: Mapping[str, Any]) -> None:
        file = _File(self._folder, said)
        self._files.append(file)
        for entry in file.hashes:
            leaf, box = read_entry(entry)
            self._parts[leaf].append((box, entry, file))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the files."""
        for file in self._files:
            file.close()

    def array(self, name: str, place: Placement, weak_type: bool) -> Array:
        """The array of a leaf at its place."""
        dtype, shape = self._kinds[name]
        of = DTYPES[dtype].numpy
        read: dict[str, np.ndarray[Any, Any]] = {}

        def part(index: tuple[slice, ...]) -> np.ndarray[Any, Any]:
            return self._values(name, of, tuple((s.start, s.stop) for s in index), read)

        return put_parts(tuple(shape), of, place, part, weak_type=weak_type)

    def _values(
        self, name: str, dtype: Any, wanted: Box, read: dict[str, np.ndarray[Any, Any]]
    ) -> np.ndarray[Any, Any]:
        """The values of a box, from the parts that have some of it; `read` keeps these."""
        found = np.empty(tuple(end - begin for begin, end in wanted), dtype)
        n_found = 0
        for box, entry, file in self._parts[name]:
            both = common(wanted, box)
            if both is None:
                continue
            if entry not in read:
                read[entry] = file.part(entry)
            found[within(both, wanted)] = read[entry][within(both, box)]
            n_found += size_of(both)
        if n_found != found.size:
            raise Damaged(
                f"restore: {self._folder} is damaged: its files have {n_found} of the "
                f"{found.size} elements of {name} at {wanted}"
            )
        return found
