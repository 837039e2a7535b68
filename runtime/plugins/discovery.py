"""Where plugins are found: registered, named in the environment, or in installed wheels.

Nothing is loaded here, and no module of a wheel is executed: those of `jax_plugins` import jax.

Source: the variable, its JSON files and the entry points are those of JAX,
https://openxla.org/xla/pjrt/pjrt_integration
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from importlib.machinery import ModuleSpec, PathFinder
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from anvl.runtime.client import EMBEDDED

__all__ = [
    "GROUPS", "VARIABLE", "Plugin", "in_environment", "installed", "normal", "refused_entry",
    "taken", "wrong_option",
]  # fmt: skip

VARIABLE = "PJRT_NAMES_AND_LIBRARY_PATHS"
#: Groups of entry points, which are also the packages that such wheels install into.
GROUPS = ("jax_plugins", "xla_plugins")

_LIBRARIES = (".so", ".dylib", ".dll", ".pyd")
_MOST = 2**63
_SYMBOL = b"GetPjrtApi"
# The usual name of a platform, by the names under which wheels install its plugin.
_USUAL = (
    (r"xla-cuda\d*", "cuda"),
    (r"xla-rocm\d*", "rocm"),
    (r"(?:jax-)?metal(?:-plugin)?", "metal"),
)


@dataclass(frozen=True)
class Plugin:
    """A plugin that is known by a name; `problem` says why it cannot be loaded, if so."""

    name: str
    path: Path
    options: Mapping[str, Any] = field(default_factory=dict)
    origin: str = "register_plugin"
    problem: str = ""


def normal(name: str) -> str:
    """The form in which names are compared: `XLA_CPU_PJRT` is `xla-cpu-pjrt`."""
    return re.sub(r"[-_.\s]+", "-", name.strip()).lower()


def taken(name: str) -> str:
    """Say that a name is jaxlib's own client's, which no plugin can have; empty if it is not."""
    return "" if normal(name) != EMBEDDED else f"{name!r} is jaxlib's own client"


def wrong_option(options: Mapping[Any, Any]) -> str:
    """Describe the fault of a plugin's options; empty if they are of PJRT's types."""
    for name, value in options.items():
        if not isinstance(name, str):
            return f"name of option {name!r} must be text"
        if not _is_option(value):
            return (
                f"option {name} must be text, a bool, an integer of 64 bits, a float or a list of "
                f"integers, got {value!r} of type {type(value).__name__}"
            )
    return ""


def _is_option(value: object) -> bool:
    if isinstance(value, list | tuple):
        return all(type(x) is int and -_MOST <= x < _MOST for x in value)
    if type(value) is int:
        return -_MOST <= value < _MOST
    return isinstance(value, str | bool | float)


# -- the environment -------------------------------------------------------------------------------


def in_environment() -> Iterator[Plugin]:
    """Plugins of the variable: `name:path,name2:path2`."""
    for entry, name, path in _entries():
        if problem := _wrong_entry(entry, name, path):
            yield Plugin(normal(name or path), Path(path), origin=VARIABLE, problem=problem)
        else:
            yield _described(normal(name), Path(path))


def refused_entry() -> str:
    """Say which entry of the variable wants the name of jaxlib's own client; empty if none does."""
    wanting = (of for of in _entries() if taken(of[1]))
    return next((_wrong_entry(*of) for of in wanting), "")


def _entries() -> Iterator[tuple[str, str, str]]:
    """Entries of the variable, each with its name and its path."""
    for entry in os.environ.get(VARIABLE, "").split(","):
        if text := entry.strip():
            name, _, path = text.partition(":")
            yield text, name, path


def _wrong_entry(entry: str, name: str, path: str) -> str:
    """Describe the fault of an entry; empty if it has a name of its own and a path."""
    if of := taken(name):
        remedy = "give the plugin another name there, or take the entry out"
        return f"{VARIABLE} has the entry {entry!r}, but {of}; {remedy}"
    if not name or not path:
        return f"{VARIABLE} has the entry {entry!r}; write name:path,name2:path2"
    return ""


