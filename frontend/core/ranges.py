"""Range checks of weak numbers that the program converts to a narrower dtype.

Note [Ranges of weak arguments]

A Python number in the text of a function is checked when it meets an array: `ui8 + 300` is an
error.  As an argument it is not known at trace time: it enters as an i32 or f32, and is
converted.  So the trace notes each conversion of a weak number to a narrower dtype (`convert`
does; `astype`, which wraps on purpose, does not), with the expression that computes the number
from arguments, literals, and ops that have a rule `fold`.  In a branch of `cond` or `switch` the
number must fit where the branch is taken, as far as the host can compute which one is.  These
meetings are passed on from a function to its callers, and those that reach `@main` are checked on
the host in each call: the number is computed there once more, exactly as the program computes it.
That takes 5 us for an argument and as much for each op; programs without meetings pay nothing.

An integer that the host cannot compute is not weak: the carry of a loop, and the result of a
loop, is an i32 like any other as soon as it would be narrowed.  The remaining cases (sums, sorts
and products of weak arrays) are refused where they meet the narrower dtype.  Unknown floats
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
    "number_text", "pass_on_meetings", "pass_on_of_branches", "pass_on_of_later", "pass_on_of_rule",
    "pass_on_of_steps", "ranges_of",
]  # fmt: skip


class Meeting(NamedTuple):
    """A weak number that is converted to a narrower dtype, given by name.

    It applies only if all the branches that contain it, `choices`, are taken.
    """

    number: Expression
    dtype: str
    place: str
    choices: tuple[Choice, ...] = ()


class Choice(NamedTuple):
    """A branch that contains a meeting: its index, the selecting number, and the last index."""

    number: Expression
    branch: int
    last: int


class Ranges(NamedTuple):
    """The meetings of a program, and the arguments of `@main` that they depend on."""

    places: tuple[int, ...]
    meetings: tuple[Meeting, ...]


_OF_4_BITS = (np.dtype(ml_dtypes.int4), np.dtype(ml_dtypes.uint4))


@lru_cache(256)
def integer_limits(dtype: np.dtype[Any]) -> tuple[int, int] | None:
    """The lowest and largest number of an integer dtype, None of others.

    NumPy's `dtype.kind` does not tell integers of 4 bits from floats of 8.
    """
    if dtype.kind not in "iu" and dtype not in _OF_4_BITS:
        return None
    found = ml_dtypes.iinfo(dtype)
    return int(found.min), int(found.max)


@lru_cache(256)
def _limits(dtype: np.dtype[Any]) -> tuple[Any, Any]:
    """Lowest and largest number of a dtype; of a complex dtype, of each part."""
    if (of_integers := integer_limits(dtype)) is not None:
        return of_integers
    if dtype.kind == "b":
        return 0, 1
    largest = float(ml_dtypes.finfo(dtype).max)
    return -largest, largest


def check_fits(value: complex, dtype: np.dtype[Any]) -> None:
    """Refuse a Python integer, or a finite float, that a dtype does not hold."""
    low, high = _limits(dtype)
    if integer_limits(dtype):
        if not isinstance(value, complex) and not low <= _whole(value) <= high:  # nor is NaN
            raise OverflowError(
                f"{number_text(value)} does not fit {dtype_name(dtype)}, "
                f"which holds {low} to {high}; give the array a wider dtype"
            )
        return
    parts = (value.real, value.imag) if isinstance(value, complex) else (value,)
    for part in parts if dtype.kind != "b" else ():
        if not low <= part <= high and _overflows(part, dtype):
            raise OverflowError(
                f"{number_text(value)} does not fit {dtype_name(dtype)}, whose largest number "
                f"is {high:.6g}; give the array a wider dtype, or write infinity"
            )


_MOST_BITS = 200  # of an integer in a message; Python writes no more than 4,300 digits at all


def number_text(x: complex) -> str:
    """A number as messages write it."""
    if isinstance(x, int) and x.bit_length() > _MOST_BITS:
        return f"an integer of {x.bit_length()} bits"
    return str(x)


def _whole(value: float) -> float:
    """The number that an integer dtype keeps of another; infinities and NaN stay."""
    return int(value) if math.isfinite(value) else value


def _overflows(part: float, dtype: np.dtype[Any]) -> bool:
    """Whether a finite number rounds to a value beyond the largest of a dtype."""
    if part != part or part in (np.inf, -np.inf):
        return False
    try:
        with np.errstate(over="ignore"):
            return not np.isfinite(np.asarray(float(part)).astype(dtype).astype(np.complex128))
    except OverflowError:  # an integer that no float holds
        return True


def note_meeting(x: Tracer, dtype: np.dtype[Any]) -> None:
    """Record the conversion of a weak number, for the program to check.

    Raises `OverflowError` if the number is known and does not fit, `TypeError` for an integer that
    the host cannot compute.
    """
    low, high = _limits(dtype)
    own_low, own_high = _limits(x.dtype)
    is_whole = integer_limits(x.dtype) is not None or x.dtype.kind == "b"
    if low <= own_low and own_high <= high and (is_whole or integer_limits(dtype) is None):
        return
    if dtype.kind == "b":
        return
    x.check_alive()
    trace = current.trace
    assert trace is not None
    _note(trace, expression_of(x.value, x.owner), dtype_name(dtype), describe(x.location))


def _note(
    trace: Trace,
    number: Expression | None,
    dtype: str,
    place: str,
    choices: tuple[Choice, ...] = (),
) -> None:
    """Keep a meeting with the traced function if it depends on arguments; else check it now."""
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
        f"a Python number computed with at {place} is converted to {dtype}, and its range is not "
        "known; convert it with .astype, which wraps integers, or give the array a wider dtype"
    )


def meets_narrower(trace: Trace, place: int) -> bool:
    """Whether a finished trace narrows an integer that depends on the argument at this index."""
    argument = Argument(trace.name, place)
    return any(
        argument in leaves(meeting.number) and numpy_dtype(meeting.dtype).kind in "iu"
        for meeting in trace.program.meetings.get(trace.name, ())
    )


def pass_on_meetings(trace: Trace, name: str, operands: Sequence[ir.Value]) -> None:
    """Pass the meetings of a function on to its caller, in terms of the operands of the call."""
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
    """Pass the meetings of the branches of a choice, traced as functions, on to a trace.

    Each branch takes these operands; a number is checked if its branch is taken.
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
    """Pass the meetings of the functions of a loop with captured values on to a trace.

    Carries of later steps are unknown.
    """
    for name in names if trace.program.meetings else ():
        _pass_on(trace, name, lambda x, name=name: None if x.function == name else x)  # type: ignore[misc]


