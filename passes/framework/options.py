"""The options of a pass: typed fields, and their text form `name=value name=value`.

    parse(text, options)   "function=main wrt=0,2"  ->  {"function": "main", "wrt": (0, 2)}
    show(values, options)  the reverse, leaving out what equals its default

Quotes keep blanks and brackets in a value; a list is `0,2`, `{0, 2}` or `[0, 2]`; a boolean may
stand alone; `-` and `_` in a name mean the same.
"""

import dataclasses
import re
import typing
from collections.abc import Mapping
from typing import Any

from anvl.dialect.core.errors import nearest

__all__ = ["Option", "check", "option", "options_of", "parse", "show", "show_all", "unquoted"]

_HELP = "anvl.passes.help"
_BOOLEANS = {"true": True, "1": True, "false": False, "0": False}
_NAME = r"\s*([A-Za-z_][\w\-]*)\s*(=)?\s*"
_NEEDS_QUOTES = r"""[\s,(){}\[\]"'\\=]"""
_BRACKETS = {"{": "}", "[": "]", "(": ")"}


def option(default: Any = dataclasses.MISSING, *, help: str) -> Any:
    """A field of a pass that may be given on the command line; without `default` it must be.

    Parameters
    ----------
    default : bool, int, float, str or tuple of these, optional
    help : str
        What `--help` prints.

    Returns
    -------
    A field for the class of a pass, a dataclass.

    Examples
    --------
    >>> from anvl.passes import option
    >>> option(2, help="how often").default
    2
    """
    return dataclasses.field(default=default, metadata={_HELP: help})


@dataclasses.dataclass(frozen=True)
class Option:
    """One typed option: `type` is a scalar type, `many` says that the value is a tuple of it."""

    name: str
    type: type
    many: bool
    default: Any
    help: str

    @property
    def type_name(self) -> str:
        return f"{self.type.__name__},..." if self.many else self.type.__name__


def options_of(cls: type) -> dict[str, Option]:
    """The options that a pass class declares, by name, in the order of their definition."""
    if not dataclasses.is_dataclass(cls):
        raise ValueError(f"{cls.__name__}: a pass is a frozen dataclass; decorate the class")
    hints = typing.get_type_hints(cls)
    fields = [f for f in dataclasses.fields(cls) if _HELP in f.metadata]
    return {f.name: _option_of(cls, f, hints[f.name]) for f in fields}


def _option_of(cls: type, field: dataclasses.Field[Any], hint: Any) -> Option:
    many = typing.get_origin(hint) is tuple
    scalar = typing.get_args(hint)[0] if many else hint
    if scalar not in (str, int, float, bool):
        raise TypeError(
            f"{cls.__name__}: option {field.name} has the type {hint}; "
            "use str, int, float, bool, or a tuple of one of them"
        )
    return Option(field.name, scalar, many, field.default, field.metadata[_HELP])


def check(name: str, values: Mapping[str, Any], options: Mapping[str, Option]) -> None:
    """Raise `TypeError` unless each value has the type of its option."""
    for key, opt in options.items():
        if not _fits(values[key], opt):
            raise TypeError(f"{name}: option {key} takes {opt.type_name}, got {values[key]!r}")


def _fits(value: Any, opt: Option) -> bool:
    if opt.many:
        return type(value) is tuple and all(type(x) is opt.type for x in value)
    return type(value) is opt.type


# Text to values


def parse(name: str, text: str, options: Mapping[str, Option]) -> dict[str, Any]:
    """The values that the option text of pass `name` gives, by option name."""
    values: dict[str, Any] = {}
    for key, raw in _pairs(name, text):
        opt = _lookup(name, key, options)
        if opt.name in values:
            raise ValueError(f"{name}: option {key} is given twice; give it once")
        values[opt.name] = _value(name, opt, raw)
    for opt in options.values():
        if opt.default is dataclasses.MISSING and opt.name not in values:
            raise ValueError(
                f"{name}: option {opt.name} is missing; add {opt.name}=<{opt.type_name}>"
            )
    return values


