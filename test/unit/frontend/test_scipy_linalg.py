"""`anvl.scipy.linalg` against SciPy: values by dtype, stacks and sizes, conventions, derivatives."""

import warnings

import numpy as np
import pytest
import scipy.linalg as wanted
from tolerances import FORMULA, ITERATION, PROGRAM, assert_close, rounding

import anvl
import anvl.numpy as anp
from anvl.scipy import linalg
from anvl.testing import check_grads

RNG = np.random.default_rng(5)
DTYPES = ["f4", "f8", "c8", "c16"]


def draw(*shape, dtype="f8"):
    x = RNG.normal(size=shape)
    if np.dtype(dtype).kind == "c":
        x = x + 1j * RNG.normal(size=shape)
    return x.astype(dtype)


def ct(x):
    return np.conj(np.swapaxes(np.asarray(x), -1, -2))


def positive(*shape, dtype="f8"):
    x = draw(*shape, dtype=dtype)
    return (x @ ct(x) + shape[-1] * np.eye(shape[-1])).astype(dtype)


#: Functions of a square matrix whose results are those of SciPy, element by element.
SAME = {
    "lu": lambda m, a: m.lu(a),
    "lu permuted": lambda m, a: m.lu(a, permute_l=True),
    "lu order": lambda m, a: m.lu(a, p_indices=True),
    "lu_factor": lambda m, a: m.lu_factor(a),
    "lu_solve": lambda m, a: m.lu_solve(m.lu_factor(a), a[..., :2]),
    "lu_solve T": lambda m, a: m.lu_solve(m.lu_factor(a), a[..., 0], trans=1),
    "lu_solve H": lambda m, a: m.lu_solve(m.lu_factor(a), a[..., 0], trans=2),
    "qr": lambda m, a: m.qr(a),
    "qr pivoted": lambda m, a: m.qr(a, pivoting=True),
    "qr r": lambda m, a: m.qr(a, mode="r"),
    "qr_multiply": lambda m, a: m.qr_multiply(a, a, pivoting=True),
    "qr_multiply left": lambda m, a: m.qr_multiply(a, a[..., 0], mode="left", conjugate=True),
    "polar": lambda m, a: m.polar(a),
    "polar left": lambda m, a: m.polar(a[:3], side="left"),
    "polar wide": lambda m, a: m.polar(a[:3]),
    "hessenberg": lambda m, a: m.hessenberg(a, calc_q=True),
    "solve": lambda m, a: m.solve(a, a[..., 0]),
    "solve transposed": lambda m, a: m.solve(a, a[..., :2], transposed=True),
    "solve sym": lambda m, a: m.solve(a, a[..., 0], assume_a="sym"),
    "solve her": lambda m, a: m.solve(a, a[..., 0], assume_a="her", lower=True),
    "solve pos": lambda m, a: m.solve(a @ a.conj().T, a[..., 0], assume_a="pos", lower=True),
    "solve upper": lambda m, a: m.solve(a, a[..., 0], assume_a="upper triangular"),
    "solve lower": lambda m, a: m.solve(
        a, a[..., 0], assume_a="lower triangular", transposed=True
    ),
    "solve diagonal": lambda m, a: m.solve(a, a[..., :2], assume_a="diagonal"),
    "solve tridiagonal": lambda m, a: m.solve(a, a[..., :2], assume_a="tridiagonal"),
    "inv pos": lambda m, a: m.inv(a @ a.conj().T, assume_a="pos"),
    "det": lambda m, a: m.det(a),
    "solve_circulant": lambda m, a: m.solve_circulant(a[0], a[1]),
    "solve_sylvester": lambda m, a: m.solve_sylvester(a, a[:3, :3], a[:, :3]),
    "lyapunov": lambda m, a: m.solve_continuous_lyapunov(a, a),
    "eigh": lambda m, a: m.eigh(a, eigvals_only=True),
    "eigh upper": lambda m, a: m.eigh(a, lower=False, eigvals_only=True, subset_by_index=(1, 3)),
    "expm_frechet": lambda m, a: m.expm_frechet(a, a[::-1]),
    "cosm": lambda m, a: m.cosm(a),
    "sinm": lambda m, a: m.sinm(a),
    "tanm": lambda m, a: m.tanm(a),
    "coshm": lambda m, a: m.coshm(a),
    "sinhm": lambda m, a: m.sinhm(a),
    "tanhm": lambda m, a: m.tanhm(a),
    "sqrtm": lambda m, a: m.sqrtm(5 * np.eye(len(a), dtype=a.real.dtype) + a),
    "logm": lambda m, a: m.logm(5 * np.eye(len(a), dtype=a.real.dtype) + a),
    "funm": lambda m, a: m.funm(a, (anp if m is linalg else np).sin),
}  # fmt: skip


