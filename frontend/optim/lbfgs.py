"""L-BFGS: products with an approximate inverse Hessian from the last steps."""

from __future__ import annotations

from typing import Any, NamedTuple

import anvl.numpy as anp
from anvl import tree
from anvl.control_flow.loops import scan
from anvl.core.config import default_dtype
from anvl.optim.protocol import GradientTransformation, needs_params
from anvl.optim.trees import global_norm, new_count, safe_increment, tree_vdot, zeros_for

__all__ = ["ScaleByLBFGSState", "lbfgs_direction", "remembered", "scale_by_lbfgs"]


class ScaleByLBFGSState(NamedTuple):
    """State of `scale_by_lbfgs`: steps (i32), the last point and gradient, and the memory.

    Leaves of the memories have a first axis of `memory_size`, a ring.
    """

    count: Any
    params: Any
    updates: Any
    diff_params_memory: Any
    diff_updates_memory: Any
    weights_memory: Any


def _real_dtype(params: Any) -> Any:
    leaves = tree.leaves(params)
    return anp.real(anp.asarray(leaves[0])).dtype if leaves else default_dtype(float)


def lbfgs_direction(
    gradient: Any, steps: Any, changes: Any, weights: Any, scale: Any, start: Any
) -> Any:
    """The inverse Hessian times a gradient, by the two loops of L-BFGS.

    `steps` and `changes` are rings of differences of points and of gradients, whose oldest entry is
    `start`; `weights` holds one over their inner products, 0 where there is none.
    Source: J. Nocedal and S. Wright, Numerical Optimization (2006), algorithm 7.4.
    """
    size = weights.shape[0]
    order = anp.remainder(anp.add(start, anp.arange(size, dtype=anp.asarray(start).dtype)), size)
    rows = tree.map(lambda x: anp.take(x, order, axis=0), (steps, changes, weights))

    def minus(x: Any, factor: Any, y: Any) -> Any:
        return tree.map(lambda a, b: anp.subtract(a, anp.multiply(_in(factor, b), b)), x, y)

    def back(q: Any, row: Any) -> tuple[Any, Any]:
        step, change, weight = row
        alpha = anp.multiply(weight, tree_vdot(step, q))
        return minus(q, alpha, change), alpha

    def forth(r: Any, row: Any) -> tuple[Any, Any]:
        (step, change, weight), alpha = row
        beta = anp.multiply(weight, tree_vdot(change, r))
        return minus(r, anp.subtract(beta, alpha), step), None

    q, alphas = scan(back, gradient, rows, reverse=True)
    scaled = tree.map(lambda x: anp.multiply(_in(scale, x), x), q)
    return scan(forth, scaled, (rows, alphas))[0]


def _in(factor: Any, x: Any) -> Any:
    return anp.astype(factor, x.dtype)


def remembered(memory: Any, value: Any, at: Any) -> Any:
    """A ring with one entry replaced."""
    return tree.map(lambda m, v: m.at[at].set(v), memory, value)


def scale_by_lbfgs(
    memory_size: int = 10, scale_init_precond: bool = True
) -> GradientTransformation:
    """Multiply gradients by an approximation of the inverse Hessian, from the last steps.

    Parameters
    ----------
    memory_size : int
        The number of steps that are remembered.
    scale_init_precond : bool
        Scale the identity that the approximation starts from by the curvature along the last step;
        in the first step by one over the norm of the gradient, at most 1.

    Raises
    ------
    ValueError
        `memory_size` is below 1, or `update` is called without params.

    Source: as of `lbfgs`.

    Examples
    --------
    >>> from anvl import optim
    >>> tx = optim.scale_by_lbfgs()
    >>> _, state = tx.update(4.0, tx.init(2.0), 2.0)  # the gradient of x^2 at 2,
    >>> print(tx.update(2.0, state, 1.0)[0])  # and at 1: a step of Newton
    1.0
    """
    if memory_size < 1:
        raise ValueError(f"scale_by_lbfgs: memory_size is {memory_size}; it must be at least 1")

    def init(params: Any) -> ScaleByLBFGSState:
        def ring(p: Any) -> Any:
            p = anp.asarray(p)
            return anp.zeros((memory_size, *p.shape), p.dtype)

        return ScaleByLBFGSState(
            new_count(), zeros_for(params), zeros_for(params), tree.map(ring, params),
            tree.map(ring, params), anp.zeros((memory_size,), _real_dtype(params)),
        )  # fmt: skip

    def update(updates: Any, state: Any, params: Any = None) -> tuple[Any, Any]:
        needs_params("scale_by_lbfgs", params)
        return _update(updates, state, params, scale_init_precond)

    return GradientTransformation(init, update)


def _update(updates: Any, state: Any, params: Any, scales: bool) -> tuple[Any, Any]:
    begun, size = anp.greater(state.count, 0), state.weights_memory.shape[0]

    def difference(now: Any, before: Any) -> Any:
        return anp.where(begun, anp.subtract(now, before), 0)

    step = tree.map(difference, params, state.params)
    change = tree.map(difference, updates, state.updates)
    product, square = tree_vdot(change, step), tree_vdot(change, change)
    flat = anp.equal(product, 0)
    weight = anp.where(flat, 0, anp.divide(1, anp.where(flat, 1, product)))
    memories = state.diff_params_memory, state.diff_updates_memory, state.weights_memory
    steps, changes, weights = remembered(
        memories,
        (step, change, anp.astype(weight, state.weights_memory.dtype)),
        anp.remainder(anp.subtract(state.count, 1), size),
    )
    scale: Any = anp.ones((), weights.dtype)
    if scales:
        known = anp.greater(square, 0)
        curvature = anp.where(known, product / anp.where(known, square, 1), 1)
        scale = anp.where(begun, curvature, _capped_inverse(global_norm(updates)))
    start = anp.remainder(state.count, size)
    result = lbfgs_direction(updates, steps, changes, weights, scale, start)
    count = safe_increment(state.count)
    return result, ScaleByLBFGSState(count, params, updates, steps, changes, weights)


def _capped_inverse(size: Any) -> Any:
    """One over a norm, at most 1."""
    return anp.divide(1, anp.maximum(size, 1))
