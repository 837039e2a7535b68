"""anvl-run: execute a function of a module from a file, print, save and compare its results.

    anvl-run sin.mlir --function=sin --args='[[0.0, 1.0]]'
    f32[2] 0.0 0.841471

Any error ends in `file:line:col: error: message` and exit code 1; the program runs in a child
process, which it may end.
"""

import sys
from collections.abc import Sequence

from anvl.tools.io.command_line import usage
from anvl.tools.io.file_command import FileCommand
from anvl.tools.io.stdout import writes_stdout
from anvl.tools.run.settings import FLAGS, HELP, Settings, parse

__all__ = ["main"]


@writes_stdout("anvl-run")
def main(argv: Sequence[str] | None = None) -> int:
    """Run the command `anvl-run`; returns its exit code.

    Without `argv` this is the command line's, and a child process runs it, whose crash is an error.
    """
    return FileCommand("anvl-run", parse, lambda: HELP + usage(FLAGS), _work).main(argv)


def _work(settings: Settings) -> int:
    from anvl.tools.run.driver import run_file

    return run_file(settings)


if __name__ == "__main__":
    sys.exit(main())
