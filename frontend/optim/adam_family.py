"""Adam and the transformations that change one part of it.

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
    update_infinity_moment,
    update_moment,
    zeros_for,
)

__all__ = [
    "ScaleByAdamState",
    "ScaleByAmsgradState",
    "ScaleByBeliefState",
    "scale_by_adam",
    "scale_by_adamax",
    "scale_by_amsgrad",
    "scale_by_belief",
    "scale_by_radam",
    "scale_by_yogi",
]


class ScaleByAdamState(NamedTuple):
    """State of `scale_by_adam`: steps (i32), first and second moments."""

    count: Any
    mu: Any
    nu: Any


class ScaleByAmsgradState(NamedTuple):
    """State of `scale_by_amsgrad`: steps (i32), moments, and the largest second moments."""

    count: Any
    mu: Any
    nu: Any
    nu_max: Any


class ScaleByBeliefState(NamedTuple):
    """State of `scale_by_belief`: steps (i32), means and variances."""

    count: Any
    mu: Any
    nu: Any


def _quotients(mu: Any, nu: Any, eps: Any, eps_root: Any) -> Any:
    """First moments over the roots of the second ones."""

    def one(m: Any, v: Any) -> Any:
        return anp.divide(m, anp.add(anp.sqrt(anp.add(v, eps_root)), eps))

    return tree.map(one, mu, nu)


def scale_by_adam(
    b1: Any = 0.9,
    b2: Any = 0.999,
    eps: Any = 1e-8,
    eps_root: Any = 0.0,
    mu_dtype: Any = None,
    *,
    nesterov: bool = False,
) -> GradientTransformation:
    """Divide the mean of the gradients by the root of their mean square: Adam.

    Parameters
    ----------
    b1, b2 : float
        Decay of the two moments.
    eps, eps_root : float
        Added to the root and under it.  The derivative of an update with respect to gradients of 0
        is finite for eps_root > 0 only.
    mu_dtype : dtype, optional
        That of the first moment; by default that of each parameter.
    nesterov : bool
        Look one step ahead: NAdam.

    Notes
    -----
    Sources: Kingma and Ba, Adam: a method for stochastic optimization (2014); Dozat, Incorporating
    Nesterov momentum into Adam (2016).

    Examples
    --------
    >>> from anvl import optim
    >>> tx = optim.scale_by_adam()
    >>> print(round(float(tx.update(2.0, tx.init(1.0))[0]), 5))
    1.0
    """
    dtype = checked_dtype(mu_dtype)

    def init(params: Any) -> ScaleByAdamState:
        return ScaleByAdamState(new_count(), zeros_for(params, dtype), zeros_for(params))

    def update(updates: Any, state: Any, params: Any = None) -> tuple[Any, Any]:
        del params
        mu, nu = update_moment(updates, state.mu, b1, 1), update_moment(updates, state.nu, b2, 2)
        count = safe_increment(state.count)
        result = _quotients(
            _first(updates, mu, b1, count, nesterov), bias_correction(nu, b2, count), eps, eps_root
        )
        return result, ScaleByAdamState(count, cast_tree(mu, dtype), _like(nu, state.nu))

    return GradientTransformation(init, update)


def _first(updates: Any, mu: Any, b1: Any, count: Any, nesterov: bool) -> Any:
    """Means without bias; with `nesterov` those of a step further."""
    if not nesterov:
        return bias_correction(mu, b1, count)
    ahead, now = bias_correction(mu, b1, safe_increment(count)), bias_correction(updates, b1, count)
    return tree.map(lambda m, g: anp.add(anp.multiply(b1, m), anp.multiply(1 - b1, g)), ahead, now)


def _like(values: Any, old: Any) -> Any:
    """Values in the dtypes of old ones, so that a state keeps its dtypes."""
    return tree.map(lambda x, o: anp.astype(x, anp.asarray(o).dtype), values, old)


def scale_by_amsgrad(
    b1: Any = 0.9,
    b2: Any = 0.999,
    eps: Any = 1e-8,
    eps_root: Any = 0.0,
    mu_dtype: Any = None,
    bias_correction_mu: bool = True,
    bias_correction_nu: bool = True,
) -> GradientTransformation:
    """Adam with the largest second moment so far: AMSGrad.  Parameters as in `scale_by_adam`.

    Source: Reddi, Kale and Kumar, On the convergence of Adam and beyond (2018).

    >>> from anvl import optim
    >>> tx = optim.scale_by_amsgrad()
    >>> print(round(float(tx.update(2.0, tx.init(1.0))[0]), 5))
    1.0
    """
    dtype = checked_dtype(mu_dtype)

    def init(params: Any) -> ScaleByAmsgradState:
        return ScaleByAmsgradState(
            new_count(), zeros_for(params, dtype), zeros_for(params), zeros_for(params)
        )

    def update(updates: Any, state: Any, params: Any = None) -> tuple[Any, Any]:
        del params
        mu, nu = update_moment(updates, state.mu, b1, 1), update_moment(updates, state.nu, b2, 2)
        count = safe_increment(state.count)
        first = bias_correction(mu, b1, count) if bias_correction_mu else mu
        second = bias_correction(nu, b2, count) if bias_correction_nu else nu
        largest = tree.map(anp.maximum, state.nu_max, second)
        new = ScaleByAmsgradState(count, cast_tree(mu, dtype), nu, largest)
        return _quotients(first, largest, eps, eps_root), new

    return GradientTransformation(init, update)


def scale_by_adamax(b1: Any = 0.9, b2: Any = 0.999, eps: Any = 1e-8) -> GradientTransformation:
    """Divide the mean of the gradients by their decayed maximum: AdaMax.

    Source: Kingma and Ba, Adam: a method for stochastic optimization (2014), section 7.1.

    >>> from anvl import optim
    >>> tx = optim.scale_by_adamax()
    >>> print(round(float(tx.update(2.0, tx.init(1.0))[0]), 5))
    1.0
    """

    def init(params: Any) -> ScaleByAdamState:
        return ScaleByAdamState(new_count(), zeros_for(params), zeros_for(params))

    def update(updates: Any, state: Any, params: Any = None) -> tuple[Any, Any]:
        del params
        count = safe_increment(state.count)
        mu = update_moment(updates, state.mu, b1, 1)
        nu = update_infinity_moment(updates, state.nu, b2, eps)
        result = tree.map(anp.divide, bias_correction(mu, b1, count), nu)
        return result, ScaleByAdamState(count, mu, nu)

    return GradientTransformation(init, update)


def scale_by_belief(
    b1: Any = 0.9,
    b2: Any = 0.999,
    eps: Any = 1e-16,
    eps_root: Any = 1e-16,
    *,
    nesterov: bool = False,
) -> GradientTransformation:
    """Divide the mean of the gradients by their deviation from it: AdaBelief.

    Parameters as in `scale_by_adam`; `eps_root` is added to the variance in each step.
    Source: Zhuang et al., AdaBelief optimizer: adapting stepsizes by the belief in observed
    gradients (2020).

    >>> from anvl import optim
    >>> tx = optim.scale_by_belief(b1=0.5, eps=0.0, eps_root=0.0)
    >>> print(round(float(tx.update(2.0, tx.init(1.0))[0]), 5))
    2.0
    """

    def init(params: Any) -> ScaleByBeliefState:
        return ScaleByBeliefState(new_count(), zeros_for(params), zeros_for(params))

    def update(updates: Any, state: Any, params: Any = None) -> tuple[Any, Any]:
        del params
        mu = update_moment(updates, state.mu, b1, 1)
        errors = tree.map(anp.subtract, updates, mu)
        nu = update_moment(errors, state.nu, b2, 2)
        nu = tree.map(lambda v: anp.add(v, eps_root), nu)
        count = safe_increment(state.count)
        result = _quotients(
            _first(updates, mu, b1, count, nesterov), bias_correction(nu, b2, count), eps, 0.0
        )
        return result, ScaleByBeliefState(count, mu, nu)

    return GradientTransformation(init, update)


def scale_by_yogi(
    b1: Any = 0.9,
    b2: Any = 0.999,
    eps: Any = 1e-3,
    eps_root: Any = 0.0,
    initial_accumulator_value: Any = 1e-6,
) -> GradientTransformation:
    """Adam whose second moment moves by steps of a size that does not depend on it: Yogi.

    Source: Zaheer et al., Adaptive methods for nonconvex optimization (2018).

    >>> from anvl import optim
    >>> tx = optim.scale_by_yogi(eps=0.0, initial_accumulator_value=0.0)
    >>> print(round(float(tx.update(2.0, tx.init(1.0))[0]), 5))
    1.0
    """

    def init(params: Any) -> ScaleByAdamState:
        start = filled_like(params, initial_accumulator_value)
        return ScaleByAdamState(new_count(), filled_like(params, initial_accumulator_value), start)

    def moved(g: Any, v: Any) -> Any:
        square = abs_sq(g)
        sign = anp.sign(anp.subtract(v, square))
        return anp.subtract(v, anp.multiply(anp.multiply(1 - b2, sign), square))

    def update(updates: Any, state: Any, params: Any = None) -> tuple[Any, Any]:
        del params
        mu = update_moment(updates, state.mu, b1, 1)
        nu = tree.map(moved, updates, state.nu)
        count = safe_increment(state.count)
        result = _quotients(
            bias_correction(mu, b1, count), bias_correction(nu, b2, count), eps, eps_root
        )
        return result, ScaleByAdamState(count, mu, nu)

    return GradientTransformation(init, update)


def scale_by_radam(
    b1: Any = 0.9,
    b2: Any = 0.999,
    eps: Any = 1e-8,
    eps_root: Any = 0.0,
    threshold: Any = 5.0,
    *,
    nesterov: bool = False,
) -> GradientTransformation:
    """Adam, with plain momentum until the variance of its scale is small: rectified Adam.

    Parameters as in `scale_by_adam`; `threshold` is the number of effective samples from which on
    the second moment is used.
    Source: Liu et al., On the variance of the adaptive learning rate and beyond (2020).

    >>> from anvl import optim
    >>> tx = optim.scale_by_radam()
    >>> print(round(float(tx.update(2.0, tx.init(1.0))[0]), 5))
    2.0
    """
    limit = 2.0 / (1.0 - b2) - 1.0

    def init(params: Any) -> ScaleByAdamState:
        return ScaleByAdamState(new_count(), zeros_for(params), zeros_for(params))

    def rectified(m: Any, v: Any, count: Any) -> Any:
        m = anp.asarray(m)
        real = anp.real(m).dtype
        steps = anp.astype(count, real)
        power = anp.power(anp.asarray(b2, dtype=real), steps)
        samples = limit - 2 * steps * power / (1 - power)
        # Where it is not used the root may be of a negative number.
        safe = anp.where(anp.greater_equal(samples, threshold), samples, limit)
        factor = anp.sqrt((safe - 4) * (safe - 2) * limit / ((limit - 4) * (limit - 2) * safe))
        scaled = factor * m / (anp.sqrt(v + eps_root) + eps)
        return anp.where(anp.greater_equal(samples, threshold), scaled, m)

    def update(updates: Any, state: Any, params: Any = None) -> tuple[Any, Any]:
        del params
        mu, nu = update_moment(updates, state.mu, b1, 1), update_moment(updates, state.nu, b2, 2)
        count = safe_increment(state.count)
        first = _first(updates, mu, b1, count, nesterov)
        result = tree.map(
            lambda m, v: rectified(m, v, count), first, bias_correction(nu, b2, count)
        )
        return result, ScaleByAdamState(count, mu, nu)

    return GradientTransformation(init, update)
