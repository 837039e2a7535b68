"""Formatting of diagnostics: `file:line:col: error: message`, the line, and a caret."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from anvl.dialect.core.mlir import ir

__all__ = [
    "UNSAID",
    "Diagnostic",
    "collected",
    "failed",
    "in_a_line",
    "position",
    "rendered",
    "said",
]

#: Text of an error without a diagnostic of MLIR.
UNSAID = "the text is malformed, and MLIR does not say where; it may end too early"
_POSITION = re.compile(r'"((?:[^"\\]|\\.)*)":(\d+):(\d+)')
_SEVERITIES = {
    "ERROR": "error",
    "WARNING": "warning",
    "NOTE": "note",
    "REMARK": "remark",
}
_CURRENT_OPERATION = "see current operation:"
_NOW = "the op is now: "
_UNKNOWN_OP = "operation being parsed with an unregistered dialect"
# A warning for whoever parses a reproducer with the bindings; `mlir-opt` has none.
_REPRODUCER = "ignoring unknown external resources for 'mlir_reproducer'"
_NO_DRAWING = re.compile(r"\n(?!    (?:mesh|dim \d+) )")
_LONGEST_LINE = 500  # a generated line may hold a whole tensor
# anvl's errors list all problems at once; some of MLIR's hold a whole module
_LONGEST_MESSAGE = 10_000


@dataclass(frozen=True)
class Diagnostic:
    """One message.  `line` and `column` count from 1 and are 0 where unknown.

    `quotes` is whether the line of the input is shown.
    """

    severity: str
    message: str
    file: str = ""
    line: int = 0
    column: int = 0
    notes: tuple["Diagnostic", ...] = ()
    quotes: bool = True

    @property
    def is_current_operation(self) -> bool:
        """Whether MLIR made this note to show the operation, which may be the whole module."""
        return self.message.startswith(_CURRENT_OPERATION)

    @property
    def is_empty(self) -> bool:
        """Whether its first line, the only one that is printed, shows nothing of the operation."""
        first = self.message.partition("\n")[0]
        return first.strip() == _CURRENT_OPERATION


def position(location: str, unnamed: str) -> tuple[str, int, int]:
    """File, line and column of MLIR's location text; `unnamed` replaces MLIR's `-`."""
    match = _POSITION.search(location)
    if match is None:
        return unnamed, 0, 0
    name = re.sub(r"\\(.)", r"\1", match[1])
    return unnamed if name == "-" else name, int(match[2]), int(match[3])


def failed(error: BaseException, message: str, place: tuple[str, int, int]) -> Diagnostic:
    """The diagnostic of an error in a pass; of one about an op, with the op as it is now.

    Then the line of the input is not shown: the pass may have made the op, or changed it.  What
    was said with `add_note` are notes.
    """
    op = getattr(error, "op_text", "")
    texts = ([f"{_NOW}{op}"] if op else []) + list(getattr(error, "__notes__", ()))
    notes = tuple(Diagnostic("note", text, *place, quotes=False) for text in texts)
    return Diagnostic("error", message, *place, notes=notes, quotes=not op)


def said(error: BaseException) -> str:
    """The text of an error without the op, which is a note of its own."""
    return str(error).removesuffix(f"\n{_NOW}{getattr(error, 'op_text', '')}")


def in_a_line(text: str) -> str:
    """A text in one line, but for those that draw a mesh and a spec."""
    return _NO_DRAWING.sub(" ", text)


@contextmanager
def collected(context: ir.Context, unnamed: str) -> Iterator[list[Diagnostic]]:
    """The diagnostics that MLIR emits inside the `with`."""
    diagnostics: list[Diagnostic] = []

    def handle(info: Any) -> bool:
        found = _copied(info, unnamed)
        if found.message != _REPRODUCER:
            diagnostics.append(found)
        return True

    before = context.emit_error_diagnostics
    context.emit_error_diagnostics = True  # otherwise errors reach no handler
    handler = context.attach_diagnostic_handler(handle)
    try:
        yield diagnostics
    finally:
        handler.detach()
        context.emit_error_diagnostics = before


def _copied(info: Any, unnamed: str) -> Diagnostic:
    """A copy: MLIR's own object dies when its handler returns."""
    try:
        message = info.message.strip()
    except RuntimeError:  # it names something that is not UTF-8
        message = UNSAID
    if message.startswith(_UNKNOWN_OP):
        message = f"{_UNKNOWN_OP}; name the file that defines it with --load, or use " + (
            "--allow-unregistered-dialect"
        )
    return Diagnostic(
        _SEVERITIES[info.severity.name],
        message,
        *position(str(info.location), unnamed),
        notes=tuple(_copied(note, unnamed) for note in info.notes),
    )


def rendered(diagnostic: Diagnostic, lines: dict[str, list[str]]) -> str:
    """The text of a diagnostic and its notes; `lines` are those of each known file."""
    d = diagnostic
    place = f"{d.file}:{d.line}:{d.column}" if d.line else f"{d.file}:1:1"
    message = d.message.partition("\n")[0] if d.is_current_operation else d.message
    parts = [
        f"{place}: {d.severity}: {message[:_LONGEST_MESSAGE]}\n",
        _snippet(d, lines),
    ]
    return "".join(parts + [rendered(note, lines) for note in d.notes if not note.is_empty])


def _snippet(d: Diagnostic, lines: dict[str, list[str]]) -> str:
    known = lines.get(d.file, []) if d.quotes else []
    if not 0 < d.line <= len(known) or len(known[d.line - 1]) > _LONGEST_LINE:
        return ""
    line = known[d.line - 1].rstrip("\r\n")
    before = line[: max(d.column - 1, 0)]
    indent = "".join("\t" if char == "\t" else " " for char in before)
    return f"{line}\n{indent}^\n"
