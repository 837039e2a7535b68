"""anvl-plan: predict the time and the memory of a program on a machine that is not here.

    anvl-plan step.mlir --plan='mesh=x:8 arg2=x,-' --plan='mesh=x:4,y:2 arg0=-,y arg2=x,-'

Any error ends in `file:line:col: error: message` and exit code 1; the programs are compiled in a
child process, which they may end.
"""

import sys
from collections.abc import Sequence

from anvl.tools.io.command_line import usage
from anvl.tools.io.file_command import FileCommand
from anvl.tools.io.stdout import writes_stdout
from anvl.tools.plan.plan_settings import FLAGS, HELP, Settings, parse

__all__ = ["main"]


@writes_stdout("anvl-plan")
def main(argv: Sequence[str] | None = None) -> int:
    """Run the command `anvl-plan`; returns its exit code.

    Without `argv` this is the command line's, and a child process runs it, whose crash is an error.
    """
    return FileCommand("anvl-plan", parse, lambda: HELP + usage(FLAGS), _work).main(argv)


def _work(settings: Settings) -> int:
    from anvl.tools.plan.plan_driver import plan_file

    return plan_file(settings)


if __name__ == "__main__":
    sys.exit(main())
