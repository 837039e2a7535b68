"""The command line of `anvl-opt`: its flags, and the parser.

Flags may have one dash or two.  An unknown flag is a pass, in the order given: `--cse`,
`--anvl-gradient="function=main wrt=0"`.  argparse fits badly: it supports no ordered, open set of
flags, and lets `--split-input-file x.mlir` swallow the file.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

__all__ = ["FLAGS", "Flag", "Settings", "UsageError", "parse", "usage"]

SPLIT_MARKER = "// -----"
_SWITCH = {"": True, "1": True, "true": True, "0": False, "false": False}


class UsageError(Exception):
    """Invalid command line."""


@dataclass(frozen=True)
class Flag:
    """One flag.

    `kind` is "switch" (on or off), "value" (`--f=v` or `--f v`), "number", "names" (a list that
    may be given repeatedly), "paths" (one more each time), or "optional" (a bare `--f` means
    `bare`).
    """

    name: str
    help: str
    kind: str = "switch"
    default: Any = None
    metavar: str = ""
    bare: str = ""

    @property
    def start(self) -> Any:
        if self.kind in ("names", "paths"):
            return ()
        return bool(self.default) if self.kind == "switch" else self.default

    @property
    def spelling(self) -> str:
        dashes = "-" if len(self.name) == 1 else "--"
        values = {"switch": "", "optional": f"[={self.metavar}]"}
        return f"{dashes}{self.name}{values.get(self.kind, f'={self.metavar}')}"


FLAGS = (
    Flag("help", "show this text"),
    Flag("version", "show the versions of anvl and of its dependencies"),
    Flag("list-passes", "list all passes"),
    Flag("show-dialects", "list the dialects that can be read"),
    Flag("list-ops", "list all ops, with those of the files loaded"),
    Flag("irdl", "print the dialects that Python classes declare, for `mlir-opt --irdl-file=`"),
    Flag("load", "run FILE, a Python file that defines ops or passes", "paths", metavar="FILE"),
    Flag("o", "write to FILE, which stays as it was if anything fails", "value", "-", "FILE"),
    Flag(
        "pass-pipeline",
        'the pipeline to run, as in "builtin.module(a{x=1},b)"',
        "value",
        None,
        "TEXT",
    ),
    Flag("p", "the same, short", "value", None, "TEXT"),
    Flag("dump-pass-pipeline", "print the pipeline that will be run to stderr"),
    Flag("allow-unregistered-dialect", "accept operations of unknown dialects"),
    Flag(
        "split-input-file",
        f"process each part between lines of MARKER (`{SPLIT_MARKER}`) on its own",
        "optional",
        None,
        "MARKER",
        SPLIT_MARKER,
    ),
    Flag(
        "verify-diagnostics",
        "compare diagnostics with the expected-error comments in the input",
        "optional",
        None,
        "all|only-expected",
        "all",
    ),
    Flag(
        "verify-each", "check the IR after every pass (on by default; =0 turns it off)", default=1
    ),
    Flag("verify-roundtrip", "check that the input prints and parses back, as text and bytecode"),
    Flag("emit-bytecode", "write bytecode"),
    Flag("trust-input", "read bytecode without trying it in a child process first"),
    Flag("mlir-print-op-generic", "print the generic form of all operations"),
    Flag("mlir-print-debuginfo", "print locations"),
    Flag("mlir-print-local-scope", "print without aliases"),
    Flag(
        "mlir-use-nameloc-as-prefix",
        "keep the names of values, and name those that passes make (on by default; =0 numbers all)",
        default=1,
    ),
    Flag(
        "mlir-elide-elementsattrs-if-larger",
        "print `...` for constants of more elements than N",
        "number",
        None,
        "N",
    ),
    Flag("mlir-print-ir-before", "print the IR before these passes", "names", metavar="NAME,..."),
    Flag("mlir-print-ir-after", "print the IR after these passes", "names", metavar="NAME,..."),
    Flag("mlir-print-ir-before-all", "print the IR before every pass"),
    Flag("mlir-print-ir-after-all", "print the IR after every pass"),
    Flag("mlir-print-ir-after-change", "print the IR after every pass that changed it"),
    Flag("mlir-print-ir-after-failure", "print the IR after a pass that failed"),
    Flag("mlir-print-ir-module-scope", "print the whole module, also for passes nested in it"),
    Flag("mlir-print-ir-tree-dir", "print to files in FOLDER instead", "value", None, "FOLDER"),
    Flag("anvl-print-adjoint-map", "print each op beside its adjoint ops after anvl-gradient"),
    Flag("mlir-print-stacktrace-on-diagnostic", "show Python's stack for an error in a pass"),
    Flag("mlir-timing", "print how long each phase and pass took to stderr"),
    Flag("mlir-disable-threading", "accepted and without effect: anvl-opt has one thread"),
)
_BY_NAME = {flag.name: flag for flag in FLAGS}


@dataclass
class Settings:
    """A parsed command line."""

    values: dict[str, Any] = field(default_factory=lambda: {f.name: f.start for f in FLAGS})
    passes: list[tuple[str, str | None]] = field(default_factory=list)  # name, option text
    inputs: list[str] = field(default_factory=list)

    def __getitem__(self, name: str) -> Any:
        return self.values[name]

    @property
    def input(self) -> str:
        return self.inputs[0] if self.inputs else "-"


def parse(argv: Sequence[str]) -> Settings:
    """Parse the command line; unknown passes are left to the pipeline parser."""
    settings = Settings()
    arguments = list(reversed(argv))
    while arguments:
        argument = arguments.pop()
        if argument == "-" or not argument.startswith("-"):
            settings.inputs.append(argument)
            continue
        name, equals, value = argument.lstrip("-").partition("=")
        given = value if equals else None
        flag = _BY_NAME.get(name)
        if flag is None:
            settings.passes.append((name, given))
            continue
        if given is None and flag.kind in ("value", "number", "names", "paths"):
            given = _next_value(flag, arguments)
        settings.values[name] = _converted(flag, given, settings[name])
    _check(settings)
    return settings


def _next_value(flag: Flag, arguments: list[str]) -> str:
    if not arguments:
        raise UsageError(f"--{flag.name} needs a value; write {flag.spelling}")
    return arguments.pop()


def _converted(flag: Flag, given: str | None, before: Any) -> Any:
    if flag.kind == "switch":
        return _switch(flag, given or "")
    if flag.kind == "optional":
        return given or flag.bare
    assert given is not None
    if flag.kind == "paths":
        return (*before, given)
    if flag.kind == "names":
        return (*before, *(name.strip() for name in given.split(",")))
    if flag.kind == "number" and not given.isdecimal():
        raise UsageError(f"--{flag.name} takes a number, got {given!r}")
    return int(given) if flag.kind == "number" else given


def _switch(flag: Flag, given: str) -> bool:
    if given.lower() not in _SWITCH:
        raise UsageError(f"--{flag.name} is on or off, got {given!r}; write --{flag.name}=0 or =1")
    return _SWITCH[given.lower()]


def _check(settings: Settings) -> None:
    if len(settings.inputs) > 1:
        raise UsageError(f"one input at a time, got {', '.join(settings.inputs)}")
    mode = settings["verify-diagnostics"]
    if mode not in (None, "all", "only-expected"):
        raise UsageError(f"--verify-diagnostics is all or only-expected, got {mode!r}")
    pipelines = [x for x in (settings["pass-pipeline"], settings["p"]) if x is not None]
    if len(pipelines) + bool(settings.passes) > 1:
        raise UsageError("passes are given twice; use --pass-pipeline or pass flags, not both")


def usage() -> str:
    """The flags as a table."""
    return "".join(f"  {flag.spelling:<46} {flag.help}\n" for flag in FLAGS)
