"""Derivatives, held against Taylor coefficients of NumPy's and SciPy's values around a point.

    Smooth("hypot", anp.hypot, np.hypot, [[3.0, 0.0], [0.0, 4.0]])

The reference is evaluated at Chebyshev points around the point in question, never at the point: so
a tie, a zero or a branch that misleads a derivative there does not mislead the reference.  The
interpolating polynomial tells the derivatives of all orders, to 9 digits and more.
Source: L. N. Trefethen, Approximation Theory and Approximation Practice (SIAM, 2013), chapter 8.
"""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple
from unittest import mock

import numpy as np
from numpy.polynomial import chebyshev

import anvl
import anvl.numpy as anp
from anvl.testing.program import FAST, OLD_EMITTERS

__all__ = ["Smooth", "computed", "derivatives", "errors"]

_NODES = 24  # an even number: none is at 0
_PLACES = np.cos(np.pi * (np.arange(_NODES) + 0.5) / _NODES)


class Smooth(NamedTuple):
    """`f(*xs)` is analytic around `xs`, at least `radius` (of each element) to all sides.

    `radius` is one number, or as `xs`.  Derivatives along a way are compared up to `orders`, and
    gradients and products of the Hessian in two modes.
    """

    name: str
    f: Callable[..., Any]
    reference: Callable[..., Any]
    xs: Sequence[Any]
    radius: Any = 0.3
    orders: int = 2
    tolerance: float = 1e-9

    @property
    def point(self) -> list[np.ndarray]:
        return [np.asarray(x, np.float64) for x in self.xs]

    @property
    def radii(self) -> list[np.ndarray]:
        given = [self.radius] * len(self.xs) if np.isscalar(self.radius) else self.radius
        return [np.broadcast_to(r, x.shape) + 0.0 for r, x in zip(given, self.point, strict=True)]

    def way(self, which: int = 0) -> list[np.ndarray]:
        """A direction, the same at each call: half of the radius or more in every element."""
        draw = np.random.default_rng(len(self.name) + 100 * which)
        signs = [draw.choice([-1, 1], r.shape) for r in self.radii]
        return [
            r * s * draw.uniform(0.5, 1, r.shape) for r, s in zip(self.radii, signs, strict=True)
        ]

    def weights(self) -> np.ndarray:
        """One for each element of the result, that bring all to a size of about 1."""
        near = np.array([self._values(t, self.way()) for t in _PLACES])
        size = np.abs(near).max(0)
        draw = np.random.default_rng(5)
        return draw.uniform(0.5, 1, size.shape) / np.where(size > 0, size, 1)

    def _values(self, t: float, way: Sequence[np.ndarray]) -> np.ndarray:
        with np.errstate(all="ignore"):
            found = self.reference(*[x + t * v for x, v in zip(self.point, way, strict=True)])
        return np.asarray(found, np.float64)

    def series(self, way: Sequence[np.ndarray], w: np.ndarray) -> np.ndarray:
        """The Taylor coefficients, along a way, of the weighted sum of the result."""
        values = [np.sum(w * self._values(t, way)) for t in _PLACES]
        series = chebyshev.cheb2poly(chebyshev.chebfit(_PLACES, values, _NODES - 1))
        return np.pad(series, (0, _NODES))

    def mixed(self, w: np.ndarray) -> float:
        """The second derivative along one way and the other: the quadratic form, polarised."""
        pairs = list(zip(self.way(), self.way(1), strict=True))
        up, down = (self.series([(a + sign * b) / 2 for a, b in pairs], w)[2] for sign in (1, -1))
        return float(up - down) * 2


def derivatives(row: Smooth) -> Callable[..., Any]:
    """Of the operands: the value; slopes along the way, of each order; the gradient; products of
    the Hessian with the way, in two modes."""
    way, w, every = row.way(), row.weights(), tuple(range(len(row.xs)))

    def weighted(*xs: Any) -> Any:
        return anp.sum(w * row.f(*xs))

    def along(f: Callable[..., Any]) -> Callable[..., Any]:
        return lambda *xs: anvl.jvp(f, xs, tuple(way))[1]

    def gradient(*xs: Any) -> Any:
        return anvl.grad(weighted, wrt=every)(*xs)

    def along_the_gradient(*xs: Any) -> Any:
        return sum(anp.sum(g * v) for g, v in zip(gradient(*xs), way, strict=True))

    def found(*xs: Any) -> dict[str, Any]:
        slopes, f = [], weighted
        for _ in range(row.orders):
            f = along(f)
            slopes.append(f(*xs))
        first = {"value": row.f(*xs), "slopes": slopes, "gradient": gradient(*xs)}
        if row.orders == 1:
            return first
        return first | {
            "forward over reverse": along(gradient)(*xs),
            "reverse over reverse": anvl.grad(along_the_gradient, wrt=every)(*xs),
        }

    return found


def errors(row: Smooth, found: Any) -> dict[str, float]:
    """What is further from the reference than it may be, in parts of the size of the function."""
    w, way, other, wrong, factorial = row.weights(), row.way(), row.way(1), {}, 1
    value = row._values(0.0, way)
    off = np.abs(np.asarray(found["value"]) - value) * w
    wrong["value"] = np.max(off[np.isfinite(value)], initial=0)  # NumPy may have none at the point
    series = row.series(way, w)
    for k, slope in enumerate(found["slopes"], start=1):
        factorial *= k
        wrong[f"order {k}"] = slope.item() / factorial - series[k]
    for v, wanted in ((way, series[1]), (other, row.series(other, w)[1])):
        wrong[f"gradient, {'one way' if v is way else 'another'}"] = (
            _dot(found["gradient"], v) - wanted
        )
    for name in (k for k in found if " over " in k):
        wrong[name] = _dot(found[name], other) - row.mixed(w)
    return {k: float(v) for k, v in wrong.items() if not abs(v) <= row.tolerance}


def computed(f: Callable[..., Any], *args: Any) -> Any:
    """`f(*args)`, compiled as fast as it can be: the numbers are what is tested."""
    lowered = anvl.jit(f).lower(*args)
    for options in (FAST | OLD_EMITTERS, FAST):
        with mock.patch(
            "anvl.dispatch.programs.compilation._xla_options", lambda *_, options=options: options
        ):
            try:
                return lowered.compile()(*args)
            except (anvl.RuntimeFailure, ValueError):  # a newer jaxlib has no old emitters
                if options is FAST:
                    raise


def _dot(xs: Any, ys: Any) -> float:
    return float(sum(np.sum(np.asarray(x) * y) for x, y in zip(xs, ys, strict=True)))
