"""Stacks of matrices, for the rules of linear algebra: products, triangles, diagonals.

A stack is an array whose last two axes are those of a matrix.
"""

import math
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from anvl.dialect.core.create import full, full_like, zeros_like
from anvl.dialect.core.op import Value, emit
from anvl.dialect.core.params.base import DotDims
from anvl.dialect.core.params.index_params import GatherDims
from anvl.dialect.core.types import dtype_name, element_type, kind, tensor
from anvl.dialect.ops.reduction.last_axis import part

__all__ = [
    "across_columns", "across_rows", "as_complex", "by_shared_matrices", "check_matrix",
    "check_square",
    "check_systems", "columns", "columns_scaled", "completed", "complex_of", "conj", "ct",
    "diagonal",
    "formed", "half_diagonal", "hermitian_part", "identity", "imaginary_diagonal", "inverse_of",
    "is_complex", "lower", "matmul", "on_diagonal", "padded", "permuted_rows", "places",
    "products_of_columns", "real_of", "rows", "rows_scaled", "scaled", "solve", "strictly_lower",
    "strictly_upper", "transposed",
    "triangle", "upper", "with_ones_on_diagonal", "with_transpose",
]  # fmt: skip

#: Dtypes of LAPACK, with the dtype of their parts.
PARTS = {"f32": "f32", "f64": "f64", "c64": "f32", "c128": "f64"}
_WIDE = {"f32": "c64", "f64": "c128", "c64": "c64", "c128": "c128"}


# -- types -----------------------------------------------------------------------------------------


def check_matrix(name: str, x: Any) -> None:
    """Raise TypeError unless x is a stack of matrices in a dtype of LAPACK."""
    if x.rank < 2:
        raise TypeError(f"{name}: operand is {x}; a stack of matrices has at least 2 axes")
    if dtype_name(x.element_type) not in PARTS:
        raise TypeError(f"{name}: operand is {x}; it takes f32, f64, c64 or c128, convert it first")


def check_square(name: str, x: Any) -> None:
    """Raise TypeError unless x is a stack of square matrices."""
    check_matrix(name, x)
    if x.shape[-2] != x.shape[-1]:
        raise TypeError(f"{name}: operand is {x}; its last two axes must have the same size")


def check_systems(name: str, a: Any, b: Any, left_side: bool) -> None:
    """Raise TypeError unless a and b form linear systems: square matrices a, and b on that side."""
    check_square(name, a)
    check_matrix(name, b)
    if a.element_type != b.element_type:
        raise TypeError(f"{name}: operands differ in dtype: {a}, {b}; convert them to one first")
    if a.shape[:-2] != b.shape[:-2]:
        raise TypeError(
            f"{name}: operands {a} and {b} must have the same axes before the last two; "
            "broadcast them first"
        )
    axis = b.rank - (2 if left_side else 1)
    if a.shape[-1] != b.shape[axis]:
        raise TypeError(
            f"{name}: axis {axis} of {b} has size {b.shape[axis]} but the matrices are {a}"
        )


def real_of(x: Any, shape: Sequence[int]) -> Any:
    """Type of an array of real parts of elements of x."""
    return tensor(shape, element_type(PARTS[dtype_name(x.element_type)]))


def complex_of(x: Any, shape: Sequence[int]) -> Any:
    """Type of an array of complex numbers with parts as wide as those of x."""
    return tensor(shape, element_type(_WIDE[dtype_name(x.element_type)]))


def is_complex(x: Value) -> bool:
    return kind(x.type.element_type) == "complex"


# -- products --------------------------------------------------------------------------------------


def matmul(x: Value, y: Value) -> Value:
    """Multiply matrix by matrix: in full precision, where GPUs round operands to 10 bits."""
    rank = x.type.rank
    batching = tuple(range(rank - 2))
    dims = DotDims(batching, batching, (rank - 1,), (rank - 2,))
    return emit.dot_general(x, y, dot_dimension_numbers=dims, precision_config="HIGHEST")


def conj(x: Value) -> Value:
    """Complex conjugate; real arrays are unchanged."""
    return emit.conj(x) if is_complex(x) else x


def ct(x: Value) -> Value:
    """Conjugate transpose of each matrix."""
    rank = x.type.rank
    return conj(emit.transpose(x, permutation=(*range(rank - 2), rank - 1, rank - 2)))


def transposed(x: Value) -> Value:
    """Transpose of each matrix, not conjugated."""
    rank = x.type.rank
    return emit.transpose(x, permutation=(*range(rank - 2), rank - 1, rank - 2))


