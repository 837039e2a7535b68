"""The coordinator of a job: a process of its own, which process 0 starts on its host.

    python -m anvl.runtime.distributed.coordinator '{"address": "0.0.0.0:1234", "count": 2, ...}'

It survives process 0 for as long as others need it, so that these learn who has failed.  It takes
each process once, checks that all were started alike, and starts PJRT's own coordination service
when all have come.  From then on it tells everybody which process has failed, why, and which has
left.  It ends when all connections have.

Its first line on stdout is JSON: the port where it listens, or an error.
"""

from __future__ import annotations

import json
import os
import selectors
import socket
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from anvl.runtime.distributed.call_order import are_compared, disagreement
from anvl.runtime.distributed.messages import NEVER, PROTOCOL, Channel, Malformed
from anvl.runtime.distributed.standstill import Gathered, Member, standstill
from anvl.runtime.lazy import compat

__all__ = ["Coordinator", "Terms", "main"]

_TICK = 0.1  # seconds


@dataclass(frozen=True)
class Terms:
    """Settings with which process 0 starts the coordinator; times are in seconds."""

    address: str  # that it listens at
    count: int
    start_timeout: float
    heartbeat_timeout: float


class _Member:
    """A connection, and the process at its other end once that has said which it is."""

    def __init__(self, connection: socket.socket) -> None:
        self.channel = Channel(connection)
        self.index: int | None = None
        self.facts: Mapping[str, Any] = {}
        self.seen = time.monotonic()
        self.has_left = False
        self.calls: Mapping[str, Any] = {}  # its latest programs over several processes
        #: What it waited for at its last sign of life, and whether it did at the one before, too.
        self.waits: list[Any] = []
        self.is_waiting = False

    @property
    def name(self) -> str:
        """The process, for messages."""
        return f"process {self.index} ({self.facts.get('host')}, pid {self.facts.get('pid')})"


class _Gathering:
    """Values that processes hand in under a name, until all of these have."""

    def __init__(self, until: float, processes: list[int]) -> None:
        self.values: dict[int, Any] = {}
        self.until = until
        self.processes = processes


