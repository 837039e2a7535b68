"""Calls of Python from compiled programs: functions on the host, their errors, and waiting.

XLA passes arrays to a function and copies what it returns without looking at it, so every function
is wrapped before (`Host`); and turns what it raises into text, so the exception itself is kept
here until the run has ended.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Sequence
from typing import Any

from anvl.runtime.errors import RuntimeFailure
from anvl.runtime.lazy import compat

__all__ = ["CallbackError", "guarded", "waiting"]

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


def guarded(f: Callable[..., Any]) -> Callable[..., Any]:
    """A function for XLA that calls f, and keeps what it raises for `waiting`."""

    def call(*arrays: Any) -> Any:
        try:
            return f(*arrays)
        except BaseException as error:
            number = next(_numbers)
            _raised[number] = str(f), error
            raise _Marked(f"{_MARK}{number};") from None

    return call


def waiting(run: Callable[..., Any]) -> Callable[..., Any]:
    """The execution of a program with callbacks: it returns when they have been made.

    Raises `CallbackError` if one of them raised an exception.
    """

    def run_and_wait(buffers: list[Any]) -> Any:
        try:
            return _Finished(run(buffers))
        except compat.Failure as error:
            raise_callback_error(error)
            raise

    return run_and_wait


class _Finished:
    """The results of an execution, which are waited for when they are taken."""

    __slots__ = ("_results",)

    def __init__(self, results: Any) -> None:
        self._results = results

    def consume_with_handlers(self, handlers: Sequence[Any]) -> list[Any]:
        try:
            buffers: list[Any] = self._results.consume_with_handlers(handlers)
            for buffer in buffers:
                buffer.block_until_ready()
        except compat.Failure as error:
            raise_callback_error(error)
            raise
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
