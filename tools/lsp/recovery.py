"""What stands in for an op or a function with an error, so that the text behind it can be read.

    broken = broken_at(text, outline, offset)      Edit(12, 60, "%0 = builtin... to tensor<3xf32>")
    edited(piece, text, [broken])                  the program, with its lines where they were

See Note [Stand-ins].
"""

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from anvl.tools.io.source import Chunk
from anvl.tools.lsp.lexing import Kind, Token
from anvl.tools.lsp.outline import Function, Outline
from anvl.tools.lsp.pieces import Piece

__all__ = ["Edit", "broken_at", "declaration_at", "edited"]

# Note [Stand-ins]
#
# MLIR stops reading at the first error.  An op with an error whose text ends in the types of its
# results is replaced by a cast from nothing to these types, which is valid wherever the op is, and
# the text is read again: what is said of the rest is what would be said if the op were right.  The
# types of other ops are not in the text, so a function with such an op loses its body from then on;
# a stand-in of a guessed type would make errors where there are none.  Only ops that are directly
# in a function are replaced, with the ops in their regions.  An op without results is left out; the
# `return` of a function returns stand-ins.

_STAND_IN = "builtin.unrealized_conversion_cast to"
_NO_TYPE = {"(", "{", "=", ","}  # outside of the brackets of one type
_RETURNED = "%anvl_lsp_returned"
_OPENING, _CLOSING = ("(", "{", "[", "<"), (")", "}", "]", ">")
_WITHOUT_DIALECT = ("return", "call")  # ops of `func`, in a function


class Edit(NamedTuple):
    """A part of the text, and what to read in its place."""

    start: int
    end: int
    text: str


def edited(piece: Piece, text: str, edits: Sequence[Edit]) -> Chunk:
    """The program after edits, none of which overlap; its lines stay where they were."""
    content = str(piece.chunk.content)
    parts, at = [content[: len(content) - (piece.end - piece.start)]], piece.start
    for edit in sorted(edits):
        lines = text.count("\n", edit.start, edit.end) - edit.text.count("\n")
        parts += [text[at : edit.start], edit.text, "\n" * lines]
        at = edit.end
    return Chunk(piece.chunk.name, "".join([*parts, text[at : piece.end]]))


def declaration_at(text: str, outline: Outline, at: int) -> Edit | None:
    """A declaration in place of the function around an offset; it cannot be public."""
    function = _function_at(outline, at)
    if function is None:
        return None
    assert function.body is not None
    head = text[function.name.start : function.body[0]]
    return Edit(function.start, function.end, f"func.func private {head}")


def broken_at(text: str, outline: Outline, at: int) -> Edit | None:
    """A stand-in of the op of a function around an offset; None if there can be none."""
    function = _function_at(outline, at)
    if function is None:
        return None
    assert function.body is not None
    starts = list(_op_starts(text, outline, function.body))
    offsets = [outline.tokens[i].start for i in starts]
    which = bisect_right(offsets, at) - 1
    if which < 0:
        return None
    end = bisect_left(outline.tokens, function.body[1] - 1, key=lambda token: token.start)
    is_last = which + 1 == len(starts)
    op = outline.tokens[starts[which] : end if is_last else starts[which + 1]]
    if any(token.kind is Kind.BLOCK for token in op):
        return None
    shown = _return_stand_in(text, op) if is_last else _stand_in(text, op)
    return None if shown is None else Edit(op[0].start, op[-1].end, shown)


def _function_at(outline: Outline, at: int) -> Function | None:
    """The innermost function whose body is around an offset."""
    found = [f for f in outline.functions if f.body and f.body[0] <= at < f.body[1]]
    return found[-1] if found else None


def _op_starts(text: str, outline: Outline, body: tuple[int, int]) -> Iterator[int]:
    """Positions, in the tokens, of the first tokens of the ops of a block; one op a line."""
    tokens = outline.tokens
    i = bisect_left(tokens, body[0], key=lambda token: token.start) + 1
    while i < len(tokens) and tokens[i].end < body[1]:
        token = tokens[i]
        if "\n" in text[tokens[i - 1].end : token.start] and _begins_op(token):
            yield i
        i = outline.closing(i) + 1 if outline.is_closed(i) else i + 1


def _begins_op(token: Token) -> bool:
    if token.kind is Kind.WORD:  # others, such as `reducer`, continue an op
        return "." in token.text or token.text in _WITHOUT_DIALECT
    return token.kind in (Kind.VALUE, Kind.STRING, Kind.BLOCK)


def _stand_in(text: str, op: Sequence[Token]) -> str | None:
    """The text of a stand-in; empty for an op without named results."""
    names = 0
    if op[0].kind is Kind.VALUE:
        names = next((i + 1 for i, token in enumerate(op) if token.text == "="), len(op))
    head = op[names] if names < len(op) else None
    if head is None or head.kind not in (Kind.STRING, Kind.WORD):
        return None
    types = _result_types(text, op[names:])
    if types is None:
        return None
    if not names or not types:
        return ""
    return f"{text[op[0].start : op[names - 1].end]} {_STAND_IN} {types}"


def _return_stand_in(text: str, op: Sequence[Token]) -> str | None:
    """The text of a return of values of the types that a return has."""
    colon = _last(op, ":")
    types = op[colon + 1 :]
    depths = _depths(types)
    if op[0].text not in ("return", "func.return") or colon < 0 or not types or depths is None:
        return None
    count = 1 + sum(not d and t.text == "," for d, t in zip(depths, types, strict=True))
    values = ", ".join(f"{_RETURNED}#{i}" for i in range(count))
    shown = text[types[0].start : types[-1].end]
    return f"{_RETURNED}:{count} = {_STAND_IN} {shown} return {values} : {shown}"


def _result_types(text: str, op: Sequence[Token]) -> str | None:
    """The types at the end of an op, `... -> (T, U)` or `... -> T`; of StableHLO also `... : T`."""
    arrow, colon = _last(op, "->"), _last(op, ":")
    types = op[max(arrow, colon) + 1 :]
    if arrow < colon and not op[0].text.startswith("stablehlo."):
        return None
    depths = _depths(types)
    if not types or depths is None or "\n" in text[types[0].start : types[-1].end]:
        return None
    if arrow > colon and types[0].text == "(" and 0 not in depths[1:-1]:
        return text[types[0].end : types[-1].start]
    outer = {token.text for depth, token in zip(depths, types, strict=True) if not depth}
    return text[types[0].start : types[-1].end] if _NO_TYPE.isdisjoint(outer) else None


def _last(tokens: Sequence[Token], sign: str) -> int:
    return max((i for i, token in enumerate(tokens) if token.text == sign), default=-1)


def _depths(tokens: Sequence[Token]) -> list[int] | None:
    """In how many brackets each token is, itself included where it is one; None if not balanced."""
    found, depth = [], 0
    for token in tokens:
        depth -= token.text in _CLOSING
        if depth < 0:
            return None
        found.append(depth)
        depth += token.text in _OPENING
    return found if not depth else None
