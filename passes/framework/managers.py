"""MLIR's pass managers, kept from run to run.

A new manager takes 20 us for its first run, as long as a pass takes for a small function, and
another run of it takes 1 us; `canonicalize` needs 190 us to be set up.
"""

import collections

from anvl.dialect.core.mlir import PassManager, ir
from anvl.passes.framework import native
from anvl.passes.framework.pass_base import Pass

__all__ = ["Managers", "give_back", "run_native", "take"]


class Managers:
    """Pass managers of one context, for one user at a time."""

    def __init__(self, context: ir.Context) -> None:
        self.context = context
        self._native: dict[tuple[str, str], PassManager] = {}
        self._python: dict[str, tuple[PassManager, list[Pass]]] = {}

    def run_native(self, text: str, op: ir.Operation, anchor: str) -> None:
        """Run a pass of MLIR's own."""
        manager = self._native.get((anchor, text))
        if manager is None:
            native.check(anchor, text)
            manager = PassManager(anchor, self.context)
            manager.add(text)
            manager.enable_verifier(False)  # `verify_each` does it, for our passes too
            self._native[anchor, text] = manager
        manager.run(op)

    def run_python(self, element: Pass, op: ir.Operation, anchor: str) -> None:
        """Run a pass written in Python.

        One manager serves all of them: it keeps no pass, which may hold arrays.
        """
        manager, running = self._python.get(anchor) or self._make(anchor)
        running.append(element)
        try:
            manager.run(op)
        finally:
            running.clear()

    def _make(self, anchor: str) -> tuple[PassManager, list[Pass]]:
        # The function refers to the list alone: a cycle through a manager is never collected.
        running: list[Pass] = []
        manager = PassManager(anchor, self.context)
        manager.add(lambda op, _: running[-1].run(op), name="AnvlPass", argument="anvl-pass")
        manager.enable_verifier(False)
        self._python[anchor] = manager, running
        return manager, running


# Managers not in use.  A pass may run others itself, so one set is not enough.
_idle: collections.deque[Managers] = collections.deque(maxlen=8)


def take(context: ir.Context) -> Managers:
    """Managers that nobody else uses, until they are given back."""
    try:
        managers = _idle.pop()
    except IndexError:
        return Managers(context)
    return managers if managers.context is context else Managers(context)


def give_back(managers: Managers) -> None:
    """Let others use these; after an error they are left to the garbage collector instead."""
    _idle.append(managers)


def run_native(text: str, op: ir.Operation) -> None:
    """Run passes of MLIR's own on an op of the kind that they take."""
    managers = take(op.context)
    managers.run_native(text, op, op.name)
    give_back(managers)
