"""The coordinator without processes: connections of this one, and no service."""

import socket
import threading
import time
from types import SimpleNamespace

import pytest

from anvl.runtime.distributed import coordinator as module
from anvl.runtime.distributed.coordinator import Coordinator, Terms
from anvl.runtime.distributed.membership import Membership
from anvl.runtime.distributed.messages import PROTOCOL, Channel
from anvl.runtime.errors import DistributedError

LONG = 20.0  # seconds, which nothing here waits for


class Job:
    """A coordinator in a thread, and the connections of its processes."""

    def __init__(self, count, start_timeout=LONG, heartbeat_timeout=LONG):
        self.made = Coordinator(Terms("127.0.0.1:0", count, start_timeout, heartbeat_timeout))
        self.address = f"127.0.0.1:{self.made.port}"
        self.thread = threading.Thread(target=self.made.run, daemon=True)
        self.thread.start()
        self.members = []

    def connect(self, index, count=2, heartbeat_timeout=LONG):
        made = Membership(self.address, heartbeat_timeout, time.monotonic() + LONG)
        self.members.append(made)
        facts = {"index": index, "count": count, "host": "here", "pid": 100 + index}
        return made, lambda: made.join(facts, time.monotonic() + LONG)

    def start(self, count=2, **options):
        pairs = [self.connect(index, count, **options) for index in range(count)]
        threads = [threading.Thread(target=join, daemon=True) for _, join in pairs]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(LONG)
        return [member for member, _ in pairs]

    def end(self):
        for member in self.members:
            if member._thread.is_alive():
                member.close()
            else:
                member._channel.close()
        self.thread.join(LONG)
        assert not self.thread.is_alive()  # it ends when all connections have


@pytest.fixture
def job(monkeypatch):
    made = []
    service = SimpleNamespace(shutdown=lambda: None)
    monkeypatch.setattr(
        module, "compat", SimpleNamespace(start_coordination=lambda *_: service, Failure=OSError)
    )
    yield lambda *args, **options: made.append(Job(*args, **options)) or made[-1]
    for of in made:
        of.end()


def _in_thread(work):
    """Start a thread; the function that is returned waits for the result, or the error."""
    found = []

    def run():
        try:
            found.append(work())
        except Exception as error:
            found.append(error)

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    return lambda: thread.join(LONG) or found[0]


def _await(condition):
    until = time.monotonic() + LONG
    while not condition():
        assert time.monotonic() < until
        time.sleep(0.01)


def test_values_are_gathered_in_the_order_of_the_processes(job):
    one, other = job(2).start()
    late = _in_thread(lambda: other.gather("save", "step", {"n": 1}, LONG))
    assert one.gather("save", "step", {"n": 0}, LONG) == [{"n": 0}, {"n": 1}] == late()
    again = _in_thread(lambda: other.gather("save", "step", 3, LONG))
    assert one.gather("save", "step", 2, LONG) == [2, 3] == again()


def test_a_process_that_does_not_come_to_a_barrier_is_named(job):
    one, other = job(2).start()
    with pytest.raises(
        DistributedError, match=r"save: 'step' is not reached by all: process 1 did"
    ):
        one.gather("save", "step", None, 0.1)
    other.say_goodbye()
    with pytest.raises(DistributedError, match="process 1 has ended before; all processes must"):
        one.gather("save", "step", None, LONG)


def test_some_of_the_processes_gather(job):
    first, _, third = job(3).start(3)
    late = _in_thread(lambda: third.gather("execute", "program", "b", LONG, (0, 2)))
    assert first.gather("execute", "program", "a", LONG, (0, 2)) == ["a", "b"] == late()


def test_of_processes_that_call_different_programs_all_hear(job):
    one, other = job(2).start()
    for member, digests in ((one, "fg"), (other, "ff")):
        calls = {"0, 1": (2, list(digests), {name: f"{name}()" for name in digests})}
        member._send("beat", calls=calls)
    _await(lambda: one.status.reason and other.status.reason)
    assert one.status.reason.startswith("the processes disagree, at call 2 over processes 0, 1: ")


def test_of_processes_that_wait_for_each_other_all_hear(job):
    one, other = job(2).start()
    for member, name in ((one, "array"), (other, "program")):
        member._send(
            "gather", name=name, value=["digest", "f32[8]"], timeout=LONG, processes=[0, 1]
        )
    for _ in range(2):  # only who waits at two signs of life has stopped
        assert one.status.reason is None
        for number, (member, name) in enumerate(((one, "array"), (other, "program"))):
            member._send("beat", calls={}, waits=[[number, "execute", name]])
    _await(lambda: one.status.reason and other.status.reason)
    assert one.status.reason.startswith(
        "the processes disagree: process 0 waits for process 1 in execute of f32[8] (array), and "
    )


def test_a_process_leaves_when_the_others_have_told_their_calls(job, monkeypatch):
    calls = {"0, 1": (1, ["f"], {"f": "f()"})}
    one, other = job(2).start()
    monkeypatch.setattr("anvl.runtime.distributed.membership.recent_calls", lambda: calls)
    other.say_goodbye()  # it asks the other one for its calls
    assert other._is_compared and one.status.reason is None
    calls = {"0, 1": (1, ["g"], {"g": "g()"})}
    one.say_goodbye()
    assert one.status.reason.startswith("the processes disagree, at call 1 over processes 0, 1: ")
    _await(lambda: other.status.reason)


