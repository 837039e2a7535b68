"""Calls outside of a trace whose numbers differ are one program: to compile one takes 20 ms."""

import numpy as np
import pytest
from tolerances import FORMULA, assert_close

import anvl
import anvl.numpy as anp
from anvl import lax, nn, random
from anvl.dispatch import executables
from anvl.scipy import special, stats

X = np.random.default_rng(0).standard_normal(30, dtype=np.float32)
M = X.reshape(5, 6)
KEY = random.key(0)
CALLS = {
    "slice": lambda x, i: x[i : i + 3],
    "slice backwards": lambda x, i: x[i + 4 : i : -2],
    "last slice": lambda x, i: x[-i - 9 : -i - 1 : 3],
    "slice of a row": lambda x, i: x.reshape(5, 6)[i % 5, i % 3 : i % 3 + 2],
    "slice and new axis": lambda x, i: x.reshape(5, 6)[None, ..., i % 5 : i % 5 + 2],
    "slice and rows": lambda x, i: x.reshape(5, 6)[[i % 5, 0], i % 3 : i % 3 + 2],
    "at set": lambda x, i: x.at[i : i + 3].set(i),
    "at set of rows": lambda x, i: x.reshape(5, 6).at[i % 4 : i % 4 + 2, ::-2].set(anp.ones(3)),
    "at add": lambda x, i: x.at[i : i + 6 : 2].add(0.5 * i),
    "at multiply": lambda x, i: x.at[i + 3 : i : -1].multiply(anp.arange(3.0)),
    "at power": lambda x, i: x.at[i : i + 2].power(2),
    "full": lambda x, i: anp.full(9, i),
    "full of f64": lambda x, i: anp.full(9, i / 10, "f64"),
    "arange": lambda x, i: anp.arange(i, i + 9),
    "arange with a step": lambda x, i: anp.arange(9 + i / 10, i / 10, -2),
    "linspace": lambda x, i: anp.linspace(0, i, 7),
    "quantile": lambda x, i: anp.quantile(x, i / 50),
    "percentile": lambda x, i: anp.percentile(x, i, method="nearest"),
    "nanquantile": lambda x, i: anp.nanquantile(x, i / 50),
    "operators": lambda x, i: (x + i) * (i + 0.5) // (i + 1),
    "clip": lambda x, i: anp.clip(x, -i, i / 10),
    "take": lambda x, i: anp.take(x, i),
    "fold_in": lambda x, i: random.fold_in(KEY, i),
    "uniform": lambda x, i: random.uniform(KEY, (3,), minval=-i, maxval=i + 0.1),
    "randint": lambda x, i: random.randint(KEY, (3,), -i, i + 1),
    "bernoulli": lambda x, i: random.bernoulli(KEY, i / 50, (3,)),
    "dynamic_slice": lambda x, i: lax.dynamic_slice(x, (i,), (3,)),
    "leaky_relu": lambda x, i: nn.leaky_relu(x, i / 10),
    "one_hot": lambda x, i: nn.one_hot(i, 10),
    "gammainc": lambda x, i: special.gammainc(i + 1.0, abs(x)),
    "norm.pdf": lambda x, i: stats.norm.pdf(x, i, 2.0),
}


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_numbers_are_arguments(call, monkeypatch):
    x = anp.asarray(X)
    for i in (1, 2, 3):  # some have a form of their own for 0, 1 or 2
        call(x, i)
    made, executable_of = [], executables.executable_of

    def noted(*args):
        made.append(args)
        return executable_of(*args)

    monkeypatch.setattr(executables, "executable_of", noted)
    for i in (4, 5, 7):
        found, compiled = call(x, i), anvl.jit(call, static="i")
        assert not made
        assert_close(found, compiled(x, i), FORMULA)
        made.clear()


@pytest.mark.parametrize("sizes", [(7,), (4, 5), (3, 1, 4)], ids=str)
def test_windows_are_those_of_numpy(sizes):
    """Slices that are drawn, of which the start is an argument, read and written."""
    random_numbers = np.random.default_rng(len(sizes))
    x = np.arange(np.prod(sizes), dtype=np.float32).reshape(sizes)

    def item(n):
        start, stop = (random_numbers.choice([None, *range(-n - 2, n + 3)]) for _ in "ab")
        drawn = slice(start, stop, random_numbers.choice([None, 1, 2, -1, -2]))
        return random_numbers.choice(np.array([drawn, drawn, n - 1, slice(None)], object))

    for _ in range(30):
        index = (*[None] * random_numbers.integers(2), *(item(n) for n in sizes))
        np.testing.assert_array_equal(anp.asarray(x)[index], x[index])
        written, added = x.copy(), x.copy()
        written[index] = -1
        added[index] += x[index]
        np.testing.assert_array_equal(anp.asarray(x).at[index].set(-1), written)
        np.testing.assert_array_equal(anp.asarray(x).at[index].add(x[index]), added)
