"""`order_statistics`: ties, NaN and positions out of bounds, by comparison and by the order."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import anvl
from anvl import prim

ROW = np.array([3.0, 1.0, 1.0, 2.0, 5.0, 1.0])
FEW = np.array([0, 2, 3], np.int32)
MANY = np.array([0, 1, 2, 3, 4, 5, 5, 0, 3], np.int32)
THIRD = 1 / 3

#: The derivative of each position: ties share it.
SHARES = np.array([
    [0, THIRD, THIRD, 0, 0, THIRD], [0, THIRD, THIRD, 0, 0, THIRD], [0, THIRD, THIRD, 0, 0, THIRD],
    [0, 0, 0, 1, 0, 0], [1, 0, 0, 0, 0, 0], [0, 0, 0, 0, 1, 0],
])  # fmt: skip


@pytest.mark.parametrize("at", [FEW, MANY], ids=["few", "many"])
@pytest.mark.parametrize("jacobian", [anvl.jacrev, anvl.jacfwd])
def test_equal_elements_share_the_derivative(jacobian: Callable[..., Any], at: np.ndarray) -> None:
    found = jacobian(lambda x: prim.order_statistics(x, at))(ROW)
    np.testing.assert_allclose(found, SHARES[at], rtol=1e-6)


@pytest.mark.parametrize("at", [FEW, MANY], ids=["few", "many"])
def test_rows_with_nan_give_nan_and_no_derivative(at: np.ndarray) -> None:
    rows = np.stack([np.where(ROW == 2, np.nan, ROW), ROW])
    positions = np.stack([at, at])
    found = prim.order_statistics(rows, positions)
    np.testing.assert_array_equal(found, np.stack([np.full(at.size, np.nan), np.sort(ROW)[at]]))
    slopes = anvl.grad(lambda x: anvl.numpy.sum(prim.order_statistics(x, positions)))(rows)
    np.testing.assert_allclose(slopes, [np.zeros(6), SHARES[at].sum(0)], rtol=1e-6)


@pytest.mark.parametrize("more", [0, 6], ids=["few", "many"])
def test_positions_out_of_bounds_are_the_nearest(more: int) -> None:
    at = np.array([-3, 99, *[3] * more, 99, -3], np.int32)
    inside = np.clip(at, 0, 5)
    np.testing.assert_array_equal(prim.order_statistics(ROW, at), np.sort(ROW)[inside])
    slopes = anvl.grad(lambda x: anvl.numpy.sum(prim.order_statistics(x, at)))(ROW)
    np.testing.assert_allclose(slopes, SHARES[inside].sum(0), rtol=1e-6)


def test_ties_of_f16_are_counted_in_f32() -> None:
    x = np.ones(70_000, np.float16)
    slopes = anvl.grad(lambda x: prim.order_statistics(x, np.array([7]))[0])(x)
    np.testing.assert_array_equal(slopes, np.full(70_000, 1 / 70_000).astype(np.float16))


def test_second_derivatives_are_of_what_is_read_alone() -> None:
    hessian = anvl.hessian(lambda x: anvl.numpy.sum(prim.order_statistics(x, FEW) ** 2))(ROW)
    np.testing.assert_allclose(hessian, 2 * SHARES[FEW].T @ SHARES[FEW], rtol=1e-6)