class Coordinator:
    """The coordinator of one job."""

    def __init__(self, terms: Terms) -> None:
        self._terms = terms
        host, _, port = terms.address.rpartition(":")
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        self._listener = socket.create_server((host.strip("[]"), int(port)), family=family)
        self.port: int = self._listener.getsockname()[1]
        self._host = host
        self._selector = selectors.DefaultSelector()
        self._selector.register(self._listener, selectors.EVENT_READ)
        self._members: list[_Member] = []  # of open connections
        self._joined: dict[int, _Member] = {}
        self._gatherings: dict[str, _Gathering] = {}
        self._left: list[int] = []  # as they should
        self._leaving: list[int] = []  # of these, whose calls are not compared yet
        self._service: Any = None
        self._begun = time.monotonic()
        self._is_over = False  # a process has failed: nobody joins any more

    def run(self) -> None:
        """Serve until all connections have ended."""
        while not self._is_done():
            for key, _ in self._selector.select(_TICK):
                if key.fileobj is self._listener:
                    self._accept()
                else:
                    self._read(key.data)
            self._check_times()
        self._selector.close()
        self._listener.close()
        if self._service is not None:
            self._service.shutdown()

    def _is_done(self) -> bool:
        if self._members:
            return False
        late = time.monotonic() - self._begun > self._terms.start_timeout
        return bool(self._joined) or self._is_over or late

    # -- connections -------------------------------------------------------------------------------

    def _accept(self) -> None:
        connection, _ = self._listener.accept()
        connection.settimeout(self._terms.heartbeat_timeout)
        member = _Member(connection)
        self._members.append(member)
        self._selector.register(connection, selectors.EVENT_READ, member)
        self._send(member, "hello", protocol=PROTOCOL)

    def _read(self, member: _Member) -> None:
        try:
            for message in member.channel.received():
                member.seen = time.monotonic()
                self._take(member, message)
        except (EOFError, OSError):
            self._lose(member, "its connection was closed: the process has ended")
        except (Malformed, KeyError, TypeError) as error:
            self._lose(member, f"it sent what is no message of this protocol: {error}")

    def _take(self, member: _Member, message: Mapping[str, Any]) -> None:
        kind = message["kind"]
        if kind == "join":
            self._join(member, message["facts"])
        elif member.index is None:
            raise Malformed(kind)
        elif kind == "beat":
            self._send(member, "beat")
            self._compare(member, message.get("calls", {}))
            if "waits" in message:
                self._look_for_standstill(member, message["waits"])
        elif kind == "failed":
            self._fail(member, str(message["reason"]))
        elif kind == "leave":
            member.has_left = True
            self._left.append(member.index)
            self._leaving.append(member.index)
            self._tell_all("left", process=member.index)
            self._compare(member, message["calls"])
            self._check_gatherings()
        elif kind == "gather":
            self._gather(member, message)

    def _send(self, member: _Member, kind: str, **content: Any) -> None:
        try:
            member.channel.send(kind, **content)
        except OSError:
            pass  # the end of the connection is read, too

    def _tell_all(self, kind: str, **content: Any) -> None:
        for member in list(self._joined.values()):
            self._send(member, kind, **content)

    def _drop(self, member: _Member) -> None:
        if member in self._members:
            self._members.remove(member)
            self._selector.unregister(member.channel.socket)
            member.channel.close()

    def _lose(self, member: _Member, reason: str) -> None:
        self._drop(member)
        if member.index is not None and not member.has_left:
            self._fail(member, reason)

    def _fail(self, member: _Member, reason: str) -> None:
        """Tell everybody, once, that a process has failed."""
        member.has_left = True
        self._is_over = True
        self._tell_all("gone", process=member.index, reason=f"{member.name}: {reason}")

    # -- joining -----------------------------------------------------------------------------------

    def _join(self, member: _Member, facts: Mapping[str, Any]) -> None:
        member.facts = facts
        index = int(facts["index"])
        refusal = self._refusal(index, facts)
        if refusal is not None:
            self._send(member, "refused", reason=refusal)
            self._drop(member)
            return
        member.index = index
        self._joined[index] = member
        if len(self._joined) == self._terms.count:
            self._start()

    def _refusal(self, index: int, facts: Mapping[str, Any]) -> str | None:
        count, other = int(facts["count"]), self._joined.get(index)
        if self._is_over:
            return "a process of this job has failed already; start all of them again"
        if count != self._terms.count:
            reason = (
                f"processes disagree: process {index} was started with num_processes={count}, "
                f"process 0 with num_processes={self._terms.count}; give all the same"
            )
        elif other is not None:
            reason = (
                f"process_id {index} is taken, by {other.name}; give each process a number of its "
                f"own, 0 to {count - 1}"
            )
        else:
            return None
        if self._service is None:  # a job that runs does not end because another one calls
            self._is_over = True
            self._tell_all("gone", process=index, reason=reason)
        return reason

    def _start(self) -> None:
        port = _free_port(self._host, self.port + 1)
        try:
            self._service = compat.start_coordination(
                f"{self._host}:{port}", self._terms.count, int(self._terms.start_timeout), NEVER
            )
        except compat.Failure as error:
            self._is_over = True
            self._tell_all("gone", process=0, reason=f"no coordination service: {error}")
            return
        facts = [self._joined[index].facts for index in range(self._terms.count)]
        self._tell_all("ready", port=port, members=facts)

    # -- values of all processes -------------------------------------------------------------------

    def _gather(self, member: _Member, message: Mapping[str, Any]) -> None:
        assert member.index is not None
        processes = message["processes"] or list(range(self._terms.count))
        made = _Gathering(time.monotonic() + float(message["timeout"]), processes)
        found = self._gatherings.setdefault(message["name"], made)
        found.values[member.index] = message["value"]
        self._check_gatherings()

    def _check_gatherings(self) -> None:
        """Answer where all have come, where one can come no more, and where the time is over."""
        for name, gathering in list(self._gatherings.items()):
            missing = sorted(set(gathering.processes) - set(gathering.values))
            left = [index for index in missing if index in self._left]
            if not missing:
                values = [gathering.values[index] for index in gathering.processes]
                self._tell_all("gathered", name=name, values=values)
            elif left or time.monotonic() > gathering.until:
                self._tell_all("expired", name=name, missing=left or missing, has_left=bool(left))
            else:
                continue
            del self._gatherings[name]

    def _compare(self, member: _Member, calls: Mapping[str, Any]) -> None:
        """Tell everybody, once, that a process calls other programs than the others."""
        member.calls = calls
        if self._is_over:
            return
        known = {index: each.calls for index, each in self._joined.items()}
        reason = disagreement(known)
        if reason is not None:
            self._is_over = True
            self._tell_all("gone", process=member.index, reason=reason)
            return
        for index in [i for i in self._leaving if are_compared(i, known, self._left)]:
            self._leaving.remove(index)
            self._send(self._joined[index], "compared")

    def _look_for_standstill(self, member: _Member, waits: list[Any]) -> None:
        """Tell everybody, once, that two processes wait for each other."""
        member.is_waiting = bool(waits) and waits == member.waits
        member.waits = waits
        if self._is_over or not member.is_waiting:
            return
        waiting = {i: Member(m.waits, m.calls) for i, m in self._joined.items() if m.is_waiting}
        gathered = {n: Gathered(g.processes, g.values) for n, g in self._gatherings.items()}
        found = standstill(waiting, gathered)
        if found is not None:
            self._is_over = True
            self._tell_all("gone", process=found[0], reason=found[1])

    # -- time --------------------------------------------------------------------------------------

    def _check_times(self) -> None:
        now = time.monotonic()
        for member in list(self._members):
            if now - member.seen > self._terms.heartbeat_timeout:
                seconds = f"{self._terms.heartbeat_timeout:g}"
                self._lose(member, f"it has given no sign of life for {seconds} seconds")
        self._check_gatherings()
        if self._service is None and not self._is_over and self._is_late(now):
            self._is_over = True
            missing = sorted(set(range(self._terms.count)) - set(self._joined))
            reason = (
                f"of {self._terms.count} processes {_listed(missing)} did not come within "
                f"{self._terms.start_timeout:g} seconds; start them, or give initialize a larger "
                "initialization_timeout"
            )
            self._tell_all("gone", process=missing[0], reason=reason)

    def _is_late(self, now: float) -> bool:
        return bool(self._joined) and now - self._begun > self._terms.start_timeout


def _listed(indices: list[int]) -> str:
    shown = ", ".join(map(str, indices[:8]))
    return f"{shown} and {len(indices) - 8} more" if len(indices) > 8 else shown


def _free_port(host: str, wanted: int) -> int:
    """A port for PJRT's service: the next one, which a firewall may let through, or any."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    for port in (wanted, 0):
        try:
            with socket.create_server((host.strip("[]"), port), family=family) as tried:
                return int(tried.getsockname()[1])
        except (OSError, OverflowError):
            continue
    return wanted


def main() -> None:
    """Run the coordinator that the argument describes."""
    try:
        made = Coordinator(Terms(**json.loads(sys.argv[1])))
    except OSError as error:
        print(json.dumps({"error": error.strerror or str(error)}), flush=True)
        return
    print(json.dumps({"port": made.port}), flush=True)
    # The pipe of process 0 is not to be held open, nor its terminal.
    nowhere = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1, 2):
        os.dup2(nowhere, descriptor)
    made.run()


if __name__ == "__main__":
    main()
