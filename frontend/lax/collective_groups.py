"""Collectives in groups of members along a named axis: `axis_index_groups`, as in `jax.lax`.

The values of a group are gathered by `ppermute`, one step for each other member, in the order of
the group: so all collectives are functions of one array, whose first axis is the group, and have
its derivatives.  An axis of its own for the groups, of the mesh or by a vmap, needs no such steps.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import anvl.numpy as anp
from anvl.dialect.core.errors import ShardingError

__all__ = ["Groups", "checked_groups"]


class Groups:
    """Groups of members of one size, each in its order."""

    def __init__(
        self,
        rows: Sequence[Sequence[int]],
        place: Any,
        permute: Callable[[Any, list[tuple[int, int]]], Any],
    ) -> None:
        self.rows, self.size, self._permute = rows, len(rows[0]), permute
        order = {member: i for row in rows for i, member in enumerate(row)}
        #: Where this member is in its group.
        self.place = anp.asarray([order[i] for i in range(len(order))], dtype="int32")[place]

    def gathered(self, x: Any) -> Any:
        """The values of the members of the group, along a new axis, the first."""
        steps = [x]
        for k in range(1, self.size):
            pairs = [
                (row[(i + k) % self.size], row[i]) for row in self.rows for i in range(self.size)
            ]
            steps.append(self._permute(x, pairs))
        order = (anp.arange(self.size, dtype="int32") - self.place) % self.size
        return anp.take(anp.stack(steps), order, axis=0)

    def joined(self, parts: Any, axis: int) -> Any:
        """Parts along the first axis, joined along another one, in which they are counted."""
        moved = anp.moveaxis(parts, 0, axis)
        shape = moved.shape
        return moved.reshape(*shape[:axis], -1, *shape[axis + 2 :])

    def part(self, x: Any, axis: int) -> Any:
        """The part of this member of x, which is cut along an axis."""
        parts = x.reshape(*x.shape[:axis], self.size, -1, *x.shape[axis + 1 :])
        return anp.take(parts, self.place, axis=axis)


def checked_groups(function: str, groups: Any, size: int) -> list[list[int]]:
    """Groups as lists of members.  Raises `ShardingError`."""
    try:
        rows = [[int(i) for i in row] for row in groups]
    except (TypeError, ValueError):
        raise ShardingError(
            f"{function}: axis_index_groups is {groups!r}; give lists of the numbers of members, "
            "such as [[0, 1], [2, 3]]"
        ) from None
    if sorted(i for row in rows for i in row) != list(range(size)):
        raise ShardingError(
            f"{function}: axis_index_groups {rows} must have each of 0 to {size - 1} once"
        )
    if len({len(row) for row in rows}) > 1:
        raise ShardingError(
            f"{function}: axis_index_groups {rows} has groups of several sizes; make them of one, "
            "or give the groups an axis of their own"
        )
    return rows
