"""Measure what XLA pays for programs that repeat, unrolled and rolled, and fit the model of it.

`python benchmarks/rolling_costs.py --measure` measures the programs of `rolling_programs.py` in a
few minutes, writes `rolling_costs.json` beside this file, and the constants that fit it best into
`passes/rolling/fitted.py`.  Without an option, it prints how much longer programs take to compile
in the ways that the model chooses than in the better ones, and which run longer.

Both ways of a program are measured in turns, in processor time where XLA compiles, and only their
ratio is fitted; so other work on the machine counts little.
"""

import argparse
import json
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import anvl
from anvl.dialect.core.context import context
from anvl.dialect.core.effects import is_dce_able
from anvl.passes.functions.merge_functions import merge_equal
from anvl.passes.functions.symbol_utils import body_of, functions_of
from anvl.passes.rolling import fitted
from anvl.passes.rolling.costs import (
    Features,
    RunFeatures,
    compilation,
    features_of,
    is_compiled_faster,
    is_gradient_in_one_kernel,
    run_features_of,
    why_slower,
)
from anvl.passes.rolling.forms import form_of
from anvl.passes.rolling.items import Block
from anvl.passes.rolling.periods import repeats
from anvl.passes.rolling.stretches import Stretch, linked
from machine import description
from rolling_fit import Pair, excess, fit, text_of
from rolling_programs import FAMILIES, Program

FILE = Path(__file__).with_suffix(".json")
CONSTANTS = Path(fitted.__file__)
LEAST = 4
ROUNDS = 2  # of compiling: the least time counts
RUNS, SECONDS = 60, 0.2  # of running, at most

#: What is asked of a program.
WAYS: dict[str, Callable[..., Any]] = {
    "value": lambda f: f,
    "gradient": anvl.grad,
    "both": anvl.value_and_grad,
}


class Measured(NamedTuple):
    """A program, what the model reads of it, and the times: in ms to compile, in us to run."""

    family: str
    count: int
    size: int
    way: str
    features: Features
    run_features: RunFeatures
    compiled: tuple[float, float]  # unrolled, rolled
    run: tuple[float, float]


def measure() -> Iterator[Measured]:
    """Measure each program of each family."""
    anvl.config.cache = False  # each program is compiled
    for make, counts, sizes in FAMILIES:
        for count in counts:
            for size in sizes:
                read = features_of_program(*make(count, size, 1.0))
                for way in WAYS:
                    times = _times(partial(make, count, size), way)
                    yield Measured(make.__name__, count, size, way, *read, *times)


def features_of_program(
    f: Callable[..., Any], arguments: list[np.ndarray]
) -> tuple[Features, RunFeatures]:
    """Features of the stretch of a program that repeats, which the model reads."""
    module = anvl.jit(f, roll=False).trace(*arguments).program.module.operation
    with context():
        functions = functions_of(module)
        merge_equal(module, functions)
        for function in functions.values():
            body = body_of(function)
            ops = list(body.operations) if body is not None else []
            block = Block(ops, lambda op: is_dce_able(op, functions)) if ops else None
            for run in repeats([item.symbol for item in block.items], LEAST) if block else ():
                stretch = linked(block, run, LEAST)
                if isinstance(stretch, Stretch):
                    read = block, stretch, form_of(block, stretch)
                    return features_of(*read), run_features_of(*read)
    raise ValueError("rolling_costs: nothing repeats in a program; it is to be measured")


def _times(
    make: Callable[[float], Program], way: str
) -> tuple[tuple[float, float], tuple[float, float]]:
    """Least times of compiling, and of running, unrolled and rolled."""
    compiled: tuple[list[float], list[float]] = [], []
    calls: list[Any] = [None, None]
    for turn in range(2 * ROUNDS):
        rolled = turn % 2
        f, arguments = make(1.0 + turn / 1_000)  # a new program, which XLA has not met
        lowered = anvl.jit(WAYS[way](f), roll=bool(rolled)).lower(*arguments)
        begin = time.process_time()
        calls[rolled] = lowered.compile()
        compiled[rolled].append(time.process_time() - begin)
    given = [anvl.device_put(x) for x in arguments]
    times: tuple[list[float], list[float]] = [], []
    begun = time.perf_counter()
    while len(times[1]) < 2 or (len(times[1]) < RUNS and time.perf_counter() - begun < SECONDS):
        for rolled in (0, 1):
            begin = time.perf_counter()
            for _ in range(3):
                anvl.block_until_ready(calls[rolled](*given))
            times[rolled].append((time.perf_counter() - begin) / 3)
    return (
        (min(compiled[0]) * 1e3, min(compiled[1]) * 1e3),
        (min(times[0]) * 1e6, min(times[1]) * 1e6),
    )


def load(path: Path = FILE) -> list[Measured]:
    """The stored measurements."""
    return [
        Measured(
            *line[:4], Features(*line[4]), RunFeatures(*line[5]), tuple(line[6]), tuple(line[7])
        )
        for line in json.loads(path.read_text())["programs"]
    ]


def save(measured: Sequence[Measured], path: Path = FILE) -> None:
    """Store measurements, with where they were made."""
    rounded = [
        [
            *one[:4],
            *map(list, one[4:6]),
            *([float(f"{t:.3g}") for t in pair] for pair in one[6:]),
        ]
        for one in measured
    ]
    lines = ",\n".join("    " + json.dumps(line) for line in rounded)
    head = json.dumps(description())
    path.write_text(f'{{\n  "about": {head},\n  "programs": [\n{lines}\n  ]\n}}\n')


def pairs_of(measured: Sequence[Measured]) -> list[Pair]:
    """Counts that each program pays for compilation, and how much longer it takes unrolled."""
    return [(compilation(one.features), one.compiled[0] / one.compiled[1]) for one in measured]


def fitted_to(measured: Sequence[Measured]) -> dict[str, float]:
    """The constants that fit measurements, in units of an elementwise op that is compiled."""
    return fit(pairs_of(measured), "elementwise")


def slower(measured: Sequence[Measured]) -> list[Measured]:
    """Programs that the model rolls although they then run more than 5 % longer."""
    rolled = [one for one in measured if is_compiled_faster(one.features)]
    rolled = [one for one in rolled if not why_slower(one.features, one.run_features)]
    rolled = [one for one in rolled if not _stays_one_kernel(one)]
    return [one for one in rolled if one.run[1] > 1.05 * one.run[0]]


def _stays_one_kernel(one: Measured) -> bool:
    return one.way == "gradient" and is_gradient_in_one_kernel(one.features, one.run_features)


def main() -> None:
    """Run the command."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--measure", action="store_true", help="measure, and write both files")
    if parser.parse_args().measure:
        found = []
        for one in measure():
            found.append(one)
            print(*one[:4], *one[6:], flush=True)
        save(found)
        constants = fitted_to(load())
        CONSTANTS.write_text(text_of(constants))
        fitted.COMPILATION.update(constants)  # for what follows
    measured = load()
    constants = fitted_to(measured)
    print(
        f"{constants}: {excess(pairs_of(measured), constants):.2f} of the better times to compile"
    )
    for one in slower(measured):
        print(f"runs {one.run[1] / one.run[0]:.2f} of unrolled, and is rolled:", *one[:4], *one[6:])


if __name__ == "__main__":
    main()
