"""Compiled programs on disk: the next process loads them in place of compiling.

    keys      the name of an entry: a digest of all that the compiled program depends on
    entries   an entry as bytes, sealed
    folder    the folder: who may own it, atomic writes, least recently used first
    programs  compile, or load; what is worth keeping; aliases

`docs/cache.md` describes it.
"""

from anvl.runtime.disk_cache.folder import (
    ALIAS,
    PROGRAM,
    Folder,
    Refused,
    default_path,
    is_supported,
)
from anvl.runtime.disk_cache.keys import alias_key
from anvl.runtime.disk_cache.programs import (
    Alias,
    Compiled,
    compile_or_load,
    find_alias,
    flush,
    is_on,
    load_aliased,
)

__all__ = [
    "ALIAS", "PROGRAM", "Alias", "Compiled", "Folder", "Refused", "alias_key", "compile_or_load",
    "default_path", "find_alias", "flush", "is_on", "is_supported", "load_aliased",
]  # fmt: skip
