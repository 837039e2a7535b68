"""Losses of numbers: squares, and what is less sensitive to outliers."""

from __future__ import annotations

import math
from typing import Any

import anvl.numpy as anp
from anvl.core.promote import abstract
from anvl.dispatch.eager import public

__all__ = [
    "cosine_distance",
    "cosine_similarity",
    "huber_loss",
    "l2_loss",
    "log_cosh",
    "masked_sum",
    "squared_error",
]


def _errors(name: str, predictions: Any, targets: Any) -> Any:
    if targets is None:
        return anp.asarray(predictions)
    shapes = [tuple(abstract(x, name).shape) for x in (predictions, targets)]
    if shapes[0] != shapes[1] and () not in shapes:
        raise ValueError(
            f"{name}: predictions of shape {list(shapes[0])} and targets of shape "
            f"{list(shapes[1])} differ; broadcast them, if that is meant"
        )
    return anp.subtract(predictions, targets)


@public()
def squared_error(predictions: Any, targets: Any = None) -> Any:
    """(predictions - targets)^2, elementwise.

    Parameters
    ----------
    predictions, targets : arrays of the same shape
        No targets stand for zeros.

    Raises
    ------
    ValueError
        The shapes differ.

    Examples
    --------
    >>> from anvl import optim
    >>> print(optim.squared_error(3.0, 1.0))
    4.0
    """
    return anp.square(_errors("squared_error", predictions, targets))


@public()
def l2_loss(predictions: Any, targets: Any = None) -> Any:
    """Half the `squared_error`, whose parameters and errors it has.

    >>> from anvl import optim
    >>> print(optim.l2_loss(3.0, 1.0))
    2.0
    """
    return anp.multiply(0.5, anp.square(_errors("l2_loss", predictions, targets)))


@public()
def huber_loss(predictions: Any, targets: Any = None, *, delta: Any = 1.0) -> Any:
    """Half the squared error up to `delta`, and linear beyond it, elementwise.

    Source: Huber, Robust estimation of a location parameter (1964).

    >>> from anvl import optim
    >>> print(optim.huber_loss(3.0, 1.0))
    1.5
    """
    size = anp.abs(_errors("huber_loss", predictions, targets))
    near = anp.minimum(size, delta)
    return anp.add(
        anp.multiply(0.5, anp.square(near)), anp.multiply(delta, anp.subtract(size, near))
    )


@public()
def log_cosh(predictions: Any, targets: Any = None) -> Any:
    """log(cosh(predictions - targets)), elementwise: squared near 0, linear far from it.

    >>> from anvl import optim
    >>> print(optim.log_cosh(0.0, 0.0))
    0.0
    """
    errors = _errors("log_cosh", predictions, targets)
    size = anp.abs(errors)
    # log(cosh x) = x + log1p(exp(-2x)) - log 2, whose terms cancel near 0: there it is
    # log1p(2 sinh(x/2)^2).
    half = anp.sinh(anp.multiply(anp.minimum(size, 1), 0.5))
    near = anp.log1p(anp.multiply(2, anp.square(half)))
    far = anp.subtract(anp.add(size, anp.log1p(anp.exp(anp.multiply(-2, size)))), math.log(2))
    return anp.where(anp.less(size, 1), near, far)


def masked_sum(x: Any, axis: Any, where: Any) -> Any:
    return anp.sum(x if where is None else anp.where(where, x, 0), axis=axis)


@public("axis")
def cosine_similarity(
    predictions: Any, targets: Any, *, epsilon: Any = 0.0, axis: Any = -1, where: Any = None
) -> Any:
    """Cosine of the angle between vectors along an axis.

    Parameters
    ----------
    predictions, targets : arrays of floats
    epsilon : float
        Least squared norm of a vector.
    axis : int or tuple of int
    where : array of bools, optional
        The elements that count.

    Examples
    --------
    >>> import anvl.numpy as np
    >>> from anvl import optim
    >>> print(optim.cosine_similarity(np.asarray([2.0, 0.0]), np.asarray([3.0, 0.0])))
    1.0
    """

    def unit(x: Any) -> Any:
        kept = x if where is None else anp.where(where, x, 0)
        square = anp.sum(anp.square(kept), axis=axis, keepdims=True)
        return anp.divide(x, anp.sqrt(anp.maximum(square, epsilon)))

    return masked_sum(anp.multiply(unit(predictions), unit(targets)), axis, where)


@public("axis")
def cosine_distance(
    predictions: Any, targets: Any, *, epsilon: Any = 0.0, axis: Any = -1, where: Any = None
) -> Any:
    """1 - `cosine_similarity`, whose parameters it has.

    >>> import anvl.numpy as np
    >>> from anvl import optim
    >>> print(optim.cosine_distance(np.asarray([2.0, 0.0]), np.asarray([0.0, 3.0])))
    1.0
    """
    near = cosine_similarity(predictions, targets, epsilon=epsilon, axis=axis, where=where)
    return anp.subtract(1, near)
