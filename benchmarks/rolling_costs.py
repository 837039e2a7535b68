"""Measure what XLA pays for programs that repeat, unrolled and rolled, and fit the model of it.

`python benchmarks/rolling_costs.py --measure` writes `rolling_costs.json` beside this file, in a
quarter of an hour.  Without an option, the constants of `passes/rolling/costs.py` are printed, and
those that fit the file best; and for both how much longer programs take to compile in the way that
the model chooses than in the better one.  Times are of the processor, measured in turns, so that
other work on the machine counts little; compare only measurements of one file.
"""

import argparse
import json
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from scipy.optimize import nnls

import anvl
import anvl.numpy as xp
from anvl.dialect.core.context import context
from anvl.dialect.core.effects import is_dce_able
from anvl.passes.functions.symbol_utils import body_of, functions_of
from anvl.passes.rolling import costs
from anvl.passes.rolling.costs import Features, features_of
from anvl.passes.rolling.forms import form_of
from anvl.passes.rolling.items import Block
from anvl.passes.rolling.periods import repeats
from anvl.passes.rolling.stretches import Stretch, linked
from machine import description

FILE = Path(__file__).with_suffix(".json")
#: The constants of the model, besides that of an elementwise op, which is 1.
NAMES = ("KERNEL", "CHEAP", "PART", "ROW", "LOOP")
LEAST = 4
ROUNDS = 2  # of compiling: the least time counts
RUNS = 12

Program = tuple[Callable[..., Any], list[np.ndarray]]


def _numbers(*shape: int) -> np.ndarray:
    return np.random.default_rng(0).standard_normal(shape, dtype=np.float32)


def sines(count: int, size: int, c: float) -> Program:
    """Elementwise steps that take time."""

    def f(x: Any) -> Any:
        for _ in range(count):
            x = xp.sin(x) * c + xp.cos(x)
        return xp.sum(x)

    return f, [_numbers(size)]


def polynomials(count: int, size: int, c: float) -> Program:
    """Elementwise steps that take none."""

    def f(x: Any) -> Any:
        for _ in range(count):
            x = x * c + 0.1
        return xp.sum(x)

    return f, [_numbers(size)]


def terms(count: int, size: int, c: float) -> Program:
    """Terms of a sum, with a number each."""

    def f(x: Any) -> Any:
        total = 0.0
        for i in range(count):
            total = total + xp.sin(x * (c * i)) * xp.exp(-x * x * i)
        return xp.sum(total)

    return f, [_numbers(size)]


def products(count: int, size: int, c: float) -> Program:
    """Contractions with one matrix."""

    def f(x: Any, w: Any) -> Any:
        for _ in range(count):
            x = xp.tanh(w @ x) * c
        return xp.sum(x)

    return f, [_numbers(size), _numbers(size, size) / np.float32(size**0.5)]


def layers(count: int, size: int, c: float) -> Program:
    """Contractions with a matrix each, which are arguments."""

    def f(x: Any, *weights: Any) -> Any:
        for w in weights:
            x = xp.tanh(x @ w) * c
        return xp.sum(x)

    weights = [_numbers(size, size) / np.float32(size**0.5) for _ in range(count)]
    return f, [_numbers(16, size), *weights]


def reductions(count: int, size: int, c: float) -> Program:
    """Steps with a reduction, whose result is spread again."""

    def f(x: Any) -> Any:
        for _ in range(count):
            x = x - c * xp.mean(x * x)
        return xp.sum(x)

    return f, [_numbers(size)]


def moves(count: int, size: int, c: float) -> Program:
    """Steps with ops that move elements."""

    def f(x: Any) -> Any:
        for _ in range(count):
            x = xp.concatenate([x[1:], x[:1]]) * c + x[::-1]
        return xp.sum(x)

    return f, [_numbers(size)]


def rows(count: int, size: int, c: float) -> Program:
    """Steps of which all values are read behind them."""

    def f(x: Any) -> Any:
        total = xp.zeros_like(x)
        seen = []
        for _ in range(count):
            x = xp.sin(x) * c + xp.cos(x)
            seen.append(x)
        for i, y in enumerate(seen):
            total = total + y if i % 2 else total * y
        return xp.sum(total)

    return f, [_numbers(size)]


#: Families, with the numbers of steps and the sizes of arrays.
FAMILIES: list[tuple[Callable[[int, int, float], Program], Sequence[int], Sequence[int]]] = [
    (sines, (10, 40), (1, 1_000, 20_000)),
    (polynomials, (20, 80), (1, 1_000)),
    (terms, (20, 60), (1, 1_000)),
    (products, (10, 30), (8, 64, 256)),
    (layers, (10, 30), (8, 64)),
    (reductions, (10, 40), (10, 1_000, 20_000)),
    (moves, (10, 40), (1_000,)),
    (rows, (10, 30), (1_000,)),
]


class Measured(NamedTuple):
    """A program, what the model reads of it, and the times: in ms to compile, in us to run."""

    family: str
    count: int
    size: int
    is_gradient: bool
    features: Features
    compiled: tuple[float, float]  # unrolled, rolled
    run: tuple[float, float]


# -- measuring -------------------------------------------------------------------------------------


