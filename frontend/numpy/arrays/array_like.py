"""Operands that NumPy's users give as lists: `[1, 2, 3]` in place of an array."""

from __future__ import annotations

from typing import Any

from anvl.core.promote import as_tracer, holds_numbers, remember
from anvl.core.tracer import Tracer
from anvl.numpy.arrays.creation import asarray

__all__ = ["array_like"]


def array_like(x: Any, function: str) -> Tracer:
    """Tracer of an array, a number, or nested lists of these; `as_tracer` refuses lists."""
    if not isinstance(x, list | tuple):
        return as_tracer(x, function)
    made = as_tracer(asarray(x), function)
    return remember(made, x) if holds_numbers(x) else made
