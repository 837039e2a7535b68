"""Ranges of weak arguments: what a number may be where the program gives it a narrower dtype.

Note [Ranges of weak arguments]
A Python number in the text of a function is checked when it meets an array: `ui8 + 300` is an
error.  As an argument it is not known then: it comes in as an i32 or f32, and is converted.  So the
trace notes each conversion of a weak argument that promotion makes (one that a person writes, with
`astype`, wraps knowingly), and the program has for each such argument the dtypes that it is to fit.
These are looked at on the host in each call, where there are any: 1 us for each, and nothing for
others.  What a program computes of a weak argument before it meets an array is not looked at.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import ml_dtypes
import numpy as np

from anvl.dialect.asked import LINEAR_TRANSPOSE
from anvl.dialect.calls import symbols_in
from anvl.dialect.control import Case
from anvl.dialect.folding import maker_of
from anvl.dialect.mlir import ir
from anvl.dialect.ops.create import number_of
from anvl.dialect.types import dtype_name, numpy_dtype

if TYPE_CHECKING:
    from anvl.tracer import Tracer

__all__ = ["Ranges", "check_fits", "check_ranges", "note_meeting", "ranges_of"]

#: For each argument, by position, the names of the dtypes that its value is to fit.
Ranges = Mapping[int, tuple[str, ...]]


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
        if isinstance(value, int) and not low <= value <= high:
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
    """Have the program check a weak argument that is converted to a narrower dtype."""
    low, high = _limits(dtype)
    own_low, own_high = _limits(x.dtype)
    if (low <= own_low and own_high <= high) or not _is_argument(x.value):
        return
    x.check_alive()
    place = x.value.arg_number
    if place < x.trace.n_inputs:
        known = x.trace.program.meetings.setdefault((x.trace.name, place), [])
        known.append(dtype_name(dtype))


def _is_argument(value: ir.Value) -> bool:
    return not hasattr(value.owner, "operands")


def ranges_of(module: ir.Module, meetings: Mapping[tuple[str, int], list[str]]) -> Ranges:
    """What the arguments of `@main` are to fit, by what those of all functions are."""
    if not meetings:
        return {}
    found = {key: dict.fromkeys(names) for key, names in meetings.items()}
    functions = {op.attributes["sym_name"].value: op for op in _operations(module.body)}
    changed = True
    while changed:
        changed = False
        for name, function in functions.items():
            for taker, operand in _passed_on(function, functions):
                wanted = found.get(taker, {})
                if not wanted or not _is_argument(operand):
                    _check_literal(operand, wanted)
                    continue
                mine = found.setdefault((name, operand.arg_number), {})
                changed = changed or not wanted.keys() <= mine.keys()
                mine |= wanted
    of_main = {place: tuple(names) for (name, place), names in found.items() if name == "main"}
    return {place: names for place, names in of_main.items() if names}


def _operations(block: ir.Block) -> list[ir.Operation]:
    return [op.operation for op in block.operations]


def _passed_on(
    function: ir.Operation, functions: Mapping[str, ir.Operation]
) -> Iterator[tuple[tuple[str, int], ir.Value]]:
    """What a function passes on in calls: to whom, as which argument, and the value."""
    if not function.regions[0].blocks:
        return
    for op in _operations(function.regions[0].blocks[0]):
        if op.name != "func.call":
            continue
        for callee, skipped in _takers(op.attributes["callee"].value, functions):
            for place, operand in enumerate(list(op.operands)[skipped:]):
                yield (callee, place), operand


def _check_literal(x: ir.Value, dtypes: Iterable[str]) -> None:
    """Refuse a number in the text that a function is called with and that does not fit there."""
    value = number_of(maker_of(x)) if dtypes else None
    for dtype in dtypes if value is not None else ():
        check_fits(value, numpy_dtype(dtype))


def _takers(name: str, functions: Mapping[str, ir.Operation]) -> list[tuple[str, int]]:
    """Who takes the operands of a call of a function, behind how many that they do not take."""
    attributes = functions[name].attributes
    takers = [(name, 0)]
    for key in attributes:
        if key.startswith("anvl.") and key != LINEAR_TRANSPOSE:
            skipped = int(key == Case.attribute)  # the number of the branch
            takers += [(inner, skipped) for inner in symbols_in(attributes[key])]
    return takers


def check_ranges(ranges: Ranges, names: Sequence[str], values: Iterable[Any]) -> None:
    """Refuse values, host arrays in the order of `ranges`, that these dtypes do not hold.

    `names` are those of all arguments.
    """
    for (place, dtypes), value in zip(ranges.items(), values, strict=True):
        for number in np.asarray(value).ravel().tolist():
            for dtype in dtypes:
                try:
                    check_fits(number, numpy_dtype(dtype))
                except OverflowError as error:
                    raise OverflowError(
                        f"argument {names[place]}: {error}, or convert the argument by .astype"
                    ) from None
