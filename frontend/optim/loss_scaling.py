"""Loss scaling: small gradients are kept from becoming 0 in f16.

Source: P. Micikevicius et al., Mixed Precision Training (ICLR 2018), section 3.2.  Names are those
of jmp (DeepMind), where it has one.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

import anvl.numpy as anp
from anvl import tree
from anvl.runtime import Array

__all__ = ["LossScale", "all_finite", "dynamic_loss_scale", "static_loss_scale"]


class LossScale(NamedTuple):
    """A factor for the loss, and how it changes; a pytree, to be carried through the steps.

    `scale` a loss, take the gradient, `unscale` it, and let `adjust` make the next factor.

    Attributes
    ----------
    loss_scale : array of float
        The factor.
    good_steps : array of int
        The number of steps with finite gradients since the factor changed.
    period : array of int
        After so many the factor grows.
    growth : array of float
        By how much it grows, and shrinks where gradients are not finite.
    least : array of float
        The smallest factor.
    """

    loss_scale: Any
    good_steps: Any
    period: Any
    growth: Any
    least: Any

    def scale(self, values: Any) -> Any:
        """The values times the factor, in their dtypes.

        Parameters
        ----------
        values : pytree of arrays
            The loss.

        Examples
        --------
        >>> from anvl import optim
        >>> print(optim.static_loss_scale(8.0).scale(0.5))
        4.0
        """
        return tree.map(lambda x: _times(x, self.loss_scale), values)

    def unscale(self, values: Any) -> Any:
        """The values divided by the factor, in their dtypes.

        Parameters
        ----------
        values : pytree of arrays
            The gradients of a scaled loss.

        Examples
        --------
        >>> from anvl import optim
        >>> print(optim.static_loss_scale(8.0).unscale(4.0))
        0.5
        """
        inverse = 1.0 / self.loss_scale
        return tree.map(lambda x: _times(x, inverse), values)

    def adjust(self, is_finite: Any) -> LossScale:
        """The factor for the next step: larger after many good ones, smaller after a bad one.

        Parameters
        ----------
        is_finite : bool array
            Whether the gradients of this step are finite: `anvl.optim.all_finite`.

        Examples
        --------
        >>> from anvl import optim
        >>> print(optim.dynamic_loss_scale(8.0).adjust(False).loss_scale)
        4.0
        """
        steps = self.good_steps + 1
        grows = steps >= self.period
        larger = self.loss_scale * self.growth
        larger = anp.where(anp.isfinite(larger), larger, self.loss_scale)
        smaller = anp.maximum(self.loss_scale / self.growth, self.least)
        kept = anp.where(grows, larger, self.loss_scale)
        good = anp.where(grows, 0, steps)
        return self._replace(
            loss_scale=anp.where(is_finite, kept, smaller),
            good_steps=anp.where(is_finite, good, 0),
        )


def _times(x: Any, factor: Any) -> Any:
    x = anp.asarray(x)
    return (x * factor).astype(x.dtype)


def static_loss_scale(loss_scale: float) -> LossScale:
    """A loss scale that stays what it is.

    Parameters
    ----------
    loss_scale : float
        The factor, a power of 2 so that it rounds nothing.

    Returns
    -------
    LossScale

    Raises
    ------
    ValueError
        The factor is not a positive finite number.

    Examples
    --------
    >>> from anvl import optim
    >>> scale = optim.static_loss_scale(1024.0)
    >>> print(scale.adjust(False).loss_scale)
    1024.0
    """
    return _made("static_loss_scale", loss_scale, 2**30, 1.0, loss_scale)


def dynamic_loss_scale(
    loss_scale: float = 2.0**15, period: int = 2_000, growth: float = 2.0, least: float = 1.0
) -> LossScale:
    """A loss scale that shrinks when gradients are not finite, and grows after many good steps.

    Parameters
    ----------
    loss_scale : float
        The first factor, a power of 2 so that it rounds nothing.
    period : int
        After so many steps with finite gradients the factor grows.
    growth : float
        By how much it grows, and shrinks; above 1.
    least : float
        The smallest factor.

    Returns
    -------
    LossScale

    Raises
    ------
    ValueError
        A factor is not positive and finite, `growth` not above 1, or `period` not at least 1.

    Examples
    --------
    >>> import anvl, anvl.numpy as np
    >>> from anvl import optim
    >>> def loss(w, x):
    ...     return np.mean((x @ w) ** 2)
    >>> net = anvl.mixed_precision(loss, dtype="f16")
    >>> optimizer = optim.apply_if_finite(optim.sgd(0.125), 10)
    >>> @anvl.jit
    ... def step(w, state, scale, x):
    ...     gradient = anvl.grad(lambda w: scale.scale(net(w, x)))(w)
    ...     gradient = scale.unscale(gradient)
    ...     updates, state = optimizer.update(gradient, state, w)
    ...     return optim.apply_updates(w, updates), state, scale.adjust(optim.all_finite(gradient))
    >>> w, x = np.ones((3,), "f32"), np.ones((2, 3), "f32")
    >>> w, state, scale = step(w, optimizer.init(w), optim.dynamic_loss_scale(2.0**10), x)
    >>> print(w, scale.good_steps)
    [0.25 0.25 0.25] 1
    """
    name = "dynamic_loss_scale"
    if isinstance(period, bool) or not isinstance(period, int | np.integer) or period < 1:
        raise ValueError(
            f"{name}: period is {period!r}; it must be at least 1 step, a whole number"
        )
    _check_number(name, "growth", growth)
    if not 1 < growth < float("inf"):
        raise ValueError(f"{name}: growth is {growth}; it must be a finite number above 1")
    return _made(name, loss_scale, period, growth, least)


def _made(name: str, loss_scale: float, period: int, growth: float, least: float) -> LossScale:
    for what, value in (("loss_scale", loss_scale), ("least", least)):
        _check_number(name, what, value)
        if not 0 < value < float("inf"):
            raise ValueError(f"{name}: {what} is {value}; it must be a positive finite number")
    return LossScale(
        anp.asarray(loss_scale, "f32"),
        anp.asarray(0, "i32"),
        anp.asarray(period, "i32"),
        anp.asarray(growth, "f32"),
        anp.asarray(least, "f32"),
    )


def _check_number(name: str, what: str, value: Any) -> None:
    """Refuse what cannot be compared with numbers."""
    if not isinstance(value, int | float | np.generic | np.ndarray | Array):
        raise TypeError(f"{name}: {what} is {value!r}; it must be a number")


def all_finite(values: Any) -> Any:
    """Whether all elements of all leaves are finite.

    Parameters
    ----------
    values : pytree of arrays
        Such as gradients.

    Returns
    -------
    Array of bool, of shape ().

    Examples
    --------
    >>> import anvl.numpy as np
    >>> from anvl import optim
    >>> print(optim.all_finite({"w": np.ones(3), "b": np.asarray(np.inf)}))
    False
    """
    found = anp.asarray(True)
    for x in tree.leaves(values):
        found = anp.logical_and(found, anp.all(anp.isfinite(x)))
    return found
