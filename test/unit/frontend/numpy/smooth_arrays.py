"""Points where elements tie or vanish and the function is smooth: of whole arrays, of matrices."""

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.linalg
import scipy.special as special
from smoothness import Smooth

import anvl.numpy as anp
from anvl.numpy import linalg

__all__ = ["ARRAYS", "COMPLEX", "MATRICES"]

_TIES, _ZEROS = [0.0, 1, 1, 5], [0.0, 0, 3, -2]


def _same(name: str, *points: Any, radius: float = 0.2, **more: Any) -> Smooth:
    return Smooth(name, getattr(anp, name), getattr(np, name), points, radius, **more)


def _middle(x: np.ndarray) -> Any:
    return np.sort(x)[1:3].mean()


ARRAYS = [
    Smooth("logsumexp", anp.logsumexp, special.logsumexp, [[2.0, 2, 2]]),
    Smooth("logsumexp, large", anp.logsumexp, special.logsumexp, [[1000.0, 1000, -1000]]),
    Smooth("softmax", anp.softmax, special.softmax, [[2.0, 2, 2]]),
    Smooth("log_softmax", anp.log_softmax, special.log_softmax, [[900.0, 900, 900]]),
    Smooth("cumlogsumexp", anp.cumlogsumexp, np.logaddexp.accumulate, [[0.0, 0, -3, -3]]),
    _same("prod", _ZEROS, orders=3),
    _same("cumprod", _ZEROS),
    Smooth("cumulative_prod", anp.cumulative_prod, np.cumprod, [_ZEROS]),
    Smooth("nanprod", anp.nanprod, np.prod, [_ZEROS]),
    _same("var", [2.0, 2, 2]),
    _same("std", [1.0, 1, 3]),
    _same("mean", [1.0, 1, 3]),
    Smooth("nanmean", anp.nanmean, np.mean, [[1.0, 1, 0]]),
    Smooth("average", lambda x, w: anp.average(x, weights=w),
           lambda x, w: np.average(x, weights=w), [[1.0, 1, 0], [0.0, 1, 1]], 0.2),
    Smooth("median", anp.median, _middle, [_TIES], 0.2),
    Smooth("median of three", anp.median, np.median, [[3.0, 1, 2]], 0.2),
    Smooth("quantile", lambda x, q: anp.quantile(x, q), np.quantile, [[0.0, 1, 3, 5], 0.4], 0.05),
    Smooth("quantile, midpoint", lambda x: anp.quantile(x, 0.4, method="midpoint"), _middle,
           [_TIES], 0.2),
    Smooth("percentile", lambda x: anp.percentile(x, 50), _middle, [_TIES], 0.2),
    Smooth("logspace", lambda a, b: anp.logspace(a, b, 3), lambda a, b: np.logspace(a, b, 3),
           [0.0, 0.0], 0.2),
    _same("polyval", [0.0, 0, 1], 0.0),
    *[_same(name, [0.0, 0], [0.0, 1]) for name in
      "add subtract multiply convolve correlate dot inner kron outer vdot".split()],
    _same("divide", [0.0, 0], [1.0, -2]),
    Smooth("tensordot", lambda x, y: anp.tensordot(x, y, 1), lambda x, y: np.tensordot(x, y, 1),
           [[0.0, 0], [0.0, 1]]),
    _same("cross", [0.0, 0, 1], [0.0, 0, 1]),
    _same("matmul", np.zeros((2, 2)), np.eye(2)),
    Smooth("vecdot", anp.vecdot, np.vdot, [[0.0, 0], [0.0, 1]]),
    Smooth("einsum", lambda x: anp.einsum("i,i,i->", x, x, x), lambda x: np.sum(x**3), [_ZEROS]),
    _same("remainder", [0.5, -0.5], [2.0, 2]),
    _same("fmod", [3.5, -0.5], [2.0, 2]),
]  # fmt: skip


# -- of complex numbers, in their parts ------------------------------------------------------------


def _sinc(z: Any) -> Any:
    u = np.pi * z
    return np.where(u == 0, 1, np.sin(u) / u)


def _complex(name: str, f: Callable[..., Any], reference: Callable[..., Any], *zs: complex) -> Any:
    x, y = np.real(zs), np.imag(zs)
    return Smooth(name, lambda x, y: f(x + 1j * y), lambda x, y: reference(x + 1j * y), [x, y], 0.2)


def _real(name: str, reference: Any = None, *zs: complex) -> Any:
    """The real part of a function."""
    f, of = getattr(anp, name), reference or getattr(np, name)
    points = zs or (3.0, -2j, 1 + 1j)
    return _complex(name, lambda z: anp.real(f(z)), lambda z: np.real(of(z)), *points)


COMPLEX = [
    _complex("abs", anp.abs, np.abs, 3, -2j, 1 + 1j),
    _complex("angle", anp.angle, np.angle, 3, -2j, 1 + 1j),
    _complex("var", anp.var, np.var, 1, 1, 1),
    _complex("norm", linalg.norm, np.linalg.norm, 1, 0, 1j),
    _complex("abs, squared", lambda z: anp.abs(z) ** 2, lambda z: np.abs(z) ** 2, 0, 1j),
    _complex("norm, squared", lambda z: anp.square(linalg.norm(z)),
             lambda z: np.linalg.norm(z) ** 2, 0, 0),
    _real("sign", lambda z: z / abs(z)),
    _real("sinc", _sinc, 0, 1e-8j, 3, -2j, 1 + 1j),
    _complex("power -3", lambda z: anp.real(z**-3), lambda z: (z**-3).real, 3, -2j, 1 + 1j),
    *[_real(name) for name in ("log", "sqrt", "arccosh")],
    _real("arcsin", None, 0.3, -2j, 1 + 1j),
    _real("arctan", None, 0, 0.5, 1 + 1j),
]  # fmt: skip


