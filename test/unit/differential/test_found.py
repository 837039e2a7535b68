"""Bugs that `test_differential.py` found, each with the call that showed it."""

import numpy as np
import pytest
import scipy.linalg
from tolerances import FORMULA, PROGRAM, assert_close, rounding

import anvl
import anvl.nn as nn
import anvl.numpy as anp
from anvl.scipy import linalg
from anvl.scipy.linalg import matrix_equations
from anvl.scipy.linalg.stacks import ct

X = np.arange(6.0).reshape(2, 3)


def test_differences_of_order_0_are_what_was_given():
    assert anp.diff(X, n=0, prepend=0).shape == np.diff(X, n=0, prepend=0).shape == (2, 3)


def test_the_mean_of_exponentials_counts_in_the_dtype_of_its_argument():
    x = np.asarray([0.8, -1.4, 0.3])
    assert_close(nn.logmeanexp(x), np.log(np.mean(np.exp(x))), FORMULA)


@pytest.mark.parametrize("dtype", ["int8", "uint16"])
def test_powers_of_narrow_integers_have_room(dtype):
    x = np.asarray([20, 3], dtype)
    found = anp.vander(x, 4)
    assert found.dtype == np.int32
    np.testing.assert_array_equal(found, np.vander(x, 4))


def test_an_array_in_the_order_of_fortran_has_an_axis():
    assert anp.asfortranarray(3.0).shape == np.asfortranarray(3.0).shape == (1,)


@pytest.mark.parametrize("at", [1, [1, 4], (1, 4)])
def test_elements_are_put_at_indices_in_a_list(at):
    wanted = X.copy()
    np.put(wanted, at, [7.0])
    np.testing.assert_array_equal(anp.put(X, at, [7.0]), wanted)


def test_elements_are_put_along_an_axis_at_indices_in_a_list():
    wanted = X.copy()
    np.put_along_axis(wanted, np.asarray([[1], [0]]), 7.0, 1)
    np.testing.assert_array_equal(anp.put_along_axis(X, [[1], [0]], 7.0, axis=1), wanted)


@pytest.mark.parametrize("axes", [{}, {"baxis": 1}, {"outaxis": -1}, {"caxis": 0, "baxis": -1}])
def test_circulant_systems_have_right_sides_in_columns(axes):
    c, b = np.asarray([5.0, 1.0, 2.0]), np.arange(9.0).reshape(3, 3) ** 2
    assert_close(
        linalg.solve_circulant(c, b, **axes), scipy.linalg.solve_circulant(c, b, **axes), PROGRAM
    )


def test_circulant_systems_of_other_sizes_are_refused():
    with pytest.raises(ValueError, match="c has 3 elements along axis -1, and b 2 along axis 0"):
        linalg.solve_circulant(np.ones(3), np.ones((2, 3)))


@pytest.mark.sweep(keep=0)
def test_what_only_an_unread_result_of_a_loop_needs_is_not_differentiated(monkeypatch):
    """The loop of the rule leaves a matrix zero that only its end needs, and its end NaN."""

    def solved(t, inside):
        half = matrix_equations._half_turning(t, anp.tril(anp.negative(inside), -1), False)
        return anp.subtract(half, ct(half))

    def f(a):
        t, z = linalg.schur(a)
        return anp.sum(w * z * z) + anp.sum(w * t * t)

    a, w = np.asarray([[1.0, 0.5], [0.5, 4.0]]), np.asarray([[1.0, 0.3], [0.2, -0.7]])

    def both(a):
        gradient = anvl.grad(f)
        twice = anvl.grad(lambda a: anp.sum(w * gradient(a)))(a)
        return twice, anvl.jvp(gradient, (a,), (w,))[1]

    found, wanted = anvl.jit(both)(a)
    monkeypatch.setattr(matrix_equations, "_turning", solved)
    for one in anvl.jit(lambda a: both(a))(a):
        np.testing.assert_allclose(one, found, rounding(PROGRAM), rounding(PROGRAM))
    np.testing.assert_allclose(found, wanted, rounding(PROGRAM), rounding(PROGRAM))
