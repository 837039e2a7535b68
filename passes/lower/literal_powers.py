"""Powers of floats with a small literal exponent on the CPU, as products, quotients and roots."""

from functools import partial
from typing import Any

from anvl.dialect.core.attributes import attribute_of
from anvl.dialect.core.mlir import ir
from anvl.dialect.core.params.base import Direction
from anvl.dialect.core.types import kind
from anvl.passes.framework.walk import Found
from anvl.passes.lower.hlo_builder import Hlo, Literals, hide, maker

__all__ = ["NAMES", "expand_literal_powers"]

# Note [Powers with a literal exponent]
#
# XLA:CPU calls the C library's power for each number, in no vector instructions, except with the
# exponents -1, 0, 0.5, 1, 2 and 3 (jaxlib 0.10.2).  20,000 f32 take 120 us, where a product takes
# 4, a quotient 6, and a square root 7.  So a power with another exponent of at most 4 that is a
# multiple of 0.5 is written out, by the size a of its base:
#
#     x ** 4  =  (x * x) * (x * x)            x ** -3  =  (1 / x) * (1 / x) * (1 / x)
#     x ** 2.5  =  (a * a) * sqrt(a)          x ** -2.5  =  1 / (a * a) / sqrt(a)
#
# No intermediate number is infinite or 0 where the result is neither.  With a half, a finite x
# below 0 gives NaN, as in C; -inf is as inf, and -0 as 0 (C17, F.10.4.4).  Errors are at most 3.5
# units in the last place, of x ** -4, where the library has half a unit.  f16 and bf16 stay: their
# powers are rounded once, from f32.
#
# XLA makes 1 / sqrt(a) the op `rsqrt`, which takes as long as 4 quotients and roots: so the root is
# hidden.  And it would compute what powers of one base share, as a function and its derivative do,
# as an array of its own: so from the square on, the base is hidden, too.
#
# Value and gradient of 20 steps of an N-body problem with `r2**-1.5` take 0.6 of the time.
#
# The exponent may be computed from literals: that of a derivative in x is `c - 1`, by selects that
# depend on c, and by one that depends on x but has the same number in both arms.

NAMES = ("stablehlo.power",)
_FLOATS = ("f32", "f64")
_LARGEST = 4.0
_BY_XLA = (-1.0, 0.0, 0.5, 1.0, 2.0, 3.0)
_MOST_STEPS = 8  # from an exponent to its literals

_ADD, _COMPARE, _CONSTANT, _SELECT = (
    f"stablehlo.{name}" for name in ("add", "compare", "constant", "select")
)
_SHAPING = ("stablehlo.broadcast_in_dim", "stablehlo.reshape")

_hlo = Hlo("")


def expand_literal_powers(found: Found) -> bool:
    """Replace the powers whose exponents are small multiples of 0.5; return whether there were any.

    What they are replaced by must be found anew.
    """
    literals = Literals()
    exponents = {op: e for op in found[NAMES[0]] if (e := _exponent(op)) is not None}
    for op, exponent in exponents.items():
        power = _root_power if exponent % 1 else _whole_power
        with op.context, op.location, ir.InsertionPoint(op):
            op.results[0].replace_all_uses_with(power(op, exponent, literals))
        op.erase()
    return bool(exponents)


def _exponent(op: ir.Operation) -> float | None:
    """The exponent of a power that is to be written out."""
    type_ = op.results[0].type
    if not type_.has_static_shape or str(type_.element_type) not in _FLOATS:
        return None
    exponent = _known(op.operands[1], _MOST_STEPS)
    if exponent is None or exponent in _BY_XLA:
        return None
    return exponent if abs(exponent) <= _LARGEST and (2 * exponent).is_integer() else None


def _whole_power(op: ir.Operation, exponent: float, literals: Literals) -> ir.Value:
    x = op.operands[0]
    if exponent < 0:
        x = _hlo("divide", literals.get(op.block, x.type, 1), x, type=x.type)
    return _product(x, int(abs(exponent)))


def _root_power(op: ir.Operation, exponent: float, literals: Literals) -> ir.Value:
    x, count = op.operands[0], int(abs(exponent))
    literal = partial(literals.get, op.block, x.type)
    size = _hlo("abs", hide(x) if count > 1 else x, type=x.type)
    y = _hlo("sqrt", size, type=x.type)
    if exponent < 0:
        whole = literal(1)
        if count:
            whole = hide(_hlo("divide", whole, _product(size, count), type=x.type))
        y = _hlo("divide", whole, hide(y), type=x.type)
    elif count:
        y = _hlo("multiply", _product(size, count), y, type=x.type)
    below, above = _hlo.compare(x, literal(0), "LT"), _hlo.compare(x, literal(float("-inf")), "GT")
    is_lost = _hlo.logic("and", below, above)
    return _hlo("select", is_lost, literal(float("nan")), y, type=x.type)


def _product(x: ir.Value, count: int) -> ir.Value:
    """The power of x with a whole exponent from 1 to 4."""
    times = partial(_hlo, "multiply", type=x.type)
    if count == 1:
        return x
    square = times(x, x)
    return square if count == 2 else times(square, x if count == 3 else square)


# -- exponents -------------------------------------------------------------------------------------


def _known(x: ir.Value, steps: int) -> float | None:
    """The number that all elements of a value are, as computed from literals; bools are 0 and 1."""
    op = maker(x)
    if op is None or not steps:
        return None
    if op.name == _CONSTANT:
        return _splat(op)
    if op.name == _SELECT:
        return _selected(op, steps - 1)
    if op.name not in (*_SHAPING, _ADD, _COMPARE):
        return None
    numbers = [_known(y, steps - 1) for y in op.operands]
    known = [n for n in numbers if n is not None]
    if len(known) < len(numbers):
        return None
    if op.name == _ADD:
        return sum(known)
    return _compared(op, *known) if op.name == _COMPARE else known[0]


def _splat(op: ir.Operation) -> float | None:
    value: Any = attribute_of(op, "value")
    is_number = kind(op.results[0].type.element_type) in ("float", "bool")
    is_splat = is_number and getattr(value, "is_splat", False)
    return float(value.get_splat_value().value) if is_splat else None


def _selected(op: ir.Operation, steps: int) -> float | None:
    """Look through a select whose flag is known, or makes no difference."""
    flag, *chosen = (_known(y, steps) for y in op.operands)
    if flag is None:
        return chosen[0] if chosen[0] == chosen[1] else None
    return chosen[0] if flag else chosen[1]


def _compared(op: ir.Operation, x: float, y: float) -> float | None:
    direction = Direction.decode(op.attributes["comparison_direction"])
    return float(x == y) if direction == "EQ" else None
