"""Exponential, sine and cosine integrals, and the dilogarithm.

Relative errors in f64: below 5e-15, absolute near zeros of Ci; `expn` 1e-14.
"""

from __future__ import annotations

import math
from typing import Any

import anvl.numpy as anp
from anvl.dispatch.eager import public
from anvl.scipy.special import chebyshev_coefficients as tables
from anvl.scipy.special.evaluation import chebyshev, mapped, polynomial, real_function
from anvl.transforms.custom_rules import custom_jvp

__all__ = ["exp1", "expi", "expn", "sici", "spence"]

_EULER = 0.57721566490153286061


def _ein_coefficients(count: int, sign: int) -> list[float]:
    """Coefficients of the sum of sign^(k+1) x^k / (k k!), highest power first, down to x^1."""
    return [sign ** (k + 1) / (k * math.factorial(k)) for k in range(count, 0, -1)]


@real_function
def exp1(x: Any) -> Any:
    """Exponential integral E1: of exp(-t) / t from x to infinity (DLMF 6.2.1); NaN for x < 0.

    >>> import anvl.numpy as np
    >>> from anvl.scipy import special
    >>> print(round(float(special.exp1(1.0)), 6))
    0.219384
    """
    return _exp1(x)


@custom_jvp
def _exp1(x: Any) -> Any:
    small = anp.less(x, 1)
    near = anp.where(small, x, 1)
    series = anp.multiply(polynomial(_ein_coefficients(20, -1), near), near)
    series = anp.subtract(anp.subtract(series, anp.log(near)), _EULER)
    large = anp.where(small, 1, x)
    inverse = anp.divide(1, large)
    middle = chebyshev(tables.E1_MID, mapped(inverse, 0.25, 1))
    far = chebyshev(tables.E1_FAR, mapped(anp.multiply(4, inverse), 0, 1))
    scaled = anp.where(anp.less(large, 4), middle, far)
    tail = anp.multiply(anp.multiply(anp.exp(anp.negative(large)), inverse), scaled)
    return anp.where(anp.less(x, 0), anp.nan, anp.where(small, series, tail))


@_exp1.defjvp
def _exp1_slope(primals: Any, y: Any, tangents: Any) -> Any:
    (x,) = primals
    slope = anp.negative(anp.divide(anp.exp(anp.negative(x)), x))
    return anp.multiply(tangents[0], anp.where(anp.less(x, 0), anp.nan, slope))


_ROOT = 0.37250741078136663446  # of Ei, and what is left of it beyond 53 bits
_ROOT_REST = 1.3140183414386028e-17


@real_function
def expi(x: Any) -> Any:
    """Exponential integral Ei: the principal value of exp(t) / t from -infinity to x (DLMF 6.2.5).

    >>> import anvl.numpy as np
    >>> from anvl.scipy import special
    >>> print(round(float(special.expi(1.0)), 6))
    1.895118
    """
    return _expi(x)


@custom_jvp
def _expi(x: Any) -> Any:
    left = anp.negative(_exp1(anp.where(anp.less(x, 0), anp.negative(x), 1)))
    small = anp.less(x, 6)
    near = anp.clip(anp.where(small, x, 1), 0, 6)
    rising = _ein_coefficients(50, 1)
    series = anp.multiply(polynomial(rising, near), near)
    series = anp.add(anp.add(series, anp.log(near)), _EULER)
    # Near its root the sum cancels: there Ei(x) = log(x / root) + sum of (x^k - root^k) / (k k!).
    close = anp.less(anp.abs(anp.subtract(x, _ROOT)), 0.2)
    off = anp.subtract(anp.subtract(anp.where(close, x, _ROOT), _ROOT), _ROOT_REST)
    at_root = anp.multiply(off, polynomial(_shifted_series(), off))
    at_root = anp.add(at_root, anp.log1p(anp.divide(off, _ROOT)))
    series = anp.where(close, at_root, series)
    tail = _expi_tail(anp.where(small, 6, x))
    right = anp.where(small, series, tail)
    return anp.where(anp.less(x, 0), left, right)


def _shifted_series() -> list[float]:
    """Coefficients of (s(root + d) - s(root)) / d in d, where s is the sum of x^k / (k k!)."""
    found = []
    for j in range(20, 0, -1):
        terms = (math.comb(k, j) * _ROOT ** (k - j) / (k * math.factorial(k)) for k in range(j, 60))
        found.append(math.fsum(terms))
    return found


