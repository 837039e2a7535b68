"""Gamma and zeta functions, the logarithm of beta, and what is made of them.

Relative errors in f64: `gamma` 2e-15; `binom` and `poch` 1e-14 near moderate arguments, and
that of the exponential of a logarithm (1e-16 times the logarithm) where the result is very large or
very small.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np

import anvl.numpy as anp
from anvl.core.config import default_dtype
from anvl.core.promote import convert
from anvl.dispatch.eager import public
from anvl.numpy.arrays.axes import int_of
from anvl.numpy.functions.elementwise import mark_weak
from anvl.scipy.special.evaluation import polynomial, real_function, real_operands
from anvl.transforms.custom_rules import custom_jvp
from anvl.transforms.stop_gradient import stop_gradient

__all__ = [
    "LANCZOS_G", "at_zero", "bernoulli", "betainc", "betaln", "digamma", "factorial", "gamma",
    "gammainc", "gammaincc", "gammaln", "gammasgn", "is_pole", "lanczos_sum", "log_gamma_ratio",
    "log_gammaincc", "multigammaln", "no_exact", "polygamma", "psi", "zeta",
]  # fmt: skip


@real_function
def gammaln(x: Any) -> Any:
    """log |gamma(x)| (DLMF 5.2.1).

    For x > 0 the relative error is below 4e-15 in f64 and 2e-6 in f32, also beside the zeros at
    1 and 2; for x < 0, where there are more zeros, that is the absolute error.

    >>> from anvl.scipy import special
    >>> print(round(float(special.gammaln(1.0)), 4))
    0.0
    """
    found = anp.gammaln(x)
    near = anp.less_equal(anp.abs(anp.subtract(x, 2)), 1.5)
    x = anp.where(near, x, 2)
    below, above = anp.less(x, 1.5), anp.greater(x, 2.5)
    # By gamma(x + 1) = x gamma(x) all lie beside 2.
    u = anp.subtract(x, anp.where(below, 1, anp.where(above, 3, 2)))
    beside = anp.where(below, x, anp.where(above, anp.subtract(x, 1), 1))
    log = anp.multiply(anp.where(below, -1, 1), anp.log(beside))
    close = anp.add(anp.multiply(u, polynomial(_AT_2[::-1], u)), log)
    # The slope is that of `found`, digamma.
    return anp.add(found, stop_gradient(anp.where(near, anp.subtract(close, found), 0)))


# fmt: off
#: log(gamma(2 + u)) / u, lowest power first: 1 - Euler's constant, and (-1)^k (zeta(k) - 1) / k for
#: u^(k - 1) (DLMF 5.7.3); for |u| <= 1/2.
_AT_2 = (
    0.42278433509846713, 0.3224670334241132, -0.0673523010531981, 0.020580808427784546,
    -0.007385551028673986, 0.0028905103307415234, -0.001192753911703261, 0.0005096695247430425,
    -0.00022315475845357939, 9.945751278180853e-05, -4.492623673813314e-05, 2.050721277567069e-05,
    -9.439488275268397e-06, 4.374866789907488e-06, -2.039215753801366e-06, 9.55141213040742e-07,
    -4.492469198764566e-07, 2.1207184805554665e-07, -1.0043224823968099e-07,
    4.7698101693639804e-08, -2.2711094608943164e-08, 1.0838659214896955e-08,
    -5.183475041970047e-09, 2.4836745438024785e-09, -1.1921401405860912e-09, 5.731367241678862e-10,
    -2.7595228851242334e-10, 1.330476437424449e-10,
)
# fmt: on


@real_function
def digamma(x: Any) -> Any:
    """Derivative of `gammaln` (DLMF 5.2.2).

    >>> import anvl.numpy as np
    >>> from anvl.scipy import special
    >>> print(round(float(special.digamma(1.0)), 4))
    -0.5772
    """
    return anp.digamma(x)


psi = digamma


@public()
def polygamma(n: Any, x: Any) -> Any:
    """Derivative of order n of `digamma` (DLMF 5.15), for x > 0; n has no derivative.

    >>> import anvl.numpy as np
    >>> from anvl.scipy import special
    >>> print(round(float(special.polygamma(1, 1.0)), 4))
    1.6449
    """
    (order, point), dtype, weak = real_operands("polygamma", n, x)
    order = n if type(n) in (int, float) else order  # of a number there is a series of its own
    return mark_weak(convert(anp.polygamma(order, point), dtype), weak)


@real_function
def _hurwitz(x: Any, q: Any) -> Any:
    return anp.zeta(x, q)


def zeta(x: Any, q: Any = None) -> Any:
    """Sum of (k + q)^-x over k = 0, 1, ... (DLMF 25.11.1), for x > 1; without q it is 1.

    >>> import anvl.numpy as np
    >>> from anvl.scipy import special
    >>> print(round(float(special.zeta(2.0)), 4))
    1.6449
    """
    return _hurwitz(x, 1.0 if q is None else q)


@real_function
def gammainc(a: Any, x: Any) -> Any:
    """Regularised lower incomplete gamma function (DLMF 8.2.4).

    >>> from anvl.scipy import special
    >>> print(special.gammainc(1.0, 0.0))
    0.0
    """
    return anp.gammainc(a, x)


@real_function
def gammaincc(a: Any, x: Any) -> Any:
    """1 - `gammainc`(a, x) (DLMF 8.2.4).

    >>> from anvl.scipy import special
    >>> print(special.gammaincc(1.0, 0.0))
    1.0
    """
    return anp.gammaincc(a, x)


@real_function
def betainc(a: Any, b: Any, x: Any) -> Any:
    """Regularised incomplete beta function (DLMF 8.17.2).

    >>> from anvl.scipy import special
    >>> print(special.betainc(1.0, 1.0, 1.0))
    1.0
    """
    return anp.betainc(a, b, x)


@real_function
def gammasgn(x: Any) -> Any:
    """Sign of `gamma`: 1, -1, or NaN at negative integers; that of x at 0.

    >>> from anvl.scipy import special
    >>> print(special.gammasgn(-0.5))
    -1.0
    """
    return _gammasgn(x)


def _gammasgn(x: Any) -> Any:
    floor = anp.floor(x)
    odd = anp.not_equal(anp.remainder(floor, 2), 0)
    below = anp.where(anp.equal(floor, x), anp.nan, anp.where(odd, -1, 1))
    at_0 = anp.copysign(anp.ones_like(x), x)
    found = anp.where(anp.less(x, 0), below, anp.where(anp.equal(x, 0), at_0, 1))
    return anp.astype(anp.where(anp.isnan(x), anp.nan, found), x.dtype)


# Lanczos' series with 15 terms and g = 607 / 128.  Source: P. Godfrey, A note on the computation of
# the convergent Lanczos complex gamma approximation (2001); its error is below 1e-15.
LANCZOS_G = 607 / 128
_LANCZOS = (
    0.99999999999999709182, 57.156235665862923517, -59.597960355475491248, 14.136097974741747174,
    -0.49191381609762019978, 0.33994649984811888699e-4, 0.46523628927048575665e-4,
    -0.98374475304879564677e-4, 0.15808870322491248884e-3, -0.21026444172410488319e-3,
    0.21743961811521264320e-3, -0.16431810653676389022e-3, 0.84418223983852743293e-4,
    -0.26190838401581408670e-4, 0.36899182659531622704e-5,
)  # fmt: skip


@real_function
def gamma(x: Any) -> Any:
    """Gamma function (DLMF 5.2.1): infinite at 0, NaN at negative integers.

    >>> from anvl.scipy import special
    >>> print(special.gamma(5.0))
    24.0
    """
    return _gamma(x)


@custom_jvp
def _gamma(x: Any) -> Any:
    reflected = anp.less(x, 0.5)
    right = anp.where(reflected, anp.subtract(1, x), x)
    value = _lanczos(right)
    # gamma(x) gamma(1 - x) = pi / sin(pi x), DLMF 5.5.3.
    left = anp.divide(math.pi, anp.multiply(sin_pi(x), value))
    found = anp.where(reflected, left, value)
    whole = anp.logical_and(anp.equal(x, anp.floor(x)), anp.less(found, 2.0**50))
    found = anp.where(anp.logical_and(whole, anp.greater(x, 0)), anp.rint(found), found)
    pole = anp.logical_and(anp.less(x, 0), anp.equal(x, anp.floor(x)))
    found = anp.where(pole, anp.nan, found)
    return anp.where(anp.equal(x, 0), anp.copysign(anp.full_like(x, anp.inf), x), found)


@_gamma.defjvp
def _gamma_slope(primals: Any, y: Any, tangents: Any) -> Any:
    return anp.multiply(tangents[0], anp.multiply(y, anp.digamma(primals[0])))


def lanczos_sum(x: Any) -> Any:
    """Lanczos' series at x >= 1/2."""
    total: Any = anp.full_like(x, _LANCZOS[0])
    for k, c in enumerate(_LANCZOS[1:]):
        total = anp.add(total, anp.divide(c, anp.add(x, float(k))))
    return total


