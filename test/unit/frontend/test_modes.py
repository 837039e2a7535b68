"""All transformations in any order: on random programs, against differences and each other."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tolerances import ITERATION, rounding

import anvl
import anvl.numpy as anp

N = 3  # rows of a batch, and their length
UNARY = (anp.sin, anp.tanh, lambda x: anp.exp(-x * x), lambda x: anp.sqrt(x * x + 1.0), anp.cos)
BINARY = (
    lambda x, y: x * y,
    lambda x, y: x + y,
    lambda x, y: x - 0.5 * y,
    lambda x, y: x / (y * y + 2.0),
    lambda x, y: anp.where(y > 5.0, x, y),  # far from where it jumps
)
ACROSS = (
    lambda x: x[::-1],
    lambda x: anp.cumsum(x) / N,
    lambda x: x + anp.mean(x),
    lambda x: MATRIX @ x,
    lambda x: anp.concatenate([x[1:], x[:1]]),
)
MATRIX = np.cos(np.arange(9.0)).reshape(N, N) / N
X = np.sin(np.arange(9.0) + 1).reshape(N, N)
T = np.cos(np.arange(9.0) * 2).reshape(N, N)


@st.composite
def programs(draw):
    """A scalar function of a vector, of up to 30 ops, which reuses what it has computed."""
    steps = draw(
        st.lists(
            st.tuples(
                st.sampled_from("uba"), st.integers(0, 4), st.integers(0, 6), st.integers(0, 6)
            ),
            min_size=1,
            max_size=10,
        )
    )

    def f(x):
        values = [x]
        for kind, which, i, j in steps:
            a, b = values[-1 - i % len(values)], values[-1 - j % len(values)]
            if kind == "u":
                values.append(UNARY[which](a))
            else:
                values.append(BINARY[which](a, b) if kind == "b" else ACROSS[which](a))
        return anp.sum(anp.sin(values[-1])) + 0.1 * anp.sum(values[len(values) // 2])

    return f


def close(found, expected, rtol=rounding(ITERATION), atol=rounding(ITERATION)):
    np.testing.assert_allclose(np.asarray(found), np.asarray(expected), rtol=rtol, atol=atol)


def differences(f, x, eps=1e-5):
    """The derivative of f, whose result may have any shape, along each entry of x; last."""
    slopes = [
        (np.asarray(f(x + eps * e)) - np.asarray(f(x - eps * e))) / (2 * eps)
        for e in np.eye(x.size).reshape(x.size, *x.shape)
    ]
    return np.stack(slopes, -1)


def stacked(f):
    return np.stack([np.asarray(f(row)) for row in X])


@pytest.mark.sweep(keep=0)
@settings(max_examples=12, deadline=None)
@given(programs())
def test_first_derivatives_agree_with_differences_and_loops(f):
    f_jit = anvl.jit(f)
    slopes = np.stack([differences(f_jit, row) for row in X])
    batch = anvl.jit(anvl.vmap(f))
    close(batch(X), stacked(f_jit))
    gradient = anvl.jit(anvl.vmap(anvl.grad(f)))(X)
    close(gradient, slopes, rtol=1e-5, atol=1e-7)
    close(anvl.jit(anvl.grad(lambda x: anp.sum(anvl.vmap(f)(x))))(X), gradient)
    along = anvl.jit(lambda x, t: anvl.jvp(anvl.vmap(f), (x,), (t,))[1])(X, T)
    close(along, np.sum(np.asarray(gradient) * T, axis=1))
    close(anvl.jit(anvl.vmap(lambda x, t: anvl.jvp(f, (x,), (t,))[1]))(X, T), along)


@pytest.mark.sweep(keep=0, part=0)
@settings(max_examples=8, deadline=None)
@given(programs())
def test_second_derivatives_agree_in_every_order(f):
    slope = anvl.jit(anvl.grad(f))
    expected = np.stack([differences(slope, row) for row in X])
    hessians = anvl.jit(anvl.vmap(anvl.hessian(f)))(X)
    close(hessians, expected, rtol=1e-4, atol=1e-6)
    directional = np.einsum("nij,nj->ni", np.asarray(hessians), T)

    def forward_over_reverse(x, t):
        return anvl.jvp(anvl.grad(f), (x,), (t,))[1]

    def reverse_over_forward(x, t):
        return anvl.grad(lambda x: anvl.jvp(f, (x,), (t,))[1])(x)

    def reverse_over_reverse(x, t):
        return anvl.grad(lambda x: anp.sum(anvl.grad(f)(x) * t))(x)

    for product in (forward_over_reverse, reverse_over_forward, reverse_over_reverse):
        close(anvl.jit(anvl.vmap(product))(X, T), directional)
    whole = anvl.jit(anvl.hessian(lambda x: anp.sum(anvl.vmap(f)(x))))(X)
    for i in range(N):
        close(np.asarray(whole)[i, :, i], np.asarray(hessians)[i])
    off = np.asarray(whole)[0, :, 1]
    close(off, np.zeros_like(off))


@pytest.mark.parametrize(
    "name",
    [
        "grad vmap", "vmap grad", "jvp grad", "grad jvp", "vmap jvp", "jvp vmap", "vmap vmap",
        "vmap grad vmap", "grad vmap grad", "jvp vmap grad", "vmap jvp grad", "grad jit vmap",
        "vmap jit jvp", "jit vmap jit grad jit",
    ],
)  # fmt: skip
def test_compositions_by_name(name):
    """Each on f(x) = sum(sin(x)^2) or its derivative, which are known."""
    order = name.split()
    value = lambda x: anp.sum(anp.sin(x) ** 2)  # noqa: E731
    n_batches, n_derivatives = order.count("vmap"), order.count("grad") + order.count("jvp")
    f = value
    for transform in reversed(order):
        f = {
            "jit": anvl.jit,
            "vmap": anvl.vmap,
            "grad": lambda f: anvl.grad(lambda x, f=f: anp.sum(f(x))),
            "jvp": lambda f: lambda x: anvl.jvp(f, (x,), (np.ones(x.shape),))[1],
        }[transform](f)
    x = np.sin(np.arange(3.0 ** (n_batches + 1))).reshape((3,) * (n_batches + 1))
    derivative = {1: np.sin(2 * x), 2: 2 * np.cos(2 * x), 0: np.sin(x) ** 2}[n_derivatives]
    found = np.asarray(f(x))
    summed = tuple(range(found.ndim, x.ndim))
    close(found, derivative.sum(axis=summed) if summed else derivative)
