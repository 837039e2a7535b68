"""anvl-reduce: shrink a module that shows a failure, as far as it still shows it.

    anvl-reduce wave.mlir --load=my_passes.py --differs=my-pass -o small.mlir
    anvl-reduce: my-pass and no pass differ; ops 212 -> 2, 61 candidates tried

Candidates are tried in a child process, which they may end.  The search is one too: whatever ends
it, an interruption (Ctrl-C, SIGTERM) or a crash, leaves the smallest module so far.
"""

import signal
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from anvl.tools.io.command_line import UsageError, usage
from anvl.tools.io.crash_guard import guarded, leave, note, step
from anvl.tools.io.stdout import writes_stdout
from anvl.tools.reduce.kept import Kept, write
from anvl.tools.reduce.reduce_settings import FLAGS, HELP, Settings, parse

if TYPE_CHECKING:
    from anvl.tools.reduce.reduce_driver import Reduction

__all__ = ["main"]

_ERROR = 1
_INTERRUPTS = (signal.SIGINT, signal.SIGTERM)
_INTERRUPTED = 130
_STOPPED = "the smallest module so far: "


@writes_stdout("anvl-reduce")
def main(argv: Sequence[str] | None = None) -> int:
    """Run the command `anvl-reduce`; returns its exit code.

    Without `argv` this is the command line's, and a child process runs it, whose crash is an error.
    """
    try:
        settings = parse(sys.argv[1:] if argv is None else argv)
        if settings.question:
            print(_answer(settings.question), end="")
            return 0
        with Kept(has_folder=settings.test is not None) as kept:
            return _run(settings, kept) if argv is not None else _guarded(settings, kept)
    except UsageError as error:
        print(f"anvl-reduce: error: {error}", file=sys.stderr)
        return _ERROR


def _answer(question: str) -> str:
    if question == "help":
        return HELP + usage(FLAGS)
    from anvl.tools.io.versions import versions

    return versions()


def _guarded(settings: Settings, kept: Kept) -> int:
    ended = guarded(lambda: _run(settings, kept), hands_over=(signal.SIGINT,))
    if isinstance(ended, int):
        return ended
    why = ", as where memory runs out" if ended.name == "SIGKILL" else ""
    print(f"anvl-reduce: error: {ended.step} {ended.how}{why}", file=sys.stderr)
    outcome = kept.load()
    if outcome is not None:
        write(outcome, settings.output, _STOPPED)
    return _ERROR


def _run(settings: Settings, kept: Kept) -> int:
    from anvl.tools.io.load import LoadError, load
    from anvl.tools.io.programs import Refused
    from anvl.tools.reduce.reduce_driver import Reduction

    try:
        note("loading the files of --load")
        load(settings.load)
        work = Reduction(settings, kept)
        code, prefix = _searched(work)
    except (LoadError, Refused) as error:
        print(error, end="", file=sys.stderr)
        return _ERROR
    if work.outcome is not None:
        write(work.outcome, settings.output, prefix)
    if code == _INTERRUPTED:
        work.close()
        kept.close()
        leave(code)  # the search may still be running in its thread
    return code


def _searched(work: "Reduction") -> tuple[int, str]:
    """Search, to the end or to an interruption or a failure; the exit code, and what to say first.

    Raises `Refused` and `UsageError` for what is wrong with the input or the command line.
    """
    from anvl.tools.io.programs import Refused
    from anvl.tools.io.stack import call_with_big_stack

    for number in _INTERRUPTS:
        if signal.getsignal(number) != signal.SIG_IGN:
            signal.signal(number, _interrupt)
    try:
        call_with_big_stack(work.run)
    except KeyboardInterrupt:
        return _INTERRUPTED, "interrupted: "
    except Exception as error:
        if work.outcome is None and isinstance(error, (Refused, UsageError)):
            raise
        print(f"anvl-reduce: error: {_named(error)}", file=sys.stderr)
        return _ERROR, _STOPPED
    return 0, ""


def _named(error: Exception) -> str:
    """The message of an error, with the step of the search where it has no words of its own."""
    if isinstance(error, UsageError):
        return str(error)
    said = " ".join(str(error).split())
    return f"{step() or 'the search'} failed, {type(error).__name__}{said and f': {said}'}"


def _interrupt(*_: Any) -> None:
    for number in _INTERRUPTS:  # the terminal and the parent both send one
        signal.signal(number, signal.SIG_IGN)
    raise KeyboardInterrupt


if __name__ == "__main__":
    sys.exit(main())
