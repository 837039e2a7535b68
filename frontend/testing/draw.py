"""The argument of an op's `sample(draw)`: draws operands, the same in every run.

    draw.floats(2, 3, within=(0.1, 4.0))       f64
    draw.spd(2, 3)                             two positive definite matrices of size 3
    draw.calls((operands, params), ...)        the calls to try, for an op with a class of its own
    draw.elementwise("float int", domains)     the same for an elementwise op: dtypes and shapes

Floats keep away from each other and from the corners of ops, so that differences can be taken.
"""

import zlib
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from anvl.dialect.core.types import DTYPES, numpy_dtype

__all__ = ["Call", "Draw"]

# By kind of elements: the dtype tried in every shape, then the dtypes tried in one.
_DTYPES = {
    "float": ("f64", "f32", "f16", "bf16"),
    "complex": ("c128", "c64"),
    "int": ("i32", "i8", "i16", "i64"),
    "uint": ("ui32", "ui8", "ui16", "ui64"),
    "bool": ("bool",),
}
_SHAPES = ((2, 3), (), (0, 3))
_OTHER_SHAPE = (4,)

_ANY = (-3.0, 3.0)
_CORNERS = 0.5  # ops have kinks at multiples of this: zero, the integers, halfway between them
_MARGIN = 0.02  # from a corner, and between two elements: more than the step of finite differences


class Call(NamedTuple):
    """One use of an op: its operands and its parameters.

    `through` maps the results to their uniquely determined parts, unless all are: the signs of
    eigenvectors are not.  `in_order` is false if rounding may permute the results.
    `others` are operands of the same types for the same program, such as operands that select
    another formula.  If not `is_smooth`, only values are checked.
    `special` are operands at which values are checked elementwise: at poles and at the ends of
    formulas, of any size.
    """

    operands: list[np.ndarray]
    params: dict[str, Any]
    through: Callable[..., Sequence[Any]] | None = None
    in_order: bool = True
    others: Sequence[list[np.ndarray]] = ()
    is_smooth: bool = True
    special: Sequence[list[np.ndarray]] = ()


