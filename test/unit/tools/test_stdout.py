"""Commands whose output nobody takes: a word about a full disk, none about a reader that left."""

import os
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

from anvl.installation import doctor
from anvl.tools.doctor.doctor_command import doctor as doctor_command

FULL = Path("/dev/full")
needs_full = pytest.mark.skipif(not FULL.exists(), reason="there is no full device here")

WAVE = """func.func @main(%x: tensor<3xf32>) -> tensor<3xf32> {
  return %x : tensor<3xf32>
}
"""
COMMANDS = [
    ("new.anvl_command", []),
    ("new.anvl_command", ["cache", "list"]),
    ("opt.main", ["--help"]),
    ("opt.main", ["wave.mlir"]),
    ("run.run_tool", ["wave.mlir", "--random-seed=0"]),
    ("plan.plan_tool", ["wave.mlir"]),
    ("diff.diff_tool", ["wave.mlir", "other.mlir"]),
    ("viz.viz_tool", ["--version"]),
    ("reduce.reduce_tool", ["--help"]),
    ("lsp.lsp_tool", ["--help"]),
    ("checks.update_checks", ["--help"]),
]


@pytest.fixture
def main(request, tmp_path, monkeypatch):
    module, arguments = request.param
    monkeypatch.chdir(tmp_path)
    (tmp_path / "wave.mlir").write_text(WAVE)
    (tmp_path / "other.mlir").write_text(WAVE.replace("3x", "4x"))
    return lambda: import_module(f"anvl.tools.{module}").main(arguments)


@pytest.mark.parametrize("main", COMMANDS, indirect=True)
def test_a_reader_that_leaves_ends_a_command_without_a_word(main, monkeypatch, capsys):
    reader, writer = os.pipe()
    os.close(reader)
    with open(writer, "w") as stream:
        monkeypatch.setattr(sys, "stdout", stream)
        assert main() != 0
    assert capsys.readouterr().err == ""


@needs_full
@pytest.mark.parametrize("main", COMMANDS, indirect=True)
def test_a_full_disk_is_an_error_of_one_line(main, monkeypatch, capsys):
    with FULL.open("w") as stream:
        monkeypatch.setattr(sys, "stdout", stream)
        assert main() != 0
    (line,) = capsys.readouterr().err.splitlines()
    assert "error: cannot write" in line and line.endswith("No space left on device")


def test_checks_of_the_installation_that_nobody_reads_are_no_failure(capfd):
    reader, writer = os.pipe()
    os.close(reader)
    child = [sys.executable, "-m", doctor.__name__]
    try:
        assert subprocess.run(child, stdout=writer, capture_output=False).returncode == 3
    finally:
        os.close(writer)
    assert doctor_command([sys.executable, "-c", "raise SystemExit(3)"]) == 1
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize("content", [None, b"\xff"])
def test_numbers_of_a_test_that_cannot_be_read_are_an_error(tmp_path, capsys, content):
    from anvl.tools.checks.check_numbers import main as numbers

    test = tmp_path / "a.mlir"
    if content is not None:
        test.write_bytes(content)
    assert numbers([str(test)]) == 1
    assert capsys.readouterr().err.startswith(f"{test}: cannot read the test, ")
