"""NumPy's staples under `vmap` and `grad`: a batch is the loop, a gradient the slope."""

import numpy as np
import pytest
from tolerances import ITERATION, PROGRAM, rounding

import anvl
import anvl.numpy as anp

X, W = (np.random.default_rng(seed).normal(size=(3, 4)) for seed in (0, 1))
V = np.asarray([1.0, 2, 4, 7])
I = np.asarray([[3, 1, 2, 0], [0, 2, 3, 1], [1, 1, 1, 1]])  # noqa: E741

FUNCTIONS = {
    "interp": (lambda x: anp.interp(x, V, X[0]), X),
    "gradient": (anp.gradient, X),
    "unwrap": (lambda x: anp.unwrap(4 * x), X),
    "histogram": (lambda x: anp.histogram(x, 4, (-2, 2))[0], X),
    "digitize": (lambda x: anp.digitize(x, V), X),
    "bincount": (lambda i: anp.bincount(i, length=4), I),
    "nanvar": (anp.nanvar, X),
    "nanmedian": (anp.nanmedian, X),
    "quantile": (lambda x: anp.quantile(x, 0.3, method="hazen"), X),
    "insert": (lambda i: anp.insert(V, i, 9.0), I),
    "delete": (lambda i: anp.delete(V, i[0]), I),
    "pad, reflect": (lambda x: anp.pad(x, 3, "reflect"), X),
    "pad, maximum": (lambda x: anp.pad(x, 3, "maximum"), X),
    "select": (lambda x: anp.select([x < 0, x > 1], [x, 2 * x]), X),
    "choose": (lambda i: anp.choose(i, [V] * 4, mode="clip"), I),
    "compress": (lambda x: anp.compress(x > 0, x, size=3), X),
    "unique": (lambda i: anp.unique(i, size=4), I),
    "setdiff1d": (lambda i: anp.setdiff1d(i, np.asarray([1]), size=3), I),
    "place": (lambda x: anp.place(x, x > 0, V), X),
    "packbits": (anp.packbits, I),
    "gcd": (lambda i: anp.gcd(i, 6), I),
    "polyfit": (lambda x: anp.polyfit(V, x, 1), X),
    "mask": (lambda x: anp.asarray(x).at[x > 0].set(0.0), X),
    "fill": (lambda i: anp.asarray(V).at[i].get(mode="fill", fill_value=-1.0), I + 1),
    "sum, where": (lambda x: anp.sum(x, where=x > 0, initial=1.0), X),
    "max, where": (lambda x: anp.max(x, initial=0.0, where=x < 1), X),
    "log10": (lambda x: anp.log10(abs(x)), X),
    "modf": (lambda x: anp.modf(x)[0], X),
    "geomspace": (lambda x: anp.geomspace(1.0, 2 + x * x, 3), X),
}  # fmt: skip


@pytest.mark.sweep(keep=8)
@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_batch_is_the_loop_and_a_gradient_the_slope(name):
    f, x = FUNCTIONS[name]
    found = np.asarray(anvl.jit(anvl.vmap(f))(x))
    rows = np.stack([np.asarray(f(row)) for row in x])
    np.testing.assert_allclose(found, rows, rtol=rounding(ITERATION), atol=rounding(PROGRAM))
    if x.dtype.kind != "f" or found.dtype.kind != "f":
        return

    def squared(x):
        return anp.sum(f(x) ** 2)

    slopes = np.asarray(anvl.jit(anvl.vmap(anvl.grad(squared)))(x)) @ W[0]
    step = 1e-6 * W[0]
    ends = [np.asarray(anvl.jit(anvl.vmap(squared))(x + sign * step)) for sign in (1, -1)]
    np.testing.assert_allclose(slopes, (ends[0] - ends[1]) / 2e-6, rtol=2e-5, atol=1e-7)
