"""Reducing modules: every kind of edit, the same result each time, and what interruptions leave."""

import errno
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from anvl import runtime
from anvl.dialect.core.context import context
from anvl.dialect.core.mlir import ir
from anvl.tools.io.command_line import UsageError
from anvl.tools.reduce import op_edits
from anvl.tools.reduce import search as search_module
from anvl.tools.reduce.judge import Answer, Judge, Script
from anvl.tools.reduce.kept import Kept, Outcome
from anvl.tools.reduce.search import Search, op_count, size_of
from anvl.tools.reduce.shape_edits import Resized, resized, shapes

needs_fork = pytest.mark.skipif(not hasattr(os, "fork"), reason="candidates need a fork")

TEXT = """
func.func @main(%x: tensor<4x6xf32>, %n: tensor<i32>) -> (tensor<4x6xf32>, tensor<4xf32>)
    attributes {my.note = "a note"} {
  %unused = "anvl.tanh"(%x) : (tensor<4x6xf32>) -> tensor<4x6xf32>
  %0 = func.call @g(%x, %n) : (tensor<4x6xf32>, tensor<i32>) -> tensor<4x6xf32>
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %1:2 = stablehlo.while(%k = %zero, %a = %0) : tensor<i32>, tensor<4x6xf32>
    cond {
      %c = stablehlo.compare LT, %k, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %c : tensor<i1>
    } do {
      %one = stablehlo.constant dense<1> : tensor<i32>
      %k2 = stablehlo.add %k, %one : tensor<i32>
      %a2 = "anvl.cos"(%a) : (tensor<4x6xf32>) -> tensor<4x6xf32>
      stablehlo.return %k2, %a2 : tensor<i32>, tensor<4x6xf32>
    }
  %2 = "anvl.sum"(%1#1) {axes = array<i64: 1>} : (tensor<4x6xf32>) -> tensor<4xf32>
  return %1#1, %2 : tensor<4x6xf32>, tensor<4xf32>
}
func.func private @g(%x: tensor<4x6xf32>, %n: tensor<i32>) -> tensor<4x6xf32> {
  %c = "anvl.constant"() {value = dense<0.3333333> : tensor<4x6xf32>} : () -> tensor<4x6xf32>
  %0 = "anvl.sin"(%x) : (tensor<4x6xf32>) -> tensor<4x6xf32>
  %1 = "anvl.mul"(%0, %c) : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
  return %1 : tensor<4x6xf32>
}
"""


class Contains:
    """A module is of interest as long as it holds some texts."""

    def __init__(self, *parts):
        self.parts, self.texts = parts, []

    def answer(self, text):
        self.texts.append(text)
        return Answer("contains", "") if all(x in text for x in self.parts) else None

    def close(self):
        pass


def reduced(text, *parts):
    asker = Contains(*parts)
    text = ir.Module.parse(text, context()).operation.get_asm()
    search = Search(text, asker.answer(text), asker, lambda best, tried: None)
    search.run()
    return search.best, asker


@pytest.mark.parametrize(
    "parts, ops",
    [
        (["anvl.sin"], 1),
        (["anvl.cos"], 1),
        (["anvl.tanh"], 1),
        (["anvl.sum"], 1),
        (["anvl.sin", "anvl.cos"], 2),
        (["stablehlo.while"], 2),  # a loop needs a condition
        (["func.func private @g"], 0),
        (["call @g"], 1),
        ([], 0),
    ],
)
def test_nothing_is_left_but_what_is_of_interest(parts, ops):
    best, _ = reduced(TEXT, *parts)
    assert best.ops == ops, best.text
    assert "my.note" not in best.text and "4x6" not in best.text


def test_attributes_and_shapes_stay_where_they_are_of_interest():
    best, _ = reduced(TEXT, "my.note", "tensor<4x")
    assert "my.note" in best.text and "tensor<4x1x" in best.text


def test_every_candidate_is_valid_and_smaller_and_none_is_tried_twice():
    parts = ["anvl.mul", "stablehlo.while"]
    _, asker = reduced(TEXT, *parts)
    assert len(set(asker.texts)) == len(asker.texts)
    smallest = None
    for text in asker.texts:
        module = ir.Module.parse(text, context())
        assert module.operation.verify()
        size = size_of(module, text)
        assert smallest is None or size < smallest
        if all(part in text for part in parts):
            smallest = size


