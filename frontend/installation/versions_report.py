"""`show_versions`: the versions of anvl and of all that it stands on, for reports of problems."""

from __future__ import annotations

import os
import platform
import sys
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import anvl
from anvl.dialect.core.mlir import stablehlo
from anvl.dialect.text.versions import VERSION
from anvl.runtime import hiding_frames, stablehlo_version
from anvl.runtime.plugins.registry import known_plugins

__all__ = [
    "installed_version", "print_environment_info", "show_versions", "versions_report",
]  # fmt: skip

_PACKAGES = ("torch-mlir", "jaxlib", "numpy", "ml_dtypes", "scipy", "jax")
_CPU = Path("/proc/cpuinfo")
#: Features that decide which code XLA makes, and so how results are rounded.
_FEATURES = (
    "sse4_2", "avx", "avx2", "fma", "avx512f", "avx512_bf16", "avx512_fp16", "amx_tile", "asimd",
    "sve", "bf16",
)  # fmt: skip
_VARIABLES = ("ANVL_", "XLA_", "PJRT_", "JAX_", "TF_CPP_", "OMP_NUM_THREADS")


def show_versions() -> None:
    """Print the versions of anvl and of what it stands on, for a report of a problem.

    Nothing is started: no client, no plugin.  `anvl doctor`, a command, tries all of it.

    Examples
    --------
    >>> import anvl
    >>> anvl.show_versions()  # doctest: +ELLIPSIS
    anvl       0.1.0, dialect 0.1
    Python     3...
    """
    print(_text(versions_report()))


@hiding_frames
def print_environment_info(return_string: bool = False) -> str | None:
    """Print what `show_versions` prints, or return it.

    Parameters
    ----------
    return_string : bool

    Returns
    -------
    str or None

    Examples
    --------
    >>> import anvl
    >>> "jaxlib" in anvl.print_environment_info(return_string=True)
    True
    """
    text = _text(versions_report())
    if return_string:
        return text
    print(text)
    return None


def _text(report: dict[str, str]) -> str:
    width = max(map(len, report))
    return "\n".join(f"{name.ljust(width)} {text}" for name, text in report.items())


def versions_report() -> dict[str, str]:
    """The lines of `show_versions`, by their names."""
    report = {
        "anvl": f"{anvl.__version__}, dialect {VERSION}",
        "Python": f"{platform.python_version()} ({platform.python_implementation()})",
        "system": f"{platform.platform()}, {os.cpu_count()} processors",
        "processor": _processor(),
    }
    report |= {name: installed_version(name) or "not installed" for name in _PACKAGES}
    ours, theirs = stablehlo.get_current_version(), stablehlo_version()
    report["StableHLO"] = f"{ours} of torch-mlir, {theirs} of jaxlib"
    report["plugins"] = "; ".join(_plugins()) or "none but jaxlib's own"
    report["variables"] = " ".join(_variables()) or "none"
    report["imported"] = " ".join(x for x in ("jax", "torch", "tensorflow") if x in sys.modules)
    return {name: text for name, text in report.items() if text}


def installed_version(package: str) -> str | None:
    """The version of a package; None if it is not installed."""
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def _plugins() -> list[str]:
    return [
        f"{plugin.name} from {plugin.origin}" + (f" ({plugin.problem})" if plugin.problem else "")
        for plugin in known_plugins().values()
    ]


def _variables() -> list[str]:
    return [f"{k}={v}" for k, v in sorted(os.environ.items()) if k.startswith(_VARIABLES)]


def _processor() -> str:
    """The model and the features of the processor, as far as the system tells."""
    facts: dict[str, str] = {}
    try:
        for line in _CPU.read_text(errors="replace").splitlines():
            key, _, value = line.partition(":")
            facts.setdefault(key.strip(), value.strip())
    except OSError:  # not on Linux
        return platform.processor() or platform.machine()
    has = {*facts.get("flags", "").split(), *facts.get("Features", "").split()}
    name = facts.get("model name") or platform.machine()
    return " ".join([f"{name}:", *(x for x in _FEATURES if x in has)]).removesuffix(":")
