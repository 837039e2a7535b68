"""What `%numbers` lets pass, and that no test on IR would pass with other numbers."""

import io
import re
from pathlib import Path

import pytest

from anvl.tools.checks.check_numbers import TOLERANCES, main, problems, wanted_lines
from anvl.tools.checks.lint_checks import tests_in as lit_tests_in

LIT = Path(__file__).resolve().parents[2] / "lit"
FLOAT = re.compile(r"(?<![\w.\[])-?\d+\.\d+(?:e[+-]?\d+)?")


def test_the_same_numbers_pass():
    lines = [
        "f64[2] 1.0 -2.5e-07",
        "i32[] 7",
        "bool[2] true false",
        "c128[] 1.0-2.0j",
        "f64[0]",
    ]
    assert list(problems(lines, lines)) == []


@pytest.mark.parametrize(
    ("printed", "wanted"),
    [
        ("f64[] 1.00001", "f64[] 1.00002"),
        ("f64[2] nan -inf", "f64[2] nan -inf"),
        ("f64[] -0.0", "f64[] 0.0"),
        ("bf16[] 1.0", "bf16[] 1.00391"),
        ("f16[] 2.001", "f16[] 2.0"),
        ("c64[] 3.00001-0.0j", "c64[] 3.0+0.0j"),
        ("f64[2,2] 0.6 0.8 -0.8 0.6", "f64[2,2] ..."),
    ],
)
def test_numbers_that_are_as_close_as_their_dtype_allows(printed, wanted):
    assert list(problems([printed], [wanted])) == []


@pytest.mark.parametrize(
    ("printed", "wanted", "message"),
    [
        (
            ["f64[] 1.0001"],
            ["f64[] 1.0"],
            "line 1: number 0 of f64[] is 1.0001; the test wants 1.0",
        ),
        (["f64[] 1e-09"], ["f64[] 0.0"], "number 0 of f64[] is 1e-09"),
        (["f64[2] 1.0 nan"], ["f64[2] 1.0 2.0"], "number 1 of f64[2] is nan"),
        (["f32[] 1.0"], ["f64[] 1.0"], "printed f32[] 1.0; the test wants f64[] 1.0"),
        (["f64[2] 1.0 2.0"], ["f64[2] 1.0"], "printed f64[2] 1.0 2.0; the test wants f64[2] 1.0"),
        (
            ["f64[] 1.0", "f64[] 2.0"],
            ["f64[] 1.0"],
            "line 2: printed f64[] 2.0; the test wants noth",
        ),
        ([], ["f64[] 1.0"], "line 1: printed nothing; the test wants f64[] 1.0"),
        (["i32[] 8"], ["i32[] 7"], "number 0 of i32[] is 8; the test wants 7"),
        (["bool[] true"], ["bool[] false"], "number 0 of bool[] is true"),
        (["f32[2] ..."], ["f64[2] ..."], "printed f32[2] ..."),
        (
            ["c128[] 1.0+1.0j"],
            ["c128[] 1.0-1.0j"],
            "is 1.0+1.0j; the test wants 1.0-1.0j",
        ),
    ],
)
def test_other_numbers_are_found(printed, wanted, message):
    assert message in "\n".join(problems(printed, wanted))


def test_directives_of_several_prefixes_are_read_in_order(tmp_path, monkeypatch, capsys):
    test = tmp_path / "a.mlir"
    test.write_text(
        "// RUN: x\n// FIRST: f64[] 1.0\n// OTHER: f64[] 3.0\n// LAST-NEXT: f64[] 2.0\n"
    )
    monkeypatch.setattr("sys.stdin", io.StringIO("f64[] 1.0\nf64[] 2.0\n"))
    assert main([str(test), "--check-prefix=FIRST,LAST"]) == 0
    monkeypatch.setattr("sys.stdin", io.StringIO("f64[] 1.01\nf64[] 2.0\n"))
    assert main([str(test), "--check-prefix=FIRST,LAST"]) == 1
    assert "FIRST,LAST, line 1: number 0 of f64[] is 1.01" in capsys.readouterr().err
    monkeypatch.setattr("sys.stdin", io.StringIO(""))
    assert main([str(test)]) == 1
    assert "no line begins with NUMBERS:" in capsys.readouterr().err


def test_every_float_of_our_own_tests_is_compared():
    """One per cent more in any of them is found."""
    assert max(TOLERANCES.values()) < 0.01
    anchored = 0
    for path in lit_tests_in([LIT]):
        text = path.read_text()
        for prefixes in re.findall(r"%numbers %s(?: --check-prefix=([\w,]+))?", text):
            wanted = wanted_lines(text, (prefixes or "NUMBERS").split(","))
            for at, line in enumerate(wanted):
                for match in FLOAT.finditer(line):
                    more = f"{float(match[0]) * 1.01:.6g}"
                    if float(match[0]) == 0:
                        continue
                    printed = line[: match.start()] + more + line[match.end() :]
                    is_found = list(problems([*wanted[:at], printed, *wanted[at + 1 :]], wanted))
                    assert is_found, f"{path}: {line}: {more} passes"
                    anchored += 1
    assert anchored > 300
