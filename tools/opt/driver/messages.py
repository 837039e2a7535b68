"""The diagnostic of an exception, and the report of all."""

import sys
from collections.abc import Sequence

from anvl.dialect.core.errors import AnvlError, PassError
from anvl.dialect.core.mlir import ir
from anvl.tools.io.diagnostics import (
    UNSAID,
    Diagnostic,
    failed,
    in_a_line,
    position,
    rendered,
    said,
)
from anvl.tools.io.source import Chunk, Source
from anvl.tools.opt.driver.job import Job

__all__ = ["add_diagnostic", "report"]

_UNDECODABLE = "nanobind::detail::str_from_cstr_and_size"  # so the bindings say it


def add_diagnostic(
    job: Job, chunk: Chunk, error: Exception | SystemExit, diagnostics: list[Diagnostic]
) -> None:
    """Add a diagnostic for `error`, unless MLIR has emitted one."""
    is_said = any(d.severity == "error" for d in diagnostics)
    location = getattr(error, "location", "")
    if is_said and (
        isinstance(error, ir.MLIRError) or (isinstance(error, PassError) and not location)
    ):
        return
    place = position(location or job.last_pass.location, chunk.name)
    diagnostics.append(failed(error, _message(job, error), place))


def _message(job: Job, error: Exception | SystemExit) -> str:
    if isinstance(error, ir.MLIRError):  # and no diagnostic
        error = ValueError(UNSAID)
    if _UNDECODABLE in str(error):  # the value of an attribute, which may be any bytes
        error = ValueError("a string that must be text is not UTF-8")
    # A list of findings keeps its lines; other messages are one.
    whole = said(error)
    text = (whole if getattr(error, "findings", ()) else in_a_line(whole)) or type(error).__name__
    place = _place_in_loaded(job, error)
    if place and not isinstance(error, AnvlError):
        text = f"{type(error).__name__}: {text} ({place})"
    elif not isinstance(error, (AnvlError, TypeError, ValueError)):
        text = f"internal error, {type(error).__name__}: {text}"
    name = job.last_pass.text
    return text if not name or text.startswith(f"{name}:") else f"{name}: {text}"


def _place_in_loaded(job: Job, error: BaseException) -> str:
    """Location in a user's own file from which an error came; `""` if from none."""
    from anvl.tools.io.load import place_of

    return place_of(error) if job.settings["load"] else ""


def report(diagnostics: Sequence[Diagnostic], source: Source | None) -> None:
    """Print diagnostics on stderr, with the lines of `source` that they point at."""
    lines = {source.name: source.lines} if source is not None else {}
    for diagnostic in diagnostics:
        print(rendered(diagnostic, lines), end="", file=sys.stderr)
