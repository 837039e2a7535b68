"""Means, variances and normalised exponentials: NumPy's names, and SciPy's."""

from __future__ import annotations

import builtins
from typing import Any

import numpy as np

from anvl.core.config import as_dtype, default_dtype
from anvl.core.promote import abstract, constant, convert, promoted
from anvl.core.tracer import Tracer
from anvl.dispatch.eager import public
from anvl.numpy.arrays.axes import Axis, axes_of
from anvl.numpy.arrays.choice import isnan, logical_not, where
from anvl.numpy.arrays.creation import asarray
from anvl.numpy.arrays.shaping import broadcast_to, expand_dims
from anvl.numpy.functions.elementwise import (
    divide,
    mark_weak,
    maximum,
    multiply,
    real,
    sqrt,
    subtract,
)
from anvl.numpy.functions.emitting import count_along, is_kind, prim
from anvl.numpy.functions.norms import squared_modulus
from anvl.numpy.functions.reductions import chosen, kept, reduced, sum
from anvl.runtime import hiding_frames

__all__ = [
    "average", "log_softmax", "logsumexp", "mean", "nanmean", "softmax", "std", "var",
]  # fmt: skip


def float_dtype(function: str, dtype: Any) -> np.dtype[Any]:
    """A dtype of floats or complex numbers, which a variance needs.  Raises `TypeError`."""
    wanted = as_dtype(dtype)
    if wanted.kind in "biu":
        raise TypeError(
            f"{function}: dtype is {wanted}, and the result is no integer; give a dtype of floats, "
            "and convert the result with .astype"
        )
    return wanted


def _floating(function: str, x: Any, dtype: Any) -> tuple[Tracer, np.dtype[Any], bool]:
    """Operand as floats wide enough to sum, dtype of the result, and its weakness."""
    (operand,), weak = promoted(function, (x,), "float")
    if dtype is not None:
        operand, weak = convert(mark_weak(operand, weak), as_dtype(dtype)), False
    narrow = operand.dtype.itemsize <= 2
    wide = convert(operand, np.dtype(np.float32)) if narrow else operand
    return wide, operand.dtype, weak


@public("axis", "dtype", "keepdims")
def mean(
    x: Any, axis: Axis = None, dtype: Any = None, *, keepdims: bool = False, where: Any = None
) -> Any:
    """Mean along `axis`, of the elements where `where` holds; integers give a float.

    >>> import anvl.numpy as np
    >>> print(np.mean(np.asarray([1, 2, 4, 5])))
    3.0
    """
    operand, result, weak = _floating("mean", x, dtype)
    axes = axes_of(axis, operand.ndim, "mean")
    total = reduced("sum", chosen("mean", operand, where, 0), axes, keepdims)
    count = _count_of("mean", operand, axes, where, keepdims)
    return mark_weak(convert(divide(total, count), result), weak)


def _count_of(name: str, x: Tracer, axes: tuple[int, ...], condition: Any, keepdims: bool) -> Any:
    """How many elements there are along axes, of those where a condition holds."""
    if condition is None:
        return count_along(x, axes)
    ones = chosen(name, constant(1, real(x).dtype, x.shape), condition, 0)
    return reduced("sum", ones, axes, keepdims)


@public("axis", "keepdims")
def nanmean(x: Any, axis: Axis = None, *, keepdims: bool = False) -> Any:
    """Mean along `axis`, ignoring NaN.

    >>> import anvl.numpy as np
    >>> print(np.nanmean(np.asarray([1.0, np.nan, 3.0])))
    2.0
    """
    (operand,), weak = promoted("nanmean", (x,), "float")
    missing = isnan(operand)
    total = sum(where(missing, 0, operand), axis=axis, keepdims=keepdims)
    count = sum(logical_not(missing), axis=axis, keepdims=keepdims)
    return mark_weak(divide(total, count), weak)


@public("axis", "dtype", "ddof", "keepdims", "correction")
def var(
    x: Any,
    axis: Axis = None,
    dtype: Any = None,
    *,
    ddof: float | None = None,
    keepdims: bool = False,
    correction: float | None = None,
    where: Any = None,
) -> Any:
    """Variance along `axis`, with divisor count - `correction`, which is 0 by default.

    `ddof` is another name of `correction`; giving both is a `TypeError`.  Only elements where
    `where` holds count.  Raises `TypeError` for a dtype of integers: a variance is none.

    >>> import anvl.numpy as np
    >>> print(np.var(np.asarray([1.0, 3.0])))
    1.0
    """
    variance, result, weak = _variance(
        "var", x, axis, dtype, correction_of("var", ddof, correction), keepdims, where
    )
    return mark_weak(convert(variance, result), weak)


def correction_of(function: str, ddof: Any, correction: Any) -> float:
    """What is subtracted from the count, by one of its two names."""
    if ddof is not None and correction is not None:
        raise TypeError(
            f"{function}: ddof={ddof!r} and correction={correction!r} are two names of one number; "
            "give one of them"
        )
    given = correction if ddof is None else ddof
    if given is not None and not isinstance(given, int | float | np.integer | np.floating):
        raise TypeError(f"{function}: correction is {given!r}; it must be a number")
    return 0 if given is None else float(given)