def every(found, right):
    if isinstance(right, tuple):
        assert len(found) == len(right)
        return [x for pair in zip(found, right, strict=True) for x in every(*pair)]
    return [(np.asarray(found), np.asarray(right))]


@pytest.mark.sweep(keep=8)
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", SAME)
def test_a_function_of_a_matrix_has_the_values_of_scipy(name, dtype):
    if dtype[0] == "c" and name in ("solve transposed", "solve lower"):
        pytest.skip("SciPy has no transposed systems of complex numbers")
    a = draw(5, 5, dtype=dtype)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # of the accuracy of logm in f32
        right = SAME[name](wanted, a)
    compare(SAME[name](linalg, a), right, a.real.dtype)


def compare(found, right, dtype):
    limit = rounding(ITERATION if dtype == "f8" else PROGRAM, dtype)
    for x, y in every(found, right):
        assert x.shape == y.shape
        if y.dtype.kind in "fc":
            assert x.real.dtype == dtype
        np.testing.assert_allclose(x, y, rtol=limit, atol=limit * np.max(np.abs(y), initial=0))


STACKED = sorted({*SAME} - {"lyapunov", "solve_circulant", "qr_multiply left", "qr_multiply"})


@pytest.mark.sweep(keep=3)
@pytest.mark.parametrize("name", STACKED)
def test_a_stack_is_each_of_its_matrices(name):
    """Where the table indexes rows, these are axes of the stack: so `vmap` makes it."""
    a = draw(3, 4, 4)
    found = anvl.jit(anvl.vmap(lambda a: SAME[name](linalg, a)))(a)
    each = [SAME[name](linalg, x) for x in a]
    right = tuple(map(np.stack, zip(*each, strict=True))) if isinstance(each[0], tuple) else each
    compare(found, right if isinstance(right, tuple) else np.stack(right), np.dtype("f8"))


@pytest.mark.sweep(keep=0, part=0)
def test_functions_take_stacks_that_broadcast():
    a, b = draw(2, 1, 3, 3), draw(4, 3, 2)
    found = linalg.solve(a, b)
    right = np.linalg.solve(a, b)
    np.testing.assert_allclose(found, right, rtol=rounding(ITERATION))
    assert_close(linalg.lu_solve(linalg.lu_factor(a), b), right, ITERATION)
    b = b[:, :2]
    x = np.asarray(linalg.solve_sylvester(a, b, draw(2, 1, 3, 2)))
    assert x.shape == (2, 4, 3, 2)
    t, z = map(np.asarray, linalg.schur(a))
    assert_close(z @ t @ ct(z), a, PROGRAM)
    assert_close(linalg.logm(a)[1, 0], linalg.logm(a[1, 0]), ITERATION)


@pytest.mark.sweep(keep=0, part=1)
@pytest.mark.parametrize("n", [0, 1])
def test_matrices_without_or_with_one_element(n):
    a = np.full((n, n), 4.0)
    for name, f in {"sqrtm": np.sqrt, "logm": np.log, "inv": np.reciprocal}.items():
        assert_close(getattr(linalg, name)(a), f(a), PROGRAM)
    for f in (linalg.schur, linalg.polar, linalg.lu, linalg.eigh, linalg.qr):
        assert all(np.size(x) in (n, n * n) for x in f(a))
    assert_close(linalg.funm(a, anp.square), a * a, PROGRAM)
    assert_close(linalg.solve_sylvester(a, a, a), np.full((n, n), 0.5), PROGRAM)
    assert_close(linalg.hessenberg(a), a, PROGRAM)
    assert_close(linalg.rsf2csf(a, a)[0], a, PROGRAM)
    assert np.asarray(linalg.qr(a, pivoting=True)[2]).tolist() == [0] * n
    assert_close(linalg.lu_solve(linalg.lu_factor(a), np.ones(n)), np.full(n, 0.25), PROGRAM)


@pytest.mark.parametrize("dtype", DTYPES)
def test_schur_forms(dtype):
    a = draw(6, 6, dtype=dtype)
    for output in ("real", "complex"):
        t, z = map(np.asarray, linalg.schur(a, output=output))
        assert_close(z @ t @ ct(z), a, PROGRAM)
        compare((t, z), wanted.schur(a, output=output), a.real.dtype)
    t, z = map(np.asarray, linalg.rsf2csf(*linalg.schur(a)))
    assert np.array_equal(np.tril(t, -1), np.zeros_like(t))
    assert_close(z @ t @ ct(z), a, PROGRAM)
    assert_close(z @ ct(z), np.eye(6), PROGRAM)


