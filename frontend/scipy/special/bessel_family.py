"""Bessel functions and spherical harmonics."""

from __future__ import annotations

import functools
import math
from typing import Any

import numpy as np

import anvl.numpy as anp
from anvl.control_flow.loops import fori_loop
from anvl.core.promote import promoted
from anvl.core.tracer import Tracer
from anvl.dispatch.eager import public
from anvl.numpy.arrays.axes import int_of
from anvl.runtime import Array, hiding_frames
from anvl.scipy.special.evaluation import real_function, real_operands
from anvl.transforms.custom_rules import custom_jvp

__all__ = ["bessel_jn", "i0", "i0e", "i1", "i1e", "sph_harm_y"]


@real_function
def i0(x: Any) -> Any:
    """Modified Bessel function of order 0 (DLMF 10.25.2).

    >>> from anvl.scipy import special
    >>> print(special.i0(0.0))
    1.0
    """
    return anp.i0(x)


@real_function
def i0e(x: Any) -> Any:
    """exp(-|x|) `i0`(x).

    >>> from anvl.scipy import special
    >>> print(special.i0e(0.0))
    1.0
    """
    return anp.i0e(x)


@real_function
def i1(x: Any) -> Any:
    """Modified Bessel function of order 1 (DLMF 10.25.2).

    >>> from anvl.scipy import special
    >>> print(special.i1(0.0))
    0.0
    """
    return anp.i1(x)


@real_function
def i1e(x: Any) -> Any:
    """exp(-|x|) `i1`(x).

    >>> from anvl.scipy import special
    >>> print(special.i1e(0.0))
    0.0
    """
    return anp.i1e(x)


@public("v", "n_iter")
def bessel_jn(z: Any, *, v: int, n_iter: int = 50) -> Any:
    """Bessel functions J_0 to J_v of real z (DLMF 10.2.2), by Miller's backward recurrence.

    Parameters
    ----------
    z : array of floats
        |z| up to about `n_iter` / 2, for 1e-13 in f64; NaN beyond `n_iter` + v.
    v : int
        The largest order, at least 0.
    n_iter : int
        How far above v the recurrence begins.

    Returns
    -------
    An array of shape (v + 1, *z.shape).

    Source: DLMF 3.6(iii), 10.6.1; the sum of all is 1 by 10.12.4.

    Examples
    --------
    >>> import anvl.numpy as np
    >>> from anvl.scipy import special
    >>> print(round(float(special.bessel_jn(1.0, v=1)[1]), 4))
    0.4401
    """
    order = int_of(v, "v", "bessel_jn", least=0)
    extra = int_of(n_iter, "n_iter", "bessel_jn", least=1)
    (x,), dtype, _ = real_operands("bessel_jn", z)
    total = order + extra
    return anp.astype(_orders(order, total + total % 2)(x), dtype)


@functools.cache
def _orders(order: int, top: int) -> Any:
    """Function from x to J_0 to J_order, from an even order `top`, above all that are wanted."""

    @custom_jvp
    def bessel_orders(x: Any) -> Any:
        return _values(x, order, top)

    @bessel_orders.defjvp
    def slopes(primals: Any, y: Any, tangents: Any) -> Any:
        """J_k' = (J_(k-1) - J_(k+1)) / 2, and J_0' = -J_1 (DLMF 10.6.1, 10.6.3)."""
        # Without this rule in turn, which is traced at once: it would have no end.
        found = _values(primals[0], order + 1, max(top, order + 2 + order % 2))
        halves = anp.multiply(0.5, anp.subtract(found[:order], found[2:]))
        return anp.multiply(tangents[0], anp.concatenate([anp.negative(found[1:2]), halves]))

    return bessel_orders


def _values(x: Any, order: int, top: int) -> Any:
    near = anp.less(anp.abs(x), _LARGEST_NEAR_0)
    far = _backward(anp.where(near, 1, x), order, top)
    return anp.where(near, _near_0(anp.where(near, x, 0), order), far)


