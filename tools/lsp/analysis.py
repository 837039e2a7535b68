"""What needs MLIR: diagnostics, types of values, and programs after passes; run in a child.

answer({"do": "check", "name": "f.mlir", "text": text})
answer({"do": "show", "name": "f.mlir", "text": text, "pipeline": "cse"})
"""

import os
import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from functools import cache
from operator import itemgetter
from typing import Any

from anvl.dialect.core.definition.op_checks import all_reported
from anvl.dialect.core.mlir import ir
from anvl.passes.framework import pipeline
from anvl.tools.io.diagnostics import Diagnostic, rendered
from anvl.tools.io.load import load
from anvl.tools.io.programs import Refused, program_of, read_chunk, run_passes
from anvl.tools.io.source import Chunk, InputError, from_text
from anvl.tools.lsp.child import serve
from anvl.tools.lsp.lexing import tokens
from anvl.tools.lsp.outline import Outline, closings
from anvl.tools.lsp.pieces import Piece, piece_at, pieces
from anvl.tools.lsp.recovery import Edit, broken_at, declaration_at, edited
from anvl.tools.lsp.text_positions import TextPositions
from anvl.tools.opt.print_options import PrintOptions, asm
from anvl.tools.run.worker import serve_and_exit

__all__ = ["answer", "without_locations"]

_MOST_READS = 40  # of one text, each to find the next error
_MOST_READ = 2_000_000  # characters in all: what takes longer would be felt
_UPGRADED = r"anvl\.(case|while)\b|sdy\."
_LONGEST_MESSAGE = 10_000  # some hold a whole module
_LONGEST_TOKEN = 1_000


def answer(question: Mapping[str, Any]) -> dict[str, Any]:
    """The answer to a question of the server."""
    return {"check": _checked, "show": _shown}[question["do"]](question)


# -- diagnostics and types -------------------------------------------------------------------------


def _checked(question: Mapping[str, Any]) -> dict[str, Any]:
    """Diagnostics with offsets, and the types of values by the line and column that define them."""
    text = without_locations(question["text"])
    places, types = TextPositions(text), _Types()
    found = [
        _placed(diagnostic, piece, places)
        for piece in pieces(question["name"], text)
        for diagnostic in _diagnosed(piece, places, types, question.get("unregistered", False))
    ]
    found.sort(key=itemgetter("start"))
    if not found and text != question["text"]:
        found = _of_locations(question)
    return {"diagnostics": found, "places": types.of_place, "types": types.names}


