"""Lowering of linear algebra to LAPACK's routines, which are in every jaxlib for the CPU.

They are custom calls `lapack_<letter><routine>_ffi`; the letter is that of the dtype.
"""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from anvl.dialect.core.create import full, full_like
from anvl.dialect.core.op import Value, emit
from anvl.dialect.core.types import dtype_name, element_type, tensor
from anvl.dialect.ops.linalg.library_calls import (
    call,
    finite,
    info_type,
    like,
    nan_if_failed,
    qr,
    sizes,
)
from anvl.dialect.ops.linalg.linalg_fallback import (
    compared,
    first_axes,
    largest_part,
    permutation_of,
)
from anvl.dialect.ops.linalg.matrices import (
    complex_of,
    hermitian_part_in_range,
    is_complex,
    lower,
    real_of,
    scaled,
)

__all__ = ["LAPACK"]

_LETTERS = {"f32": "s", "f64": "d", "c64": "c", "c128": "z"}


def _call(
    routine: str, xs: Sequence[Value], types: Sequence[Any], in_place: int | None = None,
    **options: Any,
) -> list[Value]:  # fmt: skip
    letter = _LETTERS[dtype_name(xs[0].type.element_type)]
    return call(f"lapack_{letter}{routine}_ffi", xs, types, in_place, **options)


def _triangular_solve(
    a: Value, b: Value, left_side: bool, lower: bool, unit_diagonal: bool, transpose_a: str
) -> Value:
    return _call(
        "trsm", [a, b], [b.type], in_place=1, side="L" if left_side else "R",
        uplo="L" if lower else "U", trans_x=_TRANSPOSE[transpose_a],
        diag="U" if unit_diagonal else "N",
    )[0]  # fmt: skip


_TRANSPOSE = {"NO_TRANSPOSE": "N", "TRANSPOSE": "T", "ADJOINT": "C"}


def _cholesky(x: Value) -> Value:
    factor, info = _call(
        "potrf", [hermitian_part_in_range(x)], [x.type, info_type(x)], in_place=0, uplo="L"
    )
    return nan_if_failed(info, lower(factor))[0]


def _lu(x: Value) -> list[Value]:
    m, _, k = sizes(x)
    pivots = tensor((*x.type.shape[:-2], k), element_type("i32"))
    lu, counted_from_1, _ = _call("getrf", [x], [x.type, pivots, info_type(x)], in_place=0)
    pivots = emit.sub(counted_from_1, full(counted_from_1.type, 1))
    return [lu, pivots, permutation_of(pivots, m)]


def _qr(x: Value, full_matrices: bool) -> list[Value]:
    products = "ungqr" if is_complex(x) else "orgqr"
    return qr(x, full_matrices, partial(_call, "geqrf"), partial(_call, products))


def _svd(x: Value, full_matrices: bool) -> list[Value]:
    return _gesdd(x, "A" if full_matrices else "S")


def _svdvals(x: Value) -> Value:
    return _gesdd(x, "N")[1]


def _gesdd(x: Value, mode: str) -> list[Value]:
    m, n, k = sizes(x)
    types = [
        x.type,
        real_of(x.type, (*x.type.shape[:-2], k)),
        like(x, m, m if mode == "A" else k),
        like(x, n if mode == "A" else k, n),
        info_type(x),
    ]
    x, is_finite = finite(x)
    _, s, u, vt, info = _call("gesdd", [x], types, in_place=0, mode=mode)
    return nan_if_failed(info, u, s, vt, given=is_finite)


def _eigh(x: Value) -> list[Value]:
    return _syevd(x, "V")


def _eigvalsh(x: Value) -> Value:
    return _syevd(x, "N")[0]


def _syevd(x: Value, mode: str) -> list[Value]:
    routine = "heevd" if is_complex(x) else "syevd"
    values = real_of(x.type, x.type.shape[:-1])
    x, is_finite = finite(hermitian_part_in_range(x))
    v, w, info = _call(
        routine, [x], [x.type, values, info_type(x)], in_place=0, mode=mode, uplo="L"
    )
    return nan_if_failed(info, w, v, given=is_finite)


def _eig(x: Value) -> list[Value]:
    return _geev(x, "V")


def _eigvals(x: Value) -> Value:
    return _geev(x, "N")[0]


def _geev(x: Value, right: str) -> list[Value]:
    """Eigenvalues of general matrices, which are scaled here where LAPACK would scale them.

    LAPACK scales above 1e12 and below 1e-12 (f64: 1e138), and SciPy 1.17's (LAPACK 3.12.0) does not
    scale the eigenvalues back.
    """
    values, vectors = like(x, x.type.shape[-1]), complex_of(x.type, x.type.shape)
    parts = [values] if is_complex(x) else [values, values]
    x, is_finite = finite(x)
    x, scale = _of_ordinary_size(x)
    *w, _, v, info = _call(
        "geev", [x], [*parts, vectors, vectors, info_type(x)], compute_left="N", compute_right=right
    )
    w = [scaled(part, first_axes(scale, part)) for part in w]
    return nan_if_failed(info, w[0] if is_complex(x) else emit.complex(*w), v, given=is_finite)


def _of_ordinary_size(x: Value) -> tuple[Value, Value]:
    """Divide matrices by powers of 2, which are 1 except for very large or small elements."""
    largest = largest_part(x, (x.type.rank - 2, x.type.rank - 1))
    factor = scale = full_like(largest, 1)
    for limit, power in _SCALES[dtype_name(largest.type.element_type)]:
        for direction, sign in (("GT", 1), ("LT", -1)):
            beyond = compared(largest, full_like(largest, limit**sign), direction)
            scale = emit.select(beyond, full_like(largest, power**sign), scale)
            factor = emit.select(beyond, full_like(largest, power**-sign), factor)
    return scaled(x, first_axes(factor, x)), scale


# (limit, power): matrices above the limit, or below its inverse, are scaled by that power.
_SCALES = {
    "f32": ((2.0**32, 2.0**64), (2.0**96, 2.0**110)),
    "f64": ((2.0**448, 2.0**800),),
}

#: Lowering of each op: functions of the operands and parameters that emit ops.
LAPACK: dict[str, Callable[..., Any]] = {
    "triangular_solve": _triangular_solve,
    "cholesky": _cholesky,
    "lu": _lu,
    "qr": _qr,
    "svd": _svd,
    "svdvals": _svdvals,
    "eigh": _eigh,
    "eigvalsh": _eigvalsh,
    "eig": _eig,
    "eigvals": _eigvals,
}