def test_a_larger_candidate_is_not_even_tried(monkeypatch):
    def add_copies(module):
        for op in op_edits.ops_in(module):
            yield lambda op=op: op.clone(ip=ir.InsertionPoint(op)).attributes.__setitem__("n", unit)

    unit = ir.UnitAttr.get(context())
    monkeypatch.setattr(op_edits, "sweep", lambda *_: None)
    reductions = (search_module._edits("adding copies", add_copies),)
    monkeypatch.setattr(search_module, "_REDUCTIONS", reductions)
    body = "%0 = stablehlo.sine %x : tensor<1xf32> return"
    best, asker = reduced(f"func.func @f(%x: tensor<1xf32>) {{ {body} }}")
    assert best.ops == 1 and len(asker.texts) == 1


def test_unused_arguments_and_results_go_in_functions_and_their_calls():
    type_ = "tensor<1xf32>"
    text = f"""
    func.func @f(%x: {type_}, %y: {type_}) -> ({type_}, {type_}) {{
      %0:2 = call @g(%y, %x) : ({type_}, {type_}) -> ({type_}, {type_})
      return %0#1, %x : {type_}, {type_}
    }}
    func.func private @g(%x: {type_}, %y: {type_}) -> ({type_}, {type_}) {{
      return %y, %x : {type_}, {type_}
    }}"""
    best, _ = reduced(text, "call @g", "@f(")
    assert best.text.count("tensor") == 0, best.text


def test_the_result_is_the_same_each_time():
    first, second = (reduced(TEXT, "anvl.cos", "anvl.sum") for _ in range(2))
    assert first[0].text == second[0].text and first[1].texts == second[1].texts


def chain(n):
    type_ = "tensor<4xf32>"
    lines = [f"func.func @main(%v0: {type_}) -> {type_} {{"]
    names = ["sin", "cos", "exp", "tanh"]
    for i in range(n):
        name = "neg" if i == n // 2 else names[i % 4]
        lines.append(f'  %v{i + 1} = "anvl.{name}"(%v{i}) : ({type_}) -> {type_}')
    return "\n".join([*lines, f"  return %v{n} : {type_}", "}"])


def test_a_long_chain_takes_few_candidates():
    best, asker = reduced(chain(200), "anvl.neg")
    assert best.ops == 1
    assert len(asker.texts) < 40


def test_a_size_becomes_smaller_in_types_and_attributes():
    text = "reshape tensor<4x2xf32> {limits = array<i64: 4, 2>} -> tensor<14xf32>"
    assert resized(text, Resized(4, 2, True)).startswith("reshape tensor<2x2xf32> {limits = array")
    assert "array<i64: 2, 2>" in resized(text, Resized(4, 2, True))
    assert "array<i64: 4, 2>" in resized(text, Resized(4, 2, False))
    assert "tensor<14xf32>" in resized(text, Resized(4, 2, True))
    assert all(0 < change.new < change.old for change in shapes(text))


class Reacts:
    """Ends its process, hangs or raises, as the text says."""

    is_about_crashes = True

    def answer(self, text, at):
        at("the step")
        if text == "abort":
            os.abort()
        while text == "hang":
            pass
        if text == "sleep":
            time.sleep(60)
        return Answer("key", "detail") if text == "yes" else None


@pytest.fixture
def without_client(monkeypatch):
    """As in `anvl-reduce`, which has no client: an earlier test may have made one here.

    Forking is harmless even then, as `Reacts` asks nothing of XLA.
    """
    monkeypatch.setattr(runtime, "has_client", lambda: False)


def test_a_process_with_a_client_is_not_forked(monkeypatch):
    monkeypatch.setattr(runtime, "has_client", lambda: True)
    with pytest.raises(UsageError, match="this process has an XLA client"):
        Judge(Reacts(), 1.0).answer("yes")


@pytest.mark.sweep(keep=0)
@needs_fork
def test_a_candidate_may_end_the_child_or_hang(without_client):
    judge = Judge(Reacts(), 0.3)
    assert judge.answer("yes") == ("key", "detail")
    assert judge.answer("no") is None
    assert judge.answer("abort").key == "the step ends the process with SIGABRT"
    assert judge.answer("hang").key == "the step takes longer than 0.3 s of a processor"
    assert judge.answer("sleep").key == "the step takes longer than 3 s"
    assert judge.answer("yes") == ("key", "detail")
    judge.close()


