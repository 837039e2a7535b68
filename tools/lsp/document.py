"""An open document: its text, and what is known about the names at a place of it.

document = Document("file:///f.mlir", text, version=3, encoding="utf-16")
document.hover(offset)     Markdown, and the offsets that it is about
"""

from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import PurePosixPath
from typing import Any, NamedTuple
from urllib.parse import unquote, urlsplit

from anvl.tools.lsp.lexing import Kind, Token
from anvl.tools.lsp.op_help import op_help, short_name
from anvl.tools.lsp.outline import Function, Outline
from anvl.tools.lsp.pieces import Piece, pieces
from anvl.tools.lsp.text_positions import TextPositions

__all__ = ["Document", "Hover"]

_LONGEST = 1_000  # characters of a type, or of a line; some hold whole arrays


class Hover(NamedTuple):
    """Markdown about the text from `start` to `end`."""

    text: str
    start: int
    end: int


class Document:
    """A text at one version; `checked` is what `analysis` says about it, once it does."""

    def __init__(self, uri: str, text: str, version: int | None, encoding: str) -> None:
        self.uri, self.version = uri, version
        # A lone surrogate is no text; it counts as one unit, as what it is replaced by.
        self.text = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        self.places = TextPositions(self.text, encoding)
        self.checked: Mapping[str, Any] = {}
        self._outlines: dict[int, Outline] = {}

    @property
    def name(self) -> str:
        """The name of the file."""
        return PurePosixPath(unquote(urlsplit(self.uri).path)).name or "text"

    @cached_property
    def pieces(self) -> Sequence[Piece]:
        return pieces(self.name, self.text)

    def piece(self, offset: int) -> Piece:
        """The program around an offset."""
        return next(x for x in reversed(self.pieces) if x.start <= offset or not x.start)

    def outline(self, piece: Piece) -> Outline:
        """The names of a program."""
        if piece.start not in self._outlines:
            self._outlines[piece.start] = Outline(self.text, piece.start, piece.end)
        return self._outlines[piece.start]

    # -- questions ---------------------------------------------------------------------------------

    def definition(self, offset: int) -> tuple[int, int] | None:
        """The offsets of the definition of the name at an offset."""
        outline = self.outline(self.piece(offset))
        found = outline.definition(outline.name_at(offset))
        return None if found is None else outline.extent(found)

    def references(self, offset: int, *, declaration: bool) -> list[tuple[int, int]]:
        """The offsets of all uses of the name at an offset."""
        outline = self.outline(self.piece(offset))
        found = outline.definition(outline.name_at(offset))
        if found is None:
            return []
        names = [*([found] if declaration else []), *outline.uses(found)]
        return [outline.extent(name) for name in names]

    def functions(self) -> list[Function]:
        """The functions of all programs, in their order."""
        return [f for piece in self.pieces for f in self.outline(piece).functions]

    def function_at(self, offset: int) -> Function | None:
        """The function around an offset."""
        return self.outline(self.piece(offset)).function_at(offset)

    def hover(self, offset: int) -> Hover | None:
        """What is known about the name, or the op, at an offset."""
        outline = self.outline(self.piece(offset))
        name = outline.name_at(offset)
        if name is not None:
            return self._of_name(outline, name)
        token = outline.at(offset)
        if token is None:
            return None
        text = op_help(_op_name(outline, token))
        return None if text is None else Hover(text, token.start, token.end)

    # -- names -------------------------------------------------------------------------------------

    def _of_name(self, outline: Outline, name: Token) -> Hover | None:
        found = outline.definition(name)
        if found is None:
            return None
        if name.kind is Kind.SYMBOL:
            head, note = self._symbol(outline, found), ""
        elif name.kind is Kind.BLOCK:
            head, note = self._line(found.start), "a block"
        else:
            head, note = self._value(outline, name, found)
        place = f"defined in line {self.places.in_editor(found.start)[0] + 1}"
        said = ", ".join(x for x in (note, place) if x)
        return Hover(f"```mlir\n{head}\n```\n\n{said}", *outline.extent(name))

    def _symbol(self, outline: Outline, found: Token) -> str:
        """The head of a function, or the line of another op."""
        function = next((f for f in outline.functions if f.name == found), None)
        if function is None or function.body is None:
            return self._line(found.start)
        return self.text[function.start : function.body[0]].strip()[:_LONGEST]

    def _value(self, outline: Outline, name: Token, found: Token) -> tuple[str, str]:
        """A value with its type and the line of its definition, and what it is."""
        op = outline.op_defining(found)
        # For MLIR some ops with a form of their own begin behind their name.
        types = self._types(found.start) if op is None else self._types(op.start, op.end)
        if op is not None:
            first, count = _results_before(outline, op, found)
            types = types[first : first + count]
            which = _number_behind(outline, name)
            if which is not None and which < len(types):
                name, types = name._replace(text=f"{name.text}#{which}"), [types[which]]
        typed = f"{name.text}: {', '.join(types)}"[:_LONGEST] if types else name.text
        line = self._line(found.start)
        if op is None:
            return f"{typed}\n{line}" if not types else typed, "an argument"
        return f"{typed}\n{line}", f"a result of `{_op_name(outline, op)}`"

    def _types(self, *offsets: int) -> list[str]:
        """The types of what MLIR says begins at the first of these offsets."""
        places = ("{}:{}".format(*self.places.to_mlir(at)) for at in offsets)
        known = self.checked.get("places", {})
        numbers: list[int] = next((known[place] for place in places if place in known), [])
        return [self.checked["types"][number] for number in numbers]

    def _line(self, offset: int) -> str:
        line = self.places.line(self.places.in_editor(offset)[0]).strip()
        return line if len(line) <= _LONGEST else f"{line[:_LONGEST]} ..."


def _op_name(outline: Outline, token: Token) -> str:
    """The name of the op that a token names; empty if it names none."""
    i = outline.index(token)
    behind = outline.tokens[i + 1].text if i + 1 < len(outline.tokens) else ""
    if token.kind is Kind.STRING:
        return token.text.strip('"') if behind == "(" else ""
    return short_name(token.text) if token.kind is Kind.WORD else ""


def _results_before(outline: Outline, op: Token, value: Token) -> tuple[int, int]:
    """How many results of an op stand before those of a name, and how many the name has."""
    before = 0
    for name in outline.defined_by(op):
        count = _number_behind(outline, name, ":") or 1
        if name == value:
            return before, count
        before += count
    return before, 1


def _number_behind(outline: Outline, name: Token, sign: str = "#") -> int | None:
    """The number of `%a#1`, or of `%a:2`."""
    i = outline.index(name) + 1
    if i + 1 >= len(outline.tokens) or outline.tokens[i].text != sign:
        return None
    number = outline.tokens[i + 1].text
    return int(number) if number.isdigit() and len(number) < 10 else None
