"""A program from a file for the tools that look at programs, and the passes run on it.

    program = read_program("wave.mlir")
    run_passes(program, Pipeline(["cse"]))
    program.module

Every error is a `Refused`, whose text is the diagnostics in MLIR's format.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from anvl.dialect.core.context import context
from anvl.dialect.core.errors import AnvlError
from anvl.dialect.core.mlir import ir
from anvl.dialect.text.parsing import InvalidOp, parsed
from anvl.dialect.text.value_names import keep_names
from anvl.passes.framework.instrument import Instrument, PassText
from anvl.passes.framework.pipeline import Pipeline
from anvl.tools.io.bytecode import checked
from anvl.tools.io.crash_guard import note
from anvl.tools.io.diagnostics import (
    UNSAID,
    Diagnostic,
    collected,
    failed,
    in_a_line,
    position,
    rendered,
    said,
)
from anvl.tools.io.load import place_of
from anvl.tools.io.source import Chunk, InputError, Source, read

__all__ = ["ProgramFile", "Refused", "program_of", "read_chunk", "read_program", "run_passes"]

_EXPECTED = (AnvlError, InvalidOp, TypeError, ValueError)


class Refused(Exception):
    """A program cannot be read, or a pass failed on it; the message is all there is to print."""


@dataclass(frozen=True)
class ProgramFile:
    """A module and the file that it came from; `remark` is to be printed, if there is one."""

    module: ir.Module
    source: Source
    remark: str = ""


def read_program(
    path: str, *, load: Sequence[str] = (), allow_unregistered: bool = False
) -> ProgramFile:
    """Read a module from a file, or from stdin for `-`; values keep their names."""
    try:
        source = checked(read(path), load=load, allow_unregistered=allow_unregistered)
    except InputError as error:
        raise Refused(rendered(error.diagnostic, {})) from None
    return program_of(source, allow_unregistered=allow_unregistered)


def program_of(source: Source, *, allow_unregistered: bool = False) -> ProgramFile:
    """Read a module from a source; values keep their names.  Raises `Refused`."""
    made = context()
    before = made.allow_unregistered_dialects
    made.allow_unregistered_dialects = allow_unregistered
    try:
        with _refusing(source):
            module = parsed(source.content, source.name, made, source.path)
            if isinstance(source.content, str):
                keep_names(module, source.content, source.path)
    finally:
        made.allow_unregistered_dialects = before
    remark = rendered(Diagnostic("remark", source.remark, source.name), {}) if source.remark else ""
    return ProgramFile(module, source, remark)


def read_chunk(
    chunk: Chunk, *, allow_unregistered: bool = False
) -> tuple[ir.Module | None, list[Diagnostic]]:
    """Read a module, or None; and all that was said about it."""
    made = context()
    before = made.allow_unregistered_dialects
    made.allow_unregistered_dialects = allow_unregistered
    try:
        with collected(made, chunk.name) as emitted:
            try:
                return parsed(chunk.content, chunk.name, made, chunk.path), emitted
            except (Exception, SystemExit) as error:  # a type rule may raise anything
                return None, _diagnostics(error, emitted, chunk.name)
    finally:
        made.allow_unregistered_dialects = before


def run_passes(program: ProgramFile, pipeline: Pipeline) -> None:
    """Run passes on a program, in place, and verify it after each."""
    with _refusing(program.source):
        pipeline.run(program.module, verify_each=True, instruments=(_PassNote(),))


class _PassNote(Instrument):
    """Note the current pass, which a crash of the process is then attributed to."""

    def before(self, pass_: PassText, op: ir.Operation) -> None:
        note(f"{pass_.argument}: the pass", str(op.location))

    def after(self, pass_: PassText, op: ir.Operation) -> None:
        note("")


@contextmanager
def _refusing(source: Source) -> Iterator[None]:
    with collected(context(), source.name) as emitted:
        try:
            yield
        except (Exception, SystemExit) as error:  # a pass that calls `sys.exit` has failed
            lines = {source.name: source.lines}
            found = _diagnostics(error, emitted, source.name)
            raise Refused("".join(rendered(each, lines) for each in found)) from None


def _diagnostics(
    error: Exception | SystemExit, emitted: Sequence[Diagnostic], name: str
) -> list[Diagnostic]:
    """MLIR's own diagnostics, or one of the error."""
    errors = [each for each in emitted if each.severity == "error"]
    location = getattr(error, "location", "")
    is_mlir = isinstance(error, ir.MLIRError)
    if errors and (is_mlir or (isinstance(error, AnvlError) and not location)):
        return list(emitted)
    text = UNSAID if is_mlir else in_a_line(said(error)) or type(error).__name__
    own = place_of(error)
    if own and not isinstance(error, AnvlError):
        text = f"{type(error).__name__}: {text} ({own})"
    elif not is_mlir and not isinstance(error, _EXPECTED):
        text = f"internal error, {type(error).__name__}: {text}"
    return [failed(error, text, position(location, name))]
