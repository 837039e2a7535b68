"""Prints what became slower or larger between two runs of the benchmarks: `make bench-compare`.

    benchmarks/compare.py out/benchmarks/OLD.json out/benchmarks/NEW.json

A row is compared by its part of jax's time where both runs have jax, since a machine is not as fast
every day; else by its own number.
"""

import argparse
import json
import math
import sys
from pathlib import Path
from typing import Any, NamedTuple

__all__ = ["Change", "changes", "main"]

#: What counts as a regression: 5 %.
LIMIT = 1.05


class Change(NamedTuple):
    """A row of both runs: its numbers, in times of jax's or in its own unit."""

    what: str
    old: float
    new: float
    unit: str
    #: Whether the ranges that both runs measured overlap.
    in_spread: bool

    @property
    def ratio(self) -> float:
        """How many times as much the new run took."""
        return self.new / self.old if self.old else math.inf if self.new else 1.0

    def __str__(self) -> str:
        note = ", within the spread" if self.in_spread else ""
        return f"{self.what}: {self.old:.3g} -> {self.new:.3g} {self.unit} ({self.ratio:.2f}{note})"


def changes(old: dict[str, Any], new: dict[str, Any]) -> list[Change]:
    """The rows that both runs have, in the order of the new one."""
    before = _rows(old)
    pairs = [(key, before[key], row) for key, row in _rows(new).items() if key in before]
    return [_change(f"{title} {what}", a, b) for (title, what, _), a, b in pairs]


def _rows(run: dict[str, Any]) -> dict[tuple[str, str, str], dict[str, Any]]:
    """By the letter of the benchmark, the row and its unit."""
    return {
        (result["title"].partition(" ")[0], row["what"], row["unit"]): row
        for result in run["results"]
        for row in result["rows"]
    }


def _change(what: str, old: dict[str, Any], new: dict[str, Any]) -> Change:
    if not (old["jax"] and new["jax"]):
        return Change(what, old["anvl"], new["anvl"], new["unit"], in_spread=False)
    ranges = [row.get("spread") for row in (old, new)]
    in_spread = None not in ranges and ranges[1][0] <= ranges[0][1]
    return Change(
        what, old["anvl"] / old["jax"], new["anvl"] / new["jax"], "of jax", in_spread=in_spread
    )


def main(argv: list[str] | None = None) -> int:
    """Print the regressions; 1 if there is one outside of the spread."""
    parser = argparse.ArgumentParser(prog="compare.py", description="find regressions of 5 %%")
    parser.add_argument("old", type=Path, metavar="OLD", help="JSON of a run, as in out/benchmarks")
    parser.add_argument("new", type=Path, metavar="NEW", help="the same of a later run")
    options = parser.parse_args(argv)
    runs = [_read(parser, path) for path in (options.old, options.new)]
    found = changes(*runs)
    if not found:
        parser.error(f"{options.old.name} and {options.new.name} have no row in common")
    if runs[0]["machine"].get("processor") != runs[1]["machine"].get("processor"):
        print("the runs are of two processors: their numbers are hardly comparable")
    worse = sorted((c for c in found if c.ratio >= LIMIT), key=lambda c: -c.ratio)
    print(f"{len(worse)} of {len(found)} rows are worse by 5 % or more" + (":" if worse else ""))
    for change in worse:
        print(f"  {change}")
    return int(any(not change.in_spread for change in worse))


def _read(parser: argparse.ArgumentParser, path: Path) -> dict[str, Any]:
    try:
        run: dict[str, Any] = json.loads(path.read_text())
    except (OSError, ValueError) as error:
        parser.error(f"{path.name}: not the JSON of a run: {error}")
    if not {"machine", "results"} <= run.keys():
        parser.error(f"{path.name}: not the JSON of a run: it has no machine and results")
    return run


if __name__ == "__main__":
    sys.exit(main())
