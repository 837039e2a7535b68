"""The functions of the module that a pass transforms, where the rules of functions find them.

See Note [Functions with rules] in `anvl.dialect.control_flow.call`.
"""

from __future__ import annotations

import abc
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from anvl.dialect.core.mlir import ir

if TYPE_CHECKING:
    from anvl.dialect.control_flow.call import Callee

__all__ = ["Table", "current", "resolving"]


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


current = _Current()


@contextmanager
def resolving(table: Table) -> Iterator[None]:
    """Find functions in this table meanwhile."""
    outer, current.table = current.table, table
    try:
        yield
    finally:
        current.table = outer
