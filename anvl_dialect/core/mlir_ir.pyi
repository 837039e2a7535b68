"""MLIR's bindings as type checkers see them: the wheel of `torch-mlir` ships no stub of `ir`.

Nothing imports this file; at run time `ir` is `torch_mlir.ir`.  It holds the classes and members
that anvl and its users need; `test/unit/test_types.py` holds each against the bindings.

Four liberties, for code that reads as the bindings do:
* Types, attributes, locations and arguments of blocks come from the bindings as instances of their
  subclasses.  So the bases have the members of these that anvl uses: `x.type.shape` needs no cast,
  and `x.type.sahpe` is an error.
* Lists of arguments and of results hold plain values, as `list` and `dict` are invariant.
* `X | Any` stands where it nearly always is an X, and else None or, of an argument, its block.
* Whatever takes an operation takes a view of one, so here `OpView` derives from `Operation`; at run
  time both derive from `_OperationBase`.
"""

import enum
from collections.abc import Callable, Iterator, Mapping, Sequence
from types import TracebackType
from typing import Any, ClassVar, Self, TypeAlias, TypeVar, overload

from anvl.dialect.core.mlir_attributes import (
    ArrayAttr as ArrayAttr,
)
from anvl.dialect.core.mlir_attributes import (
    Attribute as Attribute,
)
from anvl.dialect.core.mlir_attributes import (
    BF16Type as BF16Type,
)
from anvl.dialect.core.mlir_attributes import (
    BoolAttr as BoolAttr,
)
from anvl.dialect.core.mlir_attributes import (
    ComplexType as ComplexType,
)
from anvl.dialect.core.mlir_attributes import (
    DenseBoolArrayAttr as DenseBoolArrayAttr,
)
from anvl.dialect.core.mlir_attributes import (
    DenseElementsAttr as DenseElementsAttr,
)
from anvl.dialect.core.mlir_attributes import (
    DenseF64ArrayAttr as DenseF64ArrayAttr,
)
from anvl.dialect.core.mlir_attributes import (
    DenseFPElementsAttr as DenseFPElementsAttr,
)
from anvl.dialect.core.mlir_attributes import (
    DenseI32ArrayAttr as DenseI32ArrayAttr,
)
from anvl.dialect.core.mlir_attributes import (
    DenseI64ArrayAttr as DenseI64ArrayAttr,
)
from anvl.dialect.core.mlir_attributes import (
    DenseIntElementsAttr as DenseIntElementsAttr,
)
from anvl.dialect.core.mlir_attributes import (
    DenseResourceElementsAttr as DenseResourceElementsAttr,
)
from anvl.dialect.core.mlir_attributes import (
    DictAttr as DictAttr,
)
from anvl.dialect.core.mlir_attributes import (
    F16Type as F16Type,
)
from anvl.dialect.core.mlir_attributes import (
    F32Type as F32Type,
)
from anvl.dialect.core.mlir_attributes import (
    F64Type as F64Type,
)
from anvl.dialect.core.mlir_attributes import (
    FlatSymbolRefAttr as FlatSymbolRefAttr,
)
from anvl.dialect.core.mlir_attributes import (
    FloatAttr as FloatAttr,
)
from anvl.dialect.core.mlir_attributes import (
    FloatTF32Type as FloatTF32Type,
)
from anvl.dialect.core.mlir_attributes import (
    FloatType as FloatType,
)
from anvl.dialect.core.mlir_attributes import (
    FunctionType as FunctionType,
)
from anvl.dialect.core.mlir_attributes import (
    IndexType as IndexType,
)
from anvl.dialect.core.mlir_attributes import (
    IntegerAttr as IntegerAttr,
)
from anvl.dialect.core.mlir_attributes import (
    IntegerType as IntegerType,
)
from anvl.dialect.core.mlir_attributes import (
    MemRefType as MemRefType,
)
from anvl.dialect.core.mlir_attributes import (
    NamedAttribute as NamedAttribute,
)
from anvl.dialect.core.mlir_attributes import (
    NoneType as NoneType,
)
from anvl.dialect.core.mlir_attributes import (
    RankedTensorType as RankedTensorType,
)
from anvl.dialect.core.mlir_attributes import (
    ShapedType as ShapedType,
)
from anvl.dialect.core.mlir_attributes import (
    StringAttr as StringAttr,
)
from anvl.dialect.core.mlir_attributes import (
    SymbolRefAttr as SymbolRefAttr,
)
from anvl.dialect.core.mlir_attributes import (
    TupleType as TupleType,
)
from anvl.dialect.core.mlir_attributes import (
    Type as Type,
)
from anvl.dialect.core.mlir_attributes import (
    TypeAttr as TypeAttr,
)
from anvl.dialect.core.mlir_attributes import (
    UnitAttr as UnitAttr,
)
from anvl.dialect.core.mlir_attributes import (
    UnrankedTensorType as UnrankedTensorType,
)
from anvl.dialect.core.mlir_attributes import (
    VectorType as VectorType,
)

