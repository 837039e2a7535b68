"""The folder of the cache: who may own it, atomic writes, and removal of the least recently used.

Note [Trust in the folder]

Loading a program runs native code.  So the folder and all files in it must belong to this user,
and nobody else may write to them; and each entry is sealed with a secret that only this user can
read (`entries.py`), which also finds damage.  All is opened relative to the folder that was
checked, so that it cannot be exchanged in between, and no link is followed.

Note [Atomic writes]

An entry is written to a temporary file of the folder, flushed to the disk, and renamed.  A process
that is killed leaves a temporary file, which is removed an hour later; two that write one entry
each write all of it, and the last one stays.  So processes need no lock.
"""

from __future__ import annotations

import contextlib
import os
import stat
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from anvl.runtime.disk_cache.entries import (
    SECRET_BYTES,
    Damaged,
    Entry,
    header_of,
    opened,
)

__all__ = ["ALIAS", "PROGRAM", "Folder", "Kept", "Refused", "default_path", "is_supported"]

#: The kinds of entries, which are the endings of their files.
PROGRAM, ALIAS = ".program", ".alias"

_SECRET = "secret"
_TAG = "CACHEDIR.TAG"
_TAG_TEXT = b"""Signature: 8a477f597d28d172789f06886806bc55
# Compiled programs of anvl, which it can make again: backups need not have them.
"""
_TEMPORARY = ".writing-"
_ABANDONED = 3600.0  # seconds after which nobody writes to a temporary file any more
_BLOCK = 4096  # a file takes a multiple of it
_HEAD = 1 << 14  # bytes of an entry that have its header


class Refused(Exception):
    """The folder, or a file in it, is not safe to use: not ours, or others may write to it."""


class Kept(NamedTuple):
    """A file of the cache, as `Folder.kept` lists it: bytes on disk, time of the last use."""

    key: str
    size: int
    used: float
    header: dict[str, Any]


def is_supported() -> bool:
    """Whether files have owners and permissions, on which the cache relies: not on Windows."""
    return hasattr(os, "geteuid")


def default_path() -> Path | None:
    """`$XDG_CACHE_HOME/anvl`, or `~/.cache/anvl`; None without a home directory."""
    base = os.environ.get("XDG_CACHE_HOME", "")
    if not os.path.isabs(base):  # the specification says to ignore a relative one
        base = os.path.join(os.path.expanduser("~"), ".cache")
    return Path(base, "anvl") if os.path.isabs(base) else None


