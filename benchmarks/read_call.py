"""(q) Calls of small compiled functions whose results are read at once, each before the next."""

from collections.abc import Callable
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np

import anvl
from measure import calls_in_turns, medians
from programs import agree
from rows import AtLeastAsFast, Result, Row
from sides import Side

ROUNDS = {"full": 31, "quick": 9, "tiny": 2}
WIDTHS = {"full": (32, 64, 64, 1), "quick": (32, 64, 64, 1), "tiny": (2, 3, 1)}
FIRST = 200  # calls before any is measured: anvl watches the first, which program is read

INCLUDED = (
    "f32 arrays on the device; each call is waited for before the next, or its number read by "
    "`float`; the network has layers of 32, 64, 64 and 1, a batch of 32, and its step is that of "
    "gradient descent"
)


def run(sides: list[Side], scale: str) -> Result:
    result = Result("(q) a call whose result is read", INCLUDED)
    cases: dict[str, Callable[[Side], Callable[[], Any]]] = {
        f"{n:,} numbers": partial(_numbers, n=n) for n in (1_000, 3_000, 10_000, 30_000)
    }
    cases |= {f"a product of {n} x {n}": partial(_product, n=n) for n in (32, 64, 128)}
    cases["the loss of a network"] = partial(_network, widths=WIDTHS[scale], steps=False)
    cases["a step of a network, its loss read"] = partial(
        _network, widths=WIDTHS[scale], steps=True
    )
    result.rows += [_row(what, make, sides, ROUNDS[scale]) for what, make in cases.items()]
    return result


def _row(
    what: str, make: Callable[[Side], Callable[[], Any]], sides: list[Side], rounds: int
) -> Row:
    calls = {side.name: make(side) for side in sides}
    agree([anvl.tree.leaves(call()) for call in calls.values()])
    for call in calls.values():
        for _ in range(FIRST):
            call()
    times = medians(calls_in_turns({name: (call, id) for name, call in calls.items()}, rounds))
    jax = times.get("jax")
    return Row(
        what, "us", times["anvl"] * 1e6, None if jax is None else jax * 1e6, AtLeastAsFast(1)
    )


def _numbers(side: Side, n: int) -> Callable[[], Any]:
    xp = side.numpy
    f = side.jit(lambda x: x * xp.tanh(xp.log1p(xp.exp(x))))
    x = side.array(np.random.default_rng(0).normal(size=n).astype(np.float32))
    return lambda: side.wait(f(x))


def _product(side: Side, n: int) -> Callable[[], Any]:
    f = side.jit(lambda x: x @ x)
    x = side.array(np.random.default_rng(0).normal(size=(n, n)).astype(np.float32) / n)
    return lambda: side.wait(f(x))


def _network(side: Side, widths: tuple[int, ...], steps: bool) -> Callable[[], Any]:
    """The loss of a network as a number; with `steps`, each call changes the weights."""
    xp, draw = side.numpy, np.random.default_rng(0)
    weights = [
        side.array(draw.normal(size=shape).astype(np.float32) / shape[0])
        for shape in pairwise(widths)
    ]
    x = side.array(draw.normal(size=(32, widths[0])).astype(np.float32))

    def loss(weights: Any, x: Any) -> Any:
        for w in weights:
            x = xp.tanh(x @ w)
        return xp.mean((x - 0.5) ** 2)

    def stepped(weights: Any, x: Any) -> Any:
        slopes = side.grad(loss)(weights, x)
        return [w - 1e-6 * s for w, s in zip(weights, slopes, strict=True)], loss(weights, x)

    alone, step = side.jit(loss), side.jit(stepped)

    def call() -> float:
        nonlocal weights
        if not steps:
            return float(alone(weights, x))
        weights, found = step(weights, x)
        return float(found)

    return call
