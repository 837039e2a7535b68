"""Directional derivatives, compared with finite differences: the arithmetic of verification.

    slope = measured(f, x, t, g)           # by differences alone
    slope = slope.with_modes(adjoint, tangent)
    slope.verdict                          # "ok", "BAD", ...

Not a pass, and executes nothing: `f` computes.  `anvl-verify-gradient` and
`anvl.testing.check_grads` judge by it.  Complex values pair as the real part of the sum of
products, without conjugation, as everywhere in anvl.

Note [Which differences to trust]
Values at five points, x + k eps t, decide whether differences can be trusted.  Along a smooth line
the two one-sided slopes differ twice as much for the step 2 eps as for eps, and the central ones
hardly; a kink nearer than eps breaks the first or, for some places of the kink, the second.  A
function that fails this test is not called wrong: it is not smooth there.  The rounding error of a
difference, some units in the last place of the values over eps, is tolerated.
"""

import dataclasses
import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from anvl.dialect.core.types import dtype_name

__all__ = [
    "BAD", "NOT_FINITE", "NOT_SMOOTH", "OK", "Limits", "Slope", "direction", "measured", "paired",
]  # fmt: skip

OK, BAD, NOT_SMOOTH, NOT_FINITE = "ok", "BAD", "not smooth here", "not finite here"

_ROUNDINGS = 16  # units in the last place that one value may be off


class Limits(NamedTuple):
    """Step of the differences, allowed errors, and the unit roundoff."""

    eps: float
    tolerance: float
    unit: float
    absolute: float = 0.0  # an error that is allowed besides the relative one

    @classmethod
    def of(
        cls,
        dtypes: Sequence[object],
        eps: float = 0.0,
        tolerance: float = 0.0,
        absolute: float = 0.0,
    ) -> "Limits":
        """Limits for the narrowest float of `dtypes`, for those that are not given (zero)."""
        found = max((_LIMITS[dtype_name(d)] for d in dtypes), key=lambda limits: limits.unit)
        return cls(eps or found.eps, tolerance or found.tolerance, found.unit, absolute)


# The step is the third root of one rounding or a little more: then the error of the formula and
# that of rounding are of one size, far below the tolerance.
_F64 = Limits(1e-5, 1e-6, 2.0**-53)
_F32 = Limits(2.0**-8, 1e-2, 2.0**-24)
_F8 = Limits(2.0**-1, 0.5, 2.0**-3)
_LIMITS = {
    "f64": _F64, "c128": _F64, "f32": _F32, "c64": _F32, "f16": Limits(2.0**-4, 0.1, 2.0**-11),
    "bf16": Limits(2.0**-3, 0.25, 2.0**-8), "f8E4M3FN": _F8, "f8E5M2": _F8,
}  # fmt: skip


@dataclasses.dataclass(frozen=True)
class Slope:
    """Derivative of <g, f> along t: by differences, and by the modes that are available.

    Attributes: `difference`; `adjoint` and `tangent`, None where not requested; `scale`, the sum of
    the absolute values of the summands; `noise`, the rounding error of the difference;
    `smooth`, whether differences can judge here; `finite`; `tolerance` and `absolute`, the errors
    allowed.
    """

    difference: float
    scale: float
    noise: float
    smooth: bool
    finite: bool
    tolerance: float
    absolute: float = 0.0
    adjoint: float | None = None
    tangent: float | None = None

    def with_modes(
        self,
        adjoint: tuple[float, float] | None = None,
        tangent: tuple[float, float] | None = None,
    ) -> "Slope":
        """Add the derivatives by the modes: each a derivative and its scale, as from `paired`."""
        given = [x for x in (adjoint, tangent) if x is not None]
        return dataclasses.replace(
            self,
            adjoint=None if adjoint is None else adjoint[0],
            tangent=None if tangent is None else tangent[0],
            scale=max([self.scale, *(scale for _, scale in given)]),
            finite=self.finite and all(math.isfinite(x) for pair in given for x in pair),
        )

    @property
    def mode_error(self) -> float:
        """The relative error between adjoint and tangent; 0 where one of them is absent."""
        return self._relative(self._mode_difference())

    @property
    def difference_error(self) -> float:
        """The largest relative error of a mode against the difference."""
        return self._relative(self._largest_deviation())

    def error_of(self, found: float) -> float:
        """The relative error of one mode against the difference."""
        return self._relative(abs(found - self.difference))

    def _mode_difference(self) -> float:
        if self.adjoint is None or self.tangent is None:
            return 0.0
        return abs(self.adjoint - self.tangent)

    def _largest_deviation(self) -> float:
        modes = [x for x in (self.adjoint, self.tangent) if x is not None]
        return max([0.0, *(abs(x - self.difference) for x in modes)])

    def _relative(self, error: float) -> float:
        return error / self.scale if self.scale else (math.inf if error else 0.0)

    @property
    def verdict(self) -> str:
        """`OK`, `BAD`, or the reason why the differences cannot decide."""
        if not self.finite:
            return NOT_FINITE
        allowed = self.tolerance * self.scale + self.absolute
        if self._mode_difference() > allowed:
            return BAD
        if self._largest_deviation() <= allowed + self.noise:
            return OK
        return BAD if self.smooth else NOT_SMOOTH

    def __str__(self) -> str:
        named = [("adjoint", self.adjoint), ("tangent", self.tangent)]
        shown = [f"{name} {x:.7g}" for name, x in named if x is not None]
        shown.append(f"difference {self.difference:.7g}")
        both = len(shown) == 3
        errors = [self.mode_error, self.difference_error] if both else [self.difference_error]
        listed = " and ".join(f"{x:.1e}" for x in errors)
        shown.append(f"{'errors' if both else 'error'} {listed} of {self.tolerance:.0e} allowed")
        return ", ".join([*shown, self.verdict])


