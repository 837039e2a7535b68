"""The `anvl` dialect: op base class, families, every op with all its rules, types, errors.

What an op of your own is written with is here by one name each: docs/your-own-op.md.
"""

if __name__ != "anvl.dialect":
    raise ImportError("import `anvl.dialect`, not the source folder `anvl_dialect`")

from anvl.dialect import ops as ops  # first: the dialect must be complete when it is loaded
from anvl.dialect.control_flow.case import CaseOp as CaseOp
from anvl.dialect.control_flow.case import IfOp as IfOp
from anvl.dialect.control_flow.checkpoint import Checkpoint as Checkpoint
from anvl.dialect.control_flow.custom_derivative import CustomJvp as CustomJvp
from anvl.dialect.control_flow.custom_derivative import CustomVjp as CustomVjp
from anvl.dialect.control_flow.scan import Scan as Scan
from anvl.dialect.control_flow.shard_map import ShardMap as ShardMap
from anvl.dialect.control_flow.while_loop import WhileOp as WhileOp
from anvl.dialect.core.context import context as context
from anvl.dialect.core.context import parse as parse
from anvl.dialect.core.create import full_like as full_like
from anvl.dialect.core.create import zeros_like as zeros_like
from anvl.dialect.core.dialect import Anvl as Anvl
from anvl.dialect.core.errors import AnvlError as AnvlError
from anvl.dialect.core.errors import MissingRule as MissingRule
from anvl.dialect.core.errors import PassError as PassError
from anvl.dialect.core.errors import TraceError as TraceError
from anvl.dialect.core.families import Bilinear as Bilinear
from anvl.dialect.core.families import Creation as Creation
from anvl.dialect.core.families import Elementwise as Elementwise
from anvl.dialect.core.families import Linear as Linear
from anvl.dialect.core.families import NotDifferentiable as NotDifferentiable
from anvl.dialect.core.families import add_tangents as add_tangents
from anvl.dialect.core.families import check_axes as check_axes
from anvl.dialect.core.families import check_kind as check_kind
from anvl.dialect.core.families import with_batch_axis as with_batch_axis
from anvl.dialect.core.mlir import ir as ir
from anvl.dialect.core.op import AnvlOp as AnvlOp
from anvl.dialect.core.op import Operand as Operand
from anvl.dialect.core.op import Operands as Operands
from anvl.dialect.core.op import Result as Result
from anvl.dialect.core.op import Results as Results
from anvl.dialect.core.op import emit as emit
from anvl.dialect.core.op_registry import OPS as OPS
from anvl.dialect.core.params.base import Body as Body
from anvl.dialect.core.params.base import Bool as Bool
from anvl.dialect.core.params.base import Float as Float
from anvl.dialect.core.params.base import Int as Int
from anvl.dialect.core.params.base import Ints as Ints
from anvl.dialect.core.params.base import Param as Param
from anvl.dialect.core.params.base import Text as Text
from anvl.dialect.core.types import dtype_name as dtype_name
from anvl.dialect.core.types import element_type as element_type
from anvl.dialect.core.types import tensor as tensor
from anvl.dialect.ops.calls.ffi_call import foreign_call as foreign_call
from anvl.dialect.ops.elementwise.table import B as B
from anvl.dialect.ops.elementwise.table import Binary as Binary
from anvl.dialect.ops.elementwise.table import C as C
from anvl.dialect.ops.elementwise.table import F as F
from anvl.dialect.ops.elementwise.table import I as I
from anvl.dialect.ops.elementwise.table import Unary as Unary
from anvl.dialect.ops.elementwise.table import binary as binary
from anvl.dialect.ops.elementwise.table import unary as unary
