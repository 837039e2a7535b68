"""Products of one matrix with each of a stack, as XLA:CPU computes them faster."""

from functools import lru_cache
from math import prod
from typing import Any, NamedTuple

from anvl.dialect.core.mlir import ir
from anvl.dialect.core.params.base import DotDimensions, DotDims, Ints
from anvl.dialect.core.types import tensor
from anvl.passes.framework.walk import find
from anvl.passes.lower.hlo_builder import Hlo, maker, runs_once
from anvl.passes.lower.xla_cpu.small_products import are_static_floats, is_small, is_stack

__all__ = ["write_shared_products"]

# Note [One matrix and a stack]
#
# The product of a matrix with each of a stack is one product, with the columns of all: `matmul`
# makes it so, and a gradient or a batch needs it so.  XLA:CPU transposes the stack for it, and the
# result back.  Where there are many columns, a product for each matrix takes less, as a batch with
# the one matrix repeated; and what is small enough is written out, as a batch
# (Note [Products of many small matrices]).
#
# Times of a @ x, as one product and so, us (jaxlib 0.10.2, two cores of an AMD EPYC, f32; the
# matrix, the number of matrices, their columns): 32 x 32, 2,000, 32 3,875 -> 2,555; 24 x 24, 2,000,
# 24 2,370 -> 1,570; 16 x 16, 2,000, 100 4,780 -> 2,806; 4 x 4, 2,000, 100 632 -> 283.  But 16 x 16,
# 2,000, 16 500 -> 749; 32 x 32, 2,000, 8 759 -> 1,320; 100 x 100, 2,000, 2 1,257 -> 47,474; and of
# 64 x 64 or more as long.  Between two such products, as in a gradient, XLA transposes nothing: of
# 200 of 32 x 32 that took 1.2 to 1.8 times as long so.  So many columns count in a program of one
# product alone.

_PRODUCT, _TRANSPOSE = "stablehlo.dot_general", "stablehlo.transpose"
_FEWEST_COLUMNS, _MOST_ROWS, _FEWEST_MATRICES = 24, 48, 32

_hlo = Hlo("")


class _Stack(NamedTuple):
    """A stack of matrices behind its transpositions: its value, and the axes of the product."""

    value: ir.Value
    batch: tuple[int, ...]
    summed: int


def write_shared_products(module: ir.Operation) -> None:
    """Write products of one matrix with many others as batches, where that takes less time."""
    products = find(module, _PRODUCT)
    for op in products:
        (a, x), z = op.operands, op.results[0]
        axes = _summed(a.type, x.type, z.type, op.attributes["dot_dimension_numbers"])
        stack = None if axes is None or "algorithm" in op.attributes else _stack(x, axes[1])
        if axes is not None and stack is not None and _is_faster(op, stack, len(products) == 1):
            with op.context, op.location, ir.InsertionPoint(op):
                z.replace_all_uses_with(_written(op, axes[0], stack))
            op.erase()


@lru_cache(1024)
def _summed(a: Any, x: Any, z: Any, numbers: ir.Attribute) -> tuple[int, int] | None:
    """The axis of each operand that is summed over, if the first is a matrix, the other a stack."""
    axes = DotDimensions.decode(numbers)
    is_plain = not axes.lhs_batching and len(axes.lhs_contracting) == 1
    if not is_plain or a.rank != 2 or x.rank < 3 or not are_static_floats(a, x, z):
        return None
    return axes.lhs_contracting[0], axes.rhs_contracting[0]


def _stack(x: ir.Value, summed: int) -> _Stack | None:
    """The operand, if the axis that is summed over is the last but one in memory.

    The free axes but the last are the stack, in the order that the result has them in.
    """
    axes = list(range(x.type.rank))
    while (op := maker(x)) is not None and op.name == _TRANSPOSE:
        order = list(op.attributes["permutation"])
        axes, x = [order[axis] for axis in axes], op.operands[0]
    rank, summed = len(axes), axes[summed]
    free = tuple(axis for axis in axes if axis != summed)
    if summed != rank - 2 or free[-1] != rank - 1:
        return None
    return _Stack(x, free[:-1], summed)


def _is_faster(op: ir.Operation, stack: _Stack, is_only_one: bool) -> bool:
    rows, *batch, columns = op.results[0].type.shape
    n_matrices, k = prod(batch), stack.value.type.shape[stack.summed]
    if is_small(k, rows, columns) and is_stack(op, n_matrices):
        return True
    is_wide = columns >= _FEWEST_COLUMNS and max(rows, k) <= _MOST_ROWS
    return is_only_one and is_wide and n_matrices >= _FEWEST_MATRICES and runs_once(op)


def _written(op: ir.Operation, i: int, stack: _Stack) -> ir.Value:
    """The product as a batch, its axes in the order of the product."""
    a, z = op.operands[0], op.results[0].type
    n = len(stack.batch)
    rows, *batch, columns = z.shape
    repeated = tensor([*batch, *a.type.shape], z.element_type)
    to = Ints.encode((n, n + 1))
    many = _hlo("broadcast_in_dim", a, type=repeated, broadcast_dimensions=to)
    leading = tuple(range(n))
    attributes = {name: op.attributes[name] for name in op.attributes.keys()}
    attributes["dot_dimension_numbers"] = DotDimensions.encode(
        DotDims(leading, stack.batch, (n + i,), (stack.summed,))
    )
    made = tensor([*batch, rows, columns], z.element_type)
    product = _hlo(_PRODUCT.removeprefix("stablehlo."), many, stack.value, type=made, **attributes)
    order = Ints.encode((n, *leading, n + 1))
    return _hlo("transpose", product, type=z, permutation=order)
