"""`anvl.numpy.linalg` agrees with NumPy and SciPy, and its gradients with central differences."""

import itertools
import math
import re
from functools import partial

import numpy as np
import pytest
import scipy.linalg
from tolerances import ITERATION, PROGRAM, rounding

import anvl
import anvl.numpy as anp
import anvl.scipy.linalg
import anvl.testing
from anvl.numpy import linalg

RANDOM = np.random.default_rng(5)
GENERAL = RANDOM.standard_normal((2, 4, 4)) + 3 * np.eye(4)
COMPLEX = GENERAL + 1j * RANDOM.standard_normal((2, 4, 4))
POSITIVE = GENERAL @ GENERAL.swapaxes(-1, -2)
TALL, VECTOR = RANDOM.standard_normal((5, 3)), RANDOM.standard_normal(4)


def difference(f, x):
    """The gradient of f by central differences of order 4."""
    g, step = np.zeros_like(x), 1e-3
    for i in np.ndindex(x.shape):
        e = np.zeros_like(x)
        e[i] = step
        g[i] = (8 * (f(x + e) - f(x - e)) - (f(x + 2 * e) - f(x - 2 * e))) / (12 * step)
    return g


def close(found, wanted, rtol=rounding(ITERATION)):
    found, wanted = np.asarray(found), np.asarray(wanted)
    assert found.shape == wanted.shape
    np.testing.assert_allclose(found, wanted, rtol=rtol, atol=rtol * abs(wanted).max(initial=0))


@pytest.mark.parametrize("x", [GENERAL, COMPLEX, GENERAL[0]], ids=["real", "complex", "one"])
@pytest.mark.parametrize("name", ["inv", "det", "slogdet", "svdvals"])
def test_a_function_of_a_matrix_agrees_with_numpy(name, x):
    found = anvl.jit(getattr(linalg, name))(x)
    wanted = getattr(np.linalg, name)(x)
    pairs = zip(found, wanted, strict=True) if name == "slogdet" else [(found, wanted)]
    for y, y_wanted in pairs:
        close(y, y_wanted)


@pytest.mark.parametrize("n", [0, 1, 2, 3, 5])
def test_determinants_of_every_size(n):
    x = RANDOM.standard_normal((3, n, n))
    close(linalg.det(x), np.linalg.det(x))
    close(linalg.slogdet(x)[1], np.linalg.slogdet(x)[1])


@pytest.mark.parametrize(
    ("a", "b"),
    [(4, 4), ((4, 4), (4, 2)), ((3, 1, 4, 4), (2, 4, 2)), ((2, 4, 4), 4), ((4, 4), (2, 4, 1))],
)
def test_solve_broadcasts_as_numpy_does(a, b):
    a = RANDOM.standard_normal(a if isinstance(a, tuple) else (a, a)) + 4 * np.eye(4)
    b = RANDOM.standard_normal(b)
    close(linalg.solve(a, b), np.linalg.solve(a, b))


def test_the_factorisations_multiply_to_the_matrix():
    lower = linalg.cholesky(POSITIVE)
    close(anp.matmul(lower, anp.matrix_transpose(lower)), POSITIVE)
    upper = linalg.cholesky(POSITIVE, upper=True)
    close(anp.matmul(anp.matrix_transpose(upper), upper), POSITIVE)
    for mode in ("reduced", "complete"):
        q, r = linalg.qr(TALL, mode)
        close(anp.matmul(q, r), TALL)
    close(linalg.qr(TALL, "r"), np.linalg.qr(TALL, "r"))
    u, s, vh = linalg.svd(COMPLEX)
    close(anp.matmul(u * s[..., None, :], vh), COMPLEX)
    close(linalg.svd(COMPLEX, compute_uv=False), s)
    w, v = linalg.eigh(POSITIVE)
    close(anp.matmul(v * w[..., None, :], anp.matrix_transpose(v)), POSITIVE)
    close(linalg.eigvalsh(POSITIVE), w)
    w, v = linalg.eig(GENERAL)
    close(anp.matmul(GENERAL, v), v * w[..., None, :])
    close(linalg.eigvals(GENERAL), w)


