"""(a) From a Python function to StableHLO of its gradient, for programs of growing length."""

from functools import partial
from itertools import chain
from typing import Any

import anvl
from measure import in_turns, median, median_stages
from programs import UNROLLED, Program, agree
from rows import AtLeastAsFast, AtMost, Result, Row
from sides import Side, Stages

SIZES = {"full": (100, 1_000, 10_000), "quick": (100, 1_000), "tiny": (24,)}
#: By size: the rounds, and the runs of one side in a round.  A single short run would measure how
#: long the processor takes to load the code again that the other side has just displaced.
ROUNDS = {100: (7, 10), 1_000: (7, 2), 10_000: (3, 1), 24: (1, 2)}
MOST_COMPARED = 1_000  # ops; XLA needs too long for longer gradients

FASTER = AtLeastAsFast(10)
LINEAR = AtMost(11, "x")  # ten times the ops

INCLUDED = (
    "fresh function objects in each run, so both sides trace anew; what jax keeps for its own "
    "inner functions stays warm (clearing it costs jax 0 to 20 %).  Programs of 100 ops run 10 "
    "times in a turn, longer ones less often.  Time ends with the MLIR module in memory; "
    "`serialize`, to a portable artifact, is listed apart and not in the total.  Growth compares "
    "the shortest runs, because the sizes are not measured in turns"
)


def run(sides: list[Side], scale: str) -> Result:
    result = Result("(a) Python function to StableHLO of its gradient", INCLUDED)
    for program in UNROLLED:
        rows = {size: _row(program, size, sides) for size in SIZES[scale]}
        result.rows += [*rows.values(), *_linearity(program, rows)]
    return result


def _row(program: Program, size: int, sides: list[Side]) -> Row:
    arguments = program.arguments()
    details: dict[str, Any] = {"ops": count_ops(program, size)}
    if size <= MOST_COMPARED:
        details["difference"] = _compare(program, size, sides, arguments)
    runs = _runs(program, size, sides, arguments)
    totals = {name: median([_total(run) for run in of_side]) for name, of_side in runs.items()}
    for name, of_side in runs.items():
        details[f"{name} stages, us/op"] = {
            stage: round(seconds / size * 1e6, 3)
            for stage, seconds in median_stages(of_side).items()
        }
        details[f"{name} shortest, ms"] = min(map(_total, of_side)) * 1e3
    what = f"{program.name}, {size:,} ops"
    return Row(what, "ms", totals["anvl"] * 1e3, _ms(totals.get("jax")), FASTER, details)


def _runs(
    program: Program, size: int, sides: list[Side], arguments: tuple[Any, ...]
) -> dict[str, list[Stages]]:
    """The stages of every run, by side."""
    rounds, count = ROUNDS[size]

    def several(side: Side) -> list[Stages]:
        functions = [program.make(side.numpy, size) for _ in range(count)]
        return [side.gradient_stages(f, arguments) for f in functions]

    turns = in_turns({side.name: partial(several, side) for side in sides}, rounds)
    return {name: list(chain.from_iterable(of_side)) for name, of_side in turns.items()}


def _total(stages: dict[str, float]) -> float:
    return sum(stages.values()) - stages["serialize"]


def _ms(seconds: float | None) -> float | None:
    return None if seconds is None else seconds * 1e3


def _compare(program: Program, size: int, sides: list[Side], arguments: tuple[Any, ...]) -> float:
    """Run the gradient on every side."""
    gradients = [
        anvl.tree.leaves(side.jit(side.grad(program.make(side.numpy, size)))(*arguments))
        for side in sides
    ]
    return agree(gradients)


def count_ops(program: Program, size: int) -> int:
    """The ops that anvl traces for the function itself; literals and the return are none."""
    traced = anvl.jit(program.make(anvl.numpy, size)).trace(*program.arguments())
    main = next(iter(traced.program.module.body.operations))
    names = [op.operation.name for op in main.operation.regions[0].blocks[0].operations]
    return sum(name not in ("anvl.constant", "func.return") for name in names)


def _linearity(program: Program, rows: dict[int, Row]) -> list[Row]:
    small, large = 1_000, 10_000
    if small not in rows or large not in rows:
        return []
    growth = {
        side: rows[large].details[key] / rows[small].details[key]
        for side in ("anvl", "jax")
        if (key := f"{side} shortest, ms") in rows[small].details
    }
    what = f"{program.name}, time of {large:,} ops in times of {small:,}"
    return [Row(what, "x", growth["anvl"], growth.get("jax"), LINEAR)]
