"""Transformations that bound the updates."""

from __future__ import annotations

from typing import Any, NamedTuple

import anvl.numpy as anp
from anvl import tree
from anvl.optim.protocol import (
    GradientTransformation,
    needs_params,
    stateless,
    stateless_with_tree_map,
)
from anvl.optim.trees import abs_sq, global_norm

__all__ = [
    "ZeroNansState", "adaptive_grad_clip", "clip", "clip_by_block_rms", "clip_by_global_norm",
    "keep_params_nonnegative", "zero_nans",
]  # fmt: skip


class ZeroNansState(NamedTuple):
    """State of `zero_nans`: for each leaf, whether the last update had a NaN."""

    found_nan: Any


def clip(max_delta: Any) -> GradientTransformation:
    """Bound each element to [-max_delta, max_delta].

    >>> from anvl import optim
    >>> print(optim.clip(1.0).update(-3.0, optim.EmptyState())[0])
    -1.0
    """
    return stateless_with_tree_map(lambda g, p: anp.clip(g, -max_delta, max_delta))


def clip_by_block_rms(threshold: Any) -> GradientTransformation:
    """Bound the root mean square of each leaf.

    >>> from anvl import optim
    >>> print(optim.clip_by_block_rms(1.0).update(-3.0, optim.EmptyState())[0])
    -1.0
    """

    def one(g: Any, p: Any) -> Any:
        rms = anp.sqrt(anp.mean(abs_sq(g)))
        return anp.divide(g, anp.maximum(1.0, anp.divide(rms, threshold)))

    return stateless_with_tree_map(one)


def clip_by_global_norm(max_norm: Any) -> GradientTransformation:
    """Bound the `global_norm` of the updates: larger ones are scaled down to `max_norm`.

    Source: Pascanu, Mikolov and Bengio, On the difficulty of training recurrent neural networks
    (2012).

    >>> from anvl import optim
    >>> updates, _ = optim.clip_by_global_norm(1.0).update([3.0, 4.0], optim.EmptyState())
    >>> print(*updates)
    0.6 0.8
    """

    def update(updates: Any, params: Any) -> Any:
        size = global_norm(updates)

        def one(g: Any) -> Any:
            g = anp.asarray(g)
            smaller = anp.multiply(anp.divide(g, anp.astype(size, g.dtype)), max_norm)
            return anp.where(anp.less(size, max_norm), g, smaller)

        return tree.map(one, updates)

    return stateless(update)


def adaptive_grad_clip(clipping: Any, eps: Any = 1e-3, axis: Any = None) -> GradientTransformation:
    """Bound the norm of the update of each unit to `clipping` times that of its parameters.

    Parameters
    ----------
    clipping : float
    eps : float
        Least norm of parameters.
    axis : int or tuple of int, optional
        The axes of a unit; by default all of a vector, the first of a matrix (its columns are
        units) and of a 3-d array, all but the last from 4 axes on.

    Raises
    ------
    ValueError
        `update` is called without params, or a parameter has more than 5 axes and no `axis` is
        given.

    Source: Brock et al., High-performance large-scale image recognition without normalization
    (2021).

    Examples
    --------
    >>> from anvl import optim
    >>> print(optim.adaptive_grad_clip(0.5).update(8.0, optim.EmptyState(), 2.0)[0])
    1.0
    """

    def one(g: Any, p: Any) -> Any:
        of_g, of_p = _unit_norm(g, axis), _unit_norm(p, axis)
        largest = anp.multiply(clipping, anp.maximum(of_p, eps))
        smaller = anp.multiply(g, anp.divide(largest, anp.maximum(of_g, 1e-6)))
        return anp.where(anp.less(of_g, largest), g, smaller)

    def update(updates: Any, params: Any) -> Any:
        needs_params("adaptive_grad_clip", params)
        return tree.map(one, updates, params)

    return stateless(update)


def _unit_norm(x: Any, axis: Any) -> Any:
    x = anp.asarray(x)
    if axis is None:
        if x.ndim > 5:
            raise ValueError(
                f"adaptive_grad_clip: a parameter has {x.ndim} axes, shape {list(x.shape)}; pass "
                "axis, the axes of a unit"
            )
        is_vector = sum(n != 1 for n in x.shape) <= 1
        axis = None if is_vector else 0 if x.ndim < 4 else tuple(range(x.ndim - 1))
    return anp.sqrt(anp.sum(abs_sq(x), axis=axis, keepdims=True))


def zero_nans() -> GradientTransformation:
    """Replace NaNs by zeros; the state says which leaves had some.

    >>> import anvl.numpy as np
    >>> from anvl import optim
    >>> tx = optim.zero_nans()
    >>> print(tx.update(np.asarray([1.0, np.nan]), tx.init(np.zeros(2)))[0])
    [1. 0.]
    """

    def init(params: Any) -> ZeroNansState:
        return ZeroNansState(tree.map(lambda p: anp.zeros((), "bool"), params))

    def update(updates: Any, state: Any, params: Any = None) -> tuple[Any, Any]:
        del state, params
        found = tree.map(lambda g: anp.any(anp.isnan(g)), updates)
        return tree.map(lambda g: anp.where(anp.isnan(g), 0, g), updates), ZeroNansState(found)

    return GradientTransformation(init, update)


def keep_params_nonnegative() -> GradientTransformation:
    """Change updates so that parameters which are not negative stay so.

    Raises `ValueError` if `update` is called without params.

    >>> from anvl import optim
    >>> print(optim.keep_params_nonnegative().update(-3.0, optim.EmptyState(), 1.0)[0])
    -1.0
    """

    def one(u: Any, p: Any) -> Any:
        return anp.where(anp.less(anp.add(p, u), 0), anp.negative(p), u)

    def update(updates: Any, params: Any) -> Any:
        needs_params("keep_params_nonnegative", params)
        return tree.map(one, updates, params)

    return stateless(update)
