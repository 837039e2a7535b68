"""The criterion for a right value: near the reference, or within its sensitivity to rounding.

The value itself is compared first, which settles nearly all cases.  Otherwise the reference is
computed again on operands perturbed by one unit of rounding: if its results spread, so may
the value.  Equal elements are perturbed alike, so that ties stay ties.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import ml_dtypes
import numpy as np

from anvl.testing.random_programs.compare.array_values import kind_of

__all__ = ["is_near", "perturbed", "within"]

_SLACK = 64  # units of rounding of the result, for one function
_TIMES = 8  # times the spread


def limits(dtype: np.dtype) -> tuple[float, float, float]:
    """The unit of rounding, the smallest normal number and the largest of a dtype of floats."""
    of = {"complex64": "float32", "complex128": "float64"}.get(str(dtype), dtype)
    info = ml_dtypes.finfo(of)
    return float(info.eps), float(info.tiny), float(info.max)


def is_near(
    found: np.ndarray, expected: Any, slack: float = _SLACK, magnitude: float = 0.0
) -> np.ndarray:
    """Whether each element equals the expected one up to rounding in its own dtype.

    Rounding is relative to numbers of size `magnitude` at least.  NaN is near NaN, an infinity near
    the same and near numbers that the dtype does not hold.
    """
    expected = np.asarray(expected)
    kind = kind_of(found.dtype)
    if kind == "c":
        parts = [
            _near_floats(f, e, found.dtype, slack, np.maximum(np.abs(expected), magnitude))
            for f, e in zip(_parts(found), _parts(expected), strict=True)
        ]
        broken = ~np.isfinite(expected) & ~np.isfinite(found)  # either part may be NaN
        return np.logical_and(*parts) | broken
    if kind == "f":
        return _near_floats(found, np.real(expected), found.dtype, slack, magnitude)
    if kind_of(expected.dtype) in "fc":
        return np.asarray(found == expected)
    return np.asarray(found == expected.astype(found.dtype))


def _parts(x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    return np.real(x), np.imag(x)


def _near_floats(
    found: np.ndarray, expected: np.ndarray, dtype: np.dtype, slack: float, magnitude: Any
) -> np.ndarray:
    eps, tiny, largest = limits(dtype)
    f, e = np.asarray(found, np.float64), np.asarray(expected, np.float64)
    with np.errstate(all="ignore"):
        size = np.maximum(np.abs(e), np.where(np.isfinite(magnitude), magnitude, 0.0))
        near = np.abs(f - e) <= slack * eps * size + tiny
    same = (f == e) | (np.isnan(f) & np.isnan(e))
    too_large = np.isinf(f) & (np.sign(f) == np.sign(e)) & (np.abs(e) >= largest * (1 - 8 * eps))
    return near | same | too_large


def within(found: np.ndarray, around: Sequence[np.ndarray]) -> np.ndarray:
    """Whether each element is within the range of the surrounding references."""
    near = np.zeros(found.shape, bool)
    for expected in around:
        near |= is_near(found, expected)
    if kind_of(found.dtype) not in "fc" or len(around) < 2:
        return near
    for part in (np.real, np.imag) if kind_of(found.dtype) == "c" else (np.asarray,):
        many = np.stack([np.asarray(part(x), np.float64) for x in around])
        with np.errstate(all="ignore"):
            low, high = many.min(0), many.max(0)
            margin = _TIMES * (high - low)
            value = np.asarray(part(found), np.float64)
            inside = (low - margin <= value) & (value <= high + margin)
        near = near | inside if part is not np.imag else near & inside
    return near


def perturbed(
    arrays: Sequence[np.ndarray], narrow: Sequence[np.dtype], times: int
) -> Iterator[list[np.ndarray]]:
    """The arrays, as references, perturbed by a unit of rounding of their dtype in the program."""
    for k in range(times):
        yield [_perturbed(x, of, k) for x, of in zip(arrays, narrow, strict=True)]


def _perturbed(x: np.ndarray, of: np.dtype, k: int) -> np.ndarray:
    """Each element times one plus or minus a unit, by its value; those too small become 0."""
    kind = kind_of(of)
    if kind not in "fc" or not x.size:
        return x
    eps, tiny, _ = limits(of)
    with np.errstate(all="ignore"):
        phase = np.sin(12.9898 * (k + 1) + 78.233 * np.asarray(np.abs(x) * 1e3 % 1.0))
        if of.itemsize == 2 and k % 2:  # they may have been kept in 32 bits: each by itself
            phase = phase * np.cos(np.arange(x.size).reshape(x.shape) * 7.0 + k)
        signs = np.where(phase >= 0, 1.0, -1.0) if k else 0.0
        y = x * (1 + eps * signs)
        return np.where(np.isfinite(x), np.where(np.abs(x) < tiny, 0.0 * x, y), x)


Reference = Callable[[Sequence[np.ndarray]], list[Any]]
