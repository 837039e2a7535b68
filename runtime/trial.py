"""A trial by another process of programs from elsewhere, before this process reads them.

XLA's readers of text, bytecode and artifacts end the process on some malformed programs, and its
conversion to HLO on a few valid ones: it folds integer divisions, also by zero.  So `compile` has a
child process do both first, which lives as long as this one: 0.4 s for the first program, some
milliseconds for each further one.  Programs of anvl's own lowering need no trial.

    check(program)     raises `RuntimeFailure` if the child ended

    python -m anvl.runtime.trial     is that child
"""

from __future__ import annotations

import atexit
import os
import signal
import sys
import threading
from contextlib import suppress
from typing import TYPE_CHECKING

from anvl.runtime.errors import RuntimeFailure
from anvl.runtime.lazy import compat
from anvl.runtime.locks import fresh_lock

if TYPE_CHECKING:
    import subprocess

__all__ = ["check"]

_SECONDS = 60.0  # for one program; a sound one of 100,000 ops needs 2
_SIZE = 8  # bytes of a length prefix
_READY, _READ, _CONVERTED = b"ready\n", b"read\n", b"converted\n"


class _Trial:
    """The child process, started with the first program."""

    def __init__(self) -> None:
        self._child: subprocess.Popen[bytes] | None = None
        self._started_by = 0
        self._lock = fresh_lock()

    def ending(self, program: bytes) -> tuple[bool, str] | None:
        """None for a program that the child survives; else whether it can be read, and how it
        ended."""
        with self._lock:
            child = self._running()
            if child is None:  # no trial where processes cannot be started
                return None
            watch = threading.Timer(_SECONDS, child.kill)
            watch.daemon = True
            watch.start()
            try:
                said = _exchange(child, program)
            finally:
                watch.cancel()
            if said[-1:] == [_CONVERTED]:
                return None
            self._child = None
            return _READ in said, _exit_reason(child)

    def _running(self) -> subprocess.Popen[bytes] | None:
        child = self._child
        if child is None or child.poll() is not None or self._started_by != os.getpid():
            self._child, self._started_by = _started(), os.getpid()  # a fork has the parent's pipes
        return self._child


def _started() -> subprocess.Popen[bytes] | None:
    import subprocess  # 3 ms, for programs from elsewhere

    command = [sys.executable, "-m", "anvl.runtime.trial"]
    pipe, nothing = subprocess.PIPE, subprocess.DEVNULL
    try:
        child = subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=nothing)
    except OSError:
        return None
    assert child.stdout is not None
    if child.stdout.readline() != _READY:
        _exit_reason(child)
        return None
    atexit.register(_end, child, os.getpid())
    return child


def _exchange(child: subprocess.Popen[bytes], program: bytes) -> list[bytes]:
    """The lines that the child prints for a program."""
    assert child.stdin is not None and child.stdout is not None
    with suppress(BrokenPipeError):
        child.stdin.write(len(program).to_bytes(_SIZE, "little") + program)
        child.stdin.flush()
    said: list[bytes] = []
    while said[-1:] != [_CONVERTED] and (line := child.stdout.readline()):
        said.append(line)
    return said


def _exit_reason(child: subprocess.Popen[bytes]) -> str:
    """Description of the end of a process."""
    status = child.wait()
    _close(child)
    return signal.Signals(-status).name if status < 0 else f"status {status}"


def _close(child: subprocess.Popen[bytes]) -> None:
    for pipe in (child.stdin, child.stdout):
        with suppress(BrokenPipeError):
            if pipe is not None:
                pipe.close()


def _end(child: subprocess.Popen[bytes], started_by: int) -> None:
    """Close the input of the child, which ends it."""
    if started_by == os.getpid() and child.poll() is None:
        _close(child)
        child.wait()


_trial = _Trial()


def check(program: bytes | str) -> RuntimeFailure | None:
    """Raise `RuntimeFailure` for a program that ends the process that reads it.

    Returns the error for one that can be read, but ends the process that converts it: callers with
    a better diagnosis should raise that first.
    """
    data = program if isinstance(program, bytes) else program.encode(errors="surrogateescape")
    found = _trial.ending(data)
    if found is None:
        return None
    can_be_read, how = found
    if not can_be_read:
        raise RuntimeFailure(
            f"compile: malformed program, the process that reads it ends by {how}; anvl-opt "
            "diagnoses most such programs"
        )
    return RuntimeFailure(
        f"compile: XLA ends the process that converts this program to HLO by {how}; a division of "
        "integer constants by zero does so: lower the program with "
        "`anvl-opt --anvl-lower-to-stablehlo`, or run it with anvl.from_stablehlo, which guard it"
    )


def _main() -> None:
    source, reader = sys.stdin.buffer, compat.ProgramReader()

    def say(line: bytes) -> None:
        sys.stdout.buffer.write(line)
        sys.stdout.buffer.flush()

    say(_READY)
    while size := source.read(_SIZE):
        program = source.read(int.from_bytes(size, "little"))
        reader.read(program)
        say(_READ)
        reader.convert(program)
        say(_CONVERTED)


if __name__ == "__main__":
    _main()
