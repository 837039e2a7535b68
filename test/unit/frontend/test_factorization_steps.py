"""The steps of factorizations in `lax.linalg`, beside LAPACK's and dense products and solves."""

import numpy
import pytest
import scipy.linalg
from tolerances import PROGRAM, rounding

import anvl
import anvl.numpy as np
from anvl import lax

EPS = rounding(PROGRAM)


def drawn(*shape, kind="real"):
    draw = numpy.random.default_rng(sum(shape))
    x = draw.normal(size=shape)
    return x + 1j * draw.normal(size=shape) if kind == "complex" else x


def adjoint(x):
    return x.conj().swapaxes(-1, -2)


def reflectors(kind):
    """Reflectors of two matrices, with their products."""
    a = drawn(2, 5, 3, kind=kind)
    raw = [scipy.linalg.qr(x, mode="raw")[0] for x in a]
    packed, taus = (numpy.stack([r[i] for r in raw]) for i in (0, 1))
    return packed, taus, numpy.stack([scipy.linalg.qr(x)[0] for x in a])


@pytest.mark.parametrize("kind", ["real", "complex"])
def test_householder_product(kind):
    packed, taus, q = reflectors(kind)
    for f in (lax.linalg.householder_product, anvl.jit(lax.linalg.householder_product)):
        numpy.testing.assert_allclose(np.asarray(f(packed, taus)), q[..., :3], atol=EPS)
    few = lax.linalg.householder_product(packed, taus[..., :0])
    numpy.testing.assert_array_equal(np.asarray(few), numpy.stack([numpy.eye(5, 3)] * 2))


@pytest.mark.parametrize("kind", ["real", "complex"])
@pytest.mark.parametrize("left", [True, False])
@pytest.mark.parametrize("transpose", [True, False])
def test_ormqr(kind, left, transpose):
    packed, taus, q = reflectors(kind)
    c = drawn(2, 5, 4) if left else drawn(2, 4, 5)
    q = adjoint(q) if transpose else q
    found = lax.linalg.ormqr(packed, taus, c, left=left, transpose=transpose)
    numpy.testing.assert_allclose(numpy.asarray(found), q @ c if left else c @ q, atol=EPS)


@pytest.mark.parametrize("kind", ["real", "complex"])
def test_cholesky_update(kind):
    a, w = drawn(2, 4, 4, kind=kind), drawn(2, 4, kind=kind)
    gram = adjoint(a) @ a
    r = adjoint(numpy.linalg.cholesky(gram))
    found = numpy.asarray(lax.linalg.cholesky_update(r + numpy.tril(a, -1), w))
    wanted = adjoint(numpy.linalg.cholesky(gram + w[:, :, None] * w[:, None, :].conj()))
    numpy.testing.assert_allclose(found, wanted, atol=10 * EPS)


def test_symmetric_product():
    a, c = drawn(2, 4, 3), drawn(2, 4, 4)
    found = lax.linalg.symmetric_product(a, c, alpha=2.0, beta=3.0)
    numpy.testing.assert_allclose(
        numpy.asarray(found), 2 * a @ a.swapaxes(-1, -2) + 3 * c, atol=EPS
    )


def tridiagonal(low, main, high):
    return np.diag(main) + np.diag(low[1:], -1) + np.diag(high[:-1], 1)


@pytest.mark.parametrize("kind", ["real", "complex"])
@pytest.mark.parametrize("n", [0, 1, 2, 6])
def test_tridiagonal_solve(kind, n):
    low, main, high = (drawn(3, n, kind=kind) for _ in range(3))
    main, b = main + 4, drawn(3, n, 2)
    if n:
        low[:, 0] = high[:, -1] = numpy.nan  # they are not read
    found = lax.linalg.tridiagonal_solve(low, main, high, b)
    dense = anvl.vmap(tridiagonal)(low, main, high) if n else numpy.zeros((3, 0, 0))
    numpy.testing.assert_allclose(
        numpy.asarray(found), numpy.linalg.solve(numpy.asarray(dense), b), atol=EPS
    )


def test_derivatives_of_tridiagonal_solve():
    low, main, high = drawn(5), drawn(5) + 4, drawn(5)
    b = drawn(5, 1)

    def steps(*diagonals):
        return np.sum(lax.linalg.tridiagonal_solve(*diagonals, b) ** 2)

    def dense(*diagonals):
        return np.sum(np.linalg.solve(tridiagonal(*diagonals), b) ** 2)

    found, wanted = (anvl.grad(f, (0, 1, 2))(low, main, high) for f in (steps, dense))
    for one, other in zip(found, wanted, strict=True):
        numpy.testing.assert_allclose(numpy.asarray(one), numpy.asarray(other), atol=EPS)


ONES = numpy.ones
REFUSED = {
    "columns": (lambda: lax.linalg.householder_product(ONES((2, 3)), ONES(2)),
                r"householder_product: a is f64\[2,3\], with more columns than rows"),
    "factors": (lambda: lax.linalg.householder_product(ONES((3, 2)), ONES(3)),
                r"householder_product: taus is f64\[3\], which a, f64\[3,2\], does not fit"),
    "rows": (lambda: lax.linalg.ormqr(ONES((3, 2)), ONES(2), ONES((2, 2))),
             r"ormqr: c is f64\[2,2\], which the reflectors of f64\[3,2\] do not fit"),
    "vector": (lambda: lax.linalg.cholesky_update(ONES((2, 2)), ONES(3)),
               r"cholesky_update: w_vector is f64\[3\], which r_matrix, f64\[2,2\], does not fit"),
    "square": (lambda: lax.linalg.symmetric_product(ONES((2, 2)), ONES((3, 3))),
               r"symmetric_product: c_matrix is f64\[3,3\], which a_matrix, f64\[2,2\], does not"),
    "diagonals": (lambda: lax.linalg.tridiagonal_solve(ONES(2), ONES(3), ONES(3), ONES((3, 1))),
                  r"tridiagonal_solve: the diagonals and b are f64\[2\], f64\[3\], .*; give \("),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_what_does_not_fit_is_refused(name):
    f, message = REFUSED[name]
    with pytest.raises(ValueError, match=message):
        f()


def test_singular_matrices_are_not_perturbed():
    x = ONES(2)
    with pytest.raises(NotImplementedError, match="perturb_singular is True; add to d"):
        lax.linalg.tridiagonal_solve(x, x, x, ONES((2, 1)), perturb_singular=True)
