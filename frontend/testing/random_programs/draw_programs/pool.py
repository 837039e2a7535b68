"""The values of a program so far, and the choice of operands for the next step."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from anvl.testing.random_programs.compare.array_values import kind_of

__all__ = ["NoFit", "Pool", "Value"]

_MOST = 64  # elements: the interpreter takes half a microsecond for each


class NoFit(Exception):
    """Nothing in the pool fits."""


class Value(NamedTuple):
    """A value by name; formats as its name."""

    name: str
    shape: tuple[int, ...]
    dtype: np.dtype
    whole: Any

    @property
    def kind(self) -> str:
        return kind_of(self.dtype)

    @property
    def ndim(self) -> int:
        return len(self.shape)

    @property
    def size(self) -> int:
        return int(np.prod(self.shape))

    def __str__(self) -> str:
        return self.name

    def __format__(self, spec: str) -> str:
        return self.name


class Pool:
    """Chooses by `draw`, which is `random.Random`."""

    def __init__(self, draw: random.Random) -> None:
        self.draw = draw
        self.values: list[Value] = []

    # -- values ------------------------------------------------------------------------------------

    def value(
        self, kinds: str = "biufc", least: int = 0, most: int = 9,
        fits: Callable[[Value], bool] | None = None,
    ) -> Value:  # fmt: skip
        """A value of some kinds, of `least` to `most` axes; later ones are likelier."""
        found = [
            v for v in self.values
            if v.kind in kinds and least <= v.ndim <= most and (fits is None or fits(v))
        ]  # fmt: skip
        if not found:
            raise NoFit
        place = int(len(found) * self.draw.random() ** 0.6)
        return found[min(place, len(found) - 1)]

    def like(self, x: Value) -> Value:
        """A value of the same dtype and shape; `x` itself if there is no other."""
        return self.value(fits=lambda v: v.dtype == x.dtype and v.shape == x.shape)

    def broadcastable(self, x: Value, kinds: str) -> Value | str:
        """A value or a number that broadcasts with x."""
        if self.draw.random() < 0.2:
            return self.number(x.kind)
        try:
            return self.value(kinds, fits=lambda v: self.broadcasts_with(v, x))
        except NoFit:
            return self.number(x.kind)

    def broadcasts_with(self, v: Value, x: Value) -> bool:
        try:
            shape = np.broadcast_shapes(v.shape, x.shape)
        except ValueError:
            return False
        kinds = {str(v.dtype), str(x.dtype)}
        if "uint64" in kinds and kinds & {"int8", "int16", "int32", "int64"}:
            return False  # has no common dtype
        return int(np.prod(shape)) <= _MOST

    def square(self, kinds: str = "fc", most: int = 3) -> Value:
        """A stack of square matrices, with at least one element."""
        return self.value(
            kinds, 2, most, lambda v: v.shape[-1] == v.shape[-2] and 0 < v.shape[-1] <= 4
        )

    # -- parameters --------------------------------------------------------------------------------

    def number(self, kind: str) -> str:
        """A Python number of a kind that does not raise the kind of an array."""
        if kind in "fc":
            return self.draw.choice(("0.0", "1.0", "2.0", "0.5", "-1.0", "-0.5", "3", "1.7"))
        return self.draw.choice(("True", "False")) if kind == "b" else self.draw.choice("0123")

    def flag(self) -> bool:
        return self.draw.random() < 0.5

    def axis(self, x: Value) -> int:
        """An axis, from either end."""
        if not x.ndim:
            raise NoFit
        return self.draw.randrange(-x.ndim, x.ndim)

    def axis_or_all(self, x: Value) -> int | None:
        return None if not x.ndim or self.draw.random() < 0.3 else self.axis(x)

    def axes(self, x: Value) -> Any:
        """None, an axis, or several in any order."""
        if not x.ndim or self.draw.random() < 0.25:
            return None
        if self.draw.random() < 0.5:
            return self.axis(x)
        return self.some_axes(x)

    def some_axes(self, x: Value) -> tuple[int, ...]:
        chosen = self.draw.sample(range(x.ndim), self.draw.randint(0, x.ndim))
        return tuple(a - x.ndim if self.flag() else a for a in chosen)

    def order(self, n: int) -> tuple[int, ...]:
        """A permutation."""
        return tuple(self.draw.sample(range(n), n))

    def length(self, x: Value, axis: int) -> int:
        return x.shape[axis]

    def index(self, n: int) -> int:
        """A valid index of an axis."""
        if n == 0:
            raise NoFit
        return self.draw.randrange(-n, n)

    def indices(self, n: int, most: int = 4) -> list[int]:
        """Valid indices of an axis, perhaps none, perhaps some twice."""
        return [] if n == 0 else [self.index(n) for _ in range(self.draw.randint(0, most))]

    def cut(self, n: int) -> str:
        """A slice of an axis, as text."""
        bound = [None, None, *range(-n - 1, n + 2)]
        start, stop = self.draw.choice(bound), self.draw.choice(bound)
        step = self.draw.choice((None, None, 1, 2, -1, -1, -2))
        return ":".join("" if part is None else str(part) for part in (start, stop, step))

    def shape_of(self, size: int) -> tuple[int, ...]:
        """A shape with so many elements."""
        if size == 0:
            return self.draw.choice(((0,), (0, 2), (3, 0), (2, 0, 1)))
        shape: list[int] = []
        while size > 1 and len(shape) < 4:
            divisors = [d for d in range(2, size + 1) if size % d == 0]
            shape.append(self.draw.choice(divisors))
            size //= shape[-1]
        for _ in range(self.draw.choice((0, 0, 0, 1))):
            shape.insert(self.draw.randint(0, len(shape)), 1)
        return tuple(shape) if size == 1 else (*shape, size)

    def shape_over(self, x: Value) -> tuple[int, ...]:
        """A shape to which x broadcasts."""
        wide = [self.draw.choice((0, 2, 3)) if n == 1 and self.flag() else n for n in x.shape]
        front = [self.draw.choice((0, 1, 2)) for _ in range(self.draw.choice((0, 0, 1)))]
        shape = (*front, *wide)
        if int(np.prod(shape)) > _MOST:
            raise NoFit
        return shape

    def dtype(self, kinds: str) -> str:
        names = {
            "b": ("bool",), "i": ("int32", "int8", "int64"), "u": ("uint8", "uint32"),
            "f": ("float32", "float64", "float16", "bfloat16"), "c": ("complex64", "complex128"),
        }  # fmt: skip
        return self.draw.choice(names[self.draw.choice(kinds)])

    def choice(self, options: Sequence[Any]) -> Any:
        return self.draw.choice(options)