@pytest.mark.parametrize("form", [1, 2, 3])
@pytest.mark.parametrize("lower", [True, False])
def test_eigenvalues_of_pairs_of_matrices(form, lower):
    a, b = draw(4, 4, dtype="c16"), positive(4, 4, dtype="c16")
    w, v = map(np.asarray, linalg.eigh(a, b, lower=lower, type=form))
    assert_close(w, wanted.eigh(a, b, lower=lower, type=form, eigvals_only=True), ITERATION)
    half = np.tril(a, -1) if lower else np.triu(a, 1)
    h = half + ct(half) + np.diag(np.diag(a).real)
    left, right = {1: (h @ v, b @ v), 2: (h @ b @ v, v), 3: (b @ h @ v, v)}[form]
    assert_close(left, right * w, ITERATION)
    assert_close(ct(v) @ (np.linalg.solve(b, v) if form == 3 else b @ v), np.eye(4), ITERATION)


def test_tridiagonal_matrices():
    d, e = draw(2, 5), draw(2, 4)
    w, v = linalg.eigh_tridiagonal(d, e)
    assert_close(w[1], wanted.eigvalsh_tridiagonal(d[1], e[1]), PROGRAM)
    m = np.diag(d[1]) + np.diag(e[1], 1) + np.diag(e[1], -1)
    assert_close(m @ np.asarray(v[1]), np.asarray(v[1]) * np.asarray(w[1]), PROGRAM)
    few = linalg.eigh_tridiagonal(d[0], e[0], select="i", select_range=(1, 2), eigvals_only=True)
    assert_close(few, np.asarray(w)[0, 1:3], PROGRAM)


# -- derivatives ------------------------------------------------------------------------------

A, B = draw(3, 3) + 3 * np.eye(3), draw(3, 3)
REAL = np.array([[1.0, 0.5, 0.1], [0.3, 3.0, 0.4], [0.2, 0.6, -5.0]])  # with real eigenvalues
JORDAN = np.array([[2.0, 1.0, 0.0], [0.0, 2.0, 1.0], [0.0, 0.0, 2.0]])


def of_real(f):
    return lambda x: anp.real(f(x)) + anp.imag(f(x))


def complex_at(f):
    """f at x + i y, as a function of x."""
    return lambda x: of_real(f)(x + 1j * (B + 0.1 * x))


#: Functions, smooth at these points.
SMOOTH = {
    "sqrtm": (of_real(linalg.sqrtm), A), "sqrtm of a Jordan block": (of_real(linalg.sqrtm), JORDAN),
    "sqrtm, complex": (complex_at(linalg.sqrtm), A),
    "logm": (of_real(linalg.logm), A), "logm of one": (of_real(linalg.logm), np.eye(3)),
    "logm, complex": (complex_at(linalg.logm), A),
    "polar": (linalg.polar, A), "polar of one": (linalg.polar, 2 * np.eye(3)),
    "polar, tall": (linalg.polar, draw(4, 3)), "polar, wide": (lambda x: linalg.polar(x, "left"), draw(2, 3)),
    "solve_sylvester": (lambda x: linalg.solve_sylvester(x, x.T + 1, x * x), A),
    "schur": (lambda x: (lambda t, z: (anp.diagonal(t), anp.abs(t), z * z))(*linalg.schur(x)), REAL),
    "schur, complex": (lambda x: (lambda t: anp.real(t * anp.conj(t)))(linalg.schur(x, output="complex")[0]), A),
    "funm": (of_real(lambda x: linalg.funm(x, anp.sin)), A),
    "hessenberg": (lambda x: linalg.hessenberg(x, calc_q=True), A),
    "expm_frechet": (lambda x: linalg.expm_frechet(x, x * x), A),
    "qr, pivoted": (lambda x: linalg.qr(x, pivoting=True)[:2], A),
    "lu_solve": (lambda x: linalg.lu_solve(linalg.lu_factor(x), x[:, 0] ** 2, trans=1), A),
    "eigh": (lambda x: linalg.eigh(x, 10 * anp.eye(3) + x @ x.T, eigvals_only=True), A),
    "solve, hermitian": (lambda x: linalg.solve(x + 1j * B, x[0], assume_a="her").imag, A),
    "toeplitz": (lambda x: linalg.toeplitz(x[0] ** 2, x[1]), A),
    "companion": (lambda x: linalg.companion(x[0] ** 2), A),
}  # fmt: skip


