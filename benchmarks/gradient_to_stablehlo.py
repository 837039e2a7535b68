"""(a) From a Python function to StableHLO of its gradient, for programs of growing length."""

import resource
import time
from collections.abc import Sequence
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any

import anvl
from measure import in_turns, median, median_stages, no_garbage_collection
from programs import UNROLLED, Program, agree
from rows import AtLeastAsFast, AtMost, Result, Row
from sides import Side, Stages, total

SIZES = {"full": (100, 1_000, 10_000), "quick": (100, 1_000), "tiny": (24,)}
ROUNDS = {"full": 5, "quick": 3, "tiny": 1}
#: The runs of one side in a round, by size.  A single short run would measure how long the
#: processor takes to load the code again that the other side has just displaced.
RUNS = {100: 12, 1_000: 3, 10_000: 1, 24: 2}
MOST_COMPARED = 1_000  # ops; XLA needs too long for longer gradients

FASTER = AtLeastAsFast(10)
LINEAR = AtMost(11, "x")  # ten times the ops
SMALL = AtMost(5, "kB")
TRACED = {"full": 10_000, "quick": 10_000, "tiny": 24}

INCLUDED = (
    "fresh function objects in each run, so both sides trace anew; what jax keeps for its own "
    "inner functions stays warm (clearing it costs jax 0 to 20 %).  A turn is 12 runs of 100 ops, "
    "3 of 1,000, 1 of 10,000.  Time ends with the MLIR module in memory; `serialize`, to a "
    "portable artifact, is listed apart and not in the total"
)

#: The stages of all runs of one round.
Turn = list[Stages]


def run(sides: list[Side], scale: str) -> Result:
    result = Result("(a) Python function to StableHLO of its gradient", INCLUDED)
    for program in UNROLLED:
        sizes = SIZES[scale]
        differences = {n: _compare(program, n, sides) for n in sizes if n <= MOST_COMPARED}
        turns = _turns(program, sizes, sides, ROUNDS[scale])
        result.rows += [_row(program, n, turns, differences.get(n)) for n in sizes]
        result.rows += _growth(program, turns)
    result.rows += _trace_rows(scale)
    return result


def _trace_rows(scale: str) -> list[Row]:
    """Processor time to trace ten times as many ops, and the memory of one of them."""
    program, size = UNROLLED[1], TRACED[scale]
    arguments = program.arguments()

    def traced(count: int) -> tuple[float, int]:
        f = anvl.jit(program.make(anvl.numpy, count))
        with no_garbage_collection():
            memory, start = _memory(), time.process_time()
            program_of_f = f.trace(*arguments)
            seconds, grown = time.process_time() - start, _memory() - memory
        del program_of_f
        return seconds, grown

    runs = [(traced(size), traced(10 * size)) for _ in range(ROUNDS[scale])]
    growth = median([long[0] / short[0] for short, long in runs])
    an_op = max(long[1] for _, long in runs) / (10 * size) / 1e3
    return [
        Row(f"trace, time of {10 * size:,} ops in times of {size:,}", "x", growth, None, LINEAR),
        Row(f"trace, memory of one of {10 * size:,} ops", "kB", an_op, None, SMALL),
    ]


def _memory() -> int:
    """Bytes of memory that this process holds, by Linux; 0 elsewhere."""
    try:
        pages = int(Path("/proc/self/statm").read_text().split()[1])
    except OSError:
        return 0
    return pages * resource.getpagesize()


def _turns(
    program: Program, sizes: Sequence[int], sides: list[Side], rounds: int
) -> dict[tuple[str, int], list[Turn]]:
    """For each side and size, its turns; a round has one of each."""
    arguments = program.arguments()

    def turn(side: Side, size: int) -> Turn:
        functions = [program.make(side.numpy, size) for _ in range(RUNS[size])]
        return [side.stages(side.grad(f), arguments) for f in functions]

    jobs = {(side.name, size): partial(turn, side, size) for size in sizes for side in sides}
    return in_turns(jobs, rounds)


def _row(
    program: Program,
    size: int,
    turns: dict[tuple[str, int], list[Turn]],
    difference: float | None,
) -> Row:
    details: dict[str, Any] = {"ops": count_ops(program, size), "difference": difference}
    totals = {}
    for (name, of_size), of_side in turns.items():
        if of_size == size:
            runs = list(chain.from_iterable(of_side))
            totals[name] = median([total(run) for run in runs]) * 1e3
            details[f"{name} stages, us/op"] = {
                stage: round(seconds / size * 1e6, 3)
                for stage, seconds in median_stages(runs).items()
            }
    what = f"{program.name}, {size:,} ops"
    return Row(what, "ms", totals["anvl"], totals.get("jax"), FASTER, details)


def _growth(program: Program, turns: dict[tuple[str, int], list[Turn]]) -> list[Row]:
    """How many times as long ten times the ops take: the median over the rounds."""
    small, large = 1_000, 10_000
    growth = {
        side: median(
            [
                median([total(run) for run in long]) / median([total(run) for run in short])
                for short, long in zip(turns[side, small], turns[side, large], strict=True)
            ]
        )
        for side in ("anvl", "jax")
        if (side, small) in turns and (side, large) in turns
    }
    if not growth:
        return []
    what = f"{program.name}, time of {large:,} ops in times of {small:,}"
    return [Row(what, "x", growth["anvl"], growth.get("jax"), LINEAR)]


def _compare(program: Program, size: int, sides: list[Side]) -> float:
    """Run the gradient on every side: how much they differ."""
    arguments = program.arguments()
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
