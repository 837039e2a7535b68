"""`anvl-lint-checks`: find lit tests that test nothing, or only with one of the two filechecks.

    anvl-lint-checks [FILE or FOLDER ...]      (test/lit, or else test, by default)

`filecheck` accepts several mistakes silently.  Reported are: a RUN prefix without a check, a
misspelt directive, a test without any positive check, a capture that is used before it is set, a
`CHECK-NOT` that cannot fail, `not` without a check of the message, a number that a longer one would
match too, and what only one of `filecheck` and LLVM's FileCheck supports.
"""

import argparse
import difflib
import re
import sys
from collections.abc import Collection, Iterable, Iterator, Sequence
from pathlib import Path
from typing import TypeAlias

from anvl.tools.checks.check_patterns import Kind, pattern_problems, pieces, vacuous_not
from anvl.tools.checks.lit_test import (
    KINDS,
    NUMBERS,
    RUN,
    Call,
    Command,
    Directive,
    calls,
    commands,
    directives,
    is_directive,
)
from anvl.tools.io.stdout import writes_stdout

__all__ = ["main", "problems", "tests_in"]

SUFFIXES = (".mlir", ".test", ".py")
NO_TESTS = ("Inputs", "Output", "support")  # folders, as in test/lit/lit.cfg.py

Problem: TypeAlias = tuple[int, str]

_UNSUPPORTED = re.compile(
    r"--(?:implicit-check-not|ignore-case|allow-unused-prefixes|color|dump-input-(?:filter|context)"
    r"|v|vv|reject-empty-vars)\b|\s-D#"
)
_DECIMAL = r"\d\.\d+(?:e[+-]?\d+)?"
# At either end of a pattern, which may stand anywhere in a line.
_OPEN_NUMBER = re.compile(rf"^-?{_DECIMAL}|{_DECIMAL}\s*$|\[[\d,]*\] -?{_DECIMAL}")
_CHECKED = re.compile(r"filecheck|--verify-diagnostics", re.IGNORECASE)
_WRITTEN = re.compile(
    rf"\s*(?://|#)\s*(?P<prefix>[A-Z][\w-]*?)(?:(?P<join>[-_ ])(?P<kind>{'|'.join(KINDS)}))?"
    r"(?P<colon>\s*:|(?=\s))"
)
_RUN_WITHOUT_COLON = re.compile(r"\s*(?://|#)\s*RUN\s.*%s")


def problems(path: Path) -> Iterator[str]:
    """Problems of the test at `path`, each as `file:line: message`."""
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except UnicodeDecodeError:
        yield f"{path}:1: not UTF-8"
        return
    found = commands(lines)
    if not found:
        yield f"{path}:1: no RUN line"
        return
    all_calls, all_directives = list(calls(found)), list(directives(lines))
    prefixes = {prefix for call in all_calls for prefix in call.prefixes}
    reported = [
        *_command_problems(found),
        *_call_problems(all_calls, [directive.name for directive in all_directives]),
        *_directive_problems(all_directives, prefixes),
        *_spelling_problems(lines, prefixes),
        *_pattern_problems(all_directives, [call for call in all_calls if not call.of_numbers]),
    ]
    yield from (f"{path}:{line}: {what}" for line, what in sorted(set(reported)))


def _call_problems(all_calls: Sequence[Call], names: Sequence[str]) -> Iterator[Problem]:
    kinds = [kind for kind in KINDS if kind != "NOT"]
    for call in all_calls:
        for prefix in call.prefixes:
            if not any(is_directive(name, prefix, KINDS) for name in names):
                yield call.line, f"no check has the prefix {prefix}"
        found = any(is_directive(name, p, kinds) for name in names for p in call.prefixes)
        if not found and not call.may_be_empty:
            yield call.line, f"no positive check has the prefix {' or '.join(call.prefixes)}"


def _command_problems(found: Sequence[Command]) -> Iterator[Problem]:
    for command in found:
        if _UNSUPPORTED.search(command.text):
            yield command.line, "an option that only one of filecheck and LLVM's FileCheck supports"
        if re.match(r"\s*not\s", command.text) and not _CHECKED.search(command.text):
            message = "`not` passes for any failure; check the message, as in 2>&1 | filecheck"
            yield command.line, message


def _directive_problems(found: Sequence[Directive], prefixes: Collection[str]) -> Iterator[Problem]:
    for directive in found:
        name = directive.name
        if any(is_directive(name, prefix, KINDS) for prefix in prefixes):
            continue
        if any(_resembles(name, prefix) for prefix in {"CHECK", *prefixes}):
            yield directive.line, f"{name}: no RUN line looks for this; is it misspelt?"


