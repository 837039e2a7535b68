"""The check-lint finds what filecheck passes over in silence."""

import pytest

from anvl.tools.dev.lint_checks import main, problems

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
        (f"{RUN} --implicit-check-not=x\n// CHECK: a", ":1: an option that filecheck does not"),
        (f"{RUN}\n// CHECK: [[#A:]]", ":2: filecheck has no numeric captures"),
        (
            f"{RUN}\n// CHECK: f64[] 1.0",
            ":2: a longer number would match; end it, or compare it by",
        ),
        (f"{RUN}\n// CHECK: 1.0 : f64", ":2: a longer number would match"),
        (f"{RUN}\n// CHECK-NEXT: dense<1.5e+00", ":2: a longer number would match"),
        ("// RUN: %run %s | %numbers %s\n// NUMBER: 1", ":1: no check has the prefix NUMBERS"),
        ("// RUN: not anvl-opt %s", ":1: `not` passes for any failure"),
    ],
)
def test_vacuous_tests_are_found(text, message, tmp_path, capsys):
    (tmp_path / "a.mlir").write_text(text)
    assert main([str(tmp_path)]) == 1
    assert message in capsys.readouterr().out


def test_our_own_tests_are_sound():
    assert main([]) == 0
