"""Run a file: read and lower it, gather arguments, execute, compare, print and save."""

import sys
from collections.abc import Callable, Sequence
from functools import partial

import numpy as np

from anvl.dialect.core.context import context
from anvl.dialect.text.parsing import parsed
from anvl.dialect.text.value_names import keep_names
from anvl.tools.io import output
from anvl.tools.io.bytecode import checked
from anvl.tools.io.command_line import UsageError
from anvl.tools.io.diagnostics import (
    Diagnostic,
    collected,
    position,
)
from anvl.tools.io.source import InputError, Source, read
from anvl.tools.run.compare import compared
from anvl.tools.run.entry import Lowered, lowered
from anvl.tools.run.executors import execute, measure, target_of
from anvl.tools.run.files import encoded, expected, gathered
from anvl.tools.run.inputs import InvalidInput, fitted
from anvl.tools.run.printing import figures, result_line
from anvl.tools.run.reporting import diagnostic_of, say
from anvl.tools.run.settings import Settings

__all__ = ["run_file"]


def run_file(settings: Settings) -> int:
    """Run the program that the settings name; returns the exit code."""
    try:
        source = checked(read(settings.file), load=settings.load)
    except InputError as error:
        say(error.diagnostic)
        return 1
    if source.remark:
        say(Diagnostic("remark", source.remark, source.name))
    with collected(context(), source.name) as emitted:
        try:
            program = _program(settings, source, settings.plugin)
        except Exception as error:
            say(diagnostic_of(error, emitted, source), source)
            return 1
    try:
        captured = _captured(source, program)
        found = _Run(settings, program, captured, partial(_program, settings, source)).outcome()
    except UsageError:
        raise
    except Exception as error:
        if isinstance(error, OSError) and error.filename is None:  # of stdout
            raise
        say(diagnostic_of(error, [], source, program.location), source)
        return 1
    for problem in found:
        place = position(program.location, source.name)
        say(Diagnostic("error", problem, *place), source)
    return 1 if found else 0


def _program(settings: Settings, source: Source, plugin: str) -> Lowered:
    target = target_of(plugin)
    module = parsed(source.content, source.name, context(), source.path)
    if isinstance(source.content, str):
        keep_names(module, source.content, source.path, of_ops=False)
    return lowered(module, settings.function, *target)


def _captured(source: Source, program: Lowered) -> list[np.ndarray] | None:
    """The captured arrays of a file of `anvl.export`, as leading arguments; None of another."""
    if source.export is None:
        return None
    from anvl.dialect.text.export_file import read_export  # 10 ms that only such a file needs

    with read_export(source.name, source.export) as file:
        arrays = file.captured()
    for i in program.captured:
        if i not in arrays:
            raise InvalidInput(f"{source.name}: holds no array for captured {i}")
    captured = [x for x in program.arguments if x.captured is not None]
    return [fitted(arrays[x.captured or 0], x, source.name) for x in captured]


class _Run:
    """One program with its arguments.

    `captured` are the leading ones, if the file holds them: then they are not the user's to give.
    `lower` lowers it for another plugin.
    """

    def __init__(
        self,
        settings: Settings,
        program: Lowered,
        captured: list[np.ndarray] | None,
        lower: Callable[[str], Lowered],
    ) -> None:
        self._settings, self._program, self._lower = settings, program, lower
        self._captured = captured or []
        self._seen = program if captured is None else program.without_captured()

    def outcome(self) -> list[str]:
        """Execute, compare; print and save if all agree, else return what differs."""
        settings = self._settings
        inputs = gathered(settings, self._seen)
        lines: list[str] = []
        first, *others = [self._results(name, inputs, lines) for name in settings.sources]
        problems: list[str] = []
        for name, other in zip(settings.sources[1:], others, strict=True):
            report = compared(first, other, settings.rtol, settings.atol)
            for i, each in enumerate(report):
                text = f"{settings.sources[0]} and {name}: result {i}: {each}"
                (lines if each.is_close else problems).append(text)
        print("\n".join(lines), end="\n" if lines else "", file=sys.stderr)
        if not problems:
            self._write(inputs, first)
        return problems

    def _results(
        self, name: str, inputs: Sequence[np.ndarray], lines: list[str]
    ) -> list[np.ndarray]:
        settings = self._settings
        inputs = [*self._captured, *inputs]
        if name not in settings.executors:
            return expected(name, self._program)
        if name == "interpreter":
            return execute(self._program, inputs, name, seconds=settings.timeout)
        plugin = settings.plugin if name == "plugin" else name
        program = self._program if plugin == settings.plugin else self._lower(plugin)
        measured = measure(
            program,
            inputs,
            settings.repeat,
            seconds=settings.timeout,
            plugin=plugin,
            devices=settings.devices,
        )
        if settings.repeat:
            lines += (line if name == "plugin" else f"{name}: {line}" for line in figures(measured))
        return measured.results

    def _write(self, inputs: Sequence[np.ndarray], results: Sequence[np.ndarray]) -> None:
        settings, program = self._settings, self._program
        text = "".join(
            f"{result_line(of, value, settings.print_limit)}\n"
            for of, value in zip(program.results, results, strict=True)
        )
        for path, arrays, of in (
            (settings.output, results, program.results),
            (settings.save_inputs, inputs, self._seen.arguments),
        ):
            if path is not None:
                _save(path, encoded(path, arrays, of))
        print(text, end="", flush=True)


def _save(path: str, data: bytes) -> None:
    try:
        output.write(path, data)
    except OSError as error:
        raise UsageError(f"cannot write {path!r}, {error.strerror or error}") from None
