"""Paths that `load` and `save` are given: checked before a file is touched; and reading it."""

from __future__ import annotations

import os
from typing import Any

__all__ = ["checked_path", "content_of"]


def checked_path(path: Any, caller: str) -> str:
    """The path as text; raises `TypeError` or `ValueError` for what names no file."""
    found = os.fspath(path) if isinstance(path, os.PathLike) else path
    if not isinstance(found, str):
        raise TypeError(f"{caller}: the path must be text or an os.PathLike, got {path!r}")
    if not found:
        raise ValueError(f"{caller}: the path is empty; give the name of a file")
    if "\0" in found:
        raise ValueError(f"{caller}: the path {found!r} has a zero byte, which no file name has")
    return found


def content_of(path: str, caller: str) -> bytes:
    """The bytes of a file; an `OSError` names the function that reads it."""
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError as error:
        raise OSError(error.errno, f"{caller}: {error.strerror}", path) from None
