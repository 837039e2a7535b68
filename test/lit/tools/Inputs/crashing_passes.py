"""A pass that ends the process, as one of MLIR's may."""

import ctypes
from dataclasses import dataclass

from anvl.passes import Pass, find


@dataclass(frozen=True)
class Crash(Pass, argument="my-crash"):
    """Read what is at address 0."""

    def run(self, module):
        ctypes.string_at(0)


@dataclass(frozen=True)
class CrashAt(Pass, argument="my-crash-at"):
    """Read what is at address 0 where an op is found."""

    def run(self, module):
        for op in find(module, "anvl.sin"):
            _read(op)


def _read(op):
    if getattr(op.operands[0].owner, "name", "") == "anvl.mul":
        ctypes.string_at(0)


@dataclass(frozen=True)
class Leave(Pass, argument="my-leave"):
    """End without a word, as if all had gone well."""

    def run(self, module):
        import os

        os._exit(0)


@dataclass(frozen=True)
class Kill(Pass, argument="my-kill"):
    """End as where memory runs out."""

    def run(self, module):
        import os
        import signal

        os.kill(os.getpid(), signal.SIGKILL)
