"""Uniform, normal, exponential and Gumbel samples; public in `anvl.random`."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from anvl import numpy as anp
from anvl.core.argument_arrays import scalar_array
from anvl.core.promote import broadcast_to, constant, convert, promoted
from anvl.core.trace_state import current
from anvl.core.tracer import Tracer
from anvl.dispatch.eager import public
from anvl.numpy.arrays.axes import sizes_of
from anvl.random.fractions import high_fraction, odd_fraction, unit_fraction, wide_dtype
from anvl.random.key_reuse import draws
from anvl.random.parameters import drawn_shape, float_dtype, is_high
from anvl.random.prng import Source
from anvl.random.random_checks import check_ends
from anvl.runtime import hiding_frames

__all__ = [
    "exponential", "gumbel", "normal", "normal_at", "normals", "uniform", "waiting_times",
]  # fmt: skip


@draws
@hiding_frames
def uniform(
    key: Any, shape: Any = (), dtype: Any = None, minval: Any = 0.0, maxval: Any = 1.0
) -> Any:
    """Uniform samples in [minval, maxval): an array of `shape` of a float dtype.

    Samples are multiples of 2^-24 in f32, of 2^-53 in f64: as many bits as the dtype has digits.
    minval and maxval may be arrays that broadcast to `shape`; the derivative goes to them.  Raises
    `TypeError` for an invalid key or a non-float dtype; `ValueError` if minval is above maxval, or
    if one of them or their difference is not finite in that dtype.  For traced bounds such samples
    are NaN.

    >>> import anvl
    >>> print(anvl.random.uniform(anvl.random.key(0), (2,), "f16"))
    [0.004883 0.308   ]
    """
    wanted = float_dtype("uniform", dtype)
    check_ends(minval, maxval, wanted)
    ends = minval, maxval
    if isinstance(minval, int | float) and isinstance(maxval, int | float):
        if ends == (0, 1):
            return _uniform_fraction(key, shape, dtype)
        # In their dtype: as arguments numbers would be rounded to f32.
        number = scalar_array if current.trace is None else constant
        ends = number(float(minval), wanted), number(float(maxval), wanted)
    return _uniform(key, shape, dtype, *ends)


@public("shape", "dtype")
def _uniform_fraction(key: Any, shape: Any, dtype: Any) -> Any:
    wanted = float_dtype("uniform", dtype)
    return unit_fraction(Source(key, "uniform"), sizes_of(shape, "uniform"), wanted)


@public("shape", "dtype")
def _uniform(key: Any, shape: Any, dtype: Any, low: Any, high: Any) -> Any:
    wanted, sizes = float_dtype("uniform", dtype), sizes_of(shape, "uniform")
    ends = [promoted("uniform", (b,), "float")[0][0] for b in (low, high)]
    start, stop = (
        broadcast_to(convert(b, wanted), drawn_shape("uniform", sizes, b.shape)) for b in ends
    )
    unit, span = unit_fraction(Source(key, "uniform"), sizes, wanted), anp.subtract(stop, start)
    found = anp.add(start, anp.multiply(unit, span))
    # Rounding may give `high` itself.
    found = anp.where(anp.less(found, stop), found, anp.nextafter(stop, start))
    is_range = anp.logical_and(anp.greater_equal(span, 0), anp.isfinite(span))
    return anp.where(is_range, found, np.nan)


@draws
@public("shape", "dtype")
def normal(key: Any, shape: Any = (), dtype: Any = None) -> Any:
    """Standard normal samples (mean 0, variance 1): an array of a float dtype.

    The inverse of the distribution function at numbers between 0 and 1, which have 23 bits in f32
    and narrower, and 52 in f64: no sample is further out than 5.3, or 8.3.
    Raises `TypeError` for an invalid key or a non-float dtype.

    >>> import anvl
    >>> print(anvl.random.normal(anvl.random.key(0), (2,), "f16"))
    [-0.2058  0.2546]
    """
    wanted, sizes = float_dtype("normal", dtype), sizes_of(shape, "normal")
    return convert(normals(Source(key, "normal"), sizes, wanted), wanted)


def normals(source: Source, shape: tuple[int, ...], dtype: np.dtype[Any]) -> Tracer:
    """Standard normal samples of 32 bits at least, within a trace."""
    return normal_at(odd_fraction(source, shape, dtype))


def normal_at(odd: Tracer) -> Tracer:
    """Normal samples from odd fractions between 0 and 2."""
    both_sided = anp.subtract(odd, 1)  # odd numbers over 2^23, less 1: exact, and never -1 or 1
    return anp.multiply(anp.erfinv(both_sided), math.sqrt(2))


@draws
@public("shape", "dtype")
def exponential(key: Any, shape: Any = (), dtype: Any = None) -> Any:
    """Exponential samples of mean 1: an array of a float dtype.

    -log(1 - u) of `uniform` u.  Raises `TypeError` for an invalid key or a non-float dtype.

    >>> import anvl
    >>> print(anvl.random.exponential(anvl.random.key(0), (2,), "f16"))
    [0.542  0.9175]
    """
    wanted, sizes = float_dtype("exponential", dtype), sizes_of(shape, "exponential")
    return convert(waiting_times(Source(key, "exponential"), sizes, wanted), wanted)


def waiting_times(source: Source, shape: tuple[int, ...], dtype: np.dtype[Any]) -> Tracer:
    """Exponential samples of 32 bits at least, within a trace."""
    unit = unit_fraction(source, shape, wide_dtype(dtype))
    return anp.negative(anp.log1p(anp.negative(unit)))


@draws
@public("shape", "dtype", "mode")
def gumbel(key: Any, shape: Any = (), dtype: Any = None, mode: str | None = None) -> Any:
    """Standard Gumbel samples: an array of a float dtype.

    -log(-log u) of u in (0, 1).  `categorical` adds them to logits.  mode "high" draws 64 bits a
    sample, up to 44; with "low", the default, none is above 16 in f32.
    Raises `TypeError` for an invalid key or a non-float dtype, `ValueError` for another mode.

    >>> import anvl
    >>> print(anvl.random.gumbel(anvl.random.key(0), (2,), "f16"))
    [0.138  0.6733]
    """
    wanted, sizes = float_dtype("gumbel", dtype), sizes_of(shape, "gumbel")
    if is_high("gumbel", mode):
        unit = anp.add(high_fraction(Source(key, "gumbel"), sizes, wanted), 0.5**65)
        waiting = anp.negative(anp.log1p(anp.negative(unit)))
    else:
        half = anp.multiply(odd_fraction(Source(key, "gumbel"), sizes, wanted), 0.5)
        waiting = anp.negative(anp.log(half))
    return convert(anp.negative(anp.log(waiting)), wanted)
