"""Derivatives of products: of groups, of sides, with zeros, to the second order."""

import numpy as np
import pytest
from tolerances import FORMULA, rounding

import anvl

X = np.random.default_rng(0).normal(1, 0.1, 1000)
LARGE = 2**16 // 13 + 1  # rows of 13 that are more numbers than groups are made of


def others(row: np.ndarray) -> np.ndarray:
    return np.array([np.prod(np.delete(row, i)) for i in range(row.size)])


@pytest.mark.parametrize("n", [1, 2, 3, 5, 8, 9, 13, 65, 101])
@pytest.mark.parametrize("zeros", [(), (0,), (0, -1)], ids=["no zero", "a zero", "two zeros"])
def test_each_element_gets_the_product_of_the_others(n: int, zeros: tuple[int, ...]) -> None:
    row = X[:n].copy()
    row[list(zeros)] = 0
    slopes = anvl.grad(anvl.numpy.prod)(row)
    np.testing.assert_allclose(slopes, others(row), rtol=rounding(FORMULA * n))


def test_many_products_are_differentiated_by_sides() -> None:
    rows = np.tile(X[:13], (LARGE, 1))
    slopes = anvl.grad(lambda x: anvl.numpy.sum(anvl.numpy.prod(x, axis=-1)))(rows)
    np.testing.assert_allclose(slopes[-1], others(X[:13]), rtol=rounding(FORMULA * 13))


@pytest.mark.parametrize("n", [3, 10])
def test_second_derivatives_are_exact_at_zero(n: int) -> None:
    row = X[:n].copy()
    row[1] = 0
    wanted = [[np.prod(np.delete(row, [i, k])) * (i != k) for k in range(n)] for i in range(n)]
    found = anvl.hessian(anvl.numpy.prod)(row)
    np.testing.assert_allclose(found, wanted, rtol=rounding(FORMULA * n))
