"""The narrow test of an op, one check after the other: as `examine`, but it ends at a problem.

A bug that leaves a check's program as it is, op for op, cannot fail it.  So each check is a program
of its own, and only those are compiled and run that a bug changes: most bugs cost one, and a fifth
of a second.
"""

import time
from collections.abc import Collection, Sequence
from typing import NamedTuple

from proof import points_of
from references import REFERENCES
from test_floats_of_8_bits import NAMES, test_what_takes_them_can_be_lowered
from test_lift import REDUCED, RENAMED, test_what_was_lowered_comes_back
from test_lift_reductions import (
    test_a_reduction_is_an_op_where_it_is_one_op_from_its_identity,
)

from anvl.dialect.core.context import context
from anvl.dialect.core.mlir import ir
from anvl.dialect.core.op_registry import OPS
from anvl.testing.checks import Check
from anvl.testing.closure import check_closure, goes_before_lowering
from anvl.testing.draw import Call, Draw
from anvl.testing.findings import Findings
from anvl.testing.op_check import CHECKS, in_other_dtypes, judge, judge_at_other_points
from anvl.testing.program import Program

__all__ = ["Narrow"]

#: Rules that are asked before a program is lowered.
_EARLY = {"adjoint", "tangent", "batch", "operand_support", "result_support", "pad_axes"}
#: Rules that may leave no trace in a program.
_IN_PYTHON = {"fold", "simplify"}


class _Right(NamedTuple):
    """A check with the rules as they should be: its program, built and lowered."""

    make: type[Check]
    call: Call
    built: str
    lowered: str


class Narrow:
    """The checks of an op, all or those named, with the programs that its right rules make."""

    def __init__(self, name: str, platform: str = "cpu", checks: Collection[str] = ()) -> None:
        self.name, self.op_class, self.platform = name, OPS[name], platform
        self.lowers = not goes_before_lowering(self.op_class)
        makes = [make for make in CHECKS if not checks or make.__name__ in checks]
        with context(), ir.Location.unknown():
            calls = self.op_class.sample(Draw(name))
            if platform != "cpu":  # as in test_linalg_fallback.py
                calls = calls[:3]
            calls = [*calls, *in_other_dtypes(self.op_class, calls)]
            rights = [
                self._right(make, call)
                for call in calls
                for make in makes
                if make.applies(self.op_class, call)
            ]
        self.rights = sorted(rights, key=lambda right: len(right.lowered))
        self.is_changed = self.is_exception = False
        self.is_spoilt = False  # whether a bug left something behind that changes a check
        self._found_by: _Right | str = ""  # a check, or the name of a test
        self._sound: list[_Right] = []
        self._tests = {"lift": self._problem_of_lift, "8 bits": self._problem_in_8_bits}
        self._sound_tests: dict[str, bool] = {}  # those that were asked
        self._since = time.process_time()

    def _right(self, make: type[Check], call: Call) -> _Right:
        program, _ = self._program(make, call)
        built = program.module.operation.get_asm()
        if self.lowers:
            program.lower()
        return _Right(make, call, built, program.module.operation.get_asm())

    def _program(self, make: type[Check], call: Call) -> tuple[Program, Check]:
        program = Program(REFERENCES, self.platform, points=points_of(self.op_class))
        check = make(self.op_class, call, program)
        program.finish()
        return program, check

    def seconds_of_one(self) -> float:
        """How long the check that runs, or ran last, has taken of a processor."""
        return time.process_time() - self._since

    def problem(self, rules: Sequence[str]) -> str:
        """The first thing that is found wrong, or nothing; then `is_changed` says what changed."""
        self.is_changed, self.is_exception, self._found_by = False, False, ""
        if "lift" in rules and (found := self._problem_of_test("lift")):
            return found
        if rules == ("lift",):
            return ""
        for right in self.rights:
            self._since = time.process_time()
            with context(), ir.Location.unknown():
                try:
                    found = self._problem_of(right, set(rules))
                except Exception as error:  # a rule that fails is found
                    found, self.is_exception = f"{type(error).__name__}: {error}", True
            if found:
                # What found one finds the next.
                self.rights = [right, *(other for other in self.rights if other is not right)]
                self._found_by = right
                return f"{right.make.__name__}: {found}"
        return self._problem_of_test("8 bits") if "lower" in rules else ""

    def _problem_of_test(self, name: str) -> str:
        if not self._sound_tests.get(name, True):
            return ""
        self._since, self._found_by = time.process_time(), name
        found = self._tests[name]()
        return f"{name}: {found}" if found else ""

    def is_sound(self) -> bool:
        """Whether what found the last bug finds nothing of the right rules; else it is left out."""
        right = self._found_by
        if isinstance(right, str):
            is_sound = self._sound_tests.get(right) or not self._tests[right]()
            self._sound_tests[right] = is_sound
            return is_sound
        if not self._is_itself(right):
            self.is_spoilt = True
            return self._leave_out(right)
        if any(right is sound for sound in self._sound) or not self.lowers:
            return True
        with context(), ir.Location.unknown():
            program, check = self._program(right.make, right.call)
            program.compile()
            findings = Findings()
            judge(findings, program, [check])
            judge_at_other_points(findings, program, [check])
        if findings.problems:
            return self._leave_out(right)
        self._sound.append(right)
        return True

    def _is_itself(self, right: _Right) -> bool:
        """Whether its program is the one that it was: no bug before has left anything behind."""
        with context(), ir.Location.unknown():
            made = self._right(right.make, right.call)
        return made.lowered == right.lowered and made.built == right.built

    def _leave_out(self, right: _Right) -> bool:
        self.rights = [other for other in self.rights if other is not right]
        return False

    def _problem_of_lift(self) -> str:
        """Of the op, and of those that might be taken for it."""
        theirs = self.op_class.hlo or self.op_class.lifts
        if theirs == "stablehlo.reduce":
            try:
                test_a_reduction_is_an_op_where_it_is_one_op_from_its_identity()
            except Exception as error:
                return f"reductions: {type(error).__name__}: {error}"
        for name in [*RENAMED, *REDUCED]:
            if theirs and theirs in (OPS[name].hlo, OPS[name].lifts):
                try:
                    test_what_was_lowered_comes_back(name)
                except Exception as error:
                    return f"{name}: {type(error).__name__}: {error}"
        return ""

    def _problem_in_8_bits(self) -> str:
        """Of lowering it for floats of 8 bits, which no sample has."""
        if self.name not in NAMES or self.platform != "cpu":
            return ""
        try:
            test_what_takes_them_can_be_lowered(self.name, "f8E5M2")
        except Exception as error:
            return f"{type(error).__name__}: {error}"
        return ""

    def _problem_of(self, right: _Right, rules: set[str]) -> str:
        program, check = self._program(right.make, right.call)
        is_same, findings = program.module.operation.get_asm() == right.built, Findings()
        check.check_emitted(findings)
        if not is_same:
            self.is_changed = True
            check_closure(findings, program.names)
        if findings.problems:
            return findings.problems[0]
        is_silent = not (check.calls_rule_in_python and rules & _IN_PYTHON)
        if (is_same and rules <= _EARLY and is_silent) or not self.lowers:
            return ""
        program.lower()
        if program.module.operation.get_asm() == right.lowered and is_silent:
            return ""
        self.is_changed = True
        program.compile()
        judge(findings, program, [check])
        if not findings.problems:
            judge_at_other_points(findings, program, [check])
        return findings.problems[0] if findings.problems else ""
