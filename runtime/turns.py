"""Scheduling of programs with LAPACK routines on stacks: fewer at a time than there are threads.

Note [Programs that wait for each other]

jaxlib's handlers of LAPACK split a stack over XLA's threads and wait there for its parts.  If as
many run at once as there are threads they deadlock: within one program, which the lowering puts in
order (Note [Routines that wait for each other] in `passes/lower/stacked_calls.py`), and across
programs that run at the same time, from one thread of Python or from several.  So at most one
fewer such programs than there are threads run at once: the next begins when the first of them is
done.  On two cores that is one at a time, with all threads to itself.  An imported program that is
not in order is refused at compile time: it would hang sooner or later.  Programs of other ops, of
single matrices, or of stacks that are too small to be split, never wait.
"""

from __future__ import annotations

import os
import re
import sys
from collections import Counter, deque
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import cache
from math import prod
from typing import Any

from anvl.runtime.client import fewest_threads
from anvl.runtime.errors import RuntimeFailure
from anvl.runtime.lazy import compat
from anvl.runtime.locks import fresh_lock

__all__ = ["check_order", "in_turn", "most_at_once", "splits_stacks"]

_lock = fresh_lock()
# results of the programs that began last, which tell when each is done
_running: deque[Any] = deque()

_CALLS = r"= (.*?) custom-call\(.*custom_call_target=\"lapack_[sdcz](\w+?)_ffi\""
_NAMES = r"%[\w.\-]+"
_OP = rf"\s+(?:ROOT )?({_NAMES}) = (.*)"
_SHAPE = r"\[([\d,]+)\]"
# The cost estimate of a handler, in rows times columns times the larger of them, from which on it
# splits; three times as much for complex numbers.  (`lapack_kernels.cc` of jaxlib)
_WORK = {"trsm": 1, "getrf": 1, "potrf": 1, "geqrf": 2, "orgqr": 4, "ungqr": 4, "syevd": 5}
_MOST_WORK = 10
_LEAST = 200_000 // 3 // 2  # half of it, as versions differ


def splits_stacks(handle: Any) -> bool:
    """Whether a compiled program calls LAPACK on a stack of matrices that is split."""
    return _is_split(str(handle.get_hlo_text()))


def _is_split(text: str) -> bool:
    """Whether a call in this text of HLO splits a stack."""
    for types, routine in re.findall(_CALLS, text):
        for dims in re.findall(_SHAPE, types):
            shape = [int(n) for n in dims.split(",")]
            work = _WORK.get(routine, _MOST_WORK) * prod(shape) * max(shape[-2:])
            if prod(shape[:-2]) > 1 and work >= _LEAST:
                return True
    return False


def check_order(handle: Any) -> None:
    """Refuse a compiled program whose calls may deadlock."""
    if _may_wait_for_ever(handle):
        raise RuntimeFailure(
            "compile: calls of LAPACK on stacks of matrices that depend on none of each other may "
            "wait for each other for ever; put them in order by anvl.from_stablehlo or "
            "`anvl-opt --anvl-lower-to-stablehlo`"
        )


def _may_wait_for_ever(handle: Any) -> bool:
    """Whether as many of these calls as there are threads are mutually independent.

    Calls at the same depth, the number of such calls before them, are independent of each other.
    """
    with_calls: set[str] = set()  # computations; callees come before their callers
    for name, lines in _computations(str(handle.get_hlo_text())):
        steps: dict[str, int] = {}  # by the name of an op: its depth in calls
        counts = Counter[int]()
        for op, text in lines:
            names = re.findall(_NAMES, text)
            step = max((steps[x] for x in names if x in steps), default=0)
            if _is_split(text) or not with_calls.isdisjoint(names):
                step += 1
                counts[step] += 1
                with_calls.add(name)
            steps[op] = step
        if any(count > most_at_once() for count in counts.values()):
            return True
    return False


def _computations(text: str) -> Iterator[tuple[str, list[tuple[str, str]]]]:
    """Computations of HLO text: their names, and the name of each op with its text."""
    lines: list[tuple[str, str]] = []
    for line in text.splitlines():
        if line.endswith("{") and not line.startswith(" "):
            begun = re.search(_NAMES, line)
            name, lines = begun[0] if begun else "", []
        elif line == "}":
            yield name, lines
        elif found := re.match(_OP, line):
            lines.append((found[1], f" = {found[2]}"))


def most_at_once() -> int:
    """Number of programs that wait for XLA's threads that may run at once: fewer than these."""
    return max(1, min(_default_threads(), fewest_threads() or sys.maxsize) - 1)


@cache  # XLA reads it once, when the first client is made
def _default_threads() -> int:
    """Number of threads of a client that was given none."""
    variables = [os.environ.get(name, "") for name in ("NPROC", "PJRT_NPROC")]  # XLA reads it, too
    given = [int(n) for n in variables if n.isdecimal()]
    has_affinity = hasattr(os, "sched_getaffinity")
    cores = len(os.sched_getaffinity(0)) if has_affinity else os.cpu_count() or 1
    return min([cores, *given])


def in_turn(run: Callable[..., Any]) -> Callable[[list[Any]], Any]:
    """Wrap `run`, XLA's function for a program, to wait for its turn."""

    def run_in_turn(buffers: list[Any]) -> Any:
        with _lock:
            while len(_running) >= most_at_once():
                with suppress(compat.Failure):  # reported by the reader of its results
                    _running.popleft().block_until_ready()
            results = run(buffers, with_tokens=True)
            _running.append(results.consume_token())
        return results

    return run_in_turn


def _forget() -> None:
    """Reset in a forked child, where the programs of the parent never end."""
    _running.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget)
