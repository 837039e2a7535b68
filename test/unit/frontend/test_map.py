"""`map` and `associative_scan`."""

import numpy as np
import pytest
from tolerances import ITERATION, PROGRAM, rounding

import anvl
import anvl.numpy as anp

X = np.linspace(0.1, 1.3, 13)


@pytest.mark.parametrize("size", [None, 1, 2, 4, 5, 13, 100])
def test_map_is_f_of_each(size):
    f = lambda x: {"y": anp.sin(x) * x, "n": x > 0.5}  # noqa: E731
    found = anvl.map(f, X, batch_size=size)
    np.testing.assert_allclose(found["y"], np.sin(X) * X, rtol=rounding(PROGRAM))
    np.testing.assert_array_equal(found["n"], X > 0.5)
    g = anvl.grad(lambda x: anp.sum(anvl.map(f, x, batch_size=size)["y"]))
    np.testing.assert_allclose(g(X), np.cos(X) * X + np.sin(X), rtol=rounding(PROGRAM))


def test_map_over_trees_and_nothing():
    found = anvl.map(lambda t: t["a"] @ t["b"], {"a": np.ones((3, 2)), "b": np.ones((3, 2))})
    np.testing.assert_array_equal(found, [2, 2, 2])
    assert anvl.map(anp.sin, np.zeros((0, 2)), batch_size=4).shape == (0, 2)
    assert anvl.map(anp.sin, np.zeros((0, 2))).shape == (0, 2)


@pytest.mark.parametrize("n", [0, 1, 2, 3, 4, 5, 7, 8, 13])
def test_running_sums_and_products_of_matrices(n):
    np.testing.assert_allclose(anvl.associative_scan(anp.add, X[:n]), np.cumsum(X[:n]))
    rev = anvl.associative_scan(anp.add, X[:n], reverse=True)
    np.testing.assert_allclose(rev, np.cumsum(X[:n][::-1])[::-1])
    many = np.random.default_rng(0).normal(size=(n, 2, 2))
    expected = []
    for m in many:
        expected.append(expected[-1] @ m if expected else m)
    found = anvl.associative_scan(anp.matmul, many)
    np.testing.assert_allclose(
        found, np.asarray(expected).reshape(n, 2, 2), rtol=rounding(ITERATION)
    )


def test_a_recurrence_in_every_mode():
    def linear(a, b):  # of x -> a x + b
        return {"a": a["a"] * b["a"], "b": a["b"] * b["a"] + b["b"]}

    def fast(a, b):
        return anp.sum(anvl.associative_scan(linear, {"a": a, "b": b})["b"] ** 2)

    def slow(a, b):
        step = lambda c, x: (c * x[0] + x[1],) * 2  # noqa: E731
        return anp.sum(anvl.scan(step, 0.0, (a, b))[1] ** 2)

    for transform in (lambda f: f, lambda f: anvl.grad(f, wrt=(0, 1)), anvl.hessian):
        found, expected = transform(fast)(X, X[::-1].copy()), transform(slow)(X, X[::-1].copy())
        for a, b in zip(anvl.tree.leaves(found), anvl.tree.leaves(expected), strict=True):
            np.testing.assert_allclose(
                np.asarray(a), np.asarray(b), rtol=rounding(ITERATION), atol=rounding(PROGRAM)
            )


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: anvl.map(anp.sin, X, batch_size=0), ValueError, "map: batch_size is 0; it must"),
        (lambda: anvl.map(anp.sin, 3.0), ValueError, "map: xs is .*, which has no leading axis"),
        (lambda: anvl.map(anp.sin, ()), ValueError, "map: xs holds no arrays"),
        (
            lambda: anvl.map(anp.add, (X, X[:2])),
            ValueError,
            r"map: the lengths differ: xs\[0\] is 13, xs\[1\] is 2",
        ),
        (lambda: anvl.map(3, X), TypeError, "map: takes a function, got 3"),
        (
            lambda: anvl.associative_scan(lambda a, b: (a, b), X),
            TypeError,
            "associative_scan: <lambda> returns another structure than that of its operands",
        ),
        (
            lambda: anvl.associative_scan(lambda a, b: a > b, X),
            TypeError,
            r"xs is f64\[6\], but <lambda> returns bool\[6\] for it; return the same",
        ),
    ],
)
def test_what_is_refused(call, error, message):
    with pytest.raises(error, match=message):
        call()


@pytest.mark.parametrize("count", [*range(2, 18), 31, 32, 33])
def test_the_rounds_of_an_associative_scan(count):
    calls = []

    def add(x, y):
        calls.append(x.shape)
        return x + y

    anvl.eval_shape(lambda x: anvl.associative_scan(add, x), anvl.aval("f32", (count,)))
    assert len(calls) <= 2 * np.log2(count) - 1