class Draw:
    """Draw arrays; `name` is the seed, or `seed` gives one for each array."""

    def __init__(self, name: str, seed: Callable[[], int] | None = None) -> None:
        self._by_name = np.random.default_rng(zlib.crc32(name.encode()))
        self._seed = seed
        self._count = 0

    @property
    def _random(self) -> np.random.Generator:
        """Random generator of the next array."""
        self._count += 1
        if self._seed is None:
            return self._by_name
        return np.random.default_rng([self._count, self._seed()])

    def floats(self, *shape: int, within: tuple[float, float] = _ANY) -> np.ndarray:
        """f64 in a range, no two close to each other and none close to a corner."""
        low, high = within
        count = int(np.prod(shape))
        if low == high:
            return np.full(shape, low)
        random = self._random
        # Successive operands keep away from each other too: ops have kinks where they meet.
        share = (0.2, 0.8) if self._seed is None else [(0.1, 0.45), (0.55, 0.9)][self._count % 2]
        strata = np.arange(count) + random.uniform(*share, count)
        values = low + (high - low) * strata / max(count, 1)
        random.shuffle(values)
        return _off_corners(values).reshape(shape)

    def floats_off(
        self, *others: np.ndarray, shape: Sequence[int], within: tuple[float, float] = _ANY
    ) -> np.ndarray:
        """`floats` that keep away from arrays of other ranges, too, such as the bounds of a clamp.

        The others are far from each other.
        """
        x = self.floats(*shape, within=within)
        for y in others:
            side = np.where(x < y, -_MARGIN, _MARGIN)
            x = np.where(np.abs(x - y) < _MARGIN, y + side, x)
        return x

    def complexes(self, *shape: int, within: tuple[float, float] = _ANY) -> np.ndarray:
        """c128 with real parts in a range, off the real axis, where branch cuts lie."""
        return self.floats(*shape, within=within) + 1j * self.floats(*shape, within=(0.1, 0.9))

    def ints(
        self, *shape: int, within: tuple[int, int] = (-9, 9), dtype: str = "i32"
    ) -> np.ndarray:
        """Integers from the first to the last of a range."""
        low, high = within
        return self._random.integers(low, high, shape, endpoint=True).astype(numpy_dtype(dtype))

    def bools(self, *shape: int) -> np.ndarray:
        """Bools: both, where there is room."""
        values = np.arange(int(np.prod(shape))) % 2 == 0
        self._random.shuffle(values)
        return values.reshape(shape)

    def matrix(self, *shape: int) -> np.ndarray:
        """A stack of well-conditioned matrices, with well-conditioned triangles."""
        n = min(shape[-2:])
        strong = 2 + self.floats(n, within=(0.1, 2.5 * n))
        x = self.floats(*shape, within=(-0.8, 0.8))
        for i, value in enumerate(strong):
            x[..., i, i] += value
        return x

    def spd(self, *shape: int) -> np.ndarray:
        """A stack of matrices, not quite symmetric, whose symmetric parts are positive definite."""
        return self.matrix(*shape, shape[-1])

    def calls(
        self,
        *calls: tuple[list[np.ndarray], dict[str, Any]],
        through: Callable[..., Sequence[Any]] | None = None,
        in_order: bool = True,
    ) -> list[Call]:
        """The calls to try."""
        return [Call(list(operands), params, through, in_order) for operands, params in calls]

    def elementwise(
        self,
        kinds: str,
        domains: Sequence[tuple[float, float]],
        params: dict[str, Any] | None = None,
        dtypes: Sequence[str] | None = None,
        far: Sequence[Sequence[tuple[float, float]]] = (),
        special: Sequence[Sequence[complex]] = (),
    ) -> list[Call]:
        """Calls with operands of one type: every dtype of `kinds`, of rank 0, empty and ordinary.

        `domains` are for floats, each of `far` for others in f64; `special` are points, with a
        number for each operand, in f64, or c128 where these are complex.  Integers are small; from
        the second operand on they are positive and small enough to divide by and to shift by.
        """
        return [
            Call([self._drawn(dtype, shape, i, within) for i, within in enumerate(domains)],
                 dict(params or {}),
                 others=[[self.floats(*shape, within=w) for w in there]
                         for there in far if dtype == "f64"],
                 special=_special(dtype, shape, special))
            for dtype, shape in _types(kinds.split(), dtypes)
        ]  # fmt: skip

    def _drawn(
        self, dtype: str, shape: Sequence[int], position: int, within: tuple[float, float]
    ) -> np.ndarray:
        kind = DTYPES[dtype].kind
        if kind == "float":
            return self.floats(*shape, within=within).astype(numpy_dtype(dtype))
        if kind == "complex":
            return self.complexes(*shape, within=within).astype(numpy_dtype(dtype))
        if kind == "bool":
            return self.bools(*shape)
        lowest = 1 if position else (-9 if kind == "int" else 0)
        return self.ints(*shape, within=(lowest, 5 if position else 9), dtype=dtype)


def _special(
    dtype: str, shape: tuple[int, ...], points: Sequence[Sequence[complex]]
) -> list[list[np.ndarray]]:
    """Operands of a type and shape that hold these points, padded with the last."""
    here = [p for p in points if dtype == ("c128" if isinstance(p[0], complex) else "f64")]
    size = int(np.prod(shape))
    if size < 2 or not here:
        return []
    count = -(-len(here) // size)
    columns = np.array(here + here[-1:] * (count * size - len(here)), numpy_dtype(dtype)).T
    return [list(part) for part in zip(*(x.reshape(count, *shape) for x in columns), strict=True)]


def _types(
    kinds: Sequence[str], dtypes: Sequence[str] | None
) -> Iterator[tuple[str, tuple[int, ...]]]:
    """Every dtype of some kinds: floats, complex numbers and the first of others in all shapes."""
    for kind in kinds:
        for i, dtype in enumerate(d for d in _DTYPES[kind] if dtypes is None or d in dtypes):
            every = i == 0 or kind in ("float", "complex")
            yield from ((dtype, shape) for shape in (_SHAPES if every else (_OTHER_SHAPE,)))


def _off_corners(values: np.ndarray) -> np.ndarray:
    """`values`, with those next to a corner moved away from it."""
    corner = np.round(values / _CORNERS) * _CORNERS
    distance = values - corner
    moved = corner + np.where(distance < 0, -_MARGIN, _MARGIN)
    return np.where(np.abs(distance) < _MARGIN, moved, values)
