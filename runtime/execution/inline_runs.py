"""Programs whose results are read at once run in the thread that calls them.

Note [Programs that are waited for]

XLA:CPU runs a program of fewer than 1,000 operations in the thread that calls it, and gives all
others to a thread of its own.  Waking that thread, and then the one that waits for the result,
takes 5 to 50 us each, where the program itself may take 10.  It is lost if the caller reads the
result at once, as a loop that prints a loss does, or an optimizer that decides by it.  If the
caller goes on with the next program, or prepares the next batch, both threads work at a time.
Which of these it is, only the calls tell.

So the first calls of a program are watched: how soon after a call its result is read, and whether
it was done by then.  After `_STALLS` calls that had to wait, the program is loaded once more,
from its own bytes (2 to 6 ms), to run in the caller's thread.  jaxlib does so with programs that
call Python, which might wait for that thread, and takes each for one that is given a function.
This one never calls it.  Where an argument is still being computed, XLA's thread runs the program
as before, and the call returns at once.

Such a program is watched as long as it is called: if its results are not read at once any more, or
it takes longer so, it runs as before.  Of other programs no call is watched after the first
`_WATCHED`.  Measured (jaxlib 0.10.2 and 0.12.0.1, two cores of an AMD EPYC), us a call whose result
is read: 3,000 exponentials 43 -> 9, 20,000 36 -> 17, mish of 3,000 numbers 85 -> 15 and of 30,000
130 -> 66.  Called without reading, 40,000 additions would take 19 in place of 12.
"""

from __future__ import annotations

from collections.abc import Callable
from threading import get_ident
from time import perf_counter
from typing import Any

from anvl.runtime.client import EMBEDDED, Placement
from anvl.runtime.lazy import compat

__all__ = ["Watched", "note_entry", "steady", "wait", "watched"]

_WATCHED = 128  # calls
_STALLS = 32
_AT_ONCE = 20e-6  # seconds between the return of a call and the wait
_PENDING = 3e-6  # seconds of a wait; for what is ready it takes 0.5e-6
_LONGEST = 1e-3  # seconds of calls that the hand-over is a notable part of
_COMPARED = 32  # calls in the caller's thread, before it is asked whether they are shorter
_UNREAD = 16
_LARGEST = 8 << 20  # bytes of a program, which is in memory twice

#: The program that was called last, if it is watched and its result was not waited for.
last: Watched | None = None

#: How a call runs: on buffers.
Run = Callable[[list[Any]], Any]


def watched(
    handle: Any, run: Run, read: Callable[[], bytes | None], place: Placement, options: Any
) -> Watched | None:
    """The calls of a compiled program that `run` runs, watched for a while.

    None if it cannot run in the caller's thread.  `read` gives its bytes, if there are any.
    """
    is_plain = getattr(run, "__self__", None) is handle  # nothing is around it, as for a mesh
    if not is_plain or place.client.name != EMBEDDED:
        return None

    def load() -> Run | None:
        try:
            data = read()
            if data is None or len(data) > _LARGEST:
                return None
            client, devices = place.client.handle, place.device_list
            loaded: Run = compat.deserialize(
                client, data, devices, options, [_never_called]
            ).execute_sharded
        except (compat.Failure, TypeError, ValueError):  # no bytes, or a jaxlib without functions
            return None
        return loaded

    return Watched(handle.execute_sharded, load)


def _never_called(*_: Any) -> tuple[()]:
    return ()


def note_entry(run: Run, cache: dict[Any, Any], key: Any) -> None:
    """Take note of an entry of a dispatcher, whose first element is `run`, if it may change."""
    program = getattr(run, "__self__", None)
    if type(program) is Watched:
        program.installed(cache, key)


def steady(run: Run) -> Run:
    """A function that stays, where `run` may be replaced in its entry."""
    program = getattr(run, "__self__", None)
    return program.call if type(program) is Watched else run


