"""Lowering of linear algebra to the routines that jaxlib has for GPUs: cuSOLVER, hipSOLVER.

They are custom calls `cusolver_<routine>_ffi` and `hipsolver_<routine>_ffi`, registered by the
wheels `jax-cuda13-plugin`, `jax-cuda12-plugin` and `jax-rocm7-plugin`.  Triangular systems are
solved by StableHLO's own op, which XLA hands to cuBLAS.
Sources: NVIDIA, cuSOLVER's manual; jaxlib, the handlers in `solver_kernels_ffi.h`.
"""

from collections.abc import Callable
from functools import partial
from typing import Any

from anvl.dialect.core.create import full, zeros_like
from anvl.dialect.core.op import Value, emit
from anvl.dialect.core.types import element_type, tensor
from anvl.dialect.ops.linalg.library_calls import (
    call,
    finite,
    info_type,
    like,
    nan_if_failed,
    qr,
    sizes,
)
from anvl.dialect.ops.linalg.linalg_fallback import compared
from anvl.dialect.ops.linalg.matrices import (
    across_rows,
    columns,
    complex_of,
    ct,
    hermitian_part_in_range,
    is_complex,
    lower,
    real_of,
)

__all__ = ["CUSOLVER", "HIPSOLVER"]

_LARGEST_FOR_JACOBI = 1_024  # by Jacobi's rotations up to here: the faster one
_MOST_IN_BATCH = 32  # whose batches have no form with fewer columns


def _cholesky(gpu: str, x: Value) -> Value:
    factor, info = call(
        f"{gpu}solver_potrf_ffi", [hermitian_part_in_range(x)], [x.type, info_type(x)], 0,
        lower=True,
    )  # fmt: skip
    return nan_if_failed(info, lower(factor))[0]


def _lu(gpu: str, x: Value) -> list[Value]:
    m, _, k = sizes(x)
    index = element_type("i32")
    types = [x.type, tensor((*x.type.shape[:-2], k), index), info_type(x)]
    lu, counted_from_1, _ = call(f"{gpu}solver_getrf_ffi", [x], types, 0)
    pivots = emit.sub(counted_from_1, full(counted_from_1.type, 1))
    type_ = tensor((*x.type.shape[:-2], m), index)
    (order,) = call(f"{gpu}_lu_pivots_to_permutation", [pivots], [type_], matrix_axes=1)
    return [lu, pivots, order]


def _qr(gpu: str, x: Value, full_matrices: bool) -> list[Value]:
    routines = [partial(call, f"{gpu}solver_{name}_ffi") for name in ("geqrf", "orgqr")]
    return qr(x, full_matrices, *routines)


def _svd(gpu: str, x: Value, full_matrices: bool) -> list[Value]:
    x, is_finite = finite(x)
    s, u, vt, info = _svd_routine(x)(gpu, x, full_matrices, with_vectors=True)
    return nan_if_failed(info, u, s, vt, given=is_finite)


def _svdvals(gpu: str, x: Value) -> Value:
    x, is_finite = finite(x)
    s, _, _, info = _svd_routine(x)(gpu, x, full_matrices=False, with_vectors=False)
    return nan_if_failed(info, s, given=is_finite)[0]


def _svd_routine(x: Value) -> Callable[..., list[Value]]:
    return _gesvdj if max(x.type.shape[-2:]) <= _LARGEST_FOR_JACOBI else _gesvd


def _gesvdj(gpu: str, x: Value, full_matrices: bool, with_vectors: bool) -> list[Value]:
    """Singular values and vectors, for which there is memory in any case; the routine gives v."""
    m, n, k = sizes(x)
    is_thin = not full_matrices and k > _MOST_IN_BATCH
    widths = (k, k) if is_thin else (m, n)
    types = [x.type, _values(x), like(x, m, widths[0]), like(x, n, widths[1]), info_type(x)]
    _, s, u, v, info = call(
        f"{gpu}solver_gesvdj_ffi", [x], types, 0, full_matrices=not is_thin,
        compute_uv=with_vectors,
    )  # fmt: skip
    if not full_matrices and not is_thin:
        u, v = columns(u, 0, k), columns(v, 0, k)
    return [s, u, ct(v), info]


