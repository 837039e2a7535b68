"""Find lit tests that test nothing: `filecheck` accepts several mistakes silently.

    python tools/dev/lint_checks.py [FILE or FOLDER ...]      (all of test/lit by default)

Reported are: a RUN prefix without a check, a misspelt directive, a test without any positive
check, `not` without a check of the message, a number that a longer one would match too, and
directives that `filecheck` does not support.
"""

import re
import sys
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SUFFIXES = (".mlir", ".test", ".py")
NO_TESTS = {"Inputs", "Output", "support"}  # folders, as in test/lit/lit.cfg.py
KINDS = ("NEXT", "SAME", "NOT", "DAG", "LABEL", "EMPTY", r"COUNT-\d+")

_RUN = re.compile(r"(?://|#)\s*RUN:\s*(.*)")
_PREFIX = re.compile(r"--?check-prefix(?:es)?[= ]([\w,-]+)")
_DIRECTIVE = re.compile(r"(?://|#)\s*([A-Za-z][\w]*(?:-[A-Za-z0-9]+)*)(?:\{LITERAL\})?:")
_UNSUPPORTED = re.compile(
    r"--(?:implicit-check-not|ignore-case|allow-unused-prefixes|color|dump-input-(?:filter|context)"
    r"|v|vv)\b|\s-D#"
)
_NUMERIC = re.compile(r"\[\[#(?! @LINE [+-] \d+\]\])|\[\[@LINE")
_NUMBERS = "%numbers"  # compares with tolerances: tools/dev/check_numbers.py
_DECIMAL = r"\d\.\d+(?:e[+-]?\d+)?"
# At either end of a pattern, which may stand anywhere in a line.
_OPEN_NUMBER = re.compile(rf":\s*-?{_DECIMAL}|{_DECIMAL}\s*$|\[[\d,]*\] -?{_DECIMAL}")
_CHECKED = re.compile(r"filecheck|--verify-diagnostics", re.IGNORECASE)


def problems(path: Path) -> Iterator[str]:
    """Problems of the test at `path`, each as `file:line: message`."""
    lines = path.read_text().splitlines()
    commands = _commands(lines)
    if not commands:
        yield f"{path}:1: no RUN line"
        return
    looks = list(_looks(commands))
    prefixes = {prefix for look in looks for prefix in look.prefixes}
    directives = list(_directives(lines))
    found = [
        *_command_problems(commands),
        *_look_problems(looks, [name for _, name in directives]),
        *_directive_problems(directives, prefixes),
        *_line_problems(lines),
        *_number_problems(lines, [look for look in looks if not look.of_numbers]),
    ]
    yield from (f"{path}:{line}: {what}" for line, what in sorted(found))


def _commands(lines: Sequence[str]) -> list[tuple[int, str]]:
    """The RUN commands with their first line, continuations joined."""
    commands: list[tuple[int, str]] = []
    continues = False
    for number, line in enumerate(lines, 1):
        match = _RUN.search(line)
        if match is None:
            continue
        text = match[1].strip()
        if continues:
            commands[-1] = (commands[-1][0], commands[-1][1] + " " + text.rstrip("\\"))
        else:
            commands.append((number, text.rstrip("\\")))
        continues = text.endswith("\\")
    return commands


@dataclass(frozen=True)
class _Look:
    """One call of filecheck, or of the tool that compares numbers."""

    line: int
    prefixes: tuple[str, ...]
    may_be_empty: bool
    of_numbers: bool


def _looks(commands: Sequence[tuple[int, str]]) -> Iterator[_Look]:
    for line, command in commands:
        for part in re.split(r"\||&&|;", command):
            of_numbers = part.strip().startswith(_NUMBERS)
            is_look = re.match(r"\s*(?:not\s+)?filecheck\b", part, re.IGNORECASE)
            if not (of_numbers or is_look):
                continue
            named = [p for names in _PREFIX.findall(part) for p in names.split(",")]
            usual = ("NUMBERS",) if of_numbers else ("CHECK",)
            yield _Look(line, tuple(named) or usual, "--allow-empty" in part, of_numbers)


