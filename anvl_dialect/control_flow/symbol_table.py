"""Symbol table of the module that a pass transforms, for the rules of functions.

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
    #: Options of the calling pass, by which rules fill in missing attributes of a function.
    defaults: Mapping[str, int] = MappingProxyType({})

    def __init__(self) -> None:
        # Batched functions whose rules, which may call the functions, are not batched yet.
        self.being_batched: dict[Any, Callee] = {}
        # Functions whose rules, which may call them, are being transposed.
        self.being_transposed: set[str] = set()
        # Whether functions read bits of floats, as far as computed.
        self.reading_bits: dict[str, bool] = {}

    @abc.abstractmethod
    def insert(self, function: ir.Operation) -> str:
        """Insert a new function into the module; return its name, made unique."""


class _Current(threading.local):
    table: Table | None = None


current = _Current()


@contextmanager
def resolving(table: Table) -> Iterator[None]:
    """Resolve functions in this table within the context."""
    outer, current.table = current.table, table
    try:
        yield
    finally:
        current.table = outer
