"""Derivatives of any order: how many ops they are, and that all ways to them agree."""

import itertools
import math

import numpy as np
import pytest
from tolerances import ITERATION, PROGRAM, rounding

import anvl
import anvl.numpy as anp


def f(x):
    return anp.sin(x) * anp.exp(x) * x


def f_of_order(k, x):
    """The k-th derivative of sin(x) exp(x) x, by Leibniz."""

    def product(n):  # the n-th derivative of sin(x) exp(x)
        return 2 ** (n / 2) * np.exp(x) * np.sin(x + n * np.pi / 4)

    return x * product(k) + k * product(k - 1)


def grads(f, k):
    for _ in range(k):
        f = anvl.grad(f)
    return f


def count(f, *args):
    """The ops of StableHLO, constants among them."""
    return sum(" = " in line for line in anvl.jit(f).lower(*args).mlir().splitlines())


# Issue 4: as many as this, where the rules alone give 13, 38, 92, 211, 474.
@pytest.mark.parametrize(("k", "most"), [(1, 13), (2, 28), (3, 55), (4, 95), (5, 150)])
def test_orders_do_not_blow_up(k, most):
    assert count(grads(f, k), 1.0) <= most


@pytest.mark.parametrize("k", range(1, 6))
@pytest.mark.parametrize("x", [-1.3, 0.0, 0.7])
def test_orders_have_the_value_of_the_formula(k, x):
    found, expected = grads(f, k)(np.float64(x)).item(), f_of_order(k, x)
    np.testing.assert_allclose(found, expected, rtol=rounding(PROGRAM), atol=rounding(PROGRAM))


@pytest.mark.sweep(keep=1)
@pytest.mark.parametrize("k", range(1, 4))
def test_modes_of_one_order_agree(k):
    x, expected = np.float64(0.7), f_of_order(k, 0.7)
    for modes in itertools.product([anvl.jacfwd, anvl.jacrev, anvl.grad, tangent], repeat=k):
        g = f
        for mode in modes:
            g = mode(g)
        np.testing.assert_allclose(
            anvl.jit(g)(x).item(), expected, rtol=rounding(PROGRAM), err_msg=str(modes)
        )


@pytest.mark.parametrize("k", range(1, 4))
def test_functions_with_rules_keep_them_in_every_order(k):
    """Calls of them stay, where what is around them is simplified."""

    def pieces(x):
        return anvl.checkpoint(anp.sin)(x) * anvl.checkpoint(lambda x: anp.exp(x) * x)(x)

    found = anvl.jit(grads(pieces, k))(np.float64(0.7)).item()
    np.testing.assert_allclose(found, f_of_order(k, 0.7), rtol=rounding(PROGRAM))


def tangent(f):
    return lambda x: anvl.jvp(f, (x,), (anp.ones_like(x),))[1]


def test_the_text_does_not_depend_on_what_was_compiled_before():
    texts = []
    for _ in range(3):  # rules have recipes from the third time on
        text = anvl.jit(grads(f, 5)).lower(1.0).mlir("gradient")
        texts.append(text)
        anvl.jit(grads(anp.tanh, 3)).lower(1.0)
    assert len(set(texts)) == 1


def test_first_order_is_not_simplified():
    """Its compile time is what it was: nobody differentiates what comes out."""
    text = anvl.jit(anvl.grad(lambda x: x * 1.0)).lower(1.0).mlir("gradient")
    assert text.count("anvl.mul") == 2


def test_a_function_of_one_result_has_no_batch_of_one():
    text = anvl.jit(anvl.hessian(lambda x: anp.sum(anp.sin(x) * x))).lower(np.ones(4)).mlir()
    assert "4x1x4" not in text
    assert "tensor<1x" not in text
    text = anvl.jit(anvl.jacfwd(lambda x: anp.sin(x) * np.ones(3))).lower(1.0).mlir()
    assert "1x" not in text


