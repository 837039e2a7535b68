"""Clients of plugins by name: registered, found, and started when they are first asked for.

A client is known by the name of its plugin, never by PJRT's name of its platform: XLA's CPU plugin
calls itself `cpu`, as jaxlib's own client does.  A plugin that cannot be started changes nothing
for the others.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from os import PathLike
from pathlib import Path
from typing import Any

from anvl.runtime.client import (
    EMBEDDED,
    Client,
    Device,
    Placement,
    check_process,
    embedded_client,
)
from anvl.runtime.errors import PluginError
from anvl.runtime.locks import fresh_lock
from anvl.runtime.plugins.discovery import (
    GROUPS,
    VARIABLE,
    Plugin,
    in_environment,
    installed,
    normal,
    refused_entry,
    taken,
    wrong_option,
)
from anvl.runtime.tracebacks import hiding_frames

__all__ = ["as_device", "client_of", "device_of", "find_plugin", "known_plugins", "register_plugin"]

# What to install for a platform, for the message that it is not there.
_WHEELS = {
    "cuda": "pip install jax-cuda13-pjrt jax-cuda13-plugin",
    "rocm": "pip install jax-rocm7-pjrt jax-rocm7-plugin",
    "tpu": "pip install libtpu",
    "metal": "pip install jax-metal",
    "xla-cpu-pjrt": "pip install xla-cpu-pjrt",
}
_GPU = "gpu"  # CUDA's or ROCm's, whichever is there

_lock = fresh_lock()
_registered: dict[str, Plugin] = {}
_started: dict[str, tuple[Plugin, Client]] = {}
_failed: set[str] = set()


@hiding_frames
def register_plugin(
    name: str, path: str | PathLike[str], options: Mapping[str, Any] | None = None
) -> None:
    """Make a PJRT plugin known by a name: `anvl.devices(name)` starts it.

    It comes before plugins of the same name in the environment or in wheels.

    Parameters
    ----------
    name
        Any name but `cpu`, which is jaxlib's own client.  Case does not matter, and `_` is `-`.
    path
        The shared library of the plugin.
    options
        Options of the plugin: texts, bools, integers, floats or lists of integers by name.

    Raises
    ------
    TypeError
        `name` or `path` is not text, or an option is of another type.
    ValueError
        An empty name, one with a colon or a comma, `cpu`, or one that is registered otherwise.
    PluginError
        The path does not exist.

    Examples
    --------
    >>> import anvl
    >>> anvl.register_plugin("cpu", "cpu_plugin.so")
    Traceback (most recent call last):
    ...
    ValueError: register_plugin: 'cpu' is jaxlib's own client; choose another name
    """
    made = Plugin(_checked_name(name), _checked_path(name, path), _checked_options(name, options))
    with _lock:
        other = _started[made.name][0] if made.name in _started else _registered.get(made.name)
        if other is not None and other != made and made.name not in _failed:
            what = "runs" if made.name in _started else "is registered"
            given = f" with the options {dict(other.options)}" if other.options else ""
            raise ValueError(
                f"register_plugin: {made.name!r} {what} already, from {other.path}{given}; choose "
                "another name"
            )
        _registered[made.name] = made


def _checked_name(name: object) -> str:
    if not isinstance(name, str):
        raise TypeError(
            f"register_plugin: name must be text, got {name!r} of type {type(name).__name__}"
        )
    found = normal(name)
    if not found or ":" in found or "," in found:
        raise ValueError(f"register_plugin: {name!r} cannot be a name: give letters and digits")
    if problem := taken(name):
        raise ValueError(f"register_plugin: {problem}; choose another name")
    return found


def _checked_path(name: str, path: object) -> Path:
    if not isinstance(path, str | PathLike):
        raise TypeError(
            f"register_plugin: path of {name!r} must be text or a path, got {path!r} of type "
            f"{type(path).__name__}"
        )
    found = Path(path)
    if not found.is_file():
        raise PluginError(
            f"register_plugin: {name!r}: there is no file {found}; give the path of the plugin's "
            "shared library"
        )
    return found


def _checked_options(name: str, options: object) -> dict[str, Any]:
    if options is None:
        return {}
    if not isinstance(options, Mapping):
        raise TypeError(
            f"register_plugin: options of {name!r} must be a dictionary, got {options!r} of type "
            f"{type(options).__name__}"
        )
    wrong = wrong_option(options)
    if wrong:
        raise TypeError(f"register_plugin: {name!r}: {wrong}")
    return dict(options)


# -- which are known -------------------------------------------------------------------------------


def known_plugins() -> dict[str, Plugin]:
    """Plugins by name: the registered ones, then those of the environment, then of wheels."""
    found: dict[str, Plugin] = {}
    for plugin in (*_registered.values(), *in_environment(), *installed()):
        found.setdefault(plugin.name, plugin)
    return found


def find_plugin(name: str, function: str) -> Plugin:
    """A plugin by name, without starting it; `PluginError` names the function."""
    name = normal(name)
    known = known_plugins()
    found = known.get(name)
    if found is None and name == _GPU:
        found = known.get("cuda") or known.get("rocm")
    if found is None:
        raise _unknown(name, known, function)
    if found.problem:
        raise PluginError(f"{function}: {name!r}: {found.problem}")
    return found


def _unknown(name: str, known: Mapping[str, Plugin], function: str) -> PluginError:
    from difflib import get_close_matches  # milliseconds, which only an error should cost

    names = list(dict.fromkeys((EMBEDDED, *known)))
    install = _WHEELS.get("cuda" if name == _GPU else name)
    near = [] if install else get_close_matches(name, names, n=1, cutoff=0.6)
    meant = f" (did you mean {near[0]!r}?)" if near else ""
    remedy = f"`{install}`" if install else "install its wheel"
    given = os.environ.get(VARIABLE)
    variable = f"{VARIABLE}={given}" if given else f"{VARIABLE}, which is not set"
    return PluginError(
        f"{function}: no plugin {name!r} is known{meant}; known are {', '.join(names)}, looked for "
        f"in register_plugin, in {variable}, and in the installed wheels with entry points "
        f"{' and '.join(GROUPS)}; {remedy}, or give its path to anvl.register_plugin"
    )


# -- starting --------------------------------------------------------------------------------------


def client_of(name: str, function: str = "devices") -> Client:
    """The client of a plugin, started at the first call; of jaxlib itself for `cpu`.

    `function` is named in errors.
    """
    check_process(function)
    wanted = normal(name)
    if wanted == EMBEDDED:
        if problem := refused_entry():  # who wrote it expects another client
            raise PluginError(f"{function}: {wanted!r}: {problem}")
        return embedded_client()
    with _lock:
        if wanted in _started:
            return _started[wanted][1]
        plugin = find_plugin(wanted, function)
        if plugin.name in _started:
            return _started[plugin.name][1]
        try:
            # With what C libraries, sockets and jobs need: only for those who have a plugin.
            from anvl.runtime.plugins.start_plugin import start

            client = start(plugin, function)
        except BaseException:
            _failed.add(plugin.name)
            raise
        _failed.discard(plugin.name)
        _started[plugin.name] = plugin, client
        return client


# -- devices by name -------------------------------------------------------------------------------


def as_device(device: Device | str, function: str) -> Device:
    """A device, or the one that a text names: `cpu`, `cpu:1`, `xla-cpu-pjrt:0`."""
    try:
        return device_of(device, function)
    except (TypeError, ValueError) as error:
        raise type(error)(f"{function}: {error}") from None


def device_of(device: object, function: str) -> Device:
    """As `as_device`, but only the errors of plugins name the function."""
    if isinstance(device, Device):
        return device
    if not isinstance(device, str):
        raise TypeError(
            f"takes a device, or text such as 'cpu:1', got {device!r} of type "
            f"{type(device).__name__}"
        )
    name, colon, digits = device.partition(":")
    if not name.strip() or (colon and not digits.strip().isdecimal()):
        raise ValueError(f"{device!r} names no device; write 'cpu' or 'cpu:1'")
    devices = client_of(name, function).devices
    number = int(digits) if colon else 0
    if number >= len(devices):
        more = "; ANVL_NUM_CPU_DEVICES sets how many" if normal(name) == EMBEDDED else ""
        raise ValueError(
            f"there is no device {device!r}, {normal(name)} has {len(devices)}: "
            f"{', '.join(map(repr, devices))}{more}"
        )
    return devices[number]


def device_text(placement: Placement) -> str:
    """The device of a placement as `device_of` takes it, `cpu:1`; of several, their number."""
    if len(placement.devices) != 1:
        return f"{len(placement.devices)} devices"
    (device,) = placement.devices
    return f"{device.client.name}:{device.client.devices.index(device)}"
