"""Find lit tests that test nothing: `filecheck` passes over several mistakes in silence.

    python tools/lint_checks.py [FILE or FOLDER ...]      (all of test/lit by default)

What is reported: a RUN prefix without a check, a misspelt directive, a test without any positive
check, `not` without a look at the message, and what `filecheck` does not support.
"""

import re
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SUFFIXES = (".mlir", ".test", ".py")
KINDS = ("NEXT", "SAME", "NOT", "DAG", "LABEL", "EMPTY", "COUNT")

_RUN = re.compile(r"(?://|#)\s*RUN:\s*(.*)")
_PREFIX = re.compile(r"--?check-prefix(?:es)?[= ]([\w,-]+)")
_DIRECTIVE = re.compile(r"(?://|#)\s*([A-Za-z][\w]*(?:-[A-Za-z0-9]+)*)(?:\{LITERAL\})?:")
_UNSUPPORTED = re.compile(
    r"--(?:implicit-check-not|ignore-case|allow-unused-prefixes|color|dump-input-(?:filter|context)"
    r"|v|vv)\b|\s-D#"
)
_NUMERIC = re.compile(r"\[\[#(?! @LINE [+-] \d+\]\])|\[\[@LINE")
_CHECKED = re.compile(r"filecheck|--verify-diagnostics", re.IGNORECASE)


def problems(path: Path) -> Iterator[str]:
    """What is wrong with the test at `path`, each as `file:line: message`."""
    lines = path.read_text().splitlines()
    commands = _commands(lines)
    if not commands:
        yield f"{path}:1: no RUN line"
        return
    prefixes = _prefixes(commands)
    directives = list(_directives(lines))
    yield from (f"{path}:{n}: {what}" for n, what in _command_problems(commands))
    yield from (f"{path}:{n}: {what}" for n, what in _directive_problems(directives, prefixes))
    yield from (f"{path}:{n}: {what}" for n, what in _line_problems(lines))
    for prefix, line in prefixes.items():
        if not any(_is_positive(name, prefix) for _, name in directives):
            yield f"{path}:{line}: no positive check has the prefix {prefix}"


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


def _prefixes(commands: Sequence[tuple[int, str]]) -> dict[str, int]:
    """The prefixes that the commands look for, with the line that says so."""
    found: dict[str, int] = {}
    for line, command in commands:
        for part in re.split(r"\||&&|;", command):
            if not re.match(r"\s*(?:not\s+)?filecheck\b", part, re.IGNORECASE):
                continue
            named = [p for names in _PREFIX.findall(part) for p in names.split(",")]
            for prefix in named or ["CHECK"]:
                found.setdefault(prefix, line)
    return found


def _directives(lines: Sequence[str]) -> Iterator[tuple[int, str]]:
    for number, line in enumerate(lines, 1):
        match = _DIRECTIVE.search(line)
        if match is not None and not _RUN.search(line):
            yield number, match[1]


def _is_positive(name: str, prefix: str) -> bool:
    kind = name.removeprefix(prefix).lstrip("-")
    return name.startswith(prefix) and kind.partition("-")[0] in ("", *set(KINDS) - {"NOT"})


def _command_problems(commands: Sequence[tuple[int, str]]) -> Iterator[tuple[int, str]]:
    for number, command in commands:
        if _UNSUPPORTED.search(command):
            yield number, "an option that filecheck does not support"
        if re.match(r"\s*not\s", command) and not _CHECKED.search(command):
            yield number, "`not` passes for any failure; check the message, as in 2>&1 | filecheck"


def _directive_problems(
    directives: Sequence[tuple[int, str]], prefixes: dict[str, int]
) -> Iterator[tuple[int, str]]:
    for number, name in directives:
        if _is_known(name, prefixes):
            continue
        if name.upper() == name and any(_resembles(name, prefix) for prefix in prefixes):
            yield number, f"{name}: no such directive; no RUN line looks for it"
        elif name.upper().startswith("CHECK"):
            yield number, f"{name}: no such directive; write it in capitals, as CHECK"


def _is_known(name: str, prefixes: dict[str, int]) -> bool:
    known = "|".join(KINDS[:-1])
    return any(re.fullmatch(rf"{re.escape(p)}(-({known}|COUNT-\d+))?", name) for p in prefixes)


def _resembles(name: str, prefix: str) -> bool:
    return name.startswith(prefix) or any(name.endswith(f"-{kind}") for kind in KINDS)


def _line_problems(lines: Sequence[str]) -> Iterator[tuple[int, str]]:
    for number, line in enumerate(lines, 1):
        if _DIRECTIVE.search(line) and not _RUN.search(line) and _NUMERIC.search(line):
            yield number, "filecheck has no numeric captures; use {{[0-9]+}}"


def tests_in(paths: Sequence[Path]) -> Iterator[Path]:
    """The lit tests among `paths` and in the folders among them."""
    for path in paths:
        found = sorted(path.rglob("*")) if path.is_dir() else [path]
        for file in found:
            if file.suffix in SUFFIXES and "Inputs" not in file.parts and _is_test(file):
                yield file


def _is_test(file: Path) -> bool:
    return not file.name.endswith(".cfg.py") and "Output" not in file.parts


def main(argv: Sequence[str] | None = None) -> int:
    """Print every problem; 1 if there is one."""
    given = sys.argv[1:] if argv is None else argv
    paths = [Path(p) for p in given] or [ROOT / "test" / "lit"]
    found = [problem for test in tests_in(paths) for problem in problems(test)]
    print("".join(f"{problem}\n" for problem in found), end="")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
