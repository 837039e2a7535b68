"""Lowering of linear algebra: to routines where they are registered, such as LAPACK's.

Elsewhere the ops expand to StableHLO (`linalg_fallback.py`, `jacobi.py`), except for the
eigenvalues of general matrices.

LAPACK's routines are in every jaxlib, as custom calls `lapack_<routine>_ffi` that take stacks of
matrices, column-major, and return an `info` for each: 0 on success.  Matrices whose factorisation
failed become NaN.
"""

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

from anvl.dialect.core.context import context
from anvl.dialect.core.create import full, full_like, zeros_like
from anvl.dialect.core.errors import MissingRule
from anvl.dialect.core.mlir import ir
from anvl.dialect.core.op import Value, emit
from anvl.dialect.core.types import dtype_name, element_type, tensor
from anvl.dialect.ops.elementwise.elementary import and_
from anvl.dialect.ops.linalg import jacobi, linalg_fallback
from anvl.dialect.ops.linalg.linalg_fallback import (
    compared,
    first_axes,
    largest_part,
    or_nan,
    permutation_of,
)
from anvl.dialect.ops.linalg.matrices import (
    columns,
    complex_of,
    hermitian_part_in_range,
    is_complex,
    lower,
    padded,
    real_of,
    rows,
    scaled,
    upper,
)

__all__ = ["LOWERINGS", "layouts", "lower_on"]

_LETTERS = {"f32": "s", "f64": "d", "c64": "c", "c128": "z"}


def lower_on(hlo: Any, name: str, *xs: Value, **params: Any) -> Any:
    """Lower the op `name`: see `LOWERINGS`.  `hlo` is the builder that `lower` rules are given."""
    lowering = LOWERINGS.get(hlo.routines, {}).get(name) or _ANYWHERE.get(name)
    if lowering is None:
        able = [library for library, lowerings in LOWERINGS.items() if name in lowerings]
        raise MissingRule(
            f"{name}: there is no form of it in StableHLO alone, and the client that it is "
            f"compiled for has none of the libraries with a routine for it, {', '.join(able)}; "
            "run it on jaxlib's own client: anvl.devices('cpu')"
        )
    return lowering(*xs, **params)


# -- custom calls ------------------------------------------------------------------------------


def _call(
    routine: str, xs: Sequence[Value], types: Sequence[Any], in_place: int | None = None,
    **options: str,
) -> list[Value]:  # fmt: skip
    """Call `lapack_<letter><routine>_ffi`; options are LAPACK's letters.

    `in_place` is the operand whose buffer becomes the first result.
    """
    ranks = tuple([x.type.rank for x in xs]), tuple([t.rank for t in types])
    letter = _LETTERS[dtype_name(xs[0].type.element_type)]
    attributes = _call_attributes(f"lapack_{letter}{routine}_ffi", *ranks, in_place, **options)
    return list(ir.Operation.create("stablehlo.custom_call", types, xs, attributes).results)


@cache  # writing these attributes took half of the lowering
def _call_attributes(
    target: str, of_operands: tuple[int, ...], of_results: tuple[int, ...], in_place: int | None,
    **options: str,
) -> dict[str, ir.Attribute]:  # fmt: skip
    n_batch = of_operands[0] - 2
    attributes = {
        "call_target_name": ir.StringAttr.get(target, context()),
        "api_version": _attribute("4 : i32"),
        "backend_config": _options(**options),
        "operand_layouts": layouts(n_batch, *of_operands),
        "result_layouts": layouts(n_batch, *of_results),
    }
    if in_place is not None:
        attributes["output_operand_aliases"] = _alias(in_place, len(of_results))
    return attributes


@cache
def _attribute(text: str) -> ir.Attribute:
    return ir.Attribute.parse(text, context())


def _options(**letters: str) -> ir.Attribute:
    items = (f"{name} = {ord(letter)} : ui8" for name, letter in letters.items())
    return _attribute(f"{{{', '.join(items)}}}")


def _alias(operand: int, n_results: int) -> ir.Attribute:
    first = "[0]" if n_results > 1 else "[]"
    return _attribute(
        f"[#stablehlo.output_operand_alias<output_tuple_indices = {first}, "
        f"operand_index = {operand}, operand_tuple_indices = []>]"
    )


@cache
def layouts(n_batch: int, *ranks: int) -> ir.Attribute:
    """Layout of each array, minor to major: matrices are column-major."""
    return _attribute(f"[{', '.join(_layout(rank, rank - n_batch == 2) for rank in ranks)}]")


def _layout(rank: int, of_matrices: bool) -> str:
    if rank == 0:
        return "dense<> : tensor<0xindex>"
    axes = list(range(rank))[::-1]
    if of_matrices:
        axes[:2] = axes[1::-1]
    return f"dense<{axes}> : tensor<{rank}xindex>"


def _info(x: Value) -> Any:
    """Type of `info` for a stack of matrices."""
    return tensor(x.type.shape[:-2], element_type("i32"))


def _or_nan(info: Value, *ys: Value, given: Value | None = None) -> list[Value]:
    """Results, NaN where the routine failed or `given` is false."""
    good = compared(info, zeros_like(info), "EQ")
    return or_nan(good if given is None else and_(good, given), *ys)


