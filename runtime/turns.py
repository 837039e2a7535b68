"""Programs with routines of LAPACK on stacks: fewer at a time than there are threads.

Note [Programs that wait for each other]
jaxlib's handlers of LAPACK split a stack over XLA's threads and wait there for its parts.  So many
at once as there are threads wait for ever: in one program, which the lowering puts in order (Note
[Routines that wait for each other] in `passes/stacked_calls.py`), and in several that run at the
same time, from one thread of Python or from several.  So where as many such programs run as there
are threads, less one, the next begins when the first of them is done.  On two cores that is one at
a time, with all threads to itself.  A program of other ops, of single matrices, or of stacks that
are too small to be split, never waits.
"""

from __future__ import annotations

import os
import re
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from math import prod
from typing import Any

from anvl.runtime.lazy import compat
from anvl.runtime.locks import fresh_lock

__all__ = ["in_turn", "splits_stacks"]

_lock = fresh_lock()
_running: deque[Any] = deque()  # of the programs that began last: what says when each is done

_CALLS = r"= (.*?) custom-call\(.*custom_call_target=\"lapack_[sdcz](\w+?)_ffi\""
_SHAPE = r"\[([\d,]+)\]"
# What a handler takes for the work, in rows times columns times the larger of them, and from which
# on it splits; of complex numbers three times as much.  (`lapack_kernels.cc` of jaxlib)
_WORK = {"trsm": 1, "getrf": 1, "potrf": 1, "geqrf": 2, "orgqr": 4, "ungqr": 4, "syevd": 5}
_MOST_WORK = 10
_LEAST = 200_000 // 3 // 2  # half of it, as versions differ


def splits_stacks(handle: Any) -> bool:
    """Whether a compiled program calls LAPACK on a stack of matrices that is split."""
    for types, routine in re.findall(_CALLS, str(handle.get_hlo_text())):
        for dims in re.findall(_SHAPE, types):
            shape = [int(n) for n in dims.split(",")]
            work = _WORK.get(routine, _MOST_WORK) * prod(shape) * max(shape[-2:])
            if prod(shape[:-2]) > 1 and work >= _LEAST:
                return True
    return False


@cache  # XLA asks once, when the first client is made
def _most() -> int:
    """How many such programs may run at once: fewer than XLA has threads."""
    given = [os.environ.get(name, "") for name in ("NPROC", "PJRT_NPROC")]  # XLA looks there too
    has_affinity = hasattr(os, "sched_getaffinity")
    cores = len(os.sched_getaffinity(0)) if has_affinity else os.cpu_count() or 1
    return max(1, min([cores, *(int(n) for n in given if n.isdecimal())]) - 1)


def in_turn(run: Callable[..., Any]) -> Callable[[list[Any]], Any]:
    """What runs a program when its turn has come; `run` is XLA's function for it."""

    def run_in_turn(buffers: list[Any]) -> Any:
        with _lock:
            while len(_running) >= _most():
                with suppress(compat.Failure):  # said to whoever asks for its results
                    _running.popleft().block_until_ready()
            results = run(buffers, with_tokens=True)
            _running.append(results.consume_token())
        return results

    return run_in_turn


def _forget() -> None:
    """In a forked child, where the programs of the parent never end."""
    _running.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget)
