"""Normalization layers, as functions of arrays and parameters; public in `anvl.nn`.

Means and variances are computed in f32 at least, the variance from differences from the mean.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from anvl import numpy as anp
from anvl.core.promote import convert, promoted
from anvl.core.tracer import Tracer
from anvl.dispatch.eager import public
from anvl.nn.softmax_family import mean_along, standardized, widened
from anvl.numpy.arrays.axes import Axis, axes_of, axis_of, int_of

__all__ = ["BatchNorm", "batch_norm", "group_norm", "instance_norm", "layer_norm", "rms_norm"]


@public("axis")
def layer_norm(
    x: Any, scale: Any = None, bias: Any = None, *, axis: Axis = -1, epsilon: Any = 1e-5
) -> Any:
    """Normalize x along `axis` to mean 0 and variance 1, then multiply by scale and add bias.

    Parameters
    ----------
    x : array
    scale, bias : array, optional
        Of the sizes of the axes, in ascending order.
    axis : int or sequence of int
    epsilon : float
        Added to the variance.

    Returns
    -------
    A float array of the shape and dtype of x.

    Raises
    ------
    TypeError
        Complex numbers, or a scale or bias of another shape.
    ValueError
        A missing axis.

    Notes
    -----
    Source: J. Ba, J. Kiros and G. Hinton, Layer normalization (2016).

    Examples
    --------
    >>> import anvl, anvl.numpy as np
    >>> print(anvl.nn.layer_norm(np.asarray([1.0, 3.0]), np.asarray([1.0, 2.0]), epsilon=0.0))
    [-1.  2.]
    """
    operand = _float("layer_norm", x)
    axes = axes_of(axis, operand.ndim, "layer_norm")
    y = standardized("layer_norm", operand, axes, None, None, epsilon, None)
    return _scaled("layer_norm", y, scale, bias, axes)


@public("axis")
def rms_norm(x: Any, scale: Any = None, *, axis: Axis = -1, epsilon: Any = 1e-6) -> Any:
    """Divide x by its root mean square along `axis`, then multiply by scale.

    `scale` has the sizes of the axes, in ascending order; epsilon is added to the mean square.  A
    float array of the shape and dtype of x.  Raises `TypeError` for complex numbers or a scale of
    another shape, `ValueError` for a missing axis.
    Source: B. Zhang and R. Sennrich, Root mean square layer normalization (2019).

    >>> import anvl, anvl.numpy as np
    >>> print(anvl.nn.rms_norm(np.asarray([1.0, 7.0]), epsilon=0.0))
    [0.2 1.4]
    """
    operand = _float("rms_norm", x)
    axes = axes_of(axis, operand.ndim, "rms_norm")
    wide = widened("rms_norm", operand)
    size = anp.add(mean_along("rms_norm", anp.square(wide), axes, None), epsilon)
    y = convert(anp.multiply(wide, anp.rsqrt(size)), operand.dtype)
    return _scaled("rms_norm", y, scale, None, axes)


@public("num_groups", "axis")
def group_norm(
    x: Any, num_groups: int, scale: Any = None, bias: Any = None, *, axis: int = -1,
    epsilon: Any = 1e-5,
) -> Any:  # fmt: skip
    """Normalize each group of channels of each member of a batch to mean 0 and variance 1.

    Parameters
    ----------
    x : array
        The first axis is the batch.
    num_groups : int
        Divides the number of channels.
    scale, bias : array, optional
        One number for each channel, to multiply by and to add.
    axis : int
        The channels.
    epsilon : float
        Added to the variance.

    Returns
    -------
    A float array of the shape and dtype of x.

    Raises
    ------
    TypeError
        Complex numbers, or a scale or bias of another shape.
    ValueError
        A missing axis, the batch as channels, groups that do not divide the channels.

    Notes
    -----
    Source: Y. Wu and K. He, Group normalization (2018).

    Examples
    --------
    >>> import anvl, anvl.numpy as np
    >>> x = np.asarray([[1.0, 3.0, 10.0, 20.0]])
    >>> print(anvl.nn.group_norm(x, 2, epsilon=0.0))
    [[-1.  1. -1.  1.]]
    """
    operand = _float("group_norm", x)
    at = _channels("group_norm", operand, axis)
    return _by_groups("group_norm", operand, num_groups, scale, bias, at, epsilon)


@public("axis")
def instance_norm(
    x: Any, scale: Any = None, bias: Any = None, *, axis: int = -1, epsilon: Any = 1e-5
) -> Any:
    """Normalize each channel of each member of a batch to mean 0 and variance 1.

    `group_norm` with as many groups as channels, with its parameters and errors.
    Source: D. Ulyanov, A. Vedaldi and V. Lempitsky, Instance normalization (2016).

    >>> import anvl, anvl.numpy as np
    >>> print(anvl.nn.instance_norm(np.asarray([[[1.0], [3.0]]]), epsilon=0.0).ravel())
    [-1.  1.]
    """
    operand = _float("instance_norm", x)
    at = _channels("instance_norm", operand, axis)
    return _by_groups("instance_norm", operand, operand.shape[at], scale, bias, at, epsilon)


def _by_groups(
    name: str, x: Tracer, num_groups: Any, scale: Any, bias: Any, at: int, epsilon: Any
) -> Any:
    groups, n = int_of(num_groups, "num_groups", name, least=0), x.shape[at]
    if n and (not groups or n % groups):
        raise ValueError(f"{name}: {groups} groups do not divide the {n} channels of {x.aval}")
    if not x.size:
        return _scaled(name, x, scale, bias, (at,))
    split = anp.reshape(x, (*x.shape[:at], groups, n // groups, *x.shape[at + 1 :]))
    axes = tuple(i for i in range(1, x.ndim + 1) if i != at)
    y = standardized(name, split, axes, None, None, epsilon, None)
    return _scaled(name, anp.reshape(y, x.shape), scale, bias, (at,))


class BatchNorm(NamedTuple):
    """Result of `batch_norm`: the normalized array, and the statistics that it was normalized by.

    Attributes
    ----------
    y : array
        Of the shape of x.
    mean, variance : array
        One number for each channel.
    """

    y: Any
    mean: Any
    variance: Any


def batch_norm(
    x: Any, scale: Any = None, bias: Any = None, *, mean: Any = None, variance: Any = None,
    axis: int = -1, epsilon: Any = 1e-5, where: Any = None,
) -> BatchNorm:  # fmt: skip
    """Normalize each channel over the batch and all other axes, and return the statistics.

    Parameters
    ----------
    x : array
    scale, bias : array, optional
        One number for each channel, to multiply by and to add.
    mean, variance : array, optional
        One number for each channel: running statistics, for inference.  Those of x by default, for
        training, from which the caller updates its running statistics.
    axis : int
        The channels.
    epsilon : float
        Added to the variance.
    where : array of bool, optional
        The elements that mean and variance are of; it broadcasts to x.

    Returns
    -------
    A named tuple (y, mean, variance): y of the shape and dtype of x, the statistics of f32 at
    least.  The variance is that of the batch, divided by the number of elements.

    Raises
    ------
    TypeError
        Complex numbers, or parameters of another shape.
    ValueError
        A missing axis, a mean without a variance or a variance without a mean.

    Notes
    -----
    Source: S. Ioffe and C. Szegedy, Batch normalization (2015).

    Examples
    --------
    >>> import anvl, anvl.numpy as np
    >>> y, mean, variance = anvl.nn.batch_norm(np.asarray([[1.0], [3.0]]), epsilon=0.0)
    >>> print(y.ravel(), mean, variance)
    [-1.  1.] [2.] [1.]
    """
    return BatchNorm(*_batch_norm(x, scale, bias, mean, variance, axis, epsilon, where))


@public("axis")
def _batch_norm(
    x: Any, scale: Any, bias: Any, mean: Any, variance: Any, axis: int, epsilon: Any, where: Any
) -> Any:
    operand = _float("batch_norm", x)
    at = axis_of(axis, operand.ndim, "batch_norm")
    if (mean is None) != (variance is None):
        raise ValueError("batch_norm: takes mean and variance together, or neither")
    wide = widened("batch_norm", operand)
    others = tuple(i for i in range(operand.ndim) if i != at)
    if mean is None:
        center = mean_along("batch_norm", wide, others, where)
        spread = mean_along("batch_norm", anp.square(anp.subtract(wide, center)), others, where)
    else:
        center, spread = (
            _along("batch_norm", what, v, wide, (at,))
            for what, v in (("mean", mean), ("variance", variance))
        )
    y = standardized("batch_norm", operand, others, center, spread, epsilon, None)
    statistics = (anp.reshape(v, (operand.shape[at],)) for v in (center, spread))
    return _scaled("batch_norm", y, scale, bias, (at,)), *statistics


def _float(name: str, x: Any) -> Tracer:
    (operand,), _ = promoted(name, (x,), "float")
    return operand


def _channels(name: str, x: Tracer, axis: Any) -> int:
    at = axis_of(axis, x.ndim, name)
    if not at:
        raise ValueError(f"{name}: axis {axis} of {x.aval} is the batch; name that of the channels")
    return at


def _scaled(name: str, y: Tracer, scale: Any, bias: Any, axes: tuple[int, ...]) -> Any:
    found: Any = y
    if scale is not None:
        found = anp.multiply(found, _along(name, "scale", scale, y, axes))
    if bias is not None:
        found = anp.add(found, _along(name, "bias", bias, y, axes))
    return found


def _along(name: str, what: str, v: Any, x: Tracer, axes: tuple[int, ...]) -> Any:
    """A parameter of the sizes of axes, in a shape that broadcasts with x."""
    (operand, _), _ = promoted(name, (v, x), broadcast=False)  # a number has the digits of x
    sizes = tuple(x.shape[a] for a in axes)
    if operand.shape != sizes and math.prod(operand.shape) != 1:
        raise TypeError(
            f"{name}: {what} is {operand.aval}; along the axes {list(axes)} of {x.aval} it must "
            f"have the shape {list(sizes)}"
        )
    if operand.shape != sizes:
        return anp.reshape(operand, (1,) * x.ndim)
    return anp.reshape(operand, tuple(n if i in axes else 1 for i, n in enumerate(x.shape)))