def _resembles(name: str, prefix: str) -> bool:
    """Whether `name` was meant as a directive: it starts like one, or its kind is one."""
    if name.upper().startswith(prefix) or re.search(rf"-({'|'.join(KINDS)})$", name.upper()):
        return True
    alike = difflib.SequenceMatcher(None, name, prefix).ratio() >= 0.8
    return name.isupper() and len(name) >= 4 and alike


def _spelling_problems(lines: Sequence[str], prefixes: Collection[str]) -> Iterator[Problem]:
    """Directives without a colon, or with something else in place of the hyphen."""
    for number, line in enumerate(lines, 1):
        if RUN.search(line):
            continue
        if _RUN_WITHOUT_COLON.match(line):
            yield number, "RUN without a colon is a comment"
        match = _WRITTEN.match(line)
        if match is None or match["prefix"] not in prefixes:
            continue
        name = match["prefix"] + (f"-{match['kind']}" if match["kind"] else "")
        is_prose = not match["kind"] and not match["colon"]
        if not is_prose and f"{name}:" not in match[0]:
            yield number, f"{match[0].strip(' /#')}: a directive is written {name}:"


def _pattern_problems(found: Sequence[Directive], all_calls: Sequence[Call]) -> Iterator[Problem]:
    for call in all_calls:
        read = [(d, kind) for d in found if (kind := call.kind(d.name)) is not None]
        yield from _variable_problems(read, call)
        yield from _not_problems(read)
        for directive, kind in read:
            if directive.is_literal:
                continue
            for what in pattern_problems(directive.pattern):
                yield directive.line, what
            if kind != "EMPTY" and _OPEN_NUMBER.search(directive.pattern):
                message = f"a longer number would match; end it, or compare it by {NUMBERS}"
                yield directive.line, message


def _variable_problems(read: Iterable[tuple[Directive, str]], call: Call) -> Iterator[Problem]:
    known = set(call.variables)
    for directive, kind in read:
        if kind == "LABEL" and call.has_variable_scopes:
            known = {name for name in known if name.startswith("$")}
        for piece in [] if directive.is_literal else pieces(directive.pattern):
            if piece.kind in (Kind.USE, Kind.CAPTURE) and kind == "LABEL":
                yield directive.line, f"[[{piece.name}]]: LLVM's FileCheck has no variable in LABEL"
            if piece.kind is Kind.CAPTURE:
                known.add(piece.name)
            if piece.kind is Kind.USE and piece.name not in known:
                yield directive.line, f"[[{piece.name}]] is used before a line captures it"


def _not_problems(read: Sequence[tuple[Directive, str]]) -> Iterator[Problem]:
    for at, (directive, kind) in enumerate(read):
        if kind != "NOT":
            continue
        following = next((k for _, k in read[at + 1 :] if k != "NOT"), "")
        if following in ("NEXT", "EMPTY"):
            yield directive.line, f"cannot fail: no line lies between it and the -{following}"
        if not directive.is_literal and (why := vacuous_not(directive.pattern)):
            yield directive.line, f"cannot fail: {why}"


def tests_in(paths: Sequence[Path], excluded: Collection[str] = NO_TESTS) -> Iterator[Path]:
    """The lit tests among `paths` and in the folders among them."""
    for path in paths:
        if not path.is_dir():
            yield path
            continue
        for file in sorted(path.rglob("*")):
            if file.suffix in SUFFIXES and not file.name.endswith(".cfg.py"):
                if set(excluded).isdisjoint(file.relative_to(path).parts):
                    yield file


@writes_stdout("anvl-lint-checks")
def main(argv: Sequence[str] | None = None) -> int:
    """Print every problem; 1 if there is one."""
    parser = argparse.ArgumentParser(
        prog="anvl-lint-checks", description="Find lit tests that test nothing."
    )
    parser.add_argument("paths", nargs="*", type=Path, metavar="FILE or FOLDER")
    parser.add_argument(
        "--exclude",
        action="append",
        metavar="FOLDER",
        help=f"name of folders without tests; {', '.join(NO_TESTS)} by default",
    )
    given = parser.parse_args(argv)
    paths = given.paths or [p for p in (Path("test/lit"), Path("test")) if p.is_dir()][:1]
    if not paths:
        parser.error("there is no folder test/lit or test here; name files or folders")
    if missing := [path for path in paths if not path.exists()]:
        parser.error(f"no such file or folder: {missing[0]}")
    found = [
        problem for test in tests_in(paths, given.exclude or NO_TESTS) for problem in problems(test)
    ]
    print("".join(f"{problem}\n" for problem in found), end="")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
