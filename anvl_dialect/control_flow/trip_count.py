"""Static trip count of a counted loop."""

from collections.abc import Sequence
from typing import NamedTuple

from anvl.dialect.core.lazy_numpy import np
from anvl.dialect.core.op import Value
from anvl.dialect.core.op_registry import OPS
from anvl.dialect.interpreters.constant_folding import Number, known_number, maker_of
from anvl.dialect.interpreters.subprogram import Program

__all__ = ["Count", "step_count"]

_MOST = 2**31 - 1  # a scan counts in an i32
# By the side of i and the comparison: the increment of n that turns it into `i < n`.
_BOUNDS = {(0, "LT"): 0, (0, "LE"): 1, (1, "GT"): 0, (1, "GE"): 1}


class Count(NamedTuple):
    """Trip count of a loop; position, start and step of its counter."""

    steps: int
    carry: int
    first: int
    by: int


def step_count(cond: Program, body: Program, xs: Sequence[Value]) -> Count | None:
    """Trip count of a loop whose condition compares a counter with a known number, else None.

    Start and step of the counter must be known numbers; `xs` are the operands of the loop, carries
    and constants.
    """
    op = maker_of(cond.results[0])
    if type(op) is not OPS["anvl.compare"]:
        return None
    direction = op.read(op.operation)["comparison_direction"]
    sides = list(op.operands)
    for side in (0, 1):
        more = _BOUNDS.get((side, direction))
        i = _position(cond, sides[side])
        if more is None or i is None or i >= len(body.results):
            continue
        first, by = known_number(xs[i]), _added(body, i, xs)
        last = _number(cond, body, sides[1 - side], xs)
        if first is None or by is None or last is None or by <= 0:
            continue
        count = max(0, -((int(first) - int(last) - more) // int(by)))
        end = int(first) + count * int(by)
        if count > _MOST or end > np.iinfo(first.dtype).max:
            return None
        return Count(count, i, int(first), int(by))
    return None


def _position(program: Program, x: Value) -> int | None:
    return program.arguments.index(x) if x in program.arguments else None


def _number(part: Program, body: Program, x: Value, xs: Sequence[Value]) -> Number:
    """The known number that a value of the condition or body equals in every step, or None.

    It may be defined in front of the loop, as an operand of it.
    """
    i = _position(part, x)
    if i is None:
        return known_number(x)
    is_same = i >= len(body.results) or body.results[i] == body.arguments[i]
    return known_number(xs[i]) if is_same else None


def _added(body: Program, i: int, xs: Sequence[Value]) -> Number:
    """The known number that each step adds to a carry, or None."""
    op = maker_of(body.results[i])
    if type(op) is not OPS["anvl.add"]:
        return None
    x, y = op.operands
    counter = body.arguments[i]
    if counter not in (x, y):
        return None
    return _number(body, body, y if x == counter else x, xs)
