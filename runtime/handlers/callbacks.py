"""Calls of Python from compiled programs: functions on the host, their errors, and waiting.

XLA passes arrays to a function and copies what it returns without looking at it, so every function
is wrapped before (`HostCall`); and turns what it raises into text, so the exception itself is kept
here until the run has ended.
"""

from __future__ import annotations

import itertools
import re
import threading
from collections.abc import Callable, Sequence
from typing import Any

from anvl.runtime.client import EMBEDDED, EMBEDDED_PYTHON, HANDLER, Placement
from anvl.runtime.errors import RuntimeFailure
from anvl.runtime.handlers.callback_turns import take_turn
from anvl.runtime.lazy import compat
from anvl.runtime.plugins.default_device import embedded_by_default

__all__ = [
    "CallbackError",
    "compile_with_callbacks",
    "guarded",
    "outside_of_callbacks",
    "waiting",
]

_numbers = itertools.count(1)
_raised: dict[int, tuple[str, BaseException]] = {}
_MARK = "anvl callback failed: number "


class CallbackError(RuntimeFailure):
    """A Python function that a compiled program called raised an exception, which is `__cause__`.

    Examples
    --------
    >>> import anvl
    >>> try:
    ...     anvl.jit(lambda x: anvl.callback(lambda x: 1 / 0, None, x))(1.0)
    ... except anvl.CallbackError as error:
    ...     print(type(error.__cause__).__name__)
    ZeroDivisionError
    """


class _Marked(Exception):  # XLA shows its text, which is read below
    pass


# Note [Programs in callbacks]
#
# A plugin runs the programs of a device one after the other: one that a callback ran there, and
# waited for, would wait for ever.  So it is refused, and in a callback of a plugin the default
# device is jaxlib's own, which has no such order.

_calling = threading.local()


def guarded(functions: Sequence[Callable[..., Any]], place: Placement) -> list[Callable[..., Any]]:
    """Functions for XLA that call these, and keep what they raise for `waiting`."""
    if place.client.python_target == HANDLER:
        return [_guarded(_calls_from(place, f), str(f)) for f in functions]
    return [_guarded(f, str(f)) for f in functions]


def _calls_from(place: Placement, f: Callable[..., Any]) -> Callable[..., Any]:
    def call(*arrays: Any) -> Any:
        before = _calling_places()
        _calling.places = (*before, place)
        try:
            with embedded_by_default():
                return f(*arrays)
        finally:
            _calling.places = before

    return call


def _calling_places() -> tuple[Placement, ...]:
    places: tuple[Placement, ...] = getattr(_calling, "places", ())
    return places


def outside_of_callbacks(run: Callable[..., Any], place: Placement) -> Callable[..., Any]:
    """The execution of a program for a plugin, refused where it would wait for ever.

    See Note [Programs in callbacks].
    """
    if place.client.python_target != HANDLER:
        return run

    def run_outside(buffers: list[Any]) -> Any:
        if place in _calling_places():
            raise RuntimeFailure(
                f"callback: a callback of a program on {place} runs a program there, which would "
                "wait for that one to end, for ever; give it arrays of another device: "
                f'anvl.device_put(x, "{EMBEDDED}")'
            )
        return run(buffers)

    return run_outside


def _guarded(f: Callable[..., Any], name: str) -> Callable[..., Any]:
    def call(*arrays: Any) -> Any:
        try:
            return f(*arrays)
        except BaseException as error:
            number = next(_numbers)
            _raised[number] = name, error
            raise _Marked(f"{_MARK}{number};") from None

    return call


def compile_with_callbacks(
    program: bytes | str, place: Placement, options: Any, functions: list[Callable[..., Any]]
) -> Any:
    """Compile a program that calls these guarded functions, by number."""
    client, devices, target = place.client.handle, place.device_list, place.client.python_target
    assert target is not None, "refused before"
    numbers, given = list(range(len(functions))), functions
    if target == HANDLER:
        from anvl.runtime.handlers.call_frames import number_functions  # ctypes: for plugins alone

        numbers, given = number_functions(functions), []
    named = EMBEDDED_PYTHON, target, numbers
    return compat.compile_with_callbacks(client, program, devices, options, given, named)


def waiting(
    run: Callable[..., Any], place: Placement, functions: list[Callable[..., Any]]
) -> Callable[..., Any]:
    """The execution of a program with callbacks: it returns when they have been made.

    Raises `CallbackError` if one of them raised an exception.  It holds the functions, which
    programs of plugins only number.
    """
    takes_turns = place.client.python_target == HANDLER
    if takes_turns:
        from anvl.runtime.handlers.call_frames import off_main_thread

        run = off_main_thread(run, functions)

    def run_and_wait(buffers: list[Any]) -> Any:
        # A thread that is in a callback may hold a turn already.
        end = take_turn() if takes_turns and not _calling_places() else None
        try:
            return _Finished(run(buffers), functions, end)
        except BaseException as error:
            if end is not None:
                end()
            if isinstance(error, compat.Failure):
                raise_callback_error(error)
            raise

    return run_and_wait


class _Finished:
    """The results of an execution, which are waited for when they are taken.

    They hold the functions until then: another thread may drop the program while it runs; `end` is
    called then.
    """

    __slots__ = ("_end", "_functions", "_results")

    def __init__(
        self,
        results: Any,
        functions: Sequence[Callable[..., Any]],
        end: Callable[[], None] | None,
    ) -> None:
        self._results, self._functions, self._end = results, functions, end

    def consume_with_handlers(self, handlers: Sequence[Any]) -> list[Any]:
        try:
            buffers: list[Any] = self._results.consume_with_handlers(handlers)
            for buffer in buffers:
                buffer.block_until_ready()
        except compat.Failure as error:
            raise_callback_error(error)
            raise
        finally:
            if self._end is not None:
                self._end()
        return buffers


def raise_callback_error(error: BaseException) -> None:
    """Raise the exception of a callback, if that is why a program failed."""
    found = re.search(rf"{_MARK}(\d+);", str(error))
    if found is None or int(found[1]) not in _raised:
        return
    name, raised = _raised.pop(int(found[1]))
    if not isinstance(raised, Exception):  # KeyboardInterrupt, SystemExit
        raise raised
    text = f"{name}: raised {type(raised).__name__}: {raised}"
    raise CallbackError(text) from raised
