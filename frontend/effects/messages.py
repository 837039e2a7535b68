"""Messages that show values of a running program: their format, checked while tracing."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from string import Formatter
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from anvl.core.promote import NUMBER_LEVELS
from anvl.core.tracer import Tracer
from anvl.runtime import Array

__all__ = ["Message", "is_array"]

_Part: TypeAlias = tuple[str, str | None, str | None, str | None]

#: Names of the values that have none: no keyword begins so.
_UNNAMED = "value__"


class Message(NamedTuple):
    """A format string, and the arrays that it shows, by name; other values are written into it."""

    text: str
    arrays: dict[str, Any]

    @classmethod
    def of(
        cls, function: str, text: Any, values: Mapping[str, Any], unnamed: Sequence[Any] = ()
    ) -> Message:
        """Check a message and its values, those without a name in the order of `str.format`.

        Raises `TypeError` if it is no text, and `ValueError` for a field without a value, a value
        without a field, and a field that is more than a name or a number.
        """
        if not isinstance(text, str):
            raise TypeError(
                f"{function}: the message is {text!r} of type {type(text).__name__}; it must be "
                "text, with {name} where it shows a value"
            )
        parts = _parsed(function, text)
        if unnamed or any(_is_number(field) for _, field, _, _ in parts):
            parts, values = _named(function, text, parts, values, unnamed)
        arrays = {k: x for k, x in values.items() if is_array(x)}
        written, used = [], set()
        for literal, field, spec, conversion in parts:
            written.append(_escaped(literal))
            if field is None:
                continue
            _check_field(function, text, field, spec, values)
            used.add(field)
            written.append(_written(field, spec, conversion, values[field], arrays))
        unused = [name for name in values if name not in used]
        if unused:
            shown, first = ", ".join(map(_in_message, unused)), unused[0]
            raise ValueError(
                f"{function}: the message {text!r} does not show {shown}; write "
                f"{{{'' if first.startswith(_UNNAMED) else first}}} into it"
            )
        return cls("".join(written), arrays)

    def check_types(self, function: str, types: Mapping[str, tuple[Any, tuple[int, ...]]]) -> None:
        """Refuse fields that cannot format values of these dtypes and shapes."""
        try:
            self.text.format(**{k: np.zeros(shape, of)[()] for k, (of, shape) in types.items()})
        except (TypeError, ValueError) as error:
            raise ValueError(f"{function}: the message {self.text!r}: {error}") from None


def is_array(x: Any) -> bool:
    """Whether a value is an array, a tracer or a number: known when the program runs."""
    return isinstance(x, Tracer | Array | np.ndarray | np.generic) or type(x) in NUMBER_LEVELS


def _parsed(function: str, text: str) -> list[_Part]:
    try:
        return list(Formatter().parse(text))
    except ValueError as error:
        raise ValueError(f"{function}: the message {text!r} is no format: {error}") from None


def _written(
    field: str, spec: str | None, conversion: str | None, value: Any, arrays: dict[str, Any]
) -> str:
    """A field, with its value already in it if that is known while tracing.

    A container with arrays becomes a text with a field for each, whose values are put in `arrays`.
    """
    form = f"{'!' + conversion if conversion else ''}{':' + spec if spec else ''}"
    shown = f"{{{field}{form}}}"
    if is_array(value):
        return shown
    if not _holds_arrays(value):
        return _escaped(shown.format(**{field: value}))
    numbers = itertools.count()

    def leaf(x: Any) -> str:
        name = f"{_UNNAMED}{field}_{next(numbers)}"
        arrays[name] = x
        return f"{{{name}{form}}}"

    return _in_container(value, leaf)


def _in_container(x: Any, leaf: Callable[[Any], str]) -> str:
    """The text of a container, or of what is in it, with `leaf` of its arrays."""
    if _is_held_array(x):
        return leaf(x)
    if isinstance(x, dict):
        items = [f"{_escaped(repr(k))}: {_in_container(y, leaf)}" for k, y in x.items()]
        return f"{{{{{', '.join(items)}}}}}"
    if not isinstance(x, list | tuple):
        return _escaped(repr(x))
    items = [_in_container(y, leaf) for y in x]
    if isinstance(x, list):
        return f"[{', '.join(items)}]"
    if hasattr(x, "_fields"):
        named = map("=".join, zip(x._fields, items, strict=True))
        return f"{type(x).__name__}({', '.join(named)})"
    return f"({', '.join(items)}{',' if len(x) == 1 else ''})"


def _is_held_array(x: Any) -> bool:
    return isinstance(x, Tracer | Array | np.ndarray | np.generic)


def _holds_arrays(x: Any) -> bool:
    """Whether a dict, a list or a tuple has an array in it, which a program may compute."""
    if isinstance(x, dict):
        return any(map(_holds_arrays, x.values()))
    return any(map(_holds_arrays, x)) if isinstance(x, list | tuple) else _is_held_array(x)


def _is_number(field: str | None) -> bool:
    return field == "" or (field is not None and field.isdecimal())


def _named(
    function: str, text: str, parts: list[_Part], values: Mapping[str, Any], unnamed: Sequence[Any]
) -> tuple[list[_Part], dict[str, Any]]:
    """The parts of a message and its values, with names for the fields `{}` and `{0}`."""
    numbers = [field for _, field, _, _ in parts if field is not None and _is_number(field)]
    if "" in numbers and any(numbers):
        raise ValueError(
            f"{function}: the message {text!r} has {{}} and {{{max(numbers)}}}; write all with "
            "numbers, or none"
        )
    at = itertools.count()
    found: list[_Part] = []
    for literal, field, spec, conversion in parts:
        if field is not None and _is_number(field):
            number = int(field or next(at))
            if number >= len(unnamed):
                raise ValueError(
                    f"{function}: the message {text!r} shows value {number} without a name, and "
                    f"there are {len(unnamed)}; give one value for each field, after the message"
                )
            field = f"{_UNNAMED}{number}"
        found.append((literal, field, spec, conversion))
    return found, {**values, **{f"{_UNNAMED}{i}": x for i, x in enumerate(unnamed)}}


def _in_message(name: str) -> str:
    """A value as messages call it."""
    return f"value {name.removeprefix(_UNNAMED)}" if name.startswith(_UNNAMED) else name


def _check_field(
    function: str, text: str, field: str, spec: str | None, values: Mapping[str, Any]
) -> None:
    if not field.isidentifier() or "{" in (spec or ""):
        raise ValueError(
            f"{function}: {{{field}{':' + spec if spec else ''}}} in the message {text!r} is more "
            'than a name; give the value a name, as in check(ok, "{first}", first=x[0])'
        )
    if field not in values:
        known = ", ".join(map(_in_message, values)) or "none"
        raise ValueError(
            f"{function}: the message {text!r} shows {field}, and the values are {known}; give "
            f"{field}=..."
        )


def _escaped(text: str) -> str:
    return text.replace("{", "{{").replace("}", "}}")
