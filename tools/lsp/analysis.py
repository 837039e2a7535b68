"""What needs MLIR: diagnostics, types of values, and programs after passes; run in a child.

answer({"do": "check", "name": "f.mlir", "text": text})
answer({"do": "show", "name": "f.mlir", "text": text, "pipeline": "cse"})
"""

import os
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import Any

from anvl.dialect.core.mlir import ir
from anvl.passes.framework import pipeline
from anvl.tools.io.diagnostics import Diagnostic, rendered
from anvl.tools.io.load import load
from anvl.tools.io.programs import Refused, program_of, read_chunk, run_passes
from anvl.tools.io.source import Chunk, InputError, from_text
from anvl.tools.lsp.child import serve
from anvl.tools.lsp.lexing import tokens
from anvl.tools.lsp.outline import Function, Outline, closings
from anvl.tools.lsp.pieces import Piece, piece_at, pieces
from anvl.tools.lsp.text_positions import TextPositions
from anvl.tools.opt.print_options import PrintOptions, asm
from anvl.tools.run.worker import serve_and_exit

__all__ = ["answer", "without_locations"]

_MOST_FUNCTIONS = 20  # with an error each; then the text is read no more
_LONGEST_RECOVERY = 300_000  # characters; reading larger texts repeatedly would be felt
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

    MLIR stops at the first error.  So the function around it loses its body, and the rest is read
    again.
    """
    functions = cache(lambda: Outline(places.text, piece.start, piece.end).functions)
    given_up: list[Function] = []
    while len(given_up) <= _MOST_FUNCTIONS:
        module, said = _read(_with_declarations(piece, places.text, given_up), unregistered)
        if module is not None:
            types.add(module)
        new = [d for d in said if not _is_in(given_up, _at(d, places))]
        yield from new
        error = next((d for d in new if d.severity == "error" and d.line), None)
        if error is None or len(places.text) > _LONGEST_RECOVERY:
            return
        around = _function_around(functions(), _at(error, places))
        if around is None:
            return
        given_up.append(around)


def _is_in(functions: Sequence[Function], at: int) -> bool:
    return any(f.start <= at < f.end for f in functions)


def _function_around(functions: Sequence[Function], at: int) -> Function | None:
    """The innermost function whose body is around an offset."""
    found = [f for f in functions if f.body and f.body[0] <= at < f.body[1]]
    return found[-1] if found else None


def _at(diagnostic: Diagnostic, places: TextPositions) -> int:
    return places.of_mlir(diagnostic.line, diagnostic.column)


def _read(chunk: Chunk, unregistered: bool) -> tuple[ir.Module | None, list[Diagnostic]]:
    try:
        source = from_text(chunk.name, str(chunk.content))
    except InputError as error:
        return None, [error.diagnostic]
    module, diagnostics = read_chunk(
        Chunk(chunk.name, source.content), allow_unregistered=unregistered
    )
    if source.remark:
        diagnostics = [Diagnostic("remark", source.remark, chunk.name), *diagnostics]
    return module, diagnostics


def _with_declarations(piece: Piece, text: str, functions: Sequence[Function]) -> Chunk:
    """The program with declarations in place of functions; its lines stay where they were."""
    content = str(piece.chunk.content)
    lines_before = content[: len(content) - (piece.end - piece.start)]
    parts, at = [lines_before], piece.start
    for function in sorted(functions):
        assert function.body is not None
        begin, end = function.body
        # A declaration cannot be public.
        parts += [text[at : function.start], "func.func private "]
        parts += [text[function.name.start : begin], "\n" * text.count("\n", begin, end)]
        at = end
    return Chunk(piece.chunk.name, "".join([*parts, text[at : piece.end]]))


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

    def add(self, module: ir.Module) -> None:
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
