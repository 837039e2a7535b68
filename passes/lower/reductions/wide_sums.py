"""Sums over leading axes whose results are large, as products with ones."""

from collections.abc import Sequence
from math import prod

from anvl.dialect.core.mlir import ir
from anvl.dialect.core.params.base import DotDimensions, DotDims, Ints
from anvl.dialect.core.types import tensor
from anvl.passes.framework.walk import Found
from anvl.passes.lower.hlo_builder import Hlo
from anvl.passes.lower.library_calls.handed_over import NAMES, is_large_sum, splat

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
        sizes = _sizes(op)
        if sizes is None:
            kept.append(op)
            continue
        with op.context, op.location, ir.InsertionPoint(op):
            op.results[0].replace_all_uses_with(_product(op, *sizes))
        op.erase()
    found[NAMES[0]] = kept


def _sizes(op: ir.Operation) -> tuple[int, int, int] | None:
    """The sizes before, of and behind the axes of a wide sum; None for another op."""
    if not is_large_sum(op) or not _is_zero(op.operands[1]):
        return None
    x, axes = op.operands[0].type, sorted(Ints.decode(op.attributes["dimensions"]))
    if not axes or axes != list(range(axes[0], axes[-1] + 1)):
        return None
    parts = x.shape[: axes[0]], x.shape[axes[0] : axes[-1] + 1], x.shape[axes[-1] + 1 :]
    before, rows, width = map(prod, parts)
    is_wide = width * x.element_type.width > 8 * _MOST_BYTES
    return (before, rows, width) if is_wide and rows >= _FEWEST_ROWS else None


def _is_zero(start: ir.Value) -> bool:
    number = splat(start)
    return number is not None and number.value == 0


def _product(op: ir.Operation, before: int, rows: int, width: int) -> ir.Value:
    x, y = op.operands[0], op.results[0].type
    element = y.element_type
    ones = _hlo.constant(tensor([before, rows], element), 1.0)
    table = _reshaped(x, [before, rows, width])
    dimensions = DotDimensions.encode(DotDims((0,), (0,), (1,), (1,)))
    found = _hlo(
        "dot_general",
        ones,
        table,
        type=tensor([before, width], element),
        dot_dimension_numbers=dimensions,
    )
    return _reshaped(found, y.shape)


def _reshaped(x: ir.Value, shape: Sequence[int]) -> ir.Value:
    if list(x.type.shape) == list(shape):
        return x
    return _hlo("reshape", x, type=tensor(shape, x.type.element_type))
