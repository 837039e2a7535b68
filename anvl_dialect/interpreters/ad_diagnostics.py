"""Obstacles to a derivative: collected by the sweeps, listed by errors and reports."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from anvl.dialect.core.errors import MissingRule, place_in

__all__ = ["Finding", "Search", "missing"]


class Finding(NamedTuple):
    """One op on the path that cannot be differentiated, or that blocks all derivatives.

    `location` is MLIR's text of its location, `path` the names of the ops from the value
    differentiated with respect to, up to and including this one.
    """

    op: str
    location: str
    reason: str
    path: tuple[str, ...]

    @property
    def place(self) -> str:
        """Place of the op: `model.py:12`, or MLIR's own text where that has no file."""
        return place_in(self.location)

    def with_path(self, path: Sequence[str]) -> "Finding":
        """This finding as seen from outside an op, to which `path` leads."""
        return self._replace(path=(*path, *self.path))

    def __str__(self) -> str:
        if not self.path:
            return self.reason
        way = " -> ".join(["wrt", *self.path])
        return f"{self.op} at {self.location}: {self.reason} (reached by {way})"


@dataclass
class Search:
    """Collector of findings, in place of an error raised at once.

    `findings` come from all sweeps that were given it; `zeros` are, for the latest sweep, the
    positions in `wrt` that no derivative reached.
    """

    findings: list[Finding] = field(default_factory=list)
    zeros: list[int] = field(default_factory=list)

    def add(self, findings: Iterable[Finding]) -> None:
        """Add the findings of one sweep, except those that an earlier one reported.

        A second derivative meets the ops of the first again, by another path.
        """
        known = {(x.op, x.location, x.reason) for x in self.findings}
        self.findings += [x for x in findings if (x.op, x.location, x.reason) not in known]


def missing(findings: Iterable[Finding]) -> MissingRule:
    """One error that lists all findings."""
    listed = list(findings)
    lines = "".join(f"\n  {finding}" for finding in listed)
    text = f"{len(listed)} of the ops cannot be differentiated:{lines}"
    return MissingRule(text, f"loc({listed[0].location})", listed)
