"""Instruments of a pipeline: called around every pass, also those nested in `func.func(...)`."""

from typing import Protocol

from anvl.dialect.core.mlir import ir

__all__ = ["Instrument", "PassText"]


class PassText(Protocol):
    """A pass as an instrument sees it; `str()` gives its text with options."""

    @property
    def argument(self) -> str: ...


class Instrument:
    """Base of the instruments: override what is of interest.  `op` must not be changed."""

    def begin(self, module: ir.Operation, pipeline: object) -> None:
        """`pipeline` is about to run on `module`."""

    def before(self, pass_: PassText, op: ir.Operation) -> None:
        """`pass_` is about to run on `op`."""

    def after(self, pass_: PassText, op: ir.Operation) -> None:
        """`pass_` has run on `op`.  An instrument that raises makes the pass one that failed."""

    def failed(self, pass_: PassText, op: ir.Operation) -> None:
        """`pass_` has raised, and left `op` in whatever state."""
