"""The argument that each leaf of a call belongs to."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from anvl.core.arguments import Arguments, parameters_of

__all__ = ["roots_of_leaves"]


def roots_of_leaves(f: Callable[..., Any], arguments: Arguments) -> list[int | str]:
    """For each dynamic leaf the position of its argument, or its name if it has no position.

    As `positions_of` resolves names: `f(x, y)` and `f(x, y=y)` have the same roots.
    """
    args, kwargs = arguments.treedef.children()
    static = {key for key, _ in arguments.static}
    count = len(args.children()) + sum(isinstance(key, int) for key in static)
    roots: list[int | str] = []
    dynamic = [i for i in range(count) if i not in static]
    for position, argument in zip(dynamic, args.children(), strict=True):
        roots += [position] * argument.num_leaves
    known = parameters_of(f).known
    _, keys = kwargs.node_data()
    for key, argument in zip(keys, kwargs.children(), strict=True):
        at = known.get(key)
        roots += [key if at is None else at] * argument.num_leaves
    return roots
