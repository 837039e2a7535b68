"""Arrays that a function closes over: what each use reads, and what the program has of them."""

import numpy as np

import anvl
import anvl.numpy as anp


def test_each_use_has_what_it_read_while_the_function_is_traced():
    """Small and large, of one element and of none, a view of what changes, and in a derivative."""
    small, one, large = np.ones(3), np.array(1.0), np.ones(1 << 14)
    view, shaped = small[1:], np.arange(6.0).reshape(2, 3).copy()

    def f(x):
        first = [x + small, x * one, anp.sum(x * large[0] + large), x + anp.sum(view), x + shaped]
        slope = anvl.grad(lambda x: anp.sum(x * small[0] * small))(x)
        small[:], one[()], large[:], shaped[0, 0] = 5, 7, 2, -1
        then = [x + small, x * one, anp.sum(x * large[0] + large), x + anp.sum(view), x + shaped]
        shaped.resize((3, 2), refcheck=False)
        return first, then, slope, x + shaped

    first, then, slope, last = anvl.jit(f)(np.float64(2))
    n = large.size
    expected = [np.full(3, 3.0), 2.0, 3.0 * n, 4.0, np.arange(6.0).reshape(2, 3) + 2]
    later = [np.full(3, 7.0), 14.0, 6.0 * n, 12.0, expected[-1].copy()]
    later[-1][0, 0] = 1
    for found, wanted in zip([*first, *then], [*expected, *later], strict=True):
        np.testing.assert_array_equal(np.asarray(found), wanted)
    assert slope.item() == 3.0
    assert last.shape == (3, 2)


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