def _lanczos(x: Any) -> Any:
    """gamma(x) for x >= 1/2; the power is split in two, which overflow later than it does."""
    total = lanczos_sum(x)
    base = anp.add(x, LANCZOS_G - 0.5)
    half = anp.power(base, anp.multiply(0.5, anp.subtract(x, 0.5)))
    scaled = anp.multiply(half, anp.exp(anp.negative(base)))
    found = anp.multiply(anp.multiply(scaled, anp.multiply(math.sqrt(2 * math.pi), total)), half)
    limit = 171.7 if x.dtype == np.float64 else 35.1
    return anp.where(anp.greater(x, limit), anp.inf, found)


def sin_pi(x: Any) -> Any:
    """sin(pi x), with an exact reduction of x."""
    rest = anp.subtract(x, anp.rint(x))
    odd = anp.not_equal(anp.remainder(anp.rint(x), 2), 0)
    sine = anp.sin(anp.multiply(math.pi, rest))
    return anp.where(odd, anp.negative(sine), sine)


def cos_pi(x: Any) -> Any:
    """cos(pi x), with an exact reduction of x: 0 at 1/2, and with its slopes at 0."""
    rest = anp.subtract(x, anp.rint(x))
    odd = anp.not_equal(anp.remainder(anp.rint(x), 2), 0)
    size = anp.where(anp.less(rest, 0), anp.negative(rest), rest)
    cosine = anp.sin(anp.multiply(math.pi, anp.subtract(0.5, size)))
    return anp.where(odd, anp.negative(cosine), cosine)


