"""The membership of this process in a job: its connection to the coordinator, kept by a thread.

The thread gives a sign of life, hears of failures, and ends the process if that is stuck although
another one has failed (Note [No process waits for ever]).
"""

from __future__ import annotations

import os
import socket
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from typing import Any

from anvl.runtime.distributed.call_order import recent_calls
from anvl.runtime.distributed.environment import LAUNCHER
from anvl.runtime.distributed.messages import PROTOCOL, Channel, Malformed
from anvl.runtime.distributed.standstill import current_waits, waiting
from anvl.runtime.distributed.status import Status
from anvl.runtime.errors import DistributedError

__all__ = ["Membership", "connect"]

_TICK = 0.25  # seconds
_RETRY = 0.1
#: How many signs of life are given in the time after which a process without one is given up.
_BEATS = 4

# Note [No process waits for ever]
#
# A process that waits for another one does so in one of two places.  In Python it waits on an
# event, and looks at the status every quarter of a second; a program over several processes runs
# in a thread of its own (`waiting.py`), as XLA cannot be interrupted, so that this holds for it,
# too.  What remains is code of libraries below that nobody knows to wait, such as the start of
# NCCL.  Therefore the thread of this module ends the process if a failure has not been raised after
# `heartbeat_timeout` seconds.  It does not in an interactive session, whose person may be reading.


def connect(address: str, until: float) -> socket.socket:
    """Connect to the coordinator, which need not be there yet.

    Raises
    ------
    DistributedError
        It does not answer in time.
    """
    host, _, port = address.rpartition(":")
    begun = time.monotonic()
    while True:
        try:
            left = max(until - time.monotonic(), _RETRY)
            return socket.create_connection((host.strip("[]"), int(port)), timeout=left)
        except OSError as error:
            if time.monotonic() + _RETRY > until:
                waited = time.monotonic() - begun
                raise DistributedError(
                    f"initialize: no coordinator answers at {address} within {waited:.0f} seconds "
                    f"({error.strerror or error}); start process 0, and give all processes the "
                    "address of its host, which they must reach"
                ) from None
        time.sleep(_RETRY)


