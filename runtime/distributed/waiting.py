"""Calls that wait for other processes, and end when one of these has failed.

Note [A thread for programs of several processes]

A collective blocks in XLA, which no signal and no exception of Python's interrupts, until the other
processes take part: for ever, if one of them is stopped.  So a thread of its own makes such calls,
in the order in which they are asked for, and the caller waits for it in Python, where it hears of a
failure, and of Ctrl-C.  The hop takes some ten microseconds, the collective milliseconds.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from contextlib import suppress
from queue import SimpleQueue
from typing import Any, TypeVar

from anvl.runtime.distributed import status
from anvl.runtime.distributed.call_order import Called, first_call, later_call
from anvl.runtime.distributed.gloo_output import without_gloo_output
from anvl.runtime.distributed.standstill import waiting
from anvl.runtime.lazy import compat
from anvl.runtime.locks import fresh_lock

__all__ = ["end_thread", "watched", "watching"]

_T = TypeVar("_T")

_TICK = 0.25  # seconds
# A collective with a process that has ended fails by itself, and says more.
_TICKS_TO_FAIL = 8


class _Call:
    """A call, and what came of it."""

    def __init__(self, function: Callable[[], Any]) -> None:
        self.function = function
        self.is_done = threading.Lock()
        self.is_done.acquire()
        self.result: Any = None
        self.error: BaseException | None = None

    def run(self) -> None:
        try:
            self.result = self.function()
        except BaseException as error:
            self.error = error
        self.is_done.release()


_lock = fresh_lock()
_calls: SimpleQueue[_Call | None] | None = None
_thread: threading.Thread | None = None


def watched(what: str, function: Callable[[], _T]) -> _T:
    """Call a function that may wait for other processes.

    Raises
    ------
    DistributedError
        Another process failed meanwhile, or had failed before.
    """
    of = status.current
    if of is None or threading.current_thread() is _thread:
        return function()
    if of.reason is not None:
        raise of.error(what)
    call = _Call(function)
    _queue().put(call)
    begun, ticks = time.monotonic(), 0
    with waiting(what):
        while not call.is_done.acquire(timeout=_TICK):
            of.give_up(begun)
            ticks += of.reason is not None
            if ticks > _TICKS_TO_FAIL:
                raise of.error(what)
    if call.error is not None:
        raise call.error
    return call.result


def watching(
    run: Callable[..., Any], run_alone: Callable[..., Any], of: Called | None
) -> Callable[..., Any]:
    """Wrap `run`, which runs a program over several processes, by `watched`.

    Its first run, by `run_alone`, XLA's own function, waits for the results: the processes connect.
    If it has collectives, all must call it, and `of` describes it.
    """
    has_run = False

    def run_watched(buffers: list[Any]) -> Any:
        nonlocal has_run
        if has_run:
            if of is not None:
                later_call(of)
            return watched("execute", lambda: run(buffers))
        has_run = True
        if of is not None:
            first_call(of)
        with without_gloo_output():
            return watched("execute", lambda: _run_to_the_end(run_alone, buffers))

    return run_watched


def _run_to_the_end(run: Callable[..., Any], buffers: list[Any]) -> Any:
    results = run(buffers, with_tokens=True)
    with suppress(compat.Failure):  # reported by the reader of its results
        results.consume_token().block_until_ready()
    return results


def _queue() -> SimpleQueue[_Call | None]:
    global _calls, _thread
    with _lock:
        if _calls is None:
            _calls = SimpleQueue()
            args = (_calls,)
            _thread = threading.Thread(target=_serve, args=args, name="anvl-collectives")
            _thread.daemon = True
            _thread.start()
        return _calls


def _serve(calls: SimpleQueue[_Call | None]) -> None:
    while (call := calls.get()) is not None:
        call.run()


def end_thread() -> None:
    """End the thread, at exit: nothing waits for it if it is stuck in XLA."""
    if _calls is not None:
        _calls.put(None)
