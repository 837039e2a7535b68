"""`Mesh`: devices in a grid whose axes have names."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from anvl.dialect.core.errors import ShardingError
from anvl.dialect.core.shardings import MeshShape
from anvl.runtime import Device, as_device, default_client, hiding_frames

__all__ = ["Mesh"]


class Mesh:
    """Devices in a grid with named axes, over which arrays are cut.

    Parameters
    ----------
    axes : mapping of str to int, sequence of int, or array of Device
        Names of the axes with the number of devices along each, or these numbers alone; one of them
        may be -1, for all devices that are left.  An array of devices gives both.
    names : sequence of str, optional
        The names, where `axes` has none.
    devices : sequence of Device or str, optional
        The devices, along the last axis first; the first of the default client's if None.

    Attributes
    ----------
    names, sizes : tuple
    size : int
        The number of devices.
    devices : tuple of Device
        The devices, along the last axis first.

    Raises
    ------
    ShardingError
        An axis without a name, named twice, or of a size that is not positive; too few devices,
        or others than the axes take.
    TypeError
        An argument is of another type.

    Examples
    --------
    >>> import anvl
    >>> mesh = anvl.Mesh({"x": 1, "y": 1})
    >>> mesh, mesh.size, mesh.devices
    (Mesh(x=1, y=1), 1, (<CpuDevice(id=0)>,))
    >>> anvl.Mesh((1, -1), ("x", "y")) == mesh
    True
    """

    __slots__ = ("__weakref__", "_hash", "devices", "grid_shape")

    devices: tuple[Device, ...]
    grid_shape: MeshShape

    @hiding_frames
    def __init__(self, axes: Any, names: Any = None, *, devices: Any = None) -> None:
        sizes, names, devices = _parts(axes, names, devices)
        given = _as_devices(devices)
        shape = MeshShape(tuple(names), _completed(sizes, len(given)))
        if shape.size > len(given):
            raise ShardingError(
                f"mesh: {_text(shape)} takes {shape.size} devices, there are {len(given)}; "
                "ANVL_NUM_CPU_DEVICES sets how many devices the CPU is shown as"
            )
        if devices is not None and shape.size != len(given):
            raise ShardingError(
                f"mesh: {_text(shape)} takes {shape.size} devices, {len(given)} are given; give as "
                "many devices as there are places in the mesh"
            )
        self.grid_shape = shape
        self.devices = given[: shape.size]
        self._hash = hash((shape, self.devices))
        if len(set(self.devices)) < len(self.devices):
            raise ShardingError(f"mesh: a device is named twice, {self.devices}")

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the axes."""
        return self.grid_shape.names

    @property
    def axis_names(self) -> tuple[str, ...]:
        """The names of the axes, as JAX calls them."""
        return self.grid_shape.names

    @property
    def sizes(self) -> tuple[int, ...]:
        """The number of devices along each axis."""
        return self.grid_shape.sizes

    @property
    def shape(self) -> dict[str, int]:
        """The number of devices along each axis, by its name."""
        return dict(zip(self.names, self.sizes, strict=True))

    @property
    def size(self) -> int:
        """The number of devices."""
        return len(self.devices)

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        if not isinstance(other, Mesh):
            return NotImplemented
        return self.grid_shape == other.grid_shape and self.devices == other.devices

    def __hash__(self) -> int:
        return self._hash

    def __repr__(self) -> str:
        axes = ", ".join(f"{n}={size}" for n, size in zip(self.names, self.sizes, strict=True))
        client = self.devices[0].client
        if self.devices == client.all_devices[: self.size] and client is default_client():
            return f"Mesh({axes})"
        return f"Mesh({axes}; {', '.join(map(repr, self.devices))})"


def _parts(axes: Any, names: Any, devices: Any) -> tuple[list[Any], Sequence[str], Any]:
    """Sizes, names and devices, from the forms that they may be given in."""
    if isinstance(axes, Mapping):
        if names is not None:
            raise TypeError(f"Mesh: the axes {dict(axes)} have names already, got names={names!r}")
        return list(axes.values()), list(axes), devices
    if isinstance(axes, Device) or not isinstance(axes, Sequence | np.ndarray):
        raise TypeError(
            f"Mesh: axes must be like {{'x': 4, 'y': 2}} or (4, 2), got {axes!r} of type "
            f"{type(axes).__name__}"
        )
    if isinstance(names, str) or not isinstance(names, Sequence):
        raise TypeError(f"Mesh: names must be a sequence of names of axes, got {names!r}")
    grid = np.asarray(axes, object)
    if grid.size and isinstance(grid.flat[0], Device):
        if devices is not None:
            raise TypeError("Mesh: the devices are given twice, by axes and by devices")
        return list(grid.shape), names, list(grid.flat)
    return list(axes), names, devices


def _completed(sizes: list[Any], count: int) -> tuple[int, ...]:
    """The sizes, with all devices that are left in place of -1."""
    for n in sizes:
        if not isinstance(n, int | np.integer) or isinstance(n, bool):
            raise TypeError(f"Mesh: the size of an axis must be an integer, got {n!r}")
    if sizes.count(-1) > 1:
        raise ShardingError(f"mesh: sizes {tuple(sizes)} have -1 twice; one axis may take the rest")
    if -1 not in sizes:
        return tuple(int(n) for n in sizes)
    others = -math.prod(sizes)
    if others < 1 or count % others:
        raise ShardingError(
            f"mesh: {count} devices do not divide into sizes {tuple(sizes)}; give a size in place "
            "of -1"
        )
    return tuple(count // others if n == -1 else int(n) for n in sizes)


def _as_devices(devices: Any) -> tuple[Device, ...]:
    if devices is None:
        return default_client().all_devices
    if isinstance(devices, str | Device) or not isinstance(devices, Sequence):
        raise TypeError(
            f"Mesh: devices must be a sequence of devices or their names, got {devices!r} of type "
            f"{type(devices).__name__}"
        )
    return tuple(as_device(device, "Mesh") for device in devices)


def _text(shape: MeshShape) -> str:
    return f"{str(shape)!r}"
