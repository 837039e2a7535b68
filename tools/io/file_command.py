"""The frame of a command that takes one program: questions, errors, crashes and interrupts.

COMMAND = FileCommand("anvl-run", parse, lambda: HELP + usage(FLAGS), run_file)
"""

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from anvl.tools.io.command_line import UsageError
from anvl.tools.io.crash_guard import guarded, leave, note

__all__ = ["FileCommand"]

_INTERRUPTED = 130


@dataclass(frozen=True)
class FileCommand:
    """A command.

    `parse` gives settings with the attributes `file`, `load` and `question`, `help` the text of
    `--help`, and `work` does the rest, on a stack that is large enough for deep programs.
    """

    name: str
    parse: Callable[[Sequence[str]], Any]
    help: Callable[[], str]
    work: Callable[[Any], int]

    def main(self, argv: Sequence[str] | None) -> int:
        """Run the command; returns its exit code.

        Without `argv` this is the command line's, and a child process runs it, whose crash is an
        error.
        """
        try:
            settings = self.parse(sys.argv[1:] if argv is None else argv)
            if settings.question:
                print(self._answer(settings.question), end="")
                return 0
            return self._run(settings) if argv is not None else self._guarded(settings)
        except UsageError as error:
            print(f"{self.name}: error: {error}", file=sys.stderr)
            return 1
        except KeyboardInterrupt:
            leave(_INTERRUPTED)  # a pass of MLIR's may still be running in its thread

    def _answer(self, question: str) -> str:
        if question == "help":
            return self.help()
        from anvl.tools.io.versions import versions

        return versions()

    def _guarded(self, settings: Any) -> int:
        ended = guarded(lambda: self._run(settings))
        if isinstance(ended, int):
            return ended
        problem = f"{ended.step} {ended.how}; anvl-opt names the pass, where it is one"
        print(f"{settings.file}:1:1: error: {problem}", file=sys.stderr)
        return 1

    def _run(self, settings: Any) -> int:
        from anvl.tools.io.load import LoadError, load
        from anvl.tools.io.stack import call_with_big_stack

        note("loading the files of --load")
        try:
            load(settings.load)
        except LoadError as error:
            print(error, end="", file=sys.stderr)
            return 1
        note(self.name)
        return call_with_big_stack(lambda: self.work(settings))
