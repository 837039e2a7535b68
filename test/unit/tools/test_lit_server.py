"""The server of the lit tests reports how its tools end, as processes would."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

_LIT = Path(__file__).parents[2] / "lit"
_CONFIG = f"""
lit_config.load_config(config, {str(_LIT / "lit.cfg.py")!r})
config.test_source_root, config.test_exec_root = FOLDER, FOLDER + "/out"
"""
_LOADED = {
    "killed.py": "import os, time; os.kill(os.getpid(), 11); time.sleep(60)",
    "hangs.py": "import subprocess; subprocess.run(['sleep', '60'])",
}
_PROGRAM = """
func.func @f(%x: tensor<f64>) -> tensor<f64> {
  %y = "anvl.sin"(%x) : (tensor<f64>) -> tensor<f64>
  return %y : tensor<f64>
}
"""

# The lines of a test, and how it ends: lit's word, and the status of the command that failed.
_TESTS = {
    "right": ("// RUN: anvl-opt %s | filecheck %s\n// CHECK: anvl.sin", "PASS", None),
    "redirected": (
        "// RUN: anvl-opt %s > %t && echo done >> %t && filecheck %s < %t\n// CHECK: done",
        "PASS", None,
    ),
    "client": ("// RUN: sh -c 'anvl-opt %s' | filecheck %s\n// CHECK: anvl.sin", "PASS", None),
    "refused": ("// RUN: not anvl-opt %s --x 2>&1 | filecheck %s\n// CHECK: '", "PASS", None),
    "wrong-check": ("// RUN: anvl-opt %s | filecheck %s\n// CHECK: anvl.cos", "FAIL", "1"),
    "wrong-stderr": ("// RUN: not anvl-opt %s --x 2>&1 | filecheck %s\n// CHECK: y", "FAIL", "1"),
    "wrong-number": (
        "// RUN: %run %s --function=f --args='[0.0]' | %numbers %s\n// NUMBERS: f64[] 1.0",
        "FAIL", "1",
    ),
    "ends-1": (
        "// RUN: anvl-opt %s --x | filecheck --allow-empty %s\n// CHECK-NOT: y", "FAIL", "1",
    ),
    "does-not-fail": ("// RUN: not anvl-opt %s", "FAIL", "1"),
    "killed": ("// RUN: anvl-opt %s --load=%S/killed.py", "FAIL", "-11"),
    "killed-in-pipe": (
        "// RUN: anvl-opt %s --load=%S/killed.py | filecheck --allow-empty %s\n// CHECK-NOT: y",
        "FAIL", "-11",
    ),
    "killed-where-not": ("// RUN: not anvl-opt %s --load=%S/killed.py", "FAIL", "1"),
    "hangs": ("// RUN: anvl-opt %s --load=%S/hangs.py", "TIMEOUT", "-9"),
}  # fmt: skip


@pytest.mark.sweep(keep=0, part=0)
@pytest.mark.skipif(not hasattr(os, "fork"), reason="the server forks")
def test_how_tools_end(tmp_path: Path) -> None:
    pytest.importorskip("lit")
    pytest.importorskip("psutil")
    (tmp_path / "lit.cfg.py").write_text(_CONFIG.replace("FOLDER", repr(str(tmp_path))))
    for name, text in _LOADED.items():
        (tmp_path / name).write_text(text)
    tests = []
    for name, (lines, _, _) in _TESTS.items():
        test = tmp_path / f"{name}.mlir"
        test.write_text(f"{lines}\n{_PROGRAM}")
        tests.append(str(test))
    command = [Path(sys.executable).with_name("lit"), "-v", "--timeout=8", *tests]
    printed = subprocess.run(command, capture_output=True, text=True, check=False).stdout

    ends = {name: word for word, name in re.findall(r"^(\w+): anvl :: (\S+)\.mlir", printed, re.M)}
    assert ends == {name: word for name, (_, word, _) in _TESTS.items()}, printed
    for name, (_, _, status) in _TESTS.items():
        failed = re.search(rf"TEST 'anvl :: {name}\.mlir' FAILED(.*?)\n\*{{20}}\n", printed, re.S)
        codes = re.findall(r"failed with exit status: (\S+)", failed[1]) if failed else [None]
        assert codes[0] == status, printed
