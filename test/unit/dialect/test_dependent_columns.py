"""`qr` and `lu` have no derivative where columns depend on each other: NaN on every processor.

LAPACK's kernels round differently on each, so what cancels is 0 on one and 1e-17 on the next.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
from test_corners import adjoints, evaluated
from tolerances import PROGRAM, rounding

from anvl.dialect.core.mlir import ir
from anvl.dialect.core.op import emit
from anvl.dialect.interpreters.forward import forward_sweep
from anvl.testing.program import Program

DTYPES = ["f4", "f8", "c8", "c16"]
RANDOM = np.random.default_rng(8)


@pytest.fixture(autouse=True)
def same_draws() -> None:
    """In whatever order tests run."""
    draw_from(8)


def draw_from(seed: int) -> None:
    global RANDOM
    RANDOM = np.random.default_rng(seed)


def drawn(dtype: str, *shape: int) -> np.ndarray:
    x = RANDOM.standard_normal(shape)
    if np.dtype(dtype).kind == "c":
        x = x + 1j * RANDOM.standard_normal(shape)
    return x.astype(dtype)


def dependent(dtype: str, count: int, m: int, n: int) -> np.ndarray:
    """Matrices with one column that is a combination of others; each is regular otherwise."""
    k, x = min(m, n), drawn(dtype, count, m, n)
    place = RANDOM.integers(1, k, count)
    factors = drawn(dtype, count, k, 1)
    factors[np.arange(count), place] = 0
    x[np.arange(count), :, place] = (x[..., :k] @ factors)[..., 0]
    return x


def total(x: ir.Value) -> ir.Value:
    return emit.sum(x, axes=tuple(range(x.type.rank)))


def of_qr(x: ir.Value) -> ir.Value:
    q, r = emit.qr(x)
    return emit.add(total(emit.mul(q, q)), total(r))


def of_lu(x: ir.Value) -> ir.Value:
    return total(emit.lu(x)[0])


def in_both_modes(x: ir.Value) -> list[ir.Value]:
    """Gradients of qr and lu, then the tangents of their results, where the columns move by x."""
    found = [g for f in (of_qr, of_lu) for g in adjoints(f(x), [x])]
    ys = [*emit.qr(x), emit.lu(x)[0]]
    return [*found, *forward_sweep(ir.InsertionPoint.current.block, {x: x}, ys)]


def has_nan(x: np.ndarray) -> np.ndarray:
    return np.isnan(x).any((-1, -2))


@pytest.mark.sweep(keep=0, part=1)
@pytest.mark.parametrize("platform", ["cpu", "elsewhere"])
@pytest.mark.parametrize("dtype", DTYPES)
def test_derivatives_are_nan_for_the_matrices_whose_columns_depend(
    dtype: str, platform: str
) -> None:
    """Random ones: the coefficients may be large, and so the error of what cancels."""
    shapes, count = [(2, 2), (4, 4), (7, 3), (3, 5)], 100
    for m, n in shapes if platform == "cpu" else shapes[1:2]:
        singular, regular = dependent(dtype, count, m, n), drawn(dtype, count, m, n)
        program = Program(platform=platform)
        program.add([np.concatenate([singular, regular])], in_both_modes)
        program.finish()
        program.compile()
        for y in program.run()[0]:
            assert has_nan(y)[:count].all(), (m, n)
            assert np.isfinite(y[count:]).all(), (m, n)


def test_the_errors_of_the_lower_factor_are_counted() -> None:
    """Without its inverse 1 in 10,000 was missed, these among them."""
    found = {(3, 5): (1005, 1623), (4, 4): (1011, 861), (7, 3): (1004, 498)}
    for (m, n), (seed, place) in found.items():
        draw_from(seed)
        x = dependent("f8", 2000, m, n)[place]
        for y in evaluated(in_both_modes, x):
            assert has_nan(y), (m, n)


#: Singular matrices, and what is singular to rounding.
SINGULAR = {
    "ones": [[1.0, 1.0], [1.0, 1.0]],
    "zeros": [[0.0, 0.0], [0.0, 0.0]],
    "a column of zeros": [[0.0, 1.0], [0.0, 2.0]],
    "a multiple": [[1.0, 3.0], [0.1, 0.3]],
    "large and small columns": [[1e9, 3e-9], [1e8, 3e-10]],
    "one unit in the last place from singular": [[1.0, 1.0], [1.0, 1 + 2**-52]],
    "a pivot below the rounding error of its column": [[3.0, 1.0], [1.0, 1 / 3]],
}


def test_singular_matrices_have_no_first_and_no_second_derivative() -> None:
    def body(x: ir.Value) -> list[ir.Value]:
        found = []
        for f in (of_qr, of_lu):
            (first,) = adjoints(f(x), [x])
            found += [first, *adjoints(emit.mul(first, x), [x])]
        return found

    for y in evaluated(body, np.array(list(SINGULAR.values()))):
        finite = {name for name, g in zip(SINGULAR, y, strict=True) if not np.isnan(g).all()}
        assert not finite


def scales(count: int) -> np.ndarray:
    """Powers of 2: nothing is rounded by them."""
    return 2.0 ** RANDOM.integers(-200, 200, count)


def test_badly_scaled_columns_are_as_good_as_any() -> None:
    """x e = q (r e), so the tangents of q are those of x, and those of r scaled."""
    x, t, e = drawn("f8", 4, 3), drawn("f8", 4, 3), scales(3)
    q, r = moved(lambda x: list(emit.qr(x)), x, t)
    q_scaled, r_scaled = moved(lambda x: list(emit.qr(x)), x * e, t * e)
    np.testing.assert_allclose(q_scaled, q, rtol=rounding(PROGRAM))
    np.testing.assert_allclose(r_scaled / e, r, rtol=rounding(PROGRAM))


def test_badly_scaled_rows_and_columns_are_as_good_as_any() -> None:
    """d x e = (d l / d) (d u e), where no rows are swapped."""
    x, t = drawn("f8", 3, 3) + 9 * np.eye(3), drawn("f8", 3, 3)
    d, e = np.sort(scales(3))[::-1, None], scales(3)
    (y,) = moved(lambda x: [emit.lu(x)[0]], x, t)
    (scaled,) = moved(lambda x: [emit.lu(x)[0]], d * x * e, d * t * e)
    lower = np.tril(np.ones((3, 3), bool), -1)
    np.testing.assert_allclose(
        scaled, np.where(lower, d * y / d.T, d * y * e), rtol=rounding(PROGRAM)
    )


def moved(
    f: Callable[[ir.Value], Sequence[ir.Value]], x: np.ndarray, t: np.ndarray
) -> list[np.ndarray]:
    """The tangents of the results, where x moves by t."""

    def body(x: ir.Value, t: ir.Value) -> Sequence[Any]:
        return forward_sweep(ir.InsertionPoint.current.block, {x: t}, f(x))

    return evaluated(body, x, t)


@pytest.mark.sweep(keep=3)
@pytest.mark.parametrize(
    "x",
    [
        np.diag([1.0, 1e-12]),
        np.diag([1e-100, 1.0, 1e100]),
        [[1.0, 1.0], [1.0, 1 + 1e-13]],
        [[1e-200]],
        np.float32([[1, 1], [1, 1.0001]]),
        np.vander(np.linspace(0, 1, 8)),
    ],
)
def test_regular_matrices_have_derivatives(x: Any) -> None:
    gradients = evaluated(lambda x: [*adjoints(of_qr(x), [x]), *adjoints(of_lu(x), [x])], x)
    assert all(np.isfinite(g).all() for g in gradients)


def test_singular_matrices_keep_the_derivatives_of_what_is_smooth_there() -> None:
    """The determinant is a polynomial, and a column of r beyond the square is linear."""
    x = np.array([[1.0, 1.0], [1.0, 1.0]])
    (g,) = evaluated(lambda x: adjoints(emit.det(x), [x]), x)
    assert g.tolist() == [[1, -1], [-1, 1]]
    (g,) = evaluated(lambda x: adjoints(of_qr(x), [x]), np.array([[1.0, 1.0, 3], [1.0, 1.0, 4]]))
    assert np.isnan(g[:, :2]).all() and np.isfinite(g[:, 2]).all()


@pytest.mark.parametrize("shape", [(0, 0), (2, 0), (0, 2), (0, 3, 3)])
def test_matrices_without_elements(shape: tuple[int, ...]) -> None:
    for y in evaluated(in_both_modes, np.zeros(shape)):
        assert np.isfinite(y).all()
