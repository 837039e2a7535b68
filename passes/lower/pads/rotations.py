"""Rotations along the innermost axis on the CPU: as a choice between two pads."""

from math import prod

from anvl.dialect.core.mlir import ir
from anvl.dialect.core.params.base import Int, Ints
from anvl.dialect.core.types import element_type, tensor
from anvl.passes.framework.walk import Found
from anvl.passes.lower.hlo_builder import Hlo, maker, runs_once
from anvl.passes.lower.partitioning.partitioned_pads import is_over_mesh

__all__ = ["NAMES", "rewrite_rotations"]

# Note [Rotations]
#
# `roll(x, k, -1)` is the last k elements of each row, followed by the others.  XLA:CPU copies both
# slices, and then both copies, row by row, and fuses none of this: three kernels for each rotation.
# Two pads are read in whatever loop reads the rotation, so
#
#     concatenate(x[:, n-k:], x[:, :n-k])
#
# becomes
#
#     select(iota < k, pad(x[:, n-k:], high=n-k), pad(x[:, :n-k], low=k))
#
# of the same bits.  (One step of a periodic stencil along both axes of 512 x 512 f32 takes 0.39 of
# the time to compile and 0.61 to run, its energy with gradient 0.42 and 0.94, `roll(x, 1, 1) + x`
# 0.54 and 0.31; of f64, i32 and bf16 0.3 to 0.9 to run: jaxlib 0.10.2, two cores.)  Along an outer
# axis the parts are contiguous, and a copy is as fast: there the pads ran for 1.1 to 2.5 times as
# long, and in a loop, whose array stays in the cache, for 1.15 times along the innermost one.

NAMES = ("stablehlo.concatenate",)
_SLICE = "stablehlo.slice"
_FEWEST = 1024  # elements: fewer are copied in less time than a kernel is called
_LIMITS, _STRIDES = "limit_indices", "strides"

_hlo = Hlo("")


def rewrite_rotations(module: ir.Operation, found: Found) -> None:
    """Replace rotations along the innermost axis; in loops they stay, and over a mesh."""
    rotations = [op for op in found[NAMES[0]] if runs_once(op) and _is_rotation(op)]
    if not rotations or is_over_mesh(module):
        return
    found[NAMES[0]] = [op for op in found[NAMES[0]] if op not in rotations]
    for op in rotations:
        with op.context, op.location, ir.InsertionPoint(op):
            op.results[0].replace_all_uses_with(_of_pads(op))
        op.erase()


def _is_rotation(op: ir.Operation) -> bool:
    """Whether a concatenation is of the last elements of each row and of those before them."""
    y, parts = op.results[0].type, [maker(x) for x in op.operands]
    if len(parts) != 2 or not y.has_static_shape or not _is_along_rows(op):
        return False
    slices = [part for part in parts if part is not None and _is_slice_of(part, y)]
    if len(slices) != 2 or slices[0].operands[0] != slices[1].operands[0]:
        return False
    axis = _axis(op)
    middle = y.shape[axis] - slices[0].results[0].type.shape[axis]
    before = [middle if a == axis else n for a, n in enumerate(y.shape)]
    # Of sizes that add up, so the starts follow.
    return [_ints(part, _LIMITS) for part in slices] == [[*y.shape], before]


def _is_slice_of(op: ir.Operation, type_: ir.Type) -> bool:
    """Whether an op takes neighbouring elements of an array of a type."""
    is_slice = op.name == _SLICE and op.operands[0].type == type_
    return is_slice and all(n == 1 for n in _ints(op, _STRIDES))


def _is_along_rows(op: ir.Operation) -> bool:
    """Whether the axis is the innermost one of several, in an array that is not small."""
    shape, axis = op.results[0].type.shape, _axis(op)
    is_innermost = prod(shape[axis + 1 :]) == 1 and shape[axis] > 1
    return is_innermost and prod(shape[:axis]) > 1 and prod(shape) >= _FEWEST


def _axis(op: ir.Operation) -> int:
    return int(op.attributes["dimension"].value)


def _ints(op: ir.Operation, name: str) -> list[int]:
    return [*Ints.decode(op.attributes[name])]


def _of_pads(op: ir.Operation) -> ir.Value:
    y, axis = op.results[0].type, _axis(op)
    last, first = op.operands
    shift = last.type.shape[axis]
    wide = tensor(y.shape, element_type("i32"))
    i = _hlo("iota", type=wide, iota_dimension=Int.encode(axis))
    is_last = _hlo.compare(i, _hlo.constant(wide, shift), "LT")
    zero = _hlo.constant(tensor([], y.element_type), 0)
    return _hlo(
        "select",
        is_last,
        _padded(last, zero, y, axis, high=y.shape[axis] - shift),
        _padded(first, zero, y, axis, low=shift),
        type=y,
    )


def _padded(
    x: ir.Value, zero: ir.Value, y: ir.Type, axis: int, low: int = 0, high: int = 0
) -> ir.Value:
    along, none = [a == axis for a in range(y.rank)], (0,) * y.rank
    return _hlo(
        "pad",
        x,
        zero,
        type=y,
        edge_padding_low=Ints.encode(tuple(low * here for here in along)),
        edge_padding_high=Ints.encode(tuple(high * here for here in along)),
        interior_padding=Ints.encode(none),
    )