_T = TypeVar("_T")
_Loc: TypeAlias = Location | None
_Ctx: TypeAlias = Context | None

class _Entered:
    """What `with` makes current."""

    def __enter__(self) -> Self: ...
    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
        /,
    ) -> None: ...

# -- contexts, locations, diagnostics --------------------------------------------------------------

class Context(_Entered):
    current: ClassVar[Context]
    allow_unregistered_dialects: bool
    emit_error_diagnostics: bool
    def __init__(self, load_on_create_dialects: Sequence[str] | None = None) -> None: ...
    @property
    def dialects(self) -> Any: ...
    @property
    def d(self) -> Any: ...
    def append_dialect_registry(self, registry: DialectRegistry) -> None: ...
    def attach_diagnostic_handler(
        self, callback: Callable[[Diagnostic], bool]
    ) -> DiagnosticHandler: ...
    def enable_multithreading(self, enable: bool) -> None: ...
    def get_dialect_descriptor(self, name: str) -> Any: ...
    def is_registered_operation(self, name: str) -> bool: ...
    def load_all_available_dialects(self) -> None: ...

class DialectRegistry: ...

class DiagnosticSeverity(enum.Enum):
    ERROR = 0
    WARNING = 1
    NOTE = 2
    REMARK = 3

class Diagnostic:
    @property
    def severity(self) -> DiagnosticSeverity: ...
    @property
    def location(self) -> Location: ...
    @property
    def message(self) -> str: ...
    @property
    def notes(self) -> tuple[Diagnostic, ...]: ...

class DiagnosticInfo:
    @property
    def severity(self) -> DiagnosticSeverity: ...
    @property
    def location(self) -> Location: ...
    @property
    def message(self) -> str: ...
    @property
    def notes(self) -> list[DiagnosticInfo]: ...

class DiagnosticHandler(_Entered):
    @property
    def attached(self) -> bool: ...
    @property
    def had_error(self) -> bool: ...
    def detach(self) -> None: ...

class MLIRError(Exception):
    @property
    def message(self) -> str: ...
    @property
    def error_diagnostics(self) -> list[DiagnosticInfo]: ...

class Location(_Entered):
    current: ClassVar[Location]
    @staticmethod
    def unknown(context: _Ctx = None) -> Location: ...
    @staticmethod
    def file(filename: str, line: int, col: int, context: _Ctx = None) -> Location: ...
    @staticmethod
    def name(name: str, childLoc: _Loc = None, context: _Ctx = None) -> Location: ...
    @staticmethod
    def callsite(
        callee: Location, frames: Sequence[Location], context: _Ctx = None
    ) -> Location: ...
    @staticmethod
    def fused(
        locations: Sequence[Location], metadata: Attribute | None = None, context: _Ctx = None
    ) -> Location: ...
    @staticmethod
    def from_attr(attribute: Attribute, context: _Ctx = None) -> Location: ...
    @property
    def attr(self) -> Attribute: ...
    @property
    def context(self) -> Context: ...
    def emit_error(self, message: str) -> None: ...
    # of files
    @property
    def filename(self) -> str: ...
    @property
    def start_line(self) -> int: ...
    @property
    def start_col(self) -> int: ...
    @property
    def end_line(self) -> int: ...
    @property
    def end_col(self) -> int: ...
    # of names
    @property
    def name_str(self) -> str: ...
    @property
    def child_loc(self) -> Location: ...

class UnknownLoc(Location): ...

class FileLineColLoc(Location):
    def __init__(self, cast_from_loc: Location) -> None: ...

class NameLoc(Location):
    def __init__(self, cast_from_loc: Location) -> None: ...

class CallSiteLoc(Location):
    @property
    def callee(self) -> Location: ...
    @property
    def caller(self) -> Location: ...

class FusedLoc(Location):
    @property
    def locations(self) -> list[Location]: ...
    @property
    def metadata(self) -> Attribute | None: ...

# -- operations ------------------------------------------------------------------------------------

class WalkOrder(enum.Enum):
    PRE_ORDER = 0
    POST_ORDER = 1

