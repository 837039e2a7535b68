"""The benchmarks run.  How fast anything is, is not tested: machines differ, and have bad days."""

import importlib
import json
import math
import subprocess
import sys
from pathlib import Path

import pytest
from sweep import SWEEP

ROOT = Path(__file__).resolve().parents[2]
BENCHMARKS = ROOT / "benchmarks"
# All of them, tiny as they are, take half a minute: `make sweep` runs them.
LETTERS = "abcdefghijlm" if SWEEP else "abcf"


def run(*options: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(BENCHMARKS / "run.py"), *options]
    return subprocess.run(command, capture_output=True, text=True, timeout=120)


@pytest.fixture(scope="module")
def everything(tmp_path_factory):
    """The benchmarks with tiny sizes and without jax: the output and the JSON."""
    path = tmp_path_factory.mktemp("benchmarks") / "run.json"
    only = [] if SWEEP else ["--only", ",".join(LETTERS)]
    done = run("--tiny", "--no-jax", "--json", str(path), *only)
    assert done.returncode == 0, done.stderr
    return done.stdout, json.loads(path.read_text())


@pytest.mark.sweep(keep=0, part=0)
def test_every_benchmark_measures_something(everything):
    _, found = everything
    assert [result["title"][:3] for result in found["results"]] == [f"({c})" for c in LETTERS]
    for result in found["results"]:
        assert result["rows"] or any("skipped" in note for note in result["notes"])
        for row in result["rows"]:
            assert math.isfinite(row["anvl"]) and row["jax"] is None


@pytest.mark.sweep(keep=0, part=0)
def test_what_was_skipped_is_said(everything):
    printed, _ = everything
    assert "skipped: everything about jax, by --no-jax" in printed


@pytest.mark.sweep(keep=0, part=0)
def test_the_stages_of_the_gradient_are_listed(everything):
    _, found = everything
    for row in found["results"][0]["rows"]:
        assert {"trace", "anvl-gradient", "serialize"} <= row["details"][
            "anvl stages, us/op"
        ].keys()


@pytest.mark.sweep(keep=0, part=0)
def test_the_machine_is_described_without_a_name_or_a_path(everything):
    _, found = everything
    assert {"date", "processor", "python", "jaxlib"} <= found["machine"].keys()
    assert not any("/" in value for value in found["machine"].values())


@pytest.mark.sweep(keep=0, part=1)
@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--only", "a,x"], "no such benchmark: x; there are a, b, c"),
        (["--quick", "--write-docs"], "--write-docs: the document shows a full run"),
        (["--quick", "--tiny"], "not allowed with argument"),
    ],
)
def test_wrong_options_are_refused(options, message):
    done = run(*options)
    assert done.returncode == 2
    assert message in done.stderr


# The parts that judge and write


@pytest.fixture
def modules(monkeypatch):
    """`rows`, `report` and `programs`, which lie beside the script that uses them."""
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    names = ("rows", "report", "programs")
    yield tuple(importlib.import_module(name) for name in names)
    for name in names:
        del sys.modules[name]


@pytest.mark.parametrize(
    ("anvl", "jax", "times", "verdict"),
    [
        (1.0, 10.0, 10, "met"),
        (1.0, 9.9, 10, "missed"),
        (1.0, 1.0, 1, "met"),
        (1.0, 0.96, 1, "met, in noise"),
        (1.0, 0.94, 1, "missed"),
        (1.0, None, 1, "no jax"),
    ],
)
def test_a_comparison_is_judged(modules, anvl, jax, times, verdict):
    rows, _, _ = modules
    assert rows.Row("f", "ms", anvl, jax, rows.AtLeastAsFast(times)).verdict == verdict


@pytest.mark.parametrize(
    ("anvl", "jax", "verdict"), [(1.0, 1.0, "met"), (1.01, 1.0, "missed"), (1.0, None, "no jax")]
)
def test_memory_is_judged_without_noise(modules, anvl, jax, verdict):
    rows, _, _ = modules
    assert rows.Row("f", "MB", anvl, jax, rows.NoMore()).verdict == verdict


@pytest.mark.parametrize(
    ("anvl", "jax", "verdict"), [(0.55, 1.0, "met"), (0.56, 1.0, "missed"), (0.5, None, "no jax")]
)
def test_a_share_of_the_time_of_jax_is_judged(modules, anvl, jax, verdict):
    rows, _, _ = modules
    row = rows.Row("f", "us", anvl, jax, rows.ShareOfJax(0.55))
    assert (row.verdict, str(row.target)) == (verdict, "<= 0.55 of jax")


def test_columns_that_are_empty_are_left_out(modules):
    rows, report, _ = modules
    plain = rows.Row("f", "us", 1.0, 2.0)
    measured = rows.Row("g", "us", 1.0, 2.0, spread=(0.4, 0.61), floor=0.9)
    text = report.markdown({}, [rows.Result("a", "", [plain]), rows.Result("b", "", [measured])])
    assert "|  | anvl | jax | jax / anvl | target | verdict |" in text
    assert "|  | anvl | jax | jax / anvl | floor | anvl / jax | target | verdict |" in text
    assert "| g | 1.00 us | 2.00 us | 2.00 | 0.90 us | 0.40 to 0.61 |  |  |" in text


@pytest.mark.parametrize(("anvl", "verdict"), [(10.0, "met"), (10.1, "missed")])
def test_a_limit_is_judged(modules, anvl, verdict):
    rows, _, _ = modules
    assert rows.Row("f", "us", anvl, target=rows.AtMost(10, "us")).verdict == verdict


def test_the_document_keeps_what_stands_around_the_run(modules, tmp_path):
    rows, report, _ = modules
    path = tmp_path / "performance.md"
    path.write_text(f"before\n{report.BEGIN}\nold\n{report.END}\nafter\n")
    row = rows.Row("call", "us", 2.0, 3.0, rows.AtLeastAsFast(1))
    for _ in range(2):
        report.write_docs(path, {"python": "3"}, [rows.Result("(b) warm", "all", [row])])
    text = path.read_text()
    assert text.startswith("before\n") and text.endswith("\nafter\n") and "old" not in text
    assert "| call | 2.00 us | 3.00 us | 1.50 | >= 1x as fast | met |" in text


def test_a_document_without_a_place_for_the_run_is_refused(modules, tmp_path):
    _, report, _ = modules
    path = tmp_path / "performance.md"
    path.write_text("nothing\n")
    with pytest.raises(ValueError, match=r"performance\.md: lacks <!-- the latest run: begin"):
        report.write_docs(path, {}, [])


@pytest.mark.parametrize("other", [[1.1], [math.nan], [1.0, 1.0]])
def test_sides_that_compute_different_things_are_not_compared(modules, other):
    _, _, programs = modules
    with pytest.raises(ArithmeticError, match="the sides differ by"):
        programs.agree([[[1.0]], [other]])
