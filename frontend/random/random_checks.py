"""Validate concrete parameters of distributions eagerly; tracers are skipped."""

from __future__ import annotations

from typing import Any

import numpy as np

from anvl.dialect.core.types import dtype_name
from anvl.runtime import Array

__all__ = ["check_chances", "check_ends", "check_logits", "check_weights"]


def _known(x: Any) -> np.ndarray[Any, Any] | None:
    """Real numbers of x as f64; None for tracers and for values that are refused elsewhere."""
    if not isinstance(x, int | float | Array | np.ndarray | np.generic):
        return None
    found = np.asarray(x)
    return None if found.dtype.kind not in "biufV" else found.astype(np.float64)


def check_chances(p: Any) -> None:
    """Validate the probabilities of `bernoulli`: `ValueError` outside of [0, 1]."""
    chances = _known(p)
    if chances is None:
        return
    wrong = ~((chances >= 0) & (chances <= 1))
    if wrong.any():
        raise ValueError(
            f"bernoulli: p is {chances[wrong][0]:g}; it is a probability, between 0 and 1"
        )


def check_ends(low: Any, high: Any, dtype: np.dtype[Any]) -> None:
    """Validate the bounds of `uniform`: `ValueError` if no number of the dtype is between them."""
    first, last = _known(low), _known(high)
    if first is None or last is None:
        return
    try:
        first, last = np.broadcast_arrays(first, last)
    except ValueError:  # shapes that do not broadcast are reported elsewhere
        return
    with np.errstate(over="ignore", invalid="ignore"):
        span = np.asarray(last - first).astype(dtype).astype(np.float64)
    if (span < 0).any():
        one, other = (b[span < 0][0] for b in (first, last))
        raise ValueError(f"uniform: minval {one:g} is above maxval {other:g}; exchange them")
    wrong = ~np.isfinite(span)
    if wrong.any():
        one, other = (b[wrong][0] for b in (first, last))
        raise ValueError(
            f"uniform: from minval {one:g} to maxval {other:g} is not a finite range of "
            f"{dtype_name(dtype)}"
        )


def check_weights(p: Any, least: int) -> None:
    """Validate the weights of `choice`: `ValueError` unless `least` different ones can be drawn."""
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
        raise ValueError("choice: p sums to 0; at least one element must be above 0")
    if some < least:
        raise ValueError(
            f"choice: cannot draw {least} elements without `replace`: p is above 0 only for {some}"
        )


def check_logits(logits: Any, axis: Any) -> None:
    """Validate the logits of `categorical`: `ValueError` unless they define probabilities."""
    found = _known(logits)
    whole = isinstance(axis, int | np.integer)
    if found is None or not whole or not -found.ndim <= axis < found.ndim or not found.size:
        return
    if np.isnan(found).any():
        raise ValueError("categorical: a logit is NaN; use -infinity for probability 0")
    if (found.max(axis) == -np.inf).any():
        raise ValueError("categorical: all logits are -infinity, so no index can be drawn")
    if ((found == np.inf).sum(axis) > 1).any():
        raise ValueError(
            "categorical: more than one logit is infinity, so their probabilities are not defined"
        )
