"""Random integers and permutations; public in `anvl.random`."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np

from anvl import numpy as anp
from anvl.core.argument_arrays import scalar_array
from anvl.core.promote import abstract, as_tracer, broadcast_to, constant, convert
from anvl.core.trace_state import current
from anvl.core.tracer import Tracer
from anvl.dialect.core.types import dtype_name, element_type, kind
from anvl.dispatch.eager import public
from anvl.numpy.arrays.axes import axis_of, sizes_of
from anvl.numpy.arrays.sorting import argsort
from anvl.numpy.functions.emitting import is_kind, prim
from anvl.random.key_reuse import draws
from anvl.random.parameters import drawn_shape, integer_dtype
from anvl.random.prng import U64, random_bits, unsigned
from anvl.runtime import hiding_frames

__all__ = ["integers_between", "permutation", "permutation_of", "randint"]


@draws
@hiding_frames
def randint(key: Any, shape: Any, minval: Any, maxval: Any, dtype: Any = None) -> Any:
    """Uniform integers in [minval, maxval): an array of `shape`, i32 by default.

    minval and maxval are integers, or arrays of them that broadcast to `shape`; where maxval is not
    above minval, the result is minval.  Probabilities of two values differ by less than 2^-32, or
    by 2^-64 in 64 bits.  Raises `TypeError` for an invalid key, non-integer bounds or another
    dtype; for Python numbers `ValueError` if maxval is not above minval, and `OverflowError` if the
    dtype does not hold them.

    >>> import anvl
    >>> print(anvl.random.randint(anvl.random.key(0), (3,), 0, 100))
    [60 75 98]
    """
    ends = minval, maxval
    if any(isinstance(b, list | tuple) for b in ends):
        raise TypeError(
            f"randint: minval is {minval!r} and maxval {maxval!r}; they must be integers or arrays "
            "of them: the order is randint(key, shape, minval, maxval)"
        )
    if all(isinstance(b, int) and not isinstance(b, bool) for b in ends):
        return integers_between(key, minval, maxval, shape, dtype)
    low, high = (np.int64(b) if isinstance(b, int) else b for b in ends)
    return _randint(key, low, high, shape, dtype)


def integers_between(key: Any, low: int, high: int, shape: Any, dtype: Any) -> Any:
    """Integers from low on, below high."""
    wanted = integer_dtype("randint", dtype)
    if high <= low:
        raise ValueError(f"randint: maxval {high} must be above minval {low}")
    limits = ml_dtypes.iinfo(wanted)
    if low < limits.min or high - 1 > limits.max:
        raise OverflowError(
            f"randint: {low} to {high - 1} do not fit {dtype_name(wanted)}, which holds "
            f"{limits.min} to {limits.max}; give a wider dtype"
        )
    # Outside of a trace the numbers are arguments, so that all ranges are one program.
    number = scalar_array if current.trace is None else constant
    span = None if high - low == 2**64 else number(high - low, U64)
    return _integers_from(key, number(low % 2**64, U64), span, shape, wanted)


@public("shape", "dtype")
def _integers_from(key: Any, low: Any, span: Any, shape: Any, dtype: np.dtype[Any]) -> Any:
    sizes = sizes_of(shape, "randint")
    if span is None:
        offset = random_bits("randint", key, sizes, "ui64")
    else:
        offset = _integers_below(key, as_tracer(span), sizes, dtype)
    return _offset(offset, as_tracer(low), dtype)


@public("shape", "dtype")
def _randint(key: Any, low: Any, high: Any, shape: Any, dtype: Any) -> Any:
    wanted, sizes = integer_dtype("randint", dtype), sizes_of(shape, "randint")
    ends = [as_tracer(b, "randint") for b in (low, high)]
    for end in ends:
        if not is_kind(end, "int", "uint"):
            raise TypeError(f"randint: bounds must be integers, got {end.aval}")
        drawn_shape("randint", sizes, end.shape)
    for end in (low, anp.subtract(high, 1)):
        if abstract(end).weak_type:
            convert(as_tracer(end), wanted)  # raises if it does not fit
    start, stop = map(unsigned, ends)
    span = anp.where(anp.less(*ends), anp.subtract(stop, start), constant(0, U64))
    return _offset(_integers_below(key, span, sizes, wanted), start, wanted)


def _offset(offset: Tracer, low: Tracer, dtype: np.dtype[Any]) -> Any:
    """low + offset modulo 2^64, in a dtype that holds it."""
    total = anp.add(offset, low)
    if kind(element_type(dtype)) == "int":
        total = prim("bitcast_convert", total, dtype="i64")
    return convert(total, dtype)


def _integers_below(key: Any, span: Tracer, shape: tuple[int, ...], dtype: np.dtype[Any]) -> Tracer:
    """Random numbers below `span`: a random fraction of it, of 64 bits, or of 128 for 64."""
    span = broadcast_to(span, shape)
    if dtype.itemsize < 8:
        return _high_product(random_bits("randint", key, shape, "ui64"), span)
    first, second = anp.unstack(random_bits("randint", key, (2, *shape), "ui64"))
    rest = _high_product(second, span)
    low = anp.add(anp.multiply(first, span), rest)
    carry = convert(anp.less(low, rest), U64)
    return anp.add(_high_product(first, span), carry)


def _high_product(x: Tracer, y: Tracer) -> Tracer:
    """The upper 64 bits of a product of 128 bits."""
    mask = constant(2**32 - 1, U64)

    def halves(v: Tracer) -> tuple[Tracer, Tracer]:
        return anp.right_shift(v, 32), anp.bitwise_and(v, mask)

    (x1, x0), (y1, y0) = halves(x), halves(y)
    one, _ = halves(anp.multiply(x0, y0))
    upper, lower = halves(anp.add(anp.multiply(x1, y0), one))
    other, _ = halves(anp.add(anp.multiply(x0, y1), lower))
    return anp.add(anp.add(anp.multiply(x1, y1), upper), other)


@public("x", "axis")
def permutation_of(key: Any, x: int, axis: int) -> Any:
    if x < 0:
        raise ValueError(f"permutation: x is {x}; it must not be negative")
    return argsort(random_bits("permutation", key, (x,), "ui64"))


@public("axis", "independent")
def _permuted(key: Any, x: Any, axis: int, independent: bool) -> Any:
    operand = as_tracer(x, "permutation")
    at = axis_of(axis, operand.ndim, "permutation")
    if independent:
        words = random_bits("permutation", key, operand.shape, "ui64")
        return anp.take_along_axis(operand, argsort(words, at), at)
    return anp.take(operand, permutation_of(key, operand.shape[at], 0), at)


@draws
@hiding_frames
def permutation(key: Any, x: Any, axis: int = 0, independent: bool = False) -> Any:
    """Random permutation of 0, ..., x - 1, or of an array x along `axis`.

    With `independent`, each vector along the axis is permuted by itself.  For an integer x the
    result has the default integer dtype, i32.  Implemented by sorting random 64-bit words.
    Differentiable in x.  Raises `TypeError` for an invalid key, `ValueError` for a missing axis.

    >>> import anvl
    >>> print(anvl.random.permutation(anvl.random.key(0), 5))
    [3 0 4 1 2]
    """
    if isinstance(x, int | np.integer) and not isinstance(x, bool):
        return permutation_of(key, int(x), axis)
    return _permuted(key, x, axis, independent)
