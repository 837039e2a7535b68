"""Run a tool in a forked child, so that a crash of MLIR is a diagnostic, not an end without a word.

    ended = guarded(lambda: main(argv))        an exit code, or a `Crash`
    note("cse", 'loc("a.mlir":1:1)')           in the child: what it is about to do
    note_op('loc("a.mlir":2:1)', "%0 = ...")   in the child: the op that it is at
    leave(130)                                 in the child: end without returning

The parent has imported little, so that the fork takes a millisecond; it waits, and hands over the
signals that it gets.  Where a process cannot be forked there is no child, and nothing is caught.
"""

import mmap
import os
import signal
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from types import FrameType
from typing import IO, Any, NoReturn

__all__ = ["Crash", "guarded", "leave", "note", "note_op", "step"]

_BYTES = 64 * 1024
_SEPARATOR = "\0"
_STEP, _OP, _FINISHED = 0, _BYTES // 2, _BYTES - 1  # where the notes are, and a mark
#: A fault of the program: run again, it fails again.
_FAULTS = {
    getattr(signal, name)
    for name in ("SIGSEGV", "SIGABRT", "SIGBUS", "SIGFPE", "SIGILL", "SIGTRAP")
    if hasattr(signal, name)
}
_HANDED_OVER = (signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT)
_PR_SET_PDEATHSIG = 1

# Shared with the parent; None without one.
_shared: mmap.mmap | None = None


@dataclass(frozen=True)
class Crash:
    """The child was ended by the signal `name`, while it did `step` at `location`.

    The `name` of an end by the code of a pass, or of a library, is that of its `exit code`.  The
    last op that was noted is `op`, at `op_location`.
    """

    name: str
    step: str
    location: str
    is_fault: bool
    op_location: str = ""
    op: str = ""

    @property
    def how(self) -> str:
        """The end, as the predicate of a sentence."""
        return f"{'crashed' if self.name.startswith('SIG') else 'ended the process'}, {self.name}"


def note(step: str, location: str = "") -> None:
    """Leave a note for the parent, which it reads if this process crashes."""
    _write(_STEP, step, location)


def note_op(location: str, op: str) -> None:
    """Leave a note of the op that a pass is at."""
    _write(_OP, location, op)


def leave(code: int) -> NoReturn:
    """End this process at once: its exit code is no crash."""
    _finish()
    os._exit(code)


def step() -> str:
    """The step of the last note."""
    return _read(bytes(_shared or b""), _STEP)[0]


def _write(at: int, *parts: str) -> None:
    if _shared is not None:
        data = _SEPARATOR.join(parts).encode()[: _OP - 5]
        _shared[at : at + 4 + len(data)] = len(data).to_bytes(4, "little") + data


def _read(data: bytes, at: int) -> tuple[str, str]:
    """The two parts of a note."""
    size = int.from_bytes(data[at : at + 4], "little")
    first, _, second = data[at + 4 : at + 4 + size].decode(errors="replace").partition(_SEPARATOR)
    return first, second


def _finish() -> None:
    if _shared is not None:
        _shared[_FINISHED] = 1


def guarded(
    run: Callable[[], int],
    *,
    stack: IO[bytes] | None = None,
    hands_over: Sequence[signal.Signals] = (),
) -> int | Crash:
    """The exit code of `run` in a child, or how it crashed.

    The child returns its exit code, and ends as its caller does; then the parent ends here with
    the same code, without the 10 ms in which Python tidies up.  With a file `stack` the child ends
    here, is silent, and writes Python's stack into the file as it crashes.  The child gets signals
    that ask this process to end, and those of `hands_over`.
    """
    global _shared
    if not hasattr(os, "fork"):
        return run()
    _shared = mmap.mmap(-1, _BYTES)
    _flush()
    parent = os.getpid()
    # Blocked until this process hands them over: one that comes meanwhile would end it alone.
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, _taken(hands_over))
    child = os.fork()
    if child == 0:
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        _end_with(parent)
        if stack is not None:
            _be_silent(stack)
            leave(run())
        try:
            return run()
        finally:
            _finish()
    try:
        status = _waited(child, hands_over, mask)
    finally:
        data, _shared = bytes(_shared), None
    notes = _read(data, _STEP)
    code = os.waitstatus_to_exitcode(status)
    if code < 0:
        is_fault = -code in _FAULTS
        return Crash(signal.Signals(-code).name, *notes, is_fault, *_read(data, _OP))
    if not data[_FINISHED]:  # `os._exit`, which nothing of Python's sees
        return Crash(f"exit code {code}", *notes, True, *_read(data, _OP))
    if stack is None:
        os._exit(code)
    return code


def _flush() -> None:
    """What is buffered would be written by both processes."""
    for stream in (sys.stdout, sys.stderr):
        with suppress(AttributeError, OSError, ValueError):
            stream.flush()


def _taken(also: Sequence[signal.Signals]) -> set[signal.Signals]:
    """The signals that the parent takes: for the child, or as the terminal sends them to both."""
    return {*_HANDED_OVER, *also, signal.SIGINT}


def _waited(child: int, also: Sequence[signal.Signals], mask: set[int]) -> int:
    """The status of the child, after it has ended; the `mask` of signals was that before it."""

    def hand_over(number: int, _: FrameType | None) -> None:
        with suppress(ProcessLookupError):
            os.kill(child, number)

    handlers: dict[int, Any] = dict.fromkeys((*_HANDED_OVER, *also), hand_over)
    handlers.setdefault(signal.SIGINT, signal.SIG_IGN)  # the terminal interrupts both processes
    before = {number: signal.signal(number, handler) for number, handler in handlers.items()}
    signal.pthread_sigmask(signal.SIG_SETMASK, mask)
    try:
        return os.waitpid(child, 0)[1]
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _end_with(parent: int) -> None:
    """Have the system end this process when its parent is killed."""
    if not sys.platform.startswith("linux"):
        return
    import ctypes

    with suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(1)


def _be_silent(stack: IO[bytes]) -> None:
    import faulthandler
    import resource

    null = os.open(os.devnull, os.O_WRONLY)
    for stream in (1, 2):
        os.dup2(null, stream)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    faulthandler.enable(stack, all_threads=False)
