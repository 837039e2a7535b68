"""Kinds of settings: the values that each allows, and how the environment spells them."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from typing import Any, Generic, NamedTuple, TypeVar

__all__ = ["Kind", "byte_count", "folder", "number", "one_of", "or_none", "switch"]

T = TypeVar("T")

_SPELLINGS = {
    "1": True, "on": True, "true": True, "yes": True,
    "0": False, "off": False, "false": False, "no": False,
}  # fmt: skip


class Kind(NamedTuple, Generic[T]):
    """The values that a setting allows.

    Attributes
    ----------
    allowed
        The allowed values, for messages: `setting: must be <allowed>, got ...`.
    check
        Maps a given value to the value of the setting.  Raises `TypeError` or `ValueError`, with
        or without a message of its own.
    read
        Maps the text of an environment variable to a value for `check`.
    show
        Maps a value of the setting to text, for tables.
    """

    allowed: str
    check: Callable[[Any], T]
    read: Callable[[str], Any] = str
    show: Callable[[T], str] = repr


def _switch(value: Any) -> bool:
    if type(value) is not bool:
        raise TypeError
    return value


#: True or False; in the environment 1 or 0, on or off, true or false, yes or no.
switch: Kind[bool] = Kind(
    "True or False (in the environment 1 or 0)",
    _switch,
    lambda text: _SPELLINGS.get(text.strip().lower(), text),
)


def one_of(*values: str) -> Kind[str]:
    """One of these texts.

    Examples
    --------
    >>> one_of("warn", "error").allowed
    "'warn' or 'error'"
    """
    *others, last = map(repr, values)

    def check(value: Any) -> str:
        if not isinstance(value, str):
            raise TypeError
        if value not in values:
            raise ValueError
        return value

    return Kind(f"{', '.join(others)} or {last}" if others else last, check)


def number(least: int = 0, most: int | None = None) -> Kind[int]:
    """A whole number of at least `least`, and at most `most` if given.

    Examples
    --------
    >>> number(1).check(2)
    2
    """

    def check(value: Any) -> int:
        if type(value) is not int:
            raise TypeError
        if value < least or (most is not None and value > most):
            raise ValueError
        return value

    allowed = f"{least} or more" if most is None else f"{least} to {most}"
    return Kind(f"a whole number, {allowed}", check, _whole)


def _whole(text: str) -> Any:
    return int(text) if text.strip().lstrip("-").isdecimal() else text


def or_none(kind: Kind[T]) -> Kind[T | None]:
    """The values of a kind, and None.

    Examples
    --------
    >>> or_none(number(1)).allowed
    'a whole number, 1 or more, or None'
    """

    def check(value: Any) -> T | None:
        return None if value is None else kind.check(value)

    return Kind(f"{kind.allowed}, or None", check, kind.read)


_UNITS = {
    "": 1, "B": 1, "KB": 10**3, "MB": 10**6, "GB": 10**9, "TB": 10**12,
    "KIB": 2**10, "MIB": 2**20, "GIB": 2**30, "TIB": 2**40,
}  # fmt: skip


def _bytes(value: Any) -> int:
    if isinstance(value, str):
        found = re.fullmatch(r"\s*(\d{1,18})\s*([A-Za-z]*)\s*", value)
        if found is None or found[2].upper() not in _UNITS:
            raise ValueError
        return int(found[1]) * _UNITS[found[2].upper()]
    if type(value) is not int:
        raise TypeError
    if value < 0:
        raise ValueError
    return value


def _shown_bytes(count: int) -> str:
    for unit in ("TiB", "GiB", "MiB", "KiB"):
        size = _UNITS[unit.upper()]
        if count and count % size == 0:
            return f"{count // size} {unit}"
    return str(count)


#: A number of bytes, also as text with a unit: `"500MB"`, `"2GiB"`.
byte_count: Kind[int] = Kind(
    "a number of bytes, such as 500000000, '500MB' or '2GiB'", _bytes, show=_shown_bytes
)


def _folder(value: Any) -> str | None:
    if value is None:
        return None
    if not isinstance(value, str | os.PathLike):
        raise TypeError
    path = os.fspath(value)
    if not isinstance(path, str):
        raise TypeError
    if not path:
        raise ValueError
    return os.path.abspath(os.path.expanduser(path))


#: The path of a folder, which need not exist, or None.  A relative path is that of now.
folder: Kind[str | None] = Kind("the path of a folder, or None", _folder)
