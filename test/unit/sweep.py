"""How many of the cases of a test marked `sweep(keep=n, part=m)` run: set by ANVL_SWEEP.

(nothing)  `make test`: n of them, always the same
part       `make sweep-part`, which continuous integration runs too: the next m; without `part`
           half as many, or every third if n is 0; and some of the tests without a mark
newest     on the newest Python, in continuous integration: every sixth of those of `make test`,
           and one of each file
all        `make sweep`: all, and many more random numbers
"""

import os
import zlib
from pathlib import Path
from typing import Any

__all__ = ["LONG_TESTS", "MODE", "SWEEP", "every_sixth"]

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


def every_sixth(of_test: set[Any], of_part: set[Any]) -> set[Any]:
    """Every sixth test of `of_test`, and one of each file at least, be it of `of_part`."""
    chosen = {item for item in of_test if zlib.crc32(item.nodeid.encode()) % 6 == 0}
    ranked = [sorted(items, key=lambda item: item.nodeid) for items in (of_part, of_test, chosen)]
    of_files = {item.path: item for items in ranked for item in items}  # the last one of each
    return chosen | {*of_files.values()}
