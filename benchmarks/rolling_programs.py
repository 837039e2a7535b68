"""Families of programs that repeat, of which `rolling_costs.py` measures what rolling saves.

Each separates a kind of op or of link that the model of the cost prices: Note [Cost of repetition]
in `passes/rolling/costs.py`.
"""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

import anvl
import anvl.numpy as xp

__all__ = ["FAMILIES", "Family", "Program"]

#: A function, which is new in each measurement by a number in it, and its arguments.
Program = tuple[Callable[..., Any], list[np.ndarray]]


class Family(NamedTuple):
    """Programs of a number of steps on arrays of a size.

    Attributes
    ----------
    make : callable
        From the number of steps, the size, and a number that makes the program a new one.
    counts, sizes : sequence of int
        Those that are measured.
    """

    make: Callable[[int, int, float], Program]
    counts: Sequence[int]
    sizes: Sequence[int]


def _numbers(*shape: int) -> np.ndarray:
    return np.random.default_rng(0).standard_normal(shape, dtype=np.float32)


def _weights(*shape: int) -> np.ndarray:
    return _numbers(*shape) / np.float32(shape[-1] ** 0.5)


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
            x = x * (c - 0.1 * x)
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


def outer_differences(count: int, size: int, c: float) -> Program:
    """Steps with broadcasts and a reduction of their result."""

    def f(x: Any) -> Any:
        for _ in range(count):
            d = x[None, :] - x[:, None]
            x = x + c * 0.01 * xp.sum(d / (1 + d * d), axis=1)
        return xp.sum(x)

    return f, [_numbers(size)]


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


def stencils(count: int, size: int, c: float) -> Program:
    """Steps of a heat equation, on slices."""

    def f(x: Any) -> Any:
        for _ in range(count):
            x = xp.pad(x[1:-1] + 0.1 * c * (x[2:] - 2 * x[1:-1] + x[:-2]), 1)
        return xp.sum(x)

    return f, [_numbers(size)]


def vectors(count: int, size: int, c: float) -> Program:
    """Products of one matrix with a vector."""

    def f(x: Any, w: Any) -> Any:
        for _ in range(count):
            x = xp.tanh(w @ x) * c
        return xp.sum(x)

    return f, [_numbers(size), _weights(size, size)]


def own_vectors(count: int, size: int, c: float) -> Program:
    """Products of a matrix each, which are arguments, with a vector."""

    def f(x: Any, *weights: Any) -> Any:
        for w in weights:
            x = xp.tanh(w @ x) * c
        return xp.sum(x)

    return f, [_numbers(size), *(_weights(size, size) for _ in range(count))]


def recurrent(count: int, size: int, c: float) -> Program:
    """A recurrent net: products with a vector, and a row of an argument in each step."""

    def f(w: Any, u: Any, inputs: Any) -> Any:
        x = xp.zeros(size, dtype="float32")
        for i in range(count):
            x = xp.tanh(c * w @ x + u @ inputs[i])
        return xp.sum(x)

    return f, [_weights(size, size), _weights(size, size), _numbers(count, size)]


def matrices(count: int, size: int, c: float) -> Program:
    """Products of one matrix with a batch of vectors."""

    def f(x: Any, w: Any) -> Any:
        for _ in range(count):
            x = xp.tanh(x @ w) * c
        return xp.sum(x)

    return f, [_numbers(16, size), _weights(size, size)]


def layers(count: int, size: int, c: float) -> Program:
    """Products of a matrix each, which are arguments, with a batch of vectors."""

    def f(x: Any, *weights: Any) -> Any:
        for w in weights:
            x = xp.tanh(x @ w) * c
        return xp.sum(x)

    return f, [_numbers(16, size), *(_weights(size, size) for _ in range(count))]


def scatters(count: int, size: int, c: float) -> Program:
    """Steps that read and add at positions."""
    positions = np.random.default_rng(1).integers(0, size, size)

    def f(x: Any) -> Any:
        at = xp.asarray(positions)
        for _ in range(count):
            x = x.at[at].add(x[at] * c)
        return xp.sum(x)

    return f, [_numbers(size)]


def sorts(count: int, size: int, c: float) -> Program:
    """Steps with a kernel of another kind."""

    def f(x: Any) -> Any:
        for _ in range(count):
            x = xp.sort(xp.sin(x) * c)
        return xp.sum(x)

    return f, [_numbers(size)]


def descents(count: int, size: int, c: float) -> Program:
    """Steps with a derivative in each, which is a call."""

    def f(p: Any, x: Any, y: Any) -> Any:
        def loss(p: Any) -> Any:
            return xp.mean((xp.tanh(x @ p) - y) ** 2)

        for _ in range(count):
            p = p - 0.1 * c * anvl.grad(loss)(p)
        return loss(p)

    return f, [_numbers(10), _numbers(size, 10), _numbers(size)]


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


FAMILIES: Sequence[Family] = (
    Family(sines, (10, 40), (1, 1_000)),
    Family(sines, (10,), (20_000,)),
    Family(polynomials, (20, 60), (1, 1_000)),
    Family(terms, (20, 60), (1, 1_000)),
    Family(outer_differences, (5, 15), (20,)),
    Family(reductions, (5, 15), (10, 1_000)),
    Family(moves, (5, 15), (1_000,)),
    Family(stencils, (5, 15), (1_000,)),
    Family(vectors, (8, 20), (8, 64)),
    Family(own_vectors, (8, 20), (64,)),
    Family(recurrent, (8, 20), (64,)),
    Family(matrices, (10, 30), (64,)),
    Family(layers, (10, 40), (8, 64)),
    Family(scatters, (8, 20), (1_000,)),
    Family(sorts, (8, 20), (100,)),
    Family(descents, (8, 20), (64,)),
    Family(rows, (10, 30), (1_000,)),
)
