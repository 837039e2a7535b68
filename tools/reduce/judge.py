"""Answers to a question about candidates, from a child process that they may end.

    judge = Judge(question, seconds=10)
    judge.answer(text)       Answer("differs", "@main: result 0 ..."), or None

The child is forked, in 5 ms, and kept as long as it lives.
"""

import os
import select
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple, Protocol, TypeAlias

from anvl.dialect.text.messages import receive, send
from anvl.tools.io.command_line import UsageError
from anvl.tools.run.worker import Forked, forked

__all__ = ["Answer", "Asker", "Judge", "Progress", "Question", "Script"]

_SEPARATOR = "\n"
_AT, _DONE = "at", "done"
_WAITING = 10  # times the processor time, for a child that waits
_NOT_FOUND = 126  # from here on a shell's exit status says that the script could not be run


class Answer(NamedTuple):
    """What is of interest in a module: `key` is the same for the same failure."""

    key: str
    detail: str


#: Told the step that is about to begin, such as a pass.
Progress: TypeAlias = Callable[[str], None]


class Question(Protocol):
    """A question that is answered in a child process."""

    #: Whether a child that ends is an answer, rather than none.
    is_about_crashes: bool

    def answer(self, text: str, at: Progress) -> Answer | None:
        """The answer about a module; None if it is not of interest."""


class Asker(Protocol):
    """`Judge` or `Script`."""

    def answer(self, text: str) -> Answer | None: ...

    def close(self) -> None: ...


class Judge:
    """Asks a question in a child process, with a limit for each candidate."""

    def __init__(self, question: Question, seconds: float) -> None:
        self._question, self._seconds = question, seconds
        self._child: Forked | None = None

    def answer(self, text: str) -> Answer | None:
        """The answer about a module, or how it ended the child, if the question is about that."""
        step = [""]
        try:
            return self._exchanged(text, step)
        except TimeoutError:
            self._ended()
            how = f"takes longer than {_WAITING * self._seconds:g} s"
        except (EOFError, BrokenPipeError, ValueError):
            how = f"ends the process with {self._ended()}"
            if how.endswith("SIGPROF"):
                how = f"takes longer than {self._seconds:g} s of a processor"
        detail = f"{step[0]} {how}".strip()
        return Answer(detail, detail) if self._question.is_about_crashes else None

    def _exchanged(self, text: str, step: list[str]) -> Answer | None:
        """The answer of the child; `step` gets the last one that it began."""
        if self._child is None:
            self._child = forked(self._serve)
        if self._child is None:
            raise UsageError(
                "candidates need a fork: this system has none, or this process has an XLA client"
            )
        deadline = time.monotonic() + _WAITING * self._seconds
        send(self._child.requests, text, [])
        while True:
            kind, _, rest = self._next(self._child, deadline).partition(_SEPARATOR)
            if kind == _DONE:
                return Answer(*rest.split(_SEPARATOR, 1)) if rest else None
            step[:] = [rest]

    def _next(self, child: Forked, deadline: float) -> str:
        left = max(deadline - time.monotonic(), 0.0)
        if not select.select([child.answers], [], [], left)[0]:
            raise TimeoutError
        return receive(child.answers)[0]

    def _ended(self) -> str:
        child, self._child = self._child, None
        return child.end() if child is not None else ""

    def close(self) -> None:
        """End the child."""
        self._ended()

    # -- in the child ------------------------------------------------------------------------------

    def _serve(self, source: Any, sink: Any) -> None:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent's business
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        nothing = os.open(os.devnull, os.O_RDWR)
        for stream in (1, 2):  # of passes, of MLIR and of XLA
            os.dup2(nothing, stream)
        while True:
            try:
                text, _ = receive(source)
            except EOFError:
                return
            signal.setitimer(signal.ITIMER_PROF, self._seconds)
            try:
                found = self._question.answer(text, lambda step: _tell(sink, step))
            except Exception:  # a rule of an op of a person's own may raise anything
                found = None
            signal.setitimer(signal.ITIMER_PROF, 0)
            send(sink, _SEPARATOR.join([_DONE, *(found or ("",))]), [])


def _tell(sink: Any, step: str) -> None:
    send(sink, f"{_AT}{_SEPARATOR}{step}", [])


class Script:
    """Asks a script, by the contract of `mlir-reduce`.

    It is called with a file as its last argument, and exits with 0 if the module in it is of no
    interest.  A script that is not found, ended by a signal, or takes too long has no interest.
    """

    def __init__(self, script: str, arguments: Sequence[str], seconds: float, folder: Path) -> None:
        self._command = [str(Path(script).resolve()) if Path(script).exists() else script]
        self._command += arguments
        self._seconds = seconds
        self._file = folder / "candidate.mlir"
        self._child: subprocess.Popen[bytes] | None = None
        self._is_closed = False
        self._lock = threading.Lock()  # an interruption closes it in another thread

    def answer(self, text: str) -> Answer | None:
        """`Answer` if the script exits with 1."""
        child = self._started(text)
        try:
            code = child.wait(self._seconds)
        except subprocess.TimeoutExpired:
            code = -1
        finally:
            self._end()
            child.wait()
        if not 0 < code < _NOT_FOUND:
            return None
        return Answer("script", f"{Path(self._command[0]).name} exits with {code}")

    def _started(self, text: str) -> "subprocess.Popen[bytes]":
        with self._lock:
            if self._is_closed:
                raise UsageError("--test was interrupted")
            self._file.write_text(text)
            try:
                self._child = subprocess.Popen(
                    [*self._command, str(self._file)],
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.DEVNULL,
                    stderr=subprocess.DEVNULL,
                    start_new_session=True,
                )
            except OSError as error:
                problem = error.strerror or error
                raise UsageError(f"--test={self._command[0]} cannot be run, {problem}") from None
            return self._child

    def _end(self) -> None:
        """End the script with all that it has started."""
        child, self._child = self._child, None
        if child is not None:
            with suppress(OSError):
                os.killpg(child.pid, signal.SIGKILL)

    def close(self) -> None:
        """End the script where it is running, and start it no more."""
        with self._lock:
            self._is_closed = True
            self._end()
