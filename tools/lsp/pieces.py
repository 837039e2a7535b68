"""The programs of one text, which lines `// -----` separate.

[piece.start for piece in pieces("f.mlir", text)]      offsets
"""

from itertools import accumulate
from typing import NamedTuple

from anvl.tools.io.source import Chunk, Source, line_ranges
from anvl.tools.opt.flags import SPLIT_MARKER

__all__ = ["Piece", "piece_at", "pieces"]


class Piece(NamedTuple):
    """A program in a text: its offsets, and the chunk in which it has the lines of the text."""

    start: int
    end: int
    chunk: Chunk


def pieces(name: str, text: str) -> list[Piece]:
    """The programs of a text, in their order; at least one."""
    lines = text.split("\n")
    starts = [0, *accumulate(len(line) + 1 for line in lines)]
    chunks = Source(name, text, None).chunks(SPLIT_MARKER)
    return [
        Piece(starts[first], max(starts[last] - 1, starts[first]), chunk)
        for (first, last), chunk in zip(line_ranges(lines, SPLIT_MARKER), chunks, strict=True)
    ]


def piece_at(name: str, text: str, offset: int) -> Piece:
    """The program around an offset, or before it."""
    found = pieces(name, text)
    return next((each for each in reversed(found) if each.start <= offset), found[0])
