"""LLVM's own FileCheck finds in the lit tests what the Python one finds: they are for both."""

import io
import subprocess

import filechecks
import pytest

TEXT = "a x, t x, foo c\ndense<[[1.0]]> b.c\n"


FILECHECK = filechecks.llvm_filecheck()
pytestmark = pytest.mark.skipif(
    FILECHECK is None, reason="LLVM's FileCheck is not installed (apt install llvm)"
)


@pytest.mark.parametrize(
    ("pattern", "refused_by"),
    [
        ("a {{[a-z]}}, t", None),
        (r"a {{\w}}, t", FILECHECK),
        ("b x, t", "filecheck"),
    ],
)
def test_the_lit_tests_are_for_both(pattern, refused_by, tmp_path, monkeypatch, capfd):
    (tmp_path / "a.mlir").write_text(f"CHECK: {pattern}\n")
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(TEXT.encode())))
    status = 0
    try:
        status = filechecks.main(["filecheck", str(tmp_path / "a.mlir")])
    except SystemExit as end:
        status = end.code
    assert bool(status) == (refused_by is not None)
    told = f"filecheck finds the checks, but {FILECHECK} does not" in capfd.readouterr().err
    assert told == (refused_by == FILECHECK)


@pytest.mark.parametrize(
    ("pattern", "found"),
    [
        (r"a {{[a-z0-9_]+}}, t", True),
        (r"a {{\w+}}, t", False),
        (r"a {{x|y}}, t x, {{.*}} c", True),
        (r"a [[A:[a-z]+]], t [[A]], {{foo|bar}} c", None),
        (r"a [[A:[a-z]+]], t [[A]], {{-?}}foo c", None),
        (r"a [[A:[a-z]{1,2}]], t [[A]], foo c", None),
        (r"a [[A:[a-z]+]], t [[A]], {{-*}}foo c{{$}}", True),
        (r"dense<{{\[\[}}1.0]]>", True),
        (r"dense<[[1.0]]>", False),
        (r"{{b[\.]c}}", True),
        (r"{{b[\w]c}}", False),
    ],
)
def test_it_is_as_the_linter_says(pattern, found, tmp_path):
    """What the linter refuses does not match; a bracket with a backslash matches by chance.

    None: that of LLVM 16 finds it, later ones do not.
    """
    (tmp_path / "a.mlir").write_text(f"CHECK: {pattern}\n")
    command = [FILECHECK, str(tmp_path / "a.mlir")]
    done = subprocess.run(command, input=TEXT, text=True, capture_output=True)
    assert found is None or (done.returncode == 0) is found, done.stderr
