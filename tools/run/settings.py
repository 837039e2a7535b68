"""The command line of `anvl-run`: its flags, and what they say together."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from anvl.tools.io.command_line import EVERYTHING, Flag, UsageError, check_known
from anvl.tools.io.command_line import parse as parsed

__all__ = ["FLAGS", "HELP", "Settings", "parse", "tolerance"]

HELP = """\
anvl-run [FILE] [flags]: execute a function of a module, in anvl's ops or StableHLO

FILE is text, bytecode, a portable artifact or a file of anvl.export; - or none is stdin.  The
module goes through the pipeline of `jit`, so it may be a trace.

flags:
"""
FLAGS = (
    Flag("help", "show this text (-h: the same)", "optional", None, "", EVERYTHING),
    Flag("version", "show the versions of anvl and of its dependencies"),
    Flag("load", "run FILE, a Python file that defines ops or passes", "paths", metavar="FILE"),
    Flag("function", "the function to execute (main)", "value", "main", "NAME"),
    Flag("args", "a JSON list of the arguments; null: given elsewhere", "value", None, "JSON"),
    Flag("input", "one argument, by name or index, from FILE", "paths", metavar="NAME=FILE.npy"),
    Flag("inputs", "arguments by name, or as arg0 or arr_0, from FILE", "value", None, "FILE.npz"),
    Flag("random-seed", "random numbers for the arguments not given", "number", None, "N"),
    Flag("random-range", "range of random floats (-1,1)", "value", "-1,1", "LOW,HIGH"),
    Flag("executor", "plugin, or interpreter: StableHLO's own (plugin)", "value", "plugin", "NAME"),
    Flag("plugin", "the PJRT plugin, or its device: cuda, cuda:1 (cpu)", "value", "cpu", "NAME"),
    Flag("devices", "split the program over N devices, by its shardings (1)", "number", 1, "N"),
    Flag(
        "compare",
        "compare the results of the first with the others': plugin, interpreter, a plugin, a file",
        "names",
        metavar="NAME|FILE,...",
    ),
    Flag("rtol", "relative error allowed (by dtype)", "value", None, "X"),
    Flag("atol", "absolute error allowed (by dtype and largest element)", "value", None, "X"),
    Flag("repeat", "execute N times more; time, memory and cost on stderr", "number", 0, "N"),
    Flag("timeout", "end an execution after SECONDS", "number", None, "SECONDS"),
    Flag("print-limit", "print at most N elements of each result", "number", None, "N"),
    Flag("o", "save the results to FILE, .npz, or .npy for one", "value", None, "FILE"),
    Flag("save-inputs", "save the arguments to FILE", "value", None, "FILE.npz"),
)

_EXECUTORS = ("plugin", "interpreter")
_CPU = "cpu"
_MOST_DEVICES = 2048  # of a CPU client of XLA
_ARRAYS = (".npz", ".npy")


@dataclass(frozen=True)
class Settings:
    """A parsed command line; None where a flag is not given."""

    file: str
    load: tuple[str, ...]
    function: str
    args: str | None
    input: tuple[str, ...]
    inputs: str | None
    seed: int | None
    range: tuple[float, float]  # of random floats
    plugin: str  # or a device of it
    devices: int
    sources: tuple[str, ...]  # what gives results: the first is compared with the others
    rtol: float | None
    atol: float | None
    repeat: int
    timeout: int | None
    print_limit: int | None
    output: str | None
    save_inputs: str | None
    question: str  # help, version, or none

    @property
    def executors(self) -> list[str]:
        """What executes the program, by kind or by plugin; the other sources are files."""
        return [x for x in self.sources if not x.endswith(_ARRAYS)]


def parse(argv: Sequence[str]) -> Settings:
    """Parse the command line; raises `UsageError`."""
    given = parsed(argv, FLAGS)
    check_known(given, FLAGS)
    of = given.values
    if len(given.inputs) > 1:
        raise UsageError(f"one program at a time, got {', '.join(given.inputs)}")
    _check_plugin("plugin", of["plugin"])
    if of["devices"] < 1:
        raise UsageError(f"--devices must be at least 1, got {of['devices']}")
    if of["devices"] > _MOST_DEVICES:
        raise UsageError(f"--devices must be at most {_MOST_DEVICES}, got {of['devices']}")
    _check_name("executor", of["executor"], _EXECUTORS)
    _check_path("o", of["o"], _ARRAYS)
    _check_path("save-inputs", of["save-inputs"], (".npz",))
    _check_path("inputs", of["inputs"], (".npz",))
    return Settings(
        file=given.inputs[0] if given.inputs else "-",
        load=of["load"],
        function=of["function"].removeprefix("@"),
        args=of["args"],
        input=of["input"],
        inputs=of["inputs"],
        seed=of["random-seed"],
        range=_range(of["random-range"]),
        plugin=of["plugin"],
        devices=of["devices"],
        sources=_sources(of["executor"], of["compare"]),
        rtol=tolerance("rtol", of["rtol"]),
        atol=tolerance("atol", of["atol"]),
        repeat=of["repeat"],
        timeout=of["timeout"],
        print_limit=of["print-limit"],
        output=of["o"],
        save_inputs=of["save-inputs"],
        question="help" if of["help"] else "version" if of["version"] else "",
    )


def _sources(executor: str, compare: Sequence[str]) -> tuple[str, ...]:
    """The sources of results; the executor is the first where one or no executor is named."""
    for name in compare:
        if not name.endswith(_ARRAYS) and name not in _EXECUTORS:
            _check_plugin("compare", name, _EXECUTORS, ", or a file, .npz or .npy")
    if len(compare) > 1 and not compare[0].endswith(_ARRAYS):
        return tuple(compare)
    if tuple(compare) == (executor,):
        raise UsageError(f"--compare={executor} has nothing to compare with; name two")
    return (executor, *compare)


def _check_plugin(flag: str, text: str, more: Sequence[str] = (), others: str = "") -> None:
    """Refuse what names no plugin: the name, perhaps with the number of a device."""
    name, colon, number = text.partition(":")
    if name == _CPU and not colon:
        return
    from anvl.runtime import PluginError, find_plugin, known_plugins, normal

    if more:
        known = list(dict.fromkeys((*more, _CPU, *known_plugins())))
        _check_name(flag, normal(name), known, others)
    elif normal(name) != _CPU:
        try:
            find_plugin(name, f"--{flag}")
        except PluginError as error:
            raise UsageError(str(error)) from None
    if colon and not number.isdecimal():
        raise UsageError(f"--{flag} takes a device as {name}:0, got {text!r}")


def _check_name(flag: str, name: str, known: Sequence[str], others: str = "") -> None:
    from anvl.dialect.core.errors import nearest

    if name not in known:
        listed = " or ".join(known)
        near = nearest(name, known)
        raise UsageError(f"--{flag} takes {listed}{others}, got {name!r}{near}")


def _check_path(flag: str, path: str | None, ends: tuple[str, ...]) -> None:
    if path is not None and not path.endswith(ends):
        spelt = f"-{flag}" if len(flag) == 1 else f"--{flag}"
        raise UsageError(
            f"{spelt} takes a file whose name ends in {' or '.join(ends)}, got {path!r}"
        )


def _range(text: str) -> tuple[float, float]:
    try:
        low, high = map(float, text.split(","))
    except ValueError:
        low, high = math.inf, -math.inf
    if not -math.inf < low <= high < math.inf:
        raise UsageError(f"--random-range takes two numbers, as in 0.1,0.9, got {text!r}")
    return low, high


def tolerance(flag: str, text: str | None) -> float | None:
    if text is None:
        return None
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not 0 <= value < math.inf:
        raise UsageError(f"--{flag} takes a number from 0 on, got {text!r}")
    return value
