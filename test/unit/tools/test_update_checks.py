"""`anvl-update-checks`: what it writes passes, stays, and leaves alone what people wrote."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from anvl.tools.checks.lint_checks import problems
from anvl.tools.checks.update_checks import main

# Lit's shell leaves the ends of its pipes to the garbage collector.
pytestmark = [
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
    pytest.mark.sweep(keep=0),  # each runs lit
]

CONFIG = """
import lit.formats, os, sys
config.name = "own"
config.test_format = lit.formats.ShTest()
config.suffixes = [".mlir", ".test"]
config.environment["PATH"] = os.path.dirname(sys.executable) + ":" + os.environ["PATH"]
config.substitutions += [("%print", "cat %S/printed"), ("%numbers", "anvl-numbers")]
"""
PRINTED = """\
module {
  func.func @f(%x: tensor<2xf32>, %arg1: tensor<2xf32>) -> tensor<2xf32> {
    %0:2 = "my.both"(%x, %arg1) : (tensor<2xf32>, tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>)
    %1 = "anvl.sin"(%0#1) {a = "%x [["} : (tensor<2xf32>) -> tensor<2xf32>
    %2 = scf.for %i = %0 to %1 iter_args(%a = %1) {
      %3 = "anvl.sin"(%a) : (tensor<2xf32>) -> tensor<2xf32>
    }
    %s, %c = "my.wave"(%2) ({
    ^bb0(%i: tensor<f32>):
      %3 = "anvl.constant"() {value = dense<[[1.5]]> : tensor<1x1xf32>} : () -> tensor<1x1xf32>
    }) : () -> (f32, f32)
    return %s : f32 loc(1.5
  }
  func.func private @g(tensor<f32>)
}
"""
CHECKS = """\
// CHECK-LABEL: func.func @f(
// CHECK-SAME:    %[[X:[a-zA-Z0-9_]+]]: tensor<2xf32>, %[[ARG1:[a-zA-Z0-9_]+]]: tensor<2xf32>) \
-> tensor<2xf32> {
// CHECK-NEXT:    %[[BOTH:.*]]:2 = "my.both"(%[[X]], %[[ARG1]]) : \
(tensor<2xf32>, tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>)
// CHECK-NEXT:    %[[SIN:.*]] = "anvl.sin"(%[[BOTH]]#1) {a = "%x {{\\[\\[}}"} : \
(tensor<2xf32>) -> tensor<2xf32>
// CHECK-NEXT:    %[[FOR:[a-zA-Z0-9_]+]] = scf.for %[[I:[a-zA-Z0-9_]+]] = %[[BOTH]] to %[[SIN]] \
iter_args(%[[A:[a-zA-Z0-9_]+]] = %[[SIN]]) {
// CHECK-NEXT:      %[[SIN_0:.*]] = "anvl.sin"(%[[A]]) : (tensor<2xf32>) -> tensor<2xf32>
// CHECK-NEXT:    }
// CHECK-NEXT:    %[[S:[a-zA-Z0-9_]+]], %[[C:[a-zA-Z0-9_]+]] = "my.wave"(%[[FOR]]) ({
// CHECK-NEXT:    ^bb0(%[[I_0:[a-zA-Z0-9_]+]]: tensor<f32>):
// CHECK-NEXT:      %[[CONSTANT:.*]] = "anvl.constant"() {value = dense<{{\\[\\[}}1.5]]> : \
tensor<1x1xf32>} : () -> tensor<1x1xf32>
// CHECK-NEXT:    }) : () -> (f32, f32)
// CHECK-NEXT:    return %[[S]] : f32 loc(1.5{{$}}
// CHECK-NEXT:  }

// CHECK-LABEL: func.func private @g(
// CHECK-SAME:    tensor<f32>)
"""
MARK = "// NOTE: the checks of {} were written by anvl-update-checks, which replaces them\n"


@pytest.fixture
def suite(tmp_path, monkeypatch):
    """A folder with tests whose commands print a file."""
    monkeypatch.chdir(tmp_path)
    Path("lit.cfg.py").write_text(CONFIG)
    Path("printed").write_text(PRINTED)
    return tmp_path


def write(text, name="a.mlir"):
    Path(name).write_text(text)
    return Path(name)


def update(*argv):
    assert main(list(map(str, argv))) == 0
    text = Path(argv[0]).read_text()
    assert list(problems(Path(argv[0]))) == []
    assert main([str(argv[0]), "--check"]) == 0  # the second time nothing changes
    return text


def refused(capsys, test, *flags):
    before = test.read_text()
    assert main([str(test), *flags]) == 1
    assert test.read_text() == before
    assert sorted(p.name for p in Path().iterdir() if p.name.startswith(".")) == []
    return capsys.readouterr().err


def test_values_have_names(suite):
    run, source = "// RUN: %print | filecheck %s\n", "\n// Doubles.\n\nfunc.func @f(%x: f32) {\n}\n"
    text = update(write(run + source))
    assert text == MARK.format("CHECK") + run + source.replace("func.func", CHECKS + "func.func")


def test_what_a_person_wrote_stays(suite):
    test = write("// RUN: %print | filecheck %s\nfunc.func @f(%x: f32) {\n}\n")
    update(test)
    text = test.read_text().replace("// CHECK-LABEL: func.func private", "// Why.\n\n\\g")
    text = text.replace("\\g", "// CHECK-LABEL: func.func private")
    text = text.replace(
        "func.func @f(%x: f32)", "\n// CHECK-NOT: anvl.cos\n\nfunc.func @f(%x: f32)"
    )
    text = text.replace("\n}\n", "\n}\n\n// The end.\n")
    test.write_text(text)
    assert update(test) == text
    Path("printed").write_text(PRINTED.replace("anvl.sin", "anvl.tan"))
    changed = text.replace("SIN", "TAN").replace('"anvl.sin', '"anvl.tan')
    assert update(test) == changed


def test_prefixes_share_what_is_equal(suite):
    Path("other").write_text(PRINTED.replace("@g(tensor<f32>)", "@g(tensor<f64>)"))
    text = update(
        write(
            "// RUN: %print | filecheck %s --check-prefixes=CHECK,A\n"
            "// RUN: cat %S/other | filecheck %s --check-prefix CHECK --check-prefix=B\n"
        )
    )
    start = "// {}-LABEL: func.func private @g(\n// {}-SAME:    tensor<{}>)\n"
    both, _, _ = CHECKS.partition("// CHECK-LABEL: func.func private")
    assert both in text
    assert start.format("A", "A", "f32") in text and start.format("B", "B", "f64") in text
    assert text.count("@g(") == 2 and text.count("func.func @f(") == 1


def test_messages_name_lines_by_their_distance(suite):
    Path("fail.py").write_text(
        "import sys\nfor n, line in enumerate(open(sys.argv[1]), 1):\n"
        "  if 'wrong' in line: print(f'{sys.argv[1]}:{n}:3: error: here', file=sys.stderr)\n"
        "print(sys.argv[1] + ':1:1: error', file=sys.stderr); sys.exit(1)\n"
    )
    command = f"not {sys.executable} %S/fail.py %s 2>&1 | filecheck %s"
    text = update(write(f"# RUN: {command}\n\nx\nis wrong\n", "a.test"))
    assert "# CHECK:      {{.*}}a.test:[[# @LINE + 4]]:3: error: here\n" in text
    assert "# CHECK-NEXT: {{.*}}a.test:1:1: error\n" in text
    Path("a.test").write_text(text.replace("\nx\n", "\nx\nx\n"))
    assert "a.test:[[# @LINE + 5]]:3:" in update(Path("a.test"))


def test_a_folder_has_only_its_generated_tests_updated(suite, capsys):
    write("// RUN: %print | filecheck %s\n// CHECK: anvl.sin\n", "hand.mlir")
    update(write("// RUN: %print | filecheck %s\n"))
    hand, generated = Path("hand.mlir").read_text(), Path("a.mlir").read_text()
    Path("printed").write_text(PRINTED.replace("my.both", "my.all"))
    capsys.readouterr()
    assert main([".", "--check"]) == 1
    assert capsys.readouterr().out == "a.mlir: checks are not current\n"
    assert Path("a.mlir").read_text() == generated
    assert main(["."]) == 0
    assert 'ALL:.*]]:2 = "my.all"' in Path("a.mlir").read_text()
    assert Path("hand.mlir").read_text() == hand


def test_checks_of_a_person_are_replaced_when_asked(suite, capsys):
    test = write("// RUN: %print | filecheck %s\n// CHECK-DAG: anvl.sin\n")
    assert "the checks of CHECK were written by hand; --overwrite" in refused(capsys, test)
    text = update(test, "--overwrite")
    assert text.count("anvl.sin") == 2 and "-DAG" not in text
    test = write(
        "// RUN: %print | filecheck %s\n// RUN: %print | filecheck %s --check-prefix=B\n// B: f\n"
    )
    text = update(test, "--prefix=CHECK")
    assert "// B: f\n" in text and MARK.format("CHECK") in text


@pytest.mark.parametrize(
    ("text", "flags", "message"),
    [
        ("// RUN: cat %s\n", (), "no RUN line ends in filecheck"),
        ("func.func\n", (), "no 'RUN:' line"),
        ("// RUN: %print | filecheck %s\n", ("--prefix=HLO",), "no RUN line has the prefix HLO"),
        ("// RUN: cat %S/none | filecheck %s\n", (), "the command of line 1 fails: "),
        ("// RUN: true | filecheck %s\n", (), "line 1 prints nothing for CHECK"),
        (
            "// RUN: %print | filecheck %s\n// RUN: cat %s | filecheck %s\n",
            (),
            "several RUN lines have the prefix CHECK, but ",
        ),
        (
            "// RUN: date +%%N > %t && cat %t | filecheck %s\n",
            (),
            "the test would not pass, so it is as it was; the command of line 2 fails",
        ),
    ],
)
def test_what_cannot_be_written_leaves_the_test(suite, capsys, text, flags, message):
    assert message in refused(capsys, write(text), *flags)


def test_wrong_arguments(suite, capsys):
    for argv, message in [
        ([], "no test; name files or folders"),
        (["none.mlir"], "no such file or folder: none.mlir"),
        (["--overwite"], "unknown flag --overwite, did you mean '--overwrite'?"),
    ]:
        assert main(argv) == 1
        assert message in capsys.readouterr().err


def test_no_folder_is_left_behind(tmp_path):
    """At the end of the process: lit makes the folder of its outputs when it runs a test."""
    test, temporary = tmp_path / "a.mlir", tmp_path / "temporary"
    temporary.mkdir()
    test.write_text("// RUN: anvl-opt %s | filecheck %s\nfunc.func @f() { return }\n")
    command = [sys.executable, "-m", "anvl.tools.checks.update_checks", str(test)]
    environment = os.environ | {"TMPDIR": str(temporary)}
    subprocess.run(command, env=environment, check=True, timeout=120)
    assert "CHECK" in test.read_text() and not list(temporary.iterdir())


def test_a_test_without_a_configuration(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("printed").write_text(PRINTED)
    assert CHECKS in update(write("// RUN: cat %S/printed | filecheck %s\n"))
