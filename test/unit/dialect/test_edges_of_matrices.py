"""Edges of linear algebra: eigenvalues that repeat, matrices that are singular."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from edges import Edge, Table, literal
from test_corners import adjoints, evaluated
from test_edges import INF, NAN
from tolerances import FORMULA, ITERATION, PROGRAM, rounding

from anvl.dialect.core.mlir import ir
from anvl.dialect.core.op import emit
from anvl.dialect.interpreters.forward import forward_sweep
from anvl.dialect.interpreters.reverse import reverse_sweep
from anvl.dialect.ops.linalg.matrices import columns, ct, matmul, solve

ONE, ZERO = np.eye(2), np.zeros((2, 2))
SINGULAR = np.array([[1.0, 2], [2, 4]])
SYMMETRIC = np.array(
    [[2, 0, 0, 0], [0, 1, 1, 0], [0, 1, 1, 0], [0, 0, 0, 2.0]]
)  # of |x + x^T|^2 / 4
# Of the largest eigenvalue 3 of diag(1, 1, 3): x_i3 turns it by 1 / (3 - 1), of (x + x^T) / 2.
TOP = np.zeros((9, 9))
for _pair in ((2, 6), (5, 7)):
    TOP[np.ix_(_pair, _pair)] = 0.25
CLOSE = rounding(PROGRAM)


# -- eigenvalues that repeat -----------------------------------------------------------------------


def total(x: ir.Value) -> ir.Value:
    return emit.sum(x, axes=tuple(range(x.type.rank)))


def real_sum(f: Callable[..., ir.Value]) -> Callable[..., ir.Value]:
    return lambda x: total(emit.real(f(x)))


def nearly_double(x: ir.Value) -> ir.Value:
    """The projector on the plane of the two smaller eigenvalues, in a corner of the matrix."""
    plane = columns(emit.eigh(x)[1], 0, 2)
    return matmul(plane, ct(plane))


def fixed(weights: Any, f: Callable[..., ir.Value]) -> Callable[..., ir.Value]:
    """The sum of the elements of f(x), weighted."""
    return lambda x: total(emit.mul(f(x), literal(np.array(weights, float))))


test_repeated_eigenvalues = Table(
    Edge("eigvalsh: the trace", emit.eigvalsh, [ONE], 1, [ONE], 0, CLOSE),
    Edge("eigh, its values", lambda x: emit.eigh(x)[0], [3 * ONE], 3, [ONE], 0, CLOSE),
    Edge("eigvalsh, squared", lambda x: emit.square(emit.eigvalsh(x)), [3 * ONE], 9, [6 * ONE],
         None, CLOSE),
    Edge("eigvalsh of zeros, squared", lambda x: emit.square(emit.eigvalsh(x)), [ZERO], 0, [ZERO],
         None, CLOSE),
    Edge("eigvalsh, squared, of two values: curvature",
         lambda x: total(emit.square(emit.eigvalsh(x))), [np.diag([1.0, 2])], 5,
         [np.diag([2.0, 4])], SYMMETRIC, CLOSE),
    Edge("eigvals: the trace", real_sum(emit.eigvals), [ONE], 2, [ONE], None, CLOSE),
    Edge("eig, its values", real_sum(lambda x: emit.eig(x)[0]), [2 * ONE], 4, [ONE], None, CLOSE),
    Edge("eigh, the projector on their plane",
         fixed([[0, 0, 1], [0, 0, 0], [0, 0, 0]], nearly_double), [np.diag([1.0, 1, 4])], 0,
         [[[0, 0, -1 / 6], [0, 0, 0], [-1 / 6, 0, 0]]], None, CLOSE),
    Edge("eigh, all of its projectors: a constant",
         lambda x: matmul(emit.eigh(x)[1], ct(emit.eigh(x)[1])), [ONE], np.eye(2), [0], NAN, CLOSE),
    *[Edge(f"{name}, squares of those that repeat: curvature",
           lambda x, f=f: total(emit.square(f(x))),
           [3 * np.eye(3)], 27, [6 * np.eye(3)], NAN, CLOSE)
      for name, f in (
          ("eigvalsh", emit.eigvalsh), ("eigh", lambda x: emit.eigh(x)[0]),
          ("svdvals", emit.svdvals), ("svd", lambda x: emit.svd(x)[1]),
          ("eigvals", lambda x: emit.real(emit.eigvals(x))),
          ("eig", lambda x: emit.real(emit.eig(x)[0])),
      )],
    Edge("eigvalsh, the largest of others that repeat: curvature", fixed([0, 0, 1], emit.eigvalsh),
         [np.diag([1.0, 1, 3])], 3, [np.diag([0.0, 0, 1])], TOP, CLOSE),
    Edge("svdvals, the largest of others that repeat", fixed([1, 0, 0], emit.svdvals),
         [np.diag([3.0, 1, 1])], 3, [np.diag([1.0, 0, 0])], None, CLOSE),
    Edge("svdvals: the nuclear norm", emit.svdvals, [ONE], 1, [ONE], None, CLOSE),
    Edge("svd, u vt, of repeated values: curvature", lambda x: total(emit.square(emit.add(
         matmul(emit.svd(x)[0], emit.svd(x)[2]), literal(np.array([[0, 1.0], [0, 0]]))))), [ONE], 3,
         [[[0, 1.0], [-1, 0]]], NAN, CLOSE),
    Edge("nuclear norm: curvature", emit.nuclear_norm, [ONE], 2, [ONE],
         [[0, 0, 0, 0], [0, 0.5, -0.5, 0], [0, -0.5, 0.5, 0], [0, 0, 0, 0]], CLOSE),
    Edge("svd, its values, squared", lambda x: emit.square(emit.svd(x)[1]), [3 * ONE], 9, [6 * ONE],
         None, CLOSE),
    Edge("svdvals of zeros, squared", lambda x: emit.square(emit.svdvals(x)), [ZERO], 0, [ZERO],
         None, CLOSE),
    Edge("svd, u vt, of a matrix of one column: its direction",
         lambda x: matmul(emit.svd(x)[0], emit.svd(x)[2]), [[[3.0], [4.0]]], [[0.6], [0.8]],
         [[[0.032], [-0.024]]],
         None, CLOSE),
    Edge("cholesky", emit.cholesky, [ONE], ONE, [[[0.5, 0.5], [0.5, 0.5]]], None, CLOSE),
    keep=0,
).test  # fmt: skip


# -- matrices that are singular --------------------------------------------------------------------


def quotient(x: ir.Value) -> ir.Value:
    return solve(x, literal(np.ones((2, 1))))


def triangular(x: ir.Value) -> ir.Value:
    return emit.triangular_solve(
        x, literal(np.ones((2, 1))), left_side=True, lower=False, unit_diagonal=False,
        transpose_a="NO_TRANSPOSE",
    )  # fmt: skip


def minors(x: np.ndarray) -> np.ndarray:
    """For each element, the determinant of the rest with its sign: the derivative of det."""
    found = np.zeros_like(x)
    for i, j in np.ndindex(x.shape):
        rest = np.delete(np.delete(x, i, 0), j, 1)
        found[i, j] = (-1) ** (i + j) * np.linalg.det(rest)
    return found


def minors_of_minors(x: np.ndarray) -> np.ndarray:
    """The second derivatives of det.  It has no more than one factor of a row and of a column."""
    n = len(x)
    found = np.zeros((n, n, n, n))
    for i, j in np.ndindex(x.shape):
        rest = np.delete(np.delete(x, i, 0), j, 1)
        others = [k for k in range(n) if k != i], [k for k in range(n) if k != j]
        found[i, j][np.ix_(*others)] = (-1) ** (i + j) * minors(rest)
    return found.reshape(n * n, n * n)


def of_rank(n: int, rank: int) -> np.ndarray:
    """A matrix of small integers."""
    random = np.random.default_rng(n + 10 * rank)
    factors = random.integers(-2, 3, (n, rank)), random.integers(-2, 3, (rank, n))
    return (factors[0] @ factors[1]).astype(float)


def determinants(n: int) -> list[Edge]:
    """det of singular matrices of n rows: of rank n - 1, and down to rank 0."""
    points = [(rank, of_rank(n, rank)) for rank in range(n - 1, -1, -1)]
    return [
        Edge(
            f"det, {n} rows, rank {rank}",
            emit.det,
            [x],
            0,
            [minors(x)],
            minors_of_minors(x),
            rounding(ITERATION),
        )
        for rank, x in points
    ]


test_singular_matrices = Table(
    *[edge for n in (2, 3) for edge in determinants(n)],
    Edge("det in f32", emit.det, [np.diag(np.float32([1, 2, 3, 4, 0]))], 0,
         [np.diag([0, 0, 0, 0, 24])], None, 1e-5),
    Edge("a stack, of which one is singular", emit.det,
         [np.stack([np.eye(5), np.diag([1.0, 2, 3, 0, 0])])],
         [1, 0], [np.stack([np.eye(5), np.zeros((5, 5))])], None, CLOSE),
    Edge("slogdet, its sign", lambda x: emit.slogdet(x)[0], [SINGULAR], 0),
    Edge("slogdet, its logarithm", lambda x: emit.slogdet(x)[1], [SINGULAR], -INF),
    Edge("lu", lambda x: emit.lu(x)[0], [SINGULAR], [[2, 4], [0.5, 0]]),
    Edge("qr, r", lambda x: emit.abs(emit.qr(x)[1]), [np.ones((2, 2))],
         [[2**0.5, 2**0.5], [0, 0]], (), None, rounding(FORMULA)),
    Edge("solve of zeros", quotient, [ZERO], None),
    Edge("triangular_solve: infinite", triangular, [[[1.0, 0], [0, 0]]], [[NAN], [INF]]),
    Edge("cholesky of rank 1: nan", emit.cholesky, [np.ones((2, 2))], NAN),
    Edge("cholesky of large elements", emit.cholesky, [[[1e308, 5e307], [5e307, 1e308]]],
         [[1e154, 0], [5e153, 75**0.5 * 1e153]], (), None, CLOSE),
    Edge("eigvalsh of large elements", emit.eigvalsh, [[[1e308, 5e307], [5e307, 1e308]]],
         [5e307, 1.5e308], (), None, CLOSE),
    Edge("eigvalsh", emit.eigvalsh, [SINGULAR], [0, 5], [ONE], 0, CLOSE),
    Edge("eigh, its smaller value", fixed([1, 0], lambda x: emit.eigh(x)[0]), [SINGULAR], 0,
         [[[0.8, -0.4], [-0.4, 0.2]]], None, CLOSE),
    Edge("svdvals, the sum of squares", lambda x: emit.square(emit.svdvals(x)), [SINGULAR],
         [25, 0], [2 * SINGULAR], None, CLOSE),
    Edge("svd, its larger value", fixed([1, 0], emit.svdvals), [SINGULAR], 5,
         [[[0.2, 0.4], [0.4, 0.8]]], None, CLOSE),
    Edge("eigvals, the larger", fixed([0.5, 0.5], lambda x: emit.abs(emit.eigvals(x))), [SINGULAR],
         2.5),
    keep=3,
).test  # fmt: skip


@pytest.mark.sweep(keep=0, part=0)
@pytest.mark.parametrize("n", [4, 5, 6])
def test_derivatives_of_det_to_third_order_at_every_rank(n: int) -> None:
    """Along two directions, against differences of minors, which are polynomials too."""
    # All singular values of a unit matrix are one: no vector of them has a derivative.
    xs = np.stack([np.eye(n), *(of_rank(n, rank) for rank in range(n))])
    u, v = (np.random.default_rng(seed).uniform(-1, 1, (n, n)) for seed in (1, 2))

    def body(x: ir.Value, u: ir.Value, v: ir.Value) -> list[ir.Value]:
        block = ir.InsertionPoint.current.block
        (first,) = adjoints(emit.det(x), [x])
        (second,) = reverse_sweep(block, [(first, u)], [x])
        (third,) = reverse_sweep(block, [(second, v)], [x])
        return [first, second, *forward_sweep(block, {x: u}, [first]), third]

    def along_u(x: np.ndarray) -> np.ndarray:
        return (minors_of_minors(x) @ u.ravel()).reshape(n, n)

    found = evaluated(body, xs, *(np.broadcast_to(w, xs.shape) for w in (u, v)))
    for i, x in enumerate(xs):
        third = slope_of_polynomial(lambda t, x=x: along_u(x + t * v), n)
        for y, wanted in zip(found, [minors(x), along_u(x), along_u(x), third], strict=True):
            np.testing.assert_allclose(
                y[i], wanted, atol=rounding(ITERATION) * (1 + np.abs(wanted).max())
            )


def slope_of_polynomial(f: Callable[[float], np.ndarray], degree: int) -> np.ndarray:
    """The derivative of f at 0, a polynomial of at most this degree, by interpolation."""
    at = np.cos(np.pi * (np.arange(degree + 1) + 0.5) / (degree + 1))
    powers = np.vander(at, increasing=True)
    weights = np.linalg.inv(powers)[1]
    return sum(w * f(t) for w, t in zip(weights, at, strict=True))
