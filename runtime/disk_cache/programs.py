"""Compile a program, or load it from the cache.

Note [What is kept]

Compiling takes 13 to 300 ms, the smallest program included; loading takes 0.5 to 6 ms, and keeping
0.2 to 3 ms for serialization, and 3 to 17 ms for the disk, in a thread of its own.  So all programs
are kept but those that took less than 5 ms to compile.  A program that calls handlers of this
process, of Python or of a library that was registered here, is never kept: in another process the
name may stand for another function, or for none.  Of custom calls only those of LAPACK, cuSOLVER
and hipSOLVER, which jaxlib has, and those that XLA makes itself, whose names begin with two
underscores, and `TopK`, are kept.

Note [Aliases]

An entry is found by the program that XLA compiles, which takes passes and lowering to make, and the
modules of both to be imported: three fifths of a second start.  So there is an alias for each: a
small entry, found by the form of the program before all that, whose facts are the key of the
program and what its caller has to know of it.  Everything that the lowered program depends on is to
be in that form: see Note [Found before lowering] in `anvl.dispatch.programs.traced_form`.  An alias
whose program is gone is as good as none.
"""

from __future__ import annotations

import os
import re
import sys
import threading
import time
import warnings
from collections import deque
from collections.abc import Callable, Mapping
from functools import partial
from types import FrameType
from typing import TYPE_CHECKING, Any, NamedTuple

from anvl.runtime.disk_cache.entries import Damaged, Entry, sealed
from anvl.runtime.disk_cache.folder import (
    ALIAS,
    PROGRAM,
    Folder,
    Refused,
    default_path,
    is_supported,
)
from anvl.runtime.disk_cache.keys import program_key
from anvl.runtime.errors import CacheWarning, readable
from anvl.runtime.execution.program_modules import compile_and_load
from anvl.runtime.lazy import compat
from anvl.runtime.locks import fresh_lock
from anvl.runtime.settings import runtime_settings

if TYPE_CHECKING:
    from anvl.runtime.client import Placement

__all__ = ["Alias", "Compiled", "compile_or_load", "find_alias", "flush", "is_on", "load_aliased"]

_WORTH_SECONDS = 0.005
_PORTABLE_CALLS = (
    "lapack_", "cusolver_", "cu_lu_pivots_to_permutation", "hipsolver_",
    "hip_lu_pivots_to_permutation", "__",
)  # fmt: skip
# But for XLA's own of the largest elements, which has a computation to compare them.
_TARGET = r'custom_call_target="(?!TopK", called_computations=)([^"]*)"'
_HOST = r" (?:send|recv|infeed|outfeed)\("
_LAYOUT = r"entry_computation_layout=\{(.*?)\}(?:, [a-z_]+=|$)"
_NOISE = r"\{[\d,]*\}|/\*index=\d+\*/"  # layouts, and positions in long lists
_LABEL = 200  # characters of the types in the header of an entry
_SWEPT_EACH = 16  # part of the size limit that a process writes before it looks at all files again


class Alias(NamedTuple):
    """Another key of a program: Note [Aliases].  Its facts are values of JSON by name."""

    key: str
    facts: dict[str, Any]


_OF_PROGRAM = "program"  # the fact of an alias that is the key of its program


def is_on() -> bool:
    """Whether programs are looked for in the cache."""
    return _folder() is not None


def find_alias(key: str) -> Alias | None:
    """The alias of a key, if there is one."""
    folder = _folder()
    entry = None if folder is None else _read(folder, key, ALIAS)
    return None if entry is None else Alias(key, entry.header)


class Compiled(NamedTuple):
    """An executable, and what reads its bytes: None if they are gone.

    Those of one that was loaded are on disk: jaxlib writes it without its kernels.
    """

    handle: Any
    read: Callable[[], bytes | None]


def load_aliased(alias: Alias, place: Placement, options: Any) -> Compiled | None:
    """The executable of an alias that was found; None if its program is gone."""
    folder = _folder()
    return None if folder is None else _loaded(folder, alias.facts[_OF_PROGRAM], place, options)


