"""Linear algebra at its edges: what cannot be factorised, what repeats, what has no rank; and
where it runs."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
from test_corners import evaluated, gradient
from tolerances import ITERATION, PROGRAM, rounding

from anvl.dialect.core.errors import PassError
from anvl.dialect.core.mlir import ir
from anvl.dialect.core.op import emit
from anvl.dialect.ops.linalg.matrices import (
    columns,
    columns_scaled,
    ct,
    matmul,
    permuted_rows,
    solve,
)
from anvl.testing.program import Program

RANDOM = np.random.default_rng(3)
NAN = np.nan


def total(x: ir.Value) -> ir.Value:
    """The sum of all elements."""
    return emit.sum(x, axes=tuple(range(x.type.rank)))


def difference(f: Callable[[np.ndarray], float], x: np.ndarray) -> np.ndarray:
    """The gradient of f, by central differences."""
    g, step = np.zeros_like(x), 1e-5
    for i in np.ndindex(x.shape):
        e = np.zeros_like(x)
        e[i] = step
        g[i] = (f(x + e) - f(x - e)) / (2 * step)
    return g


# -- what cannot be factorised ---------------------------------------------------------------------


def test_cholesky_is_nan_for_the_one_of_a_stack_that_is_not_positive_definite() -> None:
    x = np.stack([np.eye(2), -np.eye(2), 4 * np.eye(2)])
    (y,) = evaluated(lambda x: [emit.cholesky(x)], x)
    np.testing.assert_array_equal(y, [np.eye(2), np.full((2, 2), NAN), 2 * np.eye(2)])


@pytest.mark.sweep(keep=4)
@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.complex64, np.complex128])
@pytest.mark.parametrize("bad", [NAN, np.inf, -np.inf])
@pytest.mark.parametrize("place", [(0, 2), (0, 0), (2, 1)])
def test_what_is_not_finite_has_nan_for_values_and_vectors(
    dtype: Any, bad: float, place: tuple[int, int], capfd: Any
) -> None:
    x = np.stack([np.eye(3), np.eye(3)]).astype(dtype)
    x[1][place] = bad

    def body(x: ir.Value) -> list[ir.Value]:
        values = [emit.svdvals(x), emit.eigvalsh(x), emit.eigvals(x)]
        return [*values, *emit.svd(x), *emit.eigh(x), *emit.eig(x)]

    for y in evaluated(body, x):
        assert np.isfinite(y[0]).all()
        assert np.isnan(y[1]).all()
    assert "On entry to" not in "".join(capfd.readouterr())


def test_a_singular_matrix_has_factors_and_no_solution() -> None:
    x = np.array([[1.0, 2.0], [2.0, 4.0]])

    def body(x: ir.Value, b: ir.Value) -> list[ir.Value]:
        return [emit.lu(x)[0], solve(x, b)]

    lu, solution = evaluated(body, x, np.array([[1.0], [1.0]]))
    assert lu.tolist() == [[2, 4], [0.5, 0]]
    assert not np.isfinite(solution).any()


def test_dependent_columns_have_factors() -> None:
    """And no derivative: `test_dependent_columns.py`."""
    x = np.array([[1.0, 1.0], [1.0, 1.0]])
    q, r = evaluated(lambda x: list(emit.qr(x)), x)
    np.testing.assert_allclose(q @ r, x)


def test_a_matrix_with_too_few_eigenvectors_has_no_derivative() -> None:
    def first(x: ir.Value) -> ir.Value:
        return emit.real(columns(emit.eigvals(x), 0, 1))

    (g,) = gradient(first, np.array([[1.0, 1.0], [0.0, 1.0]]))
    assert not (np.abs(g) < 1e6).all()


# -- what repeats ----------------------------------------------------------------------------------


def rotated(values: Sequence[float]) -> np.ndarray:
    """A symmetric matrix with these eigenvalues."""
    q, _ = np.linalg.qr(RANDOM.standard_normal((len(values), len(values))))
    return q @ np.diag(values) @ q.T


@pytest.mark.parametrize("values", [[1.0, 1.0, 1.0], [0.0, 0.0, 2.0], [1.0, 3.0, 3.0]])
def test_symmetric_functions_of_repeated_eigenvalues(values: Sequence[float]) -> None:
    x = rotated(values)
    w, v = np.linalg.eigh(x)
    for op in (lambda x: emit.eigh(x)[0], emit.eigvalsh):
        (g,) = gradient(lambda x, op=op: emit.exp(op(x)), x)
        np.testing.assert_allclose(g, v @ np.diag(np.exp(w)) @ v.T, atol=rounding(PROGRAM))


def test_the_projector_on_the_plane_of_a_repeated_eigenvalue() -> None:
    x, weights = rotated([1.0, 1.0, 4.0]), RANDOM.standard_normal((3, 3))

    def f(x: ir.Value, weights: ir.Value) -> ir.Value:
        plane = columns(emit.eigh(x)[1], 0, 2)
        return total(emit.mul(matmul(plane, ct(plane)), weights))

    def in_numpy(x: np.ndarray) -> float:
        plane = np.linalg.eigh((x + x.T) / 2)[1][:, :2]
        return float(np.sum(plane @ plane.T * weights))

    (g,) = gradient(f, x, weights, wrt=[0])
    np.testing.assert_allclose(g, difference(in_numpy, x), atol=1e-8)


@pytest.mark.parametrize("values", [[1.0, 1.0, 1.0], [2.0, 2.0, 0.0], [0.0, 0.0, 0.0]])
def test_the_square_of_repeated_singular_values_and_zeros(values: Sequence[float]) -> None:
    x = rotated(values)

    def f(x: ir.Value) -> ir.Value:
        return emit.mul(emit.svdvals(x), emit.svd(x)[1])

    np.testing.assert_allclose(gradient(f, x)[0], 2 * x, atol=rounding(PROGRAM))


@pytest.mark.parametrize("op", ["eigh", "svd"])
@pytest.mark.parametrize("values", [[1.0, 1.0, 1.0], [1.0, 1.0, 4.0]])
def test_functions_of_a_matrix_have_no_gradient_where_values_repeat(
    op: str, values: Sequence[float]
) -> None:
    """v f(w) v^H needs more than w and v tell: NaN, but for the part that does not repeat."""
    x, weights = rotated(values), RANDOM.standard_normal((3, 3))

    def f(x: ir.Value, weights: ir.Value, count: int) -> ir.Value:
        s, u, vt = (
            (lambda w, v: (w, v, ct(v)))(*emit.eigh(x))
            if op == "eigh"
            else (lambda u, s, vt: (s, u, vt))(*emit.svd(x))
        )
        first = slice(0, count) if op == "svd" else slice(3 - count, 3)
        u, v = (columns(m, first.start, first.stop) for m in (u, ct(vt)))
        s = emit.slice(s, start_indices=(first.start,), limit_indices=(first.stop,), strides=(1,))
        return total(emit.mul(matmul(columns_scaled(u, emit.exp(s)), ct(v)), weights))

    (g,) = gradient(lambda *xs: f(*xs, count=3), x, weights, wrt=[0])
    assert np.isnan(g).all()
    if values[-1] == values[0]:
        return

    def in_numpy(x: np.ndarray) -> float:
        u, s, vt = np.linalg.svd((x + x.T) / 2 if op == "eigh" else x)
        return float(np.sum(np.exp(s[0]) * np.outer(u[:, 0], vt[0]) * weights))

    (g,) = gradient(lambda *xs: f(*xs, count=1), x, weights, wrt=[0])
    np.testing.assert_allclose(g, difference(in_numpy, x), atol=1e-6)


def test_the_gradient_of_cholesky_is_symmetric() -> None:
    (g,) = gradient(emit.cholesky, rotated([1.0, 2.0, 3.0]))
    np.testing.assert_array_equal(g, g.T)


def test_full_matrices_move_only_as_they_must() -> None:
    """The columns that complete a basis are orthogonal to those that the matrix gives, always."""
    x, weights = RANDOM.standard_normal((4, 2)), RANDOM.standard_normal((2, 2))

    def f(x: ir.Value, weights: ir.Value) -> ir.Value:
        u, _, _ = emit.svd(x, full_matrices=True)
        return total(emit.mul(matmul(ct(columns(u, 0, 2)), columns(u, 2, 4)), weights))

    (g,) = gradient(f, x, weights, wrt=[0])
    np.testing.assert_allclose(g, 0, atol=rounding(PROGRAM))


# -- larger ones -----------------------------------------------------------------------------------


@pytest.mark.parametrize("shape", [(40, 40), (2, 3, 9, 5), (3, 5, 9), (4, 1, 1)])
def test_rows_in_the_order_of_the_permutation_are_the_product_of_the_factors(shape: Any) -> None:
    x = RANDOM.standard_normal(shape)

    def body(x: ir.Value) -> list[ir.Value]:
        lu, pivots, permutation = emit.lu(x)
        return [lu, pivots, permutation, permuted_rows(x, permutation)]

    lu, pivots, permutation, rows = evaluated(body, x)
    k = min(shape[-2:])
    lower = np.tril(lu[..., :k], -1) + np.eye(*lu[..., :k].shape[-2:])
    np.testing.assert_allclose(lower @ np.triu(lu[..., :k, :]), rows, atol=rounding(PROGRAM))
    np.testing.assert_array_equal(rows, np.take_along_axis(x, permutation[..., None], -2))
    assert (pivots >= np.arange(k)).all()


@pytest.mark.parametrize("dtype", [np.float64, np.complex128])
def test_the_gradient_of_a_solution_of_size_30(dtype: Any) -> None:
    a = (RANDOM.standard_normal((30, 30)) + 6 * np.eye(30)).astype(dtype)
    b = RANDOM.standard_normal((30, 2)).astype(dtype)
    ga, gb = gradient(solve, a, b)
    wanted = np.linalg.solve(a.T, np.ones_like(b))
    np.testing.assert_allclose(gb, wanted, rtol=rounding(ITERATION))
    np.testing.assert_allclose(
        ga, -wanted @ np.linalg.solve(a, b).T, rtol=1e-8, atol=rounding(PROGRAM)
    )


# -- where it runs ---------------------------------------------------------------------------------


def lowered(platform: str, inputs: Sequence[np.ndarray], body: Callable[..., Any]) -> Program:
    program = Program(platform=platform)
    program.add(inputs, body)
    program.finish()
    program.compile()
    return program


def test_an_op_that_needs_a_routine_is_named_where_there_is_none() -> None:
    with pytest.raises(
        PassError,
        match=r"eig: there is no form of it in StableHLO alone, .* a routine for it, lapack",
    ):
        lowered("quantum", [np.eye(2)], lambda x: list(emit.eig(x)))


def test_every_platform_has_the_ops_of_stablehlo() -> None:
    a, b = rotated([1.0, 2.0, 3.0]), RANDOM.standard_normal((3, 2))

    def body(a: ir.Value, b: ir.Value) -> list[ir.Value]:
        how = {"left_side": True, "lower": True, "unit_diagonal": False}
        return [emit.cholesky(a), emit.triangular_solve(a, b, transpose_a="ADJOINT", **how)]

    program = lowered("quantum", [a, b], body)
    text = program.module.operation.get_asm()
    assert "stablehlo.cholesky" in text
    assert "stablehlo.triangular_solve" in text
    assert "lapack" not in text
    for y, wanted in zip(program.run()[0], evaluated(body, a, b), strict=True):
        np.testing.assert_allclose(y, wanted, rtol=rounding(PROGRAM))
