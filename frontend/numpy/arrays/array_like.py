"""Operands that NumPy's users give as lists: `[1, 2, 3]` in place of an array."""

from __future__ import annotations

from typing import Any

from anvl.core.importing import load_module
from anvl.core.promote import as_tracer, holds_numbers, remember
from anvl.core.tracer import Tracer

__all__ = ["array_like"]


def array_like(x: Any, function: str) -> Tracer:
    """Tracer of an array, a number, or nested lists of these; `as_tracer` refuses lists."""
    if not isinstance(x, list | tuple):
        return as_tracer(x, function)
    asarray = load_module("anvl.numpy.arrays.creation").asarray  # programs without lists need none
    made = as_tracer(asarray(x), function)
    return remember(made, x) if holds_numbers(x) else made
