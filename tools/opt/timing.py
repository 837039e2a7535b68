"""`--mlir-timing`: how long each phase and pass took, as MLIR's tools report it."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from anvl.dialect.core.mlir import ir
from anvl.passes.framework.instrument import Instrument, PassText

__all__ = ["Timer", "report_head"]


@dataclass
class _Entry:
    """A phase, a pass, or the passes that were nested in an op, in the order of their first run."""

    seconds: float = 0.0
    inner: dict[str, "_Entry"] = field(default_factory=dict)


class Timer(Instrument):
    """Adds up wall time by phase and pass."""

    def __init__(self) -> None:
        self._entries: dict[str, _Entry] = {}
        self._began = time.perf_counter()
        self._started = 0.0

    def before(self, pass_: PassText, op: ir.Operation) -> None:
        self._started = time.perf_counter()

    def after(self, pass_: PassText, op: ir.Operation) -> None:
        seconds = time.perf_counter() - self._started
        entries = self._entries
        if op.parent is not None:
            group = entries.setdefault(f"'{op.name}' Pipeline", _Entry())
            group.seconds += seconds
            entries = group.inner
        entries.setdefault(str(pass_), _Entry()).seconds += seconds

    @contextmanager
    def phase(self, name: str) -> Iterator[None]:
        """Time the `with` block as `name`."""
        started = time.perf_counter()
        yield
        self._entries.setdefault(name, _Entry()).seconds += time.perf_counter() - started

    def report(self, display: str = "tree", form: str = "text") -> str:
        """The times: a `tree`, or a `list` by time; `text` is a table, `json` is for programs."""
        total = time.perf_counter() - self._began
        rest = total - sum(entry.seconds for entry in self._entries.values())
        entries = self._entries if display == "tree" else _flat(self._entries)
        if form == "json":
            return _json(entries, rest, total, is_tree=display == "tree")
        ends = {"Rest": _Entry(rest), "Total": _Entry(total)}
        rows = [
            f"  {entry.seconds:9.4f} ({100 * entry.seconds / (total or 1.0):5.1f}%)  {indent}{name}"
            for indent, name, entry in _rows(entries | ends, "")
        ]
        head = report_head("Execution time")
        head += [f"  Total Execution Time: {total:.4f} seconds", ""]
        return "\n".join([*head, "  ----Wall Time----  ----Name----", *rows, ""])


def report_head(name: str) -> list[str]:
    """The heading of a report, as MLIR writes it."""
    bar, title = f"==={'-' * 73}===", f"... {name} report ..."
    return [bar, " " * ((80 - len(title)) // 2) + title, bar]


def _flat(entries: dict[str, _Entry]) -> dict[str, _Entry]:
    """The phases and passes by time, each once."""
    sums: dict[str, _Entry] = {}
    for name, entry in entries.items():
        leaves = entry.inner or {name: entry}
        for leaf, of in leaves.items():
            sums.setdefault(leaf, _Entry()).seconds += of.seconds
    return dict(sorted(sums.items(), key=lambda item: -item[1].seconds))


def _rows(entries: dict[str, _Entry], indent: str) -> Iterator[tuple[str, str, _Entry]]:
    for name, entry in entries.items():
        yield indent, name, entry
        yield from _rows(entry.inner, indent + "  ")


def _json(entries: dict[str, _Entry], rest: float, total: float, *, is_tree: bool) -> str:
    """In MLIR's form, in which the list of what is inside ends in an empty object."""
    import json

    def shown(name: str, entry: _Entry) -> dict[str, object]:
        share = 100 * entry.seconds / (total or 1.0)
        wall = {"duration": round(entry.seconds, 4), "percentage": round(share, 1)}
        found: dict[str, object] = {"wall": wall, "name": name}
        if is_tree:
            found["passes"] = [*(shown(*item) for item in entry.inner.items()), {}]
        return found

    rows = [shown(name, entry) for name, entry in entries.items()]
    is_tree = False
    rows += [shown("Rest", _Entry(rest)), shown("Total", _Entry(total))]
    return "[\n" + ",\n".join(json.dumps(row) for row in rows) + "\n]\n"
