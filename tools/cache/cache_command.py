"""`anvl cache`: list, verify, prune and clear the cache of compiled programs on disk."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from anvl.tools.io.command_line import Flag, UsageError

if TYPE_CHECKING:
    from anvl.runtime.disk_cache import Folder

__all__ = ["FLAGS", "HELP", "run"]

HELP = """\
usage: anvl cache list|verify|prune|clear|path

The compiled programs that anvl keeps on disk, in $ANVL_CACHE_DIR or the default folder.

  list      each program: its key, size, last use, time to compile, and types
  verify    look at each program, and list those that are not as they were written; exit code 1
  prune     remove the least recently used beyond a size, that of ANVL_CACHE_MAX_BYTES if none is
            given, and with --older-than also all that were not used for so long
  clear     remove all programs
  path      the folder

"""
FLAGS = (
    Flag("max-bytes", "for prune: the size to keep, such as 500MB", "value", metavar="N"),
    Flag("older-than", "for prune: 12h, 30d, 8w", "value", metavar="T"),
)
_SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86400, "w": 7 * 86400}


def run(words: Sequence[str], values: Mapping[str, Any]) -> int:
    """Run the command for the words after `anvl cache`; returns its exit code."""
    from anvl.dialect.core.errors import nearest

    word, *more = words or [""]
    if word not in _ACTIONS:
        near = nearest(word, _ACTIONS) if word else ""
        what = f"no command {word!r}" if word else "no command"
        raise UsageError(f"cache: {what}{near or '; the commands are ' + ', '.join(_ACTIONS)}")
    if more:
        raise UsageError(f"cache {word}: takes no more words, got {more[0]!r}")
    given = [f"--{flag.name}" for flag in FLAGS if values[flag.name] is not None]
    if given and word != "prune":
        raise UsageError(f"cache {word}: {given[0]} is for prune")
    return _acted(word, values)


def _acted(word: str, values: Mapping[str, Any]) -> int:
    from anvl.runtime.disk_cache import Refused

    try:
        return _ACTIONS[word](_folder(), values)
    except Refused as error:
        raise UsageError(f"cache {word}: {error}") from None
    except OSError as error:
        if error.filename is None:  # of stdout
            raise
        raise UsageError(f"cache {word}: {error.filename}: {error.strerror}") from None


def _folder() -> Folder:
    from anvl.runtime.disk_cache import Folder, default_path, is_supported
    from anvl.runtime.settings import runtime_settings

    if not is_supported():
        raise UsageError("cache: there is none on this system, whose files have no owners")
    path = runtime_settings.cache_dir or default_path()
    if path is None:
        raise UsageError("cache: there is no home directory; set ANVL_CACHE_DIR")
    return Folder(path)


def _path(folder: Folder, values: Mapping[str, Any]) -> int:
    print(folder.path)
    return 0


def _list(folder: Folder, values: Mapping[str, Any]) -> int:
    now, kept = time.time(), _existing(folder)
    for entry in kept:
        header = {k: "".join(filter(str.isprintable, str(v))) for k, v in entry.header.items()}
        print(
            f"{entry.key[:12]}  {_size(entry.size):>9}  {_age(now - entry.used):>4}"
            f"  {header.get('compile_ms', '?'):>6} ms  jaxlib {header.get('jaxlib', '?')}"
            f"  {header.get('types', '')}"
        )
    total = sum(entry.size for entry in [*kept, *_aliases(folder)])
    print(f"{_programs(len(kept))}, {_size(total)} in {folder.path}")
    return 0


def _verify(folder: Folder, values: Mapping[str, Any]) -> int:
    from anvl.runtime.disk_cache import ALIAS

    kept = _existing(folder)
    bad = {entry.key: what for entry in kept if (what := folder.verify(entry.key))}
    for alias in _aliases(folder):
        if what := folder.verify(alias.key, ALIAS):
            bad[alias.key] = what
    for key, what in bad.items():
        print(f"{key[:12]}: {what}")
    print(f"{_programs(len(kept))} in {folder.path}, {len(bad)} damaged")
    return 1 if bad else 0


def _prune(folder: Folder, values: Mapping[str, Any]) -> int:
    from anvl.runtime.settings import runtime_settings
    from anvl.runtime.settings.kinds import byte_count

    text, age = values["max-bytes"], values["older-than"]
    try:
        limit = runtime_settings.cache_max_bytes if text is None else byte_count.check(text)
    except ValueError:
        raise UsageError(f"--max-bytes takes {byte_count.allowed}, got {text!r}") from None
    before = None if age is None else time.time() - _seconds(age)
    removed, left = folder.prune(limit, before) if folder.path.exists() else (0, 0)
    print(f"removed {_files(removed)}, left {_size(left)} in {folder.path}")
    return 0


def _clear(folder: Folder, values: Mapping[str, Any]) -> int:
    removed = folder.clear() if folder.path.exists() else 0
    print(f"removed {_files(removed)} from {folder.path}")
    return 0


_ACTIONS: dict[str, Callable[[Folder, Mapping[str, Any]], int]] = {
    "list": _list,
    "verify": _verify,
    "prune": _prune,
    "clear": _clear,
    "path": _path,
}


def _existing(folder: Folder) -> list[Any]:
    return folder.kept() if Path(folder.path).exists() else []


def _aliases(folder: Folder) -> list[Any]:
    from anvl.runtime.disk_cache import ALIAS

    return folder.kept(ALIAS) if Path(folder.path).exists() else []


def _seconds(text: str) -> int:
    found = re.fullmatch(r"(\d{1,9})([smhdw])", text)
    if found is None:
        raise UsageError(f"--older-than takes a time such as 12h, 30d or 8w, got {text!r}")
    return int(found[1]) * _SECONDS[found[2]]


def _age(seconds: float) -> str:
    """Time since the last use, in the largest unit that it has one of: `3d`."""
    for unit in ("w", "d", "h", "m"):
        if seconds >= _SECONDS[unit]:
            return f"{int(seconds // _SECONDS[unit])}{unit}"
    return f"{max(0, int(seconds))}s"


def _size(count: int) -> str:
    for unit, size in (("GiB", 2**30), ("MiB", 2**20)):
        if count >= size:
            return f"{count / size:.1f} {unit}"
    return f"{count / 2**10:.0f} KiB"


def _programs(count: int) -> str:
    return f"{count} program{'' if count == 1 else 's'}"


def _files(count: int) -> str:
    return f"{count} file{'' if count == 1 else 's'}"
