"""anvl-reduce: shrink a module that shows a failure, as far as it still shows it.

    anvl-reduce wave.mlir --load=my_passes.py --differs=my-pass -o small.mlir
    anvl-reduce: my-pass and no pass differ; ops 212 -> 2, 61 candidates tried

Candidates are tried in a child process, which they may end.  An interruption (Ctrl-C, SIGTERM)
leaves the smallest module so far.
"""

import os
import signal
import sys
from collections.abc import Sequence
from typing import Any

from anvl.tools.io.command_line import UsageError, usage
from anvl.tools.reduce.reduce_settings import FLAGS, HELP, Settings, parse

__all__ = ["main"]

_INTERRUPTED = 130


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command `anvl-reduce`; returns its exit code."""
    try:
        settings = parse(sys.argv[1:] if argv is None else argv)
        if settings.question:
            print(_answer(settings.question), end="")
            return 0
        return _run(settings)
    except UsageError as error:
        print(f"anvl-reduce: error: {error}", file=sys.stderr)
        return 1
    except BrokenPipeError:
        # The reader of the output has left; at exit Python must not try to write the rest.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1


def _answer(question: str) -> str:
    if question == "help":
        return HELP + usage(FLAGS)
    from anvl.tools.io.versions import versions

    return versions()


def _run(settings: Settings) -> int:
    from anvl.tools.io.load import LoadError, load
    from anvl.tools.io.programs import Refused
    from anvl.tools.io.stack import call_with_big_stack
    from anvl.tools.reduce.reduce_driver import Reduction

    try:
        load(settings.load)
        work = Reduction(settings)
        signal.signal(signal.SIGTERM, _interrupt)
        try:
            call_with_big_stack(work.run)
        except KeyboardInterrupt:  # the search may still be running in its thread
            work.write("interrupted: ")
            os._exit(_INTERRUPTED)
        work.write()
    except (LoadError, Refused) as error:
        print(error, end="", file=sys.stderr)
        return 1
    return 0


def _interrupt(*_: Any) -> None:
    raise KeyboardInterrupt


if __name__ == "__main__":
    sys.exit(main())
