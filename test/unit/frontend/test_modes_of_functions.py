"""Functions of the library under `vmap`, `grad` and `jvp`: equal to the loop, and to each other."""

import numpy as np
import pytest
from tolerances import ITERATION, rounding

import anvl
import anvl.numpy as anp

RNG = np.random.default_rng(0)
A, B = RNG.normal(size=(3, 4, 4)), RNG.normal(size=(3, 4))
I = np.asarray([0, 2, 1])  # noqa: E741
KEYS = anvl.random.split(anvl.random.key(1), 3)

FUNCTIONS = {
    "solve": (anp.linalg.solve, A, B),
    "svd": (lambda a: anp.linalg.svd(a)[1], A),
    "eigh": (lambda a: anp.linalg.eigh(a + a.T)[0], A),
    "det": (anp.linalg.det, A),
    "index": (lambda x, i: x[i] * x[0], A, I),
    "sort": (anp.sort, A),
    "top_k": (lambda x: anp.top_k(x, 2)[0], B),
    "fft": (lambda x: anp.abs(anp.fft.fft(x)), B),
    "cumprod": (anp.cumprod, B),
    "einsum": (lambda a, b: anp.einsum("ij,j->i", a, b), A, B),
    "quantile": (anp.quantile, B, np.asarray([0.1, 0.5, 0.9])),
    "max_pool": (lambda x: anvl.windows.max_pool(x[None, :, :, None], 2), A),
    "conv": (lambda x: anvl.windows.conv(x[None, :, :, None], np.ones((2, 2, 1, 2))), A),
    "where": (lambda x: anp.where(x > 0, anp.log(x), x), B),
    "body": (lambda x: anvl.windows.reduce_window(x, lambda a, b: a + b * b, 0.0, 2), B),
    "slice": (lambda x, i: anvl.prim.dynamic_slice(x, i, slice_sizes=(2,)), B, I.astype("i4")),
}


def close(found, expected):
    np.testing.assert_allclose(
        np.asarray(found), np.asarray(expected), rtol=1e-8, atol=rounding(ITERATION)
    )


@pytest.mark.sweep(keep=2)
@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_batch_is_the_loop_in_every_mode(name):
    f, x, *rest = FUNCTIONS[name]
    rows = [[a[k] for a in (x, *rest)] for k in range(3)]
    close(anvl.jit(anvl.vmap(f))(x, *rest), np.stack([np.asarray(f(*row)) for row in rows]))

    def loss(*args):
        return anp.sum(f(*args) ** 2)

    slopes = np.stack([np.asarray(anvl.grad(loss)(*row)) for row in rows])
    close(anvl.jit(anvl.vmap(anvl.grad(loss)))(x, *rest), slopes)
    whole = anvl.grad(lambda x: anp.sum(anvl.vmap(loss)(x, *rest)))
    close(anvl.jit(whole)(x), slopes)
    t = np.cos(np.arange(x.size)).reshape(x.shape)
    along = anvl.jvp(lambda x: anvl.vmap(loss)(x, *rest), (x,), (t,))[1]
    close(along, np.sum((slopes * t).reshape(3, -1), axis=1))


@pytest.mark.sweep(keep=2)
@pytest.mark.parametrize("name", [n for n in FUNCTIONS if n != "body"])
def test_the_two_orders_of_second_derivatives_agree_in_a_batch(name):
    f, x, *rest = FUNCTIONS[name]

    def loss(*args):
        return anp.sum(f(*args) ** 2)

    def forward_over_reverse(x, t, *rest):
        return anvl.jvp(lambda x: anvl.grad(loss)(x, *rest), (x,), (t,))[1]

    def reverse_over_forward(x, t, *rest):
        return anvl.grad(lambda x: anvl.jvp(lambda x: loss(x, *rest), (x,), (t,))[1])(x)

    t = np.cos(np.arange(x.size)).reshape(x.shape)
    one = anvl.jit(anvl.vmap(forward_over_reverse))(x, t, *rest)
    other = anvl.jit(anvl.vmap(reverse_over_forward))(x, t, *rest)
    np.testing.assert_allclose(np.asarray(one), np.asarray(other), rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize("draw", [anvl.random.normal, anvl.random.uniform])
def test_a_batch_of_keys_gives_what_each_key_gives(draw):
    found = anvl.vmap(lambda key: draw(key, (2,)))(KEYS)
    assert np.asarray(found).tolist() == [np.asarray(draw(key, (2,))).tolist() for key in KEYS]
