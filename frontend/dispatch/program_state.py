"""The state that a program with effects returns behind its results, read after each run."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from anvl.core.avals import Aval, aval_of_type
from anvl.dialect.core.attributes import signature_of
from anvl.dialect.core.mlir import ir
from anvl.passes.effects.reports import Report, report_of
from anvl.passes.effects.states import descriptions
from anvl.runtime import Array

__all__ = ["State", "forget_report", "state_of"]


class State(NamedTuple):
    """Layout of the state: `avals` are of its values, which stand at `report.positions`."""

    report: Report
    avals: Sequence[Aval]

    def added_to(self, out_avals: Sequence[Aval]) -> list[Aval]:
        """The avals of all results, given those of the others."""
        at = self.report.place.start
        return [*out_avals[:at], *self.avals, *out_avals[at:]]

    def taken_from(self, results: Sequence[Array]) -> list[Array]:
        """The other results; raises the error of the first check that failed."""
        return self.report.settled(results, Array.numpy)


def forget_report(module: ir.Module) -> None:
    """Drop the description of the state, which names sizes, from a module that a bucket shares."""
    main: Any = ir.SymbolTable(module.operation)["main"]
    for name in descriptions():
        if name in main.operation.attributes:
            del main.operation.attributes[name]


def state_of(module: ir.Module) -> State | None:
    """The state that `@main` of a module returns; None without effects."""
    main: Any = ir.SymbolTable(module.operation)["main"]
    report = report_of(main.operation)
    if report is None:
        return None
    _, types = signature_of(main.operation)
    return State(report, [aval_of_type(types[i]) for i in report.positions])
