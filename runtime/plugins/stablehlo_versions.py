"""Versions of StableHLO: of the artifacts that jaxlib reads, and that a plugin takes."""

from __future__ import annotations

import functools
from collections.abc import Sequence

from anvl.runtime.client import Client
from anvl.runtime.errors import PluginError
from anvl.runtime.lazy import compat

__all__ = ["check_stablehlo", "stablehlo_version"]


def stablehlo_version(client: Client | None = None) -> str:
    """The newest version of StableHLO artifacts that `compile` takes, such as `1.17.0`.

    The smaller of jaxlib's, which reads them, and that of the client's plugin, if it says one.

    Examples
    --------
    >>> import anvl.runtime as rt
    >>> rt.stablehlo_version().startswith("1.")
    True
    """
    said = None if client is None else client.attributes.get("stablehlo_current_version")
    own = _jaxlib_version()
    return own if said is None else _version_text(min(tuple(said), _version(own)))


def check_stablehlo(version: str, client: Client) -> None:
    """Raise `PluginError` if a client's plugin takes no artifacts of a version any more."""
    least = client.attributes.get("stablehlo_minimum_version")
    if least is not None and tuple(least) > _version(version):
        raise PluginError(
            f"compile: the plugin {client.name} takes StableHLO {_version_text(least)} and later, "
            f"anvl writes {version} and earlier with jaxlib {compat.JAXLIB_VERSION}; install newer "
            "versions of jaxlib and torch-mlir, or an older one of the plugin"
        )


_jaxlib_version = functools.cache(lambda: compat.stablehlo_version())


def _version(text: str) -> tuple[int, ...]:
    return tuple(map(int, text.split(".")))


def _version_text(version: Sequence[int]) -> str:
    return ".".join(map(str, version))
