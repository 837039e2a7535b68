"""Arrays that a function closes over: what each use reads, and what the program has of them."""

import numpy as np
import pytest

import anvl
import anvl.numpy as anp


def test_all_uses_have_the_values_of_the_first_one_while_the_function_is_traced():
    """Small and large, of one element, a view of what changes, and in a derivative."""
    small, one, large = np.ones(3), np.array(1.0), np.ones(1 << 14)
    view, shaped = small[1:], np.arange(6.0).reshape(2, 3).copy()

    def uses(x):
        return [x + small, x * one, anp.sum(x * large), x + anp.sum(view), x + shaped]

    def f(x):
        first = uses(x)
        small[:], one[()], large[:], shaped[0, 0] = 5, 7, 2, -1
        slope = anvl.grad(lambda x: anp.sum(x * x * small))(x)
        return first, uses(x), slope

    expected = [np.asarray(y) for y in uses(np.float64(2))]
    with pytest.warns(anvl.StaleClosureWarning, match="changes one, .*small.* while it is traced"):
        first, then, slope = anvl.jit(f)(np.float64(2))
    for found in (first, then):
        for y, wanted in zip(found, expected, strict=True):
            np.testing.assert_array_equal(np.asarray(y), wanted)
    assert slope.item() == 12


def test_an_array_that_stays_is_one_constant():
    table = np.arange(1000.0)
    lowered = anvl.jit(lambda x: anp.sum(table * x) + anp.sum(table)).lower(2.0)
    assert lowered.mlir("constants").count("anvl.constant =") == 1


def test_the_constants_of_a_lowered_function():
    large, small, device = np.arange(4.0), np.array([1, 2], "i1"), anp.asarray([1.5, 2.5])
    unused, scalar = np.ones(7), np.float32(3)

    def f(x):
        _ = x * unused
        return x * small, x * large + scalar, x * device

    lowered = anvl.jit(f).lower(np.float64(1))
    found = lowered.constants()
    large[:] = 0
    names = ("c1", "c2", "c3")
    assert tuple(found) == names
    text = lowered.mlir("constants").splitlines()[1]
    assert all(f"%{name}: tensor<" in text for name in names)
    for array, wanted in zip(found.values(), (small, np.arange(4.0), device), strict=True):
        assert isinstance(array, anvl.Array) and array.dtype == wanted.dtype
        np.testing.assert_array_equal(np.asarray(array), np.asarray(wanted))
    assert anvl.jit(lambda x: x).lower(1.0).constants() == {}
