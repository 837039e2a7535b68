"""The op that a pass was at when it crashed: which it had taken up last.

MLIR cannot tell: a pass is Python code, with ops in its variables.  So the second run, which is
silent and may take long, looks at the variables of each function of the pass as they change.
"""

import sys
import sysconfig
from functools import cache
from pathlib import Path
from types import FrameType
from typing import Any

from anvl.dialect.core.mlir import ir
from anvl.passes.framework import instrument
from anvl.passes.framework.instrument import Instrument, PassText
from anvl.passes.framework.pass_base import Pass
from anvl.passes.framework.verification import shown
from anvl.tools.io.crash_guard import note_op

__all__ = ["OpTracer"]


class OpTracer(Instrument):
    """Leaves a note of each op that the pass of a step takes up; `step` is as in a `Crash`."""

    def __init__(self, step: str) -> None:
        self._pass = step.partition(":")[0]
        self._seen: dict[int, dict[str, int]] = {}
        self._anchor: ir.Operation | None = None
        self._is_running = False  # whether the pass itself is, and not what looks ahead for it

    def before(self, pass_: PassText, op: ir.Operation) -> None:
        if pass_.argument == self._pass:
            self._anchor, self._is_running = op, False
            sys.settrace(self._called)

    def after(self, pass_: PassText, op: ir.Operation) -> None:
        sys.settrace(None)
        note_op("", "")

    def failed(self, pass_: PassText, op: ir.Operation) -> None:
        self.after(pass_, op)

    def _called(self, frame: FrameType, event: str, _: Any) -> Any:
        if _is_passed_over(frame.f_code.co_filename):
            return None
        if not self._is_running and not _is_run_of_a_pass(frame):
            return None
        self._is_running = True
        self._look(frame)
        return self._traced

    def _traced(self, frame: FrameType, event: str, _: Any) -> Any:
        if event == "return":
            self._seen.pop(id(frame), None)
        else:
            self._look(frame)
        return self._traced

    def _look(self, frame: FrameType) -> None:
        """Note an op that a variable has since the last line."""
        before = self._seen.get(id(frame), {})
        now = {name: id(value) for name, value in frame.f_locals.items() if _is_op(value)}
        self._seen[id(frame)] = now
        for name in now:
            if before.get(name) != now[name]:
                op = frame.f_locals[name].operation
                if op != self._anchor:
                    note_op(str(op.location), shown(op))


@cache
def _is_passed_over(file: str) -> bool:
    """Whether a file is of Python, of the bindings, or of what runs passes."""
    around = Path(file).parents
    library = Path(sysconfig.get_path("stdlib"))
    is_python = library in around and library / "site-packages" not in around
    others = Path(__file__).parents[2], Path(ir.__file__).parent, Path(instrument.__file__).parent
    return file.startswith("<") or is_python or any(folder in around for folder in others)


def _is_run_of_a_pass(frame: FrameType) -> bool:
    return frame.f_code.co_name == "run" and isinstance(frame.f_locals.get("self"), Pass)


def _is_op(value: Any) -> bool:
    return isinstance(value, ir.Operation | ir.OpView)
