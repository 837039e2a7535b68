"""Instruments of `anvl-opt` for a running pipeline: the IR around each pass, and its name."""

from collections.abc import Container
from pathlib import Path
from typing import TextIO

from anvl.dialect.core.mlir import ir
from anvl.passes.framework.instrument import Instrument, PassText
from anvl.tools.io.crash_guard import note
from anvl.tools.opt.print_options import PrintOptions, asm

__all__ = ["IrPrinter", "LastPass", "module_of"]


class _All:
    def __contains__(self, item: object) -> bool:
        return True


class IrPrinter(Instrument):
    """Prints the IR before and after passes, in MLIR's format.

    `before` and `after` hold pass names, or are `IrPrinter.ALL`; `tree` is a folder that receives
    a file a pass instead.
    """

    ALL: Container[str] = _All()

    def __init__(
        self,
        stream: TextIO,
        options: PrintOptions,
        *,
        before: Container[str] = (),
        after: Container[str] = (),
        after_change: bool = False,
        after_failure: bool = False,
        module_scope: bool = False,
        tree: Path | None = None,
    ) -> None:
        self._stream = stream
        self._options = options
        self._before = before
        self._after = after
        self._after_change = after_change
        self._after_failure = after_failure
        self._module_scope = module_scope
        self._tree = tree
        self._text_before = ""
        self._counts: dict[tuple[str, ...], int] = {}

    def before(self, pass_: PassText, op: ir.Operation) -> None:
        if pass_.argument in self._before:
            self._print("Before", pass_, op)
        if self._after_change:
            self._text_before = str(op)

    def after(self, pass_: PassText, op: ir.Operation) -> None:
        wanted = self._after_change or pass_.argument in self._after
        if wanted and not (self._after_change and str(op) == self._text_before):
            self._print("After", pass_, op)
        self._counts[_path(op)] = self._counts.get(_path(op), 0) + 1

    def failed(self, pass_: PassText, op: ir.Operation) -> None:
        if self._after_failure or pass_.argument in self._after:
            self._print("After", pass_, op, failed=True)

    def _print(self, when: str, pass_: PassText, op: ir.Operation, *, failed: bool = False) -> None:
        shown = module_of(op) if self._module_scope else op
        if self._tree is not None:
            self._write_file(when, pass_, op, asm(shown, self._options))
            return
        of = "" if op.name == "builtin.module" else f" {_described(op)}"
        end = " Failed" if failed else ""
        header = f"// -----// IR Dump {when} {_class_name(pass_)}{end} ({pass_}){of} //----- //"
        print(f"{header}\n{asm(shown, self._options)}\n\n", file=self._stream, flush=True)

    def _write_file(self, when: str, pass_: PassText, op: ir.Operation, text: str) -> None:
        path = _path(op)
        folder = Path(self._tree or ".", *path)
        folder.mkdir(parents=True, exist_ok=True)
        number = "_".join(str(self._counts.get(path[: i + 1], 0)) for i in range(len(path)))
        suffix = "_before" if when == "Before" else ""
        (folder / f"{number}_{pass_.argument}{suffix}.mlir").write_text(text + "\n")


def _class_name(pass_: PassText) -> str:
    """`Canonicalizer` has a name of its own in MLIR; the others are the argument in camel case."""
    if pass_.argument == "canonicalize":
        return "Canonicalizer"
    return "".join(word.capitalize() for word in pass_.argument.split("-"))


def _described(op: ir.Operation) -> str:
    return f"('{op.name}' operation{_symbol(op, ': @')})"


def _symbol(op: ir.Operation, prefix: str) -> str:
    if "sym_name" not in op.attributes:
        return ""
    return prefix + ir.StringAttr(op.attributes["sym_name"]).value


def module_of(op: ir.Operation) -> ir.Operation:
    """The module around an op."""
    while op.parent is not None:
        op = op.parent.operation
    return op


def _path(op: ir.Operation) -> tuple[str, ...]:
    """Folder of `op` in the tree: one name for each op around it."""
    name = op.name.replace(".", "_") + (_symbol(op, "_") or "_no-symbol-name")
    safe = "".join(char if char.isalnum() or char in "_-" else "_" for char in name)
    return (*_path(op.parent.operation), safe) if op.parent is not None else (safe,)


class LastPass(Instrument):
    """Track the current pass, so that an error without a location is attributed to it."""

    def __init__(self) -> None:
        self.text = ""
        self.location = ""

    def before(self, pass_: PassText, op: ir.Operation) -> None:
        self.text = pass_.argument
        self.location = str(op.location)
        note(f"{self.text}: the pass", self.location)

    def after(self, pass_: PassText, op: ir.Operation) -> None:
        note("")
