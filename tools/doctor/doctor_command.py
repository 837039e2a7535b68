"""Run the checks of `anvl.installation.doctor` in a child process, which one of them may end."""

import signal
import subprocess
import sys
from collections.abc import Sequence

__all__ = ["doctor"]

_CHILD = (sys.executable, "-m", "anvl.installation.doctor")
_CHECKED = (0, 2)  # exit codes of a child that has run all checks
_UNREAD = 3  # of one that could not write


def doctor(child: Sequence[str] = _CHILD) -> int:
    """Run the checks; returns the exit code of the command."""
    if sys.stdout is not None:  # it is closed
        sys.stdout.flush()
    ended = subprocess.run(child, stderr=subprocess.PIPE, text=True, errors="replace")
    code = ended.returncode
    if code == _UNREAD:
        return 1
    if code in _CHECKED:
        return 1 if code else 0
    if code < 0:
        name = signal.Signals(-code).name if -code in {*signal.Signals} else f"signal {-code}"
        problem = f"the process ended with {name}; report this with the output of anvl --version"
    else:
        last = (ended.stderr.strip() or "no message").rpartition("\n")[2]
        problem = f"anvl cannot be imported, {last}; install again: {_INSTALL}"
    print(f"FAILED  {problem}")
    return 1


_INSTALL = "pip install --force-reinstall anvl-mlir"
