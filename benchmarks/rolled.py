"""(l) Loops of Python's, value and gradient: the time to the first number, and of a run."""

import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

import anvl
from measure import alternations, in_turns, median
from programs import agree
from rows import AtLeastAsFast, AtMost, Result, Row
from sides import Side

ROUNDS = {"full": (3, 30), "quick": (1, 10), "tiny": (1, 1)}  # of first calls, of runs
SIZES = {"full": 1, "quick": 1, "tiny": 10}  # how many times fewer repetitions

INCLUDED = (
    "first: the first call of a new jitted function, with tracing, lowering and compiling, after "
    "one of a third of its size; medians of three; run: the gradient called with arrays on the "
    "device and waited for, call after call, as it is by default beside the same unrolled "
    "(`roll=False`), medians of five groups of rounds, of which each gives its least"
)

_Made = tuple[Callable[..., Any], list[np.ndarray]]


def terms(side: Side, part: int) -> _Made:
    """A sum of 300 terms with numbers of their own."""
    xp = side.numpy

    def f(a: Any, b: Any) -> Any:
        total = 0.0
        for i in range(300 // part):
            t = 0.01 * i
            total = total + xp.sin(a * t) * xp.exp(-b * t**2)
        return total

    return f, [np.float32(1.0), np.float32(2.0)]


def n_body(side: Side, part: int) -> _Made:
    """20 bodies, 20 steps of the Runge-Kutta method of order 4."""
    xp, h = side.numpy, 0.01

    def force(x: Any) -> Any:
        d = x[None, :, :] - x[:, None, :]
        r2 = xp.sum(d * d, axis=-1) + 0.01
        return xp.sum(d * (r2**-1.5)[:, :, None], axis=1)

    def f(x: Any, v: Any) -> Any:
        for _ in range(20 // part):
            k1, l1 = v, force(x)
            k2, l2 = v + h / 2 * l1, force(x + h / 2 * k1)
            k3, l3 = v + h / 2 * l2, force(x + h / 2 * k2)
            k4, l4 = v + h * l3, force(x + h * k3)
            x = x + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
            v = v + h / 6 * (l1 + 2 * l2 + 2 * l3 + l4)
        return xp.sum(x * x)

    return f, _normal((20, 3), (20, 3))


def elementwise(side: Side, part: int) -> _Made:
    """200 elementwise steps on 1,000 numbers."""
    xp = side.numpy

    def f(x: Any) -> Any:
        for _ in range(200 // part):
            x = xp.sin(x) * 1.01 + xp.cos(x * 0.3) * 0.1
        return xp.sum(x)

    return f, _normal((1_000,))


def adam(side: Side, part: int) -> _Made:
    """20 steps of Adam, with a gradient in each."""
    xp = side.numpy

    def loss(p: Any, x: Any, y: Any) -> Any:
        return xp.mean((xp.tanh(x @ p) - y) ** 2)

    def f(p: Any, x: Any, y: Any) -> Any:
        m = v = xp.zeros_like(p)
        for i in range(20 // part):
            g = side.grad(loss)(p, x, y)
            m = 0.9 * m + 0.1 * g
            v = 0.999 * v + 0.001 * g * g
            rate, scale = 0.1 / (1 - 0.9 ** (i + 1)), 1 - 0.999 ** (i + 1)
            p = p - rate * m / (xp.sqrt(v / scale) + 1e-8)
        return loss(p, x, y)

    return f, _normal((10,), (64, 10), (64,))


def recurrent(side: Side, part: int) -> _Made:
    """A recurrent net of 64 units, 50 steps."""
    xp = side.numpy

    def f(w: Any, u: Any, xs: Any) -> Any:
        state = xp.zeros(64, dtype="float32")
        for i in range(50 // part):
            state = xp.tanh(0.1 * w @ state + 0.1 * u @ xs[i])
        return xp.sum(state * state)

    return f, _normal((64, 64), (64, 32), (50, 32))


def layers(side: Side, part: int) -> _Made:
    """100 dense layers of 64, a weight each: contractions that are not worth a loop."""
    xp, count = side.numpy, 100 // part

    def f(x: Any, *weights: Any) -> Any:
        for w in weights:
            x = xp.tanh(0.1 * x @ w)
        return xp.sum(x * x)

    return f, _normal((32, 64), *[(64, 64)] * count)


#: Programs, with how much faster than jax the first gradient is to be there.
PROGRAMS: Sequence[tuple[Callable[[Side, int], _Made], float]] = (
    (terms, 20),
    (n_body, 20),
    (elementwise, 1 / 0.15),
    (adam, 4),
    (recurrent, 1),
    (layers, 1),
)


def run(sides: list[Side], scale: str) -> Result:
    result = Result("(l) loops of Python's", INCLUDED)
    rounds, running = ROUNDS[scale]
    for make, times in PROGRAMS:
        what = (make.__doc__ or "").partition(":")[0].rstrip(".")
        jobs = {side.name: partial(_first, side, make, SIZES[scale]) for side in sides}
        first = in_turns(jobs, rounds)
        agree([calls[0][1] for calls in first.values()])
        took = {name: median([seconds for seconds, _ in calls]) for name, calls in first.items()}
        jax = took["jax"] * 1e3 if "jax" in took else None
        row = Row(f"{what}: first", "ms", took["anvl"] * 1e3, jax, AtLeastAsFast(times))
        result.rows += [row, _run_row(what, sides[0], make, SIZES[scale], running)]
    return result


def _first(side: Side, make: Callable[[Side, int], _Made], part: int) -> tuple[float, list[Any]]:
    """Seconds to the first value and gradient by the first argument, and these."""
    side.forget()
    took, found = 0.0, []
    for of_it in (
        3 * part,
        part,
    ):  # a third of it before: both sides have then loaded what they need
        f, arrays = make(side, of_it)
        args = [side.array(x) for x in arrays]
        both = side.jit(lambda *xs, f=f: (f(*xs), side.grad(f)(*xs)))
        start = time.perf_counter()
        found = list(side.wait(both(*args)))
        took = time.perf_counter() - start
    return took, found


def _run_row(
    what: str, side: Side, make: Callable[[Side, int], _Made], part: int, rounds: int
) -> Row:
    f, arrays = make(side, part)
    args = [side.array(x) for x in arrays]
    calls: dict[str, tuple[Callable[[], Any], Callable[[Any], Any]]] = {}
    for name, roll in (("rolled", "auto"), ("unrolled", False)):
        g: Any = anvl.jit(anvl.grad(f), roll=roll)
        calls[name] = (lambda g=g: g(*args)), side.wait
    times = alternations(calls, rounds)
    ratios = [a / b for a, b in zip(times["rolled"], times["unrolled"], strict=True)]
    details = {name: median(t) * 1e6 for name, t in times.items()}
    what = f"{what}: run, in times of unrolled"
    return Row(what, "x", median(ratios), None, AtMost(1.05, "x"), details)


def _normal(*shapes: tuple[int, ...]) -> list[np.ndarray]:
    random = np.random.default_rng(0)
    return [random.standard_normal(shape, dtype=np.float32) for shape in shapes]
