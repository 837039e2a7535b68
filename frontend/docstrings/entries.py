"""`Entries`: what the functions of a namespace have in common, said once."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

__all__ = ["Entries", "by_name"]


class Entries(NamedTuple):
    """The parameters and results of the functions of a namespace.

    Attributes
    ----------
    parameters : mapping of str to str
        By the name of a parameter: `type: description`, or the type alone.
    own : mapping of str to mapping
        By the name of a function: parameters that mean something else there.
    results : mapping of str to str
        By the name of a function: what it returns.
    link : callable
        From the name of a function to the page of the standard, or None.
    examples : mapping of str to str
        By the name of a function: an example, for those that have none in the source.
    fields : mapping of str to str
        By the name of a field of a named tuple: `type: description`, as of parameters.
    """

    parameters: Mapping[str, str]
    own: Mapping[str, Mapping[str, str]]
    results: Mapping[str, str]
    link: Callable[[str], str | None]
    examples: Mapping[str, str] = {}
    fields: Mapping[str, str] = {}


def by_name(groups: Mapping[str, str]) -> dict[str, str]:
    """From results with the names of the functions that have them, to results by name."""
    return {name: text for text, names in groups.items() for name in names.split()}
