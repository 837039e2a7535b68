"""The pattern of a directive, and what is wrong with it.

    CHECK: %[[X:.*]] = "anvl.sin"(%{{[a-z]+}})

`filecheck` gives a regular expression to Python, LLVM's FileCheck to `llvm::Regex`, which knows
POSIX's extended ones with backreferences: `\\w` is the letter w there, `*?` an error.  A pattern is
for both.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum, auto

__all__ = ["Kind", "Piece", "pattern_problems", "pieces", "vacuous_not"]


class Kind(Enum):
    """What a piece of a pattern matches."""

    TEXT = auto()
    REGEX = auto()
    CAPTURE = auto()
    USE = auto()
    NUMBER = auto()
    BROKEN = auto()


@dataclass(frozen=True)
class Piece:
    """Text, `{{text}}`, `[[name:text]]` or `[[name]]`."""

    kind: Kind
    text: str
    name: str = ""


_START = re.compile(r"\{\{|\[\[")
_BLOCK = re.compile(r"\[\[(\$?[A-Za-z_]\w*)(?::(.*))?\]\]", re.DOTALL)
_NUMBER = re.compile(r"\[\[(#|@LINE).*\]\]")
_LINE = re.compile(r"\[\[# @LINE( [+-] \d+)?\]\]")
_CLASS = re.compile(r"\[\^?\]?(?:\[:\w+:\]|[^\]])*\]")  # `[^]a-z[:digit:]]`
_ESCAPED_LETTER = re.compile(r"\\[A-Za-z<>]")
_LAZY = re.compile(r"(?<!\\)(?:[*+?]|\{\d+(?:,\d*)?\})[?+]")
_CHOICE = re.compile(r"(?<!\\)(?:\||\?|\{\d+,\d+\})")
_GROUP = re.compile(r"(?<!\\)\(\?")
#: Regular expressions that somebody forgot the braces of.
_UNBRACED = re.compile(r"\.[*+]|\\[.\w(\[]|\[[^]]*\][*+]")


def pieces(pattern: str) -> list[Piece]:
    found: list[Piece] = []
    at = 0
    while start := _START.search(pattern, at):
        if start.start() > at:
            found.append(Piece(Kind.TEXT, pattern[at : start.start()]))
        end = _end(pattern, start.start(), start[0])
        if end is None:
            return [*found, Piece(Kind.BROKEN, pattern[start.start() :])]
        found.append(_piece(pattern[start.start() : end]))
        at = end
    return [*found, Piece(Kind.TEXT, pattern[at:])] if at < len(pattern) else found


def _end(pattern: str, start: int, bracket: str) -> int | None:
    """End of the block that begins at `start`; brackets within `[[...]]` nest."""
    if bracket == "{{":
        end = pattern.find("}}", start)
        return None if end < 0 else end + 2
    depth = 0
    for at in range(start, len(pattern)):
        if pattern[at - 1] == "\\" and at > start:
            continue
        depth += {"[": 1, "]": -1}.get(pattern[at], 0)
        if depth == 0:
            return at + 1
    return None


def _piece(block: str) -> Piece:
    if block.startswith("{{"):
        return Piece(Kind.REGEX, block[2:-2])
    if _NUMBER.fullmatch(block):
        return Piece(Kind.NUMBER, block)
    match = _BLOCK.fullmatch(block)
    if match is None:
        return Piece(Kind.BROKEN, block)
    if match[2] is None:
        return Piece(Kind.USE, "", match[1])
    return Piece(Kind.CAPTURE, match[2], match[1])


def pattern_problems(pattern: str) -> Iterator[str]:
    """Problems that a pattern has in itself."""
    found = pieces(pattern)
    for piece in found:
        match piece.kind:
            case Kind.BROKEN:
                yield f"{piece.text}: no variable; write {{{{\\[\\[}}}} for two brackets"
            case Kind.NUMBER if not _LINE.fullmatch(piece.text):
                yield "filecheck has no numeric captures; use {{[0-9]+}}"
            case Kind.REGEX | Kind.CAPTURE:
                yield from _regex_problems(piece.text)
    yield from _backreference_problems(found)


def _regex_problems(regex: str) -> Iterator[str]:
    for bracket in _CLASS.findall(regex):
        if "\\" in bracket:
            yield f"{bracket}: LLVM's FileCheck takes a backslash in brackets as itself"
    outside = _CLASS.sub("[]", regex)
    if escaped := _ESCAPED_LETTER.search(outside):
        yield (
            f"{escaped[0]}: LLVM's FileCheck does not know it; use brackets, such as [a-zA-Z0-9_]"
        )
    if lazy := _LAZY.search(outside):
        yield f"{lazy[0]}: LLVM's FileCheck has no lazy quantifiers; exclude the end: [^,]*"
    if _GROUP.search(outside):
        yield "(?: LLVM's FileCheck has no lookahead and no other group than (...)"


def _backreference_problems(found: list[Piece]) -> Iterator[str]:
    """`llvm::Regex` finds no match for `|` where a variable is used on the line that sets it.

    It reads `x?` and `x{1,2}` as choices too.
    """
    names = {piece.name for piece in found if piece.kind is Kind.CAPTURE}
    again = [piece.name for piece in found if piece.kind is Kind.USE and piece.name in names]
    choices = [
        choice[0]
        for piece in found
        if piece.kind in (Kind.REGEX, Kind.CAPTURE)
        if (choice := _CHOICE.search(_CLASS.sub("[]", piece.text)))
    ]
    if again and choices:
        yield (
            f"LLVM's FileCheck matches no `{choices[0]}` beside [[{again[0]}]] on the line that "
            f"sets it; move the `{choices[0]}` to a -SAME line, or write `*`"
        )


def vacuous_not(pattern: str) -> str | None:
    """Why a `-NOT` of this pattern never fails, if that can be seen."""
    for piece in pieces(pattern):
        if piece.kind is Kind.TEXT and (bare := _UNBRACED.search(piece.text)):
            return f"{bare[0]} is plain text outside of {{{{}}}}, which is never printed"
    return None
