"""Compare two programs, or a program before and after passes, and write the report."""

import json
import sys
from collections.abc import Iterator

from anvl.dialect.view.difference import changes
from anvl.dialect.view.matching import matched
from anvl.dialect.view.record import Record, recorded
from anvl.passes.framework.pipeline import Pipeline
from anvl.tools.diff.diff_settings import Settings
from anvl.tools.diff.report import Difference, as_json, as_text, coloured
from anvl.tools.io import output
from anvl.tools.io.command_line import UsageError
from anvl.tools.io.programs import ProgramFile, read_program, run_passes

__all__ = ["compare"]


def compare(settings: Settings) -> int:
    """Compare as the settings say; 1 if anything differs, else 0.  Raises `Refused`."""
    found = list(_differences(settings))
    if settings.json:
        text = json.dumps(as_json(found), indent=2) + "\n"
    else:
        text = as_text(found, coloured(settings.color, settings.output))
    _write(settings.output, text)
    return 1 if any(each.changes for each in found) else 0


def _differences(settings: Settings) -> Iterator[Difference]:
    pipeline = settings.pipeline()
    first, *others = [_read(settings, path) for path in settings.files]
    if others:
        for program in (first, others[0]):
            run_passes(program, pipeline)
        yield _difference(settings, recorded(first.module), recorded(others[0].module))
        return
    steps = [Pipeline([x]) for x in pipeline.elements] if settings.each else [pipeline]
    before = recorded(first.module)
    for step in steps:
        run_passes(first, step)
        after = recorded(first.module)
        title = str(step.elements[0]) if settings.each else ""
        yield _difference(settings, before, after, title)
        before = after


def _read(settings: Settings, path: str) -> ProgramFile:
    program = read_program(path, load=settings.load, allow_unregistered=settings.allow_unregistered)
    print(program.remark, end="", file=sys.stderr)
    return program


def _difference(settings: Settings, before: Record, after: Record, title: str = "") -> Difference:
    found = changes(matched(before, after), before, after, ordered=not settings.ignore_order)
    return Difference(found, before, after, title)


def _write(path: str, text: str) -> None:
    try:
        output.write(path, text.encode())
    except BrokenPipeError:
        raise
    except OSError as error:
        raise UsageError(f"cannot write {path!r}, {error.strerror or error}") from None
