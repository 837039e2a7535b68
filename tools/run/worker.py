"""A child process that compiles and runs programs on PJRT, which they may end.

    worker().answer(program, inputs, ...)      in the tool
    python -m anvl.tools.run.worker FILE ...   is the child, where it cannot be forked

The child is forked, in 5 ms, unless this process has a client, which a fork would break.  XLA ends
the process on a malformed `custom_call @TopK`, for one; then the next program gets a new child.
"""

import atexit
import json
import os
import select
import subprocess
import sys
import threading
import time
import warnings
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import cache, lru_cache
from types import MappingProxyType
from typing import Any, BinaryIO, NoReturn, TypeAlias

import numpy as np

from anvl.dialect.text.messages import how_it_ended, receive, send
from anvl.tools.io.load import load, loaded

__all__ = [
    "ChildEnded", "Forked", "Refused", "Serve", "Started", "Worker", "forked", "serve_and_exit",
    "worker",
]  # fmt: skip

_MOST_KEPT = 8  # compiled programs, for further inputs
_COMPILED = "compiled"
_POLL_SECONDS = 1.0  # how often the child looks whether its parent is still there


class ChildEnded(Exception):
    """The child ended, or was ended after its time; the message says how, and at which step."""


class Refused(Exception):
    """The child cannot compile or run the program; the message is the runtime's."""


class Worker:
    """A child process, started with the first program; it has the files that `--load` loaded."""

    def __init__(self) -> None:
        self._process: Forked | Started | None = None
        self._lock = threading.Lock()  # an answer is of the thread that asked

    def answer(
        self, program: bytes, inputs: Sequence[np.ndarray], *, repeat: int = 0,
        seconds: float | None = None, options: Mapping[str, object] = MappingProxyType({}),
        plugin: str = "cpu", devices: int = 1,
    ) -> tuple[dict[str, Any], list[np.ndarray]]:  # fmt: skip
        """Figures and results of a program on a plugin; raises `Refused` and `ChildEnded`.

        It runs once, and `repeat` times more for the figures, which `repeat=0` leaves out.  After
        `seconds` the child is killed.  `options` are XLA's, for compiling.  The figures of an empty
        program are the target of the plugin.  Over several `devices` it is split by its shardings.
        """
        with self._lock:
            if self._process is None:
                self._process = forked(_serve) or Started(__name__, loaded())
            deadline = None if seconds is None else time.monotonic() + seconds
            figures = {"repeat": repeat, "options": dict(options)}
            request = json.dumps({**figures, "plugin": plugin, "devices": devices})
            return self._exchange(self._process, program, inputs, request, deadline, seconds)

    def _exchange(
        self, process: "Forked | Started", program: bytes, inputs: Sequence[np.ndarray],
        request: str, deadline: float | None, seconds: float | None,
    ) -> tuple[dict[str, Any], list[np.ndarray]]:  # fmt: skip
        step = "compiling" if program else "starting the plugin"
        try:
            send(process.requests, request, [np.frombuffer(program, np.uint8), *inputs])
            text, arrays = self._next(process, deadline)
            if text == _COMPILED:
                step = "running"
                text, arrays = self._next(process, deadline)
        except TimeoutError:
            self._process = None
            process.end()
            raise ChildEnded(f"{step} took longer than {seconds:g} s") from None
        except (EOFError, BrokenPipeError, ValueError):
            self._process = None
            raise ChildEnded(f"{step} ended the process with {process.end()}") from None
        figures = json.loads(text)
        if "error" in figures:
            raise Refused(figures["error"])
        return figures, arrays

    def _next(
        self, process: "Forked | Started", deadline: float | None
    ) -> tuple[str, list[np.ndarray]]:
        if deadline is not None:
            left = max(deadline - time.monotonic(), 0.0)
            if not select.select([process.answers], [], [], left)[0]:
                raise TimeoutError
        return receive(process.answers)

    def close(self) -> None:
        """End the child."""
        if self._process is not None:
            self._process.end()
            self._process = None


@cache
def worker() -> Worker:
    """The worker of this process; ends with it."""
    made = Worker()
    atexit.register(made.close)
    return made


#: Answers requests from a stream, until it ends, on another.
Serve: TypeAlias = Callable[[Any, Any], None]


class Forked:
    """A child that was forked."""

    def __init__(self, pid: int, requests: int, answers: int) -> None:
        self._pid = pid
        self.requests = open(requests, "wb", buffering=0)
        self.answers = open(answers, "rb", buffering=0)

    def end(self) -> str:
        """End it, unless it has ended; returns how it did."""
        import signal

        for stream in (self.requests, self.answers):
            with suppress(OSError):
                stream.close()
        time_left = 50
        while (found := os.waitpid(self._pid, os.WNOHANG))[0] == 0 and time_left:
            time_left -= 1
            time.sleep(0.002)  # it ends by itself, when there are no more requests
        if found[0] == 0:
            os.kill(self._pid, signal.SIGKILL)
            found = os.waitpid(self._pid, 0)
        return how_it_ended(found[1])


