"""Questions about the tool itself: `--help`, `--version` and the lists."""

from collections.abc import Callable

from anvl.dialect.core.context import context
from anvl.dialect.core.mlir import ir
from anvl.passes.framework import native, pipeline
from anvl.passes.framework.pass_base import Pass, registered_passes
from anvl.tools.io.command_line import EVERYTHING, UsageError, usage
from anvl.tools.io.versions import versions
from anvl.tools.opt import flags
from anvl.tools.opt.flags import Settings
from anvl.tools.opt.listing import op_list
from anvl.tools.opt.listing.native_help import OPTIONS, SUMMARIES

__all__ = ["QUESTIONS", "dialect_names"]

_DESCRIPTION = """\
anvl-opt: read MLIR, run passes on it, print the result.

    anvl-opt loss.mlir --anvl-gradient="function=main wrt=0" --cse
    anvl-opt loss.mlir --pass-pipeline="builtin.module(anvl-inline,func.func(cse))" -o out.mlir

Any error in the input ends in `file:line:col: error: message` and exit code 1.
"""


def _help(settings: Settings) -> str:
    if settings["help"] != EVERYTHING:
        return _help_of(settings["help"].lstrip("-"))
    return (
        f"{_DESCRIPTION}\n"
        "usage: anvl-opt [INPUT or -] [flags and passes]\n\n"
        f"flags:\n{usage(flags.FLAGS)}\npasses, run in the order given:\n{_list_passes(settings)}"
    )


def _list_passes(settings: Settings) -> str:
    ours = "".join(_described(name, cls) for name, cls in registered_passes().items())
    theirs = "".join(map(_described_native, native.names()))
    return f"{ours}\npasses of MLIR and StableHLO:\n{theirs}"


def _help_of(name: str) -> str:
    """Description of one pass."""
    if native.exists(name):
        return _described_native(name)
    try:
        cls = pipeline.lookup(name)
    except ValueError as error:  # names the nearest ones
        raise UsageError(str(error)) from None
    return _described(cls.argument, cls)


def _described_native(name: str) -> str:
    lines = [f"  --{name:<44} {SUMMARIES.get(name, '')}".rstrip()]
    for option, default in native.options_of(name).items():
        spelling = f"{option}=<{default}>"
        lines.append(f"      {spelling:<42} {OPTIONS.get((name, option), '')}".rstrip())
    return "\n".join(lines) + "\n"


def _described(name: str, cls: type[Pass]) -> str:
    lines = [f"  --{name:<44} {cls.summary()}"]
    for opt in cls.options().values():
        spelling = f"{opt.name}=<{opt.type_name}>"
        lines.append(f"      {spelling:<42} {opt.help}")
    return "\n".join(lines) + "\n"


def dialect_names() -> list[str]:
    """The dialects, from MLIR's message for an unknown one, as the bindings have no list."""
    try:
        ir.Module.parse("no_such_dialect.op", context())
    except ir.MLIRError as error:
        notes = [note.message for d in error.error_diagnostics for note in d.notes]
    listed = notes[0].partition(":")[2].partition(";")[0].partition("(* ")[0]
    return [name.removesuffix("(*)").strip() for name in listed.split(",")]


def _show_dialects(settings: Settings) -> str:
    return "".join(f"{name}\n" for name in dialect_names())


#: What a flag that asks a question prints.
QUESTIONS: dict[str, Callable[[Settings], str]] = {
    "help": _help,
    "version": lambda _: versions(),
    "list-passes": _list_passes,
    "list-ops": lambda _: op_list.listed(),
    "irdl": lambda _: op_list.irdl(),
    "show-dialects": _show_dialects,
}