class WalkResult(enum.Enum):
    ADVANCE = 0
    INTERRUPT = 1
    SKIP = 2

class Module:
    @staticmethod
    def parse(asm: str | bytes, context: _Ctx = None) -> Module: ...
    @staticmethod
    def parseFile(path: str, context: _Ctx = None) -> Module: ...
    @staticmethod
    def create(loc: _Loc = None) -> Module: ...
    @property
    def context(self) -> Context: ...
    @property
    def operation(self) -> Operation: ...
    @property
    def body(self) -> Block: ...
    def dump(self) -> None: ...

class _OperationBase:
    @property
    def attached(self) -> bool: ...
    @property
    def attributes(self) -> OpAttributeMap: ...
    @property
    def context(self) -> Context: ...
    location: Location
    @property
    def name(self) -> str: ...
    @property
    def op_operands(self) -> Sequence[OpOperand]: ...
    @property
    def operands(self) -> OpOperandList: ...
    @property
    def parent(self) -> OpView | Any: ...  # None at the top
    @property
    def regions(self) -> Sequence[Region]: ...
    @property
    def result(self) -> OpResult: ...
    @property
    def results(self) -> OpResultList: ...
    @property
    def operation(self) -> Operation: ...
    @property
    def opview(self) -> Any: ...  # of an op of anvl, an `AnvlOp`
    @property
    def block(self) -> Block: ...
    @property
    def successors(self) -> Sequence[Block]: ...
    def clone(self, ip: InsertionPoint | bool | None = None) -> Operation: ...
    def detach_from_parent(self) -> OpView: ...
    def erase(self) -> None: ...
    def get_asm(
        self,
        binary: bool = False,
        large_elements_limit: int | None = None,
        large_resource_limit: int | None = None,
        enable_debug_info: bool = False,
        pretty_debug_info: bool = False,
        print_generic_op_form: bool = False,
        use_local_scope: bool = False,
        use_name_loc_as_prefix: bool = False,
        assume_verified: bool = False,
        skip_regions: bool = False,
    ) -> str: ...
    def is_before_in_block(self, other: _OperationBase) -> bool: ...
    def move_after(self, other: _OperationBase) -> None: ...
    def move_before(self, other: _OperationBase) -> None: ...
    def print(self, *args: Any, **kwargs: Any) -> None: ...
    def verify(self) -> bool: ...
    def walk(
        self,
        callback: Callable[[Operation], WalkResult],
        walk_order: WalkOrder = ...,
        op_class: type[OpView] | None = None,
    ) -> None: ...
    def write_bytecode(self, file: Any, desired_version: int | None = None) -> None: ...

class Operation(_OperationBase):
    @staticmethod
    def create(
        name: str,
        results: Sequence[Type] | None = None,
        operands: Sequence[Value] | None = None,
        attributes: Mapping[str, Attribute] | None = None,
        successors: Sequence[Block] | None = None,
        regions: int = 0,
        loc: _Loc = None,
        ip: InsertionPoint | bool | None = None,
        infer_type: bool = False,
    ) -> Operation: ...
    @staticmethod
    def parse(source: str, *, source_name: str = "", context: _Ctx = None) -> OpView: ...
    def replace_uses_of_with(self, of: Value, with_: Value) -> None: ...

class OpView(Operation):
    OPERATION_NAME: ClassVar[str]
    def __init__(self, operation: Operation) -> None: ...

class OpAttributeMap:
    def __contains__(self, name: str) -> bool: ...
    def __len__(self) -> int: ...
    @overload
    def __getitem__(self, name: str) -> Attribute: ...
    @overload
    def __getitem__(self, index: int) -> NamedAttribute: ...
    def __setitem__(self, name: str, attr: Attribute) -> None: ...
    def __delitem__(self, name: str) -> None: ...
    @overload
    def get(self, key: str, default: None = None) -> Attribute | None: ...
    @overload
    def get(self, key: str, default: _T) -> Attribute | _T: ...
    def __iter__(self) -> Iterator[str]: ...
    def keys(self) -> list[str]: ...
    def values(self) -> list[Attribute]: ...
    def items(self) -> list[tuple[str, Attribute]]: ...

class Region:
    @property
    def blocks(self) -> BlockList: ...
    @property
    def owner(self) -> OpView: ...
    def __iter__(self) -> Iterator[Block]: ...

class BlockList(_List[Block]):
    def append(self, *args: Type, arg_locs: Sequence[Location] | None = None) -> Block: ...