#: Of these, what XLA compiles in many seconds.
LONG = {"logm", "logm of one", "logm, complex", "funm", "expm_frechet", "sqrtm, complex"}


@pytest.mark.sweep(keep=0, part=0)
@pytest.mark.parametrize("name", sorted({*SMOOTH} - LONG))
def test_derivatives_of_both_orders(name):
    f, x = SMOOTH[name]
    check_grads(f, (x,), order=2, rtol=2e-5)


@pytest.mark.sweep(keep=0, part=0)
@pytest.mark.parametrize("name", sorted(LONG))
def test_derivatives_of_long_programs(name):
    f, x = SMOOTH[name]
    check_grads(f, (x,), order=2, rtol=2e-5)


@pytest.mark.sweep(keep=1, part=0)
@pytest.mark.parametrize("name", ["sqrtm", "polar", "schur"])
def test_first_derivatives(name):
    f, x = SMOOTH[name]
    check_grads(f, (x,), order=1, modes=("rev",))


def test_the_derivative_of_a_real_schur_form_with_blocks_is_nan():
    turn = np.array([[0.0, 1.0], [-1.0, 0.0]])
    t, z = anvl.jvp(linalg.schur, (turn,), (np.ones((2, 2)),))[1]
    assert np.all(np.isnan(t[0])) and np.all(np.isnan(z))


# -- limits -----------------------------------------------------------------------------------


@pytest.mark.sweep(keep=0, part=0)
def test_roots_and_functions_at_equal_eigenvalues():
    assert_close(linalg.sqrtm(np.zeros((2, 2))), np.zeros((2, 2)), FORMULA)
    assert np.isnan(np.asarray(linalg.sqrtm(np.array([[0.0, 1.0], [0.0, 0.0]])))).any()
    assert_close(
        np.asarray(linalg.sqrtm(JORDAN)) @ np.asarray(linalg.sqrtm(JORDAN)), JORDAN, PROGRAM
    )
    assert_close(linalg.logm(JORDAN), wanted.logm(JORDAN), PROGRAM)
    found, error = linalg.funm(np.eye(3) * 2, anp.exp, disp=False)
    assert_close(found, np.exp(2) * np.eye(3), FORMULA)
    assert float(error) < rounding(FORMULA)
    h = np.array([[1.0, 2], [2, 1]])
    both = np.block([[h, np.zeros((2, 2))], [np.zeros((2, 2)), h]])
    assert_close(linalg.funm(both, anp.exp), wanted.expm(both), PROGRAM)
    found, error = linalg.funm(JORDAN, anp.exp, disp=False)
    assert np.isnan(np.asarray(found)).any() and np.isinf(error)


@pytest.mark.sweep(keep=0, part=0)
def test_matrices_that_are_not_finite_give_nan_beside_others():
    a = np.stack([A, np.full((3, 3), np.inf), np.full((3, 3), np.nan)])
    for f in (linalg.schur, linalg.logm):
        found = f(a)[0] if f is linalg.schur else f(a)
        assert np.isfinite(np.asarray(found[0])).all()
        assert np.isnan(np.asarray(found[1:])).any(axis=(1, 2)).all()