def wait(buffer: Any) -> None:
    """Wait for a buffer, and tell the program that was called last."""
    global last
    program, last = last, None
    begun = perf_counter()
    # Whether it is ready is not asked: of a deleted buffer that ends the process (jaxlib 0.10.2).
    buffer.block_until_ready()
    if program is not None and program.thread == get_ident():
        program.waited(begun, perf_counter())


class Watched:
    """The calls of a program: Note [Programs that are waited for].

    Parameters
    ----------
    execute : callable
        Runs the program.
    load : callable
        Gives what runs it in the thread of the caller; None if nothing does.

    Attributes
    ----------
    run : callable
        Runs the program, and notes what is to be known.  Another one takes its place later.
    thread : int
        The thread that called it last.
    """

    def __init__(self, execute: Run, load: Callable[[], Run | None]) -> None:
        self._execute, self._load = execute, load
        self._inline: Run = execute
        self._places: list[tuple[dict[Any, Any], Any]] = []
        self._calls = self._stalls = self._unread = 0
        self._is_read = True
        self._started = self._returned = 0.0
        self.thread = 0
        self._before: list[float] = []
        self._after: list[float] = []
        self.run: Run = self._watch

    @property
    def is_settled(self) -> bool:
        """Whether no call is watched any more."""
        return self.run is self._execute

    def call(self, buffers: list[Any]) -> Any:
        """Run the program, as it runs now."""
        return self.run(buffers)

    def installed(self, cache: dict[Any, Any], key: Any) -> None:
        """Replace the first element of this entry where `run` changes."""
        if not self.is_settled:
            self._places.append((cache, key))

    def _watch(self, buffers: list[Any]) -> Any:
        global last
        self._calls += 1
        if self._calls > _WATCHED:
            self._change(self._execute)
        started = perf_counter()
        results = self._execute(buffers)
        last, self.thread = self, get_ident()
        self._started, self._returned = started, perf_counter()
        return results

    def _run_inline(self, buffers: list[Any]) -> Any:
        global last
        if not self._is_read:
            self._missed()
        started = perf_counter()
        try:
            results = self._inline(buffers)
        except compat.Failure:
            self._change(self._execute)
            if any(buffer.is_deleted() for buffer in buffers):  # donated
                raise
            return self._execute(buffers)
        self._is_read = False
        last, self.thread = self, get_ident()
        self._started, self._returned = started, perf_counter()
        return results

    def waited(self, begun: float, ended: float) -> None:
        """Note a wait for a result of the last call, which began and ended then."""
        was_pending = ended - begun > _PENDING
        at_once, seconds = begun - self._returned < _AT_ONCE, ended - self._started
        if self.run == self._watch:
            if at_once and seconds < _LONGEST:
                self._before.append(seconds)
                self._stalls += was_pending
                if was_pending and self._stalls == _STALLS:
                    self._begin_inline()
        elif not self.is_settled:
            self._is_read = True
            if not at_once:
                self._missed()
            else:
                self._unread = max(0, self._unread - 1)
                self._compare(seconds)

    def _begin_inline(self) -> None:
        loaded = self._load()
        if loaded is None:
            self._change(self._execute)
            return
        self._inline = loaded
        self._change(self._run_inline)

    def _missed(self) -> None:
        """Note a call whose result was not read at once."""
        self._unread += 1
        if self._unread > _UNREAD:
            self._change(self._execute)

    def _compare(self, seconds: float) -> None:
        if len(self._after) < _COMPARED:
            self._after.append(seconds)
            if len(self._after) == _COMPARED and _usual(self._after) > _usual(self._before):
                self._change(self._execute)

    def _change(self, run: Run) -> None:
        """Run the program so from now on, wherever it was installed."""
        former, self.run = self.run, run
        for cache, key in self._places:
            entry = cache.get(key)
            if entry is not None and entry[0] == former:  # no other program's
                cache[key] = (run, *entry[1:])
        if self.is_settled:
            self._places.clear()


def _usual(seconds: list[float]) -> float:
    """The mean of the shortest nine tenths: not all calls wake a thread, and some are disturbed."""
    kept = sorted(seconds)[: len(seconds) * 9 // 10]
    return sum(kept) / len(kept)
