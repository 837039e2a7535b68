"""Donated arguments: a call ends them, and each array keeps where it went, for messages."""

from __future__ import annotations

import sys
import weakref
from collections.abc import Sequence
from types import CodeType, FrameType
from typing import Any, NamedTuple

import numpy as np

from anvl.runtime.buffers import send
from anvl.runtime.client import Placement
from anvl.runtime.lazy import compat
from anvl.runtime.tracebacks import is_library_code, line_of_user
from anvl.runtime.types import array_type

__all__ = [
    "Donation", "DonationWarning", "Fate", "Taker", "deleted_buffer", "fate_of",
    "fate_of_constant", "name_constant", "named_constant",
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
# another buffer, which was deleted before, and knows a fate: one for each argument and line.  (One
# that was only donated would not do: a program over several devices that is called with it ends the
# process.)  The memory goes with the last reference to the array's own buffer.  Another thread may
# be about to read that: deleted under its hands, it would end the process (jaxlib 0.10 to 0.12).
# So neither a call nor `Array.delete` deletes a buffer, but those that are shared: which programs
# keep as constants, and the shards of an array over several devices.  To delete each buffer, and to
# note the fate in a slot of the array, took 20 us more of a call with 200, too.
# Generated code ends them itself while the calls come from one place: 0.2 us for one argument, and
# 0.5 by a function that is called for it.


class Fate(NamedTuple):
    """The end of a donated array: the function and its argument, and the line of the call."""

    label: str
    file: str
    line: int


_NOWHERE: tuple[CodeType | None, int, Sequence[tuple[int, Any]]] = None, 0, ()


class Taker:
    """The end of the donated arguments of a program, which come after so many constants.

    A call gives each array of `last[2]`, by its position among the arguments, the buffer beside it
    if `last` is of its place; else those that `at` returns.  `last` is the code and instruction of
    the latest call, and one object, as threads share it.
    """

    __slots__ = ("_known", "_labels", "_left", "last")

    def __init__(self, donation: Donation, names: Sequence[str], n_constants: int = 0) -> None:
        self.last = _NOWHERE
        self._labels = [
            (i - n_constants, f"{donation.function} as its argument {names[i]}")
            for i in donation.positions
        ]
        self._known: dict[tuple[str, int], list[tuple[int, Any]]] = {}
        self._left: list[int] = []  # positions of arguments that PJRT did not delete

    def at(self, frame: FrameType, args: Sequence[Any]) -> Sequence[tuple[int, Any]]:
        """The positions of the donated arguments, and their buffers after a call in this frame."""
        where = line_of_user(frame)
        if len(self._known) >= _MOST_LINES:
            self._known.clear()
        ended = self._known.get(where)
        if ended is None:
            fates = [(i, Fate(label, *where)) for i, label in self._labels]
            left = [i for i, _ in fates if i not in self._left and not args[i].is_deleted()]
            self._left.extend(left)
            ended = self._known[where] = _ended(args, fates)
        for i in self._left:
            if hasattr(args[i].buffer, "is_shared"):
                args[i].buffer.delete()
        is_fast = not (self._left or is_library_code(frame.f_code.co_filename))
        self.last = (frame.f_code, frame.f_lasti, ended) if is_fast else _NOWHERE
        return ended

    def take(self, args: Sequence[Any]) -> None:
        """End the donated ones of the arguments of a call by the caller of this one's caller."""
        try:
            frame = sys._getframe(2)
        except ValueError:  # called by C alone, as a thread or at exit
            frame = sys._getframe(0)
        for i, buffer in self.at(frame, args):
            args[i].buffer = buffer


def _ended(args: Sequence[Any], fates: Sequence[tuple[int, Fate]]) -> list[tuple[int, Any]]:
    """Buffers for these arguments, which are deleted and know their fates."""
    ended = []
    for i, fate in fates:
        buffer = deleted_buffer(args[i].aval.placement)
        buffer.fate = fate
        ended.append((i, buffer))
    return ended


def deleted_buffer(place: Placement) -> Any:
    """A deleted buffer on a device of a placement."""
    device = next(one for one in place.devices if one.is_addressable)
    kind = array_type((), np.bool_, device.placement)
    buffer = send(np.zeros((), np.bool_), kind, compat.COPY)
    buffer.delete()
    return buffer


def fate_of(array: Any) -> str:
    """Describe the fate of a deleted array, as the end of a sentence."""
    fate = getattr(getattr(array, "buffer", None), "fate", None)
    if fate is None:
        return "was deleted or donated"
    where = "" if is_library_code(fate.file) else f", at {fate.file}:{fate.line}"
    return f"was donated to {fate.label}{where}"


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
