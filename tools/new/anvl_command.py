"""The command `anvl`, also `python -m anvl`: alone it says which commands there are.

`anvl new my_dialect` writes a project of ops and passes of one's own.
`anvl cache list` and its like look after the cache of compiled programs.
`anvl doctor` tries the installation from end to end.
"""

import os
import sys
from collections.abc import Sequence
from pathlib import Path

from anvl.tools.cache import cache_command
from anvl.tools.doctor.doctor_command import doctor
from anvl.tools.io.command_line import Flag, UsageError, check_known, parse, usage
from anvl.tools.io.stdout import writes_stdout

__all__ = ["main"]

_HELP = """\
usage: anvl                     what there is, tools included
       anvl new FOLDER
       anvl cache list|verify|prune|clear|path
       anvl doctor

`new` writes a project of ops and passes of your own: a package and a dialect named like the folder,
with an op, a pass, tests of both (pytest, lit) and a workflow for CI.  The tests pass as they are.
`cache` looks after the compiled programs that are kept on disk; `anvl cache --help` says more.
`doctor` tries the installation from end to end: versions, tracing, passes, compiling, running, a
gradient, LAPACK, files, plugins.  Each check is a line, ok or FAILED with what to do; the exit code
is 1 if one failed.

"""
_OVERVIEW = """\
anvl {version}: Python functions traced to MLIR, differentiated as by a compiler, and run by XLA

anvl doctor           try the installation from end to end: the first thing to do
anvl new FOLDER       write a project of ops and passes of your own
anvl cache COMMAND    list, verify, prune or clear the compiled programs on disk

anvl-opt              read a program in MLIR, run passes on it, print the result
anvl-run              execute a program, and compare executors or files
anvl-plan             predict time and memory of a program on a machine, for some meshes
anvl-diff             what differs between two programs, or what passes change
anvl-viz              a program, and what passes make of it, as a page
anvl-reduce           shrink a program that shows a failure
anvl-lsp              the language server for programs in MLIR, which an editor starts
anvl-lint-checks, anvl-update-checks, anvl-numbers
                      find, write and compare the checks of lit tests
python -m anvl.examples
                      programs to read, run and copy

Each has --help.  anvl --version shows the versions of what anvl stands on.
"""
_FLAGS = (Flag("help", "this text"), Flag("version", "versions of anvl and of what it stands on"))
_COMMANDS = ("new", "cache", "doctor")


@writes_stdout("anvl")
def main(argv: Sequence[str] | None = None) -> int:
    """Run the command `anvl`; returns its exit code."""
    try:
        return _run(sys.argv[1:] if argv is None else argv)
    except UsageError as error:
        print(f"anvl: error: {error}", file=sys.stderr)
        return 1


def _run(argv: Sequence[str]) -> int:
    of_cache = argv[:1] == ["cache"]
    flags = (*_FLAGS, *cache_command.FLAGS) if of_cache else _FLAGS
    given = parse(argv, flags)
    check_known(given, flags)
    if not argv:
        from anvl.tools.io.versions import anvl_version

        print(_OVERVIEW.format(version=anvl_version()), end="")
    elif given.values["help"]:
        print((cache_command.HELP if of_cache else _HELP) + usage(flags), end="")
    elif given.values["version"]:
        from anvl.tools.io.versions import versions

        print(versions(), end="")
    elif of_cache:
        return cache_command.run(given.inputs[1:], given.values)
    elif given.inputs[:1] == ["doctor"]:
        if len(given.inputs) > 1:
            raise UsageError(f"doctor takes no arguments, got {given.inputs[1]!r}")
        return doctor()
    else:
        _new(_checked(given.inputs))
    return 0


def _checked(words: Sequence[str]) -> Path:
    """The folder that the command line asks for."""
    from anvl.dialect.core.errors import nearest

    command, *folders = words
    if command not in _COMMANDS:
        near = nearest(command, _COMMANDS)
        raise UsageError(
            f"no command {command!r}{near or '; the commands are ' + ', '.join(_COMMANDS)}"
        )
    if command != "new":
        raise UsageError(f"write {command!r} first, before the flags")
    if len(folders) != 1:
        raise UsageError(f"new takes one folder, got {len(folders)}; write anvl new my_dialect")
    return Path(os.path.normpath(folders[0]))


def _new(folder: Path) -> None:
    from anvl.tools.new.new_project import write_project

    for path in write_project(folder):
        print(folder / path)
    print(f"\nnext: cd {folder} && pip install -e '.[test]' && pytest && lit -v test/lit")


if __name__ == "__main__":
    sys.exit(main())
