"""A program of the suite, and the arrays that it takes."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

__all__ = ["Case", "Draw", "Lib"]

#: `anvl` or `jax`: programs use the names that both have, such as `lib.numpy` and `lib.lax.scan`.
Lib = Any

_TINY = 4


class Draw:
    """Draws arguments, the same in every run; in a tiny run no axis is longer than four."""

    def __init__(self, scale: str) -> None:
        self._random = np.random.default_rng(0)
        self._tiny = scale == "tiny"

    def size(self, n: int) -> int:
        return min(n, _TINY) if self._tiny else n

    def normal(self, *shape: int, scale: float = 1.0) -> np.ndarray:
        return self.exact(*map(self.size, shape), scale=scale)

    def exact(self, *shape: int, scale: float = 1.0) -> np.ndarray:
        """Of this shape in every run."""
        return np.float32(scale) * self._random.standard_normal(shape, dtype=np.float32)

    def ints(self, below: int, *shape: int) -> np.ndarray:
        shape = tuple(map(self.size, shape))
        return self._random.integers(0, self.size(below), shape, dtype=np.int32)

    def positive_definite(self, n: int) -> np.ndarray:
        """A symmetric matrix with eigenvalues from 1 to 5."""
        x = self.normal(n, n)
        return (x @ x.T / len(x) + np.eye(len(x))).astype(np.float32)

    def distinct(self, n: int) -> np.ndarray:
        """The numbers from 0 to 1 in equal steps, in no order."""
        n = self.size(n)
        return self._random.permutation(np.linspace(0, 1, n, dtype=np.float32))


@dataclass(frozen=True)
class Case:
    """A program `function(lib, *arrays)`, its name in tables, and its arrays."""

    name: str
    function: Callable[..., Any]
    arrays: Callable[[Draw], Sequence[np.ndarray]]

    def of(self, lib: Lib) -> Callable[..., Any]:
        """The program of a library, as a new function: nobody has traced it."""
        return partial(self.function, lib)
