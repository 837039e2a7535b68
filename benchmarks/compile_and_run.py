"""(e) What XLA makes of a gradient: the time it compiles, and the time the result runs."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

import anvl
from measure import calls_in_turns, in_turns, medians, seconds
from programs import agree
from rows import AtLeastAsFast, Result, Row
from sides import Side

ROUNDS = {"full": (7, 15), "quick": (3, 7), "tiny": (1, 1)}  # of compiling, of running

NOT_LONGER = AtLeastAsFast(1)

INCLUDED = (
    "compile: StableHLO in memory to an executable, the module made anew in each round; run: the "
    "executable called with arrays on the device and waited for, call after call"
)


@dataclass(frozen=True)
class Loss:
    """A program as people write them; arguments of realistic and of tiny sizes."""

    name: str
    make: Callable[[Any], Callable[..., Any]]
    shapes: dict[str, list[tuple[int, ...]]]

    def arguments(self, scale: str) -> list[np.ndarray]:
        random = np.random.default_rng(0)
        shapes = self.shapes["tiny" if scale == "tiny" else "full"]
        return [0.1 * random.standard_normal(shape, dtype=np.float32) for shape in shapes]


def classifier(xp: Any) -> Callable[..., Any]:
    """Two layers and the cross entropy."""

    def loss(w1: Any, w2: Any, x: Any, targets: Any) -> Any:
        logits = xp.tanh(x @ w1) @ w2
        logits = logits - xp.max(logits, axis=1, keepdims=True)
        normalizer = xp.log(xp.sum(xp.exp(logits), axis=1, keepdims=True))
        return -xp.mean(targets * (logits - normalizer))

    return loss


def attention(xp: Any) -> Callable[..., Any]:
    """Softmax attention of one sequence, several heads."""

    def loss(q: Any, k: Any, v: Any) -> Any:
        scores = q @ xp.swapaxes(k, 1, 2) * 0.125
        weights = xp.exp(scores - xp.max(scores, axis=2, keepdims=True))
        weights = weights / xp.sum(weights, axis=2, keepdims=True)
        return xp.sum((weights @ v) ** 2)

    return loss


def elementwise(xp: Any) -> Callable[..., Any]:
    """A formula on many elements: as fast as memory, if it is fused."""

    def loss(x: Any, y: Any) -> Any:
        z = xp.sin(x) * xp.exp(-y * y) + xp.log1p(x * x)
        return xp.mean(xp.tanh(z) * xp.sqrt(y * y + 1.0))

    return loss


LOSSES = [
    Loss("two-layer classifier, batch 256", classifier, {
        "full": [(784, 256), (256, 10), (256, 784), (256, 10)],
        "tiny": [(4, 3), (3, 2), (5, 4), (5, 2)],
    }),
    Loss("attention, 8 heads of 128 x 64", attention, {
        "full": [(8, 128, 64)] * 3,
        "tiny": [(2, 3, 4)] * 3,
    }),
    Loss("elementwise formula, 1,000,000", elementwise, {
        "full": [(1_000_000,)] * 2,
        "tiny": [(5,)] * 2,
    }),
]  # fmt: skip


def run(sides: list[Side], scale: str) -> Result:
    result = Result("(e) XLA's compile time and run time of gradients", INCLUDED)
    for loss in LOSSES:
        result.rows += _rows(loss, sides, scale)
    return result


def _rows(loss: Loss, sides: list[Side], scale: str) -> list[Row]:
    compiling, running = ROUNDS[scale]
    arguments = {side.name: list(map(side.array, loss.arguments(scale))) for side in sides}
    compile_times = medians(
        in_turns(
            {s.name: lambda s=s: _compile_seconds(s, loss, arguments[s.name]) for s in sides},
            compiling,
        )
    )
    calls = {
        s.name: (_call(s, _lowered(s, loss, arguments[s.name]).compile(), arguments[s.name]), _done)
        for s in sides
    }
    agree([anvl.tree.leaves(call()) for call, _ in calls.values()])
    run_times = medians(calls_in_turns(calls, running))
    return [
        _row(f"compile: {loss.name}", "ms", compile_times, 1e3),
        _row(f"run: {loss.name}", "us", run_times, 1e6),
    ]


def _row(what: str, unit: str, times: dict[str, float], factor: float) -> Row:
    jax = times.get("jax")
    return Row(
        what, unit, times["anvl"] * factor, None if jax is None else jax * factor, NOT_LONGER
    )


def _compile_seconds(side: Side, loss: Loss, arguments: list[Any]) -> float:
    lowered = _lowered(side, loss, arguments)
    side.forget()
    return seconds(lowered.compile)


def _lowered(side: Side, loss: Loss, arguments: list[Any]) -> Any:
    """The gradient in StableHLO, of a new function, with respect to the first argument."""
    return side.lowered(side.grad(loss.make(side.numpy)), arguments)


def _call(side: Side, compiled: Any, arguments: list[Any]) -> Callable[[], Any]:
    return lambda: side.wait(compiled(*arguments))


def _done(_: Any) -> None:
    """Every call was waited for."""
