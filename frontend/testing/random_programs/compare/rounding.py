"""Tolerance of a value: units of rounding, and the size that they are relative to.

A sum is rounded relative to the size of its terms, not to its own.  For most functions the size is
that of the result, for some larger.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from anvl.testing.random_programs.compare.array_values import kind_of
from anvl.testing.random_programs.compare.comparison import limits
from anvl.testing.random_programs.programs import Step

__all__ = ["PRODUCTS", "size_of", "slack_of"]

_WORST = 1e6  # condition; beyond it the last digits are required all the same
_SLACK = 64  # units of rounding, for one function

#: Units for functions whose algorithms are known to give fewer digits.
_SLACKS = {
    # XLA's log1p in f64: 121 units near -0.41, of 100,000 points.
    **dict.fromkeys(("np.log1p", "np.atanh", "np.arctanh"), 256),
    # SciPy's gammaincc: 266 units where a is almost 0.5 and x 1, ours 32.
    **dict.fromkeys(("np.gammainc", "np.gammaincc"), 1024),
    "np.betainc": 1024,  # digits that its parameters lose in powers of x
}

#: Functions whose error near their zeros is that of numbers of size 1.
_NEAR_ZERO = set(
    "sinc gammaln lgamma digamma polygamma zeta erfinv logaddexp cumlogsumexp logsumexp "
    "log_softmax i1".split()
)

#: Functions that add up products of their operands.
PRODUCTS = tuple(
    f"np.{name}"
    for name in (
        "convolve correlate cross dot einsum inner kron matmul outer tensordot vdot vecdot".split()
    )
)

#: Functions that add up numbers of the size of their largest result, in any order.
_SUMS = ("np.fft.", "np.linalg.", "own.", *PRODUCTS)

#: Functions that solve a system with their first operand.
_ILL_CONDITIONED = ("np.linalg.inv", "np.linalg.lstsq", "np.linalg.pinv")


def slack_of(step: Step) -> float:
    """Tolerance of the result of a step, in units of rounding."""
    return _SLACKS.get(step.function, _SLACK)


def size_of(step: Step, operands: Mapping[str, np.ndarray], expected: Any) -> float:
    """Size of the numbers whose rounding a result has; 0 for its own size."""
    if step.function.rpartition(".")[2] in _NEAR_ZERO or "lambda" in step.text:
        return 1.0
    floats = all(kind_of(x.dtype) in "fc" for x in operands.values())
    if step.function in ("np.std", "np.var") and floats:
        return _size_of_deviation(step.function, list(operands.values()))
    if step.function.startswith("prim.batch_norm"):  # x times a factor, plus an offset
        return float(np.prod([max(_largest(x), 1.0) for x in operands.values()]))
    if not step.function.startswith(_SUMS) and "own." not in step.text:
        return 0.0
    return _size_of_sum(step, operands, _largest(np.asarray(expected)))


def _size_of_deviation(function: str, operands: Sequence[np.ndarray]) -> float:
    """Of a standard deviation or a variance: the mean is rounded, which leaves a remainder."""
    largest = max(map(_largest, operands), default=0.0)
    unit = limits(operands[0].dtype)[0]
    return largest if function == "np.std" else float(np.float64(largest) ** 2) * unit


def _size_of_sum(step: Step, operands: Mapping[str, np.ndarray], size: float) -> float:
    """Of a sum whose largest result is `size`: that of its terms, which may cancel."""
    if step.function in PRODUCTS:
        return max(size, float(np.prod([_largest(x) for x in operands.values()])))
    if step.function in _ILL_CONDITIONED:
        return size * _condition(next(iter(operands.values())))
    if step.function == "np.linalg.det":
        (x,) = operands.values()
        return max(size, float(np.float64(_largest(x)) ** x.shape[-1]))  # may be infinite
    return size


def _largest(x: np.ndarray) -> float:
    if x.dtype == object or not x.size:
        return 0.0
    sizes = np.abs(x.astype(np.complex128 if kind_of(x.dtype) == "c" else np.float64))
    return float(sizes[np.isfinite(sizes)].max(initial=0))


def _condition(x: np.ndarray) -> float:
    """Growth factor of an error in a system with this matrix."""
    wide = x.astype(np.complex128)
    if wide.ndim < 2 or not wide.size or not np.isfinite(wide).all():
        return 1.0
    return float(np.clip(np.nan_to_num(np.linalg.cond(wide), nan=1.0).max(), 1.0, _WORST))
