"""`softmax` and its kin, sums of exponentials, along axes and under masks; public in `anvl.nn`.

`where` selects the elements that count, and broadcasts to x; the others have no derivative.  On
infinite elements see `anvl.dialect.ops.reduction.softmax`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from anvl import numpy as anp
from anvl.core.promote import (
    as_tracer,
    broadcast_shapes,
    broadcast_to,
    constant,
    convert,
    promoted,
)
from anvl.core.tracer import Tracer
from anvl.dispatch.eager import public
from anvl.numpy.arrays.axes import Axis, axes_of
from anvl.numpy.functions.emitting import is_kind, prim

__all__ = ["log_softmax", "logmeanexp", "logsumexp", "softmax", "standardize"]


@public("axis")
def softmax(x: Any, axis: Axis = -1, where: Any = None) -> Any:
    """exp(x) / sum(exp(x)) along `axis`: a float array of the shape of x, without overflow.

    `axis` is an integer, several, or None for all.  Of the elements that the bools `where` select;
    the others are 0.
    Raises `TypeError` for complex numbers or a `where` that is not bool, `ValueError` for
    one that does not broadcast and a missing axis.

    >>> import anvl, anvl.numpy as np
    >>> x = np.asarray([0.0, 0.0, 1000.0])
    >>> print(anvl.nn.softmax(x), anvl.nn.softmax(x, where=x < 1))
    [0. 0. 1.] [0.5 0.5 0. ]
    """
    if where is None:
        return anp.softmax(x, axis)
    masked = _Masked("softmax", x, where, axis)
    return anp.where(masked.mask, anp.softmax(masked.x, masked.axes), 0)


@public("axis")
def log_softmax(x: Any, axis: Axis = -1, where: Any = None) -> Any:
    """log(softmax(x)), accurate where softmax is almost 0 or 1: a float array of the shape of x.

    Elements that `where` does not select are -infinity.  Parameters and errors are those of
    `softmax`.

    >>> import anvl, anvl.numpy as np
    >>> print(anvl.nn.log_softmax(np.asarray([0.0, 1000.0])))
    [-1000.     0.]
    """
    if where is None:
        return anp.log_softmax(x, axis)
    masked = _Masked("log_softmax", x, where, axis)
    return anp.where(masked.mask, anp.log_softmax(masked.x, masked.axes), -np.inf)


@public("axis", "keepdims", "return_sign")
def logsumexp(
    a: Any, axis: Axis = None, b: Any = None, keepdims: bool = False, return_sign: bool = False,
    where: Any = None,
) -> Any:  # fmt: skip
    """log(sum(b * exp(a))) along `axis`, without overflow.

    Parameters
    ----------
    a : array
    axis : int or sequence of int, optional
        All by default.
    b : array, optional
        Factors that broadcast with a; elements of factor 0 do not count.
    keepdims : bool
        Whether the axes stay, with size 1.
    return_sign : bool
        Also return the sign of the sum; the logarithm is then that of its absolute value.
    where : array of bool, optional
        The elements that count; it broadcasts to a.

    Returns
    -------
    A float array; with `return_sign` a pair of them.  -infinity of no elements; NaN of a negative
    sum without `return_sign`.

    Raises
    ------
    TypeError
        Complex numbers, a `where` that is not bool.
    ValueError
        A missing axis, shapes that do not broadcast.

    Examples
    --------
    >>> import anvl, anvl.numpy as np
    >>> print(anvl.nn.logsumexp(np.asarray([1000.0, 1000.0]), b=np.asarray([1.0, 2.0])))
    1001.09863
    """
    if b is None:
        return _with_sign(_log_sum("logsumexp", a, where, axis, keepdims), return_sign)
    (x, factor), _ = promoted("logsumexp", (a, b), "float")
    found, total = _weighted("logsumexp", x, factor, axis, where, return_sign)
    if not keepdims:
        axes = axes_of(axis, x.ndim, "logsumexp")
        found, total = (anp.squeeze(y, axes) for y in (found, total))
    return (found, anp.sign(_constant(total))) if return_sign else found


_FAR = 80.0  # the exponential of it is finite in f32


def _weighted(
    name: str, x: Tracer, factor: Tracer, axis: Axis, where: Any, of_size: bool
) -> tuple[Any, Any]:
    """Logarithm of the weighted sum of exponentials, or of its size, and the scaled sum."""
    is_zero = anp.equal(factor, 0)
    mask = anp.ones_like(is_zero) if where is None else _bools(name, where, x.shape)
    counted = _Masked(name, x, anp.logical_and(mask, anp.logical_not(is_zero)), axis)
    largest = anp.expand_dims(anp.max(counted.x, counted.axes), counted.axes)
    shift = anp.where(anp.isfinite(largest), _constant(largest), 0)
    # Elements of factor 0 have a derivative in it, however large they are.
    lowered = anp.subtract(x, shift)
    lowered = anp.where(anp.logical_and(is_zero, anp.greater(lowered, _FAR)), _FAR, lowered)
    lowered = anp.where(mask, lowered, 0)
    terms = anp.where(mask, anp.multiply(factor, anp.exp(lowered)), 0)
    total = anp.sum(terms, axis=counted.axes, keepdims=True)
    is_none = anp.equal(total, 0)
    size = anp.abs(total) if of_size else total
    found = anp.add(anp.log(anp.where(is_none, 1, size)), shift)
    return anp.where(is_none, -np.inf, found), total


def _constant(x: Any) -> Any:
    return prim("stop_gradient", x)


def _with_sign(y: Any, return_sign: bool) -> Any:
    if not return_sign:
        return y
    sign = anp.where(anp.isnan(y), np.nan, anp.where(anp.equal(y, -np.inf), 0.0, 1.0))
    return y, convert(as_tracer(sign), y.dtype)


def _log_sum(name: str, a: Any, where: Any, axis: Axis, keepdims: bool) -> Any:
    if where is None:
        return anp.logsumexp(a, axis, keepdims=keepdims)
    masked = _Masked(name, a, where, axis)
    found = anp.logsumexp(masked.x, masked.axes, keepdims=keepdims)
    is_some = anp.any(masked.mask, axis=masked.axes, keepdims=keepdims)
    return anp.where(is_some, found, -np.inf)


@public("axis", "keepdims")
def logmeanexp(x: Any, axis: Axis = None, where: Any = None, keepdims: bool = False) -> Any:
    """log(mean(exp(x))) along `axis`, without overflow; of the elements that `where` selects.

    A float array; NaN of no elements.  Parameters and errors are those of `logsumexp`.

    >>> import anvl, anvl.numpy as np
    >>> print(anvl.nn.logmeanexp(np.asarray([1000.0, 1000.0])))
    1000.0
    """
    found = _log_sum("logmeanexp", x, where, axis, keepdims)
    shape = anp.shape(x)
    axes = axes_of(axis, len(shape), "logmeanexp")
    if where is None:
        # Of a Python number the logarithm would have the 32 bits of the default float.
        count: Any = constant(float(np.prod([shape[a] for a in axes])), found.dtype)
    else:
        mask = _bools("logmeanexp", where, shape)
        count = anp.sum(convert(mask, found.dtype), axis=axes, keepdims=keepdims)
    return anp.subtract(found, anp.log(count))


@public("axis", "algorithm")
def standardize(
    x: Any, axis: Axis = -1, mean: Any = None, variance: Any = None, epsilon: Any = 1e-5,
    where: Any = None, *, algorithm: str = "fast",
) -> Any:  # fmt: skip
    """(x - mean) / sqrt(variance + epsilon): of mean 0 and variance 1 along `axis`.

    Parameters
    ----------
    x : array
    axis : int or sequence of int, optional
        None is all.
    mean, variance : array, optional
        Broadcast to x; by default those of x along the axes.
    epsilon : float
    where : array of bool, optional
        The elements that mean and variance are of; it broadcasts to x.
    algorithm : str
        "fast" or "stable", which are one here: the mean of squares of differences from the mean.
        JAX's "fast", the difference of two means, may cancel.

    Returns
    -------
    A float array of the shape of x.

    Raises
    ------
    TypeError
        Complex numbers, a `where` that is not bool.
    ValueError
        A missing axis, another algorithm, shapes that do not broadcast.

    Examples
    --------
    >>> import anvl, anvl.numpy as np
    >>> print(anvl.nn.standardize(np.asarray([1.0, 3.0]), epsilon=0.0))
    [-1.  1.]
    """
    if algorithm not in ("fast", "stable"):
        raise ValueError(f"standardize: algorithm is {algorithm!r}; it must be 'fast' or 'stable'")
    (operand,), _ = promoted("standardize", (x,), "float")
    return standardized("standardize", operand, axis, mean, variance, epsilon, where)


def standardized(
    name: str, x: Tracer, axis: Axis, mean: Any, variance: Any, epsilon: Any, where: Any
) -> Tracer:
    """x of mean 0 and variance 1, computed in f32 at least."""
    wide = widened(name, x)
    if mean is None:
        mean = mean_along(name, wide, axis, where)
    centered = anp.subtract(wide, mean)
    if variance is None:
        variance = mean_along(name, anp.square(centered), axis, where)
    return convert(anp.multiply(centered, anp.rsqrt(anp.add(variance, epsilon))), x.dtype)


def widened(name: str, x: Tracer) -> Tracer:
    """A real x in f32, unless it is wider."""
    if is_kind(x, "complex"):
        raise TypeError(f"{name}: takes real numbers, got {x.aval}")
    return convert(x, np.dtype(np.float32)) if x.dtype.itemsize < 4 else x


def mean_along(name: str, x: Tracer, axis: Axis, where: Any) -> Any:
    """Mean along axes, which stay, of the elements that a mask selects."""
    axes = axes_of(axis, x.ndim, name)
    if where is None:
        return anp.mean(x, axis=axes, keepdims=True)
    mask = _bools(name, where, x.shape)
    total = anp.sum(anp.where(mask, x, 0), axis=axes, keepdims=True)
    return anp.divide(total, anp.sum(convert(mask, x.dtype), axis=axes, keepdims=True))


def _bools(name: str, where: Any, shape: tuple[int, ...]) -> Tracer:
    mask = as_tracer(where, name)
    if not is_kind(mask, "bool"):
        raise TypeError(f"{name}: where is {mask.aval}; it must be bool")
    if broadcast_shapes(shape, mask.shape, function=name) != shape:
        raise ValueError(f"{name}: where is {mask.aval}, which does not broadcast to {list(shape)}")
    return broadcast_to(mask, shape)


class _Masked:
    """A real x with -infinity where it does not count, and 0 where nothing along the axes does."""

    def __init__(self, name: str, x: Any, where: Any, axis: Axis) -> None:
        (operand,), _ = promoted(name, (x,), "float")
        if is_kind(operand, "complex"):
            raise TypeError(f"{name}: takes real numbers, got {operand.aval}")
        self.axes = axes_of(axis, operand.ndim, name)
        self.mask = _bools(name, where, operand.shape)
        is_some = anp.any(self.mask, axis=self.axes, keepdims=True)
        # -infinity everywhere would have derivatives of NaN, also in directions that do not count.
        self.x = anp.where(self.mask, operand, anp.where(is_some, -np.inf, 0))
