"""Derivatives of digamma, and zeta: units in the last place, against sums of fractions."""

import math
from fractions import Fraction

import numpy as np
import pytest
from test_corners import INF, NAN, evaluated, gradient
from tolerances import FORMULA, assert_close

import anvl
import anvl.numpy as anp
from anvl.dialect.core.op import emit
from anvl.scipy import special

_BERNOULLI = [(1, 6), (-1, 30), (1, 42), (-1, 30), (5, 66), (-691, 2730), (7, 6), (-3617, 510)]


def wanted(n: int, x: float) -> float:
    """-(-1)^n n! times the sum of (x + k)^-(n+1); from 60 on by the Euler-Maclaurin formula."""
    q, total = Fraction(x), Fraction(0)
    while q < 60:
        total += math.factorial(n) / q ** (n + 1)
        q += 1
    total += Fraction(math.factorial(n - 1)) / q**n + math.factorial(n) / q ** (n + 1) / 2
    for j, (above, below) in enumerate(_BERNOULLI, start=1):
        factor = Fraction(above * math.factorial(n + 2 * j - 1), below * math.factorial(2 * j))
        total += factor / q ** (n + 2 * j)
    return float(total if n % 2 else -total)


def points() -> np.ndarray:
    draw = np.random.default_rng(0)
    return np.concatenate([
        draw.uniform(0, 2, 40), draw.uniform(2, 20, 40), [1e-30, 1e-9, 1e9, 15.99, 16, 7.99, 8],
        draw.uniform(-1, 0, 40), draw.uniform(-20, -1, 40), np.arange(5) - 4.5,
        np.arange(5) - 4.5 + 2.0**-20, np.arange(5) - 5 - 2.0**-20,
    ])  # fmt: skip


@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_psi_is_off_by_few_units_in_the_last_place(dtype: str) -> None:
    x = points().astype(dtype)
    x = x[x != np.rint(x)]
    found = evaluated(lambda x: [emit.psi(x, order=n) for n in (1, 2, 3, 4)], x)
    for n, one in zip((1, 2, 3, 4), found, strict=True):
        right = np.array([wanted(n, float(v)) for v in x])
        # What cancels left of 0, for even orders, is as large as the nearest term and the first.
        scale = np.where(x < 0, np.abs(right) + math.factorial(n) * (n % 2 == 0), np.abs(right))
        with np.errstate(over="ignore"):
            usual = np.isfinite(right.astype(dtype)) & (np.abs(right) > np.finfo(dtype).tiny)
            units = np.abs(one - right) / np.spacing(scale.astype(dtype))
        limit = np.where(x < 0, 4 + 2 * n, 2 + n)
        assert np.all(units[usual] <= limit[usual]), (n, x[usual][np.argmax(units[usual])])


@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_zeta_is_off_by_few_units_in_the_last_place(dtype: str) -> None:
    """Also where the order is three times q: there the corrections are largest."""
    draw = np.random.default_rng(0)
    q = np.concatenate([draw.uniform(0, 20, 60), [1e-9, 1e9, 17.9, 18.1], -draw.uniform(0, 9, 9)])
    s = draw.integers(2, 9, q.size).astype(dtype)
    s[:20] = np.clip(np.rint(3 * q[:20]), 2, 25)
    s[60:] = 2
    q = q.astype(dtype)
    (found,) = evaluated(lambda s, q: [emit.zeta(s, q)], s, q)
    for order, x, one in zip(s, q, found, strict=True):
        n = int(order) - 1
        right = abs(wanted(n, float(x))) / math.factorial(n)
        if np.finfo(dtype).tiny < right < np.finfo(dtype).max:
            units = abs(one - right) / np.spacing(np.asarray(right, dtype))
            assert units <= (6 if dtype == "f4" else 5), (order, x)


def test_zeta_of_orders_up_to_the_largest() -> None:
    s, q = np.array([1, 1e4, 1e17, INF, 300, 1e5]), np.array([-0.5, 1, 1.5, 1, 310, 1e5])
    (found,) = evaluated(lambda s, q: [emit.zeta(s, q)], s, q)
    np.testing.assert_array_equal(found, [INF, 1, 0, 1, 0, 0])


def test_psi_at_poles_and_infinities() -> None:
    x = np.array([0, -0.0, -1, -2, -1e17, -INF, INF, NAN])
    odd, even = evaluated(lambda x: [emit.psi(x, order=1), emit.psi(x, order=2)], x)
    np.testing.assert_array_equal(odd, [INF] * 6 + [0, NAN])
    np.testing.assert_array_equal(even, [-INF] * 6 + [0, NAN])


def test_derivatives_of_psi_of_each_order() -> None:
    """Derivatives beyond the last order are those of polygamma."""
    x = np.array([0.7, 3.0, 21.5, -0.3])
    for n in (1, 3, 4):
        (found,) = gradient(lambda x, n=n: emit.psi(x, order=n), x)
        assert_close(found, [wanted(n + 1, v) for v in x], FORMULA)


@pytest.mark.parametrize("module", [anp, special])
def test_a_number_as_order_is_an_attribute(module: object) -> None:
    """Not an array: of that `polygamma` has loops to compute, for any order."""
    f = module.polygamma  # type: ignore[attr-defined]
    x = np.array([0.7, 3.0], np.float32)

    def text(order: float) -> str:
        return str(anvl.jit(lambda x: f(order, x)).lower(x).mlir("anvl"))

    for order in (1, 4, 2.0):
        assert "anvl.psi" in text(order) and "anvl.polygamma" not in text(order)
    for order in (0, 5, 1.5, True):
        assert "anvl.polygamma" in text(order)
    for order in (1, 3, 4):
        found = anvl.jit(lambda x, order=order: f(order, x))(x)
        right = anvl.jit(f)(np.float32(order), x)
        assert found.dtype == right.dtype == np.float32
        np.testing.assert_allclose(found, right, rtol=5e-6)