@pytest.mark.parametrize("shape", [(), (1,), (1, 1)])
def test_jacobians_of_one_element_have_all_its_axes(shape):
    x = np.full(shape, 0.3)
    for jacobian in (anvl.jacfwd, anvl.jacrev):
        found = jacobian(lambda x: anp.sin(x)[..., None] * np.asarray([1.0, 2.0]))(x)
        assert found.shape == (*shape, 2, *shape)
        np.testing.assert_allclose(np.ravel(found), [np.cos(0.3), 2 * np.cos(0.3)])
        assert jacobian(anp.sum)(x).shape == shape
    assert anvl.hessian(anp.sin)(x).shape == shape * 3


# Hessians of functions of several arguments


def quartic(x, m):
    """Polynomial, with a matrix."""
    return anp.sum((m @ x) ** 2) * anp.sum(x * x * x)


def network(x, m):
    return anp.sum(anp.tanh(m @ anp.tanh(m @ x)) ** 2)


def choices(x, m):
    """Corners that nothing is near to, and powers."""
    y = anp.where(x > 0, anp.log(anp.abs(x) + 1.0), x**3)
    return anp.sum(anp.maximum(y, m[0]) * m[1]) + anp.prod(x) / anp.sum(anp.exp(-m))


def shapes(x, m):
    """Elements that move: slices, transposes, broadcasts, sums along axes."""
    rows = anp.concatenate([m.T, x[None, :] * anp.sin(m)], axis=0)
    return anp.sum(anp.sum(rows, axis=1)[::-1] ** 2 / (2.0 + anp.cos(rows[:, 0])))


FUNCTIONS = [quartic, network, choices, shapes]
X = np.asarray([0.4, -0.9, 1.3])
M = np.asarray([[0.2, -0.5, 0.8], [1.1, 0.3, -0.7], [-0.4, 0.6, 0.9]])
HESSIANS = {
    "hessian": lambda f, wrt: anvl.hessian(f, wrt=wrt),
    "forward over reverse": lambda f, wrt: anvl.jacfwd(anvl.jacrev(f, wrt=wrt), wrt=wrt),
    "reverse over forward": lambda f, wrt: anvl.jacrev(anvl.jacfwd(f, wrt=wrt), wrt=wrt),
    "reverse over reverse": lambda f, wrt: anvl.jacrev(anvl.jacrev(f, wrt=wrt), wrt=wrt),
    "forward over forward": lambda f, wrt: anvl.jacfwd(anvl.jacfwd(f, wrt=wrt), wrt=wrt),
    "forward over grad": lambda f, wrt: anvl.jacfwd(anvl.grad(f, wrt=wrt), wrt=wrt),
}


def flat_hessian(blocks):
    """The blocks of two arguments as one matrix."""
    sizes = [X.size, M.size]
    return np.block(
        [[np.asarray(blocks[i][j]).reshape(sizes[i], sizes[j]) for j in range(2)] for i in range(2)]
    )


def differences(f, step=1e-4):
    """Central second differences of the values of f."""
    value = anvl.jit(f)
    z = np.concatenate([X, M.ravel()])
    n = len(z)

    def at(*moves):
        moved = z.copy()
        for i, by in moves:
            moved[i] += by
        return value(moved[:3], moved[3:].reshape(3, 3)).item()

    found = np.empty((n, n))
    for i, j in itertools.product(range(n), repeat=2):
        signs = itertools.product((1, -1), repeat=2)
        parts = [a * b * at((i, a * step), (j, b * step)) for a, b in signs]
        found[i, j] = math.fsum(parts) / (4 * step * step)
    return found


@pytest.mark.sweep(keep=0)
@pytest.mark.parametrize("f", FUNCTIONS)
def test_hessians_agree_with_each_other_and_with_numbers(f):
    expected = differences(f)
    found = {
        name: flat_hessian(anvl.jit(hessian_of(f, (0, 1)))(X, M))
        for name, hessian_of in HESSIANS.items()
    }
    for name, matrix in found.items():
        np.testing.assert_allclose(
            matrix, found["hessian"], rtol=rounding(ITERATION), atol=rounding(PROGRAM), err_msg=name
        )
        np.testing.assert_allclose(
            matrix, matrix.T, rtol=rounding(ITERATION), atol=rounding(PROGRAM), err_msg=name
        )
    np.testing.assert_allclose(found["hessian"], expected, rtol=1e-5, atol=2e-6)
