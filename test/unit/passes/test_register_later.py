"""Passes whose class is loaded when a pipeline or a list first needs it."""

import subprocess
import sys

import pytest

from anvl.passes import Pass
from anvl.passes.framework import pass_base
from anvl.passes.framework.pass_base import find, register_later, registered_passes


def later(name, loaded):
    def load():
        loaded.append(name)
        return type("Later", (Pass,), {"argument": name, "__module__": __name__})

    register_later(name, load)


def test_it_is_loaded_once_by_its_name(monkeypatch):
    monkeypatch.setattr(pass_base, "_registry", dict(pass_base._registry))
    loaded = []
    later("test-later", loaded)
    assert find("test-other") is None and loaded == []
    assert find("test-later") is find("test-later") is not None
    assert loaded == ["test-later"]


def test_it_is_in_the_list(monkeypatch):
    monkeypatch.setattr(pass_base, "_registry", dict(pass_base._registry))
    loaded = []
    later("test-listed-later", loaded)
    assert "test-listed-later" in registered_passes() and loaded == ["test-listed-later"]


@pytest.mark.sweep(keep=0)
def test_anvl_opt_loads_what_executes_only_where_it_is_asked_for():
    script = (
        "import sys; from anvl.tools.opt.main import main; main({arguments!r});"
        "print('anvl.tools.opt.verify_gradient' in sys.modules, 'numpy.random' in sys.modules)"
    )
    for arguments, wanted in (
        (["-", "-o", "/dev/null"], "False False"),
        (["--list-passes"], "True"),
    ):
        done = subprocess.run(
            [sys.executable, "-c", script.format(arguments=arguments)],
            input="module {}", capture_output=True, text=True, timeout=60,
        )  # fmt: skip
        assert done.stdout.splitlines()[-1].startswith(wanted), done.stderr