def _finite(x: Value) -> tuple[Value, Value]:
    """Replace matrices with infinities or NaN by zeros; return them and a mask of the finite ones.

    LAPACK's iterations lose NaN, and print warnings about infinities.
    """
    difference, last = emit.sub(x, x), x.type.rank - 1  # NaN also for infinity
    finite = emit.all(compared(difference, zeros_like(x), "EQ"), axes=(last - 1, last))
    return emit.select(first_axes(finite, x), x, zeros_like(x)), finite


def _like(x: Value, *sizes: int) -> Any:
    """Type of a stack as long as x, of matrices or vectors of these sizes."""
    return tensor((*x.type.shape[:-2], *sizes), x.type.element_type)


def _sizes(x: Value) -> tuple[int, int, int]:
    """Rows, columns, and the smaller of both."""
    m, n = x.type.shape[-2:]
    return m, n, min(m, n)


# -- CPU --------------------------------------------------------------------------------------


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
        "potrf", [hermitian_part_in_range(x)], [x.type, _info(x)], in_place=0, uplo="L"
    )
    return _or_nan(info, lower(factor))[0]


def _lu(x: Value) -> list[Value]:
    m, _, k = _sizes(x)
    pivots = tensor((*x.type.shape[:-2], k), element_type("i32"))
    lu, counted_from_1, _ = _call("getrf", [x], [x.type, pivots, _info(x)], in_place=0)
    pivots = emit.sub(counted_from_1, full(counted_from_1.type, 1))
    return [lu, pivots, permutation_of(pivots, m)]


def _qr(x: Value, full_matrices: bool) -> list[Value]:
    m, n, k = _sizes(x)
    # The reflections below the diagonal of r, and their factors.
    packed, taus = _call("geqrf", [x], [x.type, _like(x, k)], in_place=0)
    count = m if full_matrices else k
    reflections = columns(packed, 0, min(n, count))
    reflections = padded(reflections, m, count)
    routine = "ungqr" if is_complex(x) else "orgqr"
    (q,) = _call(routine, [reflections, taus], [reflections.type], in_place=0)
    return [q, upper(rows(packed, 0, count))]


def _svd(x: Value, full_matrices: bool) -> list[Value]:
    return _gesdd(x, "A" if full_matrices else "S")


def _svdvals(x: Value) -> Value:
    return _gesdd(x, "N")[1]


def _gesdd(x: Value, mode: str) -> list[Value]:
    m, n, k = _sizes(x)
    types = [
        x.type,
        real_of(x.type, (*x.type.shape[:-2], k)),
        _like(x, m, m if mode == "A" else k),
        _like(x, n if mode == "A" else k, n),
        _info(x),
    ]
    x, finite = _finite(x)
    _, s, u, vt, info = _call("gesdd", [x], types, in_place=0, mode=mode)
    return _or_nan(info, u, s, vt, given=finite)


def _eigh(x: Value) -> list[Value]:
    return _syevd(x, "V")


def _eigvalsh(x: Value) -> Value:
    return _syevd(x, "N")[0]


def _syevd(x: Value, mode: str) -> list[Value]:
    routine = "heevd" if is_complex(x) else "syevd"
    values = real_of(x.type, x.type.shape[:-1])
    x, finite = _finite(hermitian_part_in_range(x))
    v, w, info = _call(routine, [x], [x.type, values, _info(x)], in_place=0, mode=mode, uplo="L")
    return _or_nan(info, w, v, given=finite)


def _eig(x: Value) -> list[Value]:
    return _geev(x, "V")


def _eigvals(x: Value) -> Value:
    return _geev(x, "N")[0]


def _geev(x: Value, right: str) -> list[Value]:
    """Eigenvalues of general matrices, which are scaled here where LAPACK would scale them.

    LAPACK scales above 1e12 and below 1e-12 (f64: 1e138), and SciPy 1.17's (LAPACK 3.12.0) does not
    scale the eigenvalues back.
    """
    values, vectors = _like(x, x.type.shape[-1]), complex_of(x.type, x.type.shape)
    parts = [values] if is_complex(x) else [values, values]
    x, finite = _finite(x)
    x, scale = _of_ordinary_size(x)
    *w, _, v, info = _call(
        "geev", [x], [*parts, vectors, vectors, _info(x)], compute_left="N", compute_right=right
    )
    w = [scaled(part, first_axes(scale, part)) for part in w]
    return _or_nan(info, w[0] if is_complex(x) else emit.complex(*w), v, given=finite)


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

#: Lowering of each op by library: functions of the operands and parameters that emit ops.
LOWERINGS: dict[str, dict[str, Callable[..., Any]]] = {
    "lapack": {
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
}

#: Lowering of each op where no library has it, to ops of StableHLO.
_ANYWHERE: dict[str, Callable[..., Any]] = {
    "triangular_solve": linalg_fallback.triangular_solve,
    "cholesky": linalg_fallback.cholesky,
    "lu": linalg_fallback.lu,
    "qr": linalg_fallback.qr,
    "svd": jacobi.svd,
    "svdvals": jacobi.svdvals,
    "eigh": jacobi.eigh,
    "eigvalsh": jacobi.eigvalsh,
}
