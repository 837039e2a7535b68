"""Random choices: bools, elements of an array, indices; public in `anvl.random`."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from anvl import numpy as anp
from anvl.core.promote import broadcast_to, constant, convert, promoted
from anvl.core.tracer import Tracer
from anvl.dispatch.eager import public
from anvl.numpy.arrays.axes import axis_of, sizes_of
from anvl.numpy.arrays.sorting import argsort
from anvl.random.distributions import gumbel
from anvl.random.fractions import high_fraction, unit_fraction, wide_dtype
from anvl.random.integers import integers_between, permutation_of
from anvl.random.key_reuse import draws
from anvl.random.parameters import drawn_shape, is_high, no_number
from anvl.random.prng import Source
from anvl.random.random_checks import check_chances, check_logits, check_weights
from anvl.runtime import hiding_frames

__all__ = ["bernoulli", "categorical", "choice"]


@draws
@hiding_frames
def bernoulli(key: Any, p: Any = 0.5, shape: Any = None, mode: str = "low") -> Any:
    """Bernoulli samples, True with probability p: an array of bools of `shape`, or that of p.

    p may be an array that broadcasts to `shape`.  mode "high" draws 64 bits a sample, for p below
    2^-24, which "low" rounds to a multiple of that in f32.  Raises `TypeError` for an invalid key,
    `ValueError` for a p that does not broadcast or is not between 0 and 1, or another mode.  For a
    traced p, NaN and numbers below 0 give False, numbers above 1 True.

    >>> import anvl
    >>> print(anvl.random.bernoulli(anvl.random.key(0), 0.5, (4,)))
    [ True False  True False]
    """
    check_chances(p)
    return _bernoulli(key, p, shape, is_high("bernoulli", mode))


@public("shape", "high")
def _bernoulli(key: Any, p: Any, shape: Any, high: bool) -> Any:
    (chance,), _ = promoted("bernoulli", (p,), "float")
    sizes = drawn_shape("bernoulli", shape, chance.shape)
    fraction = high_fraction if high else unit_fraction
    return anp.less(fraction(Source(key, "bernoulli"), sizes, chance.dtype), chance)


@draws
@hiding_frames
def choice(
    key: Any, a: Any, shape: Any = (), replace: bool = True, p: Any = None, axis: int = 0,
    mode: str | None = None,
) -> Any:  # fmt: skip
    """Random elements along `axis` of a, or of 0, ..., a - 1 for an integer a.

    Parameters
    ----------
    key : ui64[]
    a : array or int
    shape : int or sequence of int
        Replaces the axis in the result.
    replace : bool
        Whether an element may be drawn more than once.
    p : array, optional
        A vector of relative probabilities; uniform by default.  Without `replace`, elements are
        drawn one after another from the remaining ones (Gumbel's trick).
    axis : int
    mode : str, optional
        "low" or "high": the bits of `gumbel`, for p without `replace`.

    Returns
    -------
    An array.  For a traced p that is invalid: NaN for floats, the lowest integer of a signed dtype,
    the largest of an unsigned one, True for bools.

    Raises
    ------
    TypeError
        An invalid key, or a p of another shape.
    ValueError
        More elements are drawn than a has, a has none, or p is invalid: negative, not finite, of
        sum 0 or, without `replace`, positive for too few elements.

    Examples
    --------
    >>> import anvl
    >>> print(anvl.random.choice(anvl.random.key(0), 10, (4,), replace=False))
    [3 5 7 8]
    """
    high = is_high("choice", mode)
    count = math.prod(sizes_of(shape, "choice"))
    check_weights(p, 0 if replace else count)
    if isinstance(a, int | np.integer) and not isinstance(a, bool):
        return _chosen(key, p, int(a), shape, replace, high)
    if not anp.ndim(a):
        raise TypeError(
            f"choice: a is {a!r} of type {type(a).__name__}; it must be an integer, or an array of "
            "one axis at least"
        )
    at = axis_of(axis, anp.ndim(a), "choice")
    places = _chosen(key, p, anp.shape(a)[at], shape, replace, high)
    return anp.take(a, places, at) if p is None else _take(a, places, at)


@public("axis")
def _take(x: Any, places: Any, axis: int) -> Any:
    """Elements at these indices; an invalid index gives the fill value."""
    found = anp.take(x, places, axis)
    rest = (1,) * (found.ndim - axis - places.ndim)
    is_place = anp.reshape(anp.greater_equal(places, 0), (*places.shape, *rest))
    return anp.where(is_place, found, constant(no_number(found.dtype), found.dtype))


@public("n", "shape", "replace", "high")
def _chosen(key: Any, p: Any, n: int, shape: Any, replace: bool, high: bool) -> Any:
    sizes = sizes_of(shape, "choice")
    count = math.prod(sizes)
    if n < 1:
        raise ValueError(f"choice: a has {max(n, 0)} elements; it must have at least one")
    if not replace and count > n:
        raise ValueError(f"choice: cannot draw {count} of {n} elements without `replace`")
    if p is None:
        if replace:
            return integers_between(key, 0, n, sizes, None)
        return anp.reshape(permutation_of(key, n, 0)[:count], sizes)
    (weights,), _ = promoted("choice", (p,), "float")
    if weights.shape != (n,):
        raise TypeError(f"choice: p is {weights.aval}; it must be a vector of {n}")
    is_weight = anp.logical_and(anp.greater_equal(weights, 0), anp.isfinite(weights))
    n_possible = anp.count_nonzero(anp.greater(weights, 0))
    chances = anp.greater_equal(n_possible, 1 if replace else count)
    chances = anp.logical_and(chances, anp.all(is_weight))
    weights = _rescaled_weights(convert(weights, wide_dtype(weights.dtype)))
    if replace:
        sums = anp.cumsum(weights)
        at = anp.multiply(unit_fraction(Source(key, "choice"), sizes, weights.dtype), sums[-1])
        found = anp.clip(anp.searchsorted(sums, at, side="right"), max=n - 1)
    else:
        scores = anp.add(
            gumbel(key, (n,), weights.dtype, "high" if high else "low"), anp.log(weights)
        )
        found = anp.reshape(argsort(anp.negative(scores))[:count], sizes)
    return anp.where(chances, found, no_number(found.dtype))


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


@draws
@hiding_frames
def categorical(
    key: Any, logits: Any, axis: int = -1, shape: Any = None, replace: bool = True,
    mode: str | None = None,
) -> Any:  # fmt: skip
    """Indices along `axis`, drawn with probabilities proportional to exp(logits).

    The index where logits plus `gumbel` are largest; without `replace`, the indices of the largest.

    Parameters
    ----------
    key : ui64[]
    logits : array
    axis : int
    shape : sequence of int, optional
        The logits without the axis broadcast to it.
    replace : bool
        Without it, the first axes of `shape`, those that the logits lack, count samples that
        differ.
    mode : str, optional
        "low" or "high": the bits of `gumbel`.

    Returns
    -------
    An array of the shape of the logits without the axis, or of `shape`, of the default integer
    dtype, i32.  For traced logits that are invalid, the lowest integer, which is no index.

    Raises
    ------
    TypeError
        An invalid key.
    ValueError
        The shape does not fit; the logits do not have this axis, or are invalid: with a NaN,
        several infinities, or all -infinity; more samples than categories without `replace`;
        another mode.

    Examples
    --------
    >>> import anvl
    >>> print(anvl.random.categorical(anvl.random.key(0), anvl.numpy.zeros(3), shape=(4,)))
    [1 2 0 0]
    """
    check_logits(logits, axis)
    draw = _categorical if replace else _categories_without
    return draw(key, logits, axis, shape, is_high("categorical", mode))


@public("axis", "shape", "high")
def _categorical(key: Any, logits: Any, axis: int, shape: Any, high: bool) -> Any:
    (operand,), _ = promoted("categorical", (logits,), "float")
    last = anp.moveaxis(operand, axis_of(axis, operand.ndim, "categorical"), -1)
    sizes = drawn_shape("categorical", shape, last.shape[:-1])
    noise = gumbel(key, (*sizes, last.shape[-1]), last.dtype, "high" if high else "low")
    found = anp.argmax(anp.add(noise, last), axis=-1)
    return anp.where(_says_chances(last), found, no_number(found.dtype))


@public("axis", "shape", "high")
def _categories_without(key: Any, logits: Any, axis: int, shape: Any, high: bool) -> Any:
    (operand,), _ = promoted("categorical", (logits,), "float")
    last = anp.moveaxis(operand, axis_of(axis, operand.ndim, "categorical"), -1)
    batch, n = last.shape[:-1], last.shape[-1]
    sizes = drawn_shape("categorical", shape, batch)
    of_samples = sizes[: len(sizes) - len(batch)]
    count = math.prod(of_samples)
    if count > n:
        raise ValueError(f"categorical: cannot draw {count} of {n} categories without `replace`")
    last = broadcast_to(last, (*sizes[len(of_samples) :], n))
    scores = anp.add(gumbel(key, last.shape, last.dtype, "high" if high else "low"), last)
    order = anp.moveaxis(argsort(anp.negative(scores), -1)[..., :count], -1, 0)
    found = anp.reshape(order, sizes)
    return anp.where(_says_chances(last), found, no_number(found.dtype))


def _says_chances(logits: Tracer) -> Any:
    """Whether the logits along the last axis define probabilities."""
    largest = anp.max(logits, axis=-1)
    infinities = anp.count_nonzero(anp.equal(logits, np.inf), axis=-1)
    return anp.logical_and(anp.greater(largest, -np.inf), anp.less_equal(infinities, 1))
