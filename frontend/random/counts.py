"""Distributions of counts, and random signs; public in `anvl.random`.

Note [Counts by rejection]

Small means: waiting times are added up until they exceed the mean.  Large ones: proposals from a
density that is a table mountain, and are accepted by the probability that they have.  The logarithm
of that is written with Loader's deviances, in which nothing of the size of the mean cancels, so
that f32 is enough for means of millions; samples beyond 2^24 are rounded as f32 is.
Sources: W. Hormann, The transformed rejection method for generating Poisson random variables,
Insurance: Mathematics and Economics 12 (1993); W. Hormann, The generation of binomial random
variates, J. Stat. Comput. Simul. 46 (1993); C. Loader, Fast and accurate computation of binomial
probabilities (2000).
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from anvl import numpy as anp
from anvl.control_flow.loops import scan
from anvl.core.config import as_dtype
from anvl.core.promote import broadcast_shapes, broadcast_to, convert, promoted
from anvl.core.tracer import Tracer
from anvl.dialect.core.types import element_type, kind
from anvl.numpy.arrays.axes import sizes_of
from anvl.numpy.functions.emitting import prim
from anvl.random.distributions import waiting_times
from anvl.random.fractions import odd_fraction
from anvl.random.parameters import (
    distribution,
    drawn_shape,
    float_dtype,
    integer_dtype,
    operands,
)
from anvl.random.prng import Source, random_bits
from anvl.random.rejection import accepted, counted

__all__ = ["binomial", "geometric", "multinomial", "poisson", "rademacher"]

_SMALL = 10.0  # means below it are counted out: the table mountains need larger ones


@distribution()
def rademacher(key: Any, shape: Any = (), dtype: Any = None) -> Any:
    """Random signs, -1 or 1 with equal probability: an array of `shape`.

    The dtype is signed or a float, by default the default of integers, i32.
    Raises `TypeError` for an invalid key or another dtype.

    >>> import anvl
    >>> sorted(set(anvl.random.rademacher(anvl.random.key(0), (20,)).tolist()))
    [-1, 1]
    """
    is_float = dtype is not None and kind(element_type(as_dtype(dtype))) == "float"
    wanted = (float_dtype if is_float else integer_dtype)("rademacher", dtype)
    if wanted.kind == "u":
        raise TypeError(f"rademacher: the dtype is {wanted}; it must hold -1")
    bits = random_bits("rademacher", key, sizes_of(shape, "rademacher"), "ui32")
    is_one = anp.equal(anp.right_shift(bits, 31), 1)
    return convert(anp.where(is_one, np.int32(1), np.int32(-1)), wanted)


@distribution()
def geometric(key: Any, p: Any, shape: Any = None, dtype: Any = None) -> Any:
    """Number of trials up to the first success, of probability p each: integers from 1 on.

    An array of `shape`, or that of p, of an integer dtype, i32 by default.  Where p is not in
    (0, 1] the lowest integer of the dtype; samples that it does not hold are its largest.
    Raises `TypeError` for an invalid key or another dtype, `ValueError` for a shape that p does not
    broadcast to.

    >>> import anvl
    >>> anvl.random.geometric(anvl.random.key(0), 0.3, (3,)).shape
    (3,)
    """
    wanted = integer_dtype("geometric", dtype)
    (chance,), sizes, _ = operands("geometric", (p,), shape, None)
    is_valid = anp.logical_and(anp.greater(chance, 0), anp.less_equal(chance, 1))
    is_sure = anp.equal(chance, 1)
    safe = anp.where(anp.logical_and(is_valid, anp.logical_not(is_sure)), chance, 0.5)
    half = anp.multiply(odd_fraction(Source(key, "geometric"), sizes, safe.dtype), 0.5)
    count = anp.ceil(anp.divide(anp.log(half), anp.log1p(anp.negative(safe))))
    count = anp.where(is_sure, 1, anp.maximum(count, 1))
    return _as_integers(count, is_valid, wanted)


def _as_integers(count: Any, is_valid: Any, dtype: np.dtype[Any]) -> Any:
    """Whole numbers as integers; the lowest one where they are invalid."""
    limits = np.iinfo(dtype)
    count = prim("stop_gradient", count)
    most = float(limits.max)
    is_large = anp.greater_equal(count, most)
    found = convert(anp.where(is_large, 0, count), dtype)
    return anp.where(is_valid, anp.where(is_large, limits.max, found), limits.min)


@distribution()
def poisson(key: Any, lam: Any, shape: Any = None, dtype: Any = None) -> Any:
    """Poisson samples of mean lam: an array of `shape`, or that of lam, of an integer dtype.

    i32 by default.  Where lam is negative, infinite or NaN: the lowest integer of the dtype;
    samples that it does not hold are its largest.  Computed in the dtype of lam, at least f32:
    see Note [Counts by rejection] in `anvl.random.counts`.  Without derivative.
    Raises `TypeError` for an invalid key or another dtype, `ValueError` for a shape that lam does
    not broadcast to.

    >>> import anvl
    >>> anvl.random.poisson(anvl.random.key(0), 4.0, (3,)).shape
    (3,)
    """
    wanted = integer_dtype("poisson", dtype)
    (mean,), _, _ = operands("poisson", (lam,), shape, None)
    mean = prim("stop_gradient", mean)
    is_valid = anp.logical_and(anp.greater_equal(mean, 0), anp.isfinite(mean))
    is_small = anp.less(mean, _SMALL)
    few = anp.where(anp.logical_and(is_valid, is_small), mean, 0)
    many = anp.where(anp.logical_and(is_valid, anp.logical_not(is_small)), mean, _SMALL)
    counts = counted(Source(key, "poisson", 1), few, _waiting(few))
    rejected = _poisson(Source(key, "poisson", 2), many, is_small)
    return _as_integers(anp.where(is_small, counts, rejected), is_valid, wanted)


def _waiting(like: Tracer) -> Any:
    return lambda source: waiting_times(source, like.shape, like.dtype)


def _poisson(source: Source, mean: Tracer, is_settled: Any) -> Tracer:
    """Hormann's PTRS, for means of at least 10."""
    b = anp.add(0.931, anp.multiply(2.53, anp.sqrt(mean)))
    a = anp.add(-0.059, anp.multiply(0.02483, b))
    scale = anp.add(1.1239, anp.divide(1.1328, anp.subtract(b, 3.4)))
    sure = anp.subtract(0.9277, anp.divide(3.6224, anp.subtract(b, 2)))

    def log_chance(k: Tracer) -> Tracer:
        return anp.negative(anp.add(_deviance(k, mean), _log_factorial_rest(k)))

    def propose(source: Source) -> tuple[Tracer, Any]:
        k, v, us = _mountain(source, a, b, anp.add(mean, 0.43))
        is_count = anp.greater_equal(k, 0)
        quick = anp.logical_and(anp.greater_equal(us, 0.07), anp.less_equal(v, sure))
        hat = anp.divide(anp.multiply(v, scale), anp.add(anp.divide(a, anp.square(us)), b))
        safe = anp.where(is_count, k, 0)
        slow = anp.less_equal(anp.log(hat), log_chance(safe))
        is_accepted = anp.logical_and(is_count, anp.logical_or(quick, slow))
        return k, anp.logical_or(is_accepted, is_settled)

    return accepted(source, mean, propose)


