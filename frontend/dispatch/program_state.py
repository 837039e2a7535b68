"""The state that a program with effects returns behind its results, read after each run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from anvl.core.avals import Aval, aval, aval_of_type
from anvl.dialect.core.attributes import signature_of
from anvl.dialect.core.mlir import ir
from anvl.dialect.core.types import dtype_name
from anvl.passes.effects.reports import Check, Report, report_of
from anvl.passes.effects.states import descriptions
from anvl.runtime import Array

__all__ = ["State", "forget_report", "known_state", "state_of"]


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

    def facts(self) -> dict[str, Any]:
        """Values of JSON, of which `known_state` makes it again."""
        avals = [[dtype_name(of.dtype), of.shape] for of in self.avals]
        return {**self.report._asdict(), "avals": avals}


def known_state(facts: Mapping[str, Any]) -> State:
    """The state of these facts."""
    checks = [
        Check(message, tuple(names), tuple(types), tuple(shape), place)
        for message, names, types, shape, place in facts["checks"]
    ]
    report = Report(facts["positions"], facts["of_checks"], checks, facts["n_members"])
    return State(report, [aval(dtype, tuple(shape)) for dtype, shape in facts["avals"]])


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
