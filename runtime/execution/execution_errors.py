"""Errors of running a program: arguments that are gone, or given twice."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from anvl.runtime.array import Array
from anvl.runtime.errors import RuntimeFailure
from anvl.runtime.execution.donation import fate_of, named_constant
from anvl.runtime.execution.out_of_memory import failure

__all__ = ["deleted_argument", "donated_constant", "execution_failure"]


def deleted_argument(name: str, arg: Array) -> RuntimeFailure:
    """The error for a deleted argument."""
    return RuntimeFailure(
        f"execute: argument {name}: array {arg.aval} {fate_of(arg)}; "
        f"keep a copy with x.copy(), or do not donate it"
    )


def execution_failure(
    error: BaseException, args: Sequence[Any], names: Sequence[str] | None
) -> RuntimeFailure:
    """The error for a program that could not be run with these arguments."""
    for position, arg in enumerate(args):
        if type(arg) is Array and arg.buffer.is_deleted():
            return deleted_argument(names[position] if names else str(position), arg)
    first = _first_repeated(args)
    if first is not None and "donate" in str(error):
        one, other = (names[i] if names else str(i) for i in first)
        return RuntimeFailure(
            f"execute: arguments {one} and {other} are the same array, and the call donates one; "
            f"pass x.copy() for the other"
        )
    return failure("execute", error)


def donated_constant(
    error: BaseException,
    args: Sequence[Any],
    names: Sequence[str] | None,
    constants: Sequence[Any],
) -> RuntimeFailure | None:
    """The error where a call donates an array that its function closes over, as a buffer."""
    if "donate" not in str(error):
        return None
    for position, arg in enumerate(args):
        at = next((i for i, x in enumerate(constants) if x is getattr(arg, "buffer", None)), None)
        if at is not None:
            name = names[position] if names else str(position)
            return RuntimeFailure(
                f"execute: argument {name} is the array {named_constant(constants[at], at)}, which "
                "the function closes over, and the call donates it; pass x.copy()"
            )
    return None


def _first_repeated(args: Sequence[Any]) -> tuple[int, int] | None:
    """Positions of two arguments that are one array; equal numbers may be one, and come last."""
    seen: dict[int, int] = {}
    found = []
    for position, arg in enumerate(args):
        first = seen.setdefault(id(arg.buffer) if type(arg) is Array else id(arg), position)
        if first != position:
            found.append((first, position))
    return min(found, key=lambda pair: getattr(args[pair[0]], "weak_type", True), default=None)
