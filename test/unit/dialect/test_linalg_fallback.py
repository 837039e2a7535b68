"""Linear algebra for plugins without routines of their own: the same ops as loops of StableHLO.

What is lowered for another platform runs on the CPU here; no other plugin was there to run it.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
from references import REFERENCES
from tolerances import ITERATION, PROGRAM, rounding

import anvl
import anvl.numpy as anp
import anvl.runtime as rt
from anvl.dialect.core.context import context
from anvl.dialect.core.errors import PassError
from anvl.dialect.core.mlir import ir
from anvl.dialect.core.op import emit
from anvl.dialect.core.op_registry import OPS
from anvl.dialect.ops.linalg.matrices import solve
from anvl.testing.draw import Draw
from anvl.testing.op_check import Examination
from anvl.testing.program import Program

RANDOM = np.random.default_rng(5)
DTYPES = ["f4", "f8", "c8", "c16"]
OPS_HERE = [
    "cholesky", "det", "eigh", "eigvalsh", "lu", "qr", "slogdet", "solve", "svd", "svdvals",
    "triangular_solve",
]  # fmt: skip


def evaluated(
    body: Callable[..., Sequence[ir.Value]], *inputs: np.ndarray, platform: str = "elsewhere"
) -> list[np.ndarray]:
    """The values of what `body` builds, lowered for a platform without routines."""
    program = Program(platform=platform)
    program.add(list(inputs), body)
    program.finish()
    program.compile()
    assert ("lapack" in program.module.operation.get_asm()) == (platform == "cpu")
    return program.run()[0]


def drawn(shape: tuple[int, ...], dtype: str) -> np.ndarray:
    x = RANDOM.standard_normal(shape)
    if np.dtype(dtype).kind == "c":
        x = x + 1j * RANDOM.standard_normal(shape)
    return x.astype(dtype)


def ct(x: np.ndarray) -> np.ndarray:
    return np.conj(np.swapaxes(x, -1, -2))


def assert_near(x: np.ndarray, wanted: np.ndarray, like: np.ndarray) -> None:
    """To rounding of a matrix of the size and dtype of `like`."""
    scale = np.abs(like).max(initial=np.finfo(like.dtype).tiny)
    tolerance = 20 * max(like.shape[-2:]) * np.finfo(like.dtype).eps * scale
    np.testing.assert_allclose(x, wanted, rtol=0, atol=tolerance)


def assert_orthonormal(x: np.ndarray) -> None:
    """The columns of x."""
    unit = np.broadcast_to(np.eye(x.shape[-1], dtype=x.dtype), (*x.shape[:-2], *[x.shape[-1]] * 2))
    assert_near(ct(x) @ x, unit, unit)


# -- rules -----------------------------------------------------------------------------------------


@pytest.mark.sweep(keep=0, part=1)
@pytest.mark.parametrize("name", OPS_HERE)
def test_values_and_derivatives_agree_with_numbers(name: str) -> None:
    """As of every op on the CPU: NumPy, finite differences, order 2, narrow dtypes, batches."""
    op_class = OPS[f"anvl.{name}"]
    with context(), ir.Location.unknown():
        # The rules of derivatives are those of the CPU, which are tested on all calls.
        first, *rest = op_class.sample(Draw(op_class.OPERATION_NAME))[:3]
        calls = [first, *(call._replace(is_smooth=False) for call in rest)]
        found = Examination(op_class, calls, REFERENCES, platform="elsewhere").findings
    assert not found.problems, "\n".join(found.problems)
    assert found.errors["tangent"] < 1e-6


# -- factorisations --------------------------------------------------------------------------------


@pytest.mark.sweep(keep=1, part=1)
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [(7, 7), (2, 3, 5, 3), (3, 6), (1, 4), (1, 1)])
def test_factors_give_back_the_matrix(dtype: str, shape: tuple[int, ...]) -> None:
    x = drawn(shape, dtype)
    k = min(shape[-2:])

    def body(x: ir.Value) -> list[ir.Value]:
        full = {"full_matrices": True}
        return [*emit.qr(x), *emit.qr(x, **full), *emit.svd(x), *emit.svd(x, **full)]

    found = evaluated(body, x)
    for (q, r), mode in ((found[:2], "reduced"), (found[2:4], "complete")):
        assert_near(q @ r, x, x)
        assert_near(r, np.linalg.qr(x, mode=mode)[1], x)  # the signs of LAPACK
        assert not np.tril(r, -1).any()
        assert_orthonormal(q)
    for u, s, vt in (found[4:7], found[7:]):
        assert_near((u[..., :k] * s[..., None, :]) @ vt[..., :k, :], x, x)
        assert_near(s, np.linalg.svd(x, compute_uv=False), x)
        assert (np.diff(s) <= 0).all()
        assert_orthonormal(u)
        assert_orthonormal(ct(vt))


@pytest.mark.sweep(keep=4)
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [(9, 9), (2, 3, 5, 3), (3, 6)])
def test_pivots_are_those_of_lapack(dtype: str, shape: tuple[int, ...]) -> None:
    x = drawn(shape, dtype)
    found = evaluated(lambda x: list(emit.lu(x)), x)
    wanted = evaluated(lambda x: list(emit.lu(x)), x, platform="cpu")
    assert_near(found[0], wanted[0], x)
    for y, y_wanted in zip(found[1:], wanted[1:], strict=True):
        np.testing.assert_array_equal(y, y_wanted)


@pytest.mark.sweep(keep=3)
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [(8, 8), (2, 3, 5, 5), (2, 2), (1, 1)])
def test_eigenvectors_of_hermitian_matrices(dtype: str, shape: tuple[int, ...]) -> None:
    x = drawn(shape, dtype)
    hermitian = (x + ct(x)) / 2
    w, v, alone = evaluated(lambda x: [*emit.eigh(x), emit.eigvalsh(x)], x)
    assert_near(w, np.linalg.eigvalsh(hermitian), x)
    assert_near(alone, w, x)
    assert_near((v * w[..., None, :]) @ ct(v), hermitian, x)
    assert_orthonormal(v)


# -- hard ones -------------------------------------------------------------------------------------

Q = np.linalg.qr(RANDOM.standard_normal((10, 10)))[0]
P = np.linalg.qr(RANDOM.standard_normal((10, 10)))[0]
HARD = {
    "zeros": np.zeros((4, 3)),
    "unit": np.eye(5),
    "ones": np.ones((5, 7)),
    "rank 3": Q[:, :3] @ P[:3],
    "rank 3 and tall": Q[:, :3] @ P[:3, :4],
    "graded": Q @ np.diag(10.0 ** -np.arange(0, 30, 3)) @ P,
    "clusters": Q @ np.diag([1, 1, 1, 1 + 1e-14, 2, 2, -2, 0, 0, 1e-9]) @ Q.T,
    "huge": 1e307 * RANDOM.standard_normal((4, 3)),
    "tiny": 1e-300 * RANDOM.standard_normal((4, 3)),
    "columns of all sizes": RANDOM.standard_normal((4, 4)) * [1, 1e-100, 1e-250, 1e50],
    "hilbert": 1 / (np.arange(10)[:, None] + np.arange(10) + 1),
}


@pytest.mark.sweep(keep=1, part=1)
@pytest.mark.parametrize("what", HARD)
def test_no_rank_clusters_and_extreme_sizes(what: str) -> None:
    x = HARD[what]
    square = x @ x.T if what not in ("huge", "tiny") else np.full((3, 3), x.flat[0])

    def body(x: ir.Value, square: ir.Value) -> list[ir.Value]:
        return [*emit.svd(x, full_matrices=True), *emit.qr(x), *emit.eigh(square)]

    u, s, vt, q, r, w, v = evaluated(body, x, square)
    k = min(x.shape)
    assert_orthonormal(u)
    assert_orthonormal(vt.T)
    assert_orthonormal(q)
    assert_orthonormal(v)
    assert_near((u[:, :k] * s) @ vt[:k], x, x)
    assert_near(s, np.linalg.svd(x, compute_uv=False), x)
    assert_near(q @ r, x, x)
    assert_near((v * w) @ v.T, square, square)


@pytest.mark.sweep(keep=0, part=1)
@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_a_matrix_of_60_rows_converges(dtype: str) -> None:
    x = drawn((61, 61), dtype)
    u, s, vt, w, v = evaluated(lambda x: [*emit.svd(x), *emit.eigh(x)], x)
    assert_near((u * s) @ vt, x, x)
    assert_near((v * w) @ v.T, (x + x.T) / 2, x)


# -- what cannot be factorised ---------------------------------------------------------------------


@pytest.mark.sweep(keep=3)
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_what_is_not_finite_is_nan_and_the_rest_of_the_stack_is_not(dtype: str, bad: float) -> None:
    x = np.stack([np.eye(3), np.eye(3), np.eye(3)]).astype(dtype)
    x[1, 0, 2] = bad

    def body(x: ir.Value) -> list[ir.Value]:
        return [*emit.svd(x), emit.svdvals(x), *emit.eigh(x), emit.eigvalsh(x)]

    for y in evaluated(body, x):
        assert np.isfinite(y[[0, 2]]).all()
        assert np.isnan(y[1]).all()


@pytest.mark.parametrize("dtype", DTYPES)
def test_cholesky_is_nan_for_those_that_are_not_positive_definite(dtype: str) -> None:
    indefinite, singular = [[1, 2], [2, 1]], [[1, 1], [1, 1]]
    x = np.stack([np.eye(2), indefinite, 4 * np.eye(2), singular]).astype(dtype)
    y, of_zero = evaluated(lambda *xs: [emit.cholesky(x) for x in xs], x, np.zeros((1, 1), dtype))
    nan = np.full((2, 2), np.nan)
    np.testing.assert_allclose(y, [np.eye(2), nan, 2 * np.eye(2), nan], rtol=1e-6)
    assert np.isnan(of_zero).all()


def test_a_singular_matrix_has_factors_determinant_0_and_no_solution() -> None:
    x = np.array([[1.0, 2.0], [2.0, 4.0]])

    def body(x: ir.Value, b: ir.Value) -> list[ir.Value]:
        return [emit.lu(x)[0], emit.det(x), *emit.slogdet(x), solve(x, b)]

    lu, det, sign, logarithm, solution = evaluated(body, x, np.array([[1.0], [1.0]]))
    assert lu.tolist() == [[2, 4], [0.5, 0]]
    assert (det, sign, logarithm) == (0, 0, -np.inf)
    assert not np.isfinite(solution).any()


@pytest.mark.parametrize("name", ["eig", "eigvals"])
def test_eigenvalues_of_general_matrices_are_refused_by_name(name: str) -> None:
    op = getattr(emit, name)
    found = f"{name}: there is no form of it in StableHLO alone, and the client .*, cusolver; run"
    with pytest.raises(PassError, match=found):
        evaluated(lambda x: [op(x)[0] if name == "eig" else op(x)], np.eye(2))


# -- the platform is that of the client ------------------------------------------------------------

X = RANDOM.standard_normal((2, 4, 3))
A, B = RANDOM.standard_normal((3, 3)) + 2 * np.eye(3), RANDOM.standard_normal((3, 2))
FUNCTIONS: dict[str, tuple[Callable[..., Any], Callable[..., Any], tuple[np.ndarray, ...]]] = {
    "svdvals": (anp.linalg.svdvals, lambda x: np.linalg.svd(x)[1], (X,)),
    "inv": (anp.linalg.inv, np.linalg.inv, (A,)),
    "det": (anp.linalg.det, np.linalg.det, (A,)),
    "solve": (anp.linalg.solve, np.linalg.solve, (A, B)),
    "lstsq": (
        lambda x, b: anp.linalg.lstsq(x, b)[0],
        lambda x, b: np.linalg.lstsq(x, b, rcond=None)[0],
        (X[0], drawn((4, 2), "f8")),
    ),
}


@pytest.fixture
def elsewhere(monkeypatch: pytest.MonkeyPatch) -> None:
    """The CPU's client as one without routines."""
    monkeypatch.setattr(rt.default_client(), "target", rt.Target("cpu", "none"))


