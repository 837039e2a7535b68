"""How everything here is timed: in one process, in turns, without garbage collection."""

import gc
import statistics
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any, TypeVar

_SHORTEST = 0.01  # seconds; a loop this long hides the clock and the loop itself
_SHORT = 0.001  # for calls that are compared within a few per cent: shorter than a time slice
_GROUPS = 5

Key = TypeVar("Key")


@contextmanager
def no_garbage_collection() -> Iterator[None]:
    """Collect now, and not again until the end of the block."""
    gc.collect()
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def in_turns(jobs: Mapping[Key, Callable[[], Any]], rounds: int) -> dict[Key, list[Any]]:
    """What each job returned in each round; a round runs every job once, the order changes.

    Whatever slows the machine for a while then slows all jobs alike.
    """
    results: dict[Key, list[Any]] = {name: [] for name in jobs}
    names = list(jobs)
    for i in range(rounds):
        for name in names if i % 2 == 0 else reversed(names):
            with no_garbage_collection():
                results[name].append(jobs[name]())
    return results


def seconds(f: Callable[[], Any]) -> float:
    """One call."""
    start = time.perf_counter()
    f()
    return time.perf_counter() - start


def calls_in(f: Callable[[], Any], shortest: float = _SHORTEST) -> int:
    """How many calls of f make a loop that is long enough to time."""
    count = 1
    while (taken := seconds(partial(_repeat, f, count))) < shortest:
        count = max(2 * count, int(1.2 * count * shortest / max(taken, 1e-9)))
    return count


def seconds_a_call(f: Callable[[], Any], count: int, wait: Callable[[Any], Any]) -> float:
    """The mean of `count` calls in a row; `wait` finishes what the last one began."""
    start = time.perf_counter()
    wait(_repeat(f, count))
    return (time.perf_counter() - start) / count


def _repeat(f: Callable[[], Any], count: int) -> Any:
    for _ in range(count - 1):
        f()
    return f()


def calls_in_turns(
    calls: Mapping[Key, tuple[Callable[[], Any], Callable[[Any], Any]]], rounds: int
) -> dict[Key, list[float]]:
    """For each side's (call, wait) the seconds that a call takes, in each round."""
    counts = {side: calls_in(call) for side, (call, _) in calls.items()}
    return in_turns(
        {
            side: partial(seconds_a_call, call, counts[side], wait)
            for side, (call, wait) in calls.items()
        },
        rounds,
    )


def alternations(
    calls: Mapping[Key, tuple[Callable[[], Any], Callable[[Any], Any]]], rounds: int
) -> dict[Key, list[float]]:
    """As `calls_in_turns`, in shorter loops: the least time of each of five groups of rounds.

    Loops of a millisecond are mostly left alone by other processes.  There is no collection between
    them, which would take the code of both sides out of the caches.  All have as many calls, since
    the wait at the end is a part of each.  These are counted after the first calls, which are slow:
    else one side had loops of one call, and the other of four.
    """
    for call, _ in calls.values():
        calls_in(call, _SHORT)
    count = min(calls_in(call, _SHORT) for call, _ in calls.values())
    found: dict[Key, list[float]] = {side: [] for side in calls}
    sides = list(calls.items())
    for _ in range(_GROUPS):
        times: dict[Key, list[float]] = {side: [] for side in calls}
        with no_garbage_collection():
            for i in range(rounds):
                for side, (call, wait) in sides if i % 2 == 0 else reversed(sides):
                    times[side].append(seconds_a_call(call, count, wait))
        for side, values in times.items():
            found[side].append(min(values))
    return found


def median(values: Sequence[float]) -> float:
    """The middle one."""
    return statistics.median(values)


def medians(times: Mapping[Key, Sequence[float]]) -> dict[Key, float]:
    """The median of each side."""
    return {side: statistics.median(values) for side, values in times.items()}


def median_stages(runs: Sequence[Mapping[str, float]]) -> dict[str, float]:
    """The median of each stage over runs that have the same stages."""
    return {stage: statistics.median(run[stage] for run in runs) for stage in runs[0]}
