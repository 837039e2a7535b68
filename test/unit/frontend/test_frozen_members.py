"""Members of a batch that are done: what a loop would still compute for them must end, too."""

from functools import reduce

import numpy as np
import pytest
from tolerances import ITERATION, PROGRAM, rounding

import anvl
import anvl.numpy as anp

X = np.asarray([3.0, 99.0, 250.0, 58.5])


def countdown(x):
    """The steps from x down to 0, in quarters; for an x that is no such number it does not end."""
    return anvl.while_loop(lambda c: c != 0, lambda c: c - 0.25, x)


def nested(x):
    """Steps of 7 until 100; its body ends for an x up to 100 only."""
    step = lambda x: x + 7 * anp.cos(countdown(100.0 - x)) * 1.0  # noqa: E731
    return anvl.while_loop(lambda x: x < 100, step, x)


def with_choice(x):
    """A loop with a branch that has a loop."""

    def step(x):
        return anvl.cond(x < 50, lambda: x + 20 + countdown(50.0 - x), lambda: x + 10)

    return anvl.while_loop(lambda x: x < 100, step, x)


@pytest.mark.parametrize("f", [nested, pytest.param(with_choice, marks=pytest.mark.sweep(keep=0))])
def test_values_and_derivatives_are_those_of_each(f):
    single = [float(f(x)) for x in X]
    np.testing.assert_allclose(anvl.vmap(f)(X), single, rtol=rounding(PROGRAM))
    np.testing.assert_allclose(
        anvl.vmap(anvl.vmap(f))(X.reshape(2, 2)), np.reshape(single, (2, 2)), rtol=rounding(PROGRAM)
    )
    slopes = [float(anvl.grad(f)(x)) for x in X]
    np.testing.assert_allclose(anvl.vmap(anvl.grad(f))(X), slopes, rtol=rounding(PROGRAM))
    total = lambda x: anp.sum(anvl.vmap(f)(x))  # noqa: E731
    np.testing.assert_allclose(anvl.jit(anvl.grad(total))(X), slopes, rtol=rounding(PROGRAM))
    _, moved = anvl.jvp(anvl.vmap(f), (X,), (np.ones(4),))
    np.testing.assert_allclose(moved, slopes, rtol=rounding(PROGRAM))


@pytest.mark.parametrize("order", [0, 1, pytest.param(2, marks=pytest.mark.sweep(keep=0, part=0))])
def test_derivatives_and_constants_of_each_member(order):
    def f(x, a):
        root = lambda y: anvl.while_loop(  # noqa: E731
            lambda r: anp.abs(r * r - y) > 1e-12, lambda r: (r + y / r) / 2, y
        )
        step = lambda c: (c[0] + 1, root(c[1]) + a * c[1])  # noqa: E731
        return anvl.while_loop(lambda c: c[0] < a, step, (np.float64(0), x))[1]

    x, a = np.asarray([2.0, 0.3, 5.0]), np.asarray([1.0, 0.0, 3.0])
    g = reduce(lambda g, _: anvl.grad(g), range(order), f)
    one = anvl.jit(g)
    single = [float(one(*row)) for row in zip(x, a, strict=True)]
    np.testing.assert_allclose(anvl.vmap(g)(x, a), single, rtol=rounding(ITERATION))


def test_no_members_and_members_that_are_done_at_once():
    assert anvl.vmap(nested)(X[:0]).shape == (0,)
    done = np.asarray([100.3, 200.0])
    np.testing.assert_array_equal(anvl.vmap(nested)(done), done)


def test_a_loop_with_a_plain_body_computes_it_for_all():
    def text(f):
        return anvl.jit(anvl.vmap(f)).lower(X).mlir("constants")

    plain = lambda x: anvl.while_loop(lambda x: x < 100, lambda x: x * 2, x)  # noqa: E731
    assert "argmax" in text(nested)
    assert "argmax" not in text(plain)
    # The loops that go back count steps, and end.
    assert "argmax" not in text(anvl.grad(plain))
