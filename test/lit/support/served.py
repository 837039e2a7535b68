"""Lit's internal shell has the server of the lit tests (server.py) run the tools, by itself.

    served.install(FOLDER)      in lit.cfg.py

Without it the shell starts clients (client.py), which cost 20 ms of a processor each.
"""

import marshal
import os
import selectors
import socket
import subprocess
from contextlib import ExitStack
from pathlib import Path
from typing import IO, Any

import lit.TestRunner

_PIPE, _STDOUT = subprocess.PIPE, subprocess.STDOUT


class Served:
    """What lit needs of `subprocess.Popen`, for a child that the server forks."""

    def __init__(
        self, tool: Path, args: list[str], cwd: str, env: dict[str, str], streams: tuple[Any, ...],
        **text: Any,
    ) -> None:  # fmt: skip
        self.returncode: int | None = None
        self.stdin: IO[str] | None = None
        self.stdout: IO[str] | None = None
        self.stderr: IO[str] | None = None
        request = {"arguments": [tool.name, *args], "folder": cwd, "environment": dict(env)}
        with ExitStack() as given:
            ends = self._opened(streams, given, text)
            self._connection = _sent(tool.with_suffix(".socket"), request, ends)
        # By its number lit kills the child, when the time is up.
        self._answers = self._connection.makefile("rb")
        self.pid = self._answer()

    def _opened(self, streams: tuple[Any, ...], given: ExitStack, text: dict[str, Any]) -> list:
        """The descriptors for the child; the other ends of its pipes are attributes."""
        ends: list[int] = []
        for number, stream in enumerate(streams):
            if stream == _PIPE:
                pair = os.pipe()
                mode, name = [("w", "stdin"), ("r", "stdout"), ("r", "stderr")][number]
                theirs, ours = pair if number == 0 else pair[::-1]
                setattr(self, name, open(ours, mode, **text))
                given.callback(os.close, theirs)
                ends.append(theirs)
            elif stream == _STDOUT:
                ends.append(ends[1])
            elif stream is None:
                ends.append(number)
            else:
                ends.append(stream if isinstance(stream, int) else stream.fileno())
        return ends

    def _answer(self) -> int:
        answer = self._answers.readline()
        if not answer.endswith(b"\n"):
            raise RuntimeError("the server of the lit tests has ended (test/lit/support/server.py)")
        return int(answer)

    def communicate(self) -> tuple[str | None, str | None]:
        """All of both outputs, and the end; each is None if it is no pipe."""
        data = {pipe: bytearray() for pipe in (self.stdout, self.stderr) if pipe}
        with selectors.DefaultSelector() as ready:
            for pipe in data:
                ready.register(pipe, selectors.EVENT_READ)
            while ready.get_map():
                for key, _ in ready.select():
                    chunk = os.read(key.fd, 1 << 16)
                    data[key.fileobj] += chunk  # type: ignore[index]
                    if not chunk:
                        ready.unregister(key.fileobj)
        self.wait()
        return self._text(self.stdout, data), self._text(self.stderr, data)

    @staticmethod
    def _text(pipe: IO[str] | None, data: dict[IO[str], bytearray]) -> str | None:
        if pipe is None:
            return None
        pipe.close()
        text = data[pipe].decode(errors="replace")
        return text.replace("\r\n", "\n").replace("\r", "\n")

    def wait(self) -> int:
        """The exit code, or the negative number of the signal that ended the child."""
        if self.returncode is None:
            self.returncode = self._answer()
            self._answers.close()
            self._connection.close()
        return self.returncode


def _sent(path: Path, request: dict, streams: list[int]) -> socket.socket:
    body = marshal.dumps(request)
    data = len(body).to_bytes(4, "little") + body
    connection = socket.socket(socket.AF_UNIX)
    connection.connect(str(path))
    sent = socket.send_fds(connection, [data], streams)
    connection.sendall(data[sent:])
    return connection


class _Subprocess:
    """The module `subprocess`, whose `Popen` has the server run its tools."""

    def __init__(self, tools: Path) -> None:
        self._tools = tools

    def __getattr__(self, name: str) -> Any:
        return getattr(subprocess, name)

    def Popen(self, args: list[str], **rest: Any) -> Any:
        tool = Path(rest["executable"])
        if tool.parent != self._tools:
            return subprocess.Popen(args, **rest)
        streams = rest["stdin"], rest["stdout"], rest["stderr"]
        return Served(tool, args[1:], rest["cwd"], rest["env"], streams, errors=rest["errors"])


def install(tools: Path) -> None:
    """Let lit's shell start the tools in this folder through its server."""
    lit.TestRunner.subprocess = _Subprocess(tools)
