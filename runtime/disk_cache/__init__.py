"""Compiled programs on disk: the next process loads them in place of compiling.

    keys      the name of an entry: a digest of all that the compiled program depends on
    entries   an entry as bytes, sealed
    folder    the folder: who may own it, atomic writes, least recently used first
    programs  compile, or load; what is worth keeping

`docs/cache.md` describes it.
"""

from anvl.runtime.disk_cache.folder import Folder, Refused, default_path, is_supported
from anvl.runtime.disk_cache.programs import compile_or_load, flush

__all__ = ["Folder", "Refused", "compile_or_load", "default_path", "flush", "is_supported"]
