"""Optimizers by name: chains of transformations that end with the learning rate.

Everywhere `learning_rate` is a number or a schedule, and `mask` is a pytree of bools, or a function
of the parameters that makes one: those that decay.
"""

from __future__ import annotations

from typing import Any

from anvl.optim import adam_family, moments
from anvl.optim.lbfgs import scale_by_lbfgs
from anvl.optim.line_search import scale_by_zoom_linesearch
from anvl.optim.masking import masked
from anvl.optim.protocol import GradientTransformationExtraArgs, chain, identity
from anvl.optim.scaling import (
    add_decayed_weights,
    ema,
    scale,
    scale_by_learning_rate,
    scale_by_sign,
    scale_by_trust_ratio,
    trace,
)

__all__ = [
    "adabelief", "adadelta", "adagrad", "adam", "adamax", "adamaxw", "adamw", "amsgrad", "lamb",
    "lars", "lbfgs", "lion", "nadam", "nadamw", "radam", "rmsprop", "sgd", "sign_sgd", "signum",
    "yogi",
]  # fmt: skip

Optimizer = GradientTransformationExtraArgs

_ZOOM = scale_by_zoom_linesearch(max_linesearch_steps=20, initial_guess_strategy="one")


def sgd(
    learning_rate: Any,
    momentum: Any = None,
    nesterov: bool = False,
    accumulator_dtype: Any = None,
) -> Optimizer:
    """Stochastic gradient descent, with momentum if it is given: see `trace`.

    >>> import anvl
    >>> from anvl import optim
    >>> optimizer = optim.sgd(0.25, momentum=0.5)
    >>> params, state = 4.0, optimizer.init(4.0)
    >>> for _ in range(2):
    ...     grads = anvl.grad(lambda x: x**2)(params)
    ...     updates, state = optimizer.update(grads, state, params)
    ...     params = optim.apply_updates(params, updates)
    >>> print(params)
    0.0
    """
    first: Any = identity()
    if momentum is not None:
        first = trace(momentum, nesterov, accumulator_dtype)
    return chain(first, scale_by_learning_rate(learning_rate))


def adam(
    learning_rate: Any,
    b1: Any = 0.9,
    b2: Any = 0.999,
    eps: Any = 1e-8,
    eps_root: Any = 0.0,
    mu_dtype: Any = None,
    *,
    nesterov: bool = False,
) -> Optimizer:
    """Adam: see `scale_by_adam`.

    >>> from anvl import optim
    >>> optimizer = optim.adam(0.125)
    >>> updates, state = optimizer.update(3.0, optimizer.init(1.0))
    >>> print(round(float(updates), 5))
    -0.125
    """
    first = adam_family.scale_by_adam(b1, b2, eps, eps_root, mu_dtype, nesterov=nesterov)
    return chain(first, scale_by_learning_rate(learning_rate))


def nadam(
    learning_rate: Any,
    b1: Any = 0.9,
    b2: Any = 0.999,
    eps: Any = 1e-8,
    eps_root: Any = 0.0,
    mu_dtype: Any = None,
    *,
    nesterov: bool = True,
) -> Optimizer:
    """Adam that looks a step ahead: `adam` with `nesterov`."""
    return adam(learning_rate, b1, b2, eps, eps_root, mu_dtype, nesterov=nesterov)


def adamw(
    learning_rate: Any,
    b1: Any = 0.9,
    b2: Any = 0.999,
    eps: Any = 1e-8,
    eps_root: Any = 0.0,
    mu_dtype: Any = None,
    weight_decay: Any = 1e-4,
    mask: Any = None,
    *,
    nesterov: bool = False,
) -> Optimizer:
    """Adam with a weight decay that the moments do not see.

    Source: Loshchilov and Hutter, Decoupled weight decay regularization (2019).

    >>> from anvl import optim
    >>> optimizer = optim.adamw(0.125, weight_decay=0.5)
    >>> updates, state = optimizer.update(3.0, optimizer.init(2.0), 2.0)
    >>> print(round(float(updates), 5))
    -0.25
    """
    return chain(
        adam_family.scale_by_adam(b1, b2, eps, eps_root, mu_dtype, nesterov=nesterov),
        add_decayed_weights(weight_decay, mask),
        scale_by_learning_rate(learning_rate),
    )


