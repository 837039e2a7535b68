"""Transformations of a part of the parameters."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from anvl import tree
from anvl.optim.protocol import (
    GradientTransformation,
    GradientTransformationExtraArgs,
    with_extra_args_support,
)

__all__ = [
    "MaskedNode", "MaskedState", "MultiTransformState", "PartitionState", "masked",
    "multi_transform", "partition",
]  # fmt: skip


class MaskedNode(NamedTuple):
    """A tree without leaves, in the place of a parameter that a transformation does not see."""


class MaskedState(NamedTuple):
    """State of `masked`."""

    inner_state: Any


class PartitionState(NamedTuple):
    """State of `partition`: the states of its transformations by label."""

    inner_states: Any


MultiTransformState = PartitionState


def _kept(values: Any, keep: Any, name: str) -> Any:
    """`values` with a `MaskedNode` where `keep`, a tree of bools or a prefix of one, is False."""
    leaves, _ = tree.flatten(values)
    flags = _flags(values, keep, name)
    kept = [x if flag else MaskedNode() for x, flag in zip(leaves, flags, strict=True)]
    return tree.unflatten(tree.structure(values), kept)


def _flags(values: Any, keep: Any, name: str) -> list[Any]:
    """A leaf of the prefix `keep` for each leaf of `values`."""
    try:
        parts = tree.prefix_parts(keep, values, root="mask")
    except ValueError as error:
        raise ValueError(
            f"{name}: the mask or the labels differ in structure from the parameters: {error}"
        ) from None
    return [flag for flag, _, below in parts for _ in tree.leaves(below)]


def masked(
    inner: GradientTransformation, mask: Any, *, mask_compatible_extra_args: bool = False
) -> GradientTransformationExtraArgs:
    """Transform the updates where a mask is True; the others pass unchanged.

    Parameters
    ----------
    inner : GradientTransformation
    mask : pytree of bools, or a function that makes one of the parameters
        A leaf of the mask stands for all parameters below it.
    mask_compatible_extra_args : bool
        Also mask those keywords of `update` that have the structure of the updates.

    Raises
    ------
    ValueError
        The mask differs in structure from the parameters; the message says where.

    Examples
    --------
    >>> from anvl import optim
    >>> tx = optim.masked(optim.scale(-1.0), {"w": True, "b": False})
    >>> params = {"w": 1.0, "b": 2.0}
    >>> print(tx.update(params, tx.init(params))[0]["w"])
    -1.0
    """
    inside = with_extra_args_support(inner)

    def mask_of(values: Any) -> Any:
        return mask(values) if callable(mask) else mask

    def init(params: Any) -> MaskedState:
        return MaskedState(inside.init(_kept(params, mask_of(params), "masked")))

    def update(updates: Any, state: Any, params: Any = None, **extra: Any) -> tuple[Any, Any]:
        keep, structure = mask_of(updates), tree.structure(updates)
        if mask_compatible_extra_args:
            extra = {
                k: _kept(v, keep, "masked") if tree.structure(v) == structure else v
                for k, v in extra.items()
            }
        seen = None if params is None else _kept(params, keep, "masked")
        new, state = inside.update(_kept(updates, keep, "masked"), state.inner_state, seen, **extra)
        found = iter(tree.leaves(new))
        flags = _flags(updates, keep, "masked")
        merged = [next(found) if f else u for f, u in zip(flags, tree.leaves(updates), strict=True)]
        return tree.unflatten(structure, merged), MaskedState(state)

    return GradientTransformationExtraArgs(init, update)


def partition(
    transforms: Mapping[Any, GradientTransformation],
    param_labels: Any,
    *,
    mask_compatible_extra_args: bool = False,
) -> GradientTransformationExtraArgs:
    """Apply a transformation of its own to each group of parameters.

    Parameters
    ----------
    transforms : dict
        A transformation for each label.
    param_labels : pytree of labels, or a function that makes one of the parameters
        A label stands for all parameters below it.
    mask_compatible_extra_args : bool
        As in `masked`.

    Raises
    ------
    ValueError
        A label has no transformation, or the labels differ in structure from the parameters.

    Examples
    --------
    >>> from anvl import optim
    >>> rates = {"fast": optim.sgd(1.0), "frozen": optim.set_to_zero()}
    >>> tx = optim.partition(rates, {"w": "fast", "b": "frozen"})
    >>> params = {"w": 1.0, "b": 2.0}
    >>> updates, state = tx.update(params, tx.init(params))
    >>> print(updates["w"], updates["b"])
    -1.0 0.0
    """

    def of_group(label: Any) -> GradientTransformationExtraArgs:
        def mask(values: Any) -> Any:
            flags = [found == label for found in _labels(values, param_labels, transforms)]
            return tree.unflatten(tree.structure(values), flags)

        return masked(
            transforms[label], mask, mask_compatible_extra_args=mask_compatible_extra_args
        )

    groups: dict[Any, GradientTransformationExtraArgs] = {g: of_group(g) for g in transforms}

    def init(params: Any) -> PartitionState:
        return PartitionState({label: tx.init(params) for label, tx in groups.items()})

    def update(updates: Any, state: Any, params: Any = None, **extra: Any) -> tuple[Any, Any]:
        states = {}
        for label, tx in groups.items():
            part = state.inner_states[label]
            updates, states[label] = tx.update(updates, part, params, **extra)
        return updates, PartitionState(states)

    return GradientTransformationExtraArgs(init, update)


def _labels(values: Any, labels: Any, transforms: Mapping[Any, Any]) -> list[Any]:
    """The label of each leaf."""
    flat = _flags(values, labels(values) if callable(labels) else labels, "partition")
    unknown = sorted({repr(label) for label in flat if label not in transforms})
    if unknown:
        known = ", ".join(map(repr, transforms))
        raise ValueError(
            f"partition: the labels {', '.join(unknown)} have no transformation, only {known}"
        )
    return flat


multi_transform: Callable[..., GradientTransformationExtraArgs] = partition
