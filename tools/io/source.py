"""Input of a tool: a file or stdin, whole or split into chunks, and checked before MLIR reads it.

MLIR's parsers trust their input: text that nests too deep overflows the stack, and malformed
bytecode crashes.  Text is checked here; bytecode is first read by a child process (`bytecode.py`).
Of a file of `anvl.export` the program is read, which is text.
"""

import codecs
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from anvl.dialect.text.parsing import too_deep
from anvl.dialect.text.shardy import NotPlacement, placement_remark, without_shardy
from anvl.tools.io.diagnostics import Diagnostic
from anvl.tools.io.entry_points import load_dialects_in

__all__ = ["MAX_NESTING", "Chunk", "InputError", "Source", "from_text", "line_ranges", "read"]

#: With the stack that `anvl-opt` runs on, MLIR survives about four times this.
MAX_NESTING = 5000

_ZERO = "a zero byte, which is not text"
_BYTECODE_MAGIC = b"ML\xefR"
_EXPORT_MAGIC = b"PK\3\4"


class InputError(Exception):
    """The input is refused before MLIR reads it."""

    def __init__(self, diagnostic: Diagnostic) -> None:
        super().__init__(diagnostic.message)
        self.diagnostic = diagnostic


@dataclass(frozen=True)
class Chunk:
    """A piece of the input.  Text keeps its line numbers: blank lines replace the preceding chunks.

    `path` is set if the chunk is a whole file, so that MLIR can give its name to locations.
    """

    name: str
    content: str | bytes
    path: str | None = None


@dataclass(frozen=True)
class Source:
    """An input and its name in messages; `remark` is printed with its diagnostics.

    `export` is the file of `anvl.export` that holds the content, or None.
    """

    name: str
    content: str | bytes
    path: str | None
    remark: str = ""
    export: bytes | None = None

    def chunks(self, marker: str | None) -> Iterator[Chunk]:
        """Split the input at lines that equal `marker`; without a marker, one chunk."""
        if marker is None or isinstance(self.content, bytes):
            yield Chunk(self.name, self.content, self.path)
            return
        lines = self.content.split("\n")
        for start, end in line_ranges(lines, marker):
            yield Chunk(self.name, "\n" * start + "\n".join(lines[start:end]))

    @property
    def lines(self) -> list[str]:
        return [] if isinstance(self.content, bytes) else self.content.split("\n")


def line_ranges(lines: Sequence[str], marker: str) -> Iterator[tuple[int, int]]:
    """First and last line, exclusive, of each part of a text that lines with `marker` separate."""
    start = 0
    for end in [*(i for i, line in enumerate(lines) if line.strip() == marker), len(lines)]:
        yield start, end
        start = end + 1


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
        load_dialects_in(data)
        return Source(name, data, None)
    if data.startswith(_EXPORT_MAGIC):
        return replace(from_text(name, _exported(name, data)), export=data)
    return from_text(name, _decoded(name, data), path)


def _exported(name: str, data: bytes) -> str:
    """The program in a file of `anvl.export`."""
    from anvl.dialect.text.export_file import PROGRAM, ExportError, read_export  # 10 ms

    try:
        with read_export(name, data) as file:
            return _decoded(name, file.member(PROGRAM))
    except ExportError as error:
        raise _refused(name, 1, 1, str(error).removeprefix(f"{name}: ")) from None


def from_text(name: str, text: str, path: str = "") -> Source:
    """The input that is `text`, of the file `path` if there is one; raises `InputError`."""
    if "\0" in text:
        raise _refused(name, *_line_and_column(text.encode(), text.encode().find(b"\0")), _ZERO)
    _check_nesting(name, text)
    load_dialects_in(text)
    try:
        known, dropped = without_shardy(text)
    except NotPlacement as error:
        raise _refused(
            name,
            *_line_and_column(text.encode(), len(text[: error.at].encode())),
            str(error),
        ) from None
    is_whole = bool(path) and Path(path).is_file() and known == text
    return Source(name, known, path if is_whole else None, placement_remark(dropped))


def _decoded(name: str, data: bytes) -> str:
    if data.startswith((codecs.BOM_UTF8, codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        raise _refused(name, 1, 1, "begins with a byte order mark; save it as UTF-8 without one")
    end = data.find(b"\0")
    if end >= 0:
        raise _refused(name, *_line_and_column(data, end), _ZERO)
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        line, column = _line_and_column(data, error.start)
        raise _refused(name, line, column, f"not UTF-8 text, {error.reason}") from None


def _line_and_column(data: bytes, at: int) -> tuple[int, int]:
    return data.count(b"\n", 0, at) + 1, at - (data.rfind(b"\n", 0, at) + 1) + 1


def _check_nesting(name: str, text: str) -> None:
    at = too_deep(text, MAX_NESTING)
    if at is not None:
        line, column = _line_and_column(text.encode(), len(text[:at].encode()))
        raise _refused(name, line, column, f"nested deeper than {MAX_NESTING} levels")


def _refused(name: str, line: int, column: int, message: str) -> InputError:
    return InputError(Diagnostic("error", message, name, line, column))