class Started:
    """A child that was started as a process of its own: `module`, with files to load."""

    def __init__(self, module: str, load: Sequence[str]) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", module, *load],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0,
        )  # fmt: skip
        assert self._process.stdin is not None and self._process.stdout is not None
        self.requests: Any = self._process.stdin
        self.answers: Any = self._process.stdout

    def end(self) -> str:
        """End it, unless it has ended; returns how it did."""
        import signal

        for stream in (self.requests, self.answers):
            with suppress(OSError):
                stream.close()
        try:
            code = self._process.wait(0.1)
        except subprocess.TimeoutExpired:
            self._process.kill()
            code = self._process.wait()
        return signal.Signals(-code).name if code < 0 else f"status {code}"


def forked(serve: Serve) -> Forked | None:
    """A child that runs `serve`, where the system forks and this process has no client."""
    runtime = sys.modules.get("anvl.runtime")
    if not hasattr(os, "fork") or (runtime is not None and runtime.has_client()):
        return None
    (their_in, requests), (answers, their_out) = os.pipe(), os.pipe()
    parent = os.getpid()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # of threads, none of which hold a lock
        pid = os.fork()
    if pid == 0:
        _let_go({their_in, their_out})
        serve_and_exit(serve, their_in, their_out, parent)
    os.close(their_in)
    os.close(their_out)
    return Forked(pid, requests, answers)


def _let_go(kept: set[int]) -> None:
    """Replace what this process inherited, but for these and the standard streams, by /dev/null.

    A pipe to another child that stayed open here would never end for that child.  The numbers stay
    taken, since Python's own objects may close them later.
    """
    nothing = os.open(os.devnull, os.O_RDWR)
    for name in os.listdir("/dev/fd"):
        number = int(name)
        if number > 2 and number not in kept and number != nothing:
            with suppress(OSError):  # the folder itself was open while it was read
                os.fstat(number)
                os.dup2(nothing, number)


# -- the child -------------------------------------------------------------------------------------


def serve_and_exit(serve: Serve, requests: int, answers: int, parent: int) -> NoReturn:
    """Answer until there are no more requests, or the parent is gone."""
    code = 1
    try:
        threading.Thread(target=_leave_with, args=(parent,), daemon=True).start()
        with (
            open(requests, "rb", buffering=0) as source,
            open(answers, "wb", buffering=0) as sink,
        ):
            serve(source, sink)
        code = 0
    finally:
        os._exit(code)


def _leave_with(parent: int) -> None:
    """End this process when its parent has ended, also in the middle of a program."""
    while os.getppid() == parent:
        time.sleep(_POLL_SECONDS)
    os._exit(1)


def _serve(source: Any, sink: Any) -> None:
    while True:
        try:
            text, (program, *inputs) = receive(source)
        except EOFError:
            return
        figures, results = _answered(program.tobytes(), inputs, json.loads(text), sink)
        send(sink, json.dumps(figures), results)


def _answered(
    program: bytes, inputs: Sequence[np.ndarray], request: dict[str, Any], sink: BinaryIO
) -> tuple[dict[str, Any], list[np.ndarray]]:
    try:
        if not program:
            return _device(request["plugin"]).client.target._asdict(), []
        options = tuple(request["options"].items())
        executable = _compiled(program, request["plugin"], request["devices"], options)
        send(sink, _COMPILED, [])
        return _measured(executable, inputs, request["repeat"])
    except (RuntimeError, ValueError, TypeError, MemoryError) as error:
        return {"error": " ".join(str(error).split("\n"))}, []


def _device(plugin: str) -> Any:
    import anvl.runtime as rt

    return rt.as_device(plugin, "--plugin (cpu if not given)" if plugin == "cpu" else "--plugin")


def _devices(plugin: str, count: int) -> Any:
    """The first devices of a plugin; the CPU is shown as so many."""
    import anvl.runtime as rt

    there = rt.cpu_client(count).devices if plugin == "cpu" else _device(plugin).client.devices
    if count > len(there):
        raise ValueError(f"--devices={count}: {plugin} has {len(there)}: {there}")
    return rt.sharded_placement(there[:count])


@lru_cache(_MOST_KEPT)
def _compiled(
    program: bytes, plugin: str, devices: int, options: tuple[tuple[str, object], ...]
) -> Any:
    import anvl.runtime as rt

    place = _device(plugin).placement if devices == 1 else _devices(plugin, devices)
    return rt.compile_lowered(program.decode(), place, options=dict(options))


def _measured(
    executable: Any, inputs: Sequence[np.ndarray], repeat: int
) -> tuple[dict[str, Any], list[np.ndarray]]:
    import anvl.runtime as rt

    kinds = executable.arg_types
    arrays = [rt.put(x, kind.placement) for x, kind in zip(inputs, kinds, strict=True)]
    results = [np.asarray(y) for y in executable.execute(arrays)]
    if not repeat:
        return {}, results
    seconds = [_timed(executable, arrays) for _ in range(repeat)]
    memory, cost = executable.memory_stats(), executable.cost_analysis()
    return {"seconds": seconds, "memory": memory, "cost": cost}, results


def _timed(executable: Any, arrays: Sequence[Any]) -> float:
    start = time.perf_counter()
    for y in executable.execute(arrays):
        y.block_until_ready()
    return time.perf_counter() - start


def _main() -> None:
    answers = os.dup(1)
    os.dup2(2, 1)  # files that are loaded may print
    load(sys.argv[1:])
    serve_and_exit(_serve, 0, answers, os.getppid())


if __name__ == "__main__":
    _main()
