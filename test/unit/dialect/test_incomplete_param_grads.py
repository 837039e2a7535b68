"""Slopes of the incomplete functions in their parameters, where these or what is beside x is small.

Wanted are differences in 260 bits of the series and fractions of DLMF, 8.11.4, 8.9.2 and 8.17.22.
"""

from typing import Any

import numpy as np
import pytest
from test_corners import adjoints, evaluated, gradient
from tolerances import PROGRAM, rounding

from anvl.dialect.core.op import emit

ALMOST_1 = 1 - 2.0**-24

# a, b, x, and the slopes: in a, in b, in a twice, and in a and x.
BETAS = [
    (0.02, 0.02, 0.02, -13.358432356024737, 11.585560668832661,
     674.78526323340952, 9.96667217705682),
    (0.3, 0.3, 0.3, -0.9944669278405418, 0.7678272946532688, 3.3526791910225695, 0.376036126424521),
    (1e-3, 1e-3, 0.5, -250.00039830968933, 250.00039830968933,
     249999.56711441817, 0.9972352082039748),
    (1e-5, 1e-5, 1e-5, -25002.878359294704, 24997.122580693504,
     2500287965.3578262, 24991.616691808373),
    (1e-8, 3, 1e-30, -67.577507131909584, 3.9493379679077353e-9,
     4565.4725571087947, 9.9999864527856e29),
    (2e-6, 500, 1e-20, -39.257799034981382, 4.0036882595476806e-9,
     1539.6530073220695, 9.998429974543e19),
    (0.04, 5e-7, 1 - 2.0**-19, -0.0003132669928901, 38.104815911065586, 0.0156253937108386,
     8.1621221130463072e-5),
    (1000, 1e-6, ALMOST_1, -1.0004314057171935e-9, 9.1510389182011931, 1.000990333587059e-12,
     -9.8314687928621526e-7),
    (1e-7, 1e-7, ALMOST_1, -2499995.8119052709, 2500004.1296574064, 24999957826899.121,
     4194297.2725574723),
    (1e-4, 2e4, 1e-4, -0.0489124068841385, 6.7674547008498304e-10, -0.1527696399990769,
     1353.6967751200889),
]  # fmt: skip
# a, x, and the slopes: in a, in a twice, and in a and x.
GAMMAS = [
    (0.02, 0.02, -3.1656089032163828, 9.2607936474091428, 42.74625066807593),
    (1e-3, 0.5, -0.560359400135782, -0.58485123977908959, 1.2127770890893443),
    (1e-5, 1e-5, -10.934540437364554, 117.93254034806716, 99977.133099346029),
    (1e-8, 1e-30, -68.500290215252576, 4690.648040893192, 9.9999862682289695e29),
    (1e-6, 0.6, -0.45438007368168631, -0.59229940517131308, 0.91468612345244393),
    (0.3, 3e-7, -0.18274731656280729, 2.6998930382740496, -141727.37023342293),
    (1e-8, 5.0, -0.0011482956449462471, -0.0053670922301624034, 0.0013475894587513173),
]
DTYPES = ["f4", "f8"]


def limit_of(dtype: str) -> float:
    return rounding(200 if dtype == "f4" else PROGRAM, dtype)


def points(table: list[Any], count: int, dtype: str) -> tuple[list[np.ndarray], list[np.ndarray]]:
    """Operands, which f32 has, and what is wanted there."""
    columns = list(np.array(table).T)
    return [v.astype("f4").astype(dtype) for v in columns[:count]], columns[count:]


@pytest.mark.parametrize("dtype", DTYPES)
def test_betainc_along_small_parameters(dtype: str) -> None:
    """At a = b = x = 0.02 it was off by 4e-5, and at a = 1e-8 by 0.7."""
    xs, (of_a, of_b, *_) = points(BETAS, 3, dtype)
    for g, wanted in zip(gradient(emit.betainc, *xs, wrt=[0, 1]), (of_a, of_b), strict=True):
        assert g.dtype == np.dtype(dtype)
        np.testing.assert_allclose(g, wanted, rtol=limit_of(dtype))


@pytest.mark.parametrize("dtype", DTYPES)
def test_igamma_along_small_parameters(dtype: str) -> None:
    xs, (of_a, *_) = points(GAMMAS, 2, dtype)
    (g,) = gradient(emit.igamma, *xs, wrt=[0])
    np.testing.assert_allclose(g, of_a, rtol=limit_of(dtype))


@pytest.mark.parametrize("name, table, count", [("betainc", BETAS, 3), ("igamma", GAMMAS, 2)])
def test_second_slopes_of_small_parameters(name: str, table: list[Any], count: int) -> None:
    """The slope in x of that in a is the integrand at x; as a difference it had half its digits."""
    xs, (*_, twice, mixed) = points(table, count, "f8")

    def second(*xs: Any) -> list[Any]:
        (slope,) = adjoints(getattr(emit, name)(*xs), [xs[0]])
        return adjoints(slope, [xs[0], xs[-1]])

    for g, wanted in zip(evaluated(second, *xs), (twice, mixed), strict=True):
        np.testing.assert_allclose(g, wanted, rtol=rounding(PROGRAM))


def test_slopes_in_x_of_those_in_a_are_right_beyond_the_first() -> None:
    """At a = 1 the slope of dP(a, x)/da in x is e^-x (log x - psi(1))."""
    x = np.array([0.2, 3.0])

    def slopes(a: Any, x: Any) -> list[Any]:
        found = adjoints(emit.igamma(a, x), [a])
        for _ in range(3):
            found += adjoints(found[-1], [x])
        return found[1:]

    f = np.log(x) + np.euler_gamma
    wanted = np.exp(-x) * [f, 1 / x - f, -1 / x**2 - 2 / x + f]
    found = evaluated(slopes, np.ones(2), x)
    np.testing.assert_allclose(found, wanted, rtol=rounding(PROGRAM))
