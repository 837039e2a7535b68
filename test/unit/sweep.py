"""How many of the cases of a test marked `sweep(keep=n, part=m)` run: set by ANVL_SWEEP.

(nothing)  `make test`: n of them, always the same
part       `make sweep-part`, which continuous integration runs too: the next m; without `part`
           a twelfth as many, or every eighteenth if n is 0; and some of the tests without a mark
newest     on the newest Python, in continuous integration: one in 36 of those of `make test`,
           and one of each file
all        `make sweep`: all, and many more random numbers
"""

import os
import zlib
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

__all__ = ["LONG_TESTS", "MODE", "SWEEP", "chosen", "few_of_each_file"]

MODE = os.environ.get("ANVL_SWEEP", "")
assert MODE in ("", "part", "newest", "all"), f"ANVL_SWEEP is part, newest or all, not {MODE!r}"

#: Whether this is `make sweep`.
SWEEP = MODE == "all"

#: Test functions that take long, with how many of their cases `make test` runs: as if they were
#: marked so.  `make long-tests` writes the list.
LONG_TESTS = {
    name: int(keep)
    for name, keep in map(
        str.split, (Path(__file__).parent / "long_tests.txt").read_text().splitlines()
    )
}

# Tests of functions that are written with ops, which have tests of their own.  Of those without a
# mark `make test` has every third, `make sweep-part` one in 108, by XLA.  A file that is named
# has all of them.
_IN_THIRDS = (
    "test_distribution*.py", "test_fft.py", "test_nn_*.py", "test_numpy_linalg.py",
    "test_optim*.py", "test_scipy_*.py",
)  # fmt: skip

_EVERY_EIGHTEENTH = -1  # for the `part` of a mark `sweep(keep=0)`
_ONE_IN = 300  # of the other tests without a mark, in `make sweep-part`


def chosen(
    items: Sequence[Any],
    mode: str,
    is_named: Callable[[Any], bool],
    runs_as_before: Callable[[Any], bool],
    long_tests: Mapping[str, int],
) -> set[Any]:
    """The tests that run in a mode: those marked by their numbers, and some of the others.

    `is_named` tells whether the file of a test stands on the command line, `runs_as_before` whether
    `make sweep-part` would run a test in no other way than `make test` does.
    """
    cases: dict[tuple[str, int, int], list[Any]] = defaultdict(list)
    for item in items:
        name = item.nodeid.partition("[")[0]
        if marker := item.get_closest_marker("sweep"):
            keep = marker.kwargs["keep"]
            part = marker.kwargs.get("part", (keep + 11) // 12 or _EVERY_EIGHTEENTH)
            cases[name, keep, part].append(item)
        elif name in long_tests and not is_named(item):
            keep = long_tests[name]
            cases[name, keep, (keep + 23) // 24 or _EVERY_EIGHTEENTH].append(item)
    unmarked = set(items) - {i for of in cases.values() for i in of}
    in_thirds = {i for i in unmarked if not is_named(i) and any(map(i.path.match, _IN_THIRDS))}
    of_test = unmarked - {i for i in in_thirds if _hash(i.nodeid) % 3}
    of_part = {i for i in in_thirds if _hash(i.nodeid) % 108 == 1}
    of_part |= {
        i for i in unmarked - in_thirds if _hash(i.nodeid) % _ONE_IN == 0 and not runs_as_before(i)
    }
    for (_, keep, part), of in cases.items():
        mixed = sorted(of, key=lambda item: _hash(item.name))
        of_test.update(mixed[:keep])
        if part == _EVERY_EIGHTEENTH:
            of_part.update(item for item in of if _hash(item.nodeid) % 18 == 1)
        else:
            of_part.update(mixed[keep : keep + part])
    if mode == "newest":
        return few_of_each_file(of_test, of_part)
    return of_part if mode == "part" else of_test


def few_of_each_file(of_test: set[Any], of_part: set[Any]) -> set[Any]:
    """One in 36 tests of `of_test`, and one of each file at least, be it of `of_part`."""
    chosen = {item for item in of_test if _hash(item.nodeid) % 36 == 0}
    ranked = [sorted(items, key=lambda item: item.nodeid) for items in (of_part, of_test, chosen)]
    of_files = {item.path: item for items in ranked for item in items}  # the last one of each
    return chosen | {*of_files.values()}


def _hash(text: str) -> int:
    return zlib.crc32(text.encode())
