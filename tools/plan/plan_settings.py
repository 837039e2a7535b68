"""The command line of `anvl-plan`."""

from collections.abc import Sequence
from dataclasses import dataclass

from anvl.tools.io.command_line import EVERYTHING, Flag, UsageError, check_known
from anvl.tools.io.command_line import parse as parsed
from anvl.tools.plan.machines import MACHINES, Machine, machine

__all__ = ["FLAGS", "HELP", "Settings", "parse"]

HELP = """\
anvl-plan [FILE] [flags]: predict the time and the memory of a program on a machine, for some meshes

FILE is what anvl-run takes.  Each --plan says how arguments lie on a mesh, as --anvl-shard does;
the program is compiled for as many simulated devices, and its text read.  Without one, the
program's own shardings hold.

flags:
"""
FLAGS = (
    Flag("help", "show this text (-h: the same)", "optional", None, "", EVERYTHING),
    Flag("version", "show the versions of anvl and of its dependencies"),
    Flag("load", "run FILE, a Python file that defines ops or passes", "paths", metavar="FILE"),
    Flag("function", "the function to plan (main)", "value", "main", "NAME"),
    Flag(
        "plan", "a mesh, and how arguments and results lie on it; again for another", "paths",
        metavar="'mesh=x:4,y:2 arg0=x,-'",
    ),
    Flag(
        "machine", f"{', '.join(MACHINES)}, or a file (h100)", "value", "h100", "NAME|FILE.toml"
    ),
    Flag("collectives", "list the collectives of each plan"),
    Flag("json", "print JSON"),
)  # fmt: skip


@dataclass(frozen=True)
class Settings:
    """A parsed command line."""

    file: str
    load: tuple[str, ...]
    function: str
    plans: tuple[str, ...]
    machine: Machine
    collectives: bool
    json: bool
    question: str  # help, version, or none


def parse(argv: Sequence[str]) -> Settings:
    """Parse the command line; raises `UsageError`."""
    given = parsed(argv, FLAGS)
    check_known(given, FLAGS)
    of = given.values
    if len(given.inputs) > 1:
        raise UsageError(f"one program at a time, got {', '.join(given.inputs)}")
    try:
        described = machine(of["machine"])
    except ValueError as error:
        raise UsageError(f"--machine: {error}") from None
    return Settings(
        file=given.inputs[0] if given.inputs else "-",
        load=of["load"],
        function=of["function"].removeprefix("@"),
        plans=of["plan"],
        machine=described,
        collectives=of["collectives"],
        json=of["json"],
        question="help" if of["help"] else "version" if of["version"] else "",
    )
