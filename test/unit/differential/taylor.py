"""Derivatives to the second order, held against Taylor coefficients of the reference's values.

The reference is evaluated at Chebyshev points of a line through the operands.  Where the values
are those of a polynomial, to rounding, its coefficients are the derivatives; where they are not (a
kink, a jump, a pole), nothing is known, and two modes are compared with each other only.
Source: L. N. Trefethen, Approximation Theory and Approximation Practice (SIAM, 2013), chapter 8.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from comparing import Line, flattened, quiet
from drawing import Call
from numpy.polynomial import chebyshev
from tolerances import ITERATION, rounding

import anvl
import anvl.numpy as anp

__all__ = ["differentiate"]

_NODES = 24  # an even number: none is at 0
_PLACES = np.cos(np.pi * (np.arange(_NODES) + 0.5) / _NODES)
_RADII = (0.25, 0.03)


def differentiate(line: Line, call: Call, flavour: str) -> str:
    """Compare the derivatives; what they were compared with: "series", "modes" or "nothing"."""
    xs = call.values(flavour, 1)
    which = [i for i, x in enumerate(xs) if x.dtype == np.float64]
    if not which or not all(xs[i].size for i in which):
        return "nothing"
    along = _Along(line, call, xs, which)
    try:
        value = along.at(0.0)
    except (ValueError, TypeError, IndexError, np.linalg.LinAlgError, AssertionError):
        return "nothing"
    if not value.size or not np.all(np.isfinite(value)):
        return "nothing"
    found = anvl.jit(_derivatives(along))(*[xs[i] for i in which])
    where = f"{line.name}({call}), flavour {flavour}, of {[xs[i].tolist() for i in which]}"
    for name in ("first", "second"):
        forward, reverse = (float(np.asarray(found[name, mode])) for mode in ("jvp", "vjp"))
        close = abs(forward - reverse) <= along.limit * max(1.0, abs(forward))
        close |= forward == reverse  # infinities
        both = np.isnan(forward) and np.isnan(reverse)
        assert close or both, f"{where}: {name} derivative: {forward} by jvp, {reverse} by vjp"
    series = along.series()
    if series is None:
        return "modes"
    first, second = float(np.asarray(found["first", "jvp"])), found["second", "jvp"]
    for order, slope, factor in (("first", first, 1), ("second", second, 2)):
        off = abs(float(np.asarray(slope)) - series[factor] * factor)
        if off > along.limit * along.scale and not along.has_a_tangent_plane(series[1]):
            return "modes"
        assert off <= along.limit * along.scale, (
            f"{where}: {order} derivative {float(np.asarray(slope))}, not {series[factor] * factor}"
        )
    return "series"


class _Along:
    """A line through the operands, and weights of the results."""

    def __init__(self, line: Line, call: Call, xs: Sequence[np.ndarray], which: list[int]) -> None:
        self.line, self.call, self.xs, self.which = line, call, xs, which
        self.limit = rounding(ITERATION) * 10
        draw = np.random.default_rng(7)
        self.way = [
            draw.choice([-1, 1], xs[i].shape) * draw.uniform(0.5, 1, xs[i].shape) for i in which
        ]
        self.radius, self.weights, self.scale = 1.0, None, 1.0

    def filled(self, changed: Sequence[Any]) -> list[Any]:
        given = list(self.xs)
        for i, x in zip(self.which, changed, strict=True):
            given[i] = x
        return given

    def at(self, t: float) -> np.ndarray:
        moved = [self.xs[i] + t * v for i, v in zip(self.which, self.way, strict=True)]
        with quiet():
            found = self.line.seen(self.call.of(self.line.reference, self.filled(moved)))
        parts = [np.asarray(x) for x in flattened(found)]
        kept = [np.ravel(np.real(x)) for x in parts if x.dtype.kind in "fc"]
        self.limit = max(self.limit, *(rounding(ITERATION, x.dtype) * 10 for x in kept), 0.0)
        flat = np.concatenate(kept) if kept else np.zeros(0)
        if self.weights is None:
            self.weights = np.random.default_rng(5).uniform(0.5, 1, flat.shape)
        return flat

    def has_a_tangent_plane(self, slope: float) -> bool:
        """Whether slopes add up, which they do not at a corner that is smooth along this line."""
        way, scale, draw = self.way, self.scale, np.random.default_rng(11)

        def slope_along(way: list[np.ndarray]) -> float:
            self.way = way
            series = self.series()
            return np.nan if series is None else series[1]

        off = []
        for _ in range(8):
            other = [draw.normal(size=v.shape) for v in way]
            both = [v + w for v, w in zip(way, other, strict=True)]
            off.append(abs(slope + slope_along(other) - slope_along(both)))
        self.way, self.scale = way, scale
        return bool(np.max(off) <= 10 * self.limit * scale)  # not of NaN

    def series(self) -> np.ndarray | None:
        """The Taylor coefficients at 0 of the weighted sum, if it is analytic around."""
        for radius in _RADII:
            try:
                values = np.asarray([self.weights @ self.at(radius * t) for t in _PLACES])
            except (ValueError, TypeError, np.linalg.LinAlgError):
                continue
            if not np.all(np.isfinite(values)):
                continue
            fitted = chebyshev.chebfit(_PLACES, values, _NODES - 1)
            size = np.max(np.abs(values))
            near = abs(self.weights @ self.at(0.0) - chebyshev.chebval(0.0, fitted))
            if np.max(np.abs(fitted[-6:])) > 1e-13 * size or near > 1e-12 * size:
                continue
            series = np.pad(chebyshev.cheb2poly(fitted), (0, 3))
            self.scale = max(size, 1e-8) / radius**2 * 1e-3 + abs(2 * series[2]) / radius**2 + size
            return series / radius ** np.arange(series.size)
        return None


def _derivatives(along: _Along) -> Callable[..., Any]:
    call, way = along.call, [np.asarray(v) for v in along.way]

    def weighted(*xs: Any) -> Any:
        found = flattened(along.line.seen(call.of(along.line.f, along.filled(xs))))
        kept = [anp.real(x) for x in found if x.dtype.kind in "fc"]
        flat = anp.concatenate([anp.ravel(x) for x in kept])
        return anp.sum(flat * along.weights)

    def forward(*xs: Any) -> Any:
        return anvl.jvp(weighted, xs, tuple(way))[1]

    def reverse(*xs: Any) -> Any:
        every = tuple(range(len(xs)))
        gradient = anvl.grad(weighted, wrt=every)(*xs)
        return sum(anp.sum(g * v) for g, v in zip(gradient, way, strict=True))

    def found(*xs: Any) -> dict[Any, Any]:
        every = tuple(range(len(xs)))
        twice = anvl.grad(reverse, wrt=every)(*xs)
        return {
            ("first", "jvp"): forward(*xs),
            ("first", "vjp"): reverse(*xs),
            ("second", "jvp"): anvl.jvp(forward, xs, tuple(way))[1],
            ("second", "vjp"): sum(anp.sum(g * v) for g, v in zip(twice, way, strict=True)),
        }

    return found
