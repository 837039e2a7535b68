"""A small, fixed part of `make fuzz-text`; and the fuzzer finds and shrinks what is planted."""

import os
import random
import signal
from pathlib import Path

import pytest

from anvl.tools.dev import fuzz_text
from anvl.tools.dev.mutations import Mutator, mutated_bytes

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this system")

ROOT = Path(__file__).parents[3]
GOOD = "func.func @f(%x: tensor<f32>) -> tensor<f32> {\n  return %x : tensor<f32>\n}\n"


@pytest.fixture(scope="module")
def corpus():
    found = fuzz_text.corpus_of([ROOT / "test" / "lit", ROOT / "docs"])
    assert len(found) > 300
    return found


@pytest.mark.sweep(keep=0)
def test_mutated_texts_and_bytecode_end_in_good_order(corpus):
    report = fuzz_text.fuzz(corpus, seed=1, texts=30, bytecodes=8, shrinking=False)
    assert not report.failures, f"{report}\n{report.failures}"
    assert (report.texts, report.bytecodes) == (30, 8)


def test_the_same_seed_gives_the_same_inputs(corpus):
    one, same, other = (Mutator(corpus, random.Random(seed)) for seed in (1, 1, 2))
    texts = [[m.text() for _ in range(20)] for m in (one, same, other)]
    assert texts[0] == texts[1] != texts[2]
    data = b"ML\xefR" + bytes(range(100))
    assert mutated_bytes(data, random.Random(3)) == mutated_bytes(data, random.Random(3))


def _crash(signal_number):
    os.kill(os.getpid(), signal_number)


@pytest.mark.sweep(keep=1)
@pytest.mark.parametrize(
    ("planted", "cause"),
    [
        (lambda: _crash(signal.SIGSEGV), "signal SIGSEGV"),
        (lambda: 1, "no diagnostic"),
        (lambda: 3, "exit code 3"),
        (lambda: print("a.mlir:1:1: error: internal error, X") or 1, "no diagnostic"),
        (lambda: 1 / 0, "traceback: Traceback: ZeroDivisionError"),
    ],
)
def test_what_is_planted_is_found_and_shrunk(planted, cause, monkeypatch):
    def opt(arguments):
        return planted() if "return" in Path(arguments[0]).read_text() else 0

    monkeypatch.setattr(fuzz_text, "_opt", opt)
    report = fuzz_text.fuzz([GOOD], seed=2, texts=3)
    assert report.failures[0].cause.startswith(cause)
    assert report.failures[0].content.strip() == b"return"


def test_an_output_that_does_not_read_back_is_a_failure(monkeypatch):
    def opt(arguments):
        if arguments[0].endswith("again.mlir"):
            return 1
        print("wrong")
        return 0

    monkeypatch.setattr(fuzz_text, "_opt", opt)
    report = fuzz_text.fuzz([GOOD], seed=1, texts=1, shrinking=False)
    assert report.failures[0].cause.startswith("output does not read back")


def test_a_run_by_time_has_texts_and_bytecodes(monkeypatch, tmp_path, capsys):
    """As `make fuzz-text` runs it: bytecode was never among the inputs once."""
    given = []
    monkeypatch.setattr(fuzz_text, "corpus_of", lambda folders: [GOOD])

    def fuzz(corpus, **how):
        given.append(how)
        return fuzz_text.Report()

    monkeypatch.setattr(fuzz_text, "fuzz", fuzz)
    for arguments in ([], ["--texts=5"], ["--bytecodes=3"]):
        assert fuzz_text.main([*arguments, "--seconds=1", f"--out={tmp_path}"]) == 0
    numbers = [(how["texts"] > 0, how["bytecodes"] > 0) for how in given]
    assert numbers == [(True, True), (True, False), (False, True)]


def test_bytecodes_are_among_the_texts():
    report = fuzz_text.fuzz([GOOD], seed=3, texts=9, bytecodes=2, shrinking=False)
    assert (report.texts, report.bytecodes) == (9, 2)
