"""Every function has an example in its docstring, and it holds."""

import doctest

import pytest

import anvl.numpy as anp

FUNCTIONS = sorted(
    name
    for name in anp.__all__
    if callable(getattr(anp, name)) and not isinstance(getattr(anp, name), type)
)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_the_example_of_a_function_holds(name):
    text = getattr(anp, name).__doc__ or ""
    test = doctest.DocTestParser().get_doctest(text, {}, name, None, 0)
    assert test.examples, f"{name} has no example"
    assert doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE).run(test).failed == 0


def test_all_names_are_listed_once_and_there():
    assert len(set(anp.__all__)) == len(anp.__all__)
    assert all(hasattr(anp, name) for name in anp.__all__)
