"""anvl-plan: predict the time and the memory of a program on a machine that is not here.

    anvl-plan step.mlir --plan='mesh=x:8 arg2=x,-' --plan='mesh=x:4,y:2 arg0=-,y arg2=x,-'

Any error ends in `file:line:col: error: message` and exit code 1; the programs are compiled in a
child process, which they may end.
"""

import os
import sys
from collections.abc import Sequence

from anvl.tools.io.command_line import UsageError, usage
from anvl.tools.io.crash_guard import guarded, leave, note
from anvl.tools.plan.plan_settings import FLAGS, HELP, Settings, parse

__all__ = ["main"]

_INTERRUPTED = 130


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command `anvl-plan`; returns its exit code.

    Without `argv` this is the command line's, and a child process runs it, whose crash is an error.
    """
    try:
        settings = parse(sys.argv[1:] if argv is None else argv)
        if settings.question:
            print(_answer(settings.question), end="")
            return 0
        return _run(settings) if argv is not None else _guarded(settings)
    except UsageError as error:
        print(f"anvl-plan: error: {error}", file=sys.stderr)
        return 1
    except BrokenPipeError:
        # The reader of the output has left; at exit Python must not try to write the rest.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except KeyboardInterrupt:
        leave(_INTERRUPTED)


def _answer(question: str) -> str:
    if question == "help":
        return HELP + usage(FLAGS)
    from anvl.tools.io.versions import versions

    return versions()


def _guarded(settings: Settings) -> int:
    ended = guarded(lambda: _run(settings))
    if isinstance(ended, int):
        return ended
    print(f"{settings.file}:1:1: error: {ended.step} {ended.how}", file=sys.stderr)
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
    from anvl.tools.plan.plan_driver import plan_file

    note("anvl-plan")
    return call_with_big_stack(lambda: plan_file(settings))


if __name__ == "__main__":
    sys.exit(main())
