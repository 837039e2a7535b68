"""Start a program as several processes: `python -m anvl.distributed.launch -n 4 script.py`.

    -n 4                       processes on this machine
    -m package.module          a module in place of a script
    --nodes 2 --node 0 --coordinator-address host:1234
                               this machine is one of several, on which the command runs, too

The program calls `anvl.distributed.initialize()`, which finds its place in the environment.  Lines
of output begin with the number of their process.  If one fails, the others have some seconds to end
by themselves, and the exit code is that of the first; signals are passed on to all.
"""

from __future__ import annotations

import argparse
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from types import FrameType
from typing import IO, Any

from anvl.runtime.distributed.environment import ADDRESS, COUNT, INDEX, LAUNCHER, LOCAL_INDEX

__all__ = ["main"]

_TICK = 0.05  # seconds
_SECONDS_TO_END = 10.0  # after the failure of another one, which it hears of by itself
_SECONDS_TO_STOP = 5.0  # after SIGTERM
_SECONDS_TO_READ = 5.0  # output of processes that have ended
_PASSED_ON = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGUSR1, signal.SIGUSR2)


def main(argv: Sequence[str] | None = None) -> int:
    """The command; returns its exit code."""
    options = _parser().parse_args(argv)
    problem = _problem(options)
    if problem:
        print(f"launch: {problem}", file=sys.stderr)
        return 2
    return _Job(options).run()


def _parser() -> argparse.ArgumentParser:
    made = argparse.ArgumentParser(
        prog="python -m anvl.distributed.launch",
        description="Start a program as several processes, for anvl.distributed.initialize.",
    )
    made.add_argument(
        "-n", "--num-processes", type=int, required=True, help="processes on this machine"
    )
    made.add_argument("-m", "--module", action="store_true", help="the program is a module's name")
    made.add_argument("--nodes", type=int, default=1, help="machines, each with so many processes")
    made.add_argument("--node", type=int, default=0, help="which of them this one is, from 0")
    made.add_argument(
        "--coordinator-address", help="host:port of machine 0; chosen if there is one machine"
    )
    made.add_argument("program", help="a script of Python, or a module with -m")
    made.add_argument("arguments", nargs=argparse.REMAINDER, help="of the program")
    return made


def _problem(options: argparse.Namespace) -> str | None:
    if options.num_processes < 1:
        return f"-n must be at least 1, got {options.num_processes}"
    if not 0 <= options.node < options.nodes:
        return f"--node must be one of 0 to {options.nodes - 1} (--nodes), got {options.node}"
    if options.nodes > 1 and not options.coordinator_address:
        return (
            "--nodes needs --coordinator-address=host:port, the same on all machines, of a port "
            "that is free on machine 0"
        )
    if not options.module and not os.path.exists(options.program):
        return f"there is no file {options.program!r}; give a script, or a module with -m"
    return None


def _free_address() -> str:
    with socket.create_server(("127.0.0.1", 0)) as found:
        return f"127.0.0.1:{found.getsockname()[1]}"


class _Job:
    """The processes of one machine, from their start to their end."""

    def __init__(self, options: argparse.Namespace) -> None:
        self._options = options
        self._processes: list[subprocess.Popen[bytes]] = []
        self._readers: list[threading.Thread] = []
        self._code = 0  # of the first that failed
        self._until: float | None = None  # when those that remain are stopped
        self._is_stopping = False

    def run(self) -> int:
        """Start them, wait for all, and return the exit code."""
        for number in _PASSED_ON:
            signal.signal(number, self._pass_on)
        try:
            self._start()
            while any(process.poll() is None for process in self._processes):
                self._look()
                time.sleep(_TICK)
            self._look()
        finally:
            self._signal_all(signal.SIGKILL)
        for reader in self._readers:
            reader.join(_SECONDS_TO_READ)
        return self._code

    def _start(self) -> None:
        options = self._options
        count = options.num_processes
        command = [sys.executable, *(["-m"] if options.module else []), options.program]
        of_all = {
            ADDRESS: options.coordinator_address or _free_address(),
            COUNT: str(count * options.nodes),
            LAUNCHER: str(os.getpid()),
            "PYTHONUNBUFFERED": "1",
        }
        for local in range(count):
            index = options.node * count + local
            of_this = {INDEX: str(index), LOCAL_INDEX: str(local)}
            process = subprocess.Popen(
                [*command, *options.arguments],
                env={**os.environ, **of_all, **of_this},
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                start_new_session=True,  # signals of the terminal reach it once, through here
            )
            self._processes.append(process)
            for source, target in ((process.stdout, sys.stdout), (process.stderr, sys.stderr)):
                self._read(index, source, target.buffer)

    def _read(self, index: int, source: Any, target: IO[bytes]) -> None:
        reader = threading.Thread(target=_relay, args=(index, source, target), daemon=True)
        reader.start()
        self._readers.append(reader)

    def _look(self) -> None:
        """Note the first failure, and stop those that have not ended some seconds after it."""
        codes = [process.poll() for process in self._processes]
        failed = [code for code in codes if code]
        if failed and not self._code:
            self._code = failed[0] if failed[0] > 0 else 128 - failed[0]
            self._until = self._until or time.monotonic() + _SECONDS_TO_END
        if self._until is None or time.monotonic() < self._until:
            return
        self._signal_all(signal.SIGKILL if self._is_stopping else signal.SIGTERM)
        self._is_stopping = True
        self._until = time.monotonic() + _SECONDS_TO_STOP

    def _pass_on(self, number: int, frame: FrameType | None) -> None:
        self._signal_all(number)
        if number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            self._until = self._until or time.monotonic() + _SECONDS_TO_END

    def _signal_all(self, number: int) -> None:
        for process in self._processes:
            if process.poll() is None:
                process.send_signal(number)


_printing = threading.Lock()


def _relay(index: int, source: IO[bytes], target: IO[bytes]) -> None:
    """Copy lines, each with the number of its process before it."""
    with source:
        for line in source:
            with _printing:
                target.write(b"[%d] %s" % (index, line if line.endswith(b"\n") else line + b"\n"))
                target.flush()


if __name__ == "__main__":
    sys.exit(main())
