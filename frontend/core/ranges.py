"""Ranges of weak numbers: what a number may be where the program gives it a narrower dtype.

Note [Ranges of weak arguments]
A Python number in the text of a function is checked when it meets an array: `ui8 + 300` is an
error.  As an argument it is not known then: it comes in as an i32 or f32, and is converted.  So the
trace notes each conversion of a weak number to a dtype that holds less (`convert` does; `astype`,
which a person writes to wrap knowingly, does not), with what the number is computed of: arguments,
literals, and ops that have a rule `fold`.  In a branch of `cond` or `switch` it must fit where the
branch is taken, as far as the host can compute which one is.  These meetings go along with calls,
from a function to whoever calls it, and those that reach `@main` are looked at on the host in each
call: the number is computed there once more, exactly as the program computes it.  That takes 5 us
for an argument and as much for each op; programs without meetings pay nothing.

What the host cannot compute is not weak, if it is an integer: a carry of a loop, and what a loop
returns, is an i32 like any other as soon as it would be narrowed.  What is left (sums, sorts and
products of weak arrays) is refused where it meets the narrower dtype.  Floats that are not known
become infinite there, which can be seen; integers would wrap.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

import ml_dtypes
import numpy as np

from anvl.core.locations import describe
from anvl.core.trace_state import current
from anvl.core.weak_numbers import (
    Argument,
    Expression,
    Taker,
    expression_of,
    leaves,
    substituted,
    takers,
    values_of,
)
from anvl.dialect.core.mlir import ir
from anvl.dialect.core.types import dtype_name, numpy_dtype

if TYPE_CHECKING:
    from anvl.core.tracer import Tracer
    from anvl.core.tracing import Program, Trace

__all__ = [
    "Meeting", "Ranges", "check_fits", "check_ranges", "meets_narrower", "note_meeting",
    "pass_on_meetings", "pass_on_of_branches", "pass_on_of_later", "pass_on_of_rule",
    "pass_on_of_steps", "ranges_of",
]  # fmt: skip


class Meeting(NamedTuple):
    """A weak number that is given a dtype, by its name, that holds less than its own.

    It is none where one of the branches in which it is, `choices`, is not taken.
    """

    number: Expression
    dtype: str
    place: str
    choices: tuple[Choice, ...] = ()


class Choice(NamedTuple):
    """A branch in which a meeting is, the number that chooses, and that of the last branch."""

    number: Expression
    branch: int
    last: int


class Ranges(NamedTuple):
    """The meetings of a program, and the arguments of `@main` that they depend on."""

    places: tuple[int, ...]
    meetings: tuple[Meeting, ...]


@lru_cache(256)
def _limits(dtype: np.dtype[Any]) -> tuple[Any, Any]:
    """The lowest and the largest number of a dtype; of a complex one, of each part."""
    if dtype.kind in "iu":
        of_integers = np.iinfo(dtype)
        return int(of_integers.min), int(of_integers.max)
    if dtype.kind == "b":
        return 0, 1
    largest = float(ml_dtypes.finfo(dtype).max)
    return -largest, largest


def check_fits(value: complex, dtype: np.dtype[Any]) -> None:
    """Refuse a Python number that a dtype does not hold: an integer, or a float that is finite."""
    low, high = _limits(dtype)
    if dtype.kind in "iu":
        if not isinstance(value, complex) and not low <= _whole(value) <= high:  # nor is NaN
            raise OverflowError(
                f"{value} does not fit {dtype_name(dtype)}, which holds {low} to {high}; "
                "give the array a wider dtype"
            )
        return
    parts = (value.real, value.imag) if isinstance(value, complex) else (value,)
    for part in parts if dtype.kind != "b" else ():
        if not low <= part <= high and _overflows(part, dtype):
            raise OverflowError(
                f"{value} does not fit {dtype_name(dtype)}, whose largest number is {high:.6g}; "
                "give the array a wider dtype, or write infinity"
            )


def _whole(value: float) -> float:
    """The number that an integer dtype keeps of another; infinities and NaN as they are."""
    return int(value) if math.isfinite(value) else value


def _overflows(part: float, dtype: np.dtype[Any]) -> bool:
    """Whether a number beyond the largest is not rounded to that; NaN and infinity stay."""
    if part != part or part in (np.inf, -np.inf):
        return False
    try:
        with np.errstate(over="ignore"):
            return not np.isfinite(np.asarray(float(part)).astype(dtype).astype(np.complex128))
    except OverflowError:  # an integer that no float holds
        return True


def note_meeting(x: Tracer, dtype: np.dtype[Any]) -> None:
    """Have the program check a weak number that is converted to a dtype.

    Raises `OverflowError` where it is known now and does not fit, `TypeError` for an integer that
    nobody can tell.
    """
    low, high = _limits(dtype)
    own_low, own_high = _limits(x.dtype)
    if low <= own_low and own_high <= high and (dtype.kind not in "iu" or x.dtype.kind in "iub"):
        return
    if dtype.kind == "b":
        return
    x.check_alive()
    trace = current.trace
    assert trace is not None
    _note(trace, expression_of(x.value, x.trace), dtype_name(dtype), describe(x.location))


def _note(
    trace: Trace,
    number: Expression | None,
    dtype: str,
    place: str,
    choices: tuple[Choice, ...] = (),
) -> None:
    """Keep a meeting with the function that is traced, if it depends on arguments; else check."""
    if number is None:
        if numpy_dtype(dtype).kind in "iu":
            raise TypeError(_cannot_be_told(dtype, place))
        return  # a float that is too large becomes infinite
    meeting = Meeting(number, dtype, place, choices)
    if not leaves(number):
        _check(meeting._replace(choices=tuple(c for c in choices if not leaves(c.number))), {})
        return
    known = trace.program.meetings.setdefault(trace.name, [])
    if meeting not in known:
        known.append(meeting)


def _cannot_be_told(dtype: str, place: str) -> str:
    return (
        f"a number that the program computes at {place} is converted to {dtype}, and whether it "
        "fits cannot be told; convert it by .astype, which wraps knowingly, or give the array a "
        "wider dtype"
    )


def meets_narrower(trace: Trace, place: int) -> bool:
    """Whether a finished trace narrows an integer that depends on the argument at this place."""
    argument = Argument(trace.name, place)
    return any(
        argument in leaves(meeting.number) and numpy_dtype(meeting.dtype).kind in "iu"
        for meeting in trace.program.meetings.get(trace.name, ())
    )


def pass_on_meetings(trace: Trace, name: str, operands: Sequence[ir.Value]) -> None:
    """Have the caller of a function check what the function is to check of its arguments."""
    if not trace.program.meetings:
        return
    for taker in takers(trace.program, name):

        def given(x: Argument, taker: Taker = taker) -> Expression | None:
            if x.function != taker.function:
                return x
            if x.place < taker.n_changing:
                return None
            return expression_of(operands[x.place], trace)

        _pass_on(trace, taker.function, given)


def pass_on_of_branches(
    trace: Trace, names: Sequence[str], choice: ir.Value, operands: Sequence[ir.Value]
) -> None:
    """Have a trace check what the branches of a choice, traced as functions, are to check.

    Each takes these operands; a number is checked where its branch is taken.
    """
    if not trace.program.meetings:
        return
    index = expression_of(choice, trace)
    for branch, name in enumerate(names):

        def given(x: Argument, name: str = name) -> Expression | None:
            return expression_of(operands[x.place], trace) if x.function == name else x

        choices = () if index is None else (Choice(index, branch, len(names) - 1),)
        _pass_on(trace, name, given, choices)


def pass_on_of_steps(trace: Trace, names: Sequence[str]) -> None:
    """Have a trace check what the functions of a loop are to check of values around it.

    What the carries are in later steps nobody can tell.
    """
    for name in names if trace.program.meetings else ():
        _pass_on(trace, name, lambda x, name=name: None if x.function == name else x)  # type: ignore[misc]


def pass_on_of_later(trace: Trace, name: str, pairs: Iterable[tuple[ir.Value, ir.Value]]) -> None:
    """Check what a function is to check of values of the trace also of others in their place.

    Raises `TypeError` for integers of which nobody can tell.
    """
    for old, new in pairs:
        was = expression_of(old, trace)

        def given(x: Argument, was: Any = was, new: ir.Value = new) -> Expression | None:
            return expression_of(new, trace) if x == was else x

        for meeting in list(trace.program.meetings.get(name, ())):
            if was is None or not leaves(meeting.number) & leaves(was):
                continue
            number = substituted(meeting.number, given) if isinstance(was, Argument) else None
            _note(trace, number, meeting.dtype, meeting.place)


def pass_on_of_rule(trace: Trace, rule: str, n_arguments: int) -> None:
    """Have a function check what its custom rule is to check of the same arguments."""

    def given(x: Argument) -> Expression | None:
        if x.function != rule:
            return x
        return Argument(trace.name, x.place) if x.place < n_arguments else None

    _pass_on(trace, rule, given)


def _pass_on(
    trace: Trace,
    function: str,
    given: Callable[[Argument], Expression | None],
    choices: tuple[Choice, ...] = (),
) -> None:
    for meeting in list(trace.program.meetings.get(function, ())):
        known = [(substituted(c.number, given), c) for c in meeting.choices]
        outer = tuple(c._replace(number=number) for number, c in known if number is not None)
        number = substituted(meeting.number, given)
        _note(trace, number, meeting.dtype, meeting.place, (*outer, *choices))


# -- at each call ----------------------------------------------------------------------------------


def ranges_of(program: Program) -> Ranges:
    """The checks that a traced program asks for its arguments."""
    meetings = tuple(program.meetings.get("main", ()))
    read = [x for m in meetings for x in (m.number, *(c.number for c in m.choices))]
    places = {leaf.place for x in read for leaf in leaves(x)}
    return Ranges(tuple(sorted(places)), meetings)


def check_ranges(ranges: Ranges, names: Sequence[str], values: Iterable[Any]) -> None:
    """Refuse arguments, host arrays in the order of `ranges.places`, whose numbers do not fit.

    `names` are those of all arguments.
    """
    given = {
        Argument("main", place): np.asarray(value)
        for place, value in zip(ranges.places, values, strict=True)
    }
    for meeting in ranges.meetings:
        try:
            _check(meeting, given)
        except OverflowError as error:
            used = [names[x.place] for x in sorted(leaves(meeting.number))]
            head = f"argument{'s' if len(used) > 1 else ''} {', '.join(used)}"
            if isinstance(meeting.number, Argument):
                raise OverflowError(
                    f"{head}: {error}, or convert the argument by .astype"
                ) from None
            raise OverflowError(
                f"{head}: what the program computes of {'them' if len(used) > 1 else 'it'} at "
                f"{meeting.place}, {error}, or convert it by .astype"
            ) from None


def _check(meeting: Meeting, given: Mapping[Argument, np.ndarray[Any, Any]]) -> None:
    if not all(_may_be_taken(choice, given) for choice in meeting.choices):
        return
    found, dtype = values_of(meeting.number, given), numpy_dtype(meeting.dtype)
    if found is None:
        if dtype.kind in "iu":
            raise TypeError(_cannot_be_told(meeting.dtype, meeting.place))
        return
    for number in found.tolist():
        check_fits(number, dtype)


def _may_be_taken(choice: Choice, given: Mapping[Argument, np.ndarray[Any, Any]]) -> bool:
    """Whether its index may be that of a branch; an index that no branch has is of the last one."""
    found = values_of(choice.number, given)
    if found is None:
        return True
    return any(
        (i if 0 <= i < choice.last else choice.last) == choice.branch for i in found.tolist()
    )
