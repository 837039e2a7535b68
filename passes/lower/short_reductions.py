"""Reductions of few elements on the CPU, as elementwise ops of slices."""

from collections.abc import Iterator
from itertools import product
from math import prod

from anvl.dialect.core.mlir import ir
from anvl.dialect.core.params.base import Ints
from anvl.dialect.core.types import kind, tensor, without_axes
from anvl.passes.framework.walk import Found
from anvl.passes.lower.hlo_builder import Hlo

__all__ = ["NAMES", "unroll_short_reductions"]

# Note [Reductions of few elements]
#
# XLA:CPU hands reductions of large arrays to YNNPACK, each as a call of its own, whose operands and
# results are written to memory.  Where each result is made of few elements, as in a pool or a sum
# over the three coordinates of points, the calls take most of the time.  As ops of slices,
#
#     y = reduce(x, axes=[1], add)      becomes      y = ((0 + x[:, 0]) + x[:, 1]) + x[:, 2]
#
# the same elements are combined in the same order, in one fusion with whatever reads them.  (256 x
# 256 results, f32, jaxlib 0.10.2: sums of 2 to 8 take 0.31 to 0.63 of the time; maxima, which then
# need no guard either (Note [NaN in large reductions]), 0.19 to 0.44; a pool of 2 x 2 with its
# derivative 0.59.)  Sums and products of f16 and bf16 stay: XLA adds them up in f32.

NAMES = ("stablehlo.reduce",)
_MOST = 4  # elements of a result
_FEWEST = 1024  # elements in all: below, nothing is handed over

_EXACT = ("stablehlo.maximum", "stablehlo.minimum", "stablehlo.and", "stablehlo.or")
_ROUNDED = ("stablehlo.add", "stablehlo.multiply")
_NARROW = ("f16", "bf16")

_hlo = Hlo("")


def unroll_short_reductions(found: Found) -> None:
    """Replace reductions of at most eight elements a result by ops of slices."""
    kept = []
    for op in found[NAMES[0]]:
        name = _combining(op)
        if name is None:
            kept.append(op)
            continue
        with op.context, op.location, ir.InsertionPoint(op):
            op.results[0].replace_all_uses_with(_combined(op, name))
        op.erase()
    found[NAMES[0]] = kept


def _combining(op: ir.Operation) -> str | None:
    """The op that combines two elements, if the reduction is to be replaced."""
    x = op.operands[0].type
    if len(op.results) != 1 or not x.has_static_shape or prod(x.shape) < _FEWEST:
        return None
    if not 1 <= prod(x.shape[a] for a in _axes(op)) <= _MOST:
        return None
    block = op.regions[0].blocks[0]
    ops = [inner.operation for inner in block.operations]
    if len(ops) != 2 or [*ops[0].operands] != [*block.arguments]:
        return None
    is_narrow = kind(x.element_type) == "complex" or str(x.element_type) in _NARROW
    names = _EXACT if is_narrow else (*_EXACT, *_ROUNDED)
    return ops[0].name if ops[0].name in names else None


def _axes(op: ir.Operation) -> tuple[int, ...]:
    return Ints.decode(op.attributes["dimensions"])


def _combined(op: ir.Operation, name: str) -> ir.Value:
    x, start = op.operands
    shape = without_axes(x.type.shape, _axes(op))
    type_ = tensor(shape, x.type.element_type)
    y = _hlo("broadcast_in_dim", start, type=type_, broadcast_dimensions=Ints.encode(()))
    for part in _parts(x, _axes(op)):
        y = _hlo(name.removeprefix("stablehlo."), y, _hlo("reshape", part, type=type_), type=type_)
    return y


def _parts(x: ir.Value, axes: tuple[int, ...]) -> Iterator[ir.Value]:
    """The slices of one element along each of the axes, in the order of the elements."""
    sizes = x.type.shape
    kept = tensor([1 if a in axes else n for a, n in enumerate(sizes)], x.type.element_type)
    for places in product(*(range(n) if a in axes else (0,) for a, n in enumerate(sizes))):
        limits = [i + n for i, n in zip(places, kept.shape, strict=True)]
        yield _hlo(
            "slice",
            x,
            type=kept,
            start_indices=Ints.encode(places),
            limit_indices=Ints.encode(tuple(limits)),
            strides=Ints.encode((1,) * len(sizes)),
        )
