"""`--verify-diagnostics`: compare diagnostics with `expected-error {{...}}` comments.

    // expected-error @+1 {{some words of the message}}
    // expected-note-re @above {{a literal with {{[0-9]+}} in it}}

`@+n` and `@-n` count lines; `@above` and `@below` skip lines that hold comments of this kind;
`@unknown` is a diagnostic without a place.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from anvl.tools.io.diagnostics import Diagnostic

__all__ = ["mismatches"]

_EXPECTED = re.compile(
    r"expected-(?P<severity>error|warning|note|remark)(?P<regex>-re)?\s*"
    r"(?:@(?P<place>[+-]\d+|above|below|unknown))?\s*\{\{(?P<text>.*)\}\}\s*$"
)
_LOOKS_EXPECTED = re.compile(r"//.*\bexpected-(?:error|warning|note|remark)\b.*\{\{")
_REGEX_PART = re.compile(r"\{\{(.*?)\}\}")


@dataclass(frozen=True)
class _Expected:
    severity: str
    text: str
    pattern: re.Pattern[str]
    line: int  # line of the diagnostic; 0 for `@unknown`
    column: int
    written_on: int

    def matches(self, d: Diagnostic) -> bool:
        here = d.severity == self.severity and d.line == self.line
        return here and self.pattern.search(d.message) is not None


def mismatches(
    text: str, name: str, diagnostics: Sequence[Diagnostic], *, only_expected: bool = False
) -> list[Diagnostic]:
    """Errors to report: expected diagnostics that are missing, and unexpected ones."""
    missing, problems = _parsed(text, name)
    for diagnostic in _with_notes(diagnostics):
        match = next((e for e in missing if e.matches(diagnostic)), None)
        if match is not None:
            missing.remove(match)
        elif not only_expected:
            problems.append(_unexpected(diagnostic))
    problems += [_unmet(expected, name) for expected in missing]
    return sorted(problems, key=lambda d: (d.line, d.column))


def _with_notes(diagnostics: Sequence[Diagnostic]) -> Iterator[Diagnostic]:
    for diagnostic in diagnostics:
        if not diagnostic.is_current_operation:
            yield diagnostic
            yield from _with_notes(diagnostic.notes)


def _unexpected(d: Diagnostic) -> Diagnostic:
    message = f"unexpected {d.severity}: {d.message}"
    return Diagnostic("error", message, d.file, d.line, d.column)


def _unmet(expected: _Expected, name: str) -> Diagnostic:
    message = f'expected {expected.severity} "{expected.text}" was not produced'
    return Diagnostic("error", message, name, expected.written_on, expected.column)


def _parsed(text: str, name: str) -> tuple[list[_Expected], list[Diagnostic]]:
    """Expectations in `text`, and errors for malformed ones."""
    found: list[_Expected] = []
    problems: list[Diagnostic] = []
    lines = text.split("\n")
    marked = [_LOOKS_EXPECTED.search(line) is not None for line in lines]
    for i, line in enumerate(lines):
        if not marked[i]:
            continue
        match = _EXPECTED.search(line)
        if match is None:
            message = "cannot read this expectation; write expected-error @+1 {{text}}"
            problems.append(Diagnostic("error", message, name, i + 1, 1))
            continue
        try:
            found.append(_expectation(match, i, marked))
        except re.error as error:
            message = f"invalid regular expression, {error}"
            problems.append(Diagnostic("error", message, name, i + 1, match.start("text") + 1))
    return found, problems


def _expectation(match: re.Match[str], index: int, marked: Sequence[bool]) -> _Expected:
    return _Expected(
        severity=match["severity"],
        text=match["text"],
        pattern=_pattern(match["text"], is_regex=match["regex"] is not None),
        line=_line(match["place"], index, marked),
        column=match.start() + 1,
        written_on=index + 1,
    )


def _line(place: str | None, index: int, marked: Sequence[bool]) -> int:
    if place is None:
        return index + 1
    if place == "unknown":
        return 0
    if place in ("above", "below"):
        step = -1 if place == "above" else 1
        index += step
        while 0 <= index < len(marked) and marked[index]:
            index += step
        return index + 1
    return index + 1 + int(place)


def _pattern(text: str, *, is_regex: bool) -> re.Pattern[str]:
    """A pattern in which text in `{{ }}` is a regex and the rest literal."""
    if not is_regex:
        return re.compile(re.escape(text))
    parts = _REGEX_PART.split(text)  # literal, regex, literal, ...
    return re.compile("".join(p if i % 2 else re.escape(p) for i, p in enumerate(parts)))
