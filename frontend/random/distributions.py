"""Sampling from distributions with explicit keys; public in `anvl.random`."""

from __future__ import annotations

import math
from typing import Any

import ml_dtypes
import numpy as np

from anvl import numpy as anp
from anvl.core.config import as_dtype, default_dtype
from anvl.core.promote import (
    abstract,
    as_tracer,
    broadcast_shapes,
    broadcast_to,
    constant,
    convert,
    promoted,
)
from anvl.core.tracer import Tracer
from anvl.dialect.core.types import dtype_name, element_type, kind
from anvl.dispatch.eager import public
from anvl.numpy.arrays.axes import axis_of, sizes_of
from anvl.numpy.arrays.sorting import argsort
from anvl.numpy.functions.emitting import is_kind, prim
from anvl.random.prng import U64, random_bits, unsigned
from anvl.random.random_checks import check_chances, check_ends, check_logits, check_weights
from anvl.runtime import hiding_frames

__all__ = [
    "bernoulli", "categorical", "choice", "exponential", "gumbel", "normal", "permutation",
    "randint", "uniform",
]  # fmt: skip

# -- numbers ---------------------------------------------------------------------------------------


@hiding_frames
def uniform(key: Any, shape: Any = (), dtype: Any = None, low: Any = 0.0, high: Any = 1.0) -> Any:
    """Uniform samples in [low, high): an array of `shape` of a float dtype.

    Samples are multiples of 2^-24 in f32, of 2^-53 in f64: as many bits as the dtype has digits.
    low and high may be arrays that broadcast to `shape`; the derivative goes to them. Raises
    `TypeError` for an invalid key or a non-float dtype; `ValueError` if low is above high, or if
    one of them or their difference is not finite in that dtype.  For traced bounds such samples are
    NaN.

    >>> import anvl
    >>> print(anvl.random.uniform(anvl.random.key(0), (2,), "f16"))
    [0.004883 0.308   ]
    """
    check_ends(low, high, _float("uniform", dtype))
    numbers = isinstance(low, int | float) and isinstance(high, int | float)
    # Numbers are part of the program: as arguments they would be rounded to f32.
    draw = _uniform_between if numbers else _uniform
    return draw(key, shape, dtype, low, high)


@public("shape", "dtype", "low", "high")
def _uniform_between(key: Any, shape: Any, dtype: Any, low: float, high: float) -> Any:
    wanted = _float("uniform", dtype)
    if (low, high) == (0, 1):
        return _unit("uniform", key, sizes_of(shape, "uniform"), wanted)
    return _uniform(key, shape, dtype, *(constant(float(b), wanted) for b in (low, high)))


@public("shape", "dtype")
def _uniform(key: Any, shape: Any, dtype: Any, low: Any, high: Any) -> Any:
    wanted, sizes = _float("uniform", dtype), sizes_of(shape, "uniform")
    ends = [promoted("uniform", (b,), "float")[0][0] for b in (low, high)]
    start, stop = (
        broadcast_to(convert(b, wanted), _shape("uniform", sizes, b.shape)) for b in ends
    )
    unit, span = _unit("uniform", key, sizes, wanted), anp.subtract(stop, start)
    found = anp.add(start, anp.multiply(unit, span))
    # Rounding may give `high` itself.
    found = anp.where(anp.less(found, stop), found, anp.nextafter(stop, start))
    is_range = anp.logical_and(anp.greater_equal(span, 0), anp.isfinite(span))
    return anp.where(is_range, found, np.nan)


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
    wanted, sizes = _float("normal", dtype), sizes_of(shape, "normal")
    odd = _odd("normal", key, sizes, wanted)
    both_sided = anp.subtract(odd, 1)  # odd numbers over 2^23, less 1: exact, and never -1 or 1
    return convert(anp.multiply(anp.erfinv(both_sided), math.sqrt(2)), wanted)


