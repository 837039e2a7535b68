"""`complete`: give docstrings the sections that they lack, from the entries of their namespace.

A docstring in the source says what a function computes, and shows it.  What is special about a
parameter stands there, too; what it means everywhere (`axis`, `keepdims`, `key`, ...) the table of
the namespace says once.  This takes a few microseconds a function, when the namespace is imported.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from types import CodeType, FunctionType
from typing import Any, NamedTuple

from anvl.docstrings.entries import Entries

__all__ = ["Parameter", "complete", "is_documented", "is_named_tuple", "parameters_of"]

_ORDER = (
    "Parameters", "Attributes", "Returns", "Yields", "Raises", "Warns", "See Also", "Notes",
    "References", "Examples",
)  # fmt: skip
_HEADER = re.compile(rf"\n\n(?=(?:{'|'.join(_ORDER)})\n---)")
_MARGIN = "\n    "  # of the docstring of a function in a module; Python 3.13 removes it itself
_VARIADIC, _KEYWORDS = 4, 8  # flags of code objects


class Parameter(NamedTuple):
    """A parameter as docstrings write it, `*xs`, and whether it may be left out."""

    name: str
    is_optional: bool


def complete(names: Iterable[str], namespace: Mapping[str, Any], entries: Entries) -> None:
    """Complete the docstrings of the functions among these names of a module."""
    for name in names:
        function = namespace.get(name)
        if is_named_tuple(function):
            _complete_fields(function, entries)
        if function is None or not is_documented(function):
            continue
        if function.__doc__ and "References\n" not in function.__doc__:
            function.__doc__ = _completed(function.__doc__, name, function, entries)


def is_documented(x: Any) -> bool:
    """Whether x is a function of anvl: neither a class, nor a value, nor a function of NumPy."""
    is_function = type(x) is FunctionType or hasattr(x, "__wrapped__")  # or a `Jit`
    return is_function and str(x.__module__).startswith("anvl.")


def is_named_tuple(x: Any) -> bool:
    """Whether x is a class of anvl whose objects are results, or states, by name."""
    return isinstance(x, type) and hasattr(x, "_fields") and x.__module__.startswith("anvl.")


def _complete_fields(made: Any, entries: Entries) -> None:
    """Describe the fields of a named tuple that its docstring does not."""
    text = (made.__doc__ or "").replace(_MARGIN, "\n").rstrip()
    if "Attributes\n" in text or not made._fields:
        return
    lines = []
    for field in made._fields:
        kind, _, says = entries.fields.get(field, "any").partition(": ")
        lines += [f"{field} : {kind}", *([f"    {says}"] if says else [])]
    made.__doc__ = "\n".join([text, "", "Attributes", "----------", *lines])


def _completed(text: str, name: str, function: Any, entries: Entries) -> str:
    plain = text.replace(_MARGIN, "\n") if text.endswith(_MARGIN) else text
    prose, sections = _parted(plain.rstrip())
    if name in entries.examples:
        sections.setdefault("Examples", entries.examples[name])
    parameters = _described(name, function, entries)
    if parameters:
        sections.setdefault("Parameters", parameters)
    if entries.results.get(name):
        sections.setdefault("Returns", entries.results[name])
    link = entries.link(name)
    if link and link not in plain:
        sections.setdefault("References", link)
    found = [f"{of}\n{'-' * len(of)}\n{sections[of]}" for of in _ORDER if of in sections]
    return "\n\n".join([prose, *found])


def _parted(text: str) -> tuple[str, dict[str, str]]:
    """The text before all sections, and these; an example without a header is one, too."""
    sections: dict[str, str] = {}
    start = text.find("\n>>> ")
    if start >= 0 and "Examples\n---" not in text:
        sections["Examples"] = text[start + 1 :]
        text = text[:start].rstrip()
    prose, *parts = _HEADER.split(text)
    for part in parts:
        header, _, rest = part.partition("\n")
        sections[header] = rest.partition("\n")[2]
    return prose.rstrip(), sections


def _described(name: str, function: Any, entries: Entries) -> str:
    own = entries.own.get(name, {})
    lines: list[str] = []
    for parameter, is_optional in parameters_of(function):
        known = own.get(parameter) or entries.parameters.get(parameter) or "any"
        kind, _, says = known.partition(": ")
        optional = ", optional" if is_optional and "optional" not in kind else ""
        lines.append(f"{parameter} : {kind}{optional}")
        if says:
            lines.append(f"    {says}")
    return "\n".join(lines)


def parameters_of(function: Any) -> list[Parameter]:
    """The parameters of a function, in the order of its signature."""
    signature = None
    while (signature := getattr(function, "__signature__", None)) is None:
        inner = getattr(function, "__wrapped__", None)
        if inner is None:
            break
        function = inner
    if signature is not None:
        marks = {2: "*", 4: "**"}
        parameters = signature.parameters.values()
        return [
            Parameter(marks.get(p.kind, "") + p.name, p.default is not p.empty) for p in parameters
        ]
    return _of_code(function.__code__, function.__defaults__ or (), function.__kwdefaults__ or {})


def _of_code(
    code: CodeType, defaults: tuple[Any, ...], by_keyword: Mapping[str, Any]
) -> list[Parameter]:
    names, count = code.co_varnames, code.co_argcount
    at = count + code.co_kwonlyargcount
    found = [Parameter(name, i >= count - len(defaults)) for i, name in enumerate(names[:count])]
    if code.co_flags & _VARIADIC:
        found.append(Parameter(f"*{names[at]}", False))
    found += [Parameter(name, name in by_keyword) for name in names[count:at]]
    if code.co_flags & _KEYWORDS:
        found.append(Parameter(f"**{names[at + bool(code.co_flags & _VARIADIC)]}", False))
    return found
