"""Composed functions: NumPy's names, and a few of SciPy's."""

from __future__ import annotations

import math
from typing import Any

import ml_dtypes
import numpy as np

from anvl.core.promote import as_tracer, constant, convert, fitted, promoted
from anvl.core.tracer import Tracer
from anvl.dispatch.eager import Function, public
from anvl.numpy.arrays.axes import axis_of, int_of
from anvl.numpy.arrays.choice import isfinite, isinf, isnan, logical_and, logical_or, where
from anvl.numpy.arrays.shaping import slice_axis
from anvl.numpy.arrays.stacking import concatenate
from anvl.numpy.functions.elementwise import (
    abs,
    add,
    equal,
    greater,
    imag,
    less_equal,
    mark_weak,
    maximum,
    minimum,
    multiply,
    not_equal,
    real,
    subtract,
)
from anvl.numpy.functions.emitting import check_real, is_kind, prim
from anvl.numpy.functions.reductions import all

__all__ = [
    "allclose", "array_equal", "deg2rad", "degrees", "diff", "fmax", "fmin", "heaviside", "hypot",
    "isclose", "logaddexp", "nan_to_num", "polyval", "rad2deg", "radians", "sinc",
]  # fmt: skip


@public()
def hypot(x: Any, y: Any) -> Any:
    """sqrt(x^2 + y^2), without overflow.  The derivative at (0, 0) is 0, the second one NaN.

    >>> import anvl.numpy as np
    >>> print(np.hypot(3.0, 4.0))
    5.0
    """
    (a, b), weak = promoted("hypot", (x, y), "float")
    check_real("hypot", a)
    return mark_weak(prim("hypot", a, b), weak)


@public()
def logaddexp(x: Any, y: Any) -> Any:
    """log(exp(x) + exp(y)), without overflow.

    >>> import anvl.numpy as np
    >>> print(np.logaddexp(1000.0, -1000.0))
    1000.0
    """
    (a, b), weak = promoted("logaddexp", (x, y), "float")
    return mark_weak(prim("logaddexp", a, b), weak)


@public()
def deg2rad(x: Any) -> Any:
    """Convert degrees to radians.

    >>> import anvl.numpy as np
    >>> print(np.deg2rad(180.0))
    3.1415927
    """
    return multiply(x, math.pi / 180)


@public()
def rad2deg(x: Any) -> Any:
    """Convert radians to degrees.

    >>> import anvl.numpy as np
    >>> print(np.rad2deg(np.pi))
    180.0
    """
    return multiply(x, 180 / math.pi)


radians: Function = deg2rad
degrees: Function = rad2deg


@public()
def sinc(x: Any) -> Any:
    """sin(pi x) / (pi x), and 1 at 0.

    >>> import anvl.numpy as np
    >>> print(np.sinc(0.5))
    0.63661975
    """
    (operand,), weak = promoted("sinc", (x,), "float")
    return mark_weak(prim("sinc", operand, order=0), weak)


@public()
def heaviside(x: Any, y: Any) -> Any:
    """The Heaviside step function: 0 for negative x, y at 0, 1 for positive x.

    The derivative in x is 0, and 1 in y where x is 0.

    >>> import anvl.numpy as np
    >>> print(np.heaviside(np.asarray([-2.0, 0.0, 2.0]), 0.5))
    [0.  0.5 1. ]
    """
    (a, b), weak = promoted("heaviside", (x, y), "float")
    sided = where(isnan(a), np.nan, convert(greater(a, 0), a.dtype))
    return mark_weak(where(equal(a, 0), b, sided), weak)


@public()
def fmax(x: Any, y: Any) -> Any:
    """Maximum, ignoring a NaN beside a number.  The derivative at a tie is shared.

    >>> import anvl.numpy as np
    >>> print(np.fmax(1.0, np.nan))
    1.0
    """
    (a, b), weak = promoted("fmax", (x, y))
    return mark_weak(where(isnan(a), b, where(isnan(b), a, maximum(a, b))), weak)


@public()
def fmin(x: Any, y: Any) -> Any:
    """Minimum, ignoring a NaN beside a number.  The derivative at a tie is shared.

    >>> import anvl.numpy as np
    >>> print(np.fmin(1.0, np.nan))
    1.0
    """
    (a, b), weak = promoted("fmin", (x, y))
    return mark_weak(where(isnan(a), b, where(isnan(b), a, minimum(a, b))), weak)


