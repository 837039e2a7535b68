"""Tests of numbers ask the reference interpreter, and XLA where it has no answer."""

import interpreted
import numpy as np
import pytest
from sweep import MODE

import anvl
import anvl.dispatch.executables as executables
import anvl.numpy as anp
from anvl.dialect.text.interpreter import interpreter
from anvl.runtime import RuntimeFailure


@pytest.fixture
def made(monkeypatch):
    """The executables that a test makes."""
    found = []

    def kept(*args, **rest):
        found.append(interpreted.interpreted(*args, **rest))
        return found[-1]

    interpreted.interpret_programs(monkeypatch, kept)  # in `make sweep`, too
    executables.clear_executables()
    yield found
    executables.clear_executables()


X = np.arange(6.0).reshape(2, 3)


@pytest.mark.skipif(MODE in ("part", "all"), reason="XLA runs all programs")
def test_it_is_used_here():
    assert executables.compile_lowered is interpreted.interpreted


def test_a_program_runs_without_being_compiled(made):
    f = anvl.jit(lambda x: (anp.sin(x) @ x.T, {"sum": anp.sum(x)}))
    for _ in range(3):
        y, sums = f(X)
        np.testing.assert_allclose(y, np.sin(X) @ X.T)
        assert sums["sum"].dtype == np.float64 and sums["sum"].item() == 15
    assert [one.is_compiled for one in made] == [False]


def test_results_have_every_dtype(made):
    for dtype in ("bool", "int8", "uint64", "float16", "bfloat16", "complex64"):
        x = anp.asarray([1, 0, 2]).astype(dtype)
        y = anvl.jit(lambda x: anp.flip(x))(x)
        assert y.dtype == x.dtype and y.tolist() == x.tolist()[::-1]
    assert not any(one.is_compiled for one in made)


def test_an_op_that_it_lacks_is_compiled(made):
    f = anvl.jit(lambda x: anp.linalg.cholesky(x))
    np.testing.assert_allclose(f(4 * np.eye(3)), 2 * np.eye(3))
    assert [one.is_compiled for one in made] == [True]


def test_a_division_by_zero_is_compiled(made):
    f = anvl.jit(lambda x, y: x // y)
    one, zero = np.array([7], np.int32), np.array([0], np.int32)
    assert f(one, one).tolist() == [1]
    f(one, zero)
    assert f(one, one).tolist() == [1]


def test_a_long_program_is_compiled(made):
    f = anvl.jit(lambda n: anvl.while_loop(lambda i: i < n, lambda i: i + 1, 0))
    assert f(3).item() == 3
    assert f(200_000).item() == 200_000
    assert [one.is_compiled for one in made] == [True]


def test_many_runs_are_compiled(made, monkeypatch):
    class Slow:
        runs = 0

        def run_artifact(self, *args):
            self.runs += 1
            return interpreter().run_artifact(*args)[0], 0.04

    slow = Slow()
    monkeypatch.setattr(interpreted, "interpreter", lambda: slow)
    f = anvl.jit(lambda x: anp.sin(x))
    for _ in range(5):
        np.testing.assert_allclose(f(X), np.sin(X))
    assert slow.runs == 3 and made[0].is_compiled


def test_who_asks_for_more_has_it_compiled(made):
    anvl.jit(lambda x: anp.sin(x))(X)
    assert not made[0].is_compiled
    assert "sine" in made[0].hlo_text() and made[0].is_compiled


def test_errors_are_those_of_an_executable(made):
    x = anp.asarray(X)
    f = anvl.jit(lambda x: anp.sin(x))
    f(x)
    x.delete()
    with pytest.raises(RuntimeFailure, match="deleted"):
        f(x)
