"""Transformations with moments of the gradients, beside Adam.

Each names its paper.  Moments are kept in the dtype of the parameters, or in `mu_dtype` for the
first; numbers of steps are i32.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import anvl.numpy as anp
from anvl import tree
from anvl.optim.protocol import GradientTransformation
from anvl.optim.trees import (
    abs_sq,
    bias_correction,
    cast_tree,
    checked_dtype,
    filled_like,
    new_count,
    safe_increment,
    update_moment,
    zeros_for,
)

__all__ = [
    "ScaleByAdaDeltaState",
    "ScaleByLionState",
    "ScaleByRStdDevState",
    "ScaleByRmsState",
    "ScaleByRssState",
    "scale_by_adadelta",
    "scale_by_lion",
    "scale_by_rms",
    "scale_by_rss",
    "scale_by_stddev",
]


class ScaleByRssState(NamedTuple):
    """State of `scale_by_rss`: the sums of squares."""

    sum_of_squares: Any


class ScaleByRmsState(NamedTuple):
    """State of `scale_by_rms`: the mean squares."""

    nu: Any


class ScaleByRmsWithCountState(NamedTuple):
    """State of `scale_by_rms` with `bias_correction`."""

    count: Any
    nu: Any


class ScaleByRStdDevState(NamedTuple):
    """State of `scale_by_stddev`: means and mean squares."""

    mu: Any
    nu: Any


class ScaleByRStdDevWithCountState(NamedTuple):
    """State of `scale_by_stddev` with `bias_correction`."""

    count: Any
    mu: Any
    nu: Any


class ScaleByLionState(NamedTuple):
    """State of `scale_by_lion`: steps (i32) and the first moments."""

    count: Any
    mu: Any


class ScaleByAdaDeltaState(NamedTuple):
    """State of `scale_by_adadelta`: mean squares of gradients and of updates."""

    e_g: Any
    e_x: Any


def _inverse_root(n: Any, eps: Any, eps_in_sqrt: bool) -> Any:
    if eps_in_sqrt:
        return anp.rsqrt(anp.add(n, eps))
    return anp.divide(1, anp.add(anp.sqrt(n), eps))


def scale_by_rss(initial_accumulator_value: Any = 0.1, eps: Any = 1e-7) -> GradientTransformation:
    """Divide by the root of the sum of all squares so far: AdaGrad.

    Source: Duchi, Hazan and Singer, Adaptive subgradient methods for online learning and stochastic
    optimization (2011).

    >>> from anvl import optim
    >>> tx = optim.scale_by_rss(0.0, eps=0.0)
    >>> print(round(float(tx.update(2.0, tx.init(1.0))[0]), 5))
    1.0
    """

    def init(params: Any) -> ScaleByRssState:
        return ScaleByRssState(filled_like(params, initial_accumulator_value))

    def scaled(g: Any, t: Any) -> Any:
        # Without a gradient so far there is nothing to divide.
        safe = anp.where(anp.greater(t, 0), t, 1)
        return anp.multiply(anp.where(anp.greater(t, 0), anp.rsqrt(anp.add(safe, eps)), 0.0), g)

    def update(updates: Any, state: Any, params: Any = None) -> tuple[Any, Any]:
        del params
        total = tree.map(lambda g, t: anp.add(abs_sq(g), t), updates, state.sum_of_squares)
        return tree.map(scaled, updates, total), ScaleByRssState(total)

    return GradientTransformation(init, update)


def scale_by_rms(
    decay: Any = 0.9,
    eps: Any = 1e-8,
    initial_scale: Any = 0.0,
    eps_in_sqrt: bool = True,
    bias_correction: bool = False,
) -> GradientTransformation:
    """Divide by the root of the mean square: RMSProp.

    Parameters
    ----------
    decay : float
    eps : float
        Added to the mean square, or, without `eps_in_sqrt`, to its root.
    initial_scale : float
        The mean square before the first step.
    eps_in_sqrt, bias_correction : bool

    Notes
    -----
    Source: Tieleman and Hinton, Lecture 6.5: RMSProp (2012).

    Examples
    --------
    >>> from anvl import optim
    >>> tx = optim.scale_by_rms(decay=0.75, eps=0.0)
    >>> print(round(float(tx.update(3.0, tx.init(1.0))[0]), 5))
    2.0
    """
    corrects = bias_correction

    def init(params: Any) -> Any:
        nu = filled_like(params, initial_scale)
        return ScaleByRmsWithCountState(new_count(), nu) if corrects else ScaleByRmsState(nu)

    def update(updates: Any, state: Any, params: Any = None) -> tuple[Any, Any]:
        del params
        nu = update_moment(updates, state.nu, decay, 2)
        new: Any = ScaleByRmsState(nu)
        mean = nu
        if corrects:
            new = ScaleByRmsWithCountState(safe_increment(state.count), nu)
            mean = _debiased(nu, decay, new.count)
        result = tree.map(
            lambda g, n: anp.multiply(_inverse_root(n, eps, eps_in_sqrt), g), updates, mean
        )
        return result, new

    return GradientTransformation(init, update)


_debiased = bias_correction


def scale_by_stddev(
    decay: Any = 0.9,
    eps: Any = 1e-8,
    initial_scale: Any = 0.0,
    eps_in_sqrt: bool = True,
    bias_correction: bool = False,
) -> GradientTransformation:
    """Divide by the standard deviation: centered RMSProp.  Parameters as in `scale_by_rms`.

    Source: Graves, Generating sequences with recurrent neural networks (2013).

    >>> from anvl import optim
    >>> tx = optim.scale_by_stddev(decay=0.5, eps=0.0)
    >>> print(round(float(tx.update(3.0, tx.init(1.0))[0]), 5))
    2.0
    """
    corrects = bias_correction

    def init(params: Any) -> Any:
        mu, nu = zeros_for(params), filled_like(params, initial_scale)
        if corrects:
            return ScaleByRStdDevWithCountState(new_count(), mu, nu)
        return ScaleByRStdDevState(mu, nu)

    def update(updates: Any, state: Any, params: Any = None) -> tuple[Any, Any]:
        del params
        mu = update_moment(updates, state.mu, decay, 1)
        nu = update_moment(updates, state.nu, decay, 2)
        new: Any = ScaleByRStdDevState(mu, nu)
        means = mu, nu
        if corrects:
            new = ScaleByRStdDevWithCountState(safe_increment(state.count), mu, nu)
            means = _debiased(mu, decay, new.count), _debiased(nu, decay, new.count)

        def one(g: Any, m: Any, n: Any) -> Any:
            variance = anp.subtract(n, abs_sq(m))
            return anp.multiply(_inverse_root(variance, eps, eps_in_sqrt), g)

        return tree.map(one, updates, *means), new

    return GradientTransformation(init, update)


def scale_by_lion(
    b1: Any = 0.9,
    b2: Any = 0.99,
    mu_dtype: Any = None,
    *,
    mode: str = "hard",
    smooth_beta: float = 1.0,
) -> GradientTransformation:
    """Sign of a mean of the gradient and the momentum: Lion.

    Parameters
    ----------
    b1, b2 : float
        Weight of the momentum in the update, and its decay.
    mu_dtype : dtype, optional
        That of the momentum; by default that of each parameter.
    mode : {"hard", "smooth", "refined"}
        The sign; tanh(smooth_beta x); or x itself where |x| < 1, else the sign.
    smooth_beta : float

    Raises
    ------
    ValueError
        An unknown mode.

    Source: Chen et al., Symbolic discovery of optimization algorithms (2023).

    Examples
    --------
    >>> from anvl import optim
    >>> tx = optim.scale_by_lion()
    >>> print(round(float(tx.update(-2.0, tx.init(1.0))[0]), 5))
    -1.0
    """
    squashed = {
        "hard": anp.sign,
        "smooth": lambda x: anp.tanh(anp.multiply(smooth_beta, x)),
        "refined": lambda x: anp.where(anp.less(anp.abs(x), 1), x, anp.sign(x)),
    }
    if mode not in squashed:
        raise ValueError(
            f"scale_by_lion: mode is {mode!r}; it must be 'hard', 'smooth' or 'refined'"
        )
    dtype = checked_dtype(mu_dtype)

    def init(params: Any) -> ScaleByLionState:
        return ScaleByLionState(new_count(), zeros_for(params, dtype))

    def update(updates: Any, state: Any, params: Any = None) -> tuple[Any, Any]:
        del params
        mean = update_moment(updates, state.mu, b1, 1)
        mu = cast_tree(update_moment(updates, state.mu, b2, 1), dtype)
        return tree.map(squashed[mode], mean), ScaleByLionState(safe_increment(state.count), mu)

    return GradientTransformation(init, update)


def scale_by_adadelta(rho: Any = 0.9, eps: Any = 1e-6) -> GradientTransformation:
    """Scale by the root mean square of earlier updates over that of the gradients: AdaDelta.

    Source: Zeiler, ADADELTA: an adaptive learning rate method (2012).

    >>> from anvl import optim
    >>> tx = optim.scale_by_adadelta(rho=0.5, eps=2.0)
    >>> print(round(float(tx.update(2.0, tx.init(1.0))[0]), 5))
    1.41421
    """

    def init(params: Any) -> ScaleByAdaDeltaState:
        return ScaleByAdaDeltaState(zeros_for(params), zeros_for(params))

    def one(g: Any, of_g: Any, of_x: Any) -> Any:
        ratio = anp.divide(anp.sqrt(anp.add(of_x, eps)), anp.sqrt(anp.add(of_g, eps)))
        return anp.multiply(ratio, g)

    def update(updates: Any, state: Any, params: Any = None) -> tuple[Any, Any]:
        del params
        e_g = update_moment(updates, state.e_g, rho, 2)
        result = tree.map(one, updates, e_g, state.e_x)
        return result, ScaleByAdaDeltaState(e_g, update_moment(result, state.e_x, rho, 2))

    return GradientTransformation(init, update)
