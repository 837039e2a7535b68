"""Clients, their devices, and placements: the devices and the layout of an array."""

from __future__ import annotations

import gc
import math
import os
from collections.abc import Sequence
from typing import Any

from anvl.runtime.ending import leave_if_ending, watch_end
from anvl.runtime.errors import ForkedProcess
from anvl.runtime.lazy import compat
from anvl.runtime.locks import fresh_lock
from anvl.runtime.memory import machine_memory
from anvl.runtime.settings import runtime_settings


class Device:
    """One device of a client.

    Examples
    --------
    >>> import anvl.runtime as rt
    >>> rt.devices()[0]
    <CpuDevice(id=0)>
    """

    __slots__ = ("__weakref__", "client", "handle", "id", "placement", "platform")

    def __init__(self, client: Client, handle: Any) -> None:
        self.client: Client = client
        self.handle: Any = handle
        self.id: int = handle.id
        self.platform: str = handle.platform
        self.placement: Placement = Placement((self,))

    def __repr__(self) -> str:
        return f"<{self.platform.capitalize()}Device(id={self.id})>"


class Placement:
    """Placement of arrays: one device, copies on several, or tiles on several.

    Placements are compared by identity, since they are part of every type and of the keys of every
    cache; `device.placement` is always the same object.

    Parameters
    ----------
    devices
        Devices of one client.
    tiles
        The number of parts of each axis, in row-major order over `devices`; the product is the
        number of devices.  None puts the whole array on every device.

    Raises
    ------
    ValueError
        No devices, devices of several clients, or `tiles` for another number of devices.

    Examples
    --------
    >>> import anvl.runtime as rt
    >>> rt.Placement(rt.devices()[:1]).devices
    (<CpuDevice(id=0)>,)
    """

    __slots__ = ("__weakref__", "client", "device_list", "devices", "handles", "sharding", "tiles")

    def __init__(self, devices: Sequence[Device], tiles: Sequence[int] | None = None) -> None:
        self.devices: tuple[Device, ...] = tuple(devices)
        self.tiles: tuple[int, ...] | None = None if tiles is None else tuple(tiles)
        _check_placement(self.devices, self.tiles)
        self.client: Client = self.devices[0].client
        self.handles: tuple[Any, ...] = tuple(device.handle for device in self.devices)
        self.device_list: Any = compat.DeviceList(self.handles)
        self.sharding: Any = compat.GSPMDSharding(self.device_list, _hlo_sharding(self.tiles))

    def __repr__(self) -> str:
        if len(self.devices) == 1:
            return repr(self.devices[0])
        how = "copies" if self.tiles is None else f"tiles={self.tiles}"
        return f"<Placement({', '.join(map(repr, self.devices))}; {how})>"


def _check_placement(devices: tuple[Device, ...], tiles: tuple[int, ...] | None) -> None:
    if not devices:
        raise ValueError("Placement: no devices given, (); pass at least one of devices()")
    clients = {id(device.client) for device in devices}
    if len(clients) > 1:
        raise ValueError(f"Placement: devices belong to {len(clients)} clients, {devices}")
    if tiles is not None and math.prod(tiles) != len(devices):
        raise ValueError(
            f"Placement: tiles {tiles} make {math.prod(tiles)} parts, "
            f"{len(devices)} devices given; their numbers must be equal"
        )


def _hlo_sharding(tiles: tuple[int, ...] | None) -> Any:
    if tiles is None or math.prod(tiles) == 1:
        return compat.HloSharding.replicate()
    proto = compat.OpSharding()
    proto.type = compat.OpSharding.Type.OTHER
    proto.tile_assignment_dimensions = list(tiles)
    proto.tile_assignment_devices = list(range(math.prod(tiles)))
    return compat.HloSharding.from_proto(proto)


class Client:
    """A PJRT client with its devices.  A program cannot mix arrays of two clients.

    Examples
    --------
    >>> import anvl.runtime as rt
    >>> rt.default_client().platform
    'cpu'
    """

    __slots__ = ("__weakref__", "devices", "handle", "memory_bytes", "platform")

    def __init__(self, handle: Any) -> None:
        check_process("Client")
        self.handle: Any = handle
        self.platform: str = handle.platform
        self.devices: tuple[Device, ...] = tuple(
            Device(self, device) for device in handle.local_devices()
        )
        # Known only if the devices share the memory of this machine.
        self.memory_bytes: int | None = machine_memory() if self.platform == "cpu" else None
        _watch_process()

    def __repr__(self) -> str:
        return f"<Client({self.platform}, {len(self.devices)} devices)>"