def compile_or_load(
    program: bytes | str,
    place: Placement,
    options: Any,
    tell: Callable[[str], object] = str,
    alias: Alias | None = None,
) -> Compiled:
    """The executable of a program, from the cache if it is there.

    Parameters
    ----------
    program
        As `compile` takes it.
    place
        Where it will run.
    options
        The client's `CompileOptions`.
    tell
        Is told whether the program was in the cache, if that is on.
    alias
        Will find the program, too.

    Raises
    ------
    compat.Failure
        The program cannot be compiled.
    """
    folder = _folder()
    if folder is None:
        handle = compile_and_load(place.client.handle, program, place.device_list, options)
        return Compiled(handle, partial(compat.serialize, place.client.handle, handle))
    key = program_key(program, options, place)
    found = _loaded(folder, key, place, options)
    if found is not None:
        tell("loaded from the cache on disk")
        if alias is not None and str(folder.path) not in _unusable | _unwritable:
            _write_later(folder, alias.key, alias.facts | {_OF_PROGRAM: key}, kind=ALIAS)
        return found
    tell("not in the cache on disk")
    started = time.perf_counter()
    handle = compile_and_load(place.client.handle, program, place.device_list, options)
    seconds = time.perf_counter() - started
    if seconds >= _WORTH_SECONDS:
        _keep(folder, key, place, handle, seconds, alias)
    return Compiled(handle, partial(compat.serialize, place.client.handle, handle))


# Folders that this process does not use (any more), or does not write to, and the kinds of warnings
# that were given.
_unusable: set[str] = set()
_unwritable: set[str] = set()
_warned: set[str] = set()


def _folder() -> Folder | None:
    """The folder in use, which exists; None if the cache is off."""
    if not runtime_settings.cache or not is_supported():
        return None
    given = runtime_settings.cache_dir
    path = default_path() if given is None else given
    if path is None or str(path) in _unusable:
        return None
    folder = Folder(path)
    if given is None and not _may_create(folder):
        return None
    try:
        folder.create()
    except OSError as error:
        _unusable.add(str(path))
        if given is not None:  # by default, the cache is on where the home allows it
            _warn("folder", f"{path} cannot be made: {error.strerror}")
        return None
    except Refused as error:
        _refuse(folder, error)
        return None
    return folder


def _may_create(folder: Folder) -> bool:
    """Whether the default folder exists, or is in a folder of this user.

    `sudo` may leave another user's home: a folder of root's in there would be in the way.
    """
    if folder.path.exists():
        return True
    near = next((p for p in folder.path.parents if p.exists()), None)
    return near is not None and near.stat().st_uid == os.geteuid()


def _loaded(folder: Folder, key: str, place: Placement, options: Any) -> Compiled | None:
    """The executable of an entry, or None."""
    entry = _read(folder, key, PROGRAM)
    if entry is None:
        return None
    client, devices = place.client.handle, place.device_list
    try:
        handle = compat.deserialize(client, entry.program, devices, options)
        return Compiled(handle, partial(_bytes, folder, key))
    except (compat.Failure, ValueError) as error:
        _warn_damage(folder, key, readable(error))
        return None


def _bytes(folder: Folder, key: str) -> bytes | None:
    """The program of an entry, if it is still there."""
    entry = _read(folder, key, PROGRAM)
    return None if entry is None else entry.program


def _read(folder: Folder, key: str, kind: str) -> Entry | None:
    """An entry, if it is there and as it was written; else there may be a warning."""
    try:
        return folder.read(key, kind)
    except Refused as error:
        _refuse(folder, error)
    except Damaged as error:
        _warn_damage(folder, key, str(error))
    except OSError as error:
        _unusable.add(str(folder.path))
        _warn("read", f"{folder.path} cannot be read: {error.strerror}")
    return None


def _keep(
    folder: Folder,
    key: str,
    place: Placement,
    handle: Any,
    seconds: float,
    alias: Alias | None = None,
) -> None:
    """Write a program to the cache, in the background, if it may be kept."""
    if str(folder.path) in _unusable | _unwritable:
        return
    text = str(handle.get_hlo_text())
    targets = re.findall(_TARGET, text)
    if re.search(_HOST, text) or not all(t.startswith(_PORTABLE_CALLS) for t in targets):
        return
    try:
        data = compat.serialize(place.client.handle, handle)
    except compat.Failure:  # not every plugin can
        return
    layout = re.search(_LAYOUT, text.partition("\n")[0])
    facts = {
        "types": re.sub(_NOISE, "", layout[1])[:_LABEL] if layout else "",
        "jaxlib": compat.JAXLIB_VERSION,
        "compile_ms": round(seconds * 1e3),
    }
    _write_later(folder, key, facts, data)
    if alias is not None:
        _write_later(folder, alias.key, alias.facts | {_OF_PROGRAM: key}, kind=ALIAS)


