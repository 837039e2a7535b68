"""Steps of linear algebra: products, factorizations, transforms and windows.

Results of a factorization are uniquely determined combinations: `q @ r`, not `q` and `r`, whose
signs are free.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from anvl.testing.random_programs.draw_programs.pool import NoFit, Pool, Value

__all__ = ["PRODUCTS"]

_NUMBERS = "iufc"


def _matmul(pool: Pool) -> str:
    x = pool.value(_NUMBERS, 1)
    inner = x.shape[-1]

    def fits(v: Value) -> bool:
        return v.ndim in (1, 2) and v.shape[-2 if v.ndim > 1 else 0] == inner

    y = pool.value(_NUMBERS, fits=fits)
    return pool.choice((f"np.matmul({x}, {y})", f"{x} @ {y}", f"np.dot({x}, {y})"))


def _batched(pool: Pool) -> str:
    x = pool.value("fc", 3, 3)
    y = pool.value("fc", fits=lambda v: v.shape == x.shape)
    return f"np.matmul({x}, np.swapaxes({y}, -1, -2))"


def _inner(name: str, pool: Pool) -> str:
    x = pool.value(_NUMBERS, 1, 2)
    y = pool.value(_NUMBERS, 1, 2, lambda v: v.shape[-1] == x.shape[-1])
    return f"np.{name}({x}, {y})"


def _vectors(name: str, pool: Pool) -> str:
    x = pool.value(_NUMBERS, 1, 1)
    y = pool.value(_NUMBERS, 1, 1, lambda v: name == "outer" or v.shape == x.shape)
    return f"np.{name}({x}, {y})"


def _vecdot(pool: Pool) -> str:
    x = pool.value(_NUMBERS, 1)
    return f"np.vecdot({x}, {pool.like(x)}, axis={pool.axis(x)})"


def _kron(pool: Pool) -> str:
    x = pool.value(_NUMBERS, 1, 2, lambda v: v.size <= 8)
    return f"np.kron({x}, {pool.value(_NUMBERS, 1, 2, lambda v: v.size <= 8)})"


def _cross(pool: Pool) -> str:
    x = pool.value(_NUMBERS, 1, 2, lambda v: v.shape[-1] == 3)
    return f"np.cross({x}, {pool.like(x)})"


def _tensordot(pool: Pool) -> str:
    x = pool.value(_NUMBERS, 1, 3)
    y = pool.value(_NUMBERS, 1, 3, lambda v: bool(set(v.shape) & set(x.shape)))
    n = pool.choice(sorted(set(x.shape) & set(y.shape)))
    return f"np.tensordot({x}, {y}, axes=([{x.shape.index(n)}], [{y.shape.index(n)}]))"


def _einsum(pool: Pool) -> str:
    x = pool.value(_NUMBERS, 1, 3)
    letters = "abc"[: x.ndim]
    kept = "".join(pool.draw.sample(letters, pool.draw.randint(0, x.ndim)))
    if pool.flag():
        return f"np.einsum('{letters}->{kept}', {x})"
    return f"np.einsum('{letters},{letters}->{kept}', {x}, {pool.like(x)})"


def _einsum_matrix(pool: Pool) -> str:
    x = pool.value(_NUMBERS, 2, 2)
    y = pool.value(_NUMBERS, 2, 2, lambda v: v.shape[0] == x.shape[1] and v.dtype == x.dtype)
    form = pool.choice(("ab,bc->ca", "ab,bc->c", "ab,bc->abc", "ab,bc->"))
    return f"np.einsum('{form}', {x}, {y})"


def _einsum_diagonal(pool: Pool) -> str:
    return f"np.einsum('{pool.choice(('aa->a', 'aa->'))}', {pool.square(_NUMBERS, 2)})"


def _convolve(name: str, pool: Pool) -> str:
    x = pool.value(_NUMBERS, 1, 1, lambda v: v.size > 0)
    y = pool.value(_NUMBERS, 1, 1, lambda v: v.size > 0)
    return f"np.{name}({x}, {y}, mode={pool.choice(('full', 'same', 'valid'))!r})"


# -- factorisations --------------------------------------------------------------------------------


def _regular(pool: Pool, x: Value) -> str:
    """A matrix, or one that is well apart from singular."""
    n = x.shape[-1]
    return pool.choice((str(x), f"np.tanh({x}) + {n + 1}.0 * np.eye({n})"))


def _of_matrix(template: str, kinds: str, pool: Pool) -> str:
    x = pool.square(kinds)
    narrow = str(x.dtype) in ("float16", "bfloat16")
    if narrow:
        raise NoFit
    return template.replace("{x}", _regular(pool, x))


def _positive(template: str, pool: Pool) -> str:
    x = pool.square("fc", 2)
    if x.dtype.itemsize <= 2:
        raise NoFit
    n = x.shape[-1]
    spd = f"np.tanh({x}) @ np.conj(np.tanh({x}).T) + {n}.0 * np.eye({n})"
    return template.replace("{x}", spd)


def _solve(pool: Pool) -> str:
    a = pool.square("fc", 2)
    if a.dtype.itemsize <= 2:
        raise NoFit
    b = pool.value("fc", 1, 2, lambda v: v.shape[0] == a.shape[-1] and v.dtype == a.dtype)
    return f"np.linalg.solve({_regular(pool, a)}, {b})"


def _rectangular(template: str, pool: Pool) -> str:
    x = pool.value("fc", 2, 3, lambda v: 0 not in v.shape and v.dtype.itemsize > 2)
    return template.replace("{x}", str(x))


def _lstsq(pool: Pool) -> str:
    a = pool.value("f", 2, 2, lambda v: 0 not in v.shape and v.dtype.itemsize > 2)
    b = pool.value("f", 1, 2, lambda v: v.shape[0] == a.shape[0] and v.dtype == a.dtype)
    return f"np.linalg.lstsq({a}, {b})[0]"


def _norm(pool: Pool) -> str:
    x = pool.value("f", 1, 3)
    order = pool.choice((None, 1, 2, 3, "inf", "-inf", 0))
    return f"np.linalg.norm({x}, {order}, axis={pool.axis(x)}, keepdims={pool.flag()})"


def _matrix_norm(pool: Pool) -> str:
    order = pool.choice(("None", "'fro'", "1", "inf", "2", "'nuc'", "-1"))
    x = pool.value("f", 2, 2, lambda v: 0 not in v.shape and v.dtype.itemsize > 2)
    return f"np.linalg.norm({x}, {order})"


def _fft(name: str, kinds: str, pool: Pool) -> str:
    x = pool.value(kinds, 1, 3, lambda v: v.size > 0)
    n = pool.choice((None, None, 2, 3, 5))
    norm = pool.choice((None, "'ortho'", "'forward'"))
    return f"np.fft.{name}({x}, n={n}, axis={pool.axis(x)}, norm={norm})"


def _fft_many(name: str, kinds: str, pool: Pool) -> str:
    x = pool.value(kinds, 2, 3, lambda v: v.size > 0)
    return f"np.fft.{name}({x}, axes={tuple(pool.order(x.ndim)[:2])})"


def _shift(name: str, pool: Pool) -> str:
    x = pool.value("iufc", 1)
    return f"np.fft.{name}({x}, axes={pool.choice((None, pool.axis(x)))})"


# -- windows ---------------------------------------------------------------------------------------


def _pool_windows(name: str, pool: Pool) -> str:
    x = pool.value("f", 4, 4, lambda v: v.size > 0)
    sizes = tuple(pool.draw.randint(1, n) for n in x.shape[1:3])
    padding = pool.choice(("VALID", "SAME"))
    return (
        f"anvl.windows.{name}({x}, {(1, *sizes, 1)}, "
        f"strides={(1, pool.choice((1, 2)), 1, 1)}, padding={padding!r})"
    )


def _conv(pool: Pool) -> str:
    x = pool.value("f", 3, 3, lambda v: v.size > 0)
    _, width, c = x.shape
    k = pool.draw.randint(1, width)
    w = f"np.reshape(np.arange({k * c * 2}), ({k}, {c}, 2)) * 0.25"
    return (
        f'anvl.windows.conv({x}, np.astype({w}, "{x.dtype}"), strides={pool.choice((1, 2))}, '
        f"padding={pool.choice(('VALID', 'SAME'))!r})"
    )


def _reduce_window(pool: Pool) -> str:
    x = pool.value("if", 2, 2, lambda v: v.size > 0)
    sizes = tuple(pool.draw.randint(1, n) for n in x.shape)
    body, start = pool.choice((("a + b", 0), ("np.maximum(a, b)", -9), ("a * b", 1)))
    return (
        f"anvl.windows.reduce_window({x}, lambda a, b: {body}, {start}, {sizes}, "
        f"padding={pool.choice(('VALID', 'SAME'))!r}, axes=(0, 1))"
    )


PRODUCTS: dict[str, Callable[[Pool], str]] = {
    "np.matmul": _matmul,
    "np.matmul batched": _batched,
    **{f"np.{n}": partial(_inner, n) for n in ["inner"]},
    **{f"np.{n}": partial(_vectors, n) for n in ("outer", "vdot", "dot")},
    "np.vecdot": _vecdot,
    "np.kron": _kron,
    "np.cross": _cross,
    "np.tensordot": _tensordot,
    "np.einsum": _einsum,
    "np.einsum matrix": _einsum_matrix,
    "np.einsum diagonal": _einsum_diagonal,
    **{f"np.{n}": partial(_convolve, n) for n in ("convolve", "correlate")},
    **{
        f"np.linalg.{n}": partial(_of_matrix, f"np.linalg.{n}({{x}})", "fc")
        for n in ("det", "inv", "slogdet", "expm")
    },
    "np.linalg.matrix_power": partial(_of_matrix, "np.linalg.matrix_power({x}, 3)", "fc"),
    "np.linalg.matrix_power inverse": partial(_of_matrix, "np.linalg.matrix_power({x}, -2)", "f"),
    "np.linalg.eigvals": partial(_of_matrix, "np.sum(np.linalg.eigvals({x}) ** 2, axis=-1)", "f"),
    "np.linalg.eig": partial(_of_matrix, "np.abs(own.rebuilt_from_eig({x}))", "f"),
    "np.linalg.cholesky": partial(_positive, "np.linalg.cholesky({x})"),
    "np.linalg.eigvalsh": partial(_positive, "np.linalg.eigvalsh({x})"),
    "np.linalg.eigh": partial(_positive, "own.root_by_eigh({x})"),
    "np.linalg.solve": _solve,
    "np.linalg.qr": partial(_rectangular, "np.matmul(*np.linalg.qr({x}))"),
    "np.linalg.svd": partial(_rectangular, "own.rebuilt_from_svd({x})"),
    "np.linalg.pinv": partial(_rectangular, "np.linalg.pinv({x})"),
    "np.linalg.svdvals": partial(_rectangular, "np.linalg.svdvals({x})"),
    "np.linalg.lstsq": _lstsq,
    "np.linalg.norm": _norm,
    "np.linalg.norm of matrices": _matrix_norm,
    **{f"np.fft.{n}": partial(_fft, n, "fc") for n in ("fft", "ifft", "hfft")},
    **{f"np.fft.{n}": partial(_fft, n, "f") for n in ("rfft", "ihfft")},
    "np.fft.irfft": partial(_fft, "irfft", "c"),
    **{f"np.fft.{n}": partial(_fft_many, n, "fc") for n in ("fft2", "ifft2", "fftn", "ifftn")},
    **{f"np.fft.{n}": partial(_fft_many, n, "f") for n in ("rfft2", "rfftn")},
    **{f"np.fft.{n}": partial(_fft_many, n, "c") for n in ("irfft2", "irfftn")},
    **{f"np.fft.{n}": partial(_shift, n) for n in ("fftshift", "ifftshift")},
    **{f"anvl.windows.{n}": partial(_pool_windows, n) for n in ("max_pool", "mean_pool")},
    "anvl.windows.conv": _conv,
    "anvl.windows.reduce_window": _reduce_window,
}
