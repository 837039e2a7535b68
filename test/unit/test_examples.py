"""`python -m anvl.examples`; the examples themselves run in the stage `examples` of `make test`."""

import ast
import re
from pathlib import Path

import pytest

from anvl.examples.__main__ import main

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = sorted(p for p in (ROOT / "examples").glob("*.py") if not p.stem.startswith("__"))
GALLERY = (ROOT / "docs" / "examples.md").read_text()


def test_all_are_listed_with_their_first_lines(capsys):
    assert main([]) == 0
    listed = capsys.readouterr().out
    for path in EXAMPLES:
        headline = ast.get_docstring(ast.parse(path.read_text())).partition("\n")[0]
        assert re.search(rf"^{path.stem} +{re.escape(headline)}$", listed, re.MULTILINE)


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_says_how_it_runs_can_fail_and_is_in_the_gallery(path):
    source = path.read_text()
    assert f"    python examples/{path.name} --out out/{path.stem}\n" in source
    assert '"--quick"' in source
    assert re.search(r"^ +(assert |if accuracy < goal)", source, re.MULTILINE)
    assert f"](../examples/{path.name})" in GALLERY


def test_pictures_of_the_gallery_are_small():
    pictures = re.findall(r"\]\((examples/\w+\.png)\)", GALLERY)
    assert len(pictures) >= 7
    assert all((ROOT / "docs" / name).stat().st_size < 60_000 for name in pictures)


def test_copy_takes_the_data_along_and_overwrites_nothing(tmp_path, capsys):
    assert main(["copy", "ode", str(tmp_path)]) == 0
    found = {path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*.*")}
    assert found == {"ode.py", "ode.sh", "data/pelts.csv"}
    (tmp_path / "ode.py").write_text("mine")
    assert main(["copy", "ode", str(tmp_path)]) == 2
    assert re.search(r"error: copy: .*ode\.py is there already; name", capsys.readouterr().err)
    assert (tmp_path / "ode.py").read_text() == "mine"


def test_run_hands_over_the_arguments(capsys):
    with pytest.raises(SystemExit, match="0"):
        main(["run", "hmc", "--help"])
    assert "half of the draws" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("given", "says"),
    [
        (
            ["run", "convolutoin"],
            "no example 'convolutoin', did you mean 'convolution'?; there are",
        ),
        (["copy"], "'copy' is no use of it; --help lists the uses"),
        (["start", "gp"], "'start gp' is no use of it"),
    ],
)
def test_other_uses_are_refused(given, says, capsys):
    assert main(given) == 2
    assert says in capsys.readouterr().err


def test_a_missing_package_is_named_with_what_installs_it(capsys, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "matplotlib.figure", None)
    assert main(["run", "gp"]) == 2
    message = capsys.readouterr().err
    assert "gp needs matplotlib.figure, which is not installed; pip install" in message