def _mountain(source: Source, a: Any, b: Any, center: Any) -> tuple[Any, Any, Any]:
    """A proposal of transformed rejection, with its second uniform number, and 1/2 - |u|."""
    first, v = anp.unstack(anp.multiply(odd_fraction(source, (2, *b.shape), b.dtype), 0.5))
    u = anp.subtract(first, 0.5)
    us = anp.subtract(0.5, anp.abs(u))
    stretched = anp.add(anp.divide(anp.multiply(2, a), us), b)
    return anp.floor(anp.add(anp.multiply(stretched, u), center)), v, us


def _deviance(k: Any, mean: Any) -> Any:
    """k log(k / mean) + mean - k, which is `mean` where k is 0."""
    e = anp.divide(anp.subtract(k, mean), mean)
    inside = anp.where(anp.greater(e, -1), e, 0)
    h = anp.subtract(anp.multiply(anp.add(1, inside), anp.log1p(inside)), inside)
    return anp.multiply(mean, anp.where(anp.greater(e, -1), h, 1))


def _log_factorial_rest(k: Any) -> Any:
    """log k! - (k log k - k): by Stirling's series from 16 on."""
    few = anp.minimum(k, 16)
    some = anp.maximum(few, 1)
    exact = anp.add(
        anp.subtract(anp.gammaln(anp.add(few, 1)), anp.multiply(few, anp.log(some))), few
    )
    x = anp.maximum(k, 16)
    inverse = anp.divide(1, x)
    series = anp.multiply(inverse, anp.subtract(1 / 12, anp.divide(anp.square(inverse), 360)))
    large = anp.add(anp.multiply(0.5, anp.log(anp.multiply(2 * math.pi, x))), series)
    return anp.where(anp.less(k, 16), exact, large)