def _pairs(name: str, text: str) -> list[tuple[str, str | None]]:
    """Split `a=1 b` into `[("a", "1"), ("b", None)]`."""
    pairs: list[tuple[str, str | None]] = []
    at, end = 0, len(text.rstrip())
    while at < end:
        match = re.compile(_NAME).match(text, at)
        if match is None:
            raise ValueError(
                f"{name}: expected an option name, got {text[at:].strip()!r}; write name=value"
            )
        stop = _value_end(text, match.end()) if match[2] else match.end()
        pairs.append((match[1], text[match.end() : stop] if match[2] else None))
        at = stop
    return pairs


def _value_end(text: str, at: int) -> int:
    """End of the value that starts at `at`: the first blank outside quotes and brackets."""
    closers: list[str] = []
    while at < len(text) and (closers or not text[at].isspace()):
        char = text[at]
        if char in "\"'":
            at = end_of_quote(text, at)
            continue
        if char in _BRACKETS:
            closers.append(_BRACKETS[char])
        elif closers and char == closers[-1]:
            closers.pop()
        at += 1
    return at


def end_of_quote(text: str, at: int) -> int:
    """The index behind the quoted string that starts at `at`, or -1 if nothing closes it."""
    match = re.compile(r'"(?:[^"\\]|\\.)*"|\'(?:[^\'\\]|\\.)*\'', re.DOTALL).match(text, at)
    return match.end() if match else len(text)


def _lookup(name: str, key: str, options: Mapping[str, Option]) -> Option:
    found = options.get(key.replace("-", "_"))
    if found is not None:
        return found
    if not options:
        raise ValueError(f"{name}: no option {key!r}; this pass takes none")
    hint = nearest(key.replace("-", "_"), options)
    raise ValueError(f"{name}: no option {key!r}{hint}; options are {', '.join(options)}")


def _value(name: str, opt: Option, raw: str | None) -> Any:
    if raw is None and opt.type is bool and not opt.many:
        return True
    if raw is None:
        raise ValueError(
            f"{name}: option {opt.name} needs a value; write {opt.name}=<{opt.type_name}>"
        )
    try:
        return (
            tuple(_scalar(opt.type, x) for x in _items(raw)) if opt.many else _scalar(opt.type, raw)
        )
    except ValueError:
        raise ValueError(f"{name}: option {opt.name} takes {opt.type_name}, got {raw!r}") from None


def _items(raw: str) -> list[str]:
    """The items of a list value, still quoted."""
    inner = raw.strip()
    if len(inner) > 1 and inner[0] in "{[" and inner[-1] == _BRACKETS[inner[0]]:
        inner = inner[1:-1].strip()
    items, start, at = [], 0, 0
    while at < len(inner):
        if inner[at] == ",":
            items.append(inner[start:at].strip())
            start = at + 1
        at = end_of_quote(inner, at) if inner[at] in "\"'" else at + 1
    return [*items, inner[start:].strip()] if inner else []


def _scalar(scalar_type: type, raw: str) -> Any:
    text = unquoted(raw)
    if scalar_type is str:
        return text
    if scalar_type is bool:
        if text.lower() not in _BOOLEANS:
            raise ValueError(text)
        return _BOOLEANS[text.lower()]
    return scalar_type(text)


def unquoted(text: str) -> str:
    """`text` without the quotes around it and the backslashes that they made necessary."""
    if len(text) < 2 or text[0] not in "\"'" or text[-1] != text[0]:
        return text
    return re.sub(r"\\(.)", r"\1", text[1:-1], flags=re.DOTALL)


# Values to text


def show(values: Mapping[str, Any], options: Mapping[str, Option]) -> str:
    """The text of all values that differ from their default."""
    changed = [o for o in options.values() if values[o.name] != o.default]
    return " ".join(f"{o.name}={_shown(values[o.name], o)}" for o in changed)


def show_all(values: Mapping[str, Any], options: Mapping[str, Option]) -> str:
    """The text of all values that are not empty."""
    given = [o for o in options.values() if values[o.name] not in ("", ())]
    return " ".join(f"{o.name}={_shown(values[o.name], o)}" for o in given)


def _shown(value: Any, opt: Option) -> str:
    if not opt.many:
        return _shown_scalar(value)
    return ",".join(map(_shown_scalar, value)) if value else "{}"


def _shown_scalar(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if not isinstance(value, str):
        return repr(value)
    if value and not re.search(_NEEDS_QUOTES, value):
        return value
    return '"' + re.sub(r'(["\\])', r"\\\1", value) + '"'