@public("shape", "dtype")
def exponential(key: Any, shape: Any = (), dtype: Any = None) -> Any:
    """Exponential samples of mean 1: an array of a float dtype.

    -log(1 - u) of `uniform` u.  Raises `TypeError` for an invalid key or a non-float dtype.

    >>> import anvl
    >>> print(anvl.random.exponential(anvl.random.key(0), (2,), "f16"))
    [0.542  0.9175]
    """
    wanted, sizes = _float("exponential", dtype), sizes_of(shape, "exponential")
    unit = _unit("exponential", key, sizes, _wide(wanted))
    return convert(anp.negative(anp.log1p(anp.negative(unit))), wanted)


@public("shape", "dtype")
def gumbel(key: Any, shape: Any = (), dtype: Any = None) -> Any:
    """Standard Gumbel samples: an array of a float dtype.

    -log(-log u) of u in (0, 1).  `categorical` adds them to logits.
    Raises `TypeError` for an invalid key or a non-float dtype.

    >>> import anvl
    >>> print(anvl.random.gumbel(anvl.random.key(0), (2,), "f16"))
    [0.138  0.6733]
    """
    wanted, sizes = _float("gumbel", dtype), sizes_of(shape, "gumbel")
    half = anp.multiply(_odd("gumbel", key, sizes, wanted), 0.5)
    return convert(anp.negative(anp.log(anp.negative(anp.log(half)))), wanted)


def _float(name: str, dtype: Any) -> np.dtype[Any]:
    wanted = default_dtype(float) if dtype is None else as_dtype(dtype)
    if kind(element_type(wanted)) != "float" or wanted.itemsize < 2:
        raise TypeError(
            f"{name}: the dtype is {dtype_name(wanted)}; draw one of f16, bf16, f32, f64"
        )
    return wanted


