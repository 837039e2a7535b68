"""Sorts on the CPU by packed integers, which XLA compares without calls."""

import math

from anvl.dialect.core.mlir import ir
from anvl.dialect.core.params.base import Bool, Direction, Int, Ints
from anvl.dialect.core.params.index_params import GatherDimensions, GatherDims
from anvl.dialect.core.types import element_type, tensor
from anvl.passes.framework.walk import Found
from anvl.passes.lower.hlo_builder import Hlo, maker, runs_once

__all__ = ["NAMES", "pack_sorts"]

# Note [Sorting packed integers]
#
# XLA:CPU sorts one array of integers by a plain `<` with code of its own, and everything else by
# calls of the comparator, one for each comparison: 100,000 numbers take 5 ms and 28, and 35 if
# their positions are sorted alongside (jaxlib 0.10.2).  So numbers of up to 32 bits, in NumPy's
# order, are sorted as integers of 64 bits,
#
#     key << 32 | position
#
# where the key of a float is its magnitude as an integer, negated for negative numbers, and one
# value above infinity for every NaN.  Equal keys keep their order, as their positions differ: the
# result is that of a stable sort, bit for bit.  The low half gives the positions, by which the
# arrays are gathered.  With them, 100,000 numbers take 7 ms.  A sort and the sort of its derivative
# (`ops/array/sorting.py`) become equal ops, and are merged.
#
# A sort of 64 numbers and nothing else takes XLA 15 us, of which most is the call, and packed 18:
# beyond a cost that XLA estimates, a program runs on another thread.  From 160 on packing is ahead,
# and in a loop at once: 20 sorts of 100 numbers took 112 us, packed 37.

NAMES = ("stablehlo.sort",)
_FEWEST = 32  # elements along the axis
_FEWEST_ALONE = 160  # elements in all, of the only sort of a program

_I32, _I64 = "i32", "i64"
_WIDTHS = {"f32": 32, "f16": 16, "bf16": 16}
#: The bits of infinity: those of every NaN are larger.
_INFINITY = {"f32": 0x7F800000, "f16": 0x7C00, "bf16": 0x7F80}
_INTEGERS = ("i1", "i8", "i16", "i32", "ui8", "ui16", "ui32")

_hlo = Hlo("")


def pack_sorts(found: Found) -> None:
    """Replace sorts in NumPy's order of numbers of up to 32 bits."""
    kept = []
    is_alone = len(found[NAMES[0]]) == 1
    for op in found[NAMES[0]]:
        descending = _is_descending(op)
        if descending is None or (is_alone and _is_short(op) and runs_once(op)):
            kept.append(op)
            continue
        with op.context, op.location, ir.InsertionPoint(op):
            _replace(op, descending)
        op.erase()
    found[NAMES[0]] = kept


# -- which sorts ----------------------------------------------------------------------------------


def _is_descending(op: ir.Operation) -> bool | None:
    """Whether the first operand alone descends; None if the sort is not to be packed."""
    x = op.operands[0].type
    if not x.has_static_shape or not _FEWEST <= x.shape[_axis(op)] < 2**31:
        return None
    is_float = str(x.element_type) in _WIDTHS
    if not is_float and (str(x.element_type) not in _INTEGERS or len(op.operands) == 1):
        return None
    block = op.regions[0].blocks[0]
    result = block.operations[len(block.operations) - 1].operation.operands[0]
    a, b = block.arguments[0], block.arguments[1]
    comes_first = _is_before_float if is_float else _is_less
    if comes_first(result, a, b):
        return False
    return True if comes_first(result, b, a) else None


def _is_short(op: ir.Operation) -> bool:
    """Whether a sort of one operand has so few elements that its call is most of its time."""
    return len(op.operands) == 1 and math.prod(op.operands[0].type.shape) < _FEWEST_ALONE


def _axis(op: ir.Operation) -> int:
    return Int.decode(op.attributes["dimension"])


def _is_before_float(x: ir.Value, a: ir.Value, b: ir.Value) -> bool:
    """Whether x is `a < b or (a == a and b != b)`, by which NaN comes last."""
    either = _operands(x, "stablehlo.or")
    both = _operands(either[1], "stablehlo.and") if either else None
    return bool(
        either
        and both
        and _is_less(either[0], a, b)
        and _is_comparison(both[0], "EQ", a, a)
        and _is_comparison(both[1], "NE", b, b)
    )