def nadamw(
    learning_rate: Any,
    b1: Any = 0.9,
    b2: Any = 0.999,
    eps: Any = 1e-8,
    eps_root: Any = 0.0,
    mu_dtype: Any = None,
    weight_decay: Any = 1e-4,
    mask: Any = None,
    *,
    nesterov: bool = True,
) -> Optimizer:
    """`adamw` with `nesterov`."""
    return adamw(
        learning_rate, b1, b2, eps, eps_root, mu_dtype, weight_decay, mask, nesterov=nesterov
    )


def adamax(learning_rate: Any, b1: Any = 0.9, b2: Any = 0.999, eps: Any = 1e-8) -> Optimizer:
    """AdaMax: see `scale_by_adamax`."""
    return chain(adam_family.scale_by_adamax(b1, b2, eps), scale_by_learning_rate(learning_rate))


def adamaxw(
    learning_rate: Any,
    b1: Any = 0.9,
    b2: Any = 0.999,
    eps: Any = 1e-8,
    weight_decay: Any = 1e-4,
    mask: Any = None,
) -> Optimizer:
    """AdaMax with weight decay."""
    return chain(
        adam_family.scale_by_adamax(b1, b2, eps),
        add_decayed_weights(weight_decay, mask),
        scale_by_learning_rate(learning_rate),
    )


def amsgrad(
    learning_rate: Any,
    b1: Any = 0.9,
    b2: Any = 0.999,
    eps: Any = 1e-8,
    eps_root: Any = 0.0,
    mu_dtype: Any = None,
    bias_correction_mu: bool = True,
    bias_correction_nu: bool = True,
) -> Optimizer:
    """AMSGrad: see `scale_by_amsgrad`."""
    first = adam_family.scale_by_amsgrad(
        b1, b2, eps, eps_root, mu_dtype, bias_correction_mu, bias_correction_nu
    )
    return chain(first, scale_by_learning_rate(learning_rate))


def radam(
    learning_rate: Any,
    b1: Any = 0.9,
    b2: Any = 0.999,
    eps: Any = 1e-8,
    eps_root: Any = 0.0,
    threshold: Any = 5.0,
    *,
    nesterov: bool = False,
) -> Optimizer:
    """Rectified Adam: see `scale_by_radam`."""
    first = adam_family.scale_by_radam(b1, b2, eps, eps_root, threshold, nesterov=nesterov)
    return chain(first, scale_by_learning_rate(learning_rate))


def adabelief(
    learning_rate: Any,
    b1: Any = 0.9,
    b2: Any = 0.999,
    eps: Any = 1e-16,
    eps_root: Any = 1e-16,
    *,
    nesterov: bool = False,
) -> Optimizer:
    """AdaBelief: see `scale_by_belief`."""
    first = adam_family.scale_by_belief(b1, b2, eps, eps_root, nesterov=nesterov)
    return chain(first, scale_by_learning_rate(learning_rate))


def yogi(learning_rate: Any, b1: Any = 0.9, b2: Any = 0.999, eps: Any = 1e-3) -> Optimizer:
    """Yogi: see `scale_by_yogi`."""
    return chain(adam_family.scale_by_yogi(b1, b2, eps), scale_by_learning_rate(learning_rate))


def lion(
    learning_rate: Any,
    b1: Any = 0.9,
    b2: Any = 0.99,
    mu_dtype: Any = None,
    weight_decay: Any = 1e-3,
    mask: Any = None,
) -> Optimizer:
    """Lion: see `scale_by_lion`."""
    return chain(
        moments.scale_by_lion(b1, b2, mu_dtype),
        add_decayed_weights(weight_decay, mask),
        scale_by_learning_rate(learning_rate),
    )


def lamb(
    learning_rate: Any,
    b1: Any = 0.9,
    b2: Any = 0.999,
    eps: Any = 1e-6,
    eps_root: Any = 0.0,
    weight_decay: Any = 0.0,
    mask: Any = None,
) -> Optimizer:
    """Adam scaled by the trust ratio of each leaf: LAMB.

    Source: You et al., Large batch optimization for deep learning (2020).
    """
    return chain(
        adam_family.scale_by_adam(b1, b2, eps, eps_root),
        add_decayed_weights(weight_decay, mask),
        scale_by_trust_ratio(),
        scale_by_learning_rate(learning_rate),
    )


