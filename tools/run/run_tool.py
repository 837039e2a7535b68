"""anvl-run: execute a function of a module from a file, print, save and compare its results.

    anvl-run sin.mlir --function=sin --args='[[0.0, 1.0]]'
    f32[2] 0.0 0.841471

Any error ends in `file:line:col: error: message` and exit code 1; the program runs in a child
process, which it may end.
"""

import os
import sys
from collections.abc import Sequence

from anvl.tools.io.command_line import UsageError, usage
from anvl.tools.io.crash_guard import guarded, leave, note
from anvl.tools.run.settings import FLAGS, HELP, Settings, parse

_INTERRUPTED = 130


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command `anvl-run`; returns its exit code.

    Without `argv` this is the command line's, and a child process runs it, whose crash is an error.
    """
    try:
        settings = parse(sys.argv[1:] if argv is None else argv)
        if settings.question:
            print(_answer(settings.question), end="")
            return 0
        return _run(settings) if argv is not None else _guarded(settings)
    except UsageError as error:
        print(f"anvl-run: error: {error}", file=sys.stderr)
        return 1
    except BrokenPipeError:
        # The reader of the output has left; at exit Python must not try to write the rest.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except KeyboardInterrupt:
        leave(_INTERRUPTED)  # a pass of MLIR's may still be running in its thread


def _answer(question: str) -> str:
    if question == "help":
        return HELP + usage(FLAGS)
    from anvl.tools.io.versions import versions

    return versions()


def _guarded(settings: Settings) -> int:
    ended = guarded(lambda: _run(settings))
    if isinstance(ended, int):
        return ended
    problem = f"{ended.step} {ended.how}; anvl-opt names the pass, where it is one"
    print(f"{settings.file}:1:1: error: {problem}", file=sys.stderr)
    return 1


def _run(settings: Settings) -> int:
    from anvl.tools.io.load import LoadError, load
    from anvl.tools.io.stack import call_with_big_stack

    note("loading the files of --load")
    try:
        load(settings.load)
    except LoadError as error:
        print(error, end="", file=sys.stderr)
        return 1
    from anvl.tools.run.driver import run_file

    note("anvl-run")
    return call_with_big_stack(lambda: run_file(settings))


if __name__ == "__main__":
    sys.exit(main())