def test_of_a_process_that_ends_or_fails_the_others_hear(job):
    first, second, third = job(3).start(3)
    waiting = _in_thread(lambda: first.gather("barrier", "end", None, LONG))
    third._channel.close()  # as the system does for a process that is killed
    assert "process 2 (here, pid 102): its connection was closed" in str(waiting())
    _await(lambda: second.status.reason)
    assert second.status.reason.startswith("process 2 (here, pid 102): its connection")
    # What follows from the first failure does not hide it.
    second.fail("it ended by DistributedError")
    time.sleep(0.05)
    assert first.status.reason.startswith("process 2")


def test_a_process_gives_its_reason(job):
    one, other = job(2).start()
    other.fail("it ended by ValueError: a bad batch")
    with pytest.raises(DistributedError, match=r"pid 101\): it ended by ValueError: a bad batch"):
        one.gather("barrier", "end", None, LONG)
    assert one.status.is_raised and one.status.heard.is_set()


def test_a_process_that_leaves_has_not_failed(job):
    one, other = job(2).start()
    other.say_goodbye()
    other.close()
    one.wait_for_others({1}, LONG)
    assert one.status.left == {1} and one.status.reason is None


def test_a_process_without_a_sign_of_life_has_failed(job):
    made = job(2, heartbeat_timeout=0.4)
    silent = Channel(socket.create_connection(("127.0.0.1", made.made.port)))
    silent.send("join", facts={"index": 1, "count": 2, "host": "there", "pid": 7})
    one, join = made.connect(0, heartbeat_timeout=0.4)
    join()
    _await(lambda: one.status.reason)
    expected = "process 1 (there, pid 7): it has given no sign of life for 0.4 seconds"
    assert one.status.reason == expected
    silent.close()


def test_a_process_that_does_not_come_is_named(job):
    _, join = job(3, start_timeout=0.3).connect(1, 3)
    with pytest.raises(DistributedError, match=r"of 3 processes 0, 2 did not come within 0\.3 sec"):
        join()


def test_processes_that_disagree_on_their_number_all_hear(job):
    made = job(2)
    _, join = made.connect(0)
    waiting = _in_thread(join)
    _await(lambda: made.made._joined)
    with pytest.raises(DistributedError, match=r"process 1 was started with num_processes=3, proc"):
        made.connect(1, 3)[1]()
    assert "processes disagree: process 1 was started with num_processes=3" in str(waiting())


def test_a_number_that_is_taken_is_refused(job):
    made = job(2)
    waiting = _in_thread(made.connect(0)[1])
    _await(lambda: made.made._joined)
    message = r"process_id 0 is taken, by process 0 \(here, pid 100\); give each process a number"
    with pytest.raises(DistributedError, match=message):
        made.connect(0)[1]()
    assert "process_id 0 is taken" in str(waiting())


def test_a_job_that_runs_goes_on_when_another_one_calls(job):
    made = job(2)
    one, other = made.start()
    with pytest.raises(DistributedError, match="process_id 1 is taken"):
        made.connect(1)[1]()
    with pytest.raises(DistributedError, match="processes disagree"):
        made.connect(5, 9)[1]()
    late = _in_thread(lambda: other.gather("barrier", "end", 1, LONG))
    assert one.gather("barrier", "end", 0, LONG) == [0, 1] == late()


def test_after_a_failure_nobody_joins(job):
    made = job(2)
    one, other = made.start()
    other._channel.close()
    _await(lambda: one.status.reason)
    with pytest.raises(DistributedError, match="has failed already; start all of them again"):
        made.connect(1)[1]()


@pytest.mark.parametrize("said", [b"GET / HTTP/1.1\r\n\r\n", b"[1]\n", b'{"kind": "gather"}\n'])
def test_strangers_are_sent_away_and_the_job_goes_on(job, said):
    made = job(2)
    stranger = socket.create_connection(("127.0.0.1", made.made.port))
    stranger.settimeout(LONG)
    stranger.sendall(said)
    if said.endswith(b"\r\n"):
        stranger.shutdown(socket.SHUT_WR)
    while chunk := stranger.recv(1000):  # its end is read
        assert PROTOCOL.encode() in chunk
    stranger.close()
    assert len(made.start()) == 2


def test_another_server_at_the_address_is_noticed():
    with socket.create_server(("127.0.0.1", 0)) as server:

        def greet():
            with server.accept()[0] as connection:
                connection.sendall(b"SSH-2.0-OpenSSH\r\n")

        answer = _in_thread(greet)
        address = f"127.0.0.1:{server.getsockname()[1]}"
        with pytest.raises(DistributedError, match="is no coordinator of this version of anvl"):
            Membership(address, LONG, time.monotonic() + LONG)
        answer()


def test_nobody_at_the_address():
    with socket.create_server(("127.0.0.1", 0)) as server:
        address = f"127.0.0.1:{server.getsockname()[1]}"
    message = rf"initialize: no coordinator answers at {address} within \d+ seconds \(.*\); start p"
    with pytest.raises(DistributedError, match=message):
        Membership(address, LONG, time.monotonic() + 0.2)


def test_the_coordinator_goes_and_the_process_hears(job):
    one, _ = job(2).start()
    # Its end of the connection is closed, as by the system when its host goes down.
    one._channel.socket.shutdown(socket.SHUT_RD)
    _await(lambda: one.status.reason)
    assert "the coordinator at 127.0.0.1:" in one.status.reason
    assert "beside process 0, has ended" in one.status.reason