def hermitian_part(x: Value) -> Value:
    """(x + x^H) / 2."""
    return emit.mul(emit.add(x, ct(x)), full_like(x, 0.5))


def hermitian_part_in_range(x: Value) -> Value:
    """(x + x^H) / 2 without overflow of the sum: x + (x^H - x) / 2."""
    return emit.add(x, emit.mul(emit.sub(ct(x), x), full_like(x, 0.5)))


def scaled(x: Value, factors: Value) -> Value:
    """Multiply x by real factors, elementwise."""
    if is_complex(x) and not is_complex(factors):
        factors = as_complex(factors)
    return emit.mul(x, factors)


def as_complex(x: Value) -> Value:
    """Convert x to complex numbers."""
    return x if is_complex(x) else emit.complex(x, zeros_like(x))


def columns_scaled(x: Value, factors: Value) -> Value:
    """Multiply column j of x by factors[j]."""
    return scaled(x, across_rows(factors, x.type.shape[-2]))


def rows_scaled(x: Value, factors: Value) -> Value:
    """Multiply row i of x by factors[i]."""
    return scaled(x, across_columns(factors, x.type.shape[-1]))


def across_rows(v: Value, count: int) -> Value:
    """Broadcast vectors v to `count` rows: [..., i, j] is v[..., j]."""
    *batch, n = v.type.shape
    axes = (*range(len(batch)), len(batch) + 1)
    return emit.broadcast_in_dim(v, shape=(*batch, count, n), broadcast_dimensions=axes)


def across_columns(v: Value, count: int) -> Value:
    """Broadcast vectors v to `count` columns: [..., i, j] is v[..., i]."""
    *batch, n = v.type.shape
    axes = tuple(range(len(batch) + 1))
    return emit.broadcast_in_dim(v, shape=(*batch, n, count), broadcast_dimensions=axes)


def formed(x: Value, form: str) -> Value:
    """x, its transpose or its conjugate transpose, by the value of `transpose_a`."""
    if form == "NO_TRANSPOSE":
        return x
    return ct(x) if form == "ADJOINT" else transposed(x)


def with_transpose(a: Value, form: str) -> tuple[Value, str]:
    """Matrix and form whose op is the transpose of op(a)."""
    if form == "NO_TRANSPOSE":
        return a, "TRANSPOSE"
    return conj(a) if form == "ADJOINT" else a, "NO_TRANSPOSE"  # conj(a) is the transpose of a^H


# -- triangles and diagonals -----------------------------------------------------------------------


def _where(x: Value, direction: str) -> Value:
    """Mask of the shape of x: how row and column compare."""
    return emit.compare(*places(x), comparison_direction=direction)


def places(x: Value) -> list[Value]:
    """Row and column of each element of x."""
    shape = tuple(x.type.shape)
    axes = (len(shape) - 2, len(shape) - 1)
    return [emit.iota(iota_dimension=axis, shape=shape, dtype="i32") for axis in axes]


def _kept(x: Value, direction: str) -> Value:
    return emit.select(_where(x, direction), x, zeros_like(x))


def lower(x: Value) -> Value:
    """Zero the elements above the diagonal."""
    return _kept(x, "GE")


def strictly_lower(x: Value) -> Value:
    """Zero the elements on and above the diagonal."""
    return _kept(x, "GT")


def upper(x: Value) -> Value:
    """Zero the elements below the diagonal."""
    return _kept(x, "LE")


def strictly_upper(x: Value) -> Value:
    """Zero the elements on and below the diagonal."""
    return _kept(x, "LT")


def completed(x: Value, is_lower: bool) -> Value:
    """Hermitian matrix with one triangle of x; the imaginary parts on its diagonal stay.

    `hermitian_part` drops those.
    """
    return emit.add(lower(x), ct(strictly_lower(x))) if is_lower else completed(ct(x), True)


def triangle(x: Value, lower_triangle: bool, unit_diagonal: bool) -> Value:
    """Keep the part of x that a triangular solve reads, zero the others."""
    if unit_diagonal:
        return _kept(x, "GT" if lower_triangle else "LT")
    return _kept(x, "GE" if lower_triangle else "LE")


def on_diagonal(x: Value) -> Value:
    """Zero the elements off the diagonal."""
    return _kept(x, "EQ")


def with_ones_on_diagonal(x: Value) -> Value:
    """Replace the diagonal by ones."""
    return emit.select(_where(x, "EQ"), full_like(x, 1), x)


def half_diagonal(x: Value) -> Value:
    """Halve the diagonal."""
    return emit.mul(x, emit.select(_where(x, "EQ"), full_like(x, 0.5), full_like(x, 1)))


