"""Messages between the processes of a job and their coordinator: lines of JSON on a socket.

Note [Why a channel of our own]

PJRT's distributed runtime has a coordination service, which XLA needs to exchange topologies and
the addresses of its collectives.  Its client in jaxlib (0.10.2 to 0.12.0.1) ends the process by
SIGABRT whenever something is wrong: no service at the address, a process that is missing, an
identifier outside of the range, a peer that died.  A callback of Python's in place of that is never
called: `std::bad_cast`, also SIGABRT.  And for recoverable tasks, which alone outlive a peer, it
takes a second process of the same number without a word.

So the processes meet at a coordinator of ours first, which checks all of this and answers with an
error that can be caught; the client of jaxlib connects once everything is right.  The connection
stays open.  It carries a sign of life from each process, and what the coordinator says of a process
that has failed.  Nothing of a computation passes through it.
"""

from __future__ import annotations

import json
import socket
from collections.abc import Iterator, Mapping
from typing import Any

__all__ = ["NEVER", "PROTOCOL", "Channel", "Malformed"]

#: The first word of the coordinator, so that another server at its address is noticed.
PROTOCOL = "anvl-coordinator-1"
#: Longer than any job: what PJRT's service takes for a failure, of which this channel tells sooner.
NEVER = 10**6  # seconds

_LONGEST_LINE = 1 << 20  # bytes
_CHUNK = 1 << 16


class Malformed(ValueError):
    """The other end does not speak this protocol."""


class Channel:
    """One end of a connection."""

    def __init__(self, connection: socket.socket) -> None:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.socket = connection
        self._begun = b""

    def send(self, kind: str, **content: Any) -> None:
        """Send one message.  Raises `OSError`."""
        self.socket.sendall(json.dumps({"kind": kind, **content}).encode() + b"\n")

    def received(self) -> Iterator[Mapping[str, Any]]:
        """Messages that have arrived, after waiting for the timeout of the socket at most.

        Raises `EOFError` at the end of the connection, `TimeoutError`, `OSError` or `Malformed`.
        """
        chunk = self.socket.recv(_CHUNK)
        if not chunk:
            raise EOFError
        *lines, self._begun = (self._begun + chunk).split(b"\n")
        if len(self._begun) > _LONGEST_LINE:
            raise Malformed(f"a line of more than {_LONGEST_LINE} bytes")
        for line in lines:
            yield _message(line)

    def close(self) -> None:
        """Close the connection; the other end reads its end."""
        try:
            self.socket.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass  # the other end has closed it
        self.socket.close()


def _message(line: bytes) -> Mapping[str, Any]:
    try:
        found = json.loads(line)
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict) or not isinstance(found.get("kind"), str):
        raise Malformed(f"{line[:40]!r}")
    return found