#: Where J is a power series, and how many of its terms count there: the next is below 1e-17.
_LARGEST_NEAR_0 = 0.5
_TERMS_NEAR_0 = 8


def _near_0(x: Any, order: int) -> Any:
    """J_0 to J_order for |x| up to 1/2, where the recurrence, which divides by x, may overflow.

    J_k is (x/2)^k / k! times f_k, the series of (-x^2/4)^i / (i! (k+1) ... (k+i)) (DLMF 10.2.2),
    and f_k = f_(k+1) - x^2/4 f_(k+2) / ((k+1) (k+2)), by DLMF 10.6.1.
    """
    half = anp.multiply(0.5, x)
    square = anp.negative(anp.multiply(half, half))

    def series(k: int) -> Any:
        total: Any = anp.ones_like(x)
        for i in range(_TERMS_NEAR_0 - 1, 0, -1):
            total = anp.add(1, anp.multiply(anp.multiply(square, 1 / (i * (k + i))), total))
        return total

    factors = [series(order + 1), series(order)]
    for k in range(order - 1, -1, -1):
        step = anp.multiply(square, 1 / ((k + 1) * (k + 2)))
        factors.append(anp.add(factors[-1], anp.multiply(step, factors[-2])))
    power: Any = anp.ones_like(x)
    rows = []
    for k, factor in enumerate(reversed(factors[1:])):
        power = anp.multiply(power, anp.multiply(half, 1 / k)) if k else power
        rows.append(anp.multiply(power, factor))
    return anp.stack(rows)


def _backward(x: Any, order: int, top: int) -> Any:
    """J_0 to J_order by the recurrence from an even order `top`, where it may start anywhere."""
    inverse = anp.divide(2, x)
    large = float(anp.finfo(x.dtype).max) * 1e-20

    def step(k: Any, above: Any, here: Any, total: Any) -> tuple[Any, Any, Any, Any]:
        """From order k to k - 1, scaled down, all alike, before they overflow; and the scale."""
        below = anp.subtract(anp.multiply(anp.multiply(inverse, k), here), above)
        scale = anp.where(anp.greater(anp.abs(below), large), 1 / large, 1)
        return (*(anp.multiply(scale, value) for value in (here, below, total)), scale)

    def pair(i: Any, carry: Any) -> Any:
        k, *values = carry
        above, here, total, _ = step(k, *values)
        above, here, total, _ = step(anp.subtract(k, 1), above, here, total)
        return anp.subtract(k, 2), above, here, anp.add(total, here)

    # Those that are not wanted in a loop: written out, XLA computes all for each that is wanted.
    tiny = anp.full_like(x, float(anp.finfo(x.dtype).smallest_normal) * 1e6)
    start = anp.asarray(float(top), x.dtype), anp.zeros_like(x), tiny, tiny
    pairs = (top - order - 1) // 2
    _, above, here, total = fori_loop(0, pairs, pair, start)
    found: list[Any] = []
    for k in range(top - 2 * pairs, 0, -1):
        above, here, total, scale = step(float(k), above, here, total)
        found = [anp.multiply(scale, value) for value in found]
        if k % 2:
            total = anp.add(total, here if k > 1 else anp.multiply(0.5, here))
        if k - 1 <= order:
            found.insert(0, here)
    norm = anp.multiply(2, total)
    rows = anp.stack([anp.divide(y, norm) for y in found])
    return anp.where(anp.greater(anp.abs(x), top), anp.nan, rows)