def _described(name: str, path: Path) -> Plugin:
    """The plugin at a path of the variable, which may be a JSON file that describes it."""
    if path.suffix != ".json":
        return Plugin(name, path, origin=VARIABLE)
    import json  # as below: for few processes

    try:
        of = json.loads(path.read_text())
        library, options = of["library_path"], of.get("create_options") or {}
        if not isinstance(library, str) or not isinstance(options, dict):
            raise TypeError("library_path must be text, and create_options an object")
        if wrong := wrong_option(options):
            raise TypeError(wrong)
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        what = f"it lacks {error}" if isinstance(error, KeyError) else str(error)
        problem = (
            f"{path} of {VARIABLE} cannot be used: {what}; correct the file, or take the entry out"
        )
        return Plugin(name, path, origin=VARIABLE, problem=problem)
    beside = path.parent / library
    return Plugin(name, beside if beside.exists() else Path(library), options, VARIABLE)


# -- installed wheels ------------------------------------------------------------------------------


def installed() -> Iterator[Plugin]:
    """Plugins of installed wheels, under the usual name of their platform and under their own."""
    found: dict[str, Plugin] = {}
    for name, module, wheel in _modules():
        own = normal(name)
        if own not in found:
            found[own] = _in_module(own, module, wheel)
    # The newest of cuda12 and cuda13 has the usual name.
    for own in sorted(found, key=_number, reverse=True):
        usual = next((usual for form, usual in _USUAL if re.fullmatch(form, own)), own)
        known = found[own]
        if usual != own:
            yield Plugin(usual, known.path, known.options, known.origin, known.problem)
        yield known


def _number(name: str) -> int:
    digits = re.search(r"(\d+)$", name)
    return int(digits[1]) if digits else 0


def _modules() -> Iterator[tuple[str, str, str]]:
    """The name, the module and the wheel of each installed plugin."""
    from importlib import metadata  # 15 ms, for a process that asks for a plugin

    for group in GROUPS:
        for point in metadata.entry_points(group=group):
            wheel = f"{point.dist.name} {point.dist.version}" if point.dist else point.value
            yield point.name, point.module, wheel
        # Wheels without entry points, such as Metal's, are only folders of the package.
        for folder in _folders(_top(group)):
            for path in sorted(p for p in folder.iterdir() if (p / "__init__.py").is_file()):
                yield path.name, f"{group}.{path.name}", str(path)
    if _top("libtpu") is not None:  # a wheel of its own form
        yield "tpu", "libtpu", "libtpu"


def _in_module(name: str, module: str, wheel: str) -> Plugin:
    """The plugin whose library is beside a module."""
    folders = _folders(_spec(module))
    libraries = [
        path
        for folder in folders
        for path in sorted(folder.iterdir())
        if path.suffix in _LIBRARIES and path.is_file()
    ]
    if len(libraries) > 1:
        libraries = [path for path in libraries if _SYMBOL in path.read_bytes()]
    if len(libraries) == 1:
        return Plugin(name, libraries[0], origin=f"the wheel {wheel}")
    where = ", ".join(map(str, folders)) or f"{module}, which is not there"
    several = f"several, {', '.join(p.name for p in libraries)}" if libraries else "none"
    problem = f"the wheel {wheel} should have one library of a plugin in {where}, it has {several}"
    return Plugin(name, Path(), origin=f"the wheel {wheel}", problem=problem)


def _spec(module: str) -> ModuleSpec | None:
    """As `importlib.util.find_spec`, without executing the packages around the module."""
    name, *inner = module.split(".")
    spec = _top(name)
    for part in inner:
        if spec is None:
            return None
        name = f"{name}.{part}"
        spec = PathFinder.find_spec(name, list(spec.submodule_search_locations or ()))
    return spec


def _top(package: str) -> ModuleSpec | None:
    try:
        return find_spec(package)
    except ValueError:  # imported, but from nowhere
        return None


def _folders(spec: ModuleSpec | None) -> list[Path]:
    """Existing folders of a package, or that of a module."""
    if spec is None:
        return []
    places = spec.submodule_search_locations
    listed = [Path(place) for place in places or ()]
    if not listed and spec.origin:
        listed = [Path(spec.origin).parent]
    return [folder for folder in listed if folder.is_dir()]
