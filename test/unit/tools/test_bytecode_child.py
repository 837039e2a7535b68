"""Bytecode is read first by a forked child, whose end is told as the reason."""

import json
import os
import signal
import time

import pytest

import anvl.runtime as rt
from anvl.tools.io import bytecode
from anvl.tools.io.source import InputError, Source

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this system")

DATA = b"ML\xefR" + bytes(20)


def checked(monkeypatch, answer):
    """The source that is read, with this answer of the child."""
    monkeypatch.setattr(rt, "has_client", lambda: False)
    monkeypatch.setattr(bytecode, "answer_of", lambda *_, **__: answer())
    return bytecode.checked(Source("a.mlirbc", DATA, None))


def refusal(monkeypatch, answer):
    with pytest.raises(InputError) as found:
        checked(monkeypatch, answer)
    assert found.value.diagnostic.file == "a.mlirbc"
    return str(found.value)


def test_what_the_child_writes_is_read_instead(monkeypatch, capfd):
    big = "x" * 200_000  # more than a pipe holds

    def answer():
        os.write(2, b"of a library")
        print(json.dumps({"sharding": 1}), big, sep="\n", end="")
        return 0

    source = checked(monkeypatch, answer)
    assert source.content == big.encode()
    assert "sharding" in source.remark
    monkeypatch.undo()
    assert capfd.readouterr() == ("", "")


def _raise():
    raise RuntimeError


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (lambda: os.kill(os.getpid(), signal.SIGSEGV), "it crashes the reader (status -11)"),
        (lambda: os.kill(os.getpid(), signal.SIGXCPU), "not read within 8 seconds"),
        (_raise, "it crashes the reader (status 2)"),
        (lambda: print("malformed bytecode, short") or 1, "short"),
    ],
)
def test_the_end_of_the_child_is_the_reason(answer, said, monkeypatch):
    assert refusal(monkeypatch, answer) == f"malformed bytecode, {said}"


def test_a_child_that_waits_for_ever_is_ended(monkeypatch):
    monkeypatch.setattr(bytecode, "WAITING_SECONDS", 0.1)
    said = refusal(monkeypatch, lambda: time.sleep(1000))
    assert said.startswith("malformed bytecode, not read within")


def test_with_a_client_of_the_runtime_the_child_is_a_process_of_its_own(monkeypatch):
    """A fork would have the client, and not its threads."""
    asked = []

    def tried(data, child):
        asked.append(child)
        return data, {}

    monkeypatch.setattr(rt, "has_client", lambda: True)
    monkeypatch.setattr(bytecode, "tried", tried)
    assert bytecode.checked(Source("a", DATA, None), load=["b.py"]).content == DATA
    assert asked == [("anvl.tools.io.bytecode", "0", "b.py")]
