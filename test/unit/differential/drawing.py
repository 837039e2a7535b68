"""Calls of a function that hypothesis draws: dtypes, shapes, axes, keywords, operands.

    def reduction(d: Draw) -> Call:
        x = d.array(d.dtype("fic"), d.shape())
        return call(x, axis=d.axes(len(x.shape)), keepdims=d.flag())

An `Operand` is an array whose numbers are not drawn yet: `values(flavour, seed)` gives some of one
of the `FLAVOURS`.  So one program, which takes most of the time, runs for numbers of each flavour.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import ml_dtypes
import numpy as np
from hypothesis import strategies as st

__all__ = ["FLAVOURS", "Call", "Draw", "Operand", "call", "filled", "operands"]

#: plain numbers; ties, whole or halves; zeros of both signs; NaN and infinities among plain ones;
#: these, and the least, the largest and subnormal numbers
FLAVOURS = "ptznx"

BF16 = np.dtype(ml_dtypes.bfloat16)
KINDS = {
    "f": ["float64", "float32", "float64", "float32", "float16", BF16],
    "d": ["float64"],
    "s": ["float64", "float32"],
    "i": ["int32", "int64", "int8", "int16"],
    "u": ["uint8", "uint32", "uint16", "uint64"],
    "b": ["bool"],
    "c": ["complex128", "complex64"],
}


@dataclass(frozen=True)
class Operand:
    """An array of the numbers between `low` and `high`; `then` makes others of them."""

    dtype: Any
    shape: tuple[int, ...]
    low: float = -3.0
    high: float = 3.0
    then: Callable[[np.ndarray, np.random.Generator], np.ndarray] | None = None
    special: bool = True
    zeros: bool = True

    def values(self, flavour: str, seed: int) -> np.ndarray:
        rng = np.random.default_rng(seed)
        x = self._numbers(flavour, rng)
        return x if self.then is None else np.asarray(self.then(x, rng), self.dtype)

    def _numbers(self, flavour: str, rng: np.random.Generator) -> np.ndarray:
        dtype = np.dtype(self.dtype)
        if dtype.kind == "b":
            return np.asarray(rng.integers(0, 2, self.shape), bool)
        if dtype.kind in "iu":
            return _whole(self, dtype, flavour, rng)
        if dtype.kind == "c":
            real = np.dtype("float64" if dtype == np.complex128 else "float32")
            part = replace(self, dtype=real, then=None)
            flavour = "p" if flavour in "nx" else flavour
            return np.asarray(part._numbers(flavour, rng) + 1j * part._numbers(flavour, rng), dtype)
        return self._floats(flavour, rng).astype(dtype)

    def _floats(self, flavour: str, rng: np.random.Generator) -> np.ndarray:
        x = rng.uniform(self.low, self.high, self.shape)
        if flavour == "t":
            grid = np.clip(np.round(x * 2) / 2, self.low, self.high)
            return np.where(self.low < grid, grid, (self.low + self.high) / 2)
        if flavour == "z" and self.low <= 0 <= self.high and self.zeros:
            signed = rng.choice([-0.0, 0.0], self.shape) if self.low < 0 else np.zeros(self.shape)
            return np.where(rng.random(self.shape) < 0.6, signed, x)
        if flavour in "nx" and self.special:
            chosen = rng.choice(_SPECIAL[flavour](np.dtype(self.dtype)), self.shape)
            return np.where(rng.random(self.shape) < (0.3 if flavour == "n" else 0.7), chosen, x)
        return x


def _whole(of: Operand, dtype: Any, flavour: str, rng: np.random.Generator) -> np.ndarray:
    info = np.iinfo(dtype)
    low, high = max(int(np.ceil(of.low)), info.min), min(int(np.floor(of.high)), info.max)
    x = rng.integers(low, high, of.shape, endpoint=True).astype(dtype)
    if flavour != "x" or not of.special:
        return x
    ends = np.asarray([info.min, info.max, 0, 1, info.max - 1, info.min + 1], dtype)
    return np.where(rng.random(of.shape) < 0.5, rng.choice(ends, of.shape), x).astype(dtype)


def _extremes(dtype: Any) -> np.ndarray:
    info = ml_dtypes.finfo(dtype)
    tiny, large = float(info.tiny), float(info.max)
    below = tiny * float(info.eps) * 2
    some = [np.nan, np.inf, 0.0, tiny, below, large, 1.0, float(info.eps), 0.5, 2.0, 1e3]
    return np.asarray(some + [-x for x in some])


_SPECIAL = {"n": lambda _: np.asarray([np.nan, np.inf, -np.inf]), "x": _extremes}


@dataclass(frozen=True)
class Call:
    """Arguments, with operands among them, at any depth."""

    args: tuple[Any, ...]
    kwargs: dict[str, Any]

    @property
    def operands(self) -> list[Operand]:
        return list(operands((self.args, self.kwargs)))

    def values(self, flavour: str, seed: int = 0) -> list[np.ndarray]:
        return [x.values(flavour, seed * 100 + i) for i, x in enumerate(self.operands)]

    def of(self, f: Callable[..., Any], xs: Sequence[Any]) -> Any:
        """The result of f, with the arrays `xs` for the operands."""
        args, kwargs = filled((self.args, self.kwargs), iter(xs))
        return f(*args, **kwargs)

    def __repr__(self) -> str:
        shown = [_shown(x) for x in self.args]
        return ", ".join([*shown, *(f"{k}={_shown(v)}" for k, v in self.kwargs.items())])


def call(*args: Any, **kwargs: Any) -> Call:
    return Call(args, kwargs)


def operands(tree: Any) -> Iterator[Operand]:
    if isinstance(tree, Operand):
        yield tree
    elif isinstance(tree, dict):
        for x in tree.values():
            yield from operands(x)
    elif isinstance(tree, list | tuple):
        for x in tree:
            yield from operands(x)


def filled(tree: Any, xs: Iterator[Any]) -> Any:
    """The tree with an array for each operand."""
    if isinstance(tree, Operand):
        return next(xs)
    if isinstance(tree, dict):
        return {k: filled(x, xs) for k, x in tree.items()}
    if isinstance(tree, list):
        return [filled(x, xs) for x in tree]
    return tuple(filled(x, xs) for x in tree) if type(tree) is tuple else tree


def _shown(x: Any) -> str:
    if isinstance(x, Operand):
        return f"{np.dtype(x.dtype).name}{list(x.shape)}"
    return f"[{', '.join(map(_shown, x))}]" if isinstance(x, list | tuple) else repr(x)


class Draw:
    """Arguments that a line asks for, drawn by hypothesis; `only` replaces the dtypes of floats."""

    def __init__(self, data: Any, only: str = "") -> None:
        self._data, self._only = data, only

    def of(self, *choices: Any) -> Any:
        return self._data.draw(st.sampled_from(choices))

    def flag(self) -> bool:
        return self.of(False, True)

    def number(self, low: int, high: int) -> int:
        return self._data.draw(st.integers(low, high))

    def dtype(self, kinds: str = "f") -> Any:
        """One of the dtypes of some `KINDS`."""
        if self._only and set(kinds) & set("fsd"):
            return np.dtype(self._only)
        return np.dtype(self.of(*KINDS[self.of(*kinds)]))

    def shape(self, low: int = 0, high: int = 4, least: int = 0) -> tuple[int, ...]:
        """Of a rank between bounds, of sizes from `least` up: at size 0 one time in eight."""
        rank = self.number(low, high)
        empty = least == 0 and rank > 0 and self.number(0, 7) == 0
        sizes = [self.of(2, 3, 1, 4, 3) if rank < 4 else self.of(2, 1, 3) for _ in range(rank)]
        if empty:
            sizes[self.number(0, rank - 1)] = 0
        return tuple(max(n, least) for n in sizes)

    def broadcastable(self, shape: tuple[int, ...]) -> tuple[int, ...]:
        """A shape that broadcasts with `shape`."""
        cut = shape[self.number(0, len(shape)) :] if self.flag() else shape
        return tuple(1 if self.number(0, 4) == 0 else n for n in cut)

    def array(
        self, dtype: Any, shape: tuple[int, ...], low: float = -3.0, high: float = 3.0, **more: Any
    ) -> Operand:
        return Operand(np.dtype(dtype), tuple(shape), low, high, **more)

    def axis(self, rank: int) -> int:
        return self.number(-rank, rank - 1)

    def axes(self, rank: int) -> Any:
        """None, an axis, or a tuple of some, each counted from either end."""
        which = self.of("none", "one", "some") if rank else self.of("none", "empty")
        if which == "none":
            return None
        if which == "one":
            return self.axis(rank)
        return self.some(rank, 0)

    def some(self, rank: int, least: int = 1) -> tuple[int, ...]:
        """Different axes, in any order."""
        chosen = self.permutation(rank)[: self.number(least, rank)]
        return tuple(axis - rank if self.flag() else axis for axis in chosen)

    def permutation(self, n: int) -> tuple[int, ...]:
        return tuple(self._data.draw(st.permutations(range(n))))
