"""What a tool printed, as checks: a block for each function, values captured by name.

    %0 = "anvl.sin"(%x) : ...      ->      CHECK-NEXT: %[[SIN:.*]] = "anvl.sin"(%[[X]]) : ...

The patterns are for both filechecks, and `anvl-lint-checks` has nothing against them.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

__all__ = ["Block", "at_line", "blocks", "number_blocks"]

_FUNCTION = re.compile(
    r'(?P<indent>\s*)(?:(?:\w+\.)+func (?:private |public |nested )?@(?P<name>"[^"]*"|[\w$.-]+)\('
    r'|"func\.func"\(\).*?sym_name = "(?P<generic>[^"]*)")'
)
_SKIPPED = re.compile(r"module \{|\}(?: loc\(.*\))?|// -----")
_TOKEN = re.compile(r'"(?:\\.|[^"\\])*"|%(?P<name>[A-Za-z0-9_$.-]+)(?P<defines>(?::\d+)? = )?')
_RESULTS = re.compile(r'(?P<names>\s*%[^="]*?) = "?(?P<op>[\w$.]+)')
_BLOCK_ARGUMENTS = re.compile(r"\s*\^\w+\(")
_OPEN_END = re.compile(r"\d$|\]\]$")  # more of a number or a name might follow
_WIDTH = 100
_AT_LINE = re.compile(r"\0(\d+)\0")
_FOLDERS, _LINE = "\1", "\4"  # what stands in the text for what differs from place to place
_MARKS = {"\2": "{{", "\3": "}}", _FOLDERS: "{{.*}}", _LINE: "{{[0-9]+}}"}


@dataclass(frozen=True)
class Block:
    """The checks of one function of the output, or of what is in none: kinds and patterns."""

    name: str  # of the function, "" for none
    lines: tuple[tuple[str, str], ...]

    @property
    def label(self) -> str:
        """The pattern of its first line, if that is a label."""
        kind, pattern = self.lines[0]
        return pattern if kind == "LABEL" else ""


def at_line(pattern: str, lines: Sequence[int], here: int) -> str:
    """A pattern on line `here` that means lines of the test by their distance.

    `lines` has the new number of each line of the test.  MLIR says line 1 of a whole module,
    whatever stands there.
    """

    def distance(found: re.Match[str]) -> str:
        if found[1] == "1":
            return "1"
        by = lines[int(found[1])] - here
        return f"[[# @LINE {'+' if by > 0 else '-'} {abs(by)}]]" if by else "[[# @LINE]]"

    return _AT_LINE.sub(distance, pattern)


def number_blocks(text: str) -> list[Block]:
    """What `anvl-run` printed, for `%numbers`: a line for each result."""
    found = [line.strip() for line in text.splitlines() if line.strip()]
    kinds = ["", *["NEXT"] * (len(found) - 1)]
    return [Block("", tuple(zip(kinds, found, strict=True)))] if found else []


def blocks(text: str, test: Path, folders: Sequence[Path]) -> list[Block]:
    """A block for each function that `text` has, in order; paths in `folders` lose their folders.

    `test` is the test that printed it.
    """
    return list(_Reader(_without_paths(text.rstrip("\n"), test, folders)).blocks())


def _without_paths(text: str, test: Path, folders: Sequence[Path]) -> str:
    """Hide the folders of paths, and mark the lines of the test that a message names."""
    text = re.sub(rf'{re.escape(str(test))}("?):(\d+)', _FOLDERS + test.name + "\\1:\0\\2\0", text)
    text = re.sub(r'((?:"-"|<stdin>|^-):)\d+(?=:\d)', r"\1" + _LINE, text, flags=re.MULTILINE)
    hidden = sorted({re.escape(str(folder)) for folder in folders}, key=len, reverse=True)
    return re.sub(rf"(?:{'|'.join(hidden)})/(?:[^\s\"]*/)?", _FOLDERS, text)


@dataclass
class _Names:
    """The variables of one function."""

    known: dict[str, str] = field(default_factory=dict)
    taken: set[str] = field(default_factory=set)
    defined: set[str] = field(default_factory=set)

    def variable(self, value: str, wish: str, *, defines: bool) -> str:
        """The variable of a value, with a pattern where it is met first.

        Its name is that of the value, or of the op if the value has a number.  What is defined
        again, as in a second region, is another value.
        """
        known = self.known.get(value)
        if known is None or (defines and value in self.defined):
            known = self._new_name(wish if value.isdecimal() else value)
            self.known[value] = known
            symbols = "[a-zA-Z0-9_$.-]" if re.search(r"\W", value) else "[a-zA-Z0-9_]"
            shown = f"{known}:{symbols}+"
        else:
            shown = known
        if defines:
            self.defined.add(value)
        return shown

    def _new_name(self, wish: str) -> str:
        base = re.sub(r"\W", "_", wish.upper())
        name, n = base, 0
        while name in self.taken:
            name, n = f"{base}_{n}", n + 1
        self.taken.add(name)
        return name


class _Reader:
    def __init__(self, text: str) -> None:
        self.rows = text.splitlines()
        self.names = _Names()

    def blocks(self) -> Iterator[Block]:
        lines: list[tuple[str, str]] = []
        name, indent, inside = "", "", False
        joined = False  # whether the line before has a check
        for row in self.rows:
            function = None if inside else _FUNCTION.match(row)
            if function:
                if lines:
                    yield Block(name, tuple(lines))
                name, indent = function["name"] or function["generic"], function["indent"]
                self.names = _Names()
                lines = self._head(row, function)
                inside, joined = row.endswith("{"), True
                continue
            ends = inside and row.startswith(indent + "}")
            if not inside and _SKIPPED.fullmatch(row.strip()):
                joined = False
                continue
            inside = inside and not ends
            kind = "NEXT" if joined else ""
            lines.append(self._line(kind, row[len(indent) :] if name else row))
            joined = True
        if lines:
            yield Block(name, tuple(lines))

    def _line(self, kind: str, row: str) -> tuple[str, str]:
        if not row.strip():
            return "EMPTY" if kind else "", "" if kind else "{{^$}}"
        return kind, self._pattern(row)

    def _head(self, row: str, function: re.Match[str]) -> list[tuple[str, str]]:
        """A label, which may have no variables, and the arguments after it."""
        label, rest = _escaped(function[0].strip()), row[function.end() :]
        parts = re.split(r"(?<=, )(?=%)", rest) if len(rest) > _WIDTH else [rest]
        same = [("SAME", "  " + self._pattern(part.rstrip(), is_head=True)) for part in parts]
        return [("LABEL", label), *(line for line in same if line[1].strip())]

    def _pattern(self, row: str, *, is_head: bool = False) -> str:
        results = _RESULTS.match(row)
        wish = results["op"].rpartition(".")[2] if results else "VALUE"
        defined_before = results.end("names") if results else 0
        if is_head or _BLOCK_ARGUMENTS.match(row):
            defined_before = len(row)
        parts, at, captures = [], 0, 0
        for token in _TOKEN.finditer(row):
            if (value := token["name"]) is None:
                continue
            defines = token.start() < defined_before or token["defines"] is not None
            variable = self.names.variable(value, wish, defines=defines)
            captures += ":" in variable
            parts += [_escaped(row[at : token.start()]), f"%[[{variable}]]"]
            at = token.end("name")
        pattern = "".join([*parts, _escaped(row[at:])]).rstrip()
        if captures == 1 and results and "," not in results["names"]:
            pattern = pattern.replace(":[a-zA-Z0-9_]+]]", ":.*]]", 1)  # as people write it
        return pattern + ("{{$}}" if _OPEN_END.search(pattern) else "")


def _escaped(text: str) -> str:
    for opening in ("{{", "[["):
        escaped = "".join(f"\\{c}" for c in opening)
        text = text.replace(opening, f"\2{escaped}\3")
    return (
        text.replace("\2", "{{")
        .replace("\3", "}}")
        .replace("\1", "{{.*}}")
        .replace("\4", "{{[0-9]+}}")
    )
