"""The functions of the module that a pass transforms, where the rules of functions find them.

See Note [Functions with rules] in `anvl.dialect.calls`.
"""

from __future__ import annotations

import abc
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from anvl.dialect.mlir import ir

if TYPE_CHECKING:
    from anvl.dialect.calls import Callee

__all__ = ["Table", "current", "keeping_apart", "remembering", "resolving"]


class Table(abc.ABC):
    """The functions of a module, by name."""

    functions: dict[str, ir.Operation]
    #: What the pass that asks was told, and rules take where a function does not say it itself.
    defaults: Mapping[str, int] = MappingProxyType({})

    def __init__(self) -> None:
        # Batched functions whose rules, which may call the functions, are not batched yet.
        self.being_batched: dict[Any, Callee] = {}
        # Functions whose rules, which may call them, are being transposed.
        self.being_transposed: set[str] = set()
        # Whether functions read bits of floats, as far as that was asked.
        self.reading_bits: dict[str, bool] = {}

    @abc.abstractmethod
    def insert(self, function: ir.Operation) -> str:
        """Make a new function one of the module's; its name, which is made unique."""


class _Current(threading.local):
    table: Table | None = None
    apart = False
    known: dict[Any, Any] | None = None


current = _Current()


@contextmanager
def resolving(table: Table) -> Iterator[None]:
    """Find functions in this table meanwhile."""
    outer, current.table = current.table, table
    try:
        yield
    finally:
        current.table = outer


@contextmanager
def keeping_apart() -> Iterator[None]:
    """Have `supersede` do nothing meanwhile: what is computed early must not depend on more."""
    outer, current.apart = current.apart, True
    try:
        yield
    finally:
        current.apart = outer


@contextmanager
def remembering() -> Iterator[dict[Any, Any]]:
    """What is known of functions and of regions while one question about them is answered.

    Those in loops are asked often; nothing of them may change meanwhile.
    """
    outer = current.known
    if outer is None:
        current.known = {}
    try:
        yield current.known  # type: ignore[misc]
    finally:
        current.known = outer
