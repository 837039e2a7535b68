"""Passes and dialects of installed packages, which declare them as entry points.

    [project.entry-points."anvl.passes"]        the name of a pass, and the module that defines it
    my-rescale = "my_package.passes"
    [project.entry-points."anvl.dialects"]      the name of a dialect
    my = "my_package.ops"

A module is imported when a pipeline names its pass, or a program its dialect; so a package that
is installed costs nothing until then.
"""

import contextlib
import os
import re
import sys
from collections.abc import Iterator
from functools import cache
from typing import TYPE_CHECKING

from anvl.dialect.core.dialect import own_dialects
from anvl.passes.framework.pass_base import find
from anvl.tools.io.command_line import UsageError

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

__all__ = ["load_all", "load_dialects_in", "load_passes_in"]

_PASSES = "anvl.passes"
_DIALECTS = "anvl.dialects"
_NAME = re.compile(r"[\w.-]+")


def load_passes_in(text: str) -> None:
    """Import the modules of the passes that a pipeline names; raises `UsageError`."""
    points = _points(_PASSES)
    for name in _NAME.findall(text) if points else ():
        if name in points and find(name) is None:
            _load(points[name])


def load_dialects_in(content: str | bytes) -> None:
    """Import the modules of the dialects whose names a program has; raises `UsageError`."""
    for name, points in _points(_DIALECTS).items():
        has_name = f"{name}." in content if isinstance(content, str) else name.encode() in content
        if has_name and name not in own_dialects():
            _load(points)


def load_all() -> list[str]:
    """Import all modules, for a list of what there is; returns what goes wrong."""
    problems = []
    for group in (_DIALECTS, _PASSES):
        for _, points in sorted(_points(group).items()):
            try:
                _load(points)
            except UsageError as error:
                problems.append(str(error))
    return problems


@cache
def _points(group: str) -> dict[str, list["EntryPoint"]]:
    """The entry points of a group by name, with all that have one name."""
    if not _are_declared():
        return {}
    from importlib.metadata import entry_points

    found: dict[str, list[EntryPoint]] = {}
    for point in entry_points(group=group):
        found.setdefault(point.name, []).append(point)
    return found


@cache
def _are_declared() -> bool:
    """Whether a file on the path of Python has one of the groups.

    Python's own reader takes 50 ms for its import and for the entry points of all packages.
    """
    return any(
        group in data
        for folder in sys.path
        for data in _entry_point_files(folder or ".")
        for group in (_PASSES.encode(), _DIALECTS.encode())
    )


def _entry_point_files(folder: str) -> Iterator[bytes]:
    try:
        names = os.listdir(folder)
    except OSError:
        return
    for name in names:
        if name.endswith((".dist-info", ".egg-info")):
            with (
                contextlib.suppress(OSError),
                open(os.path.join(folder, name, "entry_points.txt"), "rb") as file,
            ):
                yield file.read()


def _load(points: list["EntryPoint"]) -> None:
    """Import a module; raises `UsageError` with the name of its distribution."""
    point = points[0]
    where = " and ".join(sorted(_distribution(each) for each in points))
    what = f"{where}: entry point {point.name!r} of {point.group}"
    if len(points) > 1:
        raise UsageError(f"{what} is declared by both; uninstall one")
    try:
        with contextlib.redirect_stdout(sys.stderr):  # stdout is for IR
            point.load()
    except (Exception, SystemExit) as error:
        text = " ".join(str(error).split("\n"))
        raise UsageError(
            f"{what} cannot be loaded from {point.value!r}, {type(error).__name__}: {text}; "
            "repair or uninstall the package"
        ) from None
    if not (find(point.name) if point.group == _PASSES else point.name in own_dialects()):
        kind = "pass" if point.group == _PASSES else "op of a dialect"
        raise UsageError(f"{what}: {point.value!r} defines no {kind} of this name")


def _distribution(point: "EntryPoint") -> str:
    return f"{point.dist.name} {point.dist.version}" if point.dist is not None else "a package"