@needs_fork
def test_a_child_that_ends_is_no_answer_to_another_question(without_client):
    question = Reacts()
    question.is_about_crashes = False
    judge = Judge(question, 5.0)
    assert judge.answer("abort") is None
    assert judge.answer("yes") is not None
    judge.close()


@pytest.mark.parametrize(
    "code, is_of_interest", [("0", False), ("1", True), ("2", True), ("127", False)]
)
def test_the_exit_code_of_a_script_is_the_answer(tmp_path, code, is_of_interest):
    script = tmp_path / "script.sh"
    script.write_text(f'#!/bin/sh\n[ "$1" = -v ] && [ -f "$2" ] && [ $# = 2 ] && exit {code}\n')
    script.chmod(0o755)
    asker = Script(str(script), ["-v"], 10.0, tmp_path)
    assert (asker.answer("module {}") is not None) == is_of_interest
    asker.close()


def test_a_script_that_hangs_is_of_no_interest(tmp_path):
    script = tmp_path / "script.sh"
    script.write_text("#!/bin/sh\nsleep 60\nexit 1\n")
    script.chmod(0o755)
    asker = Script(str(script), [], 0.2, tmp_path)
    assert asker.answer("module {}") is None
    asker.close()


@pytest.mark.sweep(keep=0, part=1)
@needs_fork
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interruption_leaves_the_smallest_module_so_far(tmp_path, number):
    script, given, out = tmp_path / "slow.sh", tmp_path / "chain.mlir", tmp_path / "small.mlir"
    sizes, pid = tmp_path / "sizes", tmp_path / "pid"  # of the candidates so far, of the last one
    script.write_text(
        f'#!/bin/sh\necho $$ > "{pid}"\ngrep -c tanh "$1" >> "{sizes}"\nsleep 0.2\n'
        f'[ $(wc -l < "{sizes}") -ge 8 ] && sleep 60\n'
        'grep -q anvl.neg "$1" && exit 1\nexit 0\n'
    )
    script.chmod(0o755)
    given.write_text(chain(60))
    command = [
        sys.executable,
        "-m",
        "anvl.tools.reduce.reduce_tool",
        str(given),
        f"--test={script}",
        "-o",
        str(out),
    ]
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    # A shell has the programs that it runs in the background ignore Ctrl-C.
    child = subprocess.Popen(
        command,
        env={**os.environ, "TMPDIR": str(scratch)},
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    while child.poll() is None and not (sizes.exists() and len(sizes.read_text().split()) >= 8):
        time.sleep(0.05)
    assert not out.exists()
    child.send_signal(number)
    _, said = child.communicate(timeout=20)
    assert child.returncode == 130
    assert "interrupted: slow.sh exits with 1; ops 60 -> " in said
    module = ir.Module.parse(out.read_text(), context())
    assert "anvl.neg" in out.read_text() and 1 <= op_count(module) < 60
    assert [path.name for path in Path(tmp_path).glob(".*")] == []
    assert list(scratch.iterdir()) == []
    assert not is_running(int(pid.read_text()))


def is_running(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    state = Path(f"/proc/{pid}/stat")  # one that nobody has waited for is there, but does not run
    return not (state.exists() and ") Z " in state.read_text())


# -- what ends the search itself -------------------------------------------------------------------

TOUCHY = """
import ctypes

from anvl.dialect import AnvlOp, Operand, Result

class TouchyOp(AnvlOp, name="touchy.wave"):
    \"\"\"A type rule that ends the process for short arrays.\"\"\"

    x: Operand
    y: Result

    @classmethod
    def result_type(cls, x):
        if x.shape[0] < 3:
            ctypes.string_at(0)
        return x
"""
PLANTED = """
import os
import signal
from dataclasses import dataclass

from anvl.passes import Pass
from anvl.tools.reduce import search

@dataclass(frozen=True)
class Planted(Pass, argument="planted"):
    # A file to load must define one.
    def run(self, op):
        pass

plain = search.size_of

def planted(module, text):
    if 0 < text.count("anvl.") < 20:
        {what}
    return plain(module, text)

search.size_of = planted
"""


def reduced_with(tmp_path, plant, given, wanted):
    """A run of anvl-reduce with a planted file: exit code, messages and output."""
    load, script, file = (tmp_path / name for name in ("plant.py", "test.sh", "given.mlir"))
    out = tmp_path / "small.mlir"
    load.write_text(plant)
    script.write_text(f'#!/bin/sh\ngrep -q {wanted} "$1" && exit 1\nexit 0\n')
    script.chmod(0o755)
    file.write_text(given)
    command = [sys.executable, "-m", "anvl.tools.reduce.reduce_tool", str(file), f"--load={load}"]
    done = subprocess.run(
        [*command, f"--test={script}", "-o", str(out)], capture_output=True, text=True, timeout=100
    )
    assert "Traceback" not in done.stderr
    return done.returncode, done.stderr, out.read_text() if out.exists() else None


@pytest.mark.sweep(keep=1)
@needs_fork
@pytest.mark.parametrize(
    "what, said",
    [
        ("os.kill(os.getpid(), signal.SIGSEGV)", "crashed, SIGSEGV\n"),
        ("os.kill(os.getpid(), signal.SIGKILL)", "crashed, SIGKILL, as where memory runs out\n"),
        ("raise MemoryError", "failed, MemoryError\n"),
    ],
)
def test_a_crash_of_the_search_leaves_the_smallest_module_so_far(tmp_path, what, said):
    plant = PLANTED.format(what=what)
    code, messages, text = reduced_with(tmp_path, plant, chain(60), "anvl.neg")
    assert code == 1
    assert messages.startswith("anvl-reduce: error: re") and f"ops {said}" in messages
    assert "anvl-reduce: the smallest module so far: test.sh exits with 1; ops 60 -> " in messages
    module = ir.Module.parse(text, context())
    assert "anvl.neg" in text and 1 <= op_count(module) < 60


@pytest.mark.sweep(keep=0)
@needs_fork
def test_a_type_rule_that_ends_the_process_leaves_the_smallest_module_so_far(tmp_path):
    """Reading a candidate runs the rule in the process of the search."""
    f32 = "tensor<8xf32>"
    given = (
        f"func.func @f(%x: {f32}) -> {f32} {{\n"
        f'  %0 = "anvl.sin"(%x) : ({f32}) -> {f32}\n'
        f'  %1 = "touchy.wave"(%0) : ({f32}) -> {f32}\n'
        f'  %2 = "anvl.cos"(%1) : ({f32}) -> {f32}\n'
        f"  return %2 : {f32}\n}}\n"
    )
    code, messages, text = reduced_with(tmp_path, TOUCHY, given, "touchy.wave")
    assert code == 1
    assert "anvl-reduce: error: shrinking shapes crashed, SIGSEGV\n" in messages
    assert "anvl-reduce: the smallest module so far: test.sh exits with 1; ops 3 -> 1, " in messages
    assert text.count("touchy.wave") == 1 and "anvl." not in text.partition("func")[2]


@pytest.mark.sweep(keep=0)
@needs_fork
def test_a_crash_before_the_first_answer_writes_nothing(tmp_path):
    given = (
        "func.func @f(%x: tensor<2xf32>) -> tensor<2xf32> {\n"
        '  %1 = "touchy.wave"(%x) : (tensor<2xf32>) -> tensor<2xf32>\n'
        "  return %1 : tensor<2xf32>\n}\n"
    )
    code, messages, text = reduced_with(tmp_path, TOUCHY, given, "touchy.wave")
    assert (code, text) == (1, None)
    assert messages == "anvl-reduce: error: reading the input crashed, SIGSEGV\n"


def test_what_is_kept_is_whole_whenever_its_writer_ends():
    with Kept() as kept:
        assert kept.load() is None
        for i in range(5):
            kept.save(Outcome(f"text {i} \u00e9", "message"))
            assert kept.load() == (f"text {i} \u00e9", "message")
        newest = kept._files[kept._count % 2]
        newest.truncate(newest.tell() - 1)  # its writer ended in the middle
        assert kept.load() == ("text 3 \u00e9", "message")


def test_a_folder_for_candidates_that_cannot_be_made_is_an_error(monkeypatch):
    def refuse(**_):
        raise FileNotFoundError(errno.ENOENT, "No usable temporary directory")

    monkeypatch.setattr("anvl.tools.reduce.kept.TemporaryDirectory", refuse)
    with pytest.raises(UsageError, match="no folder for candidates, No usable temporary"):
        Kept(has_folder=True)


def test_nothing_is_kept_where_there_is_no_folder_for_it(monkeypatch):
    def refuse(**_):
        raise FileNotFoundError

    monkeypatch.setattr("anvl.tools.reduce.kept.TemporaryFile", refuse)
    kept = Kept()
    kept.save(Outcome("text", "message"))
    assert kept.load() is None