def _is_less(x: ir.Value, a: ir.Value, b: ir.Value) -> bool:
    return _is_comparison(x, "LT", a, b)


def _is_comparison(x: ir.Value, direction: str, a: ir.Value, b: ir.Value) -> bool:
    operands = _operands(x, "stablehlo.compare")
    if operands != [a, b]:
        return False
    return bool(Direction.decode(x.owner.attributes["comparison_direction"]) == direction)


def _operands(x: ir.Value, name: str) -> list[ir.Value] | None:
    op = maker(x)
    return list(op.operands) if op is not None and op.name == name else None


# -- packed ---------------------------------------------------------------------------------------


def _replace(op: ir.Operation, descending: bool) -> None:
    axis, x = _axis(op), op.operands[0]
    wide = _of(x, _I64)
    key = _key(x)
    if descending:
        key = _hlo("not", key, type=wide)  # -key - 1
    high = _hlo("shift_left", key, _hlo.constant(wide, 32), type=wide)
    position = _hlo("iota", type=wide, iota_dimension=Int.encode(axis))
    in_order = _sorted(_hlo("or", high, position, type=wide), axis)
    low = _hlo("and", in_order, _hlo.constant(wide, 2**32 - 1), type=wide)
    place = _hlo("convert", low, type=_of(x, _I32))
    for y, operand in zip(op.results, op.operands, strict=True):
        y.replace_all_uses_with(_taken(operand, place, axis))


def _of(x: ir.Value, dtype: str) -> ir.Type:
    return tensor(x.type.shape, element_type(dtype))


def _key(x: ir.Value) -> ir.Value:
    """Integers of 64 bits in the order of the numbers, equal for equal ones and for all NaN."""
    name, wide = str(x.type.element_type), _of(x, _I64)
    if name not in _WIDTHS:
        key = _hlo("convert", x, type=wide)
        if name != "ui32":
            return key
        return _hlo("subtract", key, _hlo.constant(wide, 2**31), type=wide)  # 32 bits, signed
    whole = _of(x, _I32)
    bits = _hlo("bitcast_convert", x, type=_of(x, f"i{_WIDTHS[name]}"))
    if bits.type != whole:
        bits = _hlo("convert", bits, type=whole)
    largest = 2 ** (_WIDTHS[name] - 1) - 1
    size = _hlo("and", bits, _hlo.constant(whole, largest), type=whole)
    is_negative = _hlo.compare(bits, _hlo.constant(whole, 0), "LT")
    key = _hlo("select", is_negative, _hlo("negate", size, type=whole), size, type=whole)
    infinity = _INFINITY[name]
    is_nan = _hlo.compare(size, _hlo.constant(whole, infinity), "GT")
    key = _hlo("select", is_nan, _hlo.constant(whole, infinity + 1), key, type=whole)
    return _hlo("convert", key, type=wide)


def _sorted(x: ir.Value, axis: int) -> ir.Value:
    op = ir.Operation.create(
        NAMES[0],
        [x.type],
        [x],
        {"dimension": Int.encode(axis), "is_stable": Bool.encode(False)},
        regions=1,
    )
    scalar = tensor([], x.type.element_type)
    here = [ir.Location.current] * 2
    block = op.regions[0].blocks.append(scalar, scalar, arg_locs=here)
    a, b = block.arguments
    with ir.InsertionPoint(block):
        ir.Operation.create("stablehlo.return", [], [_hlo.compare(a, b, "LT")])
    return op.result


def _taken(x: ir.Value, place: ir.Value, axis: int) -> ir.Value:
    """The elements of x at places along an axis."""
    op = maker(x)
    if op is not None and op.name == "stablehlo.iota" and _counts(op) == axis:
        return _hlo("convert", place, type=x.type)
    rank = x.type.rank
    others = tuple(a for a in range(rank) if a != axis)
    dims = GatherDims((), (axis,), others, others, (axis,), rank)
    column = tensor([*x.type.shape, 1], place.type.element_type)
    return _hlo(
        "gather",
        x,
        _hlo("reshape", place, type=column),
        type=x.type,
        dimension_numbers=GatherDimensions.encode(dims),
        slice_sizes=Ints.encode((1,) * rank),
    )


def _counts(op: ir.Operation) -> int:
    return Int.decode(op.attributes["iota_dimension"])
