"""The questions that `anvl-reduce` answers by itself."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from anvl.dialect.core.attributes import signature_of
from anvl.dialect.core.context import context
from anvl.dialect.core.errors import AnvlError, PassError
from anvl.dialect.core.mlir import ir
from anvl.dialect.text.parsing import parsed
from anvl.passes.expand.checks import is_float
from anvl.passes.expand.gradient_check import BAD
from anvl.passes.framework.instrument import Instrument, PassText
from anvl.passes.framework.pipeline import Pipeline
from anvl.passes.functions.symbol_utils import body_of, functions_of, is_private
from anvl.tools.io.diagnostics import collected
from anvl.tools.opt.verify_gradient import VerifyGradient
from anvl.tools.reduce.judge import Answer, Progress
from anvl.tools.run.executors import ProgramCrashed
from anvl.tools.run.random_runs import (
    Difference,
    Draws,
    NotExecutable,
    Run,
    copied,
    difference,
    run_of,
)

__all__ = ["Crashes", "Differs", "Executes", "Gradient", "Side"]

_LONGEST_KEY = 300
_VARYING = (  # parts of a message that differ between modules with the same failure
    (r"tensor<[^>]*>", "tensor"),
    (r"\[[^\]]*\]", "[]"),
    (r"\([^)]*\)", "()"),
    (r"[%@][\w$.#-]+", "it"),
    (r"\d+", "N"),
    (r"\s+", " "),
)
_REFUSED = (NotExecutable, ProgramCrashed)
_FAILED = (*_REFUSED, AnvlError, ir.MLIRError, TypeError, ValueError, NotImplementedError)


def _key(text: str) -> str:
    for pattern, replacement in _VARYING:
        text = re.sub(pattern, replacement, text)
    return text[:_LONGEST_KEY]


def _executed_functions(module: ir.Module, function: str | None) -> Iterator[str]:
    """The functions to execute: one, or all that are public and have a body."""
    for name, op in functions_of(module.operation).items():
        if name == function or (function is None and not is_private(op)):
            if body_of(op) is not None:
                yield name


class _Steps(Instrument):
    """Tells which pass is about to run."""

    def __init__(self, at: Progress) -> None:
        self._at, self.current = at, ""

    def before(self, pass_: PassText, op: ir.Operation) -> None:
        self.current = pass_.argument
        self._at(self.current)


@dataclass(frozen=True)
class Crashes:
    """Passes fail with the same error, or end the process in the same way."""

    pipeline: Pipeline
    is_about_crashes = True

    def answer(self, text: str, at: Progress) -> Answer | None:
        module, steps = parsed(text, "", context()), _Steps(at)
        with collected(context(), ""):
            try:
                self.pipeline.run(module, verify_each=True, instruments=[steps])
            except (Exception, SystemExit) as error:
                return self._failure(error, steps.current)
        return None

    def _failure(self, error: BaseException, step: str) -> Answer:
        message = str(error).partition("\n")[0]
        kind = "" if isinstance(error, PassError) else f"{type(error).__name__}: "
        said = f"{kind}{message}"
        detail = said if said.startswith(step) else f"{step}: {said}"
        return Answer(_key(detail), detail)


@dataclass(frozen=True)
class Side:
    """One of two that are compared: passes, or none, and where the result is executed."""

    name: str
    pipeline: Pipeline
    executor: str | None = None

    def transformed(self, module: ir.Module) -> ir.Module:
        """A copy of the module, after the passes."""
        copy = copied(module.operation)
        with collected(context(), ""):
            self.pipeline.run(copy, verify_each=True)
        return copy

    def run(self, copy: ir.Module, function: str, draws: Draws) -> Run:
        """The results of a function of what `transformed` made."""
        used = draws if self.executor is None else replace(draws, executor=self.executor)
        return run_of(copy.operation, function, used)


@dataclass(frozen=True)
class Executes:
    """Execution after passes fails with the same error, or ends its process in the same way."""

    side: Side
    draws: Draws
    function: str | None = None
    is_about_crashes = True

    def answer(self, text: str, at: Progress) -> Answer | None:
        try:
            copy = self.side.transformed(parsed(text, "", context()))
        except _FAILED:
            return None
        for name in _executed_functions(copy, self.function):
            try:
                self.side.run(copy, name, self.draws)
            except _REFUSED as error:
                return Answer(_key(str(error)), str(error))
        return None


@dataclass(frozen=True)
class Differs:
    """Results of a function differ between two sides."""

    sides: tuple[Side, Side]
    draws: Draws
    function: str | None = None
    rtol: float | None = None
    atol: float | None = None
    is_about_crashes = False

    def answer(self, text: str, at: Progress) -> Answer | None:
        module = parsed(text, "", context())
        try:
            copies = [side.transformed(module) for side in self.sides]
        except _FAILED:
            return None
        texts = {copy.operation.get_asm(assume_verified=True) for copy in copies}
        if len(texts) == 1 and len({side.executor for side in self.sides}) == 1:
            return None  # executing takes ten times as long
        named = " and ".join(side.name or "no pass" for side in self.sides)
        for name in _executed_functions(module, self.function):
            found = self._difference(copies, name)
            if found is not None:
                return Answer("differs", f"{named} differ in @{name}: {found}")
        return None

    def _difference(self, copies: Sequence[ir.Module], function: str) -> Difference | None:
        """The difference of what both sides have made of a function."""
        try:
            first, second = (
                side.run(copy, function, self.draws)
                for side, copy in zip(self.sides, copies, strict=True)
            )
        except _FAILED:
            return None
        if first.signature != second.signature:
            return None
        return difference(first, second, self.rtol, self.atol)


@dataclass(frozen=True)
class Gradient:
    """A derivative of a function disagrees with differences of its values."""

    executor: str
    seed: int = 0
    function: str | None = None
    is_about_crashes = False

    def answer(self, text: str, at: Progress) -> Answer | None:
        module = parsed(text, "", context())
        for name in _executed_functions(module, self.function):
            _, results = signature_of(functions_of(module.operation)[name])
            for target in (i for i, t in enumerate(results) if is_float(t)):
                found = self._wrong(module, name, target)
                if found is not None:
                    return Answer("gradient", f"@{name}, result {target}: {found}")
        return None

    def _wrong(self, module: ir.Module, function: str, target: int) -> str | None:
        """The first derivative that is wrong."""
        check = VerifyGradient(function, target=target, seed=self.seed, executor=self.executor)
        try:
            with collected(context(), ""):
                _, slopes = check.measured(module.operation)
        except _FAILED:
            return None
        wrong = [f"{name}, {slope}" for name, slope in slopes if slope.verdict == BAD]
        return wrong[0] if wrong else None
