"""Donated arguments: a call deletes them, and leaves word of itself for whoever uses them later."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from anvl.runtime.tracebacks import is_library_code

__all__ = [
    "Donation", "DonationWarning", "donating", "fate_of", "name_constant", "named_constant",
]  # fmt: skip


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
# would so depend on the compiler and on other references; here a call deletes every donated array.
# The buffer object stays, with the function, the argument and the line of the call as an attribute.


def donating(
    run: Callable[..., Any], donation: Donation, names: Sequence[str]
) -> Callable[..., Any]:
    """Wrap `run` to delete the donated ones of its buffers, and to say so in each."""
    labels = [(i, f"{donation.function} as its argument {names[i]}") for i in donation.positions]

    def run_and_delete(buffers: list[Any]) -> Any:
        results = run(buffers)
        where = _line_of_caller()
        for i, label in labels:
            buffer = buffers[i]
            buffer.donated_to = label, where
            if not buffer.is_deleted():
                buffer.delete()
        return results

    return run_and_delete


def _line_of_caller() -> tuple[str, int]:
    """File and line of the innermost frame of user code."""
    frame = sys._getframe(2)
    while is_library_code(frame.f_code.co_filename) and frame.f_back is not None:
        frame = frame.f_back
    return frame.f_code.co_filename, frame.f_lineno


def fate_of(buffer: Any) -> str:
    """Describe the fate of a deleted buffer, as the end of a sentence."""
    found = getattr(buffer, "donated_to", None)
    if found is None:
        return "was deleted or donated"
    label, (file, line) = found
    return f"was donated to {label}, at {file}:{line}"


def name_constant(buffer: Any, name: str) -> None:
    """Keep the name of an array that a compiled function closes over, for messages."""
    buffer.captured_as = name


def named_constant(buffer: Any, position: int) -> str:
    """The name of an array that a compiled function closes over, or its position."""
    return getattr(buffer, "captured_as", f"constant {position}")