class Membership:
    """The membership of this process in a job, from `connect` until `leave`."""

    def __init__(self, address: str, heartbeat_timeout: float, until: float) -> None:
        self.status = Status(heartbeat_timeout)
        self.address = address
        self._timeout = heartbeat_timeout
        connection = connect(address, until)
        #: The address of this host that the coordinator's host reaches.
        self.own_host: str = connection.getsockname()[0]
        self._channel = Channel(connection)
        self._heard: list[Mapping[str, Any]] = []  # between the greeting and the thread
        self._greet(until)
        connection.settimeout(_TICK)
        self._changed = threading.Condition()
        self._ready: Mapping[str, Any] | None = None
        self._gathered: dict[str, Mapping[str, Any]] = {}
        self._is_ending = self._is_compared = False
        self._launcher = os.environ.get(LAUNCHER)
        self._failed_at: float | None = None
        self._thread = threading.Thread(target=self._run, name="anvl-distributed", daemon=True)

    def _greet(self, until: float) -> None:
        self._channel.socket.settimeout(max(until - time.monotonic(), 1.0))
        try:
            greeting, *self._heard = self._channel.received()
            is_ours = greeting.get("protocol") == PROTOCOL
        except (OSError, EOFError, ValueError):
            is_ours = False
        if not is_ours:
            self._channel.close()
            raise DistributedError(
                f"initialize: the server at {self.address} is no coordinator of this version of "
                "anvl; give the address of process 0 with a port that is free there"
            )

    def join(self, facts: Mapping[str, Any], until: float) -> Mapping[str, Any]:
        """Join with what is known of this process; returns what the coordinator says to all.

        Raises
        ------
        DistributedError
            It refuses this process, or another one did not come or has failed.
        """
        self._send("join", facts=facts)
        self._thread.start()
        with self._changed:
            while self._ready is None and self.status.reason is None:
                self._changed.wait(_TICK)
                if time.monotonic() > until:
                    self.status.fail(f"the coordinator at {self.address} has not begun the job")
        if self._ready is None:
            self._is_ending = True
            self._channel.close()
            self.status.is_raised = True
            raise DistributedError(f"initialize: {self.status.reason}")
        return self._ready

    def gather(
        self,
        what: str,
        name: str,
        value: Any,
        timeout: float,
        processes: Sequence[int] | None = None,
    ) -> Sequence[Any]:
        """The values of all processes in their order, once all have handed in one by this name.

        With `processes`, of these alone.

        Raises
        ------
        DistributedError
            A process has failed, or did not come within `timeout` seconds.
        """
        self._send("gather", name=name, value=value, timeout=timeout, processes=processes)
        until = time.monotonic() + timeout + self._timeout
        with waiting(what, name), self._changed:
            while name not in self._gathered:
                if self.status.reason is not None:
                    raise self.status.error(what)
                self._changed.wait(_TICK)
                if time.monotonic() > until:
                    raise DistributedError(f"{what}: the coordinator does not answer")
            found = self._gathered.pop(name)
        if found["kind"] == "expired":
            missing = ", ".join(map(str, found["missing"]))
            why = (
                "has ended before" if found["has_left"] else f"did not come in {timeout:g} seconds"
            )
            raise DistributedError(
                f"{what}: {name!r} is not reached by all: process {missing} {why}; all processes "
                "must call it equally often, with the same names"
            )
        return list(found["values"])

    def wait_for_others(self, others: set[int], timeout: float) -> None:
        """Wait until the others have left, one has failed, or the time is over."""
        until = time.monotonic() + timeout
        with self._changed:
            while not others <= self.status.left and self.status.reason is None:
                if time.monotonic() > until:
                    return
                self._changed.wait(_TICK)

    def fail(self, reason: str) -> None:
        """Tell the others that this process has failed."""
        self._send("failed", reason=reason)

    def say_goodbye(self) -> None:
        """Tell the others that this process ends as it should.

        If they have called other programs, `status` says so afterwards.
        """
        self._send("leave", calls=recent_calls())
        until = time.monotonic() + self._timeout
        with self._changed:
            while not (self._is_compared or self.status.reason or time.monotonic() > until):
                self._changed.wait(_TICK)
        self._is_ending = True

    def close(self) -> None:
        """Close the connection, and end the thread."""
        self._is_ending = True
        self._channel.close()
        self._thread.join(timeout=_TICK * 8)

    def _send(self, kind: str, **content: Any) -> None:
        try:
            self._channel.send(kind, **content)
        except OSError:
            pass  # the thread reads the end of the connection, and says so

    # -- the thread --------------------------------------------------------------------------------

    def _run(self) -> None:
        for message in self._heard:
            self._take(message)
        sent = heard = time.monotonic()
        while True:
            try:
                heard = self._hear(heard)
            except (OSError, EOFError, Malformed):
                if self._is_ending:
                    return
                self._fail(f"the coordinator at {self.address}, beside process 0, has ended")
                time.sleep(_TICK)
            now = time.monotonic()
            if now - sent > self._timeout / _BEATS:
                sent = now
                self._send("beat", calls=recent_calls(), waits=current_waits())
            if now - heard > self._timeout:
                self._fail(f"the coordinator at {self.address} gives no sign of life")
            self._look_for_launcher()
            self._end_if_stuck(now)

    def _hear(self, heard: float) -> float:
        """Take the messages that have arrived; returns when the last one did."""
        try:
            for message in self._channel.received():
                self._take(message)
        except TimeoutError:
            return heard
        return time.monotonic()

    def _look_for_launcher(self) -> None:
        if self._launcher is not None and self._launcher != str(os.getppid()):
            self._launcher = None
            self.fail("its launcher has ended")

    def _take(self, message: Mapping[str, Any]) -> None:
        kind = message["kind"]
        with self._changed:
            if kind == "ready":
                self._ready = message
            elif kind == "left":
                self.status.leave(message["process"])
                self._send("beat", calls=recent_calls())  # the one that leaves waits for it
            elif kind == "compared":
                self._is_compared = True
            elif kind in ("gathered", "expired"):
                self._gathered[message["name"]] = message
            self._changed.notify_all()
        if kind in ("gone", "refused"):
            self._fail(message["reason"])

    def _fail(self, reason: str) -> None:
        if self._failed_at is None:
            self._failed_at = time.monotonic()
        self.status.fail(reason)
        with self._changed:
            self._changed.notify_all()

    def _end_if_stuck(self, now: float) -> None:
        is_known = self._failed_at is None or self.status.is_raised or self._is_ending
        if is_known or hasattr(sys, "ps1") or now - (self._failed_at or now) < self._timeout:
            return
        error = self.status.error("anvl.distributed")
        print(f"{type(error).__name__}: {error}", file=sys.stderr, flush=True)
        os._exit(1)
