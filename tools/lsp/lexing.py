"""The tokens of MLIR text, also of text that MLIR refuses, in time linear in the text.

[token.text for token in tokens('%a = "anvl.sin"(%x)')]    ['%a', '=', '"anvl.sin"', '(', ...]
"""

import re
from collections.abc import Iterator
from enum import Enum
from typing import NamedTuple

__all__ = ["Kind", "Token", "tokens"]


class Kind(Enum):
    """What a token is."""

    VALUE = "value"  # %x, without the number of a result
    SYMBOL = "symbol"  # @f, @"any name"
    BLOCK = "block"  # ^bb0
    STRING = "string"
    WORD = "word"  # a keyword, the name of an op or of a type
    ALIAS = "alias"  # #map, !type
    OTHER = "other"


class Token(NamedTuple):
    """A token and where it begins."""

    kind: Kind
    text: str
    start: int

    @property
    def end(self) -> int:
        return self.start + len(self.text)


_KINDS = {kind.value: kind for kind in Kind}  # a third of the time of `Kind(...)`

# Each alternative begins with another character, and none repeats within a repetition.
_TOKEN = re.compile(
    r"""//[^\n]*
      | (?P<string>"(?:[^"\\\n]|\\[^\n])*+"?)
      | (?P<value>%[\w$.\-]*+)
      | (?P<symbol>@(?:"(?:[^"\\\n]|\\[^\n])*+"?|[\w$.\-]*+))
      | (?P<block>\^[\w$.\-]*+)
      | (?P<alias>[#!][A-Za-z_][\w$.\-]*+)
      | (?P<word>[A-Za-z_][\w$.]*+)
      | (?P<other>->|==|>=|<=|-?[0-9][\w.]*+|[^\s\w])
    """,
    re.VERBOSE | re.ASCII,
)


def tokens(text: str, start: int = 0, end: int | None = None) -> Iterator[Token]:
    """The tokens of a text, or of a part of it, without blanks and comments."""
    for match in _TOKEN.finditer(text, start, len(text) if end is None else end):
        if match.lastgroup is not None:
            yield Token(_KINDS[match.lastgroup], match[0], match.start())
