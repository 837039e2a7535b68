"""Transformations that scale by a number, a schedule or a norm; momentum and weight decay."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import anvl.numpy as anp
from anvl import tree
from anvl.optim.masking import masked
from anvl.optim.protocol import (
    EmptyState,
    GradientTransformation,
    needs_params,
    stateless,
    stateless_with_tree_map,
)
from anvl.optim.trees import (
    bias_correction,
    cast_tree,
    checked_dtype,
    global_norm,
    new_count,
    safe_increment,
    safe_norm,
    safe_root_mean_squares,
    update_moment,
    zeros_for,
)

__all__ = [
    "EmaState", "ScaleByScheduleState", "ScaleState", "TraceState", "add_decayed_weights",
    "centralize", "ema", "normalize_by_update_norm", "scale", "scale_by_learning_rate",
    "scale_by_param_block_norm", "scale_by_param_block_rms", "scale_by_schedule", "scale_by_sign",
    "scale_by_trust_ratio", "trace",
]  # fmt: skip

ScaleState = EmptyState


class ScaleByScheduleState(NamedTuple):
    """State of `scale_by_schedule`: the number of steps, i32."""

    count: Any


class TraceState(NamedTuple):
    """State of `trace`: the decayed sum of the updates."""

    trace: Any


class EmaState(NamedTuple):
    """State of `ema`: the number of steps, i32, and the average."""

    count: Any
    ema: Any


def scaled(factor: Any, updates: Any) -> Any:
    """Updates times a number, each in its own dtype."""

    def one(g: Any) -> Any:
        if isinstance(factor, int | float):
            return anp.multiply(factor, g)
        return anp.multiply(anp.astype(factor, anp.asarray(g).dtype), g)

    return tree.map(one, updates)


def scale(step_size: Any) -> GradientTransformation:
    """Multiply the updates by a number.

    Parameters
    ----------
    step_size : float, or an array of shape ()

    Examples
    --------
    >>> from anvl import optim
    >>> print(optim.scale(-0.5).update(2.0, optim.EmptyState())[0])
    -1.0
    """
    return stateless(lambda updates, params: scaled(step_size, updates))


def scale_by_schedule(step_size_fn: Callable[[Any], Any]) -> GradientTransformation:
    """Multiply the updates by a schedule at the number of steps so far: 0, 1, 2, ...

    Parameters
    ----------
    step_size_fn : callable
        From an i32 of shape () to a number.

    Examples
    --------
    >>> from anvl import optim
    >>> tx = optim.scale_by_schedule(lambda count: 1.0 / (1 + count))
    >>> state = tx.init(0.0)
    >>> _, state = tx.update(6.0, state)
    >>> print(tx.update(6.0, state)[0])
    3.0
    """

    def init(params: Any) -> ScaleByScheduleState:
        del params
        return ScaleByScheduleState(new_count())

    def update(updates: Any, state: Any, params: Any = None) -> tuple[Any, Any]:
        del params
        factor = step_size_fn(state.count)
        return scaled(factor, updates), ScaleByScheduleState(safe_increment(state.count))

    return GradientTransformation(init, update)


def scale_by_learning_rate(learning_rate: Any, *, flip_sign: bool = True) -> GradientTransformation:
    """Multiply by the learning rate, a number or a schedule, and by -1.

    Parameters
    ----------
    learning_rate : float, or a function of the number of steps
    flip_sign : bool
        False leaves out the factor -1.

    Raises
    ------
    TypeError
        `learning_rate` is neither a number nor a function.

    Examples
    --------
    >>> from anvl import optim
    >>> tx = optim.scale_by_learning_rate(0.5)
    >>> print(tx.update(2.0, tx.init(0.0))[0])
    -1.0
    """
    sign = -1 if flip_sign else 1
    if callable(learning_rate):
        return scale_by_schedule(lambda count: sign * learning_rate(count))
    if learning_rate is None or isinstance(learning_rate, str | bytes | list | tuple | dict):
        raise TypeError(
            "learning_rate must be a number or a function of the number of steps, "
            f"got {learning_rate!r}"
        )
    return scale(sign * learning_rate)


def trace(
    decay: Any, nesterov: bool = False, accumulator_dtype: Any = None
) -> GradientTransformation:
    """Decayed sum of the updates: the momentum of `sgd`.

    t = g + decay * t; the result is t, or g + decay * t anew with `nesterov`.
    Source: Sutskever et al., On the importance of initialization and momentum in deep learning
    (2013).

    Parameters
    ----------
    decay : float
    nesterov : bool
    accumulator_dtype : dtype, optional
        That of the sum; by default that of each parameter.

    Examples
    --------
    >>> from anvl import optim
    >>> tx = optim.trace(decay=0.5)
    >>> _, state = tx.update(2.0, tx.init(0.0))
    >>> print(tx.update(2.0, state)[0])
    3.0
    """
    dtype = checked_dtype(accumulator_dtype)

    def added(g: Any, t: Any) -> Any:
        return anp.add(g, anp.multiply(decay, t))

    def init(params: Any) -> TraceState:
        return TraceState(zeros_for(params, dtype))

    def update(updates: Any, state: Any, params: Any = None) -> tuple[Any, Any]:
        del params
        total = tree.map(added, updates, state.trace)
        result = tree.map(added, updates, total) if nesterov else total
        return result, TraceState(cast_tree(total, dtype))

    return GradientTransformation(init, update)


def ema(decay: Any, debias: bool = True, accumulator_dtype: Any = None) -> GradientTransformation:
    """Exponential moving average of the updates.

    Parameters
    ----------
    decay : float
    debias : bool
        Divide by 1 - decay^steps: see `bias_correction`.
    accumulator_dtype : dtype, optional
        That of the average; by default that of each parameter.

    Examples
    --------
    >>> from anvl import optim
    >>> tx = optim.ema(0.9, debias=False)
    >>> print(tx.update(1.0, tx.init(0.0))[0])
    0.1
    """
    dtype = checked_dtype(accumulator_dtype)

    def init(params: Any) -> EmaState:
        return EmaState(new_count(), zeros_for(params, dtype))

    def update(updates: Any, state: Any, params: Any = None) -> tuple[Any, Any]:
        del params
        average, count = update_moment(updates, state.ema, decay, 1), safe_increment(state.count)
        result = bias_correction(average, decay, count) if debias else average
        return result, EmaState(count, cast_tree(average, dtype))

    return GradientTransformation(init, update)


def add_decayed_weights(weight_decay: Any = 0.0, mask: Any = None) -> GradientTransformation:
    """Add the parameters times `weight_decay` to the updates.

    Parameters
    ----------
    weight_decay : float, or a function of the number of steps
    mask : pytree of bools, or a function of the parameters that makes one, optional
        The parameters that decay; by default all.

    Raises
    ------
    ValueError
        `update` is called without params.

    Examples
    --------
    >>> from anvl import optim
    >>> tx = optim.add_decayed_weights(0.5)
    >>> print(tx.update(1.0, tx.init(4.0), 4.0)[0])
    3.0
    """

    def decayed(updates: Any, params: Any, rate: Any) -> Any:
        needs_params("add_decayed_weights", params)
        return tree.map(anp.add, updates, scaled(rate, params))

    if callable(weight_decay):
        tx = GradientTransformation(
            lambda params: ScaleByScheduleState(new_count()),
            lambda updates, state, params=None: (
                decayed(updates, params, weight_decay(state.count)),
                ScaleByScheduleState(safe_increment(state.count)),
            ),
        )
    else:
        tx = stateless(lambda updates, params: decayed(updates, params, weight_decay))
    return tx if mask is None else masked(tx, mask)


def scale_by_sign() -> GradientTransformation:
    """Replace each update by its sign.

    >>> from anvl import optim
    >>> print(optim.scale_by_sign().update(-3.0, optim.EmptyState())[0])
    -1.0
    """
    return stateless(lambda updates, params: tree.map(anp.sign, updates))


def scale_by_trust_ratio(
    min_norm: Any = 0.0, trust_coefficient: Any = 1.0, eps: Any = 0.0
) -> GradientTransformation:
    """Scale the update of each leaf by the ratio of the norms of parameter and update.

    Where one of the norms is 0 the update is kept.
    Source: You et al., Large batch training of convolutional networks (2017).

    Parameters
    ----------
    min_norm : float
        Least norm of parameters and of updates.
    trust_coefficient, eps : float
        The ratio is trust_coefficient * |param| / (|update| + eps).

    Raises
    ------
    ValueError
        `update` is called without params.

    Examples
    --------
    >>> from anvl import optim
    >>> print(optim.scale_by_trust_ratio().update(2.0, optim.EmptyState(), 6.0)[0])
    6.0
    """

    def one(u: Any, p: Any) -> Any:
        of_param, of_update = safe_norm(p, min_norm), safe_norm(u, min_norm)
        ratio = anp.divide(anp.multiply(trust_coefficient, of_param), anp.add(of_update, eps))
        is_zero = anp.logical_or(anp.equal(of_param, 0), anp.equal(of_update, 0))
        return anp.multiply(u, anp.where(is_zero, 1.0, ratio))

    return _of_params("scale_by_trust_ratio", one)


def scale_by_param_block_norm(min_scale: Any = 1e-3) -> GradientTransformation:
    """Scale the update of each leaf by the norm of the parameter, at least `min_scale`.

    >>> from anvl import optim
    >>> print(optim.scale_by_param_block_norm().update(2.0, optim.EmptyState(), 3.0)[0])
    6.0
    """
    return _of_params(
        "scale_by_param_block_norm", lambda u, p: anp.multiply(u, safe_norm(p, min_scale))
    )


def scale_by_param_block_rms(min_scale: Any = 1e-3) -> GradientTransformation:
    """Scale the update of each leaf by the root mean square of the parameter, at least `min_scale`.

    >>> from anvl import optim
    >>> print(optim.scale_by_param_block_rms().update(2.0, optim.EmptyState(), 3.0)[0])
    6.0
    """
    return _of_params(
        "scale_by_param_block_rms",
        lambda u, p: anp.multiply(u, safe_root_mean_squares(p, min_scale)),
    )


def _of_params(name: str, f: Callable[[Any, Any], Any]) -> GradientTransformation:
    """A transformation of each leaf that needs the parameter."""

    def update(updates: Any, params: Any) -> Any:
        needs_params(name, params)
        return tree.map(f, updates, params)

    return stateless(update)


def normalize_by_update_norm(scale_factor: Any = 1.0, eps: Any = 1e-6) -> GradientTransformation:
    """Divide the updates by their global norm: afterwards it is `scale_factor`.

    >>> from anvl import optim
    >>> print(optim.normalize_by_update_norm(eps=0.0).update(4.0, optim.EmptyState())[0])
    1.0
    """

    def update(updates: Any, params: Any) -> Any:
        size = anp.divide(anp.add(global_norm(updates), eps), scale_factor)
        return tree.map(lambda g: anp.divide(g, anp.astype(size, anp.asarray(g).dtype)), updates)

    return stateless(update)


def centralize() -> GradientTransformation:
    """Subtract from the update of a matrix or tensor its mean over all axes but the first.

    Source: Yong et al., Gradient centralization: a new optimization technique for deep neural
    networks (2020).

    >>> import anvl.numpy as np
    >>> from anvl import optim
    >>> print(optim.centralize().update(np.asarray([[1.0, 3.0]]), optim.EmptyState())[0])
    [[-1.  1.]]
    """

    def one(g: Any, p: Any) -> Any:
        g = anp.asarray(g)
        if g.ndim <= 1:
            return g
        return anp.subtract(g, anp.mean(g, axis=tuple(range(1, g.ndim)), keepdims=True))

    return stateless_with_tree_map(one)
