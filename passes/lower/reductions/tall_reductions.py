"""Products, `any` and `all` over a long axis before others, in two reductions."""

from functools import lru_cache
from math import prod
from typing import Any

from anvl.dialect.core.mlir import ir
from anvl.dialect.core.params.base import Ints
from anvl.dialect.core.types import tensor
from anvl.passes.framework.walk import find
from anvl.passes.lower.hlo_builder import Hlo, maker
from anvl.passes.lower.library_calls.handed_over import filling

__all__ = ["write_tall_reductions"]

# Note [Tall reductions]
#
# XLA:CPU computes one result of a reduction after another, and so goes through a column from row to
# row: of many long rows no line of the cache is there any more when the next column is read.  The
# same in two reductions, first of groups of at most 32 rows, reads lines that are there.  A barrier
# keeps XLA from making one reduction of the two.
#
# Times, before and after (jaxlib 0.10.2, two cores of an AMD EPYC): the product of 2,000 rows of
# 20,000 f32 180 ms -> 11, any of these bools 28 -> 3.5; 1,000 rows of 1,000 0.7 -> 0.14 and 0.23,
# 500 of 500 0.19 -> 0.07, 64 of 20,000 0.34 -> 0.16, 20,000 of 20 0.18 -> 0.12.
#
# Any and all are what they were; of a product other partial products are rounded.  Sums and
# extremes of floats are calls of a library, see Note [Wide sums].  It is written only in what is
# compiled for one device: over a mesh a reshape might gather an axis that is divided.

_BARRIER, _REDUCE = "stablehlo.optimization_barrier", "stablehlo.reduce"
_PRODUCT, _ANY, _ALL = "stablehlo.multiply", "stablehlo.or", "stablehlo.and"
_FEWEST_ROWS, _FEWEST_COLUMNS = 64, 16
_FEWEST = 1 << 16  # elements
_GROUPS = range(32, 7, -1)  # rows

_hlo = Hlo("")


def write_tall_reductions(module: ir.Operation) -> None:
    """Write reductions over a long axis as two."""
    for op in find(module, _REDUCE):
        body = _body(op)
        axes = Ints.decode(op.attributes["dimensions"])
        rows = _group(op.operands[0].type, axes[0]) if body and len(axes) == 1 else None
        if rows is not None and not _is_of_barrier(op):
            with op.context, op.location, ir.InsertionPoint(op):
                op.results[0].replace_all_uses_with(_in_two(op, body, axes[0], rows))
            op.erase()


def _body(op: ir.Operation) -> str:
    """The name of the op that a reduction of one array does, without "stablehlo.", or ""."""
    inner, *others = [x.operation for x in op.regions[0].blocks[0].operations]
    if len(op.results) != 1 or len(others) != 1 or inner.name not in (_PRODUCT, _ANY, _ALL):
        return ""
    arguments = [*op.regions[0].blocks[0].arguments]
    if [*inner.operands] not in (arguments, arguments[::-1]):
        return ""
    if others[0].operands[0] != inner.results[0]:
        return ""
    is_from_1 = inner.name != _PRODUCT or _is_one(op.operands[1])
    return inner.name.removeprefix("stablehlo.") if is_from_1 else ""


def _is_one(x: ir.Value) -> bool:
    is_float = isinstance(x.type.element_type, (ir.F32Type, ir.F64Type))
    return is_float and filling(x) == 1


def _is_of_barrier(op: ir.Operation) -> bool:
    made = maker(op.operands[0])
    return made is not None and made.name == _BARRIER


@lru_cache(256)
def _group(type_: Any, axis: int) -> int | None:
    """How many rows make a group, if two reductions are faster."""
    if not type_.has_static_shape:
        return None
    n_rows, n_columns = type_.shape[axis], prod(type_.shape[axis + 1 :])
    is_tall = n_rows >= _FEWEST_ROWS and n_columns >= _FEWEST_COLUMNS
    if not is_tall or prod(type_.shape) < _FEWEST:
        return None
    return next((k for k in _GROUPS if n_rows % k == 0), None)


def _in_two(op: ir.Operation, body: str, axis: int, rows: int) -> ir.Value:
    x, start = op.operands
    before, after = x.type.shape[:axis], x.type.shape[axis + 1 :]
    shape = [*before, x.type.shape[axis] // rows, rows, *after]
    grouped = _hlo("reshape", x, type=tensor(shape, x.type.element_type))
    (of_groups,) = _hlo.reduce([grouped], [start], (axis + 1,), body)
    barrier = ir.Operation.create(_BARRIER, [of_groups.type], [of_groups]).result
    (found,) = _hlo.reduce([barrier], [start], (axis,), body)
    return found