def _expi_tail(x: Any) -> Any:
    inverse = anp.divide(1, x)
    parts = [
        (12, chebyshev(tables.EI_1, mapped(inverse, 1 / 12, 1 / 6))),
        (24, chebyshev(tables.EI_2, mapped(inverse, 1 / 24, 1 / 12))),
        (48, chebyshev(tables.EI_3, mapped(inverse, 1 / 48, 1 / 24))),
    ]
    scaled = chebyshev(tables.EI_4, mapped(anp.multiply(48, inverse), 0, 1))
    for limit, value in reversed(parts):
        scaled = anp.where(anp.less(x, limit), value, scaled)
    half = anp.exp(anp.multiply(0.5, x))  # exp(x) may overflow where exp(x) / x does not
    found = anp.multiply(anp.multiply(half, inverse), anp.multiply(half, scaled))
    return anp.where(anp.isinf(x), x, found)


@_expi.defjvp
def _expi_slope(primals: Any, y: Any, tangents: Any) -> Any:
    return anp.multiply(tangents[0], anp.divide(anp.exp(primals[0]), primals[0]))


@real_function
def expn(n: Any, x: Any) -> Any:
    """Generalised exponential integral E_n of whole n >= 0: of exp(-x t) / t^n from 1 to infinity.

    NaN for negative n or x (DLMF 8.19.3); n has no derivative.

    >>> import anvl.numpy as np
    >>> from anvl.scipy import special
    >>> print(round(float(special.expn(2, 1.0)), 6))
    0.148496
    """
    return _expn(anp.floor(n), x)


@custom_jvp
def _expn(n: Any, x: Any) -> Any:
    small = anp.less(x, 2)
    at_least_1 = anp.maximum(n, 1)
    near = _expn_series(at_least_1, anp.clip(anp.where(small, x, 1), 0, 2))
    far = _expn_fraction(at_least_1, anp.where(small, 2, x))
    found = anp.where(small, near, far)
    found = anp.where(anp.equal(n, 0), anp.divide(anp.exp(anp.negative(x)), x), found)
    is_0 = anp.equal(x, 0)
    limit = anp.where(
        anp.greater(n, 1), anp.divide(1, anp.subtract(anp.where(n > 1, n, 2), 1)), anp.inf
    )
    found = anp.where(is_0, limit, anp.where(anp.isinf(x), 0, found))
    return anp.where(anp.logical_or(anp.less(x, 0), anp.less(n, 0)), anp.nan, found)


def _expn_series(n: Any, x: Any) -> Any:
    """DLMF 8.19.8, for x <= 2."""
    power = anp.ones_like(x)
    total: Any = anp.zeros_like(x)
    special: Any = anp.zeros_like(x)
    log = anp.log(anp.where(anp.greater(x, 0), x, 1))
    for m in range(30):
        down = anp.subtract(float(m + 1), n)
        singular = anp.equal(down, 0)
        term = anp.divide(power, anp.where(singular, 1, down))
        total = anp.subtract(total, anp.where(singular, 0, term))
        digamma = -_EULER + math.fsum(1 / k for k in range(1, m + 1))
        special = anp.where(singular, anp.multiply(power, anp.subtract(digamma, log)), special)
        power = anp.divide(anp.multiply(anp.negative(power), x), float(m + 1))
    return anp.add(total, special)


def _expn_fraction(n: Any, x: Any) -> Any:
    """The even part of DLMF 8.19.17, from its end; for x >= 2."""
    tail: Any = anp.zeros_like(x)
    for k in range(60, 0, -1):
        above = anp.multiply(float(k), anp.add(n, float(k - 1)))
        tail = anp.divide(above, anp.subtract(anp.add(anp.add(x, n), 2.0 * k), tail))
    return anp.divide(anp.exp(anp.negative(x)), anp.subtract(anp.add(x, n), tail))


@_expn.defjvp
def _expn_slope(primals: Any, y: Any, tangents: Any) -> Any:
    """-E_(n-1)(x), and E_-1(x) = exp(-x) (1 / x + 1 / x^2), DLMF 8.19.13."""
    n, x = primals
    inverse = anp.divide(1, x)
    lowest = anp.multiply(anp.exp(anp.negative(x)), anp.multiply(inverse, anp.add(1, inverse)))
    lower = anp.where(anp.equal(n, 0), lowest, _expn(anp.maximum(anp.subtract(n, 1), 0), x))
    return anp.negative(anp.multiply(tangents[1], lower))


@public()
def sici(x: Any) -> Any:
    """Sine and cosine integrals (DLMF 6.2.9, 6.2.11): the pair (Si(x), Ci(x)).

    Ci is NaN for negative x in the reals; here, as in SciPy, it is that of |x|.

    >>> from anvl.scipy import special
    >>> s, c = special.sici(0.0)
    >>> print(s, c)
    0.0 -inf
    """
    return _public_si(x), _public_ci(x)


@real_function
def _public_si(x: Any) -> Any:
    return _si(x)


@real_function
def _public_ci(x: Any) -> Any:
    return _ci(x)


