"""anvl-diff: what differs between two programs, or what passes change in one, op by op.

    anvl-diff wave.mlir --cse
    @wave
      - %1 = "anvl.sin"(%x) : (tensor<3xf32>) -> tensor<3xf32>
          equal to %0 = "anvl.sin"(%x) : (tensor<3xf32>) -> tensor<3xf32>
    1 removed; 5 ops as before

The exit code is that of `diff`: 0 if nothing differs, 1 if something does, 2 for an error.
"""

import sys
from collections.abc import Sequence

from anvl.tools.diff.diff_settings import FLAGS, HELP, Settings, parse
from anvl.tools.io.command_line import UsageError, usage
from anvl.tools.io.crash_guard import leave, note
from anvl.tools.io.crash_report import run_guarded
from anvl.tools.io.numpy_later import without_numpy
from anvl.tools.io.stdout import writes_stdout

__all__ = ["main"]

_ERROR = 2
_INTERRUPTED = 130


@writes_stdout("anvl-diff", _ERROR)
def main(argv: Sequence[str] | None = None) -> int:
    """Run the command `anvl-diff`; returns its exit code.

    Without `argv` this is the command line's, and a child process runs it, whose crash is an error.
    """

    try:
        settings = parse(sys.argv[1:] if argv is None else argv)
        if settings.question:
            print(_answer(settings.question), end="")
            return 0
        if argv is not None:
            return _run_on_big_stack(settings)
        file = settings.files[0]
        return run_guarded(lambda: _run_on_big_stack(settings), "anvl-diff", file, _ERROR)
    except UsageError as error:
        print(f"anvl-diff: error: {error}", file=sys.stderr)
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
        from anvl.tools.diff.diff_driver import compare
        from anvl.tools.io.load import LoadError, load
        from anvl.tools.io.programs import Refused

    note("loading the files of --load")
    try:
        load(settings.load)
        note("")
        return compare(settings)
    except (LoadError, Refused) as error:
        print(error, end="", file=sys.stderr)
        return _ERROR


if __name__ == "__main__":
    sys.exit(main())
