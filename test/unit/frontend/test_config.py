"""The dtypes that Python numbers get: set for a while, for good, or from the environment."""

import os
import subprocess
import sys

import numpy as np
import pytest

import anvl
import anvl.numpy as anp


def test_defaults_hold_inside_of_a_with_block():
    with anvl.defaults(float="f64", int="i64"):
        assert anp.zeros(2).dtype == np.float64
        assert anp.arange(3).dtype == np.int64
        assert anp.asarray([1.5]).dtype == np.float64
    assert anp.zeros(2).dtype == np.float32


def test_defaults_come_back_after_an_error():
    with pytest.raises(RuntimeError), anvl.defaults(float="f64"):
        raise RuntimeError
    assert anp.zeros(2).dtype == np.float32


def test_a_compiled_function_is_compiled_anew_under_other_defaults_and_found_again():
    calls = []

    @anvl.jit
    def f(x):
        calls.append(x)
        return anp.sin(x)

    x = anp.asarray([1, 2])
    assert f(x).dtype == f(x).dtype == np.float32
    with anvl.defaults(float="f64"):
        assert f(x).dtype == f(x).dtype == np.float64
    assert f(x).dtype == f(x).dtype == np.float32
    with anvl.defaults(float="f64"):
        assert f(x).dtype == np.float64
    assert len(calls) == 2


def test_operators_of_arrays_follow_the_defaults():
    x = anp.asarray([1, 2])
    assert (x / x).dtype == np.float32
    with anvl.defaults(float="f64"):
        assert (x / x).dtype == np.float64
        assert (x + 0.5).dtype == np.float64
    assert (x / x).dtype == (x + 0.5).dtype == np.float32


@pytest.mark.parametrize(
    ("given", "kind", "message"),
    [
        ({"float": "i32"}, TypeError, "set_defaults: i32 is no dtype of kind float"),
        ({"bool": "bool"}, ValueError, "'bool' is no kind with a default"),
        ({"int": "i64", "float": "i8"}, TypeError, "i8 is no dtype of kind float"),
    ],
)
def test_a_default_of_another_kind_is_refused_and_nothing_changes(given, kind, message):
    with pytest.raises(kind, match=message):
        anvl.set_defaults(**given)
    assert anp.asarray([1]).dtype == np.int32


@pytest.mark.parametrize(("value", "shown"), [("f64", "float64"), ("i8", "ANVL_DEFAULT_FLOAT: i8")])
def test_defaults_are_read_from_the_environment(value, shown):
    code = "import anvl.numpy as np; print(np.zeros(1).dtype)"
    environment = {**os.environ, "ANVL_DEFAULT_FLOAT": value}
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env=environment
    )
    assert shown in done.stdout + done.stderr
