"""Initial arrays of every dtype: tame ones with ties and zeros, and wild ones.

Wild floats include NaN, infinities, zeros of both signs, the largest and the smallest numbers;
wild integers the ends of their range.
"""

from __future__ import annotations

import random
from collections.abc import Sequence

import ml_dtypes
import numpy as np

__all__ = ["DTYPES", "array", "cotangent", "kind_of", "tangent", "wide"]

_BF16 = np.dtype(ml_dtypes.bfloat16)

#: Dtypes of each kind, by NumPy's letters; likelier ones occur more than once.
DTYPES = {
    "f": ("float64", "float64", "float64", "float32", "float32", "float16", "bfloat16"),
    "c": ("complex128", "complex64"),
    "i": ("int32", "int32", "int64", "int8", "int16"),
    "u": ("uint8", "uint32", "uint64", "uint16"),
    "b": ("bool",),
}

_TAME = (0.0, 1.0, -1.0, 0.5, 2.0, -0.5)
_WILD = (0.0, -0.0, 1.0, -1.0, np.nan, np.inf, -np.inf, 0.5, 3.0, 1e-3, 1e3)


def kind_of(dtype: np.dtype) -> str:
    """NumPy's letter for the kind of a dtype: `b`, `i`, `u`, `f` or `c`."""
    return "f" if dtype == _BF16 else dtype.kind


def wide(x: np.ndarray) -> np.ndarray:
    """The numbers of an array in f64, or c128."""
    return x.astype(np.complex128 if kind_of(x.dtype) == "c" else np.float64)


def array(draw: random.Random, dtype: str, shape: Sequence[int], wild: bool) -> np.ndarray:
    """An array of some dtype and shape."""
    of = np.dtype(dtype)
    count = int(np.prod(shape))
    kind = kind_of(of)
    if kind == "c":
        parts = [_floats(draw, np.dtype(np.float64), count, wild) for _ in range(2)]
        with np.errstate(all="ignore"):
            return (parts[0] + 1j * parts[1]).astype(of).reshape(shape)
    if kind == "f":
        return _floats(draw, of, count, wild).reshape(shape)
    if kind == "b":
        return np.array([draw.random() < 0.5 for _ in range(count)], bool).reshape(shape)
    return _ints(draw, of, count, wild).reshape(shape)


def _floats(draw: random.Random, dtype: np.dtype, count: int, wild: bool) -> np.ndarray:
    some = _WILD if wild else _TAME
    share = draw.choice((0.0, 0.2, 0.6))
    values = [
        draw.choice(some) if draw.random() < share else draw.gauss(0, 1) for _ in range(count)
    ]
    if wild and count and draw.random() < 0.2:
        info = ml_dtypes.finfo(dtype)
        extreme = draw.choice((info.max, -info.max, info.tiny, info.eps))
        values[draw.randrange(count)] = float(extreme)
    return np.array(values, np.float64).astype(dtype)


def _ints(draw: random.Random, dtype: np.dtype, count: int, wild: bool) -> np.ndarray:
    info = np.iinfo(dtype)
    low = max(-4, info.min)
    ends = (info.min, info.max, 0, 1, info.max - 1)
    values = [
        draw.choice(ends) if wild and draw.random() < 0.3 else draw.randint(low, 5)
        for _ in range(count)
    ]
    return np.array(values, dtype)


def tangent(seed: int, x: np.ndarray) -> np.ndarray:
    """A direction for an array, in its dtype: no element is 0."""
    random_ = np.random.default_rng([seed, x.size, 1])
    values = random_.uniform(0.5, 1.5, x.shape) * random_.choice([-1, 1], x.shape)
    if kind_of(x.dtype) == "c":
        values = values + 1j * random_.uniform(0.5, 1.5, x.shape)
    return np.asarray(values).astype(x.dtype)


def cotangent(seed: int, shape: Sequence[int], dtype: np.dtype) -> np.ndarray:
    """Weights for a result, in its dtype."""
    return tangent(seed + 1, np.zeros(shape, dtype))
