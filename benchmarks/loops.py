"""(j) Gradients of loops: the time that they run, and the memory that they take."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

import anvl
from measure import calls_in_turns, medians
from programs import agree
from rows import AtLeastAsFast, AtMost, NoMore, Result, Row
from sides import Side

ROUNDS = {"full": 15, "quick": 7, "tiny": 1}
NOT_LONGER = AtLeastAsFast(1)
NOT_MORE = NoMore()
STEPS = {"full": (1_000, 100_000), "quick": (1_000, 100_000), "tiny": (10, 20)}

INCLUDED = (
    "run: the gradient called with arrays on the device and waited for, call after call; memory: "
    "the temporaries of the compiled program, by its own statistics.  jax has no reverse mode "
    "through the `while`, whose number of steps the program itself finds out"
)


@dataclass(frozen=True)
class Loop:
    """A loss with a loop in it, and the shapes of its arguments, full and tiny."""

    name: str
    make: Callable[[Side, int], Callable[..., Any]]
    shapes: tuple[list[tuple[int, ...]], list[tuple[int, ...]]]
    steps: int

    def arguments(self, scale: str) -> list[np.ndarray]:
        random = np.random.default_rng(0)
        shapes = self.shapes[scale == "tiny"]
        return [0.3 * random.standard_normal(shape, dtype=np.float32) for shape in shapes]


def lstm(side: Side, steps: int) -> Callable[..., Any]:
    """A cell of four gates, over a sequence of vectors."""
    xp = side.numpy

    def sigmoid(x: Any) -> Any:
        return 1.0 / (1.0 + xp.exp(-x))

    def loss(w: Any, u: Any, xs: Any) -> Any:
        size = u.shape[0]

        def step(carry: Any, x: Any) -> Any:
            h, c = carry
            z = x @ w + h @ u
            i, f, o, g = (z[:, k * size : (k + 1) * size] for k in range(4))
            c = sigmoid(f) * c + sigmoid(i) * xp.tanh(g)
            h = sigmoid(o) * xp.tanh(c)
            return (h, c), h

        zero = xp.zeros((xs.shape[1], size), dtype="float32")
        return xp.mean(side.scan(step, (zero, zero), xs)[1] ** 2)

    return loss


def residual(side: Side, steps: int) -> Callable[..., Any]:
    """One layer again and again, by `fori_loop`."""
    xp = side.numpy

    def loss(w: Any, x: Any) -> Any:
        body = lambda i, x: x + (1.0 / steps) * xp.tanh(w @ x)  # noqa: E731
        return xp.sum(side.fori_loop(0, steps, body, x) ** 2)

    return loss


def wave(side: Side, steps: int) -> Callable[..., Any]:
    """An elementwise formula again and again, on many elements."""
    xp = side.numpy

    def loss(x: Any) -> Any:
        body = lambda i, x: x + 0.01 * xp.sin(x) * xp.exp(-x * x)  # noqa: E731
        return xp.sum(side.fori_loop(0, steps, body, x) ** 2)

    return loss


def recurrence(side: Side, steps: int) -> Callable[..., Any]:
    """Many steps on few numbers."""
    xp = side.numpy

    def loss(a: Any, xs: Any) -> Any:
        def step(c: Any, x: Any) -> Any:
            c = xp.tanh(a * c) + x
            return c, c * c

        return xp.sum(side.scan(step, 0.0 * a, xs)[1])

    return loss


def filtered(side: Side, steps: int) -> Callable[..., Any]:
    """A filter with a matrix and a vector as carries."""
    xp = side.numpy

    def loss(a: Any, q: Any, xs: Any) -> Any:
        def step(carry: Any, x: Any) -> Any:
            m, p = carry
            m, p = a @ m, a @ p @ a.T + q @ q.T
            k = p / (1.0 + xp.trace(p))
            m, p = m + k @ (x - m), p - k @ p
            return (m, p), xp.sum((x - m) ** 2)

        return xp.sum(side.scan(step, (0.0 * xs[0], q @ q.T), xs)[1])

    return loss


LOOPS = [
    Loop("LSTM of 64, batch 16, 100 steps", lstm, (
        [(64, 256), (64, 256), (100, 16, 64)], [(2, 8), (2, 8), (3, 2, 2)]), 100),
    Loop("LSTM of 8, batch 1, 100 steps", lstm, (
        [(8, 32), (8, 32), (100, 1, 8)], [(2, 8), (2, 8), (3, 1, 2)]), 100),
    Loop("layer of 64, 100 steps", residual, ([(64, 64), (64,)], [(2, 2), (2,)]), 100),
    Loop("formula on 10,000, 100 steps", wave, ([(10_000,)], [(5,)]), 100),
    Loop("recurrence of 4, 10,000 steps", recurrence, ([(4,), (10_000, 4)], [(2,), (5, 2)]), 0),
    Loop("filter of 8, 200 steps", filtered, (
        [(8, 8), (8, 8), (200, 8)], [(2, 2), (2, 2), (3, 2)]), 0),
]  # fmt: skip


def run(sides: list[Side], scale: str) -> Result:
    result = Result("(j) gradients of loops", INCLUDED)
    for loop in LOOPS:
        result.rows += _rows(loop, sides, scale)
    result.rows += _unknown(sides[0], scale)
    return result


def _rows(loop: Loop, sides: list[Side], scale: str) -> list[Row]:
    calls, bytes_of = {}, {}
    for side in sides:
        arrays = list(map(side.array, loop.arguments(scale)))
        compiled = side.lowered(side.grad(loop.make(side, loop.steps)), arrays).compile()
        bytes_of[side.name] = side.bytes_of(compiled)["temp"]
        calls[side.name] = _call(side, compiled, arrays), _done
    agree([anvl.tree.leaves(call()) for call, _ in calls.values()])
    times = medians(calls_in_turns(calls, ROUNDS[scale]))
    return [
        _row(f"run: {loop.name}", "us", times, 1e6, NOT_LONGER),
        _row(f"memory: {loop.name}", "kB", bytes_of, 1e-3, NOT_MORE),
    ]


def _unknown(side: Any, scale: str) -> list[Row]:
    """The gradient of a `while`, for few steps and for many: time a step, and memory."""
    x = side.array(0.3 * np.ones(8 if scale == "tiny" else 1_000, np.float32))
    rows, first = [], 0.0
    for steps in STEPS[scale]:
        compiled = side.lowered(side.grad(_counted(side, steps)), [x]).compile()
        bytes_ = side.bytes_of(compiled)["temp"]
        calls = {side.name: (_call(side, compiled, [x]), _done)}
        seconds = medians(calls_in_turns(calls, 3 if scale == "full" else 1))[side.name]
        what = f"`while` of 1,000 numbers, {steps:,} steps"
        rows.append(Row(f"run a step: {what}", "us", seconds / steps * 1e6))
        # The first says what the others may take.
        target = AtMost(math.ceil(first * 1e-2) / 10, "kB") if first else None
        rows.append(Row(f"memory: {what}", "kB", bytes_ * 1e-3, target=target))
        first = first or bytes_
    return rows


def _counted(side: Any, steps: int) -> Callable[..., Any]:
    """A loop that ends when a number that each step changes is large enough."""
    xp = side.numpy

    def loss(x: Any) -> Any:
        carry = side.while_loop(
            lambda carry: carry[1] < steps,
            lambda carry: (carry[0] + 1e-6 * xp.sin(carry[0]), carry[1] + 1),
            (x, 0),
        )
        return xp.sum(carry[0])

    return loss


def _call(side: Side, compiled: Any, arrays: list[Any]) -> Callable[[], Any]:
    return lambda: side.wait(compiled(*arrays))


def _done(_: Any) -> None:
    """Every call was waited for."""


def _row(
    what: str, unit: str, numbers: dict[str, float], factor: float, target: AtLeastAsFast | NoMore
) -> Row:
    jax = numbers.get("jax")
    return Row(what, unit, numbers["anvl"] * factor, None if jax is None else jax * factor, target)