def _of_locations(question: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The errors in `loc(...)`, of a text without other ones."""
    places = TextPositions(question["text"])
    return [
        _placed(diagnostic, piece, places)
        for piece in pieces(question["name"], places.text)
        for diagnostic in _read(piece.chunk, question.get("unregistered", False))[1]
        if diagnostic.severity == "error" and diagnostic.file == question["name"]
    ]


def _diagnosed(
    piece: Piece, places: TextPositions, types: "_Types", unregistered: bool
) -> Iterator[Diagnostic]:
    """The diagnostics of a program.

    MLIR stops at the first error of a parser or of a verifier in C++.  So the op there, or the
    function around it, gets a stand-in, and the rest is read again: see Note [Stand-ins].
    """
    outline = cache(lambda: Outline(places.text, piece.start, piece.end))
    edits: list[Edit] = []
    known: dict[object, Diagnostic] = {}  # the first of each place, or text without one
    for _ in range(min(_MOST_READS, 1 + _MOST_READ // (1 + piece.end - piece.start))):
        module, said = _read(edited(piece, places.text, edits), unregistered)
        types.add(module)
        new = [d for d in said if known.setdefault(_place(d) or d.message, d) is d]
        yield from (d for d in new if not _follows_from(edits, d, places))
        edit = _next_edit(said, edits, places, outline) if module is None else None
        if edit is None:
            return
        edits = [*_outside(edit, edits), edit]


def _place(diagnostic: Diagnostic) -> tuple[int, int] | None:
    return (diagnostic.line, diagnostic.column) if diagnostic.line else None


def _next_edit(
    said: Sequence[Diagnostic],
    edits: Sequence[Edit],
    places: TextPositions,
    outline: Callable[[], Outline],
) -> Edit | None:
    """A stand-in for the op at the last error, or for its function; None if both have one."""
    last = next((d for d in reversed(said) if d.severity == "error"), None)
    if last is None or not last.line:
        return None
    at = _at(last, places)
    around = [x for x in edits if x.start <= at < x.end]
    broken = None if around else broken_at(places.text, outline(), at)
    if broken is not None:
        return broken
    declared = declaration_at(places.text, outline(), at)
    return None if declared in around else declared


def _outside(edit: Edit, edits: Sequence[Edit]) -> list[Edit]:
    return [x for x in edits if not edit.start <= x.start < edit.end]


def _follows_from(edits: Sequence[Edit], diagnostic: Diagnostic, places: TextPositions) -> bool:
    """Whether a diagnostic, or a note of it, is about a stand-in."""
    about = [_at(d, places) for d in (diagnostic, *diagnostic.notes) if d.line]
    return any(x.start <= at < x.end for x in edits for at in about)


def _at(diagnostic: Diagnostic, places: TextPositions) -> int:
    return places.of_mlir(diagnostic.line, diagnostic.column)


def _read(chunk: Chunk, unregistered: bool) -> tuple[ir.Module | None, list[Diagnostic]]:
    try:
        source = from_text(chunk.name, str(chunk.content))
    except InputError as error:
        return None, [error.diagnostic]
    content = Chunk(chunk.name, source.content)
    # Some texts are changed when they are read, for which their ops must be valid.
    reports = nullcontext() if re.search(_UPGRADED, str(source.content)) else all_reported()
    with reports:
        module, diagnostics = read_chunk(content, allow_unregistered=unregistered)
    if source.remark:
        diagnostics = [Diagnostic("remark", source.remark, chunk.name), *diagnostics]
    return module, diagnostics


def _placed(diagnostic: Diagnostic, piece: Piece, places: TextPositions) -> dict[str, Any]:
    """A diagnostic with the offsets of the token at its place."""
    d = diagnostic
    start, end = _extent(d, piece, places)
    notes = [note for note in d.notes if not note.is_current_operation]
    text = "\n".join([d.message, *(note.message for note in notes if not note.line)])
    return {
        "severity": d.severity,
        "message": text[:_LONGEST_MESSAGE],
        "start": start,
        "end": end,
        "notes": [
            [note.message[:_LONGEST_MESSAGE], *_extent(note, piece, places)]
            for note in notes
            if note.line
        ],
    }


def _extent(diagnostic: Diagnostic, piece: Piece, places: TextPositions) -> tuple[int, int]:
    """The offsets of the token at a place; without a place, of the first token of the program."""
    if not diagnostic.line:
        first = next(tokens(places.text, piece.start, piece.end), None)
        return (first.start, first.end) if first is not None else (piece.start, piece.end)
    at = _at(diagnostic, places)
    found = next(tokens(places.text, at, min(piece.end, at + _LONGEST_TOKEN)), None)
    if found is not None and found.start == at:
        return at, found.end
    if at and (at >= len(places.text) or places.text[at] in "\r\n"):
        return at - 1, at  # an editor shows nothing behind the end of a line
    return at, at + 1


class _Types:
    """The types of values, by the line and column of the op or the argument: `"12:8"`."""

    def __init__(self) -> None:
        self.names: list[str] = []
        self.of_place: dict[str, list[int]] = {}
        self._numbers: dict[ir.Type, int] = {}

    def add(self, module: ir.Module | None) -> None:
        if module is not None:
            module.operation.walk(self._visit)

    def _visit(self, op: ir.Operation) -> ir.WalkResult:
        results = op.results
        if len(results):
            self._enter(op.location, [result.type for result in results])
        for region in op.regions:
            for block in region.blocks:
                for argument in block.arguments:
                    self._enter(argument.location, [argument.type])
        return ir.WalkResult.ADVANCE

    def _enter(self, location: ir.Location, types: Sequence[ir.Type]) -> None:
        if isinstance(location, ir.FileLineColLoc):
            place = f"{location.start_line}:{location.start_col}"
            self.of_place[place] = [self._number(each) for each in types]

    def _number(self, of: ir.Type) -> int:
        number = self._numbers.get(of)
        if number is None:
            number = self._numbers[of] = len(self.names)
            self.names.append(str(of))
        return number


def without_locations(text: str) -> str:
    """The text with blanks for `loc(...)`, which stands behind ops, arguments and in aliases.

    A message about an op is shown at its line of the text, not at that of the Python it came from.
    """
    if "loc(" not in text:
        return text
    found = list(tokens(text))
    ends, parts, at = closings(found), [], 0
    for i, token in enumerate(found):
        if token.text != "loc" or i + 1 not in ends or found[i + 1].text != "(":
            continue
        start, end = token.start, found[ends[i + 1]].end
        if i > 1 and found[i - 1].text == "=":
            if not found[i - 2].text.startswith("#loc"):
                continue  # an attribute
            start = found[i - 2].start
        if start >= at:  # not inside of the last one
            parts += [text[at:start], re.sub(r"[^\r\n]", " ", text[start:end])]
            at = end
    return "".join([*parts, text[at:]])


# -- programs after passes -------------------------------------------------------------------------


def _shown(question: Mapping[str, Any]) -> dict[str, Any]:
    """The program around the offset `at` after passes, or an error."""
    chunk = piece_at(question["name"], question["text"], question["at"]).chunk
    try:
        source = from_text(chunk.name, str(chunk.content))
        passes = pipeline.parse(question["pipeline"])
        program = program_of(source, allow_unregistered=question.get("unregistered", False))
        run_passes(program, passes)
    except InputError as error:
        return {"error": rendered(error.diagnostic, {})}
    except Refused as error:
        return {"error": str(error)}
    options = PrintOptions(name_locs=True)
    return {"text": asm(program.module.operation, options, assume_verified=True)}


if __name__ == "__main__":
    streams = os.dup(0), os.dup(1)
    os.dup2(2, 1)  # files that are loaded may print
    load(sys.argv[1:])
    serve_and_exit(lambda source, sink: serve(answer, source, sink), *streams, os.getppid())
