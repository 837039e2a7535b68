"""The `anvl` dialect: op base class, families, every op with all its rules, types, errors.

What an op of your own is written with is here by one name each: docs/your-own-op.md.
"""

if __name__ != "anvl.dialect":
    raise ImportError("import `anvl.dialect`, not the source folder `anvl_dialect`")

from anvl.dialect import ops as ops  # first: the dialect must be complete when it is loaded
from anvl.dialect.case import CaseOp as CaseOp
from anvl.dialect.case import IfOp as IfOp
from anvl.dialect.checkpoint import Checkpoint as Checkpoint
from anvl.dialect.context import context as context
from anvl.dialect.context import parse as parse
from anvl.dialect.custom_rules import CustomJvp as CustomJvp
from anvl.dialect.custom_rules import CustomVjp as CustomVjp
from anvl.dialect.dialect import Anvl as Anvl
from anvl.dialect.families import Bilinear as Bilinear
from anvl.dialect.families import Creation as Creation
from anvl.dialect.families import Elementwise as Elementwise
from anvl.dialect.families import Linear as Linear
from anvl.dialect.families import Undefined as Undefined
from anvl.dialect.families import check_axes as check_axes
from anvl.dialect.families import check_kind as check_kind
from anvl.dialect.families import lifted as lifted
from anvl.dialect.families import total as total
from anvl.dialect.op import AnvlOp as AnvlOp
from anvl.dialect.op import Operand as Operand
from anvl.dialect.op import Operands as Operands
from anvl.dialect.op import Result as Result
from anvl.dialect.op import Results as Results
from anvl.dialect.op import emit as emit
from anvl.dialect.ops.create import full_like as full_like
from anvl.dialect.ops.create import zeros_like as zeros_like
from anvl.dialect.ops.elementwise import B as B
from anvl.dialect.ops.elementwise import Binary as Binary
from anvl.dialect.ops.elementwise import C as C
from anvl.dialect.ops.elementwise import F as F
from anvl.dialect.ops.elementwise import I as I
from anvl.dialect.ops.elementwise import Unary as Unary
from anvl.dialect.ops.elementwise import binary as binary
from anvl.dialect.ops.elementwise import unary as unary
from anvl.dialect.ops.foreign import foreign_call as foreign_call
from anvl.dialect.params import Bool as Bool
from anvl.dialect.params import Float as Float
from anvl.dialect.params import Int as Int
from anvl.dialect.params import Ints as Ints
from anvl.dialect.params import Param as Param
from anvl.dialect.params import Text as Text
from anvl.dialect.scan import Scan as Scan
from anvl.dialect.types import dtype_name as dtype_name
from anvl.dialect.types import element_type as element_type
from anvl.dialect.types import tensor as tensor
from anvl.dialect.while_loop import WhileOp as WhileOp
