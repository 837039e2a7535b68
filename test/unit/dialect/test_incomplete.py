"""Incomplete gamma and beta functions over their whole domain, at its edges and outside."""

from typing import Any

import numpy as np
import pytest
import scipy.special
from test_corners import INF, NAN, evaluated, gradient

from anvl.dialect.errors import MissingRule
from anvl.dialect.op import emit

WANTED: dict[str, Any] = {
    "igamma": scipy.special.gammainc,
    "igammac": scipy.special.gammaincc,
    "betainc": scipy.special.betainc,
}


def compared(name: str, *xs: np.ndarray, limit: float = 1e-12) -> None:
    """Hold values above 1e-290 against SciPy."""
    (found,) = evaluated(lambda *xs: [getattr(emit, name)(*xs)], *xs)
    wanted = WANTED[name](*xs)
    large = ~(np.abs(wanted) < 1e-290)
    np.testing.assert_allclose(found[large], wanted[large], rtol=limit)
    assert (found[~large] < 1e-289).all()


@pytest.mark.parametrize("name", ["igamma", "igammac"])
def test_gammas_from_small_to_large(name: str) -> None:
    a = np.geomspace(1e-3, 1e3, 25)
    x = np.geomspace(1e-3, 1e4, 25)
    grid = np.meshgrid(a, x)
    if name == "igammac":  # where it is no small rest of 1
        keep = (grid[1] > grid[0] + 1) | (grid[0] > 1)
        grid = [v[keep] for v in grid]
    compared(name, *grid, limit=3e-12)


@pytest.mark.parametrize("name", ["igamma", "igammac"])
def test_gammas_at_the_edges(name: str) -> None:
    a = np.array([1.0, 2.0, 0.5, 2.0, -1.0, 2.0, NAN, 1.0])
    x = np.array([0.0, 0.0, INF, INF, 1.0, -1.0, 1.0, NAN])
    (found,) = evaluated(lambda *xs: [getattr(emit, name)(*xs)], a, x)
    wanted = np.array([0, 0, 1, 1, NAN, NAN, NAN, NAN])
    np.testing.assert_array_equal(found, wanted if name == "igamma" else 1 - wanted)


def test_the_two_gammas_sum_to_1() -> None:
    a, x = np.meshgrid(np.geomspace(0.1, 50, 9), np.geomspace(0.1, 90, 9))
    (found,) = evaluated(lambda a, x: [emit.add(emit.igamma(a, x), emit.igammac(a, x))], a, x)
    np.testing.assert_allclose(found, 1, rtol=1e-15)


def test_betainc_from_small_to_large() -> None:
    a = np.geomspace(1e-2, 1e3, 11)
    x = np.array([1e-6, 0.01, 0.3, 0.5, 0.7, 0.99, 1 - 1e-6])
    compared("betainc", *np.meshgrid(a, a, x), limit=1e-10)


def test_betainc_at_the_edges() -> None:
    a = np.array([2.0, 2.0, 0.5, 1.0, -1.0, 1.0, 1.0, 1.0])
    x = np.array([0.0, 1.0, 0.0, 1.0, 0.5, -0.1, 1.1, NAN])
    (found,) = evaluated(lambda a, x: [emit.betainc(a, a, x)], a, x)
    np.testing.assert_array_equal(found, [0, 1, 0, 1, NAN, NAN, NAN, NAN])


def test_slopes_at_the_edges() -> None:
    a, x = np.array([0.5, 1.0, 2.0]), np.zeros(3)
    (g,) = gradient(emit.igamma, a, x, wrt=[1])
    np.testing.assert_allclose(g, [INF, 1, 0], rtol=1e-14)
    (g,) = gradient(emit.betainc, a, np.full(3, 1.0), x, wrt=[2])
    np.testing.assert_allclose(g, [INF, 1, 0], rtol=1e-14)


@pytest.mark.parametrize(
    "name, wrt", [("igamma", 0), ("igammac", 0), ("betainc", 0), ("betainc", 1)]
)
def test_a_parameter_has_no_derivative(name: str, wrt: int) -> None:
    xs = [np.full(2, 0.5)] * len(WANTED[name].types[0].split("->")[0])
    with pytest.raises(MissingRule, match=f"operand {wrt} has no derivative: the derivative with"):
        gradient(getattr(emit, name), *xs, wrt=[wrt])