def cpu_client(num_devices: int | None = None, *, asynchronous: bool = True) -> Client:
    """A new CPU client.

    Parameters
    ----------
    num_devices
        How many devices the machine's cores are shown as; the setting `num_cpu_devices`, if None.
    asynchronous
        Whether programs may still be running when their execution returns.

    Raises
    ------
    ValueError
        `num_devices` is not a positive number.

    Examples
    --------
    >>> import anvl.runtime as rt
    >>> rt.cpu_client(2).devices
    (<CpuDevice(id=0)>, <CpuDevice(id=1)>)
    """
    check_process("cpu_client")
    count = runtime_settings.num_cpu_devices if num_devices is None else num_devices
    if count < 1:
        raise ValueError(f"cpu_client: num_devices must be at least 1, got {count}")
    return Client(compat.make_cpu_client(asynchronous=asynchronous, num_devices=count))


_lock = fresh_lock()
_default: Client | None = None
_default_place: Placement | None = None


def default_client() -> Client:
    """The client of this process, made at the first call.

    Raises
    ------
    ForkedProcess
        This process was forked from one that already had a client.
    ValueError
        `ANVL_NUM_CPU_DEVICES` is not a positive number.

    Examples
    --------
    >>> import anvl.runtime as rt
    >>> rt.default_client() is rt.default_client()
    True
    """
    global _default
    check_process("default_client")
    with _lock:
        if _default is None:
            _default = cpu_client()
        return _default


def default_platform() -> str:
    """Platform of the default client, without creating it.

    So a program can be lowered without a client, also in a process that was forked from one.

    Examples
    --------
    >>> import anvl.runtime as rt
    >>> rt.default_platform()
    'cpu'
    """
    return "cpu" if _default is None else _default.platform  # `cpu_client` will make it


def devices() -> tuple[Device, ...]:
    """The devices of the default client.

    Examples
    --------
    >>> import anvl.runtime as rt
    >>> rt.devices()[0].platform
    'cpu'
    """
    return default_client().devices


def default_placement() -> Placement:
    """The default placement of arrays: the first device.

    Examples
    --------
    >>> import anvl.runtime as rt
    >>> rt.default_placement() is rt.devices()[0].placement
    True
    """
    global _default_place
    if _default_place is None:
        _default_place = devices()[0].placement
    return _default_place


# Note [Forking]
# A forked child has the client but not its threads, so the next compilation waits for ever.
# The child is therefore marked right after the fork, and every use of the client raises.
# A fork *before* the first client is harmless and stays allowed.

_has_client = False
_is_orphan = False


def check_process(function: str) -> None:
    """Raise `ForkedProcess` if the client was inherited through a fork.

    If the process is ending in another thread, end this one.
    """
    if _is_orphan:
        raise forked(function)
    leave_if_ending()


def forked(function: str) -> ForkedProcess:
    """The error for using an inherited client."""
    return ForkedProcess(
        f"{function}: process {os.getpid()} was forked after anvl had started its client, "
        f"whose threads are not in the child; start processes with "
        f"multiprocessing.get_context('spawn') or 'forkserver', or fork before using anvl"
    )


def has_client() -> bool:
    """Whether this process has made a client: a child that it forks then cannot use XLA."""
    return _has_client


def is_orphan() -> bool:
    """Whether this process inherited a client through a fork."""
    return _is_orphan


def _watch_process() -> None:
    """From the first client on: mark forked children, and free memory that the device released."""
    global _has_client
    if _has_client:
        return
    _has_client = True
    watch_end()
    gc.callbacks.append(_release_buffers)


def _release_buffers(phase: str, info: dict[str, int]) -> None:
    # Host memory lent to the device is returned only on request.
    if phase == "stop" and info.get("generation") == 2:
        compat.collect_garbage()


def _after_fork_in_child() -> None:
    global _is_orphan
    if not _has_client:
        return
    _is_orphan = True
    if _release_buffers in gc.callbacks:
        gc.callbacks.remove(_release_buffers)


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork_in_child)