@real_function
def _factorial(n: Any) -> Any:
    safe = anp.where(anp.less(n, -0.5), -0.5, n)
    return anp.where(anp.less(n, 0), 0, _gamma(anp.add(safe, 1)))


@public("exact")
def factorial(n: Any, exact: bool = False) -> Any:
    """n! = gamma(n + 1) as a float; 0 for negative n.

    Raises `NotImplementedError` for `exact=True`: integers have 64 bits.

    >>> from anvl.scipy import special
    >>> print(special.factorial(4))
    24.0
    """
    no_exact("factorial", exact)
    return _factorial(n)


def no_exact(name: str, exact: bool) -> None:
    if exact:
        raise NotImplementedError(
            f"{name}: exact=True needs integers of any length; use math or scipy.special on Python "
            "numbers"
        )


def _stirling_rest(x: Any) -> Any:
    """gammaln(x) - ((x - 1/2) log(x) - x + log(2 pi) / 2), for x >= 10 (DLMF 5.11.1)."""
    inverse = anp.divide(1, x)
    square = anp.multiply(inverse, inverse)
    terms = (1 / 12, -1 / 360, 1 / 1260, -1 / 1680, 1 / 1188, -691 / 360360, 1 / 156)
    total: Any = anp.full_like(x, terms[-1])
    for c in terms[-2::-1]:
        total = anp.add(anp.multiply(total, square), c)
    return anp.multiply(total, inverse)


def log_gamma_ratio(x: Any, shift: Any) -> Any:
    """gammaln(x + shift) - gammaln(x) of positive arguments, without cancellation for large x."""
    end = anp.add(x, shift)
    is_far = anp.logical_and(anp.greater(x, 10), anp.greater(end, 10))
    a, d = anp.where(is_far, x, 20), anp.where(is_far, shift, 0)
    b = anp.add(a, d)
    growth = anp.log1p(anp.divide(d, a))
    main = anp.add(anp.multiply(anp.subtract(a, 0.5), growth), anp.multiply(d, anp.log(b)))
    far = anp.add(anp.subtract(main, d), anp.subtract(_stirling_rest(b), _stirling_rest(a)))
    near_x, near_end = anp.where(is_far, 1, x), anp.where(is_far, 1, end)
    near = anp.subtract(anp.gammaln(near_end), anp.gammaln(near_x))
    return anp.where(is_far, far, near)


@real_function
def betaln(a: Any, b: Any) -> Any:
    """log |beta(a, b)|, accurate for large arguments.

    >>> from anvl.scipy import special
    >>> print(round(float(special.betaln(1.0, 1.0)), 4))
    0.0
    """
    at_pole = _is_pole_of_beta(a, b)
    a, b, _ = _reflected(a, b)
    return anp.where(at_pole, anp.inf, _betaln(a, b))


def is_pole(x: Any) -> Any:
    """Whether x is a pole of gamma."""
    return anp.logical_and(anp.less_equal(x, 0), anp.equal(x, anp.floor(x)))


def _is_pole_of_beta(a: Any, b: Any) -> Any:
    """Whether gamma(a) or gamma(b) has a pole that gamma(a + b) does not cancel."""
    small, large = anp.minimum(a, b), anp.maximum(a, b)
    cancels = anp.logical_and(anp.greater(large, 0), is_pole(anp.add(a, b)))
    finite = anp.isfinite(anp.add(a, b))
    return anp.logical_and((is_pole(small) | is_pole(large)) & finite, anp.logical_not(cancels))


