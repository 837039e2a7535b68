"""Passes whose class is loaded when a pipeline or a list first needs it."""

import os
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
    in_rooms = {"merge_loops", "shard"}  # of passes/merging and passes/sharding
    assert set(classes) == {"anvl-" + stem.replace("_", "-") for stem in files | in_rooms}
    for pass_class in classes.values():
        assert getattr(anvl.passes, pass_class.__name__) is pass_class
    assert all(hasattr(anvl.passes, name) for name in dir(anvl.passes))
    with pytest.raises(AttributeError, match=r"'anvl.passes' has no attribute 'Gradent'"):
        anvl.passes.Gradent  # noqa: B018


DECLARED = """
func.func @f(%x: tensor<3xf32>) -> tensor<3xf32> {
  %0 = "anvl.sin"(%x) : (tensor<3xf32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}
func.func private @f_vjp(tensor<3xf32>, tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>)
    attributes {anvl.vjp = {callee = @f, wrt = array<i64: 0>, targets = array<i64: 0>}}
func.func private @f_jvp(tensor<3xf32>, tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>)
    attributes {anvl.jvp = {callee = @f, wrt = array<i64: 0>}}
func.func private @f_vmap(tensor<2x3xf32>) -> tensor<2x3xf32>
    attributes {anvl.vmap = {callee = @f, batched = array<i64: 0>, size = 2 : i64}}
func.func @main(%x: tensor<3xf32>, %y: tensor<2x3xf32>) -> (tensor<3xf32>, tensor<2x3xf32>) {
  %0:2 = call @f_vjp(%x, %x) : (tensor<3xf32>, tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>)
  %1:2 = call @f_jvp(%x, %0#1) : (tensor<3xf32>, tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>)
  %2 = call @f_vmap(%y) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return %1#1, %2 : tensor<3xf32>, tensor<2x3xf32>
}
"""
ALONE = """
import importlib, os, sys
from pathlib import Path
from anvl.tools.opt.main import main
import anvl.passes, anvl.tools.opt.driver.processing
folder = Path(sys.argv[1])

def answer(flag):
    if (child := os.fork()) == 0:
        os.dup2(os.open(folder / "answer", os.O_CREAT | os.O_TRUNC | os.O_WRONLY), 2)
        code = main([str(folder / "a.mlir"), flag, "-o", str(folder / "out")])
        sys.stderr.flush()
        os._exit(code)
    code = os.waitpid(child, 0)[1]
    output = (folder / "out").read_text() if code == 0 else ""
    return code, output, (folder / "answer").read_text()

flags, modules = sys.argv[2:], anvl.passes._PASSES.values()
alone = {flag: answer(flag) for flag in flags}
assert not [m for m in modules if m in sys.modules]
for module in modules:
    importlib.import_module(module)
for flag in flags:
    assert alone[flag] == answer(flag), (flag, alone[flag])
    print(flag, alone[flag][0], alone[flag][2].splitlines()[:1])
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this system")
def test_each_pass_is_the_same_alone_as_with_all_passes_loaded(tmp_path):
    """What a pass needs of another is registered without an import of it."""
    (tmp_path / "a.mlir").write_text(DECLARED)
    with_function = {"check-differentiable", "probe", "donate", "pad"}
    flags = [
        f"--{name}=function=f" if name.removeprefix("anvl-") in with_function else f"--{name}"
        for name in registered_passes()
        if name.startswith("anvl-") and name != "anvl-verify-gradient"
    ]
    done = subprocess.run(
        [sys.executable, "-c", ALONE, tmp_path, *flags], capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stderr
    assert "internal error" not in done.stdout and len(done.stdout.splitlines()) == len(flags)


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