@pytest.mark.parametrize("shape", [(5, 3), (3, 5), (4, 4)])
@pytest.mark.parametrize("columns", [(), (2,)])
def test_least_squares(shape, columns):
    a, b = RANDOM.standard_normal(shape), RANDOM.standard_normal((shape[0], *columns))
    for found, wanted in zip(linalg.lstsq(a, b), np.linalg.lstsq(a, b), strict=True):
        close(found, wanted)


def of_rank(k, m, n):
    return RANDOM.standard_normal((m, k)) @ RANDOM.standard_normal((k, n))


DEFICIENT = {
    "tall": of_rank(2, 5, 3),
    "wide": of_rank(2, 3, 5),
    "square": of_rank(1, 4, 4),
    "zeros": np.zeros((3, 2)),
    "complex": of_rank(2, 4, 3) * (1 + 2j),
    "singular values that repeat": np.diag([2.0, 2.0, 0.0]),
    "small": np.diag([1.0, 1e-7, 1e-20]),
}


@pytest.mark.sweep(keep=1)
@pytest.mark.parametrize("rcond", [None, 1e-5, -1])
def test_least_squares_of_dependent_columns_have_the_smallest_norm(rcond):
    matrices = DEFICIENT if rcond != -1 else {"small": DEFICIENT["small"], "one": np.ones((1, 3))}
    b = RANDOM.standard_normal((5, 2))
    found = anvl.jit(lambda: [linalg.lstsq(a, b[: len(a)], rcond) for a in matrices.values()])()
    inverses = anvl.jit(lambda: [linalg.pinv(a, rcond) for a in matrices.values()])()
    for (x, _, rank, s), y, a in zip(found, inverses, matrices.values(), strict=True):
        wanted = np.linalg.lstsq(a, b[: len(a)], rcond)
        close(x, wanted[0])
        assert rank == wanted[2]
        close(s, wanted[3])
        close(y @ b[: len(a)], wanted[0])


@pytest.mark.sweep(keep=0, part=1)
@pytest.mark.parametrize("transform", ["first", "second"])
def test_the_derivative_of_least_squares_along_moves_that_keep_the_rank(transform):
    """Against differences of NumPy's; of full rank every move does."""
    shapes = [(5, 3, 2), (3, 5, 2), (4, 4, 1), (5, 3, 3), (3, 5, 3), (3, 3, 3)]
    b = RANDOM.standard_normal(5)
    cases = [
        [RANDOM.standard_normal(shape) for shape in ((m, k), (k, n), (m, k), (k, n))]
        for m, n, k in shapes
    ]

    def along(u, v, tu, tv):
        def solved(u, v):
            return linalg.lstsq(u @ v, b[: len(u)], 1e-9)[0]

        def moved(u, v):
            return anvl.jvp(solved, (u, v), (tu, tv))[1]

        return moved(u, v) if transform == "first" else anvl.jvp(moved, (u, v), (tu, tv))[1]

    def by_numpy(u, v, tu, tv):
        def at(h):
            a = (u + h * tu) @ (v + h * tv)
            return np.linalg.lstsq(a, b[: len(u)], 1e-9)[0]

        h = 1e-4
        if transform == "first":
            return (8 * (at(h) - at(-h)) - (at(2 * h) - at(-2 * h))) / (12 * h)
        near, far = at(h) + at(-h), at(2 * h) + at(-2 * h)
        return (16 * near - far - 30 * at(0)) / (12 * h * h)

    found = anvl.jit(lambda cases: [along(*case) for case in cases])(cases)
    for y, case in zip(found, cases, strict=True):
        close(y, by_numpy(*case), 1e-5)


