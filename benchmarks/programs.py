"""The programs that are measured, written once for both sides.

Each maker takes a NumPy-like namespace and gives a new function: neither side has seen it, so both
trace it anew.  Steps are scaled so that gradients neither vanish nor overflow, whatever the length.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

__all__ = ["UNROLLED", "Program", "agree"]

WIDTH = 8  # small: what is timed is the compiler, not the arithmetic
LAYERS = 4  # weights of the MLP, used in turn


@dataclass(frozen=True)
class Program:
    """A program of about any number of ops, and arguments for it."""

    name: str
    make: Callable[[Any, int], Callable[..., Any]]
    arguments: Callable[[], tuple[Any, ...]]


def mlp(xp: Any, n_ops: int) -> Callable[..., Any]:
    """Residual layers `x + h tanh(x @ w + b)`, written out: 6 ops each."""
    count = n_ops // 6
    h = 1.0 / count

    def loss(params: Sequence[tuple[Any, Any]], x: Any) -> Any:
        for i in range(count):
            w, b = params[i % LAYERS]
            x = x + h * xp.tanh(x @ w + b)
        return xp.sum(x)

    return loss


def chain(xp: Any, n_ops: int) -> Callable[..., Any]:
    """One elementwise op after another: 4 a step."""
    count = n_ops // 4
    h = 1.0 / count

    def loss(x: Any) -> Any:
        for _ in range(count):
            x = x - h * xp.exp(xp.sin(x))
        return xp.sum(x)

    return loss


def tree(xp: Any, n_ops: int) -> Callable[..., Any]:
    """Many leaves of one argument, added pair by pair: 3 ops a leaf."""
    count = n_ops // 3
    h = 1.0 / count

    def loss(x: Any) -> Any:
        level = [xp.sin(x * (h * (i + 1))) for i in range(count)]
        while len(level) > 1:
            odd = level[-1:] if len(level) % 2 else []
            pairs = zip(level[::2], level[1::2], strict=False)
            level = [a + b for a, b in pairs] + odd
        return xp.sum(level[0])

    return loss


def _mlp_arguments() -> tuple[Any, ...]:
    random = np.random.default_rng(0)
    scale = 1 / np.sqrt(WIDTH)
    params = [
        (_normal(random, WIDTH, WIDTH) * np.float32(scale), _normal(random, WIDTH))
        for _ in range(LAYERS)
    ]
    return params, _normal(random, 4, WIDTH)


def _vector() -> tuple[Any, ...]:
    return (np.linspace(-1, 1, WIDTH, dtype=np.float32),)


def _normal(random: np.random.Generator, *shape: int) -> np.ndarray:
    return random.standard_normal(shape, dtype=np.float32)


UNROLLED = [
    Program("unrolled MLP", mlp, _mlp_arguments),
    Program("elementwise chain", chain, _vector),
    Program("wide tree", tree, _vector),
]


def agree(results: Sequence[Sequence[Any]], tolerance: float = 1e-3) -> float:
    """The largest difference between the sides' arrays, relative to the largest element.

    Raises `ArithmeticError` above the tolerance: sides that compute different things must not be
    compared.
    """
    first, *others = results
    errors = [
        _difference(np.asarray(x), np.asarray(y))
        for other in others
        for x, y in zip(first, other, strict=True)
    ]
    worst = float(np.max(errors, initial=0.0))  # NaN, where there is one
    if not worst <= tolerance:
        raise ArithmeticError(f"the sides differ by {worst:.1e}, more than {tolerance:.0e}")
    return worst


def _difference(x: np.ndarray, y: np.ndarray) -> float:
    if x.shape != y.shape or not np.isfinite(x).all():
        return np.inf
    return float(np.max(np.abs(x - y), initial=0) / max(np.max(np.abs(x), initial=0), 1e-6))
