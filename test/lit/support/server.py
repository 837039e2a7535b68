"""Run the tools of the lit tests in forked children of one process that has imported them.

    python server.py        prints the FOLDER of its tools, and serves until stdin ends

A test starts `FOLDER/anvl-opt`, a client (client.py) that hands its arguments, environment and
streams to this process and ends as the forked child ends, signals included.  Importing anvl and
MLIR takes four fifths of a run of `anvl-opt`; a fork takes 5 ms.
"""

import array
import marshal
import os
import selectors
import shlex
import signal
import socket
import sys
import tempfile
import traceback
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import filecheck.main

import anvl.runtime as rt  # no client is made here: XLA cannot fork
import anvl.tools.dev.check_numbers
import anvl.tools.opt.main
import anvl.tools.opt.run
import anvl.tools.opt.verify_gradient
from anvl.dialect.core.context import context
from anvl.testing.program import FAST

_CLIENT = Path(__file__).with_name("client.py")
_STREAMS = 3
_LARGEST_REQUEST = 1 << 20

_compile_as_users_do = rt.compile_lowered


def _compile_fast(program: bytes | str, *args: Any, options: Any = None, **rest: Any) -> Any:
    """Numbers are tested, not XLA's optimizer, which takes two thirds of the time."""
    return _compile_as_users_do(program, *args, options=FAST | dict(options or {}), **rest)


if not os.environ.get("ANVL_TEST_AS_USERS"):
    rt.compile_lowered = _compile_fast  # type: ignore[assignment]

TOOLS: dict[str, Callable[[Sequence[str]], int | None]] = {
    "anvl-opt": anvl.tools.opt.main.main,
    "anvl-run": anvl.tools.opt.run.main,
    "anvl-numbers": anvl.tools.dev.check_numbers.main,
    "filecheck": lambda argv: filecheck.main.main(["filecheck", *argv]),
}


class Server:
    """Forks a child for each connection and tells the client how it ended."""

    def __init__(self, folder: Path) -> None:
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(str(folder / "socket"))
        self.listener.listen(64)
        self.children: dict[int, socket.socket] = {}
        self.selector = selectors.DefaultSelector()
        wake, self.wake = socket.socketpair()
        self.wake.setblocking(False)
        signal.set_wakeup_fd(self.wake.fileno())
        signal.signal(signal.SIGCHLD, lambda *_: None)  # so that the wakeup descriptor is written
        self.selector.register(self.listener, selectors.EVENT_READ, self._accept)
        self.selector.register(wake, selectors.EVENT_READ, lambda: self._reap(wake))
        self.selector.register(sys.stdin.fileno(), selectors.EVENT_READ, self._stop)

    def serve(self) -> None:
        while True:
            for key, _ in self.selector.select():
                key.data()

    def _accept(self) -> None:
        connection, _ = self.listener.accept()
        request, streams = _receive(connection)
        pid = os.fork()
        if pid == 0:
            signal.set_wakeup_fd(-1)
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            _become(request, streams)
        for stream in streams:
            os.close(stream)
        self.children[pid] = connection
        self.selector.register(
            connection, selectors.EVENT_READ, lambda: self._client_left(pid, connection)
        )

    def _client_left(self, pid: int, connection: socket.socket) -> None:
        """Kill the child of a client that lit has stopped."""
        self.selector.unregister(connection)
        os.kill(pid, signal.SIGKILL)

    def _reap(self, wake: socket.socket) -> None:
        wake.recv(4096)
        while self.children:
            pid, status = os.waitpid(-1, os.WNOHANG)
            if pid == 0:
                return
            connection = self.children.pop(pid)
            if connection in {key.fileobj for key in self.selector.get_map().values()}:
                self.selector.unregister(connection)
            try:
                connection.sendall(str(os.waitstatus_to_exitcode(status)).encode())
            except OSError:
                pass  # the client was killed
            connection.close()

    def _stop(self) -> None:
        for pid in self.children:
            os.kill(pid, signal.SIGKILL)
        sys.exit(0)


def _receive(connection: socket.socket) -> tuple[dict, list[int]]:
    """The request and the three streams that came with it."""
    size = array.array("i").itemsize * _STREAMS
    data, ancillary, _, _ = connection.recvmsg(_LARGEST_REQUEST, socket.CMSG_SPACE(size))
    streams = array.array("i")
    for _, _, content in ancillary:
        streams.frombytes(content)
    size = 4 + int.from_bytes(data[:4], "little")
    while len(data) < size:
        data += connection.recv(_LARGEST_REQUEST)
    return marshal.loads(data[4:]), list(streams)


def _become(request: dict, streams: Sequence[int]) -> None:
    """Run the tool as if this process had been started for it."""
    code: object = 1
    try:
        for target, stream in enumerate(streams):
            os.dup2(stream, target)
            os.close(stream)
        # Those of this process remember positions in what they were opened on.
        sys.stdin, sys.stdout, sys.stderr = open(0), open(1, "w"), open(2, "w", buffering=1)
        os.chdir(request["folder"])
        os.environ.clear()
        os.environ.update(request["environment"])
        name, *arguments = request["arguments"]
        sys.argv = [name, *arguments]
        code = TOOLS[name](arguments) or 0
    except SystemExit as end:
        code = end.code or 0
    except BaseException:
        traceback.print_exc()
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except BrokenPipeError:
            code = code or 1
    os._exit(code if isinstance(code, int) else 1)


def write_tools(folder: Path) -> None:
    """An executable for each tool.  `-IS`: Python starts in 10 ms without its site packages."""
    for name in TOOLS:
        command = shlex.join([sys.executable, "-IS", str(_CLIENT), str(folder / "socket"), name])
        path = folder / name
        path.write_text(f'#!/bin/sh\nexec {command} "$@"\n')
        path.chmod(0o755)


if __name__ == "__main__":
    # Not under `out`: the path of a socket has at most 107 characters.
    with tempfile.TemporaryDirectory(prefix="anvl-lit-") as name:
        write_tools(Path(name))
        context().enable_multithreading(False)  # made once, for all children
        server = Server(Path(name))
        print(name, flush=True)
        server.serve()
