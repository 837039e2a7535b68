"""Compare the numbers that a program printed with those in its test: `%numbers` in lit.

    // RUN: %run %s --function=sin --args='[0.0]' | %numbers %s
    // NUMBERS: f64[] 0.0

`%run` prints a line for each result, and each must be in the test, in order: `NUMBERS:` for the
first, `NUMBERS-NEXT:` for the others (`--check-prefix=FIRST,SECOND` sets other words).  A line is
a type, then the numbers, each within the tolerance of its dtype and of six printed digits; zeros
and non-floats must be equal.  `...` stands for numbers of which only the type is known, such as
eigenvectors, whose signs are free.
"""

import argparse
import re
import sys
from collections.abc import Iterator, Sequence
from itertools import zip_longest
from pathlib import Path

__all__ = ["TOLERANCES", "difference", "main", "wanted_lines"]

#: Relative errors allowed.  Six digits are printed; narrow floats differ by half of their spacing.
_DIGITS = 1e-5
TOLERANCES = {
    "f64": _DIGITS,
    "f32": _DIGITS,
    "c128": _DIGITS,
    "c64": _DIGITS,
    "f16": 1e-3,
    "bf16": 5e-3,
}


def wanted_lines(text: str, prefixes: Sequence[str]) -> list[str]:
    """The expected lines of a test: the text of its directives of these prefixes."""
    words = "|".join(map(re.escape, prefixes))
    directive = re.compile(rf"\s*(?://|#)\s*(?:{words})(?:-NEXT)?:(.*)")
    found = map(directive.match, text.splitlines())
    return [match[1].strip() for match in found if match]


def difference(printed: str | None, wanted: str | None) -> str:
    """Difference between a printed line and the expected one; empty if there is none."""
    if printed is None or wanted is None:
        return f"printed {printed or 'nothing'}; the test wants {wanted or 'nothing'}"
    of_type, *numbers = printed.split()
    wanted_type, *wanted_numbers = wanted.split()
    if of_type == wanted_type and wanted_numbers == ["..."]:
        return ""
    if of_type != wanted_type or len(numbers) != len(wanted_numbers):
        return f"printed {printed}; the test wants {wanted}"
    tolerance = TOLERANCES.get(of_type.partition("[")[0], 0.0)
    for at, (x, y) in enumerate(zip(numbers, wanted_numbers, strict=True)):
        if not _is_close(x, y, tolerance):
            return (
                f"number {at} of {of_type} is {x}; the test wants {y}, within {tolerance:g} of it"
            )
    return ""


def _is_close(x: str, wanted: str, tolerance: float) -> bool:
    if x == wanted:
        return True
    try:
        found, known = complex(x), complex(wanted)
    except ValueError:  # a bool
        return False
    parts = ((found.real, known.real), (found.imag, known.imag))
    return all(a == b or abs(a - b) <= tolerance * abs(known) for a, b in parts)


def problems(printed: Sequence[str], wanted: Sequence[str]) -> Iterator[str]:
    for at, (line, known) in enumerate(zip_longest(printed, wanted), 1):
        what = difference(line, known)
        if what:
            yield f"line {at}: {what}"


def main(argv: Sequence[str] | None = None) -> int:
    """Compare stdin with a test; 1 if they differ."""
    parser = argparse.ArgumentParser(prog="anvl-numbers", description=__doc__.splitlines()[0])
    parser.add_argument("test", help="the file with the directives")
    parser.add_argument("--check-prefix", default="NUMBERS", help="the words that they begin with")
    options = parser.parse_args(argv)
    try:
        text = Path(options.test).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        print(f"{options.test}: cannot read the test, {error}", file=sys.stderr)
        return 1
    printed = sys.stdin.read().splitlines()
    wanted = wanted_lines(text, options.check_prefix.split(","))
    if not wanted:
        print(f"{options.test}: no line begins with {options.check_prefix}:", file=sys.stderr)
        return 1
    found = list(problems(printed, wanted))
    for problem in found:
        print(f"{options.test}: {options.check_prefix}, {problem}", file=sys.stderr)
    if found:
        print("printed:", *printed, sep="\n", file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
