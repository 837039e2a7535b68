"""`anvl new`: the project passes its own tests, and what cannot be written leaves nothing."""

import os
import re
import subprocess
import sys
from importlib.metadata import distribution
from pathlib import Path

import pytest

import anvl
from anvl.tools.new import new_project
from anvl.tools.new.anvl_command import main
from anvl.tools.new.skeleton import FILES

pytestmark = pytest.mark.sweep(keep=0)  # each starts processes


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def refused(capsys, *argv):
    before = sorted(Path().rglob("*"))
    assert main(argv) == 1
    out, err = capsys.readouterr()
    assert out == "" and err.startswith("anvl: error: ")
    assert sorted(Path().rglob("*")) == before
    return err


def run(folder, *command):
    environment = {k: v for k, v in os.environ.items() if not k.startswith("PYTEST")}
    done = subprocess.run(
        [sys.executable, *command],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=300,
        env=environment,
    )
    return done.returncode, done.stdout + done.stderr


def test_the_project_passes_its_own_tests(here, capsys):
    assert main(["new", "wave_ops"]) == 0
    listed = capsys.readouterr().out.split("\n\n")[0].splitlines()
    found = sorted(str(p) for p in Path("wave_ops").rglob("*") if p.is_file())
    assert listed == found
    assert not [p for p in found if "@" in p or "@name@" in Path(p).read_text()]
    code, out = run("wave_ops", "-m", "pytest", "-q", "-W", "error")
    assert (code, "3 passed" in out) == (0, True), out
    lit = str(Path(sys.executable).with_name("lit"))
    code, out = run("wave_ops", lit, "-v", "test/lit")
    assert (code, out.count("PASS: ")) == (0, 2), out


@pytest.mark.parametrize("bug", ["ops.py", "passes.py"])
def test_the_tests_of_the_project_find_a_bug(here, capsys, bug):
    main(["new", "wave_ops"])
    file = Path("wave_ops/wave_ops") / bug
    text = file.read_text()
    wrong = {"ops.py": ("(g, factor=factor)", "(g, factor=-factor)"), "passes.py": (" * ", " + ")}
    assert wrong[bug][0] in text
    file.write_text(text.replace(*wrong[bug]))
    lit = str(Path(sys.executable).with_name("lit"))
    code, out = run("wave_ops", lit, "-v", "test/lit")
    assert (code, out.count("PASS: ")) == (1, 1), out


def test_a_path_and_the_permissions_of_a_folder(here, capsys):
    Path("a").mkdir()
    assert main(["new", "a/my_dialect/"]) == 0
    assert Path("a/my_dialect/my_dialect/ops.py").is_file()
    assert Path("a/my_dialect").stat().st_mode == Path("a").stat().st_mode


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("My", "must be a word of lowercase letters"),
        ("my-dialect", "must be a word of lowercase letters"),
        ("2my", "must be a word of lowercase letters"),
        ("lambda", "not a keyword of Python"),
        ("anvl", "MLIR or anvl has this name"),
        ("func", "MLIR or anvl has this name"),
        ("sum", "MLIR or anvl has this name"),
        ("vhlo", "MLIR or anvl has this name"),
        ("json", "Python has a module of this name"),
        ("none/my_dialect", "there is no folder none"),
        ("..", "must be a word"),
    ],
)
def test_a_name_that_does_not_serve_is_refused(here, capsys, name, message):
    assert message in refused(capsys, "new", name)


@pytest.mark.parametrize("kind", ["folder", "file", "link"])
def test_what_exists_is_left_alone(here, capsys, kind):
    target = Path("my_dialect")
    {
        "folder": target.mkdir,
        "file": target.touch,
        "link": lambda: target.symlink_to("nowhere"),
    }[kind]()
    assert "my_dialect: exists already" in refused(capsys, "new", "my_dialect")


def test_a_failure_in_the_middle_leaves_nothing(here, capsys, monkeypatch):
    monkeypatch.setattr(new_project, "FILES", FILES | {"z/" + "n" * 300: "too long a name"})
    assert "File name too long" in refused(capsys, "new", "my_dialect")


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        (["nwe", "a"], "no command 'nwe', did you mean 'new'?"),
        (["build"], "no command 'build'; the commands are new, cache, doctor"),
        (["new"], "new takes one folder, got 0"),
        (["new", "a", "b"], "new takes one folder, got 2"),
        (["new", "a", "--forse"], "unknown flag --forse"),
    ],
)
def test_a_wrong_command_line_is_refused(here, capsys, argv, message):
    assert message in refused(capsys, *argv)


def test_questions_are_answered(capsys):
    assert main(["--help"]) == 0
    assert "anvl new FOLDER\n" in capsys.readouterr().out
    assert main(["--version"]) == 0
    assert "anvl" in capsys.readouterr().out


def test_alone_it_says_which_commands_there_are(capsys):
    assert main([]) == 0
    said = capsys.readouterr().out
    assert said.startswith(f"anvl {anvl.__version__}: ")
    scripts = distribution("anvl-mlir").entry_points.select(group="console_scripts")
    assert [x.name for x in scripts if not re.search(rf"\b{x.name}\b(?!-)", said)] == []
    assert "anvl doctor " in said and "--help" in said


def test_python_runs_the_package_as_the_command():
    """Where the folder of scripts is not on the path."""
    command = [sys.executable, "-m", "anvl"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith(f"anvl {anvl.__version__}: ")
    done = subprocess.run([*command, "nwe"], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout) == (1, "")
    assert "no command 'nwe', did you mean 'new'?" in done.stderr
