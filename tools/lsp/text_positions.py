"""Positions in a text: offsets of Python, lines and columns of MLIR, and positions of an editor.

    places = TextPositions("%é = x", "utf-16")
    places.of_mlir(1, 6), places.in_editor(5), places.offset(0, 5)      5, (0, 5), 5

MLIR counts bytes of UTF-8 from 1, and ends a line at `\\n` alone.  An editor counts units of the
encoding agreed on from 0, and ends a line at `\\r` too.
"""

import re
from bisect import bisect_right
from collections.abc import Callable
from functools import cached_property

__all__ = ["ENCODINGS", "TextPositions"]

#: Units of a character, by the name of the protocol for the encoding.
ENCODINGS = ("utf-16", "utf-8", "utf-32")
_LINE_END = re.compile(r"\r\n|\n|\r")


class TextPositions:
    """The positions in one text; those outside of it are moved to its nearest end."""

    def __init__(self, text: str, encoding: str = "utf-16") -> None:
        self.text = text
        self._units = {"utf-8": _utf8, "utf-32": len}.get(encoding, _utf16)

    @cached_property
    def _starts(self) -> list[int]:
        """The offset of each line of the editor."""
        return [0, *(end.end() for end in _LINE_END.finditer(self.text))]

    @cached_property
    def _mlir_starts(self) -> list[int]:
        return [0, *(end.end() for end in re.finditer("\n", self.text))]

    def of_mlir(self, line: int, column: int) -> int:
        """The offset of MLIR's position, whose line and column count from 1."""
        if line < 1 or line > len(self._mlir_starts):
            return 0 if line < 1 else len(self.text)
        start = self._mlir_starts[line - 1]
        end = self.text.find("\n", start)
        of_line = self.text[start : len(self.text) if end < 0 else end]
        return start + _characters(of_line, max(column - 1, 0), _utf8)

    def to_mlir(self, offset: int) -> tuple[int, int]:
        """MLIR's line and column of an offset."""
        line = bisect_right(self._mlir_starts, offset)
        return line, _utf8(self.text[self._mlir_starts[line - 1] : offset]) + 1

    def in_editor(self, offset: int) -> tuple[int, int]:
        """The line and the column of an offset in the editor."""
        at = min(max(offset, 0), len(self.text))
        line = bisect_right(self._starts, at) - 1
        start = self._starts[line]
        return line, self._units(self.text[start:at])

    def offset(self, line: int, column: int) -> int:
        """The offset of a position of the editor."""
        if line < 0 or line >= len(self._starts):
            return 0 if line < 0 else len(self.text)
        return self._starts[line] + _characters(self.line(line), max(column, 0), self._units)

    def line(self, number: int) -> str:
        """A line of the editor, without its end."""
        start = self._starts[number]
        end = _LINE_END.search(self.text, start)
        return self.text[start : end.start() if end else len(self.text)]


def _characters(line: str, units: int, count: Callable[[str], int]) -> int:
    """How many characters at the start of a line take as many units; all, if it has fewer."""
    if units >= len(line) and units >= count(line):
        return len(line)
    if line.isascii():
        return units
    taken = 0
    for i, char in enumerate(line):
        taken += count(char)
        if taken > units:
            return i
    return len(line)


def _utf8(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))


def _utf16(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode("utf-16-le", "surrogatepass")) // 2
