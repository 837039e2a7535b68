"""Distributions that are formulas of uniform and normal samples; public in `anvl.random`."""

from __future__ import annotations

import math
from typing import Any

import ml_dtypes
import numpy as np

from anvl import numpy as anp
from anvl.core.promote import broadcast_shapes, broadcast_to, convert
from anvl.core.tracer import Tracer
from anvl.numpy.arrays.axes import sizes_of
from anvl.random.distributions import normals, waiting_times
from anvl.random.fractions import odd_fraction, unit_fraction
from anvl.random.parameters import distribution, float_dtype, operands
from anvl.random.prng import Source

__all__ = [
    "cauchy", "double_sided_maxwell", "laplace", "logistic", "lognormal", "maxwell", "pareto",
    "rayleigh", "triangular", "truncated_normal", "wald", "weibull_min",
]  # fmt: skip


@distribution()
def cauchy(key: Any, shape: Any = (), dtype: Any = None) -> Any:
    """Standard Cauchy samples, of density 1 / (pi (1 + x^2)): an array of a float dtype.

    Raises `TypeError` for an invalid key or a non-float dtype.

    >>> import anvl
    >>> anvl.random.cauchy(anvl.random.key(0), (3,)).shape
    (3,)
    """
    wanted, sizes = float_dtype("cauchy", dtype), sizes_of(shape, "cauchy")
    angle = anp.multiply(_both_sided(Source(key, "cauchy"), sizes, wanted), math.pi / 2)
    return convert(anp.tan(angle), wanted)


@distribution()
def laplace(key: Any, shape: Any = (), dtype: Any = None) -> Any:
    """Standard Laplace samples, of density e^-|x| / 2: an array of a float dtype.

    Raises `TypeError` for an invalid key or a non-float dtype.

    >>> import anvl
    >>> anvl.random.laplace(anvl.random.key(0), (3,)).shape
    (3,)
    """
    wanted, sizes = float_dtype("laplace", dtype), sizes_of(shape, "laplace")
    odd = _both_sided(Source(key, "laplace"), sizes, wanted)
    size = anp.negative(anp.log1p(anp.negative(anp.abs(odd))))
    return convert(anp.multiply(anp.sign(odd), size), wanted)


@distribution()
def logistic(key: Any, shape: Any = (), dtype: Any = None) -> Any:
    """Standard logistic samples, of distribution function `sigmoid`: an array of a float dtype.

    Raises `TypeError` for an invalid key or a non-float dtype.

    >>> import anvl
    >>> anvl.random.logistic(anvl.random.key(0), (3,)).shape
    (3,)
    """
    wanted, sizes = float_dtype("logistic", dtype), sizes_of(shape, "logistic")
    half = anp.multiply(odd_fraction(Source(key, "logistic"), sizes, wanted), 0.5)
    return convert(anp.subtract(anp.log(half), anp.log1p(anp.negative(half))), wanted)


def _both_sided(source: Source, sizes: tuple[int, ...], dtype: np.dtype[Any]) -> Tracer:
    """Uniform samples between -1 and 1, both excluded."""
    return anp.subtract(odd_fraction(source, sizes, dtype), 1)


@distribution()
def lognormal(key: Any, sigma: Any = 1.0, shape: Any = None, dtype: Any = None) -> Any:
    """Samples whose logarithms are normal, of mean 0 and standard deviation sigma.

    An array of `shape`, or that of sigma, of its dtype by default.  Differentiable in sigma.
    Raises `TypeError` for an invalid key or a non-float dtype, `ValueError` for a shape that sigma
    does not broadcast to.

    >>> import anvl
    >>> anvl.random.lognormal(anvl.random.key(0), 0.5, (3,)).shape
    (3,)
    """
    (scale,), sizes, wanted = operands("lognormal", (sigma,), shape, dtype)
    x = normals(Source(key, "lognormal"), sizes, scale.dtype)
    return convert(anp.exp(anp.multiply(scale, x)), wanted)


@distribution()
def pareto(key: Any, b: Any, shape: Any = None, dtype: Any = None) -> Any:
    """Pareto samples, of density b x^(-b - 1) from 1 on: an array of `shape`, or that of b.

    The dtype is that of b by default.  Differentiable in b; NaN where it is not positive.
    Raises `TypeError` for an invalid key or a non-float dtype, `ValueError` for a shape that b does
    not broadcast to.

    >>> import anvl
    >>> anvl.random.pareto(anvl.random.key(0), 3.0, (3,)).shape
    (3,)
    """
    (power,), sizes, wanted = operands("pareto", (b,), shape, dtype)
    found = anp.exp(anp.divide(waiting_times(Source(key, "pareto"), sizes, power.dtype), power))
    return convert(_where_positive(found, power), wanted)


