"""Symbol table of the module that a pass transforms: how rules find functions.

See Note [Functions with rules] in `anvl.dialect.control_flow.call`.
"""

import abc
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from anvl.dialect.core.mlir import ir

__all__ = ["SymbolTable"]


class SymbolTable(abc.ABC):
    """The functions of a module, by name, and the rules of functions that are being applied."""

    functions: dict[str, ir.Operation]
    #: Options of the calling pass, by which rules fill in missing attributes.
    defaults: Mapping[str, int] = MappingProxyType({})

    def __init__(self) -> None:
        # Batched functions (`Callee`) whose rules, which may call them, are not batched yet.
        self.being_batched: dict[Any, Any] = {}
        # Functions whose rules, which may call them, are being transposed.
        self.being_transposed: set[str] = set()
        # Whether functions read bits of floats, as far as computed.
        self.reading_bits: dict[str, bool] = {}

    @abc.abstractmethod
    def insert(self, function: ir.Operation) -> str:
        """Insert a new function into the module; return its name, made unique."""
