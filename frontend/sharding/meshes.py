"""`Mesh`: devices in a grid whose axes have names."""

from __future__ import annotations

import enum
import math
from collections.abc import Mapping, Sequence
from contextvars import ContextVar
from typing import Any

import numpy as np

from anvl.dialect.core.errors import ShardingError
from anvl.dialect.core.shardings import MeshShape
from anvl.runtime import (
    Device,
    PluginSettings,
    as_device,
    default_client,
    hiding_frames,
)
from anvl.runtime.settings import Kind, Setting

__all__ = ["AxisType", "Mesh", "MeshSettings", "make_mesh", "mesh_settings"]


class Mesh:
    """Devices in a grid with named axes, over which arrays are cut.

    Parameters
    ----------
    axes : mapping of str to int, str, sequence of int, or array of Device
        Names of the axes with the number of devices along each, also as text, `"x=4,y=2"`, or these
        numbers alone; one of them may be -1, for all devices that are left.  An array of devices
        gives both.
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

    Notes
    -----
    `with mesh:` makes it the mesh of specs alone, for the current thread or task: in
    `with_sharding(x, P("x"))`, `device_put(x, P("x"))` and the shardings of `jit`.

    Raises
    ------
    ShardingError
        An axis without a name, named twice, or of a size that is not positive; too few devices,
        or others than the axes take; without `devices`, a process of the job that has none of them.
    TypeError
        An argument is of another type.

    Examples
    --------
    >>> import anvl
    >>> mesh = anvl.Mesh({"x": 1, "y": 1})
    >>> mesh, mesh.size, mesh.devices
    (Mesh(x=1, y=1), 1, (<CpuDevice(id=0)>,))
    >>> anvl.Mesh((1, -1), ("x", "y")) == anvl.Mesh("x=1,y=1") == mesh
    True
    >>> with mesh:
    ...     anvl.device_put(1.0, anvl.sharding.P()).sharding
    Sharding(Mesh(x=1, y=1), P())
    """

    __slots__ = ("__weakref__", "_hash", "devices", "grid_shape")

    devices: tuple[Device, ...]
    grid_shape: MeshShape

    @hiding_frames
    def __init__(self, axes: Any, names: Any = None, *, devices: Any = None) -> None:
        if isinstance(axes, str):
            parsed = MeshShape.parse(axes)
            axes = dict(zip(parsed.names, parsed.sizes, strict=True))
        sizes, names, devices = _parts(axes, names, devices)
        given = _as_devices(devices)
        shape = MeshShape(tuple(names), _completed(sizes, len(given)))
        if shape.size > len(given):
            raise ShardingError(
                f"mesh: {_text(shape)} takes {shape.size} devices, there are {len(given)}; "
                "ANVL_NUM_CPU_DEVICES sets how many devices the CPU is shown as"
                if devices is None
                else f"mesh: {_text(shape)} takes {shape.size} devices, {len(given)} are given; "
                "give as many devices as there are places in the mesh"
            )
        if devices is not None and shape.size != len(given):
            raise ShardingError(
                f"mesh: {_text(shape)} takes {shape.size} devices, {len(given)} are given; give as "
                "many devices as there are places in the mesh"
            )
        if devices is None:
            _check_processes(shape, given)
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

    def __reduce__(self) -> tuple[Any, ...]:
        client = self.devices[0].client
        places = tuple(map(client.all_devices.index, self.devices))
        return _restored, (self.shape, client.name, places)

    def __enter__(self) -> Mesh:
        block = mesh_settings(default_mesh=self)
        block.__enter__()
        _entered.set((*_entered.get(), block))
        return self

    def __exit__(self, *_: object) -> None:
        *outer, block = _entered.get()
        _entered.set(tuple(outer))
        block.__exit__(None, None, None)

    def __repr__(self) -> str:
        axes = ", ".join(f"{n}={size}" for n, size in zip(self.names, self.sizes, strict=True))
        client = self.devices[0].client
        if self.devices == client.all_devices[: self.size] and client is default_client():
            return f"Mesh({axes})"
        return f"Mesh({axes}; {', '.join(map(repr, self.devices))})"


