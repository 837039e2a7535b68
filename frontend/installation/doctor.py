"""Checks of an installation from end to end, one line each: `anvl doctor`.

    python -m anvl.installation.doctor    prints a line for each check; exit code 2 if one failed,
                                          3 where nobody reads the lines

Each line is `ok` with what was found, or `FAILED` with what to do.  The command runs this as a
child process, so that a check that ends the process is told, too.
"""

from __future__ import annotations

import os
import platform
import re
import sys
import tempfile
from collections.abc import Callable, Sequence
from importlib.metadata import requires
from pathlib import Path
from typing import NamedTuple

import numpy as np

import anvl
import anvl.numpy as anp
from anvl.dialect.core.mlir import stablehlo
from anvl.installation.versions_report import installed_version
from anvl.runtime import devices, stablehlo_version
from anvl.runtime.disk_cache import Folder, Refused, default_path
from anvl.runtime.plugins.discovery import VARIABLE, Plugin
from anvl.runtime.plugins.registry import known_plugins

__all__ = ["CHECKS", "Check", "Problem", "main"]

_PACKAGE = "anvl-mlir"
_REQUIREMENT = re.compile(r"([A-Za-z0-9_.-]+)\s*([^;]*)(;.*)?")


class Problem(Exception):
    """A check that failed: what is wrong, and what to do."""


class Check(NamedTuple):
    """A check: it returns what it found, or raises.  `advice` is for unexpected errors."""

    name: str
    run: Callable[[], str]
    advice: str


def _python() -> str:
    found = sys.version_info[:2]
    if not (3, 11) <= found <= (3, 13):
        raise Problem(f"Python {platform.python_version()}; install 3.11, 3.12 or 3.13")
    return f"Python {platform.python_version()}, {platform.machine()}"


def _packages() -> str:
    """The packages that anvl needs, each in the window of versions that it is tested with."""
    found = []
    for text in requires(_PACKAGE) or []:
        match = _REQUIREMENT.fullmatch(text)
        if match is None or match[3]:  # of an extra
            continue
        name, window = match[1], match[2].strip(" ()")
        has = installed_version(name)
        if has is None or not _within(has, window):
            command = f'pip install "{name}{window}"'
            raise Problem(f"{name} is {has or 'not installed'}, anvl needs {window}; {command}")
        found.append(f"{name} {has}")
    return ", ".join(found)


def _within(version: str, window: str) -> bool:
    """Whether a version satisfies `>=0.10.2,<0.13`."""
    has = _numbers(version)
    for each in filter(None, window.split(",")):
        sign, bound = re.fullmatch(r"\s*(==|>=|<=|<|>|!=)\s*(\S+)\s*", each).groups()  # type: ignore[union-attr]
        given = _numbers(bound)
        size = max(len(has), len(given))
        x, y = (n + (0,) * (size - len(n)) for n in (has, given))
        fits = {"==": x == y, ">=": x >= y, "<=": x <= y, "<": x < y, ">": x > y, "!=": x != y}
        if not fits[sign]:
            return False
    return True


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(n) for n in re.findall(r"\d+", version.partition("+")[0]))


def _stablehlo() -> str:
    ours, theirs = stablehlo.get_current_version(), stablehlo_version()
    return f"written in {stablehlo.get_smaller_version(ours, theirs)}, jaxlib reads {theirs}"


def _wave(x: object) -> object:
    return anp.sum(anp.sin(x) * x)


_X = np.linspace(0.0, 1.0, 5)


def _trace() -> str:
    return f"{len(anvl.trace(_wave, _X).calls)} ops"


def _lower() -> str:
    text = anvl.jit(anvl.grad(_wave)).lower(_X).mlir("stablehlo")
    return f"{len(text.splitlines())} lines of StableHLO, through all passes"


def _run() -> str:
    _equal(anvl.jit(_wave)(_X), np.sum(np.sin(_X) * _X))
    return f"the program gives NumPy's result on {devices()[0]}"


def _gradient() -> str:
    _equal(anvl.grad(_wave)(_X), np.cos(_X) * _X + np.sin(_X))
    return "the derivative is right"


def _lapack() -> str:
    matrix = np.array([[4.0, 1.0], [1.0, 3.0]])
    _equal(anp.linalg.cholesky(matrix), np.linalg.cholesky(matrix))
    return "LAPACK gives NumPy's Cholesky factor"


