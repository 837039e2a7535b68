"""Read a program, run passes on it, and write what it looks like at each stage."""

import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from anvl.dialect.view.drawing import drawing, svg
from anvl.dialect.view.folding import functions_folded
from anvl.dialect.view.graph_text import dot, mermaid
from anvl.dialect.view.page import page
from anvl.dialect.view.record import recorded
from anvl.dialect.view.story import Stage
from anvl.passes.framework.pipeline import Pipeline
from anvl.tools.io import output
from anvl.tools.io.command_line import UsageError
from anvl.tools.io.programs import ProgramFile, read_program, run_passes
from anvl.tools.viz.viz_settings import Settings

__all__ = ["view"]

_LARGEST = 1 << 20  # bytes of a file of source


def view(settings: Settings) -> int:
    """Write the view that the settings name; returns the exit code.  Raises `Refused`."""
    pipeline = settings.pipeline()
    program = read_program(
        settings.file, load=settings.load, allow_unregistered=settings.allow_unregistered
    )
    print(program.remark, end="", file=sys.stderr)
    if settings.format == "html":
        text = _page(settings, program, pipeline)
    else:
        run_passes(program, pipeline)
        graphs = functions_folded(recorded(program.module), settings.fold)
        if settings.format == "svg":
            text = svg([drawing(graph) for graph in graphs], settings.title)
        else:
            text = {"dot": dot, "mermaid": mermaid}[settings.format](graphs, settings.title)
    try:
        output.write(settings.output, text.encode())
    except BrokenPipeError:
        raise
    except OSError as error:
        raise UsageError(f"cannot write {settings.output!r}, {error.strerror or error}") from None
    return 0


def _page(settings: Settings, program: ProgramFile, pipeline: Pipeline) -> str:
    stages: list[Stage] = [("as read", recorded(program.module))]
    for element in pipeline.elements:
        run_passes(program, Pipeline([element]))
        stages.append((str(element), recorded(program.module)))
    lines = _source_of(program, settings.file) if settings.source else lambda name: None
    return page(settings.title, stages, lines, settings.fold)


def _source_of(program: ProgramFile, path: str) -> Callable[[str], Sequence[str] | None]:
    """Give the lines of the input, and of files of Python below its folder or the current one.

    Not of all files that a program names: it may be another person's, and the page be given on.
    """
    folders = [Path.cwd().resolve()]
    if path != "-":
        folders.append(Path(path).resolve().parent)

    def lines(name: str) -> Sequence[str] | None:
        if name in ("-", program.source.name, program.source.path):
            return program.source.lines or None
        file = Path(name).resolve()
        if file.suffix != ".py" or not any(file.is_relative_to(each) for each in folders):
            return None
        try:
            if file.stat().st_size > _LARGEST:
                return None
            return file.read_text(errors="replace").splitlines()
        except OSError:
            return None

    return lines