class AxisType(enum.Enum):
    """Kind of an axis of a mesh, by JAX's names; here all are Auto, left to the partitioner.

    Examples
    --------
    >>> import anvl
    >>> from anvl.sharding import AxisType
    >>> anvl.make_mesh((1,), ("x",), axis_types=(AxisType.Auto,))
    Mesh(x=1)
    """

    Auto = 0
    Explicit = 1
    Manual = 2


@hiding_frames
def make_mesh(
    axis_shapes: Sequence[int], axis_names: Sequence[str], axis_types: Any = None, *,
    devices: Any = None,
) -> Mesh:  # fmt: skip
    """Make a mesh, as `Mesh(axis_shapes, axis_names)` does.

    Parameters
    ----------
    axis_shapes : sequence of int
        The number of devices along each axis.
    axis_names : sequence of str
    axis_types : sequence of AxisType, optional
        Auto for each: axes are not typed.
    devices : sequence of Device, optional
        The devices, along the last axis first; the first of the default client's by default.

    Returns
    -------
    Mesh

    Raises
    ------
    ShardingError, TypeError
        As `Mesh`; `TypeError` for types of axes.

    Examples
    --------
    >>> import anvl
    >>> anvl.make_mesh((1, 1), ("x", "y"))
    Mesh(x=1, y=1)
    """
    if axis_types is not None and any(kind is not AxisType.Auto for kind in axis_types):
        raise TypeError(
            f"make_mesh: axis_types is {axis_types!r}, and axes are not typed; give AxisType.Auto "
            "for each, or leave it out"
        )
    if devices is None:
        return Mesh(tuple(axis_shapes), tuple(axis_names))
    return Mesh(
        tuple(axis_shapes), tuple(axis_names), devices=list(np.asarray(devices, object).flat)
    )


def _restored(axes: dict[str, int], client: str, places: tuple[int, ...]) -> Mesh:
    """A mesh that was pickled: over the devices of these numbers, in the process that asks."""
    known = as_device(client, "Mesh").client.all_devices
    if max(places) >= len(known):
        raise ShardingError(
            f"mesh: {axes} was pickled with the device {client}:{max(places)}, and there are "
            f"{len(known)} devices here; ANVL_NUM_CPU_DEVICES sets how many the CPU is shown as"
        )
    return Mesh(axes, devices=[known[i] for i in places])


#: The blocks of `with mesh:` in this thread or task, the innermost last.
_entered: ContextVar[tuple[Any, ...]] = ContextVar("anvl meshes", default=())


def _checked(mesh: Any) -> Mesh | None:
    if mesh is None or isinstance(mesh, Mesh):
        return mesh
    if isinstance(mesh, str):
        return Mesh(mesh)
    raise TypeError


class MeshSettings(PluginSettings):
    """The settings of the runtime, and the mesh of specs alone."""

    default_mesh: Setting[Mesh | None] = Setting(
        Kind("a Mesh, text such as 'x=4,y=2', or None", _checked),
        None,
        "Mesh of specs alone, as in `with_sharding(x, P('x'))`; `with mesh:` sets it.",
        changes_programs=True,
    )


mesh_settings = MeshSettings()


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
        raise TypeError(
            f"Mesh: names must be a sequence of names of the axes {axes!r}, got {names!r}; or give "
            "both, as in {'x': 4, 'y': 2}"
        )
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


def _check_processes(shape: MeshShape, known: Sequence[Device]) -> None:
    """Refuse the first of the known devices if a process of the job then has none: `ShardingError`.

    Such a mesh is made of the devices that are counted in one process, `len(anvl.devices())`.
    """
    left = {d.handle.process_index for d in known[shape.size :]}
    idle = sorted(left - {d.handle.process_index for d in known[: shape.size]})
    if idle:
        count = len({d.handle.process_index for d in known})
        raise ShardingError(
            f"mesh: {_text(shape)} takes the first {shape.size} of the {len(known)} devices of "
            f"{count} processes, and none of process {idle[0]}; anvl.device_count() counts those "
            "of all processes, and devices= names others"
        )


def _text(shape: MeshShape) -> str:
    return f"{str(shape)!r}"
