"""What a tool reads: a file or stdin, whole or split into chunks, and checked before MLIR sees it.

MLIR's parsers trust their input: text that nests too deep overflows the stack, and malformed
bytecode crashes.  Text is checked here; bytecode is first read by a child process (`bytecode.py`).
"""

import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from anvl.tools.diagnostics import Diagnostic

__all__ = ["MAX_NESTING", "Chunk", "InputError", "Source", "read"]

#: With the stack that `anvl-opt` runs on, MLIR survives about four times this.
MAX_NESTING = 5000

_BYTECODE_MAGIC = b"ML\xefR"
_OPENERS = re.compile(r"[({\[<]")
_MINUS_RUN = re.compile(r"-(?:\s*+-)++")  # in an affine map each minus is one more level
_TOKEN = re.compile(
    r""" "(?:[^"\\\n]|\\.)*"   # a string: brackets in it do not nest
       | //[^\n]*              # a comment
       | -> | >= | <=          # no brackets
       | [(){}\[\]<>]
    """,
    re.VERBOSE,
)
_ALIAS = re.compile(r"^[ \t]*([#!][\w$.\-]+)[ \t]*=(.*)$", re.MULTILINE)
_REFERENCE = re.compile(r"[#!][A-Za-z_$][\w$.\-]*")


class InputError(Exception):
    """The input is refused before MLIR reads it."""

    def __init__(self, diagnostic: Diagnostic) -> None:
        super().__init__(diagnostic.message)
        self.diagnostic = diagnostic


@dataclass(frozen=True)
class Chunk:
    """A piece of the input.  Text keeps its line numbers: blank lines stand for what precedes it.

    `path` is set where the chunk is a whole file, so that MLIR can give its name to locations.
    """

    name: str
    content: str | bytes
    path: str | None = None


@dataclass(frozen=True)
class Source:
    """An input and its name in messages."""

    name: str
    content: str | bytes
    path: str | None

    def chunks(self, marker: str | None) -> Iterator[Chunk]:
        """The chunks between lines that are `marker`; without a marker, one."""
        if marker is None or isinstance(self.content, bytes):
            yield Chunk(self.name, self.content, self.path)
            return
        start, lines = 0, self.content.split("\n")
        ends = [i for i, line in enumerate(lines) if line.strip() == marker]
        for end in [*ends, len(lines)]:
            yield Chunk(self.name, "\n" * start + "\n".join(lines[start:end]))
            start = end + 1

    @property
    def lines(self) -> list[str]:
        return [] if isinstance(self.content, bytes) else self.content.split("\n")


def read(path: str) -> Source:
    """The input at `path`, or stdin for `-`."""
    name = "<stdin>" if path == "-" else path
    if path == "-" and sys.stdin is None:
        raise _refused(name, 1, 1, "stdin is closed; give a file")
    try:
        data = sys.stdin.buffer.read() if path == "-" else Path(path).read_bytes()
    except OSError as error:
        raise _refused(name, 1, 1, f"cannot read the file, {error.strerror or error}") from None
    if data.startswith(_BYTECODE_MAGIC):
        return Source(name, data, None)
    text = _decoded(name, data)
    _check_nesting(name, text)
    return Source(name, text, path if Path(path).is_file() else None)


def _decoded(name: str, data: bytes) -> str:
    end = data.find(b"\0")
    if end >= 0:
        raise _refused(name, *_line_and_column(data, end), "a zero byte, which is not text")
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        line, column = _line_and_column(data, error.start)
        raise _refused(name, line, column, f"not UTF-8 text, {error.reason}") from None


def _line_and_column(data: bytes, at: int) -> tuple[int, int]:
    return data.count(b"\n", 0, at) + 1, at - (data.rfind(b"\n", 0, at) + 1) + 1


def _check_nesting(name: str, text: str) -> None:
    tests = (_minuses_too_deep, _brackets_too_deep, _aliases_too_deep)
    at = next((at for test in tests if (at := test(text)) is not None), None)
    if at is not None:
        line, column = _line_and_column(text.encode(), len(text[:at].encode()))
        raise _refused(name, line, column, f"nested deeper than {MAX_NESTING} levels")


def _minuses_too_deep(text: str) -> int | None:
    runs = _MINUS_RUN.finditer(text)
    return next((run.start() for run in runs if run[0].count("-") > MAX_NESTING), None)


def _brackets_too_deep(text: str) -> int | None:
    """Where brackets nest deeper than allowed."""
    if sum(1 for _ in _OPENERS.finditer(text)) <= MAX_NESTING:
        return None
    depth = 0
    for token in _TOKEN.finditer(text):
        if token[0] in ("(", "{", "[", "<"):
            depth += 1
        elif token[0] in (")", "}", "]", ">"):
            depth = max(depth - 1, 0)
        if depth > MAX_NESTING:
            return token.start()
    return None


def _aliases_too_deep(text: str) -> int | None:
    """Where an alias is nested too deep by way of those before it: `!b = tuple<!a>`."""
    depths: dict[str, int] = {}
    for alias in _ALIAS.finditer(text):
        below = (depths.get(name, 0) for name in _REFERENCE.findall(alias[2]))
        depths[alias[1]] = 1 + max(below, default=0)
        if depths[alias[1]] > MAX_NESTING:
            return alias.start(1)
    return None


def _refused(name: str, line: int, column: int, message: str) -> InputError:
    return InputError(Diagnostic("error", message, name, line, column))
