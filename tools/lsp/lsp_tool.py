"""anvl-lsp: a language server for programs in MLIR, which editors start.

    anvl-lsp --load=my_ops.py

It speaks the Language Server Protocol on stdin and stdout; docs/anvl-lsp.md says how editors find
it.  Any error in the command line ends in exit code 1.
"""

import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, BinaryIO

from anvl.tools.io.command_line import EVERYTHING, Flag, UsageError, check_known, parse, usage
from anvl.tools.io.stdout import writes_stdout

__all__ = ["main"]

_HELP = """\
anvl-lsp [flags]: a language server for programs in MLIR, on stdin and stdout; an editor starts it

flags:
"""
_SECONDS = 10
_FLAGS = (
    Flag("help", "show this text (-h: the same)", "optional", None, "", EVERYTHING),
    Flag("version", "show the versions of anvl and of its dependencies"),
    Flag("load", "run FILE, a Python file that defines ops or passes", "paths", metavar="FILE"),
    Flag(
        "seconds",
        f"at most for a check, or for what is shown ({_SECONDS})",
        "number",
        _SECONDS,
        "N",
    ),
    Flag("stdio", "the only way to talk to it, as some editors say", default=1),
    Flag("allow-unregistered-dialect", "accept operations of unknown dialects"),
)
_ERROR = 1


@writes_stdout("anvl-lsp")
def main(argv: Sequence[str] | None = None) -> int:
    """Run the command `anvl-lsp`; returns its exit code."""
    try:
        return _run(sys.argv[1:] if argv is None else argv)
    except UsageError as error:
        print(f"anvl-lsp: error: {error}", file=sys.stderr)
        return _ERROR


def _run(argv: Sequence[str]) -> int:
    given = parse(argv, _FLAGS)
    check_known(given, _FLAGS)
    if given.values["help"]:
        print(_HELP + usage(_FLAGS), end="")
        return 0
    if given.values["version"]:
        from anvl.tools.io.versions import versions

        print(versions(), end="")
        return 0
    if given.inputs:
        text = "an editor gives it the text, not the command line"
        raise UsageError(f"{text}: {', '.join(given.inputs)}")
    if given.values["seconds"] < 1:
        raise UsageError(f"--seconds takes a number from 1 on, got {given.values['seconds']}")
    return _serve(given.values)


def _serve(values: dict[str, Any]) -> int:
    from anvl.tools.io.load import LoadError, load

    try:
        from anvl.tools.lsp.server import Server
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in ("pygls", "lsprotocol"):
            raise
        raise UsageError("pygls is not installed; run: pip install 'anvl-mlir[lsp]'") from None
    with _answers() as answers:
        try:
            load(values["load"])
        except LoadError as error:
            print(error, end="", file=sys.stderr)
            return _ERROR
        unregistered = values["allow-unregistered-dialect"]
        Server(seconds=values["seconds"], unregistered=unregistered).serve(answers)
    return 0


@contextmanager
def _answers() -> Iterator[BinaryIO]:
    """Stdout for answers alone; what a file that is loaded prints must not be taken for one."""
    sys.stdout.flush()
    before = os.dup(1)
    os.dup2(2, 1)
    try:
        with open(os.dup(before), "wb") as stream:
            yield stream
    finally:
        sys.stdout.flush()
        os.dup2(before, 1)
        os.close(before)


if __name__ == "__main__":
    sys.exit(main())