def pass_on_of_later(trace: Trace, name: str, pairs: Iterable[tuple[ir.Value, ir.Value]]) -> None:
    """Check the meetings of a function also for the later values of its operands.

    Raises `TypeError` for integers that the host cannot compute.
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
    """Pass the meetings of a custom rule on to its function, which takes the same arguments."""

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
    """The range checks on the arguments of a traced program."""
    meetings = tuple(program.meetings.get("main", ()))
    read = [x for m in meetings for x in (m.number, *(c.number for c in m.choices))]
    places = {leaf.place for x in read for leaf in leaves(x)}
    return Ranges(tuple(sorted(places)), meetings)


def check_ranges(ranges: Ranges, names: Sequence[str], values: Iterable[Any]) -> None:
    """Refuse arguments, host arrays in the order of `ranges.places`, whose numbers do not fit.

    `names` are the paths of all arguments.
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
                    f"{head}: {error}, or convert the argument with .astype"
                ) from None
            raise OverflowError(
                f"{head}: of the values computed from {'them' if len(used) > 1 else 'it'} at "
                f"{meeting.place}, {error}, or convert with .astype"
            ) from None


def _check(meeting: Meeting, given: Mapping[Argument, np.ndarray[Any, Any]]) -> None:
    if not all(_may_be_taken(choice, given) for choice in meeting.choices):
        return
    found, dtype = values_of(meeting.number, given), numpy_dtype(meeting.dtype)
    if found is None:
        if integer_limits(dtype):
            raise TypeError(_cannot_be_told(meeting.dtype, meeting.place))
        return
    for number in found.tolist():
        check_fits(number, dtype)


def _may_be_taken(choice: Choice, given: Mapping[Argument, np.ndarray[Any, Any]]) -> bool:
    """Whether the index may select this branch; indices out of range select the last one."""
    found = values_of(choice.number, given)
    if found is None:
        return True
    return any(
        (i if 0 <= i < choice.last else choice.last) == choice.branch for i in found.tolist()
    )