@distribution()
def rayleigh(key: Any, scale: Any, shape: Any = None, dtype: Any = None) -> Any:
    """Rayleigh samples, lengths of pairs of normal numbers: an array of `shape`, or that of scale.

    The dtype is that of scale by default.  Differentiable in scale; NaN where it is negative.
    Raises `TypeError` for an invalid key or a non-float dtype, `ValueError` for a shape that scale
    does not broadcast to.

    >>> import anvl
    >>> anvl.random.rayleigh(anvl.random.key(0), 2.0, (3,)).shape
    (3,)
    """
    (size,), sizes, wanted = operands("rayleigh", (scale,), shape, dtype)
    length = anp.sqrt(anp.multiply(2, waiting_times(Source(key, "rayleigh"), sizes, size.dtype)))
    found = anp.where(anp.greater_equal(size, 0), anp.multiply(size, length), np.nan)
    return convert(found, wanted)


@distribution()
def weibull_min(
    key: Any, scale: Any, concentration: Any, shape: Any = (), dtype: Any = None
) -> Any:
    """Weibull samples, of density proportional to x^(c - 1) exp(-(x / scale)^c).

    An array of the shape that `shape` and the parameters broadcast to, of their dtype by default.
    Differentiable in both; NaN where the scale or the concentration c is not positive.
    Raises `TypeError` for an invalid key or a non-float dtype, `ValueError` for shapes that do not
    broadcast.

    >>> import anvl
    >>> anvl.random.weibull_min(anvl.random.key(0), 2.0, 1.5, (3,)).shape
    (3,)
    """
    (size, power), sizes, wanted = _added("weibull_min", (scale, concentration), shape, dtype)
    waiting = waiting_times(Source(key, "weibull_min"), sizes, size.dtype)
    # The logarithm of 0 would have a derivative of NaN.
    some = anp.where(anp.equal(waiting, 0), 1, waiting)
    root = anp.exp(anp.divide(anp.log(some), power))
    found = anp.multiply(size, anp.where(anp.equal(waiting, 0), 0, root))
    return convert(_where_positive(_where_positive(found, size), power), wanted)


def _added(
    name: str, parameters: tuple[Any, Any], shape: Any, dtype: Any
) -> tuple[list[Tracer], tuple[int, ...], np.dtype[Any]]:
    """As `operands`, of the shape that the given one and the parameters broadcast to."""
    found, least, wanted = operands(name, parameters, None, dtype)
    sizes = broadcast_shapes(sizes_of(shape, name), least, function=name)
    return [broadcast_to(x, sizes) for x in found], sizes, wanted


def _where_positive(found: Any, parameter: Tracer) -> Any:
    return anp.where(anp.greater(parameter, 0), found, np.nan)


@distribution()
def maxwell(key: Any, shape: Any = (), dtype: Any = None) -> Any:
    """Samples of the Maxwell distribution, lengths of triples of normal numbers: of `shape`.

    Raises `TypeError` for an invalid key or a non-float dtype.

    >>> import anvl
    >>> anvl.random.maxwell(anvl.random.key(0), (3,)).shape
    (3,)
    """
    wanted, sizes = float_dtype("maxwell", dtype), sizes_of(shape, "maxwell")
    return convert(_maxwell(Source(key, "maxwell"), sizes, wanted), wanted)


def _maxwell(source: Source, sizes: tuple[int, ...], dtype: np.dtype[Any]) -> Tracer:
    return anp.sqrt(anp.sum(anp.square(normals(source, (*sizes, 3), dtype)), axis=-1))


@distribution()
def double_sided_maxwell(key: Any, loc: Any, scale: Any, shape: Any = (), dtype: Any = None) -> Any:
    """Samples of density proportional to z^2 exp(-z^2 / 2), for z = (x - loc) / scale.

    An array of `shape` followed by the shape that loc and scale broadcast to, of their dtype by
    default.  Differentiable in both.  Raises `TypeError` for an invalid key or a non-float dtype,
    `ValueError` for shapes that do not broadcast.

    >>> import anvl
    >>> anvl.random.double_sided_maxwell(anvl.random.key(0), 1.0, 2.0, (3,)).shape
    (3,)
    """
    name = "double_sided_maxwell"
    (start, size), least, wanted = operands(name, (loc, scale), None, dtype)
    sizes = (*sizes_of(shape, name), *least)
    length = _maxwell(Source(key, name), sizes, size.dtype)
    unit = unit_fraction(Source(key, name, 1), sizes, size.dtype)
    z = anp.where(anp.less(unit, 0.5), anp.negative(length), length)
    return convert(anp.add(start, anp.multiply(size, z)), wanted)


