"""LLVM's own FileCheck finds in the lit tests what the Python one finds: they are for both."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
LIT = Path(sys.executable).with_name("lit")
TEXT = "a x, t x, foo c\ndense<[[1.0]]> b.c\n"


def _llvm_filecheck() -> str | None:
    """LLVM's FileCheck, which distributions install as FileCheck-18 or so."""
    for name in ("FileCheck", *(f"FileCheck-{version}" for version in range(40, 11, -1))):
        path = shutil.which(name)
        if (
            path
            and "LLVM" in subprocess.run([path, "--version"], capture_output=True, text=True).stdout
        ):
            return path
    return None


FILECHECK = _llvm_filecheck()
pytestmark = pytest.mark.skipif(
    FILECHECK is None, reason="LLVM's FileCheck is not installed (apt install llvm)"
)


@pytest.mark.sweep(keep=1)
@pytest.mark.parametrize("folder", ["tools", "passes", "dialect"])
def test_our_lit_tests(folder):
    done = subprocess.run(
        [LIT, "-v", "--timeout=300", "-j2", f"test/lit/{folder}"],
        cwd=ROOT,
        env=os.environ | {"ANVL_LIT_FILECHECK": FILECHECK},
        text=True,
        capture_output=True,
    )
    assert done.returncode == 0, done.stdout[-5000:]
    assert re.search(r"Passed *: *[1-9]", done.stdout)


@pytest.mark.parametrize(
    ("pattern", "found"),
    [
        (r"a {{[a-z0-9_]+}}, t", True),
        (r"a {{\w+}}, t", False),
        (r"a {{x|y}}, t x, {{.*}} c", True),
        (r"a [[A:[a-z]+]], t [[A]], {{foo|bar}} c", False),
        (r"a [[A:[a-z]+]], t [[A]], {{-?}}foo c", False),
        (r"a [[A:[a-z]{1,2}]], t [[A]], foo c", False),
        (r"a [[A:[a-z]+]], t [[A]], {{-*}}foo c{{$}}", True),
        (r"dense<{{\[\[}}1.0]]>", True),
        (r"dense<[[1.0]]>", False),
        (r"{{b[\.]c}}", True),
        (r"{{b[\w]c}}", False),
    ],
)
def test_it_is_as_the_linter_says(pattern, found, tmp_path):
    """What the linter refuses does not match; a bracket with a backslash matches by chance."""
    (tmp_path / "a.mlir").write_text(f"CHECK: {pattern}\n")
    command = [FILECHECK, str(tmp_path / "a.mlir")]
    done = subprocess.run(command, input=TEXT, text=True, capture_output=True)
    assert (done.returncode == 0) is found, done.stderr
