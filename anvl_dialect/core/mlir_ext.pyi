"""What anvl uses of MLIR's bindings besides `ir`, for type checkers alone: see `mlir_ir.pyi`."""

import enum
from collections.abc import Callable, Sequence
from typing import Any, Generic, TypeVar

from anvl.dialect.core import mlir_ir as ir

_T = TypeVar("_T")

# -- ops defined in Python: `torch_mlir.dialects.ext` ----------------------------------------------

class Variadicity(enum.Enum):
    single = 0
    optional = 1
    variadic = 2

class FieldDef:
    name: str
    variadicity: Variadicity
    constraint: Any

class OperandDef(FieldDef): ...
class ResultDef(FieldDef): ...
class Operand(ir.Value, Generic[_T]): ...
class Result(ir.OpResult, Generic[_T]): ...
class Pure: ...

def partition_fields(
    fields: Sequence[FieldDef],
) -> tuple[list[FieldDef], list[FieldDef], list[FieldDef], list[FieldDef]]: ...

class _Operation(ir.OpView):
    _fields: list[FieldDef]
    _dialect_obj: type[Dialect]
    _ODS_OPERAND_SEGMENTS: list[int] | None
    _ODS_RESULT_SEGMENTS: list[int] | None
    def __init_subclass__(
        cls, *, name: str | None = None, traits: Sequence[Any] | None = None, **kwargs: Any
    ) -> None: ...
    @staticmethod
    def _generate_segments(fields: Sequence[FieldDef]) -> list[int] | None: ...

Operation = _Operation

class Dialect:
    DIALECT_NAMESPACE: str
    operations: list[type[_Operation]]
    _mlir_module: ir.Module

    class Operation(_Operation): ...

    def __init_subclass__(cls, *, name: str) -> None: ...
    @classmethod
    def load(cls, *args: Any, **kwargs: Any) -> None: ...

# -- passes ----------------------------------------------------------------------------------------

class PassManager:
    def __init__(self, anchor_op: str = "any", context: ir.Context | None = None) -> None: ...
    @staticmethod
    def parse(pipeline: str, context: ir.Context | None = None) -> PassManager: ...
    def add(
        self,
        run: str | Callable[[ir.Operation, Any], None],
        name: str | None = None,
        argument: str | None = "",
        description: str | None = "",
        op_name: str | None = "",
    ) -> None: ...
    def enable_ir_printing(self, *args: Any, **kwargs: Any) -> None: ...
    def enable_timing(self) -> None: ...
    def enable_verifier(self, enable: bool) -> None: ...
    def run(self, operation: ir.Operation) -> None: ...
