"""A function of JAX that programs are written from, with its arguments."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import ml_dtypes
import numpy as np

__all__ = ["Case", "draws", "table"]


@dataclass(frozen=True)
class Case:
    """One function.  A check of `refused` must be refused, by a message that has this text.

    With `by_differences` derivatives are held against differences of JAX's values: of its own it
    has none, or they are of another branch.
    """

    name: str
    function: Callable[..., Any]
    args: Sequence[Any]
    x64: bool = False
    by_differences: bool = False
    refused: Mapping[str, str] = field(default_factory=dict)
    # Checks, and platforms of another form, that cannot be, and why.
    without: Mapping[str, str] = field(default_factory=dict)
    jit: Mapping[str, Any] = field(default_factory=dict)  # options of jax.jit


def table(rows: Sequence[tuple[Any, ...]], **common: Any) -> list[Case]:
    """Cases of rows `(name, function, args)`, of which a fourth part has options."""
    return [Case(*row[:3], **common | (row[3] if len(row) > 3 else {})) for row in rows]


class _Draws:
    """Random arrays of a fixed seed, by shape."""

    def __init__(self) -> None:
        self.rng = np.random.default_rng(0)

    def normal(self, *shape: int, dtype: str = "float32") -> np.ndarray:
        return self.rng.normal(size=shape).astype(dtype)

    def bf16(self, *shape: int) -> np.ndarray:
        return self.rng.normal(size=shape).astype(ml_dtypes.bfloat16)

    def positive(self, *shape: int, dtype: str = "float32") -> np.ndarray:
        return self.rng.uniform(0.2, 2.0, size=shape).astype(dtype)

    def inside(self, *shape: int, dtype: str = "float32") -> np.ndarray:
        return self.rng.uniform(-0.8, 0.8, size=shape).astype(dtype)

    def integers(self, *shape: int, high: int = 10, dtype: str = "int32") -> np.ndarray:
        return self.rng.integers(0, high, size=shape).astype(dtype)

    def complex(self, *shape: int, dtype: str = "complex64") -> np.ndarray:
        return (self.rng.normal(size=shape) + 1j * self.rng.normal(size=shape)).astype(dtype)

    def definite(self, n: int, dtype: str = "float32") -> np.ndarray:
        a = self.rng.normal(size=(n, n))
        return (a @ a.T + n * np.eye(n)).astype(dtype)


draws = _Draws()