def _auxiliary(x: Any) -> tuple[Any, Any]:
    """f and g for x >= 4 (DLMF 6.2.17, 6.2.18)."""
    inverse = anp.divide(1, x)
    square = anp.multiply(inverse, inverse)
    middle, far = mapped(square, 1 / 100, 1 / 16), mapped(anp.multiply(100, square), 0, 1)
    is_middle = anp.less(x, 10)
    f = anp.where(
        is_middle, chebyshev(tables.SICI_F_MID, middle), chebyshev(tables.SICI_F_FAR, far)
    )
    g = anp.where(
        is_middle, chebyshev(tables.SICI_G_MID, middle), chebyshev(tables.SICI_G_FAR, far)
    )
    return anp.multiply(f, inverse), anp.multiply(g, square)


@custom_jvp
def _si(x: Any) -> Any:
    size = anp.abs(x)
    small = anp.less(size, 4)
    near = anp.where(small, size, 0)
    square = anp.multiply(near, near)
    terms = [(-1) ** k / ((2 * k + 1) * math.factorial(2 * k + 1)) for k in range(16, -1, -1)]
    series = anp.multiply(near, polynomial(terms, square))
    large = anp.where(anp.logical_or(small, anp.isinf(size)), 4, size)
    f, g = _auxiliary(large)
    waves = anp.add(anp.multiply(f, anp.cos(large)), anp.multiply(g, anp.sin(large)))
    far = anp.where(anp.isinf(size), math.pi / 2, anp.subtract(math.pi / 2, waves))
    return anp.multiply(anp.sign(x), anp.where(small, series, far))


@_si.defjvp
def _si_slope(primals: Any, y: Any, tangents: Any) -> Any:
    return anp.multiply(tangents[0], anp.sinc(anp.divide(primals[0], math.pi)))


@custom_jvp
def _ci(x: Any) -> Any:
    size = anp.abs(x)
    small = anp.less(size, 4)
    near = anp.where(small, size, 1)
    square = anp.multiply(near, near)
    terms = [(-1) ** k / (2 * k * math.factorial(2 * k)) for k in range(16, 0, -1)]
    series = anp.multiply(square, polynomial(terms, square))
    series = anp.add(anp.add(series, anp.log(near)), _EULER)
    large = anp.where(anp.logical_or(small, anp.isinf(size)), 4, size)
    f, g = _auxiliary(large)
    waves = anp.subtract(anp.multiply(f, anp.sin(large)), anp.multiply(g, anp.cos(large)))
    return anp.where(small, series, anp.where(anp.isinf(size), 0, waves))


@_ci.defjvp
def _ci_slope(primals: Any, y: Any, tangents: Any) -> Any:
    return anp.multiply(tangents[0], anp.divide(anp.cos(primals[0]), primals[0]))


# B_2k / (2k+1)! of the series of the dilogarithm, highest first.
_DEBYE = (
    -236364091 / 42345603418293591736320000000,
    77683 / 324325300906011525120000,
    -174611 / 16860010916664115200000,
    43867 / 97072790126247936000,
    -3617 / 181400588328960000,
    1 / 1120863744000,
    -691 / 16999766784000,
    1 / 526901760,
    -1 / 10886400,
    1 / 211680,
    -1 / 3600,
    1 / 36,
)


@real_function
def spence(z: Any) -> Any:
    """Dilogarithm of 1 - z: the integral of log(t) / (1 - t) from 1 to z; NaN for z < 0.

    By DLMF 25.12.3, 25.12.6 and, near 1, a series in -log(z) with Bernoulli numbers.

    >>> from anvl.scipy import special
    >>> print(round(float(special.spence(0.0)), 4))
    1.6449
    """
    large = anp.greater(z, 2)
    inverted = anp.where(large, anp.divide(1, anp.where(large, z, 1)), z)
    small = anp.less(inverted, 0.5)
    positive = anp.greater(inverted, 0)
    safe = anp.where(anp.logical_and(small, positive), inverted, 0.25)
    low = anp.subtract(
        math.pi**2 / 6,
        anp.add(
            anp.multiply(anp.log(safe), anp.log1p(anp.negative(safe))),
            _bernoulli_series(anp.subtract(1, safe)),
        ),
    )
    low = anp.where(positive, low, math.pi**2 / 6)
    value = anp.where(small, low, _bernoulli_series(anp.where(small, 1, inverted)))
    log = anp.log(anp.where(large, z, 1))
    turned = anp.negative(anp.add(value, anp.multiply(0.5, anp.multiply(log, log))))
    found = anp.where(large, turned, value)
    return anp.where(anp.less(z, 0), anp.nan, found)


def _bernoulli_series(z: Any) -> Any:
    """Spence's function for 1/2 <= z <= 2, in u = -log(z)."""
    u = anp.negative(anp.log(z))
    square = anp.multiply(u, u)
    return anp.add(
        anp.subtract(u, anp.multiply(0.25, square)),
        anp.multiply(anp.multiply(u, square), polynomial(_DEBYE, square)),
    )
