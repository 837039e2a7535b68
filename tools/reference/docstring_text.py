"""Docstrings as reStructuredText: their sections as lists, their code as blocks.

A docstring is plain text with `code` between single backticks.  All else that reStructuredText
would read as markup is escaped, so that no docstring has to be written for it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

__all__ = ["Resolve", "inline", "to_rst"]

#: From a name in backticks to the full name of what it links to, or None.
Resolve = Callable[[str], str | None]

_HEADER = re.compile(r"^([A-Z][\w ]+)\n-{3,}$", re.MULTILINE)
_LISTS = ("Parameters", "Attributes", "Raises", "Warns", "Other Parameters")
_CODE = re.compile(r"`([^`\n]+(?:\n[^`\n]+)?)`")


def to_rst(text: str, resolve: Resolve) -> str:
    """A docstring, without its margin, as reStructuredText."""
    pieces = _HEADER.split(text.strip("\n"))
    parts = [_paragraphs(pieces[0], resolve)]
    for title, body in zip(pieces[1::2], pieces[2::2], strict=True):
        is_list = title in _LISTS or (title in ("Returns", "Yields") and _has_terms(body))
        content = _definitions(body, resolve) if is_list else _paragraphs(body, resolve)
        parts.append(f"**{title}**\n\n{content}")
    return "\n\n".join(part for part in parts if part.strip())


def inline(text: str, resolve: Resolve) -> str:
    """A paragraph: `code` becomes a link or a literal, and nothing else is markup."""
    found, at = [], 0
    for code in _CODE.finditer(text):
        found += [_escaped(text[at : code.start()]), _code(code[1], resolve)]
        at = code.end()
    # A link or a literal must stand apart from the letters around it.
    return "".join([*found, _escaped(text[at:])])


def _code(code: str, resolve: Resolve) -> str:
    plain = " ".join(code.split())
    name = resolve(plain)
    if name:
        return f"\\ :py:obj:`{plain} <{name}>`\\ "
    return f"\\ ``{plain}``\\ " if plain.strip("`") == plain else _escaped(plain)


def _escaped(text: str) -> str:
    """Text in which no character is markup; addresses stay links."""
    words = re.split(r"(https?://[^\s,;)]+[^\s.,;)])", text)
    return "".join(
        f"`{word} <{word}>`__" if i % 2 else re.sub(r"([\\*_|`])", r"\\\1", word)
        for i, word in enumerate(words)
    )


def _has_terms(body: str) -> bool:
    """Whether a section lists results: a line that is not indented, then one that is."""
    return bool(re.search(r"^\S.*\n +\S", body.strip("\n"), re.MULTILINE))


def _blocks(body: str) -> Iterator[str]:
    for block in re.split(r"\n[ ]*\n", body.strip("\n")):
        if block.strip():
            yield block


def _paragraphs(body: str, resolve: Resolve) -> str:
    parts: list[str] = []
    in_example = False
    for block in _blocks(body):
        is_code = ">>>" in block.split("\n")[0]
        if is_code or (in_example and _is_output(block)):
            parts.append(_code_block(block, "pycon"))
        elif block.startswith("    "):
            parts.append(_code_block(block, "text"))
        else:
            parts.append(_mixed(block, resolve))
        in_example = is_code
    return "\n\n".join(parts)


def _mixed(block: str, resolve: Resolve) -> str:
    """A paragraph, behind which an example may begin without an empty line."""
    prose, start, example = block.partition("\n>>> ")
    text = inline("\n".join(line.strip() for line in prose.split("\n")), resolve)
    return f"{text}\n\n{_code_block('>>> ' + example, 'pycon')}" if start else text


def _is_output(block: str) -> bool:
    return block.startswith((" ", "[", "("))


def _code_block(block: str, language: str) -> str:
    lines = block.split("\n")
    margin = min((len(line) - len(line.lstrip()) for line in lines if line.strip()), default=0)
    body = "\n".join(f"   {line[margin:]}".rstrip() for line in lines)
    return f".. code-block:: {language}\n\n{body}"


def _definitions(body: str, resolve: Resolve) -> str:
    """`name : type` with an indented description, as a list of definitions."""
    found: list[str] = []
    for line in body.strip("\n").split("\n"):
        if not line.strip():
            continue
        if line[0] != " ":
            name, colon, kind = line.partition(" : ")
            term = f"**{_escaped(name.strip())}**"
            found.append(f"{term} : {inline(kind, resolve).strip()}" if colon else term)
            found.append("   \\ ")
        else:
            found.append(f"   {inline(line.strip(), resolve)}")
    return "\n".join(_without_fillers(found))


def _without_fillers(lines: list[str]) -> Iterator[str]:
    """A term needs a description: an empty one only where nothing follows."""
    for line, following in zip(lines, [*lines[1:], ""], strict=True):
        if line != "   \\ " or not following.startswith("   "):
            yield line
        if line.startswith("   ") and following.startswith("**"):
            yield ""
