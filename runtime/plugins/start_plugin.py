"""Starting a plugin: its library is loaded, and gives a client.  It is imported by the first."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

from anvl.runtime.client import HANDLER, Client
from anvl.runtime.distributed.processes import plugin_options
from anvl.runtime.errors import PluginError, readable
from anvl.runtime.handlers.call_frames import handler_address
from anvl.runtime.lazy import compat
from anvl.runtime.plugins import cuda
from anvl.runtime.plugins.discovery import Plugin
from anvl.runtime.plugins.ffi_extension import register_with_plugin
from anvl.runtime.plugins.log_level import quiet_plugins
from anvl.runtime.plugins.pjrt_api import Api, NotAPlugin, attributes, read_api

__all__ = ["start"]

# jaxlib's name of a library, with a capsule of its API: it keeps both until the process ends.
_loaded: dict[Path, tuple[str, Any]] = {}
_numbers = itertools.count(2)


def start(plugin: Plugin, function: str) -> Client:
    """Load the library of a plugin and make its client; `PluginError` names the function."""
    where = f"{function}: {plugin.name!r} ({plugin.path}, of {plugin.origin})"
    if not plugin.path.is_file():
        raise PluginError(f"{where}: there is no such file; give the path of its shared library")
    gpu = cuda.gpu_of(plugin.name, plugin.path)
    lost = cuda.load_libraries(gpu)
    with quiet_plugins():
        try:
            api = read_api(plugin.path)
        except NotAPlugin as error:
            hint = f"; {lost}" if lost else ""
            raise PluginError(f"{where} is not a PJRT plugin: {error}{hint}") from None
        try:
            name, capsule = _load(plugin, is_gpu=bool(gpu))
            said = attributes(api)
            routines = cuda.register_handlers(gpu, capsule)
            of_job, distributed = plugin_options(bool(gpu))
            options = {**cuda.default_options(gpu), **of_job, **plugin.options}
            handle = compat.make_plugin_client(name, options, distributed)
        except (compat.Failure, ValueError, TypeError) as error:
            raise PluginError(f"{where}{_why_not(api, error)}") from error
    python_target = cuda.python_target(gpu) if gpu else _python_target(api, handle.platform)
    return Client(
        handle, plugin.name, routines, said, library=plugin.path, python_target=python_target
    )


def _python_target(api: Api, platform: str) -> str | None:
    """The custom call by which programs of a plugin on the host call Python, if it takes one."""
    is_taken = platform == "cpu" and register_with_plugin(api, HANDLER, handler_address(), platform)
    return HANDLER if is_taken else None


def _load(plugin: Plugin, is_gpu: bool) -> tuple[str, Any]:
    """Load and initialise a library; jaxlib's name for it, and a capsule of its API."""
    path = plugin.path.resolve()
    if path not in _loaded:
        name = plugin.name
        if any(of in (name, f"anvl-{name}") for of, _ in _loaded.values()):  # another, which failed
            name = f"{name}-{next(_numbers)}"
        _loaded[path] = compat.load_plugin(name, str(path), is_gpu=is_gpu)
    name, capsule = _loaded[path]
    compat.initialize_plugin(name)
    return name, capsule


def _why_not(api: Api, error: Exception) -> str:
    """The end of the message for a plugin that does not start."""
    said = readable(error)
    if "PJRT API" not in said:
        return f" cannot be started: {said}"
    return (
        f" speaks version {api.version[0]}.{api.version[1]} of PJRT's C API, which jaxlib "
        f"{compat.JAXLIB_VERSION} does not take: {said}; install the plugin and jaxlib in versions "
        "of about the same date"
    )
