"""`anvl-update-checks`: write the checks of lit tests, or write them again.

    anvl-update-checks test/lit/new.mlir     checks for its RUN lines, from what they print
    anvl-update-checks test/lit              again in each test whose checks this tool wrote
    anvl-update-checks test/lit --check      names the tests that would change; 1 if there is one

Each RUN line is run as lit runs it, and what it gives `filecheck` becomes a block of checks for
each function, before the function, in which values have names.  Such checks hold what is printed
today; whether that is right is for a person to say, who deletes what does not matter and then the
first line, which says that the checks are generated.
"""

import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from anvl.tools.checks.check_blocks import (
    ChecksError,
    marked_prefixes,
    of_person,
    placed,
    written,
)
from anvl.tools.checks.check_lines import blocks, number_blocks
from anvl.tools.checks.lint_checks import problems, tests_in
from anvl.tools.checks.lit_runs import CheckedText, RunError, lit_test
from anvl.tools.io.command_line import Flag, UsageError, check_known, parse, usage
from anvl.tools.io.stdout import writes_stdout

__all__ = ["main", "updated"]

_HELP = """\
usage: anvl-update-checks FILE or FOLDER ... [flags]

Writes the checks of lit tests from what their RUN lines print.  In a folder, tests whose checks it
wrote before; a file that is named may have none yet.

"""
_FLAGS = (
    Flag("check", "change nothing; name the tests whose checks are not current, exit code 1"),
    Flag("overwrite", "replace checks that were written by hand, too"),
    Flag("prefix", "the prefixes whose checks are written; all by default", "names", (), "A,B"),
    Flag("help", "this text"),
)


@writes_stdout("anvl-update-checks")
def main(argv: Sequence[str] | None = None) -> int:
    """Run the command `anvl-update-checks`; returns its exit code."""
    try:
        given = parse(sys.argv[1:] if argv is None else argv, _FLAGS)
        check_known(given, _FLAGS)
        if given.values["help"]:
            print(_HELP + usage(_FLAGS), end="")
            return 0
        tests = _tests(given.inputs)
    except UsageError as error:
        print(f"anvl-update-checks: error: {error}", file=sys.stderr)
        return 1
    failed = False
    for path in tests:
        try:
            failed |= _update(path, given.values)
        except (ChecksError, RunError, OSError, UnicodeDecodeError) as error:
            print(f"{path}: error: {error}", file=sys.stderr)
            failed = True
    return 1 if failed else 0


def _tests(inputs: Sequence[str]) -> list[Path]:
    if not inputs:
        raise UsageError("no test; name files or folders")
    found = []
    for path in map(Path, inputs):
        if not path.exists():
            raise UsageError(f"no such file or folder: {path}")
        if path.is_dir():
            found += [test for test in tests_in([path]) if _is_marked(test)]
        else:
            found.append(path)
    return found


def _is_marked(path: Path) -> bool:
    try:
        return bool(marked_prefixes(path.read_text(encoding="utf-8").splitlines()))
    except UnicodeDecodeError:
        return False


def _update(path: Path, values: Mapping[str, Any]) -> bool:
    """Write the checks of one test; whether it needed that and --check forbids it."""
    text = path.read_text(encoding="utf-8")
    new = updated(path, values["prefix"], overwrite=values["overwrite"])
    if new == text:
        return False
    print(f"{path}: checks {'are not current' if values['check'] else 'written'}")
    if values["check"]:
        return True
    _write(path, new)
    if why := lit_test(path.absolute()).failure():
        _write(path, text)
        raise ChecksError(f"the test would not pass, so it is as it was; {why}")
    for problem in problems(path):
        print(f"{problem} (anvl-lint-checks)", file=sys.stderr)
    return False


def _write(path: Path, text: str) -> None:
    """All of the text or nothing."""
    beside = path.with_name(f".{path.name}.new")
    beside.write_text(text, encoding="utf-8", newline="")
    beside.chmod(path.stat().st_mode)
    os.replace(beside, path)


def updated(path: Path, prefixes: Sequence[str] = (), *, overwrite: bool = False) -> str:
    """The text of a test with checks for what its commands print today.

    Raises `ChecksError` where a person's checks would be lost, and `RunError` for a command that
    fails.
    """
    text = path.read_text(encoding="utf-8")
    lines = text.splitlines()
    test = lit_test(path.absolute())
    checked = test.checked()
    chosen = _chosen(lines, checked, prefixes, overwrite=overwrite)
    used = [one for one in checked if set(one.prefixes) & set(chosen)]
    outputs = [
        (
            [prefix for prefix in one.prefixes if prefix in chosen],
            number_blocks(one.text)
            if one.of_numbers
            else blocks(one.text, path.absolute(), test.folders),
        )
        for one in used
    ]
    for one, (names, found) in zip(used, outputs, strict=True):
        if not found:
            raise ChecksError(
                f"line {one.line} prints nothing for {', '.join(names)} to check; write its checks "
                "by hand"
            )
    marked = dict.fromkeys([*marked_prefixes(lines), *chosen])
    new = written(lines, placed(lines, outputs), chosen, [*marked])
    return "\n".join(new) + "\n"


def _chosen(
    lines: Sequence[str], checked: Sequence[CheckedText], given: Sequence[str], *, overwrite: bool
) -> list[str]:
    """The prefixes whose checks are written."""
    known = list(dict.fromkeys(prefix for one in checked for prefix in one.prefixes))
    if not known:
        raise ChecksError("no RUN line ends in filecheck or %numbers, so there is nothing to check")
    if unknown := [prefix for prefix in given if prefix not in known]:
        raise ChecksError(f"no RUN line has the prefix {unknown[0]}; they have {', '.join(known)}")
    by_hand = [] if overwrite else of_person(lines, known)
    mixed = _read_with(by_hand, checked)
    chosen = [prefix for prefix in given or known if prefix not in mixed]
    if not chosen or set(given) & mixed:
        raise ChecksError(
            f"the checks of {', '.join(by_hand)} were written by hand; --overwrite replaces them"
        )
    return chosen


def _read_with(prefixes: Sequence[str], checked: Sequence[CheckedText]) -> set[str]:
    """All prefixes of the calls that read one of these: their checks stand among each other."""
    return {p for one in checked if set(one.prefixes) & set(prefixes) for p in one.prefixes}


if __name__ == "__main__":
    sys.exit(main())
