"""Derivatives to the fourth order, held against Taylor coefficients of NumPy's and SciPy's values.

    Smooth("hypot", anp.hypot, np.hypot, [[3.0, 0.0], [0.0, 4.0]])

The reference is evaluated at Chebyshev points around the point in question, never at the point: so
a tie, a zero or a branch that misleads a derivative there does not mislead the reference.  The
interpolating polynomial gives what all orders are, to 10 digits and more.
Source: L. N. Trefethen, Approximation Theory and Approximation Practice (SIAM, 2013), chapter 8.
"""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.polynomial import chebyshev

import anvl
import anvl.numpy as anp

__all__ = ["ORDERS", "Smooth", "derivatives", "errors"]

ORDERS = 4
_NODES = 24  # an even number: none is at 0
_PLACES = np.cos(np.pi * (np.arange(_NODES) + 0.5) / _NODES)


class Smooth(NamedTuple):
    """`f(*xs)` is analytic around `xs`, at least `radius` (of each element) to all sides.

    `radius` is one number, or as `xs`.  `orders` is the highest that is compared.
    """

    name: str
    f: Callable[..., Any]
    reference: Callable[..., Any]
    xs: Sequence[Any]
    radius: Any = 0.3
    orders: int = ORDERS
    tolerance: float = 1e-9

    @property
    def point(self) -> list[np.ndarray]:
        return [np.asarray(x, np.float64) for x in self.xs]

    @property
    def radii(self) -> list[np.ndarray]:
        given = [self.radius] * len(self.xs) if np.isscalar(self.radius) else self.radius
        return [np.broadcast_to(r, x.shape) + 0.0 for r, x in zip(given, self.point, strict=True)]

    def direction(self) -> list[np.ndarray]:
        """A way to go, the same at each call: in every element half of the radius or more."""
        draw = np.random.default_rng(len(self.name))
        return [r * draw.choice([-1, 1], r.shape) * draw.uniform(0.5, 1, r.shape)
                for r in self.radii]  # fmt: skip

    def weights(self) -> np.ndarray:
        """One for each element of the result, that bring all to a size of about 1."""
        with np.errstate(all="ignore"):
            near = np.array([self._values(t, self.direction()) for t in _PLACES])
        size = np.abs(near).max(0)
        draw = np.random.default_rng(5)
        return draw.uniform(0.5, 1, size.shape) / np.where(size > 0, size, 1)

    def _values(self, t: float, way: Sequence[np.ndarray]) -> np.ndarray:
        xs = [x + t * v for x, v in zip(self.point, way, strict=True)]
        return np.asarray(self.reference(*xs), np.float64)

    def series(self, way: Sequence[np.ndarray]) -> np.ndarray:
        """The Taylor coefficients of the weighted sum of the result along a way."""
        w = self.weights()
        with np.errstate(all="ignore"):
            values = [np.sum(w * self._values(t, way)) for t in _PLACES]
        series = chebyshev.cheb2poly(chebyshev.chebfit(_PLACES, values, _NODES - 1))
        return np.pad(series, (0, _NODES))[: ORDERS + 1]

    def slopes(self, of: int, way: Sequence[np.ndarray]) -> list[np.ndarray]:
        """The derivative, in each element scaled by its radius, of coefficient `of` along a way."""
        found = []
        for k, r in enumerate(self.radii):
            slopes = np.zeros(r.shape)
            for i in np.ndindex(r.shape):
                step = [np.zeros_like(x) for x in self.radii]
                step[k][i] = r[i] / 2
                if of == 0:
                    slopes[i] = 2 * self.series(step)[1]
                else:  # the form of second order, polarised
                    up, down = ([(v + s * e) / 1.5 for v, e in zip(way, step, strict=True)]
                                for s in (1, -1))  # fmt: skip
                    slopes[i] = (self.series(up)[2] - self.series(down)[2]) * 1.5**2
            found.append(slopes)
        return found


def _dot(xs: Any, ys: Any) -> Any:
    total: Any = 0.0
    for x, y in zip(xs, ys, strict=True):
        total = total + anp.sum(x * y)
    return total


def derivatives(row: Smooth) -> Callable[..., Any]:
    """Of the operands: the value; slopes along the way, of each order; gradients; products of the
    second derivatives with the way, in three modes."""
    way, w = row.direction(), row.weights()
    count = len(row.xs)
    every = tuple(range(count))

    def phi(*xs: Any) -> Any:
        return anp.sum(w * row.f(*xs))

    def along(f: Callable[..., Any]) -> Callable[..., Any]:
        return lambda *xs: anvl.jvp(f, xs, tuple(way))[1]

    def gradient(*xs: Any) -> Any:
        return anvl.grad(phi, wrt=every)(*xs)

    def all_of_them(*xs: Any) -> Any:
        slopes, f = [], phi
        for _ in range(row.orders):
            f = along(f)
            slopes.append(f(*xs))
        found = {"value": row.f(*xs), "slopes": slopes, "gradient": gradient(*xs)}
        if row.orders > 1:
            found |= {
                "forward over reverse": along(gradient)(*xs),
                "reverse over reverse": anvl.grad(
                    lambda *xs: _dot(gradient(*xs), way), wrt=every
                )(*xs),
                "reverse over forward": anvl.grad(along(phi), wrt=every)(*xs),
            }  # fmt: skip
        return found

    return all_of_them


def errors(row: Smooth, found: Any) -> dict[str, float]:
    """How far each derivative is from the reference, in parts of the size of the function."""
    wrong = {}
    with np.errstate(all="ignore"):
        value = np.asarray(row.reference(*row.point), np.float64)
    w = row.weights()
    off = np.abs(np.asarray(found["value"]) - value) * w
    wrong["value"] = float(np.max(off[np.isfinite(value)], initial=0))
    series = row.series(row.direction())
    factorial = 1
    for k, slope in enumerate(found["slopes"], start=1):
        factorial *= k
        wrong[f"order {k}"] = abs(float(slope) / factorial - series[k])
    for name, of in (("gradient", 0), *((m, 1) for m in found if " over " in m)):
        wanted = row.slopes(of, row.direction())
        wrong[name] = float(
            max(
                np.max(np.abs(np.asarray(g) * r - s), initial=0)
                for g, r, s in zip(found[name], row.radii, wanted, strict=True)
            )
        )
    return {k: v for k, v in wrong.items() if not v <= row.tolerance}
