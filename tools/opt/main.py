"""anvl-opt: read MLIR, run passes on it, print the result.

Any error in the input ends in `file:line:col: error: message` and exit code 1.
"""

import gc
import io
import sys
from collections.abc import Sequence

from anvl.tools.io.command_line import UsageError
from anvl.tools.io.crash_guard import guarded, leave
from anvl.tools.io.numpy_later import without_numpy
from anvl.tools.io.stdout import writes_stdout
from anvl.tools.opt import flags
from anvl.tools.opt.flags import Settings

_INTERRUPTED = 130


@writes_stdout("anvl-opt")
def main(argv: Sequence[str] | None = None) -> int:
    """Run the command `anvl-opt`; returns its exit code.

    Without `argv` this is the command line's, and a child process runs it, whose crash is an error.
    """
    if argv is None:
        gc.disable()  # until all is imported: that leaves no garbage
    try:
        settings = flags.parse(sys.argv[1:] if argv is None else argv)
        is_question = any(settings[name] for name in flags.QUESTIONS)
        if argv is None and not is_question and not settings["anvl-in-process"]:
            return _guarded(settings)
        return _run_in_process(settings)
    except UsageError as error:
        print(f"anvl-opt: error: {error}", file=sys.stderr)
        return 1


def _guarded(settings: Settings) -> int:
    if settings.input == "-" and sys.stdin is not None:
        # A run that crashes is repeated, and the input can be read once.
        sys.stdin = io.TextIOWrapper(io.BytesIO(sys.stdin.buffer.read()))
    ended = guarded(lambda: _run_in_process(settings))
    if isinstance(ended, int):
        return ended
    from anvl.tools.opt.driver.crashes import report_crash

    return report_crash(settings, ended, _prepare)


def _run_in_process(settings: Settings) -> int:
    from anvl.tools.io.stack import call_with_big_stack

    try:
        return call_with_big_stack(lambda: _run(settings))
    except KeyboardInterrupt:
        leave(_INTERRUPTED)  # a pass of MLIR's may still be running in its thread


def _run(settings: Settings) -> int:
    if not _prepare(settings):
        return 1
    if any(settings[name] for name in flags.QUESTIONS):
        return _answer(settings)
    from anvl.tools.opt.driver.processing import process

    if not gc.isenabled():
        gc.freeze()  # modules stay: a collection need not look at them
        gc.enable()
    return process(settings)


def _prepare(settings: Settings) -> bool:
    """Register the passes of the tool and of the files to load; False if a file has errors."""
    with without_numpy():
        from anvl.passes.framework.pass_base import register_later

    # 30 ms, with all that executes
    register_later("anvl-verify-gradient", "anvl.tools.opt.verify_gradient", "VerifyGradient")
    register_later("anvl-print-collectives", "anvl.tools.opt.print_collectives", "PrintCollectives")
    return not settings["load"] or _load(settings["load"])


def _answer(settings: Settings) -> int:
    from anvl.tools.opt.listing.questions import QUESTIONS

    _load_installed(settings)
    answer = next(show for name, show in QUESTIONS.items() if settings[name])
    print(answer(settings), end="")
    return 0


def _load_installed(settings: Settings) -> None:
    """Import what installed packages have; a broken one is only a warning here."""
    if settings["version"]:
        return
    from anvl.tools.io.entry_points import load_all

    for problem in load_all():
        print(f"anvl-opt: warning: {problem}", file=sys.stderr)


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
