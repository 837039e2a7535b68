"""(h) hessian, vmap(grad) and jacrev: from a Python function to StableHLO, and the result's run.

Also the calls of Python functions that the gradient of a loop takes, which no other process
disturbs.
"""

import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

import anvl
from measure import calls_in_turns, in_turns, median, medians
from programs import agree
from rows import AtLeastAsFast, AtMost, Result, Row
from sides import Side, total

STEPS = {"full": 20, "quick": 20, "tiny": 3}
WIDTH = {"full": 32, "quick": 32, "tiny": 3}
ROUNDS = {"full": (7, 15), "quick": (3, 5), "tiny": (1, 1)}  # of making StableHLO, of running
RUNS = 3  # of one side in a round: a single short one would measure the processor's caches

FASTER = AtLeastAsFast(10)
NOT_LONGER = AtLeastAsFast(1)
FEW_CALLS = AtMost(5_363, "")  # a tenth of November 2026

INCLUDED = (
    "to StableHLO: fresh function objects, 3 runs in a turn, until the MLIR module is in memory; "
    "run: the executable called with arrays on the device and waited for, call after call.  The "
    "functions are of 20 steps on a vector of 32; the batch has 32 of them"
)


@dataclass(frozen=True)
class Steps:
    """A function of a vector and of weights, step by step; it gives a vector."""

    name: str
    step: Callable[[Any, Any, Any], Any]

    def make(self, xp: Any, count: int) -> Callable[..., Any]:
        """A new function."""

        def f(x: Any, w: Any) -> Any:
            for _ in range(count):
                x = x + (1.0 / count) * self.step(xp, x, w)
            return x

        return f


FUNCTIONS = [
    Steps("network", lambda xp, x, w: xp.tanh(w @ x)),
    Steps("elementwise", lambda xp, x, w: xp.sin(x) * xp.exp(-x * x)),
    Steps("neighbours", lambda xp, x, w: xp.concatenate([x[1:] * x[:-1], x[:1]]) / (1.0 + x * x)),
]


def _loss(side: Side, f: Callable[..., Any]) -> Callable[..., Any]:
    return lambda x, w: side.numpy.sum(f(x, w) ** 2)


#: What is made of a function, and whether it takes a batch of vectors.
TRANSFORMS: dict[str, tuple[Callable[[Side, Callable[..., Any]], Callable[..., Any]], bool]] = {
    "hessian": (lambda side, f: side.hessian(_loss(side, f)), False),
    "vmap(grad)": (lambda side, f: side.vmap(side.grad(_loss(side, f)), in_axes=(0, None)), True),
    "jacrev": (lambda side, f: side.jacrev(f), False),
}


def run(sides: list[Side], scale: str) -> Result:
    result = Result("(h) hessian, vmap(grad) and jacrev", INCLUDED)
    for name in TRANSFORMS:
        for function in FUNCTIONS:
            result.rows += _rows(name, function, sides, scale)
    of = {side.name: python_calls(side) for side in sides}
    what = "Python calls of jit(vmap(grad(while_loop)))"
    result.rows.append(Row(what, "", of["anvl"], of.get("jax"), FEW_CALLS))
    return result


def python_calls(side: Side) -> int:
    """Calls of Python functions from the gradient of a loop of three ops to its StableHLO.

    jax has no reverse mode of such a loop: there it is the forward mode.
    """
    xp = side.numpy

    def make() -> Callable[..., Any]:
        def loop(x: Any) -> Any:
            step: Callable[[Any], Any] = lambda c: (xp.sin(c[0]), c[1] + 1.0)  # noqa: E731
            return side.while_loop(lambda c: c[1] < 10.0, step, (x, 0.0))[0]

        return side.vmap(side.slope(loop))

    arguments = [np.ones(4, np.float32)]
    side.lowered(make(), arguments)
    count = 0

    def note(frame: Any, event: str, argument: Any) -> None:
        nonlocal count
        count += event == "call"

    f = make()
    sys.setprofile(note)
    try:
        side.lowered(f, arguments)
    finally:
        sys.setprofile(None)
    return count


def _rows(name: str, function: Steps, sides: list[Side], scale: str) -> list[Row]:
    transform, is_batch = TRANSFORMS[name]
    making, running = ROUNDS[scale]
    arguments = _arguments(WIDTH[scale], is_batch)

    def new(side: Side) -> Callable[..., Any]:
        return transform(side, function.make(side.numpy, STEPS[scale]))

    def made(side: Side) -> float:
        functions = [new(side) for _ in range(RUNS)]
        return median([total(side.stages(f, arguments)) for f in functions])

    made_in = medians(in_turns({side.name: partial(made, side) for side in sides}, making))
    calls = {side.name: (_call(side, new(side), arguments), _done) for side in sides}
    agree([anvl.tree.leaves(call()) for call, _ in calls.values()])
    run_in = medians(calls_in_turns(calls, running))
    return [
        _row(f"{name}, {function.name}", "ms", made_in, 1e3, FASTER),
        _row(f"run: {name}, {function.name}", "us", run_in, 1e6, NOT_LONGER),
    ]


def _arguments(width: int, is_batch: bool) -> list[np.ndarray]:
    random = np.random.default_rng(0)
    shape = (width, width) if is_batch else (width,)
    weights = random.standard_normal((width, width), dtype=np.float32) / np.float32(width**0.5)
    return [random.standard_normal(shape, dtype=np.float32), weights]


def _call(side: Side, f: Callable[..., Any], arguments: list[np.ndarray]) -> Callable[[], Any]:
    arrays = list(map(side.array, arguments))
    compiled = side.lowered(f, arrays).compile()
    return lambda: side.wait(compiled(*arrays))


def _done(_: Any) -> None:
    """Every call was waited for."""


def _row(
    what: str, unit: str, times: dict[str, float], factor: float, target: AtLeastAsFast
) -> Row:
    jax = times.get("jax")
    return Row(what, unit, times["anvl"] * factor, None if jax is None else jax * factor, target)
