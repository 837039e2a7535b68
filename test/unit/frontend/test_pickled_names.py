"""Names of anvl's namespaces can be pickled and copied: functions stay themselves."""

import copy
import importlib
import pickle  # noqa: TID251 -- people pickle the names of anvl; anvl reads no pickle
import subprocess
import sys
from types import FunctionType, ModuleType

import numpy as np
import pytest
from test_stable_names import PUBLIC

import anvl
import anvl.numpy as anp
from anvl.scipy import special, stats

MODULES = sorted(
    PUBLIC | {f"anvl.{name}" for name in dir(anvl) if isinstance(getattr(anvl, name), ModuleType)}
)


def public(module):
    """The public names of a module, with their values."""
    found = importlib.import_module(module)
    names = getattr(found, "__all__", None) or [n for n in dir(found) if not n.startswith("_")]
    values = {name: getattr(found, name) for name in names}
    return {name: x for name, x in values.items() if not isinstance(x, ModuleType)}


@pytest.mark.parametrize("module", MODULES)
def test_each_public_name_can_be_pickled_and_copied(module):
    for name, x in public(module).items():
        for again in (pickle.loads(pickle.dumps(x)), copy.copy(x), copy.deepcopy(x)):
            if isinstance(x, type | FunctionType):
                assert again is x, name
            else:  # a number, a table, or an object that is used by an index
                assert again is x or repr(again) == repr(x), name


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_functions_are_found_where_people_find_them(protocol):
    for f, home in (
        (anp.unwrap, b"anvl.numpy"), (anp.sin, b"anvl.numpy"), (anp.abs, b"anvl.numpy"),
        (anp.linalg.eigh, b"anvl.numpy.linalg"), (anvl.tree.flatten, b"anvl.tree"),
        (special.beta, b"anvl.scipy.special"), (stats.norm, b"anvl.scipy.stats"),
    ):  # fmt: skip
        data = pickle.dumps(f, protocol)
        assert pickle.loads(data) is f
        assert home in data and home + b"." not in data  # no folder, which may be another one soon


def test_methods_of_a_distribution():
    for method in (stats.norm.logpdf, stats.binom.pmf):
        assert pickle.loads(pickle.dumps(method)) is method
    method = stats.dirichlet.logpdf
    assert pickle.loads(pickle.dumps(method)) == method
    assert pickle.loads(pickle.dumps(stats.dirichlet)) is stats.dirichlet


def test_another_process_finds_them():
    functions = [anp.sin, anp.unwrap, anp.linalg.norm, anvl.nn.batch_norm, stats.norm, anp.pi]
    code = (
        "import pickle, sys; f, g, *_, norm, pi = pickle.load(sys.stdin.buffer);"
        "print(f(pi / 2), g([0.0, 6.5]), norm.cdf(0.0))"
    )
    ran = subprocess.run(
        [sys.executable, "-c", code], input=pickle.dumps(functions), capture_output=True, check=True
    )
    assert ran.stdout.decode().split() == ["1.0", "[0.", "0.216815]", "0.5"]


def test_functions_of_numpy_stay_where_they_are():
    assert anp.set_printoptions is np.set_printoptions
    assert np.set_printoptions.__module__ == "numpy"


def test_a_function_that_a_program_has_set_is_pickled_as_that(monkeypatch):
    monkeypatch.setattr(anp, "cosh", np.cosh)
    assert pickle.loads(pickle.dumps(anp.cosh)) is np.cosh
