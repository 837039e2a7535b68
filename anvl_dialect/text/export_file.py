"""The file of `anvl.export`: a zip archive of a manifest, a program twice, and its arrays.

    manifest.json           what the other members are, with their sizes and hashes; the arguments
    program.mlir            the module in anvl's ops, as traced, marked with the dialect's version
    program.stablehlo       the same as a portable artifact
    constants.safetensors   the arrays that the function closed over

Nothing is compressed, so that a small file cannot become a large one, and nothing in it is code.

    write_export(path, manifest, members)     atomically
    with read_export(name, path) as file:     checks the structure, and the manifest's form
        file.member("program.mlir")         checks its hash

Every problem of a file is an `ExportError` that names it.  A hash finds damage, not malice: so the
program is text, which is checked before MLIR reads it (`hazards.py`), where bytecode can crash its
reader.  Its form is generic, which changes least between versions.
"""

import hashlib
import io
import json
import os
import tempfile
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Self

import numpy as np

from anvl.dialect.core.errors import ExportError
from anvl.dialect.text.safetensors import InvalidArrays, decoded
from anvl.dialect.text.versions import VERSION, is_newer

__all__ = [
    "ARTIFACT", "CONSTANTS", "FORMAT", "MAGIC", "MANIFEST", "PROGRAM", "ExportError",
    "ExportFile", "packed", "read_export", "write_atomically",
]  # fmt: skip

#: The first bytes of a file.
MAGIC = b"PK\3\4"
MANIFEST = "manifest.json"
PROGRAM, ARTIFACT, CONSTANTS = "program.mlir", "program.stablehlo", "constants.safetensors"
_MEMBERS = (PROGRAM, ARTIFACT, CONSTANTS)

#: Raised when a reader of the former number cannot read what is written.
FORMAT = 1

_LONGEST_MANIFEST = 64 << 20  # bytes; a million arguments take a third of it
_EPOCH = (1980, 1, 1, 0, 0, 0)  # so that equal exports are equal files


def packed(manifest: Mapping[str, Any], members: Mapping[str, bytes]) -> bytes:
    """The bytes of a file.  The manifest gets the format, and the sizes and hashes of members."""
    described = {
        name: {"bytes": len(data), "sha256": hashlib.sha256(data).hexdigest()}
        for name, data in members.items()
    }
    of_all = {"format": FORMAT, "dialect": VERSION, **manifest, "members": described}
    text = json.dumps(of_all, indent=1, ensure_ascii=False).encode() + b"\n"
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_STORED) as archive:
        for name, data in {MANIFEST: text, **members}.items():
            archive.writestr(zipfile.ZipInfo(name, _EPOCH), data)
    return buffer.getvalue()