@distribution()
def triangular(
    key: Any, left: Any, mode: Any, right: Any, shape: Any = None, dtype: Any = None
) -> Any:
    """Samples whose density rises from left to mode, and falls to right, on straight lines.

    An array of `shape`, or that the parameters broadcast to, of their dtype by default.
    Differentiable in them; NaN unless left <= mode <= right and left < right.
    Raises `TypeError` for an invalid key or a non-float dtype, `ValueError` for shapes that do not
    broadcast.

    >>> import anvl
    >>> anvl.random.triangular(anvl.random.key(0), 0.0, 1.0, 4.0, (3,)).shape
    (3,)
    """
    (low, top, high), sizes, wanted = operands("triangular", (left, mode, right), shape, dtype)
    unit = unit_fraction(Source(key, "triangular"), sizes, low.dtype)
    width = anp.subtract(high, low)
    share = anp.divide(anp.subtract(top, low), width)
    rises = anp.less(unit, share)
    # Each root only where it is taken: the other would have an infinite derivative at 0.
    rest = anp.where(rises, anp.multiply(unit, share), anp.multiply(1 - unit, 1 - share))
    length = anp.multiply(width, anp.sqrt(anp.where(anp.greater(rest, 0), rest, 1)))
    length = anp.where(anp.greater(rest, 0), length, 0)
    found = anp.where(rises, anp.add(low, length), anp.subtract(high, length))
    is_valid = anp.logical_and(anp.less_equal(low, top), anp.less_equal(top, high))
    return convert(anp.where(anp.logical_and(is_valid, anp.less(low, high)), found, np.nan), wanted)


@distribution()
def wald(key: Any, mean: Any, shape: Any = None, dtype: Any = None) -> Any:
    """Samples of the Wald (inverse Gaussian) distribution of scale 1: of `shape`, or that of mean.

    The dtype is that of mean by default.  NaN where it is not positive.
    Raises `TypeError` for an invalid key or a non-float dtype, `ValueError` for a shape that mean
    does not broadcast to.  Source: J. Michael, W. Schucany and R. Haas, Generating random variates
    using transformations with multiple roots, The American Statistician 30 (1976).

    >>> import anvl
    >>> anvl.random.wald(anvl.random.key(0), 2.0, (3,)).shape
    (3,)
    """
    (mu,), sizes, wanted = operands("wald", (mean,), shape, dtype)
    y = anp.square(normals(Source(key, "wald"), sizes, mu.dtype))
    scaled = anp.multiply(mu, y)
    root = anp.sqrt(anp.multiply(scaled, anp.add(4, scaled)))
    # mu + mu (scaled - root) / 2 of the paper, by a quotient: nothing cancels.
    smaller = anp.divide(anp.multiply(2, mu), anp.add(anp.add(2, scaled), root))
    unit = unit_fraction(Source(key, "wald", 1), sizes, mu.dtype)
    is_smaller = anp.less_equal(anp.multiply(unit, anp.add(mu, smaller)), mu)
    found = anp.where(is_smaller, smaller, anp.divide(anp.square(mu), smaller))
    return convert(_where_positive(found, mu), wanted)


@distribution()
def truncated_normal(key: Any, lower: Any, upper: Any, shape: Any = None, dtype: Any = None) -> Any:
    """Standard normal samples between lower and upper, both excluded.

    An array of `shape`, or that the bounds broadcast to, of their dtype by default; they may be
    infinite.  Differentiable in both.  NaN unless lower < upper.  Beyond 4 in f32, 6 in f64, the
    distribution function has too few digits, so that samples between two such bounds of one sign
    lie next to the inner one.
    Raises `TypeError` for an invalid key or a non-float dtype, `ValueError` for shapes that do not
    broadcast.

    >>> import anvl, anvl.numpy as np
    >>> x = anvl.random.truncated_normal(anvl.random.key(0), -1.0, 2.0, (100,))
    >>> bool(np.all((x > -1) & (x < 2)))
    True
    """
    bounds, sizes, wanted = operands("truncated_normal", (lower, upper), shape, dtype)
    low, high = bounds
    start, stop = (anp.erf(anp.multiply(x, math.sqrt(0.5))) for x in bounds)
    unit = anp.multiply(odd_fraction(Source(key, "truncated_normal"), sizes, low.dtype), 0.5)
    at = anp.add(start, anp.multiply(unit, anp.subtract(stop, start)))
    edge = 1 - float(ml_dtypes.finfo(low.dtype).epsneg)
    found = anp.multiply(anp.erfinv(anp.clip(at, -edge, edge)), math.sqrt(2))
    # Rounding may give a bound itself, also in the narrower dtype of the result.
    ends = [convert(x, wanted) for x in bounds]
    found = convert(found, wanted)
    found = anp.where(anp.greater(found, ends[0]), found, anp.nextafter(*ends))
    found = anp.where(anp.less(found, ends[1]), found, anp.nextafter(*reversed(ends)))
    return anp.where(anp.less(low, high), found, np.nan)
