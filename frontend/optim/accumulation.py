"""Transformations that act in some steps alone: accumulation, and what to do with NaNs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import anvl.numpy as anp
from anvl import tree
from anvl.control_flow.conditions import cond
from anvl.core.config import as_dtype
from anvl.optim.protocol import (
    GradientTransformation,
    GradientTransformationExtraArgs,
    explained_update,
    with_extra_args_support,
)
from anvl.optim.trees import new_count, safe_increment, tree_sum_of_squares, zeros_for
from anvl.runtime import hiding_frames

__all__ = [
    "ApplyEvery", "ApplyIfFiniteState", "ConditionallyMaskState", "ConditionallyTransformState",
    "MultiSteps", "MultiStepsState", "apply_every", "apply_if_finite", "conditionally_mask",
    "conditionally_transform", "skip_large_updates", "skip_not_finite",
]  # fmt: skip


class MultiStepsState(NamedTuple):
    """State of `MultiSteps`: small and whole steps (i32), the inner state, the mean, and why a
    step was skipped."""

    mini_step: Any
    gradient_step: Any
    inner_opt_state: Any
    acc_grads: Any
    skip_state: Any = ()


class ApplyEvery(NamedTuple):
    """State of `apply_every`: the number of updates since the last one (i32), and their sum."""

    count: Any
    grad_acc: Any


class ApplyIfFiniteState(NamedTuple):
    """State of `apply_if_finite`: counts (i32) of updates that are not finite, in a row and in
    all; whether the last was finite; the inner state."""

    notfinite_count: Any
    last_finite: Any
    total_notfinite: Any
    inner_state: Any


class ConditionallyTransformState(NamedTuple):
    """State of `conditionally_transform`: the inner state and the number of steps (i32)."""

    inner_state: Any
    step: Any


class ConditionallyMaskState(NamedTuple):
    """State of `conditionally_mask`: the number of steps (i32) and the inner state."""

    step: Any
    inner_state: Any


def skip_not_finite(updates: Any, gradient_step: Any, params: Any) -> tuple[Any, Any]:
    """Skip a step if an update is not finite: for `MultiSteps(should_skip_update_fn=)`.

    >>> import anvl.numpy as np
    >>> from anvl import optim
    >>> print(optim.skip_not_finite(np.asarray([1.0, np.nan]), 0, None)[0])
    True
    """
    del gradient_step, params
    counts = [anp.sum(anp.logical_not(anp.isfinite(g))) for g in tree.leaves(updates)]
    count = anp.sum(anp.stack(counts)) if counts else new_count()
    skip = anp.greater(count, 0)
    return skip, {"should_skip": skip, "num_not_finite": count}


def skip_large_updates(
    updates: Any, gradient_step: Any, params: Any, max_squared_norm: Any
) -> tuple[Any, Any]:
    """Skip a step if the sum of squares of the updates is not below `max_squared_norm`.

    >>> import functools
    >>> from anvl import optim
    >>> skip = functools.partial(optim.skip_large_updates, max_squared_norm=4.0)
    >>> print(skip(3.0, 0, None)[0])
    True
    """
    del gradient_step, params
    total = tree_sum_of_squares(updates)
    skip = anp.logical_not(anp.less(total, max_squared_norm))
    return skip, {"should_skip": skip, "norm_squared": total}


def _never(updates: Any, gradient_step: Any, params: Any) -> tuple[Any, Any]:
    del updates, gradient_step, params
    return anp.zeros((), "bool"), ()


class MultiSteps:
    """Collect the gradients of several steps, and then make one step with their mean.

    It has `init` and `update` like a transformation; in between, updates are zeros.

    Parameters
    ----------
    opt : GradientTransformation
    every_k_schedule : int, or a function of the number of whole steps
        How many gradients make a step.
    use_grad_mean : bool
        False takes the sum.
    should_skip_update_fn : callable, optional
        From updates, number of whole steps and params to a bool, whether to ignore these
        gradients, and a pytree that goes into the state: `skip_not_finite`, for instance.
    accumulator_dtype : dtype
        That of the mean.

    Raises
    ------
    ValueError
        `every_k_schedule` is an int below 1.

    Examples
    --------
    >>> from anvl import optim
    >>> optimizer = optim.MultiSteps(optim.sgd(1.0), every_k_schedule=2)
    >>> first, state = optimizer.update(2.0, optimizer.init(0.0), 0.0)
    >>> second, state = optimizer.update(4.0, state, 0.0)
    >>> print(first, second)
    0.0 -3.0
    """

    def __init__(
        self,
        opt: GradientTransformation,
        every_k_schedule: int | Callable[[Any], Any],
        use_grad_mean: bool = True,
        should_skip_update_fn: Callable[..., tuple[Any, Any]] | None = None,
        accumulator_dtype: Any = "float32",
    ) -> None:
        if not callable(every_k_schedule) and every_k_schedule < 1:
            raise ValueError(
                f"MultiSteps: every_k_schedule is {every_k_schedule}; it must be at least 1"
            )
        self._opt = with_extra_args_support(opt)
        self._every = every_k_schedule
        self._use_mean = use_grad_mean
        self._should_skip = should_skip_update_fn or _never
        self._dtype = as_dtype(accumulator_dtype)

    @property
    def inner_opt(self) -> GradientTransformationExtraArgs:
        """The transformation that makes the whole steps."""
        return self._opt

    def init(self, params: Any) -> MultiStepsState:
        """State before the first step."""
        _, why = self._should_skip(zeros_for(params), new_count(), params)
        return MultiStepsState(
            new_count(), new_count(), self._opt.init(params), self._zeros(params), why
        )

    def _zeros(self, params: Any) -> Any:
        """Zeros in the dtype of the mean, or in a wider one that the parameters have."""

        def zeros(p: Any) -> Any:
            p = anp.asarray(p)
            wide = p.dtype.kind == "c" or p.dtype.itemsize > self._dtype.itemsize
            return anp.zeros(p.shape, p.dtype if wide else self._dtype)

        return tree.map(zeros, params)

    def _added(self, grads: Any, means: Any, count: Any) -> Any:
        def one(g: Any, mean: Any) -> Any:
            g = anp.astype(g, mean.dtype)
            if not self._use_mean:
                return anp.add(g, mean)
            return anp.add(
                mean, anp.divide(anp.subtract(g, mean), anp.astype(count + 1, mean.dtype))
            )

        return tree.map(one, grads, means)

    @hiding_frames
    def update(
        self, updates: Any, state: MultiStepsState, params: Any = None, **extra: Any
    ) -> tuple[Any, MultiStepsState]:
        """Take the gradients of one small step; zeros unless it completes a whole one."""
        return explained_update(self.init, self._step)(updates, state, params, **extra)

    def _step(self, updates: Any, state: MultiStepsState, params: Any, **extra: Any) -> Any:
        every = self._every(state.gradient_step) if callable(self._every) else self._every
        skip, why = self._should_skip(updates, state.gradient_step, params)
        means = self._added(updates, state.acc_grads, state.mini_step)
        last = anp.greater_equal(state.mini_step, anp.subtract(every, 1))

        def like_updates(values: Any) -> Any:
            return tree.map(lambda x, u: anp.astype(x, anp.asarray(u).dtype), values, updates)

        def whole() -> tuple[Any, Any]:
            new, inner = self._opt.update(
                like_updates(means), state.inner_opt_state, params, **extra
            )
            return like_updates(new), MultiStepsState(
                new_count(), safe_increment(state.gradient_step), inner, zeros_like_acc(), why
            )

        def zeros_like_acc() -> Any:
            return zeros_for(state.acc_grads)

        def small() -> tuple[Any, Any]:
            return zeros_for(updates), MultiStepsState(
                safe_increment(state.mini_step), state.gradient_step, state.inner_opt_state, means,
                why,
            )  # fmt: skip

        def skipped() -> tuple[Any, Any]:
            return zeros_for(updates), state._replace(skip_state=why)

        return cond(skip, skipped, lambda: cond(last, whole, small))

    def has_updated(self, state: MultiStepsState) -> Any:
        """Whether the last update was a whole step: a bool array."""
        return anp.logical_and(anp.equal(state.mini_step, 0), anp.greater(state.gradient_step, 0))

    def gradient_transformation(self) -> GradientTransformationExtraArgs:
        """The same as a transformation, for `chain`."""
        return GradientTransformationExtraArgs(self.init, self.update)


def apply_every(k: int = 1) -> GradientTransformation:
    """Add up updates, and give their sum in every k-th step; zeros in between.

    >>> from anvl import optim
    >>> tx = optim.apply_every(2)
    >>> first, state = tx.update(1.0, tx.init(0.0))
    >>> print(first, tx.update(2.0, state)[0])
    0.0 3.0
    """

    def init(params: Any) -> ApplyEvery:
        return ApplyEvery(new_count(), zeros_for(params))

    def update(updates: Any, state: Any, params: Any = None) -> tuple[Any, Any]:
        del params
        count = anp.remainder(state.count, k)
        fresh, emits = anp.equal(count, 0), anp.equal(count, k - 1)
        total = tree.map(lambda g, t: anp.add(g, anp.where(fresh, 0, t)), updates, state.grad_acc)
        given = tree.map(lambda t: anp.where(emits, t, 0), total)
        return given, ApplyEvery(anp.remainder(count + 1, k), total)

    return GradientTransformation(init, update)


def apply_if_finite(
    inner: GradientTransformation, max_consecutive_errors: int
) -> GradientTransformationExtraArgs:
    """Leave out updates that are not finite.

    Parameters
    ----------
    inner : GradientTransformation
    max_consecutive_errors : int
        After so many in a row the next one is made anyway.

    Examples
    --------
    >>> import anvl.numpy as np
    >>> from anvl import optim
    >>> tx = optim.apply_if_finite(optim.sgd(1.0), 3)
    >>> print(tx.update(np.nan, tx.init(1.0))[0])
    0.0
    """
    inside = with_extra_args_support(inner)

    def init(params: Any) -> ApplyIfFiniteState:
        return ApplyIfFiniteState(
            new_count(), anp.ones((), "bool"), new_count(), inside.init(params)
        )

    def update(updates: Any, state: Any, params: Any = None, **extra: Any) -> tuple[Any, Any]:
        lost, _ = skip_not_finite(updates, None, None)
        in_row = anp.where(lost, safe_increment(state.notfinite_count), 0)
        go = anp.logical_or(anp.logical_not(lost), anp.greater(in_row, max_consecutive_errors))
        result, inner_state = cond(
            go,
            lambda: inside.update(updates, state.inner_state, params, **extra),
            lambda: (zeros_for(updates), state.inner_state),
        )
        total = anp.where(lost, safe_increment(state.total_notfinite), state.total_notfinite)
        return result, ApplyIfFiniteState(in_row, anp.logical_not(lost), total, inner_state)

    return GradientTransformationExtraArgs(init, update)


def conditionally_transform(
    inner: GradientTransformation,
    should_transform_fn: Callable[..., Any],
    forward_extra_args: bool = False,
) -> GradientTransformationExtraArgs:
    """Transform in some steps; in the others updates pass unchanged.

    Parameters
    ----------
    inner : GradientTransformation
    should_transform_fn : callable
        From the number of steps so far to a bool.
    forward_extra_args : bool
        Pass the keywords of `update` on to it.

    Examples
    --------
    >>> from anvl import optim
    >>> tx = optim.conditionally_transform(optim.scale(-1.0), lambda step: step < 1)
    >>> first, state = tx.update(2.0, tx.init(0.0))
    >>> print(first, tx.update(2.0, state)[0])
    -2.0 2.0
    """
    inside = with_extra_args_support(inner)

    def init(params: Any) -> ConditionallyTransformState:
        return ConditionallyTransformState(inside.init(params), new_count())

    def update(updates: Any, state: Any, params: Any = None, **extra: Any) -> tuple[Any, Any]:
        keywords = extra if forward_extra_args else {}
        result, inner_state = cond(
            should_transform_fn(state.step, **keywords),
            lambda: inside.update(updates, state.inner_state, params, **extra),
            lambda: (tree.map(anp.asarray, updates), state.inner_state),
        )
        return result, ConditionallyTransformState(inner_state, safe_increment(state.step))

    return GradientTransformationExtraArgs(init, update)


def conditionally_mask(
    inner: GradientTransformation,
    should_transform_fn: Callable[..., Any],
    forward_extra_args: bool = False,
) -> GradientTransformationExtraArgs:
    """Transform in some steps; in the others updates are zeros.

    Parameters as in `conditionally_transform`.

    >>> from anvl import optim
    >>> tx = optim.conditionally_mask(optim.scale(-1.0), lambda step: step < 1)
    >>> first, state = tx.update(2.0, tx.init(0.0))
    >>> print(first, tx.update(2.0, state)[0])
    -2.0 0.0
    """
    inside = with_extra_args_support(inner)

    def init(params: Any) -> ConditionallyMaskState:
        return ConditionallyMaskState(new_count(), inside.init(params))

    def update(updates: Any, state: Any, params: Any = None, **extra: Any) -> tuple[Any, Any]:
        keywords = extra if forward_extra_args else {}
        result, inner_state = cond(
            should_transform_fn(state.step, **keywords),
            lambda: inside.update(updates, state.inner_state, params, **extra),
            lambda: (zeros_for(updates), state.inner_state),
        )
        return result, ConditionallyMaskState(safe_increment(state.step), inner_state)

    return GradientTransformationExtraArgs(init, update)
