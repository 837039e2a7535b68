"""anvl-opt: read MLIR, run passes on it, print the result.

Any error in the input ends in `file:line:col: error: message` and exit code 1.
"""

import os
import sys
from collections.abc import Sequence

from anvl.tools.io.command_line import UsageError
from anvl.tools.opt import flags
from anvl.tools.opt.flags import Settings

_INTERRUPTED = 130


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command `anvl-opt`; returns its exit code."""
    from anvl.tools.io.stack import call_with_big_stack

    try:
        settings = flags.parse(sys.argv[1:] if argv is None else argv)
        return call_with_big_stack(lambda: _run(settings))
    except UsageError as error:
        print(f"anvl-opt: error: {error}", file=sys.stderr)
        return 1
    except BrokenPipeError:
        # The reader of the output has left; at exit Python must not try to write the rest.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except KeyboardInterrupt:
        os._exit(_INTERRUPTED)  # a pass of MLIR's may still be running in its thread


def _run(settings: Settings) -> int:
    from anvl.passes.framework.pass_base import register
    from anvl.tools.opt.verify_gradient import VerifyGradient

    register(VerifyGradient)
    if settings["load"] and not _load(settings["load"]):
        return 1
    if any(settings[name] for name in flags.QUESTIONS):
        return _answer(settings)
    from anvl.tools.opt.driver.processing import process

    return process(settings)


def _answer(settings: Settings) -> int:
    from anvl.tools.opt.listing.questions import QUESTIONS

    answer = next(show for name, show in QUESTIONS.items() if settings[name])
    print(answer(settings), end="")
    return 0


def _load(paths: Sequence[str]) -> bool:
    from anvl.tools.io.load import LoadError, load

    try:
        load(paths)
    except LoadError as error:
        print(error, end="", file=sys.stderr)
        return False
    return True


if __name__ == "__main__":
    sys.exit(main())
