"""Text of a lit test: its RUN lines, the calls of filecheck in them, and its directives."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

__all__ = ["KINDS", "RUN", "Call", "Command", "Directive", "calls", "commands", "directives"]

#: Suffixes of a directive.
KINDS = ("NEXT", "SAME", "NOT", "DAG", "LABEL", "EMPTY", r"COUNT-\d+")
RUN = re.compile(r"(?://|#)\s*RUN:\s*(.*)")
NUMBERS = "%numbers"  # compares with tolerances: tools/checks/check_numbers.py

_PREFIX = re.compile(r"--?check-prefix(?:es)?[= ]([\w,-]+)")
_VARIABLE = re.compile(r"\s-D\s?([A-Za-z_]\w*)=")
_DIRECTIVE = re.compile(r"(?://|#)\s*([A-Za-z][\w]*(?:-[A-Za-z0-9]+)*)(\{LITERAL\})?:")
_FILECHECK = re.compile(r"\s*(?:not\s+)?filecheck\b", re.IGNORECASE)


@dataclass(frozen=True)
class Command:
    """A RUN command, its continuation lines joined, with the number of its first line."""

    line: int
    text: str


@dataclass(frozen=True)
class Call:
    """A call of filecheck, or of the tool that compares numbers."""

    line: int
    prefixes: tuple[str, ...]
    text: str
    of_numbers: bool

    @property
    def may_be_empty(self) -> bool:
        return "--allow-empty" in self.text

    @property
    def has_variable_scopes(self) -> bool:
        return "-enable-var-scope" in self.text

    @property
    def variables(self) -> frozenset[str]:
        """Variables that the command line defines."""
        return frozenset(_VARIABLE.findall(self.text))

    def kind(self, name: str) -> str | None:
        """Kind of the directive `name` ("" for a plain one), if this call reads it."""
        for prefix in self.prefixes:
            if is_directive(name, prefix, KINDS):
                return name[len(prefix) + 1 :]
        return None


@dataclass(frozen=True)
class Directive:
    """A comment that has the form of a directive, with the line that it stands on."""

    line: int
    name: str
    pattern: str
    is_literal: bool


def commands(lines: Sequence[str]) -> list[Command]:
    found: list[Command] = []
    continues = False
    for number, line in enumerate(lines, 1):
        match = RUN.search(line)
        if match is None:
            continue
        text = match[1].strip()
        if continues:
            joined = found[-1].text + " " + text.rstrip("\\")
            found[-1] = Command(found[-1].line, joined)
        else:
            found.append(Command(number, text.rstrip("\\")))
        continues = text.endswith("\\")
    return found


def calls(found: Sequence[Command]) -> Iterator[Call]:
    for command in found:
        for part in re.split(r"\||&&|;", command.text):
            of_numbers = part.strip().startswith(NUMBERS)
            if of_numbers or _FILECHECK.match(part):
                named = [p for names in _PREFIX.findall(part) for p in names.split(",")]
                usual = ("NUMBERS",) if of_numbers else ("CHECK",)
                yield Call(command.line, tuple(named) or usual, part, of_numbers)


def directives(lines: Sequence[str]) -> Iterator[Directive]:
    for number, line in enumerate(lines, 1):
        match = _DIRECTIVE.search(line)
        if match is not None and not RUN.search(line):
            yield Directive(number, match[1], line[match.end() :].strip(), match[2] is not None)


def is_directive(name: str, prefix: str, kinds: Sequence[str]) -> bool:
    return re.fullmatch(rf"{re.escape(prefix)}(-({'|'.join(kinds)}))?", name) is not None
