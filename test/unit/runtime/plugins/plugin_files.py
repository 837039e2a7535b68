"""The real plugin, and libraries that are none: compiled here, in C."""

import os
import shutil
import subprocess
from functools import cache
from pathlib import Path

import pytest

__all__ = ["NAME", "compiled"]

#: XLA's CPU client behind PJRT's C API, from the wheel of this name, or the plugin to be tried.
NAME = os.environ.get("ANVL_TEST_PLUGIN", "xla-cpu-pjrt")

_SOURCE = Path(__file__).parent / "native" / "plugin.c"


@cache
def _compiler() -> str | None:
    return os.environ.get("CC") or shutil.which("cc") or shutil.which("gcc")


def compiled(path: Path, fault: str, version: str = "0.81") -> Path:
    """A library that is nearly a plugin."""
    compiler = _compiler()
    if compiler is None:
        pytest.skip("this machine has no C compiler: no CC, cc or gcc")
    major, minor = version.split(".")
    defines = [f"-DMAJOR={major}", f"-DMINOR={minor}", f"-DFAULT={fault}"]
    command = [compiler, "-std=c11", "-shared", "-fPIC", *defines, str(_SOURCE), "-o", str(path)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return path