@public("copy")
def nan_to_num(
    x: Any, copy: bool = True, nan: Any = 0.0, posinf: Any = None, neginf: Any = None
) -> Any:
    """Replace NaN by 0 and infinities by the largest finite numbers of the dtype.

    An element that is replaced has the derivative 0.  Arrays are immutable, so `copy` makes no
    difference; it is a bool.

    >>> import anvl.numpy as np
    >>> print(np.nan_to_num(np.asarray([1.0, np.nan, np.inf]), posinf=9.0))
    [1. 0. 9.]
    """
    if not isinstance(copy, bool):
        raise TypeError(
            f"nan_to_num: copy is {copy!r}; it must be True or False: give numbers by name, nan=0.0"
        )
    operand = as_tracer(x, "nan_to_num")
    if is_kind(operand, "complex"):
        halves = (real(operand), imag(operand))
        parts = [nan_to_num(part, copy, nan, posinf, neginf) for part in halves]
        return prim("complex", *parts)
    if not is_kind(operand, "float"):
        return operand
    limits = _limits(operand)
    high, low = (
        limit if given is None else fitted(given, operand.dtype, "nan_to_num")
        for given, limit in zip((posinf, neginf), limits, strict=True)
    )
    weak = operand.weak_type
    bounded = where(isinf(operand), where(greater(operand, 0), high, low), operand)
    return mark_weak(convert(where(isnan(operand), nan, bounded), operand.dtype), weak)


def _limits(x: Tracer) -> tuple[Tracer, Tracer]:
    from_dtype = ml_dtypes.finfo(x.dtype)
    return constant(float(from_dtype.max), x.dtype), constant(float(from_dtype.min), x.dtype)


@public("equal_nan")
def isclose(
    x: Any, y: Any, rtol: Any = 1e-05, atol: Any = 1e-08, *, equal_nan: bool = False
) -> Any:
    """Test |x - y| <= atol + rtol |y|, elementwise; equal infinities are close.

    >>> import anvl.numpy as np
    >>> print(np.isclose(1.0, np.asarray([1.0 + 1e-7, 1.1])))
    [ True False]
    """
    (a, b), _ = promoted("isclose", (x, y), "float")
    near = less_equal(abs(subtract(a, b)), add(atol, multiply(rtol, abs(b))))
    close = logical_or(equal(a, b), logical_and(isfinite(b), near))
    return logical_or(close, logical_and(isnan(a), isnan(b))) if equal_nan else close


@public("equal_nan")
def allclose(
    x: Any, y: Any, rtol: Any = 1e-05, atol: Any = 1e-08, *, equal_nan: bool = False
) -> Any:
    """Test whether all elements are close: see `isclose`.

    >>> import anvl.numpy as np
    >>> print(np.allclose(np.ones(2), 1.0))
    True
    """
    return all(isclose(x, y, rtol, atol, equal_nan=equal_nan))


@public("equal_nan")
def array_equal(x: Any, y: Any, *, equal_nan: bool = False) -> Any:
    """Test whether two arrays have the same shape and equal elements.

    >>> import anvl.numpy as np
    >>> print(np.array_equal(np.ones(2), np.ones(3)))
    False
    """
    a, b = as_tracer(x, "array_equal"), as_tracer(y, "array_equal")
    if a.shape != b.shape:
        return constant(False, np.dtype(bool))
    same = equal(a, b)
    return all(logical_or(same, logical_and(isnan(a), isnan(b))) if equal_nan else same)


@public("n", "axis")
def diff(x: Any, n: int = 1, axis: int = -1, prepend: Any = None, append: Any = None) -> Any:
    """Differences of neighbours along an axis, n times; inequality for bools.

    >>> import anvl.numpy as np
    >>> print(np.diff(np.asarray([1, 4, 9, 16])))
    [3 5 7]
    """
    operand = as_tracer(x, "diff")
    at, times = axis_of(axis, operand.ndim, "diff"), int_of(n, "n", "diff", least=0)
    if times == 0:  # as in NumPy: what it would be extended by is of no use
        return operand
    ends = [prepend, operand, append]
    operand = concatenate([_end(e, operand, at) for e in ends if e is not None], at)
    for _ in range(min(times, operand.shape[at])):  # then it is empty, and stays so
        size = operand.shape[at]
        later = slice_axis(operand, at, min(1, size), size)
        earlier = slice_axis(operand, at, 0, max(size - 1, 0))
        different = not_equal if is_kind(operand, "bool") else subtract
        operand = different(later, earlier)
    return operand


def _end(x: Any, like: Tracer, axis: int) -> Any:
    """The part prepended or appended to an array; a number is one element."""
    (operand, _), _ = promoted("diff", (x, like), broadcast=False)
    if operand.ndim:
        return operand
    shape = tuple(1 if i == axis else n for i, n in enumerate(like.shape))
    return add(operand, constant(0, operand.dtype, shape))


@public()
def polyval(p: Any, x: Any) -> Any:
    """Evaluate at x the polynomial with coefficients p, highest power first.

    >>> import anvl.numpy as np
    >>> print(np.polyval(np.asarray([1, 0, 2]), 3))
    11
    """
    coefficients = as_tracer(p, "polyval")
    if coefficients.ndim != 1:
        raise TypeError(f"polyval: coefficients are {coefficients.aval}; they must be a vector")
    result = multiply(x, 0)
    for i in range(coefficients.shape[0]):
        one = prim("reshape", slice_axis(coefficients, 0, i, i + 1), shape=())
        result = add(multiply(result, x), one)
    return result
