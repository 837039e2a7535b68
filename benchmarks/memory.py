"""(i) The memory of a deep network's gradient, as it is and with its layers computed again."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

import anvl
from measure import calls_in_turns, medians
from programs import agree
from rows import AtMost, Result, Row
from sides import Side

LAYERS = {"full": 24, "quick": 24, "tiny": 3}
WIDTH = {"full": 128, "quick": 128, "tiny": 4}
BATCH = {"full": 2_048, "quick": 2_048, "tiny": 8}
ROUNDS = {"full": 9, "quick": 5, "tiny": 1}
#: A seventh of the temporaries that the full network has by itself.
BUDGET = {"full": "48MiB", "quick": "48MiB", "tiny": "1KiB"}

LESS = AtMost(0.333, "x")
NOT_MUCH_LONGER = AtMost(1.35, "x")

INCLUDED = (
    "24 residual layers of width 128 with 512 hidden units, batch 2,048, f32; memory: arguments, "
    "results and temporaries of the compiled program, by its own statistics; run: the gradient "
    "called with arrays on the device and waited for, in turns with the plain one"
)

#: Of the parameters' size, after donation: nothing but a rounding to pages.
SAVED = AtMost(0.05, "x")

Wrap = Callable[[Any], Any]


def _layer(xp: Any, x: Any, w: Any, v: Any) -> Any:
    h = xp.tanh(x @ w)
    return x + (h * xp.exp(-h * h) + xp.sin(h)) @ v


def _network(side: Side, each: Wrap, whole: Wrap) -> Callable[..., Any]:
    """The loss of the network; `each` is done to a layer, `whole` to all of them."""
    layer = each(partial(_layer, side.numpy))

    def layers(weights: Sequence[tuple[Any, Any]], x: Any) -> Any:
        for w, v in weights:
            x = layer(x, w, v)
        return x

    wrapped = whole(layers)
    return lambda weights, x: side.numpy.mean(wrapped(weights, x) ** 2)


def _ways(side: Side, scale: str) -> dict[str, Callable[..., Any]]:
    """The network as it is, with each layer checkpointed, and, in anvl, with a budget."""
    same: Wrap = lambda f: f  # noqa: E731
    ways = {
        "plain": _network(side, same, same),
        "every layer": _network(side, side.checkpoint, same),
    }
    if side.name == "anvl":
        budget = partial(anvl.checkpoint, budget=BUDGET[scale])
        ways[f"budget of {BUDGET[scale]}"] = _network(side, same, budget)
    return ways


def run(sides: list[Side], scale: str) -> Result:
    result = Result("(i) memory of a network of 24 layers", INCLUDED)
    numbers = _measured(sides, scale)
    for way in _ways(sides[0], scale):
        of = {side.name: numbers.get((side.name, way), (None, None)) for side in sides}
        jax = of.get("jax", (None, None))
        result.rows.append(_row(f"memory, {way}", "MB", of["anvl"][0], jax[0], 1e-6))
        result.rows.append(_row(f"run, {way}", "ms", of["anvl"][1], jax[1], 1e3))
        if way != "plain":
            result.rows += _compared(way, numbers)
    result.rows += _step_rows(sides, scale)
    return result


def _step_rows(sides: list[Side], scale: str) -> list[Row]:
    """A step of gradient descent, with its parameters donated and not."""
    arguments = _arguments(scale)
    parameters = sum(w.nbytes for w in anvl.tree.leaves(arguments[0]))
    of: dict[str, list[float]] = {}
    for side in sides:
        arrays = anvl.tree.map(side.array, arguments)
        step = _step(side)
        of[side.name] = [
            sum(side.bytes_of(side.lowered(step, arrays, donate).compile()).values())
            for donate in ((), (0,))
        ]
    jax = of.get("jax", [None, None])
    kept, given = of["anvl"]
    return [
        _row("memory of a step, parameters kept", "MB", kept, jax[0], 1e-6),
        _row("memory of a step, parameters donated", "MB", given, jax[1], 1e-6),
        Row(
            "parameters that donation does not save",
            "x",
            1 - (kept - given) / parameters,
            None,
            SAVED,
        ),
    ]


def _step(side: Side) -> Callable[..., Any]:
    same: Wrap = lambda f: f  # noqa: E731
    slopes_of = side.grad(_network(side, same, same))

    def step(weights: Any, x: Any) -> Any:
        slopes = slopes_of(weights, x)
        pairs = [zip(*both, strict=True) for both in zip(weights, slopes, strict=True)]
        return [tuple(w - 0.1 * slope for w, slope in pair) for pair in pairs]

    return step


def _compared(way: str, numbers: dict[tuple[str, str], tuple[float, float]]) -> list[Row]:
    """Memory and time in those of the plain network."""
    of = {
        name: [x / plain for x, plain in zip(of_one, numbers[name, "plain"], strict=True)]
        for (name, other), of_one in numbers.items()
        if other == way
    }
    jax = of.get("jax", (None, None))
    return [
        Row(f"memory, {way}, in that of the plain", "x", of["anvl"][0], jax[0], LESS),
        Row(f"run, {way}, in that of the plain", "x", of["anvl"][1], jax[1], NOT_MUCH_LONGER),
    ]


def _measured(sides: list[Side], scale: str) -> dict[tuple[str, str], tuple[float, float]]:
    """For each side and way the bytes, and the seconds of a call."""
    arguments = _arguments(scale)
    calls, bytes_of = {}, {}
    for side in sides:
        arrays = anvl.tree.map(side.array, arguments)
        for way, f in _ways(side, scale).items():
            compiled = side.lowered(side.grad(f), arrays).compile()
            bytes_of[side.name, way] = sum(side.bytes_of(compiled).values())
            calls[side.name, way] = partial(_called, side, compiled, arrays), _done
    agree([anvl.tree.leaves(call()) for call, _ in calls.values()])
    seconds = medians(calls_in_turns(calls, ROUNDS[scale]))
    return {key: (bytes_of[key], seconds[key]) for key in calls}


def _arguments(scale: str) -> tuple[Any, ...]:
    random = np.random.default_rng(0)
    width, batch = WIDTH[scale], BATCH[scale]

    def normal(*shape: int) -> np.ndarray:
        scale = np.float32(shape[0] ** -0.5)
        return scale * random.standard_normal(shape, dtype=np.float32)

    weights = [(normal(width, 4 * width), normal(4 * width, width)) for _ in range(LAYERS[scale])]
    return weights, random.standard_normal((batch, width), dtype=np.float32)


def _called(side: Side, compiled: Any, arrays: Any) -> Any:
    return side.wait(compiled(*arrays))


def _done(_: Any) -> None:
    """Every call was waited for."""


def _row(what: str, unit: str, anvl: float, jax: float | None, factor: float) -> Row:
    return Row(what, unit, anvl * factor, None if jax is None else jax * factor)
