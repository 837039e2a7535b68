"""A child process that answers questions, which may end it or take for ever.

    child = Child(answer, seconds=10)
    child.ask({"text": "..."})        what `answer` returns, or raises `ChildEnded`

It is forked with the first question, and again after it has ended.  Questions and answers are what
JSON can hold.
"""

import json
import os
import select
import signal
import threading
import time
from collections.abc import Callable
from typing import Any

from anvl.dialect.text.messages import receive, send
from anvl.tools.io.load import loaded
from anvl.tools.io.stack import call_with_big_stack
from anvl.tools.run.worker import ChildEnded, Forked, Started, forked

__all__ = ["Child", "serve"]


class Child:
    """Asks `answer` in a child process.

    `module` answers when run with `python -m`, where this process cannot be forked.
    """

    def __init__(
        self, answer: Callable[[Any], Any], seconds: float, module: str = __name__
    ) -> None:
        self._answer, self._seconds, self._module = answer, seconds, module
        self._process: Forked | Started | None = None
        self._lock = threading.Lock()

    def ask(self, question: Any) -> Any:
        """The answer; raises `ChildEnded` if the child ends, or takes longer than it may."""
        with self._lock:
            try:
                return self._exchanged(question)
            except TimeoutError:
                self._end()
                raise ChildEnded(f"took longer than {self._seconds:g} s") from None
            except (EOFError, BrokenPipeError, ValueError):
                raise ChildEnded(f"ended the process with {self._end()}") from None

    def _exchanged(self, question: Any) -> Any:
        if self._process is None:
            made = forked(lambda source, sink: serve(self._answer, source, sink))
            self._process = made or Started(self._module, loaded())
        deadline = time.monotonic() + self._seconds
        send(self._process.requests, json.dumps(question), [])
        left = max(deadline - time.monotonic(), 0.0)
        if not select.select([self._process.answers], [], [], left)[0]:
            raise TimeoutError
        return json.loads(receive(self._process.answers)[0])

    def _end(self) -> str:
        process, self._process = self._process, None
        return process.end() if process is not None else ""

    def close(self) -> None:
        """End the child."""
        with self._lock:
            self._end()


def serve(answer: Callable[[Any], Any], source: Any, sink: Any) -> None:
    """In the child: answer until there are no more questions."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent's business
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    nothing = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):  # of the editor, and of passes
        os.dup2(nothing, stream)
    while True:
        try:
            question = json.loads(receive(source)[0])
        except EOFError:
            return
        answered = call_with_big_stack(lambda: answer(question))  # noqa: B023 (called here)
        send(sink, json.dumps(answered), [])
