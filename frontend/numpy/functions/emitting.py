"""Helpers of `anvl.numpy`: emit an op by name, fill an array, test the kind of a dtype."""

import math
from collections.abc import Sequence
from typing import Any

from anvl.core.promote import constant, convert
from anvl.core.trace_state import current
from anvl.core.tracer import Tracer
from anvl.core.tracing import emit
from anvl.dialect.core.emission.smooth_powers import has_power, power_of
from anvl.dialect.core.op_registry import OPS
from anvl.dialect.core.types import element_type, kind

__all__ = ["check_real", "count_along", "filled", "is_kind", "prim", "smooth_power"]


def prim(op: str, *xs: Tracer, **params: Any) -> Any:
    """Emit `anvl.<op>`."""
    return emit(OPS.get(f"anvl.{op}") or OPS[f"stablehlo.{op}"], xs, params)


def smooth_power(x: Tracer, exponent: int = 2) -> Tracer | None:
    """x ** exponent of a result with a corner at 0, such as a length, in a smooth form, or None."""
    if x.owner is not current.trace or not has_power(x.value):  # elsewhere it is an argument
        return None
    with x.location:
        value = power_of(x.value, exponent)
    return None if value is None else Tracer(value, x.aval, x.owner, x.location)


def filled(x: Tracer, value: complex) -> Tracer:
    """An array like x filled with `value`."""
    return constant(value, x.aval.dtype, x.aval.shape)


def count_along(x: Tracer, axes: Sequence[int]) -> Any:
    """The number of elements of x along axes.

    A number; in a program for all sizes of a bucket a value of it, of the real dtype of x.
    """
    trace = current.trace
    if trace is None or not trace.program.has_buckets:
        return math.prod(x.shape[a] for a in axes)
    dtype = x.dtype.type(0).real.dtype
    count = constant(1, dtype, ())
    for axis in axes:
        size = prim("get_dimension_size", x, dimension=axis)
        count = prim("mul", count, convert(size, dtype))
    return count


def is_kind(x: Tracer, *kinds: str) -> bool:
    """Whether the elements are of one of these kinds: bool, int, uint, float, complex."""
    return kind(element_type(x.aval.dtype)) in kinds


def check_real(function: str, *xs: Tracer) -> None:
    """Raise `TypeError` for a complex operand of a function that has no meaning for it."""
    for x in xs:
        if is_kind(x, "complex"):
            raise TypeError(
                f"{function}: takes real numbers, got {x.aval}; give its real or imaginary part"
            )
