"""The command line of a tool: its flags, and the parser.

    given = parse(["--seed=2", "a.mlir"], [Flag("seed", "of random numbers", "number", 0, "N")])
    given.values["seed"], given.inputs                                       2, ["a.mlir"]

Flags may have one dash or two.  argparse fits badly: it supports no ordered, open set of flags,
and lets `--split-input-file x.mlir` swallow the file.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

__all__ = ["EVERYTHING", "Flag", "Given", "UsageError", "check_known", "defaults", "parse", "usage"]

#: What a bare `--help` asks about.
EVERYTHING = "*"
_SWITCH = {"": True, "1": True, "true": True, "0": False, "false": False}


class UsageError(Exception):
    """Invalid command line."""


@dataclass(frozen=True)
class Flag:
    """One flag.

    `kind` is "switch" (on or off), "value" (`--f=v` or `--f v`), "number", "names" (a list that
    may be given repeatedly), "paths" (one more each time), or "optional" (a bare `--f` means
    `bare`).  A value is one of the `choices`, where there are some.
    """

    name: str
    help: str
    kind: str = "switch"
    default: Any = None
    metavar: str = ""
    bare: str = ""
    choices: tuple[str, ...] = ()

    @property
    def start(self) -> Any:
        if self.kind in ("names", "paths"):
            return ()
        return bool(self.default) if self.kind == "switch" else self.default

    @property
    def spelling(self) -> str:
        dashes = "-" if len(self.name) == 1 else "--"
        metavar = self.metavar or "|".join(self.choices)
        values = {"switch": "", "optional": f"[={metavar}]"}
        return f"{dashes}{self.name}{values.get(self.kind, f'={metavar}')}"


class Given(NamedTuple):
    """A parsed command line: the value of each flag, the files, and the flags that are unknown."""

    values: dict[str, Any]
    inputs: list[str]
    unknown: list[tuple[str, str | None]]  # names with their values, in order


def defaults(flags: Iterable[Flag]) -> dict[str, Any]:
    """The value of each flag that is not given."""
    return {flag.name: flag.start for flag in flags}


def parse(argv: Sequence[str], flags: Sequence[Flag]) -> Given:
    """Parse a command line; `-h` is `--help`, where there is such a flag."""
    by_name = {flag.name: flag for flag in flags}
    if "help" in by_name:
        by_name["h"] = by_name["help"]
    given = Given(defaults(flags), [], [])
    arguments = list(reversed(argv))
    while arguments:
        argument = arguments.pop()
        if argument == "-" or not argument.startswith("-"):
            given.inputs.append(argument)
            continue
        name, equals, text = argument.lstrip("-").partition("=")
        value = text if equals else None
        flag = by_name.get(name)
        if flag is None:
            given.unknown.append((name, value))
            continue
        if value is None and flag.kind in ("value", "number", "names", "paths"):
            value = _next_value(flag, arguments)
        given.values[flag.name] = _converted(flag, value, given.values[flag.name])
    return given


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
    _check_choice(flag, given)
    if flag.kind == "paths":
        return (*before, given)
    if flag.kind == "names":
        return (*before, *(name.strip() for name in given.split(",")))
    if flag.kind == "number" and re.fullmatch("[0-9]{1,18}", given) is None:
        raise UsageError(f"--{flag.name} takes a whole number, 0 or more, got {given!r}")
    return int(given) if flag.kind == "number" else given


def _check_choice(flag: Flag, given: str) -> None:
    if flag.choices and given not in flag.choices:
        raise UsageError(f"--{flag.name} is {' or '.join(flag.choices)}, got {given!r}")


def _switch(flag: Flag, given: str) -> bool:
    if given.lower() not in _SWITCH:
        raise UsageError(f"--{flag.name} is on or off, got {given!r}; write --{flag.name}=0 or =1")
    return _SWITCH[given.lower()]


def check_known(given: Given, flags: Sequence[Flag]) -> None:
    """Raise `UsageError` for the first unknown flag, with one that is spelt like it."""
    from anvl.dialect.core.errors import nearest

    for name, _ in given.unknown:
        near = nearest(f"--{name}", [f"--{flag.name}" for flag in flags])
        raise UsageError(f"unknown flag --{name}{near or '; --help lists all'}")


def usage(flags: Iterable[Flag]) -> str:
    """The flags as a table."""
    return "".join(f"  {flag.spelling:<46} {flag.help}\n" for flag in flags)
