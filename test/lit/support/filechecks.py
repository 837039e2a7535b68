"""Both FileChecks for the lit tests: the Python one, and LLVM's own where it is installed.

main(["filecheck", "a.mlir"])       status 0 if both find the checks of the file in stdin
"""

import io
import shutil
import subprocess
import sys
from collections.abc import Sequence
from functools import cache

import filecheck.main

__all__ = ["llvm_filecheck", "main"]


@cache
def llvm_filecheck() -> str | None:
    """LLVM's FileCheck, which distributions install as FileCheck-18 or so."""
    for name in ("FileCheck", *(f"FileCheck-{version}" for version in range(40, 11, -1))):
        path = shutil.which(name)
        if (
            path
            and "LLVM" in subprocess.run([path, "--version"], capture_output=True, text=True).stdout
        ):
            return path
    return None


def main(argv: Sequence[str]) -> int:
    """Run the Python one and then, if that finds all checks, LLVM's."""
    given = sys.stdin.buffer.read()
    sys.stdin = io.TextIOWrapper(io.BytesIO(given))
    try:
        filecheck.main.main(list(argv))
    except SystemExit as end:
        if end.code or llvm_filecheck() is None:
            raise
    command = [llvm_filecheck(), *argv[1:]]
    status = subprocess.run(command, input=given, check=False).returncode
    if status:
        print(f"filecheck finds the checks, but {command[0]} does not", file=sys.stderr)
    return status
