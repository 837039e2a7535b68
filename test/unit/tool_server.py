"""The tools of anvl as processes of their own, forked by the server of the lit tests.

A process that imports anvl takes 0.3 s of a processor; one that is forked by a process that has
imported it, 0.05.  Tests of what is imported start Python itself.
"""

import atexit
import os
import subprocess
import sys
from functools import cache
from pathlib import Path

__all__ = ["tool", "tools_folder"]

_SERVER = Path(__file__).parents[1] / "lit" / "support" / "server.py"
_MODULES = {
    "anvl-diff": "anvl.tools.diff.diff_tool",
    "anvl-opt": "anvl.tools.opt.main",
    "anvl-reduce": "anvl.tools.reduce.reduce_tool",
    "anvl-run": "anvl.tools.run.run_tool",
    "anvl-viz": "anvl.tools.viz.viz_tool",
}


def tool(name: str) -> list[str]:
    """The command that runs a tool, to be followed by its arguments."""
    if not hasattr(os, "fork"):
        return [sys.executable, "-m", _MODULES[name]]
    return [str(tools_folder() / name)]


@cache
def tools_folder() -> Path:
    """The folder of the tools of a server, which ends with this process."""
    if not hasattr(os, "fork"):
        return Path(sys.executable).parent
    server = subprocess.Popen(
        [sys.executable, _SERVER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert server.stdin is not None and server.stdout is not None
    atexit.register(server.wait)
    atexit.register(server.stdout.close)
    atexit.register(server.stdin.close)
    return Path(server.stdout.readline().rstrip("\n"))