@distribution()
def binomial(key: Any, n: Any, p: Any, shape: Any = None, dtype: Any = None) -> Any:
    """Number of successes in n trials of probability p each: whole numbers of a float dtype.

    An array of `shape`, or that n and p broadcast to; the dtype is theirs by default.  n is rounded
    down.  NaN where n is negative, infinite or NaN, or p is not between 0 and 1.  Computed in f32
    at least: see Note [Counts by rejection] in `anvl.random.counts`.  Without derivative.
    Raises `TypeError` for an invalid key or a non-float dtype, `ValueError` for shapes that do not
    broadcast.

    >>> import anvl
    >>> anvl.random.binomial(anvl.random.key(0), 10, 0.3, (3,)).shape
    (3,)
    """
    (trials, chance), _, wanted = operands("binomial", (n, p), shape, dtype)
    return convert(_binomial(key, trials, chance), wanted)


def _binomial(key: Any, trials: Tracer, chance: Tracer) -> Tracer:
    trials, chance = (prim("stop_gradient", x) for x in (anp.floor(trials), chance))
    is_valid = anp.logical_and(anp.greater_equal(trials, 0), anp.isfinite(trials))
    in_range = anp.logical_and(anp.greater_equal(chance, 0), anp.less_equal(chance, 1))
    is_valid = anp.logical_and(is_valid, in_range)
    n, p = anp.where(is_valid, trials, 0), anp.where(is_valid, chance, 0)
    is_flipped = anp.greater(p, 0.5)
    q = anp.where(is_flipped, anp.subtract(1, p), p)
    is_small = anp.less(anp.multiply(n, q), _SMALL)
    few = _few_successes(Source(key, "binomial", 1), anp.where(is_small, n, 0), q)
    many_n, many_q = anp.where(is_small, 40, n), anp.where(is_small, 0.5, q)
    many = _many_successes(Source(key, "binomial", 2), many_n, many_q, is_small)
    found = anp.where(is_small, few, many)
    found = anp.where(is_flipped, anp.subtract(n, found), found)
    return anp.where(is_valid, found, np.nan)


def _few_successes(source: Source, n: Tracer, p: Tracer) -> Tracer:
    """Count gaps between successes, which are geometric, until they exceed n."""
    is_never = anp.equal(p, 0)
    log_q = anp.log1p(anp.negative(anp.where(is_never, 0.5, p)))

    def gap(source: Source) -> Any:
        half = anp.multiply(odd_fraction(source, n.shape, n.dtype), 0.5)
        count = anp.maximum(anp.ceil(anp.divide(anp.log(half), log_q)), 1)
        return anp.where(is_never, np.inf, count)

    return counted(source, anp.add(n, 1), gap)


