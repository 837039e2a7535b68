"""Error functions and the normal distribution: erfcx, Faddeeva's w, Fresnel's.

Relative errors in f64: below 1e-15 (ndtri), 4e-15 (erfcx, ndtr), 3e-14 (wofz, of its
modulus; fresnel, absolute), 1e-13 (owens_t).
"""

from __future__ import annotations

import functools
import math
from typing import Any

import numpy as np

import anvl.numpy as anp
from anvl.core.promote import promoted
from anvl.dispatch.eager import public
from anvl.numpy.functions.elementwise import mark_weak
from anvl.numpy.functions.emitting import prim
from anvl.scipy.special.chebyshev_coefficients import ERFCX
from anvl.scipy.special.evaluation import chebyshev, real_function
from anvl.scipy.special.normal_quantile import normal_quantile
from anvl.transforms.custom_rules import custom_jvp

__all__ = [
    "erf", "erfc", "erfcinv", "erfcx", "erfinv", "fresnel", "log_ndtr", "ndtr", "ndtri",
    "owens_t", "wofz",
]  # fmt: skip


@real_function
def erf(z: Any) -> Any:
    """Error function (DLMF 7.2.1).

    >>> from anvl.scipy import special
    >>> print(special.erf(0.5))
    0.5204999
    """
    return anp.erf(z)


@real_function
def erfc(x: Any) -> Any:
    """1 - erf(x) (DLMF 7.2.2).

    >>> from anvl.scipy import special
    >>> print(special.erfc(0.5))
    0.47950017
    """
    return anp.erfc(x)


@real_function
def erfinv(y: Any) -> Any:
    """Inverse of `erf`; infinite at -1 and 1.

    >>> from anvl.scipy import special
    >>> print(special.erfinv(0.0))
    0.0
    """
    return anp.erfinv(y)


@real_function
def erfcinv(y: Any) -> Any:
    """Inverse of `erfc`, accurate near 0; infinite at 0 and 2, NaN outside.

    >>> from anvl.scipy import special
    >>> print(special.erfcinv(1.0))
    0.0
    """
    return anp.subtract(0, anp.multiply(math.sqrt(0.5), _ndtri(anp.divide(y, 2))))  # 0 of 1, not -0


@real_function
def erfcx(x: Any) -> Any:
    """exp(x^2) erfc(x), which does not underflow for large x.

    Source: Shepherd and Laframboise, Chebyshev approximation of (1 + 2x) exp(x^2) erfc x (1981),
    for the variable.

    >>> from anvl.scipy import special
    >>> print(round(float(special.erfcx(0.0)), 4))
    1.0
    """
    return _erfcx(x)


def _erfcx(x: Any) -> Any:
    size, most = _size(x), float(anp.finfo(x.dtype).max) / 8
    size = anp.where(anp.greater(size, most), most, size)  # NaN has a slope of NaN, too
    t = anp.divide(anp.subtract(size, 3.75), anp.add(size, 3.75))
    right = anp.divide(chebyshev(ERFCX, t), anp.add(1, anp.multiply(2, size)))
    left = anp.subtract(anp.multiply(2, anp.exp(_square(anp.minimum(x, 0)))), right)
    return anp.where(anp.less(x, 0), left, right)


def _square(x: Any) -> Any:
    return anp.multiply(x, x)


def _size(x: Any) -> Any:
    """The absolute value, with a slope at 0 too: for functions that are smooth there."""
    return anp.where(anp.less(x, 0), anp.negative(x), x)


_TERMS = 40


