"""The exit status with which this process ends, for functions that run at exit.

Note [Exit status]

A process that ends by `sys.exit(3)` has failed, and Python tells the functions of `atexit` nothing
of it.  So in a process of a job `sys.exit`, and with it `exit` and `quit`, raise a `SystemExit`
that notes when its `code` is read while no Python code runs: by the interpreter, which then ends
the process with it.  One that is caught notes nothing.  `raise SystemExit(3)` goes unnoticed: the
class cannot be changed, and another one under its name would not catch what C code raises.
"""

from __future__ import annotations

import _sitebuiltins
import sys
from typing import Any, NoReturn

__all__ = ["failure", "watch_exit"]

_status: Any = None


class _Exit(SystemExit):
    """A `SystemExit` that notes its status when the interpreter asks for it."""

    def __getattribute__(self, name: str) -> Any:
        global _status
        found = super().__getattribute__(name)
        if name == "code":
            try:
                sys._getframe(1)
            except ValueError:  # nobody below
                _status = found
        return found


def _exit(status: Any = None, /) -> NoReturn:
    """Exit the interpreter by raising SystemExit(status)."""
    raise _Exit(*(() if status is None else (status,)))


def watch_exit() -> None:
    """Note how this process ends."""
    sys.exit = _exit
    vars(_sitebuiltins)["SystemExit"] = _Exit  # of `exit` and `quit`


def failure() -> str | None:
    """How this process ends, if by an exit status other than 0; at exit."""
    return None if _status in (None, 0) else f"sys.exit({_status!r})"