@hiding_frames
def sph_harm_y(
    n: Any, m: Any, theta: Any, phi: Any, diff_n: int | None = None, n_max: int | None = None
) -> Any:
    """Spherical harmonics of degree n and order m (DLMF 14.30.1), with the Condon-Shortley phase.

    Parameters
    ----------
    n, m : arrays of integers
        Degree and order; 0 where |m| > n.
    theta, phi : arrays of floats
        Polar angle in [0, pi] and azimuth, in radians; all four broadcast.
    diff_n : None
        Not available: differentiate the function.
    n_max : int, optional
        The largest degree; needed where n is traced.

    Returns
    -------
    A complex array.

    Raises
    ------
    TypeError
        n or m are no integers.
    ValueError
        n is traced without `n_max`, or is negative.
    NotImplementedError
        `diff_n` is given.

    Examples
    --------
    >>> import anvl.numpy as np
    >>> from anvl.scipy import special
    >>> print(round(float(special.sph_harm_y(1, 0, 0.0, 0.0).real), 4))
    0.4886
    """
    if diff_n is not None:
        raise NotImplementedError(
            f"sph_harm_y: diff_n is {diff_n}; use anvl.jvp or anvl.jacfwd for derivatives"
        )
    if n_max is None:
        n_max = _largest_degree(n)
    return _sph_harm_y(n, m, theta, phi, int_of(n_max, "n_max", "sph_harm_y", least=0))


def _largest_degree(n: Any) -> int:
    if isinstance(n, Tracer):
        raise ValueError("sph_harm_y: n is traced; pass n_max, the largest degree")
    degrees = np.asarray(n if not isinstance(n, Array) else n.__array__())
    if degrees.size and degrees.min() < 0:
        raise ValueError(f"sph_harm_y: n is {degrees.min()}; degrees are at least 0")
    return int(degrees.max()) if degrees.size else 0


@public("n_max")
def _sph_harm_y(n: Any, m: Any, theta: Any, phi: Any, n_max: int) -> Any:
    (angle, azimuth), _ = promoted("sph_harm_y", (theta, phi), "float")
    degree, order = anp.broadcast_arrays(anp.asarray(n), anp.asarray(m))
    if degree.dtype.kind not in "iu" or order.dtype.kind not in "iu":
        raise TypeError(f"sph_harm_y: n and m are {degree.dtype}, {order.dtype}; give integers")
    size = anp.abs(order)
    x, sine = anp.cos(angle), anp.sin(angle)
    # Normalised Legendre functions: from (m, m), then up in degree (DLMF 14.10.3).
    start: Any = anp.multiply(anp.add(anp.multiply(x, 0), 1), math.sqrt(1 / (4 * math.pi)))
    diagonal: Any = anp.where(anp.equal(size, 0), start, 0)
    for k in range(1, n_max + 1):
        start = anp.multiply(anp.multiply(start, sine), -math.sqrt((2 * k + 1) / (2 * k)))
        diagonal = anp.where(anp.equal(size, k), start, diagonal)
    mu = anp.astype(size, x.dtype)
    before: Any = anp.multiply(diagonal, 0)
    here: Any = diagonal
    found: Any = anp.where(anp.equal(degree, size), diagonal, 0)
    for step in range(1, n_max + 1):
        reached = anp.add(mu, float(step))  # the degree that is reached, m + step
        norm = (2 * reached - 1) * (2 * reached + 1) / (step * (reached + mu))
        below = step * (2 * reached - 3) * (reached + mu) if step > 1 else 1.0
        last = (2 * reached + 1) * (reached + mu - 1) * (step - 1) / below
        following = anp.sqrt(norm) * x * here - anp.sqrt(last) * before
        before, here = here, following
        found = anp.where(anp.equal(anp.subtract(degree, size), step), here, found)
    phase = anp.multiply(anp.astype(order, x.dtype), azimuth)
    odd_below = anp.logical_and(anp.less(order, 0), anp.not_equal(anp.remainder(size, 2), 0))
    real = anp.where(odd_below, anp.negative(found), found)
    unit = np.complex64(1j)
    wave = anp.add(anp.cos(phase), anp.multiply(anp.sin(phase), unit))
    return anp.multiply(real, wave)