def imaginary_diagonal(x: Value) -> Value:
    """Imaginary parts of the diagonals of complex matrices, times i; zeros elsewhere."""
    parts = emit.imag(on_diagonal(x))
    return emit.complex(zeros_like(parts), parts)


def diagonal(x: Value) -> Value:
    """Diagonals of square matrices, as vectors."""
    return emit.sum(on_diagonal(x), axes=(x.type.rank - 1,))


def products_of_columns(x: Value, y: Value) -> Value:
    """Real parts of the diagonal of x^H y: each column of x with that of y, and no other product.

    The derivative by y scales columns, where that of a product would multiply by a diagonal matrix.
    """
    products = emit.mul(conj(x), y)
    real = emit.real(products) if is_complex(products) else products
    return emit.sum(real, axes=(x.type.rank - 2,))


def rows(x: Value, start: int, limit: int) -> Value:
    """Slice rows: x[..., start:limit, :]."""
    shape = tuple(x.type.shape)
    if (start, limit) == (0, shape[-2]):
        return x
    return emit.slice(
        x,
        start_indices=(*(0 for _ in shape[:-2]), start, 0),
        limit_indices=(*shape[:-2], limit, shape[-1]),
        strides=(1,) * len(shape),
    )


def columns(x: Value, start: int, limit: int) -> Value:
    """Slice columns: x[..., start:limit]."""
    return part(x, start, limit)


def identity(type_: Any) -> Value:
    """Stack of unit matrices: ones on the diagonal, also of matrices that are not square."""
    return with_ones_on_diagonal(full(type_, 0))


def padded(x: Value, m: int, n: int) -> Value:
    """Pad x with rows and columns of zeros to m rows and n columns."""
    *batch, rows_now, columns_now = x.type.shape
    if (rows_now, columns_now) == (m, n):
        return x
    nothing = (0,) * len(batch)
    return emit.pad(
        x,
        full(tensor((), x.type.element_type), 0),
        edge_padding_low=(*nothing, 0, 0),
        edge_padding_high=(*nothing, m - rows_now, n - columns_now),
        interior_padding=(*nothing, 0, 0),
    )


# -- solving ----------------------------------------------------------------------------------


def permuted_rows(x: Value, permutation: Value) -> Value:
    """Permute rows: x[..., permutation, :]."""
    if 0 in x.type.shape:
        return x
    *batch, m, n = x.type.shape
    rank, batching = len(batch) + 2, tuple(range(len(batch)))
    return emit.gather(
        x,
        emit.reshape(permutation, shape=(*batch, m, 1)),
        dimension_numbers=GatherDims(
            offset_dims=(rank - 1,),
            collapsed_slice_dims=(rank - 2,),
            operand_batching_dims=batching,
            start_indices_batching_dims=batching,
            start_index_map=(rank - 2,),
            index_vector_dim=rank - 1,
        ),
        slice_sizes=(*(1 for _ in batch), 1, n),
    )


def inverse_of(permutation: Value) -> Value:
    """Inverse of each permutation."""
    n = permutation.type.shape[-1]
    wanted = across_columns(permutation, n)
    shape, rank = tuple(wanted.type.shape), wanted.type.rank
    row, column = (
        emit.iota(iota_dimension=axis, shape=shape, dtype="i32") for axis in (rank - 2, rank - 1)
    )
    found = emit.compare(wanted, column, comparison_direction="EQ")
    return emit.sum(emit.select(found, row, zeros_like(row)), axes=(rank - 2,))


def solve(a: Value, b: Value) -> Value:
    """The x with a x = b."""
    return by_shared_matrices(partial(emit.solve, transpose_a="NO_TRANSPOSE"), a, b)


def by_shared_matrices(
    build: Callable[[Value, Value], Value], a: Value, b: Value, left_side: bool = True
) -> Value:
    """Solve by `build`; axes of b in front of those of a become columns (rows, on the right).

    So matrices that several systems share are factorized once, and no copies of them are made.
    """
    rank, extra = b.type.rank, b.type.rank - a.type.rank
    if not extra:
        return build(a, b)
    place = rank - (1 if left_side else 2)
    order = (*range(extra, place), *range(extra), *range(place, rank))
    moved = emit.transpose(b, permutation=order)
    shape = tuple(moved.type.shape)
    at = place - extra
    joined = (*shape[:at], math.prod(shape[at : place + 1]), *shape[place + 1 :])
    x = emit.reshape(build(a, emit.reshape(moved, shape=joined)), shape=shape)
    return emit.transpose(x, permutation=tuple(order.index(axis) for axis in range(rank)))