def direction(random: "np.random.Generator", shape: Sequence[int], dtype: Any) -> np.ndarray:
    """Random direction with all elements of size about one, so that any wrong element shows."""

    def signed() -> np.ndarray:
        return random.uniform(0.5, 1, shape) * random.choice([-1.0, 1.0], shape)

    is_complex = np.dtype(dtype).kind == "c"
    return np.asarray(signed() + 1j * signed() if is_complex else signed()).astype(dtype)


def paired(gs: Sequence[Any], ts: Sequence[Any]) -> tuple[float, float]:
    """Sum of products of two lists of arrays, and the sum of their absolute values."""
    sum_, absolute = 0.0, 0.0
    for g, t in zip(gs, ts, strict=True):
        with np.errstate(all="ignore"):
            product = np.real(_wide(g) * _wide(t))
            sum_ += float(np.sum(product))
            absolute += float(np.sum(np.abs(product)))
    return sum_, absolute


def measured(
    f: Callable[[list[np.ndarray]], Sequence[Any]],
    xs: Sequence[np.ndarray],
    ts: Sequence[np.ndarray | None],
    gs: Sequence[np.ndarray],
    limits: Limits,
) -> Slope:
    """Slope of <gs, f(xs)> along ts (None is zero), by central differences."""
    points = [[_wide(y) for y in f(_moved(xs, ts, k * limits.eps))] for k in (-2, -1, 0, 1, 2)]
    middle = points[2]
    # The differences first: a sum of them loses less than a difference of sums.
    steps = [[_difference(y, y0) for y, y0 in zip(p, middle, strict=True)] for p in points]
    two_left, left, _, right, two_right = (paired(gs, step)[0] for step in steps)
    central = (right - left) / (2 * limits.eps)
    wider = (two_right - two_left) / (4 * limits.eps)
    jump = (right + left) / limits.eps
    wider_jump = (two_right + two_left) / (2 * limits.eps)
    apart = [_difference(b, a) / (2 * limits.eps) for a, b in zip(steps[1], steps[3], strict=True)]
    scale = paired(gs, apart)[1]
    values = [np.where(np.isfinite(y), y, 0) for y in middle]
    noise = _ROUNDINGS * limits.unit * paired(gs, values)[1] / limits.eps
    allowed = limits.tolerance * scale + limits.absolute + noise
    smooth = abs(central - wider) <= allowed and abs(wider_jump - 2 * jump) <= 4 * allowed
    finite = all(map(math.isfinite, (central, wider, jump, wider_jump)))
    return Slope(central, scale, noise, smooth, finite, limits.tolerance, limits.absolute)


def _moved(
    xs: Sequence[np.ndarray], ts: Sequence[np.ndarray | None], step: float
) -> list[np.ndarray]:
    return [
        x if t is None else np.asarray(_wide(x) + step * _wide(t)).astype(x.dtype)
        for x, t in zip(xs, ts, strict=True)
    ]


def _difference(y: np.ndarray, y0: np.ndarray) -> np.ndarray:
    """Difference of two arrays; 0 where they are equal, even if infinite."""
    with np.errstate(invalid="ignore"):
        return np.where(y == y0, 0, y - y0)


def _wide(x: Any) -> np.ndarray:
    x = np.asarray(x)
    return x.astype(complex if x.dtype.kind == "c" else float)
