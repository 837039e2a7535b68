"""Processes that call different programs hear of it, before they wait for ever."""

import pytest

from anvl.runtime.distributed import call_order
from anvl.runtime.distributed.call_order import Called, are_compared, disagreement
from anvl.runtime.distributed.status import Status
from anvl.runtime.errors import DistributedError

F, G, H = (Called(name * 4, f"{name}(f32[8])", (0, 2)) for name in "fgh")


@pytest.fixture
def asked(monkeypatch):
    """A stand-in for `gather`: the others answer with the entries of `others`."""
    questions, others, status = [], {}, Status(1.0)

    def gather(what, name, value, timeout, processes):
        questions.append(name)
        return [value, *(others.get(name, value) for _ in processes[1:])]

    for name, value in (("_gather", gather), ("_status", status), ("_calls", {})):
        monkeypatch.setattr(call_order, name, value)
    monkeypatch.setattr(call_order, "_asked_before", {})
    return questions, others, status


def test_a_program_is_compared_before_its_first_run(asked):
    questions, others, status = asked
    call_order.first_call(F)
    call_order.later_call(F)
    call_order.first_call(Called("g", "g()", (0, 1)))
    assert questions == ["program 1 over processes 0, 2", "program 1 over processes 0, 1"]
    others["program 2 over processes 0, 2"] = ["h", "h(f32[4])"]
    with pytest.raises(
        DistributedError,
        match=r"execute: the processes disagree, at the first call of a program: process 0 calls\n"
        r"    g\(f32\[8\]\)\nand process 2\n    h\(f32\[4\]\)\nall processes must call the same",
    ):
        call_order.first_call(G)
    assert status.reason is not None and status.is_raised
    assert call_order.recent_calls()["0, 2"] == (
        3, ["ffff", "ffff", "gggg"], {"ffff": "f(f32[8])", "gggg": "g(f32[8])"}
    )  # fmt: skip


def test_values_are_compared(asked):
    _, others, _ = asked
    call_order.refuse_other_values("device_put", "f32[8]", "1", (0, 1))
    others["array 2 over processes 0, 1"] = ["2", "f32[8]"]
    with pytest.raises(DistributedError, match=r"process 0 gives f32\[8\], process 1 f32\[8\] of"):
        call_order.refuse_other_values("device_put", "f32[8]", "1", (0, 1))


def _recent(last, *calls):
    return {"0, 1": (last, [of.digest for of in calls], {of.digest: of.text for of in calls})}


def test_calls_of_one_number_are_compared():
    assert disagreement({0: _recent(3, F, G, H), 1: _recent(4, G, H, F), 2: {}}) is None
    assert disagreement({0: _recent(3, F), 1: _recent(9, G)}) is None  # none of one number
    text = disagreement({0: _recent(3, F, G, H), 1: _recent(4, G, F, F)})
    assert text.startswith("the processes disagree, at call 3 over processes 0, 1: process 0 calls")
    alike = H._replace(text=F.text)
    assert "both call\n    f(f32[8])\nand" in disagreement({0: _recent(1, F), 1: _recent(1, alike)})


def test_calls_are_compared_once_the_others_have_told_as_many():
    calls = {0: _recent(2, F, G), 1: _recent(1, F), 2: {}}
    assert are_compared(2, calls, []) and are_compared(1, calls, [])
    assert not are_compared(0, calls, [0]) and are_compared(0, calls, [0, 1])
