"""Kinds of settings: the values that each allows, and how the environment spells them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, NamedTuple, TypeVar

__all__ = ["Kind", "number", "one_of", "switch"]

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


def number(least: int = 0) -> Kind[int]:
    """A whole number of at least `least`.

    Examples
    --------
    >>> number(1).check(2)
    2
    """

    def check(value: Any) -> int:
        if type(value) is not int:
            raise TypeError
        if value < least:
            raise ValueError
        return value

    return Kind(f"a whole number, {least} or more", check, _whole)


def _whole(text: str) -> Any:
    return int(text) if text.strip().lstrip("-").isdecimal() else text
