"""Sums over leading axes whose results are large, as products with ones."""

from math import prod

from anvl.dialect.core.mlir import ir
from anvl.dialect.core.params.base import DotDimensions, DotDims, Ints
from anvl.dialect.core.types import tensor
from anvl.passes.framework.walk import Found
from anvl.passes.lower.hlo_builder import Hlo
from anvl.passes.lower.library_calls.handed_over import NAMES, is_large_sum, is_zero

__all__ = ["write_wide_sums"]

# Note [Wide sums]
#
# XLA:CPU hands large sums to YNNPACK, which goes through rows of more than 64 KiB many times
# slower: 200 rows of 16,384 f32 are added up in 0.7 ms, 200 rows of 16,400 in 18 (jaxlib 0.10.2).
# So is what such a sum is a part of, as the mean of a batch of images, a variance along the first
# axis, or the derivative of what is repeated along it.  As a product with ones,
#
#     y = reduce(x, axes=[0], add)      becomes      y = dot_general(ones, x)
#
# it takes 0.15 ms of that, and 1.5 ms where 200 rows of 60,000 took 130 to 190; so it pays to
# compute elements before it, as an array.  Infinities and NaN stay what they are in products with
# 1.  Sums of at most 4 elements are ops of slices (Note [Reductions of few elements]).

_MOST_BYTES = 1 << 16  # of a row
_FEWEST_ROWS = 5

_hlo = Hlo("")


def write_wide_sums(found: Found) -> None:
    """Replace sums over adjacent axes, before axes of more than 64 KiB, by products."""
    kept = []
    for op in found[NAMES[0]]:
        axes = _axes(op)
        if axes is None:
            kept.append(op)
            continue
        with op.context, op.location, ir.InsertionPoint(op):
            op.results[0].replace_all_uses_with(_product(op, *axes))
        op.erase()
    found[NAMES[0]] = kept


def _axes(op: ir.Operation) -> tuple[int, int] | None:
    """The first axis of a wide sum, and the one behind its last; None for another op."""
    if not is_large_sum(op) or not is_zero(op.operands[1]):
        return None
    x, axes = op.operands[0].type, sorted(Ints.decode(op.attributes["dimensions"]))
    if not axes or axes != list(range(axes[0], axes[-1] + 1)):
        return None
    begin, end = axes[0], axes[-1] + 1
    is_wide = prod(x.shape[end:]) * x.element_type.width > 8 * _MOST_BYTES
    return (begin, end) if is_wide and prod(x.shape[begin:end]) >= _FEWEST_ROWS else None


def _product(op: ir.Operation, begin: int, end: int) -> ir.Value:
    """Multiply by ones: axes before those of the sum are batch axes."""
    x, y = op.operands[0], op.results[0].type
    ones = _hlo.constant(tensor(x.type.shape[:end], y.element_type), 1.0)
    batch, summed = tuple(range(begin)), tuple(range(begin, end))
    dimensions = DotDimensions.encode(DotDims(batch, batch, summed, summed))
    return _hlo("dot_general", ones, x, type=y, dot_dimension_numbers=dimensions)