@functools.cache
def _faddeeva_series() -> tuple[float, list[float]]:
    """The parameter and the coefficients of Weideman's series, highest power first."""
    count, half = 4 * _TERMS, math.sqrt(_TERMS / math.sqrt(2))
    t = half * np.tan(np.arange(-count // 2 + 1, count // 2) * np.pi / count)
    f = np.concatenate([[0.0], np.exp(-t * t) * (half * half + t * t)])
    transformed = np.fft.fft(np.fft.fftshift(f)).real / count
    return half, [float(c) for c in transformed[1 : _TERMS + 1][::-1]]


def _upper_w(z: Any) -> Any:
    """w(z) for Im z >= 0.

    Source: J. A. C. Weideman, Computation of the complex error function (1994), equation 38.
    """
    half, coefficients = _faddeeva_series()
    iz = anp.multiply(z, np.complex64(1j))
    below = anp.subtract(half, iz)
    ratio = anp.divide(anp.add(half, iz), below)
    total: Any = anp.full_like(z, coefficients[0])
    for c in coefficients[1:]:
        total = anp.add(anp.multiply(total, ratio), c)
    inverse = anp.divide(1, below)
    return anp.multiply(
        inverse, anp.add(anp.multiply(anp.multiply(2, total), inverse), 1 / math.sqrt(math.pi))
    )


@public()
def wofz(z: Any) -> Any:
    """Faddeeva's function exp(-z^2) erfc(-i z) (DLMF 7.2.3), of complex z.

    In f64 the error is below 3e-14 of |w| for Im z >= 0; below the axis it is that of the sum
    2 exp(-z^2) - w(-z).

    >>> import anvl.numpy as np
    >>> from anvl.scipy import special
    >>> print(round(float(special.wofz(0j).real), 4))
    1.0
    """
    (x,), weak = promoted("wofz", (z,), "float")
    if x.dtype.kind != "c":
        x = anp.astype(x, np.result_type(x.dtype, np.complex64))
    re, im = anp.real(x), anp.imag(x)
    lower = anp.less(im, 0)
    upper = anp.where(lower, anp.negative(x), x)
    infinite = anp.logical_and(anp.isinf(x), anp.logical_not(anp.isnan(x)))
    found = _upper_w(anp.where(infinite, 1, upper))
    # On the real axis the real part is exp(-x^2), which may be small beside the error of the sum.
    on_axis = anp.equal(im, 0)
    part = anp.where(on_axis, anp.exp(anp.negative(_square(re))), anp.real(found))
    # w(z) is i / (sqrt(pi) z) for large z (DLMF 7.12.1): 0 at infinity.
    zero = anp.where(anp.less(anp.real(upper), 0), -0.0, 0.0)
    imaginary = anp.where(infinite, zero, anp.imag(found))
    found = prim("complex", anp.where(infinite, 0, part), imaginary)
    return mark_weak(anp.where(lower, anp.subtract(_twice_exp(re, im), found), found), weak)


def _twice_exp(x: Any, y: Any) -> Any:
    """2 exp(-z^2) of z = x + i y; where it overflows infinite, real on the axes."""
    size = anp.multiply(2, anp.exp(anp.multiply(anp.subtract(y, x), anp.add(y, x))))
    on_axis = anp.logical_or(anp.equal(x, 0), anp.equal(y, 0))
    is_real = anp.logical_or(on_axis, anp.equal(size, 0))  # an infinite angle has no cosine
    angle = anp.where(is_real, 0, anp.multiply(-2, anp.multiply(x, y)))
    imaginary = anp.where(is_real, 0, anp.multiply(size, anp.sin(angle)))
    return prim("complex", anp.multiply(size, anp.cos(angle)), imaginary)


@public()
def fresnel(z: Any) -> Any:
    """Fresnel's integrals S and C of real z (DLMF 7.2.7): a pair.

    The integrals of sin(pi t^2 / 2) and cos(pi t^2 / 2) from 0 to z.

    >>> from anvl.scipy import special
    >>> s, c = special.fresnel(0.0)
    >>> print(s, c)
    0.0 0.0
    """
    return _sine_integral(z), _cosine_integral(z)


@real_function
def _sine_integral(z: Any) -> Any:
    return _fresnel_s(z)


@real_function
def _cosine_integral(z: Any) -> Any:
    return _fresnel_c(z)


@custom_jvp
def _fresnel_s(x: Any) -> Any:
    return _fresnel(x)[0]


@_fresnel_s.defjvp
def _fresnel_s_slope(primals: Any, y: Any, tangents: Any) -> Any:
    return anp.multiply(tangents[0], anp.sin(_phase(primals[0])))


@custom_jvp
def _fresnel_c(x: Any) -> Any:
    return _fresnel(x)[1]


@_fresnel_c.defjvp
def _fresnel_c_slope(primals: Any, y: Any, tangents: Any) -> Any:
    return anp.multiply(tangents[0], anp.cos(_phase(primals[0])))


def _phase(x: Any) -> Any:
    """pi x^2 / 2 modulo 2 pi: the remainder of x^2 modulo 4 is exact up to the rounding of x^2."""
    square = _square(x)
    high = anp.remainder(square, 4)
    return anp.multiply(math.pi / 2, anp.where(anp.isfinite(square), high, 0))


def _fresnel(x: Any) -> tuple[Any, Any]:
    size = anp.abs(x)
    small = anp.less(size, 1.5)
    s, c = _fresnel_series(anp.where(small, size, 0))
    bounded = anp.minimum(size, 1e5)
    # Beyond, w(z) is i / (sqrt(pi) z) in every dtype (DLMF 7.12.1).
    decay = anp.divide(bounded, anp.where(small, 1, size))
    scaled = anp.multiply(anp.where(small, 1.5, bounded), math.sqrt(math.pi) / 2)
    w = _upper_w(prim("complex", scaled, scaled))
    # C + i S = (1 + i) / 2 erf(sqrt(pi) / 2 (1 - i) x), DLMF 7.5.8.
    phase = _phase(size)
    sine, cosine = anp.sin(phase), anp.cos(phase)
    re, im = anp.multiply(decay, anp.real(w)), anp.multiply(decay, anp.imag(w))
    a = anp.subtract(1, anp.subtract(anp.multiply(cosine, re), anp.multiply(sine, im)))
    b = anp.negative(anp.add(anp.multiply(cosine, im), anp.multiply(sine, re)))
    far_c, far_s = anp.multiply(0.5, anp.subtract(a, b)), anp.multiply(0.5, anp.add(a, b))
    sign = anp.where(anp.less(x, 0), -1, anp.where(anp.isnan(x), anp.nan, 1))
    sign = anp.astype(sign, x.dtype)
    return (
        anp.multiply(sign, anp.where(small, s, far_s)),
        anp.multiply(sign, anp.where(small, c, far_c)),
    )


def _fresnel_series(x: Any) -> tuple[Any, Any]:
    """Both by their power series (DLMF 7.6.4, 7.6.6)."""
    u = _square(anp.multiply(math.pi / 2, _square(x)))
    sine = cosine = anp.zeros_like(x)
    for k in range(15, -1, -1):
        sign = -1 if k % 2 else 1
        cosine = anp.add(anp.multiply(cosine, u), sign / (math.factorial(2 * k) * (4 * k + 1)))
        sine = anp.add(anp.multiply(sine, u), sign / (math.factorial(2 * k + 1) * (4 * k + 3)))
    cube = anp.multiply(math.pi / 2, anp.multiply(x, _square(x)))
    return anp.multiply(cube, sine), anp.multiply(x, cosine)


@real_function
def ndtr(x: Any) -> Any:
    """Distribution function of the normal distribution.

    >>> from anvl.scipy import special
    >>> print(special.ndtr(0.0))
    0.5
    """
    return _ndtr(x)


def _ndtr(x: Any) -> Any:
    return anp.multiply(0.5, anp.erfc(anp.multiply(-math.sqrt(0.5), x)))


@real_function
def log_ndtr(x: Any) -> Any:
    """Logarithm of `ndtr`, accurate far in both tails.

    >>> from anvl.scipy import special
    >>> print(special.log_ndtr(-100.0))
    -5005.5244
    """
    return _log_ndtr(x)


@custom_jvp
def _log_ndtr(x: Any) -> Any:
    low = anp.where(anp.less(x, -1), x, -1)
    tail = anp.subtract(
        anp.log(anp.multiply(0.5, _erfcx(anp.multiply(-math.sqrt(0.5), low)))),
        anp.multiply(0.5, _square(low)),
    )
    high = anp.log1p(anp.negative(_ndtr(anp.negative(anp.maximum(x, -1)))))
    return anp.where(anp.less(x, -1), tail, high)


@_log_ndtr.defjvp
def _log_ndtr_slope(primals: Any, y: Any, tangents: Any) -> Any:
    """The inverse of Mills' ratio, sqrt(2 / pi) / erfcx(-x / sqrt(2))."""
    ratio = _erfcx(anp.multiply(-math.sqrt(0.5), primals[0]))
    return anp.divide(anp.multiply(tangents[0], math.sqrt(2 / math.pi)), ratio)


@real_function
def ndtri(p: Any) -> Any:
    """Inverse of `ndtr`: -inf at 0, inf at 1, NaN outside.

    >>> from anvl.scipy import special
    >>> print(special.ndtri(0.5))
    0.0
    """
    return _ndtri(p)


@custom_jvp
def _ndtri(p: Any) -> Any:
    return normal_quantile(p)


@_ndtri.defjvp
def _ndtri_slope(primals: Any, y: Any, tangents: Any) -> Any:
    slope = anp.multiply(math.sqrt(2 * math.pi), anp.exp(anp.multiply(0.5, _square(y))))
    return anp.multiply(tangents[0], slope)


@functools.cache
def _gauss_legendre() -> tuple[list[float], list[float]]:
    """Nodes and weights of Gauss' quadrature on [0, 1]."""
    nodes, weights = np.polynomial.legendre.leggauss(40)
    return (nodes / 2 + 0.5).tolist(), (weights / 2).tolist()


@real_function
def owens_t(h: Any, a: Any) -> Any:
    """Owen's T function: the integral of exp(-h^2 (1 + x^2) / 2) / (2 pi (1 + x^2)) from 0 to a.

    Source: D. B. Owen, Tables for computing bivariate normal probabilities (1956).

    >>> from anvl.scipy import special
    >>> print(round(float(special.owens_t(0.0, 1.0)), 4))
    0.125
    """
    size, limit = _size(h), _size(a)
    inverted = anp.greater(limit, 1)
    safe = anp.where(inverted, limit, 1)
    product = anp.where(inverted, anp.multiply(size, safe), size)
    inner = _owens_integral(product, anp.where(inverted, anp.divide(1, safe), limit))
    # T(h, a) + T(a h, 1 / a) = (Q(h) + Q(a h)) / 2 - Q(h) Q(a h), Q = 1 - Phi (Owen, equation 2.3).
    q, r = _ndtr(anp.negative(size)), _ndtr(anp.negative(anp.multiply(size, safe)))
    both = anp.subtract(anp.multiply(0.5, anp.add(q, r)), anp.multiply(q, r))
    found = anp.where(inverted, anp.subtract(both, inner), inner)
    infinite = anp.multiply(0.5, q)
    found = anp.where(anp.isinf(limit), infinite, found)
    return anp.where(anp.less(a, 0), anp.negative(found), found)


def _owens_integral(h: Any, a: Any) -> Any:
    """T for 0 <= a <= 1 by Gauss' quadrature, up to where the integrand is 1e-18 of its top."""
    most = anp.divide(9.2, anp.maximum(h, 1e-3))
    end = anp.where(anp.greater(a, most), most, a)  # NaN has a slope of NaN, too
    total: Any = anp.zeros_like(h)
    half = anp.multiply(-0.5, _square(h))
    for node, weight in zip(*_gauss_legendre(), strict=True):
        above = anp.add(1, _square(anp.multiply(node, end)))
        total = anp.add(
            total, anp.divide(anp.multiply(weight, anp.exp(anp.multiply(half, above))), above)
        )
    return anp.divide(anp.multiply(total, end), 2 * math.pi)