def _wide(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """f32 for narrower dtypes, which are computed in it."""
    return np.dtype(np.float32) if dtype.itemsize < 4 else dtype


def _unit(name: str, key: Any, shape: tuple[int, ...], dtype: np.dtype[Any]) -> Tracer:
    """Multiples of half the dtype's epsilon, from 0 to 1."""
    digits = ml_dtypes.finfo(dtype).nmant + 1
    return _fraction(name, key, shape, dtype, digits)


def _odd(name: str, key: Any, shape: tuple[int, ...], dtype: np.dtype[Any]) -> Tracer:
    """Odd multiples of the epsilon of the dtype, or of f32, between 0 and 2."""
    wide = _wide(dtype)
    digits = ml_dtypes.finfo(wide).nmant
    unit = _fraction(name, key, shape, wide, digits)
    return anp.multiply(anp.add(unit, 0.5 / 2**digits), 2)


def _fraction(
    name: str, key: Any, shape: tuple[int, ...], dtype: np.dtype[Any], digits: int
) -> Tracer:
    """Multiples of 2^-digits, from 0 to 1."""
    width = dtype.itemsize * 8
    words = random_bits(name, key, shape, f"ui{width}")
    kept = convert(anp.right_shift(words, width - digits), dtype)
    return anp.multiply(kept, 0.5**digits)


# -- choices ---------------------------------------------------------------------------------------


@hiding_frames
def bernoulli(key: Any, p: Any = 0.5, shape: Any = None) -> Any:
    """Bernoulli samples, True with probability p: an array of bools of `shape`, or that of p.

    p may be an array that broadcasts to `shape`. Raises `TypeError` for an invalid key, or a p that
    does not broadcast; `ValueError` for a p that is not between 0 and 1.  For a traced p, NaN and
    numbers below 0 give False, numbers above 1 True.

    >>> import anvl
    >>> print(anvl.random.bernoulli(anvl.random.key(0), 0.5, (4,)))
    [ True False  True False]
    """
    check_chances(p)
    return _bernoulli(key, p, shape)


@public("shape")
def _bernoulli(key: Any, p: Any, shape: Any) -> Any:
    (chance,), _ = promoted("bernoulli", (p,), "float")
    sizes = _shape("bernoulli", shape, chance.shape)
    return anp.less(_unit("bernoulli", key, sizes, chance.dtype), chance)


def _shape(name: str, shape: Any, least: tuple[int, ...]) -> tuple[int, ...]:
    """The requested shape, to which the operands must broadcast."""
    if shape is None:
        return least
    sizes = sizes_of(shape, name)
    if broadcast_shapes(sizes, least, function=name) != sizes:
        raise TypeError(f"{name}: shape {list(least)} does not broadcast to {list(sizes)}")
    return sizes


@hiding_frames
def randint(key: Any, low: Any, high: Any, shape: Any = (), dtype: Any = None) -> Any:
    """Uniform integers in [low, high): an array of `shape` of an integer dtype.

    low and high are integers, or arrays of them that broadcast to `shape`; where high is not above
    low, the result is low.  Probabilities of two values differ by less than 2^-32, or by 2^-64 in
    64 bits.  Raises `TypeError` for an invalid key or non-integer bounds; for Python numbers
    `ValueError` if high is not above low, and `OverflowError` if the dtype does not hold them.

    >>> import anvl
    >>> print(anvl.random.randint(anvl.random.key(0), 0, 100, (3,)))
    [60 75 98]
    """
    if all(isinstance(b, int) and not isinstance(b, bool) for b in (low, high)):
        return _randint_between(key, low, high, shape, dtype)
    low, high = (np.int64(b) if isinstance(b, int) else b for b in (low, high))
    return _randint(key, low, high, shape, dtype)


@public("low", "high", "shape", "dtype")
def _randint_between(key: Any, low: int, high: int, shape: Any, dtype: Any) -> Any:
    wanted = _integer(dtype)
    if high <= low:
        raise ValueError(f"randint: high {high} must be above low {low}")
    limits = ml_dtypes.iinfo(wanted)
    if low < limits.min or high - 1 > limits.max:
        raise OverflowError(
            f"randint: {low} to {high - 1} do not fit {dtype_name(wanted)}, which holds "
            f"{limits.min} to {limits.max}; give a wider dtype"
        )
    sizes = sizes_of(shape, "randint")
    if high - low == 2**64:
        offset = random_bits("randint", key, sizes, "ui64")
    else:
        offset = _integers_below(key, constant(high - low, U64), sizes, wanted)
    return _offset(offset, constant(low % 2**64, U64), wanted)


@public("shape", "dtype")
def _randint(key: Any, low: Any, high: Any, shape: Any, dtype: Any) -> Any:
    wanted, sizes = _integer(dtype), sizes_of(shape, "randint")
    ends = [as_tracer(b, "randint") for b in (low, high)]
    for end in ends:
        if not is_kind(end, "int", "uint"):
            raise TypeError(f"randint: bounds must be integers, got {end.aval}")
        _shape("randint", sizes, end.shape)
    for end in (low, anp.subtract(high, 1)):
        if abstract(end).weak_type:
            convert(as_tracer(end), wanted)  # raises if it does not fit
    start, stop = map(unsigned, ends)
    span = anp.where(anp.less(*ends), anp.subtract(stop, start), constant(0, U64))
    return _offset(_integers_below(key, span, sizes, wanted), start, wanted)


def _integer(dtype: Any) -> np.dtype[Any]:
    wanted = default_dtype(int) if dtype is None else as_dtype(dtype)
    if kind(element_type(wanted)) not in ("int", "uint"):
        raise TypeError(f"randint: the dtype is {dtype_name(wanted)}; it must be an integer")
    return wanted


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
def _permutation_of(key: Any, x: int, axis: int) -> Any:
    if x < 0:
        raise ValueError(f"permutation: x is {x}; it must not be negative")
    return argsort(random_bits("permutation", key, (x,), "ui64"))


@public("axis")
def _permuted(key: Any, x: Any, axis: int) -> Any:
    operand = as_tracer(x, "permutation")
    at = axis_of(axis, operand.ndim, "permutation")
    return anp.take(operand, _permutation_of(key, operand.shape[at], 0), at)


@hiding_frames
def permutation(key: Any, x: Any, axis: int = 0) -> Any:
    """Random permutation of 0, ..., x - 1, or of an array x along `axis`.

    For an integer x the result has the default integer dtype, i32.  Implemented by sorting random
    64-bit words.  Raises `TypeError` for an invalid key, `ValueError` for a missing axis.

    >>> import anvl
    >>> print(anvl.random.permutation(anvl.random.key(0), 5))
    [3 0 4 1 2]
    """
    whole = isinstance(x, int) and not isinstance(x, bool)
    return (_permutation_of if whole else _permuted)(key, x, axis)


@hiding_frames
def choice(
    key: Any, x: Any, shape: Any = (), replace: bool = True, p: Any = None, axis: int = 0
) -> Any:
    """Random elements along `axis` of x, or of 0, ..., x - 1 for an integer x.

    Parameters
    ----------
    key : ui64[]
    x : array or int
    shape : int or sequence of int
        Replaces the axis in the result.
    replace : bool
        Whether an element may be drawn more than once.
    p : array, optional
        A vector of relative probabilities; uniform by default.  Without `replace`, elements are
        drawn one after another from the remaining ones (Gumbel's trick).
    axis : int

    Returns
    -------
    An array.  For a traced p that is invalid: NaN for floats, the lowest integer of a signed dtype,
    the largest of an unsigned one, True for bools.

    Raises
    ------
    TypeError
        An invalid key, or a p of another shape.
    ValueError
        More elements are drawn than x has, x has none, or p is invalid: negative, not finite, of
        sum 0 or, without `replace`, positive for too few elements.

    Examples
    --------
    >>> import anvl
    >>> print(anvl.random.choice(anvl.random.key(0), 10, (4,), replace=False))
    [3 5 7 8]
    """
    count = math.prod(sizes_of(shape, "choice"))
    check_weights(p, 0 if replace else count)
    if isinstance(x, int | np.integer) and not isinstance(x, bool):
        return _chosen(key, p, int(x), shape, replace)
    if not anp.ndim(x):
        raise TypeError(
            f"choice: x is {x!r} of type {type(x).__name__}; it must be an integer, or an array of "
            "one axis at least"
        )
    at = axis_of(axis, anp.ndim(x), "choice")
    places = _chosen(key, p, anp.shape(x)[at], shape, replace)
    return anp.take(x, places, at) if p is None else _take(x, places, at)


@public("axis")
def _take(x: Any, places: Any, axis: int) -> Any:
    """Elements at these indices; an invalid index gives the fill value."""
    found = anp.take(x, places, axis)
    rest = (1,) * (found.ndim - axis - places.ndim)
    is_place = anp.reshape(anp.greater_equal(places, 0), (*places.shape, *rest))
    return anp.where(is_place, found, constant(_no_number(found.dtype), found.dtype))


def _no_number(dtype: np.dtype[Any]) -> Any:
    """Fill value of a dtype for an invalid sample, as JAX fills out-of-range elements."""
    of = kind(element_type(dtype))
    if of in ("int", "uint"):
        limits = np.iinfo(dtype)
        return int(limits.min if of == "int" else limits.max)
    return True if of == "bool" else np.nan


@public("n", "shape", "replace")
def _chosen(key: Any, p: Any, n: int, shape: Any, replace: bool) -> Any:
    sizes = sizes_of(shape, "choice")
    count = math.prod(sizes)
    if n < 1:
        raise ValueError(f"choice: x has {max(n, 0)} elements; it must have at least one")
    if not replace and count > n:
        raise ValueError(f"choice: cannot draw {count} of {n} elements without `replace`")
    if p is None:
        if replace:
            return _randint_between(key, 0, n, sizes, None)
        return anp.reshape(_permutation_of(key, n, 0)[:count], sizes)
    (weights,), _ = promoted("choice", (p,), "float")
    if weights.shape != (n,):
        raise TypeError(f"choice: p is {weights.aval}; it must be a vector of {n}")
    is_weight = anp.logical_and(anp.greater_equal(weights, 0), anp.isfinite(weights))
    n_possible = anp.count_nonzero(anp.greater(weights, 0))
    chances = anp.greater_equal(n_possible, 1 if replace else count)
    chances = anp.logical_and(chances, anp.all(is_weight))
    weights = _rescaled_weights(convert(weights, _wide(weights.dtype)))
    if replace:
        sums = anp.cumsum(weights)
        at = anp.multiply(_unit("choice", key, sizes, weights.dtype), sums[-1])
        found = anp.clip(anp.searchsorted(sums, at, side="right"), max=n - 1)
    else:
        scores = anp.add(gumbel(key, (n,), weights.dtype), anp.log(weights))
        found = anp.reshape(argsort(anp.negative(scores))[:count], sizes)
    return anp.where(chances, found, _no_number(found.dtype))


def _rescaled_weights(weights: Tracer) -> Tracer:
    """Scale weights by a power of two, so that their sum is finite and its parts are normal.

    No division by the largest: XLA turns it into a product with an inverse, which is 0 for large
    ones.
    """
    largest = anp.max(weights)
    small = anp.where(anp.less(largest, 0.5**_SCALE), 2.0**_SCALE, 1)
    scale = anp.where(anp.greater(largest, 2.0**_SCALE), 0.5**_SCALE, small)
    return anp.multiply(weights, scale)


_SCALE = 64  # half the range of exponents of an f32: sums of 2^63 weights fit


@hiding_frames
def categorical(key: Any, logits: Any, axis: int = -1, shape: Any = None) -> Any:
    """Indices along `axis`, drawn with probabilities proportional to exp(logits).

    The index where logits plus `gumbel` are largest.

    Parameters
    ----------
    key : ui64[]
    logits : array
    axis : int
    shape : sequence of int, optional
        The logits without the axis broadcast to it.

    Returns
    -------
    An array of the shape of the logits without the axis, or of `shape`, of the default integer
    dtype, i32.  For traced logits that are invalid, the lowest integer, which is no index.

    Raises
    ------
    TypeError
        An invalid key, or a shape that does not fit.
    ValueError
        The logits do not have this axis, or are invalid: with a NaN, several infinities, or all
        -infinity.

    Examples
    --------
    >>> import anvl
    >>> print(anvl.random.categorical(anvl.random.key(0), anvl.numpy.zeros(3), shape=(4,)))
    [1 2 0 0]
    """
    check_logits(logits, axis)
    return _categorical(key, logits, axis, shape)


@public("axis", "shape")
def _categorical(key: Any, logits: Any, axis: int, shape: Any) -> Any:
    (operand,), _ = promoted("categorical", (logits,), "float")
    last = anp.moveaxis(operand, axis_of(axis, operand.ndim, "categorical"), -1)
    sizes = _shape("categorical", shape, last.shape[:-1])
    noise = gumbel(key, (*sizes, last.shape[-1]), last.dtype)
    found = anp.argmax(anp.add(noise, last), axis=-1)
    return anp.where(_says_chances(last), found, _no_number(found.dtype))


def _says_chances(logits: Tracer) -> Any:
    """Whether the logits along the last axis define probabilities."""
    largest = anp.max(logits, axis=-1)
    infinities = anp.count_nonzero(anp.equal(logits, np.inf), axis=-1)
    return anp.logical_and(anp.greater(largest, -np.inf), anp.less_equal(infinities, 1))