def _equal(found: object, expected: np.ndarray | np.float64) -> None:
    if not np.allclose(np.asarray(found), expected, rtol=1e-6):
        raise Problem(
            f"the result is {np.asarray(found)}, but must be {expected}; report this with the "
            "output of anvl.show_versions()"
        )


def _files() -> str:
    """A function is exported to a file, and loaded."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "wave.anvl"
        anvl.export(_wave, _X).save(path)
        _equal(anvl.load(path)(_X), np.sum(np.sin(_X) * _X))
    return "a function is written to a file and read again"


def _cache() -> str:
    """The folder of compiled programs can be used."""
    path = anvl.config.cache_dir or default_path()
    if not anvl.config.cache or path is None:
        return "off, by anvl.config.cache" if path else "off: there is no home directory"
    folder = Folder(path)
    try:
        folder.create()
        kept = folder.kept()
    except (Refused, OSError) as error:
        raise Problem(
            f"{error}; correct the folder, name another in ANVL_CACHE_DIR, or set ANVL_CACHE=0"
        ) from None
    return f"{len(kept)} programs in {path}"


def _plugins() -> str:
    """Plugins of other platforms are found; they are not started."""
    known = known_plugins()
    broken = [f"{p.name}: {fault}" for p in known.values() if (fault := _fault(p))]
    if broken:
        raise Problem(". ".join(broken))
    listed = ", ".join(f"{name} ({plugin.origin})" for name, plugin in known.items())
    return listed or "none installed; jaxlib's own runs on the CPU"


def _fault(plugin: Plugin) -> str:
    """The fault of a plugin, and what to do; empty if there is none."""
    if plugin.origin != VARIABLE:
        problem = plugin.problem
        return f"{problem}; install the wheel again, or remove it" if problem else ""
    if plugin.problem or plugin.path.is_file():
        return plugin.problem
    return (
        f"{VARIABLE} names {plugin.path}, and there is no such file; give the path of the "
        "plugin's shared library, or take the entry out"
    )


def _memory_maps() -> str:
    """Linux gives a process 65,530 memory maps, of which each program takes up to 300."""
    limit = Path("/proc/sys/vm/max_map_count")
    if not limit.exists():
        return "no limit known"
    most = int(limit.read_text())
    if most < 65_530:
        raise Problem(f"vm.max_map_count is {most}; set it to 65530 or more, for many programs")
    return f"{most} memory maps"


_REINSTALL = "install again: pip install --force-reinstall anvl-mlir"
_REPORT = "report this with the output of anvl.show_versions()"

#: In the order in which they stand on each other.
CHECKS: Sequence[Check] = (
    Check("python", _python, _REINSTALL),
    Check("packages", _packages, _REINSTALL),
    Check("stablehlo", _stablehlo, _REINSTALL),
    Check("trace", _trace, _REPORT),
    Check("passes", _lower, _REPORT),
    Check("compile and run", _run, _REPORT),
    Check("gradient", _gradient, _REPORT),
    Check("linear algebra", _lapack, "install SciPy again, whose LAPACK is called"),
    Check("export", _files, f"is {tempfile.gettempdir()} writable? if so, {_REPORT}"),
    Check("cache", _cache, "set ANVL_CACHE=0 to do without"),
    Check("plugins", _plugins, "remove the wheel of the plugin, or install it again"),
    Check("memory maps", _memory_maps, _REPORT),
)  # fmt: skip


def main(checks: Sequence[Check] = CHECKS) -> int:
    """Run the checks, and print a line for each; 2 if one failed, else 0."""
    n_failed = 0
    width = max(len(check.name) for check in checks)
    for check in checks:
        print(
            f"{check.name.ljust(width)}  ", end="", flush=True
        )  # named, should it end the process
        try:
            found = check.run()
        except Problem as problem:
            line, failed = str(problem), True
        except Exception as error:
            said = " ".join(str(error).split())
            line, failed = f"{type(error).__name__}: {said}; {check.advice}", True
        else:
            line, failed = found, False
        n_failed += failed
        print(f"{'FAILED' if failed else 'ok'}  {line}", flush=True)
    print("all is well" if not n_failed else f"{n_failed} of {len(checks)} checks failed")
    return 2 if n_failed else 0


if __name__ == "__main__":
    os.environ.setdefault("ANVL_PROGRESS", "0")
    try:
        code = main()
    except OSError:  # of stdout: those of checks are told
        os._exit(3)
    sys.exit(code)
