"""The runner of the examples: what it counts as a failure, and what it keeps of the output."""

import pytest

from anvl.tools.dev.run_examples import LONG, chosen, outcomes_of


@pytest.mark.parametrize(
    ("source", "script", "output", "errors"),
    [
        ("import os; os.write(1, b'fine\\n')", None, ["fine\n"], [None]),
        (
            "import os; os.write(1, b'before\\n')\nassert 1 == 2, 'planted'",
            "true",
            ["before\n"],
            ["planted"],
        ),
        ("import sys; sys.exit('bad')", None, [""], ["exit: bad"]),
        ("import sys; sys.exit()", "echo from the shell", ["", "from the shell\n"], [None, None]),
        ("", "echo before; exit 3", ["", "before\n"], [None, "exit status 3"]),
    ],
)
def test_outcomes(tmp_path, monkeypatch, source, script, output, errors):
    monkeypatch.setattr("sys.argv", [])
    (tmp_path / "x.py").write_text(source)
    if script is not None:
        (tmp_path / "x.sh").write_text(script)
    found = outcomes_of(tmp_path / "x.py", str(tmp_path), [])
    assert len(found) == len(output)
    for outcome, printed, error in zip(found, output, errors, strict=True):
        assert outcome.output.startswith(printed)
        assert (outcome.error is None) is (error is None)
        assert error is None or error in outcome.error


def test_every_example_is_of_one_part():
    short, long = chosen(iter(["--short"])), chosen(iter(["--long"]))
    assert sorted([*short, *long]) == chosen()
    assert {path.stem for path in long} == LONG and short
