"""The benchmarks run.  How fast anything is, is not tested: machines differ, and have bad days."""

import importlib
import json
import math
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
from sweep import SWEEP

ROOT = Path(__file__).resolve().parents[2]
BENCHMARKS = ROOT / "benchmarks"
# All of them, tiny as they are, take half a minute: `make sweep` runs them.
LETTERS = "abcdefghijklmpno" if SWEEP else "abcf"


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
    rows = [row for row in found["results"][0]["rows"] if not row["what"].startswith("trace,")]
    assert rows
    for row in rows:
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
        (["--only", "a,n", "--write-docs"], "choose a,b,c,d,e,f,g,h,i,j,k,l,m,p or n,o"),
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
    ("anvl", "jax", "spread", "verdict"),
    [
        (0.55, 1.0, None, "met"),
        (0.56, 1.0, None, "missed"),
        (0.6, 1.0, (0.5, 0.62), "met"),
        (0.62, 1.0, (0.5, 0.62), "missed"),
        (0.5, None, None, "no jax"),
    ],
)
def test_a_share_of_the_time_of_jax_is_judged_by_half_of_the_range(
    modules, anvl, jax, spread, verdict
):
    rows, _, _ = modules
    row = rows.Row("f", "us", anvl, jax, rows.WithinSpread(0.55), spread=spread)
    assert (row.verdict, str(row.target)) == (verdict, "<= 0.55 of jax and the spread")


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


@pytest.mark.parametrize(
    ("anvl", "spread", "verdict"),
    [(10.9, (9, 11), "met"), (11.1, (9, 11), "missed"), (10.1, None, "missed")],
)
def test_a_limit_may_be_exceeded_by_half_of_the_range(modules, anvl, spread, verdict):
    rows, _, _ = modules
    limit = rows.AtMost(10, "us", spread=True)
    row = rows.Row("f", "us", anvl, target=limit, spread=spread)
    assert (row.verdict, str(limit)) == (verdict, "<= 10 us and the spread")


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


def test_the_suite_has_a_place_of_its_own_in_the_document(modules, tmp_path):
    rows, report, _ = modules
    path = tmp_path / "performance.md"
    begin, end = report.SUITE_MARKS
    path.write_text(f"{begin}\n{end}\n{report.BEGIN}\nother\n{report.END}\n")
    row = rows.Row("kron: run", "us", 2.0, 4.0)
    for _ in range(2):
        found = rows.Result("(n)", "all", [row], in_columns=True)
        report.write_docs(path, {"python": "3"}, [found])
    text = path.read_text()
    assert text.count("| kron | 2.00 us (0.50) |") == text.count(begin) == text.count(end) == 1
    assert text.endswith(f"{end}\n{report.BEGIN}\nother\n{report.END}\n")


def test_a_document_without_a_place_for_the_run_is_refused(modules, tmp_path):
    rows, report, _ = modules
    path = tmp_path / "performance.md"
    path.write_text("nothing\n")
    with pytest.raises(ValueError, match=r"performance\.md: lacks <!-- the latest run: begin"):
        report.write_docs(path, {}, [rows.Result("(b) warm", "all")])


@pytest.mark.parametrize("other", [[1.1], [math.nan], [1.0, 1.0]])
def test_sides_that_compute_different_things_are_not_compared(modules, other):
    _, _, programs = modules
    with pytest.raises(ArithmeticError, match="the sides differ by"):
        programs.agree([[[1.0]], [other]])


def test_a_side_whose_first_call_is_slow_has_loops_as_long_as_the_others(monkeypatch):
    """In loops of one call, the wait for the last result would be a part of each."""
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    measure = importlib.import_module("measure")
    now, calls = 0.0, {"slow at first": 0, "other": 0}

    def call(name):
        nonlocal now
        calls[name] += 1
        now += 0.005 if name == "slow at first" and calls[name] == 1 else 0.0003

    def wait(_):
        nonlocal now
        now += 0.0001

    monkeypatch.setattr(measure, "time", SimpleNamespace(perf_counter=lambda: now))
    sides = {name: (lambda name=name: call(name), wait) for name in calls}
    found = measure.alternations(sides, 3)
    del sys.modules["measure"]
    slow, other = found.values()
    assert slow == pytest.approx(other)
    assert slow == pytest.approx([0.0003 + 0.0001 / 4] * 5)


