"""Messages that show values of a running program: their format, checked while tracing."""

from __future__ import annotations

from collections.abc import Mapping
from string import Formatter
from typing import Any, NamedTuple

import numpy as np

from anvl.core.promote import NUMBER_LEVELS
from anvl.core.tracer import Tracer
from anvl.runtime import Array

__all__ = ["Message", "is_array"]


class Message(NamedTuple):
    """A format string, and the arrays that it shows, by name; other values are written into it."""

    text: str
    arrays: dict[str, Any]

    @classmethod
    def of(cls, function: str, text: Any, values: Mapping[str, Any]) -> Message:
        """Check a message and its values.

        Raises `TypeError` if it is no text, and `ValueError` for a name without a value, a value
        without a name, and a field that is more than a name.
        """
        if not isinstance(text, str):
            raise TypeError(
                f"{function}: the message is {text!r} of type {type(text).__name__}; it must be "
                "text, with {name} where it shows a value"
            )
        written, used = [], set()
        for literal, field, spec, conversion in _parsed(function, text):
            written.append(_escaped(literal))
            if field is None:
                continue
            _check_field(function, text, field, spec, values)
            used.add(field)
            shown = (
                f"{{{field}{'!' + conversion if conversion else ''}{':' + spec if spec else ''}}}"
            )
            is_plain = not is_array(values[field])
            written.append(_escaped(shown.format(**{field: values[field]})) if is_plain else shown)
        unused = [name for name in values if name not in used]
        if unused:
            raise ValueError(
                f"{function}: the message {text!r} does not show {', '.join(unused)}; write "
                f"{{{unused[0]}}} into it"
            )
        return cls("".join(written), {k: x for k, x in values.items() if is_array(x)})

    def check_types(self, function: str, types: Mapping[str, tuple[Any, tuple[int, ...]]]) -> None:
        """Refuse fields that cannot format values of these dtypes and shapes."""
        try:
            self.text.format(**{k: np.zeros(shape, of)[()] for k, (of, shape) in types.items()})
        except (TypeError, ValueError) as error:
            raise ValueError(f"{function}: the message {self.text!r}: {error}") from None


def is_array(x: Any) -> bool:
    """Whether a value is an array, a tracer or a number: known when the program runs."""
    return isinstance(x, Tracer | Array | np.ndarray | np.generic) or type(x) in NUMBER_LEVELS


def _parsed(function: str, text: str) -> list[tuple[str, str | None, str | None, str | None]]:
    try:
        return list(Formatter().parse(text))
    except ValueError as error:
        raise ValueError(f"{function}: the message {text!r} is no format: {error}") from None


def _check_field(
    function: str, text: str, field: str, spec: str | None, values: Mapping[str, Any]
) -> None:
    if not field.isidentifier() or "{" in (spec or ""):
        raise ValueError(
            f"{function}: {{{field}{':' + spec if spec else ''}}} in the message {text!r} is more "
            'than a name; give the value a name, as in check(ok, "{first}", first=x[0])'
        )
    if field not in values:
        known = ", ".join(values) or "none"
        raise ValueError(
            f"{function}: the message {text!r} shows {field}, and the values are {known}; give "
            f"{field}=..."
        )


def _escaped(text: str) -> str:
    return text.replace("{", "{{").replace("}", "}}")
