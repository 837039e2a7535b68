"""Run the tools of the lit tests in forked children of one process that has imported them.

    python server.py        prints the FOLDER of its tools, and serves until stdin ends

Lit's shell (served.py) hands arguments, environment and streams of a tool to this process, and gets
the number of the forked child, and how it ended, signals included.  Elsewhere `FOLDER/anvl-opt`, a
client (client.py), does so.  Importing anvl and MLIR takes nine tenths of a run of `anvl-opt`; a
fork takes 5 ms.
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
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import NoReturn, TypeAlias

import filechecks

import anvl.tools.checks.check_numbers

_CLIENT = Path(__file__).with_name("client.py")
_STREAMS = 3
_LARGEST_REQUEST = 1 << 20

Tools: TypeAlias = Mapping[str, Callable[[Sequence[str]], int | None]]

_TEXT_TOOLS: Tools = {
    "anvl-numbers": anvl.tools.checks.check_numbers.main,
    "filecheck": lambda argv: filechecks.main(["filecheck", *argv]),
}


class Server:
    """Forks a child for each connection and tells the client how it ended."""

    def __init__(self, listeners: Sequence[socket.socket], tools: Tools) -> None:
        self.tools = tools
        self.children: dict[int, socket.socket] = {}
        self.selector = selectors.DefaultSelector()
        wake, self.wake = socket.socketpair()
        self.wake.setblocking(False)
        signal.set_wakeup_fd(self.wake.fileno())
        signal.signal(signal.SIGCHLD, lambda *_: None)  # so that the wakeup descriptor is written
        for listener in listeners:
            accept = partial(self._accept, listener)
            self.selector.register(listener, selectors.EVENT_READ, accept)
        self.selector.register(wake, selectors.EVENT_READ, lambda: self._reap(wake))
        self.selector.register(sys.stdin.fileno(), selectors.EVENT_READ, self._stop)

    def serve(self) -> NoReturn:
        while True:
            for key, _ in self.selector.select():
                key.data()

    def _accept(self, listener: socket.socket) -> None:
        connection, _ = listener.accept()
        request, streams = _receive(connection)
        pid = os.fork()
        if pid == 0:
            signal.set_wakeup_fd(-1)
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            _become(self.tools, request, streams)
        for stream in streams:
            os.close(stream)
        _tell(connection, pid)
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
            _tell(connection, os.waitstatus_to_exitcode(status))
            connection.close()

    def _stop(self) -> None:
        for pid in self.children:
            os.kill(pid, signal.SIGKILL)
        sys.exit(0)


def _tell(connection: socket.socket, number: int) -> None:
    try:
        connection.sendall(b"%d\n" % number)
    except OSError:
        pass  # the client was killed


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


def _become(tools: Tools, request: dict, streams: Sequence[int]) -> None:
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
        code = tools[name](arguments) or 0
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


def written(folder: Path, tools: Tools) -> list[socket.socket]:
    """Write an executable for each tool; returns the sockets that these connect to."""
    listeners = []
    for name in tools:
        path = folder / name
        listener = socket.socket(socket.AF_UNIX)
        listener.bind(str(path.with_suffix(".socket")))
        listener.listen(64)
        listeners.append(listener)
        # `-IS`: Python starts in 10 ms without its site packages.
        command = [sys.executable, "-IS", str(_CLIENT), str(path.with_suffix(".socket")), name]
        path.write_text(f'#!/bin/sh\nexec {shlex.join(command)} "$@"\n')
        path.chmod(0o755)
    return listeners


def main(folder: Path) -> NoReturn:
    """Serve until stdin ends.  The tools of text have a small process, which forks in 1 ms."""
    filechecks.llvm_filecheck()  # looked for once
    listeners = written(folder, _TEXT_TOOLS)
    if (text_server := os.fork()) == 0:
        try:
            Server(listeners, _TEXT_TOOLS).serve()
        finally:
            os._exit(0)  # the folder is the other's
    for listener in listeners:
        listener.close()
    try:
        import programs

        programs.warm_up(folder)
    except BaseException:
        os.kill(text_server, signal.SIGKILL)  # it holds stdout open, at which lit waits
        raise
    server = Server(written(folder, programs.TOOLS), programs.TOOLS)
    print(folder, flush=True)
    server.serve()


if __name__ == "__main__":
    # Not under `out`: the path of a socket has at most 107 characters.
    with tempfile.TemporaryDirectory(prefix="anvl-lit-") as name:
        main(Path(name))
