"""What may be typed at a place: names of ops, attributes of the op at hand, and symbols.

completions('%a = "anvl.si', 13)      [Completion("anvl.sign", ...), Completion("anvl.sin", ...)]
"""

import inspect
import re
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from anvl.dialect import OPS
from anvl.tools.lsp.lexing import Kind, Token, tokens
from anvl.tools.lsp.op_help import op_help, param_help
from anvl.tools.lsp.outline import Outline, closings

__all__ = ["TRIGGERS", "Completion", "completions"]

#: Characters behind which an editor asks without being told to.
TRIGGERS = ('"', ".", "@")
_LOOKS_BACK = 20_000  # characters, for the op at hand
_OP = re.compile(r'(?P<quote>"?)(?P<name>[A-Za-z_][\w$]*\.[\w$.]*|)$', re.ASCII)
_SYMBOL = re.compile(r"@[\w$.\-]*$", re.ASCII)
_WORD = re.compile(r"[A-Za-z_][\w$.]*$|$", re.ASCII)


class Completion(NamedTuple):
    """`insert` replaces the text from `start` to `end`; `kind` is "op", "attribute" or "symbol"."""

    label: str
    insert: str
    start: int
    end: int
    kind: str
    detail: str = ""
    help: str = ""


def completions(text: str, at: int, start: int = 0, end: int | None = None) -> list[Completion]:
    """The completions at an offset of the program from `start` to `end`."""
    before = text[max(start, text.rfind("\n", 0, at) + 1) : at]
    if "//" in re.sub(r'"(?:[^"\\]|\\.)*"', "", before):  # a comment
        return []
    symbol = _SYMBOL.search(before)
    if symbol is not None:
        return _symbols(text, at - len(symbol[0]), at, start, end)
    op = _op_at_hand(text, at, start)
    if op is not None:
        return _attributes(*op, text, at)
    return _ops(text, before, at)


def _symbols(text: str, begin: int, at: int, start: int, end: int | None) -> list[Completion]:
    outline = Outline(text, start, end)
    names = sorted({x.text for x in outline.symbols() if x.start != begin})
    return [Completion(name, name, begin, at, "symbol") for name in names]


def _ops(text: str, before: str, at: int) -> list[Completion]:
    found = _OP.search(before)
    if found is None or not found[0]:
        return []
    names = [name for name in sorted(OPS) if name.startswith(found["name"])]
    closes = "" if found["quote"] and text[at : at + 1] == '"' else '"'
    begin = at - len(found[0])
    return [
        Completion(
            name, f'"{name}{closes}', begin, at, "op",
            inspect.cleandoc(OPS[name].__doc__ or "").partition("\n")[0], op_help(name) or "",
        )
        for name in names
    ]  # fmt: skip


def _attributes(op: str, given: Sequence[str], text: str, at: int) -> list[Completion]:
    word = _WORD.search(text[max(0, at - 100) : at])
    begin = at - len(word[0]) if word is not None else at
    params = OPS[op].attribute_params if op in OPS else {}
    return [
        Completion(name, f"{name} = ", begin, at, "attribute", f"of {op}", param_help(kind))
        for name, kind in params.items()
        if name not in given and name.startswith(text[begin:at])
    ]


def _op_at_hand(text: str, at: int, start: int) -> tuple[str, list[str]] | None:
    """The op in whose attributes an offset lies, with those that it has before it.

    Without attributes to name there, as in the value of one, all are said to be there.
    """
    found = _tokens_before(text, at, start)
    ends = closings(found)
    opened = [i for i, x in enumerate(found) if x.text in ("(", "{", "[") and i not in ends]
    brace = opened[-1] if opened else 0
    op = _op_before(found, brace, ends) if opened and found[brace].text == "{" else None
    if op is None:
        return None
    if found[-1].text not in ("{", ","):
        return "", []
    inside = found[brace + 1 :]
    return op, [x.text for x, behind in pairwise(inside) if behind.text == "="]


def _tokens_before(text: str, at: int, start: int) -> list[Token]:
    """Tokens before an offset, but for a word that is being typed there."""
    if at - start > _LOOKS_BACK:
        start = text.find("\n", at - _LOOKS_BACK, at) + 1 or at
    found = list(tokens(text, start, at))
    if found and found[-1].kind is Kind.WORD and found[-1].end == at:
        found.pop()
    return found


def _op_before(found: Sequence[Token], i: int, ends: dict[int, int]) -> str | None:
    """The op in generic form whose attributes begin at the brace `i`; None for a region."""
    starts = {end: start for start, end in ends.items()}
    i -= 1
    while i >= 0:
        if i in starts:
            i = starts[i] - 1
        elif found[i].text in ("<", ">"):
            i -= 1
        elif found[i].kind is Kind.STRING:
            return found[i].text.strip('"')
        else:
            return None
    return None