def measure() -> Iterator[Measured]:
    anvl.config.cache = False  # each program is compiled
    for make, counts, sizes in FAMILIES:
        for count in counts:
            for size in sizes:
                read = _features(*make(count, size, 1.0))
                if read is None:
                    continue
                for is_gradient in (False, True):
                    times = _times(make, count, size, is_gradient)
                    yield Measured(make.__name__, count, size, is_gradient, read, *times)


def _features(f: Callable[..., Any], arguments: list[np.ndarray]) -> Features | None:
    """Features of the stretch of a program that saves the most."""
    module = anvl.jit(f, roll=False).trace(*arguments).program.module.operation
    with context():
        functions = functions_of(module)
        for function in functions.values():
            body = body_of(function)
            ops = list(body.operations) if body is not None else []
            block = Block(ops, lambda op: is_dce_able(op, functions)) if ops else None
            for run in repeats([item.symbol for item in block.items], LEAST) if block else ():
                stretch = linked(block, run, LEAST)
                if isinstance(stretch, Stretch):
                    return features_of(block, stretch, form_of(block, stretch))
    return None


def _times(
    make: Callable[[int, int, float], Program], count: int, size: int, is_gradient: bool
) -> tuple[tuple[float, float], tuple[float, float]]:
    """Least times of compiling, and of running, unrolled and rolled."""
    compiled: tuple[list[float], list[float]] = [], []
    calls: list[Any] = [None, None]
    for turn in range(ROUNDS):
        for way in (0, 1) if turn % 2 else (1, 0):
            f, arguments = make(count, size, 1.0 + (turn + ROUNDS * way) / 1_000)  # a new program
            wanted = anvl.grad(f) if is_gradient else f
            lowered = anvl.jit(wanted, roll=bool(way)).lower(*arguments)
            begin = time.process_time()
            calls[way] = lowered.compile()
            compiled[way].append(time.process_time() - begin)
    given = [anvl.device_put(x) for x in arguments]
    times: tuple[list[float], list[float]] = [], []
    for turn in range(RUNS):
        for way in (0, 1) if turn % 2 else (1, 0):
            begin = time.process_time()
            for _ in range(3):
                np.asarray(calls[way](*given))
            times[way].append((time.process_time() - begin) / 3)
    return (
        (min(compiled[0]) * 1e3, min(compiled[1]) * 1e3),
        (min(times[0]) * 1e6, min(times[1]) * 1e6),
    )


# -- fitting ---------------------------------------------------------------------------------------


def fit(measured: Sequence[Measured]) -> dict[str, float]:
    """The constants of the model, in units of an elementwise op that is compiled."""
    unit, *others = nnls(*_equations(measured))[0]  # none is negative
    return {name: float(f"{x / unit:.2g}") for name, x in zip(NAMES, others, strict=True)}


def excess(measured: Sequence[Measured], constants: dict[str, float]) -> float:
    """How much longer programs take to compile in the chosen way than in the better one.

    The geometric mean of the ratios; 1 is a model that is always right.
    """
    signs = np.array([1, *(constants[name] for name in NAMES)])
    ratios = []
    for one in measured:
        is_rolled = _counted(one.features) @ signs > 0
        ratios.append(one.compiled[int(is_rolled)] / min(one.compiled))
    return float(np.exp(np.log(ratios).mean()))


def _counted(read: Features) -> np.ndarray:
    """How often rolling saves or costs each constant; the first is 1."""
    fewer = read.repetitions - 1
    saved = [fewer * n for n in (read.elementwise, read.kernels, read.cheap)]
    return np.array([*saved, -read.parts, -read.rows, -1.0])


def _equations(measured: Sequence[Measured]) -> tuple[np.ndarray, np.ndarray]:
    """Equations for the constants: what each program saves by rolling is a sum of them.

    Times vary by a part of themselves, and long ones matter more: each is divided by its root.
    """
    lines, saved = [], []
    for one in measured:
        unrolled, rolled = one.compiled
        weight = (unrolled + rolled) ** -0.5
        lines.append(_counted(one.features) * weight)
        saved.append((unrolled - rolled) * weight)
    return np.array(lines), np.array(saved)


# -- the file --------------------------------------------------------------------------------------


def load(path: Path = FILE) -> list[Measured]:
    data = json.loads(path.read_text())
    return [
        Measured(*line[:4], Features(*line[4]), tuple(line[5]), tuple(line[6]))
        for line in data["programs"]
    ]


def save(measured: Sequence[Measured], path: Path = FILE) -> None:
    rounded = [
        [*one[:4], list(one.features), *([float(f"{t:.3g}") for t in pair] for pair in one[5:])]
        for one in measured
    ]
    lines = ",\n".join("    " + json.dumps(line) for line in rounded)
    head = json.dumps(description())
    path.write_text(f'{{\n  "about": {head},\n  "programs": [\n{lines}\n  ]\n}}\n')


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--measure", action="store_true", help="measure, and write the file")
    if parser.parse_args().measure:
        found = []
        for one in measure():
            found.append(one)
            print(*one[:4], *one[5:], flush=True)
        save(found)
    measured = load()
    held, fitted = {name: getattr(costs, f"_{name}") for name in NAMES}, fit(measured)
    for title, constants in (("held", held), ("fitted", fitted)):
        print(f"{title}: {constants}; {excess(measured, constants):.2f} of the better times")


if __name__ == "__main__":
    main()
