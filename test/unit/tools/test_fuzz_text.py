"""A small, fixed part of `make fuzz-text`; and the fuzzer finds and shrinks what is planted."""

import os
import random
import signal
from pathlib import Path

import pytest

from anvl.passes import Simplify
from anvl.tools.dev import fuzz_commands, fuzz_text
from anvl.tools.dev.mutations import Mutator, mutated_bytes

pytestmark = [
    pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this system"),
    pytest.mark.sweep(keep=0),
]

ROOT = Path(__file__).parents[3]
GOOD = "func.func @f(%x: tensor<f32>) -> tensor<f32> {\n  return %x : tensor<f32>\n}\n"


@pytest.fixture(scope="module")
def corpus():
    found = fuzz_text.corpus_of([ROOT / "test" / "lit", ROOT / "docs"])
    assert len(found) > 300
    return found


@pytest.mark.sweep(keep=0, part=0)
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


def only(monkeypatch, tool, *arguments):
    """All inputs go to one command."""
    command = fuzz_commands.Command(tool, arguments)
    monkeypatch.setattr(fuzz_text, "drawn_command", lambda draw, content: command)


def _compute():
    while True:
        pass


def _crash(signal_number):
    os.kill(os.getpid(), signal_number)


@pytest.mark.sweep(keep=0, part=1)
@pytest.mark.parametrize(
    ("planted", "cause"),
    [
        (lambda: _crash(signal.SIGSEGV), "signal SIGSEGV"),
        (_compute, "no end within 1 seconds"),
        (lambda: 1, "no diagnostic"),
        (lambda: 3, "exit code 3"),
        (lambda: print("a.mlir:1:1: error: internal error, X") or 1, "no diagnostic"),
        (lambda: 1 / 0, "traceback: Traceback: ZeroDivisionError"),
    ],
)
def test_what_is_planted_is_found_and_shrunk(planted, cause, monkeypatch):
    def call(tool, arguments):
        return planted() if "return" in Path(arguments[0]).read_text() else 0

    monkeypatch.setattr(fuzz_text, "_call", call)
    of_opt = fuzz_commands.TOOLS["anvl-opt"]._replace(seconds=1)
    monkeypatch.setitem(fuzz_commands.TOOLS, "anvl-opt", of_opt)
    only(monkeypatch, "anvl-opt")
    report = fuzz_text.fuzz([GOOD], seed=2, texts=1 if planted is _compute else 3)
    assert report.failures[0].cause.startswith(f"anvl-opt: {cause}")
    assert report.failures[0].content.strip() == b"return"


def _key_error():
    raise KeyError("planted")


@pytest.mark.sweep(keep=0, part=1)
@pytest.mark.parametrize(
    ("planted", "cause"),
    [
        (lambda: _crash(signal.SIGSEGV), "signal SIGSEGV"),
        (_compute, "no end within 1 seconds"),
        (_key_error, "traceback: internal error, KeyError"),
    ],
)
def test_a_fault_of_a_pass_is_found_among_good_inputs(planted, cause, monkeypatch):
    """The pass fails on functions of some name alone, in the children of one process."""

    def run(self, module):
        if "@faulty" in str(module):
            planted()

    monkeypatch.setattr(Simplify, "run", run)
    of_opt = fuzz_commands.TOOLS["anvl-opt"]._replace(seconds=1)
    monkeypatch.setitem(fuzz_commands.TOOLS, "anvl-opt", of_opt)
    only(monkeypatch, "anvl-opt", "--anvl-simplify")
    monkeypatch.setattr(Mutator, "text", lambda self: next(texts))
    texts = iter([GOOD, GOOD, GOOD.replace("@f", "@faulty"), GOOD])
    report = fuzz_text.fuzz([GOOD], seed=1, texts=4, shrinking=False)
    assert report.accepted == 3 and list(report.causes.values()) == [1]
    assert report.failures[0].cause.startswith(f"anvl-opt: {cause}")
    assert b"@faulty" in report.failures[0].content


def test_an_output_that_does_not_read_back_is_a_failure(monkeypatch):
    def call(tool, arguments):
        if arguments[0].endswith("again.mlir"):
            return 1
        print("wrong")
        return 0

    monkeypatch.setattr(fuzz_text, "_call", call)
    only(monkeypatch, "anvl-opt")
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


@pytest.mark.parametrize(
    ("tool", "flag", "printed", "cause"),
    [
        ("anvl-viz", "--format=svg", "<svg>\1</svg>", "malformed output of anvl-viz --format=svg"),
        ("anvl-diff", "--json", "{", "malformed output of anvl-diff --json"),
        ("anvl-diff", "--json", "{}", None),
    ],
)
def test_an_output_in_no_format_is_a_failure(tool, flag, printed, cause, monkeypatch):
    monkeypatch.setattr(fuzz_text, "_call", lambda tool, arguments: print(printed) or 0)
    only(monkeypatch, tool, flag)
    report = fuzz_text.fuzz([GOOD], seed=1, texts=1, shrinking=False)
    causes = [failure.cause.partition(":")[0] for failure in report.failures]
    assert causes == ([] if cause is None else [cause])


@pytest.mark.sweep(keep=0, part=0)
def test_every_tool_gets_inputs_and_a_difference_needs_no_diagnostic(monkeypatch):
    tools = []
    monkeypatch.setattr(fuzz_text, "_call", lambda tool, arguments: tool == "anvl-diff")
    judged = fuzz_text._judge

    def judge(report, runner, content, command, shrinking):
        tools.append(command.tool)
        judged(report, runner, content, command, shrinking)

    monkeypatch.setattr(fuzz_text, "_judge", judge)
    report = fuzz_text.fuzz([GOOD], seed=1, texts=60, shrinking=False)
    assert set(tools) == set(fuzz_commands.TOOLS)
    assert not [failure for failure in report.failures if "anvl-diff: no" in failure.cause]


def test_bytecodes_are_among_the_texts():
    report = fuzz_text.fuzz([GOOD], seed=3, texts=9, bytecodes=2, shrinking=False)
    assert (report.texts, report.bytecodes) == (9, 2)
