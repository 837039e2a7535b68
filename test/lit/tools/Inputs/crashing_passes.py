"""A pass that ends the process, as one of MLIR's may."""

import ctypes
from dataclasses import dataclass

from anvl.passes import Pass


@dataclass(frozen=True)
class Crash(Pass, argument="my-crash"):
    """Read what is at address 0."""

    def run(self, module):
        ctypes.string_at(0)


@dataclass(frozen=True)
class Kill(Pass, argument="my-kill"):
    """End as where memory runs out."""

    def run(self, module):
        import os
        import signal

        os.kill(os.getpid(), signal.SIGKILL)