def _variance(
    function: str, x: Any, axis: Axis, dtype: Any, ddof: float, keepdims: bool, condition: Any
) -> tuple[Tracer, np.dtype[Any], bool]:
    """Variance in the dtype of its computation, dtype of the result, and its weakness."""
    wanted = None if dtype is None else float_dtype(function, dtype)
    operand, result, weak = _floating(function, x, wanted)
    axes = axes_of(axis, operand.ndim, function)
    known = chosen(function, operand, condition, 0)
    middle = divide(
        reduced("sum", known, axes, True), _count_of(function, operand, axes, condition, True)
    )
    off = chosen(function, subtract(known, middle), condition, 0)
    count = _count_of(function, operand, axes, condition, keepdims)
    if is_kind(off, "complex"):
        result = real(operand).dtype
    total = reduced("sum", squared_modulus(off), axes, keepdims)
    return divide(total, _degrees(count, ddof)), result, weak


def _degrees(count: Any, ddof: float) -> Any:
    """Degrees of freedom: at least 0."""
    if isinstance(count, int):
        return builtins.max(count - ddof, 0)
    return maximum(subtract(count, ddof), 0)


@public("axis", "dtype", "ddof", "keepdims", "correction")
def std(
    x: Any,
    axis: Axis = None,
    dtype: Any = None,
    *,
    ddof: float | None = None,
    keepdims: bool = False,
    correction: float | None = None,
    where: Any = None,
) -> Any:
    """Standard deviation along `axis`: the root of the unrounded `var`, with its parameters.

    It has no derivative where it is 0, that is, of equal elements; of one element it is always 0.

    >>> import anvl.numpy as np
    >>> print(np.std(np.asarray([1.0, 3.0])))
    1.0
    """
    variance, result, weak = _variance(
        "std", x, axis, dtype, correction_of("std", ddof, correction), keepdims, where
    )
    one_each = 0 < variance.size == asarray(x).size
    found = variance if one_each else sqrt(variance)
    return mark_weak(convert(found, result), weak)


@hiding_frames
def average(x: Any, axis: Axis = None, weights: Any = None, *, keepdims: bool = False) -> Any:
    """Weighted mean along `axis`.

    `weights` has the shape of x, or is a vector along the one axis; it may be a list.

    >>> import anvl.numpy as np
    >>> print(np.average(np.asarray([1.0, 4.0]), weights=np.asarray([2.0, 1.0])))
    2.0
    """
    if isinstance(weights, list | tuple):  # as Python numbers beside x, of its dtype
        own = abstract(x, "average").dtype
        weights = asarray(weights, own if own.kind == "f" else default_dtype(float))
    return _averaged(x, axis, weights, keepdims)


@public("axis", "keepdims")
def _averaged(x: Any, axis: Axis, weights: Any, keepdims: bool) -> Any:
    if weights is None:
        return mean(x, axis, keepdims=keepdims)
    (operand, weight), _ = promoted("average", (x, weights), "float", broadcast=False)
    axes = axes_of(axis, operand.ndim, "average")
    if weight.shape != operand.shape:
        weight = _weights_along(weight, operand, axes, TypeError if axis is None else ValueError)
    total = reduced("sum", multiply(operand, weight), axes, keepdims)
    return divide(total, reduced("sum", weight, axes, keepdims))


def _weights_along(
    weight: Tracer, x: Tracer, axes: tuple[int, ...], error: type[Exception]
) -> Tracer:
    """Weights along one axis, in the shape of x; `error` if they do not fit it."""
    if len(axes) != 1 or weight.shape != (x.shape[axes[0]],):
        raise error(
            f"average: weights {weight.aval} fit neither {x.aval} nor its axis {axes}; "
            "give one axis and a weight for each place along it"
        )
    others = tuple(i for i in range(x.ndim) if i not in axes)
    return broadcast_to(expand_dims(weight, others), x.shape)


@public("axis", "keepdims")
def logsumexp(x: Any, axis: Axis = None, *, keepdims: bool = False) -> Any:
    """log(sum(exp(x))) along `axis`, without overflow.

    Its derivative is `softmax`, which is NaN for elements of +inf.

    >>> import anvl.numpy as np
    >>> print(np.logsumexp(np.asarray([1000.0, -1000.0])))
    1000.0
    """
    (operand,), weak = promoted("logsumexp", (x,), "float")
    axes = axes_of(axis, operand.ndim, "logsumexp")
    y = prim("logsumexp", operand, axes=axes)
    return mark_weak(kept(y, operand.shape, axes) if keepdims else y, weak)


@public("axis")
def softmax(x: Any, axis: Axis = -1) -> Any:
    """Softmax along `axis`: exp(x) / sum(exp(x)), without overflow.

    NaN for elements of +inf, and where all are -inf.

    >>> import anvl.numpy as np
    >>> print(np.softmax(np.asarray([0.0, 0.0])))
    [0.5 0.5]
    """
    (operand,), weak = promoted("softmax", (x,), "float")
    axes = axes_of(axis, operand.ndim, "softmax")
    return mark_weak(prim("softmax", operand, axes=axes), weak)


@public("axis")
def log_softmax(x: Any, axis: Axis = -1) -> Any:
    """log(softmax(x)), accurate where softmax is almost 0, or almost 1.

    NaN for elements of +inf, and where all are -inf.

    >>> import anvl.numpy as np
    >>> print(np.log_softmax(np.asarray([0.0, 1000.0])))
    [-1000.     0.]
    """
    (operand,), weak = promoted("log_softmax", (x,), "float")
    axes = axes_of(axis, operand.ndim, "log_softmax")
    return mark_weak(prim("log_softmax", operand, axes=axes), weak)
