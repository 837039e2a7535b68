"""`loggamma` of real and complex numbers."""

from __future__ import annotations

import math
from typing import Any

import anvl.numpy as anp
from anvl.core.promote import promoted
from anvl.dispatch.eager import public
from anvl.numpy.functions.elementwise import mark_weak
from anvl.scipy.special.evaluation import real_function

__all__ = ["loggamma"]

#: Steps up to where Stirling's series has all digits.
_STEPS = 8
#: B_2k / (2k (2k - 1)) for k = 1, 2, ... (DLMF 5.11.1)
_STIRLING = (
    1 / 12, -1 / 360, 1 / 1260, -1 / 1680, 1 / 1188, -691 / 360360, 1 / 156, -3617 / 122400,
)  # fmt: skip


@public()
def loggamma(z: Any) -> Any:
    """Principal logarithm of `gamma`: analytic but on the negative real axis.

    Parameters
    ----------
    z : array
        Real or complex.

    Returns
    -------
    Array.  Of negative reals NaN; of complex numbers on the negative axis the limit from the side
    that the sign of their imaginary part tells; infinite at 0, -1, -2, ...

    Notes
    -----
    Complex numbers: Stirling's series (DLMF 5.11.1) after eight steps, and reflection (DLMF 5.5.3)
    left of 1/2.  The absolute error in 128 bits is below 1e-14, or 1e-14 of the result.

    Examples
    --------
    >>> from anvl.scipy import special
    >>> print(round(float(special.loggamma(2.0)), 4))
    0.0
    """
    (x,), weak = promoted("loggamma", (z,), "float")
    if x.dtype.kind != "c":
        return _real(z)
    return mark_weak(_complex(x), weak)


@real_function
def _real(z: Any) -> Any:
    return anp.where(anp.less(z, 0), anp.nan, anp.gammaln(z))


def _complex(z: Any) -> Any:
    left = anp.less(anp.real(z), 0.5)
    right = _right(anp.where(left, anp.subtract(1, z), z))
    turned = anp.subtract(math.log(math.pi), anp.add(_log_sine(anp.where(left, z, 0.5)), right))
    pole = anp.logical_and(anp.equal(anp.imag(z), 0), anp.less_equal(anp.real(z), 0))
    pole = anp.logical_and(pole, anp.equal(anp.real(z), anp.rint(anp.real(z))))
    return anp.where(pole, math.inf, anp.where(left, turned, right))


def _right(z: Any) -> Any:
    """Of real parts from 1/2 on: log gamma(z + n) less the logarithms of z, z + 1, ..."""
    w = anp.add(z, _STEPS)
    found = anp.subtract(anp.multiply(anp.subtract(w, 0.5), anp.log(w)), w)
    inverse = anp.divide(1, w)
    square, total = anp.multiply(inverse, inverse), anp.zeros_like(z)
    for c in reversed(_STIRLING):
        total = anp.add(anp.multiply(total, square), c)
    found = anp.add(anp.add(found, 0.5 * math.log(2 * math.pi)), anp.multiply(total, inverse))
    for k in range(_STEPS):
        found = anp.subtract(found, anp.log(anp.add(z, k)))
    return found


def _log_sine(z: Any) -> Any:
    """log sin(pi z), continued from 1/2 within each half plane.

    With s = 1 above and -1 below: log(i s / 2) - s pi i z + log(1 - exp(2 pi i s z)).
    """
    s = anp.copysign(anp.ones_like(anp.imag(z)), anp.imag(z))
    turn = anp.multiply(1j * math.pi, s)
    far = anp.greater(anp.abs(anp.imag(z)), 20)  # there the last logarithm is below 1e-54
    near = anp.subtract(z, anp.rint(anp.real(z)))
    near = anp.where(anp.logical_or(far, anp.equal(near, 0)), 0.5, near)
    rest = anp.multiply(anp.sin(anp.multiply(math.pi, near)), anp.exp(anp.multiply(turn, near)))
    rest = anp.where(far, 0, anp.log(anp.multiply(anp.multiply(-2j, s), rest)))
    start = anp.subtract(anp.multiply(turn, anp.subtract(0.5, z)), math.log(2))
    return anp.add(start, rest)
