"""Range checks of a function's weak arguments as JSON.

See Note [Ranges of weak arguments] in `frontend/core/ranges.py`.  In a file the function is `main`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from anvl.core.ranges import Choice, Meeting
from anvl.core.weak_numbers import Argument, Either, Expression, Folded, Known
from anvl.dialect.core.op_registry import OPS
from anvl.dialect.core.types import dtype_name, numpy_dtype
from anvl.interop.structures import value_from_json, value_to_json

__all__ = ["meetings_from_json", "meetings_to_json"]


def meetings_to_json(meetings: Sequence[Meeting]) -> list[Any]:
    """The range checks on the arguments of a function."""
    return [
        {
            "number": _stored(meeting.number),
            "dtype": meeting.dtype,
            "place": meeting.place,
            "choices": [[_stored(c.number), c.branch, c.last] for c in meeting.choices],
        }
        for meeting in meetings
    ]


def _stored(x: Expression) -> Any:
    role = "a number that the program computes"
    if isinstance(x, Argument):
        return x.place
    if isinstance(x, Known):
        return {"known": [value_to_json(n, role) for n in x.numbers], "dtype": dtype_name(x.dtype)}
    if isinstance(x, Either):
        return {"either": list(map(_stored, x.branches))}
    return {
        "op": x.op.OPERATION_NAME,
        "params": {name: value_to_json(value, role) for name, value in x.params},
        "operands": list(map(_stored, x.operands)),
        "dtype": dtype_name(x.dtype),
    }


def meetings_from_json(stored: Any, function: str, count: int) -> list[Meeting]:
    """The checks that `meetings_to_json` wrote, of a function of this name with `count` arguments.

    Raises `ValueError`, or what JSON of another form leads to, if they are malformed.
    """
    found = []
    for each in stored:
        choices = tuple(
            Choice(_read(number, function, count), int(branch), int(last))
            for number, branch, last in each["choices"]
        )
        number, dtype = _read(each["number"], function, count), dtype_name(each["dtype"])
        found.append(Meeting(number, dtype, str(each["place"]), choices))
    return found


def _read(stored: Any, function: str, count: int) -> Expression:
    if type(stored) is int:
        if not 0 <= stored < count:
            raise ValueError(f"there is no argument {stored}")
        return Argument(function, stored)
    if "either" in stored:
        return Either(tuple(_read(each, function, count) for each in stored["either"]))
    dtype = numpy_dtype(stored["dtype"])
    if "known" in stored:
        return Known(tuple(map(value_from_json, stored["known"])), dtype)
    op = OPS[stored["op"]]
    if not op.has_rule("fold"):
        raise ValueError(f"{stored['op']} has no rule to compute it")
    return Folded(
        op,
        tuple((name, value_from_json(value)) for name, value in stored["params"].items()),
        tuple(_read(each, function, count) for each in stored["operands"]),
        dtype,
    )
