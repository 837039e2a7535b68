"""The triangle of a matrix that an op reads, from StableHLO's masks.

A mask compares row and column numbers, with a constant added to either.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

from anvl.dialect.core.mlir import ir
from anvl.dialect.core.op import Value

__all__ = ["is_zero", "reads_upper_triangle"]

_ON_TRUE, _ON_FALSE = 1, 2  # operands of a select
_DEEPEST = 8  # ops from a mask to the row and column numbers


class _Affine(NamedTuple):
    """An affine form: row and column coefficients and a constant."""

    row: int
    column: int
    number: int


def is_zero(x: Value) -> bool:
    """Whether x is a constant 0, of any shape."""
    return _affine(x) == _Affine(0, 0, 0)


def reads_upper_triangle(use: Any, n_batch: int) -> bool:
    """Whether a use reads only the upper triangle of the last two axes.

    The operand may first be sliced to its first rows.
    """
    op = use.owner.operation
    if op.name == "stablehlo.slice":
        starts = ir.DenseI64ArrayAttr(op.attributes["start_indices"])
        given, taken = op.operands[0].type.shape, op.results[0].type.shape
        is_of_rows = list(given[:n_batch]) == list(taken[:n_batch]) and given[-1] == taken[-1]
        strides = set(ir.DenseI64ArrayAttr(op.attributes["strides"]))
        if any(starts) or not is_of_rows or strides - {1}:
            return False
        return all(reads_upper_triangle(inner, n_batch) for inner in op.results[0].uses)
    if op.name != "stablehlo.select" or use.operand_number == 0:
        return False
    mask = _mask(op.operands[0])
    if mask is None:
        return False
    is_lower, number = mask
    if is_lower:  # the other side is selected where row + number < column
        return use.operand_number == _ON_FALSE and number >= -1
    return use.operand_number == _ON_TRUE and number >= 0


def _mask(x: Value) -> tuple[bool, int] | None:
    """(True, n) for the mask row + n >= column; (False, n) for row + n <= column."""
    op = x.owner
    if isinstance(op, ir.Block):
        return None
    if op.name == "stablehlo.broadcast_in_dim":
        return _mask(op.operands[0]) if _keeps_last_axes(op) else None
    if op.name != "stablehlo.compare":
        return None
    direction = str(op.attributes["comparison_direction"]).rstrip(">").rpartition(" ")[2]
    sides = [_affine(operand) for operand in op.operands]
    if sides[0] is None or sides[1] is None or direction not in ("GE", "GT", "LE", "LT"):
        return None
    row, column, number = (a - b for a, b in zip(*sides, strict=True))
    if (row, column) == (-1, 1):
        row, column, number = 1, -1, -number
        direction = {"GE": "LE", "GT": "LT", "LE": "GE", "LT": "GT"}[direction]
    if (row, column) != (1, -1):
        return None
    strict = direction in ("GT", "LT")
    if direction[0] == "G":
        return True, number - strict
    return False, number + strict


def _affine(x: Value, depth: int = 0) -> _Affine | None:
    """The affine form of integers in their last two axes, or None."""
    op = x.owner
    if isinstance(op, ir.Block) or depth > _DEEPEST:
        return None
    short = op.name.rpartition(".")[2]
    if short == "constant":
        value = op.attributes["value"]
        is_splat = isinstance(value, ir.DenseIntElementsAttr) and value.is_splat
        return _Affine(0, 0, int(value.get_splat_value().value)) if is_splat else None
    if short == "iota":
        axis = ir.IntegerAttr(op.attributes["iota_dimension"]).value - x.type.rank
        return {-2: _Affine(1, 0, 0), -1: _Affine(0, 1, 0)}.get(axis)
    operands = [_affine(x, depth + 1) for x in op.operands]
    inner = [one for one in operands if one is not None]
    return _combined(op, short, inner) if len(inner) == len(operands) else None


def _combined(op: ir.Operation, name: str, inner: Sequence[_Affine]) -> _Affine | None:
    """The affine form of the result of an op with these operands, or None."""
    if name == "broadcast_in_dim":
        is_number = inner[0].row == inner[0].column == 0
        return inner[0] if is_number or _keeps_last_axes(op) else None
    if name in ("add", "subtract"):
        sign = 1 if name == "add" else -1
        return _Affine(*(a + sign * b for a, b in zip(*inner, strict=True)))
    return None


def _keeps_last_axes(op: ir.Operation) -> bool:
    """Whether a broadcast only adds leading axes."""
    given, rank = op.operands[0].type, op.results[0].type.rank
    axes = list(ir.DenseI64ArrayAttr(op.attributes["broadcast_dimensions"]))
    shape = list(op.results[0].type.shape)[rank - given.rank :]
    return axes == list(range(rank - given.rank, rank)) and list(given.shape) == shape