def test_wrong_cutoffs_are_refused():
    with pytest.raises(TypeError, match="lstsq: rcond is 'a'; give a number, or None"):
        linalg.lstsq(np.eye(2), np.ones(2), "a")
    with pytest.raises(ValueError, match="pinv: rcond is nan; give a number, or None"):
        linalg.pinv(np.eye(2), np.nan)
    with pytest.raises(ValueError, match="lstsq: f64\\[3\\] has not as many rows as f64\\[2,2\\]"):
        linalg.lstsq(np.eye(2), np.ones(3))


@pytest.mark.parametrize("n", [-3, -1, 0, 1, 2, 7])
def test_matrix_power(n):
    close(linalg.matrix_power(GENERAL, n), np.linalg.matrix_power(GENERAL, n))


@pytest.mark.sweep(keep=5)
@pytest.mark.parametrize("scale", [0, 1e-8, 1, 3, 20])
@pytest.mark.parametrize("x", [GENERAL, COMPLEX], ids=["real", "complex"])
def test_the_matrix_exponential(x, scale):
    close(linalg.expm(x * scale), scipy.linalg.expm(x * scale), rounding(ITERATION))
    narrow = (x * scale).astype(np.complex64 if x is COMPLEX else np.float32)
    if scale <= 3:
        close(linalg.expm(narrow), scipy.linalg.expm(x * scale), 1e-4)


def test_the_matrix_exponential_of_too_much_is_nan_and_of_rotations_is_not():
    turn = np.array([[0.0, -1.0], [1.0, 0.0]])
    found = linalg.expm(np.stack([1e6 * turn, 100 * turn]))
    assert np.isnan(np.asarray(found[0])).all()
    close(
        found[1],
        [[math.cos(100), -math.sin(100)], [math.sin(100), math.cos(100)]],
        rounding(PROGRAM),
    )


@pytest.mark.sweep(keep=1)
@pytest.mark.parametrize("keepdims", [True, False])
def test_norms(keepdims):
    x = RANDOM.standard_normal((3, 4, 2))
    for ord in (None, 0, 1, -1, 2, -2, 3, 0.5, math.inf, -math.inf):
        close(linalg.norm(x, ord, 1, keepdims), np.linalg.norm(x, ord, 1, keepdims))
    for ord in (None, "fro", "nuc", 1, -1, 2, -2, math.inf, -math.inf):
        for axes in ((0, 1), (2, 0)):
            close(linalg.norm(x, ord, axes, keepdims), np.linalg.norm(x, ord, axes, keepdims))
    close(linalg.norm(x, keepdims=keepdims), np.linalg.norm(x, keepdims=keepdims))
    close(linalg.norm(COMPLEX[0]), np.linalg.norm(COMPLEX[0]))


GRADIENTS = {
    "solve": (lambda x: linalg.solve(x, anp.asarray(VECTOR)), lambda x: np.linalg.solve(x, VECTOR)),
    "inv": (linalg.inv, np.linalg.inv),
    "det": (linalg.det, np.linalg.det),
    "slogdet": (lambda x: linalg.slogdet(x)[1], lambda x: np.linalg.slogdet(x)[1]),
    "expm": (linalg.expm, scipy.linalg.expm),
    "matrix_power": (lambda x: linalg.matrix_power(x, -2), lambda x: np.linalg.matrix_power(x, -2)),
    "nuclear": (lambda x: linalg.norm(x, "nuc"), lambda x: np.linalg.norm(x, "nuc")),
    "spectral": (lambda x: linalg.norm(x, 2), lambda x: np.linalg.norm(x, 2)),
    "lstsq": (
        lambda x: linalg.lstsq(x[:, :2], anp.asarray(VECTOR))[0],
        lambda x: np.linalg.lstsq(x[:, :2], VECTOR)[0],
    ),
    "wide": (
        lambda x: linalg.lstsq(x[:2], anp.asarray(VECTOR[:2]))[0],
        lambda x: np.linalg.lstsq(x[:2], VECTOR[:2])[0],
    ),
}


