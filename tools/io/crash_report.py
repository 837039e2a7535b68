"""A tool that ends with a diagnostic where MLIR, a pass, or a loaded file ends the process.

return run_guarded(lambda: _run(settings), "anvl-viz", settings.file, 1)
"""

import sys
from collections.abc import Callable

from anvl.tools.io.crash_guard import guarded

__all__ = ["run_guarded"]


def run_guarded(run: Callable[[], int], tool: str, file: str, code: int) -> int:
    """The exit code of `run` in a child; `code`, with a diagnostic in `file`, if that crashes."""
    ended = guarded(run)
    if isinstance(ended, int):
        return ended
    from anvl.tools.io.diagnostics import Diagnostic, position, rendered

    name, line, column = position(ended.location, "<stdin>" if file == "-" else file)
    message = f"{ended.step or tool} {ended.how}; anvl-opt leaves a reproducer of a pass"
    diagnostic = Diagnostic("error", message, name, line or 1, column or 1)
    print(rendered(diagnostic, {}), end="", file=sys.stderr)
    return code
