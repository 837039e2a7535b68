"""Where and with what a run was made: numbers of two machines are not comparable."""

import datetime
import os
import platform
import subprocess
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import anvl

ROOT = Path(__file__).resolve().parents[1]
_PACKAGES = ("anvl-mlir", "torch-mlir", "jaxlib", "jax", "numpy")


def description() -> dict[str, str]:
    """Date, processor, system, versions; nothing that names the machine or its owner."""
    return {
        "date": datetime.datetime.now(datetime.UTC).strftime("%Y-%m-%d %H:%M UTC"),
        "processor": f"{_processor()}, {_cores()} cores",
        "device": _device(),
        "load": _load(),
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        "commit": _commit(),
    } | {name: _version(name) for name in _PACKAGES}


def _device() -> str:
    """Where anvl's programs run; with `JAX_PLATFORMS` jax's run there too."""
    device = anvl.default_device()
    if device is anvl.devices("cpu")[0]:
        return "the processor"
    return f"{device.handle.device_kind}, {device}"


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor() or "unknown"
    named = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(named, platform.processor() or "unknown")


def _cores() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _load() -> str:
    """The mean number of processes that wanted a core in the last minute, this one included."""
    return f"{os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else "unknown"


def _commit() -> str:
    try:
        commit = _git("rev-parse", "--short", "HEAD")
        return f"{commit}, changed" if _git("status", "--porcelain", "-uno") else commit
    except (OSError, subprocess.CalledProcessError):
        return "unknown"


def _git(*args: str) -> str:
    command = ["git", "-C", str(ROOT), *args]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "absent"
