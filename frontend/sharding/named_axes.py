"""Axes that have a name while a function is traced: of a mesh, or of the members of a batch.

See Note [Named axes] in `anvl_dialect/ops/sharding/collectives.py`.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from types import MappingProxyType
from typing import Any, NamedTuple

from anvl.dialect.core.errors import ShardingError
from anvl.dialect.core.shardings import MeshShape

__all__ = ["NamedAxis", "binding", "manual_axes", "meshes", "named_axis"]


class NamedAxis(NamedTuple):
    """An axis of a mesh; of a batch, it is the only one of its mesh.

    `place` is the tracer of the position along the axis of a batch, None for a mesh of devices.
    """

    mesh: MeshShape
    place: Any = None


class _State(threading.local):
    axes: Mapping[str, NamedAxis] = MappingProxyType({})


_state = _State()


@contextmanager
def binding(axes: Mapping[str, NamedAxis]) -> Iterator[None]:
    """Let functions that are traced in a block use these names, besides those outside of it."""
    outer = _state.axes
    _state.axes = {**outer, **axes}
    try:
        yield
    finally:
        _state.axes = outer


def meshes() -> list[MeshShape]:
    """The meshes of devices, not of batches, whose axes have names here."""
    return [axis.mesh for axis in _state.axes.values() if axis.place is None]


def manual_axes() -> frozenset[str]:
    """The names of axes of devices, each of which runs what is traced here on parts of its own."""
    return frozenset(name for name, axis in _state.axes.items() if axis.place is None)


def named_axis(function: str, name: Any) -> NamedAxis:
    """The axis of this name.  Raises `ShardingError` where there is none."""
    if name not in _state.axes:
        known = ", ".join(map(repr, _state.axes)) or "none"
        raise ShardingError(
            f"{function}: no axis is named {name!r} here, there are: {known}; call it in a "
            f"function given to vmap(axis_name={name!r}), or to shard_map over a mesh with it"
        )
    return _state.axes[name]