class Block:
    @staticmethod
    def create_at_start(
        parent: Region, arg_types: Sequence[Type] = [], arg_locs: Sequence[Location] | None = None
    ) -> Block: ...
    @property
    def arguments(self) -> BlockArgumentList: ...
    @property
    def operations(self) -> Sequence[OpView]: ...
    @property
    def owner(self) -> OpView: ...
    @property
    def region(self) -> Region: ...
    @property
    def successors(self) -> Sequence[Block]: ...
    @property
    def predecessors(self) -> Sequence[Block]: ...
    def __iter__(self) -> Iterator[OpView]: ...
    def add_argument(self, type: Type, loc: Location) -> BlockArgument: ...
    def append(self, operation: _OperationBase) -> None: ...
    def append_to(self, region: Region) -> None: ...
    def create_after(
        self, *arg_types: Type, arg_locs: Sequence[Location] | None = None
    ) -> Block: ...
    def create_before(
        self, *arg_types: Type, arg_locs: Sequence[Location] | None = None
    ) -> Block: ...
    def erase_argument(self, index: int) -> None: ...

class InsertionPoint(_Entered):
    current: ClassVar[InsertionPoint]
    def __init__(self, at: Block | _OperationBase) -> None: ...
    @staticmethod
    def at_block_begin(block: Block) -> InsertionPoint: ...
    @staticmethod
    def at_block_terminator(block: Block) -> InsertionPoint: ...
    @staticmethod
    def after(operation: _OperationBase) -> InsertionPoint: ...
    @property
    def block(self) -> Block: ...
    @property
    def ref_operation(self) -> Operation | None: ...
    def insert(self, operation: _OperationBase) -> None: ...

class SymbolTable:
    def __init__(self, operation: _OperationBase, /) -> None: ...
    def __contains__(self, name: str, /) -> bool: ...
    def __getitem__(self, name: str, /) -> OpView: ...
    def __delitem__(self, name: str, /) -> None: ...
    def erase(self, operation: _OperationBase) -> None: ...
    def insert(self, operation: _OperationBase) -> StringAttr: ...
    @staticmethod
    def get_symbol_name(symbol: _OperationBase) -> StringAttr: ...
    @staticmethod
    def set_symbol_name(symbol: _OperationBase, name: str) -> None: ...
    @staticmethod
    def get_visibility(symbol: _OperationBase) -> StringAttr: ...
    @staticmethod
    def set_visibility(symbol: _OperationBase, visibility: str) -> None: ...
    @staticmethod
    def replace_all_symbol_uses(
        old_symbol: str, new_symbol: str, from_op: _OperationBase
    ) -> None: ...

# -- values ----------------------------------------------------------------------------------------

class Value:
    def __init__(self, value: Value) -> None: ...
    @property
    def context(self) -> Context: ...
    @property
    def location(self) -> Location: ...
    @property
    def owner(self) -> OpView | Any: ...  # of an argument, its block
    @property
    def type(self) -> Type: ...
    @property
    def uses(self) -> Iterator[OpOperand]: ...
    def dump(self) -> None: ...
    def get_name(
        self, use_local_scope: bool = False, use_name_loc_as_prefix: bool = False
    ) -> str: ...
    def maybe_downcast(self) -> Value: ...
    def replace_all_uses_with(self, other: Value, /) -> None: ...
    def replace_all_uses_except(
        self, with_: Value, exceptions: Operation | Sequence[Operation]
    ) -> None: ...
    def set_type(self, type: Type) -> None: ...
    # of arguments of blocks
    @property
    def arg_number(self) -> int: ...
    def set_location(self, loc: Location) -> None: ...

class BlockArgument(Value):
    @property
    def owner(self) -> Block: ...

class OpResult(Value):
    @property
    def owner(self) -> OpView: ...
    @property
    def result_number(self) -> int: ...

class OpOperand:
    @property
    def owner(self) -> OpView: ...
    @property
    def operand_number(self) -> int: ...

class _List(Sequence[_T]):
    @overload
    def __getitem__(self, index: int, /) -> _T: ...
    @overload
    def __getitem__(self, index: slice, /) -> Self: ...
    def __len__(self) -> int: ...

class BlockArgumentList(_List[Value]):
    @property
    def types(self) -> list[Type]: ...

class OpOperandList(_List[Value]):
    def __setitem__(self, index: int, value: Value, /) -> None: ...

class OpResultList(_List[Value]):
    @property
    def types(self) -> list[Type]: ...
    @property
    def owner(self) -> OpView: ...
