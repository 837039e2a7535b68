"""The command line of `anvl-diff`: its flags, and what they say together."""

from collections.abc import Sequence
from dataclasses import dataclass

from anvl.passes.framework.pipeline import Pipeline
from anvl.tools.io.command_line import EVERYTHING, Flag, UsageError
from anvl.tools.io.command_line import parse as parsed

__all__ = ["FLAGS", "HELP", "Settings", "parse"]

HELP = """\
anvl-diff A B [flags]: what differs between two programs, op by op
anvl-diff FILE --PASS... [flags]: what passes change in a program

Names of values, and places in the file, make no difference; the order of ops does.  A file is text,
bytecode or a portable artifact; - is stdin.  The exit code is 0 if nothing differs, 1 if something
does, and 2 for an error, as that of `diff`.  With two programs, passes run on both first.

flags:
"""
_WHEN = ("auto", "always", "never")
FLAGS = (
    Flag("help", "show this text (-h: the same)", "optional", None, "", EVERYTHING),
    Flag("version", "show the versions of anvl and of its dependencies"),
    Flag("load", "run FILE, a Python file that defines ops or passes", "paths", metavar="FILE"),
    Flag(
        "pass-pipeline", 'the passes, as in "builtin.module(a{x=1},b)"', "value", None, "TEXT"
    ),
    Flag("p", "the same, short", "value", None, "TEXT"),
    Flag("each", "show the changes of each pass on its own"),
    Flag("ignore-order", "ops of one block may stand in another order"),
    Flag("json", "print JSON"),
    Flag("color", "colour the text: always, never, or on a terminal", "value", "auto", "WHEN"),
    Flag("o", "write to FILE, which stays as it was if anything fails", "value", "-", "FILE"),
    Flag("allow-unregistered-dialect", "accept operations of unknown dialects"),
)  # fmt: skip


@dataclass(frozen=True)
class Settings:
    """A parsed command line."""

    files: tuple[str, ...]
    load: tuple[str, ...]
    passes: tuple[tuple[str, str | None], ...]
    pass_pipeline: str | None
    short_pipeline: str | None
    each: bool
    ignore_order: bool
    json: bool
    color: str
    output: str
    allow_unregistered: bool
    question: str  # help, version, or none

    def pipeline(self) -> Pipeline:
        """The passes to run; only after the files of `--load`, which may define some."""
        from anvl.tools.opt.driver.pass_flags import given_pipeline

        names = [flag.name for flag in FLAGS]
        return given_pipeline(self.pass_pipeline, self.short_pipeline, self.passes, names)


def parse(argv: Sequence[str]) -> Settings:
    """Parse the command line; raises `UsageError`."""
    given = parsed(argv, FLAGS)
    of = given.values
    question = "help" if of["help"] else "version" if of["version"] else ""
    texts = [x for x in (of["pass-pipeline"], of["p"]) if x is not None]
    if len(texts) + bool(given.unknown) > 1:
        raise UsageError("passes are given twice; use --pass-pipeline or pass flags, not both")
    if of["color"] not in _WHEN:
        raise UsageError(f"--color is {', '.join(_WHEN)}, got {of['color']!r}")
    has_passes = bool(texts or given.unknown)
    if not question:
        _check_files(given.inputs, has_passes, of["each"])
    return Settings(
        files=tuple(given.inputs),
        load=of["load"],
        passes=tuple(given.unknown),
        pass_pipeline=of["pass-pipeline"],
        short_pipeline=of["p"],
        each=of["each"],
        ignore_order=of["ignore-order"],
        json=of["json"],
        color=of["color"],
        output=of["o"],
        allow_unregistered=of["allow-unregistered-dialect"],
        question=question,
    )


def _check_files(files: Sequence[str], has_passes: bool, each: bool) -> None:
    if len(files) > 2 or not files:
        raise UsageError(f"two files, or one with passes, got {', '.join(files) or 'none'}")
    if len(files) == 1 and not has_passes:
        raise UsageError(f"{files[0]} and nothing to compare with; give a file or passes")
    if files == ["-", "-"]:
        raise UsageError("stdin is read once; give a file")
    if each and len(files) == 2:
        raise UsageError("--each shows the passes on one program, got two")
