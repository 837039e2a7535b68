"""The command line of `anvl-reduce`: its flags, and what they say together."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from anvl.tools.io.command_line import EVERYTHING, Flag, UsageError, check_known
from anvl.tools.io.command_line import parse as parsed
from anvl.tools.run.settings import tolerance

__all__ = ["FLAGS", "HELP", "Settings", "parse"]

HELP = """\
anvl-reduce [FILE] QUESTION [flags]: shrink a module as long as the answer to a question stays

--crashes=PASSES   the passes fail with the same error, or end the process in the same way
--crashes=plugin   executing does so, with PASSES,plugin after these; interpreter: likewise
--differs=A --differs=B
                   results differ; A and B are passes, plugin, interpreter, or empty for no pass,
                   which is B where it is not given
--gradient         a derivative disagrees with differences
--test=SCRIPT      as of mlir-reduce: SCRIPT, called with a file as its last argument, exits with 1
                   (not with 0) if the module in it is of interest

flags:
"""
FLAGS = (
    Flag("help", "show this text (-h: the same)", "optional", None, "", EVERYTHING),
    Flag("version", "show the versions of anvl and of its dependencies"),
    Flag("load", "run FILE, a Python file that defines ops or passes", "paths", metavar="FILE"),
    Flag("crashes", "keep the failure of these passes, or of execution", "value", None, "PASSES"),
    Flag("differs", "keep a difference of results", "paths", metavar="PASSES"),
    Flag("gradient", "keep a derivative that disagrees with differences"),
    Flag("test", "keep it as long as SCRIPT exits with 1", "value", None, "SCRIPT"),
    Flag("test-arg", "an argument of SCRIPT, before the file", "paths", metavar="ARG"),
    Flag("function", "execute this function alone (all public ones)", "value", None, "NAME"),
    Flag(
        "executor",
        "plugin or interpreter (the latter, if it shows the difference)",
        "value", None, "NAME",
    ),
    Flag("random-seed", "of the random arguments (0)", "number", 0, "N"),
    Flag("rtol", "relative error allowed (by dtype)", "value", None, "X"),
    Flag("atol", "absolute error allowed (by dtype and largest element)", "value", None, "X"),
    Flag("timeout", "of a processor, for one candidate (10)", "number", 10, "SECONDS"),
    Flag("o", "write to FILE, which stays as it was if anything fails", "value", "-", "FILE"),
)  # fmt: skip

_EXECUTORS = ("plugin", "interpreter")


@dataclass(frozen=True)
class Settings:
    """A parsed command line; None where a flag is not given."""

    file: str
    load: tuple[str, ...]
    crashes: str | None
    differs: tuple[str, ...]
    gradient: bool
    test: str | None
    test_args: tuple[str, ...]
    function: str | None
    executor: str | None
    seed: int
    rtol: float | None
    atol: float | None
    timeout: int
    output: str
    question: str  # help, version, or none


def parse(argv: Sequence[str]) -> Settings:
    """Parse the command line; raises `UsageError`."""
    given = parsed(argv, FLAGS)
    check_known(given, FLAGS)
    of = given.values
    question = "help" if of["help"] else "version" if of["version"] else ""
    if len(given.inputs) > 1:
        raise UsageError(f"one program at a time, got {', '.join(given.inputs)}")
    if not question:
        _check_question(of)
    if of["executor"] is not None and of["executor"] not in _EXECUTORS:
        raise UsageError(f"--executor is plugin or interpreter, got {of['executor']!r}")
    if not of["timeout"]:
        raise UsageError("--timeout is 0; give a number of seconds")
    return Settings(
        file=given.inputs[0] if given.inputs else "-",
        load=of["load"],
        crashes=of["crashes"],
        differs=of["differs"],
        gradient=of["gradient"],
        test=of["test"],
        test_args=of["test-arg"],
        function=of["function"] and of["function"].removeprefix("@"),
        executor=of["executor"],
        seed=of["random-seed"],
        rtol=tolerance("rtol", of["rtol"]),
        atol=tolerance("atol", of["atol"]),
        timeout=of["timeout"],
        output=of["o"],
        question=question,
    )


def _check_question(of: dict[str, Any]) -> None:
    names = ("crashes", "differs", "gradient", "test")
    asked = [name for name in names if of[name] not in (None, False, ())]
    if len(asked) != 1:
        listed = ", ".join(f"--{name}" for name in asked) or "none"
        raise UsageError(f"one question of --{', --'.join(names)}, got {listed}")
    if len(of["differs"]) > 2:
        raise UsageError(f"--differs compares two, got {len(of['differs'])}")
    if of["test-arg"] and of["test"] is None:
        raise UsageError("--test-arg needs --test")
