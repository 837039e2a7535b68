"""Protocol of optimizers: pairs of pure functions, and how they are put in a row.

A `GradientTransformation` has `init(params) -> state` and
`update(updates, state, params=None) -> (updates, state)`.  States are pytrees of arrays: they go
through `jit`, `scan` and donation like any other argument.

The protocol, the names and the order of arguments are those of optax 0.2
(https://optax.readthedocs.io), so that one library can stand in for the other in a training loop.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

import anvl.numpy as anp
from anvl import tree
from anvl.runtime import hiding_frames

__all__ = [
    "EmptyState", "GradientTransformation", "GradientTransformationExtraArgs", "apply_updates",
    "chain", "identity", "incremental_update", "named_chain", "needs_params", "periodic_update",
    "set_to_zero", "stateless", "stateless_with_tree_map", "with_extra_args_support",
]  # fmt: skip


class EmptyState(NamedTuple):
    """State of a transformation that remembers nothing."""


class _Pair(NamedTuple):
    init: Callable[..., Any]
    update: Callable[..., Any]


class GradientTransformation(_Pair):
    """A transformation of gradients: `init(params)` and `update(updates, state, params=None)`."""

    __slots__ = ()

    def __new__(cls, init: Callable[..., Any], update: Callable[..., Any]) -> Any:
        """The pair, whose `update` says which of its arguments fits no other."""
        return super().__new__(cls, init, explained_update(init, update))


class GradientTransformationExtraArgs(GradientTransformation):
    """A transformation whose `update` takes further keywords, and ignores those it does not use."""

    __slots__ = ()


def explained_update(init: Callable[..., Any], update: Callable[..., Any]) -> Callable[..., Any]:
    """An update whose errors name the argument that is of other parameters than the rest.

    Of transformations in others, the outermost one's message stands.
    """

    @hiding_frames
    @functools.wraps(update)
    def explained(updates: Any, state: Any, params: Any = None, **extra: Any) -> Any:
        try:
            return update(updates, state, params, **extra)
        except (TypeError, ValueError, AttributeError, LookupError):
            found = _disagreement(init, updates, state, params)
            if found is None:
                raise
        raise ValueError(f"update: {found}")

    return explained


def _disagreement(init: Callable[..., Any], updates: Any, state: Any, params: Any) -> str | None:
    """Where updates, state and params are not of one tree of parameters; None if they are."""
    if params is not None:
        found = _difference("updates", updates, "params", params)
        if found is not None:
            return f"{found}; give the gradients of these params"
    try:
        made = init(updates if params is None else params)
    except Exception:  # no parameters at all: the error of the update says more
        return None
    found = _difference("state", state, "init(params)", made)
    return None if found is None else f"{found}; give the state that init or update returned"


def _difference(name: str, x: Any, other: str, y: Any) -> str | None:
    """The first difference of two trees in structure, or in the shape of a leaf."""
    found = tree.structure_difference(x, y)
    if found is not None:
        return f"{name} and {other} differ in structure: {found}"
    for path, a, b in zip(tree.leaf_paths(x, name), tree.leaves(x), tree.leaves(y), strict=True):
        if np.shape(a) != np.shape(b):
            return f"{path} has the shape {np.shape(a)}, but that of {other} has {np.shape(b)}"
    return None


def needs_params(name: str, params: Any) -> None:
    """Refuse an update without parameters, which this transformation reads."""
    if params is None:
        raise ValueError(
            f"{name}: update got no params, whose values it uses; call "
            "update(updates, state, params)"
        )


def empty_state(params: Any) -> EmptyState:
    """The `init` of a transformation without state."""
    del params
    return EmptyState()


@hiding_frames
def apply_updates(params: Any, updates: Any) -> Any:
    """Add updates to parameters: the last step of an iteration.

    Parameters
    ----------
    params, updates : pytrees of arrays of the same structure

    Returns
    -------
    The sums, each in the dtype of the parameter.

    Raises
    ------
    ValueError
        The trees differ in structure; the message says where.

    Examples
    --------
    >>> import anvl.numpy as np
    >>> from anvl import optim
    >>> print(optim.apply_updates({"w": np.ones(2)}, {"w": np.asarray([0.5, -1.0])}))
    {'w': Array([1.5, 0. ], dtype=float32)}
    """
    difference = tree.structure_difference(params, updates)
    if difference is not None:
        raise ValueError(
            f"apply_updates: params and updates differ in structure: {difference}; pass the "
            "updates that `update` made of the gradients of these params"
        )
    return tree.map(lambda p, u: anp.astype(anp.add(p, u), anp.asarray(p).dtype), params, updates)


@hiding_frames
def incremental_update(new_tensors: Any, old_tensors: Any, step_size: Any) -> Any:
    """Move old values towards new ones: step_size * new + (1 - step_size) * old.

    Parameters
    ----------
    new_tensors, old_tensors : pytrees of arrays of the same structure
    step_size : float
        1 gives the new values, 0 the old ones (Polyak averaging).

    Raises
    ------
    ValueError
        The trees differ in structure.

    Examples
    --------
    >>> from anvl import optim
    >>> print(optim.incremental_update(2.0, 4.0, 0.25))
    3.5
    """
    return tree.map(lambda new, old: step_size * new + (1.0 - step_size) * old,
                    new_tensors, old_tensors)  # fmt: skip


@hiding_frames
def periodic_update(new_tensors: Any, old_tensors: Any, steps: Any, update_period: int) -> Any:
    """The new values in every `update_period`-th step, else the old ones.

    Parameters
    ----------
    new_tensors, old_tensors : pytrees of arrays of the same structure
    steps : integer
        The number of the step.
    update_period : int

    Examples
    --------
    >>> import anvl.numpy as np
    >>> from anvl import optim
    >>> print(optim.periodic_update(np.ones(2), np.zeros(2), 4, 2))
    [1. 1.]
    """
    now = anp.equal(anp.remainder(steps, update_period), 0)
    return tree.map(lambda new, old: anp.where(now, new, old), new_tensors, old_tensors)


def identity() -> GradientTransformation:
    """Leave the updates as they are.

    >>> from anvl import optim
    >>> print(optim.identity().update(1.0, optim.EmptyState())[0])
    1.0
    """
    return GradientTransformation(empty_state, lambda updates, state, params=None: (updates, state))


def set_to_zero() -> GradientTransformation:
    """Replace the updates by zeros: freezes what it is applied to.

    >>> import anvl.numpy as np
    >>> from anvl import optim
    >>> print(optim.set_to_zero().update(np.ones(2), optim.EmptyState())[0])
    [0. 0.]
    """
    return stateless(lambda updates, params: tree.map(anp.zeros_like, updates))


def stateless(f: Callable[[Any, Any], Any]) -> GradientTransformation:
    """Transformation of a function `f(updates, params) -> updates` without state.

    >>> from anvl import optim
    >>> double = optim.stateless(lambda updates, params: 2 * updates)
    >>> print(double.update(1.5, double.init(0.0))[0])
    3.0
    """

    def update(updates: Any, state: Any, params: Any = None) -> tuple[Any, Any]:
        return f(updates, params), state

    return GradientTransformation(empty_state, update)


def stateless_with_tree_map(f: Callable[[Any, Any], Any]) -> GradientTransformation:
    """Transformation of a function `f(update, param) -> update`, applied to each leaf.

    `param` is None where `update` is called without parameters.

    >>> from anvl import optim
    >>> double = optim.stateless_with_tree_map(lambda update, param: 2 * update)
    >>> print(double.update({"w": 1.5}, double.init({"w": 0.0}))[0])
    {'w': 3.0}
    """

    def update(updates: Any, params: Any) -> Any:
        if params is None:
            return tree.map(lambda g: f(g, None), updates)
        return tree.map(f, updates, params)

    return stateless(update)


def with_extra_args_support(tx: GradientTransformation) -> GradientTransformationExtraArgs:
    """Let `update` take keywords that it does not know, and ignore them.

    >>> from anvl import optim
    >>> tx = optim.with_extra_args_support(optim.identity())
    >>> print(tx.update(1.0, tx.init(0.0), value=3.0)[0])
    1.0
    """
    if isinstance(tx, GradientTransformationExtraArgs):
        return tx
    tx = _checked("with_extra_args_support", tx)

    def update(updates: Any, state: Any, params: Any = None, **extra: Any) -> tuple[Any, Any]:
        del extra
        return tx.update(updates, state, params)

    return GradientTransformationExtraArgs(tx.init, update)


def chain(*args: GradientTransformation) -> GradientTransformationExtraArgs:
    """Apply transformations one after the other.

    Parameters
    ----------
    *args : GradientTransformation
        The first one gets the gradients; its result goes to the second, and so on.  Keywords of
        `update` go to those that take them.

    Returns
    -------
    A transformation, whose state is the tuple of the states.

    Raises
    ------
    TypeError
        An argument is not a transformation.

    Examples
    --------
    >>> from anvl import optim
    >>> optimizer = optim.chain(optim.scale(3.0), optim.scale(-0.5))
    >>> updates, state = optimizer.update(1.0, optimizer.init(1.0))
    >>> print(updates)
    -1.5
    """
    parts = [with_extra_args_support(_checked("chain", tx)) for tx in args]

    def init(params: Any) -> tuple[Any, ...]:
        return tuple(tx.init(params) for tx in parts)

    def update(updates: Any, state: Any, params: Any = None, **extra: Any) -> tuple[Any, Any]:
        if len(state) != len(parts):
            raise ValueError(
                f"chain: the state has {len(state)} parts for {len(parts)} transformations; "
                "call init of this very chain"
            )
        states = []
        for tx, part in zip(parts, state, strict=True):
            updates, part = tx.update(updates, part, params, **extra)
            states.append(part)
        return updates, tuple(states)

    return GradientTransformationExtraArgs(init, update)


def named_chain(*args: tuple[str, GradientTransformation]) -> GradientTransformationExtraArgs:
    """A `chain` whose state is a dict by name.

    Parameters
    ----------
    *args : pairs of a name and a GradientTransformation

    Raises
    ------
    TypeError
        A part is not a transformation.
    ValueError
        A name occurs twice.

    Examples
    --------
    >>> from anvl import optim
    >>> optimizer = optim.named_chain(("clip", optim.clip(1.0)), ("rate", optim.scale(-0.5)))
    >>> sorted(optimizer.init(1.0))
    ['clip', 'rate']
    """
    names = [name for name, _ in args]
    if len(set(names)) < len(names):
        raise ValueError(f"named_chain: the names are {names}; give each part a name of its own")
    inner = chain(*[tx for _, tx in args])

    def init(params: Any) -> dict[str, Any]:
        return dict(zip(names, inner.init(params), strict=True))

    def update(updates: Any, state: Any, params: Any = None, **extra: Any) -> tuple[Any, Any]:
        states = tuple(state[name] for name in names)
        updates, states = inner.update(updates, states, params, **extra)
        return updates, dict(zip(names, states, strict=True))

    return GradientTransformationExtraArgs(init, update)


def _checked(name: str, tx: Any) -> GradientTransformation:
    if not (callable(getattr(tx, "init", None)) and callable(getattr(tx, "update", None))):
        what = f"the function {tx.__name__}" if inspect.isfunction(tx) else repr(tx)
        raise TypeError(
            f"{name}: got {what}, which has no init and update; pass a transformation, such as "
            "optim.scale(-0.1)"
        )
    return tx
