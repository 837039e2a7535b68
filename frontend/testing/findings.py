"""Comparison of numbers: tolerances, differences, pairings."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

__all__ = [
    "NARROW",
    "ORDER_2",
    "STEP",
    "TOLERANCES",
    "WEIGHTS",
    "Findings",
    "differences",
    "in_order_of",
    "paired",
    "uncertainties",
]

#: Relative tolerances, by kind of comparison; measured errors are a tenth of these or less.
TOLERANCES = {
    "value": 1e-10,
    "tangent": 1e-6,
    "adjoint": 1e-6,
    "order 2 tangent": 1e-6,
    "order 2 adjoint": 1e-6,
    "batch": 1e-12,
}
NARROW = {"f32": 2e-3, "c64": 2e-3, "f16": 1e-2, "bf16": 5e-2, "f8E5M2": 0.3, "f8E4M3FN": 0.2}
ORDER_2 = 3  # factor for second derivatives in a narrow dtype, whose terms cancel

#: Finite differences: the derivative is the sum of WEIGHTS[i] f(x + i STEP) / STEP.
STEP = 1e-3
WEIGHTS = {-2: 1 / 12, -1: -8 / 12, 1: 8 / 12, 2: -1 / 12}

_SMALLEST_SCALE = 1e-3  # below it, errors are absolute


@dataclass
class Findings:
    """The problems, and the largest error of each kind."""

    problems: list[str] = field(default_factory=list)
    errors: dict[str, float] = field(default_factory=dict)

    def compare(
        self, kind: str, call: str, found: Any, wanted: Any, limit: float, least: float = 0.0,
        uncertainty: Any = 0.0,
    ) -> None:  # fmt: skip
        """Compare relative to the largest expected number, or to `least` if larger terms cancel.

        The expected numbers are known up to `uncertainty`.
        """
        found, wanted = np.asarray(found), np.asarray(wanted)
        if found.shape != wanted.shape:
            self.problems.append(f"{kind}: {call}: shape {found.shape}, not {wanted.shape}")
            return
        error = _error(found, wanted, max(least, _SMALLEST_SCALE), uncertainty)
        self.errors[kind] = max(self.errors.get(kind, 0.0), error)
        if not error <= limit:
            self.problems.append(f"{kind}: {call}: error {error:.1e}: {found} is not {wanted}")

    def compare_each(self, kind: str, call: str, found: Any, wanted: Any, limit: float) -> None:
        """Compare element by element, relative to each expected number, however small."""
        least = float(np.finfo(found.dtype).tiny) / limit  # smaller ones may be 0
        for y, one in zip(found.ravel(), wanted.ravel(), strict=True):
            error = _error(y, one, least)
            if not error <= limit:
                self.problems.append(f"{kind}: {call}: error {error:.1e}: {y} is not {one}")

    def compare_parts(self, call: str, x: Any, found: Any, wanted: Any, limit: float) -> None:
        """Compare both parts of f(x), and signs of zeros, which C leaves open beside infinities."""

        def signs(y: Any) -> Any:
            parts, is_open = np.stack([y.real, y.imag]), ~(np.isfinite(x) & np.isfinite(y))
            return np.where(is_open | (parts != 0), 0, np.copysign(1, parts))

        for of in (np.real, np.imag, signs):
            self.compare("value", call, of(found), of(wanted), limit)

    def add(self, other: "Findings") -> None:
        """Merge the findings of another examination."""
        self.problems += other.problems
        for kind, error in other.errors.items():
            self.errors[kind] = max(self.errors.get(kind, 0.0), error)


def _error(found: np.ndarray, wanted: np.ndarray, least: float, uncertainty: Any = 0.0) -> float:
    if found.size == 0:
        return 0.0
    if found.dtype == bool or found.dtype.kind in "iu":
        return 0.0 if np.array_equal(found, wanted) else np.inf
    found, wanted = _widened(found), _widened(wanted)
    same = (found == wanted) | (np.isnan(found) & np.isnan(wanted))
    with np.errstate(invalid="ignore"):
        difference = np.where(same, 0, np.abs(found - wanted))
        known = difference > uncertainty
        difference = np.where(known, difference - uncertainty, 0 * difference)  # NaN stays
    scale = np.abs(wanted[np.isfinite(wanted)]).max(initial=least)
    return float(np.max(difference) / scale)


def _widened(x: np.ndarray) -> np.ndarray:
    return x.astype(complex if x.dtype.kind == "c" else float)


def differences(around: dict[int, Any]) -> list[np.ndarray]:
    """Derivative of each result along the directions, from four surrounding points."""
    columns = zip(*(around[i] for i in WEIGHTS), strict=True)
    return [_difference(*values) for values in columns]


def _difference(*values: np.ndarray) -> np.ndarray:
    """Central difference; 0 if all values are equal, infinite ones too."""
    flat = np.all([v == values[0] for v in values], axis=0)
    with np.errstate(invalid="ignore"):
        steps = [w / STEP * v for w, v in zip(WEIGHTS.values(), values, strict=True)]
        return np.where(flat, 0, np.sum(steps, axis=0))


def uncertainties(around: dict[int, Any]) -> list[float]:
    """How far `differences` may be off: twice the square of the relative error at second order.

    At distance r from a pole the error is (STEP / r)^4; near eigenvalues, say, that grows large.
    """
    columns = zip(*(around[i] for i in (-2, -1, 1, 2)), strict=True)
    return [_uncertainty(*values) for values in columns]


def _uncertainty(*values: np.ndarray) -> float:
    with np.errstate(invalid="ignore"):
        far, near = (values[3] - values[0]) / (4 * STEP), (values[2] - values[1]) / (2 * STEP)
        known = np.isfinite(far) & np.isfinite(near)
        gap = np.abs(far - near)[known].max(initial=0.0)
    return float(2 * gap**2 / np.abs(near[known]).max(initial=_SMALLEST_SCALE))


def in_order_of(found: Sequence[np.ndarray], wanted: Sequence[np.ndarray]) -> list[np.ndarray]:
    """Results, permuted along the last axis where they are nearer so, as eigenvalues may be.

    The first result gives the permutation.
    """
    first, expected = found[0], wanted[0]
    if first.size == 0 or first.shape != expected.shape:
        return list(found)
    order = np.abs(first[..., :, None] - expected[..., None, :]).argmin(-2)

    def nearer(y: np.ndarray, y_wanted: np.ndarray) -> np.ndarray:
        at = np.expand_dims(order, tuple(range(first.ndim - 1, y.ndim - 1)))
        permuted = np.take_along_axis(y, np.broadcast_to(at, y.shape), -1)
        return min((y, permuted), key=lambda some: np.abs(some - y_wanted).sum())

    return [nearer(y, y_wanted) for y, y_wanted in zip(found, wanted, strict=True)]


def paired(gs: Sequence[np.ndarray], ts: Sequence[np.ndarray]) -> float:
    return float(sum(np.real(np.sum(g * t)) for g, t in zip(gs, ts, strict=True)))
