"""Processes that wait for each other at different calls.

Note [Processes that wait for each other]

A process that puts an array, saves a checkpoint or calls a program for the first time waits until
all others do; one that reads a result waits until all others have called the program. If one does
the first and another the second, as under `if process_index() == 0:`, both wait for ever, and no
two calls of one number differ that Note [Processes that disagree] could compare. So each sign of
life tells for what a process waits, if each of its threads that ever waited for the others does;
the coordinator looks for two that have waited, for two signs of life, for what the other one,
waiting itself, cannot bring. A thread that is busy, such as one that reads the next batch, may
still come: its process is not looked at.
"""

from __future__ import annotations

import itertools
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

__all__ = ["Gathered", "Member", "current_waits", "standstill", "waiting"]

#: Of a thread: which of all waits it is, the function, and the name of what it gathers or "".
Wait = Sequence[Any]


class Gathered(NamedTuple):
    """Values under one name: the processes that must hand one in, and those that have come."""

    processes: Sequence[int]
    values: Mapping[int, Any]


class Member(NamedTuple):
    """A process as the coordinator knows it: its waits, and its `recent_calls`."""

    waits: Sequence[Wait]
    calls: Mapping[str, Any]


_numbers = itertools.count()
#: By thread: its wait, None while it does something else.
_waits: dict[int, Wait | None] = {}


@contextmanager
def waiting(function: str, name: str = "") -> Iterator[None]:
    """Note that this thread waits for other processes: for values named `name`, or a program."""
    thread = threading.get_ident()
    _waits[thread] = [next(_numbers), function, name]
    try:
        yield
    finally:
        _waits[thread] = None


def current_waits() -> list[Wait]:
    """The waits of this process; none if a thread that waited before does something else."""
    alive = {thread.ident for thread in threading.enumerate()}
    for thread in set(_waits) - alive:
        _waits.pop(thread, None)
    waits = list(_waits.values())
    return [] if None in waits else [wait for wait in waits if wait is not None]


def standstill(
    members: Mapping[int, Member], gatherings: Mapping[str, Gathered]
) -> tuple[int, str] | None:
    """Find two processes that wait for each other: the number of one, and what to say of both."""
    for one, other in itertools.permutations(sorted(members), 2):
        mine, theirs = members[one], members[other]
        first = _gathering(one, mine, other, gatherings)
        if first is None:
            continue
        second = _gathering(other, theirs, one, gatherings) or _call(theirs, mine)
        if second is not None:
            return one, (
                f"the processes disagree: process {one} waits for process {other} in {first}, and "
                f"process {other} for process {one} in {second}; all processes must make the same "
                "calls over their devices, in one order"
            )
    return None


def _gathering(
    of: int, member: Member, other: int, gatherings: Mapping[str, Gathered]
) -> str | None:
    """The function in which a process waits for what another one has not handed in."""
    for _, function, name in member.waits:
        found = gatherings.get(name)
        if found is not None and other in found.processes and other not in found.values:
            value = found.values.get(of)
            text = f" of {value[-1]}" if isinstance(value, list) else ""
            return f"{function}{text} ({name})"
    return None


def _call(member: Member, other: Member) -> str | None:
    """The call for whose results a process may wait, as another one has called less."""
    for processes, (last, digests, texts) in member.calls.items():
        missing = last - int(other.calls.get(processes, (0,))[0])
        results = [function for _, function, name in member.waits if not name]
        if missing > 0 and results and digests:
            text = texts[digests[-min(missing, len(digests))]]
            return f"{results[0]}, after call {last - missing + 1} of both, {text}"
    return None
