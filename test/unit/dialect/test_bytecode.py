"""The child process that reads bytecode first: what ends it is told as the reason."""

import subprocess
import sys

import pytest

from anvl.dialect.text.bytecode import Malformed, tried

resource = pytest.importorskip("resource")
ENDLESS = """
from anvl.dialect.text import bytecode
def answer(*_, **__):
    while True:
        pass
bytecode.answer, bytecode._SECONDS = answer, 1
bytecode.answer_of(b"", 1)
"""


@pytest.mark.sweep(keep=0)
def test_a_reader_that_does_not_end_is_ended():
    found = subprocess.run([sys.executable, "-c", ENDLESS])
    assert found.returncode == -24


@pytest.mark.parametrize(
    ("number", "said"),
    [(24, "not read within 8 seconds"), (11, r"it crashes the reader \(status -11\)")],
)
def test_the_end_of_the_child_is_the_reason(number, said):
    child = "timeit", "-n1", "-r1", "-s", "import os", f"os.kill(os.getpid(), {number})"
    with pytest.raises(Malformed, match=f"malformed bytecode, {said}"):
        tried(b"", child)