# -- writing in the background ---------------------------------------------------------------------

_lock = fresh_lock()
_pending: deque[Callable[[], None]] = deque()
_writer: threading.Thread | None = None
# By folder: bytes in it when this process last looked, and bytes that it has written since.
_sizes: dict[str, tuple[int, int]] = {}


def flush() -> None:
    """Wait until all programs that this process keeps are written.

    A process that ends by itself waits for them, too.
    """
    writer = _writer
    if writer is not None:
        writer.join()


def _write_later(
    folder: Folder, key: str, facts: Mapping[str, Any], data: bytes = b"", kind: str = PROGRAM
) -> None:
    max_bytes, at = runtime_settings.cache_max_bytes, _line_of_caller()
    _later(lambda: _write(folder, key, facts, data, kind, max_bytes, at))


def _later(job: Callable[[], None]) -> None:
    """Run a job in a thread that lives while there are jobs: nothing waits for it at exit."""
    global _writer
    with _lock:
        _pending.append(job)
        if _writer is not None:
            return
        _writer = threading.Thread(target=_run_pending, name="anvl cache", daemon=False)
        try:
            _writer.start()
        except RuntimeError:  # at the end of the process, or at its limit of threads
            _writer = None
    if _writer is None:
        _run_pending()


def _run_pending() -> None:
    global _writer
    while True:
        with _lock:
            if not _pending:
                _writer = None
                return
            job = _pending.popleft()
        job()


def _write(
    folder: Folder,
    key: str,
    facts: Mapping[str, Any],
    data: bytes,
    kind: str,
    max_bytes: int,
    at: _Line,
) -> None:
    path = str(folder.path)
    try:
        folder.create()  # somebody may have removed it
        entry = sealed(key, facts, data, folder.secret())
        if len(entry) > max_bytes:
            return
        folder.write(key, entry, kind)
        known, since = _sizes.get(path, (max_bytes, 0))
        since += len(entry)
        if known + since > max_bytes or since > max_bytes // _SWEPT_EACH:
            known, since = folder.prune(max_bytes)[1], 0
        _sizes[path] = known, since
    except Refused as error:
        _refuse(folder, error, at)
    except OSError as error:
        _unwritable.add(path)
        what = f"{path} cannot be written: {error.strerror}"
        _warn("write", what, "new programs are not kept", at)


def _forget() -> None:
    """In a forked child, where the thread is not: what is pending is the parent's."""
    global _writer
    _pending.clear()
    _writer = None


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget)


# -- warnings --------------------------------------------------------------------------------------


def _refuse(folder: Folder, error: Refused, at: _Line | None = None) -> None:
    _unusable.add(str(folder.path))
    what = f"{error}; remove it, correct it with chown and chmod, or use another folder"
    _warn("refused", what, at=at)


def _warn_damage(folder: Folder, key: str, what: str) -> None:
    _warn(
        "damaged",
        f"entry {key[:12]} of {folder.path} is damaged, {what}; it is written again, and "
        "`anvl cache verify` finds others",
        "this program is compiled",
    )


def _warn(
    kind: str,
    what: str,
    so: str = "programs are compiled without it",
    at: _Line | None = None,
) -> None:
    """Warn once in this process of each kind of problem, at the line of a user."""
    if kind in _warned:
        return
    _warned.add(kind)
    message = f"cache: {what}; {so} (anvl.config.cache = False turns the cache off)"
    try:
        warnings.warn_explicit(message, CacheWarning, *(at or _line_of_caller()))
    except CacheWarning:
        if threading.current_thread() is not _writer:  # it ends, and nobody would see it
            raise


class _Line(NamedTuple):
    """A line of a user's code."""

    file: str
    number: int


def _line_of_caller() -> _Line:
    """The line that called anvl."""
    frame = sys._getframe(1)
    while frame.f_back is not None and _is_ours(frame):
        frame = frame.f_back
    return _Line(frame.f_code.co_filename, frame.f_lineno)


def _is_ours(frame: FrameType) -> bool:
    name = frame.f_globals.get("__name__", "")
    return name.startswith("anvl.") or frame.f_code.co_filename.startswith("<anvl ")
