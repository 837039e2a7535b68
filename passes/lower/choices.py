"""Choices between branches with work to do, in a form whose branches XLA leaves apart."""

from math import prod

from anvl.dialect.core.mlir import ir
from anvl.dialect.core.types import element_type, tensor
from anvl.passes.framework.walk import Found
from anvl.passes.lower.hlo_builder import Hlo

__all__ = ["NAMES", "separate_branches"]

# Note [Branches that XLA merges]
#
# XLA turns a choice by a bool into selects of the results of both branches, which then run both,
# wherever these are reductions or elementwise ops and the results are smaller than what they are
# made of (`ConditionalSimplifier`, jaxlib 0.10.2).  It does not turn a choice by an index:
#
#     y = if p { f } else { g }         becomes      y = case convert(p) { g }, { f }
#
# (A `norm` of 1,000 rows of 1,000, whose second branch is for numbers near the ends of the range,
# took 3.9 ms by `if` and takes 0.3 by `case`; a `cond` of two sums 1.1 and 0.2.)  Small branches
# stay: there both run in less time than the choice takes.

NAMES = (_IF,) = ("stablehlo.if",)
_CASE = "stablehlo.case"
_FEWEST = 16_384  # elements that the ops of the branches read or make, in all
_CALL, _OPS_OF_A_CALL = "func.call", 8

_hlo = Hlo("")


def separate_branches(found: Found) -> None:
    """Make choices by an index of choices by a bool between branches that take time."""
    for op in found[_IF]:
        if sum(_work(region) for region in op.regions) >= _FEWEST:
            _replace(op)
    found[_IF] = []


def _work(region: ir.Region) -> int:
    """Elements that the ops in a region read or make."""
    work = 0
    for block in region.blocks:
        for view in block.operations:
            op = view.operation
            elements = max((_count(v.type) for v in (*op.operands, *op.results)), default=0)
            work += elements * (_OPS_OF_A_CALL if op.name == _CALL else 1)
            work += sum(map(_work, op.regions))
    return work


def _count(type_: ir.Type) -> int:
    is_static = isinstance(type_, ir.RankedTensorType) and type_.has_static_shape
    return prod(type_.shape) if is_static else 0


def _replace(op: ir.Operation) -> None:
    with op.context, op.location, ir.InsertionPoint(op):
        index = _hlo("convert", op.operands[0], type=tensor([], element_type("i32")))
        types = [y.type for y in op.results]
        case = ir.Operation.create(_CASE, types, [index], regions=2)
    for source, target in zip(reversed(list(op.regions)), case.regions, strict=True):
        source.blocks[0].append_to(target)
    for y, other in zip(op.results, case.results, strict=True):
        y.replace_all_uses_with(other)
    op.erase()
