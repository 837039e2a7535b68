"""Processes that wait for each other at different calls are found; others are not."""

import threading

import pytest

from anvl.runtime.distributed import standstill as found_in
from anvl.runtime.distributed.standstill import (
    Gathered,
    Member,
    current_waits,
    standstill,
    waiting,
)

PUT, PROGRAM, RESULT = [1, "device_put", "array 2"], [2, "execute", "program 2"], [3, "execute", ""]
ARRAY = Gathered((0, 1), {0: ["a1", "f32[16]"]})
LATE = Gathered((0, 1), {1: ["b2", "f(f32[16])"]})


def _calls(count, *names):
    return {"0, 1": (count, list(names), {name: f"{name}(f32[16])" for name in names})}


def test_processes_that_gather_different_things():
    members = {0: Member([PUT], {}), 1: Member([PROGRAM], {})}
    process, text = standstill(members, {"array 2": ARRAY, "program 2": LATE})
    assert process == 0
    assert text == (
        "the processes disagree: process 0 waits for process 1 in device_put of f32[16] (array 2), "
        "and process 1 for process 0 in execute of f(f32[16]) (program 2); all processes must make "
        "the same calls over their devices, in one order"
    )
    assert standstill({0: members[0]}, {"array 2": ARRAY}) is None  # process 1 is busy


def test_a_process_that_reads_the_result_of_a_call_that_another_one_has_not_made():
    members = {
        0: Member([PUT], _calls(3, "f", "g", "f")),
        1: Member([RESULT], _calls(5, "f", "g", "f", "h", "g")),
    }
    _, text = standstill(members, {"array 2": ARRAY})
    assert "process 1 for process 0 in execute, after call 4 of both, h(f32[16]); all" in text
    # As many calls: it waits for a program that takes its time, and comes to the array later.
    members[0] = Member([PUT], members[1].calls)
    assert standstill(members, {"array 2": ARRAY}) is None


@pytest.mark.parametrize(
    "array",
    [Gathered((0, 1), {0: 1, 1: 1}), Gathered((0, 2), {0: 1}), None],
    ids=["both have come", "others are waited for", "all had come"],
)
def test_a_process_that_does_not_wait_for_the_other_one(array):
    members = {0: Member([PUT], {}), 1: Member([PROGRAM], {})}
    gatherings = {"program 2": LATE} if array is None else {"array 2": array, "program 2": LATE}
    assert standstill(members, gatherings) is None


def test_the_waits_of_a_process(monkeypatch):
    monkeypatch.setattr(found_in, "_waits", {})
    assert current_waits() == []
    with waiting("device_put", "array 1"):
        [[number, *wait]] = current_waits()
        assert wait == ["device_put", "array 1"]
        assert current_waits() == [[number, *wait]]
    assert current_waits() == []

    go, done = threading.Event(), threading.Event()

    def work():
        with waiting("execute"):
            pass
        done.set()
        go.wait(60)

    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    assert done.wait(60)
    with waiting("barrier", "b"):
        assert current_waits() == []  # the other thread may still come
        go.set()
        thread.join(60)
        [[later, *_]] = current_waits()  # it has ended
    assert later > number