@pytest.mark.sweep(keep=4)
@pytest.mark.parametrize("name", GRADIENTS)
def test_a_gradient_agrees_with_differences(name):
    f, reference = GRADIENTS[name]
    x = GENERAL[0] / 3
    found = anvl.jit(anvl.grad(lambda x: anp.sum(anp.sin(f(x)))))(x)
    close(found, difference(lambda x: np.sum(np.sin(reference(x))), x), 1e-6)


def test_the_gradient_of_the_exponential_of_a_large_matrix_is_that_of_its_squares():
    x = 8 * GENERAL[0]
    g = anvl.grad(lambda x: anp.trace(linalg.expm(x)))(x)
    close(g, scipy.linalg.expm(x).T, rounding(ITERATION))


def test_second_derivatives_of_a_determinant_at_zero():
    def twice(x):
        return anvl.grad(lambda x: anp.sum(anvl.grad(linalg.det)(x) * anp.asarray(np.eye(2))))(x)

    close(anvl.jit(twice)(np.zeros((2, 2))), np.eye(2))


@pytest.mark.parametrize("name", ["svdvals", "eigvalsh", "nuc"])
def test_the_derivatives_of_the_values_of_a_complex_matrix(name):
    x, t = COMPLEX[0], COMPLEX[1]
    if name == "eigvalsh":
        _, v = np.linalg.eigh((x + x.conj().T) / 2)
        left, right = v, v.conj().T
    else:
        left, _, right = np.linalg.svd(x)
    weights = np.ones(4) if name == "nuc" else np.arange(1.0, 5)
    slope = ((left * weights) @ right).conj()

    def f(x):
        if name == "nuc":
            return linalg.norm(x, "nuc")
        return anp.sum(getattr(linalg, name)(x) * weights)

    close(anvl.grad(f)(x), slope)
    _, moved = anvl.jvp(f, (x,), (t,))
    close(moved, np.sum(slope * t).real)


def test_the_gradient_of_a_norm_at_zero_is_zero():
    for ord in (None, 1, 2, 3):
        g = anvl.grad(lambda x, ord=ord: linalg.norm(x, ord))(np.zeros(3))
        assert np.asarray(g).tolist() == [0, 0, 0]


@pytest.mark.parametrize(
    ("f", "message"),
    [
        (lambda: linalg.inv(TALL), "inv: takes square matrices, got f64[5,3]"),
        (lambda: linalg.qr(TALL, "raw"), "qr: mode is 'raw'"),
        (lambda: linalg.solve(GENERAL, TALL), "solve: f64[5,3] has not as many rows as"),
        (lambda: linalg.norm(GENERAL, 1), "norm: ord 1 takes one axis or two"),
        (lambda: linalg.norm(TALL, 3), "norm: ord 3 is not a matrix norm"),
        (lambda: linalg.norm(VECTOR, "fro"), "norm: ord 'fro' is not a vector norm"),
        (lambda: linalg.cholesky(VECTOR), "cholesky: takes a matrix, or a stack of them"),
    ],
)
def test_what_is_refused(f, message):
    with pytest.raises(ValueError) as error:
        f()
    assert message in str(error.value)
    of_shapes = "square" in message or "a stack" in message
    assert isinstance(error.value, np.linalg.LinAlgError) == of_shapes  # as in NumPy


