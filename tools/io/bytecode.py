"""Bytecode input, read by a child process first.  See `anvl.dialect.text.bytecode`.

    checked(source)    the source to go on with

The child is forked, in 5 ms.  Where it cannot be, it is a new process, in 300 ms, which loads the
same files as the tool and has as large a stack.
"""

import faulthandler
import os
import select
import signal
import sys
import time
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import NoReturn

from anvl.dialect.text.artifacts import without_placement
from anvl.dialect.text.bytecode import (
    WAITING_SECONDS,
    Ended,
    Malformed,
    answer_of,
    tried,
    understood,
)
from anvl.dialect.text.shardy import NotPlacement, placement_remark
from anvl.tools.io.diagnostics import Diagnostic
from anvl.tools.io.entry_points import load_dialects_in
from anvl.tools.io.load import load
from anvl.tools.io.source import MAX_NESTING, InputError, Source

__all__ = ["checked"]

_PIECE = 1 << 16


def checked(
    source: Source, *, allow_unregistered: bool = False, load: Sequence[str] = (),
    trusted: bool = False,
) -> Source:  # fmt: skip
    """The source, without placements; `load` are files that define ops.

    Trusted input skips the child.  Raises `InputError`.
    """
    if isinstance(source.content, str):
        return source
    try:
        content, dropped = (
            without_placement(source.content)
            if trusted
            else _tried(source.content, allow_unregistered, load)
        )
    except (Malformed, NotPlacement) as error:
        raise InputError(Diagnostic("error", str(error), source.name)) from None
    return replace(source, content=content, remark=placement_remark(dropped))


def _tried(
    data: bytes, allow_unregistered: bool, files: Sequence[str]
) -> tuple[bytes, Mapping[str, int]]:
    runtime = sys.modules.get("anvl.runtime")
    if not hasattr(os, "fork") or (runtime is not None and runtime.has_client()):
        return tried(data, ("anvl.tools.io.bytecode", str(int(allow_unregistered)), *files))

    def work() -> int:
        load(files)
        load_dialects_in(data)
        return answer_of(data, MAX_NESTING, allow_unregistered=allow_unregistered)

    return understood(data, _forked(work))


def _forked(work: Callable[[], int]) -> Ended | None:
    """How a forked child ended that ran `work`; None, and it is killed, if it did not."""
    answers, theirs = os.pipe()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # of threads, none of which hold a lock
        child = os.fork()
    if child == 0:
        _work_and_exit(work, theirs)
    os.close(theirs)
    pieces: list[bytes] = []
    deadline = time.monotonic() + WAITING_SECONDS
    with open(answers, "rb", buffering=0) as source:
        while select.select([source], [], [], max(deadline - time.monotonic(), 0))[0]:
            piece = source.read(_PIECE)
            if not piece:
                code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
                return Ended(code, b"".join(pieces))
            pieces.append(piece)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return None


def _work_and_exit(work: Callable[[], int], output: int) -> NoReturn:
    """Run in the child; what its libraries print is dropped."""
    code = 2
    try:
        faulthandler.disable()  # a crash is the parent's to tell
        nothing = os.open(os.devnull, os.O_RDWR)
        for stream, to in ((0, nothing), (1, output), (2, nothing)):
            os.dup2(to, stream)
        before = sys.stdout, sys.stderr  # kept: they may close what they were opened on
        sys.stdout, sys.stderr = open(1, "w", closefd=False), open(2, "w", closefd=False)
        code = work()
        sys.stdout.flush()
        del before
    finally:
        os._exit(code)


def _main() -> int:
    from anvl.tools.io.stack import call_with_big_stack

    data = sys.stdin.buffer.read()
    load(sys.argv[2:])
    load_dialects_in(data)
    allow = sys.argv[1] == "1"
    return call_with_big_stack(lambda: answer_of(data, MAX_NESTING, allow_unregistered=allow))


if __name__ == "__main__":
    sys.exit(_main())