def write_atomically(path: str | os.PathLike[str], *data: Any) -> None:
    """Write a file of these bytes whole or not at all, also where the machine goes down meanwhile.

    A link stays, and its target is replaced.  Raises `OSError`.
    """
    target = Path(os.path.realpath(path))
    handle, temporary = tempfile.mkstemp(prefix=f".{target.name}.", dir=target.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            for part in data:
                file.write(part)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(temporary, _mode_for(target))
        os.replace(temporary, target)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise
    if hasattr(os, "O_DIRECTORY"):  # the new name, too, is to survive
        folder = os.open(target.parent, os.O_DIRECTORY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)


def _mode_for(target: Path) -> int:
    """Permissions of the file that is replaced, or those that `open` would give."""
    if target.exists():
        return target.stat().st_mode & 0o7777
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask


class ExportFile:
    """An opened file: its `manifest`, and the members, each read when it is first needed."""

    def __init__(self, name: str, archive: zipfile.ZipFile) -> None:
        self.name = name
        self._archive = archive
        self._known = _checked_entries(name, archive)
        self.manifest = self._read_manifest()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._archive.close()

    def member(self, name: str) -> bytes:
        """The content of a member.  Raises `ExportError` if it is not what the manifest says."""
        content = self._read(name)
        described = self.manifest["members"][name]
        if hashlib.sha256(content).hexdigest() != described.get("sha256"):
            raise ExportError(f"{self.name}: {name} is damaged, its hash is not the manifest's")
        return content

    def arrays(self) -> dict[str, np.ndarray]:
        """The arrays that the function closed over, by name."""
        try:
            return decoded(self.member(CONSTANTS))
        except InvalidArrays as error:
            raise ExportError(f"{self.name}: {CONSTANTS} is malformed, {error}") from None

    def captured(self) -> dict[int, np.ndarray]:
        """The array of each `anvl.captured` of the program, by its index."""
        arrays, names = self.arrays(), self.manifest.get("captured")
        if not isinstance(names, dict) or not all(map(str.isdecimal, names)):
            raise ExportError(f"{self.name}: the captured arrays of {MANIFEST} are malformed")
        for name in names.values():
            if not isinstance(name, str) or name not in arrays:
                raise ExportError(f"{self.name}: {CONSTANTS} lacks the array {name!r}")
        return {int(index): arrays[name] for index, name in names.items()}

    def _read(self, name: str) -> bytes:
        try:
            return self._archive.read(self._known[name])
        except (zipfile.BadZipFile, EOFError, OSError, RuntimeError, ValueError) as error:
            problem = f"{self.name}: {name} is damaged, {error}; export the function again"
            raise ExportError(problem) from None

    def _read_manifest(self) -> dict[str, Any]:
        if self._known[MANIFEST].file_size > _LONGEST_MANIFEST:
            raise ExportError(f"{self.name}: {MANIFEST} is longer than {_LONGEST_MANIFEST} bytes")
        try:
            found = json.loads(self._read(MANIFEST))
        except (ValueError, RecursionError) as error:
            if isinstance(error, ExportError):
                raise
            raise ExportError(f"{self.name}: {MANIFEST} is not JSON, {error}") from None
        if not isinstance(found, dict):
            raise ExportError(f"{self.name}: {MANIFEST} is no JSON object")
        self._check_versions(found)
        members = found.get("members")
        for name in _MEMBERS:
            described = members.get(name) if isinstance(members, dict) else None
            size = self._known[name].file_size
            if not isinstance(described, dict) or described.get("bytes") != size:
                raise ExportError(f"{self.name}: {MANIFEST} describes another {name}")
        return found

    def _check_versions(self, manifest: Mapping[str, Any]) -> None:
        """Refuse a file of a newer version of the format, or of the dialect."""
        form, dialect = manifest.get("format"), manifest.get("dialect")
        if type(form) is not int or form < 1 or not isinstance(dialect, str):
            raise ExportError(f"{self.name}: {MANIFEST} has no version")
        try:
            newer = form > FORMAT or is_newer(dialect)
        except ValueError:
            raise ExportError(f"{self.name}: {dialect!r} is no version of the dialect") from None
        if newer:
            raise ExportError(
                f"{self.name}: written by a newer anvl ({manifest.get('anvl')}), in format {form} "
                f"with dialect {dialect}; this one reads up to format {FORMAT} with dialect "
                f"{VERSION}: install a newer anvl"
            )


def read_export(name: str, source: str | os.PathLike[str] | bytes) -> ExportFile:
    """Open a file, or its bytes; `name` stands for it in messages.

    Raises `ExportError`, and `OSError` if it cannot be opened.
    """
    try:
        archive = zipfile.ZipFile(io.BytesIO(source) if isinstance(source, bytes) else source)
    except (zipfile.BadZipFile, EOFError, ValueError, NotImplementedError, RuntimeError) as error:
        raise ExportError(
            f"{name}: no file of anvl.export, or cut off, {error}; export the function again"
        ) from None
    try:
        return ExportFile(name, archive)
    except BaseException:
        archive.close()
        raise


def _checked_entries(name: str, archive: zipfile.ZipFile) -> dict[str, zipfile.ZipInfo]:
    """The entries of an archive by name, which are the members and no others."""
    found: dict[str, zipfile.ZipInfo] = {}
    for entry in archive.infolist():
        if entry.filename not in (MANIFEST, *_MEMBERS) or entry.filename in found:
            twice = " twice" if entry.filename in found else ""
            raise ExportError(
                f"{name}: has the member {entry.filename!r}{twice}, which no file of anvl.export "
                "has; a newer anvl may have written it"
            )
        if entry.compress_type != zipfile.ZIP_STORED or entry.compress_size != entry.file_size:
            raise ExportError(f"{name}: {entry.filename} is compressed, which anvl.export does not")
        found[entry.filename] = entry
    for wanted in (MANIFEST, *_MEMBERS):
        if wanted not in found:
            raise ExportError(f"{name}: has no {wanted}, which every file of anvl.export has")
    return found