class Folder:
    """A folder of entries.  Every method opens and checks the folder again.

    Methods raise `Refused`, and `OSError` if the system does not allow what they do.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path)

    def __repr__(self) -> str:
        return f"<Folder({str(self.path)!r})>"

    def create(self) -> None:
        """Create the folder, for this user alone, unless it exists."""
        try:
            os.makedirs(self.path, mode=0o700)
        except FileExistsError:
            return
        with self._opened() as fd:
            _write(fd, _TAG, _TAG_TEXT)

    def read(self, key: str, kind: str = PROGRAM) -> Entry | None:
        """The entry of a key, or None.  Raises `Damaged` if it is not as it was written."""
        try:
            with self._opened() as fd:
                secret = self._secret(fd)
                data = None if secret is None else self._data(fd, key + kind, is_use=True)
        except FileNotFoundError:
            return None
        return None if data is None or secret is None else opened(key, data, secret)

    def secret(self) -> bytes:
        """The secret that entries are sealed with, made if there is none."""
        with self._opened() as fd:
            found = self._secret(fd)
            if found is None:
                _write_new(fd, _SECRET, os.urandom(SECRET_BYTES))
                found = self._secret(fd)
            assert found is not None
            return found

    def write(self, key: str, data: bytes, kind: str = PROGRAM) -> None:
        """Write an entry, in place of one that there may be."""
        with self._opened() as fd:
            _write(fd, key + kind, data)

    def kept(self, kind: str = PROGRAM) -> list[Kept]:
        """The entries, most recently used first.  Their headers are not verified."""
        found = []
        with self._opened() as fd:
            for name, status in _files(fd):
                if name.endswith(kind):
                    found.append((status.st_mtime, name, status.st_size))
            found.sort(reverse=True)
            return [
                Kept(name.removesuffix(kind), _on_disk(size), used, self._header(fd, name))
                for used, name, size in found
            ]

    def verify(self, key: str, kind: str = PROGRAM) -> str | None:
        """Describe the fault of an entry; None if there is none."""
        try:
            with self._opened() as fd:
                secret, data = self._secret(fd), self._data(fd, key + kind)
            opened(key, data or b"", secret or b"")
        except (Damaged, Refused) as error:
            return str(error)
        except FileNotFoundError:  # removed meanwhile
            return None
        return None

    def prune(self, max_bytes: int | None = None, before: float | None = None) -> tuple[int, int]:
        """Remove entries last used before a time, then the least recently used beyond a size.

        Temporary files that nobody writes to any more are removed, too.

        Returns
        -------
        tuple of int
            The number of files that were removed, and the bytes that are left.
        """
        removed, left, now = 0, 0, time.time()
        with self._opened() as fd:
            entries = []
            for name, status in _files(fd):
                if name.startswith(_TEMPORARY):
                    removed += status.st_mtime < now - _ABANDONED and _remove(fd, name)
                elif name.endswith((PROGRAM, ALIAS)):
                    entries.append((status.st_mtime, _on_disk(status.st_size), name))
                    left += _on_disk(status.st_size)
            for used, size, name in sorted(entries):
                is_old = before is not None and used < before
                if not is_old and (max_bytes is None or left <= max_bytes):
                    break
                removed += _remove(fd, name)
                left -= size
        return removed, left

    def clear(self) -> int:
        """Remove all entries and temporary files; returns their number.

        So is a secret that cannot be used, under which no entry would ever be written again; one
        that can be used stays: another process may be sealing an entry with it.
        """
        with self._opened() as fd:
            names = [
                name
                for name, _ in _files(fd)
                if name.startswith(_TEMPORARY) or name.endswith((PROGRAM, ALIAS))
            ]
            try:
                self._secret(fd)
            except Refused:
                names.append(_SECRET)
            return sum(_remove(fd, name) for name in names)

    @contextmanager
    def _opened(self) -> Iterator[int]:
        fd = os.open(self.path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            self._check(os.fstat(fd), self.path)
            yield fd
        finally:
            os.close(fd)

    def _secret(self, fd: int) -> bytes | None:
        try:
            found = self._data(fd, _SECRET, others=0o077)
        except FileNotFoundError:
            return None
        if len(found) != SECRET_BYTES:
            raise Refused(f"{self.path / _SECRET} has {len(found)} bytes, not {SECRET_BYTES}")
        return found

    def _data(self, fd: int, name: str, *, others: int = 0o022, is_use: bool = False) -> bytes:
        with _open(fd, name, self.path) as file:
            status = os.fstat(file)
            self._check(status, self.path / name, others)
            if is_use:
                with contextlib.suppress(OSError):  # a folder that only can be read
                    os.utime(file)
            return _read(file, status.st_size)

    def _header(self, fd: int, name: str) -> dict[str, Any]:
        try:
            with _open(fd, name, self.path) as file:
                return header_of(_read(file, _HEAD))
        except (OSError, Refused):
            return {}

    def _check(self, status: os.stat_result, path: Path, others: int = 0o022) -> None:
        """Refuse what others own, or may write to (or, for the secret, read)."""
        if status.st_uid != os.geteuid():
            raise Refused(f"{path} belongs to user {status.st_uid}, not to {os.geteuid()}")
        mode = stat.S_IMODE(status.st_mode)
        if mode & others:
            raise Refused(
                f"{path} has mode {mode:o}, so that others may "
                f"{'write to' if others == 0o022 else 'use'} it"
            )


@contextmanager
def _open(fd: int, name: str, folder: Path) -> Iterator[int]:
    """Open a regular file of a folder; a pipe must not be waited for."""
    flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
    try:
        file = os.open(name, flags, dir_fd=fd)
    except FileNotFoundError:
        raise
    except OSError as error:  # a link
        raise Refused(f"{folder / name} cannot be opened: {error.strerror}") from None
    try:
        if not stat.S_ISREG(os.fstat(file).st_mode):
            raise Refused(f"{folder / name} is no regular file")
        yield file
    finally:
        os.close(file)


def _read(file: int, size: int) -> bytes:
    parts = []
    while size > 0 and (part := os.read(file, size)):
        parts.append(part)
        size -= len(part)
    return b"".join(parts)


def _write(fd: int, name: str, data: bytes) -> None:
    """Write a file of a folder at once: see Note [Atomic writes]."""
    with _temporary(fd, data) as temporary:
        os.rename(temporary, name, src_dir_fd=fd, dst_dir_fd=fd)
    os.fsync(fd)


def _write_new(fd: int, name: str, data: bytes) -> None:
    """The same, unless there is such a file."""
    with _temporary(fd, data) as temporary, contextlib.suppress(FileExistsError):
        os.link(temporary, name, src_dir_fd=fd, dst_dir_fd=fd)
    os.fsync(fd)


@contextmanager
def _temporary(fd: int, data: bytes) -> Iterator[str]:
    name = f"{_TEMPORARY}{os.getpid()}-{os.urandom(8).hex()}"
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC
    file = os.open(name, flags, 0o600, dir_fd=fd)
    try:
        with open(file, "wb", buffering=0) as writer:
            rest = memoryview(data)
            while rest:
                rest = rest[writer.write(rest) :]
            os.fsync(writer)
        yield name
    finally:
        with contextlib.suppress(FileNotFoundError):  # it was renamed
            os.unlink(name, dir_fd=fd)


def _files(fd: int) -> Iterator[tuple[str, os.stat_result]]:
    with os.scandir(fd) as entries:
        for entry in entries:
            with contextlib.suppress(FileNotFoundError):  # another process removed it
                yield entry.name, entry.stat(follow_symlinks=False)


def _remove(fd: int, name: str) -> bool:
    try:
        os.unlink(name, dir_fd=fd)
    except FileNotFoundError:
        return False
    return True


def _on_disk(size: int) -> int:
    return -(-size // _BLOCK) * _BLOCK
