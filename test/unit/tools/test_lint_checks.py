"""The check-lint finds what filecheck passes over in silence."""

from pathlib import Path

import pytest

from anvl.tools.checks.lint_checks import main, problems

ROOT = Path(__file__).resolve().parents[3]
RUN = "// RUN: anvl-opt %s | filecheck %s"


@pytest.mark.parametrize(
    "text",
    [
        f"{RUN}\n// CHECK: a\n// CHECK-NEXT: b\n// CHECK-COUNT-3: c\n// CHECK{{LITERAL}}: [[",
        f"{RUN} --check-prefixes=A,B\n// A: x\n// B-NOT: y",
        f"{RUN} --allow-empty\n// CHECK-NOT: y",
        "// RUN: anvl-opt %s \\\n// RUN:   | filecheck %s --check-prefix=LONG\n// LONG: x",
        "# RUN: not anvl-opt %s 2>&1 | filecheck %s\n# CHECK: error",
        "// RUN: anvl-opt %s --verify-diagnostics\n// Note: prose may have colons",
        f"{RUN}\n// CHECK: f.mlir:[[# @LINE + 1]]:3",
        f"{RUN}\n// CHECK: dense<1.0> : f64 {{a = 2.5e-01 : f32}}",
        "// RUN: %run %s | %numbers %s\n// NUMBERS: f64[] 1.0",
        "// RUN: %run %s | %numbers %s --check-prefix=A,B\n// A: f64[] 1.0\n// B-NEXT: f64[] 2.0",
        f"{RUN}\n// CHECK: %[[X:[a-zA-Z0-9_]+]]:2 = [%x, {{{{\\[\\[}}}}1, 2]]{{{{a|b|$}}}}",
        f"{RUN}\n// CHECK: %[[X:.*]] = f(%[[X]])\n// CHECK-SAME: {{{{a|b}}}} %[[X]]",
        f"{RUN}\n// CHECK: {{{{[^]|*?]+[[:space:]]a.b\\.c\\?[*?+]}}}}",
        f"{RUN}\n// CHECK{{LITERAL}}: [[1, 2]] {{{{\\w}}}} [[X]]",
        f"{RUN} -DX=1\n// CHECK: [[X]]\n// CHECK-NOT: {{{{a.*b}}}}\n// CHECK: c",
        f"{RUN}\n// CHECK this by hand, the RUN line too: CHECK lines are prose here\n// CHECK: a",
        f"{RUN}\n// TODO: x\n// HERE: y\n// CHECK: a",
    ],
)
def test_sound_tests_pass(text, tmp_path):
    (tmp_path / "a.mlir").write_text(text)
    assert list(problems(tmp_path / "a.mlir")) == []


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("// CHECK: a", ":1: no RUN line"),
        (f"{RUN}\n// CHECK-NOT: a", ":1: no positive check has the prefix CHECK"),
        (f"{RUN} --check-prefix=A\n// CHECK: a", ":1: no check has the prefix A"),
        (f"{RUN}\n// CHECK: a\n// CHECK-NXT: b", ":3: CHECK-NXT: no RUN line looks for this"),
        (f"{RUN}\n// CHECK: a\n// CHECk: b", ":3: CHECk: no RUN line looks for this"),
        (f"{RUN}\n// CHECK: a\n// OTHER-NEXT: b", ":3: OTHER-NEXT: no RUN line looks for this"),
        (f"{RUN} --implicit-check-not=x\n// CHECK: a", ":1: an option that only one of"),
        (f"{RUN}\n// CHECK: [[#A:]]", ":2: filecheck has no numeric captures"),
        (
            f"{RUN}\n// CHECK: f64[] 1.0",
            ":2: a longer number would match; end it, or compare it by",
        ),
        (f"{RUN}\n// CHECK: 1.0 : f64", ":2: a longer number would match"),
        (f"{RUN}\n// CHECK-NEXT: dense<1.5e+00", ":2: a longer number would match"),
        ("// RUN: %run %s | %numbers %s\n// NUMBER: 1", ":1: no check has the prefix NUMBERS"),
        ("// RUN: not anvl-opt %s", ":1: `not` passes for any failure"),
        (f"{RUN}\n// CHECK: a\n// CHECKNEXT: b", ":3: CHECKNEXT: no RUN line looks for this"),
        (f"{RUN}\n// CHECK: a\n// CHECK-LABLE: b", ":3: CHECK-LABLE: no RUN line looks for"),
        (f"{RUN}\n// CHECK: a\n// CHEKC: b", ":3: CHEKC: no RUN line looks for this"),
        (f"{RUN}\n// CHECK: a\n// CHECK-NEXT b", ":3: CHECK-NEXT: a directive is written CHECK-"),
        (f"{RUN}\n// CHECK: a\n// CHECK NEXT: b", ":3: CHECK NEXT:: a directive is written CHECK"),
        (f"{RUN}\n// CHECK: a\n// CHECK_NOT: b", ":3: CHECK_NOT:: a directive is written CHECK-"),
        (f"{RUN}\n// CHECK: a\n// CHECK : b", ":3: CHECK :: a directive is written CHECK:"),
        (f"{RUN}\n// RUN anvl-opt %s\n// CHECK: a", ":2: RUN without a colon is a comment"),
        (f"{RUN}\n// CHECK: [[X]] [[X:.*]]", ":2: [[X]] is used before a line captures it"),
        (
            f"{RUN} -check-prefix=A\n// RUN: b | filecheck %s\n// A: [[X:.]]\n// CHECK: [[X]]",
            ":4: [[X]] is used before a line captures it",
        ),
        (
            f"{RUN} --enable-var-scope\n// CHECK: [[X:a]]\n// CHECK-LABEL: f\n// CHECK: [[X]]",
            ":4: [[X]] is used before a line captures it",
        ),
        (f"{RUN}\n// CHECK-LABEL: f(%[[X:.*]]", ":2: [[X]]: LLVM's FileCheck has no variable in"),
        (f"{RUN}\n// CHECK: a\n// CHECK-NOT: a.*b\n// CHECK: c", ":3: cannot fail: .* is plain"),
        (f"{RUN}\n// CHECK: a\n// CHECK-NOT: a\\.b\n// CHECK: c", ":3: cannot fail: \\. is plain"),
        (f"{RUN}\n// CHECK: a\n// CHECK-NOT: b\n// CHECK-NEXT: c", ":3: cannot fail: no line lies"),
        (f"{RUN}\n// CHECK: {{{{\\w+}}}}", ":2: \\w: LLVM's FileCheck does not know it"),
        (f"{RUN}\n// CHECK: [[X:\\d+]]", ":2: \\d: LLVM's FileCheck does not know it"),
        (f"{RUN}\n// CHECK: {{{{a\\s}}}}", ":2: \\s: LLVM's FileCheck does not know it"),
        (f"{RUN}\n// CHECK: {{{{[\\w.]+}}}}", ":2: [\\w.]: LLVM's FileCheck takes a backslash"),
        (f"{RUN}\n// CHECK: {{{{a.*?b}}}}", ":2: *?: LLVM's FileCheck has no lazy quantifiers"),
        (f"{RUN}\n// CHECK: [[X:.+?]],", ":2: +?: LLVM's FileCheck has no lazy quantifiers"),
        (f"{RUN}\n// CHECK: {{{{(?!a)b}}}}", ":2: (?: LLVM's FileCheck has no lookahead"),
        (f"{RUN}\n// CHECK: dense<[[1, 2]]>", ":2: [[1, 2]]: no variable; write {{\\[\\[}}"),
        (f"{RUN}\n// CHECK: [[X:.*]] [[X]] {{{{a|b}}}}", ":2: LLVM's FileCheck matches no `|`"),
    ],
)
def test_vacuous_tests_are_found(text, message, tmp_path, capsys):
    (tmp_path / "a.mlir").write_text(text)
    assert main([str(tmp_path)]) == 1
    assert message in capsys.readouterr().out


def test_our_own_tests_are_sound():
    assert main([str(ROOT / "test" / "lit")]) == 0


def test_folders_without_tests_are_left_out(tmp_path, capsys):
    (tmp_path / "Inputs").mkdir()
    (tmp_path / "Inputs" / "a.mlir").write_text("no test")
    (tmp_path / "lit.cfg.py").write_text("")
    assert main([str(tmp_path)]) == 0
    assert main([str(tmp_path / "Inputs")]) == 1, "named by the user"
    assert main([str(tmp_path), "--exclude=Other"]) == 1
    assert "a.mlir:1: no RUN line" in capsys.readouterr().out


def test_a_wrong_path_is_an_error(tmp_path, monkeypatch, capsys):
    with pytest.raises(SystemExit, match="2"):
        main([str(tmp_path / "none.mlir")])
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit, match="2"):
        main([])
    assert "there is no folder test/lit or test here" in capsys.readouterr().err
    (tmp_path / "a.mlir").write_bytes(b"\xff")
    assert list(problems(tmp_path / "a.mlir")) == [f"{tmp_path / 'a.mlir'}:1: not UTF-8"]
