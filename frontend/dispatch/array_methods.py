"""Compiled functions of two arrays as methods of arrays: `x + y`, `1.0 + x`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from anvl.core.argument_arrays import number_dtype, scalar_array
from anvl.core.promote import NUMBER_LEVELS
from anvl.core.trace_state import current
from anvl.dispatch.jit import Jit
from anvl.runtime import Array, hide_frames

__all__ = ["binary_method", "reflected_method"]


def binary_method(jitted: Jit, slow: Callable[[Any, Any], Any]) -> Any:
    """Generated code for two arrays, as a method of arrays: `x + y`, `x + 1.0`.

    `slow` handles all other calls.
    """

    def with_number(x: Any, y: Any) -> Any:
        if type(y) in NUMBER_LEVELS and current.trace is None:
            return call(x, _beside(x, y))
        return slow(x, y)

    call = jitted.dispatcher(2, with_number).call
    return call


def reflected_method(jitted: Jit, slow: Callable[[Any, Any], Any]) -> Any:
    """`binary_method` with the operands swapped: `y + x`, `1.0 + x`, for an array x."""
    call = jitted.dispatcher(2, lambda y, x: slow(x, y)).call

    def reflected(x: Any, y: Any) -> Any:
        try:
            if type(y) in NUMBER_LEVELS and current.trace is None:
                return call(_beside(x, y), x)
            return slow(x, y)
        except Exception as error:
            hide_frames(error)
            raise

    return reflected


def _beside(x: Array, number: Any) -> Array:
    """A Python number as an array that meets x: of a dtype that fits, and where x is."""
    aval = x.aval
    return scalar_array(number, number_dtype(type(number), (aval.dtype,)), aval.placement.whole)
