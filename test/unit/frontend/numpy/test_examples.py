"""Every function has an example in its docstring, and it holds."""

import doctest
from types import ModuleType

import pytest

import anvl
import anvl.numpy as anp

MODULES = [
    anp, anp.fft, anp.linalg, anvl.random, anvl.nn, anvl.nn.initializers, anvl.windows, anvl.lax,
    anvl.optim, anvl.scipy.linalg, anvl.scipy.special, anvl.tree,
]  # fmt: skip


def functions(module):
    found = {name: getattr(module, name) for name in module.__all__}
    ours = [f for f in found.values() if not str(getattr(f, "__module__", "")).startswith("numpy")]
    return [f for f in ours if callable(f) and not isinstance(f, type | ModuleType)]


@pytest.mark.sweep(keep=30, part=20)
@pytest.mark.parametrize(
    ("name", "f"),
    [(f"{m.__name__}.{f.__name__}", f) for m in MODULES for f in functions(m)],
)
def test_the_example_of_a_function_holds(name, f):
    text = f.__doc__ or ""
    test = doctest.DocTestParser().get_doctest(text, {}, name, None, 0)
    assert test.examples, f"{name} has no example"
    assert doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE).run(test).failed == 0


@pytest.mark.parametrize("module", MODULES)
def test_all_names_are_listed_once_and_there(module):
    assert len(set(module.__all__)) == len(module.__all__)
    assert all(hasattr(module, name) for name in module.__all__)


def test_a_name_that_is_not_there_is_refused_with_the_nearest():
    with pytest.raises(AttributeError, match=r"'anvl.numpy' has no attribute 'no_such'$"):
        anp.no_such  # noqa: B018
    with pytest.raises(AttributeError, match=r"no attribute 'histgram'; did you mean 'histogram'"):
        anp.histgram  # noqa: B018
