"""How a compiled program is run: with checks of its arguments, and not too many at once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from anvl.runtime.client import Placement
from anvl.runtime.execution.donation import Donation
from anvl.runtime.handlers.callbacks import outside_of_callbacks
from anvl.runtime.sharding.buffer_checks import checked
from anvl.runtime.sharding.in_flight import at_most_a_few, has_collectives, may_wait_for_ever
from anvl.runtime.turns import in_turn, splits_stacks
from anvl.runtime.types import ArrayType

if TYPE_CHECKING:
    from anvl.runtime.distributed.call_order import Called

__all__ = ["called_program", "runner"]


def runner(
    handle: Any,
    place: Placement,
    calls_lapack: bool,
    donation: Donation | None,
    describe: Callable[[], Called],
) -> Callable[..., Any]:
    """XLA's function for a program, made to wait where too many at once would hang.

    `describe` tells the program from others, for the other processes of its devices.
    """
    run: Callable[..., Any] = handle.execute_sharded
    run = outside_of_callbacks(run, place)
    is_single = len(place.handles) == 1
    if not is_single:
        run = checked(run, donation.positions if donation is not None else ())
    alone = run
    if calls_lapack and splits_stacks(handle):
        run = in_turn(run)
    elif not is_single and may_wait_for_ever(place.client) and has_collectives(handle):
        run = at_most_a_few(run)
    if not place.spans_processes:
        return run
    from anvl.runtime.distributed.waiting import watching  # sockets, JSON: for jobs alone

    return watching(run, alone, describe() if has_collectives(handle) else None)


def called_program(
    program: bytes | str, title: str, place: Placement, arg_types: Sequence[ArrayType]
) -> Called:
    """The description of a program, or of its digest, for the other processes of its devices."""
    import hashlib

    from anvl.runtime.distributed.call_order import Called, processes_of

    data = program.encode() if isinstance(program, str) else program
    devices = ",".join(str(device.id) for device in place.handles)
    types = ", ".join(f"{of} over {of.placement}" for of in arg_types)
    found = hashlib.sha256(f"{devices} {types} ".encode() + data)
    return Called(found.hexdigest()[:16], f"{title}({types})", processes_of(place.handles))