def test_a_run_is_judged_with_half_of_its_range(modules):
    rows, _, _ = modules

    def verdict(anvl, spread):
        return rows.Row("f", "us", anvl, 1.0, rows.WithinSpread(1.05), spread=spread).verdict

    assert [verdict(1.05, None), verdict(1.06, None)] == ["met", "missed"]
    assert [verdict(1.1, (1.0, 1.1)), verdict(1.11, (1.0, 1.1))] == ["met", "missed"]


def test_the_measures_of_a_program_stand_in_one_line(modules):
    rows, report, _ = modules
    found = [
        rows.Row(f"{name}: {measure}", "us", own, 1.0, target, spread=spread)
        for name, own in (("kron", 0.5), ("sort", 2.0))
        for measure, target, spread in (
            ("compile", None, None),
            ("run", rows.WithinSpread(1.05), (0.4, 0.6)),
        )
    ]
    text = report.markdown({}, [rows.Result("(n)", "", found, in_columns=True)])
    assert "|  | compile | run | target | verdict |" in text
    assert "| kron | 0.50 us (0.50) | 0.50 us (0.50, 0.40 to 0.60) | " in text
    assert "| geometric mean | (1.000) | (1.000) |  |  |" in text
    assert "missed |" in text and "met |" in text


def test_the_suite_has_the_programs_that_the_document_names(monkeypatch):
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    loaded = [
        importlib.import_module(name)
        for name in ("suite", "suite.case", "suite.functions", "suite.steps")
    ]
    functions, steps = loaded[2].FUNCTIONS, loaded[3].STEPS
    for module in loaded:
        del sys.modules[module.__name__]
    assert (len(functions), len(steps)) == (34, 12)
    assert len({case.name for case in [*functions, *steps]}) == 46


# Comparing two runs


def a_run(tmp_path, name, *rows):
    """Write a run with rows of (what, anvl, jax, spread)."""
    listed = [
        {"what": what, "unit": "us", "anvl": own, "jax": jax, "spread": spread}
        for what, own, jax, spread in rows
    ]
    path = tmp_path / name
    results = [{"title": "(n) functions", "rows": listed}]
    path.write_text(json.dumps({"machine": {"processor": "p"}, "results": results}))
    return str(path)


@pytest.fixture
def compare(monkeypatch):
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    yield importlib.import_module("compare")
    del sys.modules["compare"]


def test_regressions_are_printed_by_their_part_of_jax(compare, tmp_path, capsys):
    old = a_run(
        tmp_path, "old.json", ("kron: run", 10, 10, [0.9, 1.1]), ("sort: run", 10, 10, None)
    )
    new = a_run(
        tmp_path, "new.json", ("kron: run", 40, 20, [1.9, 2.1]), ("sort: run", 20, 20, None)
    )
    assert compare.main([old, new]) == 1
    printed = capsys.readouterr().out
    assert "1 of 2 rows are worse by 5 % or more:" in printed
    assert "(n) kron: run: 1 -> 2 of jax (2.00)" in printed and "sort" not in printed
    assert compare.main([new, old]) == 0
    assert "0 of 2 rows are worse" in capsys.readouterr().out


def test_a_regression_within_the_spread_is_said_to_be_one(compare, tmp_path, capsys):
    old = a_run(tmp_path, "old.json", ("kron: run", 10, 10, [0.8, 1.3]))
    new = a_run(tmp_path, "new.json", ("kron: run", 12, 10, [1.1, 1.4]))
    assert compare.main([old, new]) == 0
    assert "(n) kron: run: 1 -> 1.2 of jax (1.20, within the spread)" in capsys.readouterr().out


def test_runs_without_jax_are_compared_by_their_own_numbers(compare, tmp_path, capsys):
    old = a_run(tmp_path, "old.json", ("kron: run", 100, None, None))
    new = a_run(tmp_path, "new.json", ("kron: run", 105, None, None))
    assert compare.main([old, new]) == 1
    assert "(n) kron: run: 100 -> 105 us (1.05)" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "new.json: not the JSON of a run: Expecting property name"),
        ("{}", "new.json: not the JSON of a run: it has no machine and results"),
        ('{"machine": {}, "results": []}', "old.json and new.json have no row in common"),
    ],
)
def test_files_that_are_no_runs_are_refused(compare, tmp_path, capsys, text, message):
    old = a_run(tmp_path, "old.json", ("kron: run", 1, None, None))
    (tmp_path / "new.json").write_text(text)
    with pytest.raises(SystemExit):
        compare.main([old, str(tmp_path / "new.json")])
    assert message in capsys.readouterr().err
