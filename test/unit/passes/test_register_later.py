"""Passes whose class is loaded when a pipeline or a list first needs it."""

import subprocess
import sys
from pathlib import Path

import pytest

import anvl.passes
from anvl.passes import Pass
from anvl.passes.framework import pass_base
from anvl.passes.framework.pass_base import find, register, register_later, registered_passes

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture
def later(monkeypatch, tmp_path):
    """Register a pass of a module that is not imported yet; the names of those that were."""
    monkeypatch.setattr(pass_base, "_registry", dict(pass_base._registry))
    monkeypatch.setattr(pass_base, "_deferred", dict(pass_base._deferred))
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr("sys.later_passes", [], raising=False)

    def add(argument, module):
        (tmp_path / f"{module}.py").write_text(
            "import sys\nfrom anvl.passes import Pass\n"
            f"class Later(Pass, argument={argument!r}): pass\n"
            f"sys.later_passes.append({module!r})\n"
        )
        register_later(argument, module, "Later")
        return sys.later_passes

    return add


def test_it_is_loaded_once_by_its_name(later):
    loaded = later("test-later", "later_by_name")
    assert find("test-other") is None and loaded == []
    assert find("test-later") is find("test-later") is not None
    assert loaded == ["later_by_name"]


def test_it_is_in_the_list(later):
    loaded = later("test-listed-later", "later_in_list")
    assert "test-listed-later" in registered_passes() and loaded == ["later_in_list"]


def test_a_module_that_was_imported_otherwise_is_not_loaded_again(later):
    loaded = later("test-imported", "later_imported")
    found = __import__("later_imported").Later
    assert find("test-imported") is found and loaded == ["later_imported"]


def test_its_name_is_taken_before_it_is_loaded(later):
    loaded = later("test-taken", "later_taken")
    other = type(
        "Other", (Pass,), {"__module__": __name__}, argument="test-taken", registered=False
    )
    with pytest.raises(ValueError, match=r"test-taken: two passes .*, later_taken.Later and .*Oth"):
        register(other)
    assert loaded == []


def test_each_file_of_a_pass_is_registered_by_its_name():
    files = {path.stem for path in (ROOT / "passes").glob("*.py")} - {"__init__"}
    classes = {
        name: pass_class
        for name, pass_class in registered_passes().items()
        if pass_class.__module__.startswith("anvl.passes.")
    }
    assert set(classes) == {"anvl-" + stem.replace("_", "-") for stem in files}
    for pass_class in classes.values():
        assert getattr(anvl.passes, pass_class.__name__) is pass_class
    assert all(hasattr(anvl.passes, name) for name in dir(anvl.passes))
    with pytest.raises(AttributeError, match=r"'anvl.passes' has no attribute 'Gradent'"):
        anvl.passes.Gradent  # noqa: B018


@pytest.mark.sweep(keep=0)
def test_anvl_opt_loads_what_executes_only_where_it_is_asked_for():
    script = (
        "import sys; from anvl.tools.opt.main import main; main({arguments!r});"
        "print(*(name in sys.modules for name in "
        "('anvl.tools.opt.verify_gradient', 'numpy.random', 'anvl.passes.lift')))"
    )
    for arguments, wanted in (
        (["-", "-o", "/dev/null"], "False False False"),
        (["-", "-o", "/dev/null", "--anvl-inline"], "False False False"),
        (["--list-passes"], "True"),
    ):
        done = subprocess.run(
            [sys.executable, "-c", script.format(arguments=arguments)],
            input="module {}", capture_output=True, text=True, timeout=60,
        )  # fmt: skip
        assert done.stdout.splitlines()[-1].startswith(wanted), done.stderr
