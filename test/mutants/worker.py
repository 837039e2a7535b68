"""A process that plants bugs: one after the other, since a wrong rule may end it.

It imports and draws once; what it is asked on a line of its input, an op and names of bugs, it
answers with a line for each bug.
"""

import json
import resource
import select
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from typing import Any

__all__ = ["Worker", "work"]

SECONDS = 60  # of a processor, for one bug: others may load the machine
_SLOWEST = 2 * SECONDS  # of a processor, in one call of compiled code, which no exception ends
_PATIENCE = 15 * SECONDS  # until a process that answers nothing, not even signals, is ended
_MEMORY = 16 << 30  # bytes that a wrong shape may ask for
_LIFE = 12  # ops; what was compiled for them stays in memory


class Worker:
    """The process, seen from outside; another takes its place when it is gone."""

    def __init__(self, script: str) -> None:
        self._script, self._process, self._ops = script, None, 0

    def results(self, op: str, names: Sequence[str]) -> Iterator[dict[str, Any]]:
        """The outcome of each bug of an op.

        One that ends its process is tried again in a fresh one: what went before may have done it.
        So is one that is not found after another has left something behind.
        """
        left, again = list(names), ""
        while left:
            process = self._started()
            process.stdin.write(json.dumps({"op": op, "names": left}) + "\n")
            process.stdin.flush()
            while left and (line := self._line(process)):
                result = json.loads(line)
                if result.pop("spoilt", False) and not result["found"] and left[0] != again:
                    again = left[0]
                    self.end()
                    break
                yield result
                left.pop(0)
            if left and self._process is not None:  # it is gone, or says nothing
                ended = self._ended()
                self.end()
                if left[0] != again:
                    again = left[0]
                    continue
                yield {"op": op, "name": left.pop(0), "s": 0.0, "changes": True, **ended}

    def _ended(self) -> dict[str, str]:
        """How the process ended: a bug is found by a signal of its own, not by one from outside."""
        try:
            code = self._process.wait(timeout=5)
        except subprocess.TimeoutExpired:
            return {"found": "", "why": f"its process answered nothing in {_PATIENCE} s"}
        if code == -signal.SIGVTALRM:
            return {"found": f"it does not end: {_SLOWEST} s in one call"}
        if code == -signal.SIGKILL:
            return {"found": "", "why": "its process was killed from outside"}
        if code >= 0:
            return {"found": "", "why": f"its process failed: status {code}"}
        return {"found": f"the process ended by {signal.Signals(-code).name}"}

    def end(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None

    def _started(self) -> Any:
        self._ops += 1
        if self._ops % _LIFE == 0:
            self.end()
        if self._process is None:
            self._process = subprocess.Popen(
                [sys.executable, self._script, "--work"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                text=True,
            )
        return self._process

    def _line(self, process: Any) -> str:
        """The next line of JSON; nothing, once there is none to come."""
        while select.select([process.stdout], [], [], _PATIENCE)[0]:
            line = process.stdout.readline()
            if not line or line.startswith("{"):
                return line
        return ""


class TooLong(BaseException):
    """A bug took longer than it may."""


def work() -> int:
    """Plant what is asked for, and say what was found."""
    from planted import bugs_of

    def stop(*_: Any) -> None:
        raise TooLong

    signal.signal(signal.SIGPROF, stop)
    resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, resource.RLIM_INFINITY))
    for line in sys.stdin:
        task = json.loads(line)
        bugs, narrows = {bug.name: bug for bug in bugs_of(task["op"])}, {}
        for name in task["names"]:
            print(json.dumps(_tried(bugs[name], narrows)), flush=True)
    return 0


def _found(bug: Any, narrow: Any) -> str:
    """The findings that a bug has each time, and that the right program has not."""
    while True:
        with bug.planted():
            found = narrow.problem(bug.rules)
            if found and narrow.is_exception:
                found = narrow.problem(bug.rules)
        if not found or narrow.is_sound():
            return str(found)


def _tried(bug: Any, narrows: dict[str, Any]) -> dict[str, Any]:
    from narrow import Narrow

    start, why = time.monotonic(), ""
    if bug.platform not in narrows:
        try:
            narrows[bug.platform] = Narrow(bug.op, bug.platform)
        except Exception as error:  # not found, rather than found for another reason
            return {
                "op": bug.op, "name": bug.name, "found": "", "changes": False, "s": 0.0,
                "why": f"its test cannot be set up: {error}"[:200],
            }  # fmt: skip
    narrow = narrows[bug.platform]
    signal.setitimer(signal.ITIMER_PROF, SECONDS)
    signal.setitimer(signal.ITIMER_VIRTUAL, _SLOWEST)  # ends the process
    try:
        found = _found(bug, narrow)
    except TooLong:
        does_not_end = narrow.seconds_of_one() > SECONDS / 2
        found = "it does not end" if does_not_end else ""
        why = "" if does_not_end else f"not found in {SECONDS} s"
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
    return {
        "op": bug.op, "name": bug.name, "kind": bug.kind, "rules": bug.rules,
        "found": found[:200], "changes": narrow.is_changed, "spoilt": narrow.is_spoilt,
        "s": round(time.monotonic() - start, 2), **({"why": why} if why else {}),
    }  # fmt: skip