def _directives(lines: Sequence[str]) -> Iterator[tuple[int, str]]:
    for number, line in enumerate(lines, 1):
        match = _DIRECTIVE.search(line)
        if match is not None and not _RUN.search(line):
            yield number, match[1]


def _look_problems(looks: Sequence[_Look], names: Sequence[str]) -> Iterator[tuple[int, str]]:
    for look in looks:
        for prefix in look.prefixes:
            if not any(_is_directive(name, prefix, KINDS) for name in names):
                yield look.line, f"no check has the prefix {prefix}"
        kinds = [kind for kind in KINDS if kind != "NOT"]
        found = any(_is_directive(name, p, kinds) for name in names for p in look.prefixes)
        if not found and not look.may_be_empty:
            yield look.line, f"no positive check has the prefix {' or '.join(look.prefixes)}"


def _is_directive(name: str, prefix: str, kinds: Sequence[str]) -> bool:
    return re.fullmatch(rf"{re.escape(prefix)}(-({'|'.join(kinds)}))?", name) is not None


def _command_problems(commands: Sequence[tuple[int, str]]) -> Iterator[tuple[int, str]]:
    for number, command in commands:
        if _UNSUPPORTED.search(command):
            yield number, "an option that filecheck does not support"
        if re.match(r"\s*not\s", command) and not _CHECKED.search(command):
            yield number, "`not` passes for any failure; check the message, as in 2>&1 | filecheck"


def _directive_problems(
    directives: Sequence[tuple[int, str]], prefixes: Collection[str]
) -> Iterator[tuple[int, str]]:
    for line, name in directives:
        if any(_is_directive(name, prefix, KINDS) for prefix in prefixes):
            continue
        if any(_resembles(name.upper(), prefix) for prefix in {"CHECK", *prefixes}):
            yield line, f"{name}: no RUN line looks for this; is it misspelt?"


def _resembles(name: str, prefix: str) -> bool:
    """Whether `name` was meant as a directive: it starts like one, or its kind is one."""
    return name.startswith(prefix) or re.search(rf"-({'|'.join(KINDS)})$", name) is not None


def _line_problems(lines: Sequence[str]) -> Iterator[tuple[int, str]]:
    for number, line in enumerate(lines, 1):
        if _DIRECTIVE.search(line) and not _RUN.search(line) and _NUMERIC.search(line):
            yield number, "filecheck has no numeric captures; use {{[0-9]+}}"


def _number_problems(lines: Sequence[str], looks: Sequence[_Look]) -> Iterator[tuple[int, str]]:
    prefixes = {prefix for look in looks for prefix in look.prefixes}
    for number, name in _directives(lines):
        is_directive = any(_is_directive(name, prefix, KINDS) for prefix in prefixes)
        if is_directive and _OPEN_NUMBER.search(lines[number - 1]):
            yield number, f"a longer number would match; end it, or compare it by {_NUMBERS}"


def tests_in(paths: Sequence[Path]) -> Iterator[Path]:
    """The lit tests among `paths` and in the folders among them."""
    for path in paths:
        found = sorted(path.rglob("*")) if path.is_dir() else [path]
        for file in found:
            if file.suffix in SUFFIXES and _is_test(file):
                yield file


def _is_test(file: Path) -> bool:
    return not file.name.endswith(".cfg.py") and NO_TESTS.isdisjoint(file.parts)


def main(argv: Sequence[str] | None = None) -> int:
    """Print every problem; 1 if there is one."""
    given = sys.argv[1:] if argv is None else argv
    paths = [Path(p) for p in given] or [ROOT / "test" / "lit"]
    found = [problem for test in tests_in(paths) for problem in problems(test)]
    print("".join(f"{problem}\n" for problem in found), end="")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
