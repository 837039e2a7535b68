"""How functions of real numbers are evaluated: promotion, series, polynomials."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import numpy as np

import anvl.numpy as anp
from anvl.core.promote import convert, promoted
from anvl.dispatch.eager import public
from anvl.numpy.functions.elementwise import mark_weak
from anvl.numpy.functions.emitting import is_kind

__all__ = ["chebyshev", "mapped", "nan_unless", "polynomial", "real_function", "real_operands"]

_F = TypeVar("_F", bound=Callable[..., Any])


def real_operands(name: str, *xs: Any) -> tuple[list[Any], Any, bool]:
    """Operands as floats of one shape and at least f32; the dtype of the result; whether weak."""
    operands, weak = promoted(name, xs, "float")
    if is_kind(operands[0], "complex"):
        raise TypeError(
            f"{name}: takes real numbers, got {operands[0].aval}; there is no complex form"
        )
    dtype = operands[0].dtype
    if dtype.itemsize < 4:
        operands = [convert(x, np.dtype(np.float32)) for x in operands]
    return operands, dtype, weak


def real_function(f: _F) -> _F:
    """Make an elementwise function of floats public: promotion, broadcasting, narrow dtypes.

    Results of 16 bits are computed in f32.
    """

    @functools.wraps(f)
    def function(*args: Any, **kwargs: Any) -> Any:
        xs = [*args, *kwargs.values()]
        operands, dtype, weak = real_operands(f.__name__, *xs)
        named = dict(zip(kwargs, operands[len(args) :], strict=True))
        y = f(*operands[: len(args)], **named)
        return mark_weak(convert(y, dtype), weak)

    return public()(function)  # type: ignore[return-value]


def nan_unless(allowed: Any, found: Any, *arguments: Any) -> Any:
    """Values where they are allowed, and elsewhere NaN, with slopes of NaN in each argument."""
    total = functools.reduce(anp.add, arguments)
    lost = anp.multiply(anp.nan, anp.where(allowed, 0, total))
    return anp.where(allowed, found, lost)


def polynomial(coefficients: Sequence[float], x: Any) -> Any:
    """Polynomial with these coefficients, highest power first, by Horner's rule."""
    total: Any = anp.full_like(x, coefficients[0])
    for c in coefficients[1:]:
        total = anp.add(anp.multiply(total, x), float(c))
    return total


def chebyshev(coefficients: Sequence[float], t: Any) -> Any:
    """Chebyshev series at t in [-1, 1], by Clenshaw's recurrence (DLMF 3.11.16).

    In f32 without the terms at its end that together are less than 2^-31 of the largest.
    """
    if t.dtype.itemsize < 8:
        least = max(map(abs, coefficients)) * 2.0**-31
        rests = itertools.accumulate(abs(c) for c in reversed(coefficients))
        coefficients = coefficients[: len(coefficients) - sum(rest < least for rest in rests)]
    double = anp.multiply(2, t)
    last: Any = anp.zeros_like(t)
    before: Any = last
    for c in reversed(coefficients[1:]):
        last, before = anp.add(anp.subtract(anp.multiply(double, last), before), float(c)), last
    return anp.add(anp.subtract(anp.multiply(t, last), before), float(coefficients[0]))


def mapped(x: Any, low: float, high: float) -> Any:
    """x from [low, high] to [-1, 1], clipped: another branch is selected outside."""
    t = anp.divide(anp.subtract(anp.multiply(2, x), low + high), high - low)
    return anp.clip(t, -1, 1)