def _gesvd(gpu: str, x: Value, full_matrices: bool, with_vectors: bool) -> list[Value]:
    """Singular values and vectors; wide matrices, which the routine lacks, are read by rows."""
    m, n, k = sizes(x)
    is_wide = m < n
    vectors = [like(x, m, m if full_matrices else k), like(x, n if full_matrices else k, n)]
    if not with_vectors:
        vectors = [tensor((), x.type.element_type)] * 2
    types = [x.type, _values(x), *(vectors[::-1] if is_wide else vectors), info_type(x)]
    _, s, *found, info = call(
        f"{gpu}solver_gesvd_ffi", [x], types, 0, by_columns=not is_wide,
        full_matrices=full_matrices, compute_uv=with_vectors, transposed=is_wide,
    )  # fmt: skip
    return [s, *(found[::-1] if is_wide else found), info]


def _values(x: Value) -> Any:
    return real_of(x.type, (*x.type.shape[:-2], min(x.type.shape[-2:])))


def _eigh(gpu: str, x: Value) -> list[Value]:
    x, is_finite = finite(hermitian_part_in_range(x))
    types = [x.type, _values(x), info_type(x)]
    v, w, info = call(f"{gpu}solver_syevd_ffi", [x], types, 0, algorithm=0, lower=True)
    return nan_if_failed(info, w, v, given=is_finite)


def _eigvalsh(gpu: str, x: Value) -> Value:
    return _eigh(gpu, x)[0]


def _eig(gpu: str, x: Value) -> list[Value]:
    return _geev(gpu, x, with_vectors=True)


def _eigvals(gpu: str, x: Value) -> Value:
    return _geev(gpu, x, with_vectors=False)[0]


def _geev(gpu: str, x: Value, with_vectors: bool) -> list[Value]:
    values = complex_of(x.type, x.type.shape[:-1])
    x, is_finite = finite(x)
    types = [x.type, values, x.type, x.type, info_type(x)]
    _, w, _, v, info = call(f"{gpu}solver_geev_ffi", [x], types, left=False, right=with_vectors)
    if with_vectors and not is_complex(x):
        v = _unpacked(w, v)
    return nan_if_failed(info, w, *([v] if with_vectors else []), given=is_finite)


def _unpacked(w: Value, v: Value) -> Value:
    """Eigenvectors of real matrices, of which conjugate ones are packed as real and imaginary part.

    The eigenvalue with the positive imaginary part is the first of a pair.
    """
    n = v.type.shape[-1]
    part = across_rows(emit.imag(w), n)
    nothing, axis = zeros_like(columns(v, 0, 1)), v.type.rank - 1
    is_first, is_second = (compared(part, zeros_like(part), sign) for sign in ("GT", "LT"))
    after = emit.concatenate(columns(v, 1, n), nothing, dimension=axis)
    before = emit.concatenate(nothing, columns(v, 0, n - 1), dimension=axis)
    imaginary = emit.select(is_second, emit.neg(v), zeros_like(v))
    return emit.complex(emit.select(is_second, before, v), emit.select(is_first, after, imaginary))


def _routines(gpu: str, **able: Callable[..., Any]) -> dict[str, Callable[..., Any]]:
    return {name: partial(routine, gpu) for name, routine in able.items()}


_BOTH: dict[str, Callable[..., Any]] = {
    "cholesky": _cholesky,
    "lu": _lu,
    "qr": _qr,
    "svd": _svd,
    "svdvals": _svdvals,
    "eigh": _eigh,
    "eigvalsh": _eigvalsh,
}

#: Lowering of each op: functions of the operands and parameters that emit ops.
CUSOLVER = _routines("cu", **_BOTH, eig=_eig, eigvals=_eigvals)
HIPSOLVER = _routines("hip", **_BOTH)