@pytest.mark.sweep(keep=4)
@pytest.mark.parametrize("dtype", ["f4", "f8", "c8", "c16"])
@pytest.mark.parametrize("sign", [-1, 1])
def test_what_is_made_of_a_matrix_scales_with_it(dtype, sign):
    """LAPACK scales large and small matrices itself; the eigenvalues were not scaled back."""
    exponent = sign * {4: 65, 8: 900}[np.finfo(dtype).dtype.itemsize]
    x = np.array([[0.25, 1, 0.5], [1, -1, 0.25], [0.3, 0.2, 0.7]])
    x = (x * (1 + 0.5j) if dtype[0] == "c" else x).astype(dtype)

    @anvl.jit
    def scales(x):
        (values, vectors), (u, s, _) = anp.linalg.eig(x), anp.linalg.svd(x)
        symmetric = x + anp.conj(x.T)
        return {
            "eig": [values, abs(vectors * values), anp.linalg.eigvals(x)],
            "eigh": [anp.linalg.eigvalsh(symmetric), anp.linalg.eigh(symmetric)[0]],
            "svd": [s, abs(u * s), anp.linalg.svdvals(x), anp.linalg.norm(x, 2)],
            "qr": [anp.linalg.qr(x)[1]],
            "inverse": [1 / anp.max(anp.abs(anp.linalg.inv(x)))],
        }

    scale = np.ldexp(np.ones((), x.real.dtype), exponent)
    for name, ys in scales(scale * x).items():
        for y, wanted in zip(ys, scales(x)[name], strict=True):
            np.testing.assert_allclose(
                np.asarray(y) / scale, wanted, *[rounding(1000, dtype)] * 2, err_msg=name
            )


@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
def test_a_bound_for_the_rank_of_a_complex_matrix_is_real(dtype):
    x = np.array([[1 + 2j, 0], [0, 0.5]], dtype)
    for bound, rank in ((0.0, 2), (0.5, 1), (1, 0), (np.float32(0.5), 1)):
        assert int(anp.linalg.matrix_rank(anp.asarray(x), rtol=bound)) == rank
        assert int(anvl.jit(anp.linalg.matrix_rank)(x, rtol=bound)) == rank


FORMS = list(itertools.product([True, False], repeat=4))


@pytest.mark.parametrize("stack", [(), (2,)])
def test_systems_share_their_matrices(stack):
    """A matrix that all members of a batch have is factorized once, and is not copied."""
    draw = np.random.default_rng(5)
    a = draw.normal(size=(*stack, 3, 3)) + 4 * np.eye(3)
    b = draw.normal(size=(7, *stack, 3, 2))
    copies = np.broadcast_to(a, (7, *stack, 3, 3)).copy()
    for f in (linalg.solve, anvl.vmap(linalg.solve, (None, 0))):
        close(f(a, b), np.linalg.solve(copies, b))
        assert not re.search("7x(2x)?3x3x", anvl.jit(f).lower(a, b).mlir("stablehlo"))
    for left, lower, unit, transposed in FORMS:
        solve = partial(
            anvl.lax.linalg.triangular_solve, left_side=left, lower=lower, unit_diagonal=unit,
            transpose_a=transposed,
        )  # fmt: skip
        side = b if left else b.swapaxes(-1, -2)
        both = anvl.jit(anvl.vmap(solve, (None, 0)))
        close(both(a, side), solve(copies, side))
        assert not re.search("7x(2x)?3x3x", both.lower(a, side).mlir("stablehlo"))
    triangular = partial(anvl.scipy.linalg.solve_triangular, lower=True)
    close(triangular(a, b), np.linalg.solve(np.tril(copies), b))
    assert not re.search("7x(2x)?3x3x", anvl.jit(triangular).lower(a, b).mlir("stablehlo"))


def test_derivatives_of_systems_that_share_a_matrix():
    draw = np.random.default_rng(6)
    a, b = draw.normal(size=(3, 3)) + 4 * np.eye(3), draw.normal(size=(5, 3))
    anvl.testing.check_grads(anvl.vmap(linalg.solve, (None, 0)), (a, b), order=2)
    anvl.testing.check_grads(linalg.solve, (a, b[:, :, None]), order=2)
    anvl.testing.check_grads(
        partial(anvl.scipy.linalg.solve_triangular, lower=True), (a, b[:, :, None]), order=2
    )


def test_no_system_at_all():
    """Stacks without members, and matrices without rows."""
    a, none = np.eye(3), np.zeros((0, 3, 2))
    assert linalg.solve(a, none).shape == none.shape
    assert anvl.vmap(linalg.solve, (None, 0))(np.zeros((0, 0)), np.zeros((4, 0, 2))).shape == (
        4, 0, 2,
    )  # fmt: skip
