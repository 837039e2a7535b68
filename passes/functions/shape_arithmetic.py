"""Sizes that a program computes in MLIR's `shape`, `tensor` and `arith`, as torch-mlir writes them.

    %n = tensor.dim %x, %c0 : tensor<?x4xf32>
    %s = shape.broadcast %a, %b : tensor<2xindex>, tensor<2xindex> -> tensor<2xindex>

They become ops of StableHLO, whose refinement knows no others.
"""

from collections.abc import Sequence

from anvl.dialect.core.mlir import ir
from anvl.passes.framework.pipeline import Pipeline
from anvl.passes.framework.walk import find

__all__ = ["sizes_to_stablehlo"]

_FROM_ELEMENTS = "tensor.from_elements"
_BROADCAST = "shape.broadcast"
_ARITHMETIC = ("arith.addi", "arith.muli", "arith.subi")
_OTHERS = ("shape.shape_of", "shape.const_shape", _BROADCAST, "shape.assuming", "tensor.dim",
           _FROM_ELEMENTS)  # fmt: skip
# A broadcast of arrays that do not fit is an error of StableHLO's own.
_SIMPLIFYING = ("func.func(remove-shape-constraints)", "canonicalize")
_LEGALIZING = (
    "func.func(shape-legalize-to-stablehlo)",
    "reconcile-unrealized-casts",
    "func.func(trivial-dce)",
)


def sizes_to_stablehlo(module: ir.Module) -> None:
    """Rewrite sizes in place; raises `PassError` for those that have no counterpart."""
    if not find(module.operation, *_OTHERS):
        return
    with module.context:
        for op in find(module.operation, _FROM_ELEMENTS):
            with op.location, ir.InsertionPoint(op):
                _with_elements_of_index(op)
    Pipeline(_SIMPLIFYING).run(module)
    with module.context:
        for op in find(module.operation, _BROADCAST):
            with op.location, ir.InsertionPoint(op):
                _in_pairs(op)
    Pipeline(_LEGALIZING).run(module)


def _with_elements_of_index(op: ir.Operation) -> None:
    """Collect integers as `index`, and cast them together to i32: nothing else is legalized."""
    index, given = ir.IndexType.get(), op.results[0].type
    elements = [_as_index(x) for x in op.operands]
    found = [x for x in elements if x is not None]
    if given.element_type == index or len(found) < len(elements):
        return
    sizes = _made(_FROM_ELEMENTS, ir.RankedTensorType.get(given.shape, index), found)
    narrow = ir.RankedTensorType.get(given.shape, ir.IntegerType.get_signless(32))
    cast = _made("arith.index_cast", narrow, [sizes])
    op.results[0].replace_all_uses_with(_made("stablehlo.convert", given, [cast]))
    op.erase()


def _in_pairs(op: ir.Operation) -> None:
    """Broadcast two shapes at a time."""
    first, *others, last = op.operands
    for shape in others:
        rank = max(x.type.shape[0] for x in (first, shape))
        type_ = ir.RankedTensorType.get([rank], ir.IndexType.get())
        first = _made(_BROADCAST, type_, [first, shape])
    if others:
        op.results[0].replace_all_uses_with(_made(_BROADCAST, op.results[0].type, [first, last]))
        op.erase()


def _as_index(x: ir.Value) -> ir.Value | None:
    """An integer as an `index` computed in the same way; None if that is unknown."""
    op, index = x.owner, ir.IndexType.get()
    if isinstance(op, ir.Block):
        return None
    op = op.operation
    if op.name == "arith.index_cast" and op.operands[0].type == index:
        return op.operands[0]
    if op.name == "arith.constant":
        value = ir.IntegerAttr.get(index, ir.IntegerAttr(op.attributes["value"]).value)
        return _made(op.name, index, [], value)
    if op.name in _ARITHMETIC:
        both = [_as_index(operand) for operand in op.operands]
        found = [each for each in both if each is not None]
        return _made(op.name, index, found) if len(found) == len(both) else None
    return None


def _made(
    name: str, type_: ir.Type, operands: Sequence[ir.Value], value: ir.Attribute | None = None
) -> ir.Value:
    attributes = {} if value is None else {"value": value}
    return ir.Operation.create(name, [type_], operands, attributes).results[0]
