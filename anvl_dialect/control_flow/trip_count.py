"""Static trip count of a counted loop."""

from collections.abc import Callable, Sequence
from math import ceil, floor, isfinite
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from anvl.dialect.core.create import number_of
from anvl.dialect.core.mlir import ir
from anvl.dialect.core.op import Value
from anvl.dialect.core.op_registry import OPS
from anvl.dialect.core.types import dtype_name, integer_range, kind
from anvl.dialect.interpreters.constant_folding import known_number, maker_of
from anvl.dialect.interpreters.subprogram import Program

if TYPE_CHECKING:
    from fractions import Fraction

__all__ = ["Count", "step_count", "trip_count"]

_MOST = 2**31 - 1  # a scan counts in an i32
_FLIPPED = {"LT": "GT", "LE": "GE", "GT": "LT", "GE": "LE"}
#: For `i < bound` and the like: the sign of steps that end it, and whether it goes on at the bound.
_WAYS = {"LT": (1, False), "LE": (1, True), "GT": (-1, False), "GE": (-1, True)}
#: Bits of a significand: whole numbers of no more bits are added without rounding.
_DIGITS = {"bf16": 8, "f16": 11, "f32": 24, "f64": 53}

#: The number that a value is known to be, or None.
_Known: TypeAlias = Callable[[Value], int | float | None]


class Count(NamedTuple):
    """Trip count of a loop; position, start and step of its counter."""

    steps: int
    carry: int
    first: int
    by: int


def step_count(cond: Program, body: Program, xs: Sequence[Value]) -> Count | None:
    """Trip count of a loop whose condition compares an integer with a known number, else None.

    Start and step of the counter must be known numbers; `xs` are the operands of the loop, carries
    and constants.
    """
    return _count(cond, body, xs, _known_integer)


def trip_count(cond: Program, body: Program, xs: Sequence[Value]) -> int | None:
    """As `step_count`, the steps alone; the counter may be a float if it is always whole."""
    found = _count(cond, body, xs, _known_or_float)
    return None if found is None else found.steps


def _count(cond: Program, body: Program, xs: Sequence[Value], known: _Known) -> Count | None:
    op = maker_of(cond.results[0])
    if type(op) is not OPS["anvl.compare"]:
        return None
    direction = op.read(op.operation)["comparison_direction"]
    sides = list(op.operands)
    for side in (0, 1):
        i = _position(cond, sides[side])
        if direction not in _WAYS or i is None or i >= len(body.results):
            continue
        sign, is_reached = _WAYS[_FLIPPED[direction] if side else direction]
        first, by = known(xs[i]), _added(body, i, xs, known)
        last = _number(cond, body, sides[1 - side], xs, known)
        numbers = [x for x in (first, by, last) if x is not None and isfinite(x)]
        if len(numbers) == 3 and numbers[1] * sign > 0:
            from fractions import Fraction  # with `decimal`, 1.5 ms: for loops

            element = xs[i].type.element_type
            return _counted(element, i, [Fraction(x) for x in numbers], is_reached)
    return None


def _counted(
    element: ir.Type, carry: int, numbers: "Sequence[Fraction]", is_reached: bool
) -> Count | None:
    """Count of the steps by `by` from the first number up to the last.

    None if the counter is not always a whole number that its type holds.
    """
    first, by, last = numbers
    distance = (last - first) / by
    steps = max(0, floor(distance) + 1 if is_reached else ceil(distance))
    low, high = _whole_numbers(element)
    ends = first, first + steps * by
    if steps > _MOST or by.denominator > 1 or first.denominator > 1:
        return None
    if min(ends) < low or max(ends) > high:
        return None
    return Count(steps, carry, int(first), int(by))


def _whole_numbers(element: ir.Type) -> tuple[int, int]:
    """The range of whole numbers of which a type holds all; empty for bools and narrow floats."""
    if kind(element) in ("int", "uint"):
        return integer_range(element)
    digits = _DIGITS.get(dtype_name(element))
    return (-(2**digits), 2**digits) if digits else (1, 0)


def _known_integer(x: Value) -> int | None:
    found = known_number(x)
    return None if found is None else int(found)


def _known_or_float(x: Value) -> int | float | None:
    """The number that a value is known to be, if it is an integer or a float constant."""
    if x.type.rank or kind(x.type.element_type) != "float":
        return _known_integer(x)
    found: float | None = number_of(maker_of(x))
    return found


def _position(program: Program, x: Value) -> int | None:
    return program.arguments.index(x) if x in program.arguments else None


def _number(part: Program, body: Program, x: Value, xs: Sequence[Value], known: _Known) -> Any:
    """The known number that a value of the condition or body equals in every step, or None.

    It may be defined in front of the loop, as an operand of it.
    """
    i = _position(part, x)
    if i is None:
        return known(x)
    is_same = i >= len(body.results) or body.results[i] == body.arguments[i]
    return known(xs[i]) if is_same else None


def _added(body: Program, i: int, xs: Sequence[Value], known: _Known) -> Any:
    """The known number that each step adds to a carry, or None."""
    op = maker_of(body.results[i])
    counter = body.arguments[i]
    if type(op) is OPS["anvl.add"] and counter in (op.operands[0], op.operands[1]):
        x, y = op.operands
        return _number(body, body, y if x == counter else x, xs, known)
    if type(op) is OPS["anvl.sub"] and op.operands[0] == counter:
        found = _number(body, body, op.operands[1], xs, known)
        return None if found is None else -found
    return None