def _reflected(a: Any, b: Any) -> tuple[Any, Any, Any]:
    """Arguments and sign of an equal beta function, where the poles of gamma(b) and gamma(a + b)
    cancel: (-1)^a beta(1 - a - b, a), by the reflection formula (DLMF 5.5.3)."""
    small, large = anp.minimum(a, b), anp.maximum(a, b)
    end = anp.add(a, b)
    whole = anp.logical_and(anp.greater(large, 0), is_pole(small))
    cancels = anp.logical_and(whole, is_pole(end))
    odd = anp.not_equal(anp.remainder(anp.where(cancels, large, 0), 2), 0)
    first = anp.where(cancels, anp.subtract(1, end), a)
    return first, anp.where(cancels, large, b), anp.where(odd, -1, 1)


def _betaln(a: Any, b: Any) -> Any:
    # Not `minimum` and `maximum`, which share the slopes of equals: their second one is then wrong.
    is_less = anp.less(a, b)
    small, large = anp.where(is_less, a, b), anp.where(is_less, b, a)
    found = anp.subtract(anp.gammaln(small), log_gamma_ratio(large, small))
    far = anp.where(anp.greater(small, 0), -anp.inf, anp.where(anp.less(small, 0), anp.inf, found))
    found = anp.where(anp.equal(large, anp.inf) & anp.isfinite(anp.minimum(small, 0)), far, found)
    return anp.where(anp.equal(small, 0), anp.inf, found)


def at_zero(x: Any, log: Any, sign: Any) -> Any:
    """sign exp(log) / gamma(x) at a pole of gamma: 0, with its slopes of the first two orders.

    1 / gamma(e - m) = (-1)^m m! (e - psi(m + 1) e^2 + ...), by DLMF 5.5.3 and 5.7.3.
    """
    pole = stop_gradient(x)
    m = anp.maximum(anp.negative(pole), 0)
    e = anp.subtract(x, pole)
    turn = anp.where(anp.equal(anp.remainder(m, 2), 0), sign, anp.negative(sign))
    size = anp.exp(anp.add(log, anp.gammaln(anp.add(m, 1))))
    # 0 times infinity is NaN.
    scale = anp.multiply(turn, anp.minimum(size, float(anp.finfo(size.dtype).max)))
    curved = anp.multiply(anp.digamma(anp.add(m, 1)), anp.multiply(e, e))
    return anp.multiply(scale, anp.subtract(e, curved))


def log_gammaincc(a: Any, x: Any) -> Any:
    """log(gammaincc(a, x)), also where that underflows: by its continued fraction (DLMF 8.9.2),
    of which ten levels are enough for large x."""
    plain = anp.gammaincc(a, x)
    is_far = anp.less(plain, 1e-30) & anp.greater(x, anp.multiply(2, a)) & anp.isfinite(x)
    a, far = anp.where(is_far, a, 1), anp.where(is_far, x, 80)
    fraction = anp.add(anp.subtract(far, a), 21)
    for i in range(10, 0, -1):
        below = anp.divide(anp.multiply(float(i), anp.subtract(float(i), a)), fraction)
        fraction = anp.subtract(anp.add(anp.subtract(far, a), float(2 * i - 1)), below)
    log = anp.subtract(anp.multiply(a, anp.log(far)), anp.add(far, anp.gammaln(a)))
    near = anp.log(anp.where(is_far, 1, plain))
    return anp.where(is_far, anp.subtract(log, anp.log(fraction)), near)


@public("d")
def multigammaln(a: Any, d: int) -> Any:
    """Logarithm of the multivariate gamma function of dimension d, for a > (d - 1) / 2.

    The sum of gammaln(a - i / 2) over i < d, and d (d - 1) log(pi) / 4.

    >>> from anvl.scipy import special
    >>> print(round(float(special.multigammaln(1.0, 1)), 4))
    0.0
    """
    size = int_of(d, "d", "multigammaln", least=1)
    total = gammaln(a)
    for i in range(1, size):
        total = anp.add(total, gammaln(anp.subtract(a, i / 2)))
    return anp.add(total, size * (size - 1) / 4 * math.log(math.pi))


def bernoulli(n: int) -> Any:
    """Bernoulli numbers B_0 to B_n, with B_1 = -1/2 (DLMF 24.2.1): an array of n + 1 floats.

    They are computed exactly, and rounded once.  Raises `ValueError` for negative n.

    >>> from anvl.scipy import special
    >>> print(special.bernoulli(2))
    [ 1.         -0.5         0.16666667]
    """
    count = int_of(n, "n", "bernoulli", least=0)
    numbers = [Fraction(1)]
    for m in range(1, count + 1):
        total = sum((math.comb(m + 1, k) * b for k, b in enumerate(numbers)), Fraction(0))
        numbers.append(-total / (m + 1))
    return anp.asarray(np.asarray([_rounded(b) for b in numbers]), dtype=default_dtype(float))


def _rounded(x: Fraction) -> float:
    try:
        return float(x)
    except OverflowError:
        return math.copysign(math.inf, x)
