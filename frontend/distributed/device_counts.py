"""Devices and processes under JAX's names: `device_count`, `local_devices`, `process_index`, ....

>>> import anvl
>>> anvl.device_count(), anvl.local_device_count(), anvl.process_count(), anvl.process_index()
(1, 1, 1, 0)
"""

from __future__ import annotations

from anvl.runtime import Client, Device, default_client, devices, hiding_frames
from anvl.runtime.distributed import processes

__all__ = [
    "default_backend", "device_count", "local_device_count", "local_devices", "process_count",
    "process_index",
]  # fmt: skip


def _client(backend: str | None) -> Client:
    return default_client() if backend is None else devices(backend)[0].client


def default_backend() -> str:
    """Name the platform of the devices of the default client, such as "cpu".

    Returns
    -------
    str

    Examples
    --------
    >>> import anvl
    >>> anvl.default_backend()
    'cpu'
    """
    return default_client().platform


@hiding_frames
def device_count(backend: str | None = None) -> int:
    """Count the devices of a plugin, or of the default client, in all processes.

    Parameters
    ----------
    backend : str, optional
        The name of a plugin, as of `devices`.

    Returns
    -------
    int

    Raises
    ------
    TypeError, PluginError
        As `devices`.

    Examples
    --------
    >>> import anvl
    >>> anvl.device_count()
    1
    """
    return len(_client(backend).all_devices)


@hiding_frames
def local_device_count(backend: str | None = None) -> int:
    """Count the devices of a plugin, or of the default client, in this process.

    Parameters
    ----------
    backend : str, optional
        The name of a plugin, as of `devices`.

    Returns
    -------
    int

    Raises
    ------
    TypeError, PluginError
        As `devices`.

    Examples
    --------
    >>> import anvl
    >>> anvl.local_device_count("cpu")
    1
    """
    return len(_client(backend).devices)


@hiding_frames
def local_devices(process_index: int | None = None, backend: str | None = None) -> list[Device]:
    """List the devices of a process.

    Parameters
    ----------
    process_index : int, optional
        Which process of the job; this one by default.
    backend : str, optional
        The name of a plugin, as of `devices`.

    Returns
    -------
    list of Device

    Raises
    ------
    TypeError, PluginError
        As `devices`.
    ValueError
        There is no such process.

    Examples
    --------
    >>> import anvl
    >>> anvl.local_devices()
    [<CpuDevice(id=0)>]
    """
    client, count = _client(backend), processes.process_count()
    if process_index is None or process_index == processes.process_index():
        return list(client.devices)
    if isinstance(process_index, bool) or process_index not in range(count):
        raise ValueError(
            f"local_devices: process_index is {process_index!r}; it must be from 0 to {count - 1}"
        )
    return [d for d in client.all_devices if d.handle.process_index == process_index]


@hiding_frames
def process_count(backend: str | None = None) -> int:
    """Count the processes of the job; 1 without one.

    Parameters
    ----------
    backend : str, optional
        Without effect: all plugins are of the same processes.

    Returns
    -------
    int

    Examples
    --------
    >>> import anvl
    >>> anvl.process_count()
    1
    """
    return processes.process_count()


@hiding_frames
def process_index(backend: str | None = None) -> int:
    """Number of this process in the job; 0 without one.

    Parameters
    ----------
    backend : str, optional
        Without effect: all plugins are of the same processes.

    Returns
    -------
    int

    Examples
    --------
    >>> import anvl
    >>> anvl.process_index()
    0
    """
    return processes.process_index()
