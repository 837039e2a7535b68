"""Programs with routines of LAPACK on stacks, one at a time.

Note [Programs that wait for each other]
jaxlib's handlers of LAPACK split a stack over XLA's threads and wait there for its parts.  So many
at once as there are threads wait for ever: in one program, which the lowering puts in order (Note
[Routines that wait for each other] in `passes/stacked_calls.py`), and in several that run at the
same time, from one thread of Python or from several.  So such a program begins when the one before
it is done.  Each has all threads while it runs, so nothing is lost; a program of other ops, or of
single matrices, never waits.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from contextlib import suppress
from math import prod
from typing import Any

from anvl.runtime.lazy import compat
from anvl.runtime.locks import fresh_lock

__all__ = ["in_turn", "splits_stacks"]

_lock = fresh_lock()
_last: Any = None  # of the program that began last: what says when it is done

_CALLS = r"= (.*?) custom-call\(.*custom_call_target=\"lapack_"
_SHAPE = r"\[([\d,]+)\]"


def splits_stacks(handle: Any) -> bool:
    """Whether a compiled program calls LAPACK on a stack of matrices."""
    for types in re.findall(_CALLS, str(handle.get_hlo_text())):
        shapes = [[int(n) for n in dims.split(",")] for dims in re.findall(_SHAPE, types)]
        if any(prod(shape[:-2]) > 1 for shape in shapes):
            return True
    return False


def in_turn(run: Callable[..., Any]) -> Callable[[list[Any]], Any]:
    """What runs a program when the one before it is done; `run` is XLA's function for it."""

    def run_in_turn(buffers: list[Any]) -> Any:
        global _last
        with _lock:
            if _last is not None:
                with suppress(compat.Failure):  # said to whoever asks for its results
                    _last.block_until_ready()
            _last = None
            results = run(buffers, with_tokens=True)
            _last = results.consume_token()
        return results

    return run_in_turn


def _forget() -> None:
    """In a forked child, where the program of the parent never ends."""
    global _last
    _last = None


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget)
