"""A run of `anvl-reduce`: read, ask, search, write."""

import sys

from anvl.passes.framework import pipeline as pipelines
from anvl.passes.framework.pipeline import Pipeline
from anvl.tools.io.command_line import UsageError
from anvl.tools.io.crash_guard import note
from anvl.tools.io.diagnostics import Diagnostic, rendered
from anvl.tools.io.programs import ProgramFile, Refused, read_program
from anvl.tools.reduce.failures import Crashes, Differs, Executes, Gradient, Side
from anvl.tools.reduce.judge import Asker, Judge, Question, Script
from anvl.tools.reduce.kept import Kept, Outcome
from anvl.tools.reduce.reduce_settings import Settings
from anvl.tools.reduce.search import Best, Search, op_count
from anvl.tools.run.executors import EXECUTORS
from anvl.tools.run.random_runs import Draws

__all__ = ["Reduction"]


class Reduction:
    """One module, and the search for a smaller one."""

    def __init__(self, settings: Settings, kept: Kept) -> None:
        self._settings, self._kept = settings, kept
        self._questions = _questions(settings)
        #: The smallest module so far; None before the answer about the input.
        self.outcome: Outcome | None = None
        self._ops = 0
        self._asking: Asker | None = None

    def run(self) -> None:
        """Search; raises `Refused` for an input that cannot be read, or is of no interest."""
        settings = self._settings
        note("reading the input")
        program = read_program(settings.file, load=settings.load)
        print(program.remark, end="", file=sys.stderr)
        self._ops = op_count(program.module)
        text = program.module.operation.get_asm(assume_verified=True)
        note("asking about the input")
        for question in self._questions:
            asker = self._asking = self._asker(question)
            answer = asker.answer(text)
            if answer is not None:
                break
            asker.close()
        else:
            raise _refused(program, f"of no interest: {_expected(settings)}")
        search = Search(text, answer, asker, self._keep)
        try:
            search.run()
        finally:
            asker.close()

    def _asker(self, question: Question | None) -> Asker:
        settings = self._settings
        if question is not None:
            return Judge(question, settings.timeout)
        assert settings.test is not None
        return Script(settings.test, settings.test_args, settings.timeout, self._kept.folder)

    def close(self) -> None:
        """End what answers questions, while the search may still be running."""
        if self._asking is not None:
            self._asking.close()

    def _keep(self, best: Best, tried: int) -> None:
        counts = f"ops {self._ops} -> {best.ops}, {tried} candidates tried"
        self.outcome = Outcome(best.text, f"{best.answer.detail}; {counts}")
        self._kept.save(self.outcome)


def _questions(settings: Settings) -> list[Question | None]:
    """The question, by each executor that may answer it; None stands for the script."""
    chosen = settings.executor
    executors = (chosen,) if chosen is not None else ("interpreter", "plugin")
    if settings.gradient:
        return [Gradient(x, settings.seed, settings.function) for x in executors]
    if settings.differs:
        sides = (_side(settings.differs[0]), _side("".join(settings.differs[1:])))
        if all(side.executor for side in sides):
            executors = executors[:1]
        return [
            Differs(sides, _draws(settings, x), settings.function, settings.rtol, settings.atol)
            for x in executors
        ]
    if settings.crashes is None:
        return [None]
    passes, _, last = settings.crashes.rpartition(",")
    if last.strip() in EXECUTORS:
        executor = last.strip()
        side = Side(settings.crashes, _side(passes).pipeline, executor)
        return [Executes(side, _draws(settings, executor), settings.function)]
    return [Crashes(_pipeline(settings.crashes))]


def _draws(settings: Settings, executor: str) -> Draws:
    return Draws(seed=settings.seed, executor=executor, seconds=settings.timeout)


def _side(text: str) -> Side:
    if text in EXECUTORS:
        return Side(text, Pipeline([]), text)
    return Side(text, _pipeline(text) if text else Pipeline([]))


def _pipeline(text: str) -> Pipeline:
    try:
        return pipelines.parse(text)
    except ValueError as error:
        raise UsageError(str(error)) from None


def _expected(settings: Settings) -> str:
    if settings.crashes is not None:
        executes = settings.crashes.rpartition(",")[2].strip() in EXECUTORS
        what = "execution" if executes else "the pipeline"
        return f"{what} does not fail on this module"
    if settings.differs:
        return "no results differ; give --random-seed or tolerances, or check that both execute"
    if settings.gradient:
        return (
            "no derivative that can be computed disagrees with differences; "
            "anvl-opt --anvl-verify-gradient shows all of them, or what they lack"
        )
    return f"{settings.test} does not exit with 1 on this module"


def _refused(program: ProgramFile, problem: str) -> Refused:
    return Refused(rendered(Diagnostic("error", problem, program.source.name), {}))
