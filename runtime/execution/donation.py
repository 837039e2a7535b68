"""Donated arguments: a call ends them, and each array keeps where it went, for messages."""

from __future__ import annotations

import sys
import weakref
from collections.abc import Callable, Sequence
from types import CodeType, FrameType
from typing import Any, NamedTuple

from anvl.runtime.tracebacks import is_library_code

__all__ = [
    "Donation", "DonationWarning", "Fate", "Taker", "fate_of", "fate_of_constant",
    "name_constant", "named_constant", "taker",
]  # fmt: skip

_MOST_LINES = 256  # of which the fates are kept


class DonationWarning(UserWarning):
    """A donated argument whose memory no result can use."""


class Donation(NamedTuple):
    """The donated arguments of a program.

    Attributes
    ----------
    function : str
        How messages call the function.
    positions : tuple of int
        Their positions among all arguments of the program.
    """

    function: str
    positions: tuple[int, ...]


# Note [Donated arrays]
# PJRT deletes a donated buffer when the program starts, unless a view of NumPy or another library
# still reads it, or no result takes its memory.  Whether a program may use the array afterwards
# would so depend on the compiler and on other references; here a call ends every donated array.
#
# Each array keeps its fate: the function, the argument and the line of the call.  So it gets
# another buffer, which was deleted before, and knows a fate: one for each argument and line, taken
# from the first call there.  Only where PJRT left one are those of its argument deleted.  To delete
# each buffer, and to note the fate in a slot of the array, took 20 us more of a call with 200.


class Fate(NamedTuple):
    """The end of a donated array: the function and its argument, and the line of the call."""

    label: str
    file: str
    line: int


#: Ends the donated ones of the arguments of a call that so many frames of anvl are above.
Taker = Callable[[Sequence[Any], int], None]


def taker(donation: Donation, names: Sequence[str], n_constants: int = 0) -> Taker:
    """The function that ends donated arguments, which come after so many constants."""
    labels = [
        (i - n_constants, f"{donation.function} as its argument {names[i]}")
        for i in donation.positions
    ]
    known: dict[tuple[str, int], list[tuple[int, Any]]] = {}
    left: list[int] = []  # positions of arguments that PJRT did not delete
    frame_at = sys._getframe
    # The place of the latest call, mostly that of the next.  One object, as threads share it.
    last: tuple[CodeType | None, int, list[tuple[int, Any]]] = None, 0, []

    def take(args: Sequence[Any], depth: int) -> None:
        nonlocal last
        frame = frame_at(depth)
        code, instruction, deleted = last
        if frame.f_lasti != instruction or frame.f_code is not code:
            where = _line_of_user(frame)
            if len(known) >= _MOST_LINES:
                known.clear()
            found = known.get(where)
            if found is None:
                fates = [(i, Fate(label, *where)) for i, label in labels]
                left.extend(i for i, _ in fates if i not in left and not args[i].is_deleted())
                found = known[where] = _ended(args, fates)
            deleted = found
            if not is_library_code(frame.f_code.co_filename):
                last = frame.f_code, frame.f_lasti, deleted
        for i in left:
            args[i].buffer.delete()
        for i, buffer in deleted:
            args[i].buffer = buffer

    return take


def _ended(args: Sequence[Any], fates: Sequence[tuple[int, Fate]]) -> list[tuple[int, Any]]:
    """The buffers of these arguments, which are deleted and know their fates."""
    ended = []
    for i, fate in fates:
        buffer = args[i].buffer
        buffer.delete()
        buffer.fate = fate
        ended.append((i, buffer))
    return ended


def _line_of_user(frame: FrameType) -> tuple[str, int]:
    """File and line of the innermost frame of user code."""
    while is_library_code(frame.f_code.co_filename) and frame.f_back is not None:
        frame = frame.f_back
    return frame.f_code.co_filename, frame.f_lineno


def fate_of(array: Any) -> str:
    """Describe the fate of a deleted array, as the end of a sentence."""
    fate = getattr(getattr(array, "buffer", None), "fate", None)
    if fate is None:
        return "was deleted or donated"
    return f"was donated to {fate.label}, at {fate.file}:{fate.line}"


def name_constant(array: Any, name: str) -> None:
    """Keep the name of an array that a compiled function closes over, for messages."""
    # A program keeps the buffer, which must not keep the array: both would live for ever.
    array.buffer.captured_as = name, weakref.ref(array)


def named_constant(buffer: Any, position: int) -> str:
    """The name of an array that a compiled function closes over, or its position."""
    name, _ = getattr(buffer, "captured_as", (f"constant {position}", None))
    return str(name)


def fate_of_constant(buffer: Any) -> str:
    """Describe the fate of a deleted array that a compiled function closes over."""
    _, array = getattr(buffer, "captured_as", ("", None))
    return fate_of(array and array())
