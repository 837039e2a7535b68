"""(n) and (o): first call, compile, run and memory of the suite, beside jax in one process."""

import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import anvl
from measure import alternations, in_turns, median, seconds
from programs import agree
from rows import Result, Row, WithinSpread
from sides import Side
from suite.case import Case, Draw
from suite.functions import FUNCTIONS
from suite.steps import STEPS

__all__ = ["measure", "run_functions", "run_steps"]

#: Of the first call and of compiling; of running, in each of five groups.
ROUNDS = {"full": (5, 7), "quick": (3, 3), "tiny": (1, 1)}

#: What no run may exceed, in times of jax's, beyond the measured spread.
LIMIT = 1.05

INCLUDED = (
    "first call: a new jitted function traced, lowered, compiled and run; compile: StableHLO in "
    "memory to an executable; run: calls with arrays on the device, waited for, of five groups of "
    "rounds the median of the least times; memory: arguments, results and temporaries, as the "
    "compiler counts them; in brackets the time as a part of jax's, with its range"
)


def run_functions(sides: list[Side], scale: str, only: str = "") -> Result:
    chosen = _chosen(FUNCTIONS, only)
    cases = [Case(c.name, partial(_value_and_grad, c.function), c.arrays) for c in chosen]
    return measure("(n) 34 functions, value and gradient", cases, sides, scale)


def run_steps(sides: list[Side], scale: str, only: str = "") -> Result:
    return measure("(o) 12 training steps", _chosen(STEPS, only), sides, scale)


def _chosen(cases: Sequence[Case], only: str) -> list[Case]:
    """The cases whose names hold one of the words between commas, or all."""
    words = [word.strip() for word in only.split(",")]
    return [case for case in cases if any(word in case.name for word in words)]


def _value_and_grad(function: Callable[..., Any], lib: Any, *arrays: Any) -> Any:
    return lib.value_and_grad(partial(function, lib))(*arrays)


def measure(title: str, cases: Sequence[Case], sides: list[Side], scale: str) -> Result:
    """Four rows for each case, which the report puts into one line."""
    result = Result(title, INCLUDED, in_columns=True)
    for case in cases:
        result.rows += _rows(case, sides, scale)
    return result


class _Subject:
    """A case on one side, which is measured in rounds; the last round's program is kept."""

    def __init__(self, case: Case, side: Side, scale: str) -> None:
        self._case, self._side = case, side
        self._arrays = [side.array(x) for x in case.arrays(Draw(scale))]
        self._jitted: Any = None
        self._compiled: Any = None

    def first_call(self) -> float:
        self._side.forget()
        self._jitted = self._side.jit(self._case.of(self._side.lib))
        return seconds(self.call)

    def compile(self) -> float:
        lowered = self._side.lowered(self._case.of(self._side.lib), self._arrays)
        self._side.forget()
        start = time.perf_counter()
        self._compiled = lowered.compile()
        return time.perf_counter() - start

    def call(self) -> Any:
        return self._side.wait(self._jitted(*self._arrays))

    def memory(self) -> int:
        return sum(self._side.bytes_of(self._compiled).values())


def _rows(case: Case, sides: list[Side], scale: str) -> list[Row]:
    rounds, running = ROUNDS[scale]
    subjects = {side.name: _Subject(case, side, scale) for side in sides}
    first = in_turns({name: s.first_call for name, s in subjects.items()}, rounds)
    agree([anvl.tree.leaves(s.call()) for s in subjects.values()])
    compiling = in_turns({name: s.compile for name, s in subjects.items()}, rounds)
    runs = alternations({name: (s.call, lambda _: None) for name, s in subjects.items()}, running)
    memory = {name: [s.memory()] for name, s in subjects.items()}
    return [
        _row(f"{case.name}: first call", "ms", first, 1e3),
        _row(f"{case.name}: compile", "ms", compiling, 1e3),
        _row(f"{case.name}: run", "us", runs, 1e6, WithinSpread(LIMIT)),
        _row(f"{case.name}: memory", "MB", memory, 1e-6),
    ]


def _row(
    what: str, unit: str, times: dict[str, list[Any]], factor: float, target: Any = None
) -> Row:
    """The medians, and the range of anvl / jax over the rounds."""
    ours, theirs = times["anvl"], times.get("jax")
    spread = None
    if theirs is not None and len(ours) > 1:
        ratios = [a / b for a, b in zip(ours, theirs, strict=True)]
        spread = min(ratios), max(ratios)
    jax = None if theirs is None else median(theirs) * factor
    return Row(what, unit, median(ours) * factor, jax, target, spread=spread)
