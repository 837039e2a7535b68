"""Quantiles of the normal distribution, by quotients of polynomials.

The largest errors in units in the last place are 3.4 in f32 and 2.8 in f64, over all p that are
normal numbers.  A quantile is mostly sqrt(2 pi) (p - 1/2) in the middle, and sqrt(-2 log(p)) in the
tails: the quotients correct these, so that their own rounding counts little.

Source: M. J. Wichura, Algorithm AS 241: the percentage points of the normal distribution (1988),
PPND16, for the parts and the quotients C / D of f64; here the numerators are those of
C / D - sqrt(2 pi) and of sqrt(-2 log(p)) - C / D, computed with 60 digits.  Those of f32 are least
squares of values in f64, with weights that made the largest relative errors alike: below 5e-9.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

import anvl.numpy as anp
from anvl.scipy.special.evaluation import polynomial

__all__ = ["normal_quantile"]

_MIDDLE, _FAR = 0.425, 5.0  # up to this |p - 1/2|; from this sqrt(-log(p)) on
_SQUARE = 0.180625  # of _MIDDLE: its square in f64 is less
_SLOPE = 2.5066282746310007  # sqrt(2 pi): math.sqrt(2 * math.pi) is less
_QUOTIENT = tuple[Sequence[float], Sequence[float]]

# fmt: off
#: In the square of 0.425 less that of p - 1/2; in f32 without the factor (p - 1/2)^2.
_MIDDLE_F32: _QUOTIENT = (
    (25.929666909537257, 197.66650714531505, 69.73097373675667, 4.874765850587033),
    (145.95110744184862, 111.52077491017408, 20.32876944802316, 1.0),
)
_MIDDLE_F64: _QUOTIENT = (
    (-10591.799914467878, -38582.56302587066, -31264.512101752847, -7253.142677013096,
     210.44949930412798, 249.06856736789368, 27.077876761339542, 0.8805045981653659),
    (5226.495278852854, 28729.085735721943, 39307.89580009271, 21213.794301586597,
     5394.196021424751, 687.1870074920579, 42.31333070160091, 1.0),
)
#: In sqrt(-2 log(p)).
_TAIL_F32: _QUOTIENT = (
    (0.022570560197427637, 0.9950220834021462, 5.199172269810574, 2.947051911745346),
    (0.0034004284600933758, 0.24582499532695268, 2.2651711096919223, 3.701191190090338, 1.0),
)
#: In sqrt(-log(p)) - 1.6.
_TAIL_F64: _QUOTIENT = (
    (1.4859850019840357e-09, -1.2804605076107332e-07, 9.378740026217411e-06, 0.002060583542481518,
     0.04014111093370995, 0.28368314986784776, 0.9273800832452294, 1.4297180274837413,
     0.8393045890472687),
    (1.0507500716444169e-09, 0.0005475938084995345, 0.015198666563616457, 0.14810397642748008,
     0.6897673349851, 1.6763848301838038, 2.053191626637759, 1.0),
)
#: In sqrt(-log(p)) - 5.
_FAR_F64: _QUOTIENT = (
    (2.8910246058729655e-15, -1.3047057114449248e-12, 4.889672130353864e-10,
     6.944699448112772e-07, 6.875314153886723e-05, 0.002272211280164503, 0.03170477521755489,
     0.19188285950656417, 0.4131631683643727),
    (2.0442631033899397e-15, 1.421511758316446e-07, 1.8463183175100548e-05,
     0.0007868691311456133, 0.014875361290850615, 0.1369298809227358, 0.599832206555888, 1.0),
)
# fmt: on


def normal_quantile(p: Any) -> Any:
    """The number below which a share p of the normal distribution lies, of p in f32 or f64."""
    half = anp.subtract(p, 0.5)
    square = anp.multiply(half, half)
    in_middle = anp.less_equal(anp.abs(half), _MIDDLE)
    rest = anp.minimum(p, anp.subtract(1, p))
    size = anp.negative(anp.log(anp.where(anp.less_equal(rest, 0), 1, rest)))  # NaN stays NaN
    corrections = _single if p.dtype == np.float32 else _double
    root, above, below = corrections(in_middle, square, size)
    correction = anp.divide(above, below)
    tail = anp.subtract(root, correction)
    signed = anp.where(anp.less(half, 0), anp.negative(tail), tail)
    middle = anp.multiply(half, anp.add(_SLOPE, correction))
    found = anp.where(in_middle, middle, signed)
    ends = anp.where(anp.equal(p, 0), -anp.inf, anp.where(anp.equal(p, 1), anp.inf, found))
    outside = anp.logical_or(anp.less(p, 0), anp.greater(p, 1))
    return anp.where(outside, anp.nan, ends)


def _single(in_middle: Any, square: Any, size: Any) -> tuple[Any, Any, Any]:
    """sqrt(-2 log(p)), and the numerator and denominator of the correction, in f32."""
    root = anp.sqrt(anp.multiply(2, size))
    above, below = _both(_MIDDLE_F32, anp.subtract(_SQUARE, square))
    far_above, far_below = _both(_TAIL_F32, root)
    above = anp.where(in_middle, anp.multiply(square, above), far_above)
    return root, above, anp.where(in_middle, below, far_below)


def _double(in_middle: Any, square: Any, size: Any) -> tuple[Any, Any, Any]:
    """The same in f64."""
    root = anp.sqrt(size)
    is_far = anp.greater(root, _FAR)
    middle = _both(_MIDDLE_F64, anp.subtract(_SQUARE, square))
    tail = _both(_TAIL_F64, anp.subtract(root, 1.6))
    far = _both(_FAR_F64, anp.subtract(root, _FAR))
    above, below = (
        anp.where(in_middle, m, anp.where(is_far, f, t))
        for m, t, f in zip(middle, tail, far, strict=True)
    )
    return anp.multiply(math.sqrt(2), root), above, below


def _both(quotient: _QUOTIENT, x: Any) -> tuple[Any, Any]:
    above, below = quotient
    return polynomial(above, x), polynomial(below, x)