# -- of matrices -----------------------------------------------------------------------------------

_I, _0 = np.eye(3), np.zeros((3, 3))
_A = np.array([[2.0, 1, 0], [1, 3, 1], [0, 1, 4]])
_SHIFT, _TURN = np.eye(3, k=1), _I[[1, 2, 0]]
_D = np.diag([1.0, 2, 3])


def _of(name: str, f: Any, reference: Any, *points: Any, **more: Any) -> Smooth:
    return Smooth(name, f, reference, points, 0.1, **more)


def _hermitian(f: Callable[..., Any]) -> Callable[..., Any]:
    return lambda x: f((x + x.T) / 2)


def _norm(of: Any) -> tuple[Any, Any]:
    return lambda x: linalg.norm(x, of), lambda x: np.linalg.norm(x, of)


MATRICES = [
    _of("norm", linalg.norm, np.linalg.norm, [3.0, 0, 4]),
    _of("vector_norm", linalg.vector_norm, np.linalg.norm, [3.0, 0, 4]),
    _of("matrix_norm", linalg.matrix_norm, np.linalg.norm, _A),
    _of("norm, squared", lambda x: linalg.norm(x) ** 2, lambda x: np.sum(x * x), [0.0, 0, 0]),
    _of("norm of rows, squared",
        lambda x: (lambda y: y * y)(linalg.norm(x, axis=1, keepdims=True)),
        lambda x: np.sum(x * x, 1, keepdims=True), [[0.0, 0], [3, 4]]),
    _of("norm of matrices, to the 4th", lambda x: linalg.norm(x) ** 4,
        lambda x: np.sum(x * x) ** 2, _0),
    _of("norm of matrices", *_norm("fro"), _D),
    _of("norm, 4", *_norm(4), [3.0, 0, 4]),
    _of("norm, 1", *_norm(1), [3.0, 1, -4]),
    _of("norm, 2 of matrices", *_norm(2), np.diag([3.0, 1, 1])),
    _of("norm, nuc", *_norm("nuc"), _I),
    _of("norm, nuc of 2 rows", *_norm("nuc"), _I[:2]),
    _of("u v of svd", lambda x: anp.matmul(*linalg.svd(x, False)[::2]),
        lambda x: np.matmul(*np.linalg.svd(x, False)[::2]), _TURN, orders=1),
    _of("det", linalg.det, np.linalg.det, _SHIFT, orders=3),
    _of("det of zeros", linalg.det, np.linalg.det, _0, orders=3),
    _of("det of 5 rows", linalg.det, np.linalg.det, np.diag([1.0, 2, 3, 0, 0])),
    _of("slogdet", lambda x: linalg.slogdet(x)[1], lambda x: np.linalg.slogdet(x)[1], _I),
    _of("inv", linalg.inv, np.linalg.inv, _TURN),
    _of("solve", linalg.solve, np.linalg.solve, _TURN, [0.0, 1, 1]),
    _of("cholesky", linalg.cholesky, _hermitian(np.linalg.cholesky), _I),
    _of("qr", lambda x: linalg.qr(x, mode="r"), lambda x: np.linalg.qr(x, mode="r"), _A),
    _of("eigvalsh", linalg.eigvalsh, _hermitian(np.linalg.eigvalsh), _D),
    _of("eigh", lambda x: anp.abs(linalg.eigh(x)[1]),
        _hermitian(lambda x: abs(np.linalg.eigh(x)[1])), _A, orders=1),
    _of("eigvals", lambda x: anp.sort(anp.real(linalg.eigvals(x))),
        lambda x: np.sort(np.linalg.eigvals(x).real), _D),
    _of("svdvals", linalg.svdvals, lambda x: np.linalg.svd(x, compute_uv=False), _D),
    _of("expm of zeros", lambda x: linalg.expm(x, max_squarings=1), scipy.linalg.expm, _0),
    _of("expm", lambda x: linalg.expm(x, max_squarings=1), scipy.linalg.expm, _SHIFT),
    _of("matrix_power", lambda x: linalg.matrix_power(x, 3), lambda x: np.linalg.matrix_power(x, 3),
        _0, orders=3),
    _of("matrix_power, -2", lambda x: linalg.matrix_power(x, -2),
        lambda x: np.linalg.matrix_power(x, -2), _I),
    _of("lstsq", lambda a, b: linalg.lstsq(a, b)[0],
        lambda a, b: np.linalg.lstsq(a, b, rcond=None)[0], _A[:, :2], [0.0, 1, 2]),
    _of("residuals of lstsq", lambda a, b: linalg.lstsq(a, b)[1],
        lambda a, b: np.linalg.lstsq(a, b, rcond=None)[1], _A[:, :2], _A[:, 0]),
    _of("pinv", linalg.pinv, np.linalg.pinv, _A[:, :2]),
    _of("pinv of rows", linalg.pinv, np.linalg.pinv, _I[:2]),
]  # fmt: skip