@pytest.mark.parametrize(
    ("f", "message"),
    [
        (lambda: linalg.schur(B[:2]), "schur: takes square matrices, got f64[2,3]"),
        (lambda: linalg.schur(B, "both"), "schur: output is 'both'; it must be one of 'real'"),
        (lambda: linalg.sqrtm(B[0]), "sqrtm: takes a matrix, or a stack of them, got f64[3]"),
        (lambda: linalg.solve(B, B[:2]), "solve: b is f64[2,3], which does not fit a, f64[3,3]"),
        (lambda: linalg.solve(B, B, assume_a="flat"), "solve: assume_a is 'flat'; it must be one"),
        (lambda: linalg.lu_solve((B, B[0, :2]), B), "lu_solve: piv is f64[2], which does not fit"),
        (lambda: linalg.lu_solve((B, B[0]), B, trans=3), "lu_solve: trans is 3; it must be one of"),
        (lambda: linalg.solve_sylvester(B, B, B[0]), "solve_sylvester: q is f64[3], which does not"),
        (lambda: linalg.expm_frechet(B, B[:2, :2]), "expm_frechet: A is f64[3,3] and E f64[2,2]"),
        (lambda: linalg.eigh(B, type=4), "eigh: type is 4; it must be one of 1, 2, 3"),
        (lambda: linalg.eigh(B, subset_by_index=(1, 3)), "eigh: the indices (1, 3) do not fit 3"),
        (lambda: linalg.eigh_tridiagonal(B[0], B[0]), "eigh_tridiagonal: e is f64[3], which does"),
        (lambda: linalg.eigh_tridiagonal(B[0], B[0], select="v"), "select is 'v'; it must be one"),
        (lambda: linalg.qr(B, mode="raw"), "qr: mode is 'raw'; it must be one of 'full'"),
        (lambda: linalg.polar(B, "up"), "polar: side is 'up'; it must be one of"),
        (lambda: linalg.companion(B[0, :1]), "companion: a is f64[1]; give at least 2 coeff"),
        (lambda: linalg.hadamard(3), "hadamard: n is 3; it must be a power of 2"),
        (lambda: linalg.pascal(80), "is too large for an integer of 64 bits"),
        (lambda: linalg.leslie(B[0], B[0]), "leslie: f is f64[3] and s f64[3]; give n and n - 1"),
        (lambda: linalg.convolution_matrix(B[0], 2, "all"), "convolution_matrix: mode is 'all'"),
        (lambda: linalg.dft(3, "m"), "dft: scale is 'm'; it must be one of None, 'sqrtn', 'n'"),
    ],
)  # fmt: skip
def test_what_is_refused(f, message):
    with pytest.raises(ValueError) as error:
        f()
    assert message in str(error.value)


# -- special matrices -------------------------------------------------------------------------

V, W = np.array([1.0, -2.0, 3.0, 5.0]), np.array([2.0, 7.0, -1.0])
SPECIAL = {
    "block_diag": [(np.array([[1, 2]]), 3.0, np.eye(2)), (V,), (np.zeros((0, 2)), V)],
    "circulant": [(V,), (V[:1],)], "companion": [(V,), (V[:2],)],
    "convolution_matrix": [(V, n, mode) for n in (1, 3, 4, 6) for mode in ("full", "same", "valid")],
    "dft": [(0,), (1,), (5,), (4, "sqrtn"), (3, "n")], "fiedler": [(V,)],
    "fiedler_companion": [(np.arange(1.0, n + 1),) for n in range(2, 10)],
    "hadamard": [(1,), (8,)], "hankel": [(V,), (V, W), (W, V)],
    "helmert": [(1, True), (2,), (5,), (4, True)], "hilbert": [(1,), (6,)],
    "invhilbert": [(1,), (5,), (9,), (7, True)],
    "invpascal": [(n, kind) for n in (1, 5, 12) for kind in ("symmetric", "lower", "upper")],
    "leslie": [(V, W)],
    "pascal": [(n, kind, n < 9) for n in (1, 5, 12) for kind in ("symmetric", "lower", "upper")],
    "toeplitz": [(V,), (V, W), (W, V), (V + 1j * V,), (V[:1],)],
}  # fmt: skip


@pytest.mark.parametrize("name", SPECIAL)
def test_a_special_matrix_is_that_of_scipy(name):
    for args in SPECIAL[name]:
        right = np.asarray(getattr(wanted, name)(*args))
        found = np.asarray(getattr(linalg, name)(*args))
        assert found.shape == right.shape, args
        assert (found.dtype.kind in "iu") == (right.dtype.kind in "iuO"), args
        narrow = rounding(FORMULA, found.dtype) if found.dtype.kind in "fc" else 0
        np.testing.assert_allclose(found, right.astype(found.dtype), rtol=narrow, atol=narrow)


def test_special_matrices_of_stacks():
    c = np.stack([V, 2 * V])
    for name in ("circulant", "companion", "toeplitz", "hankel", "fiedler", "fiedler_companion"):
        found = getattr(linalg, name)(c)
        assert_close(found[1], getattr(wanted, name)(c[1]), FORMULA)
    assert_close(linalg.leslie(c, c[:, 1:])[1], wanted.leslie(c[1], c[1, 1:]), FORMULA)
    assert_close(
        linalg.convolution_matrix(c, 3, "same")[1],
        wanted.convolution_matrix(c[1], 3, "same"),
        FORMULA,
    )
    found = linalg.block_diag(np.ones((2, 1, 2)), np.zeros((1, 1)))
    assert np.asarray(found).tolist() == [[[1, 1, 0], [0, 0, 0]]] * 2
    assert linalg.block_diag().shape == (1, 0)
