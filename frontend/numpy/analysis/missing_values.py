"""Statistics that ignore NaN: NumPy's names.  `nansum`, `nanmax` and others are in `reductions`.

Source: NumPy's manual, "Statistics" and "Mathematical functions".
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from anvl.core.promote import convert, promoted
from anvl.dispatch.eager import Function, public
from anvl.numpy.arrays.array_like import array_like
from anvl.numpy.arrays.axes import Axis, axes_of, axis_of
from anvl.numpy.arrays.choice import isnan, logical_not, where
from anvl.numpy.arrays.choice import where as _where
from anvl.numpy.functions.cumulative import cumprod, cumsum
from anvl.numpy.functions.elementwise import divide, equal, mark_weak, real, sqrt, subtract
from anvl.numpy.functions.emitting import is_kind
from anvl.numpy.functions.norms import squared_modulus
from anvl.numpy.functions.quantiles import of_elements
from anvl.numpy.functions.reductions import all, argmax, argmin, chosen, sum
from anvl.numpy.functions.statistics import correction_of, float_dtype
from anvl.runtime import Array, hiding_frames

__all__ = [
    "nanargmax", "nanargmin", "nancumprod", "nancumsum", "nanmedian", "nanpercentile",
    "nanquantile", "nanstd", "nanvar",
]  # fmt: skip


# -- moments ---------------------------------------------------------------------------------------


@public("axis", "dtype", "ddof", "keepdims", "correction")
def nanvar(
    x: Any, axis: Axis = None, dtype: Any = None, *, ddof: float | None = None,
    keepdims: bool = False, where: Any = None, correction: float | None = None,
) -> Any:  # fmt: skip
    """Variance along `axis`, ignoring NaN: the divisor is the count of numbers minus `ddof`.

    NaN where that is not positive; only elements for which `where` is true are counted.  x and the
    others are as of `var`.  Source: `numpy.nanvar`.

    >>> import anvl.numpy as np
    >>> print(np.nanvar(np.asarray([1.0, np.nan, 3.0])))
    1.0
    """
    less = correction_of("nanvar", ddof, correction)
    variance, _, result, weak = _variance("nanvar", x, axis, dtype, less, keepdims, where)
    return mark_weak(convert(variance, result), weak)


@public("axis", "dtype", "ddof", "keepdims", "correction")
def nanstd(
    x: Any, axis: Axis = None, dtype: Any = None, *, ddof: float | None = None,
    keepdims: bool = False, where: Any = None, correction: float | None = None,
) -> Any:  # fmt: skip
    """Standard deviation along `axis`, ignoring NaN: the root of `nanvar`.

    It has no derivative where it is 0.  x and the others are as of `std`.  Source: `numpy.nanstd`.

    >>> import anvl.numpy as np
    >>> print(np.nanstd(np.asarray([1.0, np.nan, 3.0])))
    1.0
    """
    less = correction_of("nanstd", ddof, correction)
    variance, count, result, weak = _variance("nanstd", x, axis, dtype, less, keepdims, where)
    # Of one number it is 0 whatever that is, with the slope 0: the root has none there.
    is_constant = _where(equal(count, 1), equal(variance, 0), False)
    root = _where(is_constant, 0, sqrt(_where(is_constant, 1, variance)))
    return mark_weak(convert(root, result), weak)


def _variance(
    name: str, x: Any, axis: Axis, dtype: Any, ddof: float, keepdims: bool, counted: Any
) -> tuple[Any, Any, np.dtype[Any], bool]:
    """Variance in the dtype of its computation, count, dtype of the result, and its weakness."""
    (operand,), weak = promoted(name, (array_like(x, name),), "float")
    if dtype is not None:
        operand, weak = convert(mark_weak(operand, weak), float_dtype(name, dtype)), False
    result = operand.dtype
    if result.itemsize <= 2:
        operand = convert(operand, np.dtype(np.float32))
    axes = axes_of(axis, operand.ndim, name)
    operand = chosen(name, operand, counted, math.nan)
    missing = isnan(operand)
    known = where(missing, 0, operand)
    count = sum(logical_not(missing), axis=axes, keepdims=True)
    middle = divide(sum(known, axis=axes, keepdims=True), count)
    off = where(missing, 0, subtract(known, middle))
    if is_kind(off, "complex"):
        result = real(operand).dtype
    total = sum(squared_modulus(off), axis=axes, keepdims=keepdims)
    number = sum(logical_not(missing), axis=axes, keepdims=keepdims)
    divisor = subtract(number, ddof)
    variance = where(divisor > 0, divide(total, where(divisor > 0, divisor, 1)), math.nan)
    return variance, number, result, weak


# -- places ----------------------------------------------------------------------------------------


def _check_known(name: str, x: Any, axis: int | None) -> None:
    """Refuse vectors of nothing but NaN, as NumPy does, where values are known."""
    if not isinstance(x, Array | np.ndarray):
        return
    values = np.asarray(x)
    if axis is not None:
        axis = axis_of(axis, values.ndim, name)
    if values.dtype.kind in "fcV" and values.size and np.isnan(values).all(axis=axis).any():
        raise ValueError(f"{name}: a vector has nothing but NaN, so there is no place")


def _place(name: str, f: Any, extreme: float, doc: str) -> Any:
    @public("axis", "keepdims")
    def found(x: Any, axis: int | None = None, *, keepdims: bool = False) -> Any:
        operand = array_like(x, name)
        if not is_kind(operand, "float", "complex"):
            return f(operand, axis=axis, keepdims=keepdims)
        missing = isnan(operand)
        place = f(where(missing, extreme, operand), axis=axis, keepdims=keepdims)
        return where(all(missing, axis=axis, keepdims=keepdims), -1, place)

    @hiding_frames
    def function(x: Any, axis: int | None = None, *, keepdims: bool = False) -> Any:
        _check_known(name, x, axis)
        return found(x, axis, keepdims=keepdims)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = doc
    return function


nanargmax: Function = _place(
    "nanargmax", argmax, -math.inf,
    """The index of the largest number along `axis`, the first of equals; of all, flat.

    Raises `ValueError` where there is nothing but NaN; -1 of a traced x.  The dtype is as of
    `argmax`.  Source: `numpy.nanargmax`.

    >>> import anvl.numpy as np
    >>> print(np.nanargmax(np.asarray([1.0, np.nan, 3.0])))
    2
    """,
)  # fmt: skip
nanargmin: Function = _place(
    "nanargmin", argmin, math.inf,
    """The index of the smallest number along `axis`, the first of equals; of all, flat.

    Raises `ValueError` where there is nothing but NaN; -1 of a traced x.  The dtype is as of
    `argmin`.  Source: `numpy.nanargmin`.

    >>> import anvl.numpy as np
    >>> print(np.nanargmin(np.asarray([np.nan, 1.0, 3.0])))
    1
    """,
)  # fmt: skip


# -- accumulated -----------------------------------------------------------------------------------


def _known(x: Any, name: str, neutral: float) -> Any:
    operand = array_like(x, name)
    if not is_kind(operand, "float", "complex"):
        return operand
    return where(isnan(operand), neutral, operand)


@public("axis", "dtype")
def nancumsum(x: Any, axis: int | None = None, dtype: Any = None) -> Any:
    """Cumulative sums along `axis`, with NaN as 0: see `cumsum`.  Source: `numpy.nancumsum`.

    >>> import anvl.numpy as np
    >>> print(np.nancumsum(np.asarray([1.0, np.nan, 3.0])))
    [1. 1. 4.]
    """
    return cumsum(_known(x, "nancumsum", 0.0), axis, dtype)


@public("axis", "dtype")
def nancumprod(x: Any, axis: int | None = None, dtype: Any = None) -> Any:
    """Cumulative products along `axis`, with NaN as 1: see `cumprod`.  Source: `numpy.nancumprod`.

    >>> import anvl.numpy as np
    >>> print(np.nancumprod(np.asarray([2.0, np.nan, 3.0])))
    [2. 2. 6.]
    """
    return cumprod(_known(x, "nancumprod", 1.0), axis, dtype)


# -- quantiles -------------------------------------------------------------------------------------


@hiding_frames
def nanquantile(
    x: Any, q: Any, axis: Axis = None, *, method: str = "linear", keepdims: bool = False,
    weights: Any = None,
) -> Any:  # fmt: skip
    """Quantile q, 0 to 1, of the numbers along `axis`, ignoring NaN: see `quantile`.

    NaN where there are no numbers.  Equal elements share the derivative evenly.
    Source: `numpy.nanquantile`.

    >>> import anvl.numpy as np
    >>> print(np.nanquantile(np.asarray([1.0, np.nan, 2.0, 4.0]), 0.5))
    2.0
    """
    return of_elements("nanquantile", x, q, axis, method, keepdims, weights)


@hiding_frames
def nanpercentile(
    x: Any, q: Any, axis: Axis = None, *, method: str = "linear", keepdims: bool = False,
    weights: Any = None,
) -> Any:  # fmt: skip
    """Percentile q, 0 to 100, of the numbers along `axis`, ignoring NaN: see `percentile`.

    NaN where there are no numbers.  Equal elements share the derivative evenly.
    Source: `numpy.nanpercentile`.

    >>> import anvl.numpy as np
    >>> print(np.nanpercentile(np.asarray([1.0, np.nan, 2.0, 4.0]), 50))
    2.0
    """
    return of_elements("nanpercentile", x, q, axis, method, keepdims, weights)


@hiding_frames
def nanmedian(x: Any, axis: Axis = None, *, keepdims: bool = False) -> Any:
    """Median of the numbers along `axis`, ignoring NaN: see `median`.

    NaN where there are no numbers.  Equal elements share the derivative evenly.
    Source: `numpy.nanmedian`.

    >>> import anvl.numpy as np
    >>> print(np.nanmedian(np.asarray([1.0, np.nan, 2.0, 4.0])))
    2.0
    """
    return of_elements("nanmedian", x, 0.5, axis, "linear", keepdims)
