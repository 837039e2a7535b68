"""What stands in the way of a derivative: found by the sweeps, listed by errors and reports."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from anvl.dialect.core.errors import MissingRule

__all__ = ["Finding", "Search", "missing", "place_in"]


class Finding(NamedTuple):
    """One op on the way that cannot be differentiated, or that lets nothing through.

    `location` is MLIR's text of where it is, `path` are the names of the ops from what is
    differentiated with respect to, up to and with this one.
    """

    op: str
    location: str
    reason: str
    path: tuple[str, ...]

    @property
    def place(self) -> str:
        """Where it is: `model.py:12`, or MLIR's own text where that has no file."""
        return place_in(self.location)

    def behind(self, path: Sequence[str]) -> "Finding":
        """The same inside of an op, to which `path` leads."""
        return self._replace(path=(*path, *self.path))

    def __str__(self) -> str:
        if not self.path:
            return self.reason
        way = " -> ".join(["wrt", *self.path])
        return f"{self.op} at {self.location}: {self.reason} (reached by {way})"


@dataclass
class Search:
    """What a sweep is to collect in place of raising an error at once.

    `findings` are of all sweeps that were given it; `zeros`, of the latest, the positions in `wrt`
    of what no derivative reached.
    """

    findings: list[Finding] = field(default_factory=list)
    zeros: list[int] = field(default_factory=list)

    def add(self, findings: Iterable[Finding]) -> None:
        """Take what one sweep has found, but for what one before it has.

        The derivative of a derivative meets the ops of the first again, by another way.
        """
        known = {(x.op, x.location, x.reason) for x in self.findings}
        self.findings += [x for x in findings if (x.op, x.location, x.reason) not in known]


_FILE = r'"((?:[^"\\]|\\.)+)":(\d+)'


def place_in(location: str) -> str:
    """File and line in MLIR's text of a location: the innermost of them, `""` where it has none."""
    found = re.search(_FILE, location)
    return f"{found[1]}:{found[2]}" if found else location


def missing(findings: Iterable[Finding]) -> MissingRule:
    """One error for all of them."""
    listed = list(findings)
    lines = "".join(f"\n  {finding}" for finding in listed)
    text = f"{len(listed)} of the ops cannot be differentiated:{lines}"
    return MissingRule(text, f"loc({listed[0].location})", listed)
