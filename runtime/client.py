"""Clients, their devices, and placements of arrays on one device."""

from __future__ import annotations

import gc
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

from anvl.runtime.ending import leave_if_ending, watch_end
from anvl.runtime.errors import ForkedProcess
from anvl.runtime.lazy import compat
from anvl.runtime.locks import fresh_lock
from anvl.runtime.memory import machine_memory
from anvl.runtime.settings import MOST_CPU_DEVICES, MOST_CPU_THREADS, runtime_settings

__all__ = [
    "EMBEDDED", "EMBEDDED_PYTHON", "HANDLER", "Client", "Device", "Placement", "Target",
    "check_placement", "check_process", "cpu_client", "embed", "embedded_client",
    "embedded_target", "fewest_threads", "forked", "has_client", "is_orphan", "new_threads",
    "on_embedded",
]  # fmt: skip

#: The name of jaxlib's own client; others have the names of their plugins.
EMBEDDED = "cpu"


class Target(NamedTuple):
    """Target of a lowering: a platform, and the routines that programs and XLA may call.

    Attributes
    ----------
    platform
        PJRT's name of the platform.
    routines
        The library of linear algebra whose custom calls are registered with the client: `lapack`,
        `cusolver`, `hipsolver` or `none`.
    trigonometric
        Whether XLA:CPU's library computes sines, cosines and tangents together with a sum.
    """

    platform: str
    routines: str
    trigonometric: bool = False


_EMBEDDED_ROUTINES = "lapack"
#: jaxlib's handler that calls Python, under which programs have their calls.
EMBEDDED_PYTHON = "xla_ffi_python_cpu_callback"
#: The same of plugins, which is ours: `anvl.runtime.handlers.call_frames`.
HANDLER = "anvl_python_callback"


class Device:
    """One device of a client.

    Examples
    --------
    >>> import anvl.runtime as rt
    >>> rt.devices()[0]
    <CpuDevice(id=0)>
    """

    __slots__ = (
        "__weakref__", "client", "handle", "id", "is_addressable", "placement", "platform",
        "sharding",
    )  # fmt: skip

    def __init__(self, client: Client, handle: Any) -> None:
        self.client: Client = client
        self.handle: Any = handle
        self.id: int = handle.id
        self.platform: str = handle.platform
        #: Whether it belongs to this process.
        self.is_addressable: bool = handle.process_index == client.handle.process_index()
        self.placement: Placement = Placement((self,))
        self.sharding: Any = compat.GSPMDSharding(
            self.placement.device_list, compat.HloSharding.replicate()
        )

    def __repr__(self) -> str:
        plugin = "" if self.client.name == self.platform else f", plugin={self.client.name!r}"
        return f"<{self.platform.capitalize()}Device(id={self.id}{plugin})>"


class Placement:
    """Placement of arrays: on one device, or over several (`ShardedPlacement`).

    Placements are compared by identity, since they are part of every type and of the keys of every
    cache; `device.placement` is always the same object.

    Attributes
    ----------
    devices, client
        Its devices, and their client.
    handles, device_list
        The devices, as the library below takes them.
    spans_processes
        Whether an array that is here is the work of several processes.

    Examples
    --------
    >>> import anvl.runtime as rt
    >>> rt.devices()[0].placement
    <CpuDevice(id=0)>
    """

    __slots__ = (
        "__weakref__", "client", "device_list", "devices", "handles", "spans_processes",
    )  # fmt: skip

    def __init__(self, devices: tuple[Device, ...]) -> None:
        self.devices: tuple[Device, ...] = devices
        self.client: Client = devices[0].client
        self.spans_processes: bool = False
        self.handles: tuple[Any, ...] = tuple(device.handle for device in devices)
        self.device_list: Any = compat.DeviceList(self.handles)

    def __repr__(self) -> str:
        return repr(self.devices[0])

    @property
    def whole(self) -> Placement:
        """The placement of numbers beside arrays that are here."""
        return self

    @property
    def is_addressable(self) -> bool:
        """Whether this process can read all of an array that is here."""
        return self.devices[0].is_addressable

    def sharding_of(self, rank: int) -> Any:
        """The sharding of arrays with so many axes, as the library below takes it."""
        return self.devices[0].sharding

    def problem(self, shape: Sequence[int]) -> str | None:
        """Why arrays of this shape cannot be here; None if they can."""
        return None


def check_placement(placement: object, function: str) -> None:
    """Refuse what is no placement; a device and a sharding have one."""
    if isinstance(placement, Placement):
        return
    has_one = isinstance(getattr(placement, "placement", None), Placement)
    remedy = "its attribute `placement`" if has_one else "a device's, as devices()[0].placement"
    raise TypeError(
        f"{function}: placement is {placement!r} of type {type(placement).__name__}; give {remedy}"
    )


