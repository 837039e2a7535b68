"""Derivatives of special functions and distributions at zeros, ties, integers and poles.

There the branches of a formula meet.  Where the derivatives to both sides agree, the one between
must be the same.  Each function here had one that was not.
"""

import numpy as np
import pytest
from tolerances import PROGRAM, rounding

import anvl
from anvl.scipy import special, stats

QUARTERS = np.arange(-12, 25) / 4
STEP = 1e-6


def between(f, wrt, order, arguments):
    """Places where the slope is not that of both sides, though these agree."""

    def at(step):
        moved = [np.array(x) for x in arguments]
        moved[wrt] += step
        return np.asarray(g(*moved))

    g = f
    for _ in range(order):
        g = anvl.grad(g, wrt)
    g = anvl.jit(anvl.vmap(g))
    here, above, below = at(0.0), at(STEP), at(-STEP)
    limit = 1e-3 * (1 + np.abs(above) + np.abs(below))
    is_smooth = np.abs(above - below) <= limit
    wrong = is_smooth & ~(np.abs(here - (above + below) / 2) <= limit)
    return [(*(x[i] for x in arguments), here[i], above[i]) for i in np.flatnonzero(wrong)]


def grid(*ranges):
    lines = [QUARTERS[(QUARTERS >= low) & (QUARTERS <= high)] for low, high in ranges]
    return [x.ravel() for x in np.meshgrid(*lines, indexing="ij")]


CASES = {
    "erfcx": (special.erfcx, [(-3, 4)]), "log_ndtr": (special.log_ndtr, [(-3, 4)]),
    "xlogy": (special.xlogy, [(0, 3), (0.25, 3)]),
    "xlog1py": (special.xlog1py, [(0, 3), (-0.5, 3)]),
    "beta.logpdf": (lambda a, b: stats.beta.logpdf(0.3, a, b), [(0.25, 3), (0.25, 3)]),
    "gamma.logpdf": (stats.gamma.logpdf, [(0.25, 3), (0.25, 3)]),
    "chi2.logpdf": (stats.chi2.logpdf, [(0.25, 3), (0.25, 3)]),
}  # fmt: skip
LONG = {
    "betaln": (special.betaln, [(0.25, 5), (0.25, 5)]),
    "owens_t": (special.owens_t, [(-3, 3), (-3, 3)]), "binom": (special.binom, [(0, 6), (-2, 6)]),
    "comb": (special.comb, [(1, 6), (0.25, 0.75)]),
    "poch": (special.poch, [(-1, -1), (0.25, 0.75)]),
}  # fmt: skip


def check(f, ranges):
    for wrt in range(len(ranges)):
        for order in (1, 2):
            assert between(f, wrt, order, grid(*ranges)) == []


@pytest.mark.parametrize("name", CASES)
def test_slopes_between_are_those_of_both_sides(name):
    check(*CASES[name])


@pytest.mark.sweep(keep=0, part=1)
@pytest.mark.parametrize("name", LONG)
def test_slopes_of_long_programs_between_are_those_of_both_sides(name):
    check(*LONG[name])


def test_binomial_coefficients_at_integers_have_slopes():
    slope = anvl.grad(special.binom, (0, 1))(np.float64(8.0), np.float64(2.0))
    at = [float(special.digamma(np.float64(x))) for x in (9, 7, 3)]
    wanted = [28 * (at[0] - at[1]), 28 * (at[1] - at[2])]
    np.testing.assert_allclose(slope, wanted, rtol=rounding(PROGRAM, "f8"))
    assert float(special.binom(-3.0, 2.0)) != float(special.binom(-3.0, 2.0))  # NaN, as in SciPy
    assert float(special.poch(np.float64(2.0), np.float64(-4.0))) == np.inf