def lars(
    learning_rate: Any,
    weight_decay: Any = 0.0,
    weight_decay_mask: Any = True,
    trust_coefficient: Any = 0.001,
    eps: Any = 0.0,
    trust_ratio_mask: Any = True,
    momentum: Any = 0.9,
    nesterov: bool = False,
) -> Optimizer:
    """Momentum scaled by the trust ratio of each leaf: LARS; see `scale_by_trust_ratio`."""
    return chain(
        add_decayed_weights(weight_decay, weight_decay_mask),
        masked(scale_by_trust_ratio(0.0, trust_coefficient, eps), trust_ratio_mask),
        scale_by_learning_rate(learning_rate),
        trace(momentum, nesterov),
    )


def rmsprop(
    learning_rate: Any,
    decay: Any = 0.9,
    eps: Any = 1e-8,
    initial_scale: Any = 0.0,
    eps_in_sqrt: bool = True,
    centered: bool = False,
    momentum: Any = None,
    nesterov: bool = False,
    bias_correction: bool = False,
) -> Optimizer:
    """RMSProp: see `scale_by_rms`, and `scale_by_stddev`, which is used if `centered`."""
    scaling = moments.scale_by_stddev if centered else moments.scale_by_rms
    return chain(
        scaling(decay, eps, initial_scale, eps_in_sqrt, bias_correction),
        scale_by_learning_rate(learning_rate),
        identity() if momentum is None else trace(momentum, nesterov),
    )


def adagrad(learning_rate: Any, initial_accumulator_value: Any = 0.1, eps: Any = 1e-7) -> Optimizer:
    """AdaGrad: see `scale_by_rss`."""
    return chain(
        moments.scale_by_rss(initial_accumulator_value, eps), scale_by_learning_rate(learning_rate)
    )


def adadelta(
    learning_rate: Any = None,
    rho: Any = 0.9,
    eps: Any = 1e-6,
    weight_decay: Any = 0.0,
    weight_decay_mask: Any = None,
) -> Optimizer:
    """AdaDelta: see `scale_by_adadelta`; without a learning rate it is 1."""
    rate = 1.0 if learning_rate is None else learning_rate
    return chain(
        add_decayed_weights(weight_decay, weight_decay_mask),
        moments.scale_by_adadelta(rho, eps),
        scale_by_learning_rate(rate),
    )


def sign_sgd(learning_rate: Any) -> Optimizer:
    """Steps along the sign of the gradient.

    Source: Bernstein et al., signSGD: compressed optimisation for non-convex problems (2018).
    """
    return chain(scale_by_sign(), scale_by_learning_rate(learning_rate))


def signum(learning_rate: Any, beta: Any = 0.9, accumulator_dtype: Any = None) -> Optimizer:
    """Steps along the sign of the mean of the gradients.  Source: as of `sign_sgd`."""
    return chain(
        ema(beta, False, accumulator_dtype),
        scale_by_sign(),
        scale_by_learning_rate(learning_rate),
    )


def lbfgs(
    learning_rate: Any = None,
    memory_size: int = 10,
    scale_init_precond: bool = True,
    linesearch: Any = _ZOOM,
) -> Optimizer:
    """L-BFGS with a line search: see `scale_by_lbfgs`.

    `update` takes the keywords `value`, `grad` and `value_fn`, which the line search uses.

    Parameters
    ----------
    learning_rate : float or schedule, optional
        A factor before the line search.
    memory_size : int
        The number of steps that approximate the Hessian.
    scale_init_precond : bool
        Start the approximation with the curvature along the last step.
    linesearch : GradientTransformation, optional
        By default `scale_by_zoom_linesearch`; None for none.

    Notes
    -----
    Source: J. Nocedal and S. Wright, Numerical Optimization (2006), section 7.2.

    Examples
    --------
    >>> import anvl, anvl.numpy as np
    >>> from anvl import optim
    >>> def f(x):
    ...     return np.sum((x - 2.0) ** 2)
    >>> optimizer, x = optim.lbfgs(), np.zeros(3)
    >>> @anvl.jit
    ... def step(x, state):
    ...     value, grad = anvl.value_and_grad(f)(x)
    ...     updates, state = optimizer.update(grad, state, x, value=value, grad=grad, value_fn=f)
    ...     return optim.apply_updates(x, updates), state
    >>> state = optimizer.init(x)
    >>> for _ in range(4):
    ...     x, state = step(x, state)
    >>> print(np.round(x, 3))
    [2. 2. 2.]
    """
    rate: Any = scale(-1.0) if learning_rate is None else scale_by_learning_rate(learning_rate)
    search = identity() if linesearch is None else linesearch
    return chain(scale_by_lbfgs(memory_size, scale_init_precond), rate, search)
