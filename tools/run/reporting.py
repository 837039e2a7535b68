"""What is said of an error in a program that is run or planned: `file:line:col: error: message`."""

import sys
from collections.abc import Sequence

from anvl.dialect.core.errors import AnvlError
from anvl.dialect.core.mlir import ir
from anvl.dialect.text.parsing import InvalidOp
from anvl.tools.io.diagnostics import (
    UNSAID,
    Diagnostic,
    failed,
    in_a_line,
    position,
    rendered,
    said,
)
from anvl.tools.io.load import place_of
from anvl.tools.io.source import Source
from anvl.tools.run.executors import ExecutionFailed
from anvl.tools.run.inputs import InvalidInput

__all__ = ["diagnostic_of", "say"]

_EXPECTED = (AnvlError, InvalidOp, InvalidInput, ExecutionFailed, TypeError, ValueError)


def diagnostic_of(
    error: Exception, emitted: Sequence[Diagnostic], source: Source, location: str = ""
) -> Diagnostic:
    """The diagnostic of an error: MLIR's own, or one at the location that it names."""
    is_mlir = isinstance(error, ir.MLIRError)
    errors = [each for each in emitted if each.severity == "error"]
    if is_mlir and errors:
        return errors[0]
    text = UNSAID if is_mlir else in_a_line(said(error)) or type(error).__name__
    user = place_of(error)
    if user and not isinstance(error, AnvlError):
        text = f"{type(error).__name__}: {text} ({user})"
    elif isinstance(error, MemoryError):
        text = f"more memory than there is: {text}"
    elif not is_mlir and not isinstance(error, _EXPECTED):
        text = f"internal error, {type(error).__name__}: {text}"
    return failed(error, text, position(getattr(error, "location", "") or location, source.name))


def say(diagnostic: Diagnostic, source: Source | None = None) -> None:
    """Print a diagnostic to stderr, with the line of the source that it is about."""
    lines = {source.name: source.lines} if source is not None else {}
    print(rendered(diagnostic, lines), end="", file=sys.stderr)
