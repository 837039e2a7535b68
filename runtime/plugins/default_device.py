"""The default device: a setting, of the process, of a context, or of the environment."""

from __future__ import annotations

from contextlib import AbstractContextManager

from anvl.runtime.client import (
    EMBEDDED,
    Client,
    Device,
    Placement,
    Target,
    check_process,
    embedded_client,
    embedded_target,
)
from anvl.runtime.plugins.registry import client_of, device_of
from anvl.runtime.settings import Kind, RuntimeSettings, Setting
from anvl.runtime.tracebacks import hiding_frames

__all__ = [
    "PluginSettings",
    "chosen_placement",
    "default_client",
    "default_placement",
    "default_target",
    "devices",
    "embedded_by_default",
]


def _checked(value: object) -> Device | None:
    return None if value is None else device_of(value, "default_device")


class PluginSettings(RuntimeSettings):
    """The settings of the runtime that are read by those that start plugins, and all others."""

    default_device: Setting[Device | None] = Setting(
        Kind("a device, text such as 'cpu:1', or None", _checked),
        None,
        "Device of arrays that nothing else places; None: the first of jaxlib's own client.",
        changes_programs=True,
    )


_settings = PluginSettings()
_first: Placement | None = None


def chosen_placement() -> Placement | None:
    """The default placement if a default device is set; None means jaxlib's own, perhaps unmade."""
    device = _settings.default_device
    return None if device is None else device.placement


def default_placement() -> Placement:
    """The default placement of arrays: the default device, or the first one of jaxlib's own client.

    Examples
    --------
    >>> import anvl.runtime as rt
    >>> rt.default_placement() is rt.devices()[0].placement
    True
    """
    global _first
    device = _settings.default_device
    if device is not None:
        return device.placement
    if _first is None:
        _first = embedded_client().devices[0].placement
    return _first


def embedded_by_default() -> AbstractContextManager[None]:
    """A block whose default device is jaxlib's own, for this thread or task."""
    return _settings(default_device=EMBEDDED)


def default_client() -> Client:
    """The client of the default device: made at the first call, and jaxlib's own if none is set.

    Raises
    ------
    ForkedProcess
        This process was forked from one that already had a client.
    PluginError
        `ANVL_DEFAULT_DEVICE` names a plugin that is not there, or cannot be started.
    ValueError
        `ANVL_DEFAULT_DEVICE` names no device, or `ANVL_NUM_CPU_DEVICES` is not a positive number.

    Examples
    --------
    >>> import anvl.runtime as rt
    >>> rt.default_client() is rt.default_client()
    True
    """
    check_process("default_client")
    return default_placement().client


def default_target() -> Target:
    """Target of programs for the default client; its creation is avoided if possible.

    Examples
    --------
    >>> import anvl.runtime as rt
    >>> rt.default_target()  # doctest: +ELLIPSIS
    Target(platform='cpu', routines='lapack', ...)
    """
    device = _settings.default_device
    return embedded_target() if device is None else device.client.target


@hiding_frames
def devices(plugin: str | None = None) -> tuple[Device, ...]:
    """The devices of a plugin, or of the default client.

    Parameters
    ----------
    plugin : str, optional
        The name of a plugin, which is started at its first use; `"cpu"` is jaxlib's own client.
        `docs/plugins.md` tells how they are found.

    Returns
    -------
    tuple of Device
        In the order of their numbers: `devices("cpu")[1]` is what the text `"cpu:1"` names.

    Raises
    ------
    TypeError
        `plugin` is not text.
    PluginError
        No plugin has this name, or it cannot be loaded or started.

    Examples
    --------
    >>> import anvl
    >>> anvl.devices()
    (<CpuDevice(id=0)>,)
    >>> anvl.devices("cpu") == anvl.devices()
    True
    """
    if plugin is None:
        return default_client().devices
    if not isinstance(plugin, str):
        raise TypeError(
            f"devices: plugin must be text, got {plugin!r} of type {type(plugin).__name__}"
        )
    return client_of(plugin).devices
