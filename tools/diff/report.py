"""Differences as text and as JSON."""

import os
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from anvl.dialect.view.difference import KINDS, Change
from anvl.dialect.view.record import Op, Record

__all__ = ["Difference", "as_json", "as_text", "coloured"]

_SIGNS = {"added": "+", "removed": "-", "changed": "~", "moved": ">"}
_COLOURS = {"added": "32", "removed": "31", "changed": "33", "moved": "36"}
_BOLD = "1"


@dataclass(frozen=True)
class Difference:
    """The changes between two records; `title` is the pass that made them, if it is one."""

    changes: Sequence[Change]
    before: Record
    after: Record
    title: str = ""

    @property
    def counts(self) -> Counter[str]:
        """The number of ops by kind of change; an op with regions counts with the ops in it."""
        found: Counter[str] = Counter()
        for change in self.changes:
            found[change.kind] += change.count
        return found

    @property
    def summary(self) -> str:
        """The counts as words, such as `1 removed; 5 as before`."""
        counts = self.counts
        same = len(self.after.ops) - counts["changed"] - counts["moved"] - counts["added"]
        parts = ", ".join(f"{counts[kind]} {kind}" for kind in KINDS if counts[kind])
        return f"{parts or 'no change'}; {same} ops as before"


def coloured(when: str, output: str) -> bool:
    """Whether to colour: on a terminal, unless NO_COLOR says otherwise."""
    if when != "auto":
        return when == "always"
    if output != "-" or sys.stdout is None or os.environ.get("NO_COLOR"):
        return False
    return sys.stdout.isatty()


def as_text(differences: Sequence[Difference], colour: bool) -> str:
    """The changes by function and a summary; empty where nothing differs, but for titles."""
    return "".join(f"{line}\n" for each in differences for line in _lines(each, colour))


def _lines(difference: Difference, colour: bool) -> Iterator[str]:
    if difference.title:
        yield _painted(f"{difference.title}: {difference.summary}", _BOLD, colour)
    function = None
    for change in difference.changes:
        if change.function != function:
            function = change.function
            yield _painted(f"@{function}" if function else "module", _BOLD, colour)
        yield from _change(change, colour)
    if difference.changes and not difference.title:
        yield difference.summary


def _change(change: Change, colour: bool) -> Iterator[str]:
    op = change.before or change.op
    line = f"  {_SIGNS[change.kind]} {_shown(op)}"
    yield _painted(line, _COLOURS[change.kind], colour)
    if change.merged is not None:
        yield f"      equal to {_shown(change.merged)}"
    if change.count > 1:
        yield f"      with {change.count - 1} ops in it"
    for detail in change.details:
        if detail.before is None:
            yield f"      {detail.what}: added {detail.after}"
        elif detail.after is None:
            yield f"      {detail.what}: removed {detail.before}"
        else:
            yield f"      {detail.what}: {detail.before} -> {detail.after}"


def _shown(op: Op) -> str:
    """The first line of an op; its name, if the printer leaves it out."""
    return op.text or f"{op.name} (in a body that is not printed)"


def _painted(text: str, code: str, colour: bool) -> str:
    return f"\033[{code}m{text}\033[0m" if colour else text


def as_json(differences: Sequence[Difference]) -> Any:
    """The changes as lists and dicts; see docs/looking-at-programs.md."""
    found = [
        {
            "same": not each.changes,
            "counts": {kind: each.counts[kind] for kind in KINDS},
            "changes": [_change_as_json(change) for change in each.changes],
        }
        for each in differences
    ]
    if differences[0].title:
        named = zip(differences, found, strict=True)
        return {
            "same": all(each["same"] for each in found),
            "passes": [{"pass": each.title, **of} for each, of in named],
        }
    return found[0]


def _change_as_json(change: Change) -> dict[str, Any]:
    return {
        "kind": change.kind,
        "function": change.function,
        "before": _op_as_json(change.before),
        "after": _op_as_json(change.after),
        "equal_to": _op_as_json(change.merged),
        "details": [
            {"what": each.what, "before": each.before, "after": each.after}
            for each in change.details
        ],
    }


def _op_as_json(op: Op | None) -> dict[str, Any] | None:
    if op is None:
        return None
    results = [x.name for x in op.results]
    return {"op": op.name, "results": results, "text": op.text, "location": str(op.location)}