class Client:
    """A PJRT client with its devices.  A program cannot mix arrays of two clients.

    Attributes
    ----------
    name
        The name of its plugin; `cpu` for jaxlib's own client.  PJRT's name of the platform does not
        tell clients apart.
    target
        The platform, and the routines that are registered.
    attributes
        What the plugin says of itself, such as the versions of StableHLO that it takes.
    library
        The file of the plugin; None for jaxlib's own client.
    python_target
        The custom call by which its programs call Python; None where they cannot.
    devices
        Its devices in this process.
    all_devices
        Those of all processes that it was made for, in the same order in each.
    memory_bytes
        The memory of the machine, where the devices share it.

    Examples
    --------
    >>> import anvl.runtime as rt
    >>> rt.default_client().target  # doctest: +ELLIPSIS
    Target(platform='cpu', routines='lapack', ...)
    """

    __slots__ = (
        "__weakref__",
        "all_devices",
        "attributes",
        "devices",
        "handle",
        "library",
        "memory_bytes",
        "name",
        "python_target",
        "target",
    )

    def __init__(
        self,
        handle: Any,
        name: str,
        routines: str = "none",
        attributes: Mapping[str, Any] = MappingProxyType({}),
        library: Path | None = None,
        python_target: str | None = None,
    ) -> None:
        check_process("Client")
        self.handle: Any = handle
        self.name: str = name
        trigonometric = name == EMBEDDED and compat.SUMS_ARE_TRIGONOMETRIC
        self.target: Target = Target(_platform_of(handle), routines, trigonometric)
        self.attributes: Mapping[str, Any] = attributes
        self.library: Path | None = library
        self.python_target: str | None = python_target
        self.all_devices: tuple[Device, ...] = tuple(
            Device(self, device) for device in handle.devices()
        )
        self.devices: tuple[Device, ...] = tuple(d for d in self.all_devices if d.is_addressable)
        # Known only if the devices share the memory of this machine.
        self.memory_bytes: int | None = machine_memory() if self.platform == "cpu" else None
        _watch_process()

    @property
    def platform(self) -> str:
        """PJRT's name of the platform."""
        return self.target.platform

    def __repr__(self) -> str:
        return f"<Client({self.name}, {len(self.devices)} devices)>"


def _platform_of(handle: Any) -> str:
    """PJRT's name of a platform: jaxlib calls those of GPUs all `gpu`."""
    name = str(handle.platform)
    if name != "gpu":
        return name
    said = handle.platform_version.lower()
    return next((gpu for gpu in ("cuda", "rocm") if gpu in said), name)


def cpu_client(
    num_devices: int | None = None,
    *,
    asynchronous: bool | None = None,
    num_threads: int | None = None,
) -> Client:
    """A new CPU client.

    Parameters
    ----------
    num_devices
        How many devices the machine's cores are shown as; the setting `num_cpu_devices`, if None.
    asynchronous
        Whether programs may still be running when their execution returns; the setting
        `cpu_async_dispatch`, if None.  Those of fewer than 1,000 operations never are.
    num_threads
        How many threads compile and run its programs; the setting `num_cpu_threads`, if None.

    Raises
    ------
    ValueError
        `num_devices` or `num_threads` is not a positive number, or is larger than 2048.

    Examples
    --------
    >>> import anvl.runtime as rt
    >>> rt.cpu_client(2).devices
    (<CpuDevice(id=0)>, <CpuDevice(id=1)>)
    """
    check_process("cpu_client")
    count = runtime_settings.num_cpu_devices if num_devices is None else num_devices
    if not 1 <= count <= MOST_CPU_DEVICES:
        raise ValueError(
            f"cpu_client: num_devices must be at least 1, at most {MOST_CPU_DEVICES}, got {count}"
        )
    if num_threads is not None and not 1 <= num_threads <= MOST_CPU_THREADS:
        raise ValueError(
            f"cpu_client: num_threads must be at least 1, at most {MOST_CPU_THREADS}, "
            f"got {num_threads}"
        )
    if asynchronous is None:
        asynchronous = runtime_settings.cpu_async_dispatch
    with new_threads(num_threads):
        handle = compat.make_cpu_client(asynchronous=asynchronous, num_devices=count)
    return Client(handle, EMBEDDED, _EMBEDDED_ROUTINES, python_target=EMBEDDED_PYTHON)


_NUM_THREADS = "PJRT_NPROC"
_lock_of_threads = fresh_lock()
_fewest_threads: int | None = None


def fewest_threads() -> int | None:
    """The threads of the client that was given the fewest of them; None if none was given any."""
    return _fewest_threads


@contextmanager
def new_threads(count: int | None = None) -> Iterator[None]:
    """Clients that are made within have so many threads, or as many as the setting says.

    XLA reads their number from a variable of the environment, and only while it makes a client.
    """
    global _fewest_threads
    count = runtime_settings.num_cpu_threads if count is None else count
    if count is None:
        yield
        return
    with _lock_of_threads:
        _fewest_threads = min(count, _fewest_threads or count)
        before = os.environ.get(_NUM_THREADS)
        os.environ[_NUM_THREADS] = str(count)
        try:
            yield
        finally:
            if before is None:
                del os.environ[_NUM_THREADS]
            else:
                os.environ[_NUM_THREADS] = before


_lock = fresh_lock()
_embedded: Client | None = None
_beginnings: list[Callable[[Client], None]] = []


def embedded_client() -> Client:
    """jaxlib's own client of this process, made at the first call.

    Raises
    ------
    ForkedProcess
        This process was forked from one that already had a client.
    ValueError
        `ANVL_NUM_CPU_DEVICES` is not a positive number.

    Examples
    --------
    >>> import anvl.runtime as rt
    >>> rt.embedded_client() is rt.embedded_client()
    True
    """
    global _embedded
    check_process("embedded_client")
    with _lock:
        if _embedded is None:
            _embedded = cpu_client()
            for begin in _beginnings:
                begin(_embedded)
        return _embedded


def on_embedded(begin: Callable[[Client], None]) -> None:
    """Call `begin` with jaxlib's own client of the process, once that is made."""
    _beginnings.append(begin)


def embed(client: Client) -> None:
    """Make this jaxlib's own client of the process, before another one is."""
    global _embedded
    with _lock:
        assert _embedded is None
        _embedded = client


def embedded_target() -> Target:
    """Target of programs for jaxlib's own client, without creating that.

    So a program can be lowered without a client, also in a process that was forked from one.
    """
    if _embedded is not None:
        return _embedded.target
    return Target(EMBEDDED, _EMBEDDED_ROUTINES, compat.SUMS_ARE_TRIGONOMETRIC)


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