@pytest.mark.sweep(keep=2)
@pytest.mark.usefixtures("elsewhere")
@pytest.mark.parametrize("name", FUNCTIONS)
def test_jit_lowers_for_the_platform_of_its_client(name: str) -> None:
    function, in_numpy, arguments = FUNCTIONS[name]

    def called(*xs: Any) -> Any:  # a new one, which nothing has compiled
        return function(*xs)

    jitted = anvl.jit(called)
    lowered = jitted.lower(*arguments)
    assert "custom_call" not in lowered.mlir()
    for y in (jitted(*arguments), lowered.compile()(*arguments)):
        np.testing.assert_allclose(
            y, in_numpy(*arguments), rtol=rounding(ITERATION), atol=rounding(PROGRAM)
        )
    g = anvl.grad(lambda *xs: anp.sum(function(*xs)))(*arguments)
    assert np.isfinite(np.asarray(g)).all()


@pytest.mark.usefixtures("elsewhere")
def test_jit_names_the_op_that_its_platform_lacks() -> None:
    with pytest.raises(PassError, match="eigvals: there is no form of it in StableHLO alone"):
        anvl.jit(lambda x: anp.linalg.eigvals(x))(np.eye(2))


def test_the_platform_of_a_client_that_is_not_made_yet() -> None:
    assert rt.default_target() == rt.default_client().target
    assert rt.default_target()[:2] == ("cpu", "lapack")
