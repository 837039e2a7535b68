"""Of two branches with work to do, one runs: XLA does not make selects of them."""

import numpy as np
from tolerances import PROGRAM, rounding

import anvl
import anvl.numpy as anp


def test_one_of_two_sums_is_computed():
    def f(p, x):
        return anvl.cond(p, lambda x: anp.sum(anp.exp(x)), anp.sum, x)

    x = np.linspace(-1, 1, 20_000, dtype="float32")
    compiled = anvl.jit(f).lower(True, x).compile()
    assert "conditional(" in compiled.hlo()
    for p, wanted in ((True, np.exp(x).sum()), (False, x.sum())):
        np.testing.assert_allclose(
            np.asarray(compiled(p, x)), wanted, rtol=rounding(PROGRAM, x), atol=1e-3
        )


def test_a_norm_adds_up_once_more_only_where_it_must():
    x = np.random.default_rng(0).normal(size=(64, 512)).astype("float32")
    norm = anvl.jit(lambda x: anp.linalg.norm(x, axis=1)).lower(x).compile()
    assert "conditional(" in norm.hlo()
    hard = x.copy()
    hard[0] *= 1e-30
    hard[1] *= 1e30
    hard[2], hard[3, 5], hard[4, 7] = 0, np.inf, np.nan
    for rows in (x, hard):
        wanted = np.linalg.norm(rows.astype("float64"), axis=1)
        np.testing.assert_allclose(np.asarray(norm(rows)), wanted, rtol=rounding(PROGRAM, x))
