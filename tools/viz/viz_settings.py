"""The command line of `anvl-viz`: its flags, and what they say together."""

from collections.abc import Sequence
from dataclasses import dataclass

from anvl.passes.framework.pipeline import Pipeline
from anvl.tools.io.command_line import EVERYTHING, Flag, UsageError
from anvl.tools.io.command_line import parse as parsed

__all__ = ["FLAGS", "FORMATS", "HELP", "Settings", "parse"]

HELP = """\
anvl-viz [FILE] [--PASS...] [flags]: a program to look at, and what passes make of it

The page (html) has the program before the passes and after each of them, with the lines of source
that ops come from, in one file that needs no other.  The other formats have the program after all
passes.  FILE is text, bytecode or a portable artifact; - or none is stdin.

flags:
"""
#: The formats, with the endings of their files.
FORMATS = {
    "html": (".html", ".htm"),
    "svg": (".svg",),
    "dot": (".dot", ".gv"),
    "mermaid": (".mmd", ".mermaid"),
}
_LIMIT = 100
FLAGS = (
    Flag("help", "show this text (-h: the same)", "optional", None, "", EVERYTHING),
    Flag("version", "show the versions of anvl and of its dependencies"),
    Flag("load", "run FILE, a Python file that defines ops or passes", "paths", metavar="FILE"),
    Flag("pass-pipeline", 'the passes, as in "builtin.module(a{x=1},b)"', "value", None, "TEXT"),
    Flag("p", "the same, short", "value", None, "TEXT"),
    Flag("format", f"{', '.join(FORMATS)} (as FILE ends, or else html)", "value", None, "NAME"),
    Flag("o", "write to FILE, which stays as it was if anything fails", "value", "-", "FILE"),
    Flag("fold", f"at most N nodes in a graph, else groups ({_LIMIT})", "number", _LIMIT, "N"),
    Flag("source", "show the source: the input, and files of Python below it or here", default=1),
    Flag("title", "the title (the name of the file)", "value", None, "TEXT"),
    Flag("allow-unregistered-dialect", "accept operations of unknown dialects"),
)


@dataclass(frozen=True)
class Settings:
    """A parsed command line."""

    file: str
    load: tuple[str, ...]
    passes: tuple[tuple[str, str | None], ...]
    pass_pipeline: str | None
    short_pipeline: str | None
    format: str
    output: str
    fold: int
    source: bool
    title: str
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
    if len(given.inputs) > 1:
        raise UsageError(f"one program at a time, got {', '.join(given.inputs)}")
    texts = [x for x in (of["pass-pipeline"], of["p"]) if x is not None]
    if len(texts) + bool(given.unknown) > 1:
        raise UsageError("passes are given twice; use --pass-pipeline or pass flags, not both")
    if of["fold"] < 2:
        raise UsageError(f"--fold takes a number from 2 on, got {of['fold']}")
    file = given.inputs[0] if given.inputs else "-"
    return Settings(
        file=file,
        load=of["load"],
        passes=tuple(given.unknown),
        pass_pipeline=of["pass-pipeline"],
        short_pipeline=of["p"],
        format=_format(of["format"], of["o"]),
        output=of["o"],
        fold=of["fold"],
        source=of["source"],
        title=of["title"] or ("stdin" if file == "-" else file),
        allow_unregistered=of["allow-unregistered-dialect"],
        question="help" if of["help"] else "version" if of["version"] else "",
    )


def _format(given: str | None, output: str) -> str:
    if given is None:
        named = (name for name, ends in FORMATS.items() if output.lower().endswith(ends))
        return next(named, "html")
    if given not in FORMATS:
        from anvl.dialect.core.errors import nearest

        near = nearest(given, FORMATS)
        raise UsageError(f"--format is one of {', '.join(FORMATS)}, got {given!r}{near}")
    return given
