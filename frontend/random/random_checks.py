"""Validate the parameters of distributions that are known; tracers are skipped."""

from __future__ import annotations

from typing import Any

import numpy as np

from anvl.dialect.core.types import dtype_name
from anvl.runtime import Array

__all__ = ["check_chances", "check_ends", "check_logits", "check_weights"]


def _known(x: Any) -> np.ndarray[Any, Any] | None:
    """The real numbers of x as f64; None of a tracer, and of what is refused elsewhere."""
    if not isinstance(x, int | float | Array | np.ndarray | np.generic):
        return None
    found = np.asarray(x)
    return None if found.dtype.kind not in "biufV" else found.astype(np.float64)


def check_chances(p: Any) -> None:
    """Raise `ValueError` for a p of `bernoulli` that is not between 0 and 1."""
    chances = _known(p)
    if chances is None:
        return
    wrong = ~((chances >= 0) & (chances <= 1))
    if wrong.any():
        raise ValueError(
            f"bernoulli: p is {chances[wrong][0]:g}; it is a probability, between 0 and 1"
        )


def check_ends(low: Any, high: Any, dtype: np.dtype[Any]) -> None:
    """Raise `ValueError` for bounds of `uniform` between which no number of a dtype is drawn."""
    first, last = _known(low), _known(high)
    if first is None or last is None:
        return
    try:
        first, last = np.broadcast_arrays(first, last)
    except ValueError:  # shapes that do not broadcast, which is said elsewhere
        return
    with np.errstate(over="ignore", invalid="ignore"):
        span = np.asarray(last - first).astype(dtype).astype(np.float64)
    if (span < 0).any():
        one, other = (b[span < 0][0] for b in (first, last))
        raise ValueError(f"uniform: low {one:g} is above high {other:g}; exchange them")
    wrong = ~np.isfinite(span)
    if wrong.any():
        one, other = (b[wrong][0] for b in (first, last))
        raise ValueError(
            f"uniform: from low {one:g} to high {other:g} is no finite range of {dtype_name(dtype)}"
        )


def check_weights(p: Any, least: int) -> None:
    """Raise `ValueError` for a p of `choice` of which `least` different ones cannot be drawn."""
    weights = _known(p)
    if weights is None or weights.ndim != 1 or not weights.size:
        return
    wrong = ~(np.isfinite(weights) & (weights >= 0))
    if wrong.any():
        raise ValueError(
            f"choice: p is {weights[wrong][0]:g} at {int(wrong.argmax())}; it must be finite and "
            "not negative"
        )
    some = int(np.count_nonzero(weights))
    if not some:
        raise ValueError("choice: p sums to 0; some of it must be above 0")
    if some < least:
        raise ValueError(
            f"choice: {least} elements are wanted, but p is above 0 for {some}; without `replace` "
            "each is taken once"
        )


def check_logits(logits: Any, axis: Any) -> None:
    """Raise `ValueError` for logits of `categorical` that say no chances along an axis."""
    found = _known(logits)
    whole = isinstance(axis, int | np.integer)
    if found is None or not whole or not -found.ndim <= axis < found.ndim or not found.size:
        return
    if np.isnan(found).any():
        raise ValueError("categorical: a logit is NaN; use -infinity for what is never drawn")
    if (found.max(axis) == -np.inf).any():
        raise ValueError("categorical: the logits all are -infinity, so nothing can be drawn")
    if ((found == np.inf).sum(axis) > 1).any():
        raise ValueError(
            "categorical: more than one logit is infinity, which says not how likely each is"
        )
