"""Edges of linear algebra: eigenvalues that repeat, matrices that are singular."""

from collections.abc import Callable
from typing import Any

import numpy as np
from edges import Edge, Table, literal
from test_edges import INF, NAN

from anvl.dialect.mlir import ir
from anvl.dialect.op import emit
from anvl.dialect.ops.matrices import columns, ct, matmul, solve

ONE, ZERO = np.eye(2), np.zeros((2, 2))
SINGULAR = np.array([[1.0, 2], [2, 4]])
SYMMETRIC = np.array(
    [[2, 0, 0, 0], [0, 1, 1, 0], [0, 1, 1, 0], [0, 0, 0, 2.0]]
)  # of |x + x^T|^2 / 4
CLOSE = 1e-13


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
         lambda x: matmul(emit.eigh(x)[1], ct(emit.eigh(x)[1])), [ONE], np.eye(2), [0], 0, CLOSE),
    Edge("svdvals: the nuclear norm", emit.svdvals, [ONE], 1, [ONE], None, CLOSE),
    Edge("svd, its values, squared", lambda x: emit.square(emit.svd(x)[1]), [3 * ONE], 9, [6 * ONE],
         None, CLOSE),
    Edge("svdvals of zeros, squared", lambda x: emit.square(emit.svdvals(x)), [ZERO], 0, [ZERO],
         None, CLOSE),
    Edge("svd, u vt, of a matrix of one column: its direction",
         lambda x: matmul(emit.svd(x)[0], emit.svd(x)[2]), [[[3.0], [4.0]]], [[0.6], [0.8]],
         [[[0.032], [-0.024]]],
         None, CLOSE),
    Edge("cholesky", emit.cholesky, [ONE], ONE, [[[0.5, 0.5], [0.5, 0.5]]], None, CLOSE),
).test  # fmt: skip


# -- matrices that are singular --------------------------------------------------------------------


def quotient(x: ir.Value) -> ir.Value:
    return solve(x, literal(np.ones((2, 1))))


def triangular(x: ir.Value) -> ir.Value:
    return emit.triangular_solve(
        x, literal(np.ones((2, 1))), left_side=True, lower=False, unit_diagonal=False,
        transpose_a="NO_TRANSPOSE",
    )  # fmt: skip


test_singular_matrices = Table(
    Edge("slogdet, its sign", lambda x: emit.slogdet(x)[0], [SINGULAR], 0),
    Edge("slogdet, its logarithm", lambda x: emit.slogdet(x)[1], [SINGULAR], -INF),
    Edge("lu", lambda x: emit.lu(x)[0], [SINGULAR], [[2, 4], [0.5, 0]]),
    Edge("qr, r", lambda x: emit.abs(emit.qr(x)[1]), [np.ones((2, 2))],
         [[2**0.5, 2**0.5], [0, 0]], (), None, 1e-15),
    Edge("solve of zeros", quotient, [ZERO], None),
    Edge("triangular_solve: infinite", triangular, [[[1.0, 0], [0, 0]]], [[NAN], [INF]]),
    Edge("cholesky of rank 1: nan", emit.cholesky, [np.ones((2, 2))], NAN),
    Edge("eigvalsh", emit.eigvalsh, [SINGULAR], [0, 5], [ONE], 0, CLOSE),
    Edge("eigh, its smaller value", fixed([1, 0], lambda x: emit.eigh(x)[0]), [SINGULAR], 0,
         [[[0.8, -0.4], [-0.4, 0.2]]], None, CLOSE),
    Edge("svdvals, the sum of squares", lambda x: emit.square(emit.svdvals(x)), [SINGULAR],
         [25, 0], [2 * SINGULAR], None, CLOSE),
    Edge("svd, its larger value", fixed([1, 0], emit.svdvals), [SINGULAR], 5,
         [[[0.2, 0.4], [0.4, 0.8]]], None, CLOSE),
    Edge("eigvals, the larger", fixed([0.5, 0.5], lambda x: emit.abs(emit.eigvals(x))), [SINGULAR],
         2.5),
).test  # fmt: skip
