"""anvl-viz: a program to look at, with its source, as one page, and what each pass made of it.

    anvl-viz wave.mlir --anvl-gradient=function=wave --cse -o wave.html
    anvl-viz wave.mlir --format=mermaid

Any error ends in `file:line:col: error: message` and exit code 1.
"""

import sys
from collections.abc import Sequence

from anvl.tools.io.command_line import UsageError, usage
from anvl.tools.io.crash_guard import leave, note
from anvl.tools.io.crash_report import run_guarded
from anvl.tools.io.numpy_later import without_numpy
from anvl.tools.io.stdout import writes_stdout
from anvl.tools.viz.viz_settings import FLAGS, HELP, Settings, parse

__all__ = ["main"]

_ERROR = 1
_INTERRUPTED = 130


@writes_stdout("anvl-viz", _ERROR)
def main(argv: Sequence[str] | None = None) -> int:
    """Run the command `anvl-viz`; returns its exit code.

    Without `argv` this is the command line's, and a child process runs it, whose crash is an error.
    """

    try:
        settings = parse(sys.argv[1:] if argv is None else argv)
        if settings.question:
            print(_answer(settings.question), end="")
            return 0
        if argv is not None:
            return _run_on_big_stack(settings)
        file = settings.file
        return run_guarded(lambda: _run_on_big_stack(settings), "anvl-viz", file, _ERROR)
    except UsageError as error:
        print(f"anvl-viz: error: {error}", file=sys.stderr)
        return _ERROR
    except KeyboardInterrupt:
        leave(_INTERRUPTED)  # a pass of MLIR's may still be running in its thread


def _answer(question: str) -> str:
    if question == "help":
        return HELP + usage(FLAGS)
    from anvl.tools.io.versions import versions

    return versions()


def _run_on_big_stack(settings: Settings) -> int:
    from anvl.tools.io.stack import call_with_big_stack

    return call_with_big_stack(lambda: _run(settings))


def _run(settings: Settings) -> int:
    with without_numpy():
        from anvl.tools.io.load import LoadError, load
        from anvl.tools.io.programs import Refused
        from anvl.tools.viz.viz_driver import view

    note("loading the files of --load")
    try:
        load(settings.load)
        note("")
        return view(settings)
    except (LoadError, Refused) as error:
        print(error, end="", file=sys.stderr)
        return _ERROR


if __name__ == "__main__":
    sys.exit(main())
