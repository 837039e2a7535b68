"""`anvl.show_versions` and the checks of `anvl doctor`."""

import re
import subprocess
import sys

import pytest

import anvl
from anvl.installation import doctor, versions_report
from anvl.installation.doctor import Check, Problem
from anvl.runtime.plugins.discovery import Plugin
from anvl.tools.doctor.doctor_command import doctor as command


def test_the_versions_of_all_that_results_depend_on(capsys, monkeypatch):
    monkeypatch.setenv("XLA_FLAGS", "--xla_dump_to=x")
    anvl.show_versions()
    lines = dict(re.split(" +", line, maxsplit=1) for line in capsys.readouterr().out.splitlines())
    assert lines["anvl"] == "0.1.0, dialect 0.1" and "--xla_dump_to=x" in lines["variables"]
    for name in ("Python", "system", "processor", "torch-mlir", "jaxlib", "numpy", "StableHLO"):
        assert re.search(r"\w", lines[name]), name


@pytest.mark.sweep(keep=0)
def test_the_report_starts_no_client():
    code = """
import anvl
anvl.show_versions()
assert not anvl.runtime.has_client()
"""
    subprocess.run([sys.executable, "-c", code], check=True, capture_output=True)


def test_a_processor_that_the_system_does_not_describe(monkeypatch, tmp_path):
    monkeypatch.setattr(versions_report, "_CPU", tmp_path / "missing")
    assert versions_report._processor()
    text = "model name : Chip 3\nflags\t: fpu avx2 fma\n"
    (tmp_path / "cpuinfo").write_text(text)
    monkeypatch.setattr(versions_report, "_CPU", tmp_path / "cpuinfo")
    assert versions_report._processor() == "Chip 3: avx2 fma"


def test_every_check_passes_here(capsys):
    assert doctor.main() == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == len(doctor.CHECKS) + 1 and lines[-1] == "all is well"
    for line, check in zip(lines, doctor.CHECKS, strict=False):
        assert re.fullmatch(rf"{check.name} +ok  \S.*", line)


def test_a_cache_that_cannot_be_used(tmp_path):
    with anvl.config(cache=True, cache_dir=tmp_path / "cache"):
        assert doctor._cache() == f"0 programs in {tmp_path / 'cache'}"
    (tmp_path / "file").write_text("")
    with anvl.config(cache=True, cache_dir=tmp_path / "file"):
        with pytest.raises(Problem, match="correct the folder, name another in ANVL_CACHE_DIR"):
            doctor._cache()


def test_a_failed_check_says_what_to_do_and_the_others_run(capsys):
    def wrong():
        raise Problem("it is 3; make it 4")

    def broken():
        return str({}["a"])

    checks = [Check("one", wrong, ""), Check("two", broken, "do this"), Check("three", str, "")]
    assert doctor.main(checks) == 2
    assert capsys.readouterr().out.splitlines() == [
        "one    FAILED  it is 3; make it 4", "two    FAILED  KeyError: 'a'; do this", "three  ok  ",
        "2 of 3 checks failed",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("version", "window", "fits"),
    [("0.10.2", ">=0.10.2,<0.13", True), ("0.13.0", ">=0.10.2,<0.13", False),
     ("0.12.0.1", ">=0.10.2,<0.13", True), ("2.0", ">=2.0", True), ("1.26.4", ">=2.0", False),
     ("20261001", "==20261001", True), ("20261002", "==20261001", False), ("3", "", True),
     ("1.2", "!=1.2.0", False)],
)  # fmt: skip
def test_windows_of_versions(version, window, fits):
    assert doctor._within(version, window) is fits


def test_packages_and_plugins_that_do_not_fit(monkeypatch):
    monkeypatch.setattr(doctor, "installed_version", lambda name: "0.1")
    with pytest.raises(Problem, match=r'torch-mlir is 0\.1, anvl needs ==\d+; pip install "torch'):
        doctor._packages()
    broken = Plugin("tpu", __file__, problem="its wheel has no library")
    monkeypatch.setattr(doctor, "known_plugins", lambda: {"tpu": broken})
    with pytest.raises(Problem, match="tpu: its wheel has no library; install the wheel again"):
        doctor._plugins()
    with pytest.raises(Problem, match=r"the result is 2\.0, but must be 3; report this"):
        doctor._equal(2.0, 3)


@pytest.mark.parametrize(
    ("entry", "says"),
    [
        ("cpu:/x.so", "cpu: {} has the entry 'cpu:/x.so', but 'cpu' is jaxlib's own client; give "
         "the plugin another name there, or take the entry out"),
        ("mine", "mine: {} has the entry 'mine'; write name:path,name2:path2"),
        ("mine:/x.so", "mine: {} names /x.so, and there is no such file; give the path of the "
         "plugin's shared library, or take the entry out"),
        ("mine:/x.json", "mine: /x.json of {} cannot be used: [Errno 2] No such file or directory: "
         "'/x.json'; correct the file, or take the entry out"),
    ],
)  # fmt: skip
def test_an_entry_of_the_environment_is_no_fault_of_a_wheel(entry, says, monkeypatch):
    variable = "PJRT_NAMES_AND_LIBRARY_PATHS"
    monkeypatch.setenv(variable, entry)
    with pytest.raises(Problem) as raised:
        doctor._plugins()
    assert str(raised.value) == says.format(variable)


@pytest.mark.parametrize(
    ("code", "says"),
    [
        ("import os; os.kill(os.getpid(), 11)", "the process ended with SIGSEGV; report this"),
        ("import nothing_like_it", "cannot be imported, ModuleNotFoundError: No module named 'not"),
    ],
)
def test_a_process_that_ends_is_told(code, says, capfd):
    assert command([sys.executable, "-c", code]) == 1
    assert f"FAILED  {says}" in capfd.readouterr().out.replace("anvl cannot", "cannot")


def test_the_exit_code_of_the_command():
    for code, expected in ((0, 0), (2, 1)):
        assert command([sys.executable, "-c", f"raise SystemExit({code})"]) == expected
