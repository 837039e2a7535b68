"""Points where arguments tie, vanish, are tiny or huge, and the function is smooth: elementwise."""

from typing import Any

import numpy as np
import scipy.special as special
from smoothness import Smooth

import anvl.numpy as anp

__all__ = ["ELEMENTWISE"]

_SMALL = [0.0, -0.0, 1e-8, -1e-160, 0.5, -0.7]
_ALL = [*_SMALL, 3.0, -9.0]
# Where a function has a singularity at 0: numbers of every size, and a tenth of each around.
_SIZES = np.array([1e-160, 1e-8, 1.0, 9.0, 1e150])
_BESSEL = [*_ALL, 1.0, 1e-3, 8.0, -8.0, 25.0]


def _unary(name: str, points: Any, radius: Any = 0.3, reference: Any = None, **more: Any) -> Smooth:
    of = reference or getattr(np, name, None) or getattr(special, name)
    radius = radius if np.isscalar(radius) else [radius]
    return Smooth(name, getattr(anp, name), of, [points], radius, **more)


def _sized(name: str, reference: Any = None) -> Smooth:
    return _unary(name, _SIZES, _SIZES / 10, reference)


_PAIRS = {  # of functions of two numbers that scale: ties, zeros, and both ends of the range
    "x": [3.0, 0, 1, 1, -1, 5, 1e-160, 1e200, 1e200, 1e-160],
    "y": [0.0, 4, 1, -1, -1, 1e-8, 0, 0, 1e200, 1e-160],
}
_PAIR_RADII = [0.3, 0.3, 0.3, 0.3, 0.3, 0.3, 1e-161, 1e199, 1e199, 1e-161]
_WHOLE = np.array([2.0, 3, 2, 4, 1, 0, -2, 2, 3])
_ORDERS = np.array([1, 1, 2, 3, 0, 1, 2])

ELEMENTWISE = [
    *[_unary(name, _ALL) for name in "exp expm1 exp2 sin cos sinh cosh tanh square".split()],
    *[_unary(name, _ALL) for name in "erf erfc deg2rad rad2deg negative positive".split()],
    *[_sized(name) for name in "log sqrt cbrt reciprocal log2 log10".split()],
    _sized("rsqrt", lambda x: 1 / np.sqrt(x)),
    _unary("tan", _SMALL),
    _unary("atan", _ALL, reference=np.arctan),
    _unary("asinh", [*_ALL, 1e200, -1e160], [*[0.3] * 8, 1e199, 1e159], np.arcsinh),
    _unary("asin", [*_SMALL, 1 - 1e-8], [*[0.1] * 6, 1e-9], np.arcsin, tolerance=1e-7),
    _unary("acos", _SMALL, 0.1, np.arccos),
    _unary("atanh", [*_SMALL, 1 - 1e-8], [*[0.1] * 6, 1e-9], np.arctanh, tolerance=1e-7),
    _unary("acosh", [1.5, 3, 1e100], [0.2, 0.2, 1e99], np.arccosh),
    _unary("log1p", _SMALL, 0.1),
    _unary("sigmoid", [*_ALL, 40.0, -40.0], reference=special.expit),
    _unary("erfinv", [*_SMALL, 0.9], 0.05),
    _unary("sinc", [*_ALL, 1.0, -1.0, 1e-3, 0.1, 1.5, 30.0], orders=4),
    _unary("i0", _BESSEL, orders=4),
    _unary("i1", _BESSEL, orders=4),
    _unary("i0e", [1.0, 1e-3, 8.0, -8.0, 25.0], [0.3, 1e-4, 0.3, 0.3, 0.3]),
    _unary("i1e", [1.0, 1e-3, 8.0, -8.0, 25.0], [0.3, 1e-4, 0.3, 0.3, 0.3]),
    _unary("gammaln", [1.0, 2, 10, 100, 1e-3, -0.5, -2.5], [0.3, 0.3, 0.3, 0.3, 1e-4, 0.1, 0.1]),
    _unary("digamma", [1.0, 10, 100, 1e-3, -0.5, -2.5, 1.4616321449683623],
           [0.3, 0.3, 0.3, 1e-4, 0.1, 0.1, 0.1]),
    Smooth("hypot", anp.hypot, np.hypot, [*_PAIRS.values()], [_PAIR_RADII] * 2, 4),
    Smooth("hypot, squared", lambda x, y: anp.hypot(x, y) ** 2, lambda x, y: x * x + y * y,
           [[0.0, 0], [0.0, 4]], orders=4),
    Smooth("abs, squared", lambda x: anp.abs(x) ** 2, np.square, [[0.0, -0.0, -2]], orders=4),
    Smooth("atan2", anp.arctan2, np.arctan2, [*_PAIRS.values()], [_PAIR_RADII] * 2, 1),
    Smooth("atan2, curvature", anp.arctan2, np.arctan2,
           [[0.0, 1, -1, 1e-8, 3], [4.0, 1, 0, 5, -0.0]]),
    Smooth("logaddexp", anp.logaddexp, np.logaddexp,
           [[0.0, 0, 1, 5, -30, 1000, 800], [0.0, -0.0, 1, -5, 30, 1000, 0]], orders=4),
    Smooth("power, of whole exponents", lambda x: anp.power(x, _WHOLE),
           lambda x: np.power(x, _WHOLE), [[0.0, 0, -1e-8, -0.0, 0, 0, 1, -1, -2]]),
    Smooth("power", anp.power, np.power, [[1.0, 2, 0.5, 1], [0.0, 0, -1, 1]], 0.1),
    Smooth("float_power", anp.float_power, np.float_power, [[1.0, 2], [0.0, 0]], 0.1),
    *[Smooth(f"power {n}", lambda x, n=n: x**n, lambda x, n=n: x**n, [[0.0, -0.0, 1, -2]])
      for n in (2, 3, 5)],
    *[Smooth(f"power {n}", lambda x, n=n: x**n, lambda x, n=n: x ** float(n),
             [[1.0, -2, 1e-5, -1e6]], [[0.1, 0.1, 1e-6, 1e5]]) for n in (-1, -2, -12)],
    Smooth("polygamma", lambda x: anp.polygamma(1.0 * _ORDERS, x),
           lambda x: special.polygamma(_ORDERS, x), [[1.0, 0.5, 2, 0.7, 1, -0.5, -0.3]], 0.1),
    Smooth("zeta", anp.zeta, special.zeta, [[2.0, 3], [1.0, 0.5]], 0.1, tolerance=1e-7),
    Smooth("gammainc", anp.gammainc, special.gammainc, [[1.0, 10, 2], [1.0, 10, 1e-3]],
           [[0.1] * 3, [0.1, 0.1, 1e-4]], 2, 1e-7),
    Smooth("gammaincc", anp.gammaincc, special.gammaincc, [[1.0], [1.0]], 0.1, 1, 1e-7),
    Smooth("betainc", anp.betainc, special.betainc, [[1.0, 2], [1.0, 2], [0.5, 0.2]], 0.05,
           tolerance=1e-7),
]  # fmt: skip
