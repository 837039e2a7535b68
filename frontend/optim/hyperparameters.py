"""Hyperparameters as a part of the state, where they can be read and changed."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import numpy as np

import anvl.numpy as anp
from anvl import tree
from anvl.core.avals import aval
from anvl.core.config import as_dtype, default_dtype
from anvl.core.promote import common_dtype
from anvl.core.tracer import Tracer
from anvl.optim.protocol import GradientTransformationExtraArgs, with_extra_args_support
from anvl.optim.trees import new_count, safe_increment
from anvl.runtime import Array

__all__ = ["InjectHyperparamsState", "inject_hyperparams"]


class InjectHyperparamsState(NamedTuple):
    """State of `inject_hyperparams`: steps (i32), numbers by name, and the inner state."""

    count: Any
    hyperparams: dict[str, Any]
    inner_state: Any


def inject_hyperparams(
    inner_factory: Callable[..., Any],
    static_args: str | Iterable[str] = (),
    hyperparam_dtype: Any = None,
) -> Callable[..., GradientTransformationExtraArgs]:
    """Make an optimizer whose numbers are a part of its state.

    `state.hyperparams["learning_rate"] = 0.01` changes one between steps, without compiling again.
    Schedules are evaluated in each step, and are there to be read.

    Parameters
    ----------
    inner_factory : callable
        A function such as `adam`.
    static_args : str or iterable of str
        Parameters that stay as they are; bools, and what is neither a number nor an array nor a
        schedule, stay anyway.
    hyperparam_dtype : dtype, optional
        That of the numbers; by default the widest of the parameters.

    Returns
    -------
    A function with the parameters of `inner_factory`.

    Raises
    ------
    TypeError
        `inner_factory` is no function.
    ValueError
        A name in `static_args` is no parameter of `inner_factory`.

    Examples
    --------
    >>> from anvl import optim
    >>> optimizer = optim.inject_hyperparams(optim.sgd)(learning_rate=0.5)
    >>> state = optimizer.init(1.0)
    >>> state.hyperparams["learning_rate"] = 0.25
    >>> print(optimizer.update(2.0, state)[0])
    -0.5
    """
    if not callable(inner_factory):
        raise TypeError(
            f"inject_hyperparams: {inner_factory!r} is no function that makes an optimizer"
        )
    static = {static_args} if isinstance(static_args, str) else set(static_args)
    signature = inspect.signature(inner_factory)
    unknown = static - set(signature.parameters)
    if unknown:
        raise ValueError(
            f"inject_hyperparams: static_args has {sorted(unknown)}, but the parameters are "
            f"{list(signature.parameters)}"
        )

    @functools.wraps(inner_factory)
    def factory(*args: Any, **kwargs: Any) -> GradientTransformationExtraArgs:
        bound = signature.bind(*args, **kwargs)
        bound.apply_defaults()
        return _Injected(inner_factory, bound.arguments, static, hyperparam_dtype).transformation()

    return factory


class _Injected:
    """An optimizer whose numbers and schedules are known by name."""

    def __init__(
        self, factory: Callable[..., Any], arguments: dict[str, Any], static: set[str], dtype: Any
    ) -> None:
        self.factory, self.dtype = factory, dtype
        self.numbers: dict[str, Any] = {}
        self.schedules: dict[str, Callable[[Any], Any]] = {}
        self.others: dict[str, Any] = {}
        for name, value in arguments.items():
            self._sort_in(name, value, name in static or isinstance(value, bool))

    def _sort_in(self, name: str, value: Any, stays: bool) -> None:
        if not stays and callable(value):
            self.schedules[name] = value
        elif not stays and isinstance(value, _NUMBERS):
            self.numbers[name] = value
        else:
            self.others[name] = value

    def at(self, count: Any, known: dict[str, Any], arrays: Any) -> dict[str, Any]:
        """The hyperparameters after so many steps."""
        dtype = _dtype(arrays, self.dtype)
        now = {name: schedule(count) for name, schedule in self.schedules.items()}
        return {name: _converted(value, dtype) for name, value in {**known, **now}.items()}

    def init(self, params: Any) -> InjectHyperparamsState:
        count = new_count()
        found = self.at(count, self.numbers, params)
        inner = self.factory(**self.others, **found)
        return InjectHyperparamsState(count, found, inner.init(params))

    def update(
        self, updates: Any, state: Any, params: Any = None, **extra: Any
    ) -> tuple[Any, InjectHyperparamsState]:
        known = {name: state.hyperparams[name] for name in self.numbers}
        found = self.at(state.count, known, updates)
        inner = with_extra_args_support(self.factory(**self.others, **found))
        updates, inner_state = inner.update(updates, state.inner_state, params, **extra)
        new = InjectHyperparamsState(safe_increment(state.count), found, inner_state)
        return updates, new

    def transformation(self) -> GradientTransformationExtraArgs:
        return GradientTransformationExtraArgs(self.init, self.update)


_NUMBERS = (int, float, Array, Tracer, np.ndarray, np.generic)


def _converted(value: Any, dtype: Any) -> Any:
    """A float in the dtype; other numbers as they are."""
    value = anp.asarray(value)
    return anp.astype(value, dtype) if value.dtype.kind in "fV" else value


def _dtype(values: Any, dtype: Any) -> Any:
    """The dtype given, or the widest float of some arrays."""
    if dtype is not None:
        return as_dtype(dtype)
    dtypes = {anp.real(anp.asarray(x)).dtype for x in tree.leaves(values)}
    floats = [aval(d, ()) for d in dtypes if d.kind in "fV"]
    return common_dtype(*floats)[0] if floats else default_dtype(float)
