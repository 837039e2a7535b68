"""Numbers by which large arrays are multiplied, as scalars."""

from anvl.dialect.core.mlir import ir
from anvl.dialect.core.params.base import Ints
from anvl.dialect.core.types import tensor
from anvl.passes.framework.walk import Found, find
from anvl.passes.lower.hlo_builder import Hlo, runs_once
from anvl.passes.lower.library_calls.handed_over import (
    CONSTANT,
    MULTIPLY,
    has_large_reduction,
    is_large_array,
    is_of_reduction,
    splat,
)

__all__ = ["separate_scales"]

# Note [Scales of both directions]
#
# What is scaled by a number has a derivative that is scaled by it, too: attention's scores, or a
# distance in a Gaussian.  XLA makes equal literals one, and repeats it in its own loops, but not in
# calls of YNNPACK (Note [NaN in large reductions]): these read it as an array, which takes a kernel
# and a pass over memory.  So the second scale and all later ones are scalars behind a barrier, of
# which XLA cannot tell that they are the same number.  Value and gradient of attention compile in
# 0.85 of the time, of a sum of Gaussians of distances in 0.75 (XLA:CPU of jaxlib 0.10.2).

_BARRIER = "stablehlo.optimization_barrier"

_hlo = Hlo("")


def separate_scales(module: ir.Operation, found: Found) -> None:
    """Give each large product with a number that others take, too, a scalar of its own."""
    if not has_large_reduction(found):
        return
    for scaled in _by_number(module).values():
        if len(scaled) > 1 and any(is_of_reduction(op.operands[1 - i]) for op, i in scaled):
            for op, i in scaled[1:]:
                _separate(op, i)


_Scaled = dict[tuple[ir.Type, str, ir.Block], list[tuple[ir.Operation, int]]]


def _by_number(module: ir.Operation) -> _Scaled:
    """Large products with a number, and which of their operands it is."""
    found: _Scaled = {}
    # Not those that were found before: bodies of reductions may be gone.
    if not any(is_large_array(op.results[0].type) for op in find(module, CONSTANT)):
        return found
    for op in find(module, MULTIPLY):
        is_product = is_large_array(op.results[0].type) and runs_once(op)
        for i, x in enumerate(op.operands if is_product else ()):
            value = splat(x)
            if value is not None:
                found.setdefault((x.type, str(value), op.block), []).append((op, i))
    return found


def _separate(op: ir.Operation, i: int) -> None:
    x = op.operands[i]
    scalar = tensor([], x.type.element_type)
    value = ir.DenseElementsAttr.get_splat(scalar, splat(x))
    with op.context, op.location, ir.InsertionPoint(op):
        number = _hlo("constant", type=scalar, value=value)
        own = ir.Operation.create(_BARRIER, [scalar], [number]).result
        axes = Ints.encode(())
        op.operands[i] = _hlo("broadcast_in_dim", own, type=x.type, broadcast_dimensions=axes)