def _many_successes(source: Source, n: Tracer, p: Tracer, is_settled: Any) -> Tracer:
    """Hormann's BTRS, for p up to 1/2 and means of at least 10."""
    q = anp.subtract(1, p)
    mean = anp.multiply(n, p)
    deviation = anp.sqrt(anp.multiply(mean, q))
    b = anp.add(1.15, anp.multiply(2.53, deviation))
    a = anp.add(anp.add(-0.0873, anp.multiply(0.0248, b)), anp.multiply(0.01, p))
    sure = anp.subtract(0.92, anp.divide(4.2, b))
    alpha = anp.multiply(anp.add(2.83, anp.divide(5.1, b)), deviation)
    mode = anp.floor(anp.multiply(anp.add(n, 1), p))

    def log_chance(k: Any) -> Any:
        rest = anp.subtract(n, k)
        # Both deviances from the one difference: n - k - n q would be rounded.
        failures = anp.multiply(n, q)
        fit = anp.add(_deviance(k, mean), _deviance(_shifted(failures, mean, k), failures))
        return anp.negative(
            anp.add(fit, anp.add(_log_factorial_rest(k), _log_factorial_rest(rest)))
        )

    at_mode = log_chance(mode)

    def propose(source: Source) -> tuple[Tracer, Any]:
        k, v, us = _mountain(source, a, b, anp.add(mean, 0.5))
        is_count = anp.logical_and(anp.greater_equal(k, 0), anp.less_equal(k, n))
        quick = anp.logical_and(anp.greater_equal(us, 0.07), anp.less_equal(v, sure))
        hat = anp.divide(anp.multiply(v, alpha), anp.add(anp.divide(a, anp.square(us)), b))
        safe = anp.where(is_count, k, mode)
        slow = anp.less_equal(anp.log(hat), anp.subtract(log_chance(safe), at_mode))
        is_accepted = anp.logical_and(is_count, anp.logical_or(quick, slow))
        return k, anp.logical_or(is_accepted, is_settled)

    return accepted(source, n, propose)


def _shifted(failures: Any, mean: Any, k: Any) -> Any:
    return anp.subtract(failures, anp.subtract(k, mean))


@distribution("unroll")
def multinomial(
    key: Any, n: Any, p: Any, *, shape: Any = None, dtype: Any = None, unroll: int | bool = 1
) -> Any:
    """Counts of each outcome in n trials, for probabilities p along the last axis.

    n broadcasts to the shape of p without its last axis, or to `shape`, which replaces it.  p is
    normalized to sum 1.  An array [*shape, k] of whole numbers of sum n, of the dtype of n and p by
    default; NaN where `binomial` is.  `unroll` is that of `anvl.scan`.  Without derivative.
    Raises `TypeError` for an invalid key, a p without axes or a non-float dtype, `ValueError` for
    shapes that do not broadcast.

    >>> import anvl, numpy
    >>> x = anvl.random.multinomial(anvl.random.key(0), 20, numpy.asarray([0.2, 0.3, 0.5], "f4"))
    >>> x.shape, int(x.sum())
    ((3,), 20)
    """
    (trials, chances), _ = promoted("multinomial", (n, p), "float", broadcast=False)
    if not chances.ndim:
        raise TypeError(f"multinomial: p is {chances.aval}; it must have an axis of outcomes")
    wanted = float_dtype("multinomial", chances.dtype if dtype is None else dtype)
    wide = np.dtype(np.float32) if chances.dtype.itemsize < 4 else chances.dtype
    least = chances.shape[:-1]
    if shape is None:
        least = broadcast_shapes(least, trials.shape, function="multinomial")
    sizes = drawn_shape("multinomial", shape, least)
    drawn_shape("multinomial", sizes, trials.shape)
    trials = broadcast_to(convert(trials, wide), sizes)
    chances = broadcast_to(convert(chances, wide), (*sizes, chances.shape[-1]))
    outcomes = anp.moveaxis(chances, -1, 0)
    remaining = anp.flip(anp.cumsum(anp.flip(outcomes, 0), axis=0), 0)
    some = anp.where(anp.equal(remaining, 0), 1, remaining)
    ratios = anp.divide(outcomes, some)

    def step(left: Any, outcome: Any) -> Any:
        ratio, of_outcome = outcome
        count = _binomial(of_outcome, left, ratio)
        return anp.subtract(left, count), count

    keys = Source(key, "multinomial", 3).words((chances.shape[-1],), "ui64")
    _, found = scan(step, anp.floor(trials), (ratios, keys), unroll=unroll)
    return convert(anp.moveaxis(found, 0, -1), wanted)
