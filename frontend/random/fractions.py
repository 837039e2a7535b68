"""Random fractions with as many bits as a dtype has digits: floats are made of these."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np

from anvl import numpy as anp
from anvl.core.promote import convert
from anvl.core.tracer import Tracer
from anvl.random.prng import Source

__all__ = ["high_fraction", "odd_fraction", "unit_fraction", "wide_dtype"]


def wide_dtype(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """f32 for narrower dtypes, which are computed in it."""
    return np.dtype(np.float32) if dtype.itemsize < 4 else dtype


def unit_fraction(source: Source, shape: tuple[int, ...], dtype: np.dtype[Any]) -> Tracer:
    """Multiples of half the dtype's epsilon, from 0 to 1."""
    digits = ml_dtypes.finfo(dtype).nmant + 1
    return _fraction(source, shape, dtype, digits)


def odd_fraction(source: Source, shape: tuple[int, ...], dtype: np.dtype[Any]) -> Tracer:
    """Odd multiples of the epsilon of the dtype, or of f32, between 0 and 2."""
    wide = wide_dtype(dtype)
    digits = ml_dtypes.finfo(wide).nmant
    unit = _fraction(source, shape, wide, digits)
    return anp.multiply(anp.add(unit, 0.5 / 2**digits), 2)


def _fraction(source: Source, shape: tuple[int, ...], dtype: np.dtype[Any], digits: int) -> Tracer:
    """Multiples of 2^-digits, from 0 to 1."""
    width = dtype.itemsize * 8
    words = source.words(shape, f"ui{width}")
    kept = convert(anp.right_shift(words, width - digits), dtype)
    return anp.multiply(kept, 0.5**digits)


def high_fraction(source: Source, shape: tuple[int, ...], dtype: np.dtype[Any]) -> Tracer:
    """Floats from 0 to 1, of 64 bits: the small ones have all digits, down to 2^-64."""
    wide = wide_dtype(dtype)
    words = convert(source.words(shape, "ui64"), wide)
    largest = 1 - float(ml_dtypes.finfo(wide).epsneg)
    return anp.minimum(anp.multiply(words, 0.5**64), largest)
