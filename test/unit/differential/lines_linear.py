"""Linear algebra, transforms: `anvl.numpy.linalg`, `anvl.numpy.fft`, `anvl.scipy.linalg`, `fft`."""

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.fft
import scipy.linalg
from comparing import Line
from drawing import Call, Draw, Operand, call

import anvl.numpy as anp
from anvl.numpy import fft, linalg
from anvl.scipy import fft as sfft
from anvl.scipy import linalg as slinalg

__all__ = ["LINEAR"]

LONG = 10**9  # as far as `Line` lets errors grow: 1e-6 in 64 bits


def _line(
    module: str, name: str, draw: Any, reference: Any = None, f: Any = None, **more: Any
) -> Line:
    ours, theirs = {
        "linalg": (linalg, np.linalg), "fft": (fft, np.fft), "scipy.linalg": (slinalg, scipy.linalg),
        "scipy.fft": (sfft, scipy.fft),
    }[module]  # fmt: skip
    given = {"flavours": "pt", "length": LONG, "refusals": False} | more
    return Line(
        f"{module}.{name}",
        f or getattr(ours, name),
        reference or getattr(theirs, name),
        draw,
        **given,
    )


def regular(x: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """A matrix far from singular."""
    n = min(x.shape[-2:], default=0)
    return x + 4 * n * np.eye(*x.shape[-2:])


def positive(x: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """A symmetric or Hermitian matrix with eigenvalues of 1 and more."""
    if x.shape[-1] == 0:
        return x
    return x @ np.conj(np.swapaxes(x, -1, -2)) + np.eye(x.shape[-1])


def hermitian(x: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    return x + np.conj(np.swapaxes(x, -1, -2)) + np.diag(np.arange(x.shape[-1]) * 9.0)


def matrix(d: Draw, then: Any = None, kinds: str = "sc", square: bool = True, batch: int = 1,
           least: int = 1) -> Operand:  # fmt: skip
    n = d.number(least, 3)
    m = n if square else d.number(least, 3)
    return d.array(d.dtype(kinds), (*d.shape(0, batch, 1), n, m), then=then, special=False)


def of(then: Any = None, *more: Callable[[Draw], Any], **shape: Any) -> Any:
    return lambda d: call(matrix(d, then, **shape), *(f(d) for f in more))


def _solve(d: Draw) -> Call:
    a = matrix(d, regular)
    columns = () if d.flag() and len(a.shape) == 2 else (d.number(0, 2),)
    return call(a, d.array(a.dtype, (*a.shape[:-1], *columns), special=False))


def _norm(d: Draw) -> Call:
    x = d.array(d.dtype("sc"), shape := d.shape(1, 3, least=1), special=False)
    if d.flag() or len(shape) == 1:
        order = d.of(None, 2, 1, np.inf, -np.inf, 0, 3, 0.5, -1, -2)
        return call(x, order, axis=d.axis(len(shape)), keepdims=d.flag())
    order = d.of(None, "fro", "nuc", 1, -1, 2, -2, np.inf, -np.inf)
    return call(x, order, axis=d.some(len(shape), 2)[:2], keepdims=d.flag())


def _vector_norm(d: Draw) -> Call:
    x = d.array(d.dtype("sc"), shape := d.shape(1, 3, least=1), special=False)
    axis = d.of(None, d.axis(len(shape)), d.some(len(shape)))
    return call(x, axis=axis, ord=d.of(2, 1, np.inf, -np.inf, 0, 3), keepdims=d.flag())


def _matrix_norm(d: Draw) -> Call:
    x = matrix(d, square=False)
    return call(x, ord=d.of("fro", "nuc", 1, -1, 2, -2, np.inf, -np.inf), keepdims=d.flag())


def _lstsq(d: Draw) -> Call:
    m, n = d.number(1, 4), d.number(1, 4)
    a = d.array(d.dtype("sc"), (m, n), then=regular, special=False)
    return call(a, d.array(a.dtype, (m, d.number(1, 2)), special=False))


def _fft(kinds: str = "fsc", even: bool = False) -> Any:
    def draw(d: Draw) -> Call:
        x = d.array(
            d.dtype("sc" if kinds == "fsc" else kinds),
            shape := d.shape(1, 3, least=2 if even else 1),
        )
        return call(x, n=d.of(None, 1, 2, 3, 5), axis=d.axis(len(shape)),
                    norm=d.of(None, "ortho", "forward", "backward"))  # fmt: skip

    return draw


def _fftn(kinds: str = "sc", two: bool = False) -> Any:
    def draw(d: Draw) -> Call:
        x = d.array(d.dtype(kinds), shape := d.shape(2, 3, least=2))
        axes = d.some(len(shape), 2 if two else 1)[: 2 if two else None]
        if not two and d.number(0, 4) == 0:
            return call(x, norm=d.of(None, "ortho", "forward"))
        sizes = d.of(None, tuple(d.number(1, 4) for _ in axes))
        return call(x, s=sizes, axes=axes, norm=d.of(None, "ortho", "forward"))

    return draw


def _shift(d: Draw) -> Call:
    x = d.array(d.dtype("sic"), shape := d.shape(1, 3))
    return call(x, axes=d.axes(len(shape)))


def _dct(d: Draw) -> Call:
    x = d.array(d.dtype("s"), shape := d.shape(1, 3, least=2))
    return call(x, type=2, n=d.of(None, 2, 5), axis=d.axis(len(shape)), norm=d.of(None, "ortho"))


def _dctn(d: Draw) -> Call:
    x = d.array(d.dtype("s"), shape := d.shape(1, 3, least=2))
    axes = d.of(None, d.some(len(shape)))
    return call(x, type=2, axes=axes, norm=d.of(None, "ortho"))


def _triangular(d: Draw) -> Call:
    a = matrix(d, regular, batch=0)
    b = d.array(a.dtype, (a.shape[0], *d.of((), (2,))), special=False)
    return call(a, b, trans=d.of(0, 1, 2), lower=d.flag(), unit_diagonal=d.flag())


def _symmetric_solve(d: Draw) -> Call:
    a = matrix(d, positive, batch=0)
    b = d.array(a.dtype, (a.shape[0], *d.of((), (2,))), special=False)
    return call(a, b, lower=d.flag(), assume_a=d.of("gen", "pos", "sym", "her"))


def _factor_solve(factor: str, solve: str, module: Any) -> Any:
    def solved(a: Any, b: Any, *options: Any) -> Any:
        return getattr(module, solve)(getattr(module, factor)(a), b, *options)

    return solved


def _rhs(d: Draw) -> Call:
    a = matrix(d, positive, batch=0)
    return call(a, d.array(a.dtype, (a.shape[0], *d.of((), (2,))), special=False))


def _lu_rhs(d: Draw) -> Call:
    return Call((*_rhs(d).args, d.of(0, 1, 2)), {})


def _sylvester_of_one_dtype(a: Any, b: Any, q: Any) -> Any:
    """SciPy's of a complex and a real matrix is no solution (1.17)."""
    dtype = np.result_type(a, b, q)
    return scipy.linalg.solve_sylvester(*(np.asarray(x, dtype) for x in (a, b, q)))


def _vector(*more: Callable[[Draw], Any], low: int = 1, high: int = 4, **limits: Any) -> Any:
    return lambda d: call(
        d.array(d.dtype("sc"), (d.number(low, high),), **limits), *(f(d) for f in more)
    )


def _two_vectors(d: Draw) -> Call:
    kind = d.dtype("sic")
    first = d.array(kind, (d.number(1, 4),))
    return call(first, d.array(kind, (d.number(1, 4),))) if d.flag() else call(first)


def _blocks(d: Draw) -> Call:
    kind = d.dtype("sic")
    return call(*(d.array(kind, d.shape(1, 2, least=1)) for _ in range(d.number(1, 3))))


def _of_size(*more: Callable[[Draw], Any], low: int = 1, **keywords: Callable[[Draw], Any]) -> Any:
    return lambda d: call(
        d.number(low, 5), *(f(d) for f in more), **{k: f(d) for k, f in keywords.items()}
    )


def _sylvester(d: Draw) -> Call:
    a, kind = matrix(d, regular, batch=0), d.dtype("s")
    b = d.array(kind, (n := d.number(1, 3), n), then=regular, special=False)
    return call(a, b, d.array(kind, (a.shape[0], n), special=False))


def _lyapunov(d: Draw) -> Call:
    a = matrix(d, regular, batch=0)
    return call(a, d.array(a.dtype, a.shape, special=False))


def _circulant_solve(d: Draw) -> Call:
    n = d.number(1, 4)
    c = d.array(d.dtype("s"), (n,), then=lambda x, rng: x + 20 * (np.arange(n) == 0), special=False)
    return call(c, d.array(c.dtype, (n, *d.of((), (2,))), special=False))


def _banded(d: Draw) -> Call:
    n, low, high = d.number(1, 4), d.number(0, 2), d.number(0, 2)
    ab = d.array(d.dtype("sc"), (low + high + 1, n), then=_dominant(high), special=False)
    return call((low, high), ab, d.array(ab.dtype, (n, *d.of((), (2,))), special=False))


def _hermitian_banded(d: Draw) -> Call:
    n, lower, count = d.number(1, 4), d.flag(), d.number(0, 2)
    main = _dominant(0 if lower else count)
    ab = d.array(d.dtype("sc"), (count + 1, n), then=main, special=False)
    return call(ab, d.array(ab.dtype, (n, *d.of((), (2,))), special=False), lower=lower)


def _dominant(main: int) -> Any:
    def then(x: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        made = x.copy()
        made[main] = 20 + np.abs(made[main])
        return made

    return then


def _tridiagonal(d: Draw) -> Call:
    n = d.number(2, 4)
    diagonal = d.array("float64", (n,), then=lambda x, rng: x + 9 * np.arange(n), special=False)
    return call(diagonal, d.array("float64", (n - 1,), special=False))


def _frechet(d: Draw) -> Call:
    a = matrix(d, batch=0, kinds="s")
    return call(a, d.array(a.dtype, a.shape, special=False))


def _tensorsolve(d: Draw) -> Call:
    a = d.array(d.dtype("s"), (2, 3, 6), then=lambda x, rng: regular(
        x.reshape(6, 6), rng).reshape(2, 3, 6), special=False)  # fmt: skip
    return call(a, d.array(a.dtype, (2, 3), special=False))


def _rebuilt(f: Callable[..., Any]) -> Callable[..., Any]:
    """The product of factors, which are unique up to signs, with their sizes."""

    def product(*args: Any, **kwargs: Any) -> Any:
        first, *rest = f(*args, **kwargs)
        made = first
        for factor in rest:
            made = made @ factor
        return made

    return product


def _congruent(factors: Any) -> Any:
    """A matrix of its form, such as Schur's, and its basis, which are unique up to signs."""
    form, basis = factors
    module = np if isinstance(form, np.ndarray) else anp
    return basis @ form @ module.conj(module.swapaxes(basis, -1, -2))


def _upper_positive(d: Draw) -> Call:
    return Call(of(positive)(d).args, {"upper": d.flag()})


def _eigh_upper(d: Draw) -> Call:
    return Call(of(hermitian, batch=0)(d).args, {})


def _sorted_eigenvalues(w: Any) -> Any:
    w = np.asarray(w)
    return np.sort_complex(np.round(np.asarray(w, np.complex128), 4)) if w.ndim else w


def _diagonal_of(d: Draw) -> Call:
    return call(matrix(d, square=False), offset=d.number(-2, 2))


LINEAR = [
    _line("linalg", "det", of(regular)), _line("linalg", "inv", of(regular)),
    _line("linalg", "slogdet", of(regular)), _line("linalg", "solve", _solve),
    _line("linalg", "pinv", of(regular, square=False)),
    _line("linalg", "cholesky", _upper_positive, smooth=False), _line("linalg", "matrix_power", of(
        regular, lambda d: d.number(-3, 4))),
    _line("linalg", "matrix_rank", of(regular, square=False)),
    _line("linalg", "norm", _norm, flavours="ptz"), _line("linalg", "vector_norm", _vector_norm, flavours="ptz"),
    _line("linalg", "matrix_norm", _matrix_norm), _line("linalg", "eigvalsh", of(hermitian), smooth=False),
    _line("linalg", "eigh", of(hermitian), smooth=False, reference=lambda a: np.linalg.eigh(a)[0], f=lambda a: linalg.eigh(a)[0]),
    _line("linalg", "eigvals", of(regular), seen=_sorted_eigenvalues, traced=False, flavours="p", dtypes=False),
    _line("linalg", "svd", of(square=False), lambda a: np.linalg.svd(a)[1], lambda a: linalg.svd(a)[1], flavours="p"),
    _line("linalg", "svdvals", of(square=False), flavours="p"),
    _line("linalg", "qr", of(regular, square=False), _rebuilt(np.linalg.qr), _rebuilt(linalg.qr)),
    _line("linalg", "lstsq", _lstsq, lambda a, b: np.linalg.lstsq(a, b)[0], lambda a, b: linalg.lstsq(a, b)[0]),
    _line("linalg", "cond", of(regular, lambda d: d.of(None, 1, 2, -2, "fro", np.inf)), flavours="p"),
    _line("linalg", "tensorsolve", _tensorsolve),
    _line("linalg", "tensorinv", lambda d: call(_tensorsolve(d).args[0], ind=2)),
    _line("linalg", "multi_dot", lambda d: call([d.array(k := d.dtype("sc"), (2, 3)), d.array(
        k, (3, 4)), d.array(k, (4, 1))])),
    _line("linalg", "diagonal", _diagonal_of), _line("linalg", "trace", _diagonal_of),
    _line("linalg", "matrix_transpose", of(square=False)),
    _line("linalg", "outer", lambda d: call(d.array(k := d.dtype("sic"), (3,)), d.array(k, (2,)))),
    _line("linalg", "expm", of(kinds="sc"), scipy.linalg.expm),
    *(_line("fft", n, _fft()) for n in "fft ifft".split()),
    *(_line("fft", n, _fft("s")) for n in "rfft ihfft".split()),
    *(_line("fft", n, _fft("c", True)) for n in "irfft hfft".split()),
    *(_line("fft", n, _fftn()) for n in "fftn ifftn".split()), _line("fft", "rfftn", _fftn("s")),
    _line("fft", "irfftn", _fftn("c")),
    *(_line("fft", n, _fftn("sc", True)) for n in "fft2 ifft2".split()),
    _line("fft", "rfft2", _fftn("s", True)), _line("fft", "irfft2", _fftn("c", True)),
    *(_line("fft", n, _shift) for n in "fftshift ifftshift".split()),
    *(_line("fft", n, _of_size(d=lambda d: d.of(1.0, 0.5)), dtypes=False) for n in "fftfreq rfftfreq".split()),
    *(_line("scipy.fft", n, _dct) for n in "dct idct".split()),
    *(_line("scipy.fft", n, _dctn) for n in "dctn idctn".split()),
    _line("scipy.linalg", "det", of(regular)), _line("scipy.linalg", "inv", of(regular)),
    _line("scipy.linalg", "pinv", of(regular, square=False)),
    _line("scipy.linalg", "norm", _norm, np.linalg.norm), _line("scipy.linalg", "svdvals", of(square=False), flavours="p"),
    _line("scipy.linalg", "cholesky", lambda d: Call(of(positive)(d).args, {"lower": d.flag()})),
    _line("scipy.linalg", "solve", _symmetric_solve), _line("scipy.linalg", "solve_triangular", _triangular),
    _line("scipy.linalg", "cho_solve", _rhs, _factor_solve("cho_factor", "cho_solve", scipy.linalg),
          _factor_solve("cho_factor", "cho_solve", slinalg)),
    _line("scipy.linalg", "lu_solve", _lu_rhs, _factor_solve("lu_factor", "lu_solve", scipy.linalg),
          _factor_solve("lu_factor", "lu_solve", slinalg)),
    _line("scipy.linalg", "lu", of(regular, square=False)),
    _line("scipy.linalg", "lstsq", _lstsq, lambda a, b: scipy.linalg.lstsq(a, b)[0], lambda a, b: slinalg.lstsq(a, b)[0]),
    *(_line("scipy.linalg", n, of(batch=0)) for n in "expm cosm sinm coshm sinhm tanhm".split()),
    _line("scipy.linalg", "tanm", of(lambda x, rng: x / 9, batch=0)),
    _line("scipy.linalg", "sqrtm", of(positive, batch=0), dtypes=False), _line("scipy.linalg", "logm", of(positive, batch=0), dtypes=False),
    _line("scipy.linalg", "expm_frechet", _frechet), _line("scipy.linalg", "polar", of(regular, batch=0)),
    _line("scipy.linalg", "eigvalsh", of(hermitian, batch=0), smooth=False),
    _line("scipy.linalg", "eigh", _eigh_upper, lambda a: scipy.linalg.eigh(a)[0], lambda a: slinalg.eigh(a)[0]),
    _line("scipy.linalg", "eigh_tridiagonal", _tridiagonal, lambda a, b: scipy.linalg.eigh_tridiagonal(a, b)[0],
          lambda a, b: slinalg.eigh_tridiagonal(a, b)[0]),
    _line("scipy.linalg", "eigvals", of(regular, batch=0), seen=_sorted_eigenvalues, traced=False, flavours="p", dtypes=False),
    _line("scipy.linalg", "qr", of(regular, square=False, batch=0), _rebuilt(scipy.linalg.qr), _rebuilt(slinalg.qr)),
    _line("scipy.linalg", "schur", of(hermitian, batch=0), lambda a: _congruent(scipy.linalg.schur(a)),
          lambda a: _congruent(slinalg.schur(a))),
    _line("scipy.linalg", "hessenberg", of(regular, batch=0),
          lambda a: _congruent(scipy.linalg.hessenberg(a, calc_q=True)),
          lambda a: _congruent(slinalg.hessenberg(a, calc_q=True))),
    _line("scipy.linalg", "solve_sylvester", _sylvester, _sylvester_of_one_dtype, dtypes=False),
    _line("scipy.linalg", "solve_continuous_lyapunov", _lyapunov),
    _line("scipy.linalg", "solve_banded", _banded), _line("scipy.linalg", "solveh_banded", _hermitian_banded),
    _line("scipy.linalg", "solve_circulant", _circulant_solve, dtypes=False),
    _line("scipy.linalg", "toeplitz", _two_vectors), _line("scipy.linalg", "hankel", _two_vectors),
    _line("scipy.linalg", "block_diag", _blocks),
    *(_line("scipy.linalg", n, _vector()) for n in "circulant fiedler".split()),
    *(_line("scipy.linalg", n, _vector(low=2, then=lambda x, rng: x + 9)) for n in "companion fiedler_companion".split()),
    _line("scipy.linalg", "leslie", lambda d: call(d.array(k := d.dtype("s"), (n := d.number(2, 4),)),
                                                   d.array(k, (n - 1,)))),
    _line("scipy.linalg", "convolution_matrix", _vector(lambda d: d.number(1, 4), lambda d: d.of(
        "full", "same", "valid"))),
    *(_line("scipy.linalg", n, _of_size(), dtypes=False) for n in "hilbert invhilbert".split()),
    *(_line("scipy.linalg", n, _of_size(kind=lambda d: d.of("symmetric", "lower", "upper")), dtypes=False)
      for n in "pascal invpascal".split()),
    _line("scipy.linalg", "helmert", _of_size(low=2, full=lambda d: d.flag()), dtypes=False),
    _line("scipy.linalg", "hadamard", lambda d: call(d.of(1, 2, 4, 8)), dtypes=False),
    _line("scipy.linalg", "dft", _of_size(scale=lambda d: d.of(None, "n", "sqrtn")), dtypes=False),
]  # fmt: skip
