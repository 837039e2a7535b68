"""The text of a pipeline as a tree: `a{x=1},func.func(b,c)`.

Only names, braces and commas are understood here; what a name or an option means is decided in
`pipeline.py` (ours) or by MLIR (its own).
"""

import re
from dataclasses import dataclass

from anvl.passes.framework.options import end_of_quote

__all__ = ["Node", "parse"]

_NAME = r"\s*([A-Za-z_][\w.\-]*)\s*"
_BLANK = r"\s*"
_MAX_NESTING = 100  # deeper than any real pipeline; Python's own stack ends near 1000


@dataclass(frozen=True)
class Node:
    """One element: a pass and the text of its `options`, or an anchor with `children`."""

    name: str
    options: str | None = None
    children: tuple["Node", ...] | None = None

    def __str__(self) -> str:
        if self.children is not None:
            return f"{self.name}({','.join(map(str, self.children))})"
        return f"{self.name}{{{self.options}}}" if self.options else self.name


def parse(text: str) -> tuple[Node, ...]:
    """The elements of `text`; raises `ValueError` with the column where it makes no sense."""
    nodes, end = _elements(text, 0, 0)
    if end != len(text):
        raise _error(text, end, f"unexpected {text[end]!r}")
    return nodes


def _elements(text: str, at: int, depth: int) -> tuple[tuple[Node, ...], int]:
    """A comma-separated list, up to a `)` or the end."""
    if depth > _MAX_NESTING:
        raise _error(text, at, f"nested deeper than {_MAX_NESTING}")
    at = _skip_blank(text, at)
    if at == len(text) or text[at] == ")":
        return (), at
    nodes = []
    while True:
        node, at = _element(text, at, depth)
        nodes.append(node)
        if at == len(text) or text[at] != ",":
            return tuple(nodes), at
        at += 1


def _element(text: str, at: int, depth: int) -> tuple[Node, int]:
    match = re.compile(_NAME).match(text, at)
    if match is None:
        raise _error(text, _skip_blank(text, at), "expected the name of a pass")
    name, at = match[1], match.end()
    if text.startswith("{", at):
        end = _end_of_braces(text, at)
        return Node(name, options=text[at + 1 : end - 1].strip()), _skip_blank(text, end)
    if text.startswith("(", at):
        children, end = _elements(text, at + 1, depth + 1)
        if not text.startswith(")", end):
            raise _error(text, at, "unbalanced '('")
        return Node(name, children=children), _skip_blank(text, end + 1)
    return Node(name), at


def _end_of_braces(text: str, start: int) -> int:
    """The index behind the `}` that closes the `{` at `start`."""
    depth, at = 0, start
    while at < len(text):
        if text[at] in "\"'":
            at = end_of_quote(text, at)
            continue
        depth += (text[at] == "{") - (text[at] == "}")
        at += 1
        if depth == 0:
            return at
    raise _error(text, start, "unbalanced '{'")


def _skip_blank(text: str, at: int) -> int:
    match = re.compile(_BLANK).match(text, at)
    return match.end() if match else at


def _error(text: str, at: int, what: str) -> ValueError:
    shown = text if len(text) <= 80 else f"{text[max(at - 40, 0) : at + 40]}..."
    return ValueError(f"pipeline: {what} at column {at + 1} of {shown!r}")
