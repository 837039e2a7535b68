"""`--mlir-pass-statistics`: what each pass counted, as MLIR's tools report it.

The passes of MLIR count nothing in a release build; so each pass also has the number of ops that
it got and that it left.
"""

from dataclasses import dataclass

from anvl.dialect.core.mlir import ir
from anvl.passes.framework.instrument import Instrument, PassText
from anvl.passes.framework.statistics import statistics_of
from anvl.tools.opt.timing import report_head

__all__ = ["StatisticsReport"]


@dataclass
class _Counter:
    name: str
    description: str
    value: int = 0


class StatisticsReport(Instrument):
    """Counts by pass and place in the pipeline, added up over functions and parts of the input."""

    def __init__(self) -> None:
        self._groups: dict[tuple[int, str], dict[str, list[_Counter]]] = {}
        self._place = -1
        self._group = ""
        self._before: dict[str, int] = {}
        self._ops_before = 0

    def begin(self, module: ir.Operation, pipeline: object) -> None:
        """Start at the first place."""
        self._place, self._group = -1, ""

    def before(self, pass_: PassText, op: ir.Operation) -> None:
        group = f"'{op.name}' Pipeline" if op.parent is not None else ""
        self._place += not group or group != self._group
        self._group = group
        self._before = {each.name: each.value for each in statistics_of(pass_)}
        self._ops_before = _count(op)

    def after(self, pass_: PassText, op: ir.Operation) -> None:
        measured = [
            _Counter(each.name, each.description, each.value - self._before[each.name])
            for each in statistics_of(pass_)
        ] + [
            _Counter("ops-before", "Number of ops that the pass got", self._ops_before),
            _Counter("ops-after", "Number of ops that the pass left", _count(op)),
        ]
        passes = self._groups.setdefault((self._place, self._group), {})
        passes[str(pass_)] = _added(passes.get(str(pass_), []), measured)

    def report(self, display: str = "pipeline") -> str:
        """In the order of the `pipeline`, or a `list` by name in which each pass is once."""
        lines = report_head("Pass statistics")
        groups = self._groups if display == "pipeline" else self._merged()
        for (_, group), passes in groups.items():
            lines += [group] if group else []
            indent = "  " if group else ""
            for name, counters in passes.items():
                lines += [f"{indent}{name}", *_shown(counters, indent + "  ")]
        return "\n".join([*lines, ""])

    def _merged(self) -> dict[tuple[int, str], dict[str, list[_Counter]]]:
        merged: dict[str, list[_Counter]] = {}
        for passes in self._groups.values():
            for name, counters in passes.items():
                merged[name] = _added(merged.get(name, []), counters)
        return {(0, ""): dict(sorted(merged.items()))}


def _added(some: list[_Counter], more: list[_Counter]) -> list[_Counter]:
    sums = {each.name: each for each in some}
    for each in more:
        known = sums.get(each.name)
        value = each.value + (known.value if known is not None else 0)
        sums[each.name] = _Counter(each.name, each.description, value)
    return list(sums.values())


def _shown(counters: list[_Counter], indent: str) -> list[str]:
    width = max(len(str(each.value)) for each in counters)
    longest = max(len(each.name) for each in counters)
    return [
        f"{indent}(S) {each.value:>{width}} {each.name:<{longest}} - {each.description}"
        for each in counters
    ]


def _count(op: ir.Operation) -> int:
    """The ops inside."""
    count = -1

    def visit(_: ir.Operation) -> ir.WalkResult:
        nonlocal count
        count += 1
        return ir.WalkResult.ADVANCE

    op.walk(visit)
    return count
